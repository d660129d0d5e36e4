//! The perceptron, its loss, and its derivative by `#[grad]`.

use autodiff::{Differentiable, Tensor, grad};

/// What is learnt: two layers y = x W + b.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Mlp {
    pub(crate) w1: Tensor<f32>,
    pub(crate) b1: Tensor<f32>,
    pub(crate) w2: Tensor<f32>,
    pub(crate) b2: Tensor<f32>,
}

/// A score for each image and digit.
#[grad]
pub(crate) fn scores(mlp: &Mlp, #[constant] images: &Tensor<f32>) -> Tensor<f32> {
    let hidden = (images.matmul(&mlp.w1) + &mlp.b1).relu();
    hidden.matmul(&mlp.w2) + &mlp.b2
}

/// The mean of −ln softmax(scores) at the digits.
#[grad]
pub(crate) fn loss(
    mlp: &Mlp,
    #[constant] images: &Tensor<f32>,
    #[constant] digits: &Tensor<usize>,
) -> f32 {
    scores(mlp, images).cross_entropy(digits)
}
