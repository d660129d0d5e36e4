//! Functions that are defined by an equation: the implicit function theorem in place of their bodies.

use autodiff::{Float, grad};

use crate::check::{near, panic_of};

/// The square root, by Newton's method.
#[grad(order = 2, implicit = y * y - a)]
fn root(a: f64) -> f64 {
    let mut y = a;
    for _ in 0..60 {
        y = 0.5 * (y + a / y);
    }
    y
}

#[grad(order = 2)]
fn of_root(a: f64, b: f64) -> f64 {
    let mut sum = 0.0;
    for k in 1..4 {
        sum += root(a * b + k as f64).sin() * b;
    }
    sum
}

#[grad(order = 2)]
fn of_sqrt(a: f64, b: f64) -> f64 {
    let mut sum = 0.0;
    for k in 1..4 {
        sum += (a * b + k as f64).sqrt().sin() * b;
    }
    sum
}

#[test]
fn a_number_that_is_found() {
    check!(root(value a = 0.3));
    check!(of_root(value a = 0.3, value b = 1.7));
    let (a, y) = (2.3, 2.3_f64.sqrt());
    assert_eq!(root::value_and_grad(a).0, root(a));
    near(&root::grad(a), &(0.5 / y), 1e-14);
    near(&root::jvp(a, 2.0), &(root(a), 1.0 / y), 1e-14);
    near(root::hessian(a).as_slice(), &[-0.25 / (a * y)], 1e-13);
    near(&of_root::grad(0.3, 1.7), &of_sqrt::grad(0.3, 1.7), 1e-13);
    let (h, wanted) = (of_root::hessian(0.3, 1.7), of_sqrt::hessian(0.3, 1.7));
    near(h.as_slice(), wanted.as_slice(), 1e-12);
}

#[grad(order = 2)]
fn kepler_equation(anomaly: f64, e: f64, m: f64) -> f64 {
    anomaly - e * anomaly.sin() - m
}

/// The eccentric anomaly.
#[grad(order = 2, implicit = kepler_equation(y, e, m))]
fn kepler(e: f64, m: f64) -> f64 {
    let mut y = m;
    while (y - e * y.sin() - m).abs() > 1e-15 {
        y -= (y - e * y.sin() - m) / (1.0 - e * y.cos());
    }
    y
}

#[test]
fn kepler_has_derivatives_of_each_order() {
    check!(kepler(value e = 0.4, value m = 1.1));
    let (e, m) = (0.4, 1.1);
    let y = kepler(e, m);
    let (s, c) = y.sin_cos();
    let d = 1.0 - e * c;
    near(&kepler::grad(e, m), &(s / d, 1.0 / d), 1e-14);
    // The second derivatives by the closed form.
    let mm = -e * s / d.powi(3);
    let em = c / (d * d) - e * s * s / d.powi(3);
    let ee = 2.0 * s * c / (d * d) - e * s.powi(3) / d.powi(3);
    near(kepler::hessian(e, m).as_slice(), &[ee, em, em, mm], 1e-13);
}

/// Where a circle meets a line through the origin.
#[grad(order = 2)]
fn meeting(y: &[f64; 2], radius: f64, slope: f64) -> [f64; 2] {
    [
        y[0] * y[0] + y[1] * y[1] - radius * radius,
        y[1] - slope * y[0],
    ]
}

#[grad(order = 2, implicit = meeting(&y, radius, slope))]
fn crossing(radius: f64, slope: f64) -> [f64; 2] {
    let mut y = [radius, 0.5 * radius];
    for _ in 0..60 {
        let r = meeting(&y, radius, slope);
        let (a, b, c, d) = (2.0 * y[0], 2.0 * y[1], -slope, 1.0);
        let det = a * d - b * c;
        y[0] -= (d * r[0] - b * r[1]) / det;
        y[1] -= (a * r[1] - c * r[0]) / det;
    }
    y
}

#[grad(order = 2)]
fn moment(radius: f64, slope: f64) -> f64 {
    let y = crossing(radius, slope);
    y[0] * y[0] * y[1]
}

