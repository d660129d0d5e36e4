//! Second derivatives of functions that return a number or none.

use autodiff::{Differentiable, grad};

#[grad(order = 2)]
fn log_likelihood(s: f64, m: f64, xs: &[f64]) -> Option<f64> {
    if s <= 0.0 {
        return None;
    }
    let mut sum = 0.0;
    for &x in xs {
        let z = (x - m) / s;
        sum -= 0.5 * z * z + s.ln();
    }
    Some(sum * m.sin())
}

#[grad(order = 2)]
fn plain(s: f64, m: f64, xs: &[f64]) -> f64 {
    log_likelihood(s, m, xs).unwrap()
}

#[grad(order = 2)]
fn power(x: f64, n: u32) -> Option<f64> {
    if x < 0.0 {
        return None;
    }
    if n == 0 {
        Some(x.exp())
    } else {
        power(x, n - 1).map(|y| y * x)
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Well {
    depth: f64,
    width: f64,
}

#[grad(order = 2)]
impl Well {
    fn energy(&self, x: f64) -> Option<f64> {
        let z = x / self.width;
        if z.abs() > 1.0 {
            None
        } else {
            Some(-self.depth * (1.0 - z * z).powi(2))
        }
    }
}

fn compare(s: f64, m: f64, xs: &[f64]) {
    let (value, (gs, gm, gx), hessian) = plain::value_grad_hessian(s, m, xs);
    let (v, (a, b, c), h) = log_likelihood::value_grad_hessian(s, m, xs).unwrap();
    assert_eq!(v, value);
    crate::check::near(&(a, b, c.clone()), &(gs, gm, gx), 1e-12);
    crate::check::near(h.as_slice(), hessian.as_slice(), 1e-12);
    assert_eq!(
        log_likelihood::hessian(s, m, xs).unwrap().as_slice(),
        h.as_slice()
    );
    let along = vec![0.3; xs.len()];
    let (first, second) = log_likelihood::hvp(s, m, xs, (1.0, -0.5, &along)).unwrap();
    let (again, expected) = plain::hvp(s, m, xs, (1.0, -0.5, &along));
    crate::check::near(&first, &again, 1e-12);
    crate::check::near(&second, &expected, 1e-12);
    let mut out = vec![7.0; h.as_slice().len()];
    assert_eq!(log_likelihood::hessian_into(s, m, xs, &mut out), Some(()));
    assert_eq!(out, h.as_slice());
    let (mut gs, mut gm, mut gx) = (9.0, 9.0, vec![9.0; xs.len()]);
    out.fill(7.0);
    let v = log_likelihood::value_grad_hessian_into(s, m, xs, &mut gs, &mut gm, &mut gx, &mut out);
    assert_eq!((v, gs, gm), (Some(value), a, b));
    assert_eq!((gx, out.as_slice()), (c, h.as_slice()));
}

#[test]
fn options_have_second_derivatives_where_they_have_a_value() {
    compare(0.8, 0.3, &[1.0, -0.4]);
    compare(1.7, -0.3, &[1.0, -0.4, 0.2, 2.0, -1.0, 0.6, 0.7, 3.0, -2.0]);
    let (mut gs, mut gm, mut gx) = (9.0, 9.0, vec![9.0; 1]);
    let mut out = [7.0; 9];
    assert!(log_likelihood::hessian(-1.0, 0.3, &[1.0]).is_none());
    assert!(log_likelihood::value_grad_hessian(-1.0, 0.3, &[1.0]).is_none());
    assert!(log_likelihood::hvp(-1.0, 0.3, &[1.0], (1.0, 1.0, &[1.0])).is_none());
    assert_eq!(
        log_likelihood::hessian_into(-1.0, 0.3, &[1.0], &mut out),
        None
    );
    let v = log_likelihood::value_grad_hessian_into(
        -1.0,
        0.3,
        &[1.0],
        &mut gs,
        &mut gm,
        &mut gx,
        &mut out,
    );
    assert_eq!((v, gs, gm, gx, out), (None, 9.0, 9.0, vec![9.0], [7.0; 9]));
}

#[test]
fn functions_that_call_themselves_and_methods_have_them_too() {
    let (x, e) = (0.7f64, 0.7f64.exp());
    let second = e * (x * x * x + 6.0 * x * x + 6.0 * x);
    crate::check::near(
        power::hessian(x, 3).unwrap().as_slice(),
        &[second][..],
        1e-12,
    );
    let (value, gradient, hessian) = power::value_grad_hessian(x, 3).unwrap();
    crate::check::near(&value, &(e * x.powi(3)), 1e-12);
    crate::check::near(&gradient, &(e * (x.powi(3) + 3.0 * x * x)), 1e-12);
    crate::check::near(hessian.as_slice(), &[second][..], 1e-12);
    assert!(power::hessian(-0.7, 3).is_none());
    let well = Well {
        depth: 2.0,
        width: 1.5,
    };
    let hessian = well.energy_hessian(0.6).unwrap();
    let (z, w) = (0.4, 1.5);
    crate::check::near(
        &hessian[[2, 2]],
        &(2.0 / (w * w) * (4.0 - 12.0 * z * z)),
        1e-12,
    );
    crate::check::near(&hessian[[0, 2]], &(4.0 * z / w * (1.0 - z * z)), 1e-12);
    assert!(well.energy_hessian(1.6).is_none());
}

#[grad(order = 2)]
fn reciprocal(x: f64) -> Option<f64> {
    if x == 0.0 { None } else { Some(1.0 / x) }
}

#[grad(order = 2)]
fn sum_by_product(xs: &[f64]) -> Option<f64> {
    let sum = xs.iter().map(|x| reciprocal(*x)).sum::<Option<f64>>()?;
    let product = xs
        .iter()
        .map(|x| reciprocal(x + 1.0))
        .product::<Option<f64>>()?;
    Some(sum * product)
}

#[grad(order = 2)]
fn sum_of_logarithms(xs: &[f64]) -> f64 {
    let sum: Option<f64> = xs.iter().map(|x| (*x > 0.0).then(|| x.ln())).sum();
    sum.unwrap_or(xs[0] * xs[0]) * xs[1]
}

#[test]
fn sums_and_products_of_what_may_be_absent() {
    let [x, y] = [1.5_f64, 0.5];
    let (p, q) = (1.0 / (x + 1.0), 1.0 / (y + 1.0));
    let sum = 1.0 / x + 1.0 / y;
    let by_x = p * q * (-1.0 / (x * x) - sum * p);
    let by_y = p * q * (-1.0 / (y * y) - sum * q);
    crate::check::near(
        &sum_by_product::grad(&[x, y]).unwrap(),
        &vec![by_x, by_y],
        1e-12,
    );
    let twice = p * q * (2.0 / x.powi(3) + 2.0 * p / (x * x) + 2.0 * sum * p * p);
    let hessian = sum_by_product::hessian(&[x, y]).unwrap();
    crate::check::near(&hessian[[0, 0]], &twice, 1e-12);
    let (_, along) = sum_by_product::jvp(&[x, y], &[1.0, 0.0]);
    crate::check::near(&along.unwrap(), &by_x, 1e-12);
    assert!(sum_by_product::grad(&[x, 0.0]).is_none());
    assert!(sum_by_product::grad(&[x, -1.0]).is_none());

    let all = sum_of_logarithms::grad(&[x, y]);
    crate::check::near(&all, &vec![y / x, x.ln() + y.ln() + 1.0], 1e-12);
    let some = sum_of_logarithms::grad(&[-x, y]);
    crate::check::near(&some, &vec![-2.0 * x * y, x * x], 1e-12);
    let hessian = sum_of_logarithms::hessian(&[-x, y]);
    crate::check::near(&hessian[[0, 0]], &(2.0 * y), 1e-12);
}
