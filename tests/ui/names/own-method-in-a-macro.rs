use autodiff::grad;

#[derive(Clone, autodiff::Differentiable)]
struct Spring {
    k: f64,
}

impl Spring {
    fn stiffen(&mut self) -> bool {
        self.k *= 2.0;
        true
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut spring = Spring { k: x };
    assert!(spring.stiffen());
    spring.k * spring.k
}

fn main() {}
