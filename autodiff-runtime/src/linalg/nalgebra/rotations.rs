//! Quaternions, unit vectors, rotations and isometries: their tangents are those of the numbers that they are made of, and derivatives those of the crate's formulas in these.

use core::ops::{AddAssign, Index, IndexMut};

use ::nalgebra::{
    Complex, ComplexField, Const, Isometry, Matrix, OPoint, Quaternion, Rotation, SMatrix, SVector,
    Storage, Translation, U1, Unit, UnitComplex, UnitQuaternion, Vector2, Vector3, Vector4,
};
use autodiff_rules::field;

use super::factors::Inverse;
use super::methods::{slope_along, unit_along};
use super::{Of, Real, add_multiple, dot, outer, over, product, times, tr_product};
use crate::linalg::forms::{
    Magnitude, MagnitudeSquared, Norm, NormSquared, Normalize, Renormalized, Transpose,
};
use crate::linalg::{Arranged, Linear, Tan, binary, constructor, method, row};
use crate::num::sdiv;
use crate::operators::{
    AddAgain, AddRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, SubAgain, SubRule,
};
use crate::parts::Field;
use crate::slices::{FieldPath, PairVisitor, Slice, SliceError, SliceMut};
use crate::tangent::{Accumulate, Differentiable, Parameters, Shape, Shaped, Tangent};

/// The shape of what has one shape alone.
#[derive(Clone, Copy, Debug)]
pub struct Alone<Z>(core::marker::PhantomData<Z>);

impl<Z> Alone<Z> {
    fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

impl<T: Real> Shape for Alone<Quaternion<T>> {
    type Zero = Quaternion<T>;
    #[inline]
    fn zero(&self) -> Quaternion<T> {
        quaternion(Vector4::zeros())
    }
}

#[inline]
fn quaternion<T: Real>(coords: Vector4<T>) -> Quaternion<T> {
    Quaternion { coords }
}

impl<T: Real> Differentiable for Quaternion<T> {
    type Tangent = Self;
    #[inline]
    fn zero_tangent(&self) -> Self {
        quaternion(Vector4::zeros())
    }
    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(&self.coords, out);
    }
}

impl<T: Real> Arranged for Quaternion<T> {}

impl<T: Real> Linear for Quaternion<T> {
    #[inline]
    fn __as_tangent(self) -> Self {
        self
    }
}

impl<T: Real> Shaped for Quaternion<T> {
    type Shape = Alone<Self>;
    #[inline]
    fn __shape(&self) -> Alone<Self> {
        Alone::new()
    }
}

impl<T: Real> Tangent for Quaternion<T> {
    #[inline]
    fn zero_like(&self) -> Self {
        quaternion(Vector4::zeros())
    }
    fn add_scaled(&mut self, s: f64, t: &Self) {
        self.coords.add_scaled(s, &t.coords);
    }
    fn inner(&self, t: &Self) -> f64 {
        self.coords.inner(&t.coords)
    }
    fn scalar_count(&self) -> usize {
        4
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        self.coords.for_each_scalar(f);
    }
    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        self.coords.for_each_slice(f);
    }
    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        self.coords.visit_slices(f);
    }
    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(self, out);
    }
}

impl<T: Real> Accumulate for Quaternion<T> {
    #[inline]
    fn __accumulate(&mut self, t: &Self) {
        self.coords += t.coords;
    }
}

impl<T: Real> Parameters for Quaternion<T> {
    fn move_by(&mut self, scale: f64, t: &Self) {
        self.coords.move_by(scale, &t.coords);
    }
    fn read_flat(&mut self, flat: &[f64]) {
        Parameters::read_flat(&mut self.coords, flat);
    }
    fn walk_slices(
        &mut self,
        t: Option<&Self>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        self.coords.walk_slices(t.map(|t| &t.coords), path, f)
    }
}

/// Fields of a quaternion, of tangents whose type cannot be spelled.
macro_rules! fields {
    ($($name:literal $out:ty, $at:ident $([$k:literal])?;)*) => {$(
        impl<T: Real> Index<Field<{ field($name) }, 0>> for Quaternion<T> {
            type Output = $out;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, 0>) -> &$out {
                &self.$at$([$k])?
            }
        }
        impl<T: Real> IndexMut<Field<{ field($name) }, 0>> for Quaternion<T> {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, 0>) -> &mut $out {
                &mut self.$at$([$k])?
            }
        }
    )*};
}
fields! {
    "coords" Vector4<T>, coords;
    "i" T, coords[0];
    "j" T, coords[1];
    "k" T, coords[2];
    "w" T, coords[3];
}

constructor!(QuaternionOfParts from_parts [] Quaternion<T> where [] (; w: T, v: Vector3<T>;); |d| { *w += d.w; *v += d.imag() });
constructor!(QuaternionOfImag from_imag [] Quaternion<T> where [] (; v: Vector3<T>;); |d| *v += d.imag());
constructor!(NewQuaternion new [] Quaternion<T> where [] (; w: T, i: T, j: T, k: T;); |d| { *w += d.w; *i += d.i; *j += d.j; *k += d.k });

macro_rules! sums {
    ($($op:ident $sign:tt;)*) => {$(
        binary!($op [T: Real] Quaternion<T>, Quaternion<T> => Quaternion<T> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| *d, |(), d| sums!(@ $sign d);
            fore |_, _, d| *d, |_, _, d| sums!(@ $sign d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), d| d.zero_like(), |(), (), d| d.zero_like());
    )*};
    (@ + $d:ident) => { *$d };
    (@ - $d:ident) => { -*$d };
}
sums! { Add +; Sub -; }

/// Products, with the conjugate of the other operand in cotangents.
macro_rules! products {
    ($($op:ident $a:ty, |$x:pat_param| $entries:expr => $of:ty;)*) => {$(
        binary!($op [T: Real] $a, $a => $a where [];
            keep [$of] |_, $x| $entries, [$of] |$x, _| $entries;
            back |b, d| *d * b.conjugate(), |a, d| a.conjugate() * *d;
            fore |_, $x, d| *d * $entries, |$x, _, d| $entries * *d;
            dots [$of] |_, _, _, db| db.copied(), [$of] |_, _, da, _| da.copied();
            again |_, db, d| *d * db.conjugate(), |_, da, d| da.conjugate() * *d);
    )*};
}
products! {
    Mul Quaternion<T>, |q| *q => Quaternion<T>;
    MulAssign Quaternion<T>, |q| *q => Quaternion<T>;
    Mul UnitQuaternion<T>, |q| q.into_inner() => Quaternion<T>;
    MulAssign UnitQuaternion<T>, |q| q.into_inner() => Quaternion<T>;
    Mul UnitComplex<T>, |c| c.into_inner() => Complex<T>;
    MulAssign UnitComplex<T>, |c| c.into_inner() => Complex<T>;
}

