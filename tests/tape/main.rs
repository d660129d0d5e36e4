//! The dynamic tape against closed forms, and what it refuses.
#![allow(clippy::op_ref)] // every form of an operator is tried

mod bodies;
mod calls;
mod derivatives;
mod dynamic;
mod functions;
mod methods;
mod worked;

use std::f64::consts::PI;
use std::panic::{AssertUnwindSafe, catch_unwind};

use autodiff::{Tape, Var};

/// What a panic of `f` says.
fn message<R>(f: impl FnOnce() -> R) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(f)) else {
        panic!("it should have panicked");
    };
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

#[test]
fn a_product_of_sum_and_difference() {
    let tape = Tape::new();
    let (x, y) = (tape.var(3.0), tape.var(1.0));
    let (p, q) = (x + y, x - y);
    let f = p * q;
    let g = f.backward();
    assert_eq!(f.value(), 8.0);
    assert_eq!(g.wrt((x, y)), (6.0, -2.0));
    assert_eq!(g.wrt([p, q, f]), [2.0, 4.0, 1.0]);
}

#[test]
fn operators_take_floats_and_references_on_either_side() {
    let tape = Tape::new();
    let (a, b) = (tape.var(5.0), tape.var(3.0));
    let of = |y: Var| (y.value(), y.backward().wrt(a));
    for (y, slope) in [
        (a + 2.0, 1.0),
        (2.0 + a, 1.0),
        (&a + 2.0, 1.0),
        (a + &2.0, 1.0),
        (&2.0 + &a, 1.0),
        (a - 2.0, 1.0),
        (2.0 - a, -1.0),
        (a * 2.0, 2.0),
        (2.0 * a, 2.0),
        (2.0 * &a, 2.0),
        (&a * &b, 3.0),
        (a / 2.0, 0.5),
        (2.0 / a, -2.0 / 25.0),
        (a / b, 1.0 / 3.0),
        (&a / b, 1.0 / 3.0),
        (b / a, -3.0 / 25.0),
        (a % b, 1.0),
        (b % a, 0.0),
        (17.0 % a, -3.0),
        (-a, -1.0),
        (-&a, -1.0),
    ] {
        assert!((of(y).1 - slope).abs() < 1e-15, "{y}");
    }
    assert_eq!(of(17.0 % a).0, 17.0 % 5.0);
    assert_eq!(of(2.0 / a).0, 2.0 / 5.0);
}

#[test]
fn assignments() {
    let tape = Tape::new();
    let (a, b) = (tape.var(5.0), tape.var(3.0));
    let mut y = Var::from(1.0);
    y += a;
    y -= 2.0;
    y *= &b;
    y /= 4.0;
    y *= b;
    y %= 7.0;
    assert_eq!(y.value(), (5.0 + 1.0 - 2.0) * 3.0 / 4.0 * 3.0 % 7.0);
    assert_eq!(y.backward().wrt((a, b)), (9.0 / 4.0, 4.0 * 2.0 * 3.0 / 4.0));
}

#[test]
fn comparisons_are_by_value() {
    let tape = Tape::new();
    let (a, b) = (tape.var(2.0), tape.var(2.0));
    assert_eq!(a, b);
    assert_eq!(a, 2.0);
    assert_eq!(2.0, a);
    assert!(a < 3.0 && 1.0 < a && a >= b);
    assert_ne!(tape.var(f64::NAN), tape.var(f64::NAN));
    assert!(tape.var(f64::NAN).is_nan());
    assert_eq!(a.partial_cmp(&tape.var(f64::NAN)), None);
    assert_eq!(format!("{a:.1} {b:?}"), "2.0 Var(2.0)");
}

#[test]
fn sums_and_products() {
    let tape = Tape::new();
    let x = tape.vars(&[1.0, 2.0, 4.0]);
    let s: Var = x.iter().sum();
    let p: Var = x.iter().copied().product();
    assert_eq!((s.value(), p.value()), (7.0, 8.0));
    assert_eq!(s.backward().wrt(&x), [1.0; 3]);
    assert_eq!(p.backward().wrt(&x), [8.0, 4.0, 2.0]);
    let none: Var = Vec::<Var>::new().into_iter().sum();
    assert_eq!(
        none.value().to_bits(),
        Vec::<f64>::new().into_iter().sum::<f64>().to_bits()
    );
}

#[test]
fn methods_of_floats() {
    let tape = Tape::new();
    let (x, y) = (tape.var(0.7), tape.var(1.3));
    let f = (x.sin() * y.powf(x) + x.atan2(y)).ln_1p() / x.hypot(2.0) + y.powi(3).mul_add(x, 0.5);
    let at = |x: f64, y: f64| {
        (x.sin() * y.powf(x) + x.atan2(y)).ln_1p() / x.hypot(2.0) + y.powi(3).mul_add(x, 0.5)
    };
    assert_eq!(f.value().to_bits(), at(0.7, 1.3).to_bits());
    let (dx, dy) = f.backward().wrt((x, y));
    let h = 1e-5;
    assert!((dx - (at(0.7 + h, 1.3) - at(0.7 - h, 1.3)) / (2.0 * h)).abs() < 1e-9);
    assert!((dy - (at(0.7, 1.3 + h) - at(0.7, 1.3 - h)) / (2.0 * h)).abs() < 1e-9);
}

