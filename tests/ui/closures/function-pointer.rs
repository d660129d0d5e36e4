use autodiff::grad;

#[grad]
fn f(x: f64, g: impl Fn(f64) -> f64) -> f64 {
    let h = &g;
    h(x)
}

fn main() {}
