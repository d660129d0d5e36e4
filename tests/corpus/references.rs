//! References that change what they refer to, or are chosen at run time.

use autodiff::grad;

three! {
    fn walking(xs: &[f64]) -> f64 {
        let mut rest = xs;
        let mut s = 0.0;
        for k in 0..xs.len() {
            s = s * 0.5 + rest[0] * rest[rest.len() - 1] + k as f64;
            rest = &rest[1..];
        }
        s
    } = [shared xs = [0.3, -0.7, 1.2, 0.4]];
    fn both_ends(xs: &[f64]) -> f64 {
        let mut rest = &xs[..];
        let mut s = 0.0;
        while rest.len() > 1 {
            s = s * 0.5 + rest[0] * rest[rest.len() - 1];
            rest = &rest[1..rest.len() - 1];
        }
        for v in rest.iter() { s += v * v; }
        s
    } = [shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]];
    fn patterns(xs: &[f64]) -> f64 {
        let mut rest = xs;
        let mut s = 0.0;
        while let [first, tail @ ..] = rest {
            s = s * 0.5 + first * first;
            rest = tail;
        }
        s
    } = [shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]];
    fn splitting(x: f64, n: usize) -> f64 {
        let mut a = [x, x * x, 2.0 * x, x + 1.0, 0.5, x];
        let mut rest = &mut a[..];
        let mut s = x;
        for k in 0..n {
            let (l, r) = rest.split_at_mut(2);
            l[0] *= s;
            r[0] += l[1] * l[0];
            s = s * 0.5 + r[0];
            rest = r;
        }
        s + a[0] * a[2] * a[4]
    } = [value x = 0.7, constant n = 2];
    fn moving_cursor(x: f64, n: usize) -> f64 {
        let mut a = [x, x * x, 2.0 * x, x + 1.0];
        let mut s = x;
        let mut cur = &mut a[0];
        for k in 0..n {
            *cur *= s;
            s += *cur;
            cur = &mut a[(k * k + 1) % 4];
            *cur += x;
        }
        *cur *= 2.0;
        s + a[0] * a[1] + a[2] * a[3]
    } = [value x = 0.7, constant n = 4];
    fn chosen(x: f64, y: f64) -> f64 {
        let mut a = [x, 1.0];
        let mut b = vec![y, x, 2.0];
        let r = if x > 0.0 { &mut a[..] } else { &mut b[..] };
        r[0] *= y;
        r[1] += r[0];
        let n = r.len();
        a[0] * b[0] + a[1] * b[1] + n as f64
    } = [value x = 0.7, value y = -1.3];
    fn chosen_other(x: f64, y: f64) -> f64 {
        let mut a = [x, 1.0];
        let mut b = [y, x];
        let r = if x < 0.0 { &mut a } else { &mut b };
        r[0] *= y;
        r[1] += r[0];
        for v in r.iter_mut() { *v *= x; }
        r.swap(0, 1);
        a[0] * b[0] + a[1] * b[1]
    } = [value x = 0.7, value y = -1.3];
    fn chosen_in_loop(x: f64, n: usize) -> f64 {
        let mut a = x;
        let mut b = x * x;
        for k in 0..n {
            let t = if k % 2 == 0 { &mut a } else { &mut b };
            *t *= x;
            *t += 1.0;
        }
        a * b
    } = [value x = 0.7, constant n = 3];
    fn ping_pong(x: f64, n: usize) -> f64 {
        let mut a = vec![x, 2.0 * x, 1.0, x * x];
        let mut b = vec![0.0; 4];
        let (mut cur, mut next) = (&mut a, &mut b);
        for k in 0..n {
            for i in 0..4 {
                next[i] = 0.5 * cur[i] * cur[(i + 1) % 4] + k as f64 * x;
            }
            std::mem::swap(&mut cur, &mut next);
        }
        let mut s = 0.0;
        for (i, v) in cur.iter().enumerate() { s = s * 0.7 + v * i as f64; }
        s + a[1] * b[2]
    } = [value x = 0.7, constant n = 3];
    fn ping_pong_tuple(x: f64, n: usize) -> f64 {
        let mut a = [x, 2.0 * x, 1.0];
        let mut b = [0.0; 3];
        let mut cur = &mut a;
        let mut next = &mut b;
        for k in 0..n {
            for i in 0..3 { next[i] = cur[i] * cur[(i + 1) % 3]; }
            next[k % 3] += x;
            if k != 1 { (cur, next) = (next, cur); }
        }
        let last = cur[0] + next[1] * x;
        last * a[1] + b[2]
    } = [value x = 0.7, constant n = 4];
    fn filled_by_reference(x: f64, n: usize) -> f64 {
        let mut a = [x, 2.0 * x, 1.0];
        let mut b = [0.0; 3];
        let mut cur = &mut a;
        let mut next = &mut b;
        for _ in 0..n {
            next.copy_from_slice(&cur[..]);
            cur.fill(x * x);
            next[1] *= cur[0];
            std::mem::swap(&mut cur, &mut next);
        }
        a[0] * b[1] + a[1] * b[0]
    } = [value x = 0.7, constant n = 3];
    fn shared_swapped(x: f64, n: usize) -> f64 {
        let a = [x, 2.0];
        let b = [x * x, x];
        let (mut p, mut q) = (&a, &b);
        let mut s = 0.0;
        for k in 0..n {
            s = s * 0.5 + p[0] * q[k % 2] * a[1];
            std::mem::swap(&mut p, &mut q);
        }
        s + p[1]
    } = [value x = 0.7, constant n = 3];
    fn zero_rounds(x: f64, n: usize) -> f64 {
        let mut a = vec![x, 2.0 * x];
        let mut b = vec![x * x; 2];
        let (mut cur, mut next) = (&mut a, &mut b);
        for _ in 0..n { next[0] = cur[0] * cur[1]; std::mem::swap(&mut cur, &mut next); }
        cur[0] *= x;
        a[0] * b[1]
    } = [value x = 0.7, constant n = 0];
    fn rows_by_reference(m: &[[f64; 2]], n: usize) -> f64 {
        let mut row = &m[0];
        let mut s = 0.0;
        for k in 0..n {
            s = s * 0.5 + row[0] * row[1];
            if k % 2 == 0 { row = &m[(k + 1) % 3]; }
        }
        s
    } = [shared m = [[0.3, 0.4], [0.6, -0.2], [1.2, 0.1]], constant n = 4];
    fn least(xs: &[f64], k: f64) -> f64 {
        let mut best = &xs[0];
        for v in xs {
            if v < best { best = v; }
        }
        best * best * k
    } = [shared xs = [0.3, -0.7, 1.2], value k = 0.9];
    fn least_of_the_rest(m: &[[f64; 2]], k: f64) -> f64 {
        let (mut best, mut before) = (&m[0], &m[0]);
        for row in &m[1..] {
            if row[1] < best[1] { before = best; best = row; }
        }
        let [x, y] = best;
        x * x * k + before[0] * y
    } = [shared m = [[0.3, 0.4], [0.6, 0.2], [1.2, 0.1], [0.9, 0.3]], value k = 0.9];
    fn least_in_a_while(m: &[[f64; 2]], k: f64) -> f64 {
        let mut lowest = &m[0][1];
        let (mut of, mut i) = (m[0][0], 1);
        while i < m.len() {
            let row = &m[i];
            if row[1] < *lowest { lowest = &row[1]; of = row[0]; }
            i += 1;
        }
        of * of * k + lowest * 2.0
    } = [shared m = [[0.3, 0.4], [0.6, 0.2], [1.2, 0.3]], value k = 0.9];
    fn least_after_the_first(m: &[Vec<f64>]) -> f64 {
        let mut rows = m.iter();
        let mut best = rows.next().unwrap();
        for row in rows {
            for v in row {
                if v * v < best[0] * best[0] { best = row; }
            }
        }
        best.iter().map(|x| x * x).sum::<f64>() + best[0].sin()
    } = [shared m = vec![vec![0.9, 0.4], vec![0.6, 0.2], vec![1.2, 0.3]]];
    fn rests_of_rows(m: &[[f64; 3]; 2], p: f64) -> f64 {
        let mut s = p;
        for row in m.iter() {
            let mut r = &row[..];
            while let [x, tail @ ..] = r {
                if *x > 1.1 { break; }
                s = s.sin() * x + p;
                r = tail;
            }
            s *= r.len() as f64 + 0.5;
        }
        s
    } = [shared m = [[0.3, 0.4, 1.2], [0.6, 0.2, 0.9]], value p = 0.8];
    fn copies_beside_what_is_lent(p: f64) -> f64 {
        let mut s = 0.0;
        let mut xs = [p, p * p, 0.4];
        for (i, &mut e) in xs.iter_mut().enumerate() {
            let (mut v, _, w) = (p.sin(), s * 2.0, if i == 1 { e } else { p });
            std::mem::swap(&mut s, &mut v);
            s += v.cos() * w;
        }
        s * xs[0]
    } = [value p = 0.8];
    fn inactive_refs(x: f64, n: usize) -> f64 {
        let w = [1.0, 2.0, 3.0, 4.0];
        let mut rest = &w[..];
        let mut c = [0.0; 2];
        let r = &mut c;
        r[0] = 2.0;
        let mut s = x;
        for _ in 0..n { s = s * rest[0] + x; rest = &rest[1..]; }
        s * c[0] * rest.len() as f64
    } = [value x = 0.7, constant n = 3];
    fn to_one_of_two_numbers(x: f64, y: f64) -> f64 {
        let z = x * y;
        let r = if x > y { &x } else { &y };
        let q = match z > 0.1 {
            true => &x,
            false => &z,
        };
        let mut s = &x;
        if y > x { s = &y; }
        r.sin() * x + *s * q
    } = [value x = 0.7, value y = 1.3];
    fn to_numbers_in_both_orders(x: f64, y: f64, n: usize) -> f64 {
        let half = 0.5;
        let mut best = &x;
        let mut s = y;
        for k in 0..n {
            let (small, large) = if x * k as f64 > y { (&y, &x) } else { (&x, &y) };
            s = s * small + large;
            if s > 2.0 { best = &y; }
        }
        let t = if s > 1.0 { &half } else { &s };
        s * *best * t
    } = [value x = 0.7, value y = 1.3, constant n = 3];
}

