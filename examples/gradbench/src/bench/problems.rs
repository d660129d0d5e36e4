//! What is measured.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use super::data;
use crate::by_hand;
use crate::evals::{ba, det, gmm, ht, kmeans, llsq, lse, lstm, ode, particle, saddle};

/// A problem with as much to do as its workload says.
pub(crate) struct Problem {
    pub(crate) eval: &'static str,
    pub(crate) workload: String,
    /// Whether it has ten times as much to do as the problem before it, or nearly.
    pub(crate) is_ten_times: bool,
    pub(crate) which: Which,
}

/// Programs are made when it is their turn, since they hold their inputs.
pub(crate) enum Which {
    /// A function with its gradient.
    Gradient(Box<dyn Fn() -> Gradients>),
    /// Functions with derivatives inside, in several modes.
    Modes(fn() -> Vec<Named>),
}

/// A program with its name.
type Named = (&'static str, Box<dyn Fn()>);

/// A function, its gradient, and the same by hand.
pub(crate) struct Gradients {
    pub(crate) primal: Program,
    pub(crate) gradient: Program,
    pub(crate) hand: Option<Program>,
}

/// Something that runs, and what comes of it as a list.
pub(crate) struct Program {
    pub(crate) run: Box<dyn Fn()>,
    result: Box<dyn Fn() -> Vec<f64>>,
}

impl Program {
    fn new<I: 'static, O: 'static>(
        input: &Rc<I>,
        run: impl Fn(&I) -> O + Copy + 'static,
        flat: fn(&I, O) -> Vec<f64>,
    ) -> Self {
        let (input, again) = (Rc::clone(input), Rc::clone(input));
        Program {
            run: Box::new(move || {
                black_box(run(black_box(&input)));
            }),
            result: Box::new(move || flat(&again, run(&again))),
        }
    }

    /// What comes of it.
    pub(crate) fn result(&self) -> Vec<f64> {
        (self.result)()
    }
}

/// The problem with this input, function, gradient and gradient by hand.
fn problem<I: 'static, P: 'static, G: 'static>(
    eval: &'static str,
    workload: impl Into<String>,
    input: impl Fn() -> I + 'static,
    primal: fn(&I) -> P,
    gradients: Two<I, G>,
    flat: fn(&I, G) -> Vec<f64>,
) -> Problem {
    let made = move || {
        let input = Rc::new(input());
        let (gradient, hand) = gradients;
        Gradients {
            primal: Program::new(&input, primal, |_, _| Vec::new()),
            gradient: Program::new(&input, gradient, flat),
            hand: hand.map(|hand| Program::new(&input, hand, flat)),
        }
    };
    Problem {
        eval,
        workload: workload.into(),
        is_ten_times: false,
        which: Which::Gradient(Box::new(made)),
    }
}

/// Two gradients of a function, the second one by hand.
type Two<I, G> = (fn(&I) -> G, Option<fn(&I) -> G>);

fn both<I, G>(gradient: fn(&I) -> G, hand: fn(&I) -> G) -> Two<I, G> {
    (gradient, Some(hand))
}

impl Problem {
    fn ten_times(self) -> Self {
        Problem {
            is_ten_times: true,
            ..self
        }
    }
}

