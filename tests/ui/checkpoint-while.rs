use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint]
    while s > 0.1 {
        s = s.sin();
    }
    s
}

fn main() {}
