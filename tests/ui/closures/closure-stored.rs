use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let scale = |t: f64| t * x;
    let all = [scale];
    all[0](2.0)
}

fn main() {}
