//! The derivatives of functions that are defined by an equation: one step of Newton's method from the solution, whose value is the solution itself.

use core::ops::Sub;

use crate::grad;

use autodiff_runtime::jacobian::Inverse;

/// Zero, with the slope `by`.
#[grad(order = 2, partials = (by))]
fn along<T: Copy>(#[constant] by: T, #[constant] zero: T, residual: T) -> T {
    let _ = (by, residual);
    zero
}

/// Of a number; an array, so that its gradient is not among what rustc proposes to users.
#[grad(order = 2)]
pub fn number<T: Copy + Sub<Output = T>>(
    y: T,
    residual: T,
    #[constant] inverse: T,
    #[constant] zero: T,
) -> [T; 1] {
    [y - along(inverse, zero, residual)]
}

/// Of an array.
#[grad(order = 2)]
pub fn array<T: Copy + Sub<Output = T>, const N: usize>(
    y: [T; N],
    residual: [T; N],
    #[constant] inverse: &Inverse<T>,
) -> [T; N] {
    let mut out = y;
    for (i, y) in out.iter_mut().enumerate() {
        for (j, r) in residual.iter().enumerate() {
            *y = *y - along(inverse.at(i, j), inverse.zero(), *r);
        }
    }
    out
}

/// Of a list.
#[grad(order = 2)]
pub fn list<T: Copy + Sub<Output = T>>(
    y: alloc::vec::Vec<T>,
    residual: alloc::vec::Vec<T>,
    #[constant] inverse: &Inverse<T>,
) -> alloc::vec::Vec<T> {
    let mut out = y;
    for (i, y) in out.iter_mut().enumerate() {
        for (j, r) in residual.iter().enumerate() {
            *y = *y - along(inverse.at(i, j), inverse.zero(), *r);
        }
    }
    out
}
