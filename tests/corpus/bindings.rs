//! `let`: patterns, shadowing, mutation, blocks as expressions.

use autodiff::grad;

#[grad]
fn nested_pattern(x: f64, y: f64) -> f64 {
    let (a, (b, c)) = (x * y, (x + y, x - y));
    let (_, d) = (a * a, b * c);
    let _ = x.exp();
    a + d * b
}

#[grad]
fn shadowed(x: f64) -> f64 {
    let x = x * x;
    let y = x + 1.0;
    let x = y * x;
    let x = x.sin() + x;
    x * y
}

#[grad]
fn shadowed_in_a_block(x: f64, y: f64) -> f64 {
    let t = x * y;
    let u = {
        let t = t * t + x;
        let x = t.cos();
        t * x
    };
    u * t + x
}

#[grad]
fn reassigned(x: f64, y: f64) -> f64 {
    let mut a = x;
    let before = a * a;
    a = y * a;
    let middle = a * before;
    a = 3.0;
    a = a * x + middle;
    a * before
}

#[grad]
fn assigned_later(x: f64, y: f64) -> f64 {
    let a;
    if x > y {
        a = x * x;
    } else {
        a = y * x;
    }
    a * y
}

/// Lists that each round makes anew, and that are declared before the loop.
#[grad]
fn declared_before_a_loop(a: &[f64], rounds: usize) -> f64 {
    let mut before: Vec<f64>;
    let mut halves;
    let mut change = 0.0;
    let mut v = a.to_vec();
    for k in 0..rounds {
        before = v.clone();
        if k == 2 {
            continue;
        }
        halves = before.iter().map(|x| x * 0.5).collect::<Vec<f64>>();
        for (v, half) in v.iter_mut().zip(&halves) {
            *v = *half * *v + 0.3;
        }
        halves[0] += before[1];
        change += (before[0] - v[0]) * halves[0];
    }
    change + v[1]
}

/// Names of variables that begin with a capital.
#[allow(non_snake_case)]
#[grad]
fn in_capitals(xs: &[f64], y: f64) -> f64 {
    let Some(X) = xs.first() else { return y };
    let K = X * y;
    let S = if let Some(Last) = xs.last() {
        Last * K
    } else {
        K
    };
    match xs.get(1) {
        Some(P) if y > 0.0 => P * S,
        Some(P) => P + S,
        None => S,
    }
}

#[grad]
fn blocks_as_operands(x: f64, y: f64) -> f64 {
    let r = {
        let t = x * y;
        let u = {
            let t = t + 1.0;
            t * t
        };
        u - t
    } * {
        let z = y.exp();
        z + x
    };
    r + { x * r }.cos()
}

#[grad]
fn several_assigned_later(x: f64, y: f64) -> f64 {
    let (a, b);
    let (c, d): (f64, (f64, f64));
    a = x * y;
    if a > 1.0 {
        b = x;
        (c, d) = (a.sin(), (y, 0.5));
    } else {
        b = y * y;
        c = 0.3;
        d = (a, 2.0 * x);
    }
    a * b + c.exp() * d.0 * d.1
}

#[grad]
fn mutable_parameter(mut x: f64, mut y: f64) -> f64 {
    x *= y;
    y += x * x;
    x -= y;
    x * y
}

#[grad]
fn names_swapped_in_a_pattern(x: f64, y: f64) -> f64 {
    let (x, y) = (y, x);
    let (x, y) = (x * y, x + y * y);
    x - y
}

#[grad]
fn bound_in_both_orders(x: f64, n: usize) -> f64 {
    let mut z = x;
    for _ in 0..n {
        let (u, v) = (z * x, z.cos());
        let (v, u) = (u * v, u + 0.3 * v * v);
        z = u.sin() * v;
    }
    z
}

