//! The normal distribution, and derivatives of the activation functions of machine learning.

use crate::float::Float;

/// The derivative of the logistic function, s (1 − s) with s = sigmoid(x), accurate for every x.
#[inline]
#[must_use]
pub fn dsigmoid<T: Float>(x: T, s: T) -> T {
    if s < T::from_f64(0.75) {
        s * (T::ONE - s)
    } else {
        // 1 − s = s e⁻ˣ
        s * s * (-x).exp()
    }
}

/// 1 − 2s with s = sigmoid(x), accurate also where s is near 1/2.
#[inline]
#[must_use]
pub fn skew<T: Float>(x: T, s: T) -> T {
    let skew = T::ONE - (s + s);
    if skew.abs() > T::from_f64(0.25) {
        skew
    } else {
        -tanh_of_half(x)
    }
}

/// tanh(x / 2) for |x| < 0.6, as a quotient of polynomials: faster than the function.
fn tanh_of_half<T: Float>(x: T) -> T {
    let [half, square] = [x * T::from_f64(0.5), x * x * T::from_f64(0.25)];
    let polynomial = |coefficients: [f64; 4]| {
        let [first, rest @ ..] = coefficients.map(T::from_f64);
        rest.into_iter().fold(first, |sum, c| sum * square + c)
    };
    let above = polynomial([1.0, 378.0, 17325.0, 135_135.0]);
    let below = polynomial([28.0, 3150.0, 62370.0, 135_135.0]);
    half * above / below
}

/// The derivative of `silu`.
#[inline]
#[must_use]
pub fn dsilu<T: Float>(x: T) -> T {
    // Where it is zero, to twice the digits, and e to that power.
    const ROOT: [f64; 2] = [-1.278_464_542_761_073_7, -1.094_699_418_309_343_7e-16];
    const POWER: f64 = 0.278_464_542_761_073_8;
    let e = (-x.abs()).exp();
    let s = T::ONE + e;
    if x >= T::ZERO {
        return (T::ONE + (e + super::zmul(e, x))) / (s * s);
    }
    // 1 + x + eˣ; near the root by the distance to it, as there the terms cancel.
    let t = (x.to_f64() - ROOT[0]) - ROOT[1];
    let sum = if t.abs() < 0.3 {
        T::from_f64(t + POWER * Float::exp_m1(t))
    } else {
        T::ONE + x + e
    };
    super::zmul(e, sum) / (s * s)
}

/// The product of two numbers as the nearest number and the rest.
pub(crate) fn product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let c = 134_217_729.0 * x;
        let high = c - (c - x);
        (high, x - high)
    };
    let (p, (a1, a0), (b1, b0)) = (a * b, split(a), split(b));
    (p, a0 * b0 - (((p - a1 * b1) - a0 * b1) - a1 * b0))
}

/// e^(−x² / divisor) for a power of two, to the last digit also where x² is large.
pub(crate) fn exp_minus_square(x: f64, divisor: f64) -> f64 {
    let (square, rest) = product(x, x);
    if square > 2000.0 {
        0.0
    } else {
        Float::exp(-square / divisor) * (1.0 - rest / divisor)
    }
}

/// e^(−x²).
#[inline]
#[must_use]
pub fn gaussian<T: Float>(x: T) -> T {
    T::from_f64(exp_minus_square(x.to_f64(), 1.0))
}

/// The density of the standard normal distribution, e^(−x²/2) / √(2π).
#[inline]
#[must_use]
pub fn normal_pdf<T: Float>(x: T) -> T {
    T::from_f64(0.398_942_280_401_432_7 * exp_minus_square(x.to_f64(), 2.0))
}

/// The distribution function of the standard normal distribution, accurate also where it is tiny.
#[inline]
#[must_use]
pub fn normal_cdf<T: Float>(x: T) -> T {
    let x = x.to_f64();
    let (z, rest) = product(x, -core::f64::consts::FRAC_1_SQRT_2);
    let upper = 0.5 * libm::erfc(z);
    if (-40.0..=-1.0).contains(&x) {
        // erfc is steep there: what rounding took from z = −x / √2 counts.
        let rest = rest + x * 4.833_646_656_726_457e-17;
        T::from_f64(upper - 0.564_189_583_547_756_3 * exp_minus_square(x, 2.0) * rest)
    } else {
        T::from_f64(upper)
    }
}

/// A function near its root, from its Taylor series there (without the 0); the root has twice the digits.
fn near_root(x: f64, root: [f64; 2], series: &[f64]) -> f64 {
    let t = (x - root[0]) - root[1];
    t * series
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| sum * t + coefficient)
}

/// The derivative of `gelu`, Φ(x) + x φ(x).
#[must_use]
pub fn dgelu<T: Float>(x: T) -> T {
    const ROOT: [f64; 2] = [-0.751_791_524_693_564_5, 1.495_675_917_700_988_3e-17];
    const SERIES: [f64; 16] = [
        0.431_493_992_314_046_9,
        0.388_284_982_990_552,
        -0.018_199_676_398_671_087,
        -0.114_008_233_297_221_7,
        -0.014_771_522_148_244_337,
        0.019_421_679_838_189_067,
        0.004_539_228_379_125_415,
        -0.002_239_538_068_073_497,
        -0.000_744_826_838_674_681_7,
        0.000_186_339_746_232_335_14,
        8.615_947_861_116_571e-05,
        -1.121_438_018_842_664e-05,
        -7.748_461_307_003_72e-06,
        4.328_450_625_739_227_3e-07,
        5.702_764_979_242_107e-07,
        -1.604_426_549_424_642_7e-09,
    ];
    let at = x.to_f64();
    T::from_f64(if (at - ROOT[0]).abs() < 0.25 {
        near_root(at, ROOT, &SERIES)
    } else {
        normal_cdf(at) + super::zmul(normal_pdf(at), at)
    })
}

