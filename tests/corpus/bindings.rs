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

#[test]
fn patterns() {
    check!(nested_pattern(value x = 0.7, value y = -0.4));
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
}

#[test]
fn blocks() {
    check!(blocks_as_operands(value x = 0.7, value y = 1.2));
}
