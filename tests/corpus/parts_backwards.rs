//! Parts of lists from the end: `rchunks`, `rchunks_exact` and their siblings that lend to change.

use autodiff::grad;

#[grad(order = 2)]
fn read(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for (k, part) in x.rchunks(n).enumerate() {
        s += (k as f64 + 1.0) * part.iter().product::<f64>().sin();
    }
    s + x
        .rchunks_exact(2)
        .map(|part| part[0] * part[1] * part[1])
        .sum::<f64>()
}

#[grad(order = 2)]
fn beside_others(x: &[f64]) -> f64 {
    let parts = x.rchunks_exact(2);
    let left: f64 = x.rchunks_exact(2).remainder().iter().sum();
    parts
        .zip(x)
        .map(|(part, y)| y * part[0].sin() * part[1])
        .sum::<f64>()
        * left
        + x.rchunks(3)
            .rev()
            .skip(1)
            .map(|part| part[0] * part[part.len() - 1])
            .sum::<f64>()
}

#[grad(order = 2)]
fn single(x: &[f64]) -> f64 {
    let first = x.rchunks(2).next().unwrap();
    let last = x.rchunks(2).last().unwrap();
    let behind = x.rchunks_exact(2).nth(7).map_or(x[0], |part| part[0]);
    first[1].sin() * last[0]
        + behind
            * x.rchunks_exact(2)
                .nth(1)
                .map_or(0.0, |part| part[0] * part[1])
}

#[grad(order = 2)]
fn changed(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    for (k, part) in v.rchunks_mut(2).enumerate() {
        for e in part.iter_mut() {
            *e = *e * *e * (k as f64 + 1.0);
        }
    }
    v.rchunks_exact_mut(2)
        .rev()
        .for_each(|part| part[0] *= part[1]);
    v.iter().map(|e| e.sin()).sum()
}

#[test]
fn parts_from_the_end() {
    for n in [1, 2, 3, 7] {
        check!(read(shared x = [0.3, 0.7, -0.4, 1.1, 0.9], constant n = n));
        check_second!(read(shared x = [0.3, 0.7, -0.4, 1.1, 0.9], constant n = n));
    }
    check!(beside_others(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
    check_second!(beside_others(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
    check!(single(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
    check_second!(single(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
    check!(changed(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
    check_second!(changed(shared x = [0.3, 0.7, -0.4, 1.1, 0.9]));
}
