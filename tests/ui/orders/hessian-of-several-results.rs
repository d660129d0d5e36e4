use autodiff::grad;

#[grad(order = 2)]
fn f(x: f64, y: f64) -> [f64; 2] {
    [x * y, x]
}

fn main() {
    let h = f::hessian(1.0, 2.0);
    println!("{}", h.rows());
}
