//! Exits: `while`, `loop`, `break` and `continue` with labels and values, early `return`, `if let`, `let else`, `?`.

use autodiff::grad;

programs! {
    [(0.7, 1.3), (2.15, 0.4), (-0.3, 0.9), (1.5, -1.1)];

    fn newton(x: f64, y: f64) -> f64 {
        let a = x * x + y * y;
        let mut t = a;
        let mut it = 0;
        while (t * t - a).abs() > 1e-12 * a && it < 100 {
            t = 0.5 * (t + a / t);
            it += 1;
        }
        t
    }

    fn polish(x: f64, y: f64) -> f64 {
        let a = x * x + 1.0;
        let b = y;
        let mut t = 0.5;
        loop {
            let d = (t * t * t + a * t - b) / (3.0 * t * t + a);
            t -= d;
            if d.abs() < 1e-12 {
                break;
            }
        }
        t
    }

    fn breakval(x: f64, y: f64) -> f64 {
        let mut v = x;
        let mut n = 0usize;
        let total = loop {
            v = v * 1.3 + 0.1 * y;
            n += 1;
            if v > 10.0 {
                break v * n as f64;
            }
            if n == 20 {
                break 1.0 / v;
            }
        };
        total.sin() * y
    }

    fn early(x: f64, y: f64) -> f64 {
        if x < 0.0 {
            return x * y;
        }
        let d = x - y;
        if d > 1.0 {
            return d * d;
        }
        d.sin() + x
    }

    fn returned_call(x: f64, y: f64) -> f64 {
        let a = early(x, y);
        if y == 0.4 {
            return a;
        }
        let b = if a > 0.0 { early(y, a) } else { breakval(x, y) };
        match y > 1.0 {
            true => b,
            false if x > 1.0 => return a,
            false => a / y.cos() + b,
        }
    }

    fn nested_return(x: f64, y: f64) -> f64 {
        let mut acc = 0.0;
        for i in 0..6 {
            for j in 0..4 {
                acc += (x * i as f64).sin() * y * j as f64;
                if acc > 2.0 {
                    return acc * x;
                }
                if j > i {
                    break;
                }
            }
            acc = acc * 0.9 + y * y;
        }
        acc * acc
    }

    fn cont(x: f64, y: f64) -> f64 {
        let xs = [x, -1.0, y, 0.3, x * y];
        let mut acc = 0.0;
        for i in 0..xs.len() {
            if xs[i] < 0.0 {
                continue;
            }
            acc += xs[i].ln() * (i + 1) as f64;
            let mut k = 0;
            while k < 5 {
                k += 1;
                if k % 2 == 0 {
                    continue;
                }
                acc += xs[i].powi(k) / k as f64;
                if acc > 50.0 {
                    return acc * 0.5;
                }
            }
        }
        acc
    }

    fn labelled(x: f64, y: f64) -> f64 {
        let mut s = x;
        let mut c = 0;
        'outer: for i in 0..5 {
            let mut t = y;
            for j in 0..5 {
                if (i + j) % 4 == 3 {
                    continue 'outer;
                }
                t = t * 0.7 + s.sin();
                if t > 3.0 {
                    break 'outer;
                }
                s += t * 0.1;
            }
            s *= 1.1;
            c += 1;
        }
        s * (c as f64 + 1.0)
    }

    fn labelled_block(x: f64, y: f64) -> f64 {
        let r = 'b: {
            let u = x * y;
            if u > 0.5 {
                break 'b u * u;
            }
            let w = u + 1.0;
            if w > 1.2 {
                break 'b w.sin();
            }
            w * x
        };
        r * y + x
    }

    fn two_fall(x: f64, y: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..8 {
            let v = x * i as f64 - y;
            if i % 2 == 0 {
                if v > 4.0 {
                    break;
                }
                s += v * v;
            } else {
                if v < 0.0 {
                    continue;
                }
                s -= v.sin();
            }
            s = s * 0.8 + x;
        }
        s
    }

    fn let_if(x: f64, y: f64) -> f64 {
        let mut s = x;
        for i in 0..5 {
            let w = if i == 2 {
                if s > 10.0 {
                    return s;
                }
                s * 2.0
            } else if i == 3 {
                continue;
            } else {
                s + y
            };
            s = w * 0.5 + x.sin();
        }
        s
    }

    fn opt(x: f64, y: f64) -> f64 {
        let o = if x > 1.0 {
            Some(x * y)
        } else if y > 1.0 {
            Some(y.sin() * x)
        } else {
            None
        };
        let a = if let Some(v) = o { v * v } else { x.cos() };
        let b = match o {
            Some(v) if v > 1.0 => v * a,
            Some(v) => v - a,
            None => a * a,
        };
        let Some(c) = o else { return a * b };
        c * b + a
    }

    fn wh_let(x: f64, y: f64) -> f64 {
        let mut o = Some(x);
        let mut s = 0.0;
        let mut n = 0;
        while let Some(v) = o {
            s += v * v.sin();
            n += 1;
            o = if n < 4 { Some(v * y) } else { None };
        }
        s
    }

    fn midjump(x: f64, y: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..5 {
            let o = if i % 2 == 0 { Some(x * i as f64) } else { None };
            s += y * match o {
                Some(v) => v * v,
                None => continue,
            } + s * 0.1;
        }
        s
    }

    fn array_state(x: f64, y: f64) -> f64 {
        let mut a = [x, y, x * y];
        let mut k = 0;
        loop {
            a[k % 3] = a[(k + 1) % 3] * 0.9 + a[k % 3].sin();
            k += 1;
            if a[0] * a[1] > 3.0 || k > 7 {
                break;
            }
            a[1] += 0.1 * a[2];
        }
        a[0] * a[1] + a[2]
    }

    fn zero_trip(x: f64, y: f64) -> f64 {
        let mut s = x * y;
        while s > 1e9 {
            s *= y;
        }
        for _ in 0..0 {
            if s > 0.0 {
                break;
            }
            s *= 2.0;
        }
        s * x
    }

    fn rev_break(x: f64, y: f64) -> f64 {
        let mut s = x;
        for i in (0..10).rev() {
            if i < 4 {
                break;
            }
            s = s * 0.9 + (i as f64 * y).sin() * s;
        }
        for i in 1..=6i32 {
            s += s * y * 0.1 * i as f64;
            if i == 4 {
                break;
            }
        }
        s
    }

    fn step_break(x: f64, y: f64) -> f64 {
        let mut s = x;
        for i in (0..20).step_by(3) {
            s = s * 0.9 + (i as f64 * y).sin() * s;
            if i > 8 {
                break;
            }
        }
        s
    }

    fn sum_break(x: f64, y: f64) -> f64 {
        let xs = [x, y, x + y, x * y, 3.0];
        let mut s = 0.0;
        for i in 0..5 {
            if xs[i] > 2.5 {
                break;
            }
            s += xs[i] * xs[i].sin();
        }
        s * 2.0
    }

    fn sum_until(x: f64, y: f64) -> f64 {
        let xs = [x, y, x + y, x * y, 3.0];
        let mut s = 0.0;
        for v in xs.iter() {
            s += v * v.sin();
            if s > 1.0 {
                break;
            }
        }
        s * 2.0
    }

    fn slice_patterns(x: f64, y: f64) -> f64 {
        let all = [x, y, x * y, 2.0];
        let mut s = 0.0;
        for n in 0..5 {
            let part = &all[..n.min(4)];
            s += match part {
                [] => 1.0,
                [a] => a * a,
                [a, b] => a * b,
                [first, .., last] if *first > 1.0 => first * last,
                [first, rest @ ..] => first - rest[0].sin(),
            };
        }
        s
    }

    fn endless_with_return(x: f64, y: f64) -> f64 {
        let mut s = x;
        loop {
            s = s * 1.5 + y * y;
            if s > 20.0 {
                return s * x;
            }
            s += 1.0;
        }
    }

    fn options_of_tuples(x: f64, y: f64) -> f64 {
        let mut best = None;
        for i in 0..4 {
            let v = (x * i as f64).sin() * y;
            let better = match best {
                Some((b, _)) => v > b,
                None => true,
            };
            if better {
                best = Some((v, i));
            }
        }
        match best {
            Some((v, i)) => v * i as f64 + x,
            None => y,
        }
    }

    fn chained_lets(x: f64, y: f64) -> f64 {
        let a = if x > 0.0 { Some(x * y) } else { None };
        let b = if y > 0.0 { Some(y.sin()) } else { None };
        if let Some(u) = a
            && let Some(v) = b
            && u > 0.5
        {
            u * v
        } else if let Some(u) = a {
            u - y
        } else {
            x * x
        }
    }

    fn while_chain(x: f64, y: f64) -> f64 {
        let mut o = Some(x + 3.0);
        let mut s = 1.0;
        while let Some(v) = o
            && v > 0.5
        {
            s = s * 0.9 + v * y;
            o = Some(v * 0.6);
        }
        s
    }

    fn logical_jump(x: f64, y: f64) -> f64 {
        let mut s = x;
        for i in 0..5 {
            if i > 1 && {
                if s > 4.0 {
                    break;
                }
                s > 2.0
            } {
                s *= 0.7;
            }
            s += y * y;
        }
        s
    }

    fn state_in_a_tuple(x: f64, y: f64) -> f64 {
        let mut t = (x, y);
        while t.0 < 9.0 {
            t = (t.0 + t.1 * t.1 + 0.5, t.1 * 0.9);
            if t.1 < -5.0 {
                return t.0;
            }
        }
        t.0 * t.1
    }

    fn depth_three(x: f64, y: f64) -> f64 {
        let mut s = 0.1;
        'a: for i in 0..3 {
            'b: for j in 0..3 {
                for k in 0..3 {
                    s += (x * (i + j) as f64 + y * k as f64).sin();
                    if s > 3.0 {
                        break 'a;
                    }
                    if s < -3.0 {
                        return s * s;
                    }
                    if i + j + k == 4 {
                        continue 'b;
                    }
                    if j * k == 4 {
                        continue 'a;
                    }
                    s *= 0.95;
                }
                s += y * 0.1;
            }
            s *= 1.1;
        }
        s * x
    }
}

