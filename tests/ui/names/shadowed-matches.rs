use autodiff::grad;

macro_rules! matches {
    ($value:expr, $pattern:pat $(if $guard:expr)?) => {
        match $value {
            $pattern $(if $guard)? => false,
            _ => true,
        }
    };
}

#[grad]
fn f(x: f64, n: usize) -> f64 {
    if matches!(n, 1 | 2) { x * x } else { x }
}

fn main() {}
