//! `check!` and `check_vector!`: all forms of one function at one point, and helpers for closed forms and `&mut` parameters.

use crate::judge::{Case, Linear, Primal, judge};
use crate::random::Random;

/// Judges a case at a point; panics with everything that disagrees.
#[track_caller]
pub(crate) fn accept(name: &str, case: &Case, x: &[f64]) {
    let verdict = judge(case, x, &mut Random::new(7));
    assert!(
        verdict.failures.is_empty(),
        "{name} at {x:?}:\n{}",
        verdict.failures.join("\n")
    );
}

/// Judges a function with `&mut` parameters, given by its flat forms.
#[track_caller]
pub(crate) fn accept_flat(name: &str, x: &[f64], primal: Primal, jvp: Linear, vjp: Linear) {
    accept(name, &Case::bare(primal, jvp, vjp), x);
}

/// Asserts that numbers agree to `tolerance` times the larger of 1 and their magnitude.
#[track_caller]
pub(crate) fn near<T: crate::flat::Flat + ?Sized, U: crate::flat::Flat + ?Sized>(
    got: &T,
    expected: &U,
    tolerance: f64,
) {
    let (got, expected) = (crate::flat::flat(got), crate::flat::flat(expected));
    let agree = |a: f64, b: f64| {
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * b.abs().max(1.0)
    };
    assert!(
        got.len() == expected.len() && got.iter().zip(&expected).all(|(a, b)| agree(*a, *b)),
        "{got:?} is not {expected:?}"
    );
}

/// Is the value made of `f32`?
pub(crate) fn is_single<T>(_: &T) -> bool {
    std::any::type_name::<T>().contains("f32")
}

/// The message that `call` panics with.
#[track_caller]
pub(crate) fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) else {
        panic!("it did not panic")
    };
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| {
        payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
    })
    .expect("the message is text")
}

/// An argument as the parameter takes it.
macro_rules! pass {
    (value $x:expr) => {
        $x.clone()
    };
    (shared $x:expr) => {
        &$x
    };
    (constant $x:expr) => {
        $x
    };
}

/// A tuple of the differentiable arguments, filled from a flat list.
macro_rules! owned {
    ($z:ident [$($done:expr),*]) => { ($($done,)*) };
    ($z:ident [$($done:expr),*] constant $name:ident = $value:expr, $($rest:tt)*) => { owned!($z [$($done),*] $($rest)*) };
    ($z:ident [$($done:expr),*] $kind:ident $name:ident = $value:expr, $($rest:tt)*) => {
        owned!($z [$($done,)* $crate::flat::filled($value, &mut $z)] $($rest)*)
    };
}

/// `jvp(arguments…, tangents)` with the tangents in the tuple `t`.
macro_rules! jvp_call {
    ($f:path, $t:ident, [$($arg:expr),*] [$($tangent:expr),*] [$($field:tt)*]) => { $f($($arg,)* ($($tangent),*)) };
    ($f:path, $t:ident, [$($arg:expr),*] [$($tangent:expr),*] [$($field:tt)*] constant $name:ident, $($rest:tt)*) => {
        jvp_call!($f, $t, [$($arg),*] [$($tangent),*] [$($field)*] $($rest)*)
    };
    ($f:path, $t:ident, [$($arg:expr),*] [$($tangent:expr),*] [$field:tt $($more:tt)*] $kind:ident $name:ident, $($rest:tt)*) => {
        jvp_call!($f, $t, [$($arg),*] [$($tangent,)* pass!($kind $t.$field)] [$($more)*] $($rest)*)
    };
}

/// `…_into(arguments…, &mut buffers…)` with the buffers in the tuple `b`.
macro_rules! into_call {
    ($f:path, $b:ident, [$($arg:expr),*] [$($field:tt)*]) => { $f($($arg),*) };
    ($f:path, $b:ident, [$($arg:expr),*] [$($field:tt)*] constant $name:ident, $($rest:tt)*) => {
        into_call!($f, $b, [$($arg),*] [$($field)*] $($rest)*)
    };
    ($f:path, $b:ident, [$($arg:expr),*] [$field:tt $($more:tt)*] $kind:ident $name:ident, $($rest:tt)*) => {
        into_call!($f, $b, [$($arg,)* &mut $b.$field] [$($more)*] $($rest)*)
    };
}

/// Binds the arguments from the flat list `z`.
macro_rules! bind {
    ($z:ident constant $name:ident = $value:expr) => {
        let $name = $value;
    };
    ($z:ident $kind:ident $name:ident = $value:expr) => {
        let $name = $crate::flat::filled($value, &mut $z);
    };
}

