//! Gradients by hand, for the bench alone: what those that `#[grad]` makes are compared with.
//!
//! They are as fast as plain Rust makes them without help from outside the problem: no threads, no intrinsics, no closed forms.
//! They remember only what is needed, fuse loops, cut rows once, and add up in several lanes where that pays.

pub(crate) mod ba;
pub(crate) mod det;
pub(crate) mod gmm;
pub(crate) mod kmeans;
pub(crate) mod llsq;
pub(crate) mod lse;
pub(crate) mod lstm;
pub(crate) mod ode;

/// The sum of products, in lanes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 4;
    let b = &b[..a.len()];
    let (heads, others) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = heads.remainder().iter().zip(others.remainder());
    let mut sums = [0.0; LANES];
    for (a, b) in heads.zip(others) {
        for i in 0..LANES {
            sums[i] += a[i] * b[i];
        }
    }
    rest.fold(sums.iter().sum(), |sum, (a, b)| sum + a * b)
}
