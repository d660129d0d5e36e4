use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut it = xs.iter().filter(|x| **x > 0.0).peekable();
    let mut s = 0.0;
    while let Some(x) = it.next() {
        s += if it.peek().is_some() { *x } else { x * x };
    }
    s
}

fn main() {}
