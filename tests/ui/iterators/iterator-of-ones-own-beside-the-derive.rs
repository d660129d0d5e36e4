use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Bag {
    all: Vec<f64>,
}

impl Bag {
    fn len(&self) -> usize {
        self.all.len()
    }

    fn iter(&self) -> impl Iterator<Item = &f64> {
        self.all.iter().rev()
    }
}

impl std::ops::Index<usize> for Bag {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.all[i]
    }
}

#[grad]
fn f(bag: &Bag) -> f64 {
    let mut s = 0.0;
    for v in bag.iter() {
        s = s * 0.5 + v;
    }
    s * bag.len() as f64
}

fn main() {}
