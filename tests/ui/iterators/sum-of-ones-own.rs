use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Mean {
    value: f64,
    count: f64,
}

#[grad]
impl std::ops::AddAssign for Mean {
    fn add_assign(&mut self, other: Mean) {
        self.value += other.value;
        self.count += other.count;
    }
}

impl std::iter::Sum for Mean {
    fn sum<I: Iterator<Item = Mean>>(all: I) -> Mean {
        let mut sum = Mean { value: 0.0, count: 0.0 };
        for one in all {
            sum += one;
        }
        Mean { value: sum.value / sum.count, count: 1.0 }
    }
}

#[grad]
fn mean(x: &[f64]) -> f64 {
    let mean: Mean = x.iter().map(|&x| Mean { value: x, count: 1.0 }).sum();
    mean.value
}

fn main() {}
