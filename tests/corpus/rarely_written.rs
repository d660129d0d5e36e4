//! Methods of lists and numbers that few programs have: each is others of them in another guise.

use autodiff::grad;

#[grad(order = 2)]
fn references_to_each(x: &[f64]) -> f64 {
    let mut a: [f64; 3] = [x[0], x[1] * x[2], x[3]];
    let s = {
        let r = a.each_ref();
        r[0] * *r[1] + r[2].sin() + r.iter().map(|v| **v * **v).sum::<f64>()
    };
    for e in a.each_mut() {
        *e *= 2.0;
    }
    let [first, second, _] = a.each_mut();
    *first = *second * *second;
    s * a.each_ref().map(|v| v * v).iter().sum::<f64>()
}

#[grad(order = 2)]
fn repeated(x: &[f64]) -> f64 {
    let y = x[0];
    let v: Vec<f64> = std::iter::repeat_n(y * y, 3).collect();
    let n = x.len() - 1;
    v.iter().product::<f64>()
        + std::iter::repeat_n(y, n)
            .zip(&v)
            .map(|(a, b)| a * b)
            .sum::<f64>()
        + x.iter()
            .zip(std::iter::repeat_n(y * x[1], n))
            .map(|(a, b)| a * b * b)
            .sum::<f64>()
        + std::iter::repeat_n(y, n)
            .zip(std::iter::repeat_n(x[2], 3))
            .map(|(a, b)| a * b * b)
            .sum::<f64>()
        + std::iter::repeat_n(y, 4)
            .zip(0..3)
            .map(|(a, b)| a * a * f64::from(b))
            .sum::<f64>()
}

#[grad(order = 2)]
fn as_arrays(x: &[f64]) -> f64 {
    let (pairs, rest) = x.as_chunks::<2>();
    let mut s = 0.0;
    for [a, b] in pairs {
        s += a * b * b;
    }
    for pair in pairs {
        s += pair[0].sin();
    }
    for r in rest {
        s += r * r * r;
    }
    let (triples, left) = (x.as_chunks::<3>().0, x.as_chunks::<3>().1.len());
    s + triples.iter().map(|[a, b, c]| a * b * c).sum::<f64>() + left as f64
}

#[grad(order = 2)]
fn as_arrays_of<const N: usize>(x: &[f64]) -> f64 {
    let (rows, rest) = x.as_chunks::<N>();
    let mut s = 0.0;
    for row in rows {
        s += row.iter().product::<f64>() + row[0] * row[N - 1];
    }
    s * rest[0]
}

#[grad(order = 2)]
fn as_pairs(x: &[f64]) -> f64 {
    as_arrays_of::<2>(x)
}

#[grad(order = 2)]
fn neighbours(x: &[f64]) -> f64 {
    let y = (x[0] * x[1]).next_up();
    y * x[2].next_down()
}

#[grad(order = 2)]
fn kept_and_changed(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.retain_mut(|e| {
        *e = *e * *e;
        *e > 0.5
    });
    v.iter().map(|e| e.sin()).sum()
}

#[grad(order = 2)]
fn extracted(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let large: Vec<f64> = v.extract_if(.., |e| *e > 0.5).collect();
    let mut w = x.to_vec();
    let mut t = 0.0;
    for e in w.extract_if(1..4, |e| {
        *e *= 2.0;
        *e > 1.2
    }) {
        t += e * e;
    }
    let s: f64 = w
        .extract_if(..2, |e| *e > 0.0)
        .map(|e| e.cos())
        .sum::<f64>();
    let mut all = vec![t];
    all.extend(v.extract_if(..=1, |e| *e < 0.0));
    v.iter().sum::<f64>().powi(2)
        + large.iter().map(|b| b.sin()).sum::<f64>()
        + t * s
        + w.iter().product::<f64>() * all.iter().sum::<f64>()
}

#[test]
fn in_another_guise() {
    macro_rules! of {
        ($($f:ident)*) => {$(
            check!($f(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
            check_second!($f(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
        )*};
    }
    of!(references_to_each repeated as_arrays as_pairs neighbours kept_and_changed extracted);
}

#[grad]
fn behind(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.extract_if(..9, |e| *e > 0.0).sum()
}

#[test]
#[should_panic(expected = "should be <= len")]
fn a_range_behind_the_vector_is_none() {
    behind::grad(&[1.0]);
}
