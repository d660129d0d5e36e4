//! Constants that are tensors and lists, in variables that are given others: what the reverse sweep needs of them is there, whatever was put in their place.

use autodiff::{Tensor, grad};

/// Entries that lie nowhere special.
fn some(shape: &[usize]) -> Tensor<f64> {
    let mut k = shape.len() as f64;
    Tensor::from_fn(shape, |_| {
        k += 1.0;
        (k * 0.754877666).fract() - 0.4
    })
}

/// Functions that return a constant early: as they are, with everything remembered (the same bits), and with every decision checked.
macro_rules! early {
    ($($name:ident($x:ident: $t:ty, $k:ident: f64) -> $ret:ty $body:block = $value:expr, $seed:expr;)*) => {$(
        mod $name {
            use super::*;
            mod plain { use super::*; #[grad(order = 2)] pub(super) fn early($x: $t, $k: f64) -> $ret $body }
            mod all { use super::*; #[grad(order = 2, __remember_all)] pub(super) fn early($x: $t, $k: f64) -> $ret $body }
            mod verified { use super::*; #[grad(order = 2, verify)] pub(super) fn early($x: $t, $k: f64) -> $ret $body }
            #[test]
            fn constants() {
                for k in [0.7, 0.3] {
                    { use plain::early; check_vector!(early(shared x = $value, value k = k)); }
                    { use all::early; check_vector!(early(shared x = $value, value k = k)); }
                    { use verified::early; check_vector!(early(shared x = $value, value k = k)); }
                    let swept = |bars| crate::flat::flat(&bars);
                    let few = swept(plain::early::vjp(&$value, k, $seed).1);
                    let all = swept(all::early::vjp(&$value, k, $seed).1);
                    crate::check::same_bits(stringify!($name), &few, &all);
                }
            }
        }
    )*};
}
early! {
    tensor(x: &Tensor<f64>, k: f64) -> Tensor<f64> {
        for i in 0..2 {
            if k > 0.5 {
                return Tensor::<f64>::ones(&[2, 1]);
            }
        }
        x * k
    } = some(&[2, 1]), some(&[2, 1]);
    list(x: &[f64], k: f64) -> Vec<f64> {
        for i in 0..2 {
            if k > 0.5 {
                return vec![1.0, 2.0];
            }
        }
        vec![x[0] * k, x[1] * x[0]]
    } = [0.4, 1.2], vec![0.7, -0.3];
}
