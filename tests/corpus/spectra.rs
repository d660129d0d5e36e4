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

/// The same by the siblings that return errors.
mod tried {
    use autodiff::tensor::Error;
    use autodiff::{Tensor, grad};

    #[grad(order = 2)]
    pub(super) fn spectrum(x: &Tensor<f64>, k: f64) -> Result<f64, Error> {
        let (w, v) = x.try_eigh()?;
        let again = (&v * &w).matmul(v.t());
        Ok((again * x).sum() * k + w.exp().sum() + v.square().matmul(&w).sin().sum())
    }

    #[grad(order = 2)]
    pub(super) fn of_low_rank(x: &Tensor<f64>) -> Result<f64, Error> {
        let (u, s, vt) = x.try_svd()?;
        let low = u.narrow(1, 0, 1).matmul(vt.narrow(0, 0, 1)) * s.narrow(0, 0, 1);
        Ok(low.square().sum() + s.sum() + low.sin().sum() + vt.square().sin().sum())
    }

    #[grad(order = 2)]
    pub(super) fn factors(x: &Tensor<f64>) -> Result<f64, Error> {
        let (q, r) = x.try_qr()?;
        Ok(q.sin().sum() * r.cos().sum())
    }

    /// What it goes on with where there is none.
    #[grad]
    pub(super) fn or_a_sum(x: &Tensor<f64>) -> f64 {
        match x.try_eigh() {
            Ok((w, _)) => w.exp().sum(),
            Err(_) => x.square().sum(),
        }
    }
}

#[test]
fn decompositions_that_return_errors() {
    let x = Tensor::from([[2.0, 0.3, -0.4], [0.3, 1.0, 0.7], [-0.4, 0.7, -1.5]]);
    let dx = Tensor::from([[0.5, -0.1, 0.2], [0.4, 0.3, 0.9], [0.1, -0.6, 0.8]]);
    let bad = Tensor::full(&[2, 2], f64::NAN);
    assert_eq!(tried::spectrum(&x, 0.7), Ok(spectrum(&x, 0.7)));
    let both = tried::spectrum::value_and_grad(&x, 0.7);
    assert_eq!(both, Ok(spectrum::value_and_grad(&x, 0.7)));
    let along = tried::spectrum::jvp(&x, 0.7, (&dx, 0.2));
    assert_eq!(along, Ok(spectrum::jvp(&x, 0.7, (&dx, 0.2))));
    let second = tried::spectrum::hvp(&x, 0.7, (&dx, 0.2));
    assert_eq!(second, Ok(spectrum::hvp(&x, 0.7, (&dx, 0.2))));
    let hessian = tried::spectrum::hessian(&x, 0.7);
    assert_eq!(hessian, Ok(spectrum::hessian(&x, 0.7)));
    assert!(tried::spectrum::grad(&bad, 0.7).is_err());
    assert!(tried::spectrum::jvp(&bad, 0.7, (&bad, 0.2)).is_err());
    assert!(tried::spectrum::hessian(&bad, 0.7).is_err());
    macro_rules! alike {
        ($($name:ident)*) => {$(
            assert_eq!(tried::$name::value_and_grad(&x), Ok($name::value_and_grad(&x)));
            assert_eq!(tried::$name::jvp(&x, &dx), Ok($name::jvp(&x, &dx)));
            assert_eq!(tried::$name::hvp(&x, &dx), Ok($name::hvp(&x, &dx)));
            assert_eq!(tried::$name::hessian(&x), Ok($name::hessian(&x)));
            assert!(tried::$name::grad(&bad).is_err());
            assert!(tried::$name::hvp(&bad, &bad).is_err());
        )*};
    }
    alike!(of_low_rank factors);
    assert_eq!(tried::or_a_sum::grad(&x), values_alone::grad(&x));
    let wide = Tensor::from([[1.0, 2.0, 3.0]]);
    assert_eq!(tried::or_a_sum::grad(&wide), &wide * 2.0);
}
