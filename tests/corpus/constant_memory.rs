//! Memory that a function changes and declares a constant: it holds its final state after every call.

use autodiff::{grad, stop_gradient};

#[grad(order = 2)]
fn folded(p: &[f64], x: f64) -> f64 {
    let mut s = x;
    for z in p {
        s = s.sin() * *z + 0.5;
    }
    s * x - p[0] / (1.0 + s * s)
}

#[grad(order = 2)]
fn in_a_loop(x: f64, #[constant] table: &mut Vec<f64>) -> f64 {
    let mut y = x;
    for _ in 0..2 {
        y += folded(&table[..], y);
        table[0] += 0.1;
    }
    table.push(0.3);
    y
}

#[grad(order = 2)]
fn of_a_slice(x: f64, #[constant] table: &mut [f64], #[constant] count: &mut f64) -> f64 {
    let y = folded(&table[..], x * *count);
    table[0] += 0.1;
    *count += 1.0;
    y * folded(&table[..], x)
}

/// Lends what it does not differentiate itself.
#[grad]
fn lends(x: f64) -> f64 {
    let mut table = vec![0.4, 0.6];
    let mut count = 1.0;
    let mut s = x;
    for _ in 0..2 {
        s += of_a_slice(s, &mut table, &mut count);
        s *= in_a_loop(s, &mut table).cos();
    }
    s
}

#[grad(order = 2)]
fn resets(x: f64, #[constant] buffer: &mut Vec<f64>, #[constant] count: &mut f64) -> f64 {
    buffer[0] = 5.0;
    buffer.push(3.0);
    *count = 2.0;
    x * x
}

/// What differentiable memory is lent to such a parameter is a constant from then on.
#[grad(order = 2)]
fn lends_what_is_active(x: f64) -> f64 {
    let mut buffer = vec![x, 3.0];
    let mut count = x;
    let before = buffer[0] * count;
    let y = resets(x, &mut buffer, &mut count);
    before * y + buffer[0] * buffer[1] * buffer[2] * count * x
}

#[test]
fn what_was_overwritten_has_no_derivative() {
    // x⁴ + 90 x
    let x: f64 = 0.7;
    assert_eq!(
        lends_what_is_active::jvp(x, 1.0).1,
        lends_what_is_active::vjp(x, 1.0).1
    );
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * b.abs(), "{a} is not {b}");
    near(lends_what_is_active::grad(x), 4.0 * x.powi(3) + 90.0);
    near(lends_what_is_active::hvp(x, 1.0).1, 12.0 * x * x);
}

#[test]
fn constants_hold_their_final_state() {
    let start = || vec![0.4, 0.6];
    let mut expected = start();
    let value = in_a_loop(0.7, &mut expected);
    let held = |what: &str, run: &dyn Fn(&mut Vec<f64>)| {
        let mut table = start();
        run(&mut table);
        assert_eq!(table, expected, "{what}");
    };
    held("jvp", &|t| assert_eq!(in_a_loop::jvp(0.7, t, 1.0).0, value));
    held("vjp", &|t| assert_eq!(in_a_loop::vjp(0.7, t, 1.0).0, value));
    held("grad", &|t| {
        let _ = in_a_loop::grad(0.7, t);
    });
    held("grad_into", &|t| {
        let _ = in_a_loop::grad_into(0.7, t, &mut 0.0);
    });
    held("hvp", &|t| {
        let _ = in_a_loop::hvp(0.7, t, 1.0);
    });
    held("pullback", &|t| {
        let (_, back) = in_a_loop::pullback(0.7, t);
        back(1.0);
    });

    let (mut table, mut count) = (start(), 1.0);
    of_a_slice(0.7, &mut table, &mut count);
    let (mut again, mut counted) = (start(), 1.0);
    of_a_slice::grad(0.7, &mut again, &mut counted);
    assert_eq!((&again, counted), (&table, count));
    let (mut again, mut counted) = (start(), 1.0);
    of_a_slice::hvp(0.7, &mut again, &mut counted, 1.0);
    assert_eq!((&again, counted), (&table, count));
}

