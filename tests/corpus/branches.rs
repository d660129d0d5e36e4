//! `if` and `else if`, as statements and as expressions.

use autodiff::grad;

use crate::check::near;

#[grad]
fn expression(x: f64, y: f64) -> f64 {
    let hi = if x > y { x * x } else { y };
    let sign = if hi > 1.0 {
        2.0
    } else if hi > 0.0 {
        y
    } else {
        -x
    };
    hi * sign
}

#[grad]
fn statement(x: f64, y: f64) -> f64 {
    let mut r = x * y;
    if x > 0.0 {
        r += x.powi(3);
        if y > 1.0 {
            r *= y;
        } else {
            r -= y * y;
        }
    } else if x < -2.0 && y < 0.0 || y > 10.0 {
        r = r / (1.0 + x * x);
    } else {
        r = y.sin() + r;
    }
    r * r
}

#[grad]
fn overwritten_in_one_branch(x: f64, y: f64) -> f64 {
    let mut a = [x, y];
    let product = a[0] * a[1];
    if x > 0.5 {
        a[0] = product * y;
    }
    a[0] * a[0] + product
}

#[grad]
fn branch_in_a_loop(x: f64, n: usize) -> f64 {
    let mut y = x;
    for i in 0..n {
        if y > 0.5 {
            y = y * y;
        } else if i % 2 == 0 {
            y += 0.7 * x;
        } else {
            y = y.cos();
        }
    }
    y
}

#[grad]
fn guarded_logarithm(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { 0.0 }
}

#[grad]
fn flags(x: f64, up: bool) -> f64 {
    let big = x > 1.0;
    let r = if up == big { x } else { -x * x };
    if !up || big && x < 9.0 { r * 3.0 } else { r }
}

#[grad]
fn piecewise(x: f64) -> f64 {
    let y = if x < 0.0 { -x } else { x };
    let z = if y >= 1.0 { 1.0 } else { y };
    y * z
}

#[grad]
fn without_else(x: f64, y: f64) -> f64 {
    let mut best = x;
    if y * y > best {
        best = y * y;
    }
    if best > 100.0 {
        best = 0.0;
    }
    best * x
}

#[test]
fn branches() {
    for (x, y) in [
        (0.7, 0.4),
        (0.7, 1.4),
        (-0.7, 0.4),
        (-2.5, -0.4),
        (-0.3, -0.9),
        (2.0, 11.0),
    ] {
        check!(expression(value x = x, value y = y));
        check!(statement(value x = x, value y = y));
        check!(overwritten_in_one_branch(value x = x, value y = y));
        check!(without_else(value x = x, value y = y));
    }
}

#[test]
fn branches_in_loops() {
    for x in [-0.8, 0.1, 0.45, 0.9] {
        check!(branch_in_a_loop(value x = x, constant n = 6));
        check!(piecewise(value x = 1.7 * x));
    }
}

#[test]
fn conditions_of_flags() {
    for x in [0.4, 2.0, 11.0] {
        check!(flags(value x = x, constant up = true));
        check!(flags(value x = x, constant up = false));
    }
}

#[test]
fn the_untaken_branch_is_silent() {
    near(&guarded_logarithm::grad(-1.0), &0.0, 0.0);
    near(&guarded_logarithm::jvp(0.0, 1.0).1, &0.0, 0.0);
    near(&guarded_logarithm::grad(4.0), &0.25, 0.0);
}

/// What comes of a call that only rustc knows the type of, beside a literal.
#[grad]
fn tripled(x: f64) -> f64 {
    3.0 * x * x
}

#[grad]
fn above_a_literal(x: f64, y: f64) -> f64 {
    let lit = if x > 0.5 {
        f64::max(0.0, tripled(x) * tripled(y) - y)
    } else {
        0.0
    };
    lit * x
        + if y > 1.0 {
            f64::min(2.5, tripled(x))
        } else {
            y
        }
}

#[test]
fn literals_in_front_of_what_is_chosen() {
    for (x, y) in [(0.7, 1.3), (0.6, 0.2), (0.3, 1.4), (1.7, 1.1)] {
        check!(above_a_literal(value x = x, value y = y));
    }
}