// By a number: each type of numbers for itself, because `T` alone would be any type.
macro_rules! scaled {
    ($($t:ident)*) => {$(
        binary!(Mul [] Quaternion<$t>, $t => Quaternion<$t> where [];
            keep [$t] |_, b| *b, [Quaternion<$t>] |a, _| *a;
            back |b, d| quaternion(times(&d.coords, *b)), |a, d| dot(&a.coords, &d.coords);
            fore |_, b, d| quaternion(times(&d.coords, *b)), |a, _, d| quaternion(times(&a.coords, *d));
            dots [$t] |_, _, _, db| db.copied(), [Quaternion<$t>] |_, _, da, _| da.copied();
            again |_, db, d| quaternion(times(&d.coords, *db)), |_, da, d| dot(&da.coords, &d.coords));
    )*};
}
scaled!(f32 f64);

/// What a unit vector or quaternion is made of: its entries move one by one, and nothing makes them a unit again.
pub trait OfEntries: Parameters + Copy {}
impl<A: Parameters + Copy> OfEntries for A {}

/// What has the tangent of the value that is in it.
macro_rules! holds {
    ($([$($g:tt)*] $a:ty, $inner:ty $(where $bound:path)?, |$x:pat_param| $get:expr, |$entries:pat_param| $made:expr;)*) => {$(
        impl<$($g)*> Parameters for $a $(where $inner: $bound)? {
            fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
                let mut entries = self.into_inner();
                entries.move_by(scale, t);
                let $entries = entries;
                *self = $made;
            }
            fn read_flat(&mut self, flat: &[f64]) {
                let mut entries = self.into_inner();
                Parameters::read_flat(&mut entries, flat);
                let $entries = entries;
                *self = $made;
            }
        }
        impl<$($g)*> Differentiable for $a {
            type Tangent = Tan<$inner>;
            #[inline]
            fn zero_tangent(&self) -> Self::Tangent {
                let $x = self;
                $get.zero_tangent()
            }
            fn write_flat(&self, out: &mut [f64]) {
                let $x = self;
                Differentiable::write_flat($get, out);
            }
        }
        impl<$($g)*> Arranged for $a {}
        impl<$($g)*> Shaped for $a {
            type Shape = <$inner as Shaped>::Shape;
            #[inline]
            fn __shape(&self) -> Self::Shape {
                let $x = self;
                $get.__shape()
            }
        }
        impl<$($g)*> Linear for $a {
            #[inline]
            fn __as_tangent(self) -> Self::Tangent {
                self.into_inner().__as_tangent()
            }
        }
    )*};
}
holds! {
    [A: Linear + Shaped] Unit<A>, A where OfEntries, |x| x.as_ref(), |entries| Unit::new_unchecked(entries);
    [T: Real, const D: usize] Rotation<T, D>, SMatrix<T, D, D>, |x| x.matrix(), |entries| Rotation::from_matrix_unchecked(entries);
}

method! {
    IntoInner into_inner(;);
    MatrixOf matrix(;);
    Conjugate conjugate(;);
    RealPart scalar(;);
    VectorPart vector(;);
    ImaginaryPart imag(;);
    TransformPoint transform_point(b: B;);
    TransformVector transform_vector(b: B;);
    InversePoint inverse_transform_point(b: B;);
    InverseVector inverse_transform_vector(b: B;);
    ToRotationMatrix to_rotation_matrix(;);
    ToHomogeneous to_homogeneous(;);
    ToMatrix to_matrix(;);
    CosineOfAngle cos_angle(;);
    SineOfAngle sin_angle(;);
}

row!(IntoInner [T: Real] UnitQuaternion<T>, (), () => Quaternion<T>, (), where [];
    |a| (a.into_inner(), ());
    |_, (), da| *da;
    |_, (), d, to| to.coords += d.coords;
    |_, (), _, _, _| ());

