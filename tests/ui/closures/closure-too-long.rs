use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Scale {
    k: f64,
}

#[grad]
impl Scale {
    fn f(&self, x: f64) -> f64 {
        let a = |t: f64| t * self.k + t.sin() * t.cos();
        let b = |t: f64| a(t) + a(t * 2.0) + a(t * 3.0) + a(t * 4.0) + a(t * 5.0) + a(t * 6.0);
        let c = |t: f64| b(t) + b(t * 2.0) + b(t * 3.0) + b(t * 4.0) + b(t * 5.0) + b(t * 6.0);
        let d = |t: f64| c(t) + c(t * 2.0) + c(t * 3.0) + c(t * 4.0) + c(t * 5.0) + c(t * 6.0);
        let e = |t: f64| d(t) + d(t * 2.0) + d(t * 3.0) + d(t * 4.0) + d(t * 5.0) + d(t * 6.0);
        e(x)
    }
}

fn main() {}
