//! `#[grad(dynamic)]`: the same interface as static code, for bodies with anything in them.
#![allow(clippy::all, clippy::pedantic)] // the functions show what people write

use std::collections::{BTreeMap, HashMap};

use autodiff::{Differentiable, grad};

/// One body, static and dynamic: value, both modes and the pullback have to agree.
macro_rules! both {
    ($($name:ident($($arg:ident: $ty:ty = $at:expr),*) $body:block)*) => {$(
        #[test]
        fn $name() {
            mod compiled {
                #[autodiff::grad]
                pub(super) fn f($($arg: $ty),*) -> f64 $body
            }
            mod on_tape {
                #[autodiff::grad(dynamic)]
                pub(super) fn f($($arg: $ty),*) -> f64 $body
            }
            let (value, gradient) = compiled::f::value_and_grad($($at),*);
            let (on_tape, found) = on_tape::f::value_and_grad($($at),*);
            assert_eq!(value.to_bits(), on_tape.to_bits());
            assert_eq!(value.to_bits(), on_tape::f($($at),*).to_bits());
            let apart = |a: &[f64], b: &[f64]| {
                assert_eq!(a.len(), b.len());
                for (a, b) in a.iter().zip(b) {
                    assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} {b}");
                }
            };
            let flat = |t: &_| autodiff::Tangent::to_flat(t);
            apart(&flat(&gradient), &flat(&found));
            let (_, back) = on_tape::f::pullback($($at),*);
            apart(&flat(&gradient), &flat(&back(1.0)));
        }
    )*};
}

both! {
    straight(x: f64 = 0.7, y: f64 = -1.3) {
        let a = x.sin() * y + 2.0 / x - y % 0.4;
        a.abs().sqrt().max(x).min(y.exp()) + a.powi(3) - (x as f64) * 1e-3
    }
    loops(w: &[f64] = &[0.3, -0.2, 0.9, 1.1]) {
        let mut sum = 0.0;
        for (i, v) in w.iter().enumerate() {
            if *v > 0.0 {
                sum += v * i as f64;
            } else {
                sum -= v.exp();
            }
        }
        let mut y = sum;
        while y.abs() > 0.25 {
            y *= 0.5;
        }
        y + w.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
    memory(m: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 5.0]], n: usize = 3) {
        let mut v = vec![1.0; 2];
        for _ in 0..n {
            let t = (m[0][0] * v[0] + m[0][1] * v[1], m[1][0] * v[0] + m[1][1] * v[1]);
            v[0] = t.0;
            v[1] = t.1 / 4.0;
        }
        v.push(f64::ln(v[0]));
        v.iter().map(|x| x * x).sum::<f64>() - v[2]
    }
    tuples(p: (f64, f64) = (0.5, 2.0), o: Option<f64> = Some(3.0)) {
        let (a, b) = p;
        match o {
            Some(c) if c > 1.0 => a * b * c,
            Some(c) => a + c,
            None => b,
        }
    }
    names(tape: f64 = 2.0, value: f64 = 3.0, zeros: f64 = 5.0, nodes: f64 = 7.0, rt: f64 = 11.0) {
        tape * value + zeros * nodes * rt + value
    }
}

#[grad(dynamic)]
fn anything(w: &[f64], #[constant] data: &[f64], words: &str) -> f64 {
    const HALF: f64 = 0.5;
    fn larger(a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }
    let operations: BTreeMap<&str, Box<dyn Fn(f64) -> f64>> = BTreeMap::from([
        ("square", Box::new(|x| x * x) as Box<dyn Fn(f64) -> f64>),
        ("exp", Box::new(f64::exp)),
        ("half", Box::new(|x| x * HALF)),
    ]);
    let mut seen: HashMap<&str, f64> = HashMap::new();
    let mut x = w[0];
    for (k, word) in words.split(' ').enumerate() {
        x = match operations.get(word) {
            Some(operation) => operation(x) + data[k % data.len()],
            None => x * word.parse::<f64>().unwrap_or(0.0),
        };
        seen.insert(word, x);
    }
    assert!(x < 1e9, "{x:.1} at {}", 0.5);
    let points = vec![vec![0.25; 2], vec![x, 2.0 as f64]];
    let rest: f64 = points.iter().flatten().sum();
    rest + larger(seen["square"], w[1] * 100.0)
}

