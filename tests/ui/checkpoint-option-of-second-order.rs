use autodiff::grad;

#[grad(order = 2, checkpoint)]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    for _ in 0..n {
        s = s.sin();
    }
    s
}

fn main() {}
