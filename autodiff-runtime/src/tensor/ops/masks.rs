//! Masks: comparisons, logic, and what is selected by a mask; other types of entries.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops;

use super::moves::linear;
use crate::element::Element;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::arguments::AsTensor;
use crate::tensor::dims::{Axes, Dims};
use crate::tensor::elementwise::{map, map_in_order, zip, zip3};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// What each entry of a mask selects: an entry of the first operand where it is `on`, else one of the second.
///
/// Nothing comes of what is not selected, whatever it is.
#[derive(Clone)]
pub(crate) struct Select {
    pub(crate) name: &'static str,
    pub(crate) mask: Tensor<bool>,
    pub(crate) on: bool,
}

impl<T: Float> Operation<T> for Select {
    const NAME: &'static str = "where_cond";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let on = self.on;
        zip3(self.name, &self.mask, x[0], x[1], |mask, a, b| {
            if mask == on { a } else { b }
        })
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], _: &A, dx: &[Option<&A>]) -> A {
        let dot = |k: usize| dx[k].cloned().unwrap_or_else(|| x[k].nothing());
        A::apply(self, &[&dot(0), &dot(1)])
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let nothing = dy.nothing();
        let parts = [[dy, &nothing], [&nothing, dy]];
        (parts.iter().zip(x).zip(wanted))
            .map(|((part, x), wanted)| wanted.then(|| A::apply(self, part).summed_to(x.lengths())))
            .collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let select = |at: &[usize], on| Select {
            name: "where_cond",
            mask: Tensor::from_fn(at, |at| at.iter().sum::<usize>() % 2 == 0),
            on,
        };
        let two = |a: &[usize], b: &[usize]| vec![shape(a), shifted(b, 50.0)];
        vec![
            (select(&[2, 3], true), two(&[2, 3], &[2, 3])),
            (select(&[2, 3], false), two(&[3], &[])),
            (select(&[3], true), two(&[2, 1], &[1, 3])),
            (select(&[2, 1], true), two(&[], &[3])),
            (select(&[], true), two(&[2], &[1, 1])),
            (select(&[1], true), two(&[0], &[1])),
            (select(&[0], true), two(&[1], &[])),
        ]
    }
}

/// The entries that a mask keeps, scaled, and 0 for the others, whatever they are.
#[derive(Clone)]
pub(crate) struct Dropout {
    pub(crate) mask: Tensor<bool>,
    /// How likely an entry is dropped: what is kept is divided by the rest.
    pub(crate) p: f64,
}

impl<T: Float> Operation<T> for Dropout {
    const NAME: &'static str = "dropout_mask";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if !(0.0..=1.0).contains(&self.p) {
            let reason = format!("{} is no probability", self.p);
            return Err(Error::new("dropout_mask", reason));
        }
        let rest = T::from_f64(1.0 - self.p);
        zip("dropout_mask", &self.mask, x[0], |mask, x| {
            if mask { x / rest } else { T::ZERO }
        })
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.clone()).summed_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let dropout = |at: &[usize], p| Dropout {
            mask: Tensor::from_fn(at, |at| at.iter().sum::<usize>() % 2 == 0),
            p,
        };
        vec![
            (dropout(&[2, 3], 0.25), vec![shape(&[2, 3])]),
            (dropout(&[2, 3], 0.5), vec![shape(&[3])]),
            (dropout(&[3], 0.0), vec![shape(&[2, 1])]),
            (dropout(&[], 0.5), vec![shape(&[])]),
            (dropout(&[0], 0.5), vec![shape(&[1])]),
        ]
    }
}

methods! {
    of mask: Tensor<bool>;
    /// The entries of `a` where the mask is true, those of `b` elsewhere; all three are stretched to each other.
    ///
    /// Nothing comes of what is not selected, also where it or its slope is infinite or NaN.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([-4.0, 4.0]);
    /// assert_eq!(x.gt(0.0).where_cond(x.sqrt(), -1.0).to_vec(), [-1.0, 2.0]);
    /// ```
    #[doc(alias = "where")]
    where_cond(a, b;) -> tensor = Select { name: "where_cond", mask: mask.clone(), on: true };
}

