use autodiff::grad;

#[grad]
fn f<F: Fn(usize) -> f64 + Clone>(x: f64, n: usize, #[constant] noise: F) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for i in 0..n {
        s = (s + noise(i)).sin();
    }
    s
}

fn main() {}
