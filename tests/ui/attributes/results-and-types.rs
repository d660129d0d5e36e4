use autodiff::{Differentiable, grad};

#[derive(Clone, Debug)]
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

impl Bad {
    fn value(&self) -> f64 {
        self.0
    }
}

fn penalty(e: Bad, x: f64) -> f64 {
    e.0 * x
}

fn recovered(e: &Bad) -> Result<f64, Bad> {
    Ok(e.0)
}

#[grad]
fn with_a_number(x: f64) -> f64 {
    match g(x) {
        Ok(v) => v,
        Err(e) => penalty(e, x),
    }
}

#[grad]
fn kept(x: f64) -> f64 {
    let mut last = None;
    let v = g(x).map_err(|e| {
        last = Some(e);
        Bad(0.0)
    });
    let Ok(v) = v else { return 0.0 };
    match last {
        Some(Bad(y)) => y,
        None => v,
    }
}

#[grad]
fn in_a_list(x: f64) -> f64 {
    let mut all = Vec::new();
    if let Err(e) = g(x) {
        all.push(e.value());
    }
    all.iter().sum::<f64>()
}

#[grad]
fn beside(x: f64) -> f64 {
    g(x).unwrap_or_else(|e| {
        let (again, k) = (e, 2);
        again.0 * k as f64
    })
}

#[grad]
fn tried(x: f64) -> Result<f64, Bad> {
    match g(x) {
        Ok(v) => Ok(v),
        Err(e) => {
            let v = recovered(&e)?;
            Ok(v * 2.0)
        }
    }
}

#[grad]
fn out_of_the_match(x: f64) -> f64 {
    let failed = match g(x) {
        Ok(_) => None,
        Err(e) => Some(e),
    };
    failed.map_or(x, |e| e.0)
}

#[grad]
fn pairs(x: f64) -> Result<f64, (f64, usize)> {
    if x < 0.0 {
        return Err((x, 1));
    }
    Ok(x)
}

#[grad]
fn of_a_pair(x: f64) -> f64 {
    match pairs(x) {
        Ok(v) => v,
        Err((y, _)) => y,
    }
}

#[grad]
fn generic<T: autodiff::Float>(x: T) -> Result<T, T> {
    if x < T::from_f64(0.0) {
        return Err(x);
    }
    Ok(x)
}

#[grad]
fn of_a_generic<T: autodiff::Float>(x: T) -> T {
    match generic(x) {
        Ok(v) => v,
        Err(e) => e,
    }
}

#[derive(Clone, Differentiable)]
pub struct Point {
    x: f64,
    made: std::time::Instant,
}

#[grad]
fn without_default(x: f64) -> Result<Point, Bad> {
    Ok(Point {
        x,
        made: std::time::Instant::now(),
    })
}

fn main() {}
