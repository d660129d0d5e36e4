use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let [a, b] = xs else {
        return 0.0;
    };
    a * b
}

fn main() {}
