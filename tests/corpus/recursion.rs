//! Functions that call themselves, directly or by way of others.

use autodiff::grad;

use crate::check::near;
use crate::effect::tick;

#[grad]
fn power(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[grad]
fn power_by_squares(x: f64, n: u32) -> f64 {
    if n == 0 {
        1.0
    } else {
        let h = power_by_squares(x, n / 2);
        if n % 2 == 0 { h * h } else { h * h * x }
    }
}

/// Calls itself twice, the second time with what the first gave.
#[grad]
fn fibonacci(a: f64, b: f64, n: usize) -> f64 {
    match n {
        0 => a,
        1 => b,
        _ => fibonacci(a, b, n - 1) * 0.5 + fibonacci(b, a * b, n - 2).sin(),
    }
}

#[grad]
fn tree_sum(xs: &[f64]) -> f64 {
    if xs.len() == 1 {
        xs[0] * xs[0]
    } else {
        let mid = xs.len() / 2;
        tree_sum(&xs[..mid]) * 0.7 + tree_sum(&xs[mid..]) * tree_sum(&xs[..1])
    }
}

/// In place, on halves; the halves are mixed afterwards, as a Fourier transform does.
#[grad]
fn butterflies(a: &mut [f64], w: f64) {
    let n = a.len();
    if n > 1 {
        let m = n / 2;
        butterflies(&mut a[..m], w * w);
        butterflies(&mut a[m..], w + 0.1);
        for k in 0..m {
            let (even, odd) = (a[k], a[k + m] * w);
            a[k] = even + odd * even;
            a[k + m] = even - odd;
        }
    }
}

#[grad]
fn transformed(xs: &[f64], w: f64) -> f64 {
    let mut a = xs.to_vec();
    butterflies(&mut a, w);
    let mut s = 0.0;
    for k in 0..a.len() {
        s += a[k] * a[k] * (k + 1) as f64;
    }
    s
}

/// Runs the rest of the vector, reading and writing what the rounds around it read as well.
#[grad]
fn sweep(a: &mut [f64], from: usize, k: f64) -> f64 {
    if from < a.len() {
        let before = a[from] * k;
        a[from] = before * a[from - 1];
        let rest = sweep(a, from + 1, k * 0.9);
        a[from - 1] *= rest;
        rest + before * a[from]
    } else {
        a[0]
    }
}

#[grad]
fn swept(x: f64, k: f64) -> f64 {
    let mut a = [x, x * x, 0.4, k];
    let s = sweep(&mut a, 1, k);
    s + a[0] * a[2] + a[3]
}

#[grad]
fn nested<const N: usize>(x: [f64; N], depth: usize) -> f64 {
    let mut y = [0.0; N];
    for i in 0..N {
        y[i] = x[i] * x[N - 1 - i];
    }
    if depth == 0 {
        y[0] + y[N - 1]
    } else {
        nested(y, depth - 1) + nested::<N>(x, depth - 1) * x[0]
    }
}

/// Calls itself in a loop, with what the rounds before gave.
#[grad]
fn in_a_loop(x: f64, depth: usize) -> f64 {
    let mut s = x;
    for k in 0..depth {
        s = s * in_a_loop(s * 0.3, k) + 0.5;
    }
    s
}

#[grad]
fn pair(x: f64, y: f64, n: usize) -> (f64, f64) {
    if n == 0 {
        (x, y)
    } else {
        let (a, b) = pair(y, x * y, n - 1);
        (a * x, b + a)
    }
}

#[grad]
fn as_vector(x: f64, n: usize) -> Vec<f64> {
    if n == 0 {
        vec![x, 1.0]
    } else {
        let mut v = as_vector(x * x, n - 1);
        v[0] *= x;
        v[1] += v[0];
        v
    }
}

#[grad(name = Renamed)]
fn renamed(x: f64, n: u32) -> f64 {
    if n == 0 {
        x.cos()
    } else {
        renamed(x, n - 1) * x
    }
}

#[grad(recursive)]
fn even(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * odd(x, n - 1) }
}

#[grad]
fn odd(x: f64, n: u32) -> f64 {
    if n == 0 { x } else { even(x, n - 1).sin() }
}

#[grad]
fn effects_once(x: f64, n: u32) -> f64 {
    let k = tick() as f64;
    if n == 0 {
        x * k
    } else {
        effects_once(x * x, n - 1) * k
    }
}

