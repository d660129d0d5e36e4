use autodiff::grad;

fn random() -> f64 {
    0.5
}

#[grad]
fn f(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint]
    while s > random() {
        s = s.sin();
    }
    s
}

fn main() {}
