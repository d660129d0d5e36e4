use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Kept {
    last: f64,
}

impl Kept {
    fn keep(&mut self, x: f64) -> bool {
        self.last = x;
        true
    }
}

#[grad]
fn method(x: f64, y: f64) -> f64 {
    let mut kept = Kept { last: y };
    match 1 {
        1 if kept.keep(x) => kept.last * y,
        _ => y,
    }
}

fn main() {}
