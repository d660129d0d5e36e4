//! `match` on integers, bools and tuples of them, with ranges and guards.

use autodiff::grad;

#[grad]
fn on_integers(x: f64, y: f64, mode: i32) -> f64 {
    let w = match mode {
        0 => x + y,
        1 | 2 => {
            let t = x * y;
            t * t
        }
        3..=9 => x.sin() * y,
        n if n < 0 => x * (n as f64) - y,
        _ => 0.0,
    };
    w * w + x
}

#[grad]
fn as_statement(x: f64, k: usize) -> f64 {
    let mut r = x;
    match k % 4 {
        0 => r *= x,
        1 => {
            r = r.sin();
            r += x;
        }
        2 => {}
        _ => r = 1.0,
    }
    r * x
}

#[grad]
fn with_float_guard(x: f64, y: f64, k: usize) -> f64 {
    match k {
        0 if x > y => x * y,
        0 => x,
        n @ 1..=3 if y > 0.0 => y.powi(n as i32),
        n => x * n as f64,
    }
}

#[grad]
fn on_tuples(x: f64, i: u32, flag: bool) -> f64 {
    let y = match (i, flag) {
        (0, true) => x.exp(),
        (0, false) => -x,
        (n, true) if n % 2 == 0 => x * x,
        (n, _) => x * f64::from(n),
    };
    match flag {
        true => y * y,
        false => y,
    }
}

#[grad]
fn in_a_loop(x: f64, steps: &[usize]) -> f64 {
    let mut a = x;
    let mut b = 1.0;
    for i in 0..steps.len() {
        match steps[i] {
            0 => a = a * b,
            1 => b += a.sin(),
            2 => {
                let t = a;
                a = b;
                b = t;
            }
            _ => {}
        }
    }
    a * b
}

/// Guards compute with variables and loops of their own.
#[grad]
fn guards_that_compute(x: f64, y: f64) -> f64 {
    let v = [x, y, 0.4];
    let a = match (x * 2.0) as i32 {
        1 if v.iter().sum::<f64>() > 2.0 => x,
        3 if v.iter().any(|t| *t > 1.5) => x * y,
        2 if v.iter().fold(0.0f64, |a, b| a.max(*b)) > 1.9 => y,
        k if v.iter().sum::<f64>() > 9.0 => k as f64,
        _ => x + y,
    };
    let b = match (x * 2.0) as i32 {
        1 if {
            let s = x * y;
            s > 0.5
        } =>
        {
            x
        }
        2 if (if y > 1.0 { x } else { y }) > 1.1 => y * y,
        3 if {
            let mut s = 0.0;
            for t in v {
                s += t;
            }
            s > 2.2
        } =>
        {
            x * y
        }
        _ => x + y,
    };
    let c = match Some(x * y) {
        Some(t) if t.sin() > 0.9 && [x, t].iter().map(|p| p * p).sum::<f64>() > 1.0 => t,
        Some(t) => t * x,
        None => y,
    };
    a * b + c
}

#[grad]
fn guards_on_references(x: &f64, v: &[f64]) -> f64 {
    let mut s = match x {
        w if *w > 0.5 => *w * *w,
        w => w * 2.0,
    };
    s += match &v[0] {
        t if *t > 0.8 && *t < *x + 3.0 => t.sin(),
        &t => t * 3.0,
    };
    for (i, t) in v.iter().enumerate() {
        s += match (i, t) {
            (0, t) => *t,
            (_, t) if *t > 1.0 => t * 2.0,
            (_, t) if *t > *x => t.exp(),
            (1, &t) if t < 0.4 => t * t * t,
            (_, t) => t * t,
        };
    }
    s
}

#[grad]
fn guards_on_options(x: f64, v: &[f64]) -> f64 {
    let o = if x > 0.0 { Some(x * x) } else { None };
    let p = Some((x, x.sin()));
    let xs = [x, x.cos()];
    let mut s = match &o {
        Some(w) if *w > 0.3 => *w * 2.0,
        Some(w) => w * w,
        None => x,
    };
    s += match o {
        Some(ref w) if *w > 0.3 => *w * 3.0,
        Some(w) => w,
        None => x.exp(),
    };
    s += match (v.first(), v.last()) {
        (Some(w), Some(&t)) if *w > t => *w * x,
        (Some(w), _) => w * w,
        _ => 0.0,
    };
    s += match v.iter().max_by(|a, b| a.total_cmp(b)) {
        Some(w) if *w > 0.9 => *w * 2.0,
        Some(w) => w * w,
        None => 0.0,
    };
    s += match &p {
        Some((t, w)) if *w > *t => *w * 2.0,
        Some((_, w)) => w * w,
        None => 0.0,
    };
    match xs.first() {
        Some(w) if *w > 0.7 => s * *w,
        Some(w) => s + w,
        None => s,
    }
}

#[grad]
fn asks(x: f64, v: &[f64]) -> f64 {
    let o = if x > 0.0 { Some(x * x) } else { None };
    let (n, word) = (3, "abc");
    let mut s = if matches!(v.len(), 1..=3) {
        v[0] * x
    } else {
        x
    };
    if matches!(o, Some(w) if w > 0.3) {
        s += x * 2.0;
    }
    if !matches!(n, 0 | 5) && matches!(word.chars().next(), Some('a')) {
        s *= x;
    }
    s
}

#[test]
fn questions_about_patterns() {
    for x in [0.3719, 0.7313, -0.6] {
        check!(asks(value x = x, shared v = vec![]));
        check!(asks(value x = x, shared v = vec![0.9, 0.3]));
    }
}

#[test]
fn guards_on_numbers_in_options() {
    for x in [0.3719, 0.7313, -0.6] {
        check!(guards_on_options(value x = x, shared v = vec![]));
        check!(guards_on_options(value x = x, shared v = vec![0.9, 0.3, 1.7, 0.2]));
        check!(guards_on_options(value x = x, shared v = vec![0.4, 0.8]));
    }
}

#[test]
fn guards_on_numbers_behind_references() {
    for x in [0.3719, 0.7313] {
        check!(guards_on_references(shared x = x, shared v = vec![0.9, 0.3, 0.6, 1.7, 0.2]));
        check!(guards_on_references(shared x = x, shared v = vec![0.4, 1.3]));
    }
}

#[test]
fn guards_with_variables() {
    for (x, y) in [(0.7313, 1.3171), (1.6137, 0.4519), (1.2311, 1.9373)] {
        check!(guards_that_compute(value x = x, value y = y));
    }
}

#[test]
fn matches_on_integers() {
    for mode in [-3, 0, 1, 2, 5, 9, 10] {
        check!(on_integers(value x = 0.7, value y = -0.4, constant mode = mode));
    }
    for k in 0..4 {
        check!(as_statement(value x = 0.7, constant k = k));
    }
}

#[test]
fn guards() {
    for k in 0..6 {
        check!(with_float_guard(value x = 0.7, value y = 0.4, constant k = k));
        check!(with_float_guard(value x = 0.7, value y = 1.4, constant k = k));
    }
}

#[test]
fn matches_on_tuples() {
    for i in 0..4 {
        check!(on_tuples(value x = 0.7, constant i = i, constant flag = true));
        check!(on_tuples(value x = 0.7, constant i = i, constant flag = false));
    }
}

#[test]
fn matches_in_loops() {
    check!(in_a_loop(value x = 0.7, constant steps = &[1, 0, 2, 1, 3, 0, 1]));
    check!(in_a_loop(value x = 0.7, constant steps = &[]));
}
