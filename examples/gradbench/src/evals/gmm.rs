//! `gmm`: the likelihood of a mixture of Gaussians, with a Wishart prior.

use std::f64::consts::PI;

use autodiff::{grad, ln_gamma};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::rows::Rows;
use crate::task::{Task, task};

/// With helpers that write to memory they are lent, as the C++ program of the benchmark has them.
pub(crate) mod helpers {
    use super::{PI, grad, log_gamma_distrib};

    #[grad]
    fn log_sum_exp(x: &[f64]) -> f64 {
        let mut max = x[0];
        for i in 1..x.len() {
            max = max.max(x[i]);
        }
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += (x[i] - max).exp();
        }
        sum.ln() + max
    }

    #[grad]
    fn squared_norm(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i] * x[i];
        }
        sum
    }

    #[grad]
    fn subtract(x: &[f64], y: &[f64], out: &mut [f64]) {
        for i in 0..x.len() {
            out[i] = x[i] - y[i];
        }
    }

    /// Multiplies by the lower triangular matrix with this diagonal, and `l` below it column by column.
    #[grad]
    fn q_times_x(q_diag: &[f64], l: &[f64], x: &[f64], out: &mut [f64]) {
        let d = x.len();
        for i in 0..d {
            out[i] = q_diag[i] * x[i];
        }
        let mut at = 0;
        for i in 0..d {
            for j in i + 1..d {
                out[j] += l[at] * x[i];
                at += 1;
            }
        }
    }

    #[grad]
    fn log_wishart_prior(
        q_diags: &[f64],
        sum_qs: &[f64],
        l: &[f64],
        d: usize,
        gamma: f64,
        m: i64,
    ) -> f64 {
        let k = sum_qs.len();
        let n = (d as i64 + m + 1) as f64;
        let l_size = d * (d - 1) / 2;
        let c = n * d as f64 * (gamma.ln() - 0.5 * 2f64.ln()) - log_gamma_distrib(0.5 * n, d);
        let mut out = 0.0;
        for ik in 0..k {
            let frobenius = squared_norm(&q_diags[ik * d..(ik + 1) * d])
                + squared_norm(&l[ik * l_size..(ik + 1) * l_size]);
            out += 0.5 * gamma * gamma * frobenius - m as f64 * sum_qs[ik];
        }
        k as f64 * c - out
    }

    /// The objective of the benchmark.
    #[allow(clippy::too_many_arguments)]
    #[grad(wrt(alpha, mu, q, l))]
    pub(crate) fn objective(
        alpha: &[f64],
        mu: &[f64],
        q: &[f64],
        l: &[f64],
        x: &[f64],
        d: usize,
        gamma: f64,
        m: i64,
    ) -> f64 {
        let k = alpha.len();
        let n = x.len() / d;
        let l_size = d * (d - 1) / 2;
        let constant = -((n * d) as f64) * 0.5 * (2.0 * PI).ln();
        let mut q_diags = vec![0.0; d * k];
        let mut sum_qs = vec![0.0; k];
        for i in 0..d * k {
            q_diags[i] = q[i].exp();
        }
        for i in 0..k {
            for j in 0..d {
                sum_qs[i] += q[i * d + j];
            }
        }
        let mut centered = vec![0.0; d];
        let mut qx = vec![0.0; d];
        let mut main_term = vec![0.0; k];
        let mut slse = 0.0;
        for ix in 0..n {
            for ik in 0..k {
                subtract(
                    &x[ix * d..(ix + 1) * d],
                    &mu[ik * d..(ik + 1) * d],
                    &mut centered,
                );
                q_times_x(
                    &q_diags[ik * d..(ik + 1) * d],
                    &l[ik * l_size..(ik + 1) * l_size],
                    &centered,
                    &mut qx,
                );
                main_term[ik] = alpha[ik] + sum_qs[ik] - 0.5 * squared_norm(&qx);
            }
            slse += log_sum_exp(&main_term);
        }
        let lse_alpha = log_sum_exp(alpha);
        constant + slse - n as f64 * lse_alpha
            + log_wishart_prior(&q_diags, &sum_qs, l, d, gamma, m)
    }
}

/// In one function.
pub(crate) mod flat {
    use super::{PI, grad, log_gamma_distrib};

