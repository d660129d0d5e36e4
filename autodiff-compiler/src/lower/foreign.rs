//! Special functions of other crates, which have no derivatives, and what they are called here.

use crate::ir::Width;
use crate::rules;

/// Crates of special functions, by the beginning of their paths.
const CRATES: &[&str] = &["libm", "puruspe", "spec_math", "statrs"];

/// Functions of `libm` that have other names here.
const OF_C: &[(&str, &str)] = &[
    ("fabs", "abs"),
    ("pow", "powf"),
    ("log", "ln"),
    ("log1p", "ln_1p"),
    ("expm1", "exp_m1"),
    ("fmax", "max"),
    ("fmin", "min"),
    ("fma", "mul_add"),
    ("fdim", "abs_sub"),
    ("rint", "round_ties_even"),
    ("tgamma", "gamma"),
    ("lgamma", "ln_gamma"),
];

/// Functions of `libm` with the names that they have here.
const SAME: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "floor", "hypot", "log10", "log2", "round", "sin",
    "sinh", "sqrt", "tan", "tanh", "trunc",
];

/// A function of `libm` whose derivative is that of a row.
pub(crate) struct OfLibm {
    pub(super) row: usize,
    pub(super) width: Width,
}

/// The function of `libm` at a path: `libm::powf` is that of `f32`.
pub(crate) fn of_libm(path: &[&str]) -> Option<OfLibm> {
    let ["libm", name] = path else { return None };
    let row = |name: &str| {
        let other = OF_C.iter().find(|(of_c, _)| *of_c == name);
        let same = SAME.iter().find(|same| **same == name);
        let name = other.map(|(_, name)| name).or(same)?;
        rules::by_name(name)
    };
    let single = || Some((row(name.strip_suffix('f')?)?, Width::F32));
    let found = row(name).map(|row| (row, Width::F64)).or_else(single);
    found.map(|(row, width)| OfLibm { row, width })
}

/// What to say about a function of such a crate.
pub(super) fn advice(path: &[&str]) -> Option<String> {
    let [first, .., name] = path else {
        return None;
    };
    let written = path.join("::");
    if matches!(path, ["num_traits" | "num", .., "pow"]) {
        return Some(format!("`{written}` is not known; write `x.powi(n)`"));
    }
    let of_trait = matches!(path, ["special", "Gamma" | "Beta" | "Error", _]);
    if !of_trait && !CRATES.contains(first) {
        return None;
    }
    Some(match instead_of(name) {
        Some(instead) => format!("`{written}` is not known; write `{instead}`"),
        None => format!(
            "`{written}` is a function of another crate, without derivatives; call it in a function of your own, and give that its own with `#[grad(partials = (…))]`"
        ),
    })
}

/// The function of this crate for one of that name elsewhere, as a call.
pub(super) fn instead_of(name: &str) -> Option<String> {
    let ours = match name {
        "ln_gamma" | "lgamma" | "lgammaf" | "lgamma_r" | "gammaln" => "ln_gamma(x)",
        "gamma" | "tgamma" | "tgammaf" => "gamma(x)",
        "digamma" | "psi" => "digamma(x)",
        "trigamma" => "trigamma(x)",
        "ln_beta" | "betaln" | "lbeta" => "ln_beta(a, b)",
        "beta" => "beta(a, b)",
        "gamma_lr" | "gammp" => "gamma_p(a, x)",
        "gamma_ur" | "gammq" => "gamma_q(a, x)",
        "beta_reg" | "betai" => "beta_inc(a, b, x)",
        "erf" | "erff" => "erf(x)",
        "erfc" | "erfcf" => "erfc(x)",
        "erf_inv" | "inv_erf" | "inverf" | "erfinv" => "erfinv(x)",
        "j0" | "j0f" => "bessel_j(0, x)",
        "j1" | "j1f" => "bessel_j(1, x)",
        "jn" | "jnf" | "besselj" => "bessel_j(n, x)",
        "y0" | "y0f" => "bessel_y(0, x)",
        "y1" | "y1f" => "bessel_y(1, x)",
        "yn" | "ynf" | "bessely" => "bessel_y(n, x)",
        "logistic" => "sigmoid(x)",
        _ => return None,
    };
    Some(format!("autodiff::{ours}"))
}