#[test]
fn single_precision() {
    let tape = Tape::<f32>::default();
    let x = tape.var(3.0);
    let y = 2.0 * x * x + 1.0;
    assert_eq!((y.value(), y.backward().wrt(x)), (19.0_f32, 12.0));
    assert_eq!(x.max(4.0).backward().wrt(x), 0.0);
}

#[test]
fn kinks_are_those_of_static_code() {
    let tape = Tape::new();
    let x = tape.var(0.0);
    let slope = |y: Var| y.backward().wrt(x);
    assert_eq!(slope(x.abs()), 0.0);
    assert_eq!(slope(x.relu()), 0.0);
    assert_eq!(slope(x.max(0.0)), 0.5);
    assert_eq!(slope(x.min(0.0)), 0.5);
    assert_eq!(slope(x.clamp(0.0, 1.0)), 1.0);
    assert_eq!(slope(x.floor()), 0.0);
    assert_eq!(slope(x.fract()), 1.0);
    assert_eq!(slope(x.sqrt()), f64::INFINITY);
    assert_eq!(slope(x.powi(0)), 0.0);
    assert_eq!(slope(x.signum()), 0.0);
}

#[test]
fn zero_cotangents_and_tangents_stop_everything() {
    let tape = Tape::new();
    let x = tape.var(0.0);
    let y = x.sqrt() * 0.0 + x;
    assert_eq!(y.backward().wrt(x), 1.0);
    let unused = x.ln();
    assert!(unused.value().is_infinite());
    assert_eq!((x + 1.0).backward().wrt(x), 1.0);
    let z = tape.var(0.0);
    assert_eq!(tape.jvp(&[(x, 1.0)], &[z.sqrt() + x]), [1.0]);
    // Where another operand is chosen, an infinite cotangent is none of this one's business.
    let chosen = x.max(-1.0).min(tape.var(-3.0));
    assert_eq!((chosen * f64::INFINITY).backward().wrt(x), 0.0);
    // Nor of one of which the result is a constant.
    assert_eq!((x.floor() * f64::INFINITY).backward().wrt(x), 0.0);
}

#[test]
fn several_results_seeds_and_sweeps() {
    let tape = Tape::new();
    let (x, y) = (tape.var(2.0), tape.var(3.0));
    let (f, g) = (x * y, x + y);
    assert_eq!(f.backward().wrt((x, y)), (3.0, 2.0));
    assert_eq!(g.backward().wrt((x, y)), (1.0, 1.0));
    assert_eq!(f.backward().wrt((x, y)), (3.0, 2.0));
    assert_eq!(f.backward_from(10.0).wrt((x, y)), (30.0, 20.0));
    let both = tape.backward(&[(f, 10.0), (g, 1.0), (f, 1.0)]);
    assert_eq!(both.wrt((x, y)), (34.0, 23.0));
    // What comes later cannot matter.
    assert_eq!(f.backward().wrt(tape.var(1.0)), 0.0);
    assert_eq!(tape.jvp(&[(x, 1.0), (y, -1.0)], &[f, g]), [1.0, 0.0]);
}

#[test]
fn a_constant_result_has_zero_gradients() {
    let tape = Tape::new();
    let x = tape.var(2.0);
    assert_eq!(Var::from(3.0).backward().wrt(x), 0.0);
    assert_eq!((x.detach() * x).backward().wrt(x), 2.0);
    assert_eq!(tape.len(), 2);
}

#[test]
fn the_tape_is_cleared_and_reused() {
    let tape = Tape::new();
    for k in 0..100 {
        tape.clear();
        let x = tape.var(f64::from(k));
        assert_eq!((x * x).backward().wrt(x), 2.0 * f64::from(k));
        assert_eq!(tape.len(), 2);
    }
}

#[test]
fn variables_among_intermediate_results() {
    let tape = Tape::new();
    let x = tape.var(2.0);
    let y = x * 3.0;
    let z = tape.var(5.0);
    let f = y * z;
    assert_eq!(f.backward().wrt((x, y, z)), (15.0, 5.0, 6.0));
}

