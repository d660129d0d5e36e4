//! Functions that call each other: compiled ones, dynamic ones and plain ones, and what a tape makes of each.
#![allow(clippy::all, clippy::pedantic)] // the functions show what people write

use autodiff::{Float, Tape, Var, grad, logsumexp, stop_gradient};

#[grad]
fn product(x: f64, ys: &[f64]) -> f64 {
    ys.iter().fold(x, |p, y| p * y)
}

#[grad]
fn rotated(p: [f64; 2], angle: f64, turns: usize) -> [f64; 2] {
    let a = angle * turns as f64;
    [
        p[0] * a.cos() - p[1] * a.sin(),
        p[0] * a.sin() + p[1] * a.cos(),
    ]
}

#[grad]
fn polynomial<T: Float, const N: usize>(coefficients: [T; N], x: T) -> T {
    let mut y = coefficients[0];
    for k in 1..N {
        y = y * x + coefficients[k];
    }
    y
}

#[grad]
fn weighted(x: f64, #[constant] weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for w in weights {
        sum += w * x;
    }
    sum
}

#[grad(partials = (2.0 * x))]
fn squared(x: f64) -> f64 {
    x * x
}

#[grad(constant)]
fn steps(x: f64) -> f64 {
    x.floor()
}

/// Takes numbers and variables alike, without an attribute.
fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

fn how_many(words: &str) -> usize {
    words.split(' ').count()
}

mod deep {
    use autodiff::grad;

    #[grad]
    pub(super) fn cube(x: f64) -> f64 {
        x * x * x
    }

    #[grad(dynamic)]
    pub(super) fn halved(x: f64) -> f64 {
        let mut x = x;
        while x > 1.0 {
            x /= 2.0;
        }
        super::product(x, &[x, 3.0])
    }
}
use deep::halved as shrunk;

const SCALE: f64 = 0.75;
const TABLE: [f64; 3] = [1.0, 2.0, 4.0];

#[grad(dynamic)]
fn mixture(x: f64, ys: &[f64], #[constant] ws: &[f64], words: &str) -> f64 {
    let larger_one = larger(x, ys[0]);
    let squared = squared(x);
    let mut sum = SCALE;
    sum += product(x, ys) * polynomial([x, 2.0, ys[1]], larger_one);
    let [a, b] = rotated([x, sum], 0.3, how_many(words));
    let functions: [fn(f64) -> f64; 2] = [deep::cube, squared_again];
    let mut table = TABLE[how_many(words)];
    table *= weighted(x, ws) + weighted(ys[0], &[1.0, x]);
    sum + a * b
        + shrunk(x)
        + squared
        + functions[0](ys[0])
        + functions[1](x)
        + table
        + steps(x)
        + stop_gradient(x * x)
        + ys.iter().copied().map(deep::cube).sum::<f64>()
        + std::f64::consts::PI.min(100.0)
}

#[grad]
fn squared_again(x: f64) -> f64 {
    x * x
}

