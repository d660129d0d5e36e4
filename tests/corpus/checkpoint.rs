//! `#[checkpoint]`: loops that keep few states give what they give without.

use autodiff::grad;

use crate::check::near;

/// The same function without, in three schedules, and by the option of the function.
macro_rules! schedules {
    ($(fn $name:ident($($args:tt)*) -> f64 { [$($before:tt)*] for $item:tt in ($($range:tt)*) { $($body:tt)* } [$($after:tt)*] } = [$($call:tt)*];)*) => {
        mod plain { use autodiff::grad; use super::helper; $(#[grad] pub(super) fn $name($($args)*) -> f64 { $($before)* for $item in $($range)* { $($body)* } $($after)* })* }
        mod every { use autodiff::grad; use super::helper; $(#[grad] pub(super) fn $name($($args)*) -> f64 { $($before)* #[checkpoint(every = 3)] for $item in $($range)* { $($body)* } $($after)* })* }
        mod binomial { use autodiff::grad; use super::helper; $(#[grad] pub(super) fn $name($($args)*) -> f64 { $($before)* #[checkpoint] for $item in $($range)* { $($body)* } $($after)* })* }
        mod option { use autodiff::grad; use super::helper; $(#[grad(checkpoint)] pub(super) fn $name($($args)*) -> f64 { $($before)* for $item in $($range)* { $($body)* } $($after)* })* }
        $(
            #[test]
            fn $name() {
                let plain = swept!(plain::$name, $($call)*);
                { use every::$name; check!($name($($call)*)); }
                near(&swept!(every::$name, $($call)*), &plain, 1e-13);
                { use binomial::$name; check!($name($($call)*)); }
                near(&swept!(binomial::$name, $($call)*), &plain, 1e-13);
                { use option::$name; check!($name($($call)*)); }
                near(&swept!(option::$name, $($call)*), &plain, 1e-13);
            }
        )*
    };
}

#[grad]
fn helper(x: f64, w: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += (x * w[i]).sin();
    }
    s
}

schedules! {
    fn a_number(x: f64, k: f64, n: usize) -> f64 {
        [
        let mut s = x;
        ]
        for i in (0..n) {
            s = (s * k + i as f64).sin();
        }
        [
        s * s
        ]
    } = [value x = 0.7, value k = -0.4, constant n = 11];

    fn numbers_and_memory(xs: &[f64], k: f64, n: usize) -> f64 {
        [
        let mut v = xs.to_vec();
        let mut w = [k, 1.0];
        let mut s = 0.0;
        let mut count = 0;
        ]
        for i in (0..n) {
            count += i % 2;
            w[i % 2] = w[i % 2] * 0.9 + v[0];
            for j in 1..v.len() {
                v[j] = (v[j] * w[count % 2] + v[j - 1]).sin();
            }
            v.swap(0, 2);
            if s < 1.0 {
                s += v[1] * xs[i % 3];
            } else {
                s *= k;
            }
        }
        [
        s + v[0] * v[2] + w[0] + count as f64
        ]
    } = [shared xs = [0.5, -1.2, 0.3], value k = 0.8, constant n = 10];

    fn swapped(x: f64, n: usize) -> f64 {
        [
        let (mut a, mut b) = ([x, 1.0], [0.2, x]);
        ]
        for i in (0..n) {
            b[0] = a[1] * x + i as f64 * 0.1;
            b[1] = a[0].sin();
            std::mem::swap(&mut a, &mut b);
        }
        [
        a[0] + b[1] * x
        ]
    } = [value x = 0.7, constant n = 9];

    fn backwards_and_captured(xs: &[f64], k: f64, n: usize) -> f64 {
        [
        let weights = [k, xs[0], xs[1] * k];
        let mut s = xs[2];
        ]
        for i in ((1..=n).rev().step_by(2)) {
            let t = helper(s, &weights) / i as f64;
            s = s * 0.5 + t * xs[i % 3];
        }
        [
        s + weights[2]
        ]
    } = [shared xs = [0.5, -1.2, 0.3], value k = 0.8, constant n = 9];

    fn a_vector_that_grows(x: f64, k: f64, n: usize) -> f64 {
        [
        let mut v = vec![x];
        let mut m = [[0.0; 2]; 2];
        ]
        for i in (0..n) {
            let last = v[v.len() - 1];
            v.push((last * k).sin());
            m[i % 2][1] += last;
            if i > 3 {
                let gone = v.remove(0);
                m[0][i % 2] += gone * last;
            }
        }
        [
        let mut s = m[0][0] * m[0][1] + m[1][1];
        for i in 0..v.len() {
            s += v[i] * v[i];
        }
        s
        ]
    } = [value x = 0.7, value k = 1.4, constant n = 8];

    fn no_round(x: f64, k: f64, n: usize) -> f64 {
        [
        let mut s = x * k;
        ]
        for _ in (n..0) {
            s = s.sin();
        }
        [
        s
        ]
    } = [value x = 0.7, value k = 1.4, constant n = 8];
}

// Loops in loops, in branches, one after the other.
#[grad]
fn several(x: f64, k: f64, n: usize) -> f64 {
    let mut s = x;
    for i in 0..3 {
        let mut t = s;
        #[checkpoint(every = 2)]
        for j in 0..n {
            t = (t * k + j as f64 * s).cos();
        }
        if i % 2 == 0 {
            #[checkpoint]
            for _ in 0..i + 1 {
                s = (s + t).sin();
            }
        } else {
            s *= t;
        }
    }
    s
}

#[grad]
fn stretched(x: f32, n: i32) -> f32 {
    let mut s = x;
    #[checkpoint(every = 4)]
    for i in 1..=n {
        s += (s / i as f32).sin();
    }
    s
}

#[grad]
fn long(x: f64, k: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint]
    for i in 0..n {
        s = s * k + 1.0 / (i as f64 + 1.0);
    }
    s
}

#[test]
fn loops_together() {
    for n in [0, 1, 5] {
        check!(several(value x = 0.7, value k = -0.4, constant n = n));
    }
    check!(stretched(value x = 0.7f32, constant n = 9));
}

#[test]
fn a_long_loop_has_its_derivative() {
    let (n, k) = (5_000, 0.999);
    let (dx, dk) = long::grad(0.5, k, n);
    near(&dx, &f64::powi(k, n as i32), 1e-12);
    near(&dk, &long::jvp(0.5, k, n, (0.0, 1.0)).1, 1e-12);
}

/// Loops with a condition, as they are and in two schedules.
macro_rules! conditions {
    ($($module:ident: $(#[$checkpoint:meta])*;)*) => {$(
        mod $module {
            use super::helper;
            use autodiff::grad;

            #[grad]
            pub(super) fn relaxed(x: f64, k: f64, most: usize) -> f64 {
                let mut s = x;
                let (mut v, mut n) = (vec![k, 0.5 * x], 0);
                $(#[$checkpoint])*
                while (s * s - k).abs() > 1e-3 && n < most {
                    s -= 0.05 * (s * s - k);
                    v[n % 2] = v[n % 2] * 0.9 + s * k;
                    n += 1;
                }
                s * v[0] + v[1] * n as f64
            }

            #[grad]
            pub(super) fn one_number(x: f64, k: f64, least: f64) -> f64 {
                let mut s = x;
                $(#[$checkpoint])*
                while s > least {
                    s *= k.sin();
                }
                s * x
            }

            #[grad]
            pub(super) fn within(xs: &[f64], k: f64) -> f64 {
                let (mut sum, mut weights) = (0.0, [k, 1.0]);
                for i in 0..3 {
                    let mut t = 0.1 * xs[i];
                    $(#[$checkpoint])*
                    while t < 2.0 {
                        for w in 0..2 {
                            weights[w] = (weights[w] * xs[i]).cos();
                        }
                        if t > 1.0 {
                            t += helper(weights[0], xs).abs();
                        }
                        t += 0.2 + weights[1] * weights[1];
                    }
                    sum += t * weights[i % 2];
                }
                sum
            }
        }
    )*};
}

conditions! {
    untouched:;
    thinned: #[checkpoint];
    in_steps: #[checkpoint(every = 3)];
}

#[test]
fn loops_with_a_condition() {
    macro_rules! same {
        ($name:ident($($arg:tt)*)) => {
            let plain = swept!(untouched::$name, $($arg)*);
            { use thinned::$name; check!($name($($arg)*)); }
            near(&swept!(thinned::$name, $($arg)*), &plain, 1e-13);
            { use in_steps::$name; check!($name($($arg)*)); }
            near(&swept!(in_steps::$name, $($arg)*), &plain, 1e-13);
        };
    }
    for most in [0, 1, 100] {
        same!(relaxed(value x = 0.7, value k = 2.0, constant most = most));
    }
    same!(one_number(value x = 0.7, value k = 1.0, value least = 0.2));
    same!(one_number(value x = 0.7, value k = 1.0, value least = 0.8));
    same!(within(shared xs = [0.5, -1.2, 0.3], value k = 0.8));
}

/// Ranges of every kind, in parts of a few rounds.
/// A state that may not be there.
#[grad]
fn checkpointed_option(x: f64, y: f64, n: usize) -> f64 {
    let mut s = Some(x);
    let mut pair = (y, Some(x * y));
    #[checkpoint(every = 3)]
    for i in 0..n {
        s = s.map(|v| v.sin() + y).filter(|_| i != 7);
        pair.1 = pair.1.map(|v| v * x).or(s);
        if let Some(v) = &mut s {
            *v *= x;
        }
    }
    s.unwrap_or(y) * pair.1.unwrap_or(0.0) + pair.0
}

#[test]
fn an_option_is_a_state() {
    for n in [0, 1, 5, 11] {
        check!(checkpointed_option(value x = 0.7, value y = 0.2, constant n = n));
    }
}

macro_rules! ranges {
    ($($name:ident: $range:expr;)*) => {
        $(
            #[grad]
            fn $name(x: f64, y: f64) -> f64 {
                let mut s = x;
                #[checkpoint(every = 3)]
                for i in $range {
                    s = (s + y * i as f64).sin();
                }
                let mut t = y;
                #[checkpoint]
                for i in $range {
                    t = (t - x * i as f64).cos();
                }
                s * t
            }
        )*

        #[test]
        fn parts_of_ranges() {
            $(
                check!($name(value x = 0.7, value y = 0.2));
            )*
        }
    };
}

ranges! {
    forward: 0..8_i32;
    inclusive: -3..=7_i32;
    backward: (0..8_i32).rev();
    with_steps: (1..17_i32).step_by(3);
    in_steps_inclusive: (1..=16_i32).step_by(3);
    backward_in_steps: (0..17_i32).rev().step_by(3);
    in_steps_backward: (0..17_i32).step_by(3).rev();
    twice_backward: (0..17_i32).rev().step_by(2).rev();
    longer_than_a_part: (0..300_i32).rev().step_by(2);
    empty: 5..2_i32;
}

thread_local!(static DRAWN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });

/// What a function draws that nobody passes to it, a loop cannot draw again.
#[grad]
fn disturbed(s: f64) -> f64 {
    let noise = DRAWN.with(|drawn| {
        drawn.set(drawn.get() + 1);
        drawn.get() as f64
    });
    (s + noise).sin()
}

#[grad]
fn disturbed_in_steps(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(every = 10)]
    for _ in 0..n {
        s = disturbed(s);
    }
    s
}

#[grad]
fn disturbed_while(x: f64, n: usize) -> f64 {
    let (mut s, mut i) = (x, 0);
    #[checkpoint]
    while i < n {
        s = disturbed(s);
        i += 1;
    }
    s
}

#[test]
fn rounds_that_do_something_else_are_noticed() {
    let derivatives: [fn(f64, usize) -> f64; 2] = [disturbed_in_steps::grad, disturbed_while::grad];
    for derivative in derivatives {
        // Forward mode and a loop of no rounds run nothing again.
        assert_eq!(derivative(0.5, 0), 1.0);
        let panic = std::panic::catch_unwind(|| derivative(0.5, 25)).unwrap_err();
        let message = panic.downcast::<String>().unwrap();
        assert!(
            message.contains("did something else when it ran again"),
            "{message}"
        );
        assert!(message.contains("checkpoint.rs"), "{message}");
    }
    let (value, _) = disturbed_in_steps::jvp(0.5, 25, 1.0);
    assert!(value.abs() <= 1.0);
}
