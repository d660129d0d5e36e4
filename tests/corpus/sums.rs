//! Cotangents that the rounds of a loop add up: what is scaled, shared or broadcast along a row, by lengths below, at and above what fits into lanes.
//! Each stands here twice, the second time with its sums in the loops where they arise.

use autodiff::grad;

in_both_ways! {
    without __sum_nothing;

    // Weights input by input: the cotangent of an input is a sum along a row.
    fn layer(w: &[f64], x: &[f64], #[constant] m: usize) -> f64 {
        let mut y = vec![0.0; m];
        for j in 0..x.len() {
            let h = x[j];
            for k in 0..m {
                y[k] += w[j * m + k] * h;
            }
        }
        length(&y)
    }

    // The same without a name for the input, whose cotangent is one number of a list.
    fn by_index(w: &[f64], x: &[f64], #[constant] m: usize) -> f64 {
        let mut y = vec![0.0; m];
        for j in 0..x.len() {
            for k in 0..m {
                y[k] += w[j * m + k] * x[j];
            }
        }
        length(&y)
    }

    fn by_chains(w: &[f64], x: &[f64], #[constant] m: usize) -> f64 {
        let mut y = vec![0.0; m];
        for (row, h) in w.chunks(m).zip(x) {
            for (y, w) in y.iter_mut().zip(row) {
                *y += w * h;
            }
        }
        length(&y)
    }

    // Two sums in one loop, of what is taken out of the cotangent.
    fn affine(x: &[f64], a: f64, b: f64) -> f64 {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = a * x[i] + b * a;
        }
        length(&y)
    }

    // Backwards, so that the way back is forwards, and from an offset.
    fn backwards(x: &[f64], a: f64) -> f64 {
        let mut y = vec![0.0; x.len()];
        for i in (1..x.len()).rev() {
            y[i] = a * x[i - 1];
        }
        length(&y)
    }

    // Of three parts, and of more than are walked through side by side.
    fn products(x: &[f64], y: &[f64], a: f64, b: f64) -> f64 {
        let n = x.len();
        let mut z = vec![0.0; n];
        for i in 0..n {
            z[i] = a * x[i] * y[i];
        }
        let mut v = vec![0.0; n];
        for i in 0..n {
            v[i] = b * x[i] * y[i] * z[i] * z[n - 1 - i];
        }
        length(&v)
    }

    // What is read twice, under a condition, or by an index that jumps stays in its loop.
    fn others(x: &[f64], at: &[usize], a: f64, b: f64, c: f64) -> f64 {
        let n = x.len();
        let mut y = vec![0.0; n];
        for i in 0..n {
            y[at[i]] += a * x[i];
        }
        for i in 0..n {
            if x[i] > 0.0 {
                y[i] += b * x[i];
            }
        }
        for i in 1..n {
            y[i] = c * y[i - 1] + y[i];
        }
        length(&y)
    }

    // Of a remembered value, and of one that divides.
    fn remembered(x: &[f64], a: f64, b: f64) -> f64 {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = a * x[i].exp() + x[i] / b;
        }
        length(&y)
    }

    // Nothing is left of the inner loop on the way back but what it takes from its stack.
    fn compounded(a: f64, #[constant] m: usize) -> f64 {
        let mut z = a;
        for i in 0..3 {
            let mut s = 0.1 * i as f64;
            for j in 0..m {
                s += (z * 0.3 + j as f64 * 0.02).exp() * 0.2;
            }
            z += (s * s + 0.5).ln();
        }
        z.cos()
    }

    // Changed again in the round: the cotangent that the sum is of is not the one in front of the loop.
    fn changed_again(x: &[f64], a: f64, b: f64, c: f64) -> f64 {
        let n = x.len();
        let mut y = vec![0.5; n];
        for i in 0..n {
            y[i] = a * x[i];
            y[i] = y[i] * 2.0;
        }
        for i in 0..n {
            y[i] += b * x[i];
            if i % 2 == 0 {
                y[i] *= 0.7;
            }
        }
        for (y, x) in y.iter_mut().zip(x) {
            *y += x * c;
            *y *= 3.0;
        }
        length(&y)
    }

    fn one_number_changed_again(x: &[f64], w: &[f64]) -> f64 {
        let n = x.len();
        let mut y = vec![0.5; n];
        for j in 0..w.len() {
            for i in 0..n {
                y[i] += w[j] * x[i];
                y[i] *= 1.1;
            }
        }
        length(&y)
    }

    // What some rounds replace by a constant, or by something else.
    fn replaced(x: &[f64], #[constant] at: &[usize], a: f64, b: f64) -> f64 {
        let n = x.len();
        let mut y = vec![0.0; n];
        for i in 0..n {
            y[i] = a * x[i];
            if at[i] % 2 == 0 {
                y[i] = 0.3;
            }
        }
        for i in 0..n {
            y[i] += b * x[i];
            if at[i] % 3 == 0 {
                y[i] = x[i];
            }
        }
        length(&y)
    }

    // Backwards, of what is remembered and of elements: each slot meets its own element.
    fn backwards_remembered(w: &[f64], x: &[f64], t: f64, b: f64) -> f64 {
        let mut s = 0.5;
        for i in (0..x.len()).rev() {
            s += w[i] * w[i] * (x[i] - t).exp();
        }
        let mut y = vec![0.0; x.len()];
        for i in (0..x.len()).rev() {
            y[i] += b * w[i].exp() * x[i];
        }
        s.ln() + length(&y)
    }

    // Only the sum needs the slope that is remembered.
    fn slopes(x: &[f64], a: f64, b: f64) -> f64 {
        let mut s = 2.0;
        for i in 0..x.len() {
            s += a * x[i].tanh().sin();
        }
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = b * x[i].cos();
        }
        s * s + length(&y)
    }

    fn slopes_at_one_number(w: &[f64], x: &[f64]) -> f64 {
        let mut y = vec![0.0; w.len()];
        for j in 0..x.len() {
            for k in 0..w.len() {
                y[k] += x[j] * w[k].sin();
            }
        }
        length(&y)
    }

    // Sums of constants are no indices.
    fn shifted(#[constant] c: &[f64], a: f64, b: f64, t: f64) -> f64 {
        let n = c.len();
        let mut y = vec![0.0; n];
        for i in 0..n {
            let q = c[i];
            let r = q + 1.0;
            y[i] = a * r;
        }
        let mut s = 0.0;
        for &q in c {
            let r = q - 1.0;
            s += b * r;
        }
        let first = c[0];
        for i in 0..n {
            let q = c[i];
            let dt = q - first;
            s += t * dt;
        }
        (s + length(&y) + a * b * t).sin()
    }

    // A gate that is nothing where it is closed: zero times what overflowed is zero.
    fn gated(x: &[f64], a: f64) -> f64 {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            let slope = 1.0 / x[i];
            y[i] = if x[i] > 0.0 { a * slope } else { 0.0 };
        }
        length(&y)
    }
}

