//! What the functions need of a number: its bits, its constants, and the polynomials that were fitted for it.
//!
//! Everything here is arithmetic, comparisons that select, bit masks and logical shifts: those are what vectors of either width have in the smallest instruction set.
//! A signed shift of 64 bits, a conversion of a 64-bit integer or a call would make a loop over the whole function scalar again, without a word.

#![allow(
    clippy::excessive_precision,
    reason = "figures stand as their sources print them"
)]

use crate::float::Float;

/// 2 √(2/π), and that times 0.044715: the nearest number and the rest.
pub(super) const GELU_LINEAR: [f64; 2] = [1.595_769_121_605_730_8, -9.969_308_809_110_92e-17];
const GELU_CUBIC: [f64; 2] = [0.071_354_816_272_600_25, -6.175_149_918_155_315e-19];

/// π/2 in three pieces, of which the products with integers below 2²⁰ are exact, and the rest (FreeBSD, `e_rem_pio2.c`).
const HALF_PI: [f64; 4] = [
    1.57079632673412561417e+00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
];
/// The second piece and the rest in one.
const HALF_PI_REST: f64 = 6.07710050650619224932e-11;

/// Evaluates a polynomial by Horner's rule: the coefficient of the highest power stands first.
macro_rules! horner {
    ($F:ident, $x:ident, $first:literal $(, $next:literal)*) => {{
        let sum = $first;
        $(let sum = Self::fuse::<$F>(sum, $x, $next);)*
        sum
    }};
}

/// The parts that the functions are made of, for `f32` and `f64`.
///
/// The parameter `F` of a function says whether it contracts a product and a sum into one rounding (FMA).
///
/// No function takes a number as `self`: it would be a method of all floats; and no constant is named as one of `num_traits::FloatConst`.
pub trait Parts: Sized {
    /// 1.5 · 2ᵐ, where m is the length of the stored mantissa: a number plus this, minus this, is the nearest integer, which stands in the low bits of the sum.
    const MAGIC: Self;
    /// ln 2, first with so few digits that its products with exponents are exact, then the rest.
    const LN_2_PARTS: [Self; 2];
    /// The same with more digits, exact for the exponents of normal numbers only.
    const LN_2_LONG_PARTS: [Self; 2];
    /// 1/√2: the nearest number and the rest.
    const FRAC_1_SQRT_2_PARTS: [Self; 2];
    /// Below and above this eˣ is 0 and ∞.
    const EXP_ENDS: [Self; 2];
    /// From here on erfc is 0.
    const ERFC_END: Self;
    /// From here on the density of the standard normal distribution is 0, and its product with x² as well.
    const NORMAL_END: Self;
    /// From here on the slopes of `gelu_tanh` are 0 or 1.
    const GELU_TANH_END: Self;
    /// Where the fit of `erfc_tail` is centred.
    const ERFC_CENTRE: Self;

    /// a · b + c.
    fn fuse<const F: bool>(a: Self, b: Self, c: Self) -> Self;
    /// 2ᵏ for the integer k in the low bits of `k + MAGIC`, as a product of two factors, each of which is a normal number.
    fn power_of_two(shifted: Self) -> [Self; 2];
    /// Of a positive number: the integer k and the m in [√½, √2) with x = 2ᵏ m.
    fn exponent_and_mantissa(x: Self) -> [Self; 2];
    /// The number with the lower half of its digits cleared, so that its square is exact.
    fn upper_half(x: Self) -> Self;

