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
fn out_of_an_error(x: f64) -> f64 {
    match g(x) {
        Ok(v) => v,
        Err(e) => e.0 * 2.0,
    }
}

#[grad]
fn bound(x: f64) -> f64 {
    match g(x) {
        Ok(v) => v,
        Err(Bad(y)) => y * 2.0,
    }
}

#[grad]
fn later(x: f64) -> f64 {
    match g(x) {
        Ok(v) => v,
        Err(e) => {
            let Bad(y) = e;
            y * 2.0
        }
    }
}

#[derive(Clone, Differentiable)]
pub struct Point {
    x: f64,
}

#[grad]
fn without_default(x: f64) -> Result<Point, Bad> {
    Ok(Point { x })
}

fn main() {}
