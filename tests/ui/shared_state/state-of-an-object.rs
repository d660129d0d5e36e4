use autodiff::grad;

trait Source {
    fn next(&mut self) -> f64;
}

#[grad]
fn pair(a: f64, b: f64, #[constant] source: &mut dyn Source) -> (f64, f64) {
    let z = source.next();
    (z * a, z * a * b)
}

fn rows(source: &mut dyn Source) {
    pair::vjp(1.0, 2.0, source, (1.0, 0.0));
    pair::jacobian_rows(1.0, 2.0, source);
}

fn main() {}
