use autodiff::{Differentiable, grad};

#[derive(Debug)]
pub struct Bad(f64);

#[grad]
fn g(x: f64) -> Result<f64, Bad> {
    if x < 0.0 {
        return Err(Bad(x));
    }
    Ok(x * x)
}

#[grad]
fn in_a_result(x: f64) -> Result<Result<f64, Bad>, Bad> {
    Ok(g(x))
}

#[grad]
fn in_an_option(x: f64) -> Option<Result<f64, Bad>> {
    Some(g(x))
}

#[grad]
fn parameter(x: f64, y: Result<f64, Bad>) -> f64 {
    x * y.unwrap_or(0.0)
}

#[grad]
fn unnamed(x: f64) -> Result<f64, impl std::fmt::Debug> {
    if x < 0.0 {
        return Err(1);
    }
    Ok(x)
}

#[grad]
fn closure(x: f64) -> Result<f64, Bad> {
    let h = |v: f64| g(v * 2.0);
    Ok(h(x)? * x)
}

#[grad]
fn derivative(x: f64) -> Result<f64, Bad> {
    Ok(g::grad(x)? * x)
}

#[grad]
fn in_a_list(x: f64) -> f64 {
    let all = vec![g(x), g(x * 2.0)];
    let mut sum = 0.0;
    for r in all {
        if let Ok(v) = r {
            sum += v;
        }
    }
    sum
}

#[derive(Clone, Differentiable)]
pub struct Point {
    x: f64,
}

trait Energy {
    fn energy(&self, x: f64) -> Result<f64, Bad>;
}

#[grad]
impl Energy for Point {
    fn energy(&self, x: f64) -> Result<f64, Bad> {
        Ok(x * self.x)
    }
}

fn main() {}
