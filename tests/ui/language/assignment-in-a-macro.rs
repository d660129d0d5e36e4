use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut s = x;
    assert!({
        s *= 3.0;
        s > 0.0
    });
    s * 2.0
}

fn main() {}
