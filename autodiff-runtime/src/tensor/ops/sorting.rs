//! Entries in order: sorted, the largest, quantiles.

use alloc::format;
#[cfg(test)]
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::indices::Gather;
use crate::float::Float;
use crate::lanes::Width;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, axis};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;

/// The order of numbers, in which NaN is the largest and ±0 are equal.
fn compare<T: Float>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| {
        let is_nan = |x: &T| x.to_f64().is_nan();
        is_nan(a).cmp(&is_nan(b))
    })
}

/// For each row of an axis the numbers of its entries in order; equal ones stay in theirs.
fn order<T: Float>(x: &Tensor<T>, axis: usize, descending: bool) -> Tensor<usize> {
    let rows = x.rows(&[axis]);
    let mut out = Vec::with_capacity(x.len());
    for k in 0..rows.number {
        let row = rows.row(k);
        let from = out.len();
        out.extend(0..row.len());
        out[from..].sort_by(|i: &usize, j: &usize| {
            let order = compare(&row[*i], &row[*j]);
            if descending { order.reverse() } else { order }
        });
    }
    rows.back(out)
}

/// For each row of an axis the number of its first entry that none is before.
fn first<T: Float>(x: &Tensor<T>, axis: usize, before: impl Fn(Ordering) -> bool) -> Tensor<usize> {
    let rows = x.rows(&[axis]);
    let numbers = (0..rows.number)
        .map(|k| first_of(rows.row(k), &before))
        .collect();
    rows.per_row(numbers)
}

/// The number of a row's first entry that none is before; NaN is before all numbers.
fn first_of<T: Float>(row: &[T], before: &impl Fn(Ordering) -> bool) -> usize {
    let mut best = 0;
    for (k, x) in row.iter().enumerate() {
        let better = match x.partial_cmp(&row[best]) {
            Some(order) => before(order),
            None => !row[best].to_f64().is_nan(),
        };
        if better {
            best = k;
        }
    }
    best
}

/// The entries of an axis in order.
#[derive(Clone)]
struct Sorted {
    axis: isize,
    descending: bool,
}

impl<T: Float> Operation<T> for Sorted {
    const NAME: &'static str = "sorted";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        axis("sorted", x[0].rank(), self.axis)?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let axis = expect(axis("sorted", x[0].lengths().len(), self.axis));
        x[0].then(Gather {
            axis: self.axis,
            index: order(x[0].primal(), axis, self.descending),
        })
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, descending| Sorted { axis, descending };
        vec![
            (of(0, false), vec![shape(&[5])]),
            (of(-2, true), vec![shape(&[4, 3])]),
            (of(1, false), vec![shape(&[2, 0])]),
            (of(1, false), vec![shape(&[2, 1, 3])]),
        ]
    }
}

/// Where a quantile of so many entries lies: two neighbours, and how far from the first to the second.
fn place(length: usize, q: f64) -> (usize, usize, f64) {
    let at = q * (length - 1) as f64;
    let low = at.floor() as usize;
    (low, (low + 1).min(length - 1), at - at.floor())
}

/// A quantile of the entries of an axis, linear between two neighbours.
#[derive(Clone)]
struct Quantile {
    name: &'static str,
    q: f64,
    axis: isize,
}

impl Quantile {
    fn check(&self, shape: &[usize]) -> Result<()> {
        let axis = axis(self.name, shape.len(), self.axis)?;
        if !(0.0..=1.0).contains(&self.q) {
            return Err(Error::new(
                self.name,
                format!("{} is not between 0 and 1", self.q),
            ));
        }
        if shape[axis] == 0 {
            return Err(Error::new(
                self.name,
                format!("axis {axis} of {shape:?} has no entries"),
            ));
        }
        Ok(())
    }
}

impl<T: Float> Operation<T> for Quantile {
    const NAME: &'static str = "quantile";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.check(x[0].shape())?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let shape = x[0].lengths();
        let axis = expect(axis(self.name, shape.len(), self.axis));
        let order = order(x[0].primal(), axis, false);
        let mut left: Dims = shape.into();
        left.remove(axis);
        let at = |k: usize| {
            let index = order.cut(axis, k, 1, 1);
            let gather = Gather {
                axis: axis as isize,
                index,
            };
            x[0].then(gather).shaped(&left)
        };
        let (low, high, share) = place(shape[axis], self.q);
        let y = if share == 0.0 {
            at(low)
        } else {
            at(low).scaled(1.0 - share).add(&at(high).scaled(share))
        };
        // A row with a NaN has none but NaN: it is the last one in order, and so the sum with 0 times it.
        let last = at(shape[axis] - 1);
        if last.primal().iter().any(|x| x.to_f64().is_nan()) {
            let spoilt = crate::tensor::elementwise::map(last.primal(), |x| {
                if x.to_f64().is_nan() { x } else { T::ZERO }
            });
            return y.add(&A::constant(spoilt));
        }
        y
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |q, axis| Quantile {
            name: "quantile",
            q,
            axis,
        };
        vec![
            (of(0.5, 0), vec![shape(&[5])]),
            (of(0.5, 1), vec![shape(&[3, 4])]),
            (of(0.3, -3), vec![shape(&[4, 2, 3])]),
            (of(1.0, 0), vec![shape(&[3, 2])]),
            (of(0.0, 0), vec![shape(&[1])]),
            (of(0.7, 0), vec![shape(&[3, 0])]),
        ]
    }
}

