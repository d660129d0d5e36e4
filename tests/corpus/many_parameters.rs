//! More differentiable parameters than the tuples of the standard library have traits for: to 26.

use autodiff::grad;

#[grad(order = 2)]
fn thirteen(
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
    g: f64,
    h: f64,
    i: f64,
    j: f64,
    k: f64,
    l: f64,
    m: &[f64],
) -> f64 {
    let mut s = a * b + c.sin() * d * d;
    for x in m {
        s += e * x * x + (f * g).exp() / h;
    }
    s * i + j * k * l
}

#[grad]
fn twenty_six(
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
    g: f64,
    h: f64,
    i: f64,
    j: f64,
    k: f64,
    l: f64,
    m: f64,
    n: f64,
    o: f64,
    p: f64,
    q: f64,
    r: f64,
    s: f64,
    t: f64,
    u: f64,
    v: f64,
    w: f64,
    x: f64,
    y: f64,
    z: &[f64],
) -> (f64, f64) {
    let first = a * n + b * o + c * p + d * q + e * r + f * s + g * t;
    (
        first * first,
        h * u + i * v + j * w + k * x + l * y + m * z[0],
    )
}

/// What they are called with may be one variable.
#[grad(order = 2)]
fn calls(x: f64, y: f64) -> f64 {
    let s = x * y;
    thirteen(x, y, x, y, 0.5, y, x, 2.0, s, s, x, y, &[x, s])
}

#[grad]
fn calls_with_results(x: f64) -> f64 {
    let y = x.cos();
    let (first, second) = twenty_six(
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        y,
        x,
        &[y],
    );
    first * second
}

#[grad]
fn tuple_of_thirteen(
    x: f64,
    y: f64,
) -> (
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
) {
    let t = (x, y, x, y, x, y, x, y, x, y, x, y, x * y);
    let mut s = t.0;
    for _ in 0..3 {
        s = s * t.12 + t.11;
    }
    (
        s,
        x * y,
        t.2,
        t.3,
        t.4,
        t.5,
        t.6,
        t.7,
        t.8,
        t.9,
        t.10,
        t.11,
        t.12,
    )
}

#[test]
fn many_parameters() {
    check!(thirteen(value a = 0.3, value b = 0.7, value c = -0.4, value d = 1.1, value e = 0.6, value f = -0.2, value g = 0.9, value h = 1.7, value i = 0.8, value j = -1.3, value k = 0.4, value l = 1.9, shared m = vec![0.5, -0.6]));
    check_second!(thirteen(value a = 0.3, value b = 0.7, value c = -0.4, value d = 1.1, value e = 0.6, value f = -0.2, value g = 0.9, value h = 1.7, value i = 0.8, value j = -1.3, value k = 0.4, value l = 1.9, shared m = vec![0.5, -0.6]));
    check_vector!(twenty_six(value a = 0.3, value b = 0.7, value c = -0.4, value d = 1.1, value e = 0.6, value f = -0.2, value g = 0.9, value h = 1.7, value i = 0.8, value j = -1.3, value k = 0.4, value l = 1.9, value m = 0.1,
        value n = 0.3, value o = 0.7, value p = -0.4, value q = 1.1, value r = 0.6, value s = -0.2, value t = 0.9, value u = 1.7, value v = 0.8, value w = -1.3, value x = 0.4, value y = 1.9, shared z = vec![0.1]));
    check!(calls(value x = 0.6, value y = 0.9));
    check_second!(calls(value x = 0.6, value y = 0.9));
    check!(calls_with_results(value x = 0.6));
    check_vector!(tuple_of_thirteen(value x = 0.6, value y = 0.9));
}

#[grad(dynamic)]
fn on_a_tape(x: f64, y: f64) -> f64 {
    let list = [x, y];
    let s: f64 = list.iter().map(|v| v * v).sum();
    s * thirteen(x, y, x, y, 0.5, y, x, 2.0, s, s, x, y, &[x, s])
}

#[test]
fn many_parameters_on_a_tape() {
    check!(on_a_tape(value x = 0.6, value y = 0.9));
}
