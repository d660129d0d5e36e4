//! References to constant variables of the body, moved by constant code: what they refer to is gone when the reverse sweep runs.

use autodiff::grad;

#[grad]
fn exchanged(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let (mut p, mut q) = (&a[..], &a[1..]);
    let mut s = x;
    for i in 0..n {
        s = s.sin() * p[0] + q[1];
        if i % 2 == 1 {
            std::mem::swap(&mut p, &mut q);
        }
    }
    for i in 0..n {
        s = s.sin() * p[i % 2] + x;
    }
    s
}

#[grad]
fn in_a_round(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let mut s = x.sin();
    for k in 0..n {
        let b = [0.4, 0.7 + k as f64, s.cos()];
        let c = vec![0.4, k as f64, 0.9];
        let mut t = s * x;
        let (mut p, mut q) = (&a[..], &c[..]);
        for i in 0..n {
            t = t.sin() * p[i % 3] + q[1] * b[i % 3];
            std::mem::swap(&mut p, &mut q);
        }
        s += t * t;
    }
    s
}

#[grad]
fn in_an_arm(x: f64, n: usize) -> f64 {
    let mut s = x;
    if n > 1 {
        let a = [0.5f64, 0.3, 0.8];
        let other = [0.9, 0.1, -0.6];
        let mut p = &a;
        if n > 2 {
            p = &other;
        }
        for i in 0..n {
            s = s.sin() * p[i % 3] + p.len() as f64 * x;
        }
    }
    s
}

#[grad]
fn of_an_owned_parameter(x: f64, #[constant] a: [f64; 3], n: usize) -> f64 {
    let mut p = &a[..];
    let words = [String::from("ab"), String::from("c")];
    let mut word = &words[0];
    if n > 1 {
        p = &p[1..];
        word = &words[1];
    }
    let mut s = x;
    for i in 0..n {
        s = s.sin() * p[i % 2] * word.len() as f64;
    }
    s
}

#[grad]
fn weighted(a: &[f64], x: f64) -> f64 {
    let mut s = x;
    for v in a {
        s = s.sin() * v;
    }
    s
}

#[grad]
fn lent_on(x: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        let a = vec![0.5 + k as f64, 0.3, 0.8];
        let mut p = &a[..];
        if n > 2 {
            p = &p[1..];
        }
        s += weighted(&p[..], s) * weighted(&[p[0]], x);
        let mut whole = &a;
        let other = vec![0.6; k];
        if k == 1 {
            whole = &other;
        }
        s += weighted(&whole, x);
    }
    s
}

#[grad]
fn captured(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let mut p = &a[..];
    if n > 2 {
        p = &p[1..];
    }
    let f = |t: f64| t.sin() * p[0] + p[p.len() - 1];
    let mut s = x;
    for _ in 0..n {
        s = f(s);
    }
    s
}

/// One function for each way to come by a reference to a constant number, in rounds of a loop.
macro_rules! by_reference {
    ($($name:ident: |$a:ident, $k:ident, $s:ident, $x:ident| { $($body:tt)* })*) => {
        $(
            #[grad]
            fn $name($x: f64, n: usize) -> f64 {
                let $a = vec![0.3f64, 0.4, 0.7];
                let mut $s = $x;
                for $k in 0..n {
                    $($body)*
                }
                $s
            }
        )*

        #[test]
        fn constant_numbers_by_reference() {
            for n in 0..4 {
                $(check!($name(value x = 0.7, constant n = n));)*
            }
        }
    };
}

