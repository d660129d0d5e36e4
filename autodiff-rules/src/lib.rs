//! What the compiler and the runtime of `autodiff` share: the rule table, which has the elementary functions and their derivatives, one row each, the words of graphs, and the keys of fields.
//!
//! A row reads `name(arguments) [-> y] [flag] = [partials], at [test point];`.
//!
//! - A partial is an expression in the arguments, the result `y`, float literals, `+ - * /` and functions that have a row, so derivatives of every order stay inside the table.
//!   The partial `0.0` contributes nothing. `_` stands where an integer argument (`n: i32`) has no partial; integers may be passed on, also as `n + 1`.
//! - `guarded`: the partial can be infinite or undefined at finite arguments; where it or the cotangent is zero, nothing comes of the other (`zmul`).
//!   `select`: the partial chooses between operands; where it is zero the cotangent is dropped, whatever it is (`select`).
//! - An argument `t = tanh(x)` is always given that value, which the caller has at hand: the partials by the others are total, the one by it is `0.0`.
//!   It is written `_` in the test point.
//!
//! A function of std is a row under `methods`. Another one is a row and a definition: in the runtime's `functions.rs` if users call it, in `functions/special.rs` if tensors do not have it, in `kernels` if only partials do.
#![no_std]
#![forbid(unsafe_code)]

/// The key of a field or variant, such as `radius` or `0`: FNV-1a of its name.
#[must_use]
pub const fn field(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut key = 0xcbf2_9ce4_8422_2325_u64;
    let mut k = 0;
    while k < bytes.len() {
        key = (key ^ bytes[k] as u64).wrapping_mul(0x0100_0000_01b3);
        k += 1;
    }
    key
}

/// How a partial is applied to a cotangent (or tangent) `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `d * partial`.
    Plain,
    /// `zmul(d, partial)`: zero where one of them is zero, whatever the other.
    Guarded,
    /// `select(d, partial)`: zero where the partial is zero, whatever `d`.
    Select,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name: of the row, of its function in `op` and in `partial`.
    pub name: &'static str,
    /// The names of the arguments, as the partials use them. The result is `y`.
    pub args: &'static [&'static str],
    /// Which arguments are integers (`i32`).
    pub integer: &'static [bool],
    /// What an argument always is, in terms of those before it: `tanh(x)`; empty for the others.
    pub given: &'static [&'static str],
    /// Whether it is a method of `f32` and `f64` in std.
    pub method: bool,
    /// One expression per argument, `_` for an integer.
    pub partials: &'static [&'static str],
    /// How the partials are applied.
    pub flag: Flag,
    /// A point at which tests compare the partials with differences; NaN for an argument whose value follows from the others.
    pub at: &'static [f64],
}

