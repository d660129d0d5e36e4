use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Ring {
    all: Vec<f64>,
}

impl Ring {
    fn len(&self) -> usize {
        self.all.len()
    }

    fn iter(&self) -> impl Iterator<Item = &f64> {
        self.all.iter().skip(1)
    }
}

#[grad]
impl std::ops::Index<usize> for Ring {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.all[i]
    }
}

#[grad]
fn f(ring: &Ring) -> f64 {
    let mut s = 0.0;
    for v in ring.iter() {
        s += v * v;
    }
    s * ring.len() as f64
}

fn main() {}