/// Puts a function with a scalar result to every check: `check!(f(value x = 0.3, shared a = [1.0, 2.0], constant n = 3))`.
macro_rules! check {
    ($f:ident($($kind:ident $name:ident = $value:expr),* $(,)?)) => {{
        let gradient = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            (None, $crate::flat::flat(&$f::grad($(pass!($kind $name)),*)))
        };
        let value_and_gradient = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            let (value, gradient) = $f::value_and_grad($(pass!($kind $name)),*);
            (Some($crate::flat::flat(&value)), $crate::flat::flat(&gradient))
        };
        let grad_into = |z: &[f64], _: &[f64], before: &[f64]| {
            let (mut _z, mut _before) = (z, before);
            $(bind!(_z $kind $name = $value);)*
            let mut b = owned!(_before [] $($kind $name = $value,)*);
            let value = into_call!($f::grad_into, b, [$(pass!($kind $name)),*] [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25] $($kind $name,)*);
            ($crate::flat::flat(&value), $crate::flat::flat(&b))
        };
        check!(@ $f($($kind $name = $value),*), vec![("grad", &gradient as _), ("value_and_grad", &value_and_gradient as _)], vec![("grad_into", &grad_into as $crate::judge::Into)])
    }};
    (@ $f:ident($($kind:ident $name:ident = $value:expr),*), $gradients:expr, $into:expr) => {{
        let primal = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat(&$f($(pass!($kind $name)),*))
        };
        let jvp = |z: &[f64], v: &[f64]| {
            let (mut _z, mut _v) = (z, v);
            $(bind!(_z $kind $name = $value);)*
            let t = owned!(_v [] $($kind $name = $value,)*);
            let (value, tangent) = jvp_call!($f::jvp, t, [$(pass!($kind $name)),*] [] [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25] $($kind $name,)*);
            ($crate::flat::flat(&value), $crate::flat::flat(&tangent))
        };
        let vjp = |z: &[f64], w: &[f64]| {
            let (mut _z, mut w) = (z, w);
            $(bind!(_z $kind $name = $value);)*
            let seed = $crate::flat::filled($f($(pass!($kind $name)),*), &mut w);
            $crate::effect::reset();
            let (value, gradient) = $f::vjp($(pass!($kind $name),)* seed);
            ($crate::flat::flat(&value), $crate::flat::flat(&gradient))
        };
        let pullback = |z: &[f64], w: &[f64]| {
            let (mut _z, mut w) = (z, w);
            $(bind!(_z $kind $name = $value);)*
            let seed = $crate::flat::filled($f($(pass!($kind $name)),*), &mut w);
            $crate::effect::reset();
            let (value, back) = $f::pullback($(pass!($kind $name)),*);
            ($crate::flat::flat(&value), $crate::flat::flat(&back(seed)))
        };
        let vjp_into = |z: &[f64], w: &[f64], before: &[f64]| {
            let (mut _z, mut w, mut _before) = (z, w, before);
            $(bind!(_z $kind $name = $value);)*
            let seed = $crate::flat::filled($f($(pass!($kind $name)),*), &mut w);
            $crate::effect::reset();
            let mut b = owned!(_before [] $($kind $name = $value,)*);
            let value = into_call!($f::vjp_into, b, [$(pass!($kind $name),)* seed] [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25] $($kind $name,)*);
            ($crate::flat::flat(&value), $crate::flat::flat(&b))
        };
        let jacobian = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat($f::jacobian($(pass!($kind $name)),*).as_slice())
        };
        let value_and_jacobian = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat($f::value_and_jacobian($(pass!($kind $name)),*).1.as_slice())
        };
        let jacfwd = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat($f::jacfwd($(pass!($kind $name)),*).as_slice())
        };
        let jacrev = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat($f::jacrev($(pass!($kind $name)),*).as_slice())
        };
        let (x, single) = {
            let blank: &[f64] = &[];
            let _ = blank;
            $(let $name = $value;)*
            let mut x = Vec::new();
            $(check!(@flatten x $kind $name);)*
            let single = $crate::check::is_single(&$f($(pass!($kind $name)),*));
            $crate::effect::reset();
            (x, single)
        };
        let mut into: Vec<(&str, $crate::judge::Into)> = vec![("vjp_into", &vjp_into)];
        into.extend::<Vec<(&str, $crate::judge::Into)>>($into);
        let case = $crate::judge::Case {
            primal: &primal,
            jvp: &jvp,
            vjp: &vjp,
            twins: vec![("pullback", $crate::judge::Closeness::Rounding, &pullback)],
            gradients: $gradients,
            jacobians: vec![("jacobian", &jacobian), ("value_and_jacobian", &value_and_jacobian), ("jacfwd", &jacfwd), ("jacrev", &jacrev)],
            into,
            strong: None,
            single,
            kinks: false,
            overflows: false,
        };
        $crate::check::accept(stringify!($f), &case, &x);
    }};
    (@flatten $x:ident constant $name:ident) => {
        let _ = &$name;
    };
    (@flatten $x:ident $kind:ident $name:ident) => {
        $x.extend($crate::flat::flat(&$name));
    };
}

