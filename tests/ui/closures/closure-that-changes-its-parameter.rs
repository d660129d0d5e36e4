use autodiff::grad;

#[grad]
fn changed<F: Fn(&mut f64) -> f64>(f: F, x: f64) -> f64 {
    let mut y = x;
    f(&mut y) + y
}

#[grad]
fn f(x: f64, k: f64) -> f64 {
    changed(
        |y| {
            *y *= k;
            *y
        },
        x,
    )
}

fn main() {}
