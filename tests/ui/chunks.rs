use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut s = 0.0;
    for pair in xs.chunks(2) {
        s += pair[0] * pair[1];
    }
    s
}

fn main() {}