/// Hands the rows to the macro `$then`, which makes something of them.
#[macro_export]
macro_rules! table {
    ($then:ident) => {
        $then! {
            methods {
                sin(x)                 = [cos(x)],                                          at [0.3];
                cos(x)                 = [-sin(x)],                                         at [0.3];
                tan(x) -> y            = [1.0 + y * y],                                     at [0.3];
                asin(x) guarded        = [dasin(x)],                                        at [0.3];
                acos(x) guarded        = [-dasin(x)],                                       at [0.3];
                atan(x)                = [datan(x)],                                        at [0.3];
                atan2(b, a) guarded    = [datan2(a, b), -datan2(b, a)],                     at [0.3, 0.7];
                sinh(x) guarded        = [cosh(x)],                                         at [0.3];
                cosh(x) guarded        = [sinh(x)],                                         at [0.3];
                tanh(x) -> y           = [dtanh(x, y)],                                     at [0.3];
                asinh(x)               = [1.0 / hypot(1.0, x)],                             at [0.3];
                acosh(x) guarded       = [1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0))],           at [1.7];
                atanh(x) guarded       = [datanh(x)],                                       at [0.3];

                exp(x) -> y guarded    = [y],                                               at [0.3];
                exp2(x) -> y guarded   = [dexp2(x, y, 1)],                                  at [0.3];
                exp_m1(x) guarded      = [exp(x)],                                          at [0.3];
                ln(x) guarded          = [1.0 / x],                                         at [0.3];
                ln_1p(x) guarded       = [1.0 / (1.0 + x)],                                 at [0.3];
                log2(x) guarded        = [1.4426950408889634 / x],                          at [0.3];
                log10(x) guarded       = [0.4342944819032518 / x],                          at [0.3];
                log(x, b) guarded      = [dlog(x, b, 1, 0), dlog(x, b, 0, 1)],              at [0.3, 1.7];

                sqrt(x) -> y guarded   = [0.5 / y],                                         at [0.3];
                cbrt(x) -> y guarded   = [dcbrt(x, y)],                                     at [0.3];
                hypot(a, b) -> y       = [dhypot(a, b, y), dhypot(b, a, y)],                at [0.3, 0.7];
                powi(x, n: i32) guarded = [dpowi(x, n, 1), _],                              at [0.7, 5.0];
                powf(x, b) -> y guarded = [dpowf(x, b, y, 1, 0), dpowf(x, b, y, 0, 1)],     at [0.7, 1.3];
                recip(x) -> y guarded  = [-y * y],                                          at [0.7];
                mul_add(x, a, b)       = [a, x, 1.0],                                       at [0.3, 0.7, 0.2];
                midpoint(a, b)         = [0.5, 0.5],                                        at [0.3, 0.7];
                next_up(x)             = [1.0],                                             at [0.3];
                next_down(x)           = [1.0],                                             at [0.3];
                to_degrees(x)          = [57.29577951308232],                               at [0.3];
                to_radians(x)          = [0.017453292519943295],                            at [0.3];

                abs(x) select          = [sign(x)],                                         at [-0.3];
                copysign(x, s) select  = [sign(x) * signum(s), 0.0],                        at [0.3, -0.7];
                max(a, b) select       = [larger(a, b), larger(b, a)],                      at [0.3, 0.7];
                min(a, b) select       = [larger(-a, -b), larger(-b, -a)],                  at [0.3, 0.7];
                clamp(x, low, high) select = [1.0 - less(x, low) - less(high, x), less(x, low), less(high, x)], at [1.3, 0.1, 0.7];
                abs_sub(a, b) select   = [less(b, a), -less(b, a)],                         at [0.7, 0.3];

                fract(x)               = [1.0],                                             at [0.3];
                floor(x)               = [0.0],                                             at [0.3];
                ceil(x)                = [0.0],                                             at [0.3];
                round(x)               = [0.0],                                             at [0.3];
                round_ties_even(x)     = [0.0],                                             at [0.3];
                trunc(x)               = [0.0],                                             at [0.3];
                signum(x)              = [0.0],                                             at [0.3];
                rem_euclid(x, b) -> y guarded = [1.0, round((y - x) / b)],                  at [-7.3, 2.1];
                div_euclid(x, b)       = [0.0, 0.0],                                        at [-7.3, 2.1];
            }
            functions {
                sigmoid(x) -> y        = [dsigmoid(x, y)],                                  at [0.3];
                softplus(x)            = [sigmoid(x)],                                      at [0.3];
                relu(x) select         = [less(0.0, x)],                                    at [0.3];
                silu(x)                = [dsilu(x)],                                        at [0.3];
                gelu(x)                = [dgelu(x)],                                        at [0.3];
                gelu_tanh(x)           = [dgelu_tanh(x)],                                   at [0.3];
                erf(x)                 = [1.1283791670955126 * gaussian(x)],                at [0.3];
                erfc(x)                = [-1.1283791670955126 * gaussian(x)],               at [0.3];
            }
            special {
                xlogy(x, b) guarded    = [ln(b), zdiv(x, b)],                               at [0.3, 0.7];
                logaddexp(a, b)        = [share(a, b), share(b, a)],                        at [0.3, 0.7];
                log1mexp(x) guarded    = [dlog1mexp(x)],                                    at [-0.7];
                log1p_exp(x)           = [sigmoid(x)],                                      at [0.3];
                sinc(x)                = [dsinc(x, 1)],                                     at [0.3];
                normal_pdf(x) -> y     = [-near(x) * y],                                    at [0.3];
                normal_cdf(x)          = [normal_pdf(x)],                                   at [0.3];
                normal_quantile(x) guarded = [dnormal_quantile(x)],                         at [0.3];
                erfinv(x) guarded      = [derfinv(x)],                                      at [0.3];
                lambert_w(x) -> y guarded = [dlambert_w(x, y)],                             at [0.3];
                ln_gamma(x) guarded    = [digamma(x)],                                      at [1.7];
                gamma(x) -> y guarded  = [y * digamma(x)],                                  at [1.7];
                digamma(x) guarded     = [trigamma(x)],                                     at [1.7];
                trigamma(x) guarded    = [polygamma(x, 2)],                                 at [1.7];
                ln_beta(a, b) guarded  = [polygamma_gap(a, b, 0), polygamma_gap(b, a, 0)],  at [1.3, 1.7];
                beta(a, b) -> y guarded = [y * polygamma_gap(a, b, 0), y * polygamma_gap(b, a, 0)], at [1.3, 1.7];
                gamma_p(a, x) guarded  = [dgamma_p(a, x, 1, 0), dgamma_p(a, x, 0, 1)],      at [1.3, 1.7];
                gamma_q(a, x) guarded  = [-dgamma_p(a, x, 1, 0), -dgamma_p(a, x, 0, 1)],    at [1.3, 1.7];
                beta_inc(a, b, x) guarded = [dbeta_inc(a, b, x, 1, 0, 0), dbeta_inc(a, b, x, 0, 1, 0), dbeta_inc(a, b, x, 0, 0, 1)], at [1.3, 1.7, 0.3];
                bessel_j(n: i32, x)    = [_, dbessel_j(n, x, 1)],                           at [2.0, 1.7];
                bessel_y(n: i32, x) guarded = [_, dbessel_y(n, x, 1)],                      at [2.0, 1.7];
                bessel_i(n: i32, x)    = [_, dbessel_i(n, x, 1)],                           at [2.0, 1.7];
                bessel_k(n: i32, x) guarded = [_, dbessel_k(n, x, 1)],                      at [2.0, 1.7];
            }
            kernels {
                rem(x, b) -> y guarded = [1.0, round((y - x) / b)],                         at [7.3, 2.1];
                sign(x)                = [0.0],                                             at [0.3];
                less(a, b)             = [0.0, 0.0],                                        at [0.3, 0.7];
                larger(a, b)           = [0.0, 0.0],                                        at [0.3, 0.7];
                maximum(a, b) select   = [exceeding(a, b), exceeding(b, a)],                at [0.3, 0.7];
                minimum(a, b) select   = [exceeding(-a, -b), exceeding(-b, -a)],            at [0.3, 0.7];
                exceeding(a, b)        = [0.0, 0.0],                                        at [0.3, 0.7];
                tied(x, y)             = [0.0, 0.0],                                        at [0.3, 0.7];
                dasin(x) -> y guarded  = [x * y * y * y],                                   at [0.3];
                datan(x) -> y          = [-2.0 * (x * y) * y],                              at [0.3];
                datanh(x) -> y guarded = [2.0 * x * y * y],                                 at [0.3];
                dexp2(x, y = exp2(x), k: i32) guarded = [dexp2(x, y, k + 1), 0.0, _],       at [0.3, _, 2.0];
                datan2(a, b) guarded   = [dln_abs(a, b, 2, 0), dln_abs(a, b, 1, 1)],        at [0.3, 0.7];
                dln_abs(a, b, k: i32, m: i32) guarded = [dln_abs(a, b, k + 1, m), dln_abs(a, b, k, m + 1), _, _], at [0.3, 0.7, 1.0, 2.0];
                dlog(x, b, k: i32, m: i32) guarded = [dlog(x, b, k + 1, m), dlog(x, b, k, m + 1), _, _], at [0.3, 1.7, 1.0, 2.0];
                dcbrt(x, r = cbrt(x)) -> y guarded = [-0.6666666666666666 * (y / x), 0.0],  at [0.3, _];
                dtanh(x, t = tanh(x)) -> y = [-2.0 * t * y, 0.0],                           at [0.3, _];
                dhypot(a, b, h = hypot(a, b)) guarded = [bend(a, b, h), -twist(a, b, h), 0.0], at [0.3, 0.7, _];
                bend(a, b, h = hypot(a, b)) -> y guarded = [-3.0 * zdiv(dhypot(a, b, h) * y, h), zdiv(zdiv(dhypot(b, a, h) * (2.0 * dhypot(a, b, h) * dhypot(a, b, h) - dhypot(b, a, h) * dhypot(b, a, h)), h), h), 0.0], at [0.3, 0.7, _];
                twist(a, b, h = hypot(a, b)) guarded = [zdiv(zdiv(dhypot(b, a, h) * (dhypot(b, a, h) * dhypot(b, a, h) - 2.0 * dhypot(a, b, h) * dhypot(a, b, h)), h), h), zdiv(zdiv(dhypot(a, b, h) * (dhypot(a, b, h) * dhypot(a, b, h) - 2.0 * dhypot(b, a, h) * dhypot(b, a, h)), h), h), 0.0], at [0.3, 0.7, _];
                zdiv(a, b) -> y guarded = [1.0 / b, -y / b],                                at [0.3, 0.7];
                dpowi(x, n: i32, k: i32) guarded = [dpowi(x, n, k + 1), _, _],              at [0.7, 5.0, 2.0];
                dpowf(x, b, p = powf(x, b), k: i32, m: i32) guarded = [dpowf(x, b, p, k + 1, m), dpowf(x, b, p, k, m + 1), 0.0, _, _], at [0.7, 1.3, _, 1.0, 2.0];
                dsigmoid(x, s = sigmoid(x)) -> y = [y * skew(x, s), 0.0],                   at [0.3, _];
                skew(x, s = sigmoid(x)) = [-2.0 * dsigmoid(x, s), 0.0],                     at [0.3, _];
                dsilu(x)               = [dsigmoid(x, sigmoid(x)) * (2.0 + x * skew(x, sigmoid(x)))], at [0.3];
                dgelu(x)               = [normal_pdf(x) * (2.0 - near(x) * near(x))],       at [0.3];
                gaussian(x) -> y       = [-2.0 * (near(x) * y)],                            at [0.3];
                gelu_exponent(x)       = [gelu_slope(x)],                                   at [0.3];
                gelu_slope(x)          = [0.42812889763560147 * near(x)],                   at [0.3];
                near(x) select         = [less(abs(x), 40.0)],                              at [0.3];
                dgelu_tanh(x)          = [gelu_gate(x) * (2.0 * gelu_slope(x) + x * (0.42812889763560147 * near(x) + gelu_slope(x) * gelu_slope(x) * skew(gelu_exponent(x), sigmoid(gelu_exponent(x)))))], at [0.3];
                share(a, b)            = [dsigmoid(a - b, sigmoid(a - b)), -dsigmoid(a - b, sigmoid(a - b))], at [0.3, 0.7];
                dlog1mexp(x) -> y guarded = [y * (1.0 - y)],                                at [-0.7];
                dsinc(x, k: i32)       = [dsinc(x, k + 1), _],                              at [0.3, 2.0];
                dnormal_quantile(x) -> y guarded = [y * y * normal_quantile(x)],            at [0.3];
                derfinv(x) -> y guarded = [2.0 * erfinv(x) * y * y],                        at [0.3];
                dlambert_w(x, w = lambert_w(x)) -> y guarded = [-(y * y) * (1.0 + 1.0 / (1.0 + w)), 0.0], at [0.3, _];
                polygamma(x, n: i32) guarded = [polygamma(x, n + 1), _],                    at [1.7, 2.0];
                polygamma_gap(a, b, n: i32) guarded = [polygamma_gap(a, b, n + 1), -polygamma(a + b, n + 1), _], at [1.3, 1.7, 1.0];
                dgamma_p(a, x, k: i32, m: i32) guarded = [dgamma_p(a, x, k + 1, m), dgamma_p(a, x, k, m + 1), _, _], at [1.3, 1.7, 1.0, 0.0];
                dbeta_inc(a, b, x, k: i32, l: i32, m: i32) guarded = [dbeta_inc(a, b, x, k + 1, l, m), dbeta_inc(a, b, x, k, l + 1, m), dbeta_inc(a, b, x, k, l, m + 1), _, _, _], at [1.3, 1.7, 0.3, 1.0, 0.0, 0.0];
                dbessel_j(n: i32, x, k: i32) = [_, dbessel_j(n, x, k + 1), _],              at [2.0, 1.7, 1.0];
                dbessel_y(n: i32, x, k: i32) guarded = [_, dbessel_y(n, x, k + 1), _],      at [2.0, 1.7, 1.0];
                dbessel_i(n: i32, x, k: i32) = [_, dbessel_i(n, x, k + 1), _],              at [2.0, 1.7, 1.0];
                dbessel_k(n: i32, x, k: i32) guarded = [_, dbessel_k(n, x, k + 1), _],      at [2.0, 1.7, 1.0];
                gelu_gate(x) -> y      = [y * gelu_slope(x) * skew(gelu_exponent(x), sigmoid(gelu_exponent(x)))], at [0.3];
            }
        }
    };
}

