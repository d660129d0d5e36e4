//! `det`: a determinant by expansion along rows.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

/// The determinant of the minor with `m` of the `n` rows and columns; `r` and `c` are the linked lists of these, which begin at `n`.
#[grad]
fn minor(a: &[f64], n: usize, m: usize, r: &mut [usize], c: &mut [usize]) -> f64 {
    let r0 = r[n];
    let mut cj = c[n];
    if m == 1 {
        return a[r0 * n + cj];
    }
    let mut det = 0.0;
    let mut sign = 1;
    r[n] = r[r0];
    let mut cj1 = n;
    for _ in 0..m {
        let m0j = a[r0 * n + cj];
        c[cj1] = c[cj];
        let det_s = minor(a, n, m - 1, r, c);
        c[cj1] = cj;
        if sign > 0 {
            det += m0j * det_s;
        } else {
            det -= m0j * det_s;
        }
        cj1 = cj;
        cj = c[cj];
        sign = -sign;
    }
    r[n] = r0;
    det
}

#[grad]
fn determinant(a: &[f64], ell: usize) -> f64 {
    let mut r = vec![0; ell + 1];
    let mut c = vec![0; ell + 1];
    for i in 0..ell {
        r[i] = i + 1;
        c[i] = i + 1;
    }
    minor(a, ell, ell, &mut r, &mut c)
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) a: Vec<f64>,
    pub(crate) ell: usize,
}

#[derive(Deserialize)]
struct Given {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(Given { a, ell }: Given) -> Result<Self, String> {
        if ell == 0 {
            return Err("`ell` must be at least 1".to_owned());
        }
        if ell.checked_mul(ell) != Some(a.len()) {
            let found = a.len();
            return Err(format!(
                "`A` has the length {found} instead of the square of {ell}"
            ));
        }
        Ok(Input { a, ell })
    }
}

/// The function itself.
pub(crate) fn primal(input: &Input) -> f64 {
    determinant(&input.a, input.ell)
}

/// Its gradient.
pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    determinant::grad(&input.a, input.ell)
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "primal" => parse(input, |input: Input| {
            task(move || primal(&input), |y| Output::from(*y))
        }),
        "gradient" => parse(input, |input: Input| {
            task(move || gradient(&input), |g| Output::from(g.clone()))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
