use std::ops::{Index, IndexMut};

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

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.n + j]
    }
}

#[grad]
fn lent(m: &mut Matrix, x: f64) {
    let r = &mut m[(0, 1)];
    *r = x;
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
}

#[derive(Clone, Differentiable)]
struct Grid {
    points: Vec<Point>,
}

impl Index<(usize, usize)> for Grid {
    type Output = Point;
    fn index(&self, (i, j): (usize, usize)) -> &Point {
        &self.points[2 * i + j]
    }
}

impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Point {
        &mut self.points[2 * i + j]
    }
}

#[grad]
fn in_part(g: &mut Grid, x: f64) {
    g[(0, 1)].x = x;
}

fn main() {}
