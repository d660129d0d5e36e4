use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    static SCALE: f64 = 2.0;
    SCALE * x
}

fn main() {}