#[grad]
fn methods_of_options(x: f64, y: f64) -> f64 {
    let a = if x > 0.0 { Some(x * y) } else { None };
    let b = a.map(|v| v * v + x).filter(|v| *v > 0.3);
    let c = b.and_then(|v| if v > 5.0 { None } else { Some(v.sin()) });
    let mut d = c.or(Some(y * 0.5));
    let first = d.take().unwrap_or(x);
    let second = d.unwrap_or_else(|| y * x);
    let third = a.map_or(x.cos(), |v| v / (1.0 + y * y));
    let fourth = if b.is_some_and(|v| v > x) { x } else { y };
    let fifth = b.map(f64::exp).or_else(|| a.map(|v| -v)).unwrap_or(y);
    first * second + third * fourth + fifth
}

#[grad]
fn options_beside_each_other(x: f64, y: f64) -> f64 {
    let a = if x > 0.0 { Some(x * y) } else { None };
    let b = if y > 1.0 { Some(y + x * x) } else { None };
    let both = a.zip(b).map_or(x, |(a, b)| a * b.sin());
    let one = a.xor(b).unwrap_or(y);
    let least = if a.is_none_or(|v| v > 1.0) { x } else { y };
    both * one + least * least
}

#[test]
fn options() {
    for (x, y) in [(0.7, 1.3), (2.1, 1.4), (-0.3, 0.9), (0.2, 0.4)] {
        check!(methods_of_options(value x = x, value y = y));
        check!(options_beside_each_other(value x = x, value y = y));
    }
}

