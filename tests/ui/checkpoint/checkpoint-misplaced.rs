use autodiff::grad;

#[grad]
#[checkpoint]
fn f(x: f64) -> f64 {
    x * x
}

#[grad]
fn g(x: f64, n: usize) -> f64 {
    #[checkpoint]
    let mut s = x;
    for _ in 0..n {
        s = s.sin();
    }
    s
}

fn main() {}