by_reference! {
    indexed: |a, k, s, x| { let z = &a[k]; s = s.sin() * z + x; }
    got: |a, k, s, x| { if let Some(t) = a.get(k) { s += s.sin() * t; } }
    got_by_value: |a, k, s, x| { if let Some(&t) = a.last() { s += s.sin() * t; } }
    parts: |a, k, s, x| { if let [p, .., q] = a[..] { s += s.sin() * p * q; } }
    the_rest: |a, k, s, x| {
        s += match &a[k.min(3)..] {
            [z] => z * x,
            [z, .., t] if *z > 0.35 => z * t.cos() + s.sin(),
            [z, rest @ ..] => z - rest[0] * s,
            [] => s,
        };
    }
    iterated: |a, k, s, x| { for z in a.iter() { s += s.sin() * z * x; } }
    numbered: |a, k, s, x| { for (i, z) in a.iter().enumerate() { if i > k { s += s.sin() * z * x; } } }
    zipped: |a, k, s, x| { for (z, w) in a.iter().zip(&a) { s += s.sin() * z * w; } }
    least: |a, k, s, x| { let z = a.iter().min_by(|a, b| a.total_cmp(b)).unwrap(); s *= z * s; }
    largest: |a, k, s, x| {
        let (i, z) = a.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        s = s.sin() * z + i as f64;
    }
    halves: |a, k, s, x| { let (low, high) = a.split_at(1); s = s.cos() * low[0] * high[1]; }
    unwrapped: |a, k, s, x| { let z = a.last().unwrap(); s = s.cos() * z - z; }
    or_another: |a, k, s, x| { let z = a.get(k).unwrap_or(&a[1]); s = s.cos() * z; }
    rebound: |a, k, s, x| { let mut z = &a[0]; if k > 1 { z = &a[1]; } s = s.sin() * z; }
    or_left: |a, k, s, x| { let Some(z) = a.get(k) else { break; }; s = s.sin() * z; }
    guarded: |a, k, s, x| { match a.get(k) { Some(z) if *z > 0.35 => s = s.sin() * z, _ => {} } }
    chosen: |a, k, s, x| { let z = if k > 1 { &a[0] } else { &a[1] }; s = s.sin() * z; }
    matched: |a, k, s, x| { let z = match k { 0 => &a[0], _ => &a[1] }; s = s.sin() * z; }
    kept: |a, k, s, x| { let o = a.get(k); if let Some(z) = o { s = s.sin() * z; } }
    in_a_tuple: |a, k, s, x| { let p = (&a[0], a[1]); s = s.sin() * p.0 * p.1; }
    two: |a, k, s, x| { let (z, w) = (&a[0], &a[1]); s = s.sin() * z - w * s; }
    folded: |a, k, s, x| { let z = a.iter().fold(&a[1], |m, z| if z > m { z } else { m }); s = s.sin() * z; }
    by_a_method: |a, k, s, x| { let z = a.iter().find(|z| **z > 0.35).unwrap(); let w = *z * 2.0; s = s.sin() * z * w; }
    measured: |a, k, s, x| {
        let words = [String::from("ab"), String::from("c")];
        let word = words.iter().max_by_key(|w| w.len()).unwrap();
        s = s.sin() * word.len() as f64 + a[0];
    }
}

#[grad]
fn at_the_top(x: f64, n: usize) -> f64 {
    let a = vec![0.3, 0.4, 0.8];
    let z = &a[n];
    let last = a.last().unwrap();
    let chosen = if n > 1 { &a[0] } else { &a[1] };
    let words = [String::from("ab"), String::from("c")];
    let word = words.iter().max_by_key(|w| w.len()).unwrap();
    let mut s = x;
    for _ in 0..n {
        s = s.sin() * (*last * 2.0) + word.len() as f64 * s;
    }
    if let Some(first) = a.first() {
        s *= first * x;
    }
    x.sin() * z + last * s * chosen
}

#[grad]
fn perhaps(x: f64, n: usize) -> Option<f64> {
    if n == 0 { None } else { Some(x.sin()) }
}

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

#[grad]
fn or_something_active(x: f64, n: usize) -> f64 {
    let b = [x, x.sin()];
    let c = perhaps(0.63, n).unwrap_or(b[n % 2]);
    let d = perhaps(0.63, n).map_or(b[1], |z| z * x);
    let e = perhaps(0.63, n).unwrap_or(square(x));
    let f = match perhaps(0.4, n) {
        Some(v) => v,
        None => square(x.sin()),
    };
    c * x + d + e * f
}

