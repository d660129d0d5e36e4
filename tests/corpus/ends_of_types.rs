//! Elements of lists of the user's own types that may not be there: the first, the last, one by its number.

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
struct P {
    x: f64,
    y: f64,
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct W(f64, f64);

#[derive(Clone, Debug, Differentiable)]
struct Track {
    points: Vec<P>,
    pairs: Vec<W>,
    rows: Vec<Vec<P>>,
    xs: Vec<f64>,
}

fn points(x: &[f64]) -> Vec<P> {
    x.chunks(2).map(|c| P { x: c[0], y: c[1] }).collect()
}

/// The gradient of a function of a track against differences of it.
fn compare(
    name: &str,
    x: &[f64],
    f: &dyn Fn(&Track) -> f64,
    gradient: &dyn Fn(&Track) -> TrackTangent,
) {
    let made = |x: &[f64]| Track {
        points: points(&x[..6]),
        pairs: points(&x[6..10]).iter().map(|p| W(p.x, p.y)).collect(),
        rows: vec![points(&x[10..14]), points(&x[14..20])],
        xs: x[20..].to_vec(),
    };
    let g = gradient(&made(x));
    let rows = g.rows.iter().flatten().flat_map(|p| [p.x, p.y]);
    let g: Vec<f64> = g
        .points
        .iter()
        .flat_map(|p| [p.x, p.y])
        .chain(g.pairs.iter().flat_map(|w| [w.0, w.1]))
        .chain(rows)
        .chain(g.xs.iter().copied())
        .collect();
    assert_eq!(g.len(), x.len());
    for k in 0..x.len() {
        let h = 1e-5;
        let at = |by: f64| {
            let mut z = x.to_vec();
            z[k] += by;
            f(&made(&z))
        };
        let slope = (at(h) - at(-h)) / (2.0 * h);
        assert!(
            (g[k] - slope).abs() < 1e-8 * (1.0 + slope.abs()),
            "{name}, number {k}: {} is not {slope}",
            g[k]
        );
    }
}

macro_rules! tracks {
    ($(fn $name:ident($t:ident) $body:block)*) => {
        $(#[grad] fn $name($t: &Track) -> f64 $body)*

        #[test]
        fn gradients_are_slopes() {
            let x: Vec<f64> = (0..24).map(|i| 0.31 + 0.83 * f64::from(i * 7 % 11) / 5.0 - 0.4 * f64::from(i % 3)).collect();
            let y: Vec<f64> = x.iter().map(|x| 0.9 - x).collect();
            for x in [&x, &y] {
                $(compare(stringify!($name), x, &$name, &|t| $name::grad(t));)*
            }
        }
    };
}

tracks! {
    fn taken_apart(t) {
        let mut s = 0.0;
        if let Some(P { x, y }) = t.points.first() { s += x * y; }
        if let Some(&W(a, b)) = t.pairs.last() { s += a.sin() * b; }
        if let Some((P { x, .. }, rest)) = t.points.split_first() { s += x * rest[0].y; }
        s + match t.pairs.split_last() { Some((W(a, _), rest)) => a * rest[0].1, None => 0.0 }
    }
    fn fields_by_name(t) {
        let Track { points, pairs, xs, .. } = t;
        let mut s = 0.0;
        if let Some(p) = points.first() { s += p.x * p.y; }
        if let Some(W(a, b)) = pairs.last() { s += a * b; }
        if let Some((last, rest)) = xs.split_last() { s += last * rest[0]; }
        s
    }
    fn guarded(t) {
        let mut s = 0.0;
        if let Some((head, tail)) = t.points.split_first() {
            for p in tail { s += (p.x - head.x) * p.y; }
        }
        let Some(last) = t.points.last() else { return s };
        s += match t.xs.first() { Some(&x) if x > 0.5 => s * x * last.y, Some(x) => s + x, None => s };
        match t.points.last() {
            Some(&P { x, y }) if x > y => s * x,
            Some(P { x, .. }) => s - x * x,
            None => s,
        }
    }
    fn walked(t) {
        let mut s = 0.0;
        let mut rest = &t.points[..];
        while let Some((&P { x, y }, tail)) = rest.split_first() {
            s += x * y * (tail.len() as f64 + 1.0);
            rest = tail;
        }
        s
    }
    fn rows(t) {
        let mut s = 0.0;
        for row in &t.rows {
            if let Some(P { x, .. }) = row.last() { s += x * x; }
            if let [P { y, .. }, .., P { x, .. }] = row.as_slice() { s += x * y; }
            if let Some(first) = row.first() { s *= first.y; }
        }
        match t.rows[1].as_slice() {
            [P { x, y }, rest @ ..] if *x > 0.2 => s * y + rest[0].x,
            [.., end] => s - end.x,
            [] => s,
        }
    }
    fn by_number(t) {
        let (mut s, mut i) = (0.0, 0);
        let ps = &t.points[..];
        if let Some(p) = ps.get(1) { s += p.x; } else { s += ps[0].y; }
        if let Some(p) = ps.get(7) { s += p.x; } else { s += ps[0].y * ps[1].x; }
        while let Some(P { x, y }) = ps.get(i) {
            s += x * y;
            i += 1;
            if *x > 1.5 { break; }
        }
        let Some(q) = ps.get(i - 1) else { return s };
        s + match ps.get(0) { Some(&P { x, .. }) => x * q.y, None => 0.0 }
    }
    fn methods(t) {
        let ps = &t.points[..];
        ps.last().map_or(0.0, |p| p.x * p.y)
            + ps.first().unwrap().x * ps[1].y
            + ps.get(1).map(|p| p.y * p.x).unwrap_or(0.0)
            + ps.get(9).map_or(ps[2].x, |p| p.y)
    }
    fn changed(t) {
        let mut ps = t.points.to_vec();
        if let Some(P { x, y }) = ps.last_mut() {
            *x *= t.xs[0];
            *y = *x * t.xs[1];
        }
        let Some(p) = ps.first_mut() else { return 0.0 };
        p.x *= 3.0 * p.y;
        if let Some(p) = ps.get_mut(1) { p.y *= p.x; }
        ps[0].x * ps[1].y + ps[2].y * ps[2].x
    }
}

#[grad]
impl W {
    fn swapped(&self) -> W {
        W(self.1, self.0)
    }
}

#[grad]
fn product(w: W) -> f64 {
    w.0 * w.1 * w.1
}

/// A single capital is a constructor like any other name of a type.
#[grad]
fn named_by_a_capital(x: f64, y: f64) -> f64 {
    let w = W(x * y, y);
    let list = [x, y].map(|a| W(a, x));
    product(W(x, y)) + w.swapped().0 * x + list[1].0 * list[0].1
}

#[test]
fn made_of_numbers() {
    check!(named_by_a_capital(value x = 0.7, value y = 1.3));
}
