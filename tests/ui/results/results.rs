use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug)]
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
    match h(x) {
        Ok(v) => Ok(v * x),
        Err(_) => Ok(x),
    }
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

#[grad]
fn in_a_chain(x: f64) -> f64 {
    let r = g(x);
    if let Err(_) = r && x > 2.0 { x } else { 0.0 }
}

#[grad]
fn left_over(x: f64) -> f64 {
    let r = g(x);
    println!("{r:?}");
    let both = (r, x);
    match r {
        Ok(v) => v + both.1,
        Err(_) => x,
    }
}

#[grad]
fn in_a_tuple(x: f64) -> f64 {
    match (g(x), g(x * 2.0)) {
        (Ok(a), Ok(b)) => a * b,
        _ => x,
    }
}

macro_rules! keep {
    ($to:ident, $e:expr) => {
        $to = $e.0
    };
}

#[grad]
fn by_a_macro(x: f64) -> f64 {
    let mut sum = 0.0;
    if let Err(e) = g(x) {
        keep!(sum, e);
    }
    sum
}

#[grad]
fn out_of_a_closure(x: f64) -> Result<f64, Bad> {
    g(x).and_then(|v| {
        if v > 3.0 {
            return Ok(v * 2.0);
        }
        Ok(v * x)
    })
}

#[grad]
fn tried_in_a_closure(x: f64) -> f64 {
    g(x).map_or_else(|_| x, |v| g(v)? * x)
}

#[grad]
fn the_error(x: f64) -> f64 {
    g(x).unwrap_err().0
}

fn doubled(x: &mut f64) -> Result<(), Bad> {
    *x *= 2.0;
    Ok(())
}

fn perhaps_doubled(x: Option<&mut f64>) -> Result<(), Bad> {
    x.map_or(Ok(()), doubled)
}

#[grad]
fn lent_within(x: f64) -> Result<f64, Bad> {
    let mut y = x;
    perhaps_doubled(Some(&mut y))?;
    Ok(y)
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
