//! Source in, text out: the helpers of the passes' tests.

use rustc_hash::FxHashSet;

use expect_test::Expect;

use crate::attr;
use crate::errors::Errors;
use crate::function::{GradFn, Options};
use crate::idle::idle;
use crate::ir::Func;
use crate::jvp::{self, jvp};
use crate::lanes::lanes;
use crate::lower;
use crate::mode::{self, Gradient};
use crate::pipeline::{self, Prepared};
use crate::print::{self, Notes, print};
use crate::second::Dual;
use crate::simplify::simplify;
use crate::vjp::{self, Seed, vjp};

fn parse(args: &str, source: &str) -> (GradFn, Prepared) {
    let mut errors = Errors::default();
    let args = args.parse().unwrap_or_default();
    let mut options = Options::default();
    options.read(args, &mut errors);
    let item = syn::parse_str(source).expect("a function");
    let function = attr::function(options, item, &syn::Generics::default(), &mut errors);
    let lowered = lower::lower(&function, pipeline::beside, &mut errors);
    match lowered {
        Some(lowered) => {
            let annotations = (&lowered.ascribed, &lowered.ascribed_places);
            let prepared =
                pipeline::prepare(&function, lowered.func, &lowered.written, annotations);
            (function, prepared)
        }
        None => panic!("refused: {:?}", errors.messages()),
    }
}

/// The primal with its active values marked.
pub(crate) fn check_primal(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    expect.assert_eq(&print::primal(&prepared.func, &prepared.activity));
}

/// Forward mode.
pub(crate) fn check_jvp(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let mut dual = jvp(&prepared.func, &prepared.activity, &prepared.wrt);
    simplify(&mut dual.func);
    expect.assert_eq(&jvp::printed(&dual));
}

/// Forward mode in several directions, which leaves out those in which nothing moves.
pub(crate) fn check_idle(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let mut dual = jvp(&prepared.func, &prepared.activity, &prepared.wrt);
    idle(&mut dual, &prepared.func);
    simplify(&mut dual.func);
    expect.assert_eq(&jvp::printed(&dual));
}

/// How many loops may leave them out.
pub(crate) fn idle_loops(source: &str) -> usize {
    let (_, prepared) = parse("", source);
    let mut dual = jvp(&prepared.func, &prepared.activity, &prepared.wrt);
    idle(&mut dual, &prepared.func);
    jvp::printed(&dual).matches("rt::lanes::moves").count()
}

/// Reverse mode as it is before its needs are met.
pub(crate) fn check_vjp(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let mut both = vjp(
        &prepared.func,
        &prepared.activity,
        &prepared.wrt,
        Seed::Late,
        FxHashSet::default(),
        false,
    );
    both.func.body.mark_split(both.split);
    simplify(&mut both.func);
    both.split = both.func.body.unmark_split();
    expect.assert_eq(&vjp::printed(&both));
}

/// Both sweeps with the seed known late.
pub(crate) fn check_late(source: &str, expect: &Expect) {
    check_sweeps("", source, Seed::Late, expect);
}

/// The text of both sweeps with the seed known late.
pub(crate) fn late_text(source: &str) -> String {
    let (function, prepared) = parse("", source);
    vjp::printed(&pipeline::reverse(&function, &prepared, Seed::Late).0)
}

/// Both sweeps with the seed known early.
pub(crate) fn check_early(source: &str, expect: &Expect) {
    check_sweeps("", source, Seed::Early, expect);
}

/// Both sweeps with the seed known early, and those of calls.
pub(crate) fn check_at_once(source: &str, expect: &Expect) {
    check_sweeps("", source, Seed::AtOnce, expect);
}

/// Both sweeps under options.
pub(crate) fn check_sweeps(args: &str, source: &str, seed: Seed, expect: &Expect) {
    let (function, prepared) = parse(args, source);
    expect.assert_eq(&vjp::printed(
        &pipeline::reverse(&function, &prepared, seed).0,
    ));
}

/// Both sweeps with tangents, the seed known late.
pub(crate) fn check_second(source: &str, expect: &Expect) {
    let (function, prepared) = parse("order = 2", source);
    let both = pipeline::reverse(&function, &prepared, Seed::Late).0;
    let dual = Dual::new(both, prepared.func.body.yields.len()).jvp(&prepared.wrt);
    let notes = Notes {
        extra: dual.extra(),
        split: Some(dual.split),
        ..Notes::default()
    };
    expect.assert_eq(&print(&dual.func, &notes));
}

/// The graph of a function before it is differentiated.
pub(crate) fn primal(source: &str) -> Func {
    parse("", source).1.func
}

/// A function whose signature was accepted.
pub(crate) fn function(source: &str) -> GradFn {
    parse("", source).0
}

/// The mode chosen for the gradient.
pub(crate) fn mode_of(args: &str, source: &str) -> Gradient {
    let (function, prepared) = parse(args, source);
    mode::gradient(&function, &prepared.func, &prepared.activity, &prepared.wrt)
}

/// Forward mode in all directions at once.
pub(crate) fn check_lanes(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let all = lanes(&prepared.func, &prepared.wrt);
    expect.assert_eq(&print(&all, &Notes::default()));
}
