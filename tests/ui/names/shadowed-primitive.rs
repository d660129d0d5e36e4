use autodiff::grad;

mod f64 {
    pub(crate) fn sin(x: core::primitive::f64) -> core::primitive::f64 {
        2.0 * x
    }
}

#[grad]
fn f(x: f64) -> f64 {
    f64::sin(x) * x
}

fn main() {}
