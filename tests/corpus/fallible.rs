//! Functions that return results, and what their callers make of those.

use std::collections::HashMap;

use autodiff::{Differentiable, grad};

#[derive(Debug, PartialEq)]
pub enum Small {
    Low(f64),
    Code(i32),
}

#[derive(Debug, PartialEq)]
pub struct Wide(String);

impl From<Small> for Wide {
    fn from(e: Small) -> Wide {
        Wide(format!("{e:?}"))
    }
}

impl From<std::num::ParseFloatError> for Wide {
    fn from(e: std::num::ParseFloatError) -> Wide {
        Wide(e.to_string())
    }
}

impl From<&str> for Wide {
    fn from(e: &str) -> Wide {
        Wide(e.to_string())
    }
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 2e-5 * (1.0 + a.abs()), "{a} is not {b}");
}

fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-6 * (1.0 + x.abs());
    (f(x + h) - f(x - h)) / (2.0 * h)
}

/// A function of two numbers: value, all first derivatives, and the second ones against differences of the first.
macro_rules! differ {
    ($f:ident, $x:expr, $y:expr $(, $unwrap:ident)?) => {{
        let (x, y): (f64, f64) = ($x, $y);
        let (value, g) = $f::value_and_grad(x, y)$(.$unwrap())?;
        assert_eq!(value, $f(x, y)$(.$unwrap())?);
        close(g.0, difference(|x| $f(x, y)$(.$unwrap())?, x));
        close(g.1, difference(|y| $f(x, y)$(.$unwrap())?, y));
        assert_eq!($f::grad(x, y)$(.$unwrap())?, g);
        let (_, t) = $f::jvp(x, y, (0.3, -0.7))$(.$unwrap())?;
        close(t, 0.3 * g.0 - 0.7 * g.1);
        assert_eq!($f::vjp(x, y, 1.0)$(.$unwrap())?, (value, g));
        let (again, back) = $f::pullback(x, y)$(.$unwrap())?;
        assert_eq!((again, back(1.0)), (value, g));
        let (mut a, mut b) = (1.0, 2.0);
        assert_eq!($f::grad_into(x, y, &mut a, &mut b)$(.$unwrap())?, value);
        close(a - 1.0, g.0);
        close(b - 2.0, g.1);
        let h = $f::hessian(x, y)$(.$unwrap())?;
        close(h[[0, 0]], difference(|x| $f::grad(x, y)$(.$unwrap())?.0, x));
        close(h[[0, 1]], difference(|y| $f::grad(x, y)$(.$unwrap())?.0, y));
        close(h[[1, 1]], difference(|y| $f::grad(x, y)$(.$unwrap())?.1, y));
        close(h[[1, 0]], h[[0, 1]]);
        let (_, along) = $f::hvp(x, y, (0.3, -0.7))$(.$unwrap())?;
        close(along.0, 0.3 * h[[0, 0]] - 0.7 * h[[0, 1]]);
    }};
}

#[grad(order = 2)]
fn root(x: f64, limit: f64) -> Result<f64, Small> {
    if x < limit {
        return Err(Small::Low(x));
    }
    if x > 1e6 {
        return Err(Small::Code(7));
    }
    Ok(x.sqrt())
}

#[test]
fn a_result_fails_in_every_derivative() {
    differ!(root, 4.0, 1.0, unwrap);
    assert_eq!(root::grad(0.5, 1.0), Err(Small::Low(0.5)));
    assert_eq!(root::value_and_grad(2e6, 1.0), Err(Small::Code(7)));
    assert_eq!(root::jvp(0.5, 1.0, (1.0, 0.0)), Err(Small::Low(0.5)));
    assert_eq!(root::vjp(0.5, 1.0, 2.0), Err(Small::Low(0.5)));
    assert_eq!(root::pullback(0.5, 1.0).map(|p| p.0), Err(Small::Low(0.5)));
    assert_eq!(root::hvp(0.5, 1.0, (1.0, 0.0)), Err(Small::Low(0.5)));
    assert!(root::hessian(0.5, 1.0).is_err() && root::jacobian(0.5, 1.0).is_err());
}

#[grad(order = 2)]
fn chosen(x: f64, n: usize) -> Result<f64, String> {
    let y = x.sin();
    match n {
        1 => Ok(y),
        2 => Ok(y * x),
        _ if x > 1.0 => Err(format!("{n} at {x}")),
        _ => Err("small".to_string()),
    }
}

#[grad(order = 2)]
fn nearly(x: f64, name: &str) -> Result<f64, &'static str> {
    if name.is_empty() {
        Err("no name")
    } else {
        Ok(x * x * x)
    }
}

#[grad]
fn boxed(x: f64) -> Result<f64, Box<dyn std::error::Error>> {
    if x < 0.0 {
        return Err("negative".into());
    }
    if x > 100.0 {
        return Err(Box::new(std::fmt::Error));
    }
    let scale: f64 = "2.5".parse::<f64>()?;
    Ok(x.exp() * scale)
}

#[test]
fn errors_of_many_types() {
    close(chosen::grad(2.0, 2).unwrap(), 2.0 * 2f64.cos() + 2f64.sin());
    assert_eq!(chosen::grad(2.0, 3), Err("3 at 2".to_string()));
    assert_eq!(chosen::hvp(0.5, 3, 1.0), Err("small".to_string()));
    assert_eq!(nearly::hvp(2.0, "a", 1.0), Ok((12.0, 12.0)));
    assert_eq!(nearly::grad(2.0, ""), Err("no name"));
    close(boxed::grad(1.0).unwrap(), 2.5 * 1f64.exp());
    assert_eq!(boxed::grad(-1.0).unwrap_err().to_string(), "negative");
    assert!(boxed::value_and_grad(200.0).is_err());
}

#[grad(order = 2)]
fn two(x: f64, y: f64) -> Result<f64, Wide> {
    let a = root(x, 1.0)?;
    Ok(root(y, 0.5)? * root(a, 0.1)?)
}

#[grad(order = 2)]
fn last(x: f64, y: f64) -> Result<f64, Small> {
    root(x * x * y, 1.0)
}

#[grad(order = 2)]
fn rewrapped(x: f64, y: f64) -> Result<f64, Small> {
    if y < 0.0 {
        Err(Small::Code(1))?;
    }
    Ok(root(x * x, 1.0)? * y)
}

#[grad(order = 2)]
fn total(xs: &[f64], limit: f64) -> Result<f64, Wide> {
    let mut sum = 0.0;
    for &x in xs {
        sum += root(x, limit)? * x;
    }
    Ok(sum)
}

#[test]
fn question_marks() {
    differ!(two, 2.0, 3.0, unwrap);
    differ!(last, 2.0, 3.0, unwrap);
    differ!(rewrapped, 2.0, 3.0, unwrap);
    assert_eq!(two::grad(2.0, 0.2), Err(Wide("Low(0.2)".to_string())));
    assert_eq!(
        last::grad(0.1, 0.2).unwrap_err(),
        last(0.1, 0.2).unwrap_err()
    );
    assert_eq!(rewrapped::grad(2.0, -1.0), Err(Small::Code(1)));
    let xs = [1.0, 4.0, 9.0];
    let (value, (g, _)) = total::value_and_grad(&xs, 0.5).unwrap();
    assert_eq!(value, total(&xs, 0.5).unwrap());
    let h = total::hessian(&xs, 0.5).unwrap();
    for k in 0..3 {
        close(g[k], 1.5 * xs[k].sqrt());
        close(h[[k, k]], 0.75 / xs[k].sqrt());
        close(h[[k, (k + 1) % 3]], 0.0);
    }
}

