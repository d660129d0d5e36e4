//! Operations that change more than one element, or a length, through all passes.

use expect_test::expect;

use crate::testing::{check_jvp, check_late, check_primal, check_vjp};

#[test]
fn a_push_is_undone_by_a_pop() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut v = vec![x]; for i in 0..n { let t = v[i] * v[i]; v.push(t); } v[n] }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = vec![x]
              new v = v0
              for i in 0..n {
                v1 = load v[i]
                t = v1 * v1
                push v(t)
              }
              shape = shape of v
              v2 = load v[n]
              // reverse
              new d_v = zero of shape
              store d_v[n] = seed
              for i#2 in rev 0..n {
                d_t = pop d_v()
                v3 = pop v()
                v4 = load v[i#2]
                v5 = d_t * v4
                v6 = d_t * v4
                v7 = v5 + v6
                store d_v[i#2] += v7
              }
              v8 = take d_v
              d_x = v8[0]
              yield v2, d_x
            }"#]],
    );
}

#[test]
fn a_pop_takes_its_adjoint_along() {
    check_vjp(
        "fn f(x: f64) -> f64 { let mut v = vec![x, 2.0]; let t = v.pop().unwrap(); v[0] * t }",
        &expect![[r#"
            fn(x; seed) {
              v0 = vec![x, 2.0]
              new v = v0
              t = pop v()
              shape = shape of v
              v1 = load v[0]
              v2 = v1 * t
              // reverse
              shape#2 = need shape
              new d_v = zero of shape#2
              t#2 = need t
              v3 = seed * t#2
              v4 = need v1
              d_t = seed * v4
              v5 = need 0
              store d_v[v5] += v3
              push d_v(d_t)
              undo: push v(t#2)
              v6 = take d_v
              d_x = v6[0]
              yield v2, d_x
            }"#]],
    );
}

#[test]
fn the_tangents_change_their_length_too() {
    check_jvp(
        "fn f(x: f64) -> f64 { let mut v = Vec::new(); v.push(x); v.push(1.0); v.insert(0, x * x); let t = v.remove(1); v[0] * t }",
        &expect![[r#"
            fn(x; x_dot) {
              v0 = opaque `Vec::new()`
              v1 = zero like v0
              new v = v0
              new v_dot = v1
              push v_dot(x_dot)
              push v(x)
              push v_dot(0.0)
              push v(1.0)
              v2 = x * x
              v3 = x_dot * x
              v4 = x_dot * x
              v5 = v3 + v4
              insert v_dot(0, v5)
              insert v(0, v2)
              t = remove v(1)
              t_dot = remove v_dot(1)
              v6 = load v[0]
              v7 = load v_dot[0]
              v8 = v6 * t
              v9 = v7 * t
              v10 = t_dot * v6
              v11 = v9 + v10
              yield v8, v11
            }"#]],
    );
}

#[test]
fn truncate_cuts_at_the_smaller_length() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut v = vec![x; 3]; v.truncate(n); v[0] }",
        &expect![[r#"
            fn(x*, n) {
              v0* = vec![x*; 3]
              new v* = v0*
              n#2 = len v*
              v1 = pure `::core::cmp::Ord::min(n, n#2)`
              v2 = cut v*(v1)
              v3* = load v*[0]
              yield v3*
            }"#]],
    );
}

#[test]
fn the_shadow_begins_with_the_last_shape() {
    check_vjp(
        "fn f(x: f64) -> f64 { let mut m = vec![0.0; 1]; m[0] = x; m = vec![x, x * x]; m[1] }",
        &expect![[r#"
            fn(x; seed) {
              v0 = opaque `vec![0.0; 1]`
              new m = v0
              store m[0] = x
              v1 = x * x
              v2 = vec![x, v1]
              shape = shape of m
              store m = v2
              shape#2 = shape of m
              v3 = load m[1]
              // reverse
              shape#3 = need shape#2
              new d_m = zero of shape#3
              v4 = need 1
              store d_m[v4] += seed
              shape#4 = need shape
              v5 = zero of shape#4
              v6 = replace d_m = v5
              restore m
              d_x = v6[0]
              v7 = v6[1]
              x#2 = need x
              d_x#2 = v7 * x#2
              d_x#3 = d_x + d_x#2
              d_x#4 = v7 * x#2
              d_x#5 = d_x#3 + d_x#4
              v8 = need 0
              d_x#6 = load and zero d_m[v8]
              restore m[v8]
              d_x#7 = d_x#5 + d_x#6
              yield v3, d_x#7
            }"#]],
    );
}

#[test]
fn rows_are_exchanged_where_they_lie() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut m = vec![vec![x], vec![1.0]]; let mut s = x; for i in 0..n { s = s * m[0][0]; m.swap(0, 1); m[0][0] = s; } s }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = vec![x]
              v1 = opaque `vec![1.0]`
              v2 = vec![v0, v1]
              new m = v2
              s#2 = for i in 0..n, s = x on tape 0 {
                v3 = load m[0][0]
                s#3 = s * v3
                swap m[0], m[1]
                store m[0][0] = s#3
                record v3, s
                yield s#3
              }
              shape = shape of m
              // reverse
              new d_m = zero of shape
              d_s#2 = for i#2 in rev 0..n, d_s = seed on tape 0 {
                recall v4, s#4
                d_s#3 = load and zero d_m[0][0]
                d_s#4 = d_s + d_s#3
                swap d_m[0], d_m[1]
                d_s#5 = d_s#4 * v4
                v5 = d_s#4 * s#4
                store d_m[0][0] += v5
                yield d_s#5
              }
              v6 = take d_m
              v7 = v6[0]
              d_x = v7[0]
              d_s#6 = d_s#2 + d_x
              yield s#2, d_s#6
            }"#]],
    );
}

