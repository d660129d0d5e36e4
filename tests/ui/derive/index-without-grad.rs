use std::ops::Index;

use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Matrix {
    n: usize,
    data: Vec<f64>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.n + j]
    }
}

#[grad]
fn f(m: &Matrix) -> f64 {
    m[(0, 1)] * 2.0
}

fn main() {}
