use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint]
    while s > 0.1 {
        s = s.sin();
        if s > 0.9 {
            break;
        }
    }
    s
}

fn main() {}
