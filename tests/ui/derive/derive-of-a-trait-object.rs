use autodiff::Differentiable;

trait Model {
    fn rate(&self) -> f64;
}

#[derive(Differentiable)]
struct System {
    mass: f64,
    model: Box<dyn Model>,
}

fn main() {}
