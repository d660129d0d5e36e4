//! The regularized incomplete gamma and beta functions, by series and continued fractions.
//!
//! Derivatives by shape parameters are those of the series and fractions themselves: they are written for dual numbers.
//! Formulas by their numbers in the NIST Digital Library of Mathematical Functions (DLMF), chapter 8.

use super::gamma::{gamma, ln_gamma_gap, stirling_rest};
use crate::dual::{Dual, Part};
use crate::float::Float;

/// A number with tangents in some directions, one after the other.
trait Seeded: Part {
    /// How many directions there are.
    const DEPTH: u32;
    /// The number whose tangents are those.
    fn seeded(value: f64, tangents: &[f64]) -> Self;
    /// The value without tangents.
    fn primal(self) -> f64;
    /// What all directions together have changed.
    fn mixed(self) -> f64;
    /// The largest of the value and the tangents.
    fn size(self) -> f64;
}

impl Seeded for f64 {
    const DEPTH: u32 = 0;

    fn seeded(value: f64, _: &[f64]) -> f64 {
        value
    }

    fn primal(self) -> f64 {
        self
    }

    fn mixed(self) -> f64 {
        self
    }

    fn size(self) -> f64 {
        self.abs()
    }
}

impl<D: Seeded> Seeded for Dual<D> {
    const DEPTH: u32 = D::DEPTH + 1;

    fn seeded(value: f64, tangents: &[f64]) -> Self {
        let (first, rest) = tangents.split_first().unwrap_or((&0.0, &[]));
        Dual {
            value: D::seeded(value, rest),
            dot: D::seeded(*first, &[]),
        }
    }

    fn primal(self) -> f64 {
        self.value.primal()
    }

    fn mixed(self) -> f64 {
        self.dot.mixed()
    }

    fn size(self) -> f64 {
        self.value.size().max(self.dot.size())
    }
}

/// A function of two shape parameters, for numbers of any depth.
trait OfShapes {
    fn at<D: Seeded>(&self, a: D, b: D) -> D;

    /// Its derivative, `k` times by the first and `l` times by the second; up to third order.
    fn derived(&self, a: f64, b: f64, k: i32, l: i32) -> f64 {
        let by = |j: i32| if j < k { [1.0, 0.0] } else { [0.0, 1.0] };
        let [first, second, third] = [by(0), by(1), by(2)];
        let of_a = [first[0], second[0], third[0]];
        let of_b = [first[1], second[1], third[1]];
        match k + l {
            0 => self.at(a, b),
            1 => self.lifted::<Dual<f64>>(a, b, &of_a[..1], &of_b[..1]),
            2 => self.lifted::<Dual<Dual<f64>>>(a, b, &of_a[..2], &of_b[..2]),
            3 => self.lifted::<Dual<Dual<Dual<f64>>>>(a, b, &of_a, &of_b),
            _ => f64::NAN,
        }
    }

    fn lifted<D: Seeded>(&self, a: f64, b: f64, of_a: &[f64], of_b: &[f64]) -> f64 {
        self.at(D::seeded(a, of_a), D::seeded(b, of_b)).mixed()
    }
}

/// x − ln(1 + x), without cancellation near 0.
fn less_than_linear(x: f64) -> f64 {
    if x.abs() > 0.3 {
        return x - Float::ln_1p(x);
    }
    // With s = x / (2 + x): ln(1 + x) = 2 (s + s³/3 + …), and x − 2s = s x.
    let s = x / (2.0 + x);
    let square = s * s;
    let (mut power, mut sum) = (square, 0.0);
    for j in 1..40 {
        let more = power / f64::from(2 * j + 1);
        sum += more;
        if more < 1e-18 * sum {
            break;
        }
        power *= square;
    }
    s * (x - 2.0 * sum)
}

