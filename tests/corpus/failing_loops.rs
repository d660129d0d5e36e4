//! Loops of fallible functions whose rounds are reversed as they run.

use autodiff::grad;

fn close(a: f64, b: f64) {
    assert!(
        (a - b).abs() <= 1e-9 * (1.0 + b.abs()),
        "{a} instead of {b}"
    );
}

#[derive(Debug, Clone, PartialEq)]
enum Bad {
    Negative(usize),
    Empty,
}

#[grad(order = 2)]
fn root(x: f64, limit: f64) -> Result<f64, Bad> {
    if x < limit {
        return Err(Bad::Negative(0));
    }
    Ok((x - 0.5 * limit).sqrt())
}

/// `Σ √(x − l/2) x / n`
#[grad(order = 2)]
fn mean(xs: &[f64], limit: f64) -> Result<f64, Bad> {
    if xs.is_empty() {
        return Err(Bad::Empty);
    }
    let mut sum = 0.0;
    for &x in xs {
        sum += root(x, limit)? * x;
    }
    Ok(sum / xs.len() as f64)
}

/// The same with the errors told here, and two sums.
#[grad(order = 2)]
fn told(xs: &[f64], limit: f64) -> Result<f64, Bad> {
    let (mut sum, mut squares) = (0.0, 0.0);
    for (k, &x) in xs.iter().enumerate() {
        if x < limit {
            return Err(Bad::Negative(k));
        }
        sum += (x - 0.5 * limit).sqrt() * x;
        squares -= x * x;
    }
    Ok(sum + 0.5 * squares)
}

/// An inner loop that fails.
#[grad(order = 2)]
fn nested(xs: &[f64], limit: f64) -> Result<f64, Bad> {
    let mut sum = 0.0;
    for i in 0..xs.len() {
        for j in 0..i {
            sum += root(xs[j], limit)? * xs[i];
        }
    }
    Ok(2.0 * sum)
}

/// The divisor is no number where the function fails: nothing is divided by it there.
#[grad(order = 2)]
fn shares(xs: &[f64], parts: usize) -> Result<f64, Bad> {
    let mut sum = 0.0;
    for &x in xs {
        if parts == 0 {
            return Err(Bad::Empty);
        }
        let share = xs.len() / parts;
        sum += x * x * share as f64;
    }
    Ok(sum * (xs.len() / parts) as f64)
}

/// Leaves early without an error too: what follows depends on how.
#[grad(order = 2)]
fn until(xs: &[f64], limit: f64) -> Result<f64, Bad> {
    let mut sum = 0.0;
    for &x in xs {
        sum += root(x, limit)? * x;
        if sum > 8.0 {
            return Ok(3.0 * sum);
        }
    }
    Ok(sum)
}

/// Goes on where a call has failed.
#[grad(order = 2)]
fn instead(xs: &[f64], limit: f64) -> f64 {
    let first = mean(xs, limit).unwrap_or(0.25 * limit);
    let second = match told(xs, limit) {
        Ok(value) => value * first,
        Err(_) => limit * limit,
    };
    first + second
}

/// A failure is passed on from one of several calls.
#[grad(order = 2)]
fn passed_on(xs: &[f64], limit: f64) -> Result<f64, Bad> {
    let (left, right) = xs.split_at(2);
    Ok(mean(left, limit)? + 0.5 * mean(right, limit)?)
}

/// A panic in place of an error.
#[grad(order = 2)]
fn asserted(xs: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for &x in xs {
        sum += (x - 0.5 * limit).sqrt() * x;
    }
    if sum < 0.0 {
        panic!("no sum is negative");
    } else {
        0.5 * sum
    }
}

#[test]
fn gradients_are_those_of_differences() {
    let xs = [1.5, 2.5, 0.9, 3.1];
    macro_rules! check {
        ($f:ident, $value:expr $(, $unwrap:ident)?) => {{
            let value: fn(&[f64], f64) -> f64 = $value;
            let (v, (d_xs, d_limit)) = $f::value_and_grad(&xs, 0.4)$(.$unwrap())?;
            close(v, value(&xs, 0.4));
            let h = 1e-6;
            let slope = (value(&xs, 0.4 + h) - value(&xs, 0.4 - h)) / (2.0 * h);
            assert!((d_limit - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{d_limit}, {slope}");
            let mut along = 0.0;
            for k in 0..4 {
                let (mut up, mut down) = (xs, xs);
                up[k] += h;
                down[k] -= h;
                let slope = (value(&up, 0.4) - value(&down, 0.4)) / (2.0 * h);
                assert!((d_xs[k] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{}, {slope}", d_xs[k]);
                along += d_xs[k];
            }
            close($f::jvp(&xs, 0.4, (&[1.0; 4], 1.0))$(.$unwrap())?.1, along + d_limit);
            let mut buffers = (vec![1.0; 4], 1.0);
            $f::grad_into(&xs, 0.4, &mut buffers.0, &mut buffers.1)$(.$unwrap())?;
            close(buffers.1, 1.0 + d_limit);
            close(buffers.0[2], 1.0 + d_xs[2]);
            let moved = |h: f64| $f::grad(&xs, 0.4 + h)$(.$unwrap())?.0[1];
            let product = $f::hvp(&xs, 0.4, (&[0.0; 4], 1.0))$(.$unwrap())?;
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((product.1.0[1] - slope).abs() < 1e-6, "{}, {slope}", product.1.0[1]);
        }};
    }
    check!(mean, |xs, l| mean(xs, l).unwrap(), unwrap);
    check!(told, |xs, l| told(xs, l).unwrap(), unwrap);
    check!(nested, |xs, l| nested(xs, l).unwrap(), unwrap);
    check!(until, |xs, l| until(xs, l).unwrap(), unwrap);
    check!(passed_on, |xs, l| passed_on(xs, l).unwrap(), unwrap);
    check!(instead, |xs, l| instead(xs, l));
    check!(asserted, |xs, l| asserted(xs, l));
    close(shares::grad(&xs, 2).unwrap()[1], 2.0 * 2.5 * 4.0);
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let xs = [1.5, 2.5, -0.9, 3.1];
    assert_eq!(mean::grad(&xs, 0.4), Err(Bad::Negative(0)));
    assert_eq!(mean::grad(&[], 0.4), Err(Bad::Empty));
    assert_eq!(told::value_and_grad(&xs, 0.4), Err(Bad::Negative(2)));
    assert_eq!(nested::hessian(&xs, 0.4).err(), Some(Bad::Negative(0)));
    assert_eq!(
        passed_on::hvp(&xs, 0.4, (&[1.0; 4], 1.0)).err(),
        Some(Bad::Negative(0))
    );
    assert_eq!(shares::grad(&xs, 0), Err(Bad::Empty));
    let mut buffers = (vec![1.0; 4], 1.0);
    let failed = mean::grad_into(&xs, 0.4, &mut buffers.0, &mut buffers.1);
    assert_eq!(
        (failed, buffers),
        (Err(Bad::Negative(0)), (vec![1.0; 4], 1.0))
    );
    // Who goes on is told nothing of the rounds before.
    let (d_xs, d_limit) = instead::grad(&xs, 0.4);
    assert_eq!(d_xs, [0.0; 4]);
    close(d_limit, 0.25 + 0.8);
}

/// An infinite slope in a round before the one that fails.
#[test]
fn a_failure_comes_before_slopes() {
    assert_eq!(told::grad(&[0.0, -1.0], 0.0), Err(Bad::Negative(1)));
}
