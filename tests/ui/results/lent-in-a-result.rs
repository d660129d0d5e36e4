use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Filter {
    state: f64,
}

#[grad]
impl Filter {
    fn update(&mut self, x: f64) -> Result<&f64, String> {
        self.state += x;
        Ok(&self.state)
    }
}

fn main() {}