#[test]
fn dynamic_bodies_call_anything() {
    let (x, ys, ws) = (2.3, [0.7, -1.4], [0.5, 0.25]);
    let (value, (dx, dys)) = mixture::value_and_grad(x, &ys, &ws, "one two");
    assert_eq!(value.to_bits(), mixture(x, &ys, &ws, "one two").to_bits());
    let h = 1e-5;
    // `stop_gradient` and the steps are constants to the derivative, and not to the difference.
    let stopped = 2.0 * x;
    let difference =
        (mixture(x + h, &ys, &ws, "one two") - mixture(x - h, &ys, &ws, "one two")) / (2.0 * h);
    // The body calls `weighted` with an `x` among its constants as well.
    let constant = TABLE[2] * ys[0];
    assert!(
        (dx + stopped + constant - difference).abs() < 1e-6,
        "{dx} {difference}"
    );
    for k in 0..2 {
        let at = |h: f64| {
            let mut moved = ys;
            moved[k] += h;
            mixture(x, &moved, &ws, "one two")
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        assert!(
            (dys[k] - difference).abs() < 1e-7,
            "{k}: {} {difference}",
            dys[k]
        );
    }
    let (_, tangent) = mixture::jvp(x, &ys, &ws, "one two", (1.0, &[0.0, 0.0]));
    assert!((tangent - dx).abs() < 1e-12 * dx.abs());
}

#[test]
fn a_compiled_function_is_one_operation() {
    let tape = Tape::new();
    tape.keep_details();
    let (x, ys) = (tape.var(2.0), tape.vars(&[3.0, 5.0, 7.0, 11.0]));
    let before = tape.len();
    let y = product::on_tape(x, &ys);
    assert_eq!(y.value(), product(2.0, &[3.0, 5.0, 7.0, 11.0]));
    // Five partials, two in the first node, and one more in each of those behind it.
    assert_eq!(tape.len() - before, 4);
    let g = (y * y).backward();
    assert_eq!(g.wrt(x), 2.0 * y.value() * 1155.0);
    assert_eq!(g.wrt(&ys)[3], 2.0 * y.value() * 210.0);
    assert_eq!(tape.jvp(&[(x, 1.0)], &[y]), [1155.0]);
    let trace = tape.trace(y * x);
    let node = trace
        .nodes()
        .iter()
        .find(|node| node.op == "product")
        .unwrap();
    assert_eq!((node.value, node.operands.len()), (2310.0, 5));
    assert_eq!(node.operands[1].partial, 770.0);
    assert_eq!(node.gradient, 2.0);
}

#[test]
fn several_results_constants_and_single_precision() {
    let tape = Tape::new();
    let (a, angle) = (tape.var(1.0), tape.var(0.5));
    let [x, y] = rotated::on_tape([a, Var::from(2.0)], angle, 3);
    let g = tape.backward(&[(x, 1.0), (y, 10.0)]);
    let (_, (dp, dangle)) = rotated::vjp([1.0, 2.0], 0.5, 3, [1.0, 10.0]);
    assert_eq!(g.wrt(a), dp[0]);
    assert!((g.wrt(angle) - dangle).abs() < 1e-14);
    let before = tape.len();
    assert!(product::on_tape(Var::from(2.0), &[]).is_constant());
    assert!(steps::on_tape(0.5).is_constant());
    assert_eq!(tape.len(), before);
    assert_eq!(
        weighted::on_tape(angle, &[2.0, 3.0]).backward().wrt(angle),
        5.0
    );
    assert_eq!(shrunk::on_tape(a).value(), shrunk(1.0));

    let tape = Tape::<f32>::default();
    let x = tape.var(0.5);
    assert_eq!(polynomial::on_tape([x, x], x).backward().wrt(x), 2.0);
    assert_eq!(logsumexp::on_tape(&[x, x]).backward().wrt(x), 1.0);
}

#[test]
fn functions_of_the_library() {
    use autodiff::{relu, sigmoid};
    #[grad(dynamic)]
    fn scores(xs: &[f64]) -> f64 {
        let mut all: Vec<f64> = xs.iter().map(|x| sigmoid(*x)).collect();
        all.extend(xs.iter().copied().map(relu));
        logsumexp(&all) + autodiff::softplus(xs[0]) * logsumexp(&[1.0, 2.0])
    }
    let report = autodiff::gradcheck(scores, scores::grad, &[0.3, -0.7, 1.9]);
    assert!(report.is_ok(), "{report}");
}

#[test]
fn names_in_a_body_are_its_own() {
    #[grad(dynamic)]
    fn shadowed(x: f64) -> f64 {
        let product = |a: f64, b: f64| a * b;
        let first = squared(x);
        let squared = |x: f64| x;
        fn cube(x: f64) -> f64 {
            x
        }
        let mut all = vec![cube(x)];
        if let Some(weighted) = all.pop().map(|x| move |y: f64| x + y) {
            all.push(weighted(1.0));
        }
        for steps in [|x: f64| x * 2.0] {
            all.push(steps(x));
        }
        println!("{value}", value = all[0]);
        first + product(x, squared(x)) + all.iter().sum::<f64>()
    }
    assert_eq!(
        shadowed::value_and_grad(3.0),
        (shadowed(3.0), 6.0 + 6.0 + 1.0 + 2.0)
    );
}

#[grad]
fn scaled_by_name<'a>(xs: &'a [f64], name: &'static str, _: &'a str) -> f64 {
    let _: &'static str = name;
    xs[0] * xs[name.len()]
}