#[test]
fn buffers_of_what_fails_are_as_they_were() {
    let (mut g, mut l) = ([1.0, 2.0], 0.5);
    assert!(total::grad_into(&[4.0, 0.9], 1.0, &mut g, &mut l).is_err());
    assert!(total::vjp_into(&[4.0, 0.9], 1.0, 3.0, &mut g, &mut l).is_err());
    assert_eq!((g, l), ([1.0, 2.0], 0.5));
    assert_eq!(total::grad_into(&[4.0, 9.0], 1.0, &mut g, &mut l), Ok(35.0));
    assert_eq!((g, l), ([4.0, 6.5], 0.5));
}

#[grad(order = 2)]
fn of_constants(x: f64, text: &str, #[constant] table: &HashMap<String, f64>) -> Result<f64, Wide> {
    let a = text.parse::<f64>()?;
    let b = table.get(text).ok_or("missing")?;
    let c = *table.get(text).ok_or_else(|| Wide(format!("no {text}")))?;
    Ok(x * a * *b + c)
}

#[grad(order = 2)]
fn of_options(xs: &[f64], name: &str) -> Result<f64, String> {
    let first = xs.first().ok_or("empty".to_string())?;
    let a = root(*first, 1.0).map_err(|e| format!("{name}: {e:?}"))?;
    let b = root(a, 0.5).map_err(|e| match e {
        Small::Low(_) => "low".to_string(),
        Small::Code(k) => format!("{k}"),
    })?;
    let last = xs.last().copied().ok_or_else(|| format!("{name}"))?;
    Ok(a * b * last)
}

fn check_number(x: f64) -> Result<(), String> {
    if x.is_nan() {
        Err("not a number".into())
    } else {
        Ok(())
    }
}

#[grad(order = 2)]
fn validated(x: f64, y: f64) -> Result<f64, String> {
    check_number(x * y)?;
    Ok(x * x * y)
}

#[test]
fn constants_and_options() {
    let table = HashMap::from([("2.5".to_string(), 3.0)]);
    assert_eq!(of_constants::grad(2.0, "2.5", &table), Ok(7.5));
    assert_eq!(
        of_constants::grad(2.0, "3", &table),
        Err(Wide("missing".to_string()))
    );
    assert!(of_constants::grad(2.0, "x", &table).is_err());
    let xs = [2.0, 3.0];
    let (value, g) = of_options::value_and_grad(&xs, "n").unwrap();
    assert_eq!(value, of_options(&xs, "n").unwrap());
    for k in 0..2 {
        let at = |v| {
            let mut xs = xs;
            xs[k] = v;
            of_options(&xs, "n").unwrap()
        };
        close(g[k], difference(at, xs[k]));
    }
    assert_eq!(of_options::grad(&[], "n"), Err("empty".to_string()));
    assert_eq!(
        of_options::grad(&[0.1], "n"),
        Err("n: Low(0.1)".to_string())
    );
    differ!(validated, 2.0, 3.0, unwrap);
    assert_eq!(
        validated::grad(2.0, f64::NAN),
        Err("not a number".to_string())
    );
}

#[grad(order = 2)]
fn handled(x: f64, y: f64) -> f64 {
    let a = match root(x, 1.0) {
        Ok(v) if v > 100.0 => v,
        Ok(v) => v * y,
        Err(Small::Code(k)) => y * k as f64,
        Err(e) => {
            assert!(!format!("{e:?}").is_empty());
            y * y
        }
    };
    let b = if let Ok(v) = root(y, 1.0) {
        v * v * x
    } else {
        x
    };
    let Ok(c) = root(x + y, 0.5) else {
        return a * 3.0;
    };
    let d = root(x, 1.0).ok().map_or(x * x, |v| v * y);
    let e = root(y, 3.0).unwrap_or_else(|_| x * 2.0);
    let f = if root(x, 2.0).is_ok() { x } else { 0.0 };
    let g = root(x, 0.0).map_err(|_| 3).unwrap_or(y);
    let r = root(y, 0.0);
    let h = match r {
        Ok(v) => v,
        Err(_) => x,
    };
    a + b + c + d + e + f + g + h
}

#[grad(order = 2)]
fn unwrapped(x: f64, y: f64) -> f64 {
    root(x, 0.5).unwrap() * root(y, 0.1).expect("fine")
        + root(x, 30.0).unwrap_or(y * y)
        + root(x * y, 30.0).unwrap_or_default()
}

#[grad(order = 2)]
fn chained(x: f64, y: f64) -> Result<f64, Small> {
    let a = root(x, 0.0).and_then(|v| root(v - 0.1, 0.0))?;
    let b = root(y, 2.0).or_else(|_| {
        if x > 50.0 {
            Err(Small::Code(3))
        } else {
            Ok(x * y)
        }
    })?;
    let c = root(x, 0.0).map(|v| v * y)?;
    root(a * b * c, 0.0).map(|v| v * 2.0)
}

#[test]
fn what_callers_make_of_results() {
    for (x, y) in [
        (2.1, 3.1),
        (0.3, 2.2),
        (5.0, 0.4),
        (2e6, 2.2),
        (0.1, 0.2),
        (2.2, 12.0),
        (20001.0, 4.5),
    ] {
        differ!(handled, x, y);
    }
    for (x, y) in [(2.1, 3.1), (35.0, 0.4), (2.0, 60.0)] {
        differ!(unwrapped, x, y);
    }
    for (x, y) in [(2.0, 3.0), (2.0, 1.1)] {
        differ!(chained, x, y, unwrap);
    }
    assert_eq!(chained::grad(60.0, 1.0), Err(Small::Code(3)));
}

#[grad(order = 2)]
fn newton(a: f64) -> Result<f64, String> {
    let mut x = a;
    for k in 0..50 {
        let f = x * x - a;
        if f.abs() < 1e-13 {
            return Ok(x);
        }
        if x < 0.0 {
            return Err(format!("negative after {k}"));
        }
        x -= f / (2.0 * x);
    }
    Err("no convergence".to_string())
}

#[grad(order = 2)]
fn while_it_works(x: f64, y: f64) -> Result<f64, Small> {
    let mut s = y;
    let mut k = 0;
    while let Ok(v) = root(x - k as f64, 0.5) {
        s += v * y;
        k += 1;
    }
    for z in [x, y, -1.0] {
        let Ok(w) = root(z, 0.0) else { continue };
        s += w * w * w;
    }
    Ok(s)
}

#[test]
fn loops() {
    close(newton::grad(2.0).unwrap(), 0.5 / 2f64.sqrt());
    close(newton::hvp(2.0, 1.0).unwrap().1, -0.25 / 2f64.powf(1.5));
    assert_eq!(newton::grad(-2.0), Err("negative after 0".to_string()));
    differ!(while_it_works, 3.2, 1.4, unwrap);
}

#[grad(order = 2)]
fn advance(u: &mut [f64], dt: f64) -> Result<(), String> {
    for k in 0..u.len() {
        if u[k] * dt > 5.0 {
            return Err(format!("large at {k}"));
        }
        u[k] *= dt;
    }
    Ok(())
}

#[grad(order = 2)]
fn advanced(x: f64, dt: f64) -> Result<f64, String> {
    let mut u = vec![x, x * 2.0];
    advance(&mut u, dt)?;
    advance(&mut u, dt * 1.1)?;
    Ok(u[0] * u[1])
}

#[grad(order = 2)]
fn retried(x: f64, dt: f64) -> f64 {
    let mut u = vec![x, x * x, 1.0];
    let mut h = dt;
    let mut tries = 0;
    while tries < 5 {
        match advance(&mut u, h) {
            Ok(()) => break,
            Err(_) => {
                h *= 0.5;
                tries += 1;
            }
        }
    }
    u[0] * u[1] + u[2] * h
}

