use autodiff::grad;

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

#[grad(order = 2)]
fn f(x: f64) -> f64 {
    let t = x.sin();
    t + square(t)
}

fn main() {
    f::hvp(1.0, 1.0);
}
