use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut s = 0.0;
    #[checkpoint]
    for x in xs {
        s = (s + x).sin();
    }
    s
}

fn main() {}
