use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut r = 0.0..x;
    r.end *= 2.0;
    r.end
}

fn main() {}
