use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let (a, b, c) = ([x, 1.0], [2.0, x], [x, x]);
    let r = if x > 1.0 {
        &a
    } else if x > 0.0 {
        &b
    } else {
        &c
    };
    r[0] * r[1]
}

fn main() {}
