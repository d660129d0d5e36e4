use autodiff::grad;

struct Spring {
    stiffness: f64,
    damping: f64,
}

#[grad]
impl Spring {
    fn force(&self, x: f64, v: f64) -> f64 {
        -self.stiffness * x - self.damping * v
    }

    fn power(&self, x: f64, v: f64) -> Result<f64, String> {
        Ok(self.force(x, v) * v)
    }
}

fn main() {}
