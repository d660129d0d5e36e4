//! Conditionals of many arms, which remember much, little or nothing, of the same types and of others.

use autodiff::grad;

#[grad(order = 2)]
fn shifted(x: f64, by: f64) -> f64 {
    (x + by).sin() * x
}

/// Nothing is remembered but which arm it was.
#[grad(order = 2)]
fn remembering_nothing(x: f64, y: f64, k: usize) -> f64 {
    match k {
        0 => x,
        1 => x + y,
        2 => x * y,
        3 => y * y,
        4 => 2.0,
        _ => x - y,
    }
}

/// Arms that remember the same, in a loop and nested.
#[grad(order = 2)]
fn remembering_alike(x: f64, y: f64, ks: &[usize]) -> f64 {
    let mut s = x;
    for i in 0..ks.len() {
        let k = ks[i];
        s = match k % 7 {
            0 => s.sin() * x,
            1 => (s * y).cos(),
            2 => s + x,
            3 => match k % 3 {
                0 => (s * 0.3).sin(),
                1 => (s * y * 0.2).sin(),
                _ => s * y,
            },
            4 => match k % 2 {
                0 => (s * 0.7).cos(),
                1 => (s * x * 0.4).cos(),
                _ => s * s,
            },
            5 => {
                let t = (s * x).sin();
                t * t.exp() * y
            }
            _ => {
                let t = (s * y).sin();
                t * (t * x).exp()
            }
        };
    }
    s
}

/// Arms that remember what calls leave, vectors, whole loops, truth values and counts.
#[grad(order = 2)]
fn remembering_all_kinds(x: f64, y: f64, ks: &[usize]) -> f64 {
    let mut s = y;
    for i in 0..ks.len() {
        match ks[i] {
            0 => s = shifted(s, x),
            1 => s = shifted(x, s) * s.sin(),
            2 => {
                let v = vec![s, x, s * x];
                s = v[0] * v[1] + v[2].sin();
            }
            3 => {
                let mut v = vec![x; 3];
                v[i % 3] = s * s;
                s = v[0] * v[1] + v[2];
            }
            4 => {
                for j in 0..3 {
                    s = (s * x + j as f64).sin();
                }
            }
            5 => {
                let mut n = 0;
                while s < 0.9 && n < 3 {
                    s = s * 1.3 + x * x;
                    n += 1;
                }
            }
            6 if s > 0.5 => s = if s * x > 0.2 { s.sin() } else { s.cos() },
            6 => s = s.exp() * 0.3,
            7 => s *= 0.5,
            8 => s = (s * x).sin() + ks[(i + 1) % ks.len()] as f64 * s * s,
            9 => {
                let (a, b) = (s.sin(), [s.cos(), x]);
                s = a * b[0] * b[1];
            }
            _ => {}
        }
    }
    s
}

#[grad(order = 2)]
fn by_name(x: f64, y: f64, name: &str) -> f64 {
    let z = match name {
        "sum" => x + y,
        "product" => x * y,
        "sine" => (x * y).sin(),
        "wave" => (x + y).sin() * x,
        "early" => return x.exp() * y,
        name if name.len() > 6 => (x * name.len() as f64).cos(),
        _ => 0.0,
    };
    z * z
}

/// Each arm changes one of many variables, or uses one of many.
#[grad(order = 2)]
fn one_of_many(x: f64, y: f64, k: usize) -> f64 {
    let (a, b, c, d, e) = (x.sin(), x.cos(), y.sin(), y.cos(), x * y);
    let (f, g, h, i, j) = (x + y, x - y, x * x, y * y, 1.5);
    let (mut p, mut q, mut r, mut s, mut t) = (x, y, x * y, 2.0, x);
    match k {
        0 => p = a * b,
        1 => q = b * c,
        2 => r = c * d,
        3 => s = d * e,
        4 => t = e * f,
        5 => p = f * g,
        6 => q = g * h,
        7 => r = h * i,
        8 => s = i * j,
        9 => t = j * a,
        10 => (p, q) = (q, p),
        _ => {}
    }
    let z = match k {
        0 => a,
        1 => b * b,
        2 => c,
        3 => d * d,
        4 => e,
        5 => f * f,
        6 => g,
        7 => h * h,
        8 => i,
        9 => j * j,
        _ => x * x,
    };
    (p * q + r) * s * t + z * z
}

macro_rules! of_many {
    ($($k:literal)*) => {
        /// More alternatives than one part of their type has.
        #[grad(order = 2)]
        fn remembering_unlike(x: f64, y: f64, ks: &[usize]) -> f64 {
            let mut s = x;
            for k in ks {
                s = match *k {
                    $($k => shifted(s * 0.3, y + $k as f64 * 0.1),)*
                    90 => break,
                    91 => return s * y,
                    92 => {
                        s += y * y;
                        continue;
                    }
                    _ => s * y,
                };
            }
            s
        }

        #[grad(order = 2)]
        fn unlike_at_once(x: f64, y: f64, k: usize) -> f64 {
            let mut a = x;
            match k {
                $($k => a = shifted(a, y * 0.1 + $k as f64),)*
                _ => {}
            }
            a * y
        }
    };
}

of_many!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34);

#[test]
fn which_arm_it_was() {
    for k in 0..7 {
        check!(remembering_nothing(value x = 0.7, value y = -0.4, constant k = k));
        check_second!(remembering_nothing(value x = 0.7, value y = -0.4, constant k = k));
    }
}

#[test]
fn arms_that_remember_alike() {
    for ks in [
        &[][..],
        &[0, 1, 2, 3, 4, 5, 6],
        &[24, 31, 17, 11, 18, 10, 3, 13, 12, 6],
    ] {
        check!(remembering_alike(value x = 0.7, value y = -0.4, constant ks = ks));
        check_second!(remembering_alike(value x = 0.7, value y = -0.4, constant ks = ks));
    }
}

#[test]
fn arms_that_remember_all_kinds() {
    for ks in [
        &[][..],
        &[0, 1, 2, 3, 4, 5, 6],
        &[7, 6, 8, 9, 10, 3, 1, 0, 5, 6, 2],
    ] {
        check!(remembering_all_kinds(value x = 0.7, value y = 0.4, constant ks = ks));
        check_second!(remembering_all_kinds(value x = 0.7, value y = 0.4, constant ks = ks));
    }
}

#[test]
fn arms_by_name() {
    for name in [
        "sum",
        "product",
        "sine",
        "wave",
        "early",
        "something",
        "else",
    ] {
        check!(by_name(value x = 0.7, value y = 0.4, constant name = name));
        check_second!(by_name(value x = 0.7, value y = 0.4, constant name = name));
    }
}

#[test]
fn arms_among_many_variables() {
    for k in 0..12 {
        check!(one_of_many(value x = 0.7, value y = 0.4, constant k = k));
        check_second!(one_of_many(value x = 0.7, value y = 0.4, constant k = k));
    }
}

#[test]
fn arms_that_remember_unlike() {
    for ks in [
        &[][..],
        &[0, 15, 16, 17, 92, 31, 32],
        &[33, 34, 40, 90, 3],
        &[34, 7, 91, 2],
    ] {
        check!(remembering_unlike(value x = 0.7, value y = 0.4, constant ks = ks));
        check_second!(remembering_unlike(value x = 0.7, value y = 0.4, constant ks = ks));
    }
    for k in [0, 15, 16, 31, 32, 34, 35] {
        check!(unlike_at_once(value x = 0.7, value y = 0.4, constant k = k));
        check_second!(unlike_at_once(value x = 0.7, value y = 0.4, constant k = k));
    }
}
