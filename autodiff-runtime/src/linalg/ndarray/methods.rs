//! The methods of arrays.

use alloc::vec::Vec;

use ::ndarray::{
    Array, ArrayBase, Axis, Data, Dimension, IntoDimension, Ix1, Ix2, RemoveAxis, SliceArg,
};

use super::operators::folded;
use super::{Real, inner, is_nan};
use crate::linalg::forms::{
    AddedScaled, ColumnOf, CopiedFrom, Dot, FilledWith, MeanAll, RowOf, SumAll,
};
use crate::linalg::{Tan, linear, method, row};
use crate::num::zmul;
use crate::tangent::Differentiable;

method! {
    Turned t(;);
    SumAxis sum_axis(; s: S);
    SliceOf slice(; s: S);
    MeanAxis mean_axis(; s: S);
    InsertAxis insert_axis(; s: S);
    IndexAxis index_axis(; s: S, i: K);
    View view(;);
    Reshaped reshaped(; s: S);
    Diag diag(;);
    Flatten flatten(;);
    ReversedAxes reversed_axes(;);
    OuterIter outer_iter(;);
    AxisIter axis_iter(; s: S);
    Product product(;);
    Variance var(; s: S);
    Deviation std(; s: S);
    VarianceAlong var_axis(; s: S, t: K);
    DeviationAlong std_axis(; s: S, t: K);
}

row!(SumAll [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), () => T, (), where [];
    |a| (a.sum(), ());
    |_, (), da| da.sum();
    |_, (), d, to| to.mapv_inplace(|x| x + *d);
    |_, (), _, _, _| ());

row!(MeanAll [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), () => Option<T>, (), where [];
    |a| ((!a.is_empty()).then(|| a.sum() / crate::num::lit(a.len() as f64)), ());
    |a, (), da| (!a.is_empty()).then(|| da.sum() / crate::num::lit(a.len() as f64));
    |a, (), d, to| if let Some(d) = d { let d = *d / crate::num::lit(a.len() as f64); to.mapv_inplace(|x| x + d) };
    |_, (), _, _, _| ());

row!(Turned [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), () => Array<T, D>, (), where [];
    |a| (a.t().to_owned(), ());
    |_, (), da| da.t().to_owned();
    |_, (), d, to| *to += &d.t();
    |_, (), _, _, _| ());

row!(Dot [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>] ArrayBase<SA, Ix1>, (b: ArrayBase<SB, Ix1>), () => T, (), where [];
    |a, b| (a.dot(b), ());
    |a, b, (), da, db| crate::num::add(inner(da, b), inner(a, db));
    |a, b, (), d, to_a, to_b| { add_multiple(to_a, *d, b); add_multiple(to_b, *d, a) };
    |_, _, (), da, db, d, to_a, to_b| { add_multiple(to_a, *d, db); add_multiple(to_b, *d, da) });

row!(Dot [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>] ArrayBase<SA, Ix2>, (b: ArrayBase<SB, Ix1>), () => Array<T, Ix1>, (), where [];
    |a, b| (a.dot(b), ());
    |a, b, (), da, db| by_vector(da, b) + by_vector(a, db);
    |a, b, (), d, to_a, to_b| { add_outer(to_a, d, b); *to_b += &by_vector(&a.t(), d) };
    |_, _, (), da, db, d, to_a, to_b| { add_outer(to_a, d, db); *to_b += &by_vector(&da.t(), d) });

row!(Dot [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>] ArrayBase<SA, Ix1>, (b: ArrayBase<SB, Ix2>), () => Array<T, Ix1>, (), where [];
    |a, b| (a.dot(b), ());
    |a, b, (), da, db| by_vector(&b.t(), da) + by_vector(&db.t(), a);
    |a, b, (), d, to_a, to_b| { *to_a += &by_vector(b, d); add_outer(to_b, a, d) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += &by_vector(db, d); add_outer(to_b, da, d) });

