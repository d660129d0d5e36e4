//! Code on which derivative compilers are known to go wrong; what random programs found stands here under a name.

use autodiff::grad;

#[grad]
fn square_in_place(x: f64, y: f64) -> f64 {
    let mut a = [x, y];
    for _ in 0..2 {
        for i in 0..2 {
            a[i] = a[i] * a[i];
        }
    }
    a[0] * a[1]
}

#[grad]
fn recurrence_up(a: &[f64]) -> f64 {
    let mut a = a.to_vec();
    for i in 1..a.len() {
        a[i] = a[i - 1] * a[i];
    }
    a[a.len() - 1] + a[0]
}

#[grad]
fn recurrence_down(a: &[f64]) -> f64 {
    let mut a = a.to_vec();
    for i in (1..a.len()).rev() {
        a[i - 1] = a[i - 1] * a[i] + a[i].sin();
    }
    a[0] * a[1]
}

#[grad]
fn constant_stored_over_active(x: f64, y: f64) -> f64 {
    let mut a = [x, y];
    let before = a[1] * x;
    a[1] = 0.5;
    a[1] * y + before
}

#[grad]
fn read_then_overwritten(x: f64, y: f64) -> f64 {
    let mut a = [x, y];
    let t = a[0];
    a[0] = y * 2.0;
    let u = t * t * a[0];
    a[0] = u;
    a[0] * t.exp()
}

#[grad]
fn overwritten_in_a_later_round(x: f64, y: f64) -> f64 {
    let mut a = [x, y];
    let mut s = 0.0;
    for i in 0..4 {
        s += a[0] * a[0] * x;
        if i == 2 {
            a[0] = s.sin() * a[1];
        }
    }
    s
}

#[grad]
fn carried_unchanged(x: f64, y: f64, n: usize) -> f64 {
    let (mut a, mut b) = (x, y);
    for i in 0..n {
        a = a * b;
        if i > 7 {
            b = a;
        }
    }
    a * b
}

#[grad]
fn feeding_accumulators(x: &[f64]) -> f64 {
    let (mut s, mut q) = (0.0, 0.0);
    for i in 0..x.len() {
        s += x[i];
        q += s * x[i];
    }
    q * s
}

#[grad]
fn read_before_an_inner_loop(x: f64, y: f64) -> f64 {
    let mut a = [x, y, 0.5];
    let mut z = 0.0;
    for i in 0..3 {
        let t = a[i];
        for j in 0..3 {
            a[j] = a[j] * t + 0.2 * x;
        }
        z += t * t * a[i];
    }
    z
}

#[grad]
fn same_element_twice(x: f64, index: &[usize]) -> f64 {
    let mut a = [x, 0.5, x * x];
    for k in 0..index.len() {
        a[index[k]] = a[index[index.len() - 1 - k]] * x + 0.2 * a[index[k]];
    }
    a[0] * a[1] + a[2]
}

#[grad]
fn zero_trips(x: f64, n: usize) -> f64 {
    let mut y = x * x;
    for _ in 0..n {
        y = y * y + 1.0;
    }
    y * x
}

#[grad]
fn stencil_in_place(u: &[f64], x: f64) -> f64 {
    let mut u = u.to_vec();
    for _ in 0..3 {
        for i in 1..u.len() - 1 {
            u[i] = u[i - 1] * u[i + 1] * 0.5 + u[i] * x.sin();
        }
    }
    let mut s = 0.0;
    for i in 0..u.len() {
        s += u[i] * u[i];
    }
    s
}

#[test]
fn traps() {
    check!(square_in_place(value x = 0.7, value y = 1.3));
    check!(recurrence_up(shared a = [0.7, -0.4, 1.2, 0.9]));
    check!(recurrence_down(shared a = [0.7, -0.4, 1.2, 0.9]));
    check!(constant_stored_over_active(value x = 0.7, value y = 1.3));
    check!(read_then_overwritten(value x = 0.7, value y = 1.3));
    check!(overwritten_in_a_later_round(value x = 0.7, value y = 1.3));
    check!(carried_unchanged(value x = 0.7, value y = 1.3, constant n = 3));
    check!(carried_unchanged(value x = 0.7, value y = 1.3, constant n = 0));
    check!(feeding_accumulators(shared x = [0.7, -0.4, 1.2]));
    check!(read_before_an_inner_loop(value x = 0.7, value y = 1.3));
    check!(same_element_twice(value x = 0.7, constant index = &[0, 2, 0, 1, 2]));
    check!(zero_trips(value x = 0.7, constant n = 0));
    check!(zero_trips(value x = 0.7, constant n = 2));
    check!(stencil_in_place(shared u = [0.7, -0.4, 1.2, 0.9, 0.3], value x = 0.8));
}
