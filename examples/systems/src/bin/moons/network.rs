//! The perceptron on tensors, its loss, and its derivative by `#[grad]`.

use autodiff::{Differentiable, Tensor, grad};
use serde::Deserialize;

/// What stands between two layers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Activation {
    Relu,
    Tanh,
    Sigmoid,
    Gelu,
    Silu,
    Softplus,
}

/// y = x W + b.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Layer {
    pub(crate) w: Tensor<f64>,
    pub(crate) b: Tensor<f64>,
}

/// What is learnt.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Network {
    pub(crate) layers: Vec<Layer>,
}

#[grad]
fn activated(#[constant] activation: Activation, x: &Tensor<f64>) -> Tensor<f64> {
    match activation {
        Activation::Relu => x.relu(),
        Activation::Tanh => x.tanh(),
        Activation::Sigmoid => x.sigmoid(),
        Activation::Gelu => x.gelu(),
        Activation::Silu => x.silu(),
        Activation::Softplus => x.softplus(),
    }
}

/// A score for each point and class.
#[grad]
pub(crate) fn scores(
    network: &Network,
    #[constant] activation: Activation,
    #[constant] points: &Tensor<f64>,
) -> Tensor<f64> {
    let mut h = points.clone();
    for (k, layer) in network.layers.iter().enumerate() {
        h = h.matmul(&layer.w) + &layer.b;
        if k + 1 < network.layers.len() {
            h = activated(activation, &h);
        }
    }
    h
}

/// The mean of −ln softmax(scores) at the points' classes.
#[grad]
pub(crate) fn loss(
    network: &Network,
    #[constant] activation: Activation,
    #[constant] points: &Tensor<f64>,
    #[constant] classes: &Tensor<usize>,
) -> f64 {
    scores(network, activation, points).cross_entropy(classes)
}
