use autodiff::{Float, grad};

#[grad(trace)]
fn f<T: Float>(x: T) -> T {
    x * x
}

fn main() {}
