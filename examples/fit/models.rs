//! The models of NIST's nonlinear regression datasets, as plain functions.
//!
//! Each is written as NIST states it and carries `#[grad]`, which makes its derivatives at compile time; nothing else in this program knows a derivative.
//! The predictors are marked `#[constant]`, so that `grad` returns the partials with respect to the parameters alone.
//! Datasets with the same formula share one function.

#![allow(clippy::too_many_arguments)] // as many as NIST's models have parameters

use std::f64::consts::PI;

use autodiff::grad;

/// `y = b1 * (b2+x)**(-1/b3)`
#[grad]
pub(crate) fn bennett5(b1: f64, b2: f64, b3: f64, #[constant] x: f64) -> f64 {
    b1 * (b2 + x).powf(-1.0 / b3)
}

/// `y = exp[-b1*x]/(b2+b3*x)`
#[grad]
pub(crate) fn chwirut(b1: f64, b2: f64, b3: f64, #[constant] x: f64) -> f64 {
    (-b1 * x).exp() / (b2 + b3 * x)
}

/// `y = b1*x**b2`
#[grad]
pub(crate) fn dan_wood(b1: f64, b2: f64, #[constant] x: f64) -> f64 {
    b1 * x.powf(b2)
}

/// `y = b1 + b2*cos(2*pi*x/12) + b3*sin(2*pi*x/12) + b5*cos(2*pi*x/b4) + b6*sin(2*pi*x/b4) + b8*cos(2*pi*x/b7) + b9*sin(2*pi*x/b7)`
#[grad]
pub(crate) fn enso(
    b1: f64,
    b2: f64,
    b3: f64,
    b4: f64,
    b5: f64,
    b6: f64,
    b7: f64,
    b8: f64,
    b9: f64,
    #[constant] x: f64,
) -> f64 {
    let turn = 2.0 * PI * x;
    let annual = b2 * (turn / 12.0).cos() + b3 * (turn / 12.0).sin();
    let el_nino = b5 * (turn / b4).cos() + b6 * (turn / b4).sin();
    let southern = b8 * (turn / b7).cos() + b9 * (turn / b7).sin();
    b1 + annual + el_nino + southern
}

/// `y = (b1/b2) * exp[-0.5*((x-b3)/b2)**2]`
#[grad]
pub(crate) fn eckerle4(b1: f64, b2: f64, b3: f64, #[constant] x: f64) -> f64 {
    (b1 / b2) * (-0.5 * ((x - b3) / b2).powi(2)).exp()
}

/// `y = b1*exp( -b2*x ) + b3*exp( -(x-b4)**2 / b5**2 ) + b6*exp( -(x-b7)**2 / b8**2 )`
#[grad]
pub(crate) fn gauss(
    b1: f64,
    b2: f64,
    b3: f64,
    b4: f64,
    b5: f64,
    b6: f64,
    b7: f64,
    b8: f64,
    #[constant] x: f64,
) -> f64 {
    let baseline = b1 * (-b2 * x).exp();
    let left = b3 * (-(x - b4).powi(2) / b5.powi(2)).exp();
    let right = b6 * (-(x - b7).powi(2) / b8.powi(2)).exp();
    baseline + left + right
}

/// `y = (b1+b2*x+b3*x**2+b4*x**3) / (1+b5*x+b6*x**2+b7*x**3)`
#[grad]
pub(crate) fn cubic_by_cubic(
    b1: f64,
    b2: f64,
    b3: f64,
    b4: f64,
    b5: f64,
    b6: f64,
    b7: f64,
    #[constant] x: f64,
) -> f64 {
    (b1 + b2 * x + b3 * x.powi(2) + b4 * x.powi(3))
        / (1.0 + b5 * x + b6 * x.powi(2) + b7 * x.powi(3))
}