/// x^a e⁻ˣ / Γ(a + 1), to the last digits also where a is large.
fn gamma_factor(a: f64, x: f64) -> f64 {
    if a < 12.0 {
        let power = Float::powf(x, a);
        return if x > 700.0 {
            Float::exp(a * Float::ln(x) - x) / gamma(a + 1.0)
        } else {
            power * Float::exp(-x) / gamma(a + 1.0)
        };
    }
    let away = (x - a) / a;
    let exponent = if away < -0.9 {
        a * (Float::ln(x / a) - away)
    } else {
        -a * less_than_linear(away)
    };
    Float::exp(exponent - stirling_rest(a)) / Float::sqrt(core::f64::consts::TAU * a)
}

/// x^(a−1) e⁻ˣ / Γ(a), the derivative of P by x.
fn gamma_density<D: Seeded>(a: D, x: f64) -> D {
    let at = a.primal();
    if x == 0.0 {
        let limit = if at < 1.0 {
            f64::INFINITY
        } else if at > 1.0 {
            0.0
        } else {
            1.0
        };
        return D::from_f64(limit);
    }
    lifted_factor(a, x) * a / D::from_f64(x)
}

/// x^a e⁻ˣ / Γ(a + 1). The value apart; what the shape changes is the exponential of this, less what it is at the value.
fn lifted_factor<D: Seeded>(a: D, x: f64) -> D {
    let exponent = a * D::from_f64(Float::ln(x)) - D::ln_gamma(a + D::from_f64(1.0));
    let change = D::exp(exponent - D::from_f64(exponent.primal()));
    change * D::from_f64(gamma_factor(a.primal(), x))
}

/// P and Q, of which one is 1 less the other.
struct Gamma {
    x: f64,
    upper: bool,
}

/// From here on the expansion for large shapes is used.
const LARGE: f64 = 1e7;

impl OfShapes for Gamma {
    fn at<D: Seeded>(&self, a: D, _: D) -> D {
        let (x, at) = (self.x, a.primal());
        if at.is_nan()
            || x.is_nan()
            || at < 0.0
            || x < 0.0
            || at == f64::INFINITY && x == f64::INFINITY
        {
            return D::from_f64(f64::NAN);
        }
        let of_lower = |lower: f64| D::from_f64(if self.upper { 1.0 - lower } else { lower });
        if at == 0.0 || x == f64::INFINITY {
            return of_lower(1.0);
        }
        if x == 0.0 || at == f64::INFINITY {
            return of_lower(0.0);
        }
        let (one, factor) = (D::from_f64(1.0), lifted_factor(a, x));
        if at > LARGE {
            return large_gamma(a, x, factor, self.upper);
        }
        if x < 1.0 && at < 1.0 && self.upper {
            return small_upper(a, x);
        }
        // Of small shapes Q is small there.
        let is_small = self.upper && at < 1.0 && x >= 1.0;
        if x < at + 1.0 && !is_small {
            // Σ xʲ / ((a + 1) … (a + j)), 8.11.4.
            let (mut term, mut sum, mut next) = (one, one, a);
            while term.primal() > 1e-20 * sum.primal() {
                next = next + one;
                term = term * D::from_f64(x) / next;
                sum = sum + term;
            }
            let lower = factor * sum;
            return if self.upper { one - lower } else { lower };
        }
        // The continued fraction 8.9.2 in its even part, by Lentz's method.
        let mut below = D::from_f64(x + 1.0) - a;
        let (mut c, mut d) = (D::from_f64(1e300), one / below);
        let mut fraction = d;
        for round in 1..most_rounds(at) {
            let j = D::from_f64(f64::from(round));
            let above = j * (a - j);
            below = below + D::from_f64(2.0);
            d = one / (below + above * d);
            c = below + above / c;
            let next = c * d;
            fraction = fraction * next;
            if is_settled(next) {
                break;
            }
        }
        let upper = factor * a * fraction;
        if self.upper { upper } else { one - upper }
    }
}

