//! Functions of all kinds, in a crate that denies what can be denied.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    clippy::all,
    clippy::pedantic
)]
#![forbid(unsafe_code)]

use autodiff::grad;

/// Straight-line code.
#[grad]
#[must_use]
pub fn rosenbrock(x: f64, y: f64) -> f64 {
    let a = 1.0 - x;
    let b = y - x * x;
    a * a + 100.0 * b * b
}

/// In single precision, with elementary functions.
#[grad]
#[must_use]
#[inline]
pub fn wave(x: f32) -> f32 {
    (x * 2.0).sin() * x.exp() + f32::tanh(x).max(0.5)
}

/// One parameter is not used.
#[grad]
#[must_use]
pub fn unused(x: f64, _y: f64, _n: usize) -> f64 {
    x.sqrt()
}

/// Does not depend on its parameter.
#[grad]
#[must_use]
pub fn constant(x: f64) -> f64 {
    let _ = x;
    2.0
}

/// A sum over a slice.
#[grad]
#[must_use]
pub fn sum_of_squares(xs: &[f64], scale: f64) -> f64 {
    let mut sum = 0.0;
    for x in xs {
        sum += x * x * scale;
    }
    sum
}

/// A recurrence with a tape, and messages.
#[grad]
#[must_use]
pub fn logistic(x: f64, r: f64, n: usize) -> f64 {
    let mut x = x;
    for k in 0..n {
        x = r * x * (1.0 - x);
        debug_assert!(x.is_finite(), "round {k}: {x}");
    }
    x
}

/// Conditionals, a mutable variable in one branch.
#[grad]
#[must_use]
pub fn piecewise(x: f64, kind: u8) -> f64 {
    let mut y = x;
    if x > 1.0 {
        y *= x;
    } else if x < -1.0 {
        y = -x;
    }
    match kind {
        0 => y,
        1 | 2 => y * y,
        k if k > 10 => y + f64::from(k),
        _ => 0.0,
    }
}

/// A function that changes its argument.
#[grad]
pub fn decay(u: &mut [f64], rate: f64) {
    for v in u.iter_mut() {
        *v -= *v * rate;
    }
}

/// Arrays of a generic length.
#[grad]
#[must_use]
pub fn norm<const N: usize>(x: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += v * v;
    }
    sum.sqrt()
}

/// Several results, by an array and a tuple.
#[grad]
#[must_use]
pub fn polar(r: f64, phi: f64) -> (f64, f64) {
    (r * phi.cos(), r * phi.sin())
}

/// A vector result.
#[grad]
#[must_use]
pub fn powers(x: f64, n: usize) -> Vec<f64> {
    let mut out = vec![1.0; n];
    for i in 1..n {
        out[i] = out[i - 1] * x;
    }
    out
}

/// Nested arrays and a call of a function in a module.
#[grad]
#[must_use]
pub fn trace(m: &[[f64; 2]; 2]) -> f64 {
    inner::square(m[0][0]) + inner::square(m[1][1])
}

mod inner {
    use autodiff::grad;

    #[grad]
    pub(crate) fn square(x: f64) -> f64 {
        x * x
    }

    /// Only its derivative is used.
    #[grad]
    fn cube(x: f64) -> f64 {
        x * x * x
    }

    pub(crate) fn slope(x: f64) -> f64 {
        cube::grad(x)
    }
}

/// Uses a derivative of a private function.
#[must_use]
pub fn slope(x: f64) -> f64 {
    inner::slope(x)
}

/// Constants by attribute, a lifetime, a raw name.
#[grad]
#[must_use]
pub fn model<'a>(r#type: f64, #[constant] data: &'a [f64], shift: &'a [f64]) -> f64 {
    r#type * data[0] + shift[0]
}

/// The other way round, with a checked reverse sweep.
#[grad(wrt(a), verify)]
#[must_use]
pub fn line(a: f64, b: f64, x: f64) -> f64 {
    let mut y = a;
    y = y * x + b;
    y * y
}

/// A potential, named as in the books.
#[allow(non_snake_case)]
#[grad(name = Potential)]
#[must_use]
pub fn U(x: f64) -> f64 {
    const K: f64 = 0.5;
    K * x * x
}

/// Not to be used any more.
#[deprecated(note = "use `rosenbrock`")]
#[grad]
#[must_use]
pub fn banana(x: f64, y: f64) -> f64 {
    x * y
}

/// A function without the prelude.
pub mod bare {
    #![no_implicit_prelude]

    /// A sum over a slice, with a tape.
    #[::autodiff::grad]
    #[must_use]
    pub fn product(xs: &[f64]) -> f64 {
        let mut p = 1.0_f64;
        for x in xs {
            p *= x;
        }
        p.sin()
    }

    /// One over a number.
    #[must_use]
    pub fn divided(apply: &dyn ::core::ops::Fn(&[f64]) -> ::std::vec::Vec<f64>, b: &[f64]) -> ::std::vec::Vec<f64> {
        ::std::vec![b[0] * b[0] / apply(b)[0]]
    }

    /// A square root, by a solver.
    #[::autodiff::grad(order = 2, implicit = y * y - a, solve = divided)]
    #[must_use]
    pub fn root(a: f64) -> f64 {
        a.sqrt()
    }
}

/// Partials of its own.
#[grad(partials = (y * (1.0 - y), if up { 1.0 } else { -1.0 }))]
#[must_use]
pub fn shifted(x: f64, by: f64, up: bool) -> f64 {
    1.0 / (1.0 + (-x).exp()) + if up { by } else { -by }
}

