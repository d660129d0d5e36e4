//! Lengths that do not match: a panic that says both, before anything is written.

use autodiff::{Differentiable, grad};

use crate::check::panic_of;

#[grad]
fn sum(a: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += a[i] * x;
    }
    s
}

#[grad]
fn scaled(a: &[f64], x: f64) -> Vec<f64> {
    let mut b = a.to_vec();
    for i in 0..b.len() {
        b[i] *= x;
    }
    b
}

#[grad]
fn advance(u: &mut [f64], x: f64) {
    for i in 0..u.len() {
        u[i] *= x;
    }
}

#[track_caller]
fn names_both(message: &str, one: &str, other: &str) {
    assert!(
        message.contains(one) && message.contains(other),
        "{message:?} does not name {one} and {other}"
    );
}

#[test]
fn a_tangent_of_the_wrong_length() {
    names_both(
        &panic_of(|| sum::jvp(&[1.0, 2.0, 3.0], 2.0, (&[1.0, 2.0], 0.5))),
        "3",
        "2",
    );
}

#[test]
fn a_buffer_of_the_wrong_length_is_not_written() {
    let mut buffer = [7.0; 4];
    let mut x = 5.0;
    names_both(
        &panic_of(|| sum::grad_into(&[1.0, 2.0, 3.0], 2.0, &mut buffer, &mut x)),
        "3",
        "4",
    );
    assert_eq!((buffer, x), ([7.0; 4], 5.0));
    let mut short = [7.0; 2];
    names_both(
        &panic_of(|| sum::vjp_into(&[1.0, 2.0, 3.0], 2.0, 1.0, &mut short, &mut x)),
        "3",
        "2",
    );
    assert_eq!((short, x), ([7.0; 2], 5.0));
}

#[test]
fn a_seed_of_the_wrong_length() {
    names_both(
        &panic_of(|| scaled::vjp(&[1.0, 2.0, 3.0], 2.0, vec![1.0, 1.0])),
        "3",
        "2",
    );
    names_both(
        &panic_of(|| scaled::pullback(&[1.0, 2.0, 3.0], 2.0).1(vec![1.0, 1.0])),
        "3",
        "2",
    );
}

#[test]
fn a_cotangent_of_the_wrong_length_leaves_the_state() {
    let mut u = [1.0, 2.0, 3.0];
    let mut bar = [1.0, 1.0];
    names_both(&panic_of(|| advance::vjp(&mut u, 2.0, &mut bar)), "3", "2");
    assert_eq!((u, bar), ([1.0, 2.0, 3.0], [1.0, 1.0]));
    names_both(
        &panic_of(|| advance::jvp(&mut u, 2.0, (&mut bar, 0.0))),
        "3",
        "2",
    );
    assert_eq!((u, bar), ([1.0, 2.0, 3.0], [1.0, 1.0]));
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    bias: f64,
    w: Vec<f64>,
    below: Option<Box<Layer>>,
    #[constant]
    seen: Vec<f64>,
    names: Vec<usize>,
}

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Line(Vec<f64>),
    Point { at: f64 },
}

fn layer() -> Layer {
    let below = Layer {
        bias: 0.5,
        w: vec![1.0],
        below: None,
        seen: Vec::new(),
        names: vec![1],
    };
    Layer {
        bias: 1.0,
        w: vec![2.0, 3.0],
        below: Some(Box::new(below)),
        seen: vec![1.0; 4],
        names: vec![7, 8],
    }
}

#[grad(order = 2)]
fn output(l: &Layer, x: f64) -> f64 {
    let mut s = l.bias;
    for w in &l.w {
        s += w * x;
    }
    s
}

#[grad]
fn outputs(all: &[Layer], pair: (f64, Vec<f64>)) -> f64 {
    all[0].bias * pair.0
}

#[grad]
fn extent(s: &Shape, x: f64) -> f64 {
    match s {
        Shape::Line(v) => v[0] * x,
        Shape::Point { at } => at * x,
    }
}

#[grad]
fn grown(l: &mut Layer, x: f64) {
    for w in l.w.iter_mut() {
        *w *= x;
    }
    l.w.push(x);
}

