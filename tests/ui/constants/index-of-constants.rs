use std::ops::Index;

use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Rows {
    data: Vec<f64>,
    columns: usize,
}

#[grad]
impl Index<usize> for Rows {
    type Output = [f64];
    fn index(&self, i: usize) -> &[f64] {
        let start = i * self.columns;
        &self.data[start..][..self.columns()]
    }
}

impl Rows {
    fn columns(&self) -> usize {
        self.columns
    }
}

fn main() {}
