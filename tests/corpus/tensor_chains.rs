//! Chains of operations on tensors, which are one kernel forward and one backward: with numbers and tensors of other shapes, in branches and loops, on views, in memory that changes.
//! Each stands here twice, the second time operation by operation.

use std::f64::consts::PI;

use autodiff::{Differentiable, Float, Tensor, grad};

use crate::check::near;

/// Entries that lie nowhere special.
fn some(shape: &[usize]) -> Tensor<f64> {
    let mut k = shape.len() as f64;
    Tensor::from_fn(shape, |_| {
        k += 1.0;
        (k * 0.754877666).fract() - 0.4
    })
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: Tensor<f64>,
    b: Tensor<f64>,
    #[constant]
    mask: Tensor<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Gate<T: Float> {
    w: Tensor<T>,
    k: T,
}

/// Numbers that closures capture, one of them without derivative.
#[derive(Clone, Debug, Differentiable)]
struct Slopes {
    k: f64,
    pair: (f64, f64),
    #[constant]
    bias: f64,
}

#[grad(order = 2)]
impl Slopes {
    fn of(&self, x: &Tensor<f64>) -> Tensor<f64> {
        let y = (x + 0.5).map(|v| {
            if v > 0.0 {
                v * self.k
            } else {
                v * self.pair.0 - self.bias
            }
        });
        y.map(|v| (v * self.pair.1).tanh() + v * self.bias)
    }
}

#[grad(order = 2)]
fn slopes(k: f64, pair: (f64, f64), #[constant] bias: f64, x: &Tensor<f64>) -> f64 {
    let slopes = Slopes { k, pair, bias };
    let mut last = k;
    last *= 2.0;
    let y = slopes.of(x).map(|v| v * last);
    last += 1.0;
    (y * last).sum()
}

#[grad(order = 2)]
impl<T: Float> Gate<T> {
    fn of(&self, x: &Tensor<T>) -> T {
        let y = (x * &self.w + self.k).sigmoid() * x;
        (y.square() - x).mean()
    }
}

#[grad(order = 2)]
fn gate<T: Float>(w: &Tensor<T>, k: T, x: &Tensor<T>) -> T {
    let w = w.clone();
    Gate { w, k }.of(x)
}

/// Every function as one kernel a chain, and operation by operation.
macro_rules! in_both_ways {
    ($(fn $name:ident $(<$T:ident: $bound:ident>)? ($($(#[$attr:meta])? $p:ident: $t:ty),*) -> $ret:ty $body:block)*) => {
        $(
            #[grad(order = 2)]
            fn $name $(<$T: $bound>)? ($($(#[$attr])? $p: $t),*) -> $ret $body
        )*
        mod apart {
            use super::*;
            $(
                #[grad(order = 2, __map_nothing)]
                pub(super) fn $name $(<$T: $bound>)? ($($(#[$attr])? $p: $t),*) -> $ret $body
            )*
        }
    };
}
in_both_ways! {
    fn chain(a: &Tensor<f64>, b: &Tensor<f64>, c: &Tensor<f64>, d: &Tensor<f64>) -> f64 {
        ((a * b + c).tanh() * d).sum()
    }

    fn single(a: &Tensor<f32>, b: &Tensor<f32>, k: f32) -> f32 {
        (((a - b) * k + 0.5).sigmoid() / (b * b + 1.5)).sum()
    }

    // Each function that has a kernel.
    fn functions(x: &Tensor<f64>) -> f64 {
        let y = x.tanh() + x.sigmoid() * 2.0 - x.silu();
        let z = -(y.gelu() * x.gelu_tanh() + x.erf());
        let root = (x * x + 0.5).sqrt().recip();
        (z * root + x.relu() - x.abs()).sum()
    }

    fn numbers(x: &Tensor<f64>, a: f64, b: f64) -> f64 {
        let mean = x.mean();
        let d = x - mean;
        let var = (&d * &d).mean() + 1e-5;
        let normed = d / var.sqrt();
        let y = 1.0 - normed * a.exp() + b;
        (&y * &y).sum()
    }

    fn in_branches(x: &Tensor<f64>, y: &Tensor<f64>, k: f64) -> f64 {
        let h = x * y;
        let g = (&h + k).sigmoid();
        let r = if k > 0.0 { g * 2.0 } else { &g - &h };
        (&r * &r + h).mean()
    }

    fn in_loops(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        let mut state = x + y;
        for k in 0..3 {
            let slower = (&state * 0.5 - y).silu();
            state = if k == 1 { slower * x } else { slower + 0.25 };
        }
        state.sum()
    }

    fn changed(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        let mut h = x * y;
        let before = (&h + 1.0).tanh();
        h += &before;
        let after = &h * &before;
        h *= 2.0;
        (after.gelu() + h.abs()).sum()
    }

    fn by_value(x: Tensor<f64>, y: Tensor<f64>) -> f64 {
        let twice = x + &y;
        ((y * &twice).tanh() - twice).sum()
    }

    fn layer(l: &Layer, x: &Tensor<f64>) -> f64 {
        let h = x.matmul(&l.w) + &l.b;
        let chosen = (h * &l.mask).gelu();
        (chosen * 0.5 + x).tanh().mean()
    }

    // The result has the shape of what has no derivative.
    fn wider(x: &Tensor<f64>, #[constant] c: &Tensor<f64>) -> f64 {
        let y = x * 2.0 + c;
        let z = &y * 0.5;
        (y + c).sum() + (z - c).tanh().mean() + (x + c).mean()
    }

    // Functions that are computed several entries at once, and their derivatives.
    fn more_functions(x: &Tensor<f64>) -> f64 {
        let e = (x * 0.5).exp() + (x * x + 0.1).ln() * 0.25;
        let waves = x.sin() * x.cos() + (x * 0.3).tan();
        let near = x.exp_m1() - (x * x).ln_1p();
        let tails = x.softplus() * x.erfc() + x.erf();
        let powers = x.square() + x.powi(3) * 0.5 - x.powi(1);
        (e * waves + near * tails - powers).mean()
    }

    fn chosen(x: &Tensor<f64>, y: &Tensor<f64>, k: f64) -> f64 {
        let both = x.maximum(y) + (x * y).minimum(k);
        let inside = (x + y).clamp(-0.3, 0.4);
        let d = (x - y).abs();
        let c = d.minimum(0.25);
        (both * inside).sum() + (&c * &c * 0.5 + (d - &c) * 0.25).mean()
    }

    // Each sum is part of the kernel before it, if nothing else reads what it adds.
    fn sums(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        let d = x - y;
        let rms = (&d * &d).mean().sqrt();
        let e = d.exp();
        let total = e.sum();
        let h = (x * y).sigmoid();
        let mean = h.mean();
        rms * total + (h * mean).sum()
    }

    fn sums_of_numbers(x: &Tensor<f64>, k: f64) -> f64 {
        let mut total = 0.0;
        for j in 0..3 {
            let part = (x * k).tanh().sum();
            total += if j == 1 { part * (x + k).square().mean() } else { part };
        }
        total
    }

    // What is given to a closure is a constant, what it captures is not.
    fn closure_of_constants(x: &Tensor<f64>, k: f64) -> f64 {
        let y = Tensor::<f64>::full(&[2], 0.64).map(|z| (((z / 1.8) + f64::min(k, 0.3)) * 0.4) * z).tanh();
        Tensor::<f64>::stack(&[&y, &Tensor::<f64>::from([0.5, 0.25]).map(|z| (z * 2.0).sin() * k)], 0).sum() * x.sum()
    }

    // More operands than one kernel has.
    fn many(a: &Tensor<f64>, b: &Tensor<f64>, c: &Tensor<f64>, d: &Tensor<f64>, e: &Tensor<f64>, f: &Tensor<f64>) -> f64 {
        let (g, h, i) = (a.cumsum(0), b.cumsum(0), c.cumsum(0));
        let (j, k, l) = (d.cumsum(0), e.cumsum(0), f.cumsum(0));
        let m: Tensor<f64> = a.softmax(0);
        let n: Tensor<f64> = b.softmax(0);
        let o: Tensor<f64> = c.softmax(0);
        let left = (a * b - c * d) + (e * f - &g * &h) * &i;
        let right = (&j * &k - &l * &m) + (&n * &o - a.sum_axis(0) * b.sum_axis(0)) * c.sum_axis(0);
        (left.tanh() * right.sigmoid() + d.softmax(0) * e.softmax(0)).sum()
    }

    // What is folded along an axis goes into kernels over the rows it was folded from.
    fn normed(x: &Tensor<f64>, w: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64> {
        let d = x - x.mean_axis_keep(1);
        let var = (&d * &d).mean_axis_keep(1);
        d / (var + 1e-5).sqrt() * w + b
    }

    fn weights(x: &Tensor<f64>, y: &Tensor<f64>) -> Tensor<f64> {
        let e = (x - x.max_axis_keep(-1)).exp();
        &e / e.sum_axis_keep(-1) * y
    }

    fn normed_total(x: &Tensor<f64>, w: &Tensor<f64>, b: &Tensor<f64>) -> f64 {
        let d = x - x.mean_axis_keep(1);
        let var = (&d * &d).mean_axis_keep(1);
        let y = d / (var + 1e-5).sqrt() * w + b;
        (&y * &y * b).sum()
    }

    fn weights_total(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        let e = (x - x.max_axis_keep(-1)).exp();
        (&e / e.sum_axis_keep(-1) * y).mean()
    }

    fn weights32(x: &Tensor<f32>) -> Tensor<f32> {
        let e = (x - x.max_axis_keep(1)).exp();
        &e / e.sum_axis_keep(1)
    }

    // Along the first axis, of what is changed meanwhile, and with what both rows and columns have.
    fn columns(x: &Tensor<f64>, y: &Tensor<f64>, k: f64) -> f64 {
        let mut h = x * y;
        let most = h.max_axis_keep(0);
        h += &most;
        let mean = h.mean_axis_keep(0);
        let both = (&h - &mean) * x.sum_axis_keep(1) + mean.sum_axis_keep(1) * k;
        (both * y).mean() + most.sum()
    }

    fn lanes_in_loops(x: &Tensor<f64>, k: f64) -> f64 {
        let mut h = x * k;
        for round in 0..3 {
            let s = h.square().sum_axis_keep(1);
            let d = &h - h.mean_axis_keep(1);
            h = if round == 1 { d / (s + 1.0).sqrt() } else { d * k };
        }
        (&h - h.max_axis_keep(1)).exp().sum()
    }

    // A cheap kernel that both sweeps read, and one that another function reads as well.
    fn repeated(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        let d = x - y;
        let e = &d * 2.0;
        let a = d.exp() + &e * &d;
        let b = &e + 1.0;
        (a * d.sigmoid() + e.tanh()).sum() + b.softmax(1).square().sum() + (b * x).mean()
    }

    fn lanes_of_any<T: Float>(x: &Tensor<T>, w: &Tensor<T>) -> T {
        let d = x - x.mean_axis_keep(-1);
        let var = d.square().mean_axis_keep(-1);
        let y = d / (var + T::from_f64(0.01)).sqrt() * w;
        (&y - y.max_axis_keep(-1)).exp().mean()
    }

    fn views(x: &Tensor<f64>, y: &Tensor<f64>, z: &Tensor<f64>) -> f64 {
        let turned = x.transpose(0, 1);
        let rows = y.slice(0, 1, 3, 1);
        let stretched = z.broadcast_to(&[2, 3]);
        ((&turned * &rows + &stretched).tanh() * &turned).sum()
    }

    // No derivative goes through what is chosen against, however steep it is.
    fn steep(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        (x.sqrt() * y + (x * y).abs()).sum()
    }

    // What the numbers are is not known.
    fn generic<T: Float>(x: &Tensor<T>, y: &Tensor<T>, k: T) -> T {
        let half = T::from_f64(0.5);
        let h = ((x * y + k).tanh() * half - x.gelu_tanh()) / (y * y + T::ONE);
        let root = (h.square() + half).sqrt().recip();
        let waves: Tensor<T> = -(root.sin() * x.powi(3)).maximum(y);
        (waves.abs() + h.softplus()).mean() + (x * k).exp().sum()
    }

    fn generic_layer<T: Float>(x: &Tensor<T>, w: &Tensor<T>, b: &Tensor<T>) -> T {
        let mut h = (x.matmul(w) + b).silu();
        for _ in 0..2 {
            h = (h * b).sqrt() * b + x;
        }
        h.sum()
    }

    fn powers(x: &Tensor<f64>, y: &Tensor<f64>, k: f64) -> f64 {
        let base = (x * x + 0.25).powf(1.5) * y;
        let roots = (x + y).abs().powf(k) - base;
        (roots * (y.abs() + 0.5).powf(x)).sum()
    }

    fn powers_of_zero(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
        ((x * 2.0).powf(2.0) - x.powf(1.0) + (x * x).powf(0.5) * y + x.powf(0.0)).sum()
    }

    fn powers32(x: &Tensor<f32>, k: f32) -> f32 {
        ((x * x).powf(0.75) + x.abs().powf(k)).mean()
    }

    // The user's own functions of entries.
    fn mapped(x: &Tensor<f64>, k: f64, #[constant] c: f64) -> f64 {
        let scale = 0.5;
        let y = (x * 2.0).map(|v| v * v * k + (v * scale).sin() * PI - c);
        let z = y.map(|v| if v > 0.25 { v } else { 0.1 * v.exp() });
        let w = z.tanh().map(|v: f64| {
            let e = (-v * k).exp();
            (1.0 - e) / (1.0 + e)
        });
        (w * x + y.map(|v| v.max(0.0).powi(2).min(3.0))).sum()
    }

    fn mapped_by_names(x: &Tensor<f64>) -> f64 {
        let y = x.map(f64::sin) + x.map(|_| 0.75);
        let root = (x * x).map(f64::sqrt);
        (y.map(|v| v.atan2(2.0)) * root.map(|v| (v + 1.5).powf(0.4))).mean()
    }

    // What only one arm computes is steep in the other.
    fn mapped_arms(x: &Tensor<f64>, k: f64) -> f64 {
        let y = x.map(|v| {
            if v < 0.0 {
                v * k
            } else if v < 0.3 {
                v.sqrt() * k
            } else {
                (v * k).ln() + 1.0
            }
        });
        y.sum()
    }

    fn mapped_numbers<T: Float>(x: &Tensor<T>, k: T) -> T {
        let y = x.map(|v| v.tanh() * k + v / (v * v + k));
        y.map(|v| if v > k { v } else { v * k }).sum()
    }

    // What is made of integers is the same for all entries.
    fn mapped_integers(x: &Tensor<f64>, #[constant] n: usize, #[constant] p: i32) -> f64 {
        let y = x.map(|v| {
            if v > 0.0 {
                v * n as f64 + p as f64
            } else {
                v / n as f64
            }
        });
        (y.tanh() * x).sum()
    }

    // These are left to the runtime, and what is around them is not.
    fn mapped_apart(x: &Tensor<f64>, w: &[f64]) -> f64 {
        let mut s = 0.0;
        for k in 0..w.len() {
            s += w[k];
        }
        let y = (x + 1.0).map(|v| {
            let mut t = v;
            for k in 0..2 {
                t = t * s + w[k];
            }
            t
        });
        (y.tanh() * x).sum()
    }

    fn written(x: &Tensor<f64>, ys: &[Tensor<f64>]) -> f64 {
        let first: Tensor<f64> = ys[0].clone();
        let scaled: &Tensor<f64> = &(first * x);
        (scaled.tanh() * scaled).sum()
    }
}

#[grad(report)]
fn reported(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
    let h = (x * y + 1.0).tanh() * y;
    h.map(|v| if v > 0.0 { v } else { 0.01 * v }).mean()
}

#[grad(report)]
fn reported_apart(l: &Layer, x: &Tensor<f64>) -> f64 {
    let h = x * x[[0, 0]] * (x[[0, 0]] * x[[0, 1]]);
    h.sum() + l.w.tanh().sum()
}

#[test]
fn the_report_names_what_is_in_no_loop() {
    let report = reported_apart::report();
    let (_, apart) = report.split_once("in no such loop:\n").expect("`tanh` is");
    let expected = "`tanh`: nothing that is written says that it is given tensors";
    assert!(apart.contains(expected), "{report}");
    assert!(!apart.contains("`*`"), "{report}");
    assert!(!reported::report().contains("in no such loop"));
}

#[test]
fn the_report_names_the_loops() {
    let report = reported::report();
    let expected =
        "one loop: `*`, `+`, `tanh`, `*`, `*`, and the mean; what `tanh` gives is remembered";
    assert!(report.contains(expected), "{report}");
}

#[test]
fn sums_of_chains() {
    let (x, y) = (some(&[2, 3]), some(&[3]) * 1.5);
    check!(wider(shared x = some(&[3]), constant c = &some(&[2, 3])));
    check_second!(wider(shared x = some(&[3]), constant c = &some(&[2, 3])));
    check!(sums(shared x = x.clone(), shared y = y.clone()));
    check_second!(sums(shared x = x.clone(), shared y = y.clone()));
    check!(sums_of_numbers(shared x = x.clone(), value k = 0.7));
    check_second!(sums_of_numbers(shared x = some(&[2]), value k = 0.7));
    check!(closure_of_constants(shared x = some(&[2]), value k = 0.2));
    check_second!(closure_of_constants(shared x = some(&[2]), value k = 0.2));
    check!(sums(shared x = some(&[]), shared y = some(&[1])));
}

#[test]
fn functions_in_chains() {
    check!(more_functions(shared x = some(&[7])));
    check_second!(more_functions(shared x = some(&[3])));
    check!(chosen(shared x = some(&[2, 3]), shared y = some(&[3]) * 1.5, value k = 0.1));
    check_second!(chosen(shared x = some(&[3]), shared y = some(&[3]) * 1.5, value k = 0.1));
}

#[test]
fn numbers_of_any_type() {
    check!(generic(shared x = some(&[2, 3]), shared y = some(&[3]) * 1.5, value k = 0.3));
    check_second!(generic(shared x = some(&[3]), shared y = some(&[3]) * 1.5, value k = 0.3));
    check!(gate(shared w = some(&[3]), value k = 0.3, shared x = some(&[2, 3])));
    check_second!(gate(shared w = some(&[3]), value k = 0.3, shared x = some(&[3])));
    let b = some(&[2]).abs() + 0.5;
    check!(generic_layer(shared x = some(&[2, 2]).abs(), shared w = some(&[2, 2]).abs(), shared b = b.clone()));
    check_second!(generic_layer(shared x = some(&[2, 2]).abs(), shared w = some(&[2, 2]).abs(), shared b = b.clone()));
    let (x, y) = (
        Tensor::<f32>::from([0.5, 0.25, -0.75]),
        Tensor::<f32>::from([1.5]),
    );
    let one = generic::value_and_grad(&x, &y, 0.7);
    let two = apart::generic::value_and_grad(&x, &y, 0.7);
    assert_eq!(one.0.to_bits(), two.0.to_bits());
    for (one, two) in one.1.0.iter().zip(&two.1.0) {
        assert!((one - two).abs() < 1e-6, "{one} {two}");
    }
}

#[test]
fn powers_in_chains() {
    let (x, y) = (some(&[2, 3]) + 0.05, some(&[3]) * 1.5);
    check!(powers(shared x = x.clone(), shared y = y.clone(), value k = 1.25));
    check_second!(powers(shared x = some(&[3]), shared y = y.clone(), value k = 2.5));
    check!(powers32(shared x = Tensor::<f32>::from([0.5, 0.25, -0.75]), value k = 1.25));
    let (x, y) = (
        Tensor::from([0.0, -0.5, 2.0, f64::INFINITY]),
        Tensor::from([0.0, 1.5, 0.25, 1.0]),
    );
    let one = powers_of_zero::grad(&x, &y);
    let two = apart::powers_of_zero::grad(&x, &y);
    assert_eq!(one.0.to_vec()[..3], two.0.to_vec()[..3]);
    assert_eq!(one.1.to_vec(), two.1.to_vec());
    assert_eq!(one.0.to_vec()[0], -1.0);
}

#[test]
fn functions_of_entries() {
    let x = Tensor::from([0.5, -0.25, 0.125, 1.5, -2.0, 0.35, 0.75]);
    check!(mapped(shared x = x.clone(), value k = 0.7, constant c = 0.3));
    check_second!(mapped(shared x = some(&[3]), value k = 0.7, constant c = 0.3));
    check!(mapped_by_names(shared x = x.clone()));
    check_second!(mapped_by_names(shared x = some(&[3])));
    check!(mapped_arms(shared x = x.clone(), value k = 0.8));
    check_second!(mapped_arms(shared x = Tensor::from([-0.5, 0.2, 0.6]), value k = 0.8));
    check!(mapped_numbers(shared x = x.clone(), value k = 0.45));
    check_second!(mapped_numbers(shared x = some(&[3]), value k = 0.45));
    check!(mapped_integers(shared x = x.clone(), constant n = 3, constant p = -2));
    check_second!(mapped_integers(shared x = some(&[3]), constant n = 3, constant p = -2));
    check!(mapped_apart(shared x = some(&[2, 3]), shared w = vec![0.5, -0.25]));
    check!(slopes(value k = 0.7, value pair = (0.2, 1.5), constant bias = 0.3, shared x = x.clone()));
    check_second!(slopes(value k = 0.7, value pair = (0.2, 1.5), constant bias = 0.3, shared x = some(&[3])));
    let (dx, dk) = mapped_arms::grad(&Tensor::from([0.0, -1.0]), 1.0);
    assert_eq!((dx.to_vec(), dk), (vec![f64::INFINITY, 1.0], -1.0));
}

#[test]
fn ties_and_entries_that_are_no_numbers() {
    let (x, y) = (
        Tensor::from([1.0, f64::NAN, 2.0, 0.5]),
        Tensor::from([1.0, 1.0, f64::NAN, 0.25]),
    );
    let one = chosen::value_and_grad(&x, &y, 0.1);
    let two = apart::chosen::value_and_grad(&x, &y, 0.1);
    assert!(one.0.is_nan() && two.0.is_nan());
    let same = |a: &Tensor<f64>, b: &Tensor<f64>| {
        assert!(
            a.iter()
                .zip(b)
                .all(|(a, b)| a == b || (a - b).abs() < 1e-12 || a.is_nan() && b.is_nan()),
            "{a} {b}"
        );
    };
    same(&one.1.0, &two.1.0);
    same(&one.1.1, &two.1.1);
}

#[test]
fn the_mean_of_nothing() {
    let (x, y) = (some(&[0, 3]), some(&[3]));
    let messages = [
        crate::check::panic_of(|| sums::grad(&x, &y)),
        crate::check::panic_of(|| apart::sums::grad(&x, &y)),
    ];
    assert_eq!(messages[0], messages[1]);
}

fn of_a_layer(w: &Tensor<f64>, b: &Tensor<f64>) -> Layer {
    let (w, b, mask) = (w.clone(), b.clone(), some(&[3]));
    Layer { w, b, mask }
}

#[grad(order = 2)]
fn layer_of(
    w: &Tensor<f64>,
    b: &Tensor<f64>,
    #[constant] mask: &Tensor<f64>,
    x: &Tensor<f64>,
) -> f64 {
    let (w, b, mask) = (w.clone(), b.clone(), mask.clone());
    layer(&Layer { w, b, mask }, x)
}

#[test]
fn chains_of_operations() {
    check!(chain(shared a = some(&[2, 3]), shared b = some(&[2, 3]), shared c = some(&[2, 3]), shared d = some(&[2, 3])));
    check!(single(shared a = Tensor::<f32>::from([0.5, 0.25, -0.75]), shared b = Tensor::<f32>::from([1.5]), value k = 0.7_f32));
    check!(functions(shared x = some(&[7])));
    check!(numbers(shared x = some(&[2, 3]), value a = 0.3, value b = -0.7));
    for k in [0.7, -0.7] {
        check!(in_branches(shared x = some(&[2, 3]), shared y = some(&[3]), value k = k));
        check_second!(in_branches(shared x = some(&[2]), shared y = some(&[2]), value k = k));
    }
    check!(in_loops(shared x = some(&[2, 3]), shared y = some(&[2, 1])));
    check!(changed(shared x = some(&[2, 3]), shared y = some(&[3])));
    check!(by_value(value x = some(&[2, 3]), value y = some(&[3])));
    check_second!(functions(shared x = some(&[3])));
    check_second!(numbers(shared x = some(&[3]), value a = 0.3, value b = -0.7));
    check_second!(in_loops(shared x = some(&[2, 2]), shared y = some(&[2, 1])));
    check_second!(changed(shared x = some(&[2]), shared y = some(&[2])));
    let mask = some(&[3]);
    check!(layer_of(shared w = some(&[3, 3]), shared b = some(&[3]), constant mask = &mask, shared x = some(&[2, 3])));
}

#[test]
fn operands_of_other_shapes() {
    check!(chain(shared a = some(&[2, 3]), shared b = some(&[3]), shared c = some(&[2, 1]), shared d = some(&[2, 2, 3])));
    check!(chain(shared a = some(&[]), shared b = some(&[1]), shared c = some(&[1, 1]), shared d = some(&[2])));
    check!(chain(shared a = some(&[0, 3]), shared b = some(&[3]), shared c = some(&[1]), shared d = some(&[])));
}

#[test]
fn operands_that_are_views() {
    check!(views(shared x = some(&[3, 2]), shared y = some(&[4, 3]), shared z = some(&[3])));
    check_second!(views(shared x = some(&[3, 2]), shared y = some(&[4, 3]), shared z = some(&[3])));
}

#[test]
fn the_same_as_operation_by_operation() {
    let (x, y, z) = (some(&[40, 50]), some(&[50]), some(&[40, 1]));
    macro_rules! same {
        ($($name:ident($($arg:expr),*);)*) => {$({
            let one = $name::value_and_grad($($arg),*);
            let two = apart::$name::value_and_grad($($arg),*);
            assert_eq!(one.0.to_bits(), two.0.to_bits());
            near(&one.1, &two.1, 1e-12);
        })*};
    }
    same! {
        functions(&x);
        more_functions(&x);
        chosen(&x, &y, 0.1);
        sums(&x, &y);
        sums(&some(&[301, 7]), &some(&[301, 1]));
        sums(&some(&[7, 1]), &some(&[7, 1]));
        sums(&some(&[301, 1, 1]), &some(&[301, 1, 1]));
        sums_of_numbers(&some(&[301]), 0.7);
        wider(&y, &x);
        numbers(&x, 0.3, 0.7);
        in_branches(&x, &y, 0.3);
        in_branches(&x, &y, -0.3);
        in_loops(&x, &z);
        changed(&x, &y);
        many(&x, &y, &some(&[40, 50]), &x, &(&x * 2.0), &y);
        chain(&x, &y, &z, &x);
        chain(&x, &x, &x, &x);
        steep(&x.abs(), &y);
        powers(&x, &y, 1.25);
        powers(&some(&[301]), &some(&[301]), 2.0);
        mapped(&x, 0.7, 0.3);
        mapped_by_names(&x);
        mapped_arms(&x, 0.8);
        mapped_numbers(&x, 0.45);
        mapped_integers(&x, 3, -2);
        mapped_apart(&x, &[0.5, -0.25]);
        generic(&x, &y, 0.3);
        generic_layer(&some(&[9, 9]).abs(), &some(&[9, 9]).abs(), &(some(&[9]).abs() + 0.5));
        views(&some(&[3, 2]), &some(&[4, 3]), &some(&[3]));
    }
    let l = of_a_layer(&some(&[3, 3]), &some(&[3]));
    let x = some(&[2, 3]);
    let (one, two) = (
        layer::value_and_grad(&l, &x),
        apart::layer::value_and_grad(&l, &x),
    );
    assert_eq!(one.0.to_bits(), two.0.to_bits());
    near(&one.1.0.w, &two.1.0.w, 1e-12);
    near(&one.1.0.b, &two.1.0.b, 1e-12);
    near(&one.1.1, &two.1.1, 1e-12);
    let ys = [some(&[2, 3])];
    near(
        &written::grad(&x, &ys).0,
        &apart::written::grad(&x, &ys).0,
        1e-12,
    );
}

#[test]
fn a_zero_absorbs_an_infinite_slope() {
    let (x, y) = (
        Tensor::from([0.0, 0.25, 4.0]),
        Tensor::from([0.0, 2.0, 0.0]),
    );
    let (dx, dy) = steep::grad(&x, &y);
    assert_eq!(dx.to_vec(), [0.0, 4.0, 0.0]);
    assert_eq!(dy.to_vec(), [0.0, 0.75, 2.0]);
    let (dx, _) = steep::grad(&x, &Tensor::from([1.0]));
    assert_eq!(dx.to_vec(), [f64::INFINITY, 2.0, 1.25]);
}

#[test]
fn shapes_that_do_not_fit() {
    let (x, y) = (some(&[2, 3]), some(&[2]));
    let message = crate::check::panic_of(|| chain::grad(&x, &y, &x, &x));
    assert!(
        message.contains("mul: the shapes [2, 3] and [2]"),
        "{message}"
    );
    let message = crate::check::panic_of(|| chain::grad(&x, &x, &y, &x));
    assert!(
        message.contains("add: the shapes [2, 3] and [2]"),
        "{message}"
    );
}

/// The line that a panic names.
fn line_of<T>(call: impl FnOnce() -> T) -> u32 {
    static HOOK: std::sync::Once = std::sync::Once::new();
    thread_local!(static LINE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            LINE.set(info.location().map_or(0, std::panic::Location::line));
            before(info);
        }));
    });
    crate::check::panic_of(call);
    LINE.get()
}

const LINE: u32 = line!();
#[grad(order = 2)]
fn misfit(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
    let twice = x * 2.0;
    let both = (twice + y).tanh();
    both.map(|v| v * 0.5).sum()
}

#[test]
fn shapes_that_do_not_fit_name_the_line() {
    let (x, y) = (some(&[2, 3]), some(&[2]));
    assert_eq!(line_of(|| misfit(&x, &y)), LINE + 4);
    assert_eq!(line_of(|| misfit::grad(&x, &y)), LINE + 4);
    assert_eq!(line_of(|| misfit::jvp(&x, &y, (&x, &y))), LINE + 4);
    assert_eq!(line_of(|| misfit::hvp(&x, &y, (&x, &y))), LINE + 4);
}

const APART: u32 = line!();
#[grad(order = 2)]
fn misfit_apart(layer: &Layer) -> f64 {
    let mut both = &layer.w + &layer.b;
    both *= 2.0;
    both += &layer.mask;
    both.reshape(&[7]).sum()
}

#[test]
fn operators_outside_of_kernels_name_the_line() {
    let layer = |b: &[usize], mask: &[usize]| Layer {
        w: some(&[2, 3]),
        b: some(b),
        mask: some(mask),
    };
    for (line, layer) in [
        (3, layer(&[2], &[3])),
        (5, layer(&[3], &[2])),
        (6, layer(&[3], &[3])),
    ] {
        let d = layer.zero_tangent();
        assert_eq!(line_of(|| misfit_apart(&layer)), APART + line);
        assert_eq!(line_of(|| misfit_apart::grad(&layer)), APART + line);
        assert_eq!(line_of(|| misfit_apart::jvp(&layer, &d)), APART + line);
        assert_eq!(line_of(|| misfit_apart::hvp(&layer, &d)), APART + line);
    }
}

const ELEMENTS: u32 = line!();
#[grad(order = 2)]
fn elements(x: &Tensor<f64>, xs: &[Tensor<f64>], at: usize) -> f64 {
    let mut z = x.clone();
    let k = x[[0, at]];
    z[[at, 0]] = k * z[[0, 1]];
    z[[0, at]] += k;
    let y = &xs[at] * 2.0;
    (y * z).sum()
}

const FOLDS: u32 = line!();
#[grad(order = 2)]
fn folds(x: &Tensor<f64>) -> f64 {
    let sums = (x * 2.0).sum_axis_keep(0);
    let means = (x * 2.0).mean_axis_keep(1);
    let most = (x * means).max_axis_keep(2);
    (most * sums).sum()
}

#[test]
fn elements_that_are_not_there_name_the_line() {
    for (line, at, x, xs) in [
        (4, 3, &[2, 3][..], 4),
        (5, 2, &[2, 3], 4),
        (7, 1, &[2, 2], 1),
    ] {
        let (x, xs) = (some(x), vec![some(&[2, 2]); xs]);
        assert_eq!(line_of(|| elements(&x, &xs, at)), ELEMENTS + line);
        assert_eq!(line_of(|| elements::grad(&x, &xs, at)), ELEMENTS + line);
        let d = (&x, &xs[..]);
        assert_eq!(line_of(|| elements::jvp(&x, &xs, at, d)), ELEMENTS + line);
        assert_eq!(line_of(|| elements::hvp(&x, &xs, at, d)), ELEMENTS + line);
    }
    for (line, shape) in [(3, &[][..]), (4, &[4]), (5, &[2, 3])] {
        let x = some(shape);
        assert_eq!(line_of(|| folds(&x)), FOLDS + line);
        assert_eq!(line_of(|| folds::grad(&x)), FOLDS + line);
        assert_eq!(line_of(|| folds::jvp(&x, &x)), FOLDS + line);
        assert_eq!(line_of(|| folds::hvp(&x, &x)), FOLDS + line);
    }
}

#[test]
fn lanes_in_chains() {
    let (x, w, b) = (some(&[3, 4]), some(&[4]), some(&[4]) * 0.5);
    check!(normed_total(shared x = x.clone(), shared w = w.clone(), shared b = b.clone()));
    check_second!(normed_total(shared x = some(&[2, 3]), shared w = some(&[3]), shared b = some(&[3])));
    // What is stretched beyond the rows that were folded.
    check!(normed_total(shared x = some(&[2, 1]), shared w = some(&[2, 3]), shared b = some(&[3])));
    check!(weights_total(shared x = x.clone(), shared y = w.clone()));
    check_second!(weights_total(shared x = some(&[2, 3]), shared y = some(&[3])));
    check!(weights_total(shared x = some(&[4]), shared y = some(&[4])));
    check!(columns(shared x = x.clone(), shared y = some(&[3, 4]) * 1.5, value k = 0.7));
    check_second!(columns(shared x = some(&[2, 3]), shared y = some(&[2, 1]), value k = 0.7));
    check!(lanes_in_loops(shared x = x.clone(), value k = 0.7));
    check_second!(lanes_in_loops(shared x = some(&[2, 3]), value k = 0.7));
    check!(repeated(shared x = x.clone(), shared y = w.clone()));
    check_second!(repeated(shared x = some(&[2, 3]), shared y = some(&[3])));
    check!(lanes_of_any(shared x = x.clone(), shared w = w.clone()));
    check_second!(lanes_of_any(shared x = some(&[2, 3]), shared w = some(&[3])));
}

/// Entries that are close to those computed operation by operation.
fn close(one: &Tensor<f64>, two: &Tensor<f64>) {
    assert_eq!(one.shape(), two.shape());
    let most = two.abs().max().max(1.0);
    assert!((one - two).abs().max() < 1e-12 * most);
}

#[test]
fn many_rows_go_through_kernels_together() {
    for shape in [[70, 500], [9, 2], [300, 33], [2, 20_000], [1, 700]] {
        let (x, w, b) = (some(&shape), some(&shape[1..]), some(&shape[1..]) * 0.5);
        let seed = some(&shape) + 0.1;
        let (one, grads) = normed::vjp(&x, &w, &b, seed.clone());
        let (two, apart) = apart::normed::vjp(&x, &w, &b, seed.clone());
        assert_eq!(one, two);
        close(&grads.0, &apart.0);
        close(&grads.1, &apart.1);
        close(&grads.2, &apart.2);
        let (one, grads) = weights::vjp(&x, &w, seed.clone());
        let (two, apart) = apart::weights::vjp(&x, &w, seed.clone());
        assert_eq!(one, two);
        close(&grads.0, &apart.0);
        close(&grads.1, &apart.1);
        let (one, grads) = columns::value_and_grad(&x, &b, 0.3);
        let (two, apart) = apart::columns::value_and_grad(&x, &b, 0.3);
        assert_eq!(one.to_bits(), two.to_bits());
        close(&grads.0, &apart.0);
        close(&grads.1, &apart.1);
    }
}

#[test]
fn a_seed_of_another_shape_is_refused() {
    let x = some(&[2, 3]);
    for shape in [&[3][..], &[1, 3], &[4, 3], &[5, 2, 3], &[]] {
        let seed = some(shape);
        let refused = std::panic::catch_unwind(|| weights::vjp(&x, &x, seed));
        let why = refused.expect_err("the shapes differ");
        let why = why.downcast_ref::<String>().expect("words");
        assert!(why.contains("[2, 3]"), "{why}");
    }
    // One kernel gives the value and takes the seed.
    for shape in [&[1][..], &[2, 3], &[1, 3], &[2], &[]] {
        let seed = some(shape);
        let refused = std::panic::catch_unwind(|| stretched::vjp(2.0, &some(&[3]), seed));
        let why = refused.expect_err("the shapes differ");
        let why = why.downcast_ref::<String>().expect("words");
        assert!(why.contains("[3]") && why.contains("seed"), "{why}");
    }
    let (value, (k, x)) = stretched::vjp(2.0, &some(&[3]), Tensor::ones(&[3]));
    assert_eq!((value, x), (some(&[3]) * 2.0, Tensor::full(&[3], 2.0)));
    assert!((k - some(&[3]).sum()).abs() < 1e-15);
}

#[grad]
fn stretched(k: f64, x: &Tensor<f64>) -> Tensor<f64> {
    x * k
}

#[test]
fn those_that_are_tied_share() {
    let x = Tensor::<f32>::from([
        [0.5, 0.5, -1.0],
        [f32::NAN, 1.0, 2.0],
        [f32::INFINITY, 3.0, f32::INFINITY],
    ]);
    let seed = Tensor::from([[1.0, 0.0, 2.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.5]]);
    let (one, grad) = weights32::vjp(&x, seed.clone());
    let (two, apart) = apart::weights32::vjp(&x, seed);
    let bits = |x: &Tensor<f32>| -> Vec<bool> { x.to_vec().iter().map(|x| x.is_nan()).collect() };
    assert_eq!(bits(&one), bits(&two));
    assert_eq!(bits(&grad), bits(&apart));
    for (one, two) in grad.to_vec().iter().zip(apart.to_vec()) {
        assert!(one.is_nan() || (one - two).abs() < 1e-6, "{one} {two}");
    }
}
