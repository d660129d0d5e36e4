//! What the graph of a body is.

use expect_test::expect;

use crate::testing::check_primal;

#[test]
fn an_assignment_makes_a_new_value() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x * x; y = y + x; y *= 2.0; y }",
        &expect![[r#"
            fn(x*) {
              y* = x* * x*
              y#2* = y* + x*
              y#3* = y#2* * 2.0
              yield y#3*
            }"#]],
    );
}

#[test]
fn a_shadowing_variable_is_another_one() {
    check_primal(
        "fn f(x: f64) -> f64 { let y = x * x; let z = { let y = y + 1.0; y * y }; y * z }",
        &expect![[r#"
            fn(x*) {
              y* = x* * x*
              y_1* = y* + 1.0
              z* = y_1* * y_1*
              v0* = y* * z*
              yield v0*
            }"#]],
    );
}

#[test]
fn a_tuple_variable_is_a_bundle() {
    check_primal(
        r"
            fn f(x: f64, y: f64) -> f64 {
                let mut t = (x * y, x);
                t.1 = t.0 + y;
                let (a, b) = t;
                a * b
            }",
        &expect![[r#"
            fn(x*, y*) {
              t_0* = x* * y*
              t* = t_0* + y*
              v0* = t_0* * t*
              yield v0*
            }"#]],
    );
}

#[test]
fn a_tuple_parameter_is_taken_apart_once() {
    check_primal(
        "fn f(t: (f64, usize)) -> f64 { t.0 * t.1 as f64 }",
        &expect![[r#"
            fn(t*) {
              t_0* = t*.0
              t_1 = t*.1
              v0 = pure `t_1 as f64`
              v1* = t_0* * v0
              yield v1*
            }"#]],
    );
}

#[test]
fn an_array_that_is_written_to_is_a_place() {
    check_primal(
        r"
            fn f(x: f64) -> f64 {
                let mut a = [x, 1.0];
                a[1] = a[0] * 2.0;
                a[0] += x;
                a[1] -= x;
                a[1] *= x;
                a[0] * a[1]
            }",
        &expect![[r#"
            fn(x*) {
              v0* = [x*, 1.0]
              new a* = v0*
              v1* = load a*[0]
              v2* = v1* * 2.0
              store a*[1] = v2*
              store a*[0] += x*
              v3* = -x*
              store a*[1] += v3*
              v4* = load a*[1]
              v5* = v4* * x*
              store a*[1] = v5*
              v6* = load a*[0]
              v7* = load a*[1]
              v8* = v6* * v7*
              yield v8*
            }"#]],
    );
}

#[test]
fn a_reference_is_a_path() {
    check_primal(
        r"
            fn f(m: &mut [[f64; 3]; 3], i: usize, j: usize) {
                let row = &mut m[i];
                let e = &mut row[j];
                *e *= 2.0;
            }",
        &expect![[r#"
            fn(&mut m*, i, j) {
              v0* = load m*[i][j]
              v1* = v0* * 2.0
              store m*[i][j] = v1*
            }"#]],
    );
}

#[test]
fn a_row_of_a_matrix_is_a_range_of_its_place() {
    check_primal(
        r"
            fn f(m: &[f64], n: usize, i: usize) -> f64 {
                let row = &m[i * n..(i + 1) * n];
                row[0] * row[n - 1]
            }",
        &expect![[r#"
            fn(&m*, n, i) {
              v0 = pure `i * n`
              v1 = pure `(i + 1) * n`
              check m*[v0..v1]
              v2* = load m*[v0..v1][0]
              v3 = pure `n - 1`
              v4* = load m*[v0..v1][v3]
              v5* = v2* * v4*
              yield v5*
            }"#]],
    );
}

#[test]
fn an_iterator_over_a_slice_is_a_loop_over_indices() {
    check_primal(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for x in xs.iter() { s += x * x; } s }",
        &expect![[r#"
            fn(&xs*) {
              n = len xs*
              s#2* = for k in 0..n, s* = 0.0 {
                v0* = load xs*[k]
                v1* = v0* * v0*
                s#3* = s* + v1*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

#[test]
fn an_iterator_taken_on_by_hand_is_a_position() {
    check_primal(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut it = xs.iter();
                let Some(first) = it.next() else { return 0.0 };
                let mut s = *first;
                for x in it {
                    s = s * x;
                }
                s
            }",
        &expect![[r#"
            fn(&xs*) {
              n = len xs*
              v0 = pure `!(0_usize < n)`
              v1*, at = if v0 {
                yield 0.0, 0_usize
              } else {
                at#2 = pure `0_usize + 1`
                v2 = pure `(at#2 - 1)`
                s* = load xs*[v2]
                s#3* = for k in at#2..n, s#2* = s* {
                  v3* = load xs*[k]
                  s#4* = s#2* * v3*
                  yield s#4*
                }
                yield s#3*, at#2
              }
              yield v1*
            }"#]],
    );
}

#[test]
fn enumerate_yields_the_index_itself() {
    check_primal(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for (i, x) in xs.iter().enumerate() {
                    s += x * i as f64;
                }
                s
            }",
        &expect![[r#"
            fn(&xs*) {
              n = len xs*
              s#2* = for k in 0..n, s* = 0.0 {
                v0* = load xs*[k]
                v1 = pure `k as f64`
                v2* = v0* * v1
                s#3* = s* + v2*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

#[test]
fn zip_reads_both_at_one_index_up_to_the_shorter() {
    check_primal(
        r"
            fn f(xs: &[f64], ys: &[f64]) -> f64 {
                let mut s = 0.0;
                for (x, y) in xs.iter().zip(ys) {
                    s += x * y;
                }
                s
            }",
        &expect![[r#"
            fn(&xs*, &ys*) {
              n = len xs*
              n#2 = len ys*
              v0 = pure `::core::cmp::Ord::min(n, n#2)`
              s#2* = for k in 0..v0, s* = 0.0 {
                v1* = load xs*[k]
                v2* = load ys*[k]
                v3* = v1* * v2*
                s#3* = s* + v3*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

#[test]
fn rev_counts_the_index_down() {
    check_primal(
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for c in xs.iter().rev() {
                    s = s * x + c;
                }
                s
            }",
        &expect![[r#"
            fn(&xs*, x*) {
              n = len xs*
              s#2* = for k in 0..n, s* = 0.0 {
                v0 = pure `n - 1 - k`
                v1* = s* * x*
                v2* = load xs*[v0]
                s#3* = v1* + v2*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

#[test]
fn a_reversed_range_is_walked_backwards() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for i in (1..=n).rev() {
                    y *= i as f64;
                }
                y
            }",
        &expect![[r#"
            fn(x*, n) {
              y#2* = for i in rev 1..=n, y* = x* {
                v0 = pure `i as f64`
                y#3* = y* * v0
                yield y#3*
              }
              yield y#2*
            }"#]],
    );
}

#[test]
fn items_of_iter_mut_are_elements_of_the_place() {
    check_primal(
        "fn f(xs: &mut [f64], k: f64) { for x in xs.iter_mut() { *x *= k; } }",
        &expect![[r#"
            fn(&mut xs*, k*) {
              n = len xs*
              for k#2 in 0..n {
                v0* = load xs*[k#2]
                v1* = v0* * k*
                store xs*[k#2] = v1*
              }
            }"#]],
    );
}

#[test]
fn an_if_yields_what_its_arms_assign() {
    check_primal(
        r"
            fn f(x: f64) -> f64 {
                let mut y = x;
                let mut z = 1.0;
                if x > 0.0 {
                    y = x * x;
                } else {
                    z = x;
                }
                y * z
            }",
        &expect![[r#"
            fn(x*) {
              v0 = x* > 0.0
              y*, z* = if v0 {
                y#2* = x* * x*
                yield y#2*, 1.0
              } else {
                yield x*, x*
              }
              v1* = y* * z*
              yield v1*
            }"#]],
    );
}

#[test]
fn an_if_yields_its_value_before_what_its_arms_assign() {
    check_primal(
        r"
            fn f(x: f64) -> f64 {
                let mut n = 1.0;
                let y = if x > 0.0 {
                    n = x;
                    x * x
                } else {
                    -x
                };
                y * n
            }",
        &expect![[r#"
            fn(x*) {
              v0 = x* > 0.0
              y*, x#2* = if v0 {
                v1* = x* * x*
                yield v1*, x*
              } else {
                v2* = -x*
                yield v2*, 1.0
              }
              v3* = y* * x#2*
              yield v3*
            }"#]],
    );
}

#[test]
fn an_arm_that_panics_yields_nothing() {
    check_primal(
        r#"fn f(x: f64) -> f64 { if x < 0.0 { panic!("negative: {x}") } x.sqrt() }"#,
        &expect![[r#"
            fn(x*) {
              v0 = x* < 0.0
              if v0 {
                opaque `{ let x = x*; panic!("negative: {x}") }`
                never
              } else {
              }
              v1* = sqrt(x*)
              yield v1*
            }"#]],
    );
}

#[test]
fn a_loop_carries_what_its_body_assigns() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = 1.0;
                let mut c = 0;
                let k = 2.0;
                for _ in 0..n {
                    let t = y * x;
                    y = t * k;
                    c += 1;
                }
                y * c as f64
            }",
        &expect![[r#"
            fn(x*, n) {
              c#2, y#2* = for v0 in 0..n, c = 0, y* = 1.0 {
                t* = y* * x*
                y#3* = t* * 2.0
                c#3 = pure `c + 1`
                yield c#3, y#3*
              }
              v1 = pure `c#2 as f64`
              v2* = y#2* * v1
              yield v2*
            }"#]],
    );
}

#[test]
fn nested_loops_pass_carried_values_inwards() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for i in 0..n {
                    for _ in 0..i {
                        y = y * x;
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x*, n) {
              y#2* = for i in 0..n, y* = x* {
                y#4* = for v0 in 0..i, y#3* = y* {
                  y#5* = y#3* * x*
                  yield y#5*
                }
                yield y#4*
              }
              yield y#2*
            }"#]],
    );
}

#[test]
fn a_match_has_guards_and_arms_that_assign() {
    check_primal(
        r"
            fn f(x: f64, n: usize, m: usize) -> f64 {
                let mut y = x;
                match n {
                    0 => y = 1.0,
                    k if k > m => y = x * k as f64,
                    1 | 2 => {}
                    _ => y = -x,
                }
                y
            }",
        &expect![[r#"
            fn(x*, n, m) {
              y* = match `n` {
                0 => {
                  yield 1.0
                }
                k if k > m => {
                  v0 = pure `k as f64`
                  y#2* = x* * v0
                  yield y#2*
                }
                1 | 2 => {
                  yield x*
                }
                _ => {
                  y#3* = -x*
                  yield y#3*
                }
              }
              yield y*
            }"#]],
    );
}

#[test]
fn a_match_on_an_active_value_binds_it() {
    check_primal(
        "fn f(x: f64) -> f64 { match x * x { y if y > 1.0 => y, _ => x } }",
        &expect![[r#"
            fn(x*) {
              v0* = x* * x*
              v1* = match `v0*` {
                y if y > 1.0 => {
                  yield v0*
                }
                _ => {
                  yield x*
                }
              }
              yield v1*
            }"#]],
    );
}

#[test]
fn logical_operators_evaluate_their_right_side_on_demand() {
    check_primal(
        r"
            fn f(xs: &[f64], i: usize) -> f64 {
                if i < xs.len() && xs[i] > 0.0 || i == 7 { xs[0] } else { 0.0 }
            }",
        &expect![[r#"
            fn(&xs*, i) {
              n = len xs*
              v0 = i < n
              v1 = if v0 {
                v2 = load xs*[i]
                v3 = v2 > 0.0
                yield v3
              } else {
                yield false
              }
              v4 = if v1 {
                yield true
              } else {
                v5 = pure `i == 7`
                yield v5
              }
              v6* = if v4 {
                v7* = load xs*[0]
                yield v7*
              } else {
                yield 0.0
              }
              yield v6*
            }"#]],
    );
}

#[test]
fn inactive_code_is_one_operation() {
    check_primal(
        r"
            fn f(x: f64, words: &[String], n: usize) -> f64 {
                let k = words.iter().filter(|w| w.len() > n).count();
                let m = (n + 1) * 2;
                x * k as f64 * m as f64
            }",
        &expect![[r#"
            fn(x*, &words, n) {
              k = opaque `words.iter().filter(| w | w.len() > n).count()`
              m = pure `(n + 1) * 2`
              v0 = pure `k as f64`
              v1* = x* * v0
              v2 = pure `m as f64`
              v3* = v1* * v2
              yield v3*
            }"#]],
    );
}

#[test]
fn an_opaque_statement_names_what_it_writes() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut order = vec![0usize; n];
                order.sort();
                order[0] = 1;
                x * order[0] as f64
            }",
        &expect![[r#"
            fn(x*, n) {
              v0 = opaque `vec![0usize; n]`
              new order = v0
              opaque `order.sort()` writes order
              opaque `order[0] = 1` writes order
              v1 = pure `order[0] as f64`
              v2* = x* * v1
              yield v2*
            }"#]],
    );
}

#[test]
fn a_swap_is_two_loads_and_two_stores() {
    check_primal(
        "fn f(a: &mut [f64], i: usize, j: usize) { a.swap(i, j); }",
        &expect![[r#"
            fn(&mut a*, i, j) {
              v0* = load a*[i]
              v1* = load a*[j]
              store a*[i] = v1*
              store a*[j] = v0*
            }"#]],
    );
}

#[test]
fn an_index_is_fixed_when_the_reference_is_made() {
    check_primal(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut i = n;
                let x = &xs[i];
                i += 1;
                x * xs[i]
            }",
        &expect![[r#"
            fn(&xs*, n) {
              i = pure `n + 1`
              v0* = load xs*[n]
              v1* = load xs*[i]
              v2* = v0* * v1*
              yield v2*
            }"#]],
    );
}

#[test]
fn a_call_borrows_what_it_is_given() {
    check_primal(
        "fn f(x: f64, xs: &[f64], out: &mut [f64]) -> f64 { g(x * 2.0, &xs[1..], out) }",
        &expect![[r#"
            fn(x*, &xs*, &mut out*) {
              v0* = x* * 2.0
              check xs*[1..]
              v1* = call g(v0*, &xs*[1..], &mut out*)
              yield v1*
            }"#]],
    );
}

#[test]
fn an_effect_in_the_right_operand_comes_after_the_left_operand() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; let z = y + { y = y * x; y }; z * y }",
        &expect![[r#"
            fn(x*) {
              y* = x* * x*
              z* = x* + y*
              v0* = z* * y*
              yield v0*
            }"#]],
    );
}

#[test]
fn a_compound_assignment_evaluates_its_right_side_first() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; y += { y = x * x; y * 3.0 }; y }",
        &expect![[r#"
            fn(x*) {
              y* = x* * x*
              v0* = y* * 3.0
              y#2* = y* + v0*
              yield y#2*
            }"#]],
    );
}

#[test]
fn variables_of_a_variant_are_parts_of_what_is_matched() {
    check_primal(
        r"fn f(s: &Shape, k: f64) -> f64 {
            match s {
                Shape::Circle { r, .. } if *r > 1.0 => *r,
                Shape::Circle { at: Point { x, .. }, r } => x * r,
                Shape::Rect(a, 1.0) => *a,
                _ => k,
            }
        }",
        &expect![[r#"
            fn(&s*, k*) {
              v0* = match `rt::behind(s*)` {
                Shape::Circle { r : r,..} if * r > 1.0 => {
                  v1* = load s*.Circle.r
                  yield v1*
                }
                Shape::Circle { at : Point { x : _,..}, r : _ } => {
                  v2* = load s*.Circle.at.x
                  v3* = load s*.Circle.r
                  v4* = v2* *' v3*
                  yield v4*
                }
                Shape::Rect(_, 1.0) => {
                  v5* = load s*.Rect.0
                  yield v5*
                }
                _ => {
                  yield k*
                }
              }
              yield v0*
            }"#]],
    );
}

#[test]
fn a_matched_value_is_taken_apart_in_the_arm() {
    check_primal(
        r"fn f(x: f64) -> f64 {
            match Shape::Rect(x, x * x) {
                Shape::Rect(a, b) if a > b => a,
                Shape::Circle { r, .. } => r,
                _ => 0.0,
            }
        }",
        &expect![[r#"
            fn(x*) {
              v0* = x* * x*
              v1* = Shape::Rect { Rect.0: x*, Rect.1: v0* }
              a* = match `rt::behind(&v1*)` {
                Shape::Rect(a#2, b) if (* a#2) > (* b) => {
                  a#3* = v1*.Rect.0
                  b#2 = v1*.Rect.1
                  yield a#3*
                }
                Shape::Circle { r : _,..} => {
                  r#2* = v1*.Circle.r
                  yield r#2*
                }
                _ => {
                  yield 0.0
                }
              }
              yield a*
            }"#]],
    );
}

#[test]
fn what_is_walked_by_index_is_no_type_with_iterators_of_its_own() {
    check_primal(
        "fn f(ring: &Ring) -> f64 { let n = ring.len(); let mut s = 0.0; for v in ring { s += v * n as f64; } s }",
        &expect![[r#"
            fn(&ring*) {
              v0 = load ring*
              v1 = load ring*
              n = pure `v0.__checked_len(&v1)`
              walked ring*
              n#2 = len ring*
              s#2* = for k in 0..n#2, s* = 0.0 {
                v2* = load ring*[k]
                v3 = pure `n as f64`
                v4* = v2* *' v3
                s#3* = s* + v4*
                yield s#3*
              }
              yield s#2*
            }"#]],
    );
}

/// Where there are no matrices, a method that is named like one of theirs may return a float.
#[test]
fn sizes_of_matrices_are_counts_where_there_are_matrices() {
    check_primal(
        "fn f(grid: &Grid) -> f64 { let n = grid.nrows(); n * grid.ndim() }",
        &expect![[r#"
            fn(&grid*) {
              n* = call nrows(&grid*)
              v0* = call ndim(&grid*)
              v1* = n* *' v0*
              yield v1*
            }"#]],
    );
}
