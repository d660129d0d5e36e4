use autodiff::grad;

trait Logger {
    fn log(&self, x: f64);
}

#[grad]
fn f(#[constant] logger: &dyn Logger, x: f64) -> f64 {
    logger.log(x);
    x * x
}

fn main() {}