#[grad]
fn root(x: f64) -> Option<f64> {
    if x < 0.0 {
        return None;
    }
    Some(x.sqrt() * x)
}

#[grad]
fn question(x: f64, y: f64) -> Option<f64> {
    let a = root(x)?;
    let b = root(y * a)? + x;
    Some(a * b)
}

#[grad]
fn uses_an_option(x: f64, y: f64) -> f64 {
    match question(x, y) {
        Some(v) => v * v,
        None => x * y,
    }
}

#[grad]
fn options_of_calls(x: f64, y: f64) -> f64 {
    let a = root(x).unwrap_or(y * y);
    let b = question(x, y).map_or(x * y, |z| z * z * x);
    let mut s = 0.0;
    for k in 0..3 {
        s += root(x - k as f64).unwrap_or_else(|| s * y) * a;
        let c = if let Some(z) = question(s, y) {
            z * z
        } else {
            y
        };
        let d = match root(s) {
            Some(z) if z > 1.0 => z,
            Some(z) => z * z * y,
            None => x,
        };
        let Some(e) = question(y, s) else {
            s *= c;
            continue;
        };
        s += c * d * e;
        let o = root(s);
        s *= o.unwrap_or(x).sin();
    }
    s + b
}

/// Only the values it is left with early have a derivative.
#[grad]
fn constant_at_the_end(x: f64, n: usize) -> f64 {
    let p = 'known: {
        if n > 2 {
            break 'known x * x;
        }
        if n > 1 {
            break 'known 2.0;
        }
        0.5
    };
    let scale = |y: f64| y * p;
    let v = vec![p, p.sin()];
    scale(p) + v.iter().map(|z| z * z).sum::<f64>()
}

