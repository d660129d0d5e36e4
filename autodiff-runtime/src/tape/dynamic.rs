//! What functions with `#[grad(dynamic)]` call.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::HashMap;

use super::{Tape, Var};
pub use crate::float::Float;
use crate::tangent::{Differentiable, Tangent};
use crate::tuples::for_tuples;

/// A tape for the floats of a function.
#[must_use]
pub fn tape<T: Float>() -> Tape<T> {
    Tape::default()
}

/// What a function that computes with variables takes in place of a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a dynamic function",
    label = "no variables can stand for this",
    note = "numbers, arrays, slices, vectors, options and tuples of them can, and a type that is generic in its numbers and derives `Differentiable`",
    note = "other values can be constants: mark the parameter with `#[constant]`, and write no type of floats in its type"
)]
pub trait Lift<T: Float> {
    /// The same with variables.
    type Vars<'t>;

    /// The same with what is made of each number.
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t>;
}

/// What a function that computes with variables may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a dynamic function",
    label = "this holds no variables that can be found",
    note = "numbers, arrays, vectors, options and tuples of them can, and a type that is generic in its numbers and derives `Differentiable`"
)]
pub trait Lower<'t, T: Float> {
    /// The same with numbers.
    type Value;

    /// The same with numbers; the variables are appended to `vars`.
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value;
}

impl<T: Float> Lift<T> for T {
    type Vars<'t> = Var<'t, T>;
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Var<'t, T> {
        each(*self)
    }
}

impl<'t, T: Float> Lower<'t, T> for Var<'t, T> {
    type Value = T;
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> T {
        vars.push(*self);
        self.value
    }
}

macro_rules! others {
    ($($t:ty)*) => {$(
        impl<T: Float> Lift<T> for $t {
            type Vars<'t> = $t;
            fn lift<'t>(&self, _: &mut impl FnMut(T) -> Var<'t, T>) -> $t {
                self.clone()
            }
        }

        impl<'t, T: Float> Lower<'t, T> for $t {
            type Value = $t;
            fn lower(&self, _: &mut Vec<Var<'t, T>>) -> $t {
                self.clone()
            }
        }
    )*};
}
others!(() bool char String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: Float, X: Lift<T>, const N: usize> Lift<T> for [X; N] {
    type Vars<'t> = [X::Vars<'t>; N];
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t> {
        core::array::from_fn(|k| self[k].lift(each))
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for [X] {
    type Vars<'t> = Vec<X::Vars<'t>>;
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t> {
        self.iter().map(|x| x.lift(each)).collect()
    }
}

impl<'t, T: Float, V: Lower<'t, T>> Lower<'t, T> for [V] {
    type Value = Vec<V::Value>;
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value {
        self.iter().map(|v| v.lower(vars)).collect()
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for Vec<X> {
    type Vars<'t> = Vec<X::Vars<'t>>;
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t> {
        self.as_slice().lift(each)
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for Option<X> {
    type Vars<'t> = Option<X::Vars<'t>>;
    fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t> {
        self.as_ref().map(|x| x.lift(each))
    }
}

impl<'t, T: Float, V: Lower<'t, T>, const N: usize> Lower<'t, T> for [V; N] {
    type Value = [V::Value; N];
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value {
        core::array::from_fn(|k| self[k].lower(vars))
    }
}

impl<'t, T: Float, V: Lower<'t, T>> Lower<'t, T> for Vec<V> {
    type Value = Vec<V::Value>;
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value {
        self.iter().map(|v| v.lower(vars)).collect()
    }
}

impl<'t, T: Float, V: Lower<'t, T>> Lower<'t, T> for Option<V> {
    type Value = Option<V::Value>;
    fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value {
        self.as_ref().map(|v| v.lower(vars))
    }
}

/// Lists and maps, whose keys stay.
macro_rules! collections {
    ($($(#[$cfg:meta])? [$($generics:tt)*] $list:ident<$($key:ident,)? _ $(, $hasher:ident)?>;)*) => {$(
        $(#[$cfg])?
        impl<T: Float, X: Lift<T>, $($generics)*> Lift<T> for $list<$($key,)? X $(, $hasher)?> {
            type Vars<'t> = $list<$($key,)? X::Vars<'t> $(, $hasher)?>;
            fn lift<'t>(&self, each: &mut impl FnMut(T) -> Var<'t, T>) -> Self::Vars<'t> {
                let items = self.iter();
                items.map(|item| collections!(@one item $($key)? => |x| x.lift(each))).collect()
            }
        }

        $(#[$cfg])?
        impl<'t, T: Float, V: Lower<'t, T>, $($generics)*> Lower<'t, T> for $list<$($key,)? V $(, $hasher)?> {
            type Value = $list<$($key,)? V::Value $(, $hasher)?>;
            fn lower(&self, vars: &mut Vec<Var<'t, T>>) -> Self::Value {
                let items = self.iter();
                items.map(|item| collections!(@one item $($key)? => |v| v.lower(vars))).collect()
            }
        }
    )*};
    (@one $item:ident => |$x:ident| $made:expr) => {{
        let $x = $item;
        $made
    }};
    (@one $item:ident $key:ident => |$x:ident| $made:expr) => {{
        let (key, $x) = $item;
        (key.clone(), $made)
    }};
}
collections! {
    [] VecDeque<_>;
    [K: Clone + Ord] BTreeMap<K, _>;
    #[cfg(feature = "std")]
    [K: Clone + Eq + core::hash::Hash, S: core::hash::BuildHasher + Default] HashMap<K, _, S>;
}

/// A value that holds no numbers, and is the same among variables.
#[diagnostic::on_unimplemented(
    message = "`{Self}` stays what it is where variables take the place of numbers",
    label = "this may hold numbers that no derivative would reach",
    note = "make the field generic in its numbers, or mark it with `#[constant]`"
)]
pub trait Still<T> {
    /// The same.
    #[must_use]
    fn still(&self) -> Self;
}

