//! Types that borrow, and references to parts of constants: pullbacks keep numbers of them, and what was passed by value.

use autodiff::{Differentiable, grad};

use crate::check::near;

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

// Lifetimes without names.

#[derive(Clone, Debug, Differentiable)]
struct Fit<'a> {
    k: f64,
    #[constant]
    times: &'a [f64],
}

#[grad]
fn one_view(v: View<'_>) -> f64 {
    v.xs[0] * v.xs[1] * v.k
}

#[grad]
fn several(views: Vec<View<'_>>, fit: &Fit<'_>, #[constant] other: View<'_>, xs: &[f64]) -> f64 {
    let mut sum = fit.k * other.k;
    for v in &views {
        sum += v.k * v.xs[0] * fit.times[1] * xs[0];
    }
    sum
}

#[grad]
fn of_parts(
    #[constant] t: (&[f64], f64),
    #[constant] k: Option<&f64>,
    #[constant] rows: [&[f64]; 2],
    names: Vec<&str>,
    x: f64,
) -> f64 {
    let k = match k {
        Some(k) => *k,
        None => 1.0,
    };
    k * t.0[0] * t.1 * rows[1][0] * x * names.len() as f64
}

#[grad(order = 2)]
fn faster<'a>(fit: Fit<'a>, x: f64) -> Fit<'a> {
    Fit {
        k: fit.k * x * x,
        times: fit.times,
    }
}

#[grad(order = 2)]
fn late(fit: &Fit<'_>, x: f64) -> f64 {
    let faster = faster(fit.clone(), x);
    faster.k * faster.times[0] * x
}

#[grad]
fn changed(xs: &[f64], x: f64, #[constant] fit: &Fit<'_>, #[constant] view: &View<'_>) -> f64 {
    let mut state = xs.to_vec();
    let mut sum = 0.0;
    for _ in 0..3 {
        state[0] *= x;
        sum += late(fit, state[0]) * view.twice() * view.xs[0];
    }
    sum
}

#[grad]
impl View<'_> {
    fn twice(&self) -> f64 {
        2.0 * self.k
    }

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

#[test]
fn lifetimes_need_no_names() {
    let (xs, times) = (vec![1.5, 2.0], vec![0.5, -1.0]);
    let view = || View { xs: &xs, k: 3.0 };
    let fit = || Fit {
        k: 0.25,
        times: &times,
    };
    let bar = one_view::grad(view());
    crate::check::near(&bar.xs, &[6.0, 4.5], 1e-14);
    crate::check::near(&bar.k, &3.0, 1e-14);

    let (bars, by_fit, by_xs) = several::grad(vec![view(); 2], &fit(), view(), &[0.7]);
    crate::check::near(&[bars[1].k, bars[1].xs[0]], &[-1.05, -2.1], 1e-14);
    crate::check::near(&[by_fit.k, by_xs[0]], &[3.0, -9.0], 1e-14);

    let by_x = of_parts::grad((&xs, 2.0), Some(&5.0), [&xs, &times], vec!["a"; 2], 1.0);
    crate::check::near(&by_x, &15.0, 1e-14);

    // k t x³
    let (x, k, t) = (0.7, 0.25, 0.5);
    let hessian = late::hessian(&fit(), x);
    let expected = [0.0, 3.0 * t * x * x, 3.0 * t * x * x, 6.0 * k * t * x];
    crate::check::near(hessian.as_slice(), &expected, 1e-14);
    let jacobian = faster::jacobian(fit(), x);
    crate::check::near(jacobian.as_slice(), &[x * x, 2.0 * k * x], 1e-14);

    check!(changed(shared xs = [1.2, 0.3], value x = 0.8, constant fit = &fit(), constant view = &view()));
}

/// Settings without a derivative that borrow a table, made in the body.
struct Settings<'a> {
    table: &'a [f64],
    rounds: usize,
}

struct Ends<'a>(&'a f64, &'a [f64]);

#[grad]
fn with_settings(x: f64, #[constant] table: &[f64], #[constant] more: &Vec<f64>) -> f64 {
    let settings = Settings { table, rounds: 3 };
    let tail = Settings {
        table: &more[1..],
        rounds: 2,
    };
    let ends = Ends(&table[0], more);
    let both = [table, more];
    let mut s = x;
    for k in 0..settings.rounds {
        s = (s * settings.table[k]).sin() + tail.table[k % tail.rounds] * s;
        s *= ends.1[k] * both[k % 2][k];
    }
    s * *ends.0
}

/// A number beside a reference in a struct or a tuple: the operator may be of types of one's own on either side.
#[grad]
fn with_ends(x: f64, #[constant] table: &[f64]) -> f64 {
    let ends = Ends(&table[0], table);
    let both = (&table[1], &table[2]);
    let s = x * x;
    s * ends.0 + both.0 * s.sin() + s.cos() * both.1
}

#[test]
fn settings_that_borrow() {
    check!(with_ends(value x = 0.7, constant table = &[0.4, 1.2, -0.6]));
    check!(with_settings(value x = 0.7, constant table = &[0.4, 1.2, -0.6], constant more = &vec![1.1, 0.8, 0.9]));
}

/// Types whose lifetimes are not written.
mod elided {
    use autodiff::{Differentiable, Float, grad};

