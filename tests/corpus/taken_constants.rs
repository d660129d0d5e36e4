//! Constants that the code takes by value, of which derivatives look at what they were.

use autodiff::{Tensor, grad};

use super::tensors::some;

fn count(list: Vec<f64>) -> f64 {
    list.len() as f64
}

/// Cannot be copied.
struct Lone(f64);

impl Lone {
    fn weight(&self) -> f64 {
        self.0
    }

    fn end(self) -> f64 {
        self.0
    }
}

each_way! {
    fn in_one_arm(x: &Tensor<f64>, k: f64) {
        let s: Tensor<f64> = some(&[2, 1]);
        let y = if k > 0.5 { s * x } else { s * 2.0 };
        (y * x).sum() * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn in_the_other(x: &Tensor<f64>, k: f64) {
        let s: Tensor<f64> = some(&[2, 1]);
        let y = if k < 0.5 { s * x } else { s.reshape(&[2, 1]) };
        (y * x).sum() * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn by_a_match(x: &Tensor<f64>, k: f64) {
        let mut sum = k;
        for n in 0..4 {
            let s: Tensor<f64> = some(&[2, 1]);
            let y = match n { 0 => s, 1 => s * x, 2 => s / 2.0, _ => x.clone() };
            sum += (y * x).sum() * k;
        }
        sum
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn behind_a_reference(x: &Tensor<f64>, k: f64) {
        let s: Tensor<f64> = some(&[2, 1]);
        let a = (&s * x * x).sum();
        let t = s * 2.0;
        a * k + (t * x * x).sum()
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn behind_a_variable_that_refers(x: &Tensor<f64>, k: f64) {
        let s: Tensor<f64> = some(&[2, 1]);
        let r = &s;
        let a = (r * x * x).sum();
        let t = s * 2.0;
        a * k + (t * x * x).sum()
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn what_functions_of_constants_give(x: &Tensor<f64>, k: f64) {
        let s: Tensor<f64> = some(&[2, 1]).tanh();
        let y = if k > 0.5 { x + s } else { s * 2.0 };
        (y * x).sum() * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn computed_and_borrowed(x: &Tensor<f64>, k: f64) {
        let s = some(&[2, 1]).softmax(0);
        let y = (x - &s).tanh() * x;
        let t = s * 2.0;
        (y * t * x).sum() * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn lists(x: f64, k: f64) {
        let v = vec![1.0, 2.0];
        let a = if x > 0.0 { v[1] * x * k } else { count(v) * x };
        let w = vec![0.5, 1.5];
        let mut b = a;
        for i in 0..2 {
            b += w[i] * x * x;
        }
        b * count(w)
    } = [value x = 0.4, value k = 0.7];
    fn what_cannot_be_copied(x: f64, k: f64) {
        let one = Lone(2.0);
        let r = &one;
        let y = r.weight() * x * x;
        y * one.end() * k
    } = [value x = 0.4, value k = 0.7];
}

#[grad(order = 2)]
fn a_parameter(x: f64, #[constant] list: Vec<f64>) -> f64 {
    let y = list[0] * x * x;
    y * count(list) * x
}

#[grad(order = 2)]
fn under_another_name(x: f64, #[constant] list: Vec<f64>) -> f64 {
    let weights = list;
    weights[0] * x * x * weights[1]
}

#[grad(order = 2)]
fn of_an_option(x: f64, #[constant] list: Option<Vec<f64>>) -> f64 {
    let weights = list.unwrap_or_default();
    weights[0] * x * x * x
}

#[grad(order = 2)]
fn by_calls(x: f64, k: f64) -> f64 {
    let list = vec![3.0, 0.5];
    a_parameter(x, list.clone()) * k + under_another_name(x, list)
}

/// Borrowed for a kernel, and taken behind it in one arm.
#[grad(order = 2)]
fn a_computed_parameter(x: &Tensor<f64>, k: f64, #[constant] s: &Tensor<f64>) -> f64 {
    let s = s.tanh();
    let y = (x * &s).sin() - &s;
    let z = if k > 0.5 { s * 2.0 } else { s.sum_axis_keep(0) };
    (y * z * x).sum() * k
}

#[test]
fn computed_parameters() {
    let s = || some(&[2, 1]);
    for at in [0.7, 0.3] {
        check!(a_computed_parameter(shared x = some(&[2, 1]), value k = at, constant s = &s()));
        check_second!(a_computed_parameter(shared x = some(&[2, 1]), value k = at, constant s = &s()));
    }
}

/// Whoever lends such a constant is given its zeros all the same.
#[test]
fn parameters() {
    let list = || vec![3.0, 0.5];
    assert_eq!(a_parameter::grad(2.0, list()), 18.0 * 4.0);
    assert_eq!(a_parameter::pullback(2.0, list()).1(1.0), 18.0 * 4.0);
    assert_eq!(a_parameter::jvp(2.0, list(), 1.0), (48.0, 72.0));
    assert_eq!(
        a_parameter::vjp_lanes(2.0, list(), [1.0, 0.5]),
        (48.0, [72.0, 36.0])
    );
    assert_eq!(a_parameter::hvp(2.0, list(), 1.0), (72.0, 72.0));
    assert_eq!(under_another_name::grad(2.0, list()), 6.0);
    assert_eq!(under_another_name::pullback(2.0, list()).1(1.0), 6.0);
    assert_eq!(under_another_name::hvp(2.0, list(), 1.0), (6.0, 3.0));
    assert_eq!(of_an_option::grad(2.0, Some(list())), 36.0);
    assert_eq!(of_an_option::hvp(2.0, Some(list()), 1.0), (36.0, 36.0));
    check!(by_calls(value x = 0.4, value k = 0.7));
    check_second!(by_calls(value x = 0.4, value k = 0.7));
}
