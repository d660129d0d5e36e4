//! What must stand where it is although a guard selects it: what reads memory before it is put back, and pullbacks in the order of their calls.

use autodiff::grad;

/// `b[j]` is read again in the reverse of `u`, which joins the arm of the guard: in front of the conditional that restores it.
#[grad]
fn anneal(x: &[f64], w: f64, n: usize) -> f64 {
    let mut b = x.to_vec();
    let mut s = 0.0;
    for i in 0..n {
        let j = i % 3;
        let k = (i + 1) % 3;
        let u = b[j] * b[k];
        if i % 2 == 0 {
            b[j] = 0.5 * b[j] + w;
        }
        if u > 0.5 {
            s += u * u;
        }
    }
    s
}

/// The top of a stack that a conditional pushes to afterwards: read again before the pop.
#[grad]
fn stack_top(x: &[f64], w: f64) -> f64 {
    let mut st = vec![w];
    let mut s = 0.0;
    for i in 0..x.len() {
        let top = st[st.len() - 1];
        let u = top * top * x[i];
        if i % 2 == 0 {
            st.push(x[i] + w * 0.5);
        }
        if u > 0.5 {
            s += u * u;
        }
    }
    s
}

#[grad]
fn waves(x: f64, c: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..c.len() {
        s += c[i] * (x * (i + 1) as f64).sin();
    }
    s
}

/// A pullback borrows constant memory again that a loop has changed since.
#[grad]
fn two_stages(x: f64) -> f64 {
    let mut c = [1.0, 2.0, 3.0];
    let a = waves(x, &c);
    for j in 0..3 {
        c[j] *= 0.5;
    }
    let b = waves(x, &c);
    if a > 1.0 { a * b } else { b }
}

/// The same, changed by a conditional.
#[grad]
fn two_settings(x: f64, strict: bool) -> f64 {
    let mut c = vec![1.0, 2.0, 3.0];
    let a = waves(x, &c);
    if strict {
        c[0] = 5.0;
        c[1] = -1.0;
    }
    let bonus = if a > 1.0 { a * a } else { 0.0 };
    bonus + waves(x * 0.5, &c)
}

/// The pullback of `a` moves into the arm, in front of that of `b`: each takes the other's. Silent.
#[grad]
fn tree(x: f64, w: f64, n: u32) -> f64 {
    if n == 0 {
        return x * w + x * x;
    }
    let a = tree(x * 0.5, w, n - 1);
    let b = tree(x + 1.0, w * w, n - 1);
    let bonus = if a > 0.1 { a * a } else { 0.0 };
    bonus + b * 0.7
}

/// The pullback that is not selected is skipped, and stays on the stack.
#[grad]
fn branches(x: f64, n: u32) -> f64 {
    if n == 0 {
        return x * x;
    }
    let low = branches(x * 0.5, n - 1);
    let high = branches(x + 0.3, n - 1);
    if low > high { low * x } else { high * 0.9 + x }
}

/// Two variables change places in each round.
#[grad]
fn rot(x: f64, w: f64, n: usize) -> f64 {
    let r = 1.0 / w;
    let mut a = x * r;
    let mut b = x * 2.0;
    let mut s = 0.0;
    for i in 0..n {
        let t = a;
        a = b;
        b = t;
        s += w * (i + 1) as f64;
    }
    let y = if x > 0.0 { a * a } else { 1.0 };
    y + s * s
}

/// A recurrence whose body has the factor that may be infinite.
#[grad]
fn fib(x: f64, w: f64, n: usize) -> f64 {
    let r = 1.0 / w;
    let mut a = x;
    let mut b = x * x;
    let mut s = 0.0;
    for _ in 0..n {
        let t = a;
        a = b;
        b = t * r;
        s = s * 0.5 + w;
    }
    let y = if x > 0.0 { a * x } else { w };
    y + s
}

/// Released from rest, with two penalties.
#[grad]
fn pendulum(amp: f64, phase: f64, k: f64, n: usize) -> f64 {
    let dt = 0.1;
    let mut x = amp * phase.cos();
    let mut v = 0.0;
    for _ in 0..n {
        let f = -k * x;
        x = x + dt * v;
        v = v + dt * f;
    }
    let mut cost = amp * 0.1;
    if x > 0.2 {
        cost += (x - 0.2) * (x - 0.2);
    }
    if v < -0.1 {
        cost += (v + 0.1) * (v + 0.1);
    }
    cost
}

/// `old` is a copy, the loop is left between it and the whole store, and `v` is used after.
#[grad]
fn settle(x: &[f64], tol: f64) -> f64 {
    let mut v = x.to_vec();
    v[0] = v[0] + v[1];
    for _ in 0..20 {
        let old = v.clone();
        if old[0] * old[0] < tol {
            break;
        }
        v = vec![old[0] * 0.5, old[1] * 0.25 + old[0]];
    }
    v[0] + v[1] * v[1]
}

#[test]
fn memory_is_read_when_it_has_been_put_back() {
    let x = vec![0.9, 1.3, 0.7];
    check!(anneal(shared x = x.clone(), value w = 0.4, constant n = 7));
    check!(stack_top(shared x = vec![0.9, 1.3, 0.7, 1.1], value w = 1.2));
    check!(two_stages(value x = 0.6));
    check!(two_stages(value x = 0.05));
    check!(two_settings(value x = 0.6, constant strict = true));
    check!(two_settings(value x = 0.6, constant strict = false));
}

#[test]
fn recursive_pullbacks_keep_their_order() {
    for n in 0..4 {
        check!(tree(value x = 0.8, value w = 1.3, constant n = n));
        check!(branches(value x = 0.9, constant n = n));
    }
}

#[test]
fn guards_go_from_variable_to_variable_in_a_loop() {
    for n in [0, 1, 2, 5] {
        check!(rot(value x = 0.8, value w = 1.3, constant n = n));
        check!(fib(value x = 0.8, value w = 1.3, constant n = n));
        check!(pendulum(value amp = 0.7, value phase = 0.3, value k = 1.2, constant n = n));
    }
}

#[test]
fn a_list_is_not_moved_over_a_way_out() {
    check!(settle(shared x = vec![0.9, 1.3, 0.7], value tol = 0.01));
}