row!(IntoInner [T: Real, const D: usize] Unit<SVector<T, D>>, (), () => SVector<T, D>, (), where [];
    |a| (a.into_inner(), ());
    |_, (), da| *da;
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

row!(IntoInner [T: Real, const D: usize] Rotation<T, D>, (), () => SMatrix<T, D, D>, (), where [];
    |a| (a.into_inner(), ());
    |_, (), da| *da;
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

row!(MatrixOf [T: Real, const D: usize] Rotation<T, D>, (), () => SMatrix<T, D, D>, (), where [];
    |a| (*a.matrix(), ());
    |_, (), da| *da;
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

/// What turns vectors: by a formula that is linear in them, of entries whose own product is bilinear.
pub trait Turn<T: Real, const D: usize>:
    Shaped<Tangent: Clone + Accumulate> + Linear + Copy
{
    /// That with these entries.
    fn __of(entries: Self::Tangent) -> Self;
    /// The vector, turned.
    fn __turned(&self, v: &SVector<T, D>) -> SVector<T, D>;
    /// The tangent of the turned vector, along that of the entries.
    fn __along(&self, da: &Self::Tangent, v: &SVector<T, D>) -> SVector<T, D>;
    /// The cotangent of the entries.
    fn __entries(&self, v: &SVector<T, D>, d: &SVector<T, D>) -> Self::Tangent;
    /// The tangent of that, along that of the entries.
    fn __entries_along(da: &Self::Tangent, v: &SVector<T, D>, d: &SVector<T, D>) -> Self::Tangent;
    /// The cotangent of the vector.
    fn __turned_back(&self, d: &SVector<T, D>) -> SVector<T, D>;
    /// The tangent of that, along that of the entries.
    fn __turned_back_along(&self, da: &Self::Tangent, d: &SVector<T, D>) -> SVector<T, D>;
    /// The product of entries.
    fn __product(a: &Self::Tangent, b: &Self::Tangent) -> Self::Tangent;
    /// The entries of the inverse.
    fn __star(a: &Self::Tangent) -> Self::Tangent;
}

impl<T: Real> Turn<T, 3> for UnitQuaternion<T> {
    #[inline]
    fn __of(entries: Quaternion<T>) -> Self {
        Unit::new_unchecked(entries)
    }
    #[inline]
    fn __turned(&self, v: &Vector3<T>) -> Vector3<T> {
        self * v
    }
    #[inline]
    fn __along(&self, da: &Quaternion<T>, v: &Vector3<T>) -> Vector3<T> {
        let (t, w, s, r) = (self.imag(), self.w, da.imag(), da.w);
        let (tv, sv) = (t.cross(v), s.cross(v));
        let half = tv * r + sv * w + s.cross(&tv) + t.cross(&sv);
        half + half
    }
    #[inline]
    fn __entries(&self, v: &Vector3<T>, d: &Vector3<T>) -> Quaternion<T> {
        Self::__entries_along(self.as_ref(), v, d)
    }
    #[inline]
    fn __entries_along(da: &Quaternion<T>, v: &Vector3<T>, d: &Vector3<T>) -> Quaternion<T> {
        let (t, w) = (da.imag(), da.w);
        let tv = t.cross(v);
        let half = v.cross(d) * w + tv.cross(d) + v.cross(&d.cross(&t));
        let real = tv.dot(d);
        quaternion(Vector4::new(half.x, half.y, half.z, real) * crate::num::lit::<T>(2.0))
    }
    #[inline]
    fn __turned_back(&self, d: &Vector3<T>) -> Vector3<T> {
        self.conjugate() * d
    }
    #[inline]
    fn __turned_back_along(&self, da: &Quaternion<T>, d: &Vector3<T>) -> Vector3<T> {
        self.conjugate().__along(&da.conjugate(), d)
    }
    #[inline]
    fn __product(a: &Quaternion<T>, b: &Quaternion<T>) -> Quaternion<T> {
        a * b
    }
    #[inline]
    fn __star(a: &Quaternion<T>) -> Quaternion<T> {
        a.conjugate()
    }
}

impl<T: Real, const D: usize> Turn<T, D> for Rotation<T, D> {
    #[inline]
    fn __of(entries: SMatrix<T, D, D>) -> Self {
        Self::from_matrix_unchecked(entries)
    }
    #[inline]
    fn __turned(&self, v: &SVector<T, D>) -> SVector<T, D> {
        self.matrix() * v
    }
    #[inline]
    fn __along(&self, da: &SMatrix<T, D, D>, v: &SVector<T, D>) -> SVector<T, D> {
        product(da, v)
    }
    #[inline]
    fn __entries(&self, v: &SVector<T, D>, d: &SVector<T, D>) -> SMatrix<T, D, D> {
        outer(d, v)
    }
    #[inline]
    fn __entries_along(
        _: &SMatrix<T, D, D>,
        _: &SVector<T, D>,
        _: &SVector<T, D>,
    ) -> SMatrix<T, D, D> {
        SMatrix::zeros()
    }
    #[inline]
    fn __turned_back(&self, d: &SVector<T, D>) -> SVector<T, D> {
        tr_product(self.matrix(), d)
    }
    #[inline]
    fn __turned_back_along(&self, da: &SMatrix<T, D, D>, d: &SVector<T, D>) -> SVector<T, D> {
        tr_product(da, d)
    }
    #[inline]
    fn __product(a: &SMatrix<T, D, D>, b: &SMatrix<T, D, D>) -> SMatrix<T, D, D> {
        product(a, b)
    }
    #[inline]
    fn __star(a: &SMatrix<T, D, D>) -> SMatrix<T, D, D> {
        a.transpose()
    }
}

impl<T: Real> Turn<T, 2> for UnitComplex<T> {
    #[inline]
    fn __of(entries: Complex<T>) -> Self {
        Unit::new_unchecked(entries)
    }
    #[inline]
    fn __turned(&self, v: &Vector2<T>) -> Vector2<T> {
        self * v
    }
    #[inline]
    fn __along(&self, da: &Complex<T>, v: &Vector2<T>) -> Vector2<T> {
        let turned = *da * Complex::new(v.x, v.y);
        Vector2::new(turned.re, turned.im)
    }
    #[inline]
    fn __entries(&self, v: &Vector2<T>, d: &Vector2<T>) -> Complex<T> {
        Complex::new(d.x, d.y) * Complex::new(v.x, -v.y)
    }
    #[inline]
    fn __entries_along(_: &Complex<T>, _: &Vector2<T>, _: &Vector2<T>) -> Complex<T> {
        Complex::new(T::zero(), T::zero())
    }
    #[inline]
    fn __turned_back(&self, d: &Vector2<T>) -> Vector2<T> {
        self.__turned_back_along(self.as_ref(), d)
    }
    #[inline]
    fn __turned_back_along(&self, da: &Complex<T>, d: &Vector2<T>) -> Vector2<T> {
        self.__along(&da.conjugate(), d)
    }
    #[inline]
    fn __product(a: &Complex<T>, b: &Complex<T>) -> Complex<T> {
        *a * *b
    }
    #[inline]
    fn __star(a: &Complex<T>) -> Complex<T> {
        a.conjugate()
    }
}

/// The tangent of the cotangent of the entries.
#[inline]
fn back_along<T: Real, A: Turn<T, D>, const D: usize>(
    a: &A,
    da: Option<&A::Tangent>,
    v: &SVector<T, D>,
    dv: Option<&SVector<T, D>>,
    d: &SVector<T, D>,
) -> A::Tangent {
    let mut sum = dv.map_or_else(|| a.zero_tangent(), |dv| a.__entries(dv, d));
    if let Some(da) = da {
        sum.__accumulate(&A::__entries_along(da, v, d));
    }
    sum
}

/// What a rotation does to a vector or a point: operators and the methods for them.
macro_rules! turns {
    ($([$($g:tt)*] $a:ty, $D:tt;)*) => {$(
        turns!(@ [$($g)*, S: Storage<T, Const<$D>>] $a, Matrix<T, Const<$D>, U1, S>, |v| v.clone_owned(), |v| &v.clone_owned(), $D => SVector<T, $D>, |y| y, TransformVector, InverseVector inverse_transform_vector);
        turns!(@ [$($g)*] $a, OPoint<T, Const<$D>>, |v| v.coords, |v| v, $D => OPoint<T, Const<$D>>, |y| OPoint::from(y), TransformPoint, InversePoint inverse_transform_point);
    )*};
    (@ [$($g:tt)*] $a:ty, $b:ty, |$v:pat_param| $vector:expr, |$u:pat_param| $whole:expr, $D:tt => $y:ty, |$w:pat_param| $made:expr, $Method:ident, $Inverse:ident $inverse:ident) => {
        binary!(Mul [$($g)*] $a, $b => $y where [];
            keep [($a, SVector<T, $D>)] |a, $v| (*a, $vector), [$a] |a, _| *a;
            back |(a, v), d| a.__entries(v, d), |a, d| a.__turned_back(d);
            fore |a, $v, d| a.__along(d, &$vector), |a, _, d| a.__turned(d);
            dots [(Option<Tan<$a>>, Option<SVector<T, $D>>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.copied(), db.copied())), [Tan<$a>] |_, _, da, _| da.copied();
            again |(a, v), (da, dv), d| back_along(a, da.as_ref(), v, dv.as_ref(), d), |a, da, d| a.__turned_back_along(da, d));
        row!($Method [$($g)*] $a, (b: $b), () => $y, (), where [];
            |a, $v| { let $w = a.__turned(&$vector); ($made, ()) };
            |a, $v, (), da, db| a.__along(da, &$vector) + a.__turned(db);
            |a, $v, (), d, to_a, to_b| { to_a.__accumulate(&a.__entries(&$vector, d)); *to_b += a.__turned_back(d) };
            |a, $v, (), da, db, d, to_a, to_b| {
                to_a.__accumulate(&back_along(a, Some(da), &$vector, Some(db), d));
                *to_b += a.__turned_back_along(da, d);
            });
        row!($Inverse [$($g)*] $a, (b: $b), () => $y, $a, where [];
            |a, $u| (a.$inverse($whole), <$a>::__of(<$a>::__star(&a.__as_tangent())));
            |_, $v, r, da, db| r.__along(&<$a>::__star(da), &$vector) + r.__turned(db);
            |_, $v, r, d, to_a, to_b| { to_a.__accumulate(&<$a>::__star(&r.__entries(&$vector, d))); *to_b += r.__turned_back(d) };
            |_, $v, r, da, db, d, to_a, to_b| {
                let dr = <$a>::__star(da);
                to_a.__accumulate(&<$a>::__star(&back_along(r, Some(&dr), &$vector, Some(db), d)));
                *to_b += r.__turned_back_along(&dr, d);
            });
    };
}
turns! {
    [T: Real] UnitQuaternion<T>, 3;
    [T: Real] UnitComplex<T>, 2;
    [T: Real, const D: usize] Rotation<T, D>, D;
}

macro_rules! turns_rotations {
    ($($op:ident)*) => {$(
        binary!($op [T: Real, const D: usize] Rotation<T, D>, Rotation<T, D> => Rotation<T, D> where [];
            keep [SMatrix<T, D, D>] |_, b| *b.matrix(), [SMatrix<T, D, D>] |a, _| *a.matrix();
            back |b, d| outer(d, b), |a, d| tr_product(a, d);
            fore |_, b, d| product(d, b.matrix()), |a, _, d| product(a.matrix(), d);
            dots [SMatrix<T, D, D>] |_, _, _, db| db.copied(), [SMatrix<T, D, D>] |_, _, da, _| da.copied();
            again |_, db, d| outer(d, db), |_, da, d| tr_product(da, d));
    )*};
}
turns_rotations!(Mul MulAssign);

// `a (3 - |a|²) / 2`.
row!(Renormalized [T: Real] UnitQuaternion<T>, (), () => UnitQuaternion<T>, (), where [];
|a| { let mut y = *a; y.renormalize_fast(); (y, ()) };
|a, (), da| renormalized_along(a, da);
|a, (), d, to| to.coords += renormalized_along(a, d).coords;
|a, (), da, d, to| {
    let (a, da, d) = (a.coords, da.coords, d.coords);
    to.coords -= d * a.dot(&da) + da * a.dot(&d) + a * da.dot(&d);
});

/// The derivative of the renormalized quaternion along one of its entries, which is symmetric.
#[inline]
fn renormalized_along<T: Real>(a: &UnitQuaternion<T>, da: &Quaternion<T>) -> Quaternion<T> {
    let half = crate::num::lit::<T>(0.5);
    let scale = half * (crate::num::lit::<T>(3.0) - a.coords.norm_squared());
    quaternion(da.coords * scale - a.coords * a.coords.dot(&da.coords))
}

/// What a rotation does to a matrix of more columns than one.
macro_rules! turns_columns {
    ($($C:literal)*) => {$(
        binary!(Mul [T: Real, const D: usize] Rotation<T, D>, SMatrix<T, D, $C> => SMatrix<T, D, $C> where [];
            keep [SMatrix<T, D, $C>] |_, b| *b, [SMatrix<T, D, D>] |a, _| *a.matrix();
            back |b, d| outer(d, b), |a, d| tr_product(a, d);
            fore |_, b, d| product(d, b), |a, _, d| product(a.matrix(), d);
            dots [SMatrix<T, D, $C>] |_, _, _, db| db.copied(), [SMatrix<T, D, D>] |_, _, da, _| da.copied();
            again |_, db, d| outer(d, db), |_, da, d| tr_product(da, d));
    )*};
}
turns_columns!(2 3 4 6);

binary!(Mul [T: Real, const R: usize, const D: usize] SMatrix<T, R, D>, Rotation<T, D> => SMatrix<T, R, D> where [];
    keep [SMatrix<T, D, D>] |_, b| *b.matrix(), [SMatrix<T, R, D>] |a, _| *a;
    back |b, d| outer(d, b), |a, d| tr_product(a, d);
    fore |_, b, d| product(d, b.matrix()), |a, _, d| product(a, d);
    dots [SMatrix<T, D, D>] |_, _, _, db| db.copied(), [SMatrix<T, R, D>] |_, _, da, _| da.copied();
    again |_, db, d| outer(d, db), |_, da, d| tr_product(da, d));

row!(Inverse [T: Real] UnitQuaternion<T>, (), () => UnitQuaternion<T>, (), where [];
    |a| (a.inverse(), ());
    |_, (), da| da.conjugate();
    |_, (), d, to| to.coords += d.conjugate().coords;
    |_, (), _, _, _| ());
row!(Conjugate [T: Real] UnitQuaternion<T>, (), () => UnitQuaternion<T>, (), where [];
    |a| (a.conjugate(), ());
    |_, (), da| da.conjugate();
    |_, (), d, to| to.coords += d.conjugate().coords;
    |_, (), _, _, _| ());

/// What turns in the plane: its numbers, and those of the inverse.
macro_rules! in_the_plane {
    ($($Method:ident $method:ident $y:ty, |$d:pat_param| $entries:expr;)*) => {$(
        row!($Method [T: Real] UnitComplex<T>, (), () => $y, (), where [];
            |a| (a.$method(), ());
            |_, (), $d| $entries;
            |_, (), $d, to| *to += $entries;
            |_, (), _, _, _| ());
    )*};
}
in_the_plane! {
    IntoInner into_inner Complex<T>, |d| *d;
    Inverse inverse UnitComplex<T>, |d| d.conjugate();
    Conjugate conjugate UnitComplex<T>, |d| d.conjugate();
}

/// The cosine and the sine of what turns in the plane.
macro_rules! cosine_and_sine {
    ($($Method:ident $method:ident $part:ident;)*) => {$(
        row!($Method [T: Real] UnitComplex<T>, (), () => T, (), where [];
            |a| (a.$method(), ());
            |_, (), da| da.$part;
            |_, (), d, to| to.$part += *d;
            |_, (), _, _, _| ());
    )*};
}
cosine_and_sine! {
    CosineOfAngle cos_angle re;
    SineOfAngle sin_angle im;
}

/// The matrix of a complex number, and the number of a matrix in cotangents.
fn plane_matrix<T: Real>(c: &Complex<T>) -> SMatrix<T, 2, 2> {
    SMatrix::<T, 2, 2>::new(c.re, -c.im, c.im, c.re)
}
fn plane_number<T: Real>(d: &SMatrix<T, 2, 2>) -> Complex<T> {
    Complex::new(d.m11 + d.m22, d.m21 - d.m12)
}

row!(ToRotationMatrix [T: Real] UnitComplex<T>, (), () => Rotation<T, 2>, (), where [];
    |a| (a.to_rotation_matrix(), ());
    |_, (), da| plane_matrix(da);
    |_, (), d, to| *to += plane_number(d);
    |_, (), _, _, _| ());
row!(ToHomogeneous [T: Real] UnitComplex<T>, (), () => SMatrix<T, 3, 3>, (), where [];
    |a| (a.to_homogeneous(), ());
    |_, (), da| homogeneous::<T, 2, 3>(&plane_matrix(da), &SVector::zeros());
    |_, (), d, to| *to += plane_number(&turn::<T, 2, 3>(d));
    |_, (), _, _, _| ());

row!(Conjugate [T: Real] Quaternion<T>, (), () => Quaternion<T>, (), where [];
    |a| (a.conjugate(), ());
    |_, (), da| da.conjugate();
    |_, (), d, to| to.coords += d.conjugate().coords;
    |_, (), _, _, _| ());

row!(RealPart [T: Real] Quaternion<T>, (), () => T, (), where [];
    |a| (a.w, ());
    |_, (), da| da.w;
    |_, (), d, to| to.w += *d;
    |_, (), _, _, _| ());

/// The part of a quaternion that is a vector, which has two names.
macro_rules! vector_parts {
    ($($Trait:ident)*) => {$(
        row!($Trait [T: Real] Quaternion<T>, (), () => Vector3<T>, (), where [];
            |a| (a.imag(), ());
            |_, (), da| da.imag();
            |_, (), d, to| to.coords.fixed_rows_mut::<3>(0).add_assign(d);
            |_, (), _, _, _| ());
    )*};
}
vector_parts!(VectorPart ImaginaryPart);

/// The length of a quaternion, its square, and the unit quaternion: those of the vector of its numbers.
macro_rules! lengths {
    ($($Norm:ident $norm:ident, $Square:ident $square:ident;)*) => {$(
        row!($Norm [T: Real] Quaternion<T>, (), () => T, T, where [];
            |a| { let n = a.$norm(); (n, n) };
            |a, n, da| sdiv(dot(&a.coords, &da.coords), *n);
            |a, n, d, to| to.coords += times(&over(&a.coords, *n), *d);
            |a, n, da, d, to| to.coords += slope_along(&a.coords, *n, &da.coords, *d));

        row!($Square [T: Real] Quaternion<T>, (), () => T, (), where [];
            |a| (a.$square(), ());
            |a, (), da| { let t = dot(&a.coords, &da.coords); t + t };
            |a, (), d, to| add_multiple(&mut to.coords, *d + *d, &a.coords);
            |_, (), da, d, to| add_multiple(&mut to.coords, *d + *d, &da.coords));
    )*};
}
lengths! {
    Norm norm, NormSquared norm_squared;
    Magnitude magnitude, MagnitudeSquared magnitude_squared;
}

row!(Normalize [T: Real] Quaternion<T>, (), () => Quaternion<T>, (Vector4<T>, T), where [];
    |a| { let u = a.normalize(); (u, (u.coords, a.norm())) };
    |_, (u, n), da| quaternion((da.coords - u * dot(u, &da.coords)) / *n);
    |_, (u, n), d, to| to.coords += (d.coords - u * dot(u, &d.coords)) / *n;
    |_, (u, n), da, d, to| to.coords += unit_along(u, *n, &da.coords, &d.coords));

row!(Inverse [T: Real, const D: usize] Rotation<T, D>, (), () => Rotation<T, D>, (), where [];
    |a| (a.inverse(), ());
    |_, (), da| da.transpose();
    |_, (), d, to| *to += d.transpose();
    |_, (), _, _, _| ());
row!(Transpose [T: Real, const D: usize] Rotation<T, D>, (), () => Rotation<T, D>, (), where [];
    |a| (a.transpose(), ());
    |_, (), da| da.transpose();
    |_, (), d, to| *to += d.transpose();
    |_, (), _, _, _| ());

/// The matrix of a rotation, which is bilinear in a quaternion and itself: its tangent for one that stands in its place once.
#[inline]
fn matrix_along<T: Real>(q: &Quaternion<T>, dq: &Quaternion<T>) -> SMatrix<T, 3, 3> {
    let whole = |q: Quaternion<T>| Unit::new_unchecked(q).to_rotation_matrix().into_inner();
    whole(q + dq) - whole(*q) - whole(*dq)
}

/// The cotangent of the quaternion of a matrix.
#[inline]
fn quaternion_of<T: Real>(q: &Quaternion<T>, d: &SMatrix<T, 3, 3>) -> Quaternion<T> {
    quaternion(Vector4::from_fn(|k, _| {
        dot(&matrix_along(q, &quaternion(Vector4::ith(k, T::one()))), d)
    }))
}

row!(ToRotationMatrix [T: Real] UnitQuaternion<T>, (), () => Rotation<T, 3>, (), where [];
    |a| (a.to_rotation_matrix(), ());
    |a, (), da| matrix_along(a, da);
    |a, (), d, to| to.coords += quaternion_of(a, d).coords;
    |_, (), da, d, to| to.coords += quaternion_of(da, d).coords);

/// The tangent of an isometry: that of its rotation, and that of its translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<R, V> {
    /// Of the rotation.
    pub rotation: R,
    /// Of the translation.
    pub translation: V,
}

impl<R: Tangent, V: Tangent> Tangent for Motion<R, V> {
    #[inline]
    fn zero_like(&self) -> Self {
        Self {
            rotation: self.rotation.zero_like(),
            translation: self.translation.zero_like(),
        }
    }
    fn add_scaled(&mut self, s: f64, t: &Self) {
        self.rotation.add_scaled(s, &t.rotation);
        self.translation.add_scaled(s, &t.translation);
    }
    fn inner(&self, t: &Self) -> f64 {
        self.rotation.inner(&t.rotation) + self.translation.inner(&t.translation)
    }
    fn scalar_count(&self) -> usize {
        self.rotation.scalar_count() + self.translation.scalar_count()
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        self.rotation.for_each_scalar(f);
        self.translation.for_each_scalar(f);
    }
    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        self.rotation.for_each_slice(f);
        self.translation.for_each_slice(f);
    }
    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        self.rotation.visit_slices(f);
        self.translation.visit_slices(f);
    }
    fn write_flat(&self, out: &mut [f64]) {
        let count = self.rotation.scalar_count();
        self.rotation.write_flat(&mut out[..count]);
        self.translation.write_flat(&mut out[count..]);
    }
}