/// The same for any other result.
macro_rules! check_vector {
    ($f:ident($($kind:ident $name:ident = $value:expr),* $(,)?)) => {
        check!(@ $f($($kind $name = $value),*), vec![], vec![])
    };
}

/// Second derivatives of a function with `order = 2`, called as `check!` is: the Hessian is the Jacobian of the gradient, which is put to every check, and symmetric.
macro_rules! check_second {
    ($f:ident($($kind:ident $name:ident = $value:expr),* $(,)?)) => {{
        let hvp = |z: &[f64], v: &[f64]| {
            let (mut _z, mut _v) = (z, v);
            $(bind!(_z $kind $name = $value);)*
            let t = owned!(_v [] $($kind $name = $value,)*);
            let (gradient, curvature) = jvp_call!($f::hvp, t, [$(pass!($kind $name)),*] [] [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25] $($kind $name,)*);
            ($crate::flat::flat(&gradient), $crate::flat::flat(&curvature))
        };
        // Sums of the two may have another order: a call whose seed is known is reversed where it runs.
        let gradient = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            let value = $f($(pass!($kind $name)),*);
            let tolerance = if $crate::check::is_single(&value) { 1e-4 } else { 1e-12 };
            let one = $crate::flat::filled(value, &mut &[1.0][..]);
            let first = $crate::flat::flat(&$f::vjp($(pass!($kind $name),)* one).1);
            $crate::effect::reset();
            let again = hvp(z, &vec![0.0; z.len()]).0;
            $crate::check::near(&again, &first, tolerance);
            again
        };
        let hessian = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            $crate::flat::flat($f::hessian($(pass!($kind $name)),*).as_slice())
        };
        let together = |z: &[f64]| {
            let mut _z = z;
            $(bind!(_z $kind $name = $value);)*
            let (value, gradient, hessian) = $f::value_grad_hessian($(pass!($kind $name)),*);
            let (again, other) = $f::value_and_grad($(pass!($kind $name)),*);
            assert!(value == again);
            $crate::check::near(&$crate::flat::flat(&gradient), &$crate::flat::flat(&other), 1e-4);
            $crate::flat::flat(hessian.as_slice())
        };
        let (x, single) = {
            $(let $name = $value;)*
            let mut x: Vec<f64> = Vec::new();
            $(check!(@flatten x $kind $name);)*
            let single = $crate::check::is_single(&$f($(pass!($kind $name)),*));
            $crate::effect::reset();
            (x, single)
        };
        let case = $crate::judge::Case {
            primal: &gradient,
            jvp: &hvp,
            vjp: &hvp,
            twins: vec![],
            gradients: vec![],
            jacobians: vec![("hessian", &hessian), ("value_grad_hessian", &together)],
            into: vec![],
            strong: None,
            single,
            kinks: false,
            overflows: false,
        };
        $crate::check::accept(concat!("second derivatives of ", stringify!($f)), &case, &x);
    }};
}

