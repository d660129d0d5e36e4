//! Operations on tensors that go entry by entry become kernels, and chains of them one.

use expect_test::expect;

use crate::testing::{check_at_once, check_early, check_primal, check_sweeps};
use crate::vjp::Seed;

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
                  d_k = seed * v5
                  v6 = d_k * v1
                  v7 = d_k * v0
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

#[test]
fn dear_values_are_remembered() {
    check_early(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64> { (a + 1.0).tanh() * (b.abs() + b).sqrt() }",
        &expect![[r#"
            fn(&a, &b; seed, &mut d_a, &mut d_b) {
              v0 = load a
              v1 = load b
              v2, v3 = map (v1, v0) to entries, entries
                fn(v0, v1) {
                  v2 = abs(v0)
                  v3 = v2 + v0
                  v4 = sqrt(v3)
                  v5 = v1 + 1.0
                  v6 = tanh(v5)
                  v7 = v6 * v4
                  yield v7, v6
                }
              // reverse
              v4, v5 = map (v1, v0, seed, v3) to like v1, like v0
                fn(v0, v1, seed, v2) {
                  v3 = abs(v0)
                  v4 = v3 + v0
                  v5 = sqrt(v4)
                  v6 = v1 + 1.0
                  v7 = seed * v5
                  v8 = seed * v2
                  v9 = dtanh(v6, v2)
                  v10 = v7 * v9
                  v11 = 0.5 / v5
                  v12 = smul(v8, v11)
                  v13 = sign(v0)
                  v14 = select(v12, v13)
                  v15 = v12 + v14
                  yield v15, v10
                }
              store d_b += v4
              store d_a += v5
              yield v2
            }"#]],
    );
}

#[test]
fn a_result_that_is_dear_is_remembered_itself() {
    check_early(
        "fn f(a: &Tensor<f64>) -> Tensor<f64> { (a * a).exp() }",
        &expect![[r#"
            fn(&a; seed, &mut d_a) {
              v0 = load a
              v1 = map (v0)
                fn(v0) {
                  v1 = v0 * v0
                  v2 = exp(v1)
                  yield v2
                }
              // reverse
              v2 = map (v0, seed, v1) to like v0
                fn(v0, seed, v1) {
                  v2 = smul(seed, v1)
                  v3 = v2 * v0
                  v4 = v2 * v0
                  v5 = v3 + v4
                  yield v5
                }
              store d_a += v2
              yield v1
            }"#]],
    );
}

#[test]
fn a_mean_goes_into_the_kernel_before_it() {
    check_early(
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 { let d = a - b; (&d * &d).mean() }",
        &expect![[r#"
            fn(&a, &b; seed, &mut d_a, &mut d_b) {
              v0 = load a
              v1 = load b
              v2, count = map (v0, v1) to mean, count
                fn(v0, v1) {
                  v2 = v0 - v1
                  v3 = v2 * v2
                  yield v3, v3
                }
              // reverse
              v3 = seed / count
              v4, v5 = map (v0, v1, v3) to like v0, like v1
                fn(v0, v1, seed) {
                  v2 = v0 - v1
                  v3 = seed * v2
                  v4 = seed * v2
                  v5 = v3 + v4
                  v6 = -v5
                  yield v5, v6
                }
              store d_b += v5
              store d_a += v4
              yield v2
            }"#]],
    );
}

#[test]
fn of_a_constant_the_shape_counts() {
    crate::testing::check_jvp(
        "fn f(x: &Tensor<f64>, #[constant] c: &Tensor<f64>) -> Tensor<f64> { x * 2.0 + c }",
        &expect![[r#"
            fn(&x, &c; &x_dot) {
              v0 = load x
              v1 = load x_dot
              v2 = load c
              v3 = map (v0, v2)
                fn(v0, v1) {
                  v2 = v0 * 2.0
                  v3 = v2 + v1
                  yield v3
                }
              v4 = map (v0, v2, v1)
                fn(v0, v1, v2) {
                  v3 = v2 * 2.0
                  yield v3
                }
              yield v3, v4
            }"#]],
    );
}

#[test]
fn numbers_of_integers_that_a_closure_captures_are_operands() {
    check_primal(
        "fn f(x: &Tensor<f64>, #[constant] n: usize, k: f64) -> Tensor<f64> { x.map(|v| v / n as f64 + k) }",
        &expect![[r#"
            fn(&x*, n, k*) {
              v0* = load x*
              v1 = pure `n as f64`
              v2* = map (v0*, k*, v1)
                fn(v0, k, v1) {
                  v2 = v0 / v1
                  v3 = v2 + k
                  yield v3
                }
              yield v2*
            }"#]],
    );
}

#[test]
fn a_function_that_fills_the_registers_begins_a_kernel() {
    check_primal(
        "fn f(h: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64> { (h + b).gelu() * 2.0 }",
        &expect![[r#"
            fn(&h*, &b*) {
              v0* = load h*
              v1* = load b*
              v2* = map (v0*, v1*)
                fn(v0, v1) {
                  v2 = v0 + v1
                  yield v2
                }
              v3* = map (v2*)
                fn(v0) {
                  v1 = gelu(v0)
                  v2 = v1 * 2.0
                  yield v2
                }
              yield v3*
            }"#]],
    );
}

#[test]
fn a_wrong_link_is_a_mutation() {
    check_sweeps(
        "__mutate = \"drop_link\"",
        "fn f(a: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64> { (a * b).abs() }",
        Seed::Early,
        &expect![[r#"
            fn(&a, &b; seed, &mut d_a, &mut d_b) {
              v0 = load a
              v1 = load b
              shape = shape of v1
              v2 = map (v0, v1)
                fn(v0, v1) {
                  v2 = v0 * v1
                  v3 = abs(v0)
                  yield v3
                }
              // reverse
              v3 = zero of shape
              v4, v5 = map (v0, v3, seed) to like v0, like v3
                fn(v0, v1, seed) {
                  v2 = sign(v0)
                  v3 = select(seed, v2)
                  yield v3, 0.0
                }
              store d_b += v5
              store d_a += v4
              yield v2
            }"#]],
    );
}

#[test]
fn what_is_folded_along_an_axis_is_a_kernel() {
    check_early(
        "fn f(x: &Tensor<f64>) -> Tensor<f64> { let d = x - x.mean_axis_keep(1); let v = (&d * &d).sum_axis_keep(1); d / (v + 1e-5).sqrt() }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              v0 = load x
              shape = shape of v0
              shape#2 = shape of v0
              v1, count = map (v0) to mean along 1, count along 1
                fn(v0) {
                  yield v0, v0
                }
              v2 = map (v0, v1)
                fn(v0, v1) {
                  v2 = v0 - v1
                  yield v2
                }
              v = map (v2) to sum along 1
                fn(v0) {
                  v1 = v0 * v0
                  yield v1
                }
              v3 = map (v)
                fn(v) {
                  v0 = v + 1e-5
                  v1 = sqrt(v0)
                  yield v1
                }
              v4 = map (v2, v3)
                fn(v0, v1) {
                  v2 = v0 / v1
                  yield v2
                }
              shape#3 = shape of v1
              // reverse
              v5 = zero of shape#2
              v6 = zero of shape#3
              v7 = zero of shape
              v8 = map (v0, v1)
                fn(v0, v1) {
                  v2 = v0 - v1
                  yield v2
                }
              v9 = map (v8, v3, seed) to like v3
                fn(v0, v1, seed) {
                  v2 = v0 / v1
                  v3 = sdiv(seed, v1)
                  v4 = smul(v3, v2)
                  v5 = -v4
                  yield v5
                }
              d_v = map (v, v9) to like v
                fn(v, seed) {
                  v0 = v + 1e-5
                  v1 = sqrt(v0)
                  v2 = 0.5 / v1
                  d_v = smul(seed, v2)
                  yield d_v
                }
              v10, v11 = map (v8, d_v, v3, seed) to like v8, like d_v
                fn(v0, seed, v1, seed#2) {
                  v2 = absorb(seed, v0)
                  v3 = v2 + v2
                  v4 = sdiv(seed#2, v1)
                  v5 = v4 + v3
                  v6 = -v5
                  yield v5, v6
                }
              v12 = map (v11, count)
                fn(v0, v1) {
                  v2 = sdiv(v0, v1)
                  yield v2
                }
              v13 = map (v12, v10)
                fn(seed, v0) {
                  v1 = v0 + seed
                  yield v1
                }
              store d_x += v13
              yield v4
            }"#]],
    );
}

#[test]
fn both_sweeps_along_rows_are_one_program() {
    check_at_once(
        "fn f(x: &Tensor<f64>) -> Tensor<f64> { let e = x.exp(); &e / e.sum_axis_keep(1) }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              v0 = load x
              v1, v2 = map (v0) to entries, sum along 1
                fn(v0) {
                  v1 = exp(v0)
                  yield v1, v1
                }
              v3, v4 = map (v1, v2, seed) to entries, like v2
                fn(v0, v1, seed) {
                  v2 = v0 / v1
                  v3 = sdiv(seed, v1)
                  v4 = smul(v3, v2)
                  v5 = -v4
                  yield v2, v5
                }
              v5 = map (v4, v2, seed, v1) to like v1
                fn(seed, v0, seed#2, v1) {
                  v2 = sdiv(seed#2, v0)
                  v3 = v2 + seed
                  v4 = smul(v3, v1)
                  yield v4
                }
              // reverse
              store d_x += v5
              yield v3
            }"#]],
    );
    // Kernels that fold nothing, and those with another operation between them, stay in their sweeps.
    check_at_once(
        "fn f(x: &Tensor<f64>, w: &Tensor<f64>) -> Tensor<f64> { let e = x.exp(); (&e / e.sum_axis_keep(1)).matmul(w).exp() }",
        &expect![[r#"
            fn(&x, &w; seed, &mut d_x, &mut d_w) {
              v0 = load x
              shape = shape of v0
              v1 = map (v0)
                fn(v0) {
                  v1 = exp(v0)
                  yield v1
                }
              v2 = map (v1) to sum along 1
                fn(v0) {
                  yield v0
                }
              v3 = map (v1, v2)
                fn(v0, v1) {
                  v2 = v0 / v1
                  yield v2
                }
              shape#2 = shape of v1
              new t = v3
              shape#3 = shape of t
              v4, back = forward matmul(&t, &w)
              new t#2 = v4
              v5 = load t#2
              shape#4 = shape of v5
              v6 = map (v5)
                fn(v0) {
                  v1 = exp(v0)
                  yield v1
                }
              // reverse
              new d_t = zero of shape#3
              v7 = zero of shape#4
              v8 = map (seed, v6) to like v6
                fn(seed, v0) {
                  v1 = smul(seed, v0)
                  yield v1
                }
              new d_t#2 = v8
              v9 = take d_t#2
              backward back(v9, &t, &w; d_t, d_w)
              v10 = take d_t
              v11 = zero of shape#2
              v12 = zero of shape
              v13, v14 = map (v1, v2, v10) to like v1, like v2
                fn(v0, v1, seed) {
                  v2 = v0 / v1
                  v3 = sdiv(seed, v1)
                  v4 = smul(v3, v2)
                  v5 = -v4
                  yield v3, v5
                }
              v15 = map (v14, v13, v1) to like v13
                fn(seed, v0, v1) {
                  v2 = v0 + seed
                  v3 = smul(v2, v1)
                  yield v3
                }
              store d_x += v15
              yield v6
            }"#]],
    );
}

#[test]
fn those_that_are_tied_share_what_comes_for_the_largest() {
    check_early(
        "fn f(x: &Tensor<f64>) -> Tensor<f64> { x - x.max_axis_keep(-1) }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              v0 = load x
              v1 = pure `- 1`
              shape = shape of v0
              v2 = map (v0) to max along -1
                fn(v0) {
                  yield v0
                }
              v3 = map (v0, v2)
                fn(v0, v1) {
                  v2 = v0 - v1
                  yield v2
                }
              shape#2 = shape of v2
              // reverse
              v4 = zero of shape
              v5 = zero of shape#2
              v6 = map (v4, v5, seed) to like v5
                fn(v0, v1, seed) {
                  v2 = -seed
                  yield v2
                }
              v7 = map (v0, v2) to sum along -1
                fn(v0, v1) {
                  v2 = tied(v0, v1)
                  yield v2
                }
              v8 = map (v6, v7)
                fn(v0, v1) {
                  v2 = v0 / v1
                  yield v2
                }
              v9 = map (v0, v2, v8, seed)
                fn(v0, v1, v2, seed) {
                  v3 = tied(v0, v1)
                  v4 = zmul(v2, v3)
                  v5 = seed + v4
                  yield v5
                }
              store d_x += v9
              yield v3
            }"#]],
    );
    crate::testing::check_jvp(
        "fn f(x: &Tensor<f64>) -> Tensor<f64> { x.max_axis_keep(-1) }",
        &expect![[r#"
            fn(&x; &x_dot) {
              v0 = pure `- 1`
              v1 = load x
              v2 = load x_dot
              v3 = map (v1) to max along -1
                fn(v0) {
                  yield v0
                }
              v4 = map (v1, v3, v2) to sum along -1
                fn(v0, v1, v2) {
                  v3 = tied(v0, v1)
                  v4 = zmul(v2, v3)
                  yield v4
                }
              v5 = map (v1, v3) to sum along -1
                fn(v0, v1) {
                  v2 = tied(v0, v1)
                  yield v2
                }
              v6 = map (v4, v5)
                fn(v0, v1) {
                  v2 = v0 / v1
                  yield v2
                }
              yield v3, v6
            }"#]],
    );
}

#[test]
fn of_a_lane_nothing_is_computed_for_each_entry() {
    check_primal(
        "fn f(x: &Tensor<f64>) -> Tensor<f64> { let s = x.sum_axis_keep(0); let h = x * 2.0; h / (s * 0.5 + 1.0).sqrt() }",
        &expect![[r#"
            fn(&x*) {
              v0* = load x*
              s* = map (v0*) to sum along 0
                fn(v0) {
                  yield v0
                }
              v1* = map (s*)
                fn(s) {
                  v0 = s * 0.5
                  v1 = v0 + 1.0
                  v2 = sqrt(v1)
                  yield v2
                }
              v2* = map (v0*, v1*)
                fn(v0, v1) {
                  v2 = v0 * 2.0
                  v3 = v2 / v1
                  yield v3
                }
              yield v2*
            }"#]],
    );
}

#[test]
fn where_shapes_are_not_known_to_be_one_kernels_stay_apart() {
    check_early(
        "fn f(x: &Tensor<f64>, y: &Tensor<f64>) -> Tensor<f64> { let e = x.exp(); let h = &e + 1.0; &h * y + &h * &e }",
        &expect![[r#"
            fn(&x, &y; seed, &mut d_x, &mut d_y) {
              v0 = load x
              v1 = load y
              shape = shape of v0
              v2, v3 = map (v0, v1) to entries, entries
                fn(v0, v1) {
                  v2 = exp(v0)
                  v3 = v2 + 1.0
                  v4 = v3 * v2
                  v5 = v3 * v1
                  v6 = v5 + v4
                  yield v6, v2
                }
              // reverse
              v4 = zero of shape
              v5, v6 = map (v4, v1, seed, v3) to like v4, like v1
                fn(v0, v1, seed, v2) {
                  v3 = v2 + 1.0
                  v4 = seed * v1
                  v5 = seed * v3
                  v6 = seed * v2
                  v7 = v4 + v6
                  v8 = seed * v3
                  v9 = v8 + v7
                  v10 = smul(v9, v2)
                  yield v10, v5
                }
              store d_y += v6
              store d_x += v5
              yield v2
            }"#]],
    );
}

/// A kernel of the forward sweep that gives what one of the reverse sweep reads.
const TWICE: &str = "fn f(a: &Tensor<f64>) -> f64 { (a * 2.0).tanh().sum() }";

#[test]
fn kernels_of_both_sweeps_stay_apart_where_that_is_asked_for() {
    check_sweeps(
        "__beside_nothing",
        TWICE,
        Seed::AtOnce,
        &expect![[r#"
        fn(&a; seed, &mut d_a) {
          v0 = load a
          v1 = map (v0) to sum
            fn(v0) {
              v1 = v0 * 2.0
              v2 = tanh(v1)
              yield v2
            }
          // reverse
          v2 = map (v0, seed) to like v0
            fn(v0, seed) {
              v1 = v0 * 2.0
              v2 = tanh(v1)
              v3 = dtanh(v1, v2)
              v4 = seed * v3
              v5 = v4 * 2.0
              yield v5
            }
          store d_a += v2
          yield v1
        }"#]],
    );
}

#[test]
fn a_wrong_link_between_both_sweeps_is_a_mutation() {
    check_sweeps(
        "__mutate = \"drop_beside\"",
        TWICE,
        Seed::AtOnce,
        &expect![[r#"
            fn(&a; seed, &mut d_a) {
              v0 = load a
              v1, v2 = map (v0) to sum, like v0
                fn(v0) {
                  v1 = v0 * 2.0
                  v2 = tanh(v1)
                  v3 = v0 * 2.0
                  v4 = tanh(v3)
                  v5 = dtanh(v3, v4)
                  v6 = v0 * v5
                  v7 = v6 * 2.0
                  yield v2, v7
                }
              // reverse
              store d_a += v2
              yield v1
            }"#]],
    );
}
