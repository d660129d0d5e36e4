//! Functions by their names as arguments: of any number of parameters, of slices and arrays, and for parameters that are `fn` pointers.

use autodiff::{Float, grad};

use crate::check::near;

#[grad]
fn spring(t: f64, y: &[f64], k: f64) -> f64 {
    -k * y[0] + t.sin() * y[1]
}

#[grad]
fn pendulum(t: f64, y: [f64; 2]) -> [f64; 2] {
    [y[1], -y[0].sin() + 0.1 * t]
}

#[grad]
fn both(a: f64, n: usize, b: f64) -> (f64, f64) {
    (a * b * n as f64, a.sin() + b)
}

#[grad]
fn change(v: &mut [f64], by: f64) -> f64 {
    v[0] *= by;
    v[1] += v[0].sin();
    v[0]
}

#[grad]
fn scaled<T: Float>(x: T, by: &[T]) -> T {
    x * by[0] + by[1]
}

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

#[grad]
fn total(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v.cos()).sum()
}

#[grad]
fn euler<F: Fn(f64, &[f64], f64) -> f64>(f: F, y0: f64, k: f64) -> f64 {
    let mut y = vec![y0, 0.5];
    for i in 0..4 {
        let t = 0.1 * i as f64;
        let slope = f(t, &y, k);
        y[1] += 0.1 * slope;
        y[0] += 0.1 * y[1];
    }
    y[0] * y[1]
}

#[grad]
fn step(f: fn(f64, [f64; 2]) -> [f64; 2], t: f64, y: [f64; 2]) -> [f64; 2] {
    let k = f(t, y);
    let k2 = f(t + 0.1, [y[0] + 0.1 * k[0], y[1] + 0.1 * k[1]]);
    [y[0] + 0.05 * (k[0] + k2[0]), y[1] + 0.05 * (k[1] + k2[1])]
}

#[grad]
fn apart(f: impl Fn(f64, usize, f64) -> (f64, f64), x: f64, y: f64) -> f64 {
    let (a, b) = f(x, 2, y);
    let (c, d) = f(b, 3, a);
    c * d + a
}

#[grad]
fn twice<F: Fn(&mut [f64], f64) -> f64>(f: F, x: f64, y: f64) -> f64 {
    let mut v = [x, y];
    let a = f(&mut v, y);
    let b = f(&mut v, a);
    v[0] * v[1] + a * b
}

#[grad]
fn newton(f: fn(f64) -> f64, x: f64) -> f64 {
    let mut y = x;
    for _ in 0..3 {
        y -= 0.1 * f(y);
    }
    y
}

#[grad]
fn of_list(f: impl Fn(&[f64]) -> f64, x: f64, y: f64) -> f64 {
    f(&[x, y, x * y]) * f(&[y])
}

#[grad]
fn of_any(f: fn(f64, &[f64]) -> f64, x: f64, y: f64) -> f64 {
    f(x, &[y, x * y])
}

/// Hands what it is given on to another.
#[grad]
fn handed_on<F: Fn(f64, &[f64], f64) -> f64 + Copy>(f: F, y0: f64, k: f64) -> f64 {
    euler(f, y0, k) + euler(f, k, y0)
}

programs! {
    [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9)];

    fn of_slices(x: f64, y: f64) -> f64 {
        use super::{euler, handed_on, spring};
        euler(spring, x, y) * euler(|t, v: &[f64], k| v[0] * k + t * x, y, x) + handed_on(spring, x, y)
    }

    fn of_arrays(x: f64, y: f64) -> f64 {
        use super::{pendulum, step};
        let mut s = [x, y];
        for i in 0..3 {
            s = step(pendulum, 0.1 * i as f64, s);
        }
        s[0] * s[1]
    }

    fn of_integers(x: f64, y: f64) -> f64 {
        use super::{apart, both};
        apart(both, x, y) * x
    }

    fn of_changed_memory(x: f64, y: f64) -> f64 {
        use super::{change, twice};
        twice(change, x, y) + twice(&change, y, x)
    }

    fn of_one_number(x: f64, y: f64) -> f64 {
        use super::{newton, of_list, square, total};
        newton(square, x * y) + newton(|t| t.sin(), y) * newton(f64::cos, x) + of_list(total, x, y)
    }

    fn of_generics(x: f64, y: f64) -> f64 {
        use super::{of_any, scaled};
        of_any(scaled, x, y) * of_any(scaled::<f64>, y, x)
    }
}

mod of_second_order {
    use autodiff::grad;

    #[grad(order = 2)]
    pub(super) fn slope(t: f64, y: &[f64]) -> f64 {
        y[0] * y[1] * t + y[1].sin()
    }

    #[grad(order = 2)]
    pub(super) fn integrated(f: fn(f64, &[f64]) -> f64, y: f64, k: f64) -> f64 {
        let mut s = [y, k];
        for i in 0..3 {
            s[0] += 0.2 * f(0.1 * i as f64, &s);
        }
        s[0] * s[0]
    }

    #[grad(order = 2)]
    pub(super) fn outer(y: f64, k: f64) -> f64 {
        integrated(slope, y, k)
    }
}

#[test]
fn second_derivatives() {
    use of_second_order::outer;
    let (y, k) = (0.8, -0.6);
    let hessian = outer::hessian(y, k);
    for (j, (dy, dk)) in [(1e-5, 0.0), (0.0, 1e-5)].into_iter().enumerate() {
        let (above, below) = (outer::grad(y + dy, k + dk), outer::grad(y - dy, k - dk));
        let slopes = [(above.0 - below.0) / 2e-5, (above.1 - below.1) / 2e-5];
        near(&[hessian[[0, j]], hessian[[1, j]]][..], &slopes[..], 1e-8);
    }
}

#[grad]
fn squared(x: f64) -> f64 {
    x * x
}

#[grad]
fn weighed(x: f64, y: &[f64]) -> f64 {
    x * x * y[1]
}

#[grad]
fn shifted(x: f64, y: &[f64]) -> f64 {
    x * y[0] + y[1].sin()
}

#[grad]
fn other_names(x: &[f64]) -> f64 {
    let f = squared;
    let g: fn(f64) -> f64 = f64::sin;
    let mapped: f64 = x.iter().copied().map(f).sum();
    let more: f64 = x.iter().map(|a| g(*a) * x[0]).sum();
    f(x[0]) * g(f(x[1])) + mapped * more
}

#[grad]
fn functions_chosen(x: &[f64], k: usize) -> f64 {
    let f = if x[0] > 1.0 {
        weighed
    } else if x[1] > 0.0 {
        shifted
    } else {
        weighed as fn(f64, &[f64]) -> f64
    };
    let g: fn(f64) -> f64 = match k {
        0 => f64::sin,
        1 => squared,
        _ => f64::cos,
    };
    let mut s = x[2];
    for i in 0..3 {
        s += f(x[i] * 2.0, &x[i..]) * f(g(x[i]), x);
    }
    s + x.iter().map(|a| f(*a, x) * g(s)).sum::<f64>()
}

#[grad]
fn functions_in_turn(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for f in [squared, f64::sin] {
        for i in 0..3 {
            s += f(x[i]);
        }
        s *= f(x[3] * s);
    }
    s
}

#[test]
fn functions_that_variables_name() {
    for x in [
        [1.3, 0.7, -0.4, 1.1],
        [-0.9, -1.2, -0.3, 0.5],
        [0.45, 0.9, 1.2, -0.7],
    ] {
        check!(other_names(shared x = x));
        for k in 0..3 {
            check!(functions_chosen(shared x = x, constant k = k));
        }
        check!(functions_in_turn(shared x = x));
    }
}
