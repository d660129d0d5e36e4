use autodiff::grad;

#[grad]
fn f<T: Copy + core::ops::Mul<Output = T>>(x: T) -> T {
    x * x
}

fn main() {}
