use autodiff::grad;

trait Layer {
    fn forward(&self, x: f64) -> f64;
}

#[grad]
fn network(#[constant] layers: &[Box<dyn Layer>], x: f64) -> f64 {
    let mut y = x;
    for layer in layers {
        y = layer.forward(y);
    }
    y
}

fn main() {}
