use autodiff::grad;

#[grad]
fn squares(xs: &[f64]) -> impl Iterator<Item = f64> {
    xs.iter().map(|x| x * x).collect::<Vec<_>>().into_iter()
}

#[grad]
fn scaled(k: f64) -> impl Fn(f64) -> f64 {
    move |x| k * x
}

#[grad]
fn shown(x: f64) -> impl std::fmt::Debug {
    x * x
}

fn main() {}
