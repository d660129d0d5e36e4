use autodiff::grad;

#[grad(dynamic)]
fn grown(xs: &mut Vec<f64>, n: &mut usize) -> f64 {
    *n += 1;
    xs.push(1.0);
    xs[0]
}

fn main() {}
