//! Methods of tensors that return errors, beside those that panic: the same derivatives, and the error in their place.

use std::error;

use autodiff::tensor::{Conv2d, Error};
use autodiff::{Differentiable, Tangent, Tensor, grad};

use super::tensors::some;
use crate::check::near;

/// A function of two tensors by methods that return errors, and by those that panic: all derivatives are the same bits, and fail together.
macro_rules! pairs {
    ($($tried:ident $sure:ident($x:ident: $X:expr, $w:ident: $W:expr; $bad:expr) = $with:expr, $without:expr;)*) => {
        $(
            #[grad(order = 2)]
            fn $tried($x: &Tensor<f64>, $w: &Tensor<f64>) -> Result<f64, Error> {
                let y = $with;
                Ok((&y * &y * 0.5 + y).sum())
            }
            #[grad(order = 2)]
            fn $sure($x: &Tensor<f64>, $w: &Tensor<f64>) -> f64 {
                let y = $without;
                (&y * &y * 0.5 + y).sum()
            }
        )*

        #[test]
        fn derivatives_are_those_of_methods_that_panic() {
            $({
                let (x, w, bad) = ($X, $W, $bad);
                let (dx, dw) = (some(x.shape()) * 0.3, some(w.shape()) + 0.1);
                assert_eq!($tried(&x, &w), Ok($sure(&x, &w)));
                assert_eq!($tried::value_and_grad(&x, &w), Ok($sure::value_and_grad(&x, &w)));
                assert_eq!($tried::jvp(&x, &w, (&dx, &dw)), Ok($sure::jvp(&x, &w, (&dx, &dw))));
                assert_eq!($tried::hvp(&x, &w, (&dx, &dw)), Ok($sure::hvp(&x, &w, (&dx, &dw))));
                assert_eq!($tried::hessian(&x, &w).unwrap(), $sure::hessian(&x, &w));
                // Against differences as well.
                let (up, down) = (&x + &(&dx * 1e-6), &x - &(&dx * 1e-6));
                let difference = ($tried(&up, &w).unwrap() - $tried(&down, &w).unwrap()) / 2e-6;
                near(&$tried::grad(&x, &w).unwrap().0.inner(&dx), &difference, 1e-6);

                let error = $tried(&x, &bad).unwrap_err();
                assert_eq!($tried::grad(&x, &bad), Err(error.clone()));
                assert_eq!($tried::jvp(&x, &bad, (&dx, &bad)), Err(error.clone()));
                assert_eq!($tried::hvp(&x, &bad, (&dx, &bad)), Err(error.clone()));
                assert_eq!($tried::hessian(&x, &bad).unwrap_err(), error);
                let (mut gx, mut gw) = (x.zero_tangent(), bad.zero_tangent());
                assert_eq!($tried::grad_into(&x, &bad, &mut gx, &mut gw), Err(error));
                assert_eq!((gx.norm2(), gw.norm2()), (0.0, 0.0));
            })*
        }
    };
}

pairs! {
    product product_sure(x: some(&[2, 3]), w: some(&[3, 2]); some(&[2, 2])) = x.try_matmul(w)?, x.matmul(w);
    by_value by_value_sure(x: some(&[2, 3]), w: some(&[3, 2]); some(&[2, 2])) = x.try_matmul(w * 2.0)?, x.matmul(w * 2.0);
    of_a_number of_a_number_sure(x: some(&[3]), w: some(&[3]); some(&[2])) = x.try_maximum(0.1)?.try_maximum(w)?, x.maximum(0.1).maximum(w);
    scalar scalar_sure(x: some(&[3]), w: some(&[3]); some(&[2])) = x * x.try_dot(w)?, x * x.dot(w);
    with_attributes with_attributes_sure(x: some(&[2, 3]), w: some(&[6]); some(&[5])) = x.try_mean_axis(1)? * w.try_reshape(&[3, 2])?, x.mean_axis(1) * w.reshape(&[3, 2]);
    options options_sure(x: some(&[1, 1, 3, 3]), w: some(&[1, 1, 2, 2]); some(&[1, 2, 2, 2])) = x.try_conv2d(w, Conv2d::default())?, x.conv2d(w, Conv2d::default());
    several several_sure(x: some(&[2, 3]), w: some(&[1, 3]); some(&[1, 2])) = Tensor::try_concat(&[x, w], 0)?, Tensor::concat(&[x, w], 0);
    equation equation_sure(x: some(&[2, 3]), w: some(&[3]); some(&[2])) = Tensor::try_einsum("ij,j->i", &[x, w])?, Tensor::einsum("ij,j->i", &[x, w]);
    pieces pieces_sure(x: some(&[2]), w: some(&[2, 3]); some(&[2])) = { let p = w.try_split(1, 2)?; p[0].sum_axis(1) * p[1].sum_axis(1) * x }, { let p = w.split(1, 2); p[0].sum_axis(1) * p[1].sum_axis(1) * x };
    chunks chunks_sure(x: some(&[2]), w: some(&[2, 3]); some(&[2])) = x * w.try_chunk(1, 3)?[2].sum_axis(1), x * w.chunk(1, 3)[2].sum_axis(1);
    attention attention_sure(x: some(&[2, 3]), w: some(&[4, 3]); some(&[4, 2])) = x.try_attention(w, w)?, x.attention(w, w);
}

