use autodiff::grad;

struct Source {
    noise: fn(usize) -> f64,
}

#[grad]
fn f(x: f64, n: usize, #[constant] sources: &[Source]) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for i in 0..n {
        let noise = (sources[0].noise)(i);
        s = (s + noise).sin();
    }
    s
}

fn main() {}
