//! Operations on tensors that go entry by entry become kernels, and chains of them one.

use expect_test::expect;

use crate::testing::{check_early, check_primal};

#[test]
fn a_chain_is_one_kernel() {
    check_primal(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>, c: &Tensor<f64>) -> Tensor<f64> { let h = a * b; let k = h + c; k.tanh() * 2.0 }",
        &expect![[r#"
            fn(&a*, &b*, &c*) {
              v0* = load a*
              v1* = load b*
              v2* = load c*
              v3* = map (v0*, v1*, v2*)
                fn(v0, v1, v2) {
                  v3 = v0 * v1
                  v4 = v3 + v2
                  v5 = tanh(v4)
                  v6 = v5 * 2.0
                  yield v6
                }
              yield v3*
            }"#]],
    );
}

#[test]
fn what_is_read_twice_is_a_kernel_of_its_own() {
    check_primal(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 { let h = a * b; let k = &h + 1.0; h.sum() * k.sum() }",
        &expect![[r#"
            fn(&a*, &b*) {
              v0* = load a*
              v1* = load b*
              v2* = map (v0*, v1*)
                fn(v0, v1) {
                  v2 = v0 * v1
                  yield v2
                }
              new h* = v2*
              v3* = load h*
              v4* = call __own_sum(&h*)
              v5* = map (v3*) to sum
                fn(v0) {
                  v1 = v0 + 1.0
                  yield v1
                }
              v6* = v4* *' v5*
              yield v6*
            }"#]],
    );
}

#[test]
fn what_one_kernel_reads_twice_is_an_operand_once() {
    check_primal(
        "fn f(a: &Tensor<f32>, b: &Tensor<f32>) -> Tensor<f32> { let d = a - b; &d * &d }",
        &expect![[r#"
            fn(&a*, &b*) {
              v0* = load a*
              v1* = load b*
              v2* = map (v0*, v1*)
                fn(v0, v1) {
                  v2 = v0 - v1
                  v3 = v2 * v2
                  yield v3
                }
              yield v2*
            }"#]],
    );
}

#[test]
fn what_is_not_known_to_be_a_tensor_is_left_alone() {
    check_primal(
        "fn f(l: &Layer, x: &Tensor<f64>) -> Tensor<f64> { let h = &l.w * &l.b; x + h }",
        &expect![[r#"
            fn(&l*, &x*) {
              v0* = load l*.w
              v1* = load l*.b
              h* = v0* *' v1*
              v2* = load x*
              v3* = map (v2*, h*)
                fn(v0, h) {
                  v1 = v0 + h
                  yield v1
                }
              yield v3*
            }"#]],
    );
}

#[test]
fn the_cotangents_of_a_chain_are_one_kernel() {
    check_early(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>, k: f64) -> Tensor<f64> { (a * b + k).tanh() }",
        &expect![[r#"
            fn(&a, &b, k; seed, &mut d_a, &mut d_b) {
              v0 = load a
              v1 = load b
              v2 = map (v0, v1, k)
                fn(v0, v1, k) {
                  v2 = v0 * v1
                  v3 = v2 + k
                  v4 = tanh(v3)
                  yield v4
                }
              // reverse
              v3, v4, d_k = map (v0, v1, k, seed) to like v0, like v1, like k
                fn(v0, v1, k, seed) {
                  v2 = v0 * v1
                  v3 = v2 + k
                  v4 = tanh(v3)
                  v5 = dtanh(v3, v4)
                  d_k = zmul(seed, v5)
                  v6 = zmul(d_k, v1)
                  v7 = zmul(d_k, v0)
                  yield v6, v7, d_k
                }
              store d_b += v4
              store d_a += v3
              yield v2, d_k
            }"#]],
    );
}

#[test]
fn of_what_is_only_added_the_shape_is_kept() {
    crate::testing::check_late(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64> { let h = a.softmax(0); h + b }",
        &expect![[r#"
            fn(&a, &b; seed, &mut d_a, &mut d_b) {
              h, back = forward softmax(&a, 0)
              v0 = load b
              shape = shape of h
              shape#2 = shape of v0
              v1 = map (h, v0)
                fn(h, v0) {
                  v1 = h + v0
                  yield v1
                }
              // reverse
              v2 = zero of shape
              v3 = zero of shape#2
              d_h, v4 = map (v2, v3, seed) to like v2, like v3
                fn(h, v0, seed) {
                  yield seed, seed
                }
              store d_b += v4
              d_ = backward back(d_h, &a, _; d_a)
              yield v1
            }"#]],
    );
}
