use autodiff::grad;

#[derive(Clone, autodiff::Differentiable)]
struct Spring {
    k: f64,
}

impl Spring {
    fn stiffen(&mut self) -> f64 {
        self.k *= 2.0;
        self.k
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut spring = Spring { k: x };
    let before = autodiff::stop_gradient(spring.stiffen());
    spring.k * before
}

fn main() {}
