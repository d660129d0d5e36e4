//! Matrices of one's own, whose elements are named by a row and a column, and types whose parts are named by one number.

use std::ops::{Index, IndexMut};

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

#[grad(order = 2)]
impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &Self::Output {
        debug_assert!(i < self.rows && j < self.columns);
        &self.data[i * self.columns + j]
    }
}

#[grad(order = 2)]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Self::Output {
        let at = i * self.columns + j;
        &mut self.data[at]
    }
}

#[grad(order = 2)]
impl Matrix {
    fn zeros(rows: usize, columns: usize) -> Self {
        Matrix {
            rows,
            columns,
            data: vec![0.0; rows * columns],
        }
    }

    fn of(data: &[f64], columns: usize) -> Self {
        Matrix {
            rows: data.len() / columns,
            columns,
            data: data.to_vec(),
        }
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            for j in 0..other.columns {
                for k in 0..self.columns {
                    product[(i, j)] += self[(i, k)] * other[(k, j)];
                }
            }
        }
        product
    }

    fn scale_row(&mut self, i: usize, by: f64) {
        for j in 0..self.columns {
            self[(i, j)] *= by;
        }
    }

    fn trace(&self) -> f64 {
        (0..self.rows).map(|i| self[(i, i)]).sum()
    }
}

#[grad(order = 2)]
fn product(x: &[f64]) -> f64 {
    let mut a = Matrix::of(x, 2);
    let b = a.times(&a);
    a[(0, 1)] = b[(1, 0)] * a[(0, 1)].sin();
    a.scale_row(1, x[0]);
    a[(1, 1)] -= b[(0, 0)] / a[(0, 0)];
    a.times(&b).trace() + a[(0, 1)]
}

/// Cholesky's decomposition where the matrix is, and the logarithm of its determinant.
#[grad]
fn log_determinant(a: &mut Matrix) -> f64 {
    let mut sum = 0.0;
    for j in 0..a.rows {
        for k in 0..j {
            let l = a[(j, k)];
            a[(j, j)] -= l * l;
        }
        let pivot = a[(j, j)].sqrt();
        a[(j, j)] = pivot;
        sum += 2.0 * pivot.ln();
        for i in j + 1..a.rows {
            for k in 0..j {
                let l = a[(i, k)] * a[(j, k)];
                a[(i, j)] -= l;
            }
            a[(i, j)] /= pivot;
        }
    }
    sum
}

#[grad]
fn of_a_covariance(x: &[f64]) -> f64 {
    let mut a = Matrix::of(x, 3);
    for i in 0..3 {
        for j in 0..i {
            let mean = 0.5 * (a[(i, j)] + a[(j, i)]);
            (a[(i, j)], a[(j, i)]) = (mean, mean);
        }
        a[(i, i)] += 3.0;
    }
    log_determinant(&mut a)
}

#[derive(Clone, Copy, Differentiable)]
struct Fixed<T, const N: usize> {
    m: [[T; N]; N],
}

#[grad]
impl<T: Float, const N: usize> Index<(usize, usize)> for Fixed<T, N> {
    type Output = T;
    fn index(&self, at: (usize, usize)) -> &T {
        &self.m[at.0][at.1]
    }
}

#[grad]
impl<T: Float, const N: usize> IndexMut<(usize, usize)> for Fixed<T, N> {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut T {
        &mut self.m[at.0][at.1]
    }
}

#[grad]
fn rotated<T: Float>(angle: T, m: &Fixed<T, 2>, #[constant] weights: &Matrix) -> T {
    let mut r = *m;
    let (sin, cos) = (angle.sin(), angle.cos());
    for j in 0..2 {
        let (a, b) = (m[(0, j)], m[(1, j)]);
        r[(0, j)] = a * cos - b * sin;
        r[(1, j)] = a * sin + b * cos;
    }
    let mut sum = r[(0, 1)];
    for i in 0..2 {
        sum += r[(i, i)] * r[(i, i)] * T::from_f64(weights[(i, 1)]);
    }
    sum
}

#[grad]
fn through_generics(x: f64, y: f64) -> f64 {
    let m = Fixed {
        m: [[x, y], [x * y, 2.0]],
    };
    let weights = Matrix {
        rows: 2,
        columns: 2,
        data: vec![0.0, 1.5, 0.0, -0.5],
    };
    rotated(y, &m, &weights)
}

/// Components by a number, in the order of the fields.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Axes {
    x: f64,
    y: f64,
    z: f64,
}