#[test]
fn memory_that_is_changed_before_a_failure() {
    let (mut u, mut bar) = ([2.0, 1.0], [1.0, 1.0]);
    assert_eq!(advance::vjp(&mut u, 1.25, &mut bar), Ok(3.0));
    assert_eq!((u, bar), ([2.5, 1.25], [1.25, 1.25]));
    let (mut u, mut bar) = ([1.0, 4.0, 1.0], [1.0; 3]);
    assert_eq!(
        advance::vjp(&mut u, 2.0, &mut bar),
        Err("large at 1".to_string())
    );
    assert_eq!((u, bar), ([2.0, 4.0, 1.0], [1.0; 3]));
    let (mut u, mut dot) = ([1.0, 4.0, 1.0], [1.0; 3]);
    assert_eq!(
        advance::jvp(&mut u, 2.0, (&mut dot, 0.0)),
        Err("large at 1".to_string())
    );
    assert_eq!((u, dot), ([2.0, 4.0, 1.0], [2.0, 1.0, 1.0]));
    differ!(advanced, 1.2, 0.9, unwrap);
    assert_eq!(advanced::grad(3.0, 1.2), Err("large at 1".to_string()));
    for (x, dt) in [(0.7, 1.2), (2.1, 2.0), (3.3, 1.1)] {
        differ!(retried, x, dt);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Differentiable)]
pub struct Model {
    a: f64,
    b: f64,
}

#[grad(order = 2)]
impl Model {
    fn new(a: f64, b: f64) -> Result<Self, String> {
        if a < 0.0 {
            return Err("a".to_string());
        }
        Ok(Self { a, b })
    }

    fn eval(&self, x: f64) -> Result<f64, String> {
        if x < 0.0 {
            return Err(format!("{x}"));
        }
        Ok(self.a * x * x + self.b)
    }

    fn twice(&self, x: f64) -> Result<f64, String> {
        let y = self.eval(x)?;
        self.eval(y * self.b)
    }
}

#[grad(order = 2)]
fn through_methods(a: f64, x: f64) -> Result<f64, String> {
    let m = Model::new(a, a * x)?;
    Ok(m.twice(x)? + m.eval(a)? * m.eval(x).unwrap_or(0.0))
}

#[test]
fn methods() {
    let m = Model { a: 1.0, b: 2.0 };
    assert_eq!(m.eval_grad(2.0), Ok((ModelTangent { a: 4.0, b: 1.0 }, 4.0)));
    assert_eq!(m.twice_value_and_grad(-2.0), Err("-2".to_string()));
    differ!(through_methods, 2.0, 3.0, unwrap);
    assert_eq!(through_methods::grad(-1.0, 1.0), Err("a".to_string()));
}

mod aliases {
    use autodiff::grad;

    #[derive(Debug, PartialEq)]
    pub struct MyError(pub u32);

    type Result<T> = std::result::Result<T, MyError>;
    type AppResult<T> = std::result::Result<T, MyError>;
    type Fixed = std::result::Result<f64, MyError>;

    #[grad(order = 2)]
    pub fn plain(x: f64, y: f64) -> Result<f64> {
        if x < 0.0 {
            return Err(MyError(1));
        }
        Ok(x * x * y)
    }

    #[grad(order = 2)]
    pub fn app(x: f64, y: f64) -> AppResult<f64> {
        Ok(plain(x, y)? * x)
    }

    #[grad(fallible)]
    pub fn fixed(x: f64) -> Fixed {
        Ok(plain(x, 2.0)? * x)
    }
}

#[grad(order = 2)]
fn input(x: f64, path: &str) -> std::io::Result<f64> {
    if x < 0.0 {
        return Err(std::io::Error::other("negative"));
    }
    let text = std::fs::read_to_string(path)?;
    Ok(x * x * text.len() as f64)
}

#[grad(order = 2)]
fn named<'a>(x: f64, s: &'a str) -> Result<f64, &'a str> {
    if x < 0.0 {
        return Err(s);
    }
    Ok(x * x)
}

#[grad(order = 2)]
fn elided(x: f64, s: &str) -> Result<f64, &str> {
    if x < 0.0 {
        return Err(s);
    }
    Ok(x * x)
}

#[grad(order = 2)]
fn chosen_by_the_caller<'a>(x: f64) -> Result<(i16, f64), &'a str> {
    let negative: &'a str = "negative";
    if x < 0.0 {
        return Err(negative);
    }
    Ok((1, x * x))
}

#[grad(order = 2)]
fn passed_on_to_the_caller<'a>(x: f64) -> Result<f64, &'a str> {
    Ok(chosen_by_the_caller(x)?.1 * x)
}

#[grad]
fn of_any_error<E: From<Small>>(x: f64) -> Result<f64, E> {
    if x < 0.0 {
        return Err(E::from(Small::Code(4)));
    }
    Ok(x * x)
}

#[test]
fn ways_to_write_a_result() {
    use aliases::{MyError, app, fixed, plain};
    differ!(plain, 2.0, 3.0, unwrap);
    differ!(app, 2.0, 3.0, unwrap);
    assert_eq!(app::grad(-2.0, 1.0), Err(MyError(1)));
    assert_eq!(fixed::value_and_grad(2.0), Ok((16.0, 24.0)));
    assert_eq!(fixed::grad(-2.0), Err(MyError(1)));
    assert_eq!(input::grad(-1.0, "").unwrap_err().to_string(), "negative");
    assert!(input::grad(1.0, "no such file").is_err());
    assert_eq!(named::grad(-1.0, "s"), Err("s"));
    assert_eq!(passed_on_to_the_caller::grad(2.0), Ok(12.0));
    assert_eq!(passed_on_to_the_caller::hvp(2.0, 1.0), Ok((12.0, 12.0)));
    assert_eq!(passed_on_to_the_caller::grad(-2.0), Err("negative"));
    let back = {
        let gone = String::from("gone");
        elided::grad(1.0, &gone).unwrap()
    };
    assert_eq!(back, 2.0);
    assert_eq!(
        of_any_error::grad::<Wide>(-1.0),
        Err(Wide("Code(4)".to_string()))
    );
}

macro_rules! bail {
    ($($t:tt)*) => { return Err(format!($($t)*).into()) };
}

macro_rules! ensure {
    ($c:expr, $($t:tt)*) => { if !$c { return Err(format!($($t)*).into()); } };
}

#[grad(order = 2)]
fn ensured(x: f64, n: usize) -> Result<f64, Box<dyn std::error::Error>> {
    ensure!(x > 0.0, "negative {x} {}", n);
    if n > 3 {
        bail!("too many: {n}");
    }
    let y = match n {
        0 => x,
        1 => x * x,
        _ => bail!("no {}", n),
    };
    Ok(y * y)
}

#[test]
fn macros_that_return() {
    assert_eq!(ensured::hvp(2.0, 1, 1.0).unwrap(), (32.0, 48.0));
    let text = |x, n| ensured::grad(x, n).unwrap_err().to_string();
    assert_eq!(text(-2.0, 1), "negative -2 1");
    assert_eq!(text(2.0, 7), "too many: 7");
    assert_eq!(text(2.0, 2), "no 2");
}

#[grad(order = 2)]
fn each<const N: usize>(x: [f64; N]) -> Result<[f64; N], u32> {
    let mut out = [0.0; N];
    for k in 0..N {
        out[k] = root(x[k], 0.5).map_err(|_| k as u32)?;
    }
    Ok(out)
}

#[grad(order = 2)]
fn pair(x: f64, y: f64) -> Result<(f64, f64), u32> {
    if x > 3.0 {
        return Err(3);
    }
    let (a, b) = (x * y, x + y);
    Ok((a, b))
}

#[grad(order = 2)]
fn of_pairs(x: f64, y: f64) -> Result<f64, u32> {
    let (a, b) = pair(x, y)?;
    let (c, d) = pair(a / 10.0, b)?;
    Ok(c * d)
}

#[grad]
fn list(xs: &[f64], w: f64) -> Result<Vec<f64>, Small> {
    let mut out = Vec::with_capacity(xs.len());
    for x in xs {
        out.push(root(*x, 0.5)? * w);
    }
    Ok(out)
}

