use autodiff::grad;

#[grad(dynamic)]
fn generic<T: Copy + std::ops::Mul<Output = T>>(x: T) -> T {
    x * x
}

fn main() {}
