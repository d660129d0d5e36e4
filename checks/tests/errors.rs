//! Functions whose errors are those of the crates `anyhow` and `thiserror`.

use anyhow::{Context, anyhow, bail, ensure};
use autodiff::grad;

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