/// x up to ±40, and 0 beyond, where what decays like a normal distribution is 0 in every type.
#[inline]
#[must_use]
pub fn near<T: Float>(x: T) -> T {
    if x.abs() > T::from_f64(40.0) {
        T::ZERO
    } else {
        x
    }
}

/// 2 √(2/π) (x + 0.044715 x³): `gelu_tanh(x)` is x · sigmoid of this. It stays as it is beyond ±40, where sigmoid has long been 0 or 1.
#[inline]
#[must_use]
pub fn gelu_exponent<T: Float>(x: T) -> T {
    T::from_f64(odd_cubic(x.to_f64().clamp(-40.0, 40.0), CUBIC).0)
}

/// The derivative of `gelu_exponent`.
#[inline]
#[must_use]
pub fn gelu_slope<T: Float>(x: T) -> T {
    if x.abs() > T::from_f64(40.0) {
        T::ZERO
    } else {
        T::from_f64(LINEAR[0]) + T::from_f64(TRIPLE[0]) * x * x
    }
}

/// 2 √(2/π), that times 0.044715, and that times 3: the nearest number and the rest.
const LINEAR: [f64; 2] = [1.595_769_121_605_730_8, -9.969_308_809_110_92e-17];
const CUBIC: [f64; 2] = [0.071_354_816_272_600_25, -6.175_149_918_155_315e-19];
const TRIPLE: [f64; 2] = [0.214_064_448_817_800_73, 1.202_524_283_236_786_2e-17];

/// `LINEAR` x + `cubic` x³ to about 100 bits: the nearest number and the rest.
fn odd_cubic(x: f64, cubic: [f64; 2]) -> (f64, f64) {
    let (square, square_rest) = product(x, x);
    let (term, term_rest) = product(square, cubic[0]);
    let slope = term + LINEAR[0];
    let lost = if term > LINEAR[0] {
        LINEAR[0] - (slope - term)
    } else {
        term - (slope - LINEAR[0])
    };
    let rest = lost + (term_rest + square * cubic[1] + square_rest * cubic[0] + LINEAR[1]);
    let (high, low) = product(x, slope);
    (high, low + x * rest)
}

/// e^−|`gelu_exponent`|.
fn gelu_decay(x: f64) -> f64 {
    if x.abs() > 30.0 {
        return 0.0;
    }
    let (high, low) = odd_cubic(-x.abs(), CUBIC);
    Float::exp(high) * (1.0 + low)
}

/// The derivative of the logistic function at `gelu_exponent(x)`, which it knows to more digits than a number has.
#[must_use]
pub fn gelu_gate<T: Float>(x: T) -> T {
    let e = gelu_decay(x.to_f64());
    let s = 1.0 + e;
    T::from_f64(e / (s * s))
}

/// x · sigmoid(2 √(2/π) (x + 0.044715 x³)).
pub(crate) fn gelu_tanh<T: Float>(x: T) -> T {
    let x = x.to_f64();
    let e = gelu_decay(x);
    T::from_f64(if x < 0.0 { super::zmul(e, x) } else { x } / (1.0 + e))
}

/// The derivative of `gelu_tanh`.
#[must_use]
pub fn dgelu_tanh<T: Float>(x: T) -> T {
    const ROOT: [f64; 2] = [-0.752_461_422_071_016_3, 3.635_560_509_207_687e-17];
    const SERIES: [f64; 16] = [
        0.430_400_091_024_858_5,
        0.387_518_446_135_788_95,
        -0.015_782_853_521_848_03,
        -0.113_944_483_080_958_99,
        -0.016_619_328_343_052_56,
        0.019_682_309_459_833_118,
        0.005_261_059_254_921_912,
        -0.002_422_731_845_875_097_4,
        -0.000_927_442_023_020_544_9,
        0.000_263_927_640_526_810_53,
        0.000_124_252_278_026_397_82,
        -3.495_617_169_443_611_6e-05,
        -1.595_089_687_164_510_5e-05,
        5.918_611_710_894_005e-06,
        2.433_551_634_429_954_3e-06,
        -9.898_647_747_433_667e-07,
    ];
    let x = x.to_f64();
    if (x - ROOT[0]).abs() < 0.25 {
        return T::from_f64(near_root(x, ROOT, &SERIES));
    }
    let e = gelu_decay(x);
    let s = 1.0 + e;
    let sum = if x < 0.0 {
        let (growth, rest) = odd_cubic(x, TRIPLE);
        super::zmul(e, (1.0 + growth) + (e + rest))
    } else {
        s + super::zmul(e, x * gelu_slope(x))
    };
    T::from_f64(sum / (s * s))
}
