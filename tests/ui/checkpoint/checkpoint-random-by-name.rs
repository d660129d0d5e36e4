use autodiff::grad;

/// Of iterators, the method of this name is known.
fn take(of: usize) -> f64 {
    of as f64
}

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for i in 0..n {
        let noise = take(i);
        s = (s + noise).sin();
    }
    s
}

fn main() {}