row!(Dot [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>] ArrayBase<SA, Ix2>, (b: ArrayBase<SB, Ix2>), () => Array<T, Ix2>, (), where [];
    |a, b| (a.dot(b), ());
    |a, b, (), da, db| product(da, b) + product(a, db);
    |a, b, (), d, to_a, to_b| { *to_a += &product(d, &b.t()); *to_b += &product(&a.t(), d) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += &product(d, &db.t()); *to_b += &product(&da.t(), d) });

/// `to += s · a`, in which zeros absorb what is infinite.
fn add_multiple<T: Real, S: Data<Elem = T>>(to: &mut Array<T, Ix1>, s: T, a: &ArrayBase<S, Ix1>) {
    to.zip_mut_with(a, |to, a| *to += zmul(s, *a));
}

/// The product of a matrix and a vector, in which zeros absorb what is infinite.
fn by_vector<T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>>(
    a: &ArrayBase<SA, Ix2>,
    b: &ArrayBase<SB, Ix1>,
) -> Array<T, Ix1> {
    let y = a.dot(b);
    if y.iter().any(|y| is_nan(*y)) {
        a.rows().into_iter().map(|row| inner(&row, b)).collect()
    } else {
        y
    }
}

/// The product of two matrices, in which zeros absorb what is infinite.
fn product<T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>>(
    a: &ArrayBase<SA, Ix2>,
    b: &ArrayBase<SB, Ix2>,
) -> Array<T, Ix2> {
    let y = a.dot(b);
    if y.iter().any(|y| is_nan(*y)) {
        Array::from_shape_fn(y.raw_dim(), |(i, j)| inner(&a.row(i), &b.column(j)))
    } else {
        y
    }
}

/// `to += a · bᵀ`, in which zeros absorb what is infinite.
fn add_outer<T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>>(
    to: &mut Array<T, Ix2>,
    a: &ArrayBase<SA, Ix1>,
    b: &ArrayBase<SB, Ix1>,
) {
    for (mut row, a) in to.rows_mut().into_iter().zip(a.iter()) {
        row.zip_mut_with(b, |to, b| *to += zmul(*a, *b));
    }
}

row!(RowOf [T: Real, S: Data<Elem = T>] ArrayBase<S, Ix2>, (), (i: usize) => Array<T, Ix1>, (), where [];
    |a, i| (a.row(*i).to_owned(), ());
    |_, i, (), da, ()| da.row(*i).to_owned();
    |_, i, (), d, to, ()| { let mut row = to.row_mut(*i); row += d };
    |_, _, (), _, (), _, _, ()| ());

row!(ColumnOf [T: Real, S: Data<Elem = T>] ArrayBase<S, Ix2>, (), (i: usize) => Array<T, Ix1>, (), where [];
    |a, i| (a.column(*i).to_owned(), ());
    |_, i, (), da, ()| da.column(*i).to_owned();
    |_, i, (), d, to, ()| { let mut column = to.column_mut(*i); column += d };
    |_, _, (), _, (), _, _, ()| ());

row!(SumAxis [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), (axis: Axis) => Array<T, D::Smaller>, (), where [];
    |a, axis| (a.sum_axis(*axis), ());
    |_, axis, (), da, ()| da.sum_axis(*axis);
    |_, axis, (), d, to, ()| for mut to in to.axis_iter_mut(*axis) { to += d };
    |_, _, (), _, (), _, _, ()| ());

row!(MeanAxis [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), (axis: Axis) => Option<Array<T, D::Smaller>>, (), where [];
    |a, axis| (mean(a, *axis), ());
    |_, axis, (), da, ()| mean(da, *axis);
    |a, axis, (), d, to, ()| if let Some(d) = d {
        let d = d.mapv(|d| d / crate::num::lit(a.len_of(*axis) as f64));
        for mut to in to.axis_iter_mut(*axis) { to += &d }
    };
    |_, _, (), _, (), _, _, ()| ());

/// The means along an axis, if there is anything.
fn mean<T: Real, S: Data<Elem = T>, D: RemoveAxis>(
    a: &ArrayBase<S, D>,
    axis: Axis,
) -> Option<Array<T, D::Smaller>> {
    let count = a.len_of(axis);
    (count > 0).then(|| a.sum_axis(axis) / crate::num::lit::<T>(count as f64))
}

