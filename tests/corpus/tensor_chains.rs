//! Chains of operations on tensors, which are one kernel forward and one backward: with numbers and tensors of other shapes, in branches and loops, on views, in memory that changes.
//! Each stands here twice, the second time operation by operation.

use autodiff::{Differentiable, Tensor, grad};

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

/// Every function as one kernel a chain, and operation by operation.
macro_rules! in_both_ways {
    ($(fn $name:ident($($p:ident: $t:ty),*) -> $ret:ty $body:block)*) => {
        $(
            #[grad(order = 2)]
            fn $name($($p: $t),*) -> $ret $body
        )*
        mod apart {
            use super::*;
            $(
                #[grad(order = 2, __map_nothing)]
                pub(super) fn $name($($p: $t),*) -> $ret $body
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

    fn written(x: &Tensor<f64>, ys: &[Tensor<f64>]) -> f64 {
        let first: Tensor<f64> = ys[0].clone();
        let scaled: &Tensor<f64> = &(first * x);
        (scaled.tanh() * scaled).sum()
    }
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
        numbers(&x, 0.3, 0.7);
        in_branches(&x, &y, 0.3);
        in_branches(&x, &y, -0.3);
        in_loops(&x, &z);
        changed(&x, &y);
        many(&x, &y, &some(&[40, 50]), &x, &(&x * 2.0), &y);
        chain(&x, &y, &z, &x);
        chain(&x, &x, &x, &x);
        steep(&x.abs(), &y);
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
    assert!(message.contains("[2, 3] and [2]"), "{message}");
}
