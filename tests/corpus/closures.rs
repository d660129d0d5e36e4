//! Local closures.

use autodiff::grad;

use crate::check::near;

#[grad]
fn captures(x: f64, y: f64) -> f64 {
    let g = |t: f64| t * x + y.sin();
    let h = |a: f64, b: f64| -> f64 {
        let c = g(a) - b;
        c * c
    };
    g(2.0) * h(y, x) + g(g(x))
}

#[grad]
fn updates_an_active_variable(a: f64, w: f64) -> f64 {
    let mut hist = 0.0;
    let mut log = |v: f64, k: f64| hist = hist * 0.5 + v * k;
    log(a * w, 2.0);
    for i in 0..3 {
        log(w, a * i as f64);
        if i == 1 {
            log(a, a);
        }
    }
    hist * hist
}

#[grad]
fn owns_what_it_moves(a: f64) -> f64 {
    let mut c = a;
    let mut f = move |t: f64| {
        c = c * t;
        c
    };
    let u = f(a) + f(2.0);
    c += 1.0;
    u * c * f(3.0)
}

#[grad]
fn owns_an_array(a: f64) -> f64 {
    let mut buffer = [a, 2.0 * a, 1.0];
    let mut rotate = move |t: f64| {
        let last = buffer[2];
        for k in (1..3).rev() {
            buffer[k] = buffer[k - 1] * t;
        }
        buffer[0] = last;
        buffer[0] * buffer[1] + buffer[2]
    };
    let u = rotate(a);
    buffer[1] = 7.0 * a;
    u * rotate(1.5) + buffer[1] * buffer[0]
}

#[grad]
fn takes_slices_and_patterns(xs: &[f64], p: (f64, f64)) -> f64 {
    let dot = |a: &[f64], b: &[f64]| {
        let mut s = 0.0;
        for i in 0..a.len() {
            s += a[i] * b[i];
        }
        s
    };
    let turn = |(u, v): (f64, f64), [c, s]: [f64; 2]| (u * c - v * s, u * s + v * c);
    let (u, v) = turn(p, [xs[0], xs[1]]);
    let (u, v) = turn((v, u), [xs[2], 0.5]);
    dot(xs, xs) * u + dot(&xs[1..], &xs[..2]) * v
}

#[grad]
fn writes_through_an_argument(x: f64) -> f64 {
    let mut a = [x, 1.0, 2.0 * x];
    let scale = |v: &mut [f64], k: f64| {
        for i in 0..v.len() {
            v[i] *= k;
        }
    };
    scale(&mut a, x);
    scale(&mut a[1..], 3.0);
    a[0] * a[1] + a[2]
}

#[grad]
fn is_called_on_the_spot(x: f64) -> f64 {
    let y = (|t: f64| t * t * x)(x + 1.0);
    let table = |i: usize| [1.5, 2.5, 3.5][i];
    let pick = |i| y * table(i);
    pick(0) + pick(2) * x
}

#[grad]
fn shadows(x: f64) -> f64 {
    let t = x * 3.0;
    let f = |x: f64| {
        let t = t + x;
        let x = t * x;
        x * x
    };
    let x = f(t) + f(x);
    f(x * 0.01) * t
}

#[grad]
fn stands_in_prints_and_conditions(x: f64) -> f64 {
    let f = |t: f64| t * x;
    assert!(f(1.0) < 100.0, "{} is too large", f(2.0));
    let g = &f;
    if g(2.0) > 1.0 && f(x) > 0.2 {
        g(x)
    } else {
        f(0.5) * f(x)
    }
}

#[test]
fn closures() {
    check!(captures(value x = 0.7, value y = 1.3));
    check!(updates_an_active_variable(value a = 0.7, value w = 1.3));
    check!(owns_what_it_moves(value a = 0.7));
    check!(owns_an_array(value a = 0.7));
    check!(takes_slices_and_patterns(shared xs = [0.7, -0.4, 1.2], value p = (0.3, 0.9)));
    check!(writes_through_an_argument(value x = 0.7));
    check!(is_called_on_the_spot(value x = 0.7));
    check!(shadows(value x = 0.7));
    check!(stands_in_prints_and_conditions(value x = 0.7));
    check!(stands_in_prints_and_conditions(value x = 0.2));
}

#[test]
fn a_moved_variable_is_a_copy() {
    // u = a² + 2a², f(3) = 6a²
    near(
        &owns_what_it_moves::grad(0.5),
        &(18.0 * (4.0 * 0.125 * 1.5 + 0.0625)),
        1e-14,
    );
}

#[grad]
fn iterate<F: Fn(f64) -> f64>(f: F, x0: f64, n: usize) -> f64 {
    let mut x = x0;
    for _ in 0..n {
        x = f(x);
    }
    x
}

#[grad]
fn is_passed_on_by_name(a: f64, w: f64) -> f64 {
    let scale = |t: f64| t * w;
    let step = |t: f64| scale(t).cos() * 0.5 + a;
    let fixed = iterate(step, a, 4);
    iterate(&step, fixed, 2) + iterate(|t| step(t) * scale(t), w, 2) + step(1.0)
}

#[test]
fn closures_as_arguments() {
    check!(is_passed_on_by_name(value a = 0.7, value w = 1.3));
}

#[grad]
fn unused_parameters(x: f64, y: f64, k: usize) -> f64 {
    let constant = |_: f64| (k as f64).sin();
    let counted = |z: f64, n: usize| {
        let w = n as f64;
        w * w
    };
    constant(constant(x).sin()) * x + counted(y, k) * y
}

#[test]
fn a_closure_may_leave_its_parameters_unused() {
    check!(unused_parameters(value x = 0.7, value y = 1.3, constant k = 3usize));
    assert_eq!(unused_parameters::grad(0.7, 1.3, 3), (3f64.sin(), 9.0));
}

/// The literal that is passed stands where it cannot be counted down from.
#[grad]
fn guarded_literal(x: &[f64]) -> f64 {
    let g = |i| if i == 0 { x[0] } else { x[i] * x[i - 1] };
    g(0) + g(1)
}

#[test]
fn a_literal_may_be_passed_that_a_branch_guards_against() {
    check!(guarded_literal(shared x = [0.7, 1.3]));
}
