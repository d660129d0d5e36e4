//! What functions of matrices are put to.

use autodiff::Tangent;

/// What is compared agrees up to the error of differences.
pub(crate) fn assert_near(what: &str, ours: &[f64], truth: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), truth.len(), "{what}");
    let scale = truth.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    for (k, (a, b)) in ours.iter().zip(truth).enumerate() {
        assert!(
            (a - b).abs() <= tolerance * scale,
            "{what}: entry {k} is {a}, and {b} by other means"
        );
    }
}

/// The differences of a list of numbers by each coordinate, one list behind the other.
pub(crate) fn differences(at: &[f64], f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let step = 6e-6;
    let along = |k: usize| {
        let moved = |by: f64| {
            let mut at = at.to_vec();
            at[k] += by;
            f(&at)
        };
        let (up, down) = (moved(step), moved(-step));
        let quotients = up.iter().zip(down).map(|(a, b)| (a - b) / (2.0 * step));
        quotients.collect::<Vec<f64>>()
    };
    (0..at.len()).flat_map(along).collect()
}

/// Numbers that no formula has.
pub(crate) fn direction(count: usize) -> Vec<f64> {
    (0..count)
        .map(|k| (1.3 * k as f64 + 0.4).sin() + 0.2)
        .collect()
}

/// The sum of products.
pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The numbers of a gradient.
pub(crate) fn flat(gradient: &impl Tangent) -> Vec<f64> {
    gradient.to_flat()
}

/// An argument as the function takes it.
macro_rules! given {
    (by_ref $x:ident) => {
        $x
    };
    (of_list $x:ident) => {
        &$x[..]
    };
    (by_value $x:ident) => {
        $x.clone()
    };
}

/// Puts a function with a scalar result to all checks, at a point.
macro_rules! check {
    ($f:ident($($x:ident $how:ident),*)) => {
        check!(@all twice $f($($x $how),*))
    };
    // Of first derivatives alone.
    (once $f:ident($($x:ident $how:ident),*)) => {
        check!(@all once $f($($x $how),*))
    };
    (@all $order:ident $f:ident($($x:ident $how:ident),*)) => {{
        use autodiff::{Differentiable, Parameters, Tangent};
        let point = ($($x.clone(),)*);
        let count = point.zero_tangent().scalar_count();
        let mut at = vec![0.0; count];
        Differentiable::write_flat(&point, &mut at);
        let moved = |flat: &[f64]| {
            let mut point = point.clone();
            Parameters::read_flat(&mut point, flat);
            point
        };
        let value = |flat: &[f64]| {
            let ($($x,)*) = &moved(flat);
            $f($(given!($how $x)),*)
        };
        let gradient = |flat: &[f64]| {
            let ($($x,)*) = &moved(flat);
            judge::flat(&$f::grad($(given!($how $x)),*))
        };
        let name = stringify!($f);
        let ($($x,)*) = &point;
        assert_eq!(value(&at).to_bits(), $f::value_and_grad($(given!($how $x)),*).0.to_bits(), "{name}");
        let ours = gradient(&at);
        judge::assert_near(name, &ours, &judge::differences(&at, |at| vec![value(at)]), 1e-8);
        let along = judge::direction(count);
        let mut tangents = point.zero_tangent();
        Tangent::read_flat(&mut tangents, &along);
        let (y, dy) = {
            let args = ($(given!($how $x),)*);
            let ($($x,)*) = &tangents;
            check!(@along jvp $f args [$($x $how),*])
        };
        assert_eq!(value(&at).to_bits(), y.to_bits(), "{name}: jvp");
        judge::assert_near(name, &[dy], &[judge::inner(&ours, &along)], 1e-12);
        check!(@second $order $f name [$($x $how),*] at count gradient along tangents);
    }};
    (@second once $($rest:tt)*) => {};
    (@second twice $f:ident $name:ident [$($x:ident $how:ident),*] $at:ident $count:ident $gradient:ident $along:ident $tangents:ident) => {
        let second = judge::differences(&$at, &$gradient);
        let hessian = $f::hessian($(given!($how $x)),*);
        judge::assert_near(&format!("{}: hessian", $name), hessian.as_slice(), &second, 1e-7);
        let product = judge::flat(&{
            let args = ($(given!($how $x),)*);
            let ($($x,)*) = &$tangents;
            check!(@along hvp $f args [$($x $how),*])
        }.1);
        let rows = hessian.as_slice().chunks($count).map(|row| judge::inner(row, &$along));
        judge::assert_near(&format!("{}: hvp", $name), &product, &rows.collect::<Vec<f64>>(), 1e-11);
    };
    (@along $form:ident $f:ident $args:ident [$a:ident $ha:ident]) => {
        $f::$form($args.0, given!($ha $a))
    };
    (@along $form:ident $f:ident $args:ident [$a:ident $ha:ident, $b:ident $hb:ident]) => {
        $f::$form($args.0, $args.1, (given!($ha $a), given!($hb $b)))
    };
    (@along $form:ident $f:ident $args:ident [$a:ident $ha:ident, $b:ident $hb:ident, $c:ident $hc:ident]) => {
        $f::$form($args.0, $args.1, $args.2, (given!($ha $a), given!($hb $b), given!($hc $c)))
    };
    (@along $form:ident $f:ident $args:ident [$a:ident $ha:ident, $b:ident $hb:ident, $c:ident $hc:ident, $d:ident $hd:ident]) => {
        $f::$form($args.0, $args.1, $args.2, $args.3, (given!($ha $a), given!($hb $b), given!($hc $c), given!($hd $d)))
    };
}