/// A quantile of all entries.
#[derive(Clone)]
struct QuantileOfAll {
    name: &'static str,
    q: f64,
}

impl QuantileOfAll {
    fn of_list(&self) -> Quantile {
        Quantile {
            name: self.name,
            q: self.q,
            axis: 0,
        }
    }
}

impl<T: Float> Operation<T> for QuantileOfAll {
    const NAME: &'static str = "quantile";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.of_list().check(&[x[0].len()])?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].shaped(&[x[0].primal().len()]).then(self.of_list())
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |q| QuantileOfAll {
            name: "quantile",
            q,
        };
        vec![
            (of(0.5), vec![shape(&[2, 3])]),
            (of(0.9), vec![shape(&[])]),
            (of(0.25), vec![shape(&[4, 1])]),
        ]
    }
}

methods! {
    /// The entries of an axis in ascending order, NaN last; the cotangent of each goes to where it came from.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, 1.0, 2.0]).sorted(0).to_vec(), [1.0, 2.0, 3.0]);
    /// ```
    sorted(; axis: given [isize]) -> tensor = Sorted { axis, descending: false };
    /// The entries of an axis in descending order, NaN first.
    sorted_descending(; axis: given [isize]) -> tensor = Sorted { axis, descending: true };
    /// The median of all entries: that in the middle, or the mean of the two there, as in `NumPy`; NaN where an entry is.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, 1.0, 10.0, 2.0]).median(), 2.5);
    /// ```
    median(;) -> scalar = QuantileOfAll { name: "median", q: 0.5 };
    /// The median along an axis, which is dropped.
    median_axis(; axis: given [isize]) -> tensor = Quantile { name: "median_axis", q: 0.5, axis };
    /// What a share `q` of all entries is below: linear between two entries where it falls between them, as in `NumPy`; NaN where an entry is.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, 1.0, 2.0]).quantile(0.25), 1.5);
    /// ```
    quantile(; q: given [f64]) -> scalar = QuantileOfAll { name: "quantile", q };
    /// The quantile along an axis, which is dropped.
    quantile_axis(; q: given [f64], axis: given [isize]) -> tensor = Quantile { name: "quantile_axis", q, axis };
}

/// Methods without a derivative, with siblings that return errors.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($this:ident $(, $arg:ident: $ty:ty)*) -> $out:ty = $body:expr;)*) => { pastey::paste! {
        impl<T: Float> Tensor<T> {$(
            $(#[$doc])*
            ///
            /// # Panics
            /// Where the sibling that is named `try_…` returns an error.
            #[track_caller]
            pub fn $name(&self $(, $arg: $ty)*) -> $out {
                expect(self.[<try_ $name>]($($arg),*))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ").")]
            ///
            /// # Errors
            /// If the axis or the lengths do not fit, in words.
            pub fn [<try_ $name>](&self $(, $arg: $ty)*) -> Result<$out> {
                let $this = self;
                $body
            }
        )*}
    } };
}

/// Of nothing there is no largest entry.
fn some<T: Float>(operation: &'static str, x: &Tensor<T>, at: isize) -> Result<usize> {
    let axis = axis(operation, x.rank(), at)?;
    if x.shape()[axis] == 0 {
        return Err(Error::new(
            operation,
            format!("axis {axis} of {:?} has no entries", x.shape()),
        ));
    }
    Ok(axis)
}

/// The number of the first entry of all that none is before.
fn first_of_all<T: Float>(
    operation: &'static str,
    x: &Tensor<T>,
    before: impl Fn(Ordering) -> bool,
) -> Result<usize> {
    if x.is_empty() {
        return Err(Error::new(
            operation,
            format!("a tensor of shape {:?} has no entries", x.shape()),
        ));
    }
    let x = x.contiguous();
    Ok(first_of(x.dense().unwrap_or(&[]), &before))
}

