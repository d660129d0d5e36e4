use autodiff::grad;

#[grad]
fn apply<F: FnMut(f64) -> f64>(mut f: F, x: f64) -> f64 {
    f(x) * x
}

#[grad]
fn f(x: f64) -> f64 {
    let mut log = vec![];
    let y = apply(
        |t| {
            log.push(t);
            t * t
        },
        x,
    );
    y + log[0]
}

fn main() {}