macro_rules! still {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<T, $($generics)*> Still<T> for $t {
            fn still(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
still! {
    [] (); [] bool; [] char; [] String; [] u8; [] u16; [] u32; [] u64; [] u128; [] usize; [] i8; [] i16; [] i32; [] i64; [] i128; [] isize;
    [X: Still<T> + Clone] Vec<X>;
    [X: Still<T> + Clone] Option<X>;
    [X: Still<T> + Clone] Box<X>;
    [X: Still<T> + Clone, const N: usize] [X; N];
    [X: Still<T> + Clone, Y: Still<T> + Clone] (X, Y);
    [X] core::marker::PhantomData<X>;
}

/// A constant, which is the same among variables.
pub trait Kept<T>: Clone {
    /// The same.
    #[must_use]
    fn kept(&self) -> Self {
        self.clone()
    }
}

impl<T, X: Clone> Kept<T> for X {}

macro_rules! tuple {
    ($($part:ident $k:tt)+) => {
        impl<Number: Float, $($part: Lift<Number>),*> Lift<Number> for ($($part,)*) {
            type Vars<'t> = ($($part::Vars<'t>,)*);
            fn lift<'t>(&self, each: &mut impl FnMut(Number) -> Var<'t, Number>) -> Self::Vars<'t> {
                ($(self.$k.lift(each),)*)
            }
        }

        impl<'t, Number: Float, $($part: Lower<'t, Number>),*> Lower<'t, Number> for ($($part,)*) {
            type Value = ($($part::Value,)*);
            fn lower(&self, vars: &mut Vec<Var<'t, Number>>) -> Self::Value {
                ($(self.$k.lower(vars),)*)
            }
        }
    };
}
for_tuples!(tuple);

/// Variables that stand for a value, the next ones of the tape.
pub fn variables<'t, T: Float, X: Lift<T> + ?Sized>(x: &X, tape: &'t Tape<T>) -> X::Vars<'t> {
    x.lift(&mut |x| tape.var(x))
}

/// Constants that stand for a value.
pub fn constants<'t, T: Float, X: Lift<T> + ?Sized>(x: &X) -> X::Vars<'t> {
    x.lift(&mut Var::constant)
}

/// A number among variables.
#[must_use]
pub fn constant<'t, T: Float>(x: T) -> Var<'t, T> {
    Var::constant(x)
}

/// What `as f64` makes of a value.
pub trait Cast<T> {
    /// The value in the other type.
    fn cast(self) -> T;
}

macro_rules! casts {
    ($($t:ty)*) => {$(
        impl<'t> Cast<Var<'t, f64>> for $t {
            #[allow(clippy::cast_lossless, trivial_numeric_casts, reason = "one body for all types")]
            fn cast(self) -> Var<'t, f64> {
                Var::constant(self as f64)
            }
        }

        impl<'t> Cast<Var<'t, f32>> for $t {
            #[allow(clippy::cast_lossless, trivial_numeric_casts, reason = "one body for all types")]
            fn cast(self) -> Var<'t, f32> {
                Var::constant(self as f32)
            }
        }
    )*};
}
casts!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl<T: Float> Cast<Self> for Var<'_, T> {
    fn cast(self) -> Self {
        self
    }
}