#[grad]
fn chosen_together(x: &[f64]) -> f64 {
    let (l, r): (&[f64], &[f64]) = if x[0] > 0.0 {
        (&x[1..], &x[2..])
    } else {
        (x, &x[..2])
    };
    let mut s = l[0] * r[1];
    let mut v = x.to_vec();
    let mut w = vec![x[0], x[1] * x[2], x[3]];
    for i in 0..3 {
        let (lo, hi) = if v[i] < w[i] {
            (&v[i..], &w)
        } else {
            (&w[i..], &v)
        };
        s += lo[0] * hi[0] * hi[1];
        let (p, q) = if i == 1 {
            (&mut v, &mut w)
        } else {
            (&mut w, &mut v)
        };
        p[0] *= q[1];
        q[2] += s * 0.1;
    }
    let (mut p, mut q) = if x[0] < x[1] { (&v, &w) } else { (&w, &v) };
    s += p[0] * q[1];
    (p, q) = (q, p);
    s + p[1] * q[2] * p[0]
}

#[test]
fn references_chosen_together() {
    for x in [
        [1.3, 0.7, -0.4, 1.1, 0.6],
        [-0.9, -1.2, -0.3, 0.5, 0.8],
        [0.45, 1.9, 1.2, -0.7, -1.6],
    ] {
        check!(chosen_together(shared x = x));
    }
}

#[grad]
fn written_as_chosen(x: f64, t: f64) -> f64 {
    let (mut a, mut b) = ([x, 1.0], [t, 2.0]);
    let (src, dst) = if t > 0.5 { (&a, &mut b) } else { (&b, &mut a) };
    dst[0] = src[0] * src[0] * 3.0;
    b[0] * a[0]
}

#[grad]
fn chosen_and_swapped(x: f64, t: f64) -> f64 {
    let (mut a, mut b) = ([x, 1.0], [t, 2.0]);
    let (mut p, mut q) = if t > 0.5 {
        (&mut a, &mut b)
    } else {
        (&mut b, &mut a)
    };
    for _ in 0..3 {
        p[0] = q[0] * q[0] + x;
        std::mem::swap(&mut p, &mut q);
    }
    a[0] * b[0].sin()
}

#[test]
fn references_that_are_chosen_together() {
    for t in [0.3, 0.8] {
        check!(written_as_chosen(value x = 0.7, value t = t));
        check!(chosen_and_swapped(value x = 0.7, value t = t));
    }
}
