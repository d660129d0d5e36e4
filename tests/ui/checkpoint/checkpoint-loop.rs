use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint]
    loop {
        s = s.sin();
        if s < 0.1 {
            break;
        }
    }
    s
}

fn main() {}
