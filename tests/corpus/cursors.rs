//! Iterators that are taken on item by item: by `next` before a loop, inside one, in a `match`, and by what is left of them.

use autodiff::grad;

#[grad]
fn the_first_apart(x: f64, y: f64) -> f64 {
    let xs = [x, x * y, y.sin(), 2.0 * x];
    let mut it = xs.iter();
    let first = it.next().unwrap();
    let mut s = *first;
    for v in it {
        s = s * v + y;
    }
    s
}

#[grad]
fn until_there_is_none(x: f64, y: f64) -> f64 {
    let xs = [x, x * y, y.sin(), 2.0 * x];
    let mut it = xs.chunks(3);
    let mut s = 1.0;
    loop {
        match it.next() {
            Some(part) => s = s * part[0] + part.iter().sum::<f64>(),
            None => break,
        }
    }
    let mut backwards = xs.iter().enumerate().rev();
    loop {
        let Some((k, v)) = backwards.next() else {
            break;
        };
        if k == 1 {
            continue;
        }
        s += v * v * k as f64;
    }
    s
}

#[grad]
fn largest(v: &[f64]) -> f64 {
    let mut it = v.iter().copied();
    let Some(mut best) = it.next() else {
        return 0.0;
    };
    for x in it {
        best = best.max(x * x);
    }
    best
}

#[grad]
fn in_pairs(v: &[f64]) -> f64 {
    let mut it = v.iter();
    let mut s = 0.0;
    while let Some(a) = it.next() {
        if let Some(b) = it.next() {
            s += a * b;
        } else {
            s -= a.sin();
        }
    }
    let mut it = v.iter();
    while let (Some(a), Some(b)) = (it.next(), it.next()) {
        s += a * a * b;
    }
    s
}

#[grad]
fn looks_ahead(v: &[f64]) -> f64 {
    let mut it = v.iter().skip(1).peekable();
    let mut s = 0.0;
    while let Some(a) = it.next() {
        match it.peek() {
            Some(b) if **b > 0.5 => s += a * **b,
            Some(_) => s += a.cos(),
            None => s *= a,
        }
    }
    s
}

#[grad]
fn peeks_once(v: &[f64]) -> f64 {
    let mut it = v.iter().peekable();
    match it.peek() {
        Some(x) if **x > 0.5 => **x * 2.0,
        Some(x) => x.sin(),
        None => 1.0,
    }
}

#[grad]
fn goes_on(v: &[f64], limit: f64) -> f64 {
    let mut it = v.iter().map(|x| x * limit);
    let mut s = limit;
    for y in it.by_ref() {
        if y > 0.8 {
            break;
        }
        s += y * y;
    }
    it.next();
    s += it.nth(1).unwrap_or(limit);
    s * it.fold(0.5, |a, b| a * b + limit)
}

#[grad]
fn in_step(v: &[f64], w: &[f64; 5]) -> f64 {
    let mut it = v.iter().zip(w).skip(1);
    let (a, b) = it.next().unwrap();
    let mut s = a * b;
    s += it.clone().map(|(a, b)| a * b * b).sum::<f64>();
    let mut every = v.iter().step_by(2);
    for k in 0..2 {
        if let Some(y) = every.next() {
            s += y * (k as f64 + 1.0);
        }
    }
    s * it.len() as f64
}

#[grad]
fn from_where_it_was(v: &[f64], x: f64) -> f64 {
    let mut it = v.iter();
    it.next();
    let rest = it.clone();
    it.next();
    it.next();
    let mut pair = ([x, x * x, x.sin()], x);
    let mut copy = pair.0.into_iter();
    pair.0[1] = 5.0 * x;
    let (p, q) = (copy.next().unwrap(), copy.next().unwrap());
    rest.sum::<f64>() * it.next().unwrap() * p * q + pair.0[1] * pair.1
}

