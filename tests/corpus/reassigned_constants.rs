//! Constants that are tensors and lists, in variables that are given others: what the reverse sweep needs of them is there, whatever was put in their place.

use autodiff::{Tensor, grad};

use super::tensors::some;

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

#[grad(order = 2)]
fn weighted(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += a[i] * a[i] * b[i];
    }
    sum
}

#[grad(order = 2)]
fn scaled(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 {
    (a * a * b).sum()
}

each_way! {
    fn another(x: &Tensor<f64>, k: f64) {
        let mut best = Tensor::<f64>::ones(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x * &best;
            y += y * c.sum();
            if i > 0 {
                best = some(&[2, 1]);
            }
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn moved(x: &Tensor<f64>, k: f64) {
        let mut best = Tensor::<f64>::ones(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x * &best;
            y += y * c.sum();
            best = best * 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn cloned(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x * best.clone();
            y += y * (&c * x).sum();
            best = &best * 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn by_value(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            y += y * (x * x * best).sum();
            best = Tensor::<f64>::ones(&[2, 1]) * f64::from(i);
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn on_the_left(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = &best * x - &best / (x * x + 1.0);
            y += y * c.sum();
            best = 0.5 * &best;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn added_to(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x - &best;
            y += y * (&c * &c).sum();
            best += 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.4];
    fn multiplied(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x / &best;
            y += y * (&c * &c).sum();
            best *= 0.75;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.4];
    fn by_methods(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            let c = x * best.sin();
            y += y * (&c * x).sum();
            best = best.sin() * 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn in_products(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 2]);
        let mut y = k;
        for i in 0..3 {
            let c = x.matmul(&best);
            y += y * (best.matmul(x) * c).sum();
            best = best.matmul(&best) + 0.25;
        }
        y * k
    } = [shared x = some(&[2, 2]), value k = 0.4];
    fn while_it_lasts(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        let mut i = 0;
        while i < 4 {
            y += y * (x * x * &best).sum();
            best = best * 0.5;
            i += 1;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn in_arms(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            if y > 0.9 {
                y -= y * (x * x * &best).sum();
                best = best * 0.5;
            } else {
                best = &best + 1.0;
            }
            y += (x * &best).sum() * k;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn of_a_parameter(x: &Tensor<f64>, #[constant] start: &Tensor<f64>, k: f64) {
        let mut best = start.clone();
        let mut y = k;
        for i in 0..4 {
            y += y * (x * x * &best).sum();
            best = best * start;
        }
        y * k
    } = [shared x = some(&[2, 1]), constant start = &some(&[2, 1]), value k = 0.7];
    fn into_what_changes(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        let mut z = x * k;
        for i in 0..4 {
            z *= &best;
            z += &best;
            y += y * (&z * x).sum();
            best = best * 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn lent(x: &Tensor<f64>, k: f64) {
        let mut best: Tensor<f64> = some(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            y += y * scaled(x, &best);
            best = best * 0.5;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn in_turn(x: &Tensor<f64>, k: f64) {
        let mut old: Tensor<f64> = some(&[2, 1]);
        let mut new = Tensor::<f64>::ones(&[2, 1]);
        let mut y = k;
        for i in 0..4 {
            y += y * (x * x * &old).sum() - (x * &new).sum();
            let next = &new * 0.5 + &old * 0.25;
            old = new;
            new = next;
        }
        y * k
    } = [shared x = some(&[2, 1]), value k = 0.7];
    fn lists(x: &[f64], k: f64) {
        let mut w = vec![1.0, 2.0, 3.0];
        let mut y = k;
        for i in 0..3 {
            for j in 0..3 {
                y += y * x[j] * x[j] * w[j] * 0.1;
            }
            y += weighted(x, &w);
            w = w.iter().map(|v| v * 0.5).collect();
            if i > 0 {
                w = vec![0.5; 3];
            }
        }
        y * k
    } = [shared x = [0.3, -0.4, 0.8], value k = 0.7];
    fn arrays(x: &[f64], k: f64) {
        let mut w = [1.0, 2.0, 3.0];
        let mut y = k;
        for i in 0..3 {
            y += y * weighted(x, &w);
            w = w.map(|v| v * 0.5);
            if i > 0 {
                w = [0.5; 3];
            }
        }
        y * k
    } = [shared x = [0.3, -0.4, 0.8], value k = 0.4];
}