impl<R: Accumulate<R2>, V: Accumulate<V2>, R2, V2> Accumulate<Motion<R2, V2>> for Motion<R, V> {
    #[inline]
    fn __accumulate(&mut self, t: &Motion<R2, V2>) {
        self.rotation.__accumulate(&t.rotation);
        self.translation.__accumulate(&t.translation);
    }
}

macro_rules! parts {
    ($($name:literal $at:ident $Out:ident;)*) => {$(
        impl<R, V> Index<Field<{ field($name) }, 0>> for Motion<R, V> {
            type Output = $Out;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, 0>) -> &$Out {
                &self.$at
            }
        }
        impl<R, V> IndexMut<Field<{ field($name) }, 0>> for Motion<R, V> {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, 0>) -> &mut $Out {
                &mut self.$at
            }
        }
    )*};
}
parts! {
    "rotation" rotation R;
    "translation" translation V;
}

impl<R: Shape, V: Shape> Shape for Motion<R, V> {
    type Zero = Motion<R::Zero, V::Zero>;
    #[inline]
    fn zero(&self) -> Self::Zero {
        Motion {
            rotation: self.rotation.zero(),
            translation: self.translation.zero(),
        }
    }
}

impl<T: Real, R: Turn<T, D>, const D: usize> Differentiable for Isometry<T, R, D> {
    type Tangent = Motion<R::Tangent, SVector<T, D>>;
    #[inline]
    fn zero_tangent(&self) -> Self::Tangent {
        Motion {
            rotation: self.rotation.zero_tangent(),
            translation: SVector::zeros(),
        }
    }
    fn write_flat(&self, out: &mut [f64]) {
        self.__as_tangent().write_flat(out);
    }
}

