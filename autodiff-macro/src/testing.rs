//! Source in, text out: the helpers of the passes' tests.

use expect_test::Expect;
use proc_macro2::TokenStream;

use crate::attr::{self, GradFn};
use crate::errors::Errors;
use crate::expand::{self, Prepared};
use crate::ir::{Func, Param};
use crate::lower;
use crate::print::print;
use crate::vjp::Seed;

fn parse(args: &str, source: &str) -> (GradFn, Prepared) {
    let mut errors = Errors::default();
    let args: TokenStream = args.parse().unwrap_or_default();
    let function = attr::attr(args, source.parse().unwrap_or_default(), &mut errors);
    let lowered = function.as_ref().and_then(|f| lower::lower(f, &mut errors));
    match (function, lowered) {
        (Some(function), Some(lowered)) => {
            let prepared = expand::prepare(&function, lowered.func);
            (function, prepared)
        }
        _ => panic!("refused: {:?}", errors.messages()),
    }
}

/// The primal with its active values marked.
pub(crate) fn check_primal(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    expect.assert_eq(&print(&prepared.func, Some(&prepared.activity)));
}

/// Forward mode.
pub(crate) fn check_jvp(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let mut dual = crate::jvp::jvp(&prepared.func, &prepared.activity, &prepared.wrt);
    crate::simplify::simplify(&mut dual.func);
    expect.assert_eq(&print(&dual.func, None));
}

/// Reverse mode as it is before its needs are met.
pub(crate) fn check_vjp(source: &str, expect: &Expect) {
    let (_, prepared) = parse("", source);
    let mut both = crate::vjp::vjp(&prepared.func, &prepared.activity, &prepared.wrt, Seed::Late);
    crate::simplify::simplify(&mut both.func);
    expect.assert_eq(&print(&both.func, None));
}

/// Both sweeps with the seed known late.
pub(crate) fn check_late(source: &str, expect: &Expect) {
    check_sweeps("", source, Seed::Late, expect);
}

/// Both sweeps with the seed known early.
pub(crate) fn check_early(source: &str, expect: &Expect) {
    check_sweeps("", source, Seed::Early, expect);
}

/// Both sweeps under options.
pub(crate) fn check_sweeps(args: &str, source: &str, seed: Seed, expect: &Expect) {
    expect.assert_eq(&print(&sweeps(args, source, seed), None));
}

/// Both sweeps as a graph.
pub(crate) fn sweeps(args: &str, source: &str, seed: Seed) -> Func {
    let (function, prepared) = parse(args, source);
    expand::reverse(&function, &prepared, seed).func
}

/// The parameters with respect to which a function is differentiated.
pub(crate) fn wrt(source: &str) -> Vec<Param> {
    parse("", source).1.wrt
}

/// The messages of a refused function.
pub(crate) fn refusals(args: &str, source: &str) -> Vec<String> {
    let mut errors = Errors::default();
    let function = attr::attr(args.parse().unwrap_or_default(), source.parse().unwrap_or_default(), &mut errors);
    if let Some(function) = function.filter(|_| errors.is_empty()) {
        lower::lower(&function, &mut errors);
    }
    errors.messages()
}
