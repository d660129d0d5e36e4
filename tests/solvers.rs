//! Functions handed to solvers: `f {}` and `f::with(…)` as `Objective` and `Residuals`.

use autodiff::{
    Differentiable, Float, Matrix, Objective, Parameters, Residuals, Tangent, grad, sigmoid,
};

/// Gradient descent that halves its step until the value falls: any objective on flat parameters.
fn descend(f: &dyn Objective<Point = [f64]>, start: &[f64], steps: usize) -> Vec<f64> {
    let mut x = start.to_vec();
    let mut rate = 1.0;
    for _ in 0..steps {
        let (value, gradient) = f.value_and_grad(&x);
        loop {
            let mut next = x.clone();
            next.move_by(-rate, &gradient);
            if f.value(&next) <= value || rate < 1e-12 {
                x = next;
                break;
            }
            rate *= 0.5;
        }
        rate *= 1.5;
    }
    x
}

/// The same for parameters of any type.
fn minimise<O: Objective<Point: Clone>>(f: &O, start: &O::Point, steps: usize) -> O::Point {
    let mut x = start.clone();
    let mut rate = 1.0;
    for _ in 0..steps {
        let (value, gradient) = f.value_and_grad(&x);
        let mut next = x.clone();
        next.move_by(-rate, &gradient);
        if f.value(&next) <= value {
            x = next;
            rate *= 1.5;
        } else {
            rate *= 0.5;
        }
    }
    x
}

/// Newton's method for two equations in two unknowns.
fn solve(f: &dyn Residuals<Point = [f64; 2]>, mut x: [f64; 2]) -> [f64; 2] {
    for _ in 0..20 {
        let (r, j) = f.residuals_and_jacobian(&x);
        let det = j[[0, 0]] * j[[1, 1]] - j[[0, 1]] * j[[1, 0]];
        x[0] -= (j[[1, 1]] * r[0] - j[[0, 1]] * r[1]) / det;
        x[1] -= (j[[0, 0]] * r[1] - j[[1, 0]] * r[0]) / det;
    }
    x
}

/// Value and gradient in one, flat.
fn at<O: Objective + ?Sized>(f: &O, x: &O::Point) -> (f64, Vec<f64>) {
    let (value, gradient) = f.value_and_grad(x);
    assert_eq!(value, f.value(x));
    (value, gradient.to_flat())
}

fn all<R: Residuals + ?Sized>(f: &R, x: &R::Point) -> (Vec<f64>, Matrix<f64>) {
    let (values, jacobian) = f.residuals_and_jacobian(x);
    assert_eq!(values, f.residuals(x));
    assert_eq!(jacobian.rows(), values.len());
    (values, jacobian)
}

#[grad]
fn rosenbrock(x: &[f64]) -> f64 {
    let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
    a * a + 100.0 * b * b
}

#[test]
fn a_function_is_an_objective() {
    let x = descend(&rosenbrock {}, &[-1.2, 1.0], 20_000);
    assert!(
        (x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6,
        "{x:?}"
    );
    assert_eq!(
        at(&rosenbrock::with(), &[1.0, 2.0]),
        (100.0, vec![-400.0, 200.0])
    );
}

#[grad]
fn squares(w: &[f64], #[constant] data: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for &(x, y) in data {
        let e = w[0] + w[1] * x - y;
        sum += e * e;
    }
    sum
}

#[test]
fn constants_are_bound() {
    let data = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
    let x = descend(&squares::with(&data), &[0.0, 0.0], 2_000);
    assert!(
        (x[0] - 1.0).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6,
        "{x:?}"
    );
    // What is bound may be put into a list, with others of another type.
    let many: Vec<Box<dyn Objective<Point = [f64]> + '_>> =
        vec![Box::new(squares::with(&data)), Box::new(rosenbrock {})];
    let values: Vec<f64> = many.iter().map(|f| f.value(&[1.0, 2.0])).collect();
    assert_eq!(values, [0.0, 100.0]);
    assert_eq!(at(&*many[1], &[1.0, 2.0]).1, [-400.0, 200.0]);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    slope: f64,
    offset: [f64; 1],
    steps: usize,
}

#[derive(Clone, Debug)]
struct Config {
    scale: Vec<f64>,
    #[allow(dead_code)]
    name: String,
}

/// A constant that borrows.
struct Sample<'a> {
    xs: &'a [f64],
}

