//! How far the functions of `lane` are from the truth in `f32`, where the same formulas in `f64` are the truth.

use autodiff_runtime::lane;

/// One function: over slices inside a kernel, by itself, and the truth.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) kernel: fn(&[f32], &mut [f32]),
    pub(crate) alone: fn(f32) -> f32,
    pub(crate) truth: fn(f64) -> f64,
}

macro_rules! rows {
    ($($name:ident => $truth:expr;)*) => {
        pub(crate) const ROWS: &[Row] = &[$(Row {
            name: stringify!($name),
            kernel: |x, y| {
                lane::dispatch(
                    #[inline(always)]
                    |lane| {
                        for (x, y) in x.iter().zip(y) {
                            *y = lane.$name(*x);
                        }
                    },
                );
            },
            alone: lane::$name,
            truth: $truth,
        }),*];
    };
}

rows! {
    exp => f64::exp;
    exp_m1 => f64::exp_m1;
    ln => f64::ln;
    ln_1p => f64::ln_1p;
    tanh => f64::tanh;
    sigmoid => sigmoid;
    softplus => |x| x.max(0.0) + (-x.abs()).exp().ln_1p();
    erf => libm::erf;
    erfc => libm::erfc;
    sin => f64::sin;
    cos => f64::cos;
    tan => f64::tan;
}

fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 {
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + e)
    }
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
    pub(crate) fn add(&mut self, x: f32, y: f32, truth: f64) {
        let rounded = truth as f32;
        let right = if truth.is_nan() {
            y.is_nan()
        } else if truth == 0.0 || truth.is_infinite() {
            y.to_bits() == rounded.to_bits()
        } else if rounded.is_infinite() || y.is_infinite() {
            // On either side of the largest number there is one unit between rounding to it and to infinity.
            y == rounded || (truth.abs() / f64::from(f32::MAX) - 1.0).abs() < 1.5e-7
        } else {
            let ulps = (f64::from(y) - truth).abs() / unit(rounded);
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
    let mut bits = (0..=u32::MAX).step_by(step as usize).peekable();
    while bits.peek().is_some() {
        let mut length = 0;
        for (x, bits) in xs.iter_mut().zip(&mut bits) {
            *x = f32::from_bits(bits);
            length += 1;
        }
        (row.kernel)(&xs[..length], &mut ys[..length]);
        for (&x, &y) in xs[..length].iter().zip(&ys) {
            let truth = (row.truth)(f64::from(x));
            worst.add(x, y, truth);
            if x.to_bits() % alone == 0 {
                worst.add(x, (row.alone)(x), truth);
            }
        }
    }
    worst
}