#[grad]
fn of_a_parameter(x: f64, #[constant] data: &[f64]) -> f64 {
    let mut s = x;
    if data.len() > 1 {
        let mut t = s.sin();
        let (mut p, mut q) = (data, data);
        for i in 0..3 {
            t = t.sin() * p[0] + q[1];
            std::mem::swap(&mut p, &mut q);
            if i == 1 {
                q = &data[1..];
            }
        }
        s *= t;
    }
    s
}

#[grad]
fn chosen_beside_exclusive_items(x: f64, a: &mut [f64]) -> f64 {
    let q = (a.len() as f64).sin();
    let mut s = x;
    for (i, z) in a.iter_mut().enumerate() {
        let chosen = if i == 0 { Some((q + 0.85).sin()) } else { None };
        let Some(v) = chosen else { continue };
        let (mut w, t) = (v, s.cos());
        w *= s.sin();
        s += w * t;
        *z += s * v;
    }
    s
}

#[grad]
fn beside_exclusive_items(x: f64, mut a: [f64; 3]) -> f64 {
    chosen_beside_exclusive_items(x, &mut a) + a[0] * a[1]
}

#[grad]
fn collected(x: f64, #[constant] q: &[f64]) -> f64 {
    let mut a = q.iter().map(|&z| z * 2.0).collect::<Vec<f64>>();
    if let [first, .., last] = &mut a[..] {
        *first = *first * last.sin() + x;
        *last *= x;
    }
    a[0] * a[a.len() - 1]
}

#[test]
fn constant_numbers_beside_active_ones() {
    for n in 0..3 {
        check!(at_the_top(value x = 0.7, constant n = n));
        check!(or_something_active(value x = 0.7, constant n = n));
    }
    check!(of_a_parameter(value x = 0.7, constant data = &[0.3, 0.6, 0.2]));
    check!(beside_exclusive_items(value x = 0.7, value a = [0.3, 0.6, 0.2]));
    check!(collected(value x = 0.7, constant q = &[0.3, 0.6, 0.2]));
}

#[grad]
fn by_value(a: Vec<f64>, x: f64) -> f64 {
    weighted(&a, x)
}

/// Rows and parts of constant lists, passed on by the names that they are bound to.
#[grad]
fn passed_by_name(x: f64, #[constant] data: &[f64], #[constant] rows: &[Vec<f64>]) -> f64 {
    let (low, high) = data.split_at(1);
    let chosen = if data.len() > 2 { &data[1..] } else { data };
    let mut s = weighted(low, x) * weighted(high, x) + weighted(chosen, x);
    for row in rows {
        s += weighted(row, x);
    }
    for row in rows.iter().filter(|row| row.len() > 1) {
        s *= weighted(row, x);
    }
    for (i, row) in rows.iter().enumerate().filter(|(i, _)| *i > 0) {
        s += weighted(row, s) * i as f64;
    }
    for row in rows.iter().cloned().filter(|row| row.len() > 2) {
        s -= by_value(row, x);
    }
    for part in data.chunks(2) {
        s += weighted(part, x);
    }
    s
}

/// Lists that patterns move out of options, beside those that they only refer to.
#[grad]
fn moved_or_lent(
    x: f64,
    #[constant] list: [Option<[f64; 2]>; 2],
    #[constant] lent: &Option<Vec<f64>>,
    #[constant] pair: [[f64; 2]; 2],
) -> f64 {
    let mut s = x;
    let first = list[0];
    if let Some(v) = first {
        s += of_two(v, x);
    }
    for o in list.iter().copied().filter(|o| o.is_some()) {
        if let Some(v) = o {
            s *= of_two(v, x);
        }
    }
    if let Some(v) = lent {
        s += weighted(v, s);
    }
    let own = lent.clone();
    if let Some(v) = own {
        s += by_value(v, x);
    }
    let [a, b] = pair;
    s += of_two(a, x) * of_two(b, s);
    match pair {
        [a, b] if a[0] > 0.2 => s -= of_two(a, x) * of_two(b, x),
        _ => s += x,
    }
    s
}

