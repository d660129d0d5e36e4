use autodiff::grad;

fn random(below: usize) -> usize {
    below / 2
}

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for i in 0..n {
        match i {
            3 if random(i) > 0 => s *= x,
            _ => s = s.sin(),
        }
    }
    s
}

fn main() {}