/// `y = (b1 + b2*x + b3*x**2) / (1 + b4*x + b5*x**2)`
#[grad]
pub(crate) fn kirby2(b1: f64, b2: f64, b3: f64, b4: f64, b5: f64, #[constant] x: f64) -> f64 {
    (b1 + b2 * x + b3 * x.powi(2)) / (1.0 + b4 * x + b5 * x.powi(2))
}

/// `y = b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)`
#[grad]
pub(crate) fn lanczos(
    b1: f64,
    b2: f64,
    b3: f64,
    b4: f64,
    b5: f64,
    b6: f64,
    #[constant] x: f64,
) -> f64 {
    b1 * (-b2 * x).exp() + b3 * (-b4 * x).exp() + b5 * (-b6 * x).exp()
}

/// `y = b1*(x**2+x*b2) / (x**2+x*b3+b4)`
#[grad]
pub(crate) fn mgh09(b1: f64, b2: f64, b3: f64, b4: f64, #[constant] x: f64) -> f64 {
    b1 * (x.powi(2) + x * b2) / (x.powi(2) + x * b3 + b4)
}

/// `y = b1 * exp[b2/(x+b3)]`
#[grad]
pub(crate) fn mgh10(b1: f64, b2: f64, b3: f64, #[constant] x: f64) -> f64 {
    b1 * (b2 / (x + b3)).exp()
}

/// `y = b1 + b2*exp[-x*b4] + b3*exp[-x*b5]`
#[grad]
pub(crate) fn mgh17(b1: f64, b2: f64, b3: f64, b4: f64, b5: f64, #[constant] x: f64) -> f64 {
    b1 + b2 * (-x * b4).exp() + b3 * (-x * b5).exp()
}

/// `y = b1*(1-exp[-b2*x])`
#[grad]
pub(crate) fn exponential_rise(b1: f64, b2: f64, #[constant] x: f64) -> f64 {
    b1 * (1.0 - (-b2 * x).exp())
}

/// `y = b1 * (1-(1+b2*x/2)**(-2))`
#[grad]
pub(crate) fn misra1b(b1: f64, b2: f64, #[constant] x: f64) -> f64 {
    b1 * (1.0 - (1.0 + b2 * x / 2.0).powi(-2))
}

/// `y = b1 * (1-(1+2*b2*x)**(-.5))`
#[grad]
pub(crate) fn misra1c(b1: f64, b2: f64, #[constant] x: f64) -> f64 {
    b1 * (1.0 - (1.0 + 2.0 * b2 * x).powf(-0.5))
}

/// `y = b1*b2*x*((1+b2*x)**(-1))`
#[grad]
pub(crate) fn misra1d(b1: f64, b2: f64, #[constant] x: f64) -> f64 {
    b1 * b2 * x * (1.0 + b2 * x).powi(-1)
}

/// `log[y] = b1 - b2*x1 * exp[-b3*x2]`
#[grad]
pub(crate) fn nelson(b1: f64, b2: f64, b3: f64, #[constant] x1: f64, #[constant] x2: f64) -> f64 {
    b1 - b2 * x1 * (-b3 * x2).exp()
}

/// `y = b1 / (1+exp[b2-b3*x])`
#[grad]
pub(crate) fn rat42(b1: f64, b2: f64, b3: f64, #[constant] x: f64) -> f64 {
    b1 / (1.0 + (b2 - b3 * x).exp())
}

/// `y = b1 / ((1+exp[b2-b3*x])**(1/b4))`
#[grad]
pub(crate) fn rat43(b1: f64, b2: f64, b3: f64, b4: f64, #[constant] x: f64) -> f64 {
    b1 / (1.0 + (b2 - b3 * x).exp()).powf(1.0 / b4)
}

/// `y = b1 - b2*x - arctan[b3/(x-b4)]/pi`
#[grad]
pub(crate) fn roszman1(b1: f64, b2: f64, b3: f64, b4: f64, #[constant] x: f64) -> f64 {
    b1 - b2 * x - (b3 / (x - b4)).atan() / PI
}
