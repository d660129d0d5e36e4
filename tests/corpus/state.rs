//! State that the function changes behind a `#[constant]` `&mut`: every column and every row is of one call.

use autodiff::{Differentiable, Float, Tangent, grad};

/// A generator that counts its draws.
#[derive(Clone, Debug, PartialEq)]
struct Draws {
    state: u64,
    count: usize,
}

impl Draws {
    fn new() -> Draws {
        Draws { state: 7, count: 0 }
    }
}

trait Source {
    fn next(&mut self) -> f64;
}

impl Source for Draws {
    fn next(&mut self) -> f64 {
        self.count += 1;
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A generator without copies.
struct Single(Draws);

impl Source for Single {
    fn next(&mut self) -> f64 {
        self.0.next()
    }
}

/// The first draws.
fn draws<const N: usize>() -> [f64; N] {
    let mut draws = Draws::new();
    [(); N].map(|()| draws.next())
}

/// Runs a derivative, and looks at what it leaves: what so many draws leave.
fn leaving<T>(count: usize, derivative: impl FnOnce(&mut Draws) -> T) -> T {
    let (mut used, mut once) = (Draws::new(), Draws::new());
    let out = derivative(&mut used);
    for _ in 0..count {
        once.next();
    }
    assert_eq!(used, once);
    out
}

#[grad]
fn pair(a: f64, b: f64, #[constant] rng: &mut Draws) -> (f64, f64) {
    let (z, w) = (rng.next(), rng.next());
    (z * a + w * b, z * a * b)
}

#[test]
fn every_column_and_row_is_of_one_call() {
    let [z, w] = draws();
    let (a, b) = (1.5, -0.5);
    let expected = [z, w, z * b, z * a];
    let value = (z * a + w * b, z * a * b);
    let all = leaving(2, |d| pair::jacobian(a, b, d));
    assert_eq!(all.as_slice(), expected);
    let (same, all) = leaving(2, |d| pair::value_and_jacobian(a, b, d));
    assert_eq!((same, all.as_slice()), (value, &expected[..]));
    assert_eq!(leaving(2, |d| pair::jacfwd(a, b, d)).as_slice(), expected);
    assert_eq!(leaving(2, |d| pair::jacrev(a, b, d)).as_slice(), expected);
    let mut out = [0.0; 4];
    leaving(2, |d| pair::jacobian_into(a, b, d, &mut out));
    assert_eq!(out, expected);
    let rows = leaving(2, |d| pair::jacobian_rows(a, b, d));
    assert_eq!(rows, ((z, w), (z * b, z * a)));
    let (same, along) = leaving(2, |d| pair::jvp(a, b, d, (1.0, 2.0)));
    assert_eq!((same, along.0), (value, z + w * 2.0));
    let (same, back) = leaving(2, |d| pair::vjp(a, b, d, (0.0, 1.0)));
    assert_eq!((same, back), (value, (z * b, z * a)));
    let mut d = Draws::new();
    let (same, back) = pair::pullback(a, b, &mut d);
    assert_eq!((same, back((1.0, 0.0))), (value, (z, w)));
    assert_eq!(d.count, 2);
}

/// Few results of many numbers: rows are cheaper.
#[grad]
fn wide(x: &[f64], #[constant] rng: &mut Draws) -> [f64; 2] {
    let mut out = [0.0; 2];
    for v in x {
        out[0] += rng.next() * v;
        out[1] += rng.next() * v * v;
    }
    out
}

/// As many results as there are numbers.
#[grad]
fn each(x: &[f64], #[constant] rng: &mut Draws) -> Vec<f64> {
    x.iter().map(|v| rng.next() * v * v).collect()
}

#[test]
fn lengths_of_any_size() {
    let d: [f64; 24] = draws();
    for n in 0..=12 {
        let x: Vec<f64> = (0..n).map(|k| 0.5 + k as f64).collect();
        let expected: Vec<f64> = (0..2)
            .flat_map(|row| (0..n).map(move |k| (row, k)))
            .map(|(row, k)| {
                if row == 0 {
                    d[2 * k]
                } else {
                    2.0 * d[2 * k + 1] * x[k]
                }
            })
            .collect();
        let close = |m: autodiff::Matrix<f64>| {
            assert_eq!((m.rows(), m.cols()), (2, n));
            let mut both = m.as_slice().iter().zip(&expected);
            assert!(both.all(|(a, b)| (a - b).abs() < 1e-14), "{m:?}");
        };
        close(leaving(2 * n, |d| wide::jacobian(&x, d)));
        close(leaving(2 * n, |d| wide::jacfwd(&x, d)));
        close(leaving(2 * n, |d| wide::jacrev(&x, d)));
        let rows = leaving(2 * n, |d| wide::jacobian_rows(&x, d));
        let flat = rows.concat();
        assert!(
            flat.iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-14)
        );
        let diagonal = |m: autodiff::Matrix<f64>| {
            assert_eq!((m.rows(), m.cols()), (n, n));
            for i in 0..n {
                for j in 0..n {
                    let expected = if i == j { 2.0 * d[i] * x[i] } else { 0.0 };
                    assert!((m[[i, j]] - expected).abs() < 1e-14);
                }
            }
        };
        diagonal(leaving(n, |d| each::jacobian(&x, d)));
        diagonal(leaving(n, |d| each::jacfwd(&x, d)));
        diagonal(leaving(n, |d| each::jacrev(&x, d)));
    }
}

/// The Hessian is `2 z` on the diagonal, and `w` beside it.
#[grad(order = 2)]
fn curved(x: &[f64], #[constant] rng: &mut Draws) -> f64 {
    let (z, w) = (rng.next(), rng.next());
    let mut s = 0.0;
    for i in 0..x.len() {
        s += z * x[i] * x[i];
        if i > 0 {
            s += w * x[i] * x[i - 1];
        }
    }
    s
}

/// It draws in the function that it calls, too.
#[grad(order = 2)]
fn curved_by_calls(x: &[f64], #[constant] rng: &mut Draws) -> f64 {
    curved(x, rng) + rng.next() * x.iter().sum::<f64>()
}

/// With a number of its own for each function that it is given.
#[grad(order = 2)]
fn curved_by_functions<F: Fn(f64) -> f64>(f: F, x: &[f64], #[constant] rng: &mut Draws) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += rng.next() * f(*v);
    }
    s
}

