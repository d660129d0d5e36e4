use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
    let both = (&mut a, &mut b);
    both.0[0] = x;
    a[0] * 2.0 + b[0]
}

fn main() {}
