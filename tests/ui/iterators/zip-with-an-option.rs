use autodiff::grad;

#[grad]
fn f(x: &[f64]) -> f64 {
    let o = Some(x[0]);
    x.iter().zip(o.iter()).map(|(a, b)| a * b).sum()
}

fn main() {
    println!("{:?}", f::grad(&[1.0, 2.0]));
}
