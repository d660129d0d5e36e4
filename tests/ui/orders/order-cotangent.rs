use autodiff::grad;

#[grad(order = 2)]
fn f(x: f64) -> f64 {
    let t = autodiff::with_cotangent(x * x, |c| *c = c.clamp(-1.0, 1.0));
    t.sin()
}

fn main() {
    f::hvp(1.0, 1.0);
}
