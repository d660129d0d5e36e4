//! What functions are given is checked first, by others that have no derivatives: nothing comes of their values.

use std::cell::Cell;
use std::sync::mpsc::{Sender, channel};

use autodiff::{Differentiable, grad, stop_gradient};

#[derive(Debug, PartialEq)]
pub enum Wrong {
    Negative(f64),
    Empty,
}

fn check(x: f64) -> Result<(), Wrong> {
    validate(x, 1.0)
}

fn validate(x: f64, y: f64) -> Result<(), Wrong> {
    if x <= 0.0 {
        return Err(Wrong::Negative(x));
    }
    if y <= 0.0 {
        return Err(Wrong::Negative(y));
    }
    Ok(())
}

fn count(xs: &[f64]) -> Result<usize, Wrong> {
    if xs.is_empty() {
        return Err(Wrong::Empty);
    }
    Ok(xs.len())
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Model {
    rate: f64,
    weights: Vec<f64>,
}

impl Model {
    fn validate(&self) -> Result<(), Wrong> {
        count(&self.weights)?;
        validate(self.rate, 1.0)
    }

    fn check(&self, x: f64, n: usize) -> Option<()> {
        (self.weights.len() == n && x > 0.0).then_some(())
    }
}

fn check_model(model: &Model) -> Result<(), Wrong> {
    check(model.rate)
}

/// What is read out of a cell is a constant, and what goes into a channel as one comes back as one.
#[grad(order = 2)]
fn against_a_cell(x: f64, #[constant] least: &Cell<f64>, #[constant] seen: &Sender<f64>) -> f64 {
    validate(x * x, least.get()).unwrap();
    seen.send(stop_gradient(x * x)).unwrap();
    if x.max(least.get()) > 0.5 {
        x * x * x * least.get()
    } else {
        x
    }
}

#[grad(order = 2)]
fn asserted(x: f64, y: f64) -> f64 {
    check(x).unwrap();
    let mut s = x * y;
    for k in 1..4 {
        check(s * k as f64).unwrap();
        s *= y;
    }
    validate(x, s).unwrap();
    validate(x, y + 1.0).expect("both are positive");
    s
}

#[grad(order = 2)]
fn of_model(model: &Model, x: f64) -> f64 {
    check_model(model).unwrap();
    check_model(&model).unwrap();
    model.check(x, 2).unwrap();
    model.validate().unwrap();
    model.rate * x * x * model.weights[1]
}

#[grad(order = 2)]
impl Model {
    fn of_own(&self, x: f64) -> Result<f64, Wrong> {
        self.validate()?;
        self.check(x, 2).unwrap();
        validate(self.rate, x)?;
        Ok(self.rate * x * x * self.weights[1])
    }

    /// A function within a method.
    fn of_inner(&self, x: f64) -> f64 {
        fn inner(a: f64, b: f64) -> f64 {
            a * a * b
        }
        inner(x, self.rate) + self.weights[0] * x
    }
}

#[grad(order = 2)]
fn handed_on(xs: &[f64], y: f64) -> Result<f64, String> {
    if let Err(wrong) = count(xs) {
        return Err(format!("{wrong:?}"));
    }
    match validate(xs[0], y) {
        Ok(()) => {}
        Err(Wrong::Negative(at)) => return Err(format!("negative: {at}")),
        Err(wrong) => return Err(format!("{wrong:?}")),
    }
    let n = stop_gradient(count(xs)).map_err(|wrong| format!("{wrong:?}"))?;
    Ok(xs[0] * y * y * n as f64)
}

#[grad(order = 2)]
fn branches(x: f64, y: f64) -> f64 {
    if let Err(Wrong::Negative(_)) = validate(x, y) {
        return x * y * y;
    }
    let n = stop_gradient(count(&[x, y])).unwrap_or(7);
    match validate(x, y - 2.0) {
        Ok(_) => x * x * y * n as f64,
        Err(_) if validate(y, x).is_ok() => x * y,
        Err(_) => y,
    }
}

/// What looks like a check, and changes what it is lent.
#[grad(order = 2)]
fn clip(x: &mut f64, most: f64) {
    if *x > most {
        *x = most;
    }
}

#[grad(order = 2)]
fn scale(xs: &mut [f64], by: f64) {
    for x in xs {
        *x *= by;
    }
}

/// The same, which may fail.
#[grad(order = 2)]
fn clipped(x: &mut f64, most: f64) -> Result<(), Wrong> {
    if most <= 0.0 {
        return Err(Wrong::Negative(most));
    }
    clip(x, most);
    Ok(())
}

#[grad(order = 2)]
fn may_fail(xs: &[f64], k: f64) -> f64 {
    let mut v = xs.to_vec();
    for x in v.iter_mut() {
        clipped(x, k * 1.5).unwrap();
    }
    for (x, y) in v.iter_mut().zip(xs) {
        clipped(x, *y * k + 0.5).expect("both are positive");
    }
    for x in &mut v {
        clipped(x, k * k).unwrap();
    }
    let first = &mut v[0];
    clipped(first, k * 0.5).unwrap();
    v.iter().sum()
}

#[grad(order = 2)]
fn changed(xs: &[f64], k: f64) -> f64 {
    let mut v = xs.to_vec();
    for x in v.iter_mut() {
        clip(x, k * 1.5);
    }
    for (i, x) in v.iter_mut().enumerate() {
        clip(x, k + i as f64);
    }
    for (x, y) in v.iter_mut().zip(xs) {
        clip(x, *y * k + 1.0);
    }
    let mut rows = vec![v.clone(), v];
    for row in rows.iter_mut() {
        scale(row, k);
    }
    for row in &mut rows {
        scale(row, k);
    }
    if let Some(row) = rows.first_mut() {
        scale(row, k);
    }
    let row = &mut rows[1];
    scale(row, k);
    for part in rows[0].chunks_mut(2) {
        scale(part, k);
    }
    rows.iter().map(|row| row.iter().sum::<f64>()).sum()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} is not {b}");
}