#[grad(order = 2)]
fn curved_by_squares(x: &[f64], #[constant] rng: &mut Draws) -> f64 {
    curved_by_functions(|v: f64| v * v, x, rng)
}

#[test]
fn hessians_of_any_size() {
    for n in 0..=18 {
        let x: Vec<f64> = (0..n).map(|k| 0.5 - 0.1 * k as f64).collect();
        let [z, w] = draws();
        let gradient: Vec<f64> = (0..n)
            .map(|i| {
                let before = if i > 0 { w * x[i - 1] } else { 0.0 };
                let behind = if i + 1 < n { w * x[i + 1] } else { 0.0 };
                2.0 * z * x[i] + before + behind
            })
            .collect();
        let check = |m: &autodiff::Matrix<f64>| {
            assert_eq!((m.rows(), m.cols()), (n, n));
            for i in 0..n {
                for j in 0..n {
                    let expected = match i.abs_diff(j) {
                        0 => 2.0 * z,
                        1 => w,
                        _ => 0.0,
                    };
                    assert!((m[[i, j]] - expected).abs() < 1e-14, "{n} {i} {j}");
                }
            }
        };
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
        check(&leaving(2, |d| curved::hessian(&x, d)));
        let (value, g, m) = leaving(2, |d| curved::value_grad_hessian(&x, d));
        assert_eq!(value, curved(&x, &mut Draws::new()));
        assert!(close(&g, &gradient));
        check(&m);
        let (_, product) = leaving(2, |d| curved::hvp(&x, d, &vec![1.0; n]));
        let sums: Vec<f64> = (0..n).map(|i| m.row(i).iter().sum()).collect();
        assert!(close(&product, &sums));
        check(&leaving(3, |d| curved_by_calls::hessian(&x, d)));
        let m = leaving(n, |d| curved_by_squares::hessian(&x, d));
        let d: [f64; 18] = draws();
        assert!((0..n).all(|i| (m[[i, i]] - 2.0 * d[i]).abs() < 1e-14));
    }
}