#[test]
fn maps_boxes_text_and_functions() {
    let w = [1.5, 0.25];
    let value = |w: &[f64]| anything(w, &[0.1, 0.2], "square 2.0 half exp");
    let (found, g) = anything::value_and_grad(&w, &[0.1, 0.2], "square 2.0 half exp");
    assert_eq!(found, value(&w));
    let report = autodiff::gradcheck(
        value,
        |w| anything::grad(w, &[0.1, 0.2], "square 2.0 half exp"),
        &w,
    );
    assert!(report.is_ok(), "{report}");
    // x = exp((w² + 0.1) · 2 / 2 + 0.1) + 0.2, and the larger one is 25.
    let x = (2.25_f64 + 0.1 + 0.1).exp();
    assert!(
        (g[0] - x * 3.0).abs() < 1e-12 * g[0] && g[1] == 100.0,
        "{g:?}"
    );
}

#[grad(dynamic)]
fn fibonacci(x: f64, n: u32) -> f64 {
    if n < 2 {
        x
    } else {
        fibonacci(x, n - 1) + fibonacci(x * 0.5, n - 2)
    }
}

#[grad(dynamic)]
fn results((a, b): (f64, f64), scale: f64) -> (Vec<f64>, f64, usize) {
    (vec![a * scale, b * scale], a * b, 7)
}

#[grad]
fn compiled(x: f64, y: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        sum += fibonacci(x * y, 4) * (k as f64 + y);
    }
    sum
}

#[test]
fn recursion_several_results_and_static_callers() {
    assert_eq!(fibonacci::grad(2.0, 6), fibonacci(1.0, 6));
    let ((scaled, product, seven), (ab, s)) =
        results::vjp((2.0, 3.0), 10.0, (vec![1.0, 2.0], 5.0, ()));
    assert_eq!((scaled, product, seven), (vec![20.0, 30.0], 6.0, 7));
    assert_eq!((ab, s), ((10.0 + 15.0, 20.0 + 10.0), 8.0));
    let (_, tangent) = results::jvp((2.0, 3.0), 10.0, ((1.0, 0.0), 0.5));
    assert_eq!(tangent, (vec![10.0 + 1.0, 1.5], 3.0, ()));

    let (x, y, h) = (1.25, 0.5, 1e-5);
    let (gx, gy) = compiled::grad(x, y);
    assert!((gx - (compiled(x + h, y) - compiled(x - h, y)) / (2.0 * h)).abs() < 1e-8);
    assert!((gy - (compiled(x, y + h) - compiled(x, y - h)) / (2.0 * h)).abs() < 1e-8);
    let (_, forward) = compiled::jvp(x, y, (1.0, 2.0));
    assert!((forward - (gx + 2.0 * gy)).abs() < 1e-12);
}

#[test]
fn buffers_are_added_to() {
    let (mut a, mut b) = (1.0, 0.0);
    results::vjp_into(
        (2.0, 3.0),
        10.0,
        (vec![0.0, 0.0], 1.0, ()),
        &mut (a, b),
        &mut 0.0,
    );
    #[grad(dynamic)]
    fn product(x: f64, y: f64) -> f64 {
        x * y
    }
    product::grad_into(2.0, 3.0, &mut a, &mut b);
    product::grad_into(2.0, 3.0, &mut a, &mut b);
    assert_eq!((a, b), (7.0, 4.0));
}

#[test]
fn single_precision() {
    #[grad(dynamic)]
    fn halved(x: f32) -> f32 {
        let mut y = x;
        while y > 1.0 {
            y /= 2.0_f32;
        }
        y + f32::EPSILON - f32::EPSILON
    }
    assert_eq!(halved::value_and_grad(5.0), (0.625, 0.125));
}

#[derive(Clone, Differentiable)]
struct Weights {
    w: Vec<f64>,
}

#[test]
fn values_of_other_types_are_constants() {
    #[grad(dynamic)]
    fn scaled(x: f64, #[constant] weights: &Weights) -> f64 {
        x * weights.w[0]
    }
    assert_eq!(scaled::grad(2.0, &Weights { w: vec![3.0] }), 3.0);
}