#[grad(order = 2)]
fn length(y: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in y {
        s += v * v;
    }
    s.sqrt()
}

#[grad(order = 2)]
fn single(w: &[f32], x: &[f32]) -> f32 {
    let m = w.len() / x.len();
    let mut y = vec![0.0; m];
    for j in 0..x.len() {
        for k in 0..m {
            y[k] += w[j * m + k] * x[j];
        }
    }
    y.iter().map(|v| v * v).sum()
}

#[grad(order = 2)]
fn generic<T: autodiff::Float>(w: &[T], x: &[T]) -> T {
    let m = w.len() / x.len();
    let mut y = vec![T::from_f64(0.0); m];
    for j in 0..x.len() {
        for k in 0..m {
            y[k] += w[j * m + k] * x[j];
        }
    }
    let mut s = T::from_f64(0.0);
    for v in &y {
        s += *v * *v;
    }
    s
}

macro_rules! held {
    ($($call:tt)*) => {
        check!($($call)*);
        check_second!($($call)*);
    };
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| (1.7 * k as f64 + 0.4).sin() + 0.2).collect()
}

#[test]
fn sums_of_every_length() {
    for m in [1, 2, 7, 8, 9, 16, 19] {
        let (w, x) = (numbers(3 * m), numbers(3));
        held!(layer(shared w = w.clone(), shared x = x.clone(), constant m = m));
        held!(by_index(shared w = w.clone(), shared x = x.clone(), constant m = m));
        held!(by_chains(shared w = w.clone(), shared x = x.clone(), constant m = m));
        held!(compounded(value a = 0.3, constant m = m));
        let x = numbers(m);
        held!(affine(shared x = x.clone(), value a = 0.7, value b = -0.4));
        held!(remembered(shared x = x.clone(), value a = 0.7, value b = -0.4));
        held!(changed_again(shared x = x.clone(), value a = 0.7, value b = -0.4, value c = 1.3));
        held!(one_number_changed_again(shared x = x.clone(), shared w = [0.4, -0.8]));
        held!(backwards_remembered(shared w = numbers(m + 2)[2..].to_vec(), shared x = x.clone(), value t = 0.3, value b = 0.6));
        held!(slopes(shared x = x.clone(), value a = 0.7, value b = -0.4));
        held!(slopes_at_one_number(shared w = numbers(m), shared x = [0.4, -0.8]));
        held!(shifted(constant c = &x.clone(), value a = 0.7, value b = -0.4, value t = 0.2));
        if m > 1 {
            held!(backwards(shared x = x.clone(), value a = 0.7));
            held!(products(shared x = x.clone(), shared y = numbers(m + 1)[1..].to_vec(), value a = 0.7, value b = -1.2));
        }
        let at: Vec<usize> = (0..m).map(|k| k * k % m).collect();
        if m > 1 {
            held!(replaced(shared x = x.clone(), constant at = &at, value a = 0.7, value b = -0.4));
        }
        held!(others(shared x = x.clone(), constant at = &at, value a = 0.7, value b = -0.4, value c = 0.3));
    }
}

