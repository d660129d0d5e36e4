//! Derivative code that nothing uses goes; the user's own stays.

use expect_test::expect;
use quote::quote;

use crate::build::Build;
use crate::ir::{Kind, Origin, Path, Prim, Storage, Ty};
use crate::print::{Notes, print};
use crate::simplify::simplify;
use crate::testing::primal;

#[test]
fn unused_derived_operations_go_with_what_only_they_use() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let y = func.body.yields[0];
    let mut build = Build::new(&mut func, Origin::Derived);
    let a = build.prim(Prim::Add, vec![y, y], "a");
    let b = build.prim(Prim::Mul, vec![a, y], "b");
    build.prim(Prim::Neg, vec![b], "c");
    let mut ops = build.ops;
    func.body.ops.append(&mut ops);
    simplify(&mut func);
    expect![[r#"
        fn(x) {
          v0 = x * x
          yield v0
        }"#]]
    .assert_eq(&print(&func, &Notes::default()));
}

#[test]
fn used_derived_operations_stay() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let y = func.body.yields[0];
    let mut build = Build::new(&mut func, Origin::Derived);
    let a = build.prim(Prim::Add, vec![y, y], "a");
    let mut ops = build.ops;
    func.body.ops.append(&mut ops);
    func.body.yields = vec![a];
    simplify(&mut func);
    expect![[r#"
        fn(x) {
          v0 = x * x
          a = v0 + v0
          yield a
        }"#]]
    .assert_eq(&print(&func, &Notes::default()));
}

#[test]
fn effects_stay() {
    let mut func = primal("fn f(x: f64) -> f64 { x * x }");
    let y = func.body.yields[0];
    let p = func.place("p", Ty::F64, Storage::Local);
    let mut build = Build::new(&mut func, Origin::Derived);
    build.push(Kind::New(p), vec![y], Vec::new());
    let k = build.literal(quote!(2.0), Ty::F64);
    build.push(Kind::Store(Path::whole(p)), vec![k], Vec::new());
    build.op(Kind::Load(Path::whole(p)), Vec::new(), Ty::F64, "unused");
    let mut ops = build.ops;
    func.body.ops.append(&mut ops);
    simplify(&mut func);
    expect![[r#"
        fn(x) {
          v0 = x * x
          new p = v0
          store p = 2.0
          yield v0
        }"#]]
    .assert_eq(&print(&func, &Notes::default()));
}

#[test]
fn unused_operations_of_the_user_stay() {
    let mut func = primal("fn f(x: f64, xs: &[f64]) -> f64 { let y = xs[9] / x; x * x }");
    simplify(&mut func);
    expect![[r#"
        fn(x, &xs) {
          v0 = load xs[9]
          y = v0 / x
          v1 = x * x
          yield v1
        }"#]]
    .assert_eq(&print(&func, &Notes::default()));
}