#[grad]
fn option_parameter(x: f64, y: Option<f64>) -> f64 {
    let base = if let Some(v) = y {
        x * v.exp()
    } else {
        x.cos()
    };
    base * match y {
        Some(v) if v > 0.0 => v * base,
        Some(v) => v - base,
        None => base,
    }
}

#[test]
fn options_across_calls() {
    for (x, y) in [(0.7, 1.3), (-0.7, 1.3), (1.2, -0.4)] {
        check!(options_of_calls(value x = x, value y = y));
        check!(uses_an_option(value x = x, value y = y));
    }
    assert_eq!(question::vjp(-1.0, 2.0, None::<f64>), (None, (0.0, 0.0)));
    let (value, gradient) = question::vjp(1.5, 2.0, Some(1.0));
    let direct = |x: f64, y: f64| {
        let a = x.sqrt() * x;
        a * ((y * a).sqrt() * (y * a) + x)
    };
    let h = 1e-6;
    assert_eq!(value, Some(direct(1.5, 2.0)));
    assert!((gradient.0 - (direct(1.5 + h, 2.0) - direct(1.5 - h, 2.0)) / (2.0 * h)).abs() < 1e-6);
    assert!((gradient.1 - (direct(1.5, 2.0 + h) - direct(1.5, 2.0 - h)) / (2.0 * h)).abs() < 1e-6);
}

#[test]
fn blocks_left_with_values() {
    for n in 1..4 {
        check!(constant_at_the_end(value x = 0.7, constant n = n));
    }
}

#[test]
fn option_parameters() {
    let some = |x: f64, v: f64| {
        x * v.exp()
            * if v > 0.0 {
                v * x * v.exp()
            } else {
                v - x * v.exp()
            }
    };
    let h = 1e-6;
    for (x, v) in [(0.7, 0.4), (1.2, -0.3)] {
        let (dx, dv) = option_parameter::grad(x, Some(v));
        assert!((dx - (some(x + h, v) - some(x - h, v)) / (2.0 * h)).abs() < 1e-6);
        let dv = dv.expect("the parameter was there");
        assert!((dv - (some(x, v + h) - some(x, v - h)) / (2.0 * h)).abs() < 1e-6);
        let (_, tangent) = option_parameter::jvp(x, Some(v), (0.0, Some(1.0)));
        assert!((tangent - dv).abs() < 1e-12);
    }
    let (dx, dv) = option_parameter::grad(0.3, None);
    assert!((dx + 2.0 * 0.3_f64.cos() * 0.3_f64.sin()).abs() < 1e-12);
    assert_eq!(dv, None);
}

#[grad]
fn vectors(xs: &[f64], limit: f64) -> Vec<f64> {
    let mut out = vec![0.0; xs.len()];
    let mut k = 0;
    while k < xs.len() {
        if xs[k] > limit {
            return vec![xs[k] * limit; 2];
        }
        out[k] = xs[k] * xs[k];
        k += 1;
    }
    out
}

#[test]
fn a_vector_leaves_a_loop() {
    check_vector!(vectors(shared xs = [0.5, 0.7, 1.2], value limit = 3.0));
    check_vector!(vectors(shared xs = [0.5, 4.0, 1.2], value limit = 3.0));
    check_vector!(vectors(shared xs = [0.0; 0], value limit = 3.0));
}

#[grad]
fn step(u: &mut [f64], dt: f64) -> f64 {
    let mut n = 0;
    for k in 0..u.len() {
        if u[k] < 0.0 {
            continue;
        }
        u[k] += dt * u[k] * u[k];
        n += 1;
        if u[k] > 9.0 {
            return u[k];
        }
        if n == 2 {
            break;
        }
    }
    u[0] * n as f64
}

#[grad]
fn steps(a: f64, b: f64) -> f64 {
    let mut u = [a, -1.0, b, a * b];
    let mut total = 0.0;
    let mut rounds = 0;
    while rounds < 6 {
        total += step(&mut u, 0.1 * b);
        if total > 40.0 {
            return total * u[2];
        }
        rounds += 1;
    }
    total + u[3]
}

