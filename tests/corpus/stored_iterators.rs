//! Iterators with a name: they have what their variables were when they were made.

use autodiff::grad;

programs! {
    [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9)];

    fn captured(x: f64, y: f64) -> f64 {
        let mut k = x;
        let b = [1.0, y];
        let it = b.iter().map(move |v| v * k);
        k *= 2.0;
        it.sum::<f64>() * k
    }

    fn listed(x: f64, y: f64) -> f64 {
        let mut s = x;
        let it = [s, y].into_iter();
        s = 2.0 * y;
        it.map(|v| v * s).sum()
    }

    fn repeated(x: f64, y: f64) -> f64 {
        let mut s = x;
        let it = std::iter::repeat(s).take(3);
        s = y * s;
        let once = std::iter::once(s).chain([x * y]);
        s += x;
        it.map(|v| v * s).sum::<f64>() + once.map(|v| v * s).sum::<f64>()
    }

    fn in_a_loop(x: f64, y: f64) -> f64 {
        let (mut s, mut out) = (x, 0.0);
        let a = [x, 2.0 * y];
        for k in 0..3 {
            let it = a.iter().map(move |q| q * s);
            s = s * 0.5 + k as f64;
            out += it.sum::<f64>() * s;
        }
        out
    }

    fn with_a_state(x: f64, y: f64) -> f64 {
        let mut a = [x, 1.0];
        let b = [2.0 * x, y];
        let it = b.iter().map(move |v| {
            a[0] += v;
            a[0] * v
        });
        let t: f64 = it.sum();
        a[1] += y;
        t * a[0] * a[1]
    }

    fn by_value(x: f64, y: f64) -> f64 {
        let mut a = [x, y];
        let it = a.into_iter();
        a[0] = 3.0 * x;
        it.map(|v| v * v).sum::<f64>() * a[0]
    }

    fn of_references(x: f64, y: f64) -> f64 {
        let all = [x, y, x * y, x + y];
        let mut w = &all[..];
        let it = w.iter();
        let pairs = w.windows(2);
        w = &all[1..];
        let mut k = 1;
        let tail = all[k..].iter();
        k = 3;
        let s: f64 = it.map(|v| v * w[0]).sum();
        let t: f64 = pairs.map(|p| p[0] * p[1] * w[1]).sum();
        s + t + tail.map(|v| v * k as f64).sum::<f64>()
    }

    fn chosen(x: f64, y: f64) -> f64 {
        let all = [x, y, x * y, 0.3];
        let mut least = y;
        let it = all.iter().filter(move |v| **v >= least).enumerate();
        least = 10.0 * x;
        it.map(|(i, v)| v * (i as f64 + 1.0)).sum::<f64>() * least
    }

    fn changing_what_is_outside(x: f64, y: f64) -> f64 {
        let mut c = y;
        let all = [x, y, x * y];
        let it = all.iter().map(|v| {
            c += v;
            c * v
        });
        let s: f64 = it.sum();
        s * c
    }
}

#[grad]
fn first_rows(x: &[f64]) -> Option<f64> {
    let mut rows = x.chunks(2);
    let a = rows.next()?;
    let b = rows.next()?;
    let last = rows.next().map_or(1.0, |row| row[0]);
    let mut items = x.iter();
    let first = items.next()?;
    let second = items.next()?;
    Some(a[0] * b[0] * last + first * second)
}

#[grad]
fn taken_in_pairs(x: &[f64]) -> f64 {
    let mut s = first_rows(x).unwrap_or(x[0]);
    let mut rows = x.chunks(2);
    while let Some([a, b]) = rows.next() {
        s += a * b * s;
    }
    s + first_rows(&x[1..]).unwrap_or(x[1])
}

#[test]
fn items_asked_for() {
    check!(taken_in_pairs(shared x = [1.3, 0.7, -0.4, 1.1, 0.6]));
    check!(taken_in_pairs(shared x = [1.3, 0.7, -0.4]));
    check!(taken_in_pairs(shared x = [1.3, 0.7, -0.4, 0.8]));
}