fn pull(xs: &[f64], scale: f64, _n: usize) -> (f64, impl FnOnce(f64) -> (Vec<f64>, f64) + '_) {
    let sum: f64 = xs.iter().sum();
    let back = move |seed: f64| (xs.iter().map(|_| seed * scale).collect(), seed * sum);
    (sum * scale, back)
}

/// A pullback of its own.
#[grad(vjp = pull)]
#[must_use]
pub fn scaled_sum(xs: &[f64], scale: f64, _n: usize) -> f64 {
    scale * xs.iter().sum::<f64>()
}

fn push<T: autodiff::Float>(x: T, y: T, (dx, dy): (T, T)) -> (T, T) {
    (x * y, dx * y + x * dy)
}

/// A tangent of its own.
#[grad(jvp = push)]
#[must_use]
pub fn times<T: autodiff::Float>(x: T, y: T) -> T {
    x * y
}

/// A loop that runs again.
#[grad]
#[must_use]
pub fn stepped(xs: &[f64], k: f64, n: usize) -> f64 {
    let mut u = xs.to_vec();
    let mut sum = 0.0;
    #[checkpoint(every = 10)]
    for i in 0..n {
        u[i % 3] *= k;
        sum += autodiff::with_cotangent(u[0] * xs[1], |c| *c = c.clamp(-1.0, 1.0));
    }
    #[checkpoint]
    for _ in 0..n {
        sum = sum.sin();
    }
    sum
}

/// A constant.
#[grad(constant)]
#[must_use]
pub fn rounded(x: f64, _name: &str) -> f64 {
    x.round()
}

/// Calls them.
#[grad]
#[must_use]
pub fn own(xs: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..xs.len() {
        s += scaled_sum(xs, times(k, s), i) * rounded(k, "k") + shifted(s, k, true);
    }
    s
}

macro_rules! made {
    ($name:ident, $e:expr) => {
        /// Made by a macro.
        #[grad]
        #[must_use]
        pub fn $name(x: f64) -> f64 {
            let y = x * $e;
            y * y
        }
    };
}

made!(doubled, 2.0);

/// A constant that borrows.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// Numbers.
    pub xs: &'a [f64],
}

/// A function for solvers, with constants of all kinds.
#[grad]
#[must_use]
pub fn misfit(w: &[f64], #[constant] s: &Sample<'_>, #[constant] ys: &[f64], shift: i32) -> f64 {
    let mut sum = 0.0;
    for (x, y) in s.xs.iter().zip(ys) {
        let e = w[0] * x + f64::from(shift) - y;
        sum += e * e;
    }
    sum
}

/// The same with several results, of any length.
#[grad]
#[must_use]
pub fn misfits<const N: usize>(w: [f32; 2], #[constant] xs: &[f32; N]) -> [f32; N] {
    let mut out = [0.0; N];
    for (out, x) in out.iter_mut().zip(xs) {
        *out = w[0] * x + w[1];
    }
    out
}

/// Without constants.
#[grad]
#[must_use]
pub fn bowl(x: [f64; 2]) -> f64 {
    x[0] * x[0] + x[1] * x[1]
}

/// What solvers do with them.
#[must_use]
pub fn solved(s: &Sample<'_>, ys: &[f64]) -> f64 {
    use autodiff::{Objective, Residuals};
    let f = misfit::with(s, ys, 2);
    let g = misfits::with(&[1.0, 2.0, 3.0]);
    let all: [&dyn Objective<Point = [f64; 2]>; 1] = [&bowl {}];
    f.value(&[1.0]) + g.residuals(&[1.0, 2.0])[0] + all[0].value(&[0.0, 1.0])
}

/// With second derivatives.
#[grad(order = 2)]
#[must_use]
pub fn potential(u: &[f64], w: [f64; 2], #[constant] name: &str) -> f64 {
    let mut sum = w[0];
    for x in u {
        sum += x * x * w[1];
    }
    sum * f64::from(u32::from(name.is_empty()))
}

/// The derivative of a derivative.
#[grad]
#[must_use]
pub fn force(u: &[f64], w: [f64; 2]) -> f64 {
    let (du, dw) = potential::grad(u, w, "force");
    let (value, along) = potential::jvp(u, w, "", (u, w));
    du[0] * dw[1] + value * along
}

/// On a tape, with calls of compiled functions and of plain ones.
#[grad(dynamic)]
#[must_use]
pub fn dynamic(x: f64, ys: &[f64], #[constant] zs: &[f64]) -> f64 {
    fn doubled(x: f64) -> f64 {
        x * 2.0
    }
    let mut sum = scaled(x, zs);
    for y in ys {
        sum += rosenbrock(*y, x) + doubled(sum).min(std::f64::consts::PI);
    }
    sum.max(bits(ys.len()))
}

/// With a parameter that is a constant.
#[grad]
#[must_use]
pub fn scaled(x: f64, #[constant] ws: &[f64]) -> f64 {
    x * ws[0]
}

/// Without a derivative.
#[grad(constant)]
#[must_use]
pub fn bits(n: usize) -> f64 {
    if n > 1 { 2.0 } else { 1.0 }
}

/// What all can see, and a constant of its own.
#[derive(Clone, Debug, autodiff::Differentiable)]
pub struct Curve {
    /// How steep it is.
    pub slope: f64,
    #[constant]
    name: String,
}

#[grad]
impl Curve {
    /// The value at a point.
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        self.slope * x
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
