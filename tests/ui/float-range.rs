use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let r = 0.0..x;
    r.end * 2.0
}

fn main() {}
