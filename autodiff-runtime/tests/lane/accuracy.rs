//! How far the functions of `lane` are from the truth in `f32`, where the same formulas in `f64` are the truth.

use std::f64::consts::PI;

use autodiff_runtime::{functions, lane};

/// One function: over slices inside a kernel, by itself, and the truth.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) kernel: fn(&[f32], &mut [f32]),
    pub(crate) kernel_of_f64: fn(&[f64], &mut [f64]),
    pub(crate) alone: fn(f32) -> f32,
    pub(crate) truth: fn(f64) -> f64,
    /// Units in the last place that it may be off.
    pub(crate) allowed: f64,
    /// Where it crosses zero on a slope, by size: what is lost there is measured by the size around.
    roots: &'static [f64],
}

impl Row {
    /// The size by whose last place an error at x is measured.
    pub(crate) fn size(&self, x: f64, truth: f64) -> f64 {
        let at_root = self.roots.iter().any(|root| (x.abs() - root).abs() < 1.0);
        if at_root {
            truth.abs().max(0.25)
        } else {
            truth.abs()
        }
    }
}

/// A function over slices, inside a kernel.
macro_rules! over {
    ($name:ident, $x:ident, $y:ident) => {
        lane::fused(
            [$x],
            [$y],
            #[inline(always)]
            |lane, [x]| [lane.$name(x)],
        )
    };
}

macro_rules! rows {
    ($($name:ident $([$($root:literal),*])? < $allowed:literal => $truth:expr;)*) => {
        pub(crate) const ROWS: &[Row] = &[$(Row {
            name: stringify!($name),
            kernel: |x, y| over!($name, x, y),
            kernel_of_f64: |x, y| over!($name, x, y),
            alone: lane::$name,
            truth: $truth,
            allowed: $allowed,
            roots: &[$($($root),*)?],
        }),*];
    };
}

rows! {
    exp < 2.0 => f64::exp;
    exp_m1 < 2.0 => f64::exp_m1;
    ln < 2.0 => f64::ln;
    ln_1p < 2.0 => f64::ln_1p;
    tanh < 2.0 => f64::tanh;
    sigmoid < 2.0 => sigmoid;
    softplus < 2.0 => |x| x.max(0.0) + (-x.abs()).exp().ln_1p();
    erf < 2.0 => libm::erf;
    erfc < 2.0 => libm::erfc;
    sin < 2.0 => f64::sin;
    cos < 2.0 => f64::cos;
    tan < 2.0 => f64::tan;
    silu < 2.0 => |x| functions::silu(x).copysign(x);
    gelu < 2.0 => |x| functions::gelu(x).copysign(x);
    gelu_tanh < 2.0 => |x| functions::gelu_tanh(x).copysign(x);
    dtanh < 8.0 => |x| 4.0 * bell(2.0 * x);
    d2tanh < 10.0 => |x| -8.0 * x.tanh() * bell(2.0 * x);
    dsigmoid < 8.0 => bell;
    d2sigmoid < 10.0 => |x| -(0.5 * x).tanh() * bell(x);
    dsilu [1.28] < 8.0 => functions::silu::grad;
    d2silu [2.4] < 10.0 => |x| bell(x) * (2.0 - clamped(x) * (0.5 * x).tanh());
    dgelu [0.75] < 8.0 => functions::gelu::grad;
    d2gelu [1.41] < 10.0 => |x| normal(x) * (2.0 - clamped(x).powi(2));
    dgelu_tanh [0.75] < 8.0 => functions::gelu_tanh::grad;
    d2gelu_tanh [1.43] < 10.0 => d2gelu_tanh;
    gaussian < 8.0 => |x| (-x * x).exp();
    normal_pdf < 8.0 => normal;
    derf < 8.0 => |x| 2.0 / PI.sqrt() * (-x * x).exp();
    d2erf < 10.0 => |x| -4.0 / PI.sqrt() * clamped(x) * (-x * x).exp();
}

fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 {
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + e)
    }
}