impl<T: Real, R: Turn<T, D> + Parameters, const D: usize> Parameters for Isometry<T, R, D> {
    fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
        self.rotation.move_by(scale, &t.rotation);
        self.translation.vector.move_by(scale, &t.translation);
    }
    fn read_flat(&mut self, flat: &[f64]) {
        let (rotation, translation) = flat.split_at(self.rotation.zero_tangent().scalar_count());
        Parameters::read_flat(&mut self.rotation, rotation);
        Parameters::read_flat(&mut self.translation.vector, translation);
    }
}

impl<T: Real, R: Turn<T, D>, const D: usize> Arranged for Isometry<T, R, D> {}

impl<T: Real, R: Turn<T, D>, const D: usize> Linear for Isometry<T, R, D> {
    #[inline]
    fn __as_tangent(self) -> Self::Tangent {
        Motion {
            rotation: self.rotation.__as_tangent(),
            translation: self.translation.vector,
        }
    }
}

impl<T: Real, R: Turn<T, D>, const D: usize> Shaped for Isometry<T, R, D> {
    type Shape = Motion<R::Shape, Of<T, Const<D>, U1>>;
    #[inline]
    fn __shape(&self) -> Self::Shape {
        Motion {
            rotation: self.rotation.__shape(),
            translation: self.translation.vector.__shape(),
        }
    }
}