#[test]
fn a_system_of_equations() {
    check_vector!(crossing(value radius = 2.0, value slope = 0.75));
    let (r, k) = (2.0_f64, 0.75_f64);
    let w = 1.0 + k * k;
    let jacobian = crossing::jacobian(r, k);
    let wanted = [
        1.0 / w.sqrt(),
        -r * k / w.powf(1.5),
        k / w.sqrt(),
        r / w.powf(1.5),
    ];
    near(jacobian.as_slice(), &wanted, 1e-14);
    // r³ k / w^(3/2)
    let by_k = r.powi(3) * (1.0 - 2.0 * k * k) / w.powf(2.5);
    near(
        &moment::grad(r, k),
        &(3.0 * r * r * k / w.powf(1.5), by_k),
        1e-13,
    );
    let kk = r.powi(3) * (6.0 * k.powi(3) - 9.0 * k) / w.powf(3.5);
    let rk = 3.0 * r * r * (1.0 - 2.0 * k * k) / w.powf(2.5);
    let rr = 6.0 * r * k / w.powf(1.5);
    near(moment::hessian(r, k).as_slice(), &[rr, rk, rk, kk], 1e-12);
}

/// The gradient of ridge regression, whose zero is the fit.
#[grad]
fn normal_equations(w: &[f64], x: &[[f64; 2]], t: &[f64], ridge: f64) -> Vec<f64> {
    let mut out = vec![ridge * w[0], ridge * w[1]];
    for (x, t) in x.iter().zip(t) {
        let r = w[0] * x[0] + w[1] * x[1] - t;
        out[0] += r * x[0];
        out[1] += r * x[1];
    }
    out
}

#[grad(implicit = normal_equations(&y, x, t, ridge))]
fn fit(#[constant] x: &[[f64; 2]], t: &[f64], ridge: f64) -> Vec<f64> {
    let (mut a, mut b) = ([ridge, 0.0, ridge], [0.0; 2]);
    for (x, t) in x.iter().zip(t) {
        a[0] += x[0] * x[0];
        a[1] += x[0] * x[1];
        a[2] += x[1] * x[1];
        b[0] += t * x[0];
        b[1] += t * x[1];
    }
    let det = a[0] * a[2] - a[1] * a[1];
    vec![
        (a[2] * b[0] - a[1] * b[1]) / det,
        (a[0] * b[1] - a[1] * b[0]) / det,
    ]
}

/// The same, differentiated through.
#[grad]
fn fit_through(x: &[[f64; 2]], t: &[f64], ridge: f64) -> Vec<f64> {
    let (mut a, mut b) = ([ridge, 0.0, ridge], [0.0; 2]);
    for (x, t) in x.iter().zip(t) {
        a[0] += x[0] * x[0];
        a[1] += x[0] * x[1];
        a[2] += x[1] * x[1];
        b[0] += t * x[0];
        b[1] += t * x[1];
    }
    let det = a[0] * a[2] - a[1] * a[1];
    vec![
        (a[2] * b[0] - a[1] * b[1]) / det,
        (a[0] * b[1] - a[1] * b[0]) / det,
    ]
}

#[test]
fn the_minimum_of_a_quadratic_form() {
    let x = [[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]];
    let (t, ridge, seed) = ([0.4, 1.2, -0.7], 0.5, vec![1.0, -2.0]);
    let (value, by) = fit::vjp(&x, &t, ridge, seed.clone());
    let (wanted, (_, by_t, by_ridge)) = fit_through::vjp(&x, &t, ridge, seed);
    assert_eq!(value, wanted);
    near(&by, &(by_t, by_ridge), 1e-13);
    let (_, tangent) = fit::jvp(&x, &t, ridge, (&[1.0, 0.0, 2.0], -1.0));
    let zeros = [[0.0; 2]; 3];
    let (_, wanted) = fit_through::jvp(&x, &t, ridge, (&zeros, &[1.0, 0.0, 2.0], -1.0));
    near(&tangent, &wanted, 1e-13);
}

