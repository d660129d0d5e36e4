use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Pump {
    rate: f64,
}

impl Pump {
    fn new(rate: f64) -> Pump {
        Pump { rate }
    }

    fn power(&self, head: f64) -> f64 {
        self.rate * head
    }
}

#[grad]
fn power(pump: &Pump, head: f64) -> f64 {
    pump.power(2.0) * head
}

#[grad]
fn made(rate: f64) -> f64 {
    Pump::new(rate).rate
}

fn main() {}