/// Functions with their second derivatives: as they are, and with everything remembered, which must give the same bits.
/// `second! { fn f(x: f64, n: usize) -> f64 { … } = [value x = 0.7, constant n = 3]; }`.
macro_rules! second {
    ($(fn $name:ident($($args:tt)*) -> $ret:ident $body:block = $([$($call:tt)*]),+;)*) => {
        mod plain { #[allow(unused_imports)] use super::*; $(#[grad(order = 2)] pub(super) fn $name($($args)*) -> $ret $body)* }
        mod all { #[allow(unused_imports)] use super::*; $(#[grad(order = 2, __remember_all)] pub(super) fn $name($($args)*) -> $ret $body)* }
        mod verified { #[allow(unused_imports)] use super::*; $(#[grad(order = 2, verify)] pub(super) fn $name($($args)*) -> $ret $body)* }
        $(
            #[test]
            fn $name() {$(
                { use plain::$name; check_second!($name($($call)*)); }
                { use verified::$name; check_second!($name($($call)*)); }
                let plain = curvature!(plain::$name, $($call)*);
                let all = curvature!(all::$name, $($call)*);
                $crate::check::same_bits(stringify!($name), &plain, &all);
            )+}
        )*
    };
}

/// The Hessian, flat.
macro_rules! curvature {
    ($f:path, $($kind:ident $name:ident = $value:expr),* $(,)?) => {{
        use $f as form;
        $crate::flat::flat(form::hessian($(pass!($kind ($value))),*).as_slice())
    }};
}

/// The same bits, or NaN in both.
#[track_caller]
pub(crate) fn same_bits(name: &str, a: &[f64], b: &[f64]) {
    assert!(
        crate::judge::same(a, b),
        "{name}: {a:?}, but {b:?} with everything remembered"
    );
}

/// The value and the cotangents of one call, flat.
macro_rules! swept {
    ($f:path, $($kind:ident $name:ident = $value:expr),* $(,)?) => {{
        use $f as form;
        $crate::flat::flat(&form::vjp($(pass!($kind ($value)),)* 1.0))
    }};
}

/// Each function as it is, with everything remembered (the same bits), and with every decision checked:
/// `three! { fn f(x: f64, n: usize) -> f64 { … } = [value x = 0.7, constant n = 3]; }`.
macro_rules! three {
    ($(fn $name:ident($($args:tt)*) -> f64 $body:block = $([$($call:tt)*]),+;)*) => {
        mod plain { use autodiff::grad; $(#[grad] pub(super) fn $name($($args)*) -> f64 $body)* }
        mod all { use autodiff::grad; $(#[grad(__remember_all)] pub(super) fn $name($($args)*) -> f64 $body)* }
        mod verified { use autodiff::grad; $(#[grad(verify)] pub(super) fn $name($($args)*) -> f64 $body)* }
        $(
            #[test]
            fn $name() {$(
                { use plain::$name; check!($name($($call)*)); }
                { use all::$name; check!($name($($call)*)); }
                { use verified::$name; check!($name($($call)*)); }
                let plain = swept!(plain::$name, $($call)*);
                let all = swept!(all::$name, $($call)*);
                $crate::check::same_bits(stringify!($name), &plain, &all);
            )+}
        )*
    };
}

/// As `three!`, with second derivatives: `each_way! { fn f(x: f64) { … } = [value x = 0.7]; }`.
macro_rules! each_way {
    ($(fn $name:ident($($args:tt)*) $body:block = [$($call:tt)*];)*) => {$(
        mod $name {
            use super::*;
            mod plain { use super::*; #[grad(order = 2)] pub(super) fn form($($args)*) -> f64 $body }
            mod all { use super::*; #[grad(order = 2, __remember_all)] pub(super) fn form($($args)*) -> f64 $body }
            mod verified { use super::*; #[grad(order = 2, verify)] pub(super) fn form($($args)*) -> f64 $body }
            #[test]
            fn each_way() {
                { use plain::form; check!(form($($call)*)); check_second!(form($($call)*)); }
                { use all::form; check!(form($($call)*)); check_second!(form($($call)*)); }
                { use verified::form; check!(form($($call)*)); check_second!(form($($call)*)); }
                let few = swept!(plain::form, $($call)*);
                let all = swept!(all::form, $($call)*);
                crate::check::same_bits(stringify!($name), &few, &all);
                let few = curvature!(plain::form, $($call)*);
                let all = curvature!(all::form, $($call)*);
                crate::check::same_bits(stringify!($name), &few, &all);
            }
        }
    )*};
}

/// As `three!`, for functions of two numbers, each at the same four points.
macro_rules! programs {
    ($points:expr; $(fn $name:ident($x:ident: f64, $y:ident: f64) -> f64 $body:block)*) => {
        mod plain { use autodiff::grad; $(#[grad] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
        mod all { use autodiff::grad; $(#[grad(__remember_all)] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
        mod verified { use autodiff::grad; $(#[grad(verify)] pub(super) fn $name($x: f64, $y: f64) -> f64 $body)* }
        $(
            #[test]
            fn $name() {
                for (x, y) in $points {
                    { use plain::$name; check!($name(value x = x, value y = y)); }
                    { use all::$name; check!($name(value x = x, value y = y)); }
                    { use verified::$name; check!($name(value x = x, value y = y)); }
                    let plain = swept!(plain::$name, value x = x, value y = y);
                    let all = swept!(all::$name, value x = x, value y = y);
                    $crate::check::same_bits(stringify!($name), &plain, &all);
                }
            }
        )*
    };
}

/// Functions with second derivatives, and in the module `apart` the same without what the option of the macro switches off.
macro_rules! in_both_ways {
    (without $switch:ident; $(fn $name:ident($($(#[$attr:meta])? $p:ident: $t:ty),*) -> $ret:ty $body:block)*) => {
        $(
            #[grad(order = 2)]
            fn $name($($(#[$attr])? $p: $t),*) -> $ret $body
        )*
        mod apart {
            use super::*;
            $(
                #[grad(order = 2, $switch)]
                pub(super) fn $name($($(#[$attr])? $p: $t),*) -> $ret $body
            )*
        }
    };
}
