//! Types that are written beside variables, which say what literals are: of tuples, of what a condition decides, of what is assigned later.

use autodiff::grad;

use crate::check::near;

type Pair = (f32, f32);

#[grad]
fn a_sign(x: f64) -> f64 {
    let sign: f64 = if x < 0.0 { -1.0 } else { 1.0 };
    x * sign.exp()
}

#[grad]
fn literals_of_a_tuple(s: f64) -> f64 {
    let (r, t): (f64, f64) = (0.03, 0.5);
    s * t.sqrt() * r
}

#[grad]
fn singles_of_a_tuple(x: f64) -> f64 {
    let (a, b): (f32, f32) = (0.1, 0.2);
    x * (a + b) as f64
}

#[grad]
fn a_tuple_with_a_name(x: f64) -> f64 {
    let mut t: Pair = (0.1, 0.2);
    if x > 0.0 {
        t = (0.3, 0.4);
    }
    let (a, b): Pair = (0.1, 0.7);
    x * (t.0 + t.1 + a * b) as f64
}

#[grad]
fn a_byte_in_a_tuple(x: f64) -> f64 {
    let t: (u8, f64) = (1, x);
    let (a, y): (u8, _) = (2, x * x);
    t.1 * (!t.0) as f64 + y * (!a) as f64
}

#[grad]
fn nested_tuples(x: f64) -> f64 {
    let ((a, k), .., b): ((f32, u8), u8, f64) = ((0.1, 1), 2, x);
    b * (a * 3.0) as f64 * (!k) as f64
}

#[grad]
fn lists_in_a_tuple(x: &[f64]) -> f64 {
    let (v, w): (Vec<f64>, Vec<f64>) = (vec![0.5; 3], x.to_vec());
    v.iter().zip(&w).map(|(a, b)| a.exp() * b).sum()
}

#[grad]
fn a_count_that_a_condition_changes(x: f64) -> f64 {
    let mut c = 0;
    if x > 1.0 {
        c += 1;
    }
    let d: u8 = c;
    x * (!d) as f64
}

#[grad]
fn a_count_of_rounds(x: f64, n: usize) -> f64 {
    let mut c = 0;
    let mut y = x;
    for _ in 0..n {
        let d: u8 = c;
        y += x * x * (!d) as f64;
        if y > 9.0 {
            c += 1;
        }
    }
    y * (!c) as f64
}

#[grad]
fn decided_by_a_condition(x: f64) -> f64 {
    let s: f32 = if x > 1.0 { 0.1 } else { 0.2 };
    let c: u64 = if x > 0.0 { 100_000 } else { 3 };
    let k: u32 = match x > 0.5 {
        true => 1,
        false => 2,
    };
    let (a, b): (f32, f64) = if x > 1.0 { (0.1, x) } else { (0.2, x * x) };
    x * (s * 3.0) as f64 + x * (c * c) as f64 * k.pow(2) as f64 + b * (a * 3.0) as f64
}

#[grad]
fn left_with_a_literal(x: f64) -> f64 {
    let s: f64 = 'b: {
        if x > 1.0 {
            break 'b 1.0;
        }
        2.0
    };
    x * s.exp()
}

#[grad]
fn given_a_literal_later(x: f64) -> f64 {
    let s: f32;
    s = 0.1;
    let r: f64;
    if x > 1.0 {
        r = 0.1
    } else {
        r = 0.3
    }
    let mut t: f32 = 0.5;
    let before = t;
    t = if x > 1.0 { 0.1 } else { 0.2 };
    x * (s * 3.0) as f64 * r.exp() + x * (t * before) as f64
}

#[grad]
fn a_block_with_a_literal(x: f64) -> f64 {
    let s: f32 = { 0.1 };
    let t: f32 = {
        let q = 0.3;
        q
    };
    x * s as f64 * t as f64
}

#[grad]
fn parameters_of_closures(x: f64) -> f64 {
    let g = |(k, (s, v)): (u8, (f32, f64))| v * (!k) as f64 * (s * 3.0) as f64;
    let h = |v: f64| -> f32 { if v > 1.0 { 0.1 } else { 0.2 } };
    g((1, (0.1, x))) * h(x) as f64
}

#[grad]
fn fibonacci(x: f64, n: usize) -> f64 {
    let (mut a, mut b): (u64, u64) = (1, 1);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    x * b as f64
}

