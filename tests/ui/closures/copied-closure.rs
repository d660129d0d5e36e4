use autodiff::grad;

#[grad]
fn copied(x: f64) -> f64 {
    let mut k = x;
    let mut g = move || {
        k *= 2.0;
        k
    };
    let mut h = g;
    let a = g();
    a * h()
}

fn main() {}