#[test]
fn lifetimes() {
    #[grad(dynamic)]
    fn calls(x: f64, name: &str) -> f64 {
        scaled_by_name(&[x, x + 1.0], "a", name)
    }
    assert_eq!(calls::grad(2.0, "b"), 5.0);
}

const C1: f64 = 0.5;

#[test]
fn constants_casts_and_elements() {
    #[grad(dynamic)]
    fn mixed(x: f64) -> f64 {
        const N: usize = 3;
        let mut all = vec![x; N];
        let pair = vec![C1, f64::sin(C1) * x];
        let mut rows = [[x; N]; 2];
        let mut largest = if x > 5.0 { x } else { C1 };
        for i in 0..N - 1 {
            all[i] *= all[i + 1] + i as f64;
            rows[1][i] += rows[0][i + 1] * largest;
            largest = C1;
        }
        let k = (x * 10.0) as usize % N;
        let bits = [true, false][0] as usize + 'a' as usize + 7 as usize;
        all[k] + rows[1][0] * rows[1][1] + bits as f64 + largest * pair[1]
    }
    let report = autodiff::gradcheck(|x| mixed(x[0]), |x| vec![mixed::grad(x[0])], &[0.77]);
    assert!(report.is_ok(), "{report}");
}

#[test]
#[should_panic(expected = "a `Var` is used on a tape that it does not belong to")]
fn two_tapes() {
    let (one, other) = (Tape::new(), Tape::new());
    let _ = product::on_tape(one.var(1.0), &[other.var(2.0)]);
}

#[test]
#[should_panic(expected = "`squared` was recorded as a whole")]
fn second_derivatives_of_what_is_recorded_as_a_whole() {
    let tape = Tape::new();
    tape.keep_details();
    let _ = squared::on_tape(tape.var(1.0)).backward_recorded();
}

#[grad]
fn stepped(u: &mut [f64], dt: f64) -> f64 {
    let mut energy = 0.0;
    for i in 0..u.len() {
        energy += u[i] * u[i];
        u[i] = u[i] + dt * u[i].sin() * (i as f64 + 1.0);
    }
    energy
}

#[grad]
fn grown(u: &mut Vec<f64>, a: f64) {
    for i in 0..u.len() {
        u[i] *= a;
    }
    u.push(a * a);
}

#[grad]
fn bumped(u: &mut f64, p: &mut [f64; 2], #[constant] w: &[f64], k: usize) {
    *u = *u * p[0] * w[k];
    p[1] += *u;
}

#[grad]
fn scaled(xs: &[f64], a: f64) -> Vec<f64> {
    let mut v = vec![];
    for x in xs {
        v.push(x * a);
    }
    v.push(a.sin());
    v
}

#[grad]
fn paired(a: f64, b: [f64; 2]) -> (f64, [f64; 2]) {
    (a * b[0], [a + b[1], b[0] * b[1]])
}

#[grad(dynamic)]
fn changes(x: f64, y: f64) -> f64 {
    let mut us = vec![x, y, x * y];
    let mut energy = 0.0;
    while us[0] < 3.0 {
        energy += stepped(&mut us, 0.1 * y);
    }
    grown(&mut us, y);
    let mut p = [x, y];
    let mut q = y;
    bumped(&mut q, &mut p, &[2.0, 3.0], 1);
    let v = scaled(&us, x);
    let (s, [t, r]) = paired(q, p);
    let mut constants = [1.0, 2.0];
    energy += stepped(&mut constants, 0.5) + stepped(&mut [], x);
    let sum = us.iter().map(|u| u * u).sum::<f64>() + v.iter().sum::<f64>() * v[0];
    energy + sum + q * p[1] + s * t + r + constants[1]
}

