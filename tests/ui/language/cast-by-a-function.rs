use autodiff::grad;

fn cast<T, U: From<T>>(x: T) -> Option<U> {
    Some(U::from(x))
}

mod num {
    pub(crate) trait NumCast: Sized {
        fn from(x: f64) -> Option<Self>;
    }

    impl NumCast for f64 {
        fn from(x: f64) -> Option<f64> {
            Some(2.0 * x)
        }
    }
}

#[grad]
fn f<T: From<f64> + Copy + std::ops::Mul<Output = T>>(x: f64, y: T) -> T {
    let z: T = cast(x).unwrap();
    z * y
}

#[grad]
fn g<T: num::NumCast + Copy + std::ops::Mul<Output = T>>(x: f64, y: T) -> T {
    let z: T = num::NumCast::from(x).unwrap();
    z * y
}

fn main() {
    f::grad(1.0, 1.0);
    g::grad(1.0, 1.0);
}
