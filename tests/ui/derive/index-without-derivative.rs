use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Bag {
    all: Vec<f64>,
}

impl std::ops::Index<usize> for Bag {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.all[i]
    }
}

#[grad]
fn f(bag: &Bag) -> f64 {
    bag[0] * bag[1] + bag[2]
}

fn main() {}