/// What is left of the variables that a run ends with: which nodes they are.
///
/// # Panics
///
/// If one of them belongs to another tape.
#[must_use]
pub fn nodes<T: Float>(found: &[Var<'_, T>], tape: &Tape<T>) -> Vec<u64> {
    let recorded = |var: &Var<'_, T>| {
        if !var.is_constant() && !var.is_of(tape) {
            var.refuse(tape);
        }
        var.id
    };
    found.iter().map(recorded).collect()
}

/// Checks that what is lent has as many numbers at the end of a call as it had before, in vectors of the same lengths.
///
/// # Panics
///
/// If not.
#[track_caller]
pub fn keep_shape<X: Differentiable>(name: &str, before: &X, after: &X) {
    let (before, after) = (before.zero_tangent(), after.zero_tangent());
    assert!(
        before.scalar_count() == after.scalar_count(),
        "a dynamic function changed how many numbers there are in `{name}`, which it is lent; return the new `{name}`"
    );
    // That looks at the length of each vector.
    let _ = before.inner(&after);
}

/// A tangent, or several in a slice, whose scalars are given one after the other.
pub trait Scalars {
    /// Sets the scalars to those that `next` gives.
    fn fill(&mut self, next: &mut impl FnMut(&mut f64));
}

impl<X: Tangent> Scalars for X {
    fn fill(&mut self, next: &mut impl FnMut(&mut f64)) {
        self.for_each_scalar(next);
    }
}

impl<X: Tangent> Scalars for [X] {
    fn fill(&mut self, next: &mut impl FnMut(&mut f64)) {
        for x in self {
            x.for_each_scalar(next);
        }
    }
}

/// The numbers of an argument; its variables are appended to `vars`.
pub fn numbers<'t, T: Float, V: Lower<'t, T> + ?Sized>(
    arg: &V,
    vars: &mut Vec<Var<'t, T>>,
) -> V::Value {
    arg.lower(vars)
}

/// The numbers of an argument that no derivative flows to.
pub fn values<'t, T: Float, V: Lower<'t, T> + ?Sized>(arg: &V) -> V::Value {
    arg.lower(&mut Vec::new())
}

/// A value as a constant, `stop_gradient` among variables.
pub fn stop_gradient<'t, T: Float, V: Lower<'t, T>>(value: &V) -> <V::Value as Lift<T>>::Vars<'t>
where
    V::Value: Lift<T>,
{
    constants(&values(value))
}

pub use super::calls::{Derivative, append, are_constant, fill, graded, results, rows};

/// What a named constant is among variables.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a, X>(pub &'a X);

/// A constant that has numbers in it.
pub trait NamedNumbers {
    /// The same with variables.
    type Vars<'t>;
    /// The same as variables.
    fn among_variables<'t>(&self) -> Self::Vars<'t>;
}

macro_rules! named {
    ($($t:ident)*) => {$(
        impl NamedNumbers for Named<'_, $t> {
            type Vars<'t> = Var<'t, $t>;
            fn among_variables<'t>(&self) -> Var<'t, $t> {
                Var::constant(*self.0)
            }
        }

        impl<const N: usize> NamedNumbers for Named<'_, [$t; N]> {
            type Vars<'t> = [Var<'t, $t>; N];
            fn among_variables<'t>(&self) -> [Var<'t, $t>; N] {
                self.0.map(Var::constant)
            }
        }

        impl<const N: usize, const M: usize> NamedNumbers for Named<'_, [[$t; M]; N]> {
            type Vars<'t> = [[Var<'t, $t>; M]; N];
            fn among_variables<'t>(&self) -> [[Var<'t, $t>; M]; N] {
                self.0.map(|row| row.map(Var::constant))
            }
        }
    )*};
}
named!(f64 f32);

/// Any other constant; the method is found one reference later, where that of [`NamedNumbers`] is not.
pub trait NamedOther {
    /// Its type.
    type Value;
    /// The same.
    fn among_variables(&self) -> Self::Value;
}

impl<X: Copy> NamedOther for &Named<'_, X> {
    type Value = X;
    fn among_variables(&self) -> X {
        *self.0
    }
}