#[grad]
fn of_list(xs: &[f64], w: f64) -> Result<f64, Small> {
    let v = list(xs, w)?;
    Ok(v.iter().sum::<f64>() * w)
}

#[grad]
fn of_floats<T: autodiff::Float>(x: T, y: T) -> Result<T, u32> {
    if x < y {
        return Err(1);
    }
    Ok(x * x * y)
}

#[grad(order = 2)]
fn power(x: f64, n: u32) -> Result<f64, u32> {
    if n == 0 {
        return Ok(x);
    }
    if n > 10 {
        return Err(n);
    }
    Ok(power(x, n - 1)? * x)
}

#[test]
fn values_of_many_types() {
    assert_eq!(
        each::jacobian([1.0, 4.0]).unwrap().as_slice(),
        &[0.5, 0.0, 0.0, 0.25]
    );
    assert!(each::jacobian([1.0, 0.1]).is_err_and(|k| k == 1));
    differ!(of_pairs, 2.0, 3.0, unwrap);
    assert_eq!(of_pairs::grad(2.0, 30.0), Err(3));
    assert_eq!(
        list::vjp(&[4.0, 1.0], 2.0, vec![1.0, 1.0]),
        Ok((vec![4.0, 2.0], (vec![0.5, 1.0], 3.0)))
    );
    assert_eq!(
        list::vjp(&[4.0, 0.1], 2.0, vec![1.0, 1.0]),
        Err(Small::Low(0.1))
    );
    let mut matrix = [7.0; 6];
    assert!(list::jacobian_into(&[4.0, 0.1], 2.0, &mut matrix).is_err());
    assert_eq!(matrix, [7.0; 6]);
    assert_eq!(of_list::grad(&[4.0, 1.0], 2.0), Ok((vec![1.0, 2.0], 12.0)));
    assert_eq!(of_floats::grad(3.0, 2.0), Ok((12.0, 9.0)));
    assert_eq!(of_floats::grad(1.0f32, 2.0), Err(1));
    assert_eq!(power::hvp(2.0, 2, 1.0), Ok((12.0, 12.0)));
    assert_eq!(power::grad(2.0, 13), Err(13));
}

#[grad]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[grad(order = 2)]
fn from_options(x: f64, y: f64) -> Result<f64, u32> {
    let a = square(x).ok_or(8_u32)?;
    let b = match square(x - y) {
        Some(v) => v,
        None => return Err(9),
    };
    Ok(a * b)
}

#[grad(order = 2)]
fn square(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[grad]
fn to_option(x: f64) -> Option<f64> {
    let v = root(x, 0.5).ok()?;
    Some(v * positive(x)?)
}

#[test]
fn options_and_results() {
    differ!(from_options, 2.5, 1.2, unwrap);
    assert_eq!(from_options::grad(-2.5, 1.0), Err(8));
    assert_eq!(from_options::grad(0.5, 1.0), Err(9));
    assert_eq!(to_option::vjp(4.0, Some(1.0)), (Some(32.0), 20.0));
    assert_eq!(to_option::vjp(0.1, Some(1.0)), (None, 0.0));
}

#[grad(order = 2)]
fn collected(x: f64, y: f64) -> Result<f64, Small> {
    let xs = [x, y, x * y];
    let roots = xs
        .iter()
        .map(|&x| root(x, 0.5))
        .collect::<Result<Vec<_>, _>>()?;
    let scaled: Vec<f64> = xs
        .iter()
        .map(|x| {
            let z = root(*x, 0.1)?;
            Ok(z * y)
        })
        .collect::<Result<_, Small>>()?;
    Ok(roots.iter().map(|a| a * a * a).sum::<f64>() * scaled[0])
}

#[grad(order = 2)]
fn summed(x: f64, y: f64) -> Result<f64, Wide> {
    let s: f64 = [x, y]
        .iter()
        .map(|&x| root(x, 0.5))
        .sum::<Result<f64, Small>>()?;
    let p: f64 = [x, y]
        .iter()
        .map(|&x| root(x, 0.7))
        .product::<Result<f64, Small>>()?;
    Ok(s * s * p)
}

#[grad(order = 2)]
fn folded(x: f64, y: f64) -> Result<f64, Small> {
    [x, y, x + y]
        .iter()
        .try_fold(1.0, |all, &x| Ok(all * root(x, 0.5)?))
}

#[test]
fn ends_of_iterators_of_results() {
    differ!(collected, 2.0, 3.0, unwrap);
    differ!(summed, 2.0, 3.0, unwrap);
    differ!(folded, 2.0, 3.0, unwrap);
    assert_eq!(collected::grad(2.0, 0.1), Err(Small::Low(0.1)));
    assert_eq!(summed::grad(2.0, 0.6), Err(Wide("Low(0.6)".to_string())));
    assert_eq!(folded::grad(0.4, 3.0), Err(Small::Low(0.4)));
}

#[grad(order = 2)]
fn small(x: f64) -> Result<f64, i32> {
    if x > 2.0 { Err(3) } else { Ok(x * x) }
}

#[grad(order = 2)]
fn looked_at_twice(x: f64, y: f64) -> f64 {
    let r: Result<f64, i32> = small(x);
    let a = match r {
        Ok(v) => v * y,
        Err(k) => y * k as f64,
    };
    let b = if let Ok(v) = r { v } else { y * y };
    if r.is_err() {
        return a * b * x;
    }
    a + b
}

#[test]
fn a_result_that_is_copied() {
    differ!(looked_at_twice, 1.2, 0.7);
    differ!(looked_at_twice, 3.2, 0.7);
}

/// An error without numbers, which the derive says.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub enum Stage {
    Start,
    Step(usize),
}

#[grad(order = 2)]
fn staged(x: f64, y: f64) -> Result<f64, Stage> {
    if x < 0.0 {
        return Err(Stage::Start);
    }
    if y > 10.0 {
        return Err(Stage::Step(3));
    }
    Ok(x * x * y)
}

impl Small {
    fn code(&self) -> usize {
        match self {
            Small::Low(_) => 1,
            Small::Code(k) => *k as usize,
        }
    }
}

#[grad(order = 2)]
fn weighed(#[constant] stage: Stage, x: f64) -> f64 {
    match stage {
        Stage::Start => x * x,
        Stage::Step(k) => x * k as f64,
    }
}

#[grad(order = 2)]
fn told_by_errors(x: f64, y: f64) -> f64 {
    let table = [x, y * y, x * y];
    let a = match root(x, 1.0) {
        Ok(v) => v,
        Err(Small::Code(k)) if k > 100 => y,
        Err(e) => table[e.code() % 3] * e.code() as f64,
    };
    let b = root(y, 1.0).unwrap_or_else(|e| {
        let k = e.code();
        let mut sum = y;
        for z in &table[..k] {
            sum += z * z;
        }
        sum
    });
    let mut last = None;
    let mut seen = 0;
    for z in [x, -x, y] {
        if let Err(e) = staged(z, y) {
            last = Some(e);
            seen += 1;
        }
    }
    let c = match last {
        Some(stage) => weighed(stage, x * y) * seen as f64,
        None => x,
    };
    let d = match staged(x, y) {
        Ok(v) => v,
        Err(e) => weighed(e, y) + if e == Stage::Start { x } else { x * x },
    };
    let e = if let Err(Small::Code(k)) = root(x, 1.0) {
        y * k as f64
    } else {
        y * y
    };
    a + b + c + d + e
}