#[grad]
fn a_tuple_updated_in_a_loop(x: f64) -> f64 {
    let mut t: (u8, f64) = (1, x);
    for _ in 0..3 {
        t = (!t.0, t.1 * x);
    }
    t.1 * (!t.0) as f64
}

#[grad]
fn numbers_of_a_range(x: f64) -> f64 {
    let mut s = 0.0;
    for k in 0..3 {
        let d: u8 = k;
        s += x * x * (!d) as f64;
    }
    s
}

#[grad]
fn numbers_that_patterns_bind(x: f64) -> f64 {
    let o = Some(1);
    let mut s = 0.0;
    if let Some(k) = o {
        let d: u8 = k;
        s += x * (!d) as f64;
    }
    for k in [1, 2] {
        let d: u8 = k;
        s += x * (!d) as f64;
    }
    s
}

#[grad]
fn one_type_wherever_it_is_named(x: f64) -> f64 {
    let c = 0.1;
    let s: f32 = if x > 1.0 { c } else { 0.2 };
    x * (c * 3.0) as f64 * s as f64
}

#[grad]
fn patterns_that_may_not_match(x: &[f64], n: usize) -> f64 {
    let [a, b, ..]: &[f64] = x else { return 0.0 };
    let Some(k): Option<usize> = n.checked_sub(1) else {
        return *a;
    };
    let o = if *a > *b { Some((a * b, 1)) } else { None };
    let Some((c, d)): Option<(f64, u8)> = o else {
        return a * k as f64;
    };
    c * (!d) as f64 + b
}

#[test]
fn patterns() {
    check!(patterns_that_may_not_match(shared x = [0.7, -0.3, 1.2], constant n = 2));
    check!(patterns_that_may_not_match(shared x = [-0.7, -0.3, 1.2], constant n = 2));
    check!(patterns_that_may_not_match(shared x = [0.7, -0.3, 1.2], constant n = 0));
}

#[test]
fn tuples() {
    check!(literals_of_a_tuple(value s = 0.7));
    check!(singles_of_a_tuple(value x = 0.7));
    check!(a_tuple_with_a_name(value x = 0.7));
    check!(a_byte_in_a_tuple(value x = 0.7));
    check!(nested_tuples(value x = 0.7));
    check!(lists_in_a_tuple(shared x = [0.7, -0.3, 1.2]));
    check!(fibonacci(value x = 0.7, constant n = 60));
    check!(a_tuple_updated_in_a_loop(value x = 0.7));
}

#[test]
fn conditions() {
    for x in [1.7, 0.7, 0.3, -0.4] {
        check!(a_sign(value x = x));
        check!(a_count_that_a_condition_changes(value x = x));
        check!(decided_by_a_condition(value x = x));
        check!(left_with_a_literal(value x = x));
        check!(given_a_literal_later(value x = x));
        check!(one_type_wherever_it_is_named(value x = x));
        check!(parameters_of_closures(value x = x));
    }
    check!(a_block_with_a_literal(value x = 0.7));
}

#[test]
fn loops_and_patterns() {
    check!(a_count_of_rounds(value x = 0.3, constant n = 4));
    check!(a_count_of_rounds(value x = 1.3, constant n = 4));
    check!(numbers_of_a_range(value x = 0.7));
    check!(numbers_that_patterns_bind(value x = 0.7));
}

/// The same words, and numbers of several types.
#[grad]
fn of_several_types(x: f64, k: f32) -> f64 {
    let mut sum = x * of_singles(k, -2.0) as f64 + of_doubles(x, -2.0, 1 << 2);
    for i in -1..3i32 {
        sum += x * f64::from(i);
    }
    for j in -1..3i64 {
        sum += x * x * j as f64 * f64::from(1u8 << 2);
    }
    sum
}

#[grad]
fn of_singles(x: f32, by: f32) -> f32 {
    x * by
}

#[grad]
fn of_doubles(x: f64, by: f64, n: u64) -> f64 {
    x * by * n as f64
}

#[test]
fn what_is_written_alike_has_types_of_its_own() {
    near(
        &of_several_types::value_and_grad(0.5, 0.25),
        &(-0.25 - 4.0 + 1.0 + 2.0, (-0.5 - 8.0 + 2.0 + 8.0, -1.0)),
        1e-15,
    );
}
