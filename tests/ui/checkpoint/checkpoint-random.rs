use autodiff::grad;

fn random() -> f64 {
    0.5
}

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for _ in 0..n {
        let noise = random();
        s = (s + noise).sin();
    }
    s
}

fn main() {}
