use autodiff::grad;

mod libm {
    pub fn j0(x: f64) -> f64 {
        x
    }

    pub fn fmodf(x: f32, y: f32) -> f32 {
        x % y
    }

    pub fn remquo(x: f64, y: f64) -> (f64, i32) {
        (x % y, 0)
    }
}

mod puruspe {
    pub fn gammp(a: f64, x: f64) -> f64 {
        a * x
    }
}

mod num_traits {
    pub fn pow(x: f64, n: usize) -> f64 {
        x.powi(n as i32)
    }
}

#[grad]
fn by_path(x: f64) -> f64 {
    libm::j0(x) + libm::remquo(x, 3.0).0 + puruspe::gammp(2.0, x) + num_traits::pow(x, 3)
}

#[grad]
fn single(x: f32) -> f32 {
    libm::fmodf(x, 3.0)
}

trait Special {
    fn digamma(self) -> Self;
}

impl Special for f64 {
    fn digamma(self) -> f64 {
        self
    }
}

#[grad]
fn by_method(x: f64) -> f64 {
    x.digamma()
}

fn main() {}