/// What is cast to an integer: the number of a variable.
pub trait NumberOf {
    /// The number.
    type Number;
    /// The number.
    fn plain(&self) -> Self::Number;
}

impl<T: Float> NumberOf for Named<'_, Var<'_, T>> {
    type Number = T;
    fn plain(&self) -> T {
        self.0.value
    }
}

/// What is cast to an integer and no variable; found as that of [`NamedOther`] is.
pub trait OtherOf {
    /// Its type.
    type Number;
    /// The same.
    fn plain(&self) -> Self::Number;
}

impl<X: Copy> OtherOf for &Named<'_, X> {
    type Number = X;
    fn plain(&self) -> X {
        *self.0
    }
}

/// Stands for the type beside a function where there is none: an import of the function under this name hides it only if the function has a type.
pub mod callee {
    /// See the module.
    #[allow(non_camel_case_types, reason = "in the place of a function's name")]
    #[derive(Clone, Copy, Debug)]
    pub struct __callee {}

    impl __callee {
        /// The function itself.
        #[must_use]
        pub const fn __dynamic<F: Copy>(function: F) -> F {
            function
        }
    }
}

impl<T: Float> Tape<T> {
    fn of_node(&self, id: u64) -> Var<'_, T> {
        Var {
            value: T::ZERO,
            id,
            tape: (id != 0).then_some(self),
        }
    }
}

/// The reverse sweep: the cotangents of the first variables of the tape go to `sink`, one after the other; `seeds` are flat.
pub fn pull<T: Float>(
    tape: &Tape<T>,
    nodes: &[u64],
    seeds: &[f64],
) -> impl FnMut(&mut f64) + use<T> {
    let seeds = nodes.iter().zip(seeds);
    let seeds: Vec<_> = seeds
        .map(|(&id, &seed)| (tape.of_node(id), T::from_f64(seed)))
        .collect();
    let gradients = tape.backward(&seeds);
    let mut at = 0;
    move |entry: &mut f64| {
        *entry = gradients.at(at).to_f64();
        at += 1;
    }
}

/// The forward sweep in the direction of the flat `tangents` of the first variables: the tangents of the result go to `sink`.
pub fn push<T: Float>(tape: &Tape<T>, nodes: &[u64], tangents: &[f64]) -> impl FnMut(&mut f64) {
    let generation = tape.arena.next() >> 32 << 32;
    let direction: Vec<_> = (generation..)
        .zip(tangents)
        .map(|(id, &tangent)| (tape.of_node(id), T::from_f64(tangent)))
        .collect();
    let results: Vec<_> = nodes.iter().map(|&id| tape.of_node(id)).collect();
    let mut tangents = tape.jvp(&direction, &results).into_iter();
    move |entry: &mut f64| *entry = tangents.next().map_or(0.0, Float::to_f64)
}

/// The scalars of a tangent, appended to those of the ones before.
pub fn flatten<X: Differentiable + ?Sized>(tangent: &X, out: &mut Vec<f64>) {
    let start = out.len();
    out.resize(start + tangent.zero_tangent().scalar_count(), 0.0);
    tangent.write_flat(&mut out[start..]);
}

/// Compares two derivatives of a function: the values bit for bit, the gradients up to rounding.
///
/// # Panics
///
/// If they differ.
#[track_caller]
pub fn compare<R: Differentiable, G: Tangent>(name: &str, one: &(R, G), other: &(R, G)) {
    let (mut value, mut again) = (Vec::new(), Vec::new());
    flatten(&one.0, &mut value);
    flatten(&other.0, &mut again);
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    assert!(
        value.len() == again.len() && value.iter().zip(&again).all(|(a, b)| same(*a, *b)),
        "{name}: the value is {value:?}, and on the tape {again:?}"
    );
    let (one, other) = (one.1.to_flat(), other.1.to_flat());
    let finite = one.iter().filter(|x| x.is_finite());
    let scale = finite.fold(0.0, |most: f64, x| most.max(x.abs()));
    let single = core::any::type_name::<G>().contains("f32");
    let tolerance = if single { 1e-4 } else { 1e-12 };
    let near = |a: f64, b: f64| same(a, b) || a == b || (a - b).abs() <= tolerance * scale;
    assert!(
        one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| near(*a, *b)),
        "{name}: the gradient is {one:?}, and on the tape {other:?}"
    );
}
