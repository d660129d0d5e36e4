//! Zero times an infinite slope: what it gives where the slope comes to be, and in the first product that it meets.

use autodiff::{Differentiable, grad};

use crate::check::{near, panic_of};

/// Functions of two numbers, with the gradient in every mode and by the tape, in both widths.
macro_rules! pairs {
    ($(fn $name:ident($x:ident, $y:ident) $body:block)*) => {
        mod double { use autodiff::grad; $(#[grad(order = 2)] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
        mod single { use autodiff::grad; $(#[grad(order = 2)] pub(super) fn $name($x: f32, $y: f32) -> f32 $body)* }
        mod generic { use autodiff::grad; $(#[grad(order = 2)] pub(super) fn $name<T: autodiff::Float>($x: T, $y: T) -> T $body)* }
        mod strong { use autodiff::grad; $(#[grad(order = 2, strong_zero)] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
        mod all { use autodiff::grad; $(#[grad(order = 2, __remember_all)] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
    };
}

/// The gradient at a point is this one, however it is computed.
macro_rules! gradient {
    ($name:ident($x:expr, $y:expr) = ($dx:expr, $dy:expr)) => {{
        let (x, y, expected) = ($x, $y, [$dx as f64, $dy as f64]);
        gradient!(@ double $name f64 x y expected);
        gradient!(@ single $name f32 x y expected);
        gradient!(@ strong $name f64 x y expected);
        gradient!(@ all $name f64 x y expected);
        gradient!(@ generic $name f64 x y expected);
    }};
    (@ $module:ident $name:ident $t:ident $x:ident $y:ident $expected:ident) => {{
        use $module::$name;
        let (x, y) = ($x as $t, $y as $t);
        let of = concat!(stringify!($module), "::", stringify!($name));
        let same = |(a, b): ($t, $t), how: &str| assert_eq!([f64::from(a), f64::from(b)], $expected, "{of} by {how}");
        same($name::grad(x, y), "grad");
        same($name::vjp(x, y, 1.0).1, "vjp");
        same(($name::jvp(x, y, (1.0, 0.0)).1, $name::jvp(x, y, (0.0, 1.0)).1), "jvp");
        same($name::pullback(x, y).1(1.0), "pullback");
        same($name::hvp(x, y, (1.0, 1.0)).0, "hvp");
        let jacobian = $name::jacobian(x, y);
        same((jacobian[[0, 0]], jacobian[[0, 1]]), "jacobian");
    }};
}

/// The Hessian at a point is this one, in both modes of the outer derivative.
macro_rules! hessian {
    ($name:ident($x:expr, $y:expr) = $expected:expr) => {{
        let expected: [[f64; 2]; 2] = $expected;
        hessian!(@ double $name f64 $x, $y, expected);
        hessian!(@ single $name f32 $x, $y, expected);
        hessian!(@ all $name f64 $x, $y, expected);
        hessian!(@ generic $name f64 $x, $y, expected);
    }};
    (@ $module:ident $name:ident $t:ident $x:expr, $y:expr, $expected:ident) => {{
        use $module::$name;
        let of = concat!(stringify!($module), "::", stringify!($name));
        let h = $name::hessian($x as $t, $y as $t);
        let columns = [(1.0, 0.0), (0.0, 1.0)].map(|t| $name::hvp($x as $t, $y as $t, t).1);
        for i in 0..2 {
            for j in 0..2 {
                let column = if i == 0 { columns[j].0 } else { columns[j].1 };
                assert_eq!(f64::from(h[[i, j]]), $expected[i][j], "{of} {i} {j}");
                assert_eq!(f64::from(column), $expected[i][j], "{of} {i} {j} by hvp");
            }
        }
    }};
}

pairs! {
    // The slope of the root is infinite, and meets k.
    fn root_times(x, k) {
        x.sqrt() * k + x
    }
    // Sums, negation and copies on the way.
    fn on_the_way(x, k) {
        let r = x.sqrt();
        let mut s = -(r - k);
        s += x;
        let t = s;
        t * k - x
    }
    // Through a loop, which carries it.
    fn carried(x, k) {
        let mut s = x - x;
        for _ in 0..3 {
            s += x.sqrt();
        }
        s * k + x
    }
    // The zero is the partial of a row.
    fn into_a_row(x, k) {
        (x.sqrt() + k).cos() + x
    }
    // The zero is the cotangent.
    fn root_of_square(x, y) {
        ((x - x) * (x - x)).sqrt() + x + y
    }
    fn energy(x, y) {
        (x * x + y * y).sqrt()
    }
    fn root_mean_square(x, y) {
        let n = x - x + y - y;
        ((x * x + y * y) / (n + n.exp() + n.exp())).sqrt()
    }
    fn cube_root(x, k) {
        k * x.cbrt() + x
    }
    fn clipped(x, d) {
        (x / d).min(d + d.exp() + d.exp())
    }
    fn quotient(x, d) {
        let q = x / d;
        q * x + d
    }
    fn logistic(x, w) {
        let e = (w * w * w * x).exp();
        let s = (e + x.cos() * x.cos() + x.sin() * x.sin()).recip();
        s * x + x
    }
    // In an arm.
    fn selected(x, k) {
        let r = if x < k { x + k } else { x.sqrt() };
        r * k + x
    }
    fn hypotenuse(x, y) {
        x.hypot(y) + x * x
    }
}

#[test]
fn the_first_product_absorbs() {
    gradient!(root_times(0.0, 0.0) = (1.0, 0.0));
    gradient!(on_the_way(0.0, 0.0) = (-1.0, 0.0));
    gradient!(carried(0.0, 0.0) = (1.0, 0.0));
    gradient!(into_a_row(0.0, 0.0) = (1.0, 0.0));
    gradient!(cube_root(0.0, 0.0) = (1.0, 0.0));
    gradient!(selected(0.0, 0.0) = (1.0, 0.0));
}

#[test]
fn a_zero_cotangent_absorbs() {
    gradient!(root_of_square(2.0, 3.0) = (1.0, 1.0));
    gradient!(energy(0.0, 0.0) = (0.0, 0.0));
    gradient!(root_mean_square(0.0, 0.0) = (0.0, 0.0));
    gradient!(clipped(3.0, 0.0) = (0.0, 3.0));
    gradient!(quotient(0.0, f64::INFINITY) = (0.0, 1.0));
    gradient!(hypotenuse(0.0, 0.0) = (0.0, 0.0));
}

#[test]
fn an_exponential_that_overflows() {
    gradient!(logistic(2.0, 10.0) = (1.0, 0.0));
}

/// Closed forms: of k √x + x, and of the same with the cube root the mixed derivative is the slope itself.
#[test]
fn second_derivatives() {
    let infinite = f64::INFINITY;
    hessian!(root_times(0.0, 0.0) = [[0.0, infinite], [infinite, 0.0]]);
    hessian!(
        into_a_row(0.0, 0.0) = [
            [f64::NEG_INFINITY, f64::NEG_INFINITY],
            [f64::NEG_INFINITY, -1.0]
        ]
    );
    hessian!(root_of_square(2.0, 3.0) = [[0.0, 0.0], [0.0, 0.0]]);
    hessian!(energy(0.0, 0.0) = [[infinite, 0.0], [0.0, infinite]]);
    hessian!(cube_root(0.0, 0.0) = [[0.0, infinite], [infinite, 0.0]]);
    hessian!(hypotenuse(0.0, 0.0) = [[2.0, 0.0], [0.0, 0.0]]);
}

/// Where nothing is zero, all is as ever.
#[test]
fn elsewhere_nothing_changes() {
    {
        use double::*;
        check!(root_times(value x = 0.7, value k = 0.3));
        check!(on_the_way(value x = 0.7, value k = 0.3));
        check!(carried(value x = 0.7, value k = 0.3));
        check!(into_a_row(value x = 0.7, value k = 0.3));
        check!(clipped(value x = 0.7, value d = 0.3));
        check!(logistic(value x = 0.7, value w = 0.3));
        check!(selected(value x = 0.7, value k = 0.3));
    }
    use strong::*;
    check!(logistic(value x = 0.7, value w = 0.3));
    check!(on_the_way(value x = 0.7, value k = 0.3));
}

/// A gradient of four inputs or less may be computed forward.
#[grad]
fn fall(v: f64, k: f64, h: f64) -> f64 {
    let mut v = v;
    for _ in 0..5 {
        v += h * (1.0 - k * v * v.sqrt());
    }
    v
}

#[test]
fn a_recurrence_from_rest() {
    let (v, k, h) = (0.0, 1.0, 0.1);
    let expected = [
        fall::jvp(v, k, h, (1.0, 0.0, 0.0)).1,
        fall::jvp(v, k, h, (0.0, 1.0, 0.0)).1,
        fall::jvp(v, k, h, (0.0, 0.0, 1.0)).1,
    ];
    near(&fall::grad(v, k, h), &expected[..], 1e-14);
    near(&fall::vjp(v, k, h, 1.0).1, &expected[..], 1e-14);
    let step = 1e-6;
    let slope = (fall(v, k, h + step) - fall(v, k, h - step)) / (2.0 * step);
    near(&expected[2], &slope, 1e-8);
}

#[grad(order = 2)]
fn gate(x: f32, w: f32) -> f32 {
    let s = 1.0 / (1.0 + (-(w * x)).exp());
    s * x
}

#[test]
fn a_gate_that_is_shut() {
    assert_eq!(gate::grad(-100.0, 2.0), (0.0, 0.0));
    assert_eq!(gate::vjp(-100.0, 2.0, 1.0).1, (0.0, 0.0));
    assert_eq!(gate::jvp(-100.0, 2.0, (1.0, 1.0)).1, 0.0);
    assert!(
        gate::hessian(-100.0, 2.0)
            .as_slice()
            .iter()
            .all(|&h| h == 0.0)
    );
}

#[grad(order = 2)]
fn norm(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * x[i];
    }
    s.sqrt()
}

#[grad]
fn deviation(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / n;
    variance.sqrt()
}

#[grad]
fn in_memory(x: &[f64], w: &[f64]) -> f64 {
    let mut r = [0.0; 3];
    for i in 0..3 {
        r[i] = x[i].sqrt();
    }
    r[1] += x[1];
    let mut s = 0.0;
    for i in 0..3 {
        s += r[i] * w[i];
    }
    s
}

#[grad(order = 2)]
fn log_likelihood(p: &[f64], #[constant] n: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..p.len() {
        let term = n[i] * p[i].ln();
        if n[i] > 0.0 {
            s += term;
        }
    }
    s
}

#[test]
fn lists() {
    let zeros = [0.0; 3];
    assert_eq!(norm::grad(&zeros), zeros);
    assert_eq!(norm::jvp(&zeros, &[1.0, 2.0, 0.0]).1, 0.0);
    assert_eq!(norm::hessian(&zeros)[[0, 0]], f64::INFINITY);
    assert_eq!(norm::hessian(&zeros)[[0, 1]], 0.0);
    assert_eq!(deviation::grad(&[2.0, 2.0]), [0.0, 0.0]);
    assert_eq!(deviation::jvp(&[2.0, 2.0], &[1.0, 0.0]).1, 0.0);
    let (x, w) = ([0.0, 0.0, 4.0], [0.0, 0.0, 1.0]);
    assert_eq!(
        in_memory::grad(&x, &w),
        (vec![0.0, 0.0, 0.25], vec![0.0, 0.0, 2.0])
    );
    let tangents = ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]);
    assert_eq!(in_memory::jvp(&x, &w, (&tangents.0, &tangents.1)).1, 0.25);
    let (p, n) = ([0.0, 0.5, 0.5], [0.0, 1.0, 2.0]);
    assert_eq!(log_likelihood::grad(&p, &n), [0.0, 2.0, 4.0]);
    assert_eq!(log_likelihood::jvp(&p, &n, &[1.0; 3]).1, 6.0);
    let h = log_likelihood::hessian(&p, &n);
    assert_eq!([h[[0, 0]], h[[1, 1]], h[[2, 2]]], [0.0, -4.0, -8.0]);
}

#[grad(order = 2)]
fn root(x: f64) -> f64 {
    x.sqrt()
}

#[grad(order = 2)]
fn shifted(x: f64) -> f64 {
    root(x + 0.0) + x
}

#[grad]
fn add_root(s: &mut f64, x: f64) {
    *s += x.sqrt();
}

#[grad]
fn applied(f: impl Fn(f64) -> f64, x: f64, k: f64) -> f64 {
    f(x) * k
}

#[grad(order = 2)]
fn of_calls(x: f64, k: f64) -> f64 {
    root(x) * k + shifted(x) * k + x
}

#[grad]
fn of_memory_that_is_lent(x: f64, k: f64) -> f64 {
    let mut s = x;
    add_root(&mut s, x);
    s * k + x
}

#[grad]
fn of_closures(x: f64, k: f64) -> f64 {
    applied(|x| x.sqrt(), x, k) + applied(f64::sqrt, x, k) + x
}

/// The root of what another function computes: its cotangent goes to that function.
#[grad]
fn distance(x: f64, k: f64) -> f64 {
    root(square(x - k)) + x
}

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

#[grad(strong_zero)]
fn strong_distance(x: f64, k: f64) -> f64 {
    root(strong_square(x - k)) + x
}

#[grad(strong_zero)]
fn strong_square(x: f64) -> f64 {
    x * x
}

#[grad]
fn descend(x: f64, depth: usize) -> f64 {
    if depth == 0 {
        x.sqrt()
    } else {
        descend(x, depth - 1) * x + x
    }
}

#[test]
fn calls() {
    assert_eq!(of_calls::grad(0.0, 0.0), (1.0, 0.0));
    assert_eq!(of_calls::vjp(0.0, 0.0, 1.0).1, (1.0, 0.0));
    assert_eq!(of_calls::jvp(0.0, 0.0, (1.0, 0.0)).1, 1.0);
    assert_eq!(of_calls::hessian(0.0, 0.0)[[1, 1]], 0.0);
    assert_eq!(of_memory_that_is_lent::grad(0.0, 0.0), (1.0, 0.0));
    assert_eq!(of_memory_that_is_lent::jvp(0.0, 0.0, (1.0, 0.0)).1, 1.0);
    assert_eq!(of_closures::grad(0.0, 0.0), (1.0, 0.0));
    assert_eq!(of_closures::jvp(0.0, 0.0, (1.0, 0.0)).1, 1.0);
    assert_eq!(descend::grad(0.0, 2), 1.0);
    assert_eq!(descend::jvp(0.0, 2, 1.0).1, 1.0);
    // What a caller hands to a function is that function's business, forward it is absorbed on the way.
    assert_eq!(distance::jvp(2.0, 2.0, (1.0, 0.0)).1, 1.0);
    assert_eq!(strong_distance::grad(2.0, 2.0), (1.0, 0.0));
    assert_eq!(strong_distance::jvp(2.0, 2.0, (1.0, 0.0)).1, 1.0);
}

#[derive(Clone, Differentiable)]
struct Point {
    x: f64,
    k: f64,
}

impl Point {
    #[grad(method)]
    fn height(&self) -> f64 {
        self.x.sqrt()
    }
}

#[grad]
fn of_fields(p: &Point) -> f64 {
    p.x.sqrt() * p.k + p.x
}

#[grad]
fn of_methods(p: &Point) -> f64 {
    p.height() * p.k + p.x
}

#[test]
fn types_of_ones_own() {
    let p = Point { x: 0.0, k: 0.0 };
    let along = PointTangent { x: 1.0, k: 1.0 };
    let g = of_fields::grad(&p);
    assert_eq!((g.x, g.k, of_fields::jvp(&p, &along).1), (1.0, 0.0, 1.0));
    let g = of_methods::grad(&p);
    assert_eq!((g.x, g.k, of_methods::jvp(&p, &along).1), (1.0, 0.0, 1.0));
}

/// Products that a slope meets after the first: without `strong_zero` they are plain.
#[grad(strong_zero, order = 2)]
fn second_product(x: f64, k: f64) -> f64 {
    let b = x.sqrt() * (1.0 + k);
    let c = b * (2.0 + k);
    c * k + x
}

/// What is selected, where what is not is infinite.
#[grad(strong_zero, order = 2)]
fn over_distance(x: f64, d: f64) -> f64 {
    let inverse = 1.0 / d;
    let a = x * inverse;
    if d > 0.0 { a } else { 0.0 }
}

#[grad(strong_zero)]
fn finite_or(m: f64, x: f64, b: f64) -> f64 {
    let a = m * x;
    if a.is_finite() { a } else { b * x }
}

#[test]
fn strong_zeros() {
    assert_eq!(second_product::grad(0.0, 0.0), (1.0, 0.0));
    assert_eq!(second_product::jvp(0.0, 0.0, (1.0, 0.0)).1, 1.0);
    assert_eq!(second_product::hessian(0.0, 0.0)[[1, 1]], 0.0);
    assert_eq!(over_distance::grad(3.0, 0.0), (0.0, 0.0));
    assert_eq!(over_distance::jvp(3.0, 0.0, (1.0, 1.0)).1, 0.0);
    assert!(
        over_distance::hessian(3.0, 0.0)
            .as_slice()
            .iter()
            .all(|&h| h == 0.0)
    );
    assert_eq!(finite_or::grad(f64::INFINITY, 2.0, 3.0), (0.0, 3.0, 2.0));
    assert_eq!(
        finite_or::jvp(f64::INFINITY, 2.0, 3.0, (0.0, 1.0, 0.0)).1,
        3.0
    );
}

#[test]
fn the_tape_agrees() {
    use autodiff::grad;
    assert_eq!(grad(|v| v[0].sqrt() * v[1] + v[0], &[0.0, 0.0]), [1.0, 0.0]);
    assert_eq!(
        grad(|v| ((v[0] - v[0]) * (v[0] - v[0])).sqrt() + v[0], &[2.0]),
        [1.0]
    );
    assert_eq!(
        grad(
            |v| (v[0].sqrt() * (v[1] + 1.0)) * (v[1] + 2.0) * v[1] + v[0],
            &[0.0, 0.0]
        ),
        [1.0, 0.0]
    );
    assert_eq!(
        grad(|v| (v[0] * v[0] + v[1] * v[1]).sqrt(), &[0.0, 0.0]),
        [0.0, 0.0]
    );
    assert_eq!(
        grad(|v| v[0] / v[1] * v[0] + v[1], &[0.0, f64::INFINITY]),
        [0.0, 1.0]
    );
}

#[grad(verify)]
fn smooth_by_a_root(x: f64) -> f64 {
    let r = x.sqrt();
    r.powi(2)
}

#[grad(verify)]
fn verified(x: f64, k: f64, #[constant] c: f64) -> f64 {
    let r = if x > 1.0 { x.sqrt() } else { 0.0 };
    let s = x.sqrt() * c;
    r * k + s
}

#[grad(verify)]
fn zero_factor(x: f64, k: f64) -> f64 {
    x.sqrt() * k
}

/// The derivative of a smooth function written by way of a singular one is zero there: what is absorbed is said where it is asked for.
#[test]
fn what_is_absorbed_is_told() {
    let expected = "a zero absorbs an infinite slope";
    for message in [
        panic_of(|| smooth_by_a_root::grad(0.0)),
        panic_of(|| smooth_by_a_root::jvp(0.0, 1.0)),
        panic_of(|| zero_factor::grad(0.0, 0.0)),
        panic_of(|| zero_factor::jvp(0.0, 0.0, (1.0, 0.0))),
    ] {
        assert!(message.starts_with(expected), "{message}");
    }
    assert_eq!(smooth_by_a_root::grad(4.0), 1.0);
    // Constants, branches that are not taken, and directions.
    assert_eq!(verified::grad(0.0, 1.0, 0.0), (0.0, 0.0));
    assert_eq!(verified::jvp(0.0, 1.0, 0.0, (1.0, 0.0)).1, 0.0);
    assert_eq!(zero_factor::jvp(0.0, 1.0, (0.0, 1.0)).1, 0.0);
}

#[grad(report)]
fn reported(x: f64, k: f64) -> f64 {
    let r = x.sqrt();
    r * k + k * k
}

#[test]
fn what_may_absorb_is_listed() {
    let report = reported::report();
    let (_, sites) = report
        .split_once("Where a zero may absorb an infinite slope:\n")
        .unwrap();
    assert_eq!(sites.lines().count(), 1, "{sites}");
    assert!(sites.contains("the slope may be infinite"), "{sites}");
}
