use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Window<'a> {
    entries: &'a [f64],
}

#[derive(Clone, Differentiable)]
struct Series {
    entries: Vec<f64>,
}

#[grad]
impl Series {
    fn window(&self, from: usize) -> Window<'_> {
        Window {
            entries: &self.entries[from..],
        }
    }

    fn sum(&self) -> f64 {
        self.entries.iter().sum()
    }
}

fn main() {}
