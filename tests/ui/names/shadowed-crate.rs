use autodiff::grad;

mod std {
    pub(crate) mod mem {
        pub(crate) fn replace(a: &mut f64, b: f64) -> f64 {
            *a * b
        }
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut p = x;
    let q = std::mem::replace(&mut p, 3.0);
    p * q
}

fn main() {}