    /// (eʳ − 1 − r) / r² for |r| ≤ ln 2 / 2.
    fn exp_rest<const F: bool>(r: Self) -> Self;
    /// ln((1 + s) / (1 − s)) = 2s + s · this, as a function of s², for |s| ≤ 0.172.
    fn ln_rest<const F: bool>(square: Self) -> Self;
    /// (tanh x − x) as a quotient, for |x| ≤ 0.625.
    fn tanh_rest<const F: bool>(x: Self) -> [Self; 2];
    /// erf x / x − 1 as a function of x², for |x| ≤ 0.75.
    fn erf_rest<const F: bool>(square: Self) -> Self;
    /// (x + c) exp(x²) erfc x with c = `ERFC_CENTRE` as a function of q = (x − c) / (x + c), for x from 0.4 to `ERFC_END`: its value at q = 0, and the difference to that divided by q.
    fn erfc_tail<const F: bool>(q: Self) -> [Self; 2];
    /// (sin r − r) / r³ as a function of r², for |r| ≤ π/4.
    fn sin_rest<const F: bool>(square: Self) -> Self;
    /// (cos r − 1 + r²/2) / r⁴ as a function of r², for |r| ≤ π/4.
    fn cos_rest<const F: bool>(square: Self) -> Self;
    /// x as k π/2 and what is left, which has a second part; k stands in the low bits of the first number. For |x| up to `trigonometric::BOUND`.
    fn turns<const F: bool>(x: Self) -> (Self, [Self; 2]);
    /// Whether the integer in the low bits is odd.
    fn is_odd(shifted: Self) -> bool;
    /// The number, or its negative where the second lowest bit of the integer is set.
    fn flip(x: Self, shifted: Self) -> Self;
    /// 2 √(2/π) (x + 0.044715 x³), and what rounding took from it.
    fn gelu_exponent<const F: bool>(x: Self) -> [Self; 2];
    /// The sine far from zero.
    fn far_sin(x: Self) -> Self;
    /// The cosine far from zero.
    fn far_cos(x: Self) -> Self;
    /// The tangent far from zero.
    fn far_tan(x: Self) -> Self;
}

/// The parts that differ in the widths of fields alone.
macro_rules! bits {
    ($T:ident, $Bits:ident, mantissa $mantissa:literal, bias $bias:literal, root $root:literal, lower $lower:literal, far $sin:ident $cos:ident $tan:ident) => {
        #[inline(always)]
        fn fuse<const F: bool>(a: $T, b: $T, c: $T) -> $T {
            #[cfg(feature = "std")]
            if F {
                return a.mul_add(b, c);
            }
            a * b + c
        }

        #[inline(always)]
        fn power_of_two(shifted: $T) -> [$T; 2] {
            // Half of k, rounded down, and the other half. The lost sign of a negative k comes back in the addition of the bias.
            let half = (shifted.to_bits() >> 1).wrapping_sub(Self::MAGIC.to_bits() >> 1);
            let rest = shifted
                .to_bits()
                .wrapping_sub(Self::MAGIC.to_bits())
                .wrapping_sub(half);
            [half, rest].map(
                #[inline(always)]
                |k| $T::from_bits(k.wrapping_add($bias) << $mantissa),
            )
        }

        #[inline(always)]
        fn exponent_and_mantissa(x: Self) -> [$T; 2] {
            const MANTISSA: u64 = $mantissa;
            const BIAS: u64 = $bias;
            const INTEGERS: $T = (1_u64 << MANTISSA) as $T;
            let subnormal = x < $T::MIN_POSITIVE;
            let normal = if subnormal { x * (4.0 * INTEGERS) } else { x };
            let raised = if subnormal { (MANTISSA + 2) as $T } else { 0.0 };
            // One is added to the exponent where the mantissa is not below √2.
            let moved = normal.to_bits().wrapping_add((1.0 as $T).to_bits() - $root);
            let k = $T::from_bits((moved >> $mantissa) | INTEGERS.to_bits());
            let m = $T::from_bits((moved & ((1 << $mantissa) - 1)).wrapping_add($root));
            [(k - (INTEGERS + BIAS as $T)) - raised, m]
        }

        #[inline(always)]
        fn upper_half(x: Self) -> $T {
            $T::from_bits(x.to_bits() & !$lower)
        }

        #[inline(always)]
        fn is_odd(shifted: $T) -> bool {
            shifted.to_bits() & 1 == 1
        }

        #[inline(always)]
        fn flip(x: Self, shifted: $T) -> $T {
            $T::from_bits(x.to_bits() ^ (shifted.to_bits() & 2) << ($Bits::BITS - 2))
        }

        #[cold]
        #[inline(never)]
        fn far_sin(x: Self) -> $T {
            libm::$sin(x)
        }

        #[cold]
        #[inline(never)]
        fn far_cos(x: Self) -> $T {
            libm::$cos(x)
        }

        #[cold]
        #[inline(never)]
        fn far_tan(x: Self) -> $T {
            libm::$tan(x)
        }
    };
}

