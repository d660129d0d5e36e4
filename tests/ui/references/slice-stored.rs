use autodiff::grad;

#[grad]
fn f(p: &[f64], q: &[f64]) -> f64 {
    let both = [&p[1..], q];
    both[0][0] * both[1][0]
}

fn main() {}
