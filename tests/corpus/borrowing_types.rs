//! Types that borrow, and references to parts of constants: pullbacks keep numbers of them, and what was passed by value.

use autodiff::{Differentiable, grad};

#[derive(Clone, Debug, Differentiable)]
enum Law {
    Linear(f64),
    Square { a: f64, b: f64 },
    Free,
}

#[derive(Clone, Debug, Differentiable)]
struct View<'a> {
    xs: &'a [f64],
    k: f64,
}

#[grad]
fn of_a_constant(#[constant] law: &Law, x: f64) -> f64 {
    match law {
        Law::Linear(k) => k * x,
        Law::Square { a, b } => a * x * x + b * x.sin(),
        Law::Free => x,
    }
}

#[grad]
fn of_constants(#[constant] laws: &[Law], x: f64) -> f64 {
    let mut y = x;
    for law in laws {
        y += match law {
            Law::Linear(k) => k * y,
            Law::Square { a, b } if *a > 0.5 => a * y * y + b,
            Law::Square { a, .. } => *a * y,
            Law::Free => 1.0,
        };
    }
    y
}

#[grad]
fn owned(v: View<'_>, x: f64) -> f64 {
    let mut sum = 0.0;
    for t in v.xs {
        sum += t * x * x;
    }
    sum * v.k
}

#[grad]
fn named<'a>(x: f64, v: View<'a>, #[constant] w: View<'a>) -> f64 {
    let mut sum = w.k * x;
    for (k, s) in v.xs.iter().enumerate() {
        sum += s * w.xs[k] * x;
    }
    sum
}

#[grad]
fn walked(#[constant] v: &View, x: f64) -> f64 {
    let mut sum = x;
    for t in v.xs {
        sum = sum * t + v.k * sum.sin();
    }
    sum
}

#[grad]
impl View<'_> {
    fn sum(self, other: View<'_>, x: f64) -> f64 {
        x * self.k * other.xs[0] + other.k * self.xs[1]
    }
}

#[test]
fn derivatives_by_constants_of_enums() {
    check!(of_a_constant(constant law = &Law::Linear(2.0), value x = 0.7));
    check!(of_a_constant(constant law = &Law::Square { a: 2.0, b: 0.5 }, value x = 0.7));
    check!(of_a_constant(constant law = &Law::Free, value x = 0.7));
    let laws = [
        Law::Square { a: 0.8, b: 0.3 },
        Law::Linear(0.4),
        Law::Free,
        Law::Square { a: 0.4, b: 0.3 },
    ];
    check!(of_constants(constant laws = &laws, value x = 0.3));
    check!(of_constants(constant laws = &laws[..0], value x = 0.3));
}

#[test]
fn what_borrows_is_passed_by_value() {
    let (xs, ys) = (vec![1.0, 2.0], vec![0.5, -1.0]);
    let x = 0.7;
    let view = || View { xs: &xs, k: 3.0 };
    let other = || View { xs: &ys, k: 0.25 };
    let (value, (bar, by_x)) = owned::value_and_grad(view(), x);
    assert_eq!(value, owned(view(), x));
    crate::check::near(&bar.xs, &[3.0 * x * x; 2], 1e-14);
    crate::check::near(&[bar.k, by_x], &[3.0 * x * x, 18.0 * x], 1e-14);
    let (_, back) = owned::pullback(view(), x);
    crate::check::near(&back(2.0).1, &(36.0 * x), 1e-14);

    let (by_x, bar) = named::grad(x, view(), other());
    crate::check::near(&[by_x, bar.xs[0], bar.xs[1]], &[-1.25, 0.5 * x, -x], 1e-14);
    assert_eq!(bar.k, 0.0);

    check!(walked(constant v = &View { xs: &[0.5, 1.5, -0.3], k: 0.8 }, value x = 0.7));

    let (a, b, by_x) = view().sum_grad(other(), x);
    crate::check::near(&[a.k, b.xs[0], by_x], &[x * 0.5, x * 3.0, 1.5], 1e-14);
    crate::check::near(&[a.xs[1], b.k], &[0.25, 2.0], 1e-14);
}