#[grad]
fn of_a_number(x: f64) -> f64 {
    x * x.sin()
}
#[grad]
fn of_a_slice(x: &[f64], k: f64, n: usize) -> f64 {
    k * x[n]
}
#[grad(wrt(k))]
fn of_a_constant(x: &[f64], k: f64, y: Vec<f64>) -> f64 {
    k * k * x[0] * y[0]
}
#[grad]
fn of_an_array(x: [f64; 3]) -> f64 {
    x[0] * x[1] * x[2]
}
#[grad]
fn of_an_array_behind_a_reference(x: &[f64; 3], power: i32) -> f64 {
    (x[0] * x[1] * x[2]).powi(power)
}
#[grad]
#[allow(clippy::ptr_arg)]
fn of_a_vector(x: &Vec<f64>) -> f64 {
    x[0] * x[0]
}
#[grad]
fn of_an_owned_vector(x: Vec<f64>, #[constant] k: Vec<f64>) -> f64 {
    let mut x = x;
    x.push(k[0]);
    x[0] * x[x.len() - 1]
}
#[grad]
fn of_a_tuple((a, [b, c]): (f64, [f64; 2])) -> f64 {
    a * b + c
}
#[grad]
fn of_rows(x: &[[f64; 2]]) -> f64 {
    x[0][1] * x[1][0]
}
#[grad]
fn of_a_struct(m: &Model, #[constant] config: Config, #[constant] s: &Sample) -> f64 {
    m.slope * m.slope * config.scale[0] + m.offset[0] * s.xs[0]
}
#[grad]
fn of_an_owned_struct(m: Model) -> f64 {
    m.slope * m.offset[0]
}
#[grad]
fn of_single_precision(x: &[f32]) -> f32 {
    x[0] * x[1]
}
#[grad]
fn of_any_length<const N: usize>(x: &[f64; N], #[constant] w: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += w[k] * x[k] * x[k];
    }
    sum
}
#[grad]
fn of_any_float<T: Float>(x: &[T], #[constant] k: T) -> T {
    x[0] * x[1] * k
}
#[grad]
fn of_named_lifetimes<'a, 'b: 'a>(
    x: &'a [f64],
    #[constant] y: &'a [f64],
    #[constant] z: &'b [&'a str],
) -> f64 {
    x[0] * y[0] * z.len() as f64
}
#[grad]
fn with_a_rule<F: Fn(usize) -> f64>(x: f64, #[constant] weight: F) -> f64 {
    x * x * weight(3)
}
type Real = f64;
#[grad]
fn of_an_alias(x: Real, #[constant] k: &[Real]) -> Real {
    x * x * k[0]
}

#[test]
fn points_of_every_type() {
    assert_eq!(at(&of_a_number {}, &1.0).0, 1.0_f64.sin());
    assert_eq!(
        at(&of_an_array {}, &[1.0, 2.0, 3.0]),
        (6.0, vec![6.0, 3.0, 2.0])
    );
    assert_eq!(
        at(&of_an_array_behind_a_reference::with(2), &[1.0, 2.0, 3.0]),
        (36.0, vec![72.0, 36.0, 24.0])
    );
    assert_eq!(at(&of_a_vector {}, &vec![3.0, 7.0]), (9.0, vec![6.0, 0.0]));
    assert_eq!(
        at(&of_an_owned_vector::with(vec![2.0]), &vec![3.0, 7.0]),
        (6.0, vec![2.0, 0.0])
    );
    assert_eq!(
        at(&of_a_tuple {}, &(2.0, [3.0, 4.0])),
        (10.0, vec![3.0, 2.0, 1.0])
    );
    assert_eq!(
        at(&of_rows {}, &[[1.0, 2.0], [3.0, 4.0]]),
        (6.0, vec![0.0, 3.0, 2.0, 0.0])
    );
    assert_eq!(
        at(&of_single_precision {}, &[1.5, 2.0]),
        (3.0, vec![2.0, 1.5])
    );
    assert_eq!(at(&of_an_alias::with(&[2.0]), &3.0), (18.0, vec![12.0]));
}

#[test]
fn constants_of_every_type() {
    let (k, y) = (vec![2.0], vec![5.0]);
    assert_eq!(at(&of_a_constant::with(&k, y), &3.0), (90.0, vec![60.0]));
    let config = Config {
        scale: vec![10.0],
        name: "c".to_owned(),
    };
    let numbers = vec![7.0];
    let sample = Sample { xs: &numbers };
    let model = Model {
        slope: 3.0,
        offset: [0.5],
        steps: 2,
    };
    let f = of_a_struct::with(config, &sample);
    let (value, gradient) = f.value_and_grad(&model);
    assert_eq!(
        (value, gradient.slope, gradient.offset),
        (93.5, 60.0, [7.0])
    );
    assert_eq!(f.value(&model), 93.5);
    assert_eq!(at(&of_an_owned_struct {}, &model), (1.5, vec![0.5, 3.0]));
    let n = 4_usize;
    assert_eq!(
        at(&with_a_rule::with(|k| (k + n) as f64), &2.0),
        (28.0, vec![28.0])
    );
    let words = ["a", "b"];
    assert_eq!(
        at(&of_named_lifetimes::with(&numbers, &words), &[3.0]),
        (42.0, vec![14.0])
    );
    // Both `k` and `n` are numbers, but of `k` there is a derivative: neither alone has one.
    assert_eq!(of_a_slice::grad(&[1.0, 2.0], 3.0, 1), (vec![0.0, 3.0], 2.0));
}