/// The hidden forms of methods that yield indices, which have no derivative: generated code calls them on what is no variable.
macro_rules! indices {
    ($($name:ident($($axis:ident)?) -> $out:ty;)*) => { pastey::paste! {
        #[allow(clippy::type_complexity, clippy::unused_unit, reason = "the forms that generated code calls")]
        impl<T: Float> Tensor<T> {$(
            #[doc(hidden)]
            #[must_use]
            pub fn [<__zero_of_0_ $name>](&self, _: &Self) -> Self {
                self.nobodys()
            }

            $(
                #[doc(hidden)]
                pub fn [<__zero_of_1_ $name>](&self, _: &indices!(@axis $axis)) {}
            )?

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_ $name>](&self, $($axis: isize,)? _: &Self $(, [<_dot_ $axis>]: ())?) -> ($out, ()) {
                (self.$name($($axis)?), ())
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__fwd_ $name>](&self $(, $axis: isize)?) -> ($out, fn((), &Self, &mut Self) -> indices!(@nothing $($axis)?)) {
                (self.$name($($axis)?), |(), _, _| indices!(@nothing $($axis)?))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_fwd_ $name>](&self, $($axis: isize,)? _: &Self $(, [<_dot_ $axis>]: ())?) -> ($out, (), fn((), (), &Self, &Self, &mut Self, &mut Self) -> (indices!(@nothing $($axis)?), indices!(@nothing $($axis)?))) {
                (self.$name($($axis)?), (), |(), (), _, _, _, _| (indices!(@nothing $($axis)?), indices!(@nothing $($axis)?)))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__each_fwd_ $name>]<const N: usize>(&self, $($axis: isize,)? _: Width<N>, _: [&Self; N] $(, [<_dot_ $axis>]: [(); N])?) -> ($out, [(); N], fn((), [(); N], &Self, [&Self; N], &mut Self, [&mut Self; N]) -> (indices!(@nothing $($axis)?), indices!(@each N $($axis)?))) {
                (self.$name($($axis)?), [(); N], |(), _, _, _, _, _| (indices!(@nothing $($axis)?), indices!(@each N $($axis)?)))
            }

            $(
                #[doc(hidden)]
                #[track_caller]
                pub fn [<__even_ $name>](&self, $axis: isize) -> ($out, fn((), &Self, (), &mut Self, ()) -> ((), ())) {
                    (self.$name($axis), |(), _, (), _, ()| ((), ()))
                }

                #[doc(hidden)]
                #[track_caller]
                pub fn [<__jvp_even_ $name>](&self, $axis: isize, _: &Self, (): ()) -> ($out, (), fn((), (), &Self, (), &Self, (), &mut Self, (), &mut Self, ()) -> (((), ()), ((), ()))) {
                    (self.$name($axis), (), |(), (), _, (), _, (), _, (), _, ()| (((), ()), ((), ())))
                }
            )?
        )*}
    } };
    (@axis $axis:ident) => { isize };
    (@nothing) => { () };
    (@nothing $axis:ident) => { ((),) };
    (@each $n:ident) => { () };
    (@each $n:ident $axis:ident) => { ([(); $n],) };
}
indices! {
    argmax() -> usize;
    argmin() -> usize;
    argmax_axis(axis) -> Tensor<usize>;
    argmin_axis(axis) -> Tensor<usize>;
    argsort(axis) -> Tensor<usize>;
    argsort_descending(axis) -> Tensor<usize>;
}