/// `true` where an argument is declared as an integer.
macro_rules! is_integer {
    () => {
        false
    };
    (i32) => {
        true
    };
}

/// A coordinate of a test point.
macro_rules! coordinate {
    (_) => {
        f64::NAN
    };
    ($at:literal) => {
        $at
    };
    (-$at:literal) => {
        -$at
    };
}

/// The [`Flag`] of a row: how its partials are applied.
#[macro_export]
macro_rules! flag {
    () => {
        $crate::Flag::Plain
    };
    (guarded) => {
        $crate::Flag::Guarded
    };
    (select) => {
        $crate::Flag::Select
    };
}

/// The table as data.
macro_rules! data {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = [$($partials:tt)*], at [$($at:tt)*];
    )* })*) => {
        /// All rows.
        pub const RULES: &[Rule] = &[$($(Rule {
            name: stringify!($name),
            args: &[$(stringify!($arg)),*],
            integer: &[$(is_integer!($($integer)?)),*],
            given: &[$(concat!($(stringify!($given($($from),*)))?)),*],
            method: data!(@method $section),
            partials: data!(@list stringify [] [] $($partials)*),
            flag: flag!($($flag)?),
            at: data!(@list coordinate [] [] $($at)*),
        },)*)*];
    };
    (@method methods) => { true };
    (@method $other:ident) => { false };
    (@list $each:ident [$($done:expr,)*] [$($now:tt)+]) => { &[$($done,)* $each!($($now)+)] };
    (@list $each:ident [$($done:expr,)*] [$($now:tt)+] , $($rest:tt)*) => { data!(@list $each [$($done,)* $each!($($now)+),] [] $($rest)*) };
    (@list $each:ident $done:tt [$($now:tt)*] $next:tt $($rest:tt)*) => { data!(@list $each $done [$($now)* $next] $($rest)*) };
}
table!(data);