#[grad(order = 2)]
fn asked_of_results(x: f64, y: f64) -> f64 {
    let a = if root(x, 1.0).is_ok_and(|v| v > 2.0) {
        x * y
    } else if root(x, 1.0).is_err_and(|e| e.code() == 7) {
        y * y
    } else {
        x * x
    };
    let b = match staged(x, y).err() {
        Some(Stage::Step(k)) => y * k as f64,
        Some(Stage::Start) => x * y,
        None => y,
    };
    let tried = root(x, 1.0).map_err(|e| e.code());
    let Ok(v) = tried else { return a * b };
    let r = staged(x, y);
    let c = v * if let Err(Stage::Step(k)) = r {
        x * k as f64
    } else {
        x
    };
    let d = match r {
        Ok(v) => v,
        Err(Stage::Step(k)) => y * y * k as f64,
        Err(_) => y,
    };
    a + b + c + d
}

#[grad(order = 2)]
fn rooted(x: f64) -> Result<f64, Small> {
    root(x, 0.01)
}

#[grad(order = 2)]
fn by_path(x: f64, y: f64) -> Result<f64, Small> {
    let a = rooted(x * y).and_then(rooted)?;
    let b = rooted(y).map(f64::sin)?;
    rooted(a * b + 2.0).and_then(rooted)
}

fn next(count: &mut i32) -> f64 {
    *count += 1;
    f64::from(*count)
}

#[grad(order = 2)]
fn counted(x: f64, #[constant] count: &mut i32) -> Result<f64, Stage> {
    if x < 0.0 {
        return Err(Stage::Start);
    }
    Ok(x * next(count))
}

#[grad(order = 2)]
fn in_turn(x: f64, y: f64) -> Result<f64, String> {
    let mut count = 0;
    let a = counted(x, &mut count).unwrap_or(y * next(&mut count));
    let b = counted(y, &mut count).map_or(x * next(&mut count), |v| v * x);
    let some = if y > 5.0 {
        None
    } else {
        Some(y * next(&mut count))
    };
    let c = some.ok_or(format!("none at {}", next(&mut count)))?;
    Ok(a + b * c * next(&mut count))
}

#[test]
fn what_comes_out_of_errors() {
    for (x, y) in [
        (2.1, 3.1),
        (5.2, 0.4),
        (0.3, 2.2),
        (2e6, 12.0),
        (-0.3, 2.0),
        (0.3, 12.0),
        (-0.5, 11.0),
    ] {
        differ!(told_by_errors, x, y);
        differ!(asked_of_results, x, y);
    }
    differ!(by_path, 2.0, 3.0, unwrap);
    assert!(by_path::grad(-2.0, 3.0).is_err());
    differ!(in_turn, 2.0, 3.0, unwrap);
    differ!(in_turn, -2.0, 3.0, unwrap);
    differ!(in_turn, 2.0, -3.0, unwrap);
    assert_eq!(
        in_turn::grad(2.0, 6.0),
        in_turn(2.0, 6.0).map(|_| (0.0, 0.0))
    );
}

#[grad(order = 2)]
fn steep(x: f64) -> f64 {
    (1.0 / x) * x * x
}

#[grad(order = 2)]
fn steeply(x: f64) -> Result<f64, Stage> {
    let z = steep(x);
    if z.is_nan() {
        return Err(Stage::Step(1));
    }
    Ok(z)
}

#[grad(order = 2)]
fn steep_list(xs: &[f64]) -> Result<f64, Stage> {
    let all = [steep(xs[0]), steep(xs[1])];
    let sum: f64 = all.iter().map(|z| z * z).sum();
    if sum.is_nan() {
        Err(Stage::Start)
    } else {
        Ok(sum)
    }
}

#[grad(order = 2)]
fn steeply_caught(x: f64, y: f64) -> f64 {
    let mut sum = steeply(x).unwrap_or(x * y);
    for z in [y, x] {
        if let Ok(v) = steeply(z) {
            sum += v * y;
        }
    }
    match steep_list(&[x, y]) {
        Ok(v) => sum * v,
        Err(_) => sum + 3.0 * x,
    }
}

#[test]
fn a_failed_call_has_no_slope() {
    assert_eq!(steeply_caught::grad(0.0, 2.0), (5.0, 4.0));
    assert_eq!(steeply_caught::hvp(0.0, 2.0, (1.0, 1.0)).1, (1.0, 3.0));
    assert_eq!(steeply_caught::jvp(0.0, 2.0, (1.0, 0.0)).1, 5.0);
    differ!(steeply_caught, 2.0, 3.0);
}

/// No alias of a result, though it is named like one.
#[derive(Clone, Debug, Differentiable)]
pub struct FitResult {
    slope: f64,
    #[constant]
    steps: usize,
}

#[derive(Clone, Debug, Differentiable)]
pub struct PairResult(f64, f64);

#[grad(order = 2)]
impl PairResult {
    fn new(x: f64) -> PairResult {
        PairResult(x, x * x)
    }
}

#[grad(order = 2)]
fn fitted(x: f64, y: f64) -> FitResult {
    match root(x, 1.0) {
        Ok(v) => FitResult {
            slope: v * y,
            steps: 1,
        },
        Err(_) => FitResult { slope: y, steps: 0 },
    }
}

#[grad(order = 2)]
fn paired(x: f64) -> PairResult {
    PairResult::new(x * 2.0)
}

type SolveResult = Result<f64, Small>;

#[grad(order = 2)]
fn passed_on(x: f64) -> SolveResult {
    rooted(x * x)
}

#[grad(order = 2)]
fn of_structs(x: f64, y: f64) -> Result<f64, Small> {
    let fit = fitted(x, y);
    let pair = paired(y);
    Ok(fit.slope * pair.1 + pair.0 * passed_on(x)? * fit.steps as f64)
}

#[test]
fn types_that_are_named_like_results() {
    differ!(of_structs, 2.0, 3.0, unwrap);
    differ!(of_structs, 0.5, 3.0, unwrap);
}

#[grad(order = 2)]
fn moved_on(s: &mut f64, d: f64) -> Result<f64, Small> {
    *s *= d;
    if *s > 1e6 {
        return Err(Small::Low(*s));
    }
    Ok(*s + d)
}

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Body {
    at: f64,
    speed: f64,
}

impl Body {
    #[grad(order = 2)]
    fn advance(&mut self, dt: f64) -> Result<f64, Small> {
        self.speed *= dt;
        self.at += self.speed * dt;
        if dt < 0.0 {
            return Err(Small::Code(1));
        }
        Ok(self.speed * self.at)
    }

    #[grad(order = 2)]
    fn work(&mut self, dt: f64) -> Result<f64, Small> {
        Ok(self.speed * self.advance(dt)? + self.at)
    }
}

#[grad(order = 2)]
fn weighted(a: f64, b: f64) -> Result<f64, Small> {
    Ok(a * a * 3.0 + b)
}

#[grad(order = 2)]
fn dotted(a: &[f64; 2], b: f64) -> Result<f64, Small> {
    Ok(a[0] * a[0] * b + a[1] * b.sin())
}

#[grad(order = 2)]
fn squared(a: &f64, n: usize) -> Result<f64, Small> {
    Ok(a * a * n as f64)
}

fn one_more(k: &mut usize) -> Result<usize, Small> {
    *k += 1;
    Ok(*k)
}

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Net {
    w: Vec<f64>,
    speed: f64,
}

impl Net {
    #[grad(order = 2)]
    fn step(&mut self, d: f64) -> Result<f64, Small> {
        self.w[0] *= d;
        self.speed += self.w[0];
        if d < 0.0 {
            return Err(Small::Code(4));
        }
        Ok(self.speed * d)
    }

    #[grad(order = 2)]
    fn by_another_name(&mut self, d: f64) -> Result<f64, Small> {
        let w = &self.w;
        Ok(w[0] * self.step(d)? + self.w[0])
    }
}

