//! Functions whose errors are those of the crates `anyhow` and `thiserror`.
#![allow(
    clippy::unnecessary_lazy_evaluations,
    reason = "the functions show what people write"
)]

use anyhow::{Context, anyhow, bail, ensure};
use autodiff::{Differentiable, grad};

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0} is negative")]
    Negative(i32),
    #[error(transparent)]
    Text(#[from] std::num::ParseFloatError),
    #[error("at {at}: {why}")]
    At { at: f64, why: &'static str },
}

#[derive(Debug, thiserror::Error)]
enum Outer {
    #[error("inner")]
    Inner(#[from] Fault),
}

#[grad(order = 2)]
fn root(x: f64) -> Result<f64, Fault> {
    if x < 0.0 {
        return Err(Fault::Negative(x as i32));
    }
    if x > 100.0 {
        return Err(Fault::At {
            at: x,
            why: "too large",
        });
    }
    let three: f64 = "3".parse()?;
    Ok(x.sqrt() * three)
}

#[grad(order = 2)]
fn outer(x: f64) -> Result<f64, Outer> {
    let y = root(x)?;
    Ok(y * root(x * x).map_err(Outer::Inner)?)
}

#[grad(order = 2)]
fn checked(x: f64) -> anyhow::Result<f64> {
    if x < 0.0 {
        bail!("negative {x}");
    }
    ensure!(x < 50.0, "too large: {x}");
    let y = root(x).context("at first")?;
    let z = root(x * x).with_context(|| format!("at {x}"))?;
    let half: f64 = "0.5".parse().context("no number")?;
    if y > 1e3 {
        return Err(anyhow!("too large"));
    }
    let most = Some(y)
        .filter(|y| *y > 0.0)
        .ok_or_else(|| anyhow!("none"))?;
    Ok(most * z * half)
}

#[grad]
fn ends(x: &[f64]) -> anyhow::Result<f64> {
    let first = x.first().context("no first")?;
    let last = x.last().with_context(|| format!("none of {}", x.len()))?;
    Ok(first * first * last)
}

#[grad]
fn perhaps(x: Option<f64>) -> anyhow::Result<f64> {
    let x = x.context("missing")?;
    Ok(x * x)
}

#[grad(order = 2)]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[derive(Clone, Differentiable)]
struct Weights {
    all: Vec<f64>,
    scale: Option<f64>,
}

#[grad(order = 2)]
impl Weights {
    fn of(&self, x: f64) -> Option<f64> {
        if x > 0.0 {
            Some(x * x * self.all[0])
        } else {
            None
        }
    }

    /// What is certainly an option: elements, fields, and what iterators yield.
    fn weighed(&self, x: f64, k: usize) -> anyhow::Result<f64> {
        let (first, rest) = self.all.split_first().context("no weights")?;
        let most = (self.all.iter().map(|w| w * x))
            .max_by(f64::total_cmp)
            .context("no largest")?;
        let at = rest.get(k).with_context(|| format!("none at {k}"))?;
        Ok(first * most * at * self.scale.context("no scale")?)
    }

    /// Of what a method returns, the type of a variable says that it is an option.
    fn found(&self, x: f64) -> anyhow::Result<f64> {
        let found: Option<_> = self.of(x);
        Ok(found.context("not found")? * x)
    }
}

#[grad(order = 2)]
fn options(x: &[f64]) -> anyhow::Result<f64> {
    let squares = x.iter().map(|a| a * a);
    let sum = squares.reduce(|a, b| a + b).context("nothing to add")?;
    let least = x.iter().copied().min_by(f64::total_cmp);
    let least = least.filter(|a| *a > 0.5).context("too small")?;
    let some = (sum < 100.0).then(|| sum * least).context("too large")?;
    let found: Option<f64> = positive(x[0]);
    found.map(|v| v * some).context("not positive")
}

#[grad(order = 2)]
fn in_a_variable(x: f64) -> anyhow::Result<f64> {
    let first = root(x);
    let first = first.context("at first")?;
    let second = root(x * x).with_context(|| format!("at {x}"));
    Ok(first * second?)
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{a} is not {b}");
}

#[test]
fn errors_of_thiserror() {
    // 9 x^(3/2)
    close(outer::grad(1.7).unwrap(), 13.5 * 1.7_f64.sqrt());
    close(outer::jvp(1.7, 2.0).unwrap().1, 27.0 * 1.7_f64.sqrt());
    close(outer::hessian(1.7).unwrap()[[0, 0]], 6.75 / 1.7_f64.sqrt());
    assert_eq!(outer::grad(-3.0).unwrap_err().to_string(), "inner");
    assert_eq!(
        root::grad(200.0).unwrap_err().to_string(),
        "at 200: too large"
    );
}

#[test]
fn errors_of_anyhow() {
    // 4.5 x^(3/2)
    close(checked::grad(1.7).unwrap(), 6.75 * 1.7_f64.sqrt());
    close(
        checked::hessian(1.7).unwrap()[[0, 0]],
        3.375 / 1.7_f64.sqrt(),
    );
    assert_eq!(checked::grad(-1.0).unwrap_err().to_string(), "negative -1");
    assert_eq!(checked::grad(11.0).unwrap_err().to_string(), "at 11");
    assert_eq!(ends::grad(&[2.0, 3.0]).unwrap(), [12.0, 4.0]);
    assert_eq!(ends::grad(&[]).unwrap_err().to_string(), "no first");
    assert_eq!(perhaps::grad(Some(3.0)).unwrap(), Some(6.0));
    assert_eq!(perhaps::grad(None).unwrap_err().to_string(), "missing");
}

#[test]
fn context_of_options() {
    let weights = |scale| Weights {
        all: vec![2.0, 3.0, 5.0],
        scale,
    };
    // 2 * 5x * 5 * 1.5, of which the largest weight is one of the factors twice.
    let at = weights(Some(1.5));
    let (by_weights, by_x) = at.weighed_grad(0.7, 1).unwrap();
    assert_eq!(by_weights.all, [26.25, 0.0, 2.0 * 10.5]);
    assert_eq!((by_weights.scale, by_x), (Some(35.0), 75.0));
    let dot = WeightsTangent {
        all: vec![1.0, 0.0, 2.0],
        scale: Some(0.5),
    };
    let (value, slope) = at.weighed_jvp(0.7, 1, (&dot, 2.0)).unwrap();
    close(value, 52.5);
    close(slope, 26.25 + 42.0 + 17.5 + 150.0);
    let message = |at: &Weights, k| at.weighed_grad(0.7, k).unwrap_err().to_string();
    assert_eq!(message(&at, 2), "none at 2");
    assert_eq!(message(&weights(None), 1), "no scale");
    assert_eq!(at.found_grad(0.5).unwrap().1, 1.5);
    assert_eq!(at.found_grad(-0.5).unwrap_err().to_string(), "not found");

    // a² (a² + b²) a, where a is the least.
    let (a, b) = (0.7_f64, 1.2_f64);
    let expected = [5.0 * a.powi(4) + 3.0 * a * a * b * b, 2.0 * a.powi(3) * b];
    let (_, gradient, hessian) = options::value_grad_hessian(&[a, b]).unwrap();
    close(gradient[0], expected[0]);
    close(gradient[1], expected[1]);
    close(hessian[[0, 0]], 20.0 * a.powi(3) + 6.0 * a * b * b);
    close(hessian[[0, 1]], 6.0 * a * a * b);
    let (_, slope) = options::jvp(&[a, b], &[1.0, 2.0]).unwrap();
    close(slope, expected[0] + 2.0 * expected[1]);
    let message = |x: &[f64]| options::grad(x).unwrap_err().to_string();
    assert_eq!(message(&[]), "nothing to add");
    assert_eq!(message(&[0.2]), "too small");
    assert_eq!(message(&[20.0]), "too large");

    // 9 x^(3/2)
    close(in_a_variable::grad(1.7).unwrap(), 13.5 * 1.7_f64.sqrt());
    let hessian = in_a_variable::hessian(1.7).unwrap();
    close(hessian[[0, 0]], 6.75 / 1.7_f64.sqrt());
    let error = in_a_variable::grad(-1.0).unwrap_err();
    assert_eq!(format!("{error:#}"), "at first: -1 is negative");
    let error = in_a_variable::grad(11.0).unwrap_err();
    assert_eq!(format!("{error:#}"), "at 11: at 121: too large");
}

#[grad]
fn signed<T: num_traits::Signed + Copy>(x: T) -> T {
    if x.is_positive() {
        x.abs() * x
    } else {
        x.signum() * x * x
    }
}

#[grad]
fn by_paths(x: f64) -> f64 {
    num_traits::Signed::abs(&x) * x
}

#[test]
fn methods_of_signed_numbers() {
    close(signed::grad(1.5), 3.0);
    close(signed::grad(-1.5), 3.0);
    close(by_paths::grad(-1.5), 3.0);
}
