//! `f::trace(…)`: textbook examples node by node, and traces as a second opinion on the generated gradients.

#![allow(
    clippy::pedantic,
    clippy::assign_op_pattern,
    clippy::let_and_return,
    clippy::needless_range_loop,
    reason = "the functions show what people write"
)]

#[path = "nodes/mod.rs"]
mod nodes;

use autodiff::trace::Trace;
use autodiff::{grad, relu, sigmoid};
use nodes::check;

#[test]
fn fork_and_product() {
    #[grad(trace)]
    fn f(x: f64, y: f64) -> f64 {
        let p = x + y;
        let q = x - y;
        let f = p * q;
        f
    }
    check(&f::trace(3.0, 1.0), nodes::FORK_AND_PRODUCT);
}

#[test]
fn relu_of_an_affine_function() {
    #[grad(trace)]
    fn neuron(a: f64, b: f64, d: f64) -> f64 {
        let c = a * b;
        let e = c + d;
        let f = relu(e);
        f
    }
    check(
        &neuron::trace(2.0, -3.0, 10.0),
        nodes::RELU_OF_AN_AFFINE_FUNCTION,
    );
}

#[test]
fn a_value_used_twice() {
    #[grad(trace)]
    fn fork(a: f64, b: f64) -> f64 {
        let c = a * b;
        let d = c + a;
        d
    }
    check(&fork::trace(2.0, 3.0), nodes::A_VALUE_USED_TWICE);

    #[grad(trace)]
    fn double(a: f64) -> f64 {
        let b = a + a;
        b
    }
    check(&double::trace(3.0), &[("a", 3.0, 2.0), ("b", 6.0, 1.0)]);
}

#[test]
fn chain_rule() {
    #[grad(trace)]
    fn square(x: f64) -> f64 {
        let g = 3.0 * x + 1.0;
        let y = g.powi(2);
        y
    }
    check(&square::trace(1.0), nodes::CHAIN_RULE);

    #[grad(trace)]
    fn product(a: f64, b: f64) -> f64 {
        let c = a * b;
        c
    }
    check(&product::trace(2.0, 3.0), nodes::CHAIN_RULE_2);
}

#[test]
fn linear_model_with_squared_loss() {
    #[allow(non_snake_case)]
    #[grad(trace)]
    fn loss(W: f64, x: f64, b: f64) -> f64 {
        let u = W * x;
        let z = u + b;
        let L = z * z;
        L
    }
    check(
        &loss::trace(1.5, -2.0, 0.5),
        nodes::LINEAR_MODEL_WITH_SQUARED_LOSS,
    );
}

#[test]
fn perceptron_with_two_hidden_units() {
    #[allow(non_snake_case, clippy::too_many_arguments)]
    #[grad(trace)]
    fn loss(
        x1: f64,
        x2: f64,
        w11: f64,
        w12: f64,
        w21: f64,
        w22: f64,
        b1: f64,
        b2: f64,
        v1: f64,
        v2: f64,
        c: f64,
        y: f64,
    ) -> f64 {
        let z1 = w11 * x1 + w12 * x2 + b1;
        let z2 = w21 * x1 + w22 * x2 + b2;
        let h1 = sigmoid(z1);
        let h2 = sigmoid(z2);
        let z = v1 * h1 + v2 * h2 + c;
        let yhat = sigmoid(z);
        let L = 0.5 * (yhat - y).powi(2);
        L
    }
    let trace = loss::trace(
        0.5, 1.0, 0.3, -0.2, 0.4, 0.1, 0.0, 0.1, 0.6, 0.5, -0.2113, 1.0,
    );
    check(&trace, nodes::PERCEPTRON_WITH_TWO_HIDDEN_UNITS);
}

#[test]
fn gradients_vanish_through_sigmoids_and_not_through_relus() {
    #[grad(trace)]
    fn sigmoids(x: f64, depth: usize) -> f64 {
        let mut v = x;
        for _ in 0..depth {
            v = sigmoid(v) - 0.5;
        }
        v
    }
    #[grad(trace)]
    fn relus(r: f64, depth: usize) -> f64 {
        let mut v = r;
        for _ in 0..depth {
            v = relu(v);
        }
        v
    }
    for (depth, expected) in [(10, 9.5367431640625e-7), (20, 9.094947017729282e-13)] {
        let trace = sigmoids::trace(0.0, depth);
        assert_eq!(trace.value(), 0.0);
        assert_eq!(trace.node("x").map(|x| x.gradient), Some(expected));
        // Two operations a round, each a node of its own.
        assert_eq!(trace.nodes().len(), 1 + 2 * depth);
        let r = relus::trace(1.0, depth);
        assert_eq!(r.node("r").map(|r| (r.value, r.gradient)), Some((1.0, 1.0)));
    }
}

