use autodiff::grad;

trait Blend: Copy {
    fn mix(a: Self, b: Self) -> Self;
}

impl Blend for f64 {
    fn mix(a: f64, b: f64) -> f64 {
        a * b
    }
}

#[grad]
fn blended<T: Blend>(a: T, b: T) -> T {
    T::mix(a, b)
}

fn main() {}
