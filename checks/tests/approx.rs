//! Comparison of derived tangents up to a tolerance, by the traits of the crate `approx`.

use approx::{assert_abs_diff_eq, assert_relative_eq, assert_ulps_eq, relative_eq, ulps_eq};
use autodiff::tensor::Tensor;
use autodiff::{Differentiable, Tangent, grad};

#[derive(Clone, Debug, Differentiable)]
struct Net<T> {
    layers: Vec<Layer>,
    scale: f32,
    out: T,
    #[constant]
    name: &'static str,
    rounds: usize,
}

#[derive(Clone, Debug, Differentiable)]
enum Layer {
    Dense { weight: Tensor<f64>, bias: [f64; 2] },
    Scale(f64),
    Nothing,
}

#[derive(Clone, Debug, Differentiable)]
struct Unit;

#[derive(Debug, Differentiable)]
struct Lent<'a, const N: usize>(&'a [f64; N]);

fn net(x: f64) -> Net<f64> {
    let weight = Tensor::from([[x, 2.0], [3.0, 4.0]]);
    Net {
        layers: vec![
            Layer::Dense {
                weight,
                bias: [0.5, x],
            },
            Layer::Scale(2.0),
            Layer::Nothing,
        ],
        scale: 1.5,
        out: x,
        name: "net",
        rounds: 3,
    }
}

#[grad]
fn loss(net: &Net<f64>) -> f64 {
    let mut sum = f64::from(net.scale) * net.out;
    for layer in &net.layers {
        sum += match layer {
            Layer::Dense { weight, bias } => weight.sum() * weight.sum() + bias[0].exp() * bias[1],
            Layer::Scale(by) => by.sin(),
            Layer::Nothing => 0.0,
        };
    }
    sum
}

#[test]
fn a_gradient_is_that_of_the_closed_form() {
    let net = net(1.0);
    assert_eq!((net.name, net.rounds), ("net", 3));
    let gradient = loss::grad(&net);
    let expected = NetTangent {
        layers: vec![
            LayerTangent::Dense {
                weight: Tensor::full(&[2, 2], 20.0),
                bias: [0.5_f64.exp(), 0.5_f64.exp()],
            },
            LayerTangent::Scale(2.0_f64.cos()),
            LayerTangent::Nothing,
        ],
        scale: 1.0,
        out: 1.5,
        name: (),
        rounds: (),
    };
    assert_abs_diff_eq!(gradient, expected, epsilon = 1e-14);
    assert_relative_eq!(gradient, expected, max_relative = 1e-14);
    assert_ulps_eq!(gradient, expected, max_ulps = 4);
}

#[test]
fn numbers_that_differ_are_told_from_those_that_hardly_do() {
    let (a, b) = (loss::grad(&net(1.0)), loss::grad(&net(1.0 + 1e-9)));
    assert!(a != b);
    assert_relative_eq!(a, b, max_relative = 1e-8);
    assert!(!relative_eq!(a, b, max_relative = 1e-11));
    assert!(!ulps_eq!(a, b));

    // One unit in the last place of a number of type f32 is one, and much in those of f64.
    let mut c = a.clone();
    c.scale = f32::from_bits(c.scale.to_bits() + 1);
    assert_ulps_eq!(a, c, max_ulps = 1);
    assert!(!relative_eq!(a, c));
    c.scale = f32::NAN;
    assert!(!relative_eq!(c, c, epsilon = 1e9));
}

#[test]
fn another_structure_is_never_close() {
    let a = loss::grad(&net(1.0));
    let differs = |change: &dyn Fn(&mut NetTangent<f64>)| {
        let mut b = a.clone();
        change(&mut b);
        assert!(!relative_eq!(a, b, epsilon = 1e9), "{b:?}");
        assert!(!relative_eq!(b, a, epsilon = 1e9), "{b:?}");
    };
    differs(&|b| _ = b.layers.pop());
    differs(&|b| b.layers[1] = LayerTangent::Nothing);
    differs(&|b| {
        let (weight, bias) = (Tensor::zeros(&[4]), [0.0; 2]);
        b.layers[0] = LayerTangent::Dense { weight, bias };
    });
}

#[test]
fn tangents_without_numbers_and_of_what_is_lent() {
    assert_abs_diff_eq!(Unit.zero_tangent(), Unit.zero_tangent());
    let mut one = Lent(&[1.0, 2.0]).zero_tangent();
    let zero = one.clone();
    one.for_each_scalar(&mut |x| *x += 1e-3);
    assert_abs_diff_eq!(one, zero, epsilon = 1e-2);
    assert!(!relative_eq!(one, zero, epsilon = 1e-4));
}
