use std::collections::VecDeque;

use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let queue: VecDeque<_> = xs.iter().map(|x| x * x).collect();
    queue[0]
}

fn main() {}
