use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let (a, b) = ([x, 1.0], [2.0, x]);
    let r = if x > 0.0 { &a } else { &b };
    r[0] * r[1]
}

fn main() {}
