use autodiff::grad;

mod mem {
    /// Of the same type as the function of the standard library.
    pub(crate) fn replace<T>(_: &mut T, b: T) -> T {
        b
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut p = x;
    let q = mem::replace(&mut p, 3.0);
    p * q
}

fn main() {}