#[grad]
fn of_two(a: [f64; 2], x: f64) -> f64 {
    a[0] * x.sin() + a[1]
}

#[test]
fn constant_lists_are_passed_on() {
    let rows: &'static [Vec<f64>] = vec![vec![0.3], vec![0.4, 0.5], vec![0.6, 0.7, 0.8]].leak();
    let lent: &'static Option<Vec<f64>> = Box::leak(Box::new(Some(vec![0.7, 0.2])));
    check!(moved_or_lent(value x = 0.7, constant list = [Some([0.3, 0.5]), None], constant lent = lent, constant pair = [[0.3, 0.6], [0.8, 0.4]]));
    check!(passed_by_name(value x = 0.7, constant data = &[0.3, 0.4, 0.7], constant rows = rows));
}

/// A list of constants is written through a reference that moves along it.
#[grad]
fn written_along(x: f64, n: usize) -> f64 {
    let mut s = x;
    let mut a = vec![0.5f64; 4];
    for k in 0..n {
        let before = a[0] + a[1];
        s = s.sin() * before;
        let mut r = &mut a[..];
        let mut v = 0.19f64 * 1.09f64;
        while r.len() > 1 {
            r[0] = r[0] * r[1].sin() + v * (k as f64 * 0.6).cos();
            v = v * 0.5 + r[0].sin();
            r = &mut r[1..];
        }
        let w = v * r[0];
        s += 0.25 * a[(k + 1) % 4] * s;
        s += 0.13 * w.sin() * x;
    }
    s * a[0]
}

#[grad]
fn written_by_patterns(x: f64) -> f64 {
    let mut a = [0.5f64, 0.25, 0.75];
    let mut r: &mut [f64] = &mut a;
    let s = x.sin() * r[0];
    while let [first, rest @ ..] = r {
        *first += 0.3;
        r = rest;
    }
    s.cos() * a[0] + a[2]
}

#[grad]
fn head(v: &[f64], p: f64) -> f64 {
    v[0] * p.sin()
}

#[grad]
fn halves_that_are_read_and_passed_on(#[constant] list: &[f64], x: f64) -> f64 {
    let mut s = x;
    for i in 0..2 {
        let (a, b) = list.split_at(1 + i);
        s += b[0] * s;
        s = head(b, s) + a[0] * head(a, x);
    }
    s
}

#[test]
fn references_to_constant_variables_end_with_them() {
    check!(halves_that_are_read_and_passed_on(constant list = &[0.3, 0.7, 1.1], value x = 0.7));
    for n in 0..4 {
        check!(written_along(value x = 0.7, constant n = n));
    }
    check!(written_by_patterns(value x = 0.7));
    for n in 0..4 {
        check!(exchanged(value x = 0.7, constant n = n));
        check!(in_a_round(value x = 0.7, constant n = n));
        check!(in_an_arm(value x = 0.7, constant n = n));
        check!(of_an_owned_parameter(value x = 0.7, constant a = [0.4, 0.7, 1.2], constant n = n));
        check!(lent_on(value x = 0.7, constant n = n));
        check!(captured(value x = 0.7, constant n = n));
    }
}

/// A list that nobody changes, read in turn with one that depends on the parameters.
#[grad]
fn read_in_turn(x: &[f64], y: f64) -> f64 {
    let list = vec![0.4, 0.8, 1.5];
    let mut s = y;
    let (mut a, mut b) = (x, &list[..]);
    for _ in 0..3 {
        s = s.sin() * a[0] + b[1];
        std::mem::swap(&mut a, &mut b);
    }
    s * list[0]
}

#[test]
fn constants_read_in_turn_with_parameters() {
    check!(read_in_turn(shared x = [0.3, 0.6], value y = 0.7));
}