/// Nine numbers, known by their types.
#[grad(order = 2)]
fn nine(x: [f64; 5], y: &[f64; 4], #[constant] rng: &mut Draws) -> f64 {
    let z = rng.next();
    let mut s = 0.0;
    for v in x.iter().chain(y) {
        s += z * v * v;
    }
    s
}

#[test]
fn more_numbers_than_one_pass_takes() {
    let [z] = draws();
    let (x, y) = ([0.5; 5], [0.25; 4]);
    let (_, _, m) = leaving(1, |d| nine::value_grad_hessian(x, &y, d));
    for i in 0..9 {
        for j in 0..9 {
            assert_eq!(m[[i, j]], if i == j { 2.0 * z } else { 0.0 });
        }
    }
}

/// One pass has no need of copies: the Hessian of few numbers, the Jacobian in one number, and of one.
#[grad(order = 2)]
fn few(x: f64, y: [f64; 3], #[constant] rng: &mut Single) -> f64 {
    rng.next() * x * y[0] * y[2]
}

#[grad]
fn path(t: f64, #[constant] rng: &mut Single) -> [f64; 2] {
    [rng.next() * t, rng.next() * t * t]
}

#[grad]
fn point(x: &[f64], #[constant] rng: &mut Single) -> f64 {
    rng.next() * x[0] * x[1]
}

#[test]
fn one_run_needs_no_copy() {
    let [z, w] = draws();
    let single = || Single(Draws::new());
    let mut d = single();
    let (value, _, m) = few::value_grad_hessian(2.0, [3.0, 1.0, 5.0], &mut d);
    assert_eq!(
        (value, m[[0, 1]], m[[1, 3]], d.0.count),
        (z * 2.0 * 3.0 * 5.0, z * 5.0, z * 2.0, 1)
    );
    assert_eq!(
        few::hvp(2.0, [3.0, 1.0, 5.0], &mut d, (0.0, [0.0; 3])).0.1[1],
        0.0
    );
    let mut d = single();
    assert_eq!(path::jacobian(3.0, &mut d).as_slice(), [z, w * 2.0 * 3.0]);
    assert_eq!(d.0.count, 2);
    assert_eq!(
        path::jacfwd(3.0, &mut single()).as_slice(),
        [z, w * 2.0 * 3.0]
    );
    let mut d = single();
    assert_eq!(
        point::jacobian(&[3.0, 2.0], &mut d).as_slice(),
        [z * 2.0, z * 3.0]
    );
    assert_eq!(d.0.count, 1);
    assert_eq!(
        point::jacrev(&[3.0, 2.0], &mut single()).as_slice(),
        [z * 2.0, z * 3.0]
    );
    assert_eq!(
        point::jacobian_rows(&[3.0, 2.0], &mut single()),
        [z * 2.0, z * 3.0]
    );
}

// Kinds of state.

#[grad(order = 2)]
fn of_any<T: Float, R: Source>(x: [T; 2], #[constant] rng: &mut R) -> T {
    let z = T::from_f64(rng.next());
    z * x[0] * x[1]
}

#[grad]
fn pair_of_any<R: Source + ?Sized>(x: f64, y: f64, #[constant] rng: &mut R) -> [f64; 2] {
    let z = rng.next();
    [z * x * y, rng.next() * y]
}

#[grad]
fn pair_of_object(x: f64, y: f64, #[constant] rng: &mut dyn Source) -> f64 {
    rng.next() * x * y
}

#[grad]
fn by_function<F: FnMut() -> f64>(x: f64, y: f64, #[constant] draw: &mut F) -> (f64, f64) {
    let z = draw();
    (z * x * y, draw() * y)
}

#[grad]
fn by_owned_function<F: FnMut() -> f64>(x: f64, y: f64, #[constant] mut draw: F) -> (f64, f64) {
    let z = draw();
    (z * x * y, draw() * y)
}

