//! Every operation at its points: both modes against differences and each other, second derivatives, other layouts of the same numbers.

use alloc::vec;
use alloc::vec::Vec;

use super::Tensor;
use super::dims::Dims;
use super::operation::{Algebra, Dual, Kept, Operation};
use crate::float::Float;
use crate::tangent::Tangent;

/// A tensor of this shape with entries that lie nowhere special, no two alike.
pub(super) fn shape<T: Float>(shape: &[usize]) -> Tensor<T> {
    shifted(shape, 0.0)
}

/// As [`shape`], with other entries.
pub(super) fn shifted<T: Float>(shape: &[usize], by: f64) -> Tensor<T> {
    let mut k = by;
    Tensor::from_fn(shape, |_| {
        k += 1.0;
        T::from_f64(0.3 + (k * 0.754_877_666_246_692_7).fract() * 1.1)
    })
}

/// Two operands in the ways in which they are stretched to each other.
pub(super) fn pairs<T: Float, O: Clone>(operation: &O) -> Vec<(O, Vec<Tensor<T>>)> {
    let shapes: [[&[usize]; 2]; 9] = [
        [&[2, 3], &[2, 3]],
        [&[2, 3], &[3]],
        [&[], &[2, 3]],
        [&[2, 1], &[1, 3]],
        [&[], &[]],
        [&[1], &[0]],
        [&[2, 1, 2], &[3, 1]],
        [&[0, 3], &[3]],
        [&[1, 1], &[]],
    ];
    shapes
        .map(|[a, b]| (operation.clone(), vec![shape(a), shifted(b, 50.0)]))
        .into()
}

/// x + h d.
fn moved(x: &[Tensor<f64>], d: &[Tensor<f64>], h: f64) -> Vec<Tensor<f64>> {
    x.iter()
        .zip(d)
        .map(|(x, d)| super::elementwise::zip("add", x, d, |x, d| x + h * d).unwrap())
        .collect()
}

fn value<O: Operation<f64>>(o: &O, x: &[Tensor<f64>]) -> Tensor<f64> {
    o.value(&x.iter().collect::<Vec<_>>()).unwrap()
}

/// Differences of order four of a function of a step.
fn slope(f: impl Fn(f64) -> Tensor<f64>) -> Tensor<f64> {
    let h = 1e-3;
    let mut d = f(h);
    d.add_scaled(-1.0, &f(-h));
    d.scale_by(8.0);
    d.add_scaled(-1.0, &f(2.0 * h));
    d.add_scaled(1.0, &f(-2.0 * h));
    d.scale_by(1.0 / (12.0 * h));
    d
}

fn assert_close(what: &str, name: &str, a: &Tensor<f64>, b: &Tensor<f64>, tolerance: f64) {
    assert_eq!(a.shape(), b.shape(), "{name}: {what}: shapes");
    for (x, y) in a.iter().zip(b) {
        assert!(
            (x - y).abs() <= tolerance * y.abs().max(1.0),
            "{name}: {what}: {x} and {y}\n{a}\n{b}"
        );
    }
}

fn inner(a: &[Tensor<f64>], b: &[Tensor<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.inner(b)).sum()
}

/// The cotangents and their tangents along `d` and `dc`.
pub(super) fn second<O: Operation<f64>>(
    o: &O,
    x: &[Tensor<f64>],
    d: &[Tensor<f64>],
    c: &Tensor<f64>,
    dc: &Tensor<f64>,
) -> (Vec<Tensor<f64>>, Vec<Tensor<f64>>) {
    let duals: Vec<_> = x
        .iter()
        .zip(d)
        .map(|(x, d)| Dual::new(x.clone(), Some(d.clone())))
        .collect();
    let (_, kept) = Kept::new(o.clone(), duals);
    let bars = kept.pull(
        &Dual::new(c.clone(), Some(dc.clone())),
        &vec![true; x.len()],
    );
    bars.into_iter()
        .map(|bar| (bar.value.clone(), bar.into_dot()))
        .unzip()
}

