use autodiff::grad;

trait Source {
    fn next(&mut self) -> f64;
}

#[grad]
fn drawn(#[constant] source: &mut dyn Source, x: f64) -> f64 {
    source.next() * x
}

#[grad]
fn walk(#[constant] source: &mut dyn Source, x: f64) -> f64 {
    x + source.next() * drawn(source, x)
}

fn main() {}