#[test]
fn apart_they_are_the_same_sums() {
    for m in [0, 1, 5, 7, 8, 9, 30] {
        let (w, x) = (numbers(3 * m), numbers(3));
        let same = |a: &[f64], b: &[f64]| {
            if m < 8 {
                crate::check::same_bits("few rounds", a, b);
            }
            for (a, b) in a.iter().zip(b) {
                crate::check::near(a, b, 1e-14);
            }
        };
        // The length of nothing has no slope.
        if m > 0 {
            let (a, b) = (layer::grad(&w, &x, m), apart::layer::grad(&w, &x, m));
            same(&a.0, &b.0);
            same(&a.1, &b.1);
            let (a, b) = (by_index::grad(&w, &x, m), apart::by_index::grad(&w, &x, m));
            same(&a.0, &b.0);
            same(&a.1, &b.1);
        }
        let x = numbers(m);
        let (a, b) = (
            affine::grad(&x, 0.7, -0.4),
            apart::affine::grad(&x, 0.7, -0.4),
        );
        if m > 0 {
            same(&a.0, &b.0);
            same(&[a.1, a.2], &[b.1, b.2]);
        }
    }
}

#[test]
fn a_row_may_have_no_elements_where_there_is_no_number() {
    // No round runs, and `x` is shorter than the loop around would read.
    let (d_w, d_x) = by_index::grad(&[], &[1.0, 2.0], 0);
    assert_eq!((d_w.len(), d_x), (0, vec![0.0; 2]));
}

#[test]
fn closed_gates_stay_zero() {
    let x: Vec<f64> = (0..20)
        .map(|k| if k % 3 == 0 { 0.0 } else { f64::from(k) })
        .collect();
    let (d_x, d_a) = gated::grad(&x, 0.5);
    assert!(d_a.is_finite() && d_x.iter().all(|d| d.is_finite()));
    let open = x.iter().filter(|x| **x > 0.0).map(|x| 1.0 / (x * x));
    crate::check::near(&d_a, &open.sum::<f64>().sqrt(), 1e-13);
}

#[test]
fn of_other_floats() {
    let (w, x) = (numbers(33), numbers(3));
    held!(generic(shared w = w.clone(), shared x = x.clone()));
    let narrow = |x: &[f64]| x.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let (d_w, d_x) = single::grad(&narrow(&w), &narrow(&x));
    let (e_w, e_x) = generic::grad(&w, &x);
    for (d, e) in d_w.iter().zip(&e_w).chain(d_x.iter().zip(&e_x)) {
        crate::check::near(&f64::from(*d), e, 1e-5);
    }
}