impl Parts for f32 {
    const MAGIC: f32 = 12582912.0;
    const LN_2_PARTS: [f32; 2] = [0.693359375, -2.12194440e-4];
    const LN_2_LONG_PARTS: [f32; 2] = [6.9313812256e-01, 9.0580006145e-06];
    const FRAC_1_SQRT_2_PARTS: [f32; 2] = [0.7071067691, 1.21016171e-8];
    const EXP_ENDS: [f32; 2] = [-105.0, 89.0];
    const ERFC_END: f32 = 10.6;
    const NORMAL_END: f32 = 15.0;
    const GELU_TANH_END: f32 = 11.5;
    const ERFC_CENTRE: f32 = 1.0;

    bits!(f32, u32, mantissa 23, bias 127, root 0x3f35_04f3, lower 0xfff, far sinf cosf tanf);

    // Cephes, expf.
    #[inline(always)]
    fn exp_rest<const F: bool>(r: f32) -> f32 {
        horner!(
            F,
            r,
            1.9875691500e-4,
            1.3981999507e-3,
            8.3334519073e-3,
            4.1665795894e-2,
            1.6666665459e-1,
            5.0000001201e-1
        )
    }

    // FreeBSD, e_logf.c.
    #[inline(always)]
    fn ln_rest<const F: bool>(square: f32) -> f32 {
        square
            * horner!(
                F,
                square,
                0.24279078841,
                0.28498786688,
                0.40000972152,
                0.66666662693
            )
    }

    // Cephes, tanhf.
    #[inline(always)]
    fn tanh_rest<const F: bool>(x: f32) -> [f32; 2] {
        let square = x * x;
        let rest = horner!(
            F,
            square,
            -5.70498872745e-3,
            2.06390887954e-2,
            -5.37397155531e-2,
            1.33314422036e-1,
            -3.33332819422e-1
        );
        [rest * square * x, 1.0]
    }

    // Chebyshev interpolation; the error is 2e-9.
    #[inline(always)]
    fn erf_rest<const F: bool>(square: f32) -> f32 {
        horner!(
            F,
            square,
            -0.0006756200455,
            0.005115296692,
            -0.02683509886,
            0.112833865,
            -0.3761262,
            0.1283791661
        )
    }

    // Least squares with one coefficient after the other rounded; the error is 4e-9.
    #[inline(always)]
    fn erfc_tail<const F: bool>(q: f32) -> [f32; 2] {
        [
            0.8551671505,
            horner!(
                F,
                q,
                0.001761163818,
                -0.0009218868217,
                -0.002790378872,
                -0.003422699869,
                -0.001170655596,
                0.009505455382,
                0.02539321408,
                0.01391122676,
                -0.09555634856,
                -0.2376809418
            ),
        ]
    }

    // Cephes, sinf.
    #[inline(always)]
    fn sin_rest<const F: bool>(square: f32) -> f32 {
        horner!(
            F,
            square,
            -1.9515295891e-4,
            8.3321608736e-3,
            -1.6666654611e-1
        )
    }

    // Cephes, cosf.
    #[inline(always)]
    fn cos_rest<const F: bool>(square: f32) -> f32 {
        horner!(
            F,
            square,
            2.443315711809948e-5,
            -1.388731625493765e-3,
            4.166664568298827e-2
        )
    }