#[test]
fn what_is_asserted() {
    let (x, y): (f64, f64) = (0.6, 1.3);
    check!(asserted(value x = x, value y = y));
    check_second!(asserted(value x = x, value y = y));
    close(asserted::grad(x, y).0, y.powi(4));
    let panics = |x| std::panic::catch_unwind(move || asserted::grad(x, 1.3)).is_err();
    assert!(!panics(0.6) && panics(-0.6));
}

#[test]
fn of_a_model() {
    let model = Model {
        rate: 0.7,
        weights: vec![0.4, 1.2],
    };
    let x = 1.1;
    let (bar, dx) = of_model::grad(&model, x);
    close(bar.rate, x * x * 1.2);
    close(bar.weights[1], 0.7 * x * x);
    close(dx, 2.0 * 0.7 * x * 1.2);
    let (own, own_dx) = model.of_own_grad(x).unwrap();
    assert_eq!((&own, own_dx), (&bar, dx));
    let (_, along) = of_model::hvp(&model, x, (&bar.clone(), 0.5)).1;
    close(
        along,
        2.0 * x * 1.2 * bar.rate + 2.0 * 0.7 * x * bar.weights[1] + 0.7 * 1.2,
    );
    let (inner, dx) = model.of_inner_grad(x);
    close(inner.rate, x * x);
    close(inner.weights[0], x);
    close(dx, 2.0 * x * 0.7 + 0.4);
    let wrong = Model {
        rate: -1.0,
        weights: vec![0.4, 1.2],
    };
    assert_eq!(wrong.of_own_grad(x), Err(Wrong::Negative(-1.0)));
}

#[test]
fn cells_beside_checks() {
    let (x, least, (to, from)) = (1.3, Cell::new(0.8), channel());
    close(against_a_cell::grad(x, &least, &to), 3.0 * x * x * 0.8);
    close(from.recv().unwrap(), x * x);
    close(
        against_a_cell::jvp(x, &least, &to, 1.0).1,
        3.0 * x * x * 0.8,
    );
    close(against_a_cell::hvp(x, &least, &to, 1.0).1, 6.0 * x * 0.8);
}

#[grad(order = 2)]
fn counted_by_results(xs: &[f64], text: &str) -> Result<f64, String> {
    let last = xs.len().checked_sub(1).ok_or("no numbers")?;
    let power = i32::try_from(last).map_err(|e| e.to_string())?;
    let factor = u8::from_str_radix(text, 16).map_err(|e| e.to_string())?;
    Ok(xs[0].powi(power) * f64::from(factor) * xs[last])
}

#[test]
fn integers_are_made_of_counts() {
    let xs = [1.3, 0.4, -0.7];
    let (value, bar) = counted_by_results::value_and_grad(&xs, "0a").unwrap();
    assert_eq!(Ok(value), counted_by_results(&xs, "0a"));
    close(bar[0], 2.0 * xs[0] * 10.0 * xs[2]);
    close(bar[2], xs[0] * xs[0] * 10.0);
    let hessian = counted_by_results::hessian(&xs, "0a").unwrap();
    close(hessian[[0, 0]], 20.0 * xs[2]);
    close(hessian[[0, 2]], 20.0 * xs[0]);
    assert_eq!(
        counted_by_results::grad(&[], "0a").unwrap_err(),
        "no numbers"
    );
    assert!(counted_by_results::grad(&xs, "xy").is_err());
}

#[test]
fn errors_are_handed_on() {
    let (xs, y) = ([0.5, 2.0], 1.5);
    let (value, (dxs, dy)) = handed_on::value_and_grad(&xs, y).unwrap();
    close(value, 0.5 * y * y * 2.0);
    close(dxs[0], y * y * 2.0);
    close(dxs[1], 0.0);
    close(dy, 2.0 * 0.5 * y * 2.0);
    let (_, (_, second)) = handed_on::hvp(&xs, y, (&[1.0, 0.0], 0.0)).unwrap();
    close(second, 4.0 * y);
    assert_eq!(handed_on::grad(&[], y), Err("Empty".to_owned()));
    let negative = Err("negative: -2".to_owned());
    assert_eq!(handed_on::jvp(&xs, -2.0, (&[0.0, 0.0], 1.0)), negative);
}

#[test]
fn arms_by_what_was_found() {
    for (x, y) in [(0.6, 2.5), (0.6, 1.5), (-0.6, 2.5), (0.6, -1.0)] {
        check!(branches(value x = x, value y = y));
        check_second!(branches(value x = x, value y = y));
    }
}

#[test]
fn what_changes_is_no_check() {
    for k in [0.8, 1.4] {
        check!(changed(shared xs = [1.0, 0.4, 2.3], value k = k));
        check!(may_fail(shared xs = [1.0, 0.4, 2.3], value k = k));
    }
}
