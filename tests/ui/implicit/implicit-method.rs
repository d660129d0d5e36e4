use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Area(f64);

impl Area {
    #[grad(implicit = y * y - self.0)]
    fn side(&self) -> Result<f64, String> {
        Ok(self.0.sqrt())
    }
}

fn main() {}
