use autodiff::{Float, grad};

mod helpers {
    pub fn square<T: autodiff::Float>(x: T) -> T {
        x * x
    }
}

fn first(x: &[f64]) -> Result<f64, String> {
    Ok(x[0])
}

#[grad]
fn f<T: Float>(x: T) -> T {
    helpers::square::<T>(x) + x
}

#[grad]
fn g(x: &[f64]) -> Result<f64, String> {
    Ok(first(x)? * 2.0)
}

fn main() {}