#[grad]
fn by_object(x: f64, y: f64, #[constant] draw: &mut dyn FnMut() -> f64) -> f64 {
    draw() * x * y
}

/// A running mean: what it holds counts in what it returns.
#[grad]
fn against_mean(x: f64, y: f64, #[constant] mean: &mut [f64]) -> [f64; 2] {
    mean[0] += 1.0;
    mean[1] = mean[1] * 0.5 + 1.0 / mean[0];
    [x * mean[1], x * y * mean[0]]
}

#[grad]
fn counted(
    x: f64,
    y: f64,
    #[constant] count: &mut usize,
    #[constant] log: &mut Vec<usize>,
) -> [f64; 2] {
    *count += 1;
    log.push(*count);
    let k = *count as f64 + log.len() as f64;
    [k * x, k * x * y]
}

struct Lending<'a> {
    from: &'a [f64],
}

impl Lending<'_> {
    fn next(&mut self) -> f64 {
        let (first, rest) = self.from.split_first().unwrap();
        self.from = rest;
        *first
    }
}

impl Clone for Lending<'_> {
    fn clone(&self) -> Self {
        Lending { from: self.from }
    }
}

#[grad]
fn of_two(
    x: f64,
    y: f64,
    #[constant] a: &mut Lending<'_>,
    #[constant] b: &mut Lending<'_>,
) -> [f64; 2] {
    [a.next() * x + b.next() * y, a.next() * x * y]
}

#[grad(mode = forward)]
fn forward_by_function<F: FnMut() -> f64>(x: &[f64], #[constant] mut draw: F) -> f64 {
    let z = draw();
    z * x[0] * x[1] + draw() * x[2]
}

#[grad(mode = forward)]
fn forward_of_state(x: &[f64], #[constant] rng: &mut Single) -> f64 {
    rng.next() * x[0] * x[1]
}

#[test]
fn kinds_of_state() {
    let [z, w] = draws();
    let m = leaving(1, |d| of_any::jacobian([2.0, 3.0], d));
    assert_eq!(m.as_slice(), [z * 3.0, z * 2.0]);
    let m = leaving(1, |d| of_any::hessian([2.0, 3.0], d));
    assert_eq!(m.as_slice(), [0.0, z, z, 0.0]);
    let expected = [z * 3.0, z * 2.0, 0.0, w];
    assert_eq!(
        leaving(2, |d| pair_of_any::jacobian(2.0, 3.0, d)).as_slice(),
        expected
    );
    let m = leaving(1, |d| pair_of_object::jacobian(2.0, 3.0, d));
    assert_eq!(m.as_slice(), [z * 3.0, z * 2.0]);
    // A copy of a closure has copies of what it owns.
    let mut rng = Draws::new();
    let mut draw = move || rng.next();
    assert_eq!(
        by_function::jacobian(2.0, 3.0, &mut draw).as_slice(),
        expected
    );
    let [_, _, third] = draws();
    assert_eq!(draw(), third);
    let mut rng = Draws::new();
    let draw = move || rng.next();
    assert_eq!(
        by_owned_function::jacobian(2.0, 3.0, draw.clone()).as_slice(),
        expected
    );
    assert_eq!(
        by_owned_function::jacrev(2.0, 3.0, draw.clone()).as_slice(),
        expected
    );
    let rows = by_owned_function::jacobian_rows(2.0, 3.0, draw.clone());
    assert_eq!(rows, ((z * 3.0, z * 2.0), (0.0, w)));
    assert_eq!(
        forward_by_function::grad(&[2.0, 3.0, 5.0], draw),
        [z * 3.0, z * 2.0, w]
    );
    let mut rng = Draws::new();
    let m = by_object::jacobian(2.0, 3.0, &mut || rng.next());
    assert_eq!((m.as_slice(), rng.count), (&[z * 3.0, z * 2.0][..], 1));
    let mut mean = [1.0, 4.0];
    let m = against_mean::jacobian(2.0, 3.0, &mut mean);
    assert_eq!(
        (m.as_slice(), mean),
        (&[2.5, 0.0, 6.0, 4.0][..], [2.0, 2.5])
    );
    let (mut count, mut log) = (1, vec![9]);
    let m = counted::jacrev(2.0, 3.0, &mut count, &mut log);
    assert_eq!(
        (m.as_slice(), count, log),
        (&[4.0, 0.0, 12.0, 8.0][..], 2, vec![9, 2])
    );
    let numbers = [1.0, 2.0, 4.0];
    let (mut a, mut b) = (
        Lending { from: &numbers },
        Lending {
            from: &numbers[1..],
        },
    );
    let m = of_two::jacobian(2.0, 3.0, &mut a, &mut b);
    assert_eq!(
        (m.as_slice(), a.from, b.from),
        (&[1.0, 2.0, 6.0, 4.0][..], &[4.0][..], &[4.0][..])
    );
    let mut d = Single(Draws::new());
    assert_eq!(
        forward_of_state::grad(&[2.0, 3.0], &mut d),
        [z * 3.0, z * 2.0]
    );
    assert_eq!(d.0.count, 1);
}

