use autodiff::grad;

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(each = 3)]
    for _ in 0..n {
        s = s.sin();
    }
    s
}

fn main() {}