    #[inline(always)]
    fn turns<const F: bool>(x: Self) -> (f32, [f32; 2]) {
        let x = f64::from(x);
        let shifted = f64::fuse::<F>(x, core::f64::consts::FRAC_2_PI, f64::MAGIC);
        let k = shifted - f64::MAGIC;
        let long = (x - k * HALF_PI[0]) - k * HALF_PI_REST;
        let r = long as f32;
        (k as f32 + Self::MAGIC, [r, (long - f64::from(r)) as f32])
    }

    #[inline(always)]
    fn gelu_exponent<const F: bool>(x: Self) -> [f32; 2] {
        let x = f64::from(x);
        let u = x * f64::fuse::<F>(x * x, GELU_CUBIC[0], GELU_LINEAR[0]);
        let rounded = u as f32;
        [rounded, (u - f64::from(rounded)) as f32]
    }
}

impl Parts for f64 {
    const MAGIC: f64 = 6755399441055744.0;
    const LN_2_PARTS: [f64; 2] = [6.93147180369123816490e-01, 1.90821492927058770002e-10];
    const LN_2_LONG_PARTS: [f64; 2] = Self::LN_2_PARTS;
    const FRAC_1_SQRT_2_PARTS: [f64; 2] =
        [core::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17];
    const EXP_ENDS: [f64; 2] = [-746.0, 710.0];
    const ERFC_END: f64 = 28.0;
    const NORMAL_END: f64 = 39.0;
    const GELU_TANH_END: f64 = 22.5;
    const ERFC_CENTRE: f64 = 2.0;

    bits!(f64, u64, mantissa 52, bias 1023, root 0x3fe6_a09e_0000_0000, lower 0x7ff_ffff, far sin cos tan);

    // Chebyshev interpolation; the error is 1e-18.
    #[inline(always)]
    fn exp_rest<const F: bool>(r: f64) -> f64 {
        horner!(
            F,
            r,
            2.0914686968086876e-09,
            2.5105217004720745e-08,
            2.75572736431103e-07,
            2.7557255400206422e-06,
            2.4801587325547743e-05,
            0.00019841269874820627,
            0.0013888888888883748,
            0.008333333333326136,
            0.04166666666666667,
            0.1666666666666667,
            0.5
        )
    }

    // FreeBSD, e_log.c.
    #[inline(always)]
    fn ln_rest<const F: bool>(square: f64) -> f64 {
        square
            * horner!(
                F,
                square,
                1.479819860511658591e-01,
                1.531383769920937332e-01,
                1.818357216161805012e-01,
                2.222219843214978396e-01,
                2.857142874366239149e-01,
                3.999999999940941908e-01,
                6.666666666666735130e-01
            )
    }

    // Cephes, tanh.
    #[inline(always)]
    fn tanh_rest<const F: bool>(x: f64) -> [f64; 2] {
        let square = x * x;
        let above = horner!(
            F,
            square,
            -9.64399179425052238628e-1,
            -9.92877231001918586564e1,
            -1.61468768441708447952e3
        );
        let below = horner!(
            F,
            square,
            1.0,
            1.12811678491632931402e2,
            2.23548839060100448583e3,
            4.84406305325125486048e3
        );
        [above * square * x, below]
    }

    // Chebyshev interpolation, like the next; the error is 1e-18.
    #[inline(always)]
    fn erf_rest<const F: bool>(square: f64) -> f64 {
        horner!(
            F,
            square,
            1.1471982626262433e-08,
            -1.5939928608120978e-07,
            1.6430668513426108e-06,
            -1.4924195325647666e-05,
            0.00012055289530626987,
            -0.0008548326187902369,
            0.005223977615408468,
            -0.026866170644427513,
            0.11283791670952592,
            -0.37612638903183715,
            0.1283791670955126
        )
    }