#[grad(order = 2)]
fn by_other_names(x: f64, y: f64) -> Result<f64, Small> {
    let mut u = [x, y];
    let h = &u[..1];
    let a = h[0] * moved_on(&mut u[0], y)?;
    let mut s = x * y;
    let r = &mut s;
    let b = *r + moved_on(r, x)?;
    let mut nets = vec![Net {
        w: vec![x, y],
        speed: a,
    }];
    let net = &nets[0];
    let c = net.speed * nets[0].by_another_name(y)?;
    let mut d = 0.0;
    for v in u.iter_mut() {
        *v = v.hypot(moved_on(v, y)?);
        d += *v;
    }
    Ok(a + b * s + c * u[0] * nets[0].w[0] + d * x)
}

/// What stands in front of a question mark is evaluated before it.
#[grad(order = 2)]
fn in_their_order(x: f64, y: f64) -> Result<f64, Small> {
    let mut s = x;
    s = s + moved_on(&mut s, y)?;
    let (a, b, c) = (s, moved_on(&mut s, y)?, s);
    let mut u = [a * b, c];
    let v = u[0] * moved_on(&mut u[0], y)? + u[0];
    let w = weighted(s, moved_on(&mut s, 0.5)?)? * (s + root(s, 0.0)?) * moved_on(&mut s, y)?;
    let m = s.max(moved_on(&mut s, 0.1)?)
        - s.hypot({
            s *= x;
            root(s * s, 0.0)?
        });
    let pair = [s, 0.5];
    let t = dotted(&[s, 1.0], moved_on(&mut s, y)?)? + dotted(&pair, moved_on(&mut s, 0.3)?)?;
    let mut k = 0;
    let p = squared(&u[k], one_more(&mut k)?)? * u[k];
    let mut body = Body {
        at: x * y,
        speed: root(s * s, 0.0)?,
    };
    let part = Body {
        at: body.speed * body.work(0.5)?,
        speed: body.at,
    };
    let q = body.at.hypot(body.advance(0.4)?) + body.speed.max(body.advance(0.3)?);
    Ok(v * 0.01 + w * 0.001 + m + t * 0.1 + p * 0.01 + q + part.at * part.speed * 0.1)
}

fn three_more(s: &mut usize) -> usize {
    *s += 3;
    *s
}

fn sevenfold(s: &mut usize) -> Result<usize, Small> {
    *s *= 7;
    Ok(*s)
}

fn digits(a: usize, b: usize) -> Result<usize, Small> {
    Ok(a * 10 + b)
}

fn read(text: &str) -> Result<usize, Small> {
    text.parse().map_err(|_| Small::Code(9))
}

fn require(holds: bool) -> Result<(), Small> {
    if holds { Ok(()) } else { Err(Small::Code(2)) }
}

#[grad(order = 2)]
fn constants_in_their_order(x: f64, y: f64) -> Result<f64, Small> {
    let mut s = 1;
    let n = digits(three_more(&mut s), sevenfold(&mut s)?)?;
    let text = "abc";
    require(text.len() == 3 || read(text)? > 2)?;
    let k = digits(if n > 1000 { read(text)? } else { 1 }, 2)?;
    Ok(x * y * n as f64 + y * y * k as f64)
}

/// What is looked at and not taken out is there afterwards.
#[grad(order = 2)]
fn looked_at(x: f64, y: f64) -> Result<f64, Small> {
    let r = root(x, 0.5);
    if let Err(Small::Code(_)) = r {
        return Ok(y);
    }
    match r {
        Err(Small::Code(3)) => return Ok(0.0),
        Err(Small::Low(low)) if low < -1e9 => return Err(Small::Low(low)),
        _ => {}
    }
    Ok(r.unwrap_or(y * y) * y)
}

#[test]
fn operands_are_evaluated_in_their_order() {
    differ!(in_their_order, 1.3, 1.7, unwrap);
    differ!(in_their_order, 0.6, 0.8, unwrap);
    differ!(by_other_names, 1.3, 1.7, unwrap);
    differ!(by_other_names, 0.6, 0.8, unwrap);
    differ!(constants_in_their_order, 1.3, 1.7, unwrap);
    assert_eq!(constants_in_their_order(1.0, 1.0), Ok(80.0));
    differ!(looked_at, 1.3, 1.7, unwrap);
    differ!(looked_at, 0.3, 1.7, unwrap);
}

#[grad(order = 2)]
fn perhaps(x: f64) -> Result<Option<f64>, Small> {
    if x > 9.0 {
        return Err(Small::Low(x));
    }
    Ok(if x > 1.0 { Some(x * x) } else { None })
}

#[grad(order = 2)]
fn options_out_of_results(x: f64, y: f64) -> Result<f64, Small> {
    let most = perhaps(x)?.unwrap_or(y);
    let other = perhaps(x * y)?.unwrap_or_else(|| y * y);
    Ok(most * perhaps(y)?.unwrap_or_default() + other * x)
}

#[grad(order = 2)]
fn asserted(x: f64, y: f64) -> Result<f64, Small> {
    assert!(root(x, 0.5)? > 0.0);
    assert!(root(x, 0.5)? * y > 0.0, "at {y}");
    assert_eq!(root(x, 0.5)?, root(x, 0.5)?);
    Ok(root(x, 0.5)? * y * y)
}

#[derive(Clone, Debug, Differentiable)]
struct Tank {
    level: f64,
}

#[grad(order = 2)]
impl Tank {
    fn check(&self) -> Result<(), Small> {
        if self.level < 0.0 {
            return Err(Small::Low(self.level));
        }
        Ok(())
    }

    fn drain(&mut self, rate: f64) -> Result<f64, Small> {
        self.check()?;
        let out = rate * self.level.sqrt();
        self.level -= out;
        self.check()?;
        Ok(out)
    }
}

#[grad(order = 2)]
fn drained(x: f64, y: f64) -> Result<f64, Small> {
    let mut tank = Tank { level: x };
    let mut out = 0.0;
    for _ in 0..3 {
        out += tank.drain(y)? * y;
    }
    Ok(out * tank.level)
}

#[test]
fn what_is_tried_is_asserted_and_chosen_from() {
    differ!(options_out_of_results, 1.3, 1.7, unwrap);
    differ!(options_out_of_results, 0.3, 1.7, unwrap);
    differ!(options_out_of_results, 0.3, 0.7, unwrap);
    assert_eq!(options_out_of_results::grad(9.5, 1.0), Err(Small::Low(9.5)));
    differ!(asserted, 1.3, 1.7, unwrap);
    assert_eq!(
        asserted::grad(0.2, 1.0),
        asserted(0.2, 1.0).map(|_| (0.0, 0.0))
    );
}

#[test]
fn a_method_that_changes_its_receiver_checks_it() {
    differ!(drained, 1.9, 0.2, unwrap);
    assert!(drained::grad(0.3, 0.9).is_err());
}

/// Aliases whose names do not say so: the bodies do.
mod unnamed {
    use super::*;

    type Checked<T> = std::result::Result<T, Small>;
    type Root = std::result::Result<f64, Small>;

    #[grad(order = 2)]
    pub fn distance(x: f64, y: f64) -> Checked<f64> {
        if x < y {
            return Err(Small::Low(x));
        }
        Ok((x - y).sqrt() * x)
    }

    #[grad(order = 2)]
    pub fn of_distance(x: f64, y: f64) -> Root {
        match distance(x, y) {
            Ok(r) if r < 100.0 => Ok(r * r + y),
            Ok(r) => Err(Small::Low(r)),
            Err(e) => Err(e),
        }
    }
}

#[test]
fn aliases_are_shown_by_their_bodies() {
    use unnamed::{distance, of_distance};
    differ!(distance, 1.9, 0.2, unwrap);
    differ!(of_distance, 1.9, 0.2, unwrap);
    assert_eq!(of_distance::grad(0.3, 0.9), Err(Small::Low(0.3)));
}

#[grad(order = 2)]
fn reciprocal(x: f64) -> Option<f64> {
    if x == 0.0 { None } else { Some(1.0 / x) }
}