    /// The objective of the benchmark.
    #[allow(clippy::too_many_arguments)]
    #[grad(wrt(alpha, mu, q, l))]
    pub(crate) fn objective(
        alpha: &[f64],
        mu: &[f64],
        q: &[f64],
        l: &[f64],
        x: &[f64],
        d: usize,
        gamma: f64,
        m: i64,
    ) -> f64 {
        let k = alpha.len();
        let n = x.len() / d;
        let l_size = d * (d - 1) / 2;
        let nn = (d as i64 + m + 1) as f64;

        let mut q_diags = vec![0.0; k * d];
        let mut sum_qs = vec![0.0; k];
        for ik in 0..k {
            for j in 0..d {
                q_diags[ik * d + j] = q[ik * d + j].exp();
                sum_qs[ik] += q[ik * d + j];
            }
        }

        let mut slse = 0.0;
        let mut centered = vec![0.0; d];
        let mut qx = vec![0.0; d];
        let mut main_term = vec![0.0; k];
        for ix in 0..n {
            for ik in 0..k {
                for j in 0..d {
                    centered[j] = x[ix * d + j] - mu[ik * d + j];
                    qx[j] = q_diags[ik * d + j] * centered[j];
                }
                let mut at = ik * l_size;
                for i in 0..d {
                    for j in i + 1..d {
                        qx[j] += l[at] * centered[i];
                        at += 1;
                    }
                }
                let mut norm = 0.0;
                for j in 0..d {
                    norm += qx[j] * qx[j];
                }
                main_term[ik] = alpha[ik] + sum_qs[ik] - 0.5 * norm;
            }
            let mut max = main_term[0];
            for ik in 1..k {
                max = max.max(main_term[ik]);
            }
            let mut sum = 0.0;
            for ik in 0..k {
                sum += (main_term[ik] - max).exp();
            }
            slse += sum.ln() + max;
        }

        let mut max = alpha[0];
        for ik in 1..k {
            max = max.max(alpha[ik]);
        }
        let mut sum = 0.0;
        for ik in 0..k {
            sum += (alpha[ik] - max).exp();
        }
        let lse_alpha = sum.ln() + max;

        let mut frobenius = 0.0;
        let mut total_q = 0.0;
        for i in 0..k * d {
            frobenius += q_diags[i] * q_diags[i];
            total_q += q[i];
        }
        for i in 0..k * l_size {
            frobenius += l[i] * l[i];
        }
        let c = nn * d as f64 * (gamma.ln() - 0.5 * 2f64.ln()) - log_gamma_distrib(0.5 * nn, d);
        let prior = k as f64 * c - 0.5 * gamma * gamma * frobenius + m as f64 * total_q;

        -((n * d) as f64) * 0.5 * (2.0 * PI).ln() + slse - n as f64 * lse_alpha + prior
    }
}

/// The logarithm of the multivariate gamma function.
fn log_gamma_distrib(a: f64, d: usize) -> f64 {
    let p = d as f64;
    let mut out = 0.25 * p * (p - 1.0) * PI.ln();
    for j in 1..=d {
        out += ln_gamma(a + 0.5 * (1.0 - j as f64));
    }
    out
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) d: usize,
    pub(crate) gamma: f64,
    pub(crate) m: i64,
    pub(crate) alpha: Vec<f64>,
    pub(crate) mu: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) l: Vec<f64>,
    pub(crate) x: Vec<f64>,
}

#[derive(Deserialize)]
struct Given {
    d: usize,
    k: usize,
    n: usize,
    x: Rows,
    m: i32,
    gamma: f64,
    alpha: Vec<f64>,
    mu: Rows,
    q: Rows,
    l: Rows,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(given: Given) -> Result<Self, String> {
        let Given { d, k, n, .. } = given;
        if d == 0 || k == 0 {
            return Err("`d` and `k` must be at least 1".to_owned());
        }
        if given.alpha.len() != k {
            let found = given.alpha.len();
            return Err(format!("`alpha` has the length {found} instead of {k}"));
        }
        let mu = given.mu.expect("mu", k, d)?;
        Ok(Input {
            d,
            gamma: given.gamma,
            m: given.m.into(),
            alpha: given.alpha,
            mu,
            q: given.q.expect("q", k, d)?,
            l: given.l.expect("l", k, d * (d - 1) / 2)?,
            x: given.x.expect("x", n, d)?,
        })
    }
}

/// The gradient: by `alpha`, `mu`, `q` and `l`.
pub(crate) type Gradient = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>);

/// One of the two styles in which the objective is written.
macro_rules! style {
    ($style:ident) => {{
        let value = |input: &Input| {
            let Input { d, gamma, m, .. } = *input;
            let (alpha, mu, q, l) = (&input.alpha, &input.mu, &input.q, &input.l);
            $style::objective(alpha, mu, q, l, &input.x, d, gamma, m)
        };
        let gradient = |input: &Input| {
            let Input { d, gamma, m, .. } = *input;
            let (alpha, mu, q, l) = (&input.alpha, &input.mu, &input.q, &input.l);
            $style::objective::grad(alpha, mu, q, l, &input.x, d, gamma, m)
        };
        Style { value, gradient }
    }};
}

/// The objective and its gradient.
pub(crate) struct Style {
    pub(crate) value: fn(&Input) -> f64,
    pub(crate) gradient: fn(&Input) -> Gradient,
}

/// The style with helpers.
pub(crate) const HELPERS: Style = style!(helpers);
/// The style with everything in one function.
pub(crate) const FLAT: Style = style!(flat);

fn show(d: usize, (alpha, mu, q, l): &Gradient) -> Output {
    let k = alpha.len();
    let rows = |numbers: &Vec<f64>, width| Output::rows(numbers.clone(), k, width);
    Output::Fields(vec![
        ("alpha", alpha.clone().into()),
        ("mu", rows(mu, d)),
        ("q", rows(q, d)),
        ("l", rows(l, d * (d - 1) / 2)),
    ])
}

/// The function of this name with its input; the benchmark knows those with helpers.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    let (name, style) = match function.strip_suffix("_flat") {
        Some(name) => (name, FLAT),
        None => (function, HELPERS),
    };
    match name {
        "objective" => parse(input, |input: Input| {
            task(move || (style.value)(&input), |y| Output::from(*y))
        }),
        "jacobian" => parse(input, |input: Input| {
            let d = input.d;
            task(move || (style.gradient)(&input), move |g| show(d, g))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