#[test]
fn what_compiled_functions_change() {
    let of_two = |x: &[f64]| changes(x[0], x[1]);
    let gradient = |x: &[f64]| {
        let (a, b) = changes::grad(x[0], x[1]);
        vec![a, b]
    };
    let report = autodiff::gradcheck(of_two, gradient, &[1.3, 0.7]);
    assert!(report.is_ok(), "{report}");
    let (dx, dy) = changes::grad(1.3, 0.7);
    let (value, tangent) = changes::jvp(1.3, 0.7, (2.0, 1.0));
    assert_eq!(value.to_bits(), changes(1.3, 0.7).to_bits());
    assert!((tangent - 2.0 * dx - dy).abs() < 1e-10);
}

#[test]
fn calls_with_several_results_are_asked_again() {
    let run = |details: bool| {
        let tape = Tape::new();
        if details {
            tape.keep_details();
        }
        let first = tape.vars(&[1.0, 2.0]);
        let mut us = first.clone();
        let dt = tape.var(0.3);
        let energy = stepped::on_tape(&mut us, dt);
        let all = energy * us[0] * us[1];
        let gradients = all.backward();
        assert_eq!(energy.backward().wrt(&first), [2.0, 4.0]);
        // A result in the middle of a call, and one before it.
        assert_eq!(us[0].backward().wrt(first[0]), 1.0 + 0.3 * 1.0_f64.cos());
        assert_eq!((first[0] * 2.0).backward().wrt(first[0]), 2.0);
        let slope = tape.jvp(&[(first[0], 1.0)], &[all])[0];
        assert!((slope - gradients.wrt(first[0])).abs() < 1e-13 * slope);
        assert_eq!(all.backward().wrt(dt), gradients.wrt(dt));
        (gradients.wrt(&first), gradients.wrt(dt))
    };
    let ((one, by_dt), (other, again)) = (run(false), run(true));
    let near = |a: f64, b: f64| (a - b).abs() < 1e-13 * a.abs();
    assert!(near(one[0], other[0]) && near(one[1], other[1]) && near(by_dt, again));
}

#[test]
fn calls_are_forgotten_when_the_tape_is_cleared() {
    let tape = Tape::new();
    let x = tape.vars(&[1.0, 2.0]);
    let _ = scaled::on_tape(&x, x[0]);
    tape.clear();
    let x = tape.vars(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let y = x[0] * x[5];
    assert_eq!(y.backward().wrt(&x), [6.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    // A cotangent of zero asks for nothing.
    let [v, w] = rotated::on_tape([x[0], x[1]], x[2], 1);
    assert_eq!(tape.backward(&[(v, 0.0), (w, 0.0)]).wrt(x[0]), 0.0);
}

#[grad]
fn clipped(x: f64) -> f64 {
    autodiff::with_cotangent(x * x, |c| *c = c.clamp(-1.0, 1.0))
}

#[grad]
fn around(x: f64) -> f64 {
    clipped(x) * 2.0
}

#[grad]
fn around_in_an_array(x: f64) -> [f64; 1] {
    [clipped(x) * 2.0]
}

#[grad(dynamic)]
fn with_clipped(x: f64, k: f64) -> f64 {
    clipped(x) * k + around_in_an_array(x)[0] * 0.25
}

#[test]
fn cotangents_of_the_tape_are_seen() {
    // The cotangents are k and a half; the first is clipped.
    assert_eq!(with_clipped::grad(3.0, 10.0).0, 6.0 + 3.0);
    assert_eq!(with_clipped::grad(3.0, 0.5).0, 3.0 + 3.0);
}

#[test]
fn calls_of_constants_are_values() {
    let y = around::on_tape(Var::from(3.0));
    assert_eq!(y.value(), 18.0);
    assert!(y.is_constant());
    let tape = Tape::new();
    let x = tape.var(2.0);
    let y = x * around::on_tape(Var::from(3.0));
    assert_eq!(y.backward().wrt(x), 18.0);
}

#[test]
#[should_panic(expected = "`around` calls a function with `with_cotangent`")]
fn cotangents_behind_a_number() {
    let tape = Tape::new();
    let _ = around::on_tape(tape.var(1.0));
}
