//! Gradients by forward and by reverse mode.

use autodiff::grad;

/// Four parameters of a recurrence: forward by the macro's own choice.
#[grad]
fn predator_prey(p: [f64; 4]) -> f64 {
    let (mut x, mut y) = (1.0, 0.5);
    for _ in 0..20 {
        let dx = p[0] * x - p[1] * x * y;
        let dy = p[2] * x * y - p[3] * y;
        x += 0.05 * dx;
        y += 0.05 * dy;
    }
    x * x + y
}

#[grad]
fn memory(a: f64, b: f64) -> f64 {
    let mut state = [a, b, 0.3];
    for k in 0..12 {
        state[k % 3] = state[(k + 1) % 3] * a + (state[k % 3] * b).sin();
        if state[0] > 4.0 {
            return state[0] * state[1];
        }
    }
    state[0] + state[1] * state[2]
}

#[grad]
fn of_one(x: f64, n: usize) -> f64 {
    let mut y = x;
    for i in 0..n {
        y = (y * x + i as f64).cos();
    }
    memory(y, x)
}

#[grad(mode = forward)]
fn forced(xs: &[f64], m: [[f64; 2]; 2], s: f64) -> f64 {
    let mut y = s;
    for &x in xs {
        y = y * x + m[0][1] * m[1][0] - m[1][1] * y;
    }
    y
}

#[grad(mode = forward)]
fn rows(m: &[[f64; 2]; 2], s: f64) -> f64 {
    m[0][0] * m[1][1] * s - m[0][1] * m[1][0] / s
}

#[grad(mode = reverse)]
fn backwards(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = (y * x).sin();
    }
    y
}

#[grad]
fn narrow(a: f32, b: f32) -> f32 {
    let mut x = a;
    for _ in 0..5 {
        x = (x * b).sin() + 0.5;
    }
    x
}

#[grad]
fn grow(rate: f64, x: &mut f64) {
    *x = *x * rate + 0.1;
}

/// The call changes memory alone, and takes one direction at a time.
#[grad]
fn grown_in_place(a: f64, rate: f64) -> f64 {
    let mut x = a;
    for _ in 0..3 {
        grow(rate, &mut x);
        x = x.sin();
    }
    x
}

#[grad]
fn grow_and_tell(rate: f64, x: &mut f64) -> f64 {
    *x *= rate;
    *x + 1.0
}

/// The same with a result that nobody uses.
#[grad]
fn unused_result(a: f64, rate: f64) -> f64 {
    let mut x = a;
    if a < rate {
        for _ in 0..2 {
            let _told = grow_and_tell(a.abs(), &mut x);
        }
        x = x.sin() * rate;
    }
    x
}

#[test]
fn modes() {
    check!(grown_in_place(value a = 0.8, value rate = 1.2));
    check!(unused_result(value a = 0.8, value rate = 1.2));
    check!(unused_result(value a = 1.8, value rate = 1.2));
    check!(predator_prey(value p = [1.1, 0.4, 0.3, 0.6]));
    check!(memory(value a = 0.8, value b = 1.2));
    check!(memory(value a = 1.9, value b = 0.2));
    check!(of_one(value x = 0.7, constant n = 5));
    check!(of_one(value x = 0.7, constant n = 0));
    check!(forced(shared xs = [0.5, 1.5, -0.7], value m = [[1.0, 2.0], [0.3, 0.4]], value s = 0.9));
    check!(forced(shared xs = [0.0; 0], value m = [[1.0, 2.0], [0.3, 0.4]], value s = 0.9));
    check!(rows(shared m = [[1.0, 2.0], [0.3, 0.4]], value s = 0.9));
    check!(backwards(value x = 0.7, constant n = 4));
    check!(narrow(value a = 0.7, value b = 1.4));
}