/// The derivative of the logistic function.
fn bell(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    e / (1.0 + e).powi(2)
}

fn normal(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// The argument, or an end where all that decays is zero.
fn clamped(x: f64) -> f64 {
    x.clamp(-1000.0, 1000.0)
}

/// From the parts of the product x σ(u).
fn d2gelu_tanh(x: f64) -> f64 {
    let x = x.clamp(-40.0, 40.0);
    let scale = 2.0 * (2.0 / PI).sqrt();
    let u = scale * (x + 0.044715 * x * x * x);
    let du = scale * (1.0 + 3.0 * 0.044715 * x * x);
    let d2u = scale * 6.0 * 0.044715 * x;
    bell(u) * (2.0 * du + x * d2u - x * du * du * (0.5 * u).tanh())
}

/// The worst that a function did.
#[derive(Debug, Default)]
pub(crate) struct Worst {
    /// The largest distance in units of the last place, and where.
    pub(crate) ulps: f64,
    pub(crate) at: f32,
    /// Arguments at which a zero, an infinity, a NaN or a sign is wrong.
    pub(crate) wrong: Vec<f32>,
}

impl Worst {
    pub(crate) fn add(&mut self, row: &Row, x: f32, y: f32, truth: f64) {
        let rounded = truth as f32;
        let right = if truth.is_nan() {
            y.is_nan()
        } else if truth == 0.0 {
            // The sign of a zero is that of the argument where the function says so, and of no account where a tail ends.
            y == 0.0 && (x != 0.0 || row.allowed > 2.0 || y.to_bits() == rounded.to_bits())
        } else if truth.is_infinite() {
            y == rounded
        } else if rounded.is_infinite() || y.is_infinite() {
            // On either side of the largest number there is one unit between rounding to it and to infinity.
            y == rounded || (truth.abs() / f64::from(f32::MAX) - 1.0).abs() < 1.5e-7
        } else {
            let size = row.size(f64::from(x), truth) as f32;
            let ulps = (f64::from(y) - truth).abs() / unit(size);
            if ulps > self.ulps {
                (self.ulps, self.at) = (ulps, x);
            }
            !y.is_nan() && (y == 0.0 || y.is_sign_negative() == rounded.is_sign_negative())
        };
        if !right && self.wrong.len() < 20 {
            self.wrong.push(x);
        }
    }
}

/// What every sample has, with both signs.
const ENDS: [f32; 8] = [
    0.0,
    f32::from_bits(1),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    1.0,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// The distance from a number to the next larger one.
fn unit(x: f32) -> f64 {
    let exponent = x.abs().max(f32::MIN_POSITIVE).to_bits() >> 23;
    f64::from(f32::from_bits(exponent << 23)) * f64::from(f32::EPSILON)
}

/// The worst of a function, at every `step`th of the 2³² arguments in a kernel, and at those of them that `alone` divides by itself.
pub(crate) fn worst(row: &Row, step: u32, alone: u32) -> Worst {
    const LENGTH: usize = 4096;
    let mut worst = Worst::default();
    let (mut xs, mut ys) = ([0.0; LENGTH], [0.0; LENGTH]);
    let ends = ENDS.into_iter().flat_map(|x| [x.to_bits(), (-x).to_bits()]);
    let mut bits = ends.chain((0..=u32::MAX).step_by(step as usize)).peekable();
    while bits.peek().is_some() {
        let mut length = 0;
        for (x, bits) in xs.iter_mut().zip(&mut bits) {
            *x = f32::from_bits(bits);
            length += 1;
        }
        (row.kernel)(&xs[..length], &mut ys[..length]);
        for (&x, &y) in xs[..length].iter().zip(&ys) {
            let truth = (row.truth)(f64::from(x));
            worst.add(row, x, y, truth);
            if x.to_bits() % alone == 0 || ENDS.contains(&x.abs()) {
                worst.add(row, x, (row.alone)(x), truth);
            }
        }
    }
    worst
}