#[test]
fn a_product_of_matrices_element_by_element() {
    #[grad(trace)]
    fn weighted(x: &[[f64; 2]; 3], w: &[[f64; 3]; 2], #[constant] d_y: &[[f64; 3]; 3]) -> f64 {
        let mut sum = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                let mut y = 0.0;
                for k in 0..2 {
                    y += x[i][k] * w[k][j];
                }
                sum += y * d_y[i][j];
            }
        }
        sum
    }
    let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let w = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]];
    let d_y = [[1.0, 0.0, -1.0], [0.5, 2.0, 1.0], [-1.0, 0.25, 3.0]];
    let d_x = [[-1.5, 2.25], [0.25, 0.5], [5.25, -3.6875]];
    let d_w = [[-2.5, 7.25, 17.0], [-2.0, 9.5, 20.0]];
    let trace = weighted::trace(&x, &w, &d_y);
    for (i, row) in d_x.iter().enumerate() {
        for (k, want) in row.iter().enumerate() {
            let node = trace.node(&format!("x[{i}][{k}]")).expect("an element");
            assert_eq!((node.value, node.gradient), (x[i][k], *want));
        }
    }
    for (k, row) in d_w.iter().enumerate() {
        for (j, want) in row.iter().enumerate() {
            let node = trace.node(&format!("w[{k}][{j}]")).expect("an element");
            assert_eq!((node.value, node.gradient), (w[k][j], *want));
        }
    }
    // Constants have no nodes.
    assert_eq!(trace.node("d_y[0][0]"), None);
    assert_eq!(trace.value(), weighted(&x, &w, &d_y));
}

#[test]
fn operands_have_their_partials() {
    #[grad(trace)]
    fn f(x: f64) -> f64 {
        let y = 4.0 * x;
        y.sin()
    }
    let trace = f::trace(0.5);
    let y = trace.node("y").expect("a node");
    assert_eq!(y.operands[0].node, None);
    assert_eq!((y.operands[0].value, y.operands[0].partial), (4.0, 0.5));
    assert_eq!(y.operands[1].node, Some(0));
    assert_eq!((y.operands[1].value, y.operands[1].partial), (0.5, 4.0));
    let sin = trace.result().expect("a result");
    assert_eq!((sin.op, sin.operands[0].partial), ("sin", 2.0_f64.cos()));
}

#[test]
fn calls_are_seen_into() {
    #[grad(trace)]
    fn square(a: f64) -> f64 {
        let s = a * a;
        s
    }
    #[grad(trace)]
    fn scale(a: &mut [f64], by: f64) {
        for i in 0..a.len() {
            a[i] *= by;
        }
    }
    #[grad(trace)]
    fn f(x: f64, y: f64) -> f64 {
        let mut a = [square(x), y];
        scale(&mut a, x);
        let s = square(a[0]) * a[1];
        s
    }
    let trace = f::trace(1.5, 0.25);
    let functions = trace.calls().iter().map(|call| call.graph.name());
    assert!(functions.eq(["f", "square", "scale", "square"]));
    assert!(trace.calls()[1..].iter().all(|call| call.caller == Some(0)));
    let (value, gradient) = f::value_and_grad(1.5, 0.25);
    assert_eq!(trace.value(), value);
    // `s` of the function itself, not of what it calls.
    assert_eq!(
        trace.node("s").map(|s| (s.value, s.gradient)),
        Some((value, 1.0))
    );
    let of = |name| trace.node(name).map(|node| node.gradient);
    assert!(
        (of("x").unwrap_or(0.0) - gradient.0).abs() < 1e-14,
        "{trace}"
    );
    assert!(
        (of("y").unwrap_or(0.0) - gradient.1).abs() < 1e-14,
        "{trace}"
    );
}

#[test]
fn drawings_show_values_gradients_and_partials() {
    #[grad(trace)]
    fn f(x: f64) -> f64 {
        let y = 2.5 * x;
        y * x
    }
    let trace = f::trace(3.0);
    let dot = trace.to_dot();
    assert!(
        dot.contains("y = mul\\n(2.5, ·)\\nvalue 7.5\\ngradient 3"),
        "{dot}"
    );
    assert!(dot.contains("n0 -> n1 [label=\"2.5\"]"), "{dot}");
    assert!(trace.to_svg().contains("gradient 15"));
    assert!(
        trace.to_string().contains("y = mul"),
        "a table, when printed"
    );
}