#[grad(order = 2)]
impl Index<usize> for Axes {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        match i % 3 {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

#[grad(order = 2)]
impl IndexMut<usize> for Axes {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        let Axes { x, y, z } = self;
        match i % 3 {
            0 => x,
            1 => y,
            _ => z,
        }
    }
}

#[grad(order = 2)]
impl Axes {
    fn dot(&self, other: &Axes) -> f64 {
        (0..3).map(|i| self[i] * other[i]).sum()
    }

    fn grow(&mut self, by: f64) {
        let first = self[0];
        for i in 0..3 {
            self[i] = self[i] * by + self[i + 1] * first;
        }
    }
}

/// Components by number and by name are the same memory, and so are those of numbers that are three apart.
#[grad(order = 2)]
fn by_number_and_by_name(x: f64, y: f64) -> f64 {
    let mut a = Axes { x, y, z: 1.0 };
    let before = a;
    a.grow(y);
    a[4] += x * a[0];
    a.x = a[3].sin() * a.y;
    for i in 0..4 {
        a[i] = a[i + 1] * a.x.cos() + a[i + 3] * x;
        a.y *= a[i + 2];
    }
    let last = &mut a[5];
    *last *= 0.5 + x;
    let c = a[0] * a[3];
    a[3] = c * before[1];
    a.dot(&before) * a[0] + a.z
}

#[derive(Clone, Copy)]
enum Axis {
    Along,
    Across,
}

/// Components by name, of a type parameter.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair<T>(T, T);

#[grad]
impl<T: Float> Index<Axis> for Pair<T> {
    type Output = T;
    fn index(&self, axis: Axis) -> &Self::Output {
        match axis {
            Axis::Along => &self.0,
            Axis::Across => &self.1,
        }
    }
}

/// Coefficients, the constant one first.
#[derive(Clone, Debug, Differentiable)]
struct Polynomial<'a> {
    coefficients: Vec<f64>,
    #[constant]
    name: &'a str,
}

#[grad]
impl Index<usize> for Polynomial<'_> {
    type Output = f64;
    fn index(&self, power: usize) -> &f64 {
        assert!(
            power < self.coefficients.len(),
            "{} has no such power",
            self.name
        );
        self.coefficients.get(power).expect("it is asserted")
    }
}

/// Rows of a matrix, by a number.
#[derive(Clone, Debug, Differentiable)]
struct Rows<const N: usize> {
    rows: Vec<[f64; N]>,
}

#[grad]
impl<const N: usize> Index<usize> for Rows<N> {
    type Output = [f64; N];
    fn index(&self, i: usize) -> &[f64; N] {
        &self.rows[i]
    }
}

#[grad]
impl<const N: usize> IndexMut<usize> for Rows<N> {
    fn index_mut(&mut self, i: usize) -> &mut [f64; N] {
        &mut self.rows[i]
    }
}

#[grad]
fn of_many_kinds(x: f64, y: f64) -> f64 {
    let pair = Pair(x * y, y.sin());
    let mut sum = pair[Axis::Along] * pair[Axis::Across];
    for axis in [Axis::Along, Axis::Across] {
        sum += pair[axis] * pair[axis];
    }
    let polynomial = Polynomial {
        coefficients: vec![y, x, x * y],
        name: "p",
    };
    for power in 0..3 {
        sum += polynomial[power] * x.powi(power as i32);
    }
    let mut m = Rows {
        rows: vec![[x, y, 1.0], [sum, 0.5, x]],
    };
    m[1][0] *= m[0][1];
    m[0] = m[1];
    m[1][2] += m[0][0];
    m[0][0] * m[1][2] + m[0].iter().sum::<f64>()
}

#[test]
fn elements_by_row_and_column() {
    for v in [[1.3, 0.7, -0.4, 1.1], [0.6, -0.9, 0.2, 0.5]] {
        let [a, b, ..] = v;
        check!(product(shared x = v.to_vec()));
        check!(through_generics(value x = a, value y = b));
    }
    check!(of_a_covariance(shared x = vec![1.0, 0.3, -0.2, 0.5, 1.4, 0.1, -0.6, 0.2, 0.8]));
}

#[test]
fn elements_by_one_number() {
    for (x, y) in [(0.7, -0.4), (-1.2, 0.9)] {
        check!(by_number_and_by_name(value x = x, value y = y));
        check!(of_many_kinds(value x = x, value y = y));
        check_second!(by_number_and_by_name(value x = x, value y = y));
    }
}