#[grad]
fn every_pair(v: &[f64]) -> f64 {
    let mut it = v.iter();
    let mut s = 0.0;
    while let Some(p) = it.next() {
        let mut behind = it.clone();
        while let Some(q) = behind.next() {
            s += p * q * q;
        }
        for q in it.clone() {
            s -= q.sin() * p;
        }
    }
    s
}

#[grad]
fn over_an_order(v: &[f64], #[constant] order: &[usize]) -> f64 {
    let mut it = order.iter();
    let mut last = *it.next().unwrap();
    let mut s = 0.0;
    while let Some(&k) = it.next() {
        s += v[last] * v[k].sin();
        last = k;
    }
    s
}

#[grad]
fn over_copies(x: f64, y: f64) -> f64 {
    let mut xs = [x, x * y, y.sin()];
    let mut it = xs.into_iter();
    xs[0] = 5.0 * x;
    xs[1] = 0.0;
    let (a, b) = (it.next().unwrap(), it.next().unwrap());
    let list = vec![a, b * b, y];
    let mut list = list.into_iter();
    let c = list.next().unwrap();
    a * b + xs[0] + xs[1] + c * list.sum::<f64>()
}

#[grad]
fn started_again(v: &[f64]) -> f64 {
    let mut it = v.iter();
    let mut s = 0.0;
    'all: loop {
        for y in &mut it {
            if *y > 0.5 {
                s += y;
                continue 'all;
            }
            s -= y * y;
        }
        break;
    }
    s
}

#[grad]
fn rows(m: &[[f64; 2]]) -> f64 {
    let mut it = m.iter();
    let mut best = it.next().unwrap();
    for row in it {
        if row[0] > best[0] {
            best = row;
        }
    }
    best[0] * best[1] * best[1]
}

#[grad(order = 2)]
fn curved(v: &[f64]) -> f64 {
    let mut it = v.windows(2);
    let pair = it.next().unwrap();
    let mut s = pair[0] * pair[1];
    while let Some(pair) = it.next() {
        s = s.sin() * pair[0] + pair[1] * pair[1] * s;
    }
    s
}

#[test]
fn taken_on_by_hand() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9)] {
        check!(the_first_apart(value x = x, value y = y));
        check!(until_there_is_none(value x = x, value y = y));
        check!(over_copies(value x = x, value y = y));
    }
    let lists = [
        vec![],
        vec![0.7],
        vec![0.3, 0.9],
        vec![0.6, -0.4, 1.2, 0.2, 0.8],
    ];
    for v in lists {
        check!(largest(shared v = v.clone()));
        check!(in_pairs(shared v = v.clone()));
        check!(looks_ahead(shared v = v.clone()));
        check!(peeks_once(shared v = v.clone()));
        check!(every_pair(shared v = v.clone()));
        check!(started_again(shared v = v.clone()));
        for limit in [0.6, 1.4] {
            check!(goes_on(shared v = v.clone(), value limit = limit));
        }
    }
    let v = vec![0.6, -0.4, 1.2, 0.2, 0.8];
    check!(in_step(shared v = v.clone(), shared w = [1.1, 0.4, -0.7, 0.3, 0.2]));
    check!(from_where_it_was(shared v = v.clone(), value x = 0.7));
    check!(over_an_order(shared v = v.clone(), constant order = &[3, 1, 4, 0]));
    check!(rows(shared m = vec![[0.3, 1.2], [0.8, -0.6], [0.5, 2.0]]));
}

#[test]
fn second_derivatives() {
    let v = [0.6, -0.4, 1.2, 0.3];
    let hessian = curved::hessian(&v);
    for j in 0..4 {
        let (mut above, mut below) = (v, v);
        above[j] += 1e-5;
        below[j] -= 1e-5;
        let (above, below) = (curved::grad(&above), curved::grad(&below));
        for i in 0..4 {
            let slope = (above[i] - below[i]) / 2e-5;
            assert!((hessian[[i, j]] - slope).abs() < 1e-8);
        }
    }
}
