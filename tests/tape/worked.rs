//! Textbook examples, value and gradient at every node, as `tests/trace.rs` has them for static code.
#![allow(non_snake_case)] // the examples use the letters of the literature

#[path = "../nodes/mod.rs"]
mod nodes;

use autodiff::{Tape, Var};
use nodes::check;

fn tape() -> Tape {
    let tape = Tape::new();
    tape.keep_details();
    tape
}

#[test]
fn fork_and_product() {
    let tape = tape();
    let (x, y) = (tape.var(3.0).named("x"), tape.var(1.0).named("y"));
    let p = (x + y).named("p");
    let q = (x - y).named("q");
    let f = (p * q).named("f");
    check(&tape.trace(f), nodes::FORK_AND_PRODUCT);
}

#[test]
fn relu_of_an_affine_function() {
    let tape = tape();
    let [a, b, d] = [("a", 2.0), ("b", -3.0), ("d", 10.0)].map(|(n, x)| tape.var(x).named(n));
    let c = (a * b).named("c");
    let e = (c + d).named("e");
    let f = e.relu().named("f");
    check(&tape.trace(f), nodes::RELU_OF_AN_AFFINE_FUNCTION);
}

#[test]
fn a_value_used_twice() {
    let tape = tape();
    let (a, b) = (tape.var(2.0).named("a"), tape.var(3.0).named("b"));
    let c = (a * b).named("c");
    let d = (c + a).named("d");
    check(&tape.trace(d), nodes::A_VALUE_USED_TWICE);

    tape.clear();
    let a = tape.var(3.0).named("a");
    let b = (a + a).named("b");
    check(&tape.trace(b), &[("a", 3.0, 2.0), ("b", 6.0, 1.0)]);
}

#[test]
fn chain_rule() {
    let tape = tape();
    let x = tape.var(1.0).named("x");
    let g = (3.0 * x + 1.0).named("g");
    let y = g.powi(2).named("y");
    check(&tape.trace(y), nodes::CHAIN_RULE);

    tape.clear();
    let (a, b) = (tape.var(2.0).named("a"), tape.var(3.0).named("b"));
    let c = (a * b).named("c");
    check(&tape.trace(c), nodes::CHAIN_RULE_2);
}

#[test]
fn linear_model_with_squared_loss() {
    let tape = tape();
    let [W, x, b] = [("W", 1.5), ("x", -2.0), ("b", 0.5)].map(|(n, x)| tape.var(x).named(n));
    let u = (W * x).named("u");
    let z = (u + b).named("z");
    let L = (z * z).named("L");
    check(&tape.trace(L), nodes::LINEAR_MODEL_WITH_SQUARED_LOSS);
}

#[test]
fn perceptron_with_two_hidden_units() {
    let tape = tape();
    let [x1, x2, w11, w12, w21, w22, b1, b2, v1, v2, c, y] = [
        ("x1", 0.5),
        ("x2", 1.0),
        ("w11", 0.3),
        ("w12", -0.2),
        ("w21", 0.4),
        ("w22", 0.1),
        ("b1", 0.0),
        ("b2", 0.1),
        ("v1", 0.6),
        ("v2", 0.5),
        ("c", -0.2113),
        ("y", 1.0),
    ]
    .map(|(name, x)| tape.var(x).named(name));
    let z1 = (w11 * x1 + w12 * x2 + b1).named("z1");
    let z2 = (w21 * x1 + w22 * x2 + b2).named("z2");
    let h1 = z1.sigmoid().named("h1");
    let h2 = z2.sigmoid().named("h2");
    let z = (v1 * h1 + v2 * h2 + c).named("z");
    let yhat = z.sigmoid().named("yhat");
    let L = (0.5 * (yhat - y).powi(2)).named("L");
    check(&tape.trace(L), nodes::PERCEPTRON_WITH_TWO_HIDDEN_UNITS);
}

#[test]
fn gradients_vanish_through_sigmoids_and_not_through_relus() {
    for (depth, expected) in [(10, 9.5367431640625e-7), (20, 9.094947017729282e-13)] {
        let tape = tape();
        let x = tape.var(0.0);
        let y = (0..depth).fold(x, |v, _| v.sigmoid() - 0.5);
        assert_eq!((y.value(), y.backward().wrt(x)), (0.0, expected));
        assert_eq!(tape.trace(y).nodes().len(), 1 + 2 * depth);
        let r = tape.var(1.0);
        let y = (0..depth).fold(r, |v, _| v.relu());
        assert_eq!((y.value(), y.backward().wrt(r)), (1.0, 1.0));
    }
}

#[test]
fn a_product_of_matrices_element_by_element() {
    let tape = Tape::new();
    let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].map(|row| row.map(|x| tape.var(x)));
    let w = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]].map(|row| row.map(|w| tape.var(w)));
    let d_y = [[1.0, 0.0, -1.0], [0.5, 2.0, 1.0], [-1.0, 0.25, 3.0]];
    let mut seeds = Vec::new();
    for (row, d_row) in x.iter().zip(&d_y) {
        for (j, d) in d_row.iter().enumerate() {
            let y: Var = row.iter().zip(&w).map(|(x, w)| x * w[j]).sum();
            seeds.push((y, *d));
        }
    }
    let g = tape.backward(&seeds);
    assert_eq!(g.wrt(&x), [[-1.5, 2.25], [0.25, 0.5], [5.25, -3.6875]]);
    assert_eq!(g.wrt(&w), [[-2.5, 7.25, 17.0], [-2.0, 9.5, 20.0]]);
}

#[test]
fn a_bias_that_is_added_to_each_row() {
    let tape = Tape::new();
    let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].map(|row| row.map(|x| tape.var(x)));
    let b = [0.1, -0.2].map(|b| tape.var(b));
    let d_y = [[1.0, 2.0], [3.0, 4.0], [-5.0, 0.5]];
    let mut seeds = Vec::new();
    for (row, d_row) in x.iter().zip(&d_y) {
        for j in 0..2 {
            seeds.push((row[j] + b[j], d_row[j]));
        }
    }
    let g = tape.backward(&seeds);
    assert_eq!((g.wrt(&x), g.wrt(&b)), (d_y, [-1.0, 6.5]));
}

#[test]
fn drawings_show_values_gradients_and_partials() {
    let tape = tape();
    let x = tape.var(3.0).named("x");
    let line = line!() + 1;
    let y = (2.5 * x).named("y");
    let trace = tape.trace(y * x);
    assert_eq!(trace.nodes()[1].line, line);
    let dot = trace.to_dot();
    assert!(
        dot.contains("y = mul\\n(2.5, ·)\\nvalue 7.5\\ngradient 3"),
        "{dot}"
    );
    assert!(dot.contains("n0 -> n1 [label=\"2.5\"]"), "{dot}");
    assert!(trace.to_svg().contains("gradient 15"));
    assert!(trace.to_string().contains("y = mul"));
}

#[test]
fn operations_of_three_operands_are_one_node() {
    let tape = tape();
    let (a, b, c) = (tape.var(2.0), tape.var(3.0), tape.var(4.0));
    let trace = tape.trace(a.mul_add(b, c) * c);
    let ops: Vec<&str> = trace.nodes().iter().map(|node| node.op).collect();
    assert_eq!(
        ops,
        ["parameter", "parameter", "parameter", "mul_add", "mul"]
    );
    let partials: Vec<f64> = trace.nodes()[3]
        .operands
        .iter()
        .map(|o| o.partial)
        .collect();
    assert_eq!(partials, [3.0, 2.0, 1.0]);
    assert_eq!(trace.nodes()[4].operands[0].node, Some(3));
}
