//! Whose method the user's own code calls: of matrices, arrays and complex numbers, a trait of the user's own may have one that rustc prefers to the crate's, while derivatives are the crate's.
//!
//! rustc looks for methods that take a value as it is before those that borrow it, and of an array the crate's own come behind those of traits for it.
//! So generated code calls each method, in a closure that never runs, where a trait of ours has it as well: if there is another, rustc finds two and says so.

/// What is asked, never made.
pub trait Asked {
    /// As a value, behind a reference, and behind one that may change it.
    type Each<'a>
    where
        Self: 'a;
    /// The same for methods that change it, which come behind those of traits that borrow it.
    type Changed<'a>
    where
        Self: 'a;
}

/// What is no matrix, no array and no complex number: its methods are its own affair.
#[derive(Clone, Copy, Debug)]
pub struct NoMatrix;

#[cfg(feature = "nalgebra")]
impl<T, R, C, S> Asked for ::nalgebra::Matrix<T, R, C, S> {
    // What borrows is the crate's own before it is any trait's.
    type Each<'a>
        = (Self, NoMatrix, NoMatrix)
    where
        Self: 'a;
    type Changed<'a>
        = (Self, &'a Self, NoMatrix)
    where
        Self: 'a;
}

#[cfg(feature = "nalgebra")]
macro_rules! borrowing {
    ($([$($g:tt)*] $t:ty where [$($w:tt)*];)*) => {$(
        impl<$($g)*> Asked for $t where $($w)* {
            type Each<'a> = (Self, NoMatrix, NoMatrix) where Self: 'a;
            type Changed<'a> = (Self, NoMatrix, NoMatrix) where Self: 'a;
        }
        impl<$($g)*> HasThem for $t where $($w)* {}
    )*};
}
#[cfg(feature = "nalgebra")]
borrowing! {
    [T: ::nalgebra::ComplexField, D: ::nalgebra::Dim] ::nalgebra::Cholesky<T, D> where [::nalgebra::DefaultAllocator: ::nalgebra::allocator::Allocator<D, D>];
    [T] ::nalgebra::Quaternion<T> where [];
    [T] ::nalgebra::Unit<::nalgebra::Quaternion<T>> where [];
    [T, const D: usize] ::nalgebra::Rotation<T, D> where [];
    [T, R, const D: usize] ::nalgebra::Isometry<T, R, D> where [];
    [T: ::nalgebra::ComplexField, D: ::nalgebra::DimMin<D, Output = D>] ::nalgebra::LU<T, D, D> where [::nalgebra::DefaultAllocator: ::nalgebra::allocator::Allocator<D, D> + ::nalgebra::allocator::Allocator<D>];
}

#[cfg(feature = "ndarray")]
impl<S: ::ndarray::RawData, D> Asked for ::ndarray::ArrayBase<S, D> {
    type Each<'a>
        = (Self, &'a Self, &'a mut Self)
    where
        Self: 'a;
    type Changed<'a>
        = (Self, &'a Self, NoMatrix)
    where
        Self: 'a;
}

impl<A: Asked> Asked for &A {
    type Each<'a>
        = A::Each<'a>
    where
        Self: 'a;
    type Changed<'a>
        = A::Changed<'a>
    where
        Self: 'a;
}

impl<A: Asked> Asked for &mut A {
    type Each<'a>
        = A::Each<'a>
    where
        Self: 'a;
    type Changed<'a>
        = A::Changed<'a>
    where
        Self: 'a;
}

/// A receiver. Of three traits for references to it, rustc takes the first that is implemented.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a, T>(pub &'a T);

/// Of matrices and arrays.
pub trait OfMatrix<'a> {
    /// The type of the receiver.
    type Receiver: Asked + 'a;
    /// What the method is called on.
    fn __each(&self) -> <Self::Receiver as Asked>::Each<'a>;
    /// What a method that changes it is called on.
    fn __changed(&self) -> <Self::Receiver as Asked>::Changed<'a>;
}

impl<'a, A: Asked> OfMatrix<'a> for &Of<'a, A> {
    type Receiver = A;
    fn __each(&self) -> A::Each<'a> {
        unreachable!("what asks for methods never runs")
    }
    fn __changed(&self) -> A::Changed<'a> {
        unreachable!("what asks for methods never runs")
    }
}

/// Of what derefs to one, and may have methods of its own.
pub trait OfPointer {
    /// The type of the receiver.
    type Receiver;
    /// What the method is called on.
    fn __each(&self) -> (Self::Receiver, NoMatrix, NoMatrix);
    /// What a method that changes it is called on.
    fn __changed(&self) -> (Self::Receiver, NoMatrix, NoMatrix);
}

impl<P: core::ops::Deref<Target: Asked>> OfPointer for &&Of<'_, P> {
    type Receiver = P;
    fn __each(&self) -> (P, NoMatrix, NoMatrix) {
        unreachable!("what asks for methods never runs")
    }
    fn __changed(&self) -> (P, NoMatrix, NoMatrix) {
        unreachable!("what asks for methods never runs")
    }
}

/// Of anything else.
pub trait OfAnything {
    /// What the method is called on.
    fn __each(&self) -> (NoMatrix, NoMatrix, NoMatrix);
    /// What a method that changes it is called on.
    fn __changed(&self) -> (NoMatrix, NoMatrix, NoMatrix);
}

