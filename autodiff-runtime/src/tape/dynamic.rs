//! What functions with `#[grad(dynamic)]` call.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Tape, Var};
use crate::float::Float;
use crate::tangent::{Differentiable, Tangent};

/// A tape for the floats of a function.
#[must_use]
pub fn tape<T: Float>() -> Tape<T> {
    Tape::default()
}

/// What a function that computes with variables takes in place of a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a dynamic function",
    label = "no variables can stand for this",
    note = "numbers, arrays, slices, vectors, options and tuples of them can"
)]
pub trait Lift<T: Float> {
    /// The same with variables.
    type Vars<'t>;

    /// The same with variables of a tape, or constants.
    fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t>;
}

/// What a function that computes with variables may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a dynamic function",
    label = "this holds no variables that can be found",
    note = "numbers, arrays, vectors, options and tuples of them can"
)]
pub trait Lower {
    /// The same with numbers.
    type Value;

    /// The same with numbers; the nodes are appended to `nodes`.
    fn lower(&self, nodes: &mut Vec<u64>) -> Self::Value;
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Lift<$t> for $t {
            type Vars<'t> = Var<'t, $t>;
            fn lift<'t>(&self, tape: Option<&'t Tape<$t>>) -> Var<'t, $t> {
                tape.map_or(Var::constant(*self), |tape| tape.var(*self))
            }
        }
    )*};
}
floats!(f64 f32);

impl<T: Float> Lower for Var<'_, T> {
    type Value = T;
    fn lower(&self, nodes: &mut Vec<u64>) -> T {
        nodes.push(self.id);
        self.value
    }
}

macro_rules! others {
    ($($t:ty)*) => {$(
        impl<T: Float> Lift<T> for $t {
            type Vars<'t> = $t;
            fn lift(&self, _: Option<&Tape<T>>) -> $t {
                self.clone()
            }
        }

        impl Lower for $t {
            type Value = $t;
            fn lower(&self, _: &mut Vec<u64>) -> $t {
                self.clone()
            }
        }
    )*};
}
others!(() bool char String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: Float, X: Lift<T>, const N: usize> Lift<T> for [X; N] {
    type Vars<'t> = [X::Vars<'t>; N];
    fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t> {
        core::array::from_fn(|k| self[k].lift(tape))
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for [X] {
    type Vars<'t> = Vec<X::Vars<'t>>;
    fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t> {
        self.iter().map(|x| x.lift(tape)).collect()
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for Vec<X> {
    type Vars<'t> = Vec<X::Vars<'t>>;
    fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t> {
        self.as_slice().lift(tape)
    }
}

impl<T: Float, X: Lift<T>> Lift<T> for Option<X> {
    type Vars<'t> = Option<X::Vars<'t>>;
    fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t> {
        self.as_ref().map(|x| x.lift(tape))
    }
}

impl<V: Lower, const N: usize> Lower for [V; N] {
    type Value = [V::Value; N];
    fn lower(&self, nodes: &mut Vec<u64>) -> Self::Value {
        core::array::from_fn(|k| self[k].lower(nodes))
    }
}

impl<V: Lower> Lower for Vec<V> {
    type Value = Vec<V::Value>;
    fn lower(&self, nodes: &mut Vec<u64>) -> Self::Value {
        self.iter().map(|v| v.lower(nodes)).collect()
    }
}

impl<V: Lower> Lower for Option<V> {
    type Value = Option<V::Value>;
    fn lower(&self, nodes: &mut Vec<u64>) -> Self::Value {
        self.as_ref().map(|v| v.lower(nodes))
    }
}

macro_rules! tuples {
    ($($($X:ident $k:tt)*;)*) => {$(
        impl<T: Float, $($X: Lift<T>),*> Lift<T> for ($($X,)*) {
            type Vars<'t> = ($($X::Vars<'t>,)*);
            fn lift<'t>(&self, tape: Option<&'t Tape<T>>) -> Self::Vars<'t> {
                ($(self.$k.lift(tape),)*)
            }
        }

        impl<$($X: Lower),*> Lower for ($($X,)*) {
            type Value = ($($X::Value,)*);
            fn lower(&self, nodes: &mut Vec<u64>) -> Self::Value {
                ($(self.$k.lower(nodes),)*)
            }
        }
    )*};
}
tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// Variables that stand for a value, the next ones of the tape.
pub fn variables<'t, T: Float, X: Lift<T> + ?Sized>(x: &X, tape: &'t Tape<T>) -> X::Vars<'t> {
    x.lift(Some(tape))
}

/// Constants that stand for a value.
pub fn constants<'t, T: Float, X: Lift<T> + ?Sized>(x: &X, _: &'t Tape<T>) -> X::Vars<'t> {
    x.lift(None)
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

/// What is left of the result of a run: which nodes it is.
pub fn result<V: Lower>(vars: &V) -> (V::Value, Vec<u64>) {
    let mut nodes = Vec::new();
    let value = vars.lower(&mut nodes);
    (value, nodes)
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

/// The reverse sweep: the cotangents of the first variables of the tape go to `sink`, one after the other.
pub fn pull<T: Float, S: Tangent>(tape: &Tape<T>, nodes: &[u64], seed: &S) -> impl FnMut(&mut f64) {
    let seeds = seed.to_flat();
    let seeds = nodes.iter().zip(seeds);
    let seeds: Vec<_> = seeds
        .map(|(&id, seed)| (tape.of_node(id), T::from_f64(seed)))
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
