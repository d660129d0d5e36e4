//! Decompositions of matrices that return several tensors at once.

use autodiff::{Tensor, grad};

use crate::check::near;

#[grad(order = 2)]
fn spectrum(x: &Tensor<f64>, k: f64) -> f64 {
    let (w, v) = x.eigh();
    let again = (&v * &w).matmul(v.t());
    (again * x).sum() * k + w.exp().sum() + v.square().matmul(&w).sin().sum()
}

#[grad(order = 2)]
fn values_alone(x: &Tensor<f64>) -> f64 {
    let (w, _) = x.eigh();
    w.exp().sum()
}

#[grad(order = 2)]
fn vectors_alone(x: &Tensor<f64>) -> f64 {
    let (_, v) = x.eigh();
    v.abs().sum() + v[[0, 0]].powi(2)
}

#[grad(order = 2)]
fn of_low_rank(x: &Tensor<f64>) -> f64 {
    let (u, s, vt) = x.svd();
    let low = u.narrow(1, 0, 1).matmul(vt.narrow(0, 0, 1)) * s.narrow(0, 0, 1);
    low.square().sum() + s.sum() + low.sin().sum() + vt.square().sin().sum()
}

#[grad(order = 2)]
fn factors(x: &Tensor<f64>) -> f64 {
    let (q, r) = x.qr();
    q.sin().sum() * r.cos().sum()
}

#[grad(order = 2)]
fn kept_together(x: &Tensor<f64>) -> f64 {
    let pair = x.matmul(x).qr();
    let all = (x * 2.0).svd();
    pair.0.sin().sum() * pair.1.cos().sum() + all.1.prod()
}

#[test]
fn decompositions() {
    let a = || Tensor::from([[2.0, 0.3, -0.2], [0.1, 1.0, 0.4], [0.2, -0.3, 0.4]]);
    check!(spectrum(shared x = a(), value k = 0.4));
    check_second!(spectrum(shared x = a(), value k = 0.4));
    check!(values_alone(shared x = a()));
    check_second!(values_alone(shared x = a()));
    check!(vectors_alone(shared x = a()));
    check_second!(vectors_alone(shared x = a()));
    check!(of_low_rank(shared x = a()));
    check_second!(of_low_rank(shared x = a()));
    check!(of_low_rank(shared x = a().narrow(0, 0, 2)));
    check!(factors(shared x = a()));
    check_second!(factors(shared x = a()));
    check!(factors(shared x = a().narrow(1, 0, 2)));
    check!(kept_together(shared x = a()));
    check_second!(kept_together(shared x = a()));
}

#[test]
fn vectors_of_equal_values_that_nobody_asks_for() {
    let (one, e) = (Tensor::<f64>::eye(2), 1.0_f64.exp());
    near(
        &values_alone::grad(&one).to_vec(),
        &vec![e, 0.0, 0.0, e],
        1e-14,
    );
    near(&values_alone::jvp(&one, &one).1, &(2.0 * e), 1e-14);
}
