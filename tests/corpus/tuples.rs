//! Tuples: as values, parameters and results; stores to their fields.

use autodiff::grad;

use crate::check::near;

#[grad]
fn fields(x: f64, y: f64) -> f64 {
    let t = (x * y, x + y, 2usize);
    let u = (t.1, t.0 * t.1);
    u.0 * u.1 + t.2 as f64 * t.0
}

#[grad]
fn field_store(x: f64, y: f64, n: usize) -> f64 {
    let mut t = (x, y);
    for _ in 0..n {
        t.0 = t.0 * t.1;
        t.1 = t.0.sin() + 0.3 * x;
        t.0 += 0.1;
    }
    t.0 * t.1
}

#[grad]
fn nested(x: f64, y: f64) -> f64 {
    let mut t = ((x, y), x * y);
    (t.0).1 *= t.1;
    t.1 = t.0.0 + t.0.1;
    let ((a, b), c) = t;
    a * b * c
}

#[grad]
fn pair_in(p: (f64, f64), s: f64) -> f64 {
    let (a, b) = p;
    a * b * s + p.0.sin()
}

#[grad]
fn pair_out(x: f64, y: f64) -> (f64, f64) {
    let r = (x * x + y * y).sqrt();
    (r, y.atan2(x))
}

#[grad]
fn whole_pair_replaced(x: f64, y: f64) -> f64 {
    let mut p = (x, y);
    let before = p.0 * p.1;
    p = (p.1, p.0 * p.1);
    p = (p.1 + before, p.0);
    p.0 * p.1
}

#[grad]
fn nested_patterns(((a, b), c): ((f64, f64), f64), p: ((f64,), [f64; 1]), s: f64) -> f64 {
    let ((d,), [e]) = p;
    let q = (p.0, (c, (a, s)));
    let (_, (_, (f, g))) = q;
    let mut sum = a * b * c + d * e;
    for k in 0..2 {
        let ((h,), _) = p;
        sum += h * f * g * k as f64;
    }
    sum
}

#[grad]
fn applied<F: Fn(((f64, f64), bool)) -> f64>(f: F, x: f64, y: f64) -> f64 {
    f(((x, y), true)) * x
}

#[grad]
fn nested_patterns_of_closures(x: f64, y: f64, k: f64) -> f64 {
    applied(|((s, t), _): ((f64, f64), bool)| s * k + t.sin(), x, y)
}

#[test]
fn tuples_in_tuples() {
    check!(nested_patterns(value p = ((0.7, -0.4), 1.5), value q = ((0.3,), [0.9]), value s = -1.1));
    check!(nested_patterns_of_closures(value x = 0.7, value y = -0.4, value k = 1.5));
}

#[test]
fn tuples_as_values() {
    check!(fields(value x = 0.7, value y = -0.4));
    check!(nested(value x = 0.7, value y = -0.4));
    check!(whole_pair_replaced(value x = 0.7, value y = -0.4));
}

#[test]
fn stores_to_fields() {
    check!(field_store(value x = 0.7, value y = -0.4, constant n = 3));
    check!(field_store(value x = 0.7, value y = -0.4, constant n = 0));
}

#[test]
fn tuples_as_parameters_and_results() {
    check!(pair_in(value p = (0.7, -0.4), value s = 1.5));
    check_vector!(pair_out(value x = 0.7, value y = -0.4));
}

#[grad]
fn copied_from_memory(x: f64, y: f64) -> f64 {
    let mut pair = (x.sin(), y);
    std::mem::swap(&mut pair.0, &mut pair.1);
    let copy = pair;
    let mut z = y.cos();
    let f = move |w: f64| z.sin() * if w > 0.2 { (-pair.0).sin() } else { w };
    z = z * z;
    let (first, _) = pair;
    pair.1 = first * x;
    f(z.cos()) + f(z) * z + copy.0 * copy.1 * pair.1
}

#[test]
fn parts_of_copies_of_memory() {
    check!(copied_from_memory(value x = 0.7, value y = 0.4));
}

/// Numbers without a derivative, in tuples of tuples.
#[grad]
fn placed(x: f64) -> ((usize, [i32; 2]), f64) {
    ((1, [2, 3]), x * x)
}

#[grad]
fn weighted(entries: &[((usize, usize), f64)], x: f64) -> f64 {
    let ((a, [b, c]), v) = placed(x);
    let mut s = v * (a as f64 + b as f64 * c as f64);
    for ((i, j), w) in entries {
        s += w * x * (i + 2 * j) as f64;
    }
    s
}

#[test]
fn constants_in_tuples_of_tuples() {
    let entries = [((0, 1), 0.5), ((2, 1), -0.4)];
    let (value, (of_entries, of_x)) = weighted::value_and_grad(&entries, 0.7);
    let expected = 0.49 * 7.0 + 0.5 * 0.7 * 2.0 - 0.4 * 0.7 * 4.0;
    near(&value, &expected, 1e-12);
    near(&of_entries[0].1, &1.4, 1e-12);
    near(&of_entries[1].1, &2.8, 1e-12);
    near(&of_x, &(1.4 * 7.0 + 1.0 - 1.6), 1e-12);
    let along = [(((), ()), 1.0), (((), ()), 0.0)];
    near(&weighted::jvp(&entries, 0.7, (&along, 0.0)).1, &1.4, 1e-12);
}

#[grad]
fn turned(s: (f64, f64)) -> (f64, f64) {
    (s.1.sin(), s.0 * 0.5)
}

#[grad]
fn replaced_by_calls(x: f64, n: usize) -> f64 {
    let mut s = (x, 1.0);
    for _ in 0..n {
        s = turned(s);
        s.0 += 0.3;
    }
    let mut k = 0;
    while k < n {
        let next = turned(s);
        s = next;
        k += 1;
    }
    s.0 * s.1
}

#[grad]
fn part_replaced_by_a_call(x: f64, n: usize) -> f64 {
    let mut s = (x, (x, 1.0));
    for _ in 0..n {
        s.1 = turned(s.1);
        s = (x * s.1.0, turned(s.1));
    }
    s.0 + s.1.0 * s.1.1
}

#[grad]
fn folded_by_a_call(x: f64) -> f64 {
    let step = |s: (f64, f64)| turned((s.0 * x, s.1));
    let s = (0..3).fold((x, 1.0), |s, _| turned(step(s)));
    s.0 + s.1
}

#[grad]
fn declared_and_given_by_a_call(x: f64, n: usize) -> f64 {
    let mut s: (f64, f64) = turned((x, x));
    s.0 += 1.0;
    let mut r: (f64, f64);
    let mut k = 0;
    loop {
        r = turned(s);
        s.1 *= x;
        k += 1;
        if k > n {
            break;
        }
    }
    r.0 * r.1
}

#[test]
fn tuples_that_calls_return() {
    for n in [0, 1, 3] {
        check!(replaced_by_calls(value x = 0.7, constant n = n));
        check!(part_replaced_by_a_call(value x = 0.7, constant n = n));
        check!(declared_and_given_by_a_call(value x = 0.7, constant n = n));
    }
    check!(folded_by_a_call(value x = 0.7));
}
