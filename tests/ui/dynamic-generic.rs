use autodiff::{Float, grad};

#[grad(dynamic)]
fn generic<T: Float>(x: T) -> T {
    x
}

fn main() {}
