use autodiff::grad;

#[grad]
fn f(x: f64, ys: &[f64]) -> f64 {
    let y = x.to_bits() as f64;
    y * ys[0]
}

#[grad]
async fn g(x: f64) -> f64 {
    x * x
}

#[grad]
fn calls_it(x: f64) -> f64 {
    f(x, &[x, 2.0]) + x
}

fn main() {
    let (dx, dys): (f64, Vec<f64>) = f::grad(1.0, &[2.0, 3.0]);
    let (value, _) = f::value_and_grad(1.0, &[2.0, 3.0]);
    let (_, tangent) = f::jvp(1.0, &[2.0], (1.0, &[0.0]));
    println!("{} {} {value} {tangent}", dx, dys[0]);
    println!("{}", f::jacobian(1.0, &[2.0, 3.0])[[0, 0]]);
    let (_, back) = f::pullback(1.0, &[2.0]);
    println!("{:?}", back(1.0));
    println!("{}", g::grad(1.0) + calls_it::grad(1.0));
}