#[test]
fn second_derivatives() {
    let x = [1.3, 0.7, -0.4, 1.1];
    let hessian = product::hessian(&x);
    for j in 0..4 {
        let (mut above, mut below) = (x, x);
        above[j] += 1e-5;
        below[j] -= 1e-5;
        let (above, below) = (product::grad(&above), product::grad(&below));
        for i in 0..4 {
            near(&hessian[[i, j]], &((above[i] - below[i]) / 2e-5), 1e-7);
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Ring {
    list: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

#[grad(order = 2)]
impl Index<usize> for Ring {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        if i > 5 {
            let list = &self.list;
            return &list[i % list.len()];
        }
        match i {
            0 => self.list.get(i % self.list.len()).unwrap(),
            1 => &self.rows[i % self.rows.len()][i % self.rows[0].len()],
            _ => &self.list[i % self.list.len()],
        }
    }
}

#[grad(order = 2)]
impl IndexMut<usize> for Ring {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        let at = i % self.list.len();
        &mut self.list[at]
    }
}

#[grad(order = 2)]
fn around(x: f64, y: f64) -> f64 {
    let mut ring = Ring {
        list: vec![x, y, x * y],
        rows: vec![vec![x], vec![y * y, x]],
    };
    ring[4] *= x;
    ring[3] = ring[8] * y + ring[1];
    ring[0] * ring[1] * ring[2] + ring[7]
}

#[test]
fn an_index_reads_the_length() {
    check!(around(value x = 0.7, value y = -0.4));
    check_second!(around(value x = 0.7, value y = -0.4));
}

#[derive(Differentiable, Clone)]
struct Labelled {
    all: Vec<f64>,
    #[constant]
    labels: Vec<usize>,
}

impl Index<usize> for Labelled {
    type Output = usize;
    fn index(&self, i: usize) -> &usize {
        &self.labels[i]
    }
}

#[grad(order = 2)]
fn by_label(of: &Labelled) -> f64 {
    let first = of[1];
    of.all[first] * of.all[of[0]].sin()
}

#[test]
fn an_index_of_labels_asks_for_no_derivative() {
    let of = Labelled {
        all: vec![0.7, -0.4],
        labels: vec![1, 0],
    };
    let grad = by_label::grad(&of).all;
    near(&grad[0], &((-0.4_f64).sin()), 1e-12);
    near(&grad[1], &(0.7 * (-0.4_f64).cos()), 1e-12);
}

#[derive(Differentiable, Clone)]
struct Short {
    all: [f64; 3],
}

#[grad(order = 2)]
impl Index<u8> for Short {
    type Output = f64;
    fn index(&self, i: u8) -> &f64 {
        &self.all[usize::from(i)]
    }
}

#[grad(order = 2)]
fn by_byte(of: &Short) -> f64 {
    let mut s = of[0];
    for i in 0..3u8 {
        s *= of[i];
    }
    s
}

type Alias = Vec<f64>;

#[grad(order = 2)]
fn by_alias(of: &Alias) -> f64 {
    let mut s = of[0];
    for x in of {
        s += x * x;
    }
    for i in 0..of.len() {
        s += of[i].sin();
    }
    s
}

#[test]
fn an_index_is_any_integer() {
    let short = Short {
        all: [0.7, -0.4, 1.2],
    };
    let grad = by_byte::grad(&short).all;
    near(&grad[0], &(2.0 * 0.7 * -0.4 * 1.2), 1e-12);
    near(&grad[1], &(0.7 * 0.7 * 1.2), 1e-12);
    near(
        &by_alias::grad(&vec![0.7, -0.4])[0],
        &(1.0 + 1.4 + 0.7_f64.cos()),
        1e-12,
    );
}

mod with_index_alone {
    use autodiff::{Differentiable, grad};
    use std::ops::Index;

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Series {
        pub(super) all: Vec<f64>,
        pub(super) scale: f64,
    }

    #[grad]
    impl Index<usize> for Series {
        type Output = f64;

        fn index(&self, i: usize) -> &f64 {
            &self.all[i]
        }
    }

    #[grad]
    impl Series {
        pub(super) fn weighted(&self, k: f64) -> f64 {
            let mut sum = 0.0;
            for i in 0..self.all.len() {
                if self[i] > 0.0 {
                    sum += self[i] * self[i] * k * self.scale;
                }
            }
            sum
        }
    }
}

#[test]
fn an_index_alone_has_a_derivative() {
    use with_index_alone::{Series, SeriesTangent};
    let series = Series {
        all: vec![1.0, -2.0, 3.0],
        scale: 0.5,
    };
    let (value, (gradient, k)) = series.weighted_value_and_grad(2.0);
    assert_eq!((value, k, gradient.scale), (10.0, 5.0, 20.0));
    assert_eq!(gradient.all, [2.0, 0.0, 6.0]);
    let direction = SeriesTangent {
        all: vec![1.0, 1.0, 1.0],
        scale: 1.0,
    };
    assert_eq!(series.weighted_jvp(2.0, (&direction, 1.0)).1, 33.0);
}
