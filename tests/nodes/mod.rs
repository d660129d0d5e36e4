//! Textbook examples, value and gradient at every node: what static and dynamic traces must say alike.

use autodiff::trace::Trace;

/// Name, value and gradient of each node.
type Nodes = &'static [(&'static str, f64, f64)];

pub(crate) const FORK_AND_PRODUCT: Nodes = &[
    ("x", 3.0, 6.0),
    ("y", 1.0, -2.0),
    ("p", 4.0, 2.0),
    ("q", 2.0, 4.0),
    ("f", 8.0, 1.0),
];

pub(crate) const RELU_OF_AN_AFFINE_FUNCTION: Nodes = &[
    ("a", 2.0, -3.0),
    ("b", -3.0, 2.0),
    ("d", 10.0, 1.0),
    ("c", -6.0, 1.0),
    ("e", 4.0, 1.0),
    ("f", 4.0, 1.0),
];

pub(crate) const A_VALUE_USED_TWICE: Nodes = &[
    ("a", 2.0, 4.0),
    ("b", 3.0, 2.0),
    ("c", 6.0, 1.0),
    ("d", 8.0, 1.0),
];

pub(crate) const CHAIN_RULE: Nodes = &[("x", 1.0, 24.0), ("g", 4.0, 8.0), ("y", 16.0, 1.0)];

pub(crate) const CHAIN_RULE_2: Nodes = &[("a", 2.0, 3.0), ("b", 3.0, 2.0), ("c", 6.0, 1.0)];

pub(crate) const LINEAR_MODEL_WITH_SQUARED_LOSS: Nodes = &[
    ("W", 1.5, 10.0),
    ("x", -2.0, -7.5),
    ("b", 0.5, -5.0),
    ("u", -3.0, -5.0),
    ("z", -2.5, -5.0),
    ("L", 6.25, 1.0),
];

pub(crate) const PERCEPTRON_WITH_TWO_HIDDEN_UNITS: Nodes = &[
    ("x1", 0.5, -0.009108086739935631),
    ("x2", 1.0, 0.001759288441579149),
    ("w11", 0.3, -0.007338745684660104),
    ("w12", -0.2, -0.014677491369320207),
    ("w21", 0.4, -0.0058810491614244625),
    ("w22", 0.1, -0.011762098322848925),
    ("b1", 0.0, -0.014677491369320207),
    ("b2", 0.1, -0.011762098322848925),
    ("v1", 0.6, -0.047731921729454785),
    ("v2", 0.5, -0.05861817419391983),
    ("c", -0.2113, -0.09791111141811329),
    ("y", 1.0, 0.4059953618447171),
    ("z1", -0.05000000000000002, -0.014677491369320207),
    ("z2", 0.4, -0.011762098322848925),
    ("h1", 0.4875026035157896, -0.05874666685086797),
    ("h2", 0.598687660112452, -0.048955555709056645),
    ("z", 0.38054539216569977, -0.09791111141811329),
    ("yhat", 0.5940046381552829, -0.4059953618447171),
    ("L", 0.08241611691971137, 1.0),
];

/// Each node of the example has the value and the gradient of the table.
#[track_caller]
pub(crate) fn check(trace: &Trace, expected: &[(&str, f64, f64)]) {
    for &(name, value, gradient) in expected {
        let node = trace
            .node(name)
            .unwrap_or_else(|| panic!("no node {name}:\n{trace}"));
        for (got, want) in [(node.value, value), (node.gradient, gradient)] {
            assert!(
                (got - want).abs() <= 1e-15 * want.abs().max(1e-3),
                "{name}: {got} is not {want}\n{trace}"
            );
        }
    }
    let named = trace.nodes().iter().filter(|node| !node.name.is_empty());
    assert_eq!(named.count(), expected.len(), "{trace}");
}
