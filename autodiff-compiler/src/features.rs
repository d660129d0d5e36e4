//! The features that decide how code is read.

use std::cell::Cell;

/// What the crate `autodiff` has beyond numbers and lists, by its features of these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "features are there or not, each for itself"
)]
pub struct Features {
    /// There are tensors, and what a function does not know the type of may be one.
    pub tensor: bool,
    /// There are matrices of nalgebra, whose methods have derivatives.
    pub nalgebra: bool,
    /// There are arrays of ndarray, whose methods have derivatives.
    pub ndarray: bool,
    /// There are complex numbers of num-complex, whose methods have derivatives.
    pub num_complex: bool,
    /// Functions of lists have sparse Jacobians and Hessians.
    pub sparse: bool,
}

thread_local! {
    // Unit tests are of tensors as well.
    static CURRENT: Cell<Features> = const {
        Cell::new(Features { tensor: cfg!(test), nalgebra: false, ndarray: false, num_complex: false, sparse: false })
    };
}

impl Features {
    /// Expands with these features; outside of this there are none.
    ///
    /// They are known at run time, so that one build of the compiler serves every choice of them.
    pub fn within<T>(self, expand: impl FnOnce() -> T) -> T {
        struct Restored(Features);
        impl Drop for Restored {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _restored = Restored(CURRENT.replace(self));
        expand()
    }

    /// Whether there are matrices or arrays of other crates.
    pub(crate) fn matrices(self) -> bool {
        self.nalgebra || self.ndarray
    }
}

/// The features that code is expanded with.
pub(crate) fn features() -> Features {
    CURRENT.get()
}