#[test]
fn copies_and_fills_are_one_operation_in_both_sweeps() {
    check_vjp(
        "fn f(a: &mut [f64], b: &[f64], x: f64) -> f64 { a[1..3].copy_from_slice(b); a.fill(x); a[0] }",
        &expect![[r#"
            fn(&mut a, &b, x; seed, &mut d_a, &mut d_b) {
              copy a[1..3] = b
              fill a = x
              v0 = load a[0]
              // reverse
              v1 = need 0
              store d_a[v1] += seed
              d_x = sum and zero d_a from 0.0
              restore a
              v2 = need 1
              v3 = need 3
              give d_b += d_a[v2..v3]
              restore a[v2..v3]
              yield v0, d_x
            }"#]],
    );
}

#[test]
fn what_is_copied_over_is_saved_at_once() {
    check_late(
        "fn f(b: &[f64], x: f64, n: usize) -> f64 { let mut a = vec![x; 2]; let mut s = x; for _ in 0..n { for i in 0..2 { s = s * a[i]; } a.copy_from_slice(b); a[1] = s; } s }",
        &expect![[r#"
            fn(&b, x, n; seed, &mut d_b) {
              v0 = vec![x; 2]
              new a = v0
              shape = shape of a
              s#2 = for v1 in 0..n, s = x on tape 1 {
                s#4 = for i in 0..2, s#3 = s on tape 0 {
                  v2 = load a[i]
                  s#5 = s#3 * v2
                  record s#3
                  yield s#5
                }
                old = to_vec a[..]
                copy a[..] = b
                old#2 = load a[1]
                store a[1] = s#4
                record old#2, old
                yield s#4
              }
              // reverse
              new d_a = zero of shape
              d_s#2 = for v3 in rev 0..n, d_s = seed on tape 1 {
                recall old#3, old#4
                d_s#3 = load and zero d_a[1]
                store a[1] = old#3
                d_s#4 = d_s + d_s#3
                give d_b += d_a[..]
                store a[..] = old#4
                d_s#6 = for i#2 in rev 0..2, d_s#5 = d_s#4 on tape 0 {
                  recall s#6
                  v4 = load a[i#2]
                  d_s#7 = d_s#5 * v4
                  v5 = d_s#5 * s#6
                  store d_a[i#2] += v5
                  yield d_s#7
                }
                yield d_s#6
              }
              v6 = take d_a
              d_x = sum of v6 from -0.0
              d_s#8 = d_s#2 + d_x
              yield s#2, d_s#8
            }"#]],
    );
}

#[test]
fn an_element_of_a_window_is_one_of_the_whole() {
    check_primal(
        "fn f(y: &[f64]) -> f64 { let mut s = 0.0; for w in y.windows(2) { s += w[0] * w[1]; } s }",
        &expect![[r#"
            fn(&y*) {
              n = len y*
              v0 = pure `::core::primitive::usize::saturating_sub(n + 1, 2)`
              s#2* = for k in 0..v0, s* = 0.0 {
                v1 = pure `k + 2`
                v2* = load y*[k]
                v3 = pure `k + 1`
                v4* = load y*[v3]
                v5* = v2* * v4*
                s#3* = s* + v5*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

#[test]
fn a_chunk_is_a_range() {
    check_primal(
        "fn f(y: &[f64]) -> f64 { let mut s = 0.0; for c in y.chunks(2) { s += c[0]; } s }",
        &expect![[r#"
            fn(&y*) {
              n = len y*
              v0 = pure `::core::primitive::usize::div_ceil(n, 2)`
              s#2* = for k in 0..v0, s* = 0.0 {
                v1 = pure `k * 2`
                v2 = pure `::core::cmp::Ord::min(v1 + 2, n)`
                v3* = load y*[v1..v2][0]
                s#3* = s* + v3*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}
