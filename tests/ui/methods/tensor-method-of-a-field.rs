use autodiff::{Differentiable, Tensor, grad};

#[derive(Differentiable)]
struct Layer {
    w: Tensor<f64>,
}

#[grad]
fn f(layer: &Layer) -> f64 {
    let (sorted, _) = layer.w.sort(0);
    sorted.sum()
}

fn main() {}