/// The cotangents.
pub(super) fn pulled<O: Operation<f64>>(
    o: &O,
    x: &[Tensor<f64>],
    c: &Tensor<f64>,
) -> Vec<Tensor<f64>> {
    Kept::new(o.clone(), x.to_vec())
        .1
        .pull(c, &vec![true; x.len()])
}

/// The tangent along `d`.
pub(super) fn pushed<O: Operation<f64>>(
    o: &O,
    x: &[Tensor<f64>],
    d: &[Tensor<f64>],
) -> Tensor<f64> {
    let pairs = x.iter().cloned().zip(d.iter().cloned());
    let duals: Vec<Dual<f64, _>> = pairs.map(|(x, d)| Dual::new(x, Some(d))).collect();
    Dual::apply(o, &duals.iter().collect::<Vec<_>>()).into_dot()
}

/// The same numbers with axes in another order in memory, and with gaps.
fn laid_out_otherwise(x: &Tensor<f64>) -> Tensor<f64> {
    let order: Dims = (0..x.rank()).rev().collect();
    let spread = Tensor::from_fn(
        &x.permuted(&order)
            .shape()
            .iter()
            .map(|n| 2 * n)
            .collect::<Vec<_>>(),
        |at| {
            let inner: Vec<usize> = at.iter().rev().map(|k| k / 2).collect();
            x[&inner[..]]
        },
    );
    (0..x.rank()).fold(spread.permuted(&order), |y, axis| {
        y.cut(axis, 1.min(x.shape()[axis]), x.shape()[axis], 2)
    })
}

/// Puts an operation to all checks at all its points.
pub(super) fn check<O: Operation<f64>>() {
    let points = O::points();
    assert!(!points.is_empty(), "{} has no points", O::NAME);
    for (o, x) in points {
        let name = &alloc::format!(
            "{} of {:?}",
            O::NAME,
            x.iter().map(|x| x.shape().to_vec()).collect::<Vec<_>>()
        );
        let y = value(&o, &x);
        let d: Vec<_> = x
            .iter()
            .enumerate()
            .map(|(k, x)| shifted(x.shape(), 7.0 + 20.0 * k as f64))
            .collect();
        let (c, dc) = (shifted(y.shape(), 13.0), shifted(y.shape(), 29.0));

        let dot = pushed(&o, &x, &d);
        assert_close(
            "tangent and differences",
            name,
            &dot,
            &slope(|h| value(&o, &moved(&x, &d, h))),
            1e-7,
        );

        let bars = pulled(&o, &x, &c);
        for (bar, x) in bars.iter().zip(&x) {
            assert_eq!(bar.shape(), x.shape(), "{name}: the shape of a cotangent");
        }
        let (forward, reverse) = (c.inner(&dot), inner(&bars, &d));
        assert!(
            (forward - reverse).abs() <= 1e-11 * forward.abs().max(1.0),
            "{name}: ⟨c, J d⟩ = {forward}, ⟨Jᵀ c, d⟩ = {reverse}"
        );

        // The tangent of the pullback: differences of cotangents along x and c.
        let (again, dots) = second(&o, &x, &d, &c, &dc);
        for (k, (bar, dot)) in again.iter().zip(&dots).enumerate() {
            assert_close("the cotangent in second order", name, bar, &bars[k], 1e-13);
            let along = slope(|h| {
                let mut c = c.clone();
                c.add_scaled(h, &dc);
                pulled(&o, &moved(&x, &d, h), &c)[k].clone()
            });
            assert_close(
                "the cotangent's tangent and differences",
                name,
                dot,
                &along,
                1e-6,
            );
        }
        // A cotangent that is zero may have a tangent that is not.
        let (_, dots) = second(&o, &x, &d, &c.outline(), &dc);
        for (dot, bar) in dots.iter().zip(pulled(&o, &x, &dc)) {
            assert_close(
                "the tangent of a cotangent that is zero",
                name,
                dot,
                &bar,
                1e-12,
            );
        }
        // Second derivatives are symmetric.
        let e: Vec<_> = x
            .iter()
            .enumerate()
            .map(|(k, x)| shifted(x.shape(), 3.0 + 11.0 * k as f64))
            .collect();
        let zero = c.outline();
        let (left, right) = (
            inner(&second(&o, &x, &d, &c, &zero).1, &e),
            inner(&second(&o, &x, &e, &c, &zero).1, &d),
        );
        assert!(
            (left - right).abs() <= 1e-10 * left.abs().max(1.0),
            "{name}: ⟨e, H d⟩ = {left}, ⟨d, H e⟩ = {right}"
        );

        // Where the numbers lie does not matter.
        let other: Vec<_> = x.iter().map(laid_out_otherwise).collect();
        assert_eq!(other, x, "{name}: another layout of the same numbers");
        assert_close(
            "the value of another layout",
            name,
            &value(&o, &other),
            &y,
            1e-13,
        );
        for (bar, other) in bars.iter().zip(pulled(&o, &other, &laid_out_otherwise(&c))) {
            assert_close("the cotangent of another layout", name, &other, bar, 1e-13);
        }

        // Nor does the number of threads.
        #[cfg(feature = "rayon")]
        super::threads::same_on_three(name, || {
            let (bars, dots) = second(&o, &x, &d, &c, &dc);
            let single = [value(&o, &x), value(&o, &other), pushed(&o, &x, &d)];
            let all = single.iter().chain(&bars).chain(&dots);
            all.map(super::threads::bits).collect::<Vec<_>>()
        });

        // Nothing comes of a zero.
        for (bar, x) in pulled(&o, &x, &c.outline()).iter().zip(&x) {
            assert_eq!(
                (bar.shape(), bar.inner(bar)),
                (x.shape(), 0.0),
                "{name}: the cotangent of nothing"
            );
        }
    }
}

