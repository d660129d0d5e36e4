use autodiff::grad;

#[grad]
fn f(x: f64, y: f64) -> f64 {
    let mut seen = 0.0;
    let mut a = [x, y, x * y];
    a.sort_by(|p, q| {
        seen += p * q;
        p.total_cmp(q)
    });
    seen * a[0]
}

fn main() {}