    // The error is 4e-18.
    #[inline(always)]
    fn erfc_tail<const F: bool>(q: f64) -> [f64; 2] {
        [
            1.021582705242023,
            horner!(
                F,
                q,
                -3.5168633870083726e-08,
                2.7672989912872377e-08,
                1.630548189115085e-07,
                1.224363019398676e-08,
                -3.767292828638275e-07,
                -5.674957858827454e-07,
                3.1760252195424995e-08,
                1.9932776134893738e-06,
                3.633381950289657e-06,
                -1.1207546726236338e-06,
                -1.6118608138591934e-05,
                -2.169764453639138e-05,
                3.4148574309692765e-05,
                0.0001444709964972564,
                3.4371463186022936e-05,
                -0.0006630735306032973,
                -0.0008372960636711007,
                0.0030906120606163825,
                0.006479185067754166,
                -0.021510661889525166,
                -0.036442231506878586,
                0.27947209255605515,
                -0.6871606844138106
            ),
        ]
    }

    // FreeBSD, k_sin.c.
    #[inline(always)]
    fn sin_rest<const F: bool>(square: f64) -> f64 {
        horner!(
            F,
            square,
            1.58969099521155010221e-10,
            -2.50507602534068634195e-08,
            2.75573137070700676789e-06,
            -1.98412698298579493134e-04,
            8.33333333332248946124e-03,
            -1.66666666666666324348e-01
        )
    }

    // FreeBSD, k_cos.c.
    #[inline(always)]
    fn cos_rest<const F: bool>(square: f64) -> f64 {
        horner!(
            F,
            square,
            -1.13596475577881948265e-11,
            2.08757232129817482790e-09,
            -2.75573143513906633035e-07,
            2.48015872894767294178e-05,
            -1.38888888888741095749e-03,
            4.16666666666666019037e-02
        )
    }

    #[inline(always)]
    fn turns<const F: bool>(x: Self) -> (f64, [f64; 2]) {
        let shifted = Self::fuse::<F>(x, core::f64::consts::FRAC_2_PI, Self::MAGIC);
        let k = shifted - Self::MAGIC;
        // The first difference is exact. What is lost in the others is found again, whichever term is the larger one.
        let first = x - k * HALF_PI[0];
        let [second, lost] = difference(first, k * HALF_PI[1]);
        let [third, lost_again] = difference(second, k * HALF_PI[2]);
        let rest = (lost + lost_again) - k * HALF_PI[3];
        let r = third + rest;
        (shifted, [r, (third - r) + rest])
    }

    #[inline(always)]
    fn gelu_exponent<const F: bool>(x: Self) -> [f64; 2] {
        let [square, square_lost] = product::<f64, F>(x, x);
        let [cubic, cubic_lost] = product::<f64, F>(square, GELU_CUBIC[0]);
        let [slope, lost] = difference(cubic, -GELU_LINEAR[0]);
        let lost = lost
            + (cubic_lost + square * GELU_CUBIC[1] + square_lost * GELU_CUBIC[0] + GELU_LINEAR[1]);
        let [u, u_lost] = product::<f64, F>(x, slope);
        [u, u_lost + x * lost]
    }
}

/// a − b, and what rounding took from it (Knuth).
#[inline(always)]
pub(super) fn difference<T: Float>(a: T, b: T) -> [T; 2] {
    let difference = a - b;
    let back = difference - a;
    [difference, (a - (difference - back)) - (b + back)]
}

/// The product rounded, and what that lost.
#[inline(always)]
pub(super) fn product<T: Float, const F: bool>(a: T, b: T) -> [T; 2] {
    let product = a * b;
    if F {
        return [product, T::fuse::<F>(a, b, -product)];
    }
    // Dekker's splitting.
    let [a1, b1] = [T::upper_half(a), T::upper_half(b)];
    let [a0, b0] = [a - a1, b - b1];
    [
        product,
        a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0),
    ]
}