/// Whether the factor of a round is 1, with tangents that are nothing: of some shapes the value alone ends early.
fn is_settled<D: Seeded>(factor: D) -> bool {
    let enough = if D::DEPTH == 0 { 2.5e-16 } else { 1e-15 };
    (factor - D::from_f64(1.0)).size() < enough
}

/// So many rounds are enough in any case.
fn most_rounds(shape: f64) -> u32 {
    200 + (20.0 * Float::sqrt(shape)) as u32
}

/// Q where a and x are small: 1 − x^a / Γ(a + 1) (1 + a Σ (−x)ʲ / ((a + j) j!)), 8.7.1, without the 1 if a is small.
fn small_upper<D: Seeded>(a: D, x: f64) -> D {
    let mut term = 1.0;
    let mut sum = D::from_f64(0.0);
    for j in 1..40 {
        let j = f64::from(j);
        term *= -x / j;
        sum = sum + D::from_f64(term) / (a + D::from_f64(j));
        if term.abs() < 1e-19 {
            break;
        }
    }
    let exponent = a * D::from_f64(Float::ln(x)) - ln_gamma_above_one(a);
    -D::exp_m1(exponent) - D::exp(exponent) * a * sum
}

/// ln Γ(1 + a) for 0 ≤ a ≤ 1, 5.7.3, to the last digits also where a is small.
fn ln_gamma_above_one<D: Seeded>(a: D) -> D {
    if a.primal() > 0.3 {
        return D::ln_gamma(a + D::from_f64(1.0));
    }
    // (1 − γ) a − ln(1 + a) + Σ (ζ(j) − 1) (−a)ʲ / j.
    let sum = ZETA
        .iter()
        .enumerate()
        .rev()
        .fold(D::from_f64(0.0), |sum, (j, zeta)| {
            D::from_f64(*zeta / (j as f64 + 2.0)) - sum * a
        });
    a * D::from_f64(0.422_784_335_098_467_13) - D::ln_1p(a) + sum * a * a
}

/// ζ(j) − 1 from j = 2.
const ZETA: [f64; 18] = [
    0.644_934_066_848_226_4,
    0.202_056_903_159_594_3,
    0.082_323_233_711_138_19,
    0.036_927_755_143_369_93,
    0.017_343_061_984_449_14,
    0.008_349_277_381_922_827,
    0.004_077_356_197_944_34,
    0.002_008_392_826_082_214_3,
    0.000_994_575_127_818_085_3,
    0.000_494_188_604_119_464_5,
    0.000_246_086_553_308_048_3,
    0.000_122_713_347_578_489_15,
    6.124_813_505_870_483e-5,
    3.058_823_630_702_049e-5,
    1.528_225_940_865_187e-5,
    7.637_197_637_899_763e-6,
    3.817_293_264_999_84e-6,
    1.908_212_716_553_939e-6,
];

/// For large a: erfc(±η √(a/2)) / 2 ± e^(−a η²/2) / √(2πa) (c₀(η) + c₁(η) / a), η²/2 = x/a − 1 − ln(x/a), 8.12.3.
fn large_gamma<D: Seeded>(a: D, x: f64, factor: D, upper: bool) -> D {
    let at = a.primal();
    let away = (D::from_f64(x) - a) / a;
    let far = (x - at) / at;
    if far.abs() > 0.03 {
        // There are no numbers so small.
        return D::from_f64(if (far > 0.0) == upper { 0.0 } else { 1.0 });
    }
    // η by its series in x/a − 1.
    let series = [
        1.0,
        -1.0 / 3.0,
        7.0 / 36.0,
        -73.0 / 540.0,
        1_331.0 / 12_960.0,
        -22_409.0 / 272_160.0,
        449_087.0 / 6_531_840.0,
    ];
    let fold = |coefficients: &[f64], by: D| {
        let rev = coefficients.iter().rev();
        rev.fold(D::from_f64(0.0), |sum, c| sum * by + D::from_f64(*c))
    };
    let eta = away * fold(&series, away);
    let zeroth = fold(
        &[
            -1.0 / 3.0,
            1.0 / 12.0,
            -2.0 / 135.0,
            1.0 / 864.0,
            1.0 / 2_835.0,
        ],
        eta,
    );
    let first = fold(&[-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0], eta);
    // What is left of Stirling's formula.
    let one = D::from_f64(1.0);
    let stirling = one + one / (D::from_f64(12.0) * a);
    let correction = factor * stirling * (zeroth + first / a);
    let argument = eta * D::sqrt(a * D::from_f64(0.5));
    let half = D::from_f64(0.5);
    if upper {
        half * D::erfc(argument) + correction
    } else {
        half * D::erfc(-argument) - correction
    }
}

