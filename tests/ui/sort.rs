use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut a = xs.to_vec();
    a.sort_by(|p, q| p.total_cmp(q));
    a[0] * a[1]
}

fn main() {}
