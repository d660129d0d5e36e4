use autodiff::grad;

#[grad]
fn f<F>(x: f64, g: F) -> f64
where
    F: Fn(f64) -> f64,
{
    g(x)
}

fn main() {}