/// The steady state of a chain of reactions, by a fixed point, as a tuple; of parameters by value.
#[grad(implicit = (y.0 - rates[0] / (1.0 + y.1), y.1 - rates[1] * y.0))]
fn steady(rates: Vec<f64>) -> (f64, f64) {
    let mut y = (1.0, 1.0);
    for _ in 0..200 {
        y.0 += 0.3 * (rates[0] / (1.0 + y.1) - y.0);
        y.1 += 0.3 * (rates[1] * y.0 - y.1);
    }
    y
}

#[test]
fn a_steady_state() {
    let (a, b) = (2.0_f64, 0.7_f64);
    // b x² + x = a
    let root = (1.0 + 4.0 * a * b).sqrt();
    let (by_a, by_b) = (1.0 / root, a / (b * root) - (root - 1.0) / (2.0 * b * b));
    let ((x, _), g) = steady::vjp(vec![a, b], (1.0, 0.0));
    near(&x, &((root - 1.0) / (2.0 * b)), 1e-14);
    near(&g, &[by_a, by_b], 1e-13);
    let (_, g) = steady::vjp(vec![a, b], (0.0, 1.0));
    near(&g, &[b * by_a, x + b * by_b], 1e-13);
    assert_eq!(steady::jacobian(vec![a, b]).row(1).len(), 2);
}

#[derive(Debug, PartialEq)]
struct NoRoot(usize);

/// A root of `y³ + p y = q`, if it is found.
#[grad(order = 2, implicit = y * y * y + p * y - q)]
fn cubic(p: f64, q: f64, #[constant] rounds: usize) -> Result<f64, NoRoot> {
    let mut y = q;
    for _ in 0..rounds {
        let step = (y * y * y + p * y - q) / (3.0 * y * y + p);
        y -= step;
        if step.abs() < 1e-14 {
            return Ok(y);
        }
    }
    Err(NoRoot(rounds))
}

#[grad]
fn twice(p: f64, q: f64) -> Result<f64, NoRoot> {
    let first = cubic(p, q, 50)?;
    let second = cubic(p * first, q, 50)?;
    Ok(first * second)
}

#[test]
fn a_solver_may_fail() {
    let (p, q) = (1.0, 2.5);
    let (y, (by_p, by_q)) = cubic::value_and_grad(p, q, 50).unwrap();
    let d = 3.0 * y * y + p;
    near(&(by_p, by_q), &(-y / d, 1.0 / d), 1e-14);
    let qq = -6.0 * y / d.powi(3);
    near(&cubic::hessian(p, q, 50).unwrap()[[1, 1]], &qq, 1e-13);
    assert_eq!(cubic::grad(p, q, 1), Err(NoRoot(1)));
    assert_eq!(cubic::jvp(p, q, 1, (1.0, 0.0)), Err(NoRoot(1)));
    let (gp, gq) = twice::grad(p, q).unwrap();
    let by = |dp: f64, dq: f64| {
        let h = 1e-6;
        (twice(p + h * dp, q + h * dq).unwrap() - twice(p - h * dp, q - h * dq).unwrap())
            / (2.0 * h)
    };
    near(&(gp, gq), &(by(1.0, 0.0), by(0.0, 1.0)), 1e-8);
}

/// The result is called `result` where a parameter has the name.
#[grad(implicit = result * result * result - y)]
fn cube_root<T: Float>(y: T) -> T {
    y.cbrt()
}

#[test]
fn generic_functions_may_be_implicit() {
    near(&cube_root::grad(8.0_f64), &(1.0 / 12.0), 1e-14);
    near(&cube_root::grad(8.0_f32), &(1.0_f32 / 12.0), 1e-6);
}

#[grad(implicit = [y[0] - a, y[1] * k as f64 - b * y[0]], wrt(a, b))]
fn chosen(a: f64, b: f64, k: usize, unused: f64) -> [f64; 2] {
    [a, b * a / k as f64]
}

#[test]
fn what_is_not_mentioned_has_derivative_zero() {
    let jacobian = chosen::jacobian(3.0, 5.0, 2, 1.0);
    assert_eq!(jacobian.as_slice(), [1.0, 0.0, 2.5, 1.5]);
}

#[grad(implicit = (y - a) * (y - a))]
fn double(a: f64) -> f64 {
    a
}