impl<T> OfAnything for Of<'_, T> {
    fn __each(&self) -> (NoMatrix, NoMatrix, NoMatrix) {
        unreachable!("what asks for methods never runs")
    }
    fn __changed(&self) -> (NoMatrix, NoMatrix, NoMatrix) {
        unreachable!("what asks for methods never runs")
    }
}

/// Of complex numbers: what borrows them.
pub trait OfComplex {
    /// The type of the receiver.
    type Number;
    /// What the method is called on.
    fn __number(&self) -> Self::Number;
}

#[cfg(feature = "num-complex")]
impl<T> OfComplex for &Of<'_, ::num_complex::Complex<T>> {
    type Number = ::num_complex::Complex<T>;
    fn __number(&self) -> Self::Number {
        unreachable!("what asks for methods never runs")
    }
}

/// Of anything else.
pub trait OfNoComplex {
    /// What the method is called on.
    fn __number(&self) -> NoMatrix;
}

impl<T> OfNoComplex for Of<'_, T> {
    fn __number(&self) -> NoMatrix {
        unreachable!("what asks for methods never runs")
    }
}

/// What has the crates' methods.
pub trait HasThem {}

#[cfg(feature = "nalgebra")]
impl<T, R, C, S> HasThem for ::nalgebra::Matrix<T, R, C, S> {}
#[cfg(feature = "nalgebra")]
impl<T, R, C, S> HasThem for &::nalgebra::Matrix<T, R, C, S> {}
#[cfg(feature = "num-complex")]
impl<T> HasThem for ::num_complex::Complex<T> {}
#[cfg(feature = "ndarray")]
impl<S: ::ndarray::RawData, D> HasThem for ::ndarray::ArrayBase<S, D> {}
#[cfg(feature = "ndarray")]
impl<S: ::ndarray::RawData, D> HasThem for &::ndarray::ArrayBase<S, D> {}
#[cfg(feature = "ndarray")]
impl<S: ::ndarray::RawData, D> HasThem for &mut ::ndarray::ArrayBase<S, D> {}

macro_rules! methods {
    ($($name:ident($($arg:ident),*))*) => {
        /// The methods of the crates that have derivatives.
        #[allow(missing_docs, clippy::should_implement_trait, clippy::wrong_self_convention, reason = "they stand for methods that have documentation")]
        pub trait MethodsOfTheCrate: Sized {
            $(fn $name(self, $($arg: ()),*) {
                $(let () = $arg;)*
            })*
        }

        impl<T: HasThem> MethodsOfTheCrate for T {}

        /// The same, of what derefs to such a value: rustc takes these where the pointer has none of its own.
        #[allow(missing_docs, clippy::should_implement_trait, clippy::wrong_self_convention, reason = "they stand for methods that have documentation")]
        pub trait MethodsBehind {
            $(fn $name(&mut self, $($arg: ()),*) {
                $(let () = $arg;)*
            })*
        }

        impl<P: core::ops::Deref<Target: Asked>> MethodsBehind for P {}

        #[allow(missing_docs, clippy::unused_self, clippy::should_implement_trait, clippy::wrong_self_convention, reason = "they stand for methods that have documentation")]
        impl NoMatrix {
            $(pub fn $name(self, $($arg: ()),*) {
                $(let () = $arg;)*
            })*
        }
    };
}
methods! {
    add_scalar(a)
    add_scalar_mut(a)
    amax()
    angle(a)
    assign(a)
    axpy(a, b, c)
    clone_owned()
    column(a)
    column_iter()
    column_mean()
    column_sum()
    columns(a, b)
    component_div(a)
    component_div_assign(a)
    component_mul(a)
    component_mul_assign(a)
    conj()
    conjugate()
    copy_from(a)
    cross(a)
    determinant()
    diag()
    diagonal()
    dim()
    dot(a)
    fill(a)
    fill_diagonal(a)
    fill_lower_triangle_with_upper_triangle()
    fill_upper_triangle_with_lower_triangle()
    fixed_columns(a)
    fixed_rows(a)
    fixed_view(a, b)
    flatten()
    gemm(a, b, c, d)
    gemv(a, b, c, d)
    ger(a, b, c, d)
    index_axis(a, b)
    inv()
    inverse()
    inverse_transform_point(a)
    inverse_transform_vector(a)
    is_square()
    kronecker(a)
    l()
    l1_norm()
    lerp(a, b)
    ln_determinant()
    magnitude()
    magnitude_squared()
    mapv(a)
    max()
    mean()
    mean_axis(a)
    metric_distance(a)
    min()
    ncols()
    ndim()
    norm()
    norm_sqr()
    norm_squared()
    normalize()
    normalize_mut()
    nrows()
    outer_iter()
    powi(a)
    powu(a)
    product()
    push(a)
    renormalize_fast()
    row(a)
    row_iter()
    row_mean()
    row_sum()
    rows(a, b)
    scale(a)
    scale_mut(a)
    scaled_add(a, b)
    set_column(a, b)
    set_diagonal(a)
    set_row(a, b)
    shape()
    slice(a)
    solve(a)
    sum()
    sum_axis(a)
    t()
    tr_mul(a)
    trace()
    transform_point(a)
    transform_vector(a)
    transpose()
    try_normalize(a)
    unscale(a)
    unscale_mut(a)
    variance()
    view(a, b)
    xy()
    xyz()
    zip_map(a, b)
}