/// The inner function has the name of the outer one.
#[grad]
fn shadowed(x: f64) -> f64 {
    #[grad]
    fn shadowed(x: f64) -> f64 {
        x * x
    }
    shadowed(x) * x
}

#[grad(verify)]
fn verified(xs: &[f64], n: u32) -> f64 {
    if n == 0 {
        xs[0]
    } else {
        let y = [xs[1] * xs[0], xs[0]];
        verified(&y, n - 1) * xs[1]
    }
}

#[grad(__remember_all)]
fn remembered(xs: &[f64], n: u32) -> f64 {
    if n == 0 {
        xs[0]
    } else {
        let y = [xs[1] * xs[0], xs[0]];
        remembered(&y, n - 1) * xs[1]
    }
}

#[test]
fn of_scalars() {
    for n in 0..6 {
        check!(power(value x = 1.1, constant n = n));
        check!(power_by_squares(value x = -0.9, constant n = n));
        check!(renamed_power(value x = 0.4, constant n = n));
    }
    check!(fibonacci(value a = 0.7, value b = -0.4, constant n = 6));
    near(&power::grad(2.0, 13), &(13.0 * 4096.0), 0.0);
    near(&power_by_squares::grad(2.0, 13), &(13.0 * 4096.0), 0.0);
}

#[grad]
fn renamed_power(x: f64, n: u32) -> f64 {
    x * power(x, n) + x
}

#[test]
fn a_renamed_type() {
    let slope = |x: f64| -x.sin() * x * x + x.cos() * 2.0 * x;
    near(&Renamed::grad(0.3, 2), &slope(0.3), 1e-15);
    near(&Renamed::jvp(0.3, 2, 1.0).1, &slope(0.3), 1e-15);
}

#[test]
fn of_slices() {
    check!(tree_sum(shared xs = [0.7, -0.4, 1.2, 0.3, 0.9]));
    check!(verified(shared xs = [0.7, -0.4], constant n = 5));
    let xs = [0.7, -0.4];
    assert_eq!(
        verified::value_and_grad(&xs, 5),
        remembered::value_and_grad(&xs, 5)
    );
}

#[test]
fn in_place() {
    check!(transformed(shared xs = [0.7, -0.4, 1.2, 0.3], value w = 0.8));
    check!(transformed(shared xs = [0.7, -0.4, 1.2, 0.3, 0.1, 0.6, -0.9, 0.2], value w = 0.8));
    check!(swept(value x = 0.7, value k = 1.3));
}

#[test]
fn of_arrays_tuples_and_vectors() {
    check!(nested(value x = [0.7, -0.4, 1.2], constant depth = 3));
    check_vector!(pair(value x = 0.7, value y = -0.4, constant n = 4));
    check_vector!(as_vector(value x = 0.7, constant n = 3));
}

#[test]
fn within_loops() {
    check!(in_a_loop(value x = 0.7, constant depth = 4));
}

#[test]
fn mutual() {
    for n in 0..6 {
        check!(even(value x = 1.1, constant n = n));
        check!(odd(value x = 1.1, constant n = n));
    }
}

#[test]
fn inactive_code_runs_once() {
    check!(effects_once(value x = 0.7, constant n = 3));
}

#[test]
fn an_inner_function_of_the_same_name() {
    check!(shadowed(value x = 0.7));
}

/// A loop that counts its rounds in each level.
#[grad]
fn descended(x: f64, levels: u32) -> f64 {
    if levels == 0 {
        return x;
    }
    let mut y = x;
    let mut rounds = 0;
    while y * y < 4.0 && rounds < 3 {
        y = y * 1.25 + 0.01 * y.sin();
        rounds += 1;
    }
    descended(0.4 * y, levels - 1) * 0.999 + 1e-3 * y
}

// The stack of a test has as much; what the loops remember takes nothing of it.
#[test]
fn deep_ones_with_loops() {
    const LEVELS: u32 = 6_000;
    let run = || {
        let (by_sweeps, along) = (
            descended::grad(0.9, LEVELS),
            descended::jvp(0.9, LEVELS, 1.0).1,
        );
        let by_differences = (descended(0.9 + 1e-5, LEVELS) - descended(0.9 - 1e-5, LEVELS)) / 2e-5;
        (by_sweeps, along, by_differences)
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    let (by_sweeps, along, by_differences) = thread.unwrap().join().unwrap();
    near(&by_sweeps, &along, 1e-14);
    near(&by_sweeps, &by_differences, 1e-9);
}
