use autodiff::grad;

#[grad]
fn f(xs: &mut [f64]) {
    let (lo, hi) = xs.split_at_mut(1);
    hi[0] *= lo[0];
}

fn main() {}