numbers! {
    /// The numbers of the entries of an axis in ascending order, equal ones in theirs, NaN last.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([3.0, 1.0, 2.0]);
    /// let order = x.argsort(0);
    /// assert_eq!(order.to_vec(), [1, 2, 0]);
    /// assert_eq!(x.gather(0, &order), x.sorted(0));
    /// ```
    argsort(this, axis: isize) -> Tensor<usize> = {
        let axis = crate::tensor::dims::axis("argsort", this.rank(), axis)?;
        Ok(order(this, axis, false))
    };
    /// The numbers of the entries of an axis in descending order, equal ones in theirs, NaN first.
    argsort_descending(this, axis: isize) -> Tensor<usize> = {
        let axis = crate::tensor::dims::axis("argsort_descending", this.rank(), axis)?;
        Ok(order(this, axis, true))
    };
    /// The entries of an axis in ascending order, and their numbers. In `#[grad]` functions [`sorted`](Tensor::sorted) gives the first of the two with its derivative.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (values, numbers) = Tensor::from([3.0, 1.0, 2.0]).sort(0);
    /// assert_eq!((values.to_vec(), numbers.to_vec()), (vec![1.0, 2.0, 3.0], vec![1, 2, 0]));
    /// ```
    sort(this, axis: isize) -> (Tensor<T>, Tensor<usize>) = {
        let index = this.try_argsort(axis)?;
        Ok((this.try_gather(axis, &index)?, index))
    };
    /// The `k` largest entries of an axis in descending order, and their numbers; where entries are equal, the first ones.
    ///
    /// In `#[grad]` functions: `x.gather(axis, &x.topk(k, axis).1)`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (values, numbers) = Tensor::from([3.0, 1.0, 2.0]).topk(2, 0);
    /// assert_eq!((values.to_vec(), numbers.to_vec()), (vec![3.0, 2.0], vec![0, 2]));
    /// ```
    topk(this, k: usize, axis: isize) -> (Tensor<T>, Tensor<usize>) = {
        let at = crate::tensor::dims::axis("topk", this.rank(), axis)?;
        if k > this.shape()[at] {
            return Err(Error::new(
                "topk",
                format!("{k} entries of axis {at}, which has length {}", this.shape()[at]),
            ));
        }
        let index = order(this, at, true).cut(at, 0, k, 1).contiguous();
        Ok((this.try_gather(axis, &index)?, index))
    };
    /// The number of the largest of all entries, row by row; the first of equal ones, and NaN is larger than any number.
    argmax(this) -> usize = first_of_all("argmax", this, Ordering::is_gt);
    /// The number of the smallest of all entries, row by row; the first of equal ones, and NaN is smaller than any number.
    argmin(this) -> usize = first_of_all("argmin", this, Ordering::is_lt);
    /// The numbers of the largest entries of an axis, which is dropped.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 3.0], [5.0, 5.0]]);
    /// assert_eq!(x.argmax_axis(1).to_vec(), [1, 0]);
    /// ```
    argmax_axis(this, axis: isize) -> Tensor<usize> = Ok(first(this, some("argmax_axis", this, axis)?, Ordering::is_gt));
    /// The numbers of the smallest entries of an axis, which is dropped.
    argmin_axis(this, axis: isize) -> Tensor<usize> = Ok(first(this, some("argmin_axis", this, axis)?, Ordering::is_lt));
}

#[cfg(test)]
crate::tensor::testing::operations!(Sorted Quantile QuantileOfAll);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::operation::Kept;

    #[test]
    fn equal_entries_and_nan() {
        let x = Tensor::from([2.0, f64::NAN, -0.0, 2.0, 0.0]);
        assert_eq!(x.argsort(0).to_vec(), [2, 4, 0, 3, 1]);
        assert_eq!(x.argsort_descending(0).to_vec(), [1, 0, 3, 2, 4]);
        assert_eq!((x.argmax(), x.argmin()), (1, 1));
        let y = Tensor::from([[1.0, 1.0], [0.0, 2.0]]);
        assert_eq!((y.argmax(), y.argmin()), (3, 2));
        assert_eq!(y.argmax_axis(1).to_vec(), [0, 1]);
        assert_eq!(y.argmin_axis(-1).to_vec(), [0, 0]);
        assert_eq!(y.topk(1, 0).1, Tensor::from([[0, 1]]));
        assert!(x.median().is_nan());
        assert_eq!(y.t().argmax(), 3);
    }

    /// Of equal entries each gets the cotangent of its own place.
    #[test]
    fn ties_share_nothing() {
        let sorted = Sorted {
            axis: 0,
            descending: false,
        };
        let (_, kept) = Kept::new(sorted, vec![Tensor::from([1.0, 0.0, 1.0])]);
        let seed = Tensor::from([10.0, 20.0, 30.0]);
        assert_eq!(kept.pull(&seed, &[true])[0].to_vec(), [20.0, 10.0, 30.0]);
    }

    #[test]
    fn infinite_entries_beside_the_quantile_do_not_matter() {
        let x = Tensor::from([f64::NEG_INFINITY, 1.0, 3.0, f64::INFINITY]);
        assert_eq!(x.median(), 2.0);
        assert_eq!(x.quantile(1.0), f64::INFINITY);
        let spread = Tensor::from([f64::MAX, -f64::MAX]);
        assert_eq!(spread.median(), 0.0);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let x = shape::<f64>(&[2, 0]);
        assert_eq!(
            x.try_argmax_axis(1).unwrap_err().to_string(),
            "argmax_axis: axis 1 of [2, 0] has no entries"
        );
        assert!(x.try_argmin().is_err() && x.try_median().is_err());
        assert_eq!(
            x.try_quantile_axis(1.5, 0).unwrap_err().to_string(),
            "quantile_axis: 1.5 is not between 0 and 1"
        );
        assert!(x.try_quantile(f64::NAN).is_err());
        assert_eq!(
            x.try_topk(3, 0).unwrap_err().to_string(),
            "topk: 3 entries of axis 0, which has length 2"
        );
        assert_eq!(x.argmax_axis(0).shape(), [0]);
    }
}