#[test]
fn strangers_are_refused() {
    let (one, other) = (Tape::new(), Tape::new());
    let (a, b) = (one.var(1.0), other.var(2.0));
    let mixed = "a `Var` is used on a tape that it does not belong to";
    assert_eq!(message(|| a * b), mixed);
    assert_eq!(message(|| a.mul_add(b, 1.0)), mixed);
    assert_eq!(message(|| one.backward(&[(b, 1.0)])), mixed);
    assert_eq!(message(|| one.jvp(&[(b, 1.0)], &[a])), mixed);
    assert!(message(|| a.backward().wrt(b)).contains("another tape"));
    assert!(message(|| a.backward().wrt(Var::from(1.0))).contains("constant"));

    let cleared = "a `Var` is used after its tape was cleared";
    one.clear();
    let fresh = one.var(1.0);
    assert_eq!(message(|| a + 1.0), cleared);
    assert_eq!(message(|| a.sin()), cleared);
    assert_eq!(message(|| fresh + a), cleared);
    assert_eq!(message(|| a + fresh), cleared);
    assert_eq!(message(|| 2.0 * a), cleared);
    assert_eq!(message(|| a.backward()), cleared);
    // Nothing was recorded by all that.
    assert_eq!(one.len(), 1);
}

#[test]
fn ten_million_operations_in_a_chain() {
    let tape = Tape::new();
    let x = tape.var(1.0);
    let mut y = x;
    for _ in 0..10_000_000 {
        y += 1e-7;
    }
    assert_eq!(y.backward().wrt(x), 1.0);
    assert_eq!(tape.len(), 10_000_001);
}

#[test]
fn any_control_flow_and_data_structure() {
    use std::collections::BTreeMap;

    /// A stack machine, whose program is text.
    fn run<'t>(program: &str, variables: &BTreeMap<&str, Var<'t>>) -> Var<'t> {
        let mut functions: BTreeMap<&str, Box<dyn Fn(Var<'t>) -> Var<'t>>> = BTreeMap::new();
        functions.insert("sin", Box::new(Var::sin));
        functions.insert("square", Box::new(|x| x * x));
        let mut stack = Vec::new();
        for word in program.split_whitespace() {
            let item = match word {
                "+" | "*" => {
                    let (Some(b), Some(a)): (Option<Var>, Option<Var>) = (stack.pop(), stack.pop())
                    else {
                        panic!("two operands");
                    };
                    if word == "+" { a + b } else { a * b }
                }
                word => match (functions.get(word), variables.get(word)) {
                    (Some(f), _) => f(stack.pop().expect("an operand")),
                    (None, Some(&x)) => x,
                    (None, None) => Var::from(word.parse::<f64>().expect("a number")),
                },
            };
            stack.push(item);
        }
        stack.pop().expect("a result")
    }

    let tape = Tape::new();
    let (x, y) = (tape.var(PI), tape.var(2.0));
    let variables = BTreeMap::from([("x", x), ("y", y)]);
    let f = run("x sin y square * 3 x * +", &variables);
    let (dx, dy) = f.backward().wrt((x, y));
    assert!((dx - (-4.0 + 3.0)).abs() < 1e-15);
    assert!((dy - 4.0 * PI.sin()).abs() < 1e-15);
}

#[test]
fn a_tape_can_move_to_another_thread() {
    let tape = Tape::new();
    let slope = std::thread::spawn(move || {
        let x = tape.var(3.0);
        (x * x).backward().wrt(x)
    });
    assert_eq!(slope.join().ok(), Some(6.0));
}

/// A tape for each thread, whose gradients are added up.
#[test]
fn threads_share_the_data() {
    let data: Vec<f64> = (0..1000).map(|k| f64::from(k) / 1000.0).collect();
    let parameters = [0.5, -1.5];
    let part = |data: &[f64]| {
        let tape = Tape::new();
        let w = tape.vars(&parameters);
        let loss: Var = data.iter().map(|x| (w[0] * x + w[1]).tanh()).sum();
        loss.backward().wrt(&w)
    };
    let sums = std::thread::scope(|scope| {
        let threads = data
            .chunks(250)
            .map(|chunk| scope.spawn(move || part(chunk)));
        let threads: Vec<_> = threads.collect();
        let mut sums = [0.0; 2];
        for thread in threads {
            let gradient = thread.join().expect("no panic");
            sums.iter_mut().zip(gradient).for_each(|(s, g)| *s += g);
        }
        sums
    });
    for (sum, whole) in sums.iter().zip(part(&data)) {
        assert!((sum - whole).abs() < 1e-10);
    }
}

#[test]
fn details_that_were_not_kept_are_missed() {
    let late = |f: &dyn Fn(Var<'_>, Var<'_>) -> f64| {
        message(|| {
            let tape = Tape::new();
            let x = tape.var(3.0);
            let y = x * x;
            tape.keep_details();
            f(x, y)
        })
    };
    let before = "recorded before `keep_details` was called";
    assert!(late(&|x, y| (x * y).backward_recorded().wrt(x).value()).contains(before));
    assert!(late(&|x, y| y.backward_recorded().wrt(x).value()).contains(before));
    let tape = Tape::new();
    let x = tape.var(3.0);
    tape.keep_details();
    // A variable is none the less one.
    assert_eq!((x * x).backward_recorded().wrt(x).backward().wrt(x), 2.0);
    let said = message(|| {
        let tape = Tape::new();
        let x = tape.var(3.0);
        let y = x * x;
        tape.keep_details();
        tape.trace(x * y).nodes().len()
    });
    assert!(said.contains(before), "{said}");
}
