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

/// Functions of `statrs` by module and name, and what they are here.
const OF_STATRS: &[(&str, &str, &str)] = &[
    ("beta", "beta", "beta"),
    ("beta", "beta_reg", "beta_inc"),
    ("beta", "ln_beta", "ln_beta"),
    ("erf", "erf", "erf"),
    ("erf", "erf_inv", "erfinv"),
    ("erf", "erfc", "erfc"),
    ("gamma", "digamma", "digamma"),
    ("gamma", "gamma", "gamma"),
    ("gamma", "gamma_lr", "gamma_p"),
    ("gamma", "gamma_ur", "gamma_q"),
    ("gamma", "ln_gamma", "ln_gamma"),
    ("logistic", "logistic", "sigmoid"),
];

/// A function of another crate whose derivative is that of a row.
pub(crate) struct OfCrate {
    pub(super) row: usize,
    pub(super) width: Width,
}

/// The function of another crate at a path: `libm::powf` is that of `f32`.
pub(crate) fn of_crate(path: &[&str]) -> Option<OfCrate> {
    let name = match path {
        ["libm", name] => name,
        ["statrs", "function", module, name] => {
            let mut all = OF_STATRS.iter();
            let (.., row) = all.find(|(of, called, _)| of == module && called == name)?;
            let width = Width::F64;
            return rules::by_name(row).map(|row| OfCrate { row, width });
        }
        _ => return None,
    };
    let row = |name: &str| {
        let other = OF_C.iter().find(|(of_c, _)| *of_c == name);
        let same = SAME.iter().find(|same| **same == name);
        let name = other.map(|(_, name)| name).or(same)?;
        rules::by_name(name)
    };
    let single = || Some((row(name.strip_suffix('f')?)?, Width::F32));
    let found = row(name).map(|row| (row, Width::F64)).or_else(single);
    found.map(|(row, width)| OfCrate { row, width })
}

/// Whether a function of this name may be one of such a crate, which is imported.
pub(crate) fn may_be(name: &str) -> bool {
    of_crate(&["libm", name]).is_some() || instead_of(name).is_some()
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
    let written_out = match path {
        ["libm", name] => written_out(name.strip_suffix('f').unwrap_or(name)),
        ["special", "Error", "error"] => Some("autodiff::erf(x)"),
        _ => None,
    };
    let instead = written_out.map(str::to_owned).or_else(|| instead_of(name));
    Some(match instead {
        Some(instead) => format!("`{written}` is not known; write `{instead}`"),
        None => format!(
            "`{written}` is a function of another crate, without derivatives; call it in a function of your own, and give that its own with `#[grad(partials = (…))]`"
        ),
    })
}

/// What Rust has in place of a function of `libm`, without the ending of those of `f32`.
fn written_out(name: &str) -> Option<&'static str> {
    Some(match name {
        "exp10" => "10.0_f64.powf(x)",
        "fmod" => "x % y",
        "ldexp" | "scalbn" => "x * 2.0_f64.powi(n)",
        "mod" | "modf" => "(x.fract(), x.trunc())",
        "remainder" => "x - y * (x / y).round_ties_even()",
        "sincos" => "x.sin_cos()",
        _ => return None,
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
        "gamma_lr" | "gammp" | "inc_gamma" => "gamma_p(a, x)",
        "gamma_ur" | "gammq" => "gamma_q(a, x)",
        "beta_reg" | "betai" | "inc_beta" => "beta_inc(a, b, x)",
        "erf" | "erff" => "erf(x)",
        "erfc" | "erfcf" | "compl_error" => "erfc(x)",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_statrs_have_rows() {
        for (module, name, row) in OF_STATRS {
            let of = of_crate(&["statrs", "function", module, name]);
            assert_eq!(of.map(|of| of.row), rules::by_name(row));
            assert!(rules::by_name(row).is_some(), "{row}");
        }
        assert!(of_crate(&["statrs", "function", "beta", "gamma"]).is_none());
    }
}