/// What an isometry does to a vector, which it turns, and to a point, which it moves as well.
macro_rules! moves {
    ($([$($s:tt)*] $b:ty, |$v:pat_param| $vector:expr => $y:ty, |$w:pat_param| $made:expr, |$t:pat_param| $shift:expr, $Method:ident;)*) => {$(
        binary!(Mul [T: Real, R: Turn<T, D>, const D: usize $($s)*] Isometry<T, R, D>, $b => $y where [];
            keep [(R, SVector<T, D>)] |a, $v| (a.rotation, $vector), [R] |a, _| a.rotation;
            back |(r, v), d| { let $t = d; Motion { rotation: r.__entries(v, d), translation: $shift } }, |r, d| r.__turned_back(d);
            fore |a, $v, d| { let $t = &d.translation; a.rotation.__along(&d.rotation, &$vector) + $shift }, |a, _, d| a.rotation.__turned(d);
            dots [(Option<R::Tangent>, Option<SVector<T, D>>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.map(|da| da.rotation.clone()), db.copied())), [R::Tangent] |_, _, da, _| da.map(|da| da.rotation.clone());
            again |(r, v), (da, dv), d| Motion { rotation: back_along(r, da.as_ref(), v, dv.as_ref(), d), translation: SVector::zeros() }, |r, da, d| r.__turned_back_along(da, d));
        row!($Method [T: Real, R: Turn<T, D>, const D: usize $($s)*] Isometry<T, R, D>, (b: $b), () => $y, (), where [];
            |a, $v| { let $t = &a.translation.vector; let $w = a.rotation.__turned(&$vector) + $shift; ($made, ()) };
            |a, $v, (), da, db| { let $t = &da.translation; a.rotation.__along(&da.rotation, &$vector) + a.rotation.__turned(db) + $shift };
            |a, $v, (), d, to_a, to_b| {
                let $t = d;
                to_a.rotation.__accumulate(&a.rotation.__entries(&$vector, d));
                to_a.translation += $shift;
                *to_b += a.rotation.__turned_back(d);
            };
            |a, $v, (), da, db, d, to_a, to_b| {
                to_a.rotation.__accumulate(&back_along(&a.rotation, Some(&da.rotation), &$vector, Some(db), d));
                *to_b += a.rotation.__turned_back_along(&da.rotation, d);
            });
    )*};
}
moves! {
    [, S: Storage<T, Const<D>>] Matrix<T, Const<D>, U1, S>, |v| v.clone_owned() => SVector<T, D>, |y| y, |_| SVector::<T, D>::zeros(), TransformVector;
    [] OPoint<T, Const<D>>, |v| v.coords => OPoint<T, Const<D>>, |y| OPoint::from(y), |t| *t, TransformPoint;
}