/// All of them; of an eval with ten times the work stands behind.
pub(crate) fn problems() -> Vec<Problem> {
    let gmm = |eval, d, k, n| {
        let style = if eval == "gmm" {
            gmm::HELPERS
        } else {
            gmm::FLAT
        };
        let gradients = both(style.gradient, by_hand::gmm::gradient);
        let flat = |_: &_, (alpha, mu, q, l)| [alpha, mu, q, l].concat();
        let input = move || data::gmm(d, k, n);
        problem(
            eval,
            format!("{d}_{k}_{n}"),
            input,
            style.value,
            gradients,
            flat,
        )
    };
    let ba = |n, m, p| {
        // The matrix is made once, as the tools of the benchmark do.
        let input = move || (data::ba(n, m, p), RefCell::new(ba::Sparse::default()));
        let gradients: Two<(ba::Input, RefCell<ba::Sparse>), ()> = both(
            |(input, matrix)| ba::jacobian(input, &mut matrix.borrow_mut()),
            |(input, matrix)| by_hand::ba::jacobian(input, &mut matrix.borrow_mut()),
        );
        let primal = |(input, _): &(_, _)| ba::objective(input);
        let workload = format!("n={n},m={m},p={p}");
        problem(
            "ba",
            workload,
            input,
            primal,
            gradients,
            |(_, matrix), ()| matrix.borrow().vals.clone(),
        )
    };
    let kmeans = |k, n, d| {
        let gradients = both(kmeans::dir, by_hand::kmeans::dir);
        let workload = format!("k={k},n={n},d={d}");
        let input = move || data::kmeans(k, n, d);
        problem("kmeans", workload, input, kmeans::cost, gradients, |_, g| g)
    };
    let lstm = |l, c| {
        let gradients = both(lstm::jacobian, by_hand::lstm::jacobian);
        let workload = format!("l={l},c={c},b=14");
        let input = move || data::lstm(l, c, 14);
        problem(
            "lstm",
            workload,
            input,
            lstm::objective,
            gradients,
            |_, g| g,
        )
    };
    let ht = |vertices, points| {
        let workload = format!("v={vertices},p={points}");
        let input = move || data::ht(vertices, points);
        let gradients = (ht::jacobian as fn(&_) -> _, None);
        problem(
            "ht",
            workload,
            input,
            ht::objective,
            gradients,
            |_, j: ht::Jacobian| j.numbers,
        )
    };
    let ode = |n, s| {
        let gradients = both(ode::gradient, by_hand::ode::gradient);
        let input = move || data::ode(n, s);
        problem(
            "ode",
            format!("n={n},s={s}"),
            input,
            ode::primal,
            gradients,
            |_, g| g,
        )
    };
    let det = |ell| {
        let gradients = both(det::gradient, by_hand::det::gradient);
        let input = move || data::det(ell);
        problem(
            "det",
            format!("{ell}"),
            input,
            det::primal,
            gradients,
            |_, g| g,
        )
    };
    let llsq = |n, m| {
        let gradients = both(llsq::gradient, by_hand::llsq::gradient);
        let input = move || data::llsq(n, m);
        problem(
            "llsq",
            format!("n={n},m={m}"),
            input,
            llsq::primal,
            gradients,
            |_, g| g,
        )
    };
    let lse = |n| {
        let gradients = both(lse::gradient, by_hand::lse::gradient);
        let input = move || data::lse(n);
        problem(
            "lse",
            format!("n={n}"),
            input,
            lse::primal,
            gradients,
            |_, g| g,
        )
    };
    let modes = |eval, workload: &str, which| Problem {
        eval,
        workload: workload.to_owned(),
        is_ten_times: false,
        which: Which::Modes(which),
    };
    vec![
        gmm("gmm", 10, 10, 1000),
        gmm("gmm", 10, 10, 10_000).ten_times(),
        gmm("gmm", 32, 50, 1000),
        gmm("gmm-flat", 10, 10, 1000),
        gmm("gmm-flat", 10, 10, 10_000).ten_times(),
        gmm("gmm-flat", 32, 50, 1000),
        ba(49, 7776, 31_843),
        ba(490, 77_760, 318_430).ten_times(),
        kmeans(100, 1000, 8),
        kmeans(100, 10_000, 8).ten_times(),
        kmeans(100, 10_000, 16),
        lstm(2, 1024),
        lstm(2, 10_240).ten_times(),
        ht(1000, 100),
        ht(10_000, 1000).ten_times(),
        ode(1000, 10),
        ode(10_000, 10).ten_times(),
        ode(10_000, 100).ten_times(),
        det(7),
        det(8),
        det(9).ten_times(),
        llsq(1024, 128),
        llsq(10_240, 128).ten_times(),
        lse(40_000),
        lse(400_000).ten_times(),
        modes("particle", "w=0", particle_modes),
        modes("saddle", "start=[1,1]", saddle_modes),
    ]
}

fn particle_modes() -> Vec<Named> {
    let run = |function: fn(particle::Input) -> f64| -> Box<dyn Fn()> {
        Box::new(move || {
            black_box(function(black_box(particle::Input { w: 0.0 })));
        })
    };
    vec![
        ("ff", run(particle::ff)),
        ("fr", run(particle::fr)),
        ("rf", run(particle::rf)),
        ("rr", run(particle::rr)),
    ]
}

fn saddle_modes() -> Vec<Named> {
    let run = |function: fn(saddle::Input) -> [f64; 4]| -> Box<dyn Fn()> {
        Box::new(move || {
            black_box(function(black_box(saddle::Input { start: [1.0, 1.0] })));
        })
    };
    vec![
        ("ff", run(saddle::ff)),
        ("fr", run(saddle::fr)),
        ("rf", run(saddle::rf)),
        ("rr", run(saddle::rr)),
    ]
}
