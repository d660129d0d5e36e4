use autodiff::grad;
use num_complex::Complex;

trait Mirrored {
    fn conj(self) -> Self;
}

impl Mirrored for Complex<f64> {
    fn conj(self) -> Complex<f64> {
        Complex::new(-self.re, self.im)
    }
}

#[grad]
fn mirrored(z: Complex<f64>) -> f64 {
    z.conj().re
}

fn main() {}
