//! Elementary functions that are called as methods on what only rustc knows to be a number, a complex one or a tensor: `layer(x).tanh()`.
//!
//! Tensors have the hidden forms as methods of their own; numbers have these, from the rule table.

use crate::float::Float;
#[cfg(any(feature = "tensor", feature = "num-complex"))]
use crate::{
    dual::along,
    kernels::{select, zmul},
    lanes::Width,
    rules::{op, partial, table},
};
#[cfg(any(feature = "tensor", feature = "num-complex"))]
use alloc::boxed::Box;

/// What the derivatives of elementary functions are called on numbers: nothing where there is nothing to be mistaken for.
#[cfg(not(any(feature = "tensor", feature = "num-complex")))]
pub trait ElementaryMethods: Float {}

#[cfg(any(feature = "tensor", feature = "num-complex"))]
macro_rules! forms {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        /// What the derivatives of elementary functions are called on numbers.
        #[allow(clippy::type_complexity, clippy::too_many_arguments, clippy::ignored_unit_patterns, reason = "the forms that generated code calls")]
        pub trait ElementaryMethods: Float {
            $($( forms!(@$section $name [$($arg $($integer)?),*] [$($flag)?]); )*)*
        }
    };
    (@kernels $($rest:tt)*) => {};
    (@functions $($rest:tt)*) => {};
    (@special $($rest:tt)*) => {};
    (@methods $name:ident [$x:ident $(, $arg:ident $($integer:ident)?)*] $flag:tt) => { pastey::paste! {
        /// The zero of the receiver's tangent.
        #[inline]
        #[must_use]
        fn [<__zero_of_0_ $name>](self, _: &Self) -> Self {
            Self::ZERO
        }
        forms!(@zeros $name [1 2] [$($arg $($integer)?),*]);
        /// The value and its tangent.
        #[inline]
        fn [<__jvp_ $name>](self, $($arg: forms!(@type $($integer)?),)* dot: &Self, $([<dot_ $arg>]: forms!(@tangent $($integer)?)),*) -> (Self, Self) {
            let y = op::$name(self, $($arg),*);
            let [$x, $($arg),*] = partial::$name(self, $($arg,)* y);
            let tangent = forms!(@apply *dot, $x $flag);
            $( let tangent = tangent + forms!(@term [<dot_ $arg>], $arg [$($integer)?] $flag); )*
            (y, tangent)
        }
        /// The value and its pullback.
        #[inline]
        fn [<__fwd_ $name>](self, $($arg: forms!(@type $($integer)?)),*) -> (Self, impl FnOnce(Self, &Self, &mut Self) -> forms!(@out [$(forms!(@tangent $($integer)?)),*])) {
            let y = op::$name(self, $($arg),*);
            let [$x, $($arg),*] = partial::$name(self, $($arg,)* y);
            (y, move |seed: Self, _: &Self, bar: &mut Self| {
                *bar += forms!(@apply seed, $x $flag);
                forms!(@tuple [$(forms!(@bar seed, $arg [$($integer)?] $flag)),*])
            })
        }
        /// The value, its tangent, and the pullback with its tangent.
        #[inline]
        fn [<__jvp_fwd_ $name>](self, $($arg: forms!(@type $($integer)?),)* dot: &Self, $([<dot_ $arg>]: forms!(@tangent $($integer)?)),*) -> (Self, Self, Box<dyn FnOnce(Self, Self, &Self, &Self, &mut Self, &mut Self) -> (forms!(@out [$(forms!(@tangent $($integer)?)),*]), forms!(@out [$(forms!(@tangent $($integer)?)),*]))>) {
            let (y, tangent) = self.[<__jvp_ $name>]($($arg,)* dot, $([<dot_ $arg>]),*);
            let dots = along::$name((self, $($arg,)*), (*dot, $(forms!(@dot [<dot_ $arg>] $($integer)?),)*));
            let partials = partial::$name(self, $($arg,)* y);
            (y, tangent, Box::new(move |seed: Self, dot_seed: Self, _: &Self, _: &Self, bar: &mut Self, dot_bar: &mut Self| {
                let [$x, $($arg),*] = partials;
                *bar += forms!(@apply seed, $x $flag);
                let bars = forms!(@tuple [$(forms!(@bar seed, $arg [$($integer)?] $flag)),*]);
                let [[<dot_ $x>], $([<dot_ $arg>]),*] = dots;
                *dot_bar += forms!(@apply dot_seed, $x $flag) + zmul(seed, [<dot_ $x>]);
                let dot_bars = forms!(@tuple [$(forms!(@dot_bar seed, dot_seed, $arg [<dot_ $arg>] [$($integer)?] $flag)),*]);
                (bars, dot_bars)
            }))
        }
        /// The value, its tangents in several directions, and the pullback with its tangents.
        #[inline]
        fn [<__each_fwd_ $name>]<const N: usize>(self, $($arg: forms!(@type $($integer)?),)* _: Width<N>, each: [&Self; N], $([<each_ $arg>]: [forms!(@tangent $($integer)?); N]),*) -> (Self, [Self; N], Box<dyn FnOnce(Self, [Self; N], &Self, [&Self; N], &mut Self, [&mut Self; N]) -> (forms!(@out [$(forms!(@tangent $($integer)?)),*]), forms!(@out [$([forms!(@tangent $($integer)?); N]),*]))>) {
            let tangents = core::array::from_fn(|k| self.[<__jvp_ $name>]($($arg,)* each[k], $([<each_ $arg>][k]),*).1);
            let dots: [_; N] = core::array::from_fn(|k| along::$name((self, $($arg,)*), (*each[k], $(forms!(@dot [<each_ $arg>][k], $($integer)?),)*)));
            let y = op::$name(self, $($arg),*);
            let partials = partial::$name(self, $($arg,)* y);
            (y, tangents, Box::new(move |seed: Self, dot_seeds: [Self; N], _: &Self, _: [&Self; N], bar: &mut Self, dot_bars: [&mut Self; N]| {
                let [$x, $($arg),*] = partials;
                *bar += forms!(@apply seed, $x $flag);
                for ((to, dot_seed), [first, ..]) in dot_bars.into_iter().zip(dot_seeds).zip(dots) {
                    *to += forms!(@apply dot_seed, $x $flag) + zmul(seed, first);
                }
                let bars = forms!(@tuple [$(forms!(@bar seed, $arg [$($integer)?] $flag)),*]);
                $( let mut [<each_ $arg>]: [forms!(@tangent $($integer)?); N] = [Default::default(); N]; )*
                for (k, dot_seed) in dot_seeds.into_iter().enumerate() {
                    let [_, $([<dot_ $arg>]),*] = dots[k];
                    let _ = dot_seed;
                    $( [<each_ $arg>][k] = forms!(@dot_bar seed, dot_seed, $arg [<dot_ $arg>] [$($integer)?] $flag); )*
                }
                let others = forms!(@tuple [$([<each_ $arg>]),*]);
                (bars, others)
            }))
        }
    } };
    (@zeros $name:ident $ks:tt []) => {};
    (@zeros $name:ident [$k:literal $($ks:literal)*] [$arg:ident $(, $($rest:tt)*)?]) => { pastey::paste! {
        /// The zero of an argument's tangent.
        #[inline]
        #[must_use]
        fn [<__zero_of_ $k _ $name>](self, _: &Self) -> Self {
            Self::ZERO
        }
        forms!(@zeros $name [$($ks)*] [$($($rest)*)?]);
    } };
    (@zeros $name:ident [$k:literal $($ks:literal)*] [$arg:ident $integer:ident $(, $($rest:tt)*)?]) => { pastey::paste! {
        /// The zero of an argument's tangent.
        #[inline]
        fn [<__zero_of_ $k _ $name>](self, _: &$integer) {}
        forms!(@zeros $name [$($ks)*] [$($($rest)*)?]);
    } };
    (@type) => { Self };
    (@type $integer:ident) => { $integer };
    (@tangent) => { Self };
    (@tangent $integer:ident) => { () };
    (@out []) => { () };
    (@out [$($t:ty),+]) => { ($($t,)+) };
    (@tuple []) => { () };
    (@tuple [$($x:expr),+]) => { ($($x,)+) };
    (@apply $d:expr, $p:ident []) => { $d * $p };
    (@apply $d:expr, $p:ident [guarded]) => { zmul($d, $p) };
    (@apply $d:expr, $p:ident [select]) => { select($d, $p) };
    (@term $d:expr, $p:ident [] $flag:tt) => { forms!(@apply $d, $p $flag) };
    (@term $d:expr, $p:ident [$integer:ident] $flag:tt) => { { let () = $d; Self::ZERO * $p } };
    (@bar $d:expr, $p:ident [] $flag:tt) => { forms!(@apply $d, $p $flag) };
    (@bar $d:expr, $p:ident [$integer:ident] $flag:tt) => { { let _ = $p; } };
    (@dot_bar $d:expr, $dd:expr, $p:ident $dp:ident [] $flag:tt) => { forms!(@apply $dd, $p $flag) + zmul($d, $dp) };
    (@dot_bar $d:expr, $dd:expr, $p:ident $dp:ident [$integer:ident] $flag:tt) => { { let _ = ($p, $dp); } };
    (@dot $d:expr) => { $d };
    (@dot $d:expr, ) => { $d };
    (@dot $d:ident $integer:ident) => { 0 };
    (@dot $d:expr, $integer:ident) => { 0 };
}
#[cfg(any(feature = "tensor", feature = "num-complex"))]
table!(forms);

impl<T: Float> ElementaryMethods for T {}
