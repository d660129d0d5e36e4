use autodiff::{Differentiable, Parameters};

struct Angle(f64);

impl Differentiable for Angle {
    type Tangent = f64;

    fn zero_tangent(&self) -> f64 {
        0.0
    }

    fn write_flat(&self, out: &mut [f64]) {
        out[0] = self.0;
    }
}

impl Parameters for Angle {
    fn move_by(&mut self, scale: f64, t: &f64) {
        self.0 += scale * t;
    }

    fn read_flat(&mut self, flat: &[f64]) {
        self.0 = flat[0];
    }
}

#[derive(Differentiable)]
struct Arm {
    angle: Angle,
    length: f64,
}

fn main() {}