pub(crate) fn gamma_p(a: f64, x: f64) -> f64 {
    Gamma { x, upper: false }.at(a, 0.0)
}

pub(crate) fn gamma_q(a: f64, x: f64) -> f64 {
    Gamma { x, upper: true }.at(a, 0.0)
}

/// What two derivatives by x bring with them: the density times 1, e, e² + e′, … with its logarithmic derivative e and that one's derivatives.
fn along<D: Part>(density: D, e: [D; 2], m: i32) -> D {
    match m {
        1 => density,
        2 => density * e[0],
        _ => density * (e[0] * e[0] + e[1]),
    }
}

struct GammaDensity {
    x: f64,
    m: i32,
}

impl OfShapes for GammaDensity {
    fn at<D: Seeded>(&self, a: D, _: D) -> D {
        let (x, rest) = (D::from_f64(self.x), a - D::from_f64(1.0));
        let slope = (rest - x) / x;
        along(gamma_density(a, self.x), [slope, -rest / (x * x)], self.m)
    }
}

/// The derivative of P(a, x), `k` times by a and `m` times by x, up to third order.
#[must_use]
pub fn dgamma_p<T: Float>(a: T, x: T, k: i32, m: i32) -> T {
    let (a, x) = (a.to_f64(), x.to_f64());
    if x.is_nan() || x < 0.0 || a.is_nan() || a <= 0.0 {
        return T::NAN;
    }
    if x == f64::INFINITY || x == 0.0 && m == 0 {
        return T::ZERO;
    }
    T::from_f64(if m == 0 {
        Gamma { x, upper: false }.derived(a, 0.0, k, 0)
    } else {
        GammaDensity { x, m }.derived(a, 0.0, k, 0)
    })
}

/// x^a (1 − x)^b / B(a, b), to the last digits also where a or b is large.
fn beta_factor(a: f64, b: f64, x: f64) -> f64 {
    let sum = a + b;
    if a.min(b) >= 10.0 {
        let away = sum * x - a;
        let term = |of: f64, away: f64| {
            if away < -0.9 {
                of * (Float::ln_1p(away) - away)
            } else {
                -of * less_than_linear(away)
            }
        };
        let exponent = term(a, away / a) + term(b, -away / b);
        let rests = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
        return Float::exp(exponent + rests) * Float::sqrt(a * (b / sum) / core::f64::consts::TAU);
    }
    // The power of what is small, and one over the beta function.
    let (small, large) = (a.min(b), a.max(b));
    let scale = if large < 20.0 {
        gamma(sum) / gamma(large) / gamma(small)
    } else {
        Float::exp(-ln_gamma_gap(small, large)) / gamma(small)
    };
    let exponent = a * Float::ln(x) + b * Float::ln_1p(-x);
    if exponent < -600.0 {
        return scale * Float::exp(exponent);
    }
    Float::powf(x, a) * Float::exp(b * Float::ln_1p(-x)) * scale
}

