//! Operations on tensors that go entry by entry become kernels, and chains of them one.

use expect_test::expect;

use crate::testing::{check_early, check_primal};

#[test]
fn a_chain_is_one_kernel() {
    check_primal(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>, c: &Tensor<f64>) -> Tensor<f64> { let h = a * b; let k = h + c; k.tanh() * 2.0 }",
        &expect![[r#""#]],
    );
}

#[test]
fn what_is_read_twice_is_a_kernel_of_its_own() {
    check_primal(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 { let h = a * b; let k = &h + 1.0; h.sum() * k.sum() }",
        &expect![[r#""#]],
    );
}

#[test]
fn what_one_kernel_reads_twice_is_an_operand_once() {
    check_primal(
        "fn f(a: &Tensor<f32>, b: &Tensor<f32>) -> Tensor<f32> { let d = a - b; &d * &d }",
        &expect![[r#""#]],
    );
}

#[test]
fn what_is_not_known_to_be_a_tensor_is_left_alone() {
    check_primal(
        "fn f(l: &Layer, x: &Tensor<f64>) -> Tensor<f64> { let h = &l.w * &l.b; x + h }",
        &expect![[r#""#]],
    );
}

#[test]
fn the_cotangents_of_a_chain_are_one_kernel() {
    check_early(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>, k: f64) -> Tensor<f64> { (a * b + k).tanh() }",
        &expect![[r#""#]],
    );
}
