use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Axes {
    a: f64,
    k: f64,
}

#[grad]
impl Axes {
    fn as_ref(&self) -> Axes {
        Axes {
            a: self.k,
            k: self.a,
        }
    }
}

#[grad]
fn f(s: &Axes) -> f64 {
    s.as_ref().k * s.k
}

fn main() {}