/// What the reverse sweep does to have the value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reverse {
    /// It does not ask for it.
    Nothing,
    /// The variable is still there.
    Kept,
    /// It reads the memory again.
    Reread,
    /// It computes it again.
    Recomputed,
    /// The forward sweep remembers it, in loops once a round.
    Remembered,
    /// Of a store: the forward sweep saves what it overwrites, and the reverse sweep puts it back.
    Saved,
}

impl Reverse {
    /// All of them, in the order of the numbers by which a graph names them.
    pub const ALL: [Reverse; 6] = [
        Reverse::Nothing,
        Reverse::Kept,
        Reverse::Reread,
        Reverse::Recomputed,
        Reverse::Remembered,
        Reverse::Saved,
    ];

    /// The word for it: `recomputed`.
    pub fn word(self) -> &'static str {
        match self {
            Reverse::Nothing => "not needed",
            Reverse::Kept => "kept",
            Reverse::Reread => "read again",
            Reverse::Recomputed => "computed again",
            Reverse::Remembered => "remembered",
            Reverse::Saved => "saved",
        }
    }
}

/// A type that implements a trait, and holds whatever type parameters are in scope, whose names the macro does not know, but nothing borrowed.
///
/// So does each without `use<…>` up to edition 2021, which is that of this crate.
#[doc(hidden)]
#[macro_export]
macro_rules! holding {
    ($($bounds:tt)*) => { impl $($bounds)* + ::core::marker::Sized };
}
