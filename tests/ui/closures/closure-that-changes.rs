use autodiff::grad;

#[grad]
fn apply<F: FnMut(f64) -> f64>(mut f: F, x: f64) -> f64 {
    f(x) * x
}

#[grad]
fn f(x: f64) -> f64 {
    let mut sum = 0.0;
    let y = apply(
        |t| {
            sum += t;
            sum * t
        },
        x,
    );
    y + sum
}

fn main() {}