    #[derive(Clone, Differentiable)]
    pub(super) struct Weighted<'a> {
        #[constant]
        pub(super) xs: &'a [f64],
        pub(super) k: f64,
    }

    #[derive(Clone, Differentiable)]
    pub(super) struct Scaled<'a, T> {
        #[constant]
        xs: &'a [T],
        pub(super) k: T,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Series<'a> {
        pub(super) xs: &'a [f64],
    }

    #[grad(order = 2)]
    impl Weighted<'_> {
        fn sum(&self, x: f64) -> f64 {
            let mut sum = 0.0;
            for v in self.xs {
                sum += v * x * x * self.k;
            }
            sum
        }
        fn beside(&self, other: &Weighted, x: f64) -> f64 {
            other.sum(x) * self.k
        }
        fn spent(self, other: Weighted, x: f64) -> f64 {
            other.sum(x) + self.k * x
        }
        fn grow(&mut self, other: &Weighted) {
            self.k *= other.k;
        }
    }

    #[grad(order = 2)]
    pub(super) fn both(x: f64, y: f64, #[constant] of: Weighted) -> f64 {
        let one = Weighted {
            k: x * y,
            ..of.clone()
        };
        let mut other = Weighted { k: x, ..of };
        other.grow(&one);
        one.beside(&other, y) + one.spent(other, x)
    }

    #[grad(order = 2)]
    pub(super) fn lent(x: f64, of: &Weighted) -> f64 {
        let part = of.xs;
        of.sum(x) * of.k * part[0]
    }

    #[grad(order = 2)]
    pub(super) fn given(x: f64, of: Weighted) -> f64 {
        lent(x, &of) * of.k
    }

    #[grad]
    pub(super) fn many(list: &[Weighted], owned: Vec<Weighted>, pair: (Weighted, f64)) -> f64 {
        let mut sum = pair.0.k;
        for w in list {
            sum += w.sum(pair.1);
        }
        for w in &owned {
            sum *= w.sum(pair.1);
        }
        sum
    }

    #[grad]
    pub(super) fn generic<T: Float>(of: Scaled<T>, x: T) -> T {
        of.k * of.k * x + of.xs[0] * x
    }

    #[grad]
    pub(super) fn constants(
        #[constant] one: Series,
        #[constant] other: &Series,
        #[constant] rest: &[Series],
        x: f64,
    ) -> f64 {
        let (xs, ys) = (one.xs, other.xs);
        let mut sum = x;
        for s in rest {
            sum += s.xs[1] * x * sum;
        }
        for k in 0..xs.len() {
            sum += xs[k] * x * x + ys[k] * sum;
        }
        sum
    }

    #[grad(order = 2)]
    pub(super) fn all(x: f64, y: f64, #[constant] xs: Series) -> f64 {
        both(x, y, Weighted { k: 1.0, xs: xs.xs })
    }

    pub(super) fn scaled<T>(xs: &[T], k: T) -> Scaled<'_, T> {
        Scaled { xs, k }
    }
}

#[test]
fn lifetimes_that_are_not_written() {
    use elided::{Series, Weighted, all, both, constants, generic, given, lent, many, scaled};
    let xs = [0.3, -0.8, 1.1];
    let series = Series { xs: &xs };
    let of = |k: f64| Weighted { xs: &xs, k };
    let x = 0.7;
    check!(all(value x = 0.4, value y = 0.7, constant xs = series));
    check_second!(all(value x = 0.4, value y = 0.7, constant xs = series));
    let (d_x, d_y) = both::grad(0.4, 0.7, of(1.0));
    let by_numbers = all::grad(0.4, 0.7, series);
    near(&[d_x, d_y], &[by_numbers.0, by_numbers.1], 1e-14);
    // The sum is 0.6 k x², the first of the numbers 0.3.
    let (d, w) = lent::grad(x, &of(1.5));
    near(&[d, w.k], &[0.36 * x * 2.25, 0.36 * x * x * 1.5], 1e-14);
    let (d, w) = given::grad(x, of(1.5));
    let expected = [0.36 * x * 3.375, 0.18 * x * x * 3.0 * 2.25];
    near(&[d, w.k], &expected, 1e-14);
    let hessian = given::hessian(x, of(1.5));
    near(&hessian[[0, 0]], &(0.36 * 3.375), 1e-14);
    let (list, owned, (pair, d)) = many::grad(&[of(2.0)], vec![of(1.5)], (of(0.5), x));
    let (a, b) = (0.5 + 1.2 * x * x, 0.9 * x * x);
    near(
        &[list[0].k, owned[0].k],
        &[0.6 * x * x * b, 0.6 * x * x * a],
        1e-14,
    );
    near(&[pair.k, d], &[b, 2.4 * x * b + 1.8 * x * a], 1e-14);
    let (w, d) = generic::grad(scaled(&xs, 1.5), x);
    near(&[w.k, d], &[3.0 * x, 2.25 + 0.3], 1e-14);
    let rest = [series, series];
    check!(constants(constant one = series, constant other = &series, constant rest = &rest, value x = 0.3));
}

#[derive(Clone, Copy, Differentiable)]
struct Gain(f64);

#[derive(Clone, Copy, Differentiable)]
struct Loads<'a>(&'a f64, &'a [f64]);

/// An operand whose lifetime has no name.
#[grad]
impl std::ops::Mul<Loads<'_>> for Gain {
    type Output = f64;
    fn mul(self, loads: Loads<'_>) -> f64 {
        self.0 * *loads.0 * loads.1[0]
    }
}

#[grad]
fn gained(gain: f64, loads: Loads<'_>) -> f64 {
    Gain(gain) * loads
}

#[test]
fn operands_whose_lifetimes_have_no_names() {
    let all = [3.0, 5.0];
    let (gain, loads) = gained::grad(0.5, Loads(&2.0, &all));
    assert_eq!((gain, loads.0, loads.1), (6.0, 1.5, vec![1.0, 0.0]));
}