// Methods.

#[derive(Clone, Differentiable)]
struct Walk {
    pace: f64,
}

#[grad(order = 2)]
impl Walk {
    fn steps(&self, x: f64, #[constant] rng: &mut Draws) -> [f64; 2] {
        let z = rng.next();
        [z * self.pace * x, rng.next() * x]
    }

    fn energy<R: Source>(&self, x: &[f64], #[constant] rng: &mut R) -> f64 {
        let z = rng.next();
        let mut s = 0.0;
        for v in x {
            s += z * self.pace * v * v;
        }
        s
    }
}

/// A generator itself is the receiver.
#[derive(Clone, Differentiable)]
struct Noise {
    count: usize,
}

#[grad]
impl Noise {
    fn disturb(#[constant] &mut self, x: f64, y: f64) -> [f64; 2] {
        self.count += 1;
        let k = self.count as f64;
        [k * x, k * x * y]
    }
}

#[test]
fn methods_with_state() {
    let [z, w] = draws();
    let walk = Walk { pace: 2.0 };
    let m = leaving(2, |d| walk.steps_jacobian(3.0, d));
    assert_eq!(m.as_slice(), [z * 3.0, z * 2.0, 0.0, w]);
    let m = leaving(2, |d| walk.steps_jacrev(3.0, d));
    assert_eq!(m.as_slice(), [z * 3.0, z * 2.0, 0.0, w]);
    let rows = leaving(2, |d| walk.steps_jacobian_rows(3.0, d));
    assert_eq!(
        (rows[0].0.pace, rows[0].1, rows[1].1),
        (z * 3.0, z * 2.0, w)
    );
    let x = [1.0; 11];
    let m = leaving(1, |d| walk.energy_hessian(&x, d));
    for i in 1..12 {
        assert_eq!((m[[0, i]], m[[i, i]]), (2.0 * z, 4.0 * z));
    }
    let mut noise = Noise { count: 1 };
    assert_eq!(
        noise.disturb_jacobian(2.0, 3.0).as_slice(),
        [2.0, 0.0, 6.0, 4.0]
    );
    assert_eq!(noise.count, 2);
    assert_eq!(
        noise.disturb_jacrev(2.0, 3.0).as_slice(),
        [3.0, 0.0, 9.0, 6.0]
    );
    assert_eq!(noise.count, 3);
}

/// What has memory with derivatives besides asks for a copy where it is called, and not where it is written.
#[grad]
fn step(u: &mut [f64], #[constant] rng: &mut Single, rate: f64) {
    let z = rng.next();
    for v in u.iter_mut() {
        *v *= z * rate;
    }
}

#[test]
fn memory_beside_state() {
    let [z] = draws();
    let (mut u, mut dot) = ([3.0], [1.0]);
    step::jvp(&mut u, &mut Single(Draws::new()), 2.0, (&mut dot, 0.0));
    assert_eq!((u, dot), ([3.0 * (z * 2.0)], [z * 2.0]));
    assert_eq!(dot.norm2(), (z * 2.0) * (z * 2.0));
}
