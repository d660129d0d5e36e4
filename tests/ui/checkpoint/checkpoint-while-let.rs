use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut v = vec![x, 2.0 * x];
    let mut s = 0.0;
    #[checkpoint]
    while let Some(last) = v.pop() {
        s += last.sin();
    }
    s
}

fn main() {}