/// A function of type parameters, of which each round may fail.
#[grad]
fn rounds(x: &Tensor<f64>, ws: &[Tensor<f64>]) -> Result<f64, Box<dyn error::Error>> {
    let mut h = x.clone();
    let mut sum = 0.0;
    for w in ws {
        h = h.try_matmul(w)?.tanh();
        sum += h.try_mean_axis(0)?.sum();
    }
    Ok(sum)
}

#[grad]
fn rounds_sure(x: &Tensor<f64>, ws: &[Tensor<f64>]) -> f64 {
    let mut h = x.clone();
    let mut sum = 0.0;
    for w in ws {
        h = h.matmul(w).tanh();
        sum += h.mean_axis(0).sum();
    }
    sum
}

#[test]
fn in_loops() {
    let (x, mut ws) = (some(&[4, 3]), [some(&[3, 2]), some(&[2, 5])]);
    assert_eq!(rounds::grad(&x, &ws).unwrap(), rounds_sure::grad(&x, &ws));
    ws[1] = some(&[3, 5]);
    let message = "matmul: the inner lengths differ: [4, 2] times [3, 5]";
    assert_eq!(rounds::grad(&x, &ws).unwrap_err().to_string(), message);
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: Tensor<f64>,
    b: Tensor<f64>,
}

#[grad]
impl Layer {
    fn forward(&self, x: &Tensor<f64>) -> Result<Tensor<f64>, Error> {
        let h = x.try_matmul(&self.w)?;
        let scale = self.b.try_sum_axis(0)?;
        Ok((h + &self.b).exp() * scale)
    }
}

#[grad]
fn loss(layer: &Layer, x: &Tensor<f64>, #[constant] target: &Tensor<f64>) -> Result<f64, String> {
    let y = layer.forward(x).map_err(|e| format!("layer: {e}"))?;
    y.try_mse(target).map_err(|e| e.to_string())
}

#[test]
fn of_fields() {
    let (w, b, x, y) = (some(&[3, 2]), some(&[2]), some(&[4, 3]), some(&[4, 2]));
    let layer = |w: &Tensor<f64>| Layer {
        w: w.clone(),
        b: b.clone(),
    };
    let (gradient, _) = loss::grad(&layer(&w), &x, &y).unwrap();
    let dw = some(&[3, 2]) + 0.2;
    let at = |h: f64| loss(&layer(&(&w + &(&dw * h))), &x, &y).unwrap();
    near(
        &gradient.w.inner(&dw),
        &((at(1e-6) - at(-1e-6)) / 2e-6),
        1e-6,
    );
    let message = "layer: matmul: the inner lengths differ: [4, 3] times [2, 2]";
    assert_eq!(
        loss::grad(&layer(&some(&[2, 2])), &x, &y).unwrap_err(),
        message
    );
}

#[grad]
fn gone_on_with(x: &Tensor<f64>, w: &Tensor<f64>) -> f64 {
    match x.try_matmul(w) {
        Ok(y) => (&y * &y).sum(),
        Err(_) => x.sum(),
    }
}

#[grad]
fn asserted(x: &Tensor<f64>, w: &Tensor<f64>) -> f64 {
    x.try_matmul(w).unwrap().sum()
}

#[grad]
fn replaced(x: &Tensor<f64>, w: &Tensor<f64>) -> f64 {
    let y = x.try_matmul(w).unwrap_or_else(|_| Tensor::zeros(&[2]));
    y.sum()
}

#[grad]
fn chosen(mask: &Tensor<bool>, x: &Tensor<f64>, w: &Tensor<f64>) -> Result<f64, Error> {
    let y = mask.try_where_cond(x, w)?;
    Ok((&y * &y).sum())
}

#[grad]
fn single(x: &Tensor<f32>, #[constant] at: &Tensor<usize>) -> Result<Tensor<f32>, Error> {
    x.try_index_select(0, at)
}

#[test]
fn what_is_made_of_errors() {
    let (x, w, bad) = (some(&[2, 3]), some(&[3, 2]), some(&[2, 2]));
    let (dx, dw) = gone_on_with::grad(&x, &w);
    assert_eq!(dx, x.matmul(&w).matmul(w.transpose(0, 1)) * 2.0);
    assert_eq!(dw.shape(), [3, 2]);
    let (dx, dw) = gone_on_with::grad(&x, &bad);
    assert_eq!((dx, dw.norm2()), (Tensor::ones(&[2, 3]), 0.0));
    assert_eq!(asserted::grad(&x, &w).0, replaced::grad(&x, &w).0);
    let (dx, dw) = replaced::grad(&x, &bad);
    assert_eq!((dx.norm2(), dw.norm2()), (0.0, 0.0));

    let mask = Tensor::from([[true, false, true], [false, true, true]]);
    let other = some(&[2, 3]) + 1.0;
    let (dx, dw) = chosen::grad(&mask, &x, &other).unwrap();
    assert_eq!(
        (dx[[0, 0]], dx[[0, 1]], dw[[0, 1]]),
        (2.0 * x[[0, 0]], 0.0, 2.0 * other[[0, 1]])
    );
    assert!(chosen::grad(&mask, &x, &some(&[2, 2])).is_err());

    let x = Tensor::<f32>::from([1.0, 2.0, 3.0]);
    let (y, d) = single::vjp(
        &x,
        &Tensor::from([2, 0, 2]),
        Tensor::from([1.0, 10.0, 100.0]),
    )
    .unwrap();
    assert_eq!(
        (y.to_vec(), d.to_vec()),
        (vec![3.0, 1.0, 3.0], vec![10.0, 0.0, 101.0])
    );
    assert!(single::vjp(&x, &Tensor::from([3]), Tensor::from([1.0])).is_err());
}