#[test]
fn calls_that_change_memory() {
    for (a, b) in [(0.6, 1.2), (1.9, 2.1), (-0.4, 0.8)] {
        check!(steps(value a = a, value b = b));
    }
}

/// Nothing in the loops depends on `x`: they stand in the derivative as they were written.
#[grad]
fn constant_loops(x: f64, limits: &[usize]) -> f64 {
    let mut n = 0;
    'outer: loop {
        n += 1;
        let mut left: Option<usize> = Some(2);
        while let Some(k) = left {
            if k * n == 6 {
                break 'outer;
            }
            left = if k < 4 { Some(k + 1) } else { None };
        }
        for &limit in limits {
            if n > limit {
                return 0.25;
            }
        }
    }
    x * x * n as f64
}

#[test]
fn loops_without_active_values() {
    for limit in [5, 1, 0] {
        check!(constant_loops(value x = 0.7, constant limits = &[9, limit]));
    }
}

#[grad]
fn until_large(x: &[f64], out: &mut f64) {
    for t in x.iter().filter(|t| **t > 0.0) {
        if *t > 2.0 {
            return;
        }
        *out += t * t;
    }
    *out *= 2.0;
}

#[grad]
fn small(x: f64) -> Option<f64> {
    if x > 2.0 { None } else { Some(x) }
}

#[grad]
fn all_small(x: &[f64]) -> Option<f64> {
    let mut s = 0.0;
    for t in x.iter().filter(|t| **t > 0.0) {
        s += t * small(*t)?;
    }
    Some(s)
}

/// The function is left from loops over chains, whose closures return for themselves.
#[grad]
fn left_from_chains(x: f64) -> f64 {
    let v = [x, x * x, 3.0, 0.5];
    let mut s = x;
    until_large(&[x, 3.0, x * 2.0, 1.0], &mut s);
    s += all_small(&[x, 3.0]).unwrap_or(x * x) + all_small(&[x, 1.0]).unwrap_or(x);
    let k = v
        .iter()
        .map(|t| {
            if *t > 1.0 {
                return 1.0;
            }
            t * x
        })
        .sum::<f64>();
    for (a, b) in v.iter().zip(v.iter().skip(1)).map(|(a, b)| (a * b, a + b)) {
        if a > 1.1 {
            continue;
        }
        s += a;
        for c in [1.0, 2.0].iter().map(|t| t * b) {
            s += c;
            if s > 21.3 {
                return s * x;
            }
            if c > 9.3 {
                break;
            }
        }
    }
    for (w, i) in v.windows(2).zip(0..) {
        if i > 1 {
            return w[0] * w[1] * s * k;
        }
    }
    s
}

#[test]
fn functions_are_left_from_loops_over_chains() {
    for x in [0.83, -0.71, 1.35] {
        check!(left_from_chains(value x = x));
    }
}

#[grad]
fn taken(a: f64, b: f64) -> f64 {
    a * a * 10.0 + b
}

#[grad]
fn grown(s: &mut f64, by: f64) -> Option<f64> {
    *s *= by;
    (*s < 1e6).then_some(*s + by)
}

/// What stands in front of a jump is evaluated before it.
#[grad]
fn in_front_of_jumps(x: f64, y: f64) -> f64 {
    let mut s = x;
    s = s + {
        s *= y;
        if s > 1e3 {
            return y;
        }
        s
    };
    for k in 0..3 {
        s = s * {
            s += y;
            if s > 50.0 {
                break;
            }
            s
        } + taken(s, {
            s *= 0.5;
            if k == 1 {
                continue;
            }
            s
        });
    }
    let mut u = [s, y];
    let all = [
        u[0],
        {
            u[0] *= y;
            if u[0] > 1e9 {
                return x;
            }
            u[0]
        },
        u[0],
    ];
    let Some(v) = Some(
        s * match grown(&mut s, y) {
            Some(v) => v,
            None => return s,
        },
    ) else {
        return x;
    };
    let mut n = 0;
    let picked = all[n]
        * all[{
            n += 1;
            if y > 1e6 {
                return x;
            }
            n
        }];
    all[0] * 0.3 + all[1] * 0.2 + all[2] * 0.1 + v * 0.01 + picked * 0.001
}

#[test]
fn operands_are_evaluated_before_jumps_behind_them() {
    for (x, y) in [(0.7, 1.3), (0.35, 0.9), (1.5, 1.1)] {
        check!(in_front_of_jumps(value x = x, value y = y));
    }
}