#[test]
fn generic_functions_bind_too() {
    assert_eq!(
        at(&of_any_length::with::<2>(&[1.0, 2.0]), &[3.0, 4.0]),
        (41.0, vec![6.0, 16.0])
    );
    assert_eq!(at(&of_any_length::with(&[1.0]), &[3.0]), (9.0, vec![6.0]));
    assert_eq!(
        at(&of_any_float::with(2.0_f32), &[3.0, 4.0]),
        (24.0, vec![8.0, 6.0])
    );
    assert_eq!(
        at(&of_any_float::with(2.0), &[3.0, 4.0]),
        (24.0, vec![8.0, 6.0])
    );
}

#[grad]
fn circle_and_line(x: &[f64; 2]) -> [f64; 2] {
    [x[0] * x[0] + x[1] * x[1] - 25.0, x[1] - x[0] - 1.0]
}
#[grad]
fn errors(w: &[f64], #[constant] xs: &[f64], #[constant] ys: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(xs.len());
    for k in 0..xs.len() {
        out.push(sigmoid(w[0] + w[1] * xs[k]) - ys[k]);
    }
    out
}
#[grad]
fn pair(x: f64, k: usize) -> (f64, [f64; 2]) {
    (x * k as f64, [x * x, 1.0])
}
#[grad]
fn narrow<const N: usize>(x: [f32; N]) -> [f32; N] {
    x.map(|x| x * x)
}
#[grad(jvp = pushed)]
fn forward_only(x: &[f64]) -> Vec<f64> {
    vec![x[0] * x[1]]
}
fn pushed(x: &[f64], d: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (vec![x[0] * x[1]], vec![d[0] * x[1] + x[0] * d[1]])
}

#[test]
fn several_values_are_residuals() {
    let x = solve(&circle_and_line {}, [2.0, 5.0]);
    assert!(
        (x[0] - 3.0).abs() < 1e-12 && (x[1] - 4.0).abs() < 1e-12,
        "{x:?}"
    );

    let (xs, ys) = ([0.0, 1.0, 2.0], [0.5, 0.5, 0.5]);
    let f = errors::with(&xs, &ys);
    let (values, jacobian) = all(&f, &[0.0, 0.0]);
    assert_eq!(values, [0.0; 3]);
    assert_eq!(jacobian.as_slice(), [0.25, 0.0, 0.25, 0.25, 0.25, 0.5]);
    let f: &dyn Residuals<Point = [f64]> = &f;
    assert_eq!(all(&f, &[0.0, 0.0]).1, jacobian);

    let (values, jacobian) = all(&pair::with(3), &2.0);
    assert_eq!(
        (values, jacobian.as_slice()),
        (vec![6.0, 4.0, 1.0], [3.0, 4.0, 0.0].as_slice())
    );
    let (values, jacobian) = all(&narrow::with::<2>(), &[1.5, 3.0]);
    assert_eq!(
        (values, jacobian.row(1)),
        (vec![2.25, 9.0], [0.0, 6.0].as_slice())
    );
    assert_eq!(all(&forward_only {}, &[3.0, 4.0]).1.row(0), [4.0, 3.0]);
}

#[test]
fn parameters_of_a_struct_are_found() {
    #[grad]
    fn distance(m: &Model, #[constant] to: (f64, f64)) -> f64 {
        (m.slope - to.0).powi(2) + (m.offset[0] - to.1).powi(2)
    }
    let start = Model {
        slope: 0.0,
        offset: [0.0],
        steps: 5,
    };
    let found = minimise(&distance::with((2.0, -3.0)), &start, 100);
    assert!((found.slope - 2.0).abs() < 1e-8 && (found.offset[0] + 3.0).abs() < 1e-8);
    assert_eq!(found.steps, 5);
}

/// Of a type that no optimiser can move, functions have derivatives all the same.
mod immovable {
    use autodiff::{Differentiable, grad};

    pub(super) struct Fixed(pub(super) f64);
    impl Differentiable for Fixed {
        type Tangent = f64;
        fn zero_tangent(&self) -> f64 {
            0.0
        }
        fn write_flat(&self, out: &mut [f64]) {
            out[0] = self.0;
        }
    }
    #[derive(Clone, Copy, Differentiable)]
    pub(super) struct Borrowing<'a>(#[constant] pub(super) &'a [f64], pub(super) f64);

    #[grad]
    pub(super) fn fixed(x: &Fixed, #[constant] n: f64) -> f64 {
        read(x) * n
    }
    #[grad(vjp = pulled)]
    fn read(x: &Fixed) -> f64 {
        x.0
    }
    fn pulled(x: &Fixed) -> (f64, impl FnOnce(f64) -> f64) {
        (x.0, |seed| seed)
    }
    #[grad]
    pub(super) fn borrowing(b: &Borrowing<'_>, n: usize) -> f64 {
        b.1 * b.1 * (n + b.0.len()) as f64
    }
}

#[test]
fn other_functions_stay_as_they_are() {
    assert_eq!(immovable::fixed::grad(&immovable::Fixed(2.0), 3.0), 3.0);
    assert_eq!(
        immovable::borrowing::grad(&immovable::Borrowing(&[2.0], 3.0), 2).1,
        18.0
    );
}