#[grad]
fn lists_assigned_later(x: &[f64]) -> f64 {
    let v: Vec<f64>;
    let mut w: Vec<f64>;
    let mut b: [f64; 2];
    let order;
    let n;
    let z = x[4] * 2.0;
    v = x.to_vec();
    if x[0] > 0.0 {
        n = 2;
        w = x[..3].iter().map(|v| v * v).collect();
        b = [x[1], 1.0];
        order = vec![1, 0];
    } else {
        w = x.to_vec();
        w[0] *= z;
        b = [z; 2];
        b[0] *= w[0];
        let q = b[0] + w[1];
        b[1] = q;
        n = 1;
        order = vec![0, 1];
    }
    b[1] *= w[0];
    w.push(z);
    b[order[0]] * b[order[1]] * x[order[0]] * w[n] + v[1] * v[0]
}

#[grad]
fn lists_assigned_in_arms(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let v: Vec<f64>;
        match i {
            4.. => break,
            0 => v = vec![x[0] * x[0]],
            1 if x[1] > 0.0 => v = x.iter().map(|a| a * s).collect(),
            _ => {
                let q = x[i] * 2.0;
                if x[i] > 0.5 {
                    v = vec![q];
                    assert!(v.len() == 1, "{v:?}");
                } else if let Some(first) = x.first() {
                    let both = *first * q;
                    v = vec![both, q];
                } else {
                    continue;
                }
            }
        }
        let m: [[f64; 2]; 2];
        {
            let h = v[0] * x[3];
            m = [[h, h * h], [x[1]; 2]];
        }
        s += v[0] * m[0][1] + m[1][0];
    }
    s
}

#[grad]
fn references_assigned_later(x: &[f64]) -> f64 {
    let part: &[f64];
    let mut a = [x[0] * x[1], x[2], x[3]];
    if x[0] > 1.0 {
        part = &x[1..3];
    } else {
        part = &x[2..];
    }
    let changed: &mut f64;
    match x.len() {
        5 if x[1] > 0.0 => changed = &mut a[0],
        _ => changed = &mut a[1],
    }
    *changed *= x[4];
    part[0] * part[1] + a[0] * a[1]
}

#[test]
fn memory_that_is_assigned_later() {
    for x in [
        [1.3, 0.7, -0.4, 1.1, 0.6],
        [-0.9, -1.2, -0.3, 0.5, 0.8],
        [0.45, 1.9, 1.2, -0.7, -1.6],
    ] {
        check!(lists_assigned_later(shared x = x));
        check!(lists_assigned_in_arms(shared x = x));
        check!(references_assigned_later(shared x = x));
    }
}

#[test]
fn patterns() {
    check!(nested_pattern(value x = 0.7, value y = -0.4));
    check!(in_capitals(shared xs = [0.7, -0.4, 1.3], value y = 0.6));
    check!(in_capitals(shared xs = [0.7, -0.4, 1.3], value y = -0.6));
    check!(names_swapped_in_a_pattern(value x = 0.7, value y = -0.4));
    check!(bound_in_both_orders(value x = 0.7, constant n = 4));
    check!(bound_in_both_orders(value x = 0.7, constant n = 0));
}

#[test]
fn shadowing() {
    check!(shadowed(value x = 0.7));
    check!(shadowed_in_a_block(value x = 0.7, value y = 1.2));
}

#[test]
fn mutation() {
    check!(reassigned(value x = 0.7, value y = 1.2));
    check!(assigned_later(value x = 0.7, value y = 1.2));
    check!(assigned_later(value x = 1.7, value y = 1.2));
    check!(several_assigned_later(value x = 0.7, value y = 1.2));
    check!(several_assigned_later(value x = 1.7, value y = 1.2));
    check!(mutable_parameter(value x = 0.7, value y = 1.2));
    for rounds in [0, 1, 5] {
        check!(declared_before_a_loop(shared a = [0.7, -0.4], constant rounds = rounds));
    }
}

#[test]
fn blocks() {
    check!(blocks_as_operands(value x = 0.7, value y = 1.2));
}