/// x^(a−1) (1 − x)^(b−1) / B(a, b), the derivative of the incomplete beta function by x.
fn beta_density<D: Seeded>(a: D, b: D, x: f64) -> D {
    let (at, other) = (a.primal(), b.primal());
    if x == 0.0 || x == 1.0 {
        let shape = if x == 0.0 { at } else { other };
        let limit = if shape < 1.0 {
            f64::INFINITY
        } else if shape > 1.0 {
            0.0
        } else {
            at.max(other)
        };
        return D::from_f64(limit);
    }
    let one = D::from_f64(1.0);
    let powers = (a - one) * D::from_f64(Float::ln(x)) + (b - one) * D::from_f64(Float::ln_1p(-x));
    let exponent = powers - D::ln_beta(a, b);
    let change = D::exp(exponent - D::from_f64(exponent.primal()));
    change * D::from_f64(beta_factor(at, other, x) / (x * (1.0 - x)))
}

struct Beta {
    x: f64,
}

impl OfShapes for Beta {
    fn at<D: Seeded>(&self, a: D, b: D) -> D {
        let (x, at, other) = (self.x, a.primal(), b.primal());
        let inside = at > 0.0 && other > 0.0 && (0.0..=1.0).contains(&x);
        if !(inside && (at + other).is_finite()) {
            return D::from_f64(f64::NAN);
        }
        if x == 0.0 || x == 1.0 {
            return D::from_f64(x);
        }
        let (one, density) = (D::from_f64(1.0), beta_density(a, b, x));
        let edge = density * D::from_f64(x * (1.0 - x));
        if x <= (at + 1.0) / (at + other + 2.0) {
            edge / a * beta_fraction(a, b, x)
        } else {
            one - edge / b * beta_fraction(b, a, 1.0 - x)
        }
    }
}

/// The continued fraction 8.17.22, by Lentz's method.
fn beta_fraction<D: Seeded>(a: D, b: D, x: f64) -> D {
    let (one, x) = (D::from_f64(1.0), D::from_f64(x));
    let (mut c, mut d) = (one, one / (one - (a + b) * x / (a + one)));
    let mut fraction = d;
    for round in 1..most_rounds(a.primal().max(b.primal())) {
        let j = D::from_f64(f64::from(round));
        let twice = a + j + j;
        let even = j * (b - j) * x / ((twice - one) * twice);
        d = one / (one + even * d);
        c = one + even / c;
        let first = c * d;
        let odd = -((a + j) * (a + b + j) * x) / (twice * (twice + one));
        d = one / (one + odd * d);
        c = one + odd / c;
        let factor = c * d;
        fraction = fraction * first * factor;
        if is_settled(first) && is_settled(factor) {
            break;
        }
    }
    fraction
}

pub(crate) fn beta_inc(a: f64, b: f64, x: f64) -> f64 {
    Beta { x }.at(a, b)
}

struct BetaDensity {
    x: f64,
    m: i32,
}

impl OfShapes for BetaDensity {
    fn at<D: Seeded>(&self, a: D, b: D) -> D {
        let one = D::from_f64(1.0);
        let (x, y) = (D::from_f64(self.x), D::from_f64(1.0 - self.x));
        let (left, right) = ((a - one) / x, (b - one) / y);
        along(
            beta_density(a, b, self.x),
            [left - right, -left / x - right / y],
            self.m,
        )
    }
}

/// The derivative of the incomplete beta function, `k` times by a, `l` times by b and `m` times by x, up to third order.
#[must_use]
pub fn dbeta_inc<T: Float>(a: T, b: T, x: T, k: i32, l: i32, m: i32) -> T {
    let (a, b, x) = (a.to_f64(), b.to_f64(), x.to_f64());
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x)) {
        return T::NAN;
    }
    if m == 0 && (x == 0.0 || x == 1.0) {
        return T::ZERO;
    }
    T::from_f64(if m == 0 {
        Beta { x }.derived(a, b, k, l)
    } else {
        BetaDensity { x, m }.derived(a, b, k, l)
    })
}