methods! {
    /// The entries of `value` where a mask is true, those of `self` elsewhere; all three are stretched to each other.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (x, mask) = (Tensor::from([1.0, 2.0]), Tensor::from([false, true]));
    /// assert_eq!(x.masked_fill(&mask, f64::NEG_INFINITY).to_vec(), [1.0, f64::NEG_INFINITY]);
    /// ```
    masked_fill(mask: lent [Tensor<bool>]; value;) -> tensor = Select { name: "masked_fill", mask: mask.clone(), on: false };
}

methods! {
    /// Dropout: x / (1 − p) where the mask is true, 0 elsewhere, whatever x is there.
    ///
    /// An error if p is not between 0 and 1.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (x, keep) = (Tensor::from([1.0, f64::NAN]), Tensor::from([true, false]));
    /// assert_eq!(x.dropout_mask(&keep, 0.5).to_vec(), [2.0, 0.0]);
    /// ```
    ///
    /// Source: Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov, Dropout, 2014.
    dropout_mask(; mask: lent [Tensor<bool>], p: given [T]) -> tensor = Dropout { mask: mask.clone(), p: p.to_f64() };
}

#[cfg(test)]
crate::tensor::testing::operations!(Select Dropout);

/// Methods that bring the entries of two tensors together, with their siblings that return errors; they have no derivative.
macro_rules! entrywise {
    ($types:tt $T:ty => $Y:ty: $( $(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $f:expr; )*) => { pastey::paste! { $(
        entrywise!(@impl $types $T {
            $(#[$doc])*
            ///
            /// # Panics
            /// Where the sibling that is named `try_…` returns an error.
            #[must_use]
            #[track_caller]
            pub fn $name(&self, other: impl AsTensor<$T>) -> Tensor<$Y> {
                expect(self.[<try_ $name>](other))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ").")]
            ///
            /// # Errors
            /// If the shapes do not go together, with both of them.
            pub fn [<try_ $name>](&self, other: impl AsTensor<$T>) -> Result<Tensor<$Y>> {
                zip(stringify!($name), self, &other.as_tensor(), |$a, $b| $f)
            }
        });
    )* } };
    (@impl [$($types:tt)*] $T:ty { $($body:tt)* }) => { impl<$($types)*> Tensor<$T> { $($body)* } };
}
entrywise! { [T: Element] T => bool:
    /// Where the entries are equal to those of a tensor or to a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, f64::NAN]).eq(2.0).to_vec(), [false, true, false]);
    /// ```
    eq |a, b| a == b;
    /// Where the entries are not equal to those of a tensor or to a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, f64::NAN]).ne(2.0).to_vec(), [true, false, true]);
    /// ```
    ne |a, b| a != b;
    /// Where the entries are less than those of a tensor or a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, 3.0]).lt(2.0).to_vec(), [true, false, false]);
    /// ```
    lt |a, b| a < b;
    /// Where the entries are at most those of a tensor or a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, 3.0]).le(2.0).to_vec(), [true, true, false]);
    /// ```
    le |a, b| a <= b;
    /// Where the entries are greater than those of a tensor or a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0], [3.0]]);
    /// assert_eq!(x.gt(Tensor::from([0.0, 2.0])), Tensor::from([[true, false], [true, true]]));
    /// ```
    gt |a, b| a > b;
    /// Where the entries are at least those of a tensor or a number.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1, 2, 3]).ge(2).to_vec(), [false, true, true]);
    /// ```
    ge |a, b| a >= b;
}
entrywise! { [] bool => bool:
    /// Where both are true; also `a & b`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0, 3.0]);
    /// assert_eq!((x.gt(1.0) & x.lt(3.0)).to_vec(), [false, true, false]);
    /// ```
    logical_and |a, b| a && b;
    /// Where one of them at least is true; also `a | b`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0, 3.0]);
    /// assert_eq!((x.lt(2.0) | x.gt(2.0)).to_vec(), [true, false, true]);
    /// ```
    logical_or |a, b| a || b;
    /// Where exactly one of them is true; also `a ^ b`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!((Tensor::from([true, true]) ^ Tensor::from([true, false])).to_vec(), [false, true]);
    /// ```
    logical_xor |a, b| a != b;
}

macro_rules! operators {
    ($($op:ident $method:ident $logical:ident;)*) => {$(
        impl<B: AsTensor<bool>> ops::$op<B> for Tensor<bool> {
            type Output = Tensor<bool>;
            #[track_caller]
            fn $method(self, b: B) -> Tensor<bool> {
                self.$logical(b)
            }
        }

        impl<B: AsTensor<bool>> ops::$op<B> for &Tensor<bool> {
            type Output = Tensor<bool>;
            #[track_caller]
            fn $method(self, b: B) -> Tensor<bool> {
                self.$logical(b)
            }
        }
    )*};
}
operators! {
    BitAnd bitand logical_and;
    BitOr bitor logical_or;
    BitXor bitxor logical_xor;
}

impl ops::Not for Tensor<bool> {
    type Output = Tensor<bool>;
    fn not(self) -> Tensor<bool> {
        self.logical_not()
    }
}

impl ops::Not for &Tensor<bool> {
    type Output = Tensor<bool>;
    fn not(self) -> Tensor<bool> {
        self.logical_not()
    }
}

/// Reductions of masks: of all entries, and over axes.
macro_rules! reductions {
    ($( $(#[$doc:meta])* $name:ident -> $Y:ty = |$row:ident| $f:expr; )*) => { pastey::paste! {
        impl Tensor<bool> {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> $Y {
                    let rows = self.rows(&(0..self.rank()).collect::<Dims>());
                    let $row = rows.row(0);
                    $f
                }

                #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ") over axes, which are dropped.")]
                ///
                /// # Panics
                /// If there is no such axis, or one is named twice.
                #[must_use]
                #[track_caller]
                pub fn [<$name _axis>](&self, axes: impl Into<Axes>) -> Tensor<$Y> {
                    expect(self.[<try_ $name _axis>](axes))
                }

                #[doc = concat!("As [`", stringify!($name), "_axis`](Self::", stringify!($name), "_axis).")]
                ///
                /// # Errors
                /// Where that panics.
                pub fn [<try_ $name _axis>](&self, axes: impl Into<Axes>) -> Result<Tensor<$Y>> {
                    let axes = axes.into().of(stringify!($name), self.rank())?;
                    Ok(self.[<$name _over>](&axes))
                }

                #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ") over axes, which stay with length 1.")]
                ///
                /// # Panics
                /// If there is no such axis, or one is named twice.
                #[must_use]
                #[track_caller]
                pub fn [<$name _axis_keep>](&self, axes: impl Into<Axes>) -> Tensor<$Y> {
                    expect(self.[<try_ $name _axis_keep>](axes))
                }

                #[doc = concat!("As [`", stringify!($name), "_axis_keep`](Self::", stringify!($name), "_axis_keep).")]
                ///
                /// # Errors
                /// Where that panics.
                pub fn [<try_ $name _axis_keep>](&self, axes: impl Into<Axes>) -> Result<Tensor<$Y>> {
                    let axes = axes.into().of(stringify!($name), self.rank())?;
                    let mut kept: Dims = self.shape().into();
                    for axis in &axes {
                        kept[*axis] = 1;
                    }
                    Ok(self.[<$name _over>](&axes).reshaped(&kept))
                }

                fn [<$name _over>](&self, axes: &[usize]) -> Tensor<$Y> {
                    let rows = self.rows(axes);
                    let entries = (0..rows.number).map(|k| {
                        let $row = rows.row(k);
                        $f
                    });
                    rows.per_row(entries.collect())
                }
            )*
        }
    } };
}
reductions! {
    /// Whether an entry is true; false of an empty mask.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let mask = Tensor::from([[true, false], [false, false]]);
    /// assert!(mask.any());
    /// assert_eq!(mask.any_axis(-1).to_vec(), [true, false]);
    /// ```
    any -> bool = |row| row.contains(&true);
    /// Whether all entries are true; true of an empty mask.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let mask = Tensor::from([[true, true], [false, true]]);
    /// assert!(!mask.all());
    /// assert_eq!(mask.all_axis(-1).to_vec(), [true, false]);
    /// ```
    all -> bool = |row| !row.contains(&false);
    /// How many entries are true.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let mask = Tensor::from([[true, true], [false, true]]);
    /// assert_eq!(mask.count(), 3);
    /// assert_eq!(mask.count_axis(-1).to_vec(), [2, 1]);
    /// ```
    #[doc(alias = "count_nonzero")]
    count -> usize = |row| row.iter().filter(|entry| **entry).count();
}

impl Tensor<bool> {
    /// Where the entries are false; also `!mask`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!((!Tensor::from([true, false])).to_vec(), [false, true]);
    /// ```
    #[must_use]
    pub fn logical_not(&self) -> Tensor<bool> {
        map(self, |entry| !entry)
    }
}

impl<T: Float> Tensor<T> {
    /// Where the entries are NaN.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, f64::NAN]).is_nan().to_vec(), [false, true]);
    /// ```
    pub fn is_nan(&self) -> Tensor<bool> {
        map(self, T::is_nan)
    }

    /// Where the entries are neither infinite nor NaN.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, f64::NAN, f64::INFINITY]).is_finite().to_vec(), [true, false, false]);
    /// ```
    pub fn is_finite(&self) -> Tensor<bool> {
        map(self, T::is_finite)
    }

    /// Where the entries are infinite, of either sign.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, f64::NAN, f64::NEG_INFINITY]).is_infinite().to_vec(), [false, false, true]);
    /// ```
    pub fn is_infinite(&self) -> Tensor<bool> {
        map(self, |x| x.abs() == T::INFINITY)
    }
}

impl<T: Element> Tensor<T> {
    /// A function of every entry.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, -2.0]).map(|x| x * x + 1.0).to_vec(), [2.0, 5.0]);
    /// ```
    #[must_use]
    pub fn map(&self, f: impl Fn(T) -> T) -> Tensor<T> {
        map_in_order(self, f)
    }
}

#[cfg(test)]
mod traps {
    use alloc::string::ToString;

    use super::*;

    const NAN: f64 = f64::NAN;

    /// Infinite and undefined numbers that are not selected stay where they are, in every form.
    #[test]
    fn nothing_comes_of_what_is_not_selected() {
        let mask = Tensor::from([true, false]);
        let (a, b) = (Tensor::from([1.0, NAN]), Tensor::from([f64::INFINITY, 2.0]));
        let (dot_a, dot_b) = (Tensor::from([3.0, NAN]), Tensor::from([NAN, 4.0]));
        assert_eq!(mask.where_cond(&a, &b).to_vec(), [1.0, 2.0]);
        let (_, dot) = mask.__jvp_where_cond(&a, &b, &(), &dot_a, &dot_b);
        assert_eq!(dot.to_vec(), [3.0, 4.0]);

        let (_, back) = mask.__fwd_where_cond(&a, &b);
        let (mut bar_a, mut bar_b) = (a.outline(), b.outline());
        back(
            Tensor::from([NAN, 5.0]),
            &mask,
            &a,
            &b,
            &mut (),
            &mut bar_a,
            &mut bar_b,
        );
        assert!(bar_a[0].is_nan() && bar_a[1] == 0.0);
        assert_eq!(bar_b.to_vec(), [0.0, 5.0]);

        let (y, dot, back) = mask.__jvp_fwd_where_cond(&a, 2.0, &(), &dot_a, 1.0);
        assert_eq!((y.to_vec(), dot.to_vec()), (vec![1.0, 2.0], vec![3.0, 1.0]));
        let (mut bar, mut dot_bar) = (a.outline(), a.outline());
        let seeds = [Tensor::from([6.0, 7.0]), Tensor::from([8.0, NAN])];
        let [seed, dot_seed] = seeds;
        let ((number,), (dot_number,)) = back(
            seed,
            dot_seed,
            &mask,
            &a,
            &(),
            &dot_a,
            &mut (),
            &mut bar,
            &mut (),
            &mut dot_bar,
        );
        assert_eq!(
            (bar.to_vec(), dot_bar.to_vec(), number),
            (vec![6.0, 0.0], vec![8.0, 0.0], 7.0)
        );
        assert!(dot_number.is_nan());

        let (_, [one, two], back) = mask.__each_fwd_where_cond(
            1.0,
            &b,
            crate::lanes::Width::<2>,
            [&(); 2],
            [3.0, 4.0],
            [&dot_b, &dot_b],
        );
        assert_eq!(
            (one.to_vec(), two.to_vec()),
            (vec![3.0, 4.0], vec![4.0, 4.0])
        );
        let (mut bar, mut first, mut second) = (b.outline(), b.outline(), b.outline());
        let seeds = [Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0])];
        let ((number,), (numbers,)) = back(
            Tensor::ones(&[2]),
            seeds,
            &mask,
            &b,
            [&(); 2],
            [&dot_b; 2],
            &mut (),
            &mut bar,
            [&mut (), &mut ()],
            [&mut first, &mut second],
        );
        assert_eq!((number, numbers), (1.0, [1.0, 3.0]));
        assert_eq!(
            (bar.to_vec(), first.to_vec(), second.to_vec()),
            (vec![0.0, 1.0], vec![0.0, 2.0], vec![0.0, 4.0])
        );
        mask.__zero_of_0_where_cond(&mask);
    }

    /// The slope of what is not selected is infinite: √x at 0, behind a mask.
    #[test]
    fn an_infinite_slope_behind_a_mask() {
        let x = Tensor::from([0.0, 4.0]);
        let mask = x.gt(0.0);
        let one = Tensor::ones(&[2]);
        let (root, dot_root, back_root) = x.__jvp_fwd_sqrt(&one);
        let (y, dot, back) = mask.__jvp_fwd_where_cond(&root, 0.0, &(), &dot_root, 0.0);
        assert_eq!(
            (y.to_vec(), dot.to_vec()),
            (vec![0.0, 2.0], vec![0.0, 0.25])
        );
        let (mut bar_root, mut dot_bar_root) = (x.outline(), x.outline());
        back(
            one.clone(),
            x.outline(),
            &mask,
            &root,
            &(),
            &dot_root,
            &mut (),
            &mut bar_root,
            &mut (),
            &mut dot_bar_root,
        );
        let (mut bar, mut dot_bar) = (x.outline(), x.outline());
        back_root(bar_root, dot_bar_root, &x, &one, &mut bar, &mut dot_bar);
        assert_eq!(
            (bar.to_vec(), dot_bar.to_vec()),
            (vec![0.0, 0.25], vec![0.0, -1.0 / 32.0])
        );
    }

    #[test]
    fn filled() {
        let (x, mask) = (
            Tensor::from([[1.0, NAN], [3.0, 4.0]]),
            Tensor::from([false, true]),
        );
        let (y, back) = x.__fwd_masked_fill(&mask, f64::NEG_INFINITY);
        assert_eq!(
            y,
            Tensor::from([[1.0, f64::NEG_INFINITY], [3.0, f64::NEG_INFINITY]])
        );
        let mut bar = x.outline();
        let (number,) = back(
            Tensor::from([[1.0, NAN], [2.0, 3.0]]),
            &x,
            &mask,
            &mut bar,
            &mut (),
        );
        assert_eq!(bar, Tensor::from([[1.0, 0.0], [2.0, 0.0]]));
        assert!(number.is_nan());
        assert_eq!(
            x.try_masked_fill(&Tensor::from([true; 3]), 0.0)
                .unwrap_err()
                .to_string(),
            "masked_fill: the shapes [3] and [2, 2] do not go together: axis 1 has 3 and 2"
        );
    }

    #[test]
    fn everything_dropped() {
        let (x, none) = (
            Tensor::from([NAN, f64::INFINITY]),
            Tensor::<bool>::zeros(&[2]),
        );
        let (y, back) = x.__fwd_dropout_mask(&none, 1.0);
        assert_eq!(y.to_vec(), [0.0; 2]);
        let mut bar = x.outline();
        back(Tensor::from([NAN, 1.0]), &x, &none, &mut bar, &mut ());
        assert_eq!(bar.to_vec(), [0.0; 2]);
        let error = x.try_dropout_mask(&none, 1.5).unwrap_err().to_string();
        assert_eq!(error, "dropout_mask: 1.5 is no probability");
    }

    #[test]
    fn comparisons() {
        let x = Tensor::from([1.0, NAN, 0.0]);
        assert_eq!(x.eq(&x).to_vec(), [true, false, true]);
        assert_eq!(x.ne(&x).to_vec(), [false, true, false]);
        assert_eq!(x.eq(-0.0).to_vec(), [false, false, true]);
        assert_eq!(x.ge(0.0).to_vec(), [true, false, true]);
        assert_eq!(Tensor::<f64>::zeros(&[0]).lt(1.0).shape(), [0]);
        let error = x.try_lt(Tensor::from([1.0, 2.0])).unwrap_err().to_string();
        assert_eq!(
            error,
            "lt: the shapes [3] and [2] do not go together: axis 0 has 3 and 2"
        );
        let labels = Tensor::from([0, 2, 2]);
        assert_eq!(labels.eq(Tensor::from([0, 1, 2])).count(), 2);
    }

    #[test]
    fn reductions_of_masks() {
        let mask = Tensor::from([[true, false, true], [true, true, true]]);
        assert_eq!((mask.any(), mask.all(), mask.count()), (true, false, 5));
        assert_eq!(mask.all_axis(0).to_vec(), [true, false, true]);
        assert_eq!(mask.count_axis_keep(-1), Tensor::from([[2], [3]]));
        assert_eq!(mask.any_axis([0, 1]).shape(), [0; 0]);
        assert_eq!(mask.all_axis([]), mask);
        let empty = Tensor::<bool>::zeros(&[2, 0]);
        assert_eq!((empty.any(), empty.all(), empty.count()), (false, true, 0));
        assert_eq!(empty.all_axis(1).to_vec(), [true, true]);
        assert_eq!(empty.any_axis(0).shape(), [0]);
        let error = mask.try_all_axis(2).unwrap_err().to_string();
        assert_eq!(error, "all: axis 2 of a tensor that has 2 axes");
        assert!(Tensor::from([true]).reshaped(&[]).all());
    }

    #[test]
    fn logic() {
        let (a, b) = (
            Tensor::from([true, true, false]),
            Tensor::from([true, false, false]),
        );
        assert_eq!((&a & &b).to_vec(), [true, false, false]);
        assert_eq!((a.clone() | &b).to_vec(), [true, true, false]);
        assert_eq!((&a ^ b.clone()).to_vec(), [false, true, false]);
        assert_eq!((!&a).to_vec(), [false, false, true]);
        assert_eq!((a & true).to_vec(), [true, true, false]);
    }
}