binary!(Mul [T: Real, R: Turn<T, D>, const D: usize] Isometry<T, R, D>, Isometry<T, R, D> => Isometry<T, R, D> where [];
    keep [(R, Self)] |a, b| (a.rotation, *b), [R] |a, _| a.rotation;
    back |(r, b), d| {
        let mut rotation = R::__product(&d.rotation, &R::__star(&b.rotation.__as_tangent()));
        rotation.__accumulate(&r.__entries(&b.translation.vector, &d.translation));
        Motion { rotation, translation: d.translation }
    },
    |r, d| Motion { rotation: R::__product(&R::__star(&r.__as_tangent()), &d.rotation), translation: r.__turned_back(&d.translation) };
    fore |a, b, d| Motion { rotation: R::__product(&d.rotation, &b.rotation.__as_tangent()), translation: a.rotation.__along(&d.rotation, &b.translation.vector) + d.translation },
    |a, _, d| Motion { rotation: R::__product(&a.rotation.__as_tangent(), &d.rotation), translation: a.rotation.__turned(&d.translation) };
    dots [(Option<R::Tangent>, Option<Tan<Self>>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.map(|da| da.rotation.clone()), db.cloned())), [R::Tangent] |_, _, da, _| da.map(|da| da.rotation.clone());
    again |(r, b), (da, db), d| {
        let (v, dv) = (&b.translation.vector, db.as_ref().map(|db| &db.translation));
        let mut rotation = back_along(r, da.as_ref(), v, dv, &d.translation);
        if let Some(db) = db {
            rotation.__accumulate(&R::__product(&d.rotation, &R::__star(&db.rotation)));
        }
        Motion { rotation, translation: SVector::zeros() }
    },
    |r, da, d| Motion { rotation: R::__product(&R::__star(da), &d.rotation), translation: r.__turned_back_along(da, &d.translation) });

row!(Inverse [T: Real, R: Turn<T, D>, const D: usize] Isometry<T, R, D>, (), () => Isometry<T, R, D>, R, where [];
|a| {
    let r = R::__of(R::__star(&a.rotation.__as_tangent()));
    let shift = Translation { vector: -r.__turned(&a.translation.vector) };
    (Isometry { rotation: r, translation: shift }, r)
};
|a, r, da| {
    let rotation = R::__star(&da.rotation);
    let translation = -(r.__along(&rotation, &a.translation.vector) + r.__turned(&da.translation));
    Motion { rotation, translation }
};
|a, r, d, to| {
    let mut rotation = d.rotation.clone();
    rotation.__accumulate(&r.__entries(&a.translation.vector, &-d.translation));
    to.rotation.__accumulate(&R::__star(&rotation));
    to.translation -= r.__turned_back(&d.translation);
};
|a, r, da, d, to| {
    let dr = R::__star(&da.rotation);
    let rotation = back_along(r, Some(&dr), &a.translation.vector, Some(&da.translation), &-d.translation);
    to.rotation.__accumulate(&R::__star(&rotation));
    to.translation -= r.__turned_back_along(&dr, &d.translation);
});

/// What the inverse of an isometry does.
macro_rules! moves_back {
    ($([$($s:tt)*] $b:ty, |$v:pat_param| $vector:expr, |$u:pat_param| $whole:expr => $y:ty, |$a:pat_param, $t:pat_param| $shifted:expr, |$to:pat_param, $shift:pat_param| $back:expr, $Method:ident $method:ident;)*) => {$(
        row!($Method [T: Real, R: Turn<T, D>, const D: usize $($s)*] Isometry<T, R, D>, (b: $b), () => $y, R, where [R: ::nalgebra::AbstractRotation<T, D>];
            |a, $u| (a.$method($whole), R::__of(R::__star(&a.rotation.__as_tangent())));
            |a, $v, r, da, db| {
                let at = { let ($a, $t) = (&a.translation.vector, $vector); $shifted };
                let along = { let ($a, $t) = (&da.translation, *db); $shifted };
                r.__along(&R::__star(&da.rotation), &at) + r.__turned(&along)
            };
            |a, $v, r, d, to_a, to_b| {
                let at = { let ($a, $t) = (&a.translation.vector, $vector); $shifted };
                to_a.rotation.__accumulate(&R::__star(&r.__entries(&at, d)));
                let back = r.__turned_back(d);
                { let ($to, $shift) = (&mut to_a.translation, &back); $back }
                *to_b += back;
            };
            |a, $v, r, da, db, d, to_a, to_b| {
                let at = { let ($a, $t) = (&a.translation.vector, $vector); $shifted };
                let along = { let ($a, $t) = (&da.translation, *db); $shifted };
                let dr = R::__star(&da.rotation);
                to_a.rotation.__accumulate(&R::__star(&back_along(r, Some(&dr), &at, Some(&along), d)));
                let back = r.__turned_back_along(&dr, d);
                { let ($to, $shift) = (&mut to_a.translation, &back); $back }
                *to_b += back;
            });
    )*};
}
moves_back! {
    [, S: Storage<T, Const<D>>] Matrix<T, Const<D>, U1, S>, |v| v.clone_owned(), |v| &v.clone_owned() => SVector<T, D>, |_, v| v, |_, _| (), InverseVector inverse_transform_vector;
    [] OPoint<T, Const<D>>, |v| v.coords, |v| v => OPoint<T, Const<D>>, |t, v| v - t, |to, back| *to -= back, InversePoint inverse_transform_point;
}

