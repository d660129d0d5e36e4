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
impl Bag {
    fn first(&self, k: f64) -> f64 {
        self[0] * self[1] + k
    }

    fn sum(&self, k: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..3 {
            sum += self[i] * k;
        }
        sum
    }
}

#[derive(Clone, Differentiable)]
struct Queue {
    all: Vec<f64>,
}

impl Queue {
    fn iter(&self) -> std::slice::Iter<'_, f64> {
        self.all.iter()
    }
}

trait Total {
    fn total(&self, k: f64) -> f64;
}

#[grad]
impl Total for Queue {
    fn total(&self, k: f64) -> f64 {
        let mut sum = k;
        for x in self.iter() {
            sum += x * k;
        }
        sum
    }
}

fn main() {}
