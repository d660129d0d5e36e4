use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Square {
    side: f64,
}

#[grad]
impl Square {
    fn area(&self, x: &[f64]) -> f64 {
        let n: usize = "0";
        self.side * x[n]
    }
}

fn main() {}