row!(InsertAxis [T: Real, S: Data<Elem = T>, D: Dimension<Larger: RemoveAxis<Smaller = D>>] ArrayBase<S, D>, (), (axis: Axis) => Array<T, D::Larger>, (), where [];
    |a, axis| (a.to_owned().insert_axis(*axis), ());
    |_, axis, (), da, ()| da.clone().insert_axis(*axis);
    |_, axis, (), d, to, ()| *to += &d.index_axis(*axis, 0);
    |_, _, (), _, (), _, _, ()| ());

row!(IndexAxis [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), (axis: Axis, i: usize) => Array<T, D::Smaller>, (), where [];
    |a, axis, i| (a.index_axis(*axis, *i).to_owned(), ());
    |_, axis, i, (), da, (), ()| da.index_axis(*axis, *i).to_owned();
    |_, axis, i, (), d, to, (), ()| { let mut part = to.index_axis_mut(*axis, *i); part += d };
    |_, _, _, (), _, (), (), _, _, (), ()| ());

row!(View [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), () => Array<T, D>, (), where [];
    |a| (a.to_owned(), ());
    |_, (), da| da.clone();
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

// What runs over the parts of an array is a list of copies.
row!(OuterIter [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), () => Vec<Array<T, D::Smaller>>, (), where [];
    |a| (parts(a, Axis(0)), ());
    |_, (), da| parts(da, Axis(0));
    |_, (), d, to| add_parts(to, Axis(0), d);
    |_, (), _, _, _| ());

row!(AxisIter [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), (axis: Axis) => Vec<Array<T, D::Smaller>>, (), where [];
    |a, axis| (parts(a, *axis), ());
    |_, axis, (), da, ()| parts(da, *axis);
    |_, axis, (), d, to, ()| add_parts(to, *axis, d);
    |_, _, (), _, (), _, _, ()| ());

/// The parts of an array along an axis.
fn parts<T: Real, S: Data<Elem = T>, D: RemoveAxis>(
    a: &ArrayBase<S, D>,
    axis: Axis,
) -> Vec<Array<T, D::Smaller>> {
    a.axis_iter(axis).map(|part| part.to_owned()).collect()
}

/// Adds to the parts of an array along an axis.
fn add_parts<T: Real, D: RemoveAxis>(to: &mut Array<T, D>, axis: Axis, d: &[Array<T, D::Smaller>]) {
    for (mut to, d) in to.axis_iter_mut(axis).zip(d) {
        to += d;
    }
}

row!(SliceOf [T: Real, S: Data<Elem = T>, D: Dimension, I: SliceArg<D> + Differentiable<Tangent = ()> + Copy] ArrayBase<S, D>, (), (at: I) => Array<T, I::OutDim>, (), where [];
    |a, at| (a.slice(*at).to_owned(), ());
    |_, at, (), da, ()| da.slice(*at).to_owned();
    |_, at, (), d, to, ()| { let mut part = to.slice_mut(*at); part += d };
    |_, _, (), _, (), _, _, ()| ());

linear! {
    Reshaped [T: Real, S: Data<Elem = T>, D: Dimension, I: IntoDimension + Differentiable + Copy] ArrayBase<S, D>, (shape: I) => Array<T, I::Dim>, where [];
    |a| reshaped(a, shape.into_dimension()); |d, to| *to += &reshaped(d, to.raw_dim());
    Diag [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, () => Array<T, Ix1>, where [];
    |a| a.diag().to_owned(); |d, to| { let mut part = to.diag_mut(); part += d };
    Flatten [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, () => Array<T, Ix1>, where [];
    |a| reshaped(a, Ix1(a.len())); |d, to| *to += &reshaped(d, to.raw_dim());
    ReversedAxes [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, () => Array<T, D>, where [];
    |a| a.t().to_owned(); |d, to| *to += &d.t();
}

/// The entries in another shape, one behind the other row by row.
fn reshaped<T: Real, S: Data<Elem = T>, D: Dimension, E: Dimension>(
    a: &ArrayBase<S, D>,
    shape: E,
) -> Array<T, E> {
    let entries = a.iter().copied().collect();
    Array::from_shape_vec(shape, entries).expect("as many entries in another shape")
}

row!(AddedScaled [T: Real, S: Data<Elem = T>, D: Dimension, E: Dimension] Array<T, D>, (b: ArrayBase<S, E>), (s: T) => Array<T, D>, (), where [];
|a, b, s| { let mut y = a.clone(); y.scaled_add(*s, b); (y, ()) };
|_, b, s, (), da, db, ds| { let mut dot = da.clone(); add_product(&mut dot, *s, db); add_product(&mut dot, *ds, b); dot };
|_, b, s, (), d, to_a, to_b, to_s| {
    *to_a += d;
    let by_b = folded(d, &to_b.raw_dim());
    *to_s += inner(&by_b, b);
    add_product(to_b, *s, &by_b);
};
|_, _, _, (), _, db, ds, d, _, to_b, to_s| {
    let by_b = folded(d, &to_b.raw_dim());
    *to_s += inner(&by_b, db);
    add_product(to_b, *ds, &by_b);
});

/// `to += s · a`, broadcast, in which zeros absorb what is infinite.
fn add_product<T: Real, S: Data<Elem = T>, D: Dimension, E: Dimension>(
    to: &mut Array<T, D>,
    s: T,
    a: &ArrayBase<S, E>,
) {
    to.zip_mut_with(a, |to, a| *to += zmul(s, *a));
}

row!(FilledWith [T: Real, D: Dimension] Array<T, D>, (), (s: T) => Array<T, D>, (), where [];
    |a, s| (a.mapv(|_| *s), ());
    |a, _, (), _, ds| a.mapv(|_| *ds);
    |_, _, (), d, _, to_s| *to_s += d.sum();
    |_, _, (), _, _, _, _, _| ());

row!(CopiedFrom [T: Real, S: Data<Elem = T>, D: Dimension, E: Dimension] Array<T, D>, (b: ArrayBase<S, E>), () => Array<T, D>, (), where [];
    |a, b| { let mut y = a.clone(); y.assign(b); (y, ()) };
    |_, _, (), da, db| { let mut dot = da.clone(); dot.assign(db); dot };
    |_, _, (), d, _, to_b| *to_b += &folded(d, &to_b.raw_dim());
    |_, _, (), _, _, _, _, _| ());

/// The product of all numbers but one, for each of them.
fn products_of_others<T: Real>(all: &[T]) -> Vec<T> {
    let mut others = Vec::with_capacity(all.len());
    let mut before = T::one();
    for x in all {
        others.push(before);
        before = before * *x;
    }
    let mut behind = T::one();
    for (other, x) in others.iter_mut().zip(all).rev() {
        *other = zmul(*other, behind);
        behind = behind * *x;
    }
    others
}

/// The tangents of [`products_of_others`].
fn products_of_others_along<T: Real>(all: &[T], along: &[T]) -> Vec<T> {
    let mut tangents = Vec::with_capacity(all.len());
    for k in 0..all.len() {
        let [all, along] = [all, along].map(|list| {
            let others = list.iter().enumerate().filter(|(l, _)| *l != k);
            others.map(|(_, x)| *x).collect::<Vec<T>>()
        });
        let terms = products_of_others(&all).into_iter().zip(along);
        tangents.push(terms.fold(T::zero(), |sum, (other, d)| sum + zmul(other, d)));
    }
    tangents
}

/// The numbers of an array, row by row.
fn numbers<T: Real, S: Data<Elem = T>, D: Dimension>(a: &ArrayBase<S, D>) -> Vec<T> {
    a.iter().copied().collect()
}

/// Adds multiples of numbers, which stand row by row.
fn add_numbers<T: Real, D: Dimension>(to: &mut Array<T, D>, s: T, numbers: &[T]) {
    for (to, x) in to.iter_mut().zip(numbers) {
        *to += zmul(s, *x);
    }
}

row!(Product [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), () => T, (), where [];
    |a| (a.product(), ());
    |a, (), da| {
        let others = products_of_others(&numbers(a)).into_iter();
        others.zip(da.iter()).fold(T::zero(), |sum, (other, d)| sum + zmul(other, *d))
    };
    |a, (), d, to| add_numbers(to, *d, &products_of_others(&numbers(a)));
    |a, (), da, d, to| add_numbers(to, *d, &products_of_others_along(&numbers(a), &numbers(da))));

/// How far numbers are from their mean.
fn centered<T: Real>(all: &[T]) -> Vec<T> {
    let count = crate::num::lit(all.len() as f64);
    let mean = all.iter().fold(T::zero(), |sum, x| sum + *x) / count;
    all.iter().map(|x| *x - mean).collect()
}

/// A variance of numbers, or its root, with the slopes of it: by each number, and by what is taken from their count.
#[derive(Clone)]
pub struct Spread<T> {
    value: T,
    slopes: Vec<T>,
    by_count: T,
}

impl<T: Real> Spread<T> {
    fn variance(all: &[T], value: T, less: T) -> Self {
        let freedom = crate::num::lit::<T>(all.len() as f64) - less;
        let twice = crate::num::lit::<T>(2.0) / freedom;
        let slopes = centered(all).into_iter().map(|c| twice * c).collect();
        let by_count = value / freedom;
        Spread {
            value,
            slopes,
            by_count,
        }
    }

    /// The tangents of the slopes.
    fn variance_along(&self, all: &[T], less: T, along: &[T], dless: T) -> (Vec<T>, T) {
        let freedom = crate::num::lit::<T>(all.len() as f64) - less;
        let twice = crate::num::lit::<T>(2.0) / freedom;
        let slopes = self.slopes.iter().zip(centered(along));
        let slopes = slopes.map(|(slope, c)| twice * c + *slope * dless / freedom);
        let dvalue = self.along(along, dless);
        let by_count = (dvalue + self.by_count * dless) / freedom;
        (slopes.collect(), by_count)
    }

    /// That of the root: where all numbers are equal it is flat.
    fn deviation(all: &[T], value: T, less: T) -> Self {
        let of_square = Self::variance(all, value * value, less);
        let half = half_over(value);
        Spread {
            value,
            slopes: of_square.slopes.iter().map(|x| *x * half).collect(),
            by_count: of_square.by_count * half,
        }
    }

    fn deviation_along(&self, all: &[T], less: T, along: &[T], dless: T) -> (Vec<T>, T) {
        let square = Self::variance(all, self.value * self.value, less);
        let (slopes, by_count) = square.variance_along(all, less, along, dless);
        let half = half_over(self.value);
        let dvalue = self.along(along, dless);
        let over = crate::num::lit::<T>(2.0) * half * dvalue;
        let bent = |d: T, slope: T| d * half - slope * over;
        let slopes = slopes.into_iter().zip(&self.slopes);
        (
            slopes.map(|(d, slope)| bent(d, *slope)).collect(),
            bent(by_count, self.by_count),
        )
    }

    /// The tangent of the value.
    fn along(&self, along: &[T], dless: T) -> T {
        let slopes = self.slopes.iter().zip(along);
        slopes.fold(self.by_count * dless, |sum, (slope, d)| {
            sum + zmul(*slope, *d)
        })
    }
}

/// `0.5 / x`, and 0 where that is infinite.
fn half_over<T: Real>(x: T) -> T {
    if crate::num::same(x, T::zero()) {
        T::zero()
    } else {
        crate::num::lit::<T>(0.5) / x
    }
}

/// What the crate computes of an array, which it does for floats.
macro_rules! computed {
    ($a:ident.$name:ident[$($axis:ident)?]($less:ident) $map:ident) => {
        if core::mem::size_of::<T>() == 4 {
            let less: f64 = crate::num::cast(*$less);
            let a = $a.mapv(|x| { let x: f64 = crate::num::cast(x); x as f32 });
            $map(a.$name($(*$axis,)? less as f32), f64::from)
        } else {
            let a = $a.mapv(|x| -> f64 { crate::num::cast(x) });
            $map(a.$name($(*$axis,)? crate::num::cast(*$less)), |y: f64| y)
        }
    };
}

/// A number of that float.
fn number<T: Real, U>(y: U, f: impl Fn(U) -> f64) -> T {
    crate::num::lit(f(y))
}

/// An array of such.
fn array<T: Real, U: Copy, D: Dimension>(y: Array<U, D>, f: impl Fn(U) -> f64) -> Array<T, D> {
    y.mapv(|y| crate::num::lit(f(y)))
}

/// The spreads of the lanes of an array.
fn spreads<T: Real, S: Data<Elem = T>, D: RemoveAxis>(
    a: &ArrayBase<S, D>,
    axis: Axis,
    values: &Array<T, D::Smaller>,
    spread: impl Fn(&[T], T) -> Spread<T>,
) -> Vec<Spread<T>> {
    let lanes = a.lanes(axis).into_iter().zip(values.iter());
    lanes
        .map(|(lane, value)| spread(&numbers(&lane), *value))
        .collect()
}

macro_rules! spread {
    ($($All:ident $all:ident $Along:ident $along:ident $of:ident $bent:ident;)*) => {$(
        row!($All [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D>, (), (less: T) => T, Spread<T>, where [];
            |a, less| {
                let value = computed!(a.$all[](less) number);
                (value, Spread::$of(&numbers(a), value, *less))
            };
            |_, _, kept, da, dless| kept.along(&numbers(da), *dless);
            |_, _, kept, d, to_a, to_less| {
                add_numbers(to_a, *d, &kept.slopes);
                *to_less += zmul(*d, kept.by_count);
            };
            |a, less, kept, da, dless, d, to_a, to_less| {
                let (slopes, by_count) = kept.$bent(&numbers(a), *less, &numbers(da), *dless);
                add_numbers(to_a, *d, &slopes);
                *to_less += zmul(*d, by_count);
            });

        row!($Along [T: Real, S: Data<Elem = T>, D: RemoveAxis] ArrayBase<S, D>, (), (axis: Axis, less: T) => Array<T, D::Smaller>, Vec<Spread<T>>, where [];
            |a, axis, less| {
                let values = computed!(a.$along[axis](less) array);
                let kept = spreads(a, *axis, &values, |all, value| Spread::$of(all, value, *less));
                (values, kept)
            };
            |a, axis, _, kept, da, (), dless| {
                let along = da.lanes(*axis).into_iter().zip(kept);
                let dots = along.map(|(da, kept)| kept.along(&numbers(&da), *dless)).collect();
                let shape = a.raw_dim().remove_axis(*axis);
                Array::from_shape_vec(shape, dots).expect("a number for each lane")
            };
            |_, axis, _, kept, d, to_a, (), to_less| {
                let lanes = to_a.lanes_mut(*axis).into_iter().zip(kept);
                for ((mut lane, kept), d) in lanes.zip(d.iter()) {
                    lane.iter_mut().zip(&kept.slopes).for_each(|(to, slope)| *to += zmul(*d, *slope));
                    *to_less += zmul(*d, kept.by_count);
                }
            };
            |a, axis, less, kept, da, (), dless, d, to_a, (), to_less| {
                let both = a.lanes(*axis).into_iter().zip(da.lanes(*axis));
                let lanes = to_a.lanes_mut(*axis).into_iter().zip(both).zip(kept);
                for (((mut lane, (a, da)), kept), d) in lanes.zip(d.iter()) {
                    let (slopes, by_count) = kept.$bent(&numbers(&a), *less, &numbers(&da), *dless);
                    lane.iter_mut().zip(slopes).for_each(|(to, slope)| *to += zmul(*d, slope));
                    *to_less += zmul(*d, by_count);
                }
            });
    )*};
}
spread! {
    Variance var VarianceAlong var_axis variance variance_along;
    Deviation std DeviationAlong std_axis deviation deviation_along;
}