#[grad(order = 2)]
fn of_all(xs: &[f64]) -> Option<f64> {
    let all = xs
        .iter()
        .map(|x| reciprocal(*x))
        .collect::<Option<Vec<_>>>()?;
    let mut sum = 0.0;
    for (k, v) in all.iter().enumerate() {
        sum += v * v * k as f64;
    }
    Some(sum)
}

#[grad]
fn of_all_or_an_error(xs: &[f64]) -> Result<f64, String> {
    let all = xs
        .iter()
        .map(|x| reciprocal(*x))
        .collect::<Option<Vec<f64>>>()
        .ok_or("zero")?;
    Ok(all[0] * all[1])
}

#[grad]
fn logarithms(xs: &[f64]) -> f64 {
    let all: Option<Vec<f64>> = xs.iter().map(|x| (*x > 0.0).then(|| x.ln())).collect();
    match all {
        Some(v) => v[0] * v[1],
        None => xs[0],
    }
}

#[grad]
fn all_reciprocals(xs: &[f64]) -> Option<Vec<f64>> {
    xs.iter().map(|x| reciprocal(*x)).collect()
}

#[test]
fn lists_of_what_may_be_absent() {
    let (value, gradient, hessian) = of_all::value_grad_hessian(&[2.0, 4.0]).unwrap();
    assert_eq!((value, gradient), (0.0625, vec![0.0, -0.03125]));
    assert_eq!(hessian.as_slice(), [0.0, 0.0, 0.0, 6.0 / 256.0]);
    assert_eq!(
        of_all::jvp(&[2.0, 4.0], &[1.0, 2.0]),
        (Some(0.0625), Some(-0.0625))
    );
    assert_eq!(of_all::grad(&[2.0, 0.0]), None);
    assert_eq!(
        of_all_or_an_error::grad(&[2.0, 4.0]),
        Ok(vec![-0.0625, -0.03125])
    );
    assert_eq!(
        of_all_or_an_error::grad(&[2.0, 0.0]),
        Err("zero".to_string())
    );
    let gradient = logarithms::grad(&[2.0, 4.0]);
    close(gradient[0], 4f64.ln() / 2.0);
    close(gradient[1], 2f64.ln() / 4.0);
    assert_eq!(logarithms::grad(&[2.0, 0.0]), [1.0, 0.0]);
    let (values, gradient) = all_reciprocals::vjp(&[2.0, 4.0], Some(vec![1.0, 1.0]));
    assert_eq!(
        (values, gradient),
        (Some(vec![0.5, 0.25]), vec![-0.25, -0.0625])
    );
}