#[grad(verify, implicit = (y - a) * (y - a))]
fn watched(a: f64) -> f64 {
    a
}

#[grad(verify, implicit = y * y - a)]
fn rough(a: f64) -> f64 {
    0.5 * (a + 1.0)
}

#[test]
fn a_singular_jacobian_gives_no_number() {
    assert_eq!(double::value_and_grad(2.0).0, 2.0);
    assert!(double::jvp(2.0, 1.0).1.is_nan() || double::grad(2.0).is_nan());
    let message = panic_of(|| watched::grad(2.0));
    assert!(
        message.contains("`watched`: the Jacobian of the residual is singular"),
        "{message}"
    );
    let message = panic_of(|| rough::grad(2.0));
    assert!(
        message.contains("`rough`: the residual is not zero"),
        "{message}"
    );
    near(&rough::grad(1.0), &0.5, 1e-14);
}

/// Conjugate gradients, of a symmetric and positive definite matrix that is given by its products.
fn conjugate_gradients<T: Float>(apply: &dyn Fn(&[T]) -> Vec<T>, b: &[T]) -> Vec<T> {
    let dot =
        |a: &[T], b: &[T]| (a.iter().zip(b)).fold(T::from_f64(0.0), |sum, (a, b)| sum + *a * *b);
    let mut x = vec![T::from_f64(0.0); b.len()];
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let mut rr = dot(&r, &r);
    for _ in 0..4 * b.len() {
        let q = apply(&p);
        let along = rr / dot(&p, &q);
        for (i, q) in q.iter().enumerate() {
            x[i] += along * p[i];
            r[i] -= along * *q;
        }
        let next = dot(&r, &r);
        if next == T::from_f64(0.0) || next.to_f64() < 1e-30 {
            break;
        }
        for (p, r) in p.iter_mut().zip(&r) {
            *p = *r + next / rr * *p;
        }
        rr = next;
    }
    x
}

/// The stationary temperature of a rod whose conductivity varies, between ends of temperature 0.
#[grad(order = 2)]
fn heat_balance(u: &[f64], conductivity: &[f64], source: &[f64], loss: f64) -> Vec<f64> {
    let n = u.len();
    let mut out = vec![0.0; n];
    for i in 0..n {
        let left = if i > 0 { u[i] - u[i - 1] } else { u[i] };
        let right = if i + 1 < n { u[i] - u[i + 1] } else { u[i] };
        out[i] = conductivity[i] * left + conductivity[i + 1] * right + loss * u[i] - source[i];
    }
    out
}

fn heated(conductivity: &[f64], source: &[f64], loss: f64) -> Vec<f64> {
    let zero = vec![0.0; source.len()];
    let minus = heat_balance(&zero, conductivity, source, loss);
    let apply = |v: &[f64]| {
        let all = heat_balance(v, conductivity, source, loss);
        all.iter().zip(&minus).map(|(a, b)| a - b).collect()
    };
    conjugate_gradients(&apply, source)
}

#[grad(order = 2, implicit = heat_balance(&y, conductivity, source, loss), solve = conjugate_gradients)]
fn temperature(conductivity: &[f64], source: &[f64], loss: f64) -> Vec<f64> {
    heated(conductivity, source, loss)
}

/// The same with a matrix.
#[grad(order = 2, implicit = heat_balance(&y, conductivity, source, loss))]
fn temperature_by_matrix(conductivity: &[f64], source: &[f64], loss: f64) -> Vec<f64> {
    heated(conductivity, source, loss)
}

#[grad(order = 2)]
fn warmth(conductivity: &[f64], source: &[f64], loss: f64) -> f64 {
    let u = temperature(conductivity, source, loss);
    u.iter().map(|u| u * u.sin()).sum::<f64>() + loss * loss
}

#[grad(order = 2)]
fn warmth_by_matrix(conductivity: &[f64], source: &[f64], loss: f64) -> f64 {
    let u = temperature_by_matrix(conductivity, source, loss);
    u.iter().map(|u| u * u.sin()).sum::<f64>() + loss * loss
}

