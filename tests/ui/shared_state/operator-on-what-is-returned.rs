use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Measured {
    value: f64,
    error: f64,
}

#[grad]
impl std::ops::Add for Measured {
    type Output = Measured;
    fn add(self, other: Measured) -> Measured {
        Measured {
            value: self.value + other.value,
            error: self.error.hypot(other.error),
        }
    }
}

#[grad]
fn read_off(x: f64) -> Measured {
    Measured { value: x, error: 0.1 * x }
}

#[grad]
fn error_of(m: Measured) -> f64 {
    m.error
}

#[grad]
fn loss(x: f64, y: f64) -> f64 {
    error_of(read_off(x) + read_off(y))
}

fn main() {}
