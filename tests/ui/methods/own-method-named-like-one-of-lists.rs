use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Force {
    x: f64,
}

#[grad]
impl Force {
    fn clear(&mut self) {
        self.x = 0.0;
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    force: Force,
    speed: f64,
}

#[grad]
impl Body {
    fn step(&mut self, time: f64) {
        self.speed += self.speed * time;
        self.force.clear();
    }
}

fn main() {}