/// A tangent is a value of its own where derivatives have derivatives.
impl<R: Differentiable<Tangent = R> + Tangent, V: Differentiable<Tangent = V> + Tangent>
    Differentiable for Motion<R, V>
{
    type Tangent = Self;
    #[inline]
    fn zero_tangent(&self) -> Self {
        self.zero_like()
    }
    fn write_flat(&self, out: &mut [f64]) {
        Tangent::write_flat(self, out);
    }
}

impl<R: Shaped<Tangent = R> + Tangent, V: Shaped<Tangent = V> + Tangent> Shaped for Motion<R, V> {
    type Shape = Motion<R::Shape, V::Shape>;
    #[inline]
    fn __shape(&self) -> Self::Shape {
        Motion {
            rotation: self.rotation.__shape(),
            translation: self.translation.__shape(),
        }
    }
}

/// The matrix of a motion in homogeneous coordinates, from what turns and what moves.
fn homogeneous<T: Real, const D: usize, const E: usize>(
    turn: &SMatrix<T, D, D>,
    shift: &SVector<T, D>,
) -> SMatrix<T, E, E> {
    let mut all = SMatrix::<T, E, E>::zeros();
    all.fixed_view_mut::<D, D>(0, 0).copy_from(turn);
    all.fixed_view_mut::<D, 1>(0, D).copy_from(shift);
    all
}

/// What turns in such a matrix.
fn turn<T: Real, const D: usize, const E: usize>(all: &SMatrix<T, E, E>) -> SMatrix<T, D, D> {
    all.fixed_view::<D, D>(0, 0).into_owned()
}

/// What moves in such a matrix.
fn shift<T: Real, const D: usize, const E: usize>(all: &SMatrix<T, E, E>) -> SVector<T, D> {
    all.fixed_view::<D, 1>(0, D).into_owned()
}

macro_rules! homogeneous {
    ($($D:literal $E:literal)*) => {$(
        row!(ToHomogeneous [T: Real] Translation<T, $D>, (), () => SMatrix<T, $E, $E>, (), where [];
            |a| (a.to_homogeneous(), ());
            |_, (), da| homogeneous::<T, $D, $E>(&SMatrix::zeros(), da);
            |_, (), d, to| *to += shift::<T, $D, $E>(d);
            |_, (), _, _, _| ());
        row!(ToHomogeneous [T: Real] Rotation<T, $D>, (), () => SMatrix<T, $E, $E>, (), where [];
            |a| (a.to_homogeneous(), ());
            |_, (), da| homogeneous::<T, $D, $E>(da, &SVector::zeros());
            |_, (), d, to| *to += turn::<T, $D, $E>(d);
            |_, (), _, _, _| ());
        homogeneous!(@ $D $E ToHomogeneous to_homogeneous, ToMatrix to_matrix);
    )*};
    // An isometry has two names for it.
    (@ $D:literal $E:literal $($Method:ident $method:ident),*) => {$(
        row!($Method [T: Real] Isometry<T, Rotation<T, $D>, $D>, (), () => SMatrix<T, $E, $E>, (), where [];
            |a| (a.$method(), ());
            |_, (), da| homogeneous::<T, $D, $E>(&da.rotation, &da.translation);
            |_, (), d, to| {
                to.rotation += turn::<T, $D, $E>(d);
                to.translation += shift::<T, $D, $E>(d);
            };
            |_, (), _, _, _| ());
    )*};
}
homogeneous! { 2 3 3 4 }

row!(ToHomogeneous [T: Real] UnitQuaternion<T>, (), () => SMatrix<T, 4, 4>, (), where [];
    |a| (a.to_homogeneous(), ());
    |a, (), da| homogeneous::<T, 3, 4>(&matrix_along(a, da), &SVector::zeros());
    |a, (), d, to| to.coords += quaternion_of(a, &turn::<T, 3, 4>(d)).coords;
    |_, (), da, d, to| to.coords += quaternion_of(da, &turn::<T, 3, 4>(d)).coords);

macro_rules! homogeneous_by_quaternion {
    ($($Method:ident $method:ident),*) => {$(
        row!($Method [T: Real] Isometry<T, UnitQuaternion<T>, 3>, (), () => SMatrix<T, 4, 4>, (), where [];
        |a| (a.$method(), ());
        |a, (), da| homogeneous::<T, 3, 4>(&matrix_along(&a.rotation, &da.rotation), &da.translation);
        |a, (), d, to| {
            to.rotation.coords += quaternion_of(&a.rotation, &turn::<T, 3, 4>(d)).coords;
            to.translation += shift::<T, 3, 4>(d);
        };
        |_, (), da, d, to| {
            to.rotation.coords += quaternion_of(&da.rotation, &turn::<T, 3, 4>(d)).coords;
        });
    )*};
}
homogeneous_by_quaternion!(ToHomogeneous to_homogeneous, ToMatrix to_matrix);

macro_rules! homogeneous_in_the_plane {
    ($($Method:ident $method:ident),*) => {$(
        row!($Method [T: Real] Isometry<T, UnitComplex<T>, 2>, (), () => SMatrix<T, 3, 3>, (), where [];
        |a| (a.$method(), ());
        |_, (), da| homogeneous::<T, 2, 3>(&plane_matrix(&da.rotation), &da.translation);
        |_, (), d, to| {
            to.rotation += plane_number(&turn::<T, 2, 3>(d));
            to.translation += shift::<T, 2, 3>(d);
        };
        |_, (), _, _, _| ());
    )*};
}
homogeneous_in_the_plane!(ToHomogeneous to_homogeneous, ToMatrix to_matrix);
