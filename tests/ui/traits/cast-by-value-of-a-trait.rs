use autodiff::grad;
use num_traits::ToPrimitive;

trait Number: Copy {
    fn to_f64(self) -> Option<f64>;
}

impl Number for f64 {
    fn to_f64(self) -> Option<f64> {
        Some(2.0 * self)
    }
}

#[grad]
fn f<T: ToPrimitive + Number>(x: T) -> f64 {
    x.to_f64().unwrap()
}

fn main() {
    f::grad(1.0);
}