macro_rules! in_rounds {
    ($name:ident, $($checkpoint:tt)*) => {
        #[grad(order = 2)]
        fn $name(x: f64, k: f64, n: usize) -> Result<f64, String> {
            let mut s = x;
            $($checkpoint)*
            for i in 0..n {
                if s > 1e6 {
                    return Err("large".to_string());
                }
                if i > 60 {
                    Err("long")?;
                }
                let r = root(s * k, 1.0).map_err(|k| format!("round {i}: {k:?}"))?;
                s = match root(r - 1.0, x) {
                    Ok(v) => v + s.sin(),
                    Err(_) => r * k + 1.5,
                };
            }
            Ok(s * s)
        }
    };
}
in_rounds!(in_all_rounds,);
in_rounds!(in_rounds_by_schedule, #[checkpoint]);
in_rounds!(in_rounds_by_three, #[checkpoint(every = 3)]);

#[grad(order = 2)]
fn while_it_goes_on(x: &[f64], n: usize) -> Result<f64, Small> {
    let (mut s, mut i) = (x[0], 0);
    #[checkpoint]
    while i < n {
        s = root(s * x[1], 1.0)? + 0.5;
        i += 1;
    }
    Ok(s * x[0])
}

/// A caller goes on after the error, also where the loop has ended before it.
#[grad]
fn after_rounds(x: Vec<f64>, n: usize) -> Result<f64, String> {
    let mut s = x[0];
    #[checkpoint]
    for _ in 0..n {
        s = root(s * x[1], 1.0).map_err(|k| format!("{k:?}"))? + 1.5;
    }
    if n > 10 {
        return Err("long".to_string());
    }
    Ok(s)
}

#[grad]
fn goes_on_after_rounds(x: f64, k: f64, n: usize) -> f64 {
    after_rounds(vec![x, k], n).unwrap_or(x * k * 3.0)
}

#[test]
fn errors_in_loops_that_keep_few_states() {
    let (x, k, n) = (1.3, 1.1, 20);
    let expected = in_all_rounds::value_grad_hessian(x, k, n).unwrap();
    let forms = [
        in_rounds_by_schedule::value_grad_hessian,
        in_rounds_by_three::value_grad_hessian,
    ];
    for form in forms {
        let (value, gradient, hessian) = form(x, k, n).unwrap();
        close(value, expected.0);
        close(gradient.0, expected.1.0);
        close(gradient.1, expected.1.1);
        for (a, b) in hessian.as_slice().iter().zip(expected.2.as_slice()) {
            close(*a, *b);
        }
        for (x, k, n) in [(1.3, -1.1, 20), (2e6, 1.1, 20), (1.3, 1.1, 70)] {
            let error = in_all_rounds::grad(x, k, n).unwrap_err();
            assert_eq!(form(x, k, n), Err(error));
        }
    }
    let direction = (0.3, -0.7);
    let (_, slope) = in_rounds_by_schedule::jvp(x, k, n, direction).unwrap();
    close(slope, 0.3 * expected.1.0 - 0.7 * expected.1.1);
    let primal = |x, k| in_rounds_by_schedule(x, k, n).unwrap();
    let h = 1e-6;
    let difference = (primal(x + h, k) - primal(x - h, k)) / (2.0 * h);
    assert!((difference - expected.1.0).abs() < 1e-6 * difference.abs().max(1.0));

    let point = [1.3, 1.1];
    let primal = |x: &[f64]| while_it_goes_on(x, 9).unwrap();
    let gradient = while_it_goes_on::grad(&point, 9).unwrap();
    for (k, slope) in gradient.iter().enumerate() {
        let (mut up, mut down) = (point, point);
        up[k] += h;
        down[k] -= h;
        assert!((slope - (primal(&up) - primal(&down)) / (2.0 * h)).abs() < 1e-7);
    }
    assert!(while_it_goes_on::grad(&[-1.3, 1.1], 9).is_err());

    assert_eq!(goes_on_after_rounds::grad(-1.0, 2.0, 3), (6.0, -3.0));
    assert_eq!(goes_on_after_rounds::grad(1.0, 2.0, 11), (6.0, 3.0));
    let went = |x| goes_on_after_rounds(x, 2.0, 3);
    let slope = goes_on_after_rounds::grad(1.0, 2.0, 3).0;
    close(slope, after_rounds::grad(vec![1.0, 2.0], 3).unwrap()[0]);
    assert!((slope - (went(1.0 + h) - went(1.0 - h)) / (2.0 * h)).abs() < 1e-7);
}

type Checked<T> = Result<T, Small>;

#[derive(Clone, Differentiable)]
struct Filter {
    state: f64,
    spread: f64,
}

/// None of these shows that it returns a result but by what another does.
#[grad(order = 2)]
impl Filter {
    fn update(&mut self, gain: f64, residual: f64) -> Checked<()> {
        let spread = (self.spread > 0.0)
            .then_some(self.spread)
            .ok_or(Small::Low(self.spread))?;
        self.state += gain * residual / spread;
        self.finished(gain)
    }

    fn finished(&mut self, gain: f64) -> Checked<()> {
        self.spread *= 1.0 - gain * gain;
        if self.state > 50.0 {
            return Err(Small::Code(1));
        }
        Ok(())
    }

    fn valid(&self, z: f64) -> Checked<bool> {
        if z.is_nan() {
            return Err(Small::Code(2));
        }
        Ok(z < 1e9)
    }

    fn positive(spread: f64) -> Checked<()> {
        if spread > 0.0 {
            Ok(())
        } else {
            Err(Small::Low(spread))
        }
    }

    fn observe(&mut self, z: f64) -> Checked<()> {
        Filter::positive(self.spread)?;
        if !self.valid(z)? {
            return Err(Small::Code(3));
        }
        let residual = z - self.state;
        self.update(0.5 * self.spread, residual)
    }

    fn of_all<const N: usize>(&mut self, zs: [f64; N]) -> Checked<()> {
        for z in zs {
            self.observe(z)?;
        }
        Ok(())
    }
}

#[grad(order = 2)]
fn filtered(state: f64, spread: f64, z: f64) -> Checked<f64> {
    let mut filter = Filter { state, spread };
    filter.observe(z)?;
    filter.of_all([z * z, state])?;
    Ok(filter.state * filter.spread)
}

#[test]
fn results_by_another_name_are_seen_by_what_a_block_does_with_them() {
    let at = [0.4, 0.9, 1.3];
    let primal = |x: [f64; 3]| filtered(x[0], x[1], x[2]).unwrap();
    let grad = |x: [f64; 3]| {
        let (a, b, c) = filtered::grad(x[0], x[1], x[2]).unwrap();
        [a, b, c]
    };
    let (slopes, h) = (grad(at), 1e-6);
    let hessian = filtered::hessian(at[0], at[1], at[2]).unwrap();
    for k in 0..3 {
        let (mut up, mut down) = (at, at);
        up[k] += h;
        down[k] -= h;
        assert!((slopes[k] - (primal(up) - primal(down)) / (2.0 * h)).abs() < 1e-8);
        let mut along = [0.0; 3];
        along[k] = 1.0;
        let along = (along[0], along[1], along[2]);
        let (_, slope) = filtered::jvp(at[0], at[1], at[2], along).unwrap();
        close(slope, slopes[k]);
        let (up, down) = (grad(up), grad(down));
        for j in 0..3 {
            let bend = (up[j] - down[j]) / (2.0 * h);
            assert!((hessian[[j, k]] - bend).abs() < 1e-7, "{j} {k}");
        }
    }
    assert_eq!(filtered::grad(0.4, -0.9, 1.3), Err(Small::Low(-0.9)));
    assert_eq!(filtered::grad(0.4, 0.9, 1e6), Err(Small::Code(1)));
}

#[grad(order = 2)]
fn inverse(x: f64) -> Result<f64, Small> {
    if x == 0.0 {
        Err(Small::Code(0))
    } else {
        Ok(1.0 / x)
    }
}

#[grad(order = 2)]
fn in_closures(x: f64, y: f64) -> Result<f64, Wide> {
    let scaled = |v: f64| -> Result<f64, Small> {
        if v < 0.0 {
            return Err(Small::Low(v));
        }
        let w = inverse(v)?;
        Ok(w * y.sin())
    };
    let ordered = |a: f64, b: f64| if a > b { Ok(a * b) } else { Err("unordered") };
    let twice = |v: f64| inverse(v * 2.0);
    let mut sum = 0.0;
    for i in 0..3 {
        sum += scaled(x + f64::from(i))? * x;
    }
    Ok(sum + scaled(y)? + ordered(x * 3.0, y)? * twice(y)?)
}

#[test]
fn closures_with_results() {
    differ!(in_closures, 0.7, 1.2, unwrap);
    assert_eq!(in_closures::grad(-0.7, 1.0), Err(Wide("Low(-0.7)".into())));
    assert_eq!(in_closures::grad(0.0, 1.0), Err(Wide("Code(0)".into())));
    assert_eq!(in_closures::grad(0.1, 1.0), Err(Wide("unordered".into())));
}

#[grad(order = 2)]
fn tried_or_else(x: f64, y: f64) -> f64 {
    let low = Small::Code(4);
    let a = root(x, 3.0)
        .or_else(|_| if y > 0.25 { Ok(y) } else { Err(low) })
        .unwrap_or(0.25);
    let b = root(y, 3.0)
        .or_else(|_| match x > 1.0 {
            true => root(x * y, 1.0),
            false => Err(Small::Code(5)),
        })
        .unwrap_or(x * x);
    a * y + b * x.sin()
}

#[grad(order = 2)]
fn tried_and_then(x: f64, y: f64) -> f64 {
    let fixed = 0.34;
    let a = root(x, 1.0)
        .and_then(|z| {
            if z > 1.5 {
                Ok((1.09 + fixed) * 0.643)
            } else {
                Err(Small::Code(3))
            }
        })
        .unwrap_or((0.6 * y).exp());
    let held = root(y, 1.0).and_then(|z| {
        if z > 1.2 {
            root(z * x, 0.5)
        } else {
            Err(Small::Code(3))
        }
    });
    a * y + held.unwrap_or(x * y) * x.cos()
}

#[grad(order = 2)]
fn tried_again(x: f64, y: f64) -> Result<f64, Small> {
    if y > 4.0 {
        return Err(Small::Low(y));
    }
    let a = tried_again(x * 0.7, y + 1.0)
        .and_then(|z| {
            if z > -0.1 {
                Ok(z.cos())
            } else {
                Err(Small::Code(1))
            }
        })
        .unwrap_or((x - 0.52).tanh());
    let b = tried_again(x.sin(), y + 1.3)
        .or_else(|_| if x > 0.5 { Ok(x * y) } else { Err("few".len()) })
        .unwrap_or(x.exp());
    Ok(a.sin() * x + b * y)
}

#[grad(order = 2)]
fn halved<T: autodiff::Float>(x: T, n: usize) -> Result<T, Small> {
    if n == 0 {
        return Err(Small::Code(2));
    }
    let a = halved(x * x, n - 1)
        .and_then(|z| {
            if n > 2 {
                Ok(z.sin())
            } else {
                Err(Small::Code(1))
            }
        })
        .unwrap_or(x);
    let b = halved(x.cos(), n - 1)
        .or_else(|_| {
            if n > 1 {
                Ok(x.sin())
            } else {
                Err(Small::Code(1))
            }
        })
        .unwrap_or(x);
    Ok(a * b)
}

#[grad(order = 2)]
fn of_a_type(x: f64, y: f64) -> f64 {
    halved(x, 3).unwrap_or(y) * y
}

#[test]
fn results_that_closures_make_are_unwrapped() {
    for (x, y) in [(4.1, 3.2), (2.1, 1.3), (2.2, 0.15), (0.4, 1.75), (0.3, 0.2)] {
        differ!(tried_or_else, x, y);
        differ!(tried_and_then, x, y);
        differ!(tried_again, x, y, unwrap);
        differ!(of_a_type, x / 4.0, y);
    }
}

/// Names that borrow, in what errors are made of.
#[grad]
fn rated(x: f64, #[constant] rates: &HashMap<&str, f64>, name: &str) -> Result<f64, String> {
    let rate = rates.get(name).ok_or("no such rate")?;
    Ok(x * x * rate)
}

#[grad]
fn both_rated(x: f64, #[constant] rates: &HashMap<&str, f64>) -> Result<f64, String> {
    let first = rated(x, rates, "first").map_err(|e| format!("first: {e}"))?;
    Ok(first * rated(x, rates, "second")?)
}

#[test]
fn a_table_of_borrowed_names() {
    let rates = HashMap::from([("first", 2.0), ("second", 0.5)]);
    assert_eq!(rated::grad(3.0, &rates, "first"), Ok(12.0));
    assert_eq!(
        rated::grad(3.0, &rates, "third"),
        Err("no such rate".to_owned())
    );
    assert_eq!(both_rated::value_and_grad(2.0, &rates), Ok((16.0, 32.0)));
    let rates = HashMap::new();
    let wanted = Err("first: no such rate".to_owned());
    assert_eq!(both_rated::grad(2.0, &rates), wanted);
}
