use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let g = [f64::sin, f64::cos];
    g[0](x)
}

fn main() {}
