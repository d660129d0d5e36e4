//! Special functions of other crates, which have no derivatives, and what they are called here.

/// Crates of special functions, by the beginning of their paths.
const CRATES: &[&str] = &["libm", "puruspe", "spec_math", "statrs"];

/// What to write instead of a function of such a crate.
pub(super) fn instead_of_path(path: &[&str]) -> Option<String> {
    let [first, .., name] = path else {
        return None;
    };
    if matches!(path, ["num_traits" | "num", .., "pow"]) {
        return Some("x.powi(n)".to_owned());
    }
    let of_trait = matches!(path, ["special", "Gamma" | "Beta" | "Error", _]);
    if !of_trait && !CRATES.contains(first) {
        return None;
    }
    instead_of(name).or_else(|| {
        // `libm` has the elementary ones as in C.
        let plain = name.strip_suffix('f').unwrap_or(name);
        let name = match plain {
            "fabs" => "abs",
            "pow" => "powf",
            "log" => "ln",
            "log1p" => "ln_1p",
            "expm1" => "exp_m1",
            "fmax" => "max",
            "fmin" => "min",
            "fma" => "mul_add",
            other => other,
        };
        crate::rules::by_method(name).map(|_| format!("f64::{name}(…)"))
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