#[test]
fn derivatives_of_what_reads_changing_constants() {
    check!(lends(value x = 0.7));
    let h = 1e-5;
    let slope = |x: f64| of_a_slice::grad(x, &mut [0.4, 0.6], &mut 1.0);
    let value = |x: f64| of_a_slice(x, &mut [0.4, 0.6], &mut 1.0);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{a} is not {b}");
    near(slope(0.7), (value(0.7 + h) - value(0.7 - h)) / (2.0 * h));
    near(
        of_a_slice::jvp(0.7, &mut [0.4, 0.6], &mut 1.0, 1.0).1,
        slope(0.7),
    );
    near(
        of_a_slice::hvp(0.7, &mut [0.4, 0.6], &mut 1.0, 1.0).1,
        (slope(0.7 + h) - slope(0.7 - h)) / (2.0 * h),
    );
}

#[grad(order = 2)]
fn stepped(rate: f64, level: &mut f64, table: &mut [f64], at: usize) -> (f64, f64) {
    table[at] += *level;
    *level *= rate;
    (*level + table[at], rate * *level)
}

/// Nothing that is passed on depends on `x`; what is taken apart is a constant, and memory changes all the same.
#[grad(order = 2)]
fn taken_apart(x: f64, n: usize) -> f64 {
    let mut level = 0.37;
    let mut table = vec![0.5, -1.25, 0.75];
    let mut s = x;
    for i in 0..n {
        let (a, b) = stepped(0.76, &mut level, &mut table, i);
        let (last, [first, ..]) = {
            table.push(level);
            (table.pop().unwrap_or(0.0), [table[0], b])
        };
        s = s.sin() * a + level * last * x - first;
    }
    s
}

#[test]
fn memory_lent_where_the_result_is_taken_apart() {
    check!(taken_apart(value x = 0.7, constant n = 3));
    let h = 1e-5;
    let difference = (taken_apart::grad(0.7 + h, 3) - taken_apart::grad(0.7 - h, 3)) / (2.0 * h);
    assert!((taken_apart::hvp(0.7, 3, 1.0).1 - difference).abs() < 1e-8);
}

#[grad]
fn ragged(x: f64, rows: &[&[f64]], #[constant] weights: &[&[f64; 2]]) -> f64 {
    let mut s = x;
    for (row, weight) in rows.iter().zip(weights) {
        for v in row.iter() {
            s += *v * x * weight[1];
        }
        s *= weight[0];
    }
    s
}

#[test]
fn slices_of_slices() {
    let rows: [&[f64]; 2] = [&[0.3, -0.4], &[1.2]];
    let weights = [&[0.5, 2.0], &[1.5, -1.0]];
    let (x, by_rows) = ragged::grad(0.7, &rows, &weights);
    crate::check::near(&x, &(0.75 * (1.0 - 0.2) - 1.8), 1e-14);
    crate::check::near(&by_rows, &vec![vec![1.05, 1.05], vec![-1.05]], 1e-14);
}

#[grad]
fn moves(x: f64, name: String, list: Vec<usize>, rounds: std::ops::Range<usize>) -> f64 {
    let n = name.into_bytes().len();
    let moved = list;
    let mut s = x;
    for i in rounds {
        s += x * (i + n + moved[0]) as f64;
    }
    drop(moved);
    s * x
}

#[test]
fn constants_that_the_function_moves() {
    let constants = || ("ab".to_owned(), vec![3], 0..2);
    let (name, list, rounds) = constants();
    crate::check::near(
        &moves::grad(0.7, name, list, rounds),
        &(2.0 * 12.0 * 0.7),
        1e-14,
    );
    let (name, list, rounds) = constants();
    crate::check::near(
        &moves::pullback(0.7, name, list, rounds).1(2.0),
        &(4.0 * 12.0 * 0.7),
        1e-14,
    );
    let (name, list, rounds) = constants();
    crate::check::near(
        &moves::jvp(0.7, name, list, rounds, 1.0).1,
        &(2.0 * 12.0 * 0.7),
        1e-14,
    );
}

/// A generator of random numbers, of a type without derivatives.
#[derive(Clone, Debug, PartialEq)]
struct Draws {
    state: u64,
    scale: f64,
}

impl Draws {
    fn next(&mut self) -> f64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn widened(&mut self) -> f64 {
        self.scale *= 1.25;
        self.next()
    }
}

#[grad(order = 2)]
fn drawn(#[constant] draws: &mut Draws, x: f64) -> f64 {
    let k = draws.next() + draws.scale * x;
    draws.scale += 0.5;
    k * x * x * draws.scale + draws.next() * x.sin()
}