/// Parts of constant memory that methods change, beside what is active.
mod changed_parts {
    programs! {
        [(1.3, 0.7), (-0.4, 1.1)];

        fn swapped(x: f64, y: f64) -> f64 {
            let mut m = [[1.0, 2.0]; 2];
            let mut s = y;
            for i in 0..2 {
                let row = &mut m[i];
                s *= x;
                row.swap(0, 1);
                s += row[0] * x;
            }
            s * m[0][0]
        }

        fn counted(x: f64, y: f64) -> f64 {
            let mut m = [[1, 2]; 2];
            let mut s = y;
            for row in m.iter_mut() {
                s *= x;
                for c in row.iter_mut() {
                    *c += 1;
                }
            }
            s * m[0][0] as f64
        }

        fn sorted(x: f64, y: f64) -> f64 {
            let mut m = vec![vec![3, 1, 2]; 2];
            let mut s = y;
            for row in &mut m {
                s *= x;
                row.sort();
                row.push(4);
                row.reverse();
                s += row[0] as f64;
            }
            s * m[1][3] as f64
        }

        fn filled(x: f64, y: f64) -> f64 {
            let mut m = [1.0, 2.0, 3.0, 4.0];
            let mut s = y;
            for c in m.chunks_mut(2) {
                s *= x;
                let q = 2.0 * c[1];
                c.fill(q);
                c.reverse();
            }
            s * m[3]
        }

        fn written(x: f64, y: f64) -> f64 {
            let mut m = vec![String::new(); 2];
            let mut s = y;
            for c in m.iter_mut() {
                s *= x;
                c.push_str("ab");
                s += c.len() as f64 * x;
            }
            s
        }
    }
}

/// Constant memory is written through references, in loops and arms around something active.
#[grad]
fn written_through(x: f64) -> f64 {
    let mut s = x;
    let shifts = [0.75f64; 3];
    let mut list = vec![0.5, 0.25, 1.5];
    'steps: for (i, e) in list.iter_mut().enumerate() {
        s += shifts[2 - i].tanh() * x;
        let step: Option<f64> = Some(0.75);
        let Some(step) = step else { break 'steps };
        *e += 0.41 * step;
    }
    let mut rows = [[1.0, 2.0], [3.0, 4.0]];
    for row in rows.iter_mut() {
        s += x;
        match Some(2.0) {
            Some(k) => {
                row[0] += k;
                row[1] = row[0] * k;
            }
            None => {}
        }
        s += row[1] * x;
    }
    let mut counts = [1usize, 2, 3];
    for c in counts.iter_mut() {
        match s > 0.5 {
            true => *c += 1,
            false => *c *= 2,
        }
        s *= *c as f64;
    }
    s + list[1] * x + counts[0] as f64
}

/// What is put in place through a reference makes the list that it is a part of active.
#[grad]
fn replaced_in_a_loop(x: f64) -> f64 {
    let mut s = x;
    let mut list = vec![0.0f64; 4];
    for e in list.iter_mut() {
        let before = std::mem::replace(e, (x * s).sin());
        let v = before.sin() * (*e);
        s += 0.14 * v.cos() * v + 0.1 * *e;
    }
    s + list[1] * list[3]
}

#[test]
fn constant_memory_is_written_through_references() {
    for x in [0.7, -0.4, 1.3] {
        check!(written_through(value x = x));
        check!(replaced_in_a_loop(value x = x));
    }
}