/// A test of each of these operations at its points.
macro_rules! operations {
    ($($operation:ident)*) => { pastey::paste! {
        #[cfg(test)]
        mod checks {
            $(
                #[test]
                fn [<$operation:snake>]() {
                    $crate::tensor::testing::check::<super::$operation>();
                }
            )*
        }
    } };
}
pub(super) use operations;

/// The value of an operation on lists, and for each operand the slope along the diagonal of its Jacobian, and the slope's own along all operands together.
///
/// Forward and reverse have to agree.
pub(super) fn slopes<O: Operation<f64>>(o: &O, x: &[&[f64]]) -> (Vec<f64>, Vec<[Vec<f64>; 2]>) {
    let x: Vec<Tensor<f64>> = x.iter().map(|x| Tensor::from(x.to_vec())).collect();
    let ones: Vec<_> = x.iter().map(|x| Tensor::ones(x.shape())).collect();
    let y = value(o, &x);
    let seed = Tensor::ones(y.shape());
    let (bars, dots) = second(o, &x, &ones, &seed, &seed.outline());
    for (k, bar) in bars.iter().enumerate() {
        let duals: Vec<_> = (x.iter().zip(&ones).enumerate())
            .map(|(j, (x, one))| Dual::new(x.clone(), (j == k).then(|| one.clone())))
            .collect();
        let dot = Dual::apply(o, &duals.iter().collect::<Vec<_>>()).into_dot();
        for (dot, bar) in dot.iter().zip(bar) {
            assert!(
                dot == bar || dot.is_nan() && bar.is_nan(),
                "{}: forward {dot}, reverse {bar}",
                O::NAME
            );
        }
    }
    let both = bars.iter().zip(&dots);
    (
        y.to_vec(),
        both.map(|(bar, dot)| [bar.to_vec(), dot.to_vec()])
            .collect(),
    )
}
