use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let (mut a, mut b) = ([x; 2], [x; 2]);
    for r in [&mut a, &mut b] {
        r[0] = x;
    }
    a[0] * 2.0 + b[0]
}

fn main() {}
