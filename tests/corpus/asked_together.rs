//! Elements that are asked for in a tuple, and numbers that are declared first and assigned on the ways that go on.

use autodiff::grad;

#[grad]
fn share(x: f64, xs: &[f64]) -> f64 {
    let (Some(first), Some(last)) = (xs.first(), xs.last()) else {
        return x * x;
    };
    assert!(x >= *first || *last > -9.0, "{x} is outside");
    (x - *first) / (*last - first)
}

#[grad]
fn ends(x: f64, xs: &[f64]) -> f64 {
    let mut sum = x;
    if let (Some(second), Some(&last)) = (xs.get(1), xs.last()) {
        debug_assert!(second.is_finite() && last.is_finite());
        sum *= *second + last * last;
    } else {
        sum += 1.0;
    }
    sum * x
}

#[grad]
fn rate(c: f64, t: f64, k: u8) -> Result<f64, String> {
    if c <= 0.0 {
        return Err("no growth".to_owned());
    }
    let r: f64;
    let n: usize;
    let up;
    if c < 1.0 {
        if t < 0.0 {
            return Err("no time".to_owned());
        }
        r = 0.3;
        n = 1;
        up = false;
    } else {
        if t <= 0.0 {
            return Err("no time".to_owned());
        }
        match k {
            0 => r = c / t,
            1 => r = c.ln() / t,
            _ => {
                if t > 1.0 {
                    r = t;
                } else {
                    r = c * t;
                }
            }
        }
        n = 2;
        up = true;
    }
    Ok(if up {
        r * c * n as f64
    } else {
        r * c + n as f64
    })
}

#[grad]
fn of_rates(c: f64, t: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        let y;
        if k == 1 && t > 1.5 {
            continue;
        } else {
            y = c * t;
        }
        match rate(y, t, k) {
            Ok(r) => sum += r * y,
            Err(_) => sum -= t,
        }
    }
    sum
}

#[test]
fn elements_may_be_asked_for_in_a_tuple() {
    check!(share(value x = 0.7, shared xs = [0.2, 0.5, 2.0]));
    check!(ends(value x = 0.7, shared xs = [0.2, 0.5, 2.0]));
    check!(ends(value x = 0.7, shared xs = [0.2]));
    assert_eq!(share::grad(0.7, &[]), (1.4, vec![]));
}

#[test]
fn numbers_may_be_assigned_after_jumps() {
    for (c, t) in [
        (1.7, 0.8),
        (1.7, 1.3),
        (1.7, 2.1),
        (0.4, 0.8),
        (0.4, -0.8),
        (-0.4, -0.8),
    ] {
        check!(of_rates(value c = c, value t = t));
    }
    assert_eq!(rate::grad(2.0, 0.5, 0), Ok((16.0, -32.0)));
    assert!(rate::grad(2.0, -0.5, 0).is_err());
}
