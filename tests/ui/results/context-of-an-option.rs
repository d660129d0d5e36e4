//! What a call returns is taken for a result where `context` is called on it, for that is not seen.

use autodiff::{Differentiable, grad};

trait Context<T> {
    fn context(self, text: &str) -> Result<T, String>;
}

impl<T> Context<T> for Option<T> {
    fn context(self, text: &str) -> Result<T, String> {
        self.ok_or(text.to_string())
    }
}

impl<T, E: std::fmt::Display> Context<T> for Result<T, E> {
    fn context(self, text: &str) -> Result<T, String> {
        self.map_err(|error| format!("{text}: {error}"))
    }
}

#[grad]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[grad]
fn of_a_function(x: f64) -> Result<f64, String> {
    Ok(positive(x).context("not positive")? * x)
}

#[derive(Clone, Differentiable)]
pub struct Weight {
    w: f64,
}

#[grad]
impl Weight {
    fn of(&self, x: f64) -> Option<f64> {
        if x > 0.0 { Some(x * self.w) } else { None }
    }
}

#[grad]
fn of_a_method(weight: &Weight, x: f64) -> Result<f64, String> {
    Ok(weight.of(x).context("not positive")? * x)
}

fn main() {}
