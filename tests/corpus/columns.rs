//! Functions with several results, whose Jacobians take several columns in one sweep, or a row each.

use autodiff::grad;

#[grad]
fn residuals(p: &[f64; 5], #[constant] xs: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; xs.len()];
    for i in 0..xs.len() {
        out[i] = p[0] * (-p[1] * xs[i]).exp() + p[2] * (p[3] * xs[i]).sin() + p[4];
    }
    out
}

#[grad]
fn collected(p: [f64; 3], #[constant] xs: &[f64]) -> Vec<f64> {
    xs.iter().map(|x| p[0] * (-p[1] * x).exp() + p[2]).collect()
}

/// As many columns as the caller likes, and few rows.
#[grad]
fn sums(xs: &[f64], k: f64, n: usize) -> [f64; 2] {
    let mut s = 0.0;
    let mut q = k;
    for (i, x) in xs.iter().enumerate() {
        if i % n == 0 {
            s += x * q;
        } else {
            q *= x.max(0.2);
        }
    }
    [s, q]
}

#[grad]
fn of_parts(m: &[[f64; 2]; 2], v: (f64, [f64; 2])) -> Vec<[f64; 2]> {
    let mut out = Vec::new();
    for k in 0..3 {
        let a = m[0][0] * v.0 + m[k % 2][1] * v.1[0];
        out.push([a, a * v.1[1]]);
    }
    out
}

/// One of the results depends on nothing.
#[grad]
fn half(a: f64, b: f64) -> [f64; 2] {
    [a * b, 3.0]
}

#[grad]
fn until(a: f64, b: f64, n: usize) -> (f64, f64) {
    let (mut x, mut y) = (a, b);
    for _ in 0..n {
        let t = x * 0.9 - y * 0.1 * x;
        if t < 0.4 {
            break;
        }
        y += x * 0.05;
        x = t;
    }
    (x, y)
}

#[grad]
fn narrow(a: f32, b: f32) -> [f32; 2] {
    [a * b, a / b]
}

/// What it calls has one direction at a time.
#[grad]
fn calls(a: f64, b: f64) -> (f64, f64) {
    let (x, y) = until(a, b, 2);
    (x * y, y * a)
}

#[test]
fn jacobians() {
    check_vector!(residuals(shared p = [0.5, 0.7, 0.3, 2.0, 0.1], constant xs = &[0.1, 0.4, 1.5]));
    check_vector!(residuals(shared p = [0.5, 0.7, 0.3, 2.0, 0.1], constant xs = &[]));
    check_vector!(collected(value p = [0.5, 0.7, 0.3], constant xs = &[0.1, 0.4, 1.5]));
    check_vector!(of_parts(shared m = [[0.5, 0.7], [0.3, 0.4]], value v = (0.6, [0.8, 0.9])));
    check_vector!(half(value a = 0.4, value b = 0.7));
    check_vector!(until(value a = 0.6, value b = 0.7, constant n = 0));
    check_vector!(until(value a = 0.6, value b = 0.7, constant n = 9));
    check_vector!(narrow(value a = 0.6_f32, value b = 0.7_f32));
    check_vector!(calls(value a = 0.6, value b = 0.7));
}

/// By columns, eight in a sweep, and by rows where there are many columns.
#[test]
fn any_number_of_columns() {
    let xs: Vec<f64> = (0..40).map(|k| 0.3 + 0.01 * f64::from(k)).collect();
    for n in [0, 6, 7, 8, 14, 15, 16, 17, 40] {
        let (rows, columns) = (
            sums::jacrev(&xs[..n], 0.4, 2),
            sums::jacfwd(&xs[..n], 0.4, 2),
        );
        let (value, either) = sums::value_and_jacobian(&xs[..n], 0.4, 2);
        assert_eq!(value, sums(&xs[..n], 0.4, 2));
        let mut into = vec![9.0; 2 * (n + 1)];
        sums::jacobian_into(&xs[..n], 0.4, 2, &mut into);
        assert_eq!(into, either.as_slice());
        for of in [&columns, &either] {
            assert_eq!((of.rows(), of.cols()), (2, n + 1));
            crate::check::near(of.as_slice(), rows.as_slice(), 1e-13);
        }
    }
    crate::check::panic_of(|| sums::jacobian_into(&xs, 0.4, 2, &mut [0.0; 81]));
    crate::check::panic_of(|| half::jacobian_into(0.4, 0.7, &mut [0.0; 5]));
}
