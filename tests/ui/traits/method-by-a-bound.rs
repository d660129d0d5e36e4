use autodiff::grad;

trait Layer {
    fn forward(&self, x: f64) -> f64;
}

#[grad]
fn applied<L: Layer>(#[constant] layer: &L, x: f64) -> f64 {
    layer.forward(x)
}

fn main() {}
