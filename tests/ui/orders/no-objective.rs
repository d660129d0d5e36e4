use autodiff::{Objective, Residuals, grad};

#[grad]
fn two(x: f64, y: f64) -> f64 {
    x * y
}

#[grad]
fn bound(x: f64, #[constant] k: f64) -> f64 {
    x * k
}

fn minimise(_: &dyn Objective<Point = f64>) {}

fn solve(_: impl Residuals) {}

fn main() {
    minimise(&two {});
    minimise(&bound {});
    solve(bound::with(2.0));
    two::with(1.0);
}
