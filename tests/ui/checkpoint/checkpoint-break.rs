use autodiff::grad;

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint]
    for _ in 0..n {
        s = s.sin();
        if s < 0.1 {
            break;
        }
    }
    s
}

fn main() {}