#[grad]
fn stretched(xs: &[f64], k: f64) -> Shape {
    if k > 0.0 {
        Shape::Line(xs.iter().map(|x| x * k).collect())
    } else {
        Shape::Point { at: xs[0] * k }
    }
}

#[grad]
fn both_ways(xs: &[f64], k: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let up = xs.iter().map(|x| x * k).collect();
    let down: Vec<f64> = xs.iter().map(|x| x / k).collect();
    (k, up, down)
}

#[grad]
fn passed_through(xs: Vec<f64>) -> Vec<f64> {
    xs
}

#[test]
fn lists_in_structs() {
    let l = layer();
    assert_eq!(l.seen.len(), 4);
    let zero = l.zero_tangent();
    let mut short = zero.clone();
    short.w.pop();
    let mut x = 5.0;
    let message = panic_of(|| output::grad_into(&l, 2.0, &mut short, &mut x));
    names_both(&message, "`l.w` has length 2", "has length 1");
    assert_eq!((short.w.as_slice(), short.bias, x), (&[0.0][..], 0.0, 5.0));
    for run in [
        || output::jvp(&layer(), 2.0, (&longer(), 0.0)).1,
        || output::hvp(&layer(), 2.0, (&longer(), 0.0)).0.1,
        || {
            let below = vec![longer()];
            outputs::jvp(&[layer()], (1.0, vec![]), (&below, (1.0, vec![]))).1
        },
    ] {
        names_both(&panic_of(run), "below.w` has length 1", "has length 2");
    }
    let pair = || outputs::jvp(&[], (1.0, vec![1.0]), (&[], (1.0, vec![])));
    names_both(&panic_of(pair), "`pair.1` has length 1", "has length 0");
    // What stands for lists without numbers may have any length.
    let mut unnamed = zero;
    unnamed.names.clear();
    assert_eq!(output::jvp(&l, 2.0, (&unnamed, 1.0)), (11.0, 5.0));
}

/// With a list below that is too long.
fn longer() -> LayerTangent {
    let mut t = layer().zero_tangent();
    t.below.iter_mut().for_each(|below| below.w.push(0.0));
    t
}

#[test]
fn lists_in_enums() {
    let line = Shape::Line(vec![1.0, 2.0]);
    let mut buffer = ShapeTangent::Line(vec![7.0]);
    let mut x = 5.0;
    let message = panic_of(|| extent::grad_into(&line, 2.0, &mut buffer, &mut x));
    names_both(&message, "`s.0` has length 2", "has length 1");
    assert_eq!((buffer, x), (ShapeTangent::Line(vec![7.0]), 5.0));
}

/// The cotangent of a final state has the lengths of that state.
#[test]
fn lists_in_states_that_grow() {
    let mut l = layer();
    let mut bar = l.zero_tangent();
    names_both(&panic_of(|| grown::vjp(&mut l, 2.0, &mut bar)), "3", "2");
    let mut l = layer();
    bar.w.push(1.0);
    assert_eq!(grown::vjp(&mut l, 2.0, &mut bar), 1.0);
}

#[test]
fn lists_in_seeds() {
    let line = ShapeTangent::Line(vec![1.0]);
    let mut buffer = [7.0; 2];
    let mut k = 5.0;
    let into =
        panic_of(|| stretched::vjp_into(&[1.0, 2.0], 3.0, line.clone(), &mut buffer, &mut k));
    names_both(&into, "`result.0` has length 2", "its seed has length 1");
    assert_eq!((buffer, k), ([7.0; 2], 5.0));
    names_both(
        &panic_of(|| stretched::vjp(&[1.0, 2.0], 3.0, line.clone())),
        "2",
        "1",
    );
    let seed = || (1.0, vec![1.0, 1.0], vec![1.0]);
    let into = panic_of(|| both_ways::vjp_into(&[1.0, 2.0], 3.0, seed(), &mut buffer, &mut k));
    names_both(&into, "`result.2` has length 2", "its seed has length 1");
    assert_eq!((buffer, k), ([7.0; 2], 5.0));
    let later = panic_of(|| both_ways::pullback(&[1.0, 2.0], 3.0).1(seed()));
    names_both(&later, "`result.2` has length 2", "its seed has length 1");
    names_both(
        &panic_of(|| passed_through::vjp(vec![1.0, 2.0], vec![1.0; 3])),
        "2",
        "3",
    );
}
