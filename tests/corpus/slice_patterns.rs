//! Sequences taken apart by patterns, and by matches on their first and last elements.

use autodiff::grad;

use crate::check::panic_of;

#[grad]
fn vector_as_slice(x: f64, y: f64) -> f64 {
    let mut v = vec![x, x * y, y];
    let mut s = 0.0;
    for i in 0..3 {
        s += match &v[i..] {
            [a] => a * a,
            [a, .., b] if *a > 1.0 => a * b,
            [a, rest @ ..] => a - rest[0],
            [] => 3.0,
        };
        s *= match &v[..] {
            [a, .., b] if *a > 1.5 && *b < 9.0 => a * b,
            _ => s,
        };
        match &mut v[..] {
            [a, b, ..] if *a < 3.0 => *a += *b,
            rest => rest[0] *= 0.5,
        }
    }
    s
}

#[grad]
fn vector_or_nothing(x: f64, n: usize) -> f64 {
    let v = [vec![x, x * x], vec![], vec![x.sin()]];
    let mut s = 0.0;
    for i in 0..n {
        let [a, .., b] = &v[i][..] else {
            s *= x;
            continue;
        };
        s += a * b;
    }
    s
}

#[grad]
fn first_and_rest(x: &[f64]) -> f64 {
    let mut r = x;
    let mut s = 1.0;
    while let Some((a, b)) = r.split_first() {
        s = s * a + s.sin();
        r = b;
    }
    s
}

/// What is bound by value is what was there when it was matched.
#[grad]
fn ends(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    if let Some(&a) = v.first() {
        v[0] = 9.0;
        s *= a;
    }
    if let Some(a) = v.last_mut() {
        *a = *a * s;
    }
    if let Some((a, rest)) = v.split_first_mut() {
        for z in rest.iter_mut() {
            *z *= *a;
        }
    }
    let Some((&l, init)) = v.split_last() else {
        return s;
    };
    s += l * l;
    for z in init {
        s = s * z;
    }
    s *= match v.first() {
        Some(a) if *a > 1.0 => a * a,
        Some(_) => 2.0,
        None => 0.5,
    };
    s * match x.split_last() {
        None => 1.0,
        Some((&l, _)) => l.sin(),
    }
}

/// What is taken apart has no derivative, what is computed with it has.
#[grad]
fn of_constants(x: f64, #[constant] c: &[f64]) -> f64 {
    let mut r = c;
    let mut v = x;
    while let [z, tail @ ..] = r {
        if *z > 0.3 {
            v = v.cos() * z;
        }
        r = tail;
    }
    let mut r = c;
    while let Some((last, init)) = r.split_last() {
        v = v.sin() * last + x;
        r = init;
    }
    if let [b, .., e] = c {
        v *= b * e;
    }
    v * x
}

#[grad]
fn some_parts(x: f64, y: f64) -> f64 {
    let (mut p, mut q) = (x, 1.0);
    let mut a = [x, 2.0 * y, 3.0];
    (p, ..) = (x * y, p, q);
    (.., q) = (x * x, p, q * p);
    (p, .., q) = (q, x, x, p.sin());
    [a[1], .., a[0]] = [a[0], a[1], a[2] * p];
    [.., p] = a;
    let t = (p, q, y);
    (q, ..) = t;
    (.., p) = t;
    p * q + a[0] * a[1]
}

#[grad]
fn windows_of(x: &[f64], n: usize) -> f64 {
    let mut s = 1.0;
    for w in x.windows(n) {
        s = s * w.len() as f64 * x[0];
    }
    s
}

#[test]
fn patterns_of_slices() {
    for (x, y) in [(0.5, 0.7), (1.7, 0.3), (1.0, -2.0)] {
        check!(vector_as_slice(value x = x, value y = y));
    }
    for n in 0..4 {
        check!(vector_or_nothing(value x = 0.7, constant n = n));
    }
}

#[test]
fn matches_on_ends() {
    check!(first_and_rest(shared x = [1.0, 3.0, 2.0]));
    check!(first_and_rest(shared x = [0.0; 0]));
    check!(ends(shared x = [0.3, 0.7, 1.2]));
    check!(ends(shared x = [1.5, 0.3]));
    check!(ends(shared x = [0.4]));
    check!(ends(shared x = [0.0; 0]));
}

#[test]
fn patterns_of_constants() {
    check!(of_constants(value x = 0.7, constant c = &[0.2, 0.5, 0.9]));
    check!(of_constants(value x = 0.7, constant c = &[]));
}

#[grad]
fn of_all_of_an_array(x: f64, y: f64) -> f64 {
    let w = [x * y, x, y];
    let all = &w[..];
    let p = if let [a, b] = all { a * b } else { all[0] };
    match all {
        [a] => a + p,
        [a, rest @ ..] => a * rest[1] * p,
        [] => x,
    }
}

#[test]
fn slices_of_known_length() {
    check!(of_all_of_an_array(value x = 0.7, value y = -1.3));
}

#[test]
fn assignments_to_some_parts() {
    check!(some_parts(value x = 0.7, value y = -1.3));
}

#[test]
fn windows_of_nothing_panic_as_in_the_primal() {
    let expected = panic_of(|| windows_of(&[0.3, 0.7], 0));
    assert_eq!(panic_of(|| windows_of::grad(&[0.3, 0.7], 0)), expected);
    assert_eq!(
        panic_of(|| windows_of::jvp(&[0.3, 0.7], 0, &[0.0; 2])),
        expected
    );
    check!(windows_of(shared x = [0.3, 0.7, 1.2], constant n = 2));
}
