//! What products are given is made again on the way back, where it can be: kernels and normalisations of what is there in any case. It has the same bits, whatever becomes of it after the product.

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

/// Every function as it is, and with everything remembered.
macro_rules! in_both_ways {
    ($(fn $name:ident $(<$T:ident: $bound:ident>)? ($($p:ident: $t:ty),*) -> $ret:ty $body:block)*) => {
        $(
            #[grad(order = 2, report)]
            fn $name $(<$T: $bound>)? ($($p: $t),*) -> $ret $body
        )*
        mod remembered {
            use super::*;
            $(
                #[grad(__remember_all)]
                pub(super) fn $name $(<$T: $bound>)? ($($p: $t),*) -> $ret $body
            )*
        }
    };
}
in_both_ways! {
    fn network(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let h = (x.matmul(w) + b).relu();
        let y = (h.matmul(w) + b).gelu();
        y.matmul(w)
    }

    fn generic<T: Float>(w: &Tensor<T>, b: &Tensor<T>, x: &Tensor<T>) -> Tensor<T> {
        let h = (x.matmul(w) + b).gelu_tanh();
        h.matmul(w) * (x.matmul(w) + b).silu().matmul(w)
    }

    fn rows(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let epsilon = 0.1;
        let y = x.layernorm(b, b, epsilon);
        let z = (y.matmul(w) + b).tanh();
        let r = z.rmsnorm(b, 1e-3);
        let s = z.softmax(-1);
        r.matmul(w) + s.matmul(w) + x.log_softmax(-1).matmul(w)
    }

    // One operand of two products, of which the first pullback that asks has it made.
    fn twice(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let h = (x.matmul(w) + b).relu();
        h.matmul(w).sigmoid() * h.matmul(w.t())
    }

    // What it would be made of changes after that, or it does itself.
    fn changed(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let mut z: Tensor<f64> = x.matmul(w);
        let y = z.layernorm(b, b, 0.1);
        z = &z * 2.0 + b;
        let mut h: Tensor<f64> = (&z + b).gelu();
        let first = h.matmul(w) + y.matmul(w);
        h += b;
        first * h.matmul(w)
    }

    // It is read beside the product, too, or handed on.
    fn beside(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let h = (x.matmul(w) + b).gelu();
        let r = (x.matmul(w) - b).relu();
        let moved = r.matmul(w);
        h.matmul(w) * &h + moved + r
    }

    fn in_rounds(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let mut x = x * 1.0;
        for k in 0..2 {
            let y = x.layernorm(b, b, 0.1);
            let h = (y.matmul(w) + b).gelu_tanh();
            x = x + h.matmul(w) * (k as f64 + 0.5);
        }
        x
    }

    // What is normalised is another when the product's pullback asks, and what is beside the product stays.
    fn in_rounds_that_change(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let mut x = x * 1.0;
        for k in 0..3 {
            let y = x.layernorm(b, b, 0.1);
            x = &x * 0.5 + k as f64;
            let h = (y.matmul(w) + &x).relu();
            let r = h.softmax(-1);
            x = x + h.matmul(w) * (k as f64 + 0.5) + r.matmul(w) * &r;
        }
        x
    }

    fn in_rounds_of_rows(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let mut x = x * 1.0;
        for _ in 0..2 {
            let g = (x.matmul(w) + b * 0.5).gelu();
            x = g.matmul(w) - x.rmsnorm(b, 0.1).matmul(w);
        }
        x
    }

    // Rounds in rounds, and what is read from around them, stay.
    fn in_inner_rounds(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> Tensor<f64> {
        let mut x = x * 1.0;
        let scale = b.exp();
        for _ in 0..2 {
            for k in [0.5, 1.5] {
                let h = (x.matmul(w) * &scale + b).relu();
                x = x * k + h.matmul(w);
            }
            let g = (x.matmul(w) + b * 0.5).gelu();
            x = g.matmul(w) - x.rmsnorm(b, 0.1).matmul(w);
        }
        x
    }
}

macro_rules! both_ways_agree {
    ($($name:ident)*) => { $({
        let (w, b, x) = (some(&[3, 3]), some(&[3]), some(&[4, 3]));
        let seed = some(&[4, 3]) + 0.7;
        let weighted = |w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>| ($name(w, b, x) * &seed).sum();
        let (value, back) = $name::pullback(&w, &b, &x);
        let (w_bar, b_bar, x_bar) = back(seed.clone());
        // The same operations in the same order.
        let (other, back) = remembered::$name::pullback(&w, &b, &x);
        assert_eq!(value.to_vec(), other.to_vec());
        let bars = back(seed.clone());
        for (a, b) in [(&w_bar, &bars.0), (&b_bar, &bars.1), (&x_bar, &bars.2)] {
            assert_eq!(a.to_vec(), b.to_vec(), "{}", stringify!($name));
        }
        let (_, bars) = $name::vjp(&w, &b, &x, seed.clone());
        for (a, b) in [(&w_bar, &bars.0), (&b_bar, &bars.1), (&x_bar, &bars.2)] {
            for (a, b) in a.to_vec().into_iter().zip(b.to_vec()) {
                near(&a, &b, 1e-13);
            }
        }
        let (dw, db, dx) = (some(&[3, 3]) * 0.3, some(&[3]) * 0.2 + 0.1, some(&[4, 3]) * 0.5);
        let h = 1e-5;
        let at = |k: f64| weighted(&(&w + &dw * k), &(&b + &db * k), &(&x + &dx * k));
        let difference = (at(h) - at(-h)) / (2.0 * h);
        let along = (&w_bar * &dw).sum() + (&b_bar * &db).sum() + (&x_bar * &dx).sum();
        near(&along, &difference, 1e-8);
        let (_, tangent) = $name::jvp(&w, &b, &x, (&dw, &db, &dx));
        near(&(tangent * &seed).sum(), &difference, 1e-8);
    })* };
}

#[test]
fn what_is_made_again_has_the_same_bits() {
    both_ways_agree!(network generic rows twice changed beside in_rounds in_rounds_that_change in_rounds_of_rows in_inner_rounds);
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: Tensor<f64>,
    b: Tensor<f64>,
}

/// Layers in a loop, as models are written.
#[grad(order = 2, report)]
fn layers(layers: &[Layer], x: &Tensor<f64>) -> f64 {
    let mut h: Tensor<f64> = x.clone();
    for layer in layers {
        let n = h.layernorm(&layer.b, &layer.b, 0.1);
        let u = (n.matmul(&layer.w) + &layer.b).gelu();
        h = h + u.matmul(&layer.w);
    }
    (&h * &h).sum()
}

#[grad(order = 2, __remember_all)]
fn layers_remembered(layers: &[Layer], x: &Tensor<f64>) -> f64 {
    let mut h: Tensor<f64> = x.clone();
    for layer in layers {
        let n = h.layernorm(&layer.b, &layer.b, 0.1);
        let u = (n.matmul(&layer.w) + &layer.b).gelu();
        h = h + u.matmul(&layer.w);
    }
    (&h * &h).sum()
}

#[test]
fn layers_in_a_loop() {
    let layer = |k: f64| Layer {
        w: some(&[3, 3]) * k,
        b: some(&[3]) + k,
    };
    let (all, x) = ([layer(0.5), layer(0.8), layer(-0.4)], some(&[4, 3]));
    let flat = |(bars, x): &(Vec<LayerTangent>, Tensor<f64>)| {
        let mut all = x.to_vec();
        for bar in bars {
            all.extend(bar.w.iter().chain(bar.b.iter()));
        }
        all
    };
    let (value, gradient) = layers::value_and_grad(&all, &x);
    let (other, remembered) = layers_remembered::value_and_grad(&all, &x);
    assert_eq!(value, other);
    assert_eq!(flat(&gradient), flat(&remembered));
    assert_eq!(flat(&layers::pullback(&all, &x).1(1.0)), flat(&remembered));
    let (gradient, curvature) = layers::hvp(&all, &x, (&gradient.0, &gradient.1));
    let (other, wanted) = layers_remembered::hvp(&all, &x, (&remembered.0, &remembered.1));
    for (a, b) in [(gradient, other), (curvature, wanted)] {
        for (a, b) in flat(&a).into_iter().zip(flat(&b)) {
            near(&a, &b, 1e-12);
        }
    }
    assert_eq!(layers::report().matches("is made again").count(), 2);
}

#[test]
fn the_report_says_what_is_made_again() {
    let count = |report: &str| report.matches("is made again").count();
    let found = [
        network::report(),
        generic::report(),
        rows::report(),
        twice::report(),
        changed::report(),
        beside::report(),
        in_rounds::report(),
        in_rounds_that_change::report(),
        in_rounds_of_rows::report(),
        in_inner_rounds::report(),
    ];
    assert_eq!(
        found.map(count),
        [2, 2, 4, 1, 0, 1, 2, 0, 2, 0],
        "{found:#?}"
    );
}
