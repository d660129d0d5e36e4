use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Model {
    k: f64,
}

#[derive(Clone, Differentiable)]
struct Scaled<'a> {
    model: &'a Model,
    by: f64,
}

#[grad]
impl Scaled<'_> {
    fn value(&self) -> f64 {
        self.model.k * self.by
    }
}

#[grad]
fn energy(model: &Model, x: f64) -> f64 {
    let scaled = Scaled { model, by: x };
    scaled.value()
}

fn main() {}