/// What is changed where it stands, compiled and on a tape.
macro_rules! lent {
    ($name:ident $option:meta) => {
        mod $name {
            use autodiff::grad;

            #[$option]
            pub(super) fn step(u: &mut [f64], total: &mut f64, p: &mut [f64; 2], dt: f64) -> f64 {
                let n = u.len();
                let mut k = 0;
                while k < n {
                    u[k] += dt * (u[(k + 1) % n] * u[k] - p[0] * u[k]);
                    *total += u[k] * u[k];
                    k += 1;
                }
                p.swap(0, 1);
                *total * p[0]
            }

            #[$option]
            pub(super) fn shift(u: &mut [f64], by: f64) {
                for x in u {
                    *x = *x * *x + by;
                }
            }

            #[grad]
            pub(super) fn compiled_caller(x: f64, y: f64) -> f64 {
                let mut u = [x, y, x * y];
                let (mut total, mut p) = (x, [y, 2.0]);
                let first = u[0];
                let mut sum = 0.0;
                for _ in 0..3 {
                    sum += step(&mut u, &mut total, &mut p, 0.1) * u[1];
                    shift(&mut u[1..], x);
                    u[0] *= first;
                }
                sum + total * u[2] + p[0]
            }
        }
    };
}
lent!(reference grad);
lent!(on_tape grad(dynamic));

#[grad(dynamic)]
fn dynamic_caller(x: f64, y: f64) -> f64 {
    let mut u = [x, y, x * y];
    let (mut total, mut p) = (x, [y, 2.0]);
    let first = u[0];
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += on_tape::step(&mut u, &mut total, &mut p, 0.1) * u[1];
        on_tape::shift(&mut u[1..], x);
        u[0] *= first;
    }
    sum + total * u[2] + p[0]
}

#[test]
fn what_is_lent_is_changed() {
    let start = ([0.3, -0.8, 1.2], 0.5, [0.7, 0.2]);
    let (mut u, mut t, mut p) = start;
    let (mut du, mut dt, mut dp) = ([1.0, 2.0, 3.0], 4.0, [5.0, 6.0]);
    let (y, g) = reference::step::vjp(&mut u, &mut t, &mut p, 0.1, 7.0, &mut du, &mut dt, &mut dp);
    let (mut v, mut s, mut q) = start;
    let (mut dv, mut ds, mut dq) = ([1.0, 2.0, 3.0], 4.0, [5.0, 6.0]);
    let (z, h) = on_tape::step::vjp(&mut v, &mut s, &mut q, 0.1, 7.0, &mut dv, &mut ds, &mut dq);
    assert_eq!((y, u, t, p), (z, v, s, q));
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} {b}");
    near(g, h);
    near(dt, ds);
    du.iter().zip(dv).for_each(|(a, b)| near(*a, b));
    dp.iter().zip(dq).for_each(|(a, b)| near(*a, b));

    let (mut u, mut v) = (start.0, start.0);
    let (mut du, mut dv) = ([1.0, 0.5, 0.0], [1.0, 0.5, 0.0]);
    reference::shift::jvp(&mut u, 2.0, (&mut du, 3.0));
    on_tape::shift::jvp(&mut v, 2.0, (&mut dv, 3.0));
    assert_eq!((u, du), (v, dv));
    let one = reference::shift::vjp(&mut u, 2.0, &mut du);
    let other = on_tape::shift::vjp(&mut v, 2.0, &mut dv);
    assert_eq!((one, u, du), (other, v, dv));
}

#[test]
fn what_is_lent_by_callers() {
    let (x, y) = (0.6, 1.1);
    let (value, (gx, gy)) = reference::compiled_caller::value_and_grad(x, y);
    for (other, (hx, hy)) in [
        on_tape::compiled_caller::value_and_grad(x, y),
        dynamic_caller::value_and_grad(x, y),
    ] {
        assert_eq!(value.to_bits(), other.to_bits());
        assert!((gx - hx).abs() <= 1e-12 * gx.abs(), "{gx} {hx}");
        assert!((gy - hy).abs() <= 1e-12 * gy.abs(), "{gy} {hy}");
    }
    let (_, forward) = on_tape::compiled_caller::jvp(x, y, (1.0, -2.0));
    assert!((forward - (gx - 2.0 * gy)).abs() <= 1e-12 * forward.abs());
}
