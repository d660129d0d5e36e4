use autodiff::grad;

type Maybe = Option<Vec<f64>>;

#[grad]
fn f(x: &[f64]) -> f64 {
    let mut xs = x.to_vec();
    let taken: Maybe = xs.extract_if(.., |v| *v > 0.0).map(|v| if v < 9.0 { Some(v * 2.0) } else { None }).collect();
    taken.map_or(0.0, |taken| taken[0]) + xs[0]
}

fn main() {}
