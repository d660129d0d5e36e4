//! Functions as the solvers of other crates take them, by feature.

use alloc::borrow::ToOwned;
use core::borrow::BorrowMut;

use crate::tangent::Parameters;

#[cfg(feature = "argmin")]
mod argmin;
#[cfg(feature = "levenberg-marquardt")]
mod levenberg_marquardt;

#[cfg(feature = "argmin")]
pub use self::argmin::Problem;
#[cfg(feature = "levenberg-marquardt")]
pub use self::levenberg_marquardt::Fit;

/// The point with these scalars, of the shape of another one.
fn at<P>(shape: &P, flat: &[f64]) -> P::Owned
where
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
{
    let mut point = shape.to_owned();
    point.borrow_mut().read_flat(flat);
    point
}

/// The scalars of a point.
fn flat<P: Parameters + ?Sized>(point: &P) -> alloc::vec::Vec<f64> {
    crate::objective::flat(point)
}