#[test]
fn a_linear_system_without_a_matrix() {
    let (k, q, loss) = ([1.0, 0.5, 2.0, 1.5, 0.7], [0.3, -0.2, 1.0, 0.4], 0.25);
    check!(warmth(shared k = k, shared q = q, value loss = loss));
    check_second!(warmth(shared k = k, shared q = q, value loss = loss));
    near(
        &warmth::grad(&k, &q, loss),
        &warmth_by_matrix::grad(&k, &q, loss),
        1e-12,
    );
    let along = ([0.3, 0.0, -1.0, 0.2, 0.4], [0.0, 1.0, 2.0, -0.5], 0.7);
    let run = |v| warmth::hvp(&k, &q, loss, v);
    let wanted = warmth_by_matrix::hvp(&k, &q, loss, (&along.0, &along.1, along.2));
    near(&run((&along.0, &along.1, along.2)), &wanted, 1e-11);
    near(
        temperature::jacobian(&k, &q, loss).as_slice(),
        temperature_by_matrix::jacobian(&k, &q, loss).as_slice(),
        1e-12,
    );
}

/// A matrix of products as it is used with a general one: a small restart-free GMRES.
fn gmres<F: Fn(&[f64]) -> Vec<f64>>(apply: F, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let beta = norm(b);
    let mut basis = vec![b.iter().map(|x| x / beta).collect::<Vec<_>>()];
    // The columns of the Hessenberg matrix, and the least squares of it by the normal equations of rotations.
    let (mut h, mut g) = (Vec::<Vec<f64>>::new(), vec![beta]);
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    for k in 0..n {
        let mut w = apply(&basis[k]);
        let mut column = Vec::new();
        for v in &basis {
            let along: f64 = v.iter().zip(&w).map(|(a, b)| a * b).sum();
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= along * v);
            column.push(along);
        }
        let rest = norm(&w);
        for (i, (c, s)) in rotations.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let size = column[k].hypot(rest);
        let (c, s) = (column[k] / size, rest / size);
        column[k] = size;
        rotations.push((c, s));
        g.push(-s * g[k]);
        g[k] *= c;
        h.push(column);
        if rest < 1e-14 * beta {
            break;
        }
        basis.push(w.iter().map(|x| x / rest).collect());
    }
    let mut x = vec![0.0; n];
    let mut along = g;
    for k in (0..h.len()).rev() {
        along[k] /= h[k][k];
        for i in 0..k {
            along[i] -= h[k][i] * along[k];
        }
        x.iter_mut()
            .zip(&basis[k])
            .for_each(|(x, v)| *x += along[k] * v);
    }
    x
}

/// The steady state of three species; its Jacobian is not symmetric.
#[grad(order = 2)]
fn reactions(y: &[f64; 3], rates: &[f64; 3], feed: f64) -> [f64; 3] {
    [
        feed - rates[0] * y[0] * y[1] - 0.5 * y[0],
        rates[0] * y[0] * y[1] - rates[1] * y[1] + 0.2,
        rates[1] * y[1] - rates[2] * y[2] * y[2],
    ]
}

fn settled(rates: &[f64; 3], feed: f64) -> Option<[f64; 3]> {
    let mut y = [1.0, 1.0, 1.0];
    for _ in 0..40 {
        let r = reactions(&y, rates, feed);
        let apply = |v: &[f64]| {
            let along = ([v[0], v[1], v[2]], [0.0; 3], 0.0);
            reactions::jvp(&y, rates, feed, (&along.0, &along.1, along.2))
                .1
                .to_vec()
        };
        if r == [0.0; 3] {
            break;
        }
        let step = gmres(apply, &r);
        y.iter_mut().zip(&step).for_each(|(y, s)| *y -= s);
    }
    y.iter().all(|y| *y > 0.0).then_some(y)
}

#[grad(order = 2, verify, implicit = reactions(&y, rates, feed), solve = gmres)]
fn steady_state(rates: &[f64; 3], feed: f64) -> Result<[f64; 3], String> {
    settled(rates, feed).ok_or_else(|| "no steady state".to_owned())
}

#[grad(order = 2, implicit = reactions(&y, rates, feed))]
fn steady_state_by_matrix(rates: &[f64; 3], feed: f64) -> Result<[f64; 3], String> {
    settled(rates, feed).ok_or_else(|| "no steady state".to_owned())
}