/// The gradient of a trace by the scalars of the parameters, and that of `grad`.
#[track_caller]
fn agree(trace: &Trace, value: f64, gradient: &[f64]) {
    assert_eq!(trace.value().to_bits(), value.to_bits());
    let traced = trace.nodes().iter().filter(|node| node.op == "parameter");
    let traced: Vec<f64> = traced.map(|node| node.gradient).collect();
    assert_eq!(traced.len(), gradient.len(), "{trace}");
    for (t, g) in traced.iter().zip(gradient) {
        assert!(
            (t - g).abs() <= 1e-12 * g.abs().max(1.0),
            "{traced:?} is not {gradient:?}\n{trace}"
        );
    }
}

#[test]
fn traces_agree_with_generated_gradients() {
    #[grad(trace)]
    fn in_place(xs: &[f64], m: usize) -> f64 {
        let mut a = xs.to_vec();
        let mut b = [0.0; 2];
        for r in 0..m {
            for i in 1..a.len() {
                a[i] = a[i] * a[i - 1].sin() + 0.5;
                b[r % 2] += a[i] / (1.0 + xs[i] * xs[i]);
            }
            a.swap(0, 1);
            if a[1] > 0.6 {
                b[0] *= a[1];
            } else {
                a[0] -= b[1];
            }
        }
        let [p, q] = b;
        p * q - a[0].max(a[1])
    }
    let xs = [0.7, 1.3, -0.4];
    for m in 0..4 {
        let (value, gradient) = in_place::value_and_grad(&xs, m);
        agree(&in_place::trace(&xs, m), value, &gradient);
    }

    #[grad(trace)]
    fn tuples(p: (f64, f64), k: usize) -> f64 {
        let mut t = (p.0 * p.1, p.0 - p.1);
        for j in 0..k {
            t = match j % 3 {
                0 => (t.1, t.0),
                1 => (t.0 * 0.5, t.1 + p.0),
                _ => (t.0.exp(), -t.1),
            };
            t.0 += t.1 * t.1;
        }
        let (x, y) = t;
        x.atan2(y) + x.hypot(y).ln()
    }
    for k in 0..6 {
        let (value, gradient) = tuples::value_and_grad((0.3, -0.8), k);
        let trace = tuples::trace((0.3, -0.8), k);
        agree(&trace, value, &[gradient.0, gradient.1]);
        assert_eq!(trace.node("p.1").map(|node| node.value), Some(-0.8));
    }

    #[grad(trace)]
    fn shadowed(x: f64) -> f64 {
        let y = x * x;
        let y = y.sqrt() + 1.0;
        let y = y.powf(1.5) * x.abs();
        y
    }
    let (value, gradient) = shadowed::value_and_grad(0.7);
    let trace = shadowed::trace(0.7);
    agree(&trace, value, &[gradient]);
    let ys = trace.nodes().iter().filter(|node| node.name == "y");
    assert_eq!(ys.count(), 3, "{trace}");

    #[grad(trace)]
    fn nothing(x: f64, n: usize) -> f64 {
        let _ = x;
        n as f64
    }
    let trace = nothing::trace(0.5, 3);
    agree(&trace, 3.0, &[0.0]);
    assert_eq!(trace.result(), None);
}

#[test]
fn single_precision() {
    #[grad(trace)]
    fn mixed(x: f32, y: f64) -> f64 {
        let wide = x as f64 * y;
        let narrow = (wide.cos() as f32) * x;
        narrow as f64 + wide
    }
    let (value, (x, y)) = mixed::value_and_grad(0.3, 1.7);
    let trace = mixed::trace(0.3, 1.7);
    assert_eq!(trace.value(), value);
    let of = |name| trace.node(name).map_or(f64::NAN, |node| node.gradient);
    assert!((of("x") - f64::from(x)).abs() < 1e-6, "{trace}");
    assert!((of("y") - y).abs() < 1e-6, "{trace}");
}

#[test]
fn zero_times_an_infinite_partial_is_zero() {
    #[grad(trace)]
    fn f(x: f64) -> f64 {
        let s = x.sqrt();
        s * 0.0 + x
    }
    assert_eq!(f::trace(0.0).node("x").map(|x| x.gradient), Some(1.0));
}

#[test]
fn copied_code_runs_once() {
    #[grad(trace)]
    fn f(x: f64, #[constant] log: &std::cell::Cell<u32>) -> f64 {
        log.set(log.get() + 1);
        x * x
    }
    let log = std::cell::Cell::new(0);
    let _ = f::trace(1.0, &log);
    assert_eq!(log.get(), 1);
}