three! {
    fn one_of_two_constants(x: f64, #[constant] c: &[f64]) -> f64 {
        let list = vec![0.2f64, 0.4, 0.7];
        let (a, b) = list.split_at(1);
        let chosen = if x > 0.5 { &list[..] } else { b };
        let (front, back) = c.split_at(2);
        let other = match list.len() > 2 && x > 0.9 { true => c, false => front };
        let third = if x > 1.2 { a } else if x > 0.6 { b } else { &list[..2] };
        let mut s = x;
        for z in chosen.iter() { s = 0.5 * s * z + chosen[1] * x + other[1]; }
        s * back[0] + third[0] * x + third.len() as f64 * s
    } = [value x = 0.7, constant c = &[0.3, 0.5, 0.9]];
    fn exchanged_constants(p: f64, q: f64, #[constant] c: &[f64]) -> f64 {
        let mut s = p;
        let (front, back) = c.split_at(2);
        if (if c.len() > 3 { p } else { q }) <= 0.84 {
            let (mut a, mut b) = (front, c);
            for _ in 0..2 { s = s.sin() * a[0] + b[1]; std::mem::swap(&mut a, &mut b); }
            s *= 2.0;
        } else {
            let o = if q > 0.1 { Some(back[0]) } else { None };
            let Some(v) = o else { return front[0] * p };
            s += v * p;
        }
        s * back[0]
    } = [value p = 0.7, value q = 0.4, constant c = &[0.3, 0.5, 0.9]];
    fn assigned_constants(x: f64, #[constant] c: &[f64]) -> f64 {
        let (front, back) = c.split_at(2);
        let mut s = x;
        if x > 0.1 {
            let mut r = front;
            if x > 0.5 { r = c; }
            s *= r[1] + r.len() as f64;
        }
        s * back[0]
    } = [value x = 0.7, constant c = &[0.3, 0.5, 0.9]];
    fn written_where_something_decides(p: f64) -> f64 {
        let (s, v) = (0.47f64, 0.45f64);
        let mut list = vec![0.1f64, 0.2, 0.3, 0.4];
        match &mut list[3..] {
            [x] => *x = x.sin() * (if p >= 0.67 { s } else { v }),
            [x, ..] => *x = 2.0,
            [] => {}
        }
        if let [x, ..] = &mut list[1..] { *x *= if p >= 0.67 { s } else { v }; }
        if let Some(x) = list.first_mut() { if p > 0.2 { *x += v; } }
        let Some(y) = list.last_mut() else { return 0.0 };
        if p > 0.3 { *y *= 2.0; }
        while let Some(z) = list.last_mut() {
            if p > 0.1 { *z += 1.0; }
            if *z > 4.0 { break; }
            *z += 0.5;
        }
        let (a, b) = list.split_at_mut(1);
        if p > 0.1 { a[0] += b[0]; }
        p * p * list[0] + p * list[1] + list[3] * p
    } = [value p = 0.7];
}

#[test]
fn constants_are_chosen_on_every_way() {
    use plain::{
        assigned_constants, exchanged_constants, one_of_two_constants,
        written_where_something_decides,
    };
    for x in [-0.3, 0.55, 0.8, 1.1, 1.4] {
        check!(one_of_two_constants(value x = x, constant c = &[0.3, 0.5, 0.9]));
        check!(assigned_constants(value x = x, constant c = &[0.3, 0.5, 0.9]));
        check!(exchanged_constants(value p = x, value q = 1.1 - x, constant c = &[0.3, 0.5, 0.9]));
        check!(written_where_something_decides(value p = x));
    }
}

#[derive(Clone)]
struct Kernel {
    weights: Vec<f64>,
}

struct Settings {
    kernel: Kernel,
}

impl Settings {
    fn widened(&self, k: usize) -> Kernel {
        Kernel {
            weights: self.kernel.weights.iter().map(|w| w * k as f64).collect(),
        }
    }

    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

#[grad(order = 2)]
fn through(x: f64, #[constant] kernel: &Kernel) -> f64 {
    x * x * kernel.weights[0]
}

/// What a method of a constant gives is a value or a reference, and is lent.
#[grad(order = 2)]
fn given_by_methods(x: f64, #[constant] settings: &Settings) -> f64 {
    let (value, reference) = (settings.widened(3), settings.kernel());
    let (own, again) = (settings.widened(2), settings.kernel());
    through(x, &value) * through(x, reference) + through(x.sin(), &own) + through(x, &again)
}

#[test]
fn what_methods_of_constants_give_is_lent() {
    let settings = Settings {
        kernel: Kernel { weights: vec![0.7] },
    };
    check!(given_by_methods(value x = 0.6, constant settings = &settings));
    check_second!(given_by_methods(value x = 0.6, constant settings = &settings));
}