#[grad(order = 2)]
fn yields(rates: &[f64; 3], feed: f64) -> Result<f64, String> {
    let y = steady_state(rates, feed)?;
    Ok(y[0] * y[1] + y[2].ln())
}

#[grad(order = 2)]
fn yields_by_matrix(rates: &[f64; 3], feed: f64) -> Result<f64, String> {
    let y = steady_state_by_matrix(rates, feed)?;
    Ok(y[0] * y[1] + y[2].ln())
}

#[test]
fn a_general_system_without_a_matrix() {
    let (rates, feed) = ([1.2, 0.7, 0.4], 2.0);
    let (value, gradient) = yields::value_and_grad(&rates, feed).unwrap();
    assert_eq!(value, yields(&rates, feed).unwrap());
    near(
        &gradient,
        &yields_by_matrix::grad(&rates, feed).unwrap(),
        1e-11,
    );
    near(
        yields::hessian(&rates, feed).unwrap().as_slice(),
        yields_by_matrix::hessian(&rates, feed).unwrap().as_slice(),
        1e-9,
    );
    let along = (&[0.5, -1.0, 0.2], 0.3);
    near(
        &yields::jvp(&rates, feed, along).unwrap().1,
        &yields_by_matrix::jvp(&rates, feed, along).unwrap().1,
        1e-11,
    );
    assert_eq!(
        yields::grad(&rates, -2.0),
        Err("no steady state".to_owned())
    );
}

/// The weights that a list by value is balanced with; of a result that is a tuple.
#[grad(implicit = (3.0 * y.0 + y.1 * y.1 - w[0], y.1 - 2.0 * w[1] * k as f64), solve = gmres)]
fn balanced(w: Vec<f64>, k: usize) -> (f64, f64) {
    let second = 2.0 * w[1] * k as f64;
    ((w[0] - second * second) / 3.0, second)
}

#[grad(implicit = y * y * y - a, solve = conjugate_gradients)]
fn cube_root_by_products<T: Float>(a: T) -> T {
    a.cbrt()
}

#[test]
fn results_of_each_kind_are_solved_for() {
    let (_, g) = balanced::vjp(vec![5.0, 0.5], 2, (1.0, 0.5));
    near(&g, &[1.0 / 3.0, -16.0 / 3.0 + 2.0], 1e-13);
    near(&cube_root_by_products::grad(8.0_f64), &(1.0 / 12.0), 1e-14);
    near(
        &cube_root_by_products::grad(8.0_f32),
        &(1.0_f32 / 12.0),
        1e-6,
    );
}

fn halved(apply: &dyn Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    apply(b)
        .iter()
        .zip(b)
        .map(|(a, b)| 0.5 * b * b / a)
        .collect()
}

fn shortened(_: &dyn Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    b[1..].to_vec()
}

#[grad(verify, implicit = y * y - a, solve = halved)]
fn ill_solved(a: f64) -> f64 {
    a.sqrt()
}

#[grad(implicit = y * y - a, solve = shortened)]
fn solved_shorter(a: f64) -> f64 {
    a.sqrt()
}

#[grad(verify, implicit = y * y - a, solve = conjugate_gradients)]
fn rough_by_products(a: f64) -> f64 {
    0.5 * (a + 1.0)
}

#[test]
fn what_a_solver_gives_is_looked_at() {
    let message = panic_of(|| ill_solved::grad(4.0));
    let wanted =
        "`ill_solved`: the solver's result is no solution: the product with it is off by 0.5";
    assert!(message.contains(wanted), "{message}");
    let message = panic_of(|| solved_shorter::grad(4.0));
    let wanted = "`solved_shorter`: the solver gives 0 numbers for a right-hand side of 1";
    assert!(message.contains(wanted), "{message}");
    let message = panic_of(|| rough_by_products::grad(2.0));
    let wanted = "`rough_by_products`: the residual is not zero";
    assert!(message.contains(wanted), "{message}");
    near(&rough_by_products::grad(1.0), &0.5, 1e-14);
}
