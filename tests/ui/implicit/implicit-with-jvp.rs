use autodiff::grad;

#[grad(implicit = y * y - a, jvp = pushforward)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn pushforward(a: f64, dot: f64) -> (f64, f64) {
    (a.sqrt(), 0.5 * dot / a.sqrt())
}

fn main() {}