#[grad(order = 2)]
fn drawn_in_the_middle(x: f64, #[constant] draws: &mut Draws) -> f64 {
    drawn(draws, x) * draws.widened() + draws.scale * x
}

/// It is lent again and again, and code between changes it.
#[grad(order = 2)]
fn drawn_often(#[constant] draws: &mut Draws, x: f64, n: usize) -> f64 {
    let before = draws.scale;
    let mut y = x + draws.widened() * drawn(draws, x);
    let mut s = 0.0;
    for i in 0..n {
        s += x * draws.scale;
        s += drawn(&mut *draws, x * i as f64) * draws.scale;
        if draws.widened() > 0.5 {
            y = drawn(draws, y) * 0.1 + draws.next();
        }
        draws.scale *= 0.5;
    }
    let middle = draws.scale;
    let parts: Vec<f64> = (0..n).map(|i| drawn(draws, x + i as f64)).collect();
    let last = drawn_in_the_middle(y, draws) + drawn_in_the_middle(x, draws);
    s * before + y * middle + parts.iter().product::<f64>() * last * draws.scale
}

#[grad]
fn drawn_of<D: Clone, F: Fn(&mut D) -> f64>(
    #[constant] d: &mut D,
    #[constant] f: F,
    x: f64,
) -> f64 {
    f(d) * x * x
}

#[grad]
fn drawn_of_any<D: Clone>(#[constant] d: &mut D, #[constant] f: fn(&mut D) -> f64, x: f64) -> f64 {
    drawn_of(d, f, x) + x * drawn_of(d, f, x)
}

#[test]
fn constants_that_calls_change() {
    let (x, h) = (0.7, 1e-5);
    for n in 0..4 {
        let draws = || Draws {
            state: 7,
            scale: 1.0,
        };
        let at = |x: f64| drawn_often(&mut draws(), x, n);
        let gradient_at = |x: f64| drawn_often::grad(&mut draws(), x, n);
        let differences = |f: &dyn Fn(f64) -> f64| (f(x + h) - f(x - h)) / (2.0 * h);
        let mut end = draws();
        let value = drawn_often(&mut end, x, n);
        // Every derivative leaves the state that the function leaves.
        let run = |f: &dyn Fn(&mut Draws) -> (f64, f64)| {
            let mut used = draws();
            let out = f(&mut used);
            assert_eq!(used, end);
            out
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{a} {b}");
        let (again, gradient) = run(&|d| drawn_often::value_and_grad(d, x, n));
        assert_eq!(again, value);
        close(gradient, differences(&at));
        let (_, slope) = run(&|d| drawn_often::jvp(d, x, n, 1.0));
        close(slope, gradient);
        assert_eq!(run(&|d| drawn_often::vjp(d, x, n, 1.0)), (value, gradient));
        let (same, curvature) = run(&|d| drawn_often::hvp(d, x, n, 1.0));
        close(same, gradient);
        close(curvature, differences(&gradient_at));
        let mut used = draws();
        let (_, back) = drawn_often::pullback(&mut used, x, n);
        assert_eq!(back(1.0), gradient);
    }
    let mut draws = Draws {
        state: 7,
        scale: 1.0,
    };
    let mut others = draws.clone();
    let (a, b) = (others.next(), others.next());
    let gradient = drawn_of_any::grad(&mut draws, Draws::next, x);
    assert!((gradient - (2.0 * a * x + 3.0 * b * x * x)).abs() < 1e-15);
    assert_eq!(draws, others);
}

/// What is made here is a constant, and lent with variables to what leaves it one.
#[grad(order = 2)]
fn drawn_here(x: f64, n: usize) -> f64 {
    let mut draws = Draws {
        state: 7,
        scale: 1.0,
    };
    let mut s: f64 = 0.0;
    for i in 0..n {
        s += drawn(stop_gradient(&mut draws), x * s.cos());
        s += drawn_behind(stop_gradient(&mut draws), x) * draws.widened();
        if i == 1 {
            s *= draws.scale;
        }
    }
    s * x
}

#[grad(order = 2)]
fn drawn_behind(#[constant] draws: &mut Draws, x: f64) -> f64 {
    drawn(stop_gradient(&mut *draws), x) + drawn(autodiff::stop_gradient(draws), x * x)
}

#[test]
fn constants_made_here_that_calls_change() {
    check!(drawn_here(value x = 0.7, constant n = 3));
    check_second!(drawn_here(value x = 0.7, constant n = 3));
}
