//! The verifier catches broken graphs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::build::Build;
use crate::ir::{Func, Kind, Origin, Param, Path, Place, Prim, Ty, Value};
use crate::testing::primal;
use crate::verify::verify;

/// What the verifier says of a graph; empty if nothing is wrong.
fn complaint(func: &Func, extra: &[Param]) -> String {
    let verdict = catch_unwind(AssertUnwindSafe(|| verify(func, extra.iter().copied())));
    match verdict {
        Ok(()) => String::new(),
        Err(payload) => payload
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_default(),
    }
}

const LOOP: &str =
    "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; for _ in 0..n { y = y * x; } y }";
const BRANCH: &str = "fn f(x: f64) -> f64 { if x > 0.0 { x * x } else { x } }";

#[test]
fn lowered_graphs_are_sound() {
    assert_eq!(complaint(&primal(LOOP), &[]), "");
    assert_eq!(complaint(&primal(BRANCH), &[]), "");
}

#[test]
fn an_operand_is_defined_before_its_use() {
    let mut func = primal("fn f(x: f64) -> f64 { let y = x * x; y + x }");
    func.body.ops.swap(0, 1);
    assert!(complaint(&func, &[]).contains("(y) does not dominate its use"));
}

#[test]
fn an_index_is_an_operand() {
    let mut func = primal("fn f(xs: &[f64], n: usize) -> f64 { let i = n / 2; xs[i] }");
    func.body.ops.swap(0, 1);
    assert!(complaint(&func, &[]).contains("(i) does not dominate its use"));
}

#[test]
fn what_a_block_defines_ends_with_it() {
    let mut func = primal(BRANCH);
    let arms = func.body.ops.iter().find(|op| !op.blocks.is_empty());
    let inside = arms.map(|op| op.blocks[0].yields[0]);
    func.body.yields = inside.into_iter().collect();
    assert!(complaint(&func, &[]).contains("is yielded or recorded where it is not defined"));
}

#[test]
fn a_value_is_defined_once() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let again = func.body.ops[0].clone();
    func.body.ops.push(again);
    assert!(complaint(&func, &[]).contains("is defined twice"));
}

#[test]
fn a_parameter_is_not_defined_again() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let Some(&Param::Value(x)) = func.params.first() else {
        unreachable!("a parameter by value")
    };
    func.body.ops[0].results = vec![x];
    func.body.yields = vec![x];
    assert!(complaint(&func, &[]).contains("(x) is defined twice"));
}

#[test]
fn arms_yield_one_value_per_result() {
    let mut func = primal(BRANCH);
    for op in &mut func.body.ops {
        for block in op.blocks.iter_mut().skip(1) {
            block.yields.clear();
        }
    }
    assert!(complaint(&func, &[]).contains("If yields 0 values for 1"));
}

#[test]
fn a_loop_yields_what_it_carries() {
    let mut func = primal(LOOP);
    let Some(&Param::Value(x)) = func.params.first() else {
        unreachable!("a parameter by value")
    };
    for op in &mut func.body.ops {
        for block in &mut op.blocks {
            block.yields.push(x);
        }
    }
    assert!(complaint(&func, &[]).contains("yields 2 values for 1"));
}

#[test]
fn a_diverging_arm_yields_nothing() {
    let mut func = primal("fn f(x: f64) -> f64 { if x < 0.0 { panic!() } else { x } }");
    assert_eq!(complaint(&func, &[]), "");
    for op in &mut func.body.ops {
        for block in &mut op.blocks {
            block.diverges = false;
        }
    }
    assert!(complaint(&func, &[]).contains("If yields 0 values for 1"));
}

#[test]
fn a_place_exists() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let mut build = Build::new(&mut func, Origin::Derived);
    build.op(Kind::Load(Path::whole(Place(7))), Vec::new(), Ty::F64, "");
    let mut ops = build.ops;
    func.body.ops.append(&mut ops);
    assert!(complaint(&func, &[]).contains("no place Place(7)"));
}

#[test]
fn a_seed_is_visible_only_as_a_parameter() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let seed: Value = func.value("seed", Ty::F64);
    let mut build = Build::new(&mut func, Origin::Derived);
    let bar = build.prim(Prim::Neg, vec![seed], "x_dot");
    let mut ops = build.ops;
    func.body.ops.append(&mut ops);
    func.body.yields.push(bar);
    assert!(complaint(&func, &[]).contains("(seed) does not dominate its use"));
    assert_eq!(complaint(&func, &[Param::Value(seed)]), "");
}
