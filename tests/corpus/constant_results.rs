//! Functions that return an integer, a truth value or text of what has derivatives: constants to those that call them.

use autodiff::{Differentiable, Float, grad};

#[grad(constant)]
fn sector(x: f64, table: &[f64]) -> usize {
    table.iter().filter(|&&t| t < x).count()
}

#[grad(constant)]
fn side<T: Float>(a: T, b: T) -> i32 {
    if a * b < T::from_f64(0.0) { -1 } else { 1 }
}

#[grad(constant)]
fn signs(xs: &[f64]) -> (bool, [i8; 2]) {
    (xs[0] < 0.0, [xs[0].signum() as i8, xs[1].signum() as i8])
}

#[grad(order = 2)]
fn by_sectors(x: f64, y: f64, table: &[f64]) -> f64 {
    let k = sector(x, table);
    let n = side(x, y);
    let (flip, s) = signs(&[x, y]);
    let z = f64::from(n) * x * y * table[k] + k as f64 * y;
    if flip { z * x + f64::from(s[1]) } else { z * z }
}

#[derive(Clone, Differentiable)]
struct Track {
    at: f64,
    length: f64,
    turns: i64,
}

#[grad(order = 2)]
impl Track {
    fn crosses(from: f64, to: f64) -> i64 {
        i64::from(from < 1.0 && to >= 1.0)
    }

    fn ahead(&self, to: f64) -> u8 {
        u8::from(to > self.at)
    }

    fn go(&mut self, to: f64) {
        self.turns += Track::crosses(self.at, to);
        self.turns += 3 * Self::crosses(to, self.at);
        self.length += (to - self.at).powi(2) * (1.0 + f64::from(self.ahead(to)));
        self.at = to;
    }
}

#[grad(order = 2)]
fn driven(start: f64, x: f64, y: f64) -> f64 {
    let mut track = Track {
        at: start,
        length: 0.0,
        turns: 0,
    };
    track.go(x * y);
    track.go(y * start);
    track.length * (1.0 + track.turns as f64)
}

#[test]
fn integers_and_truth_values_have_no_derivative() {
    let table = [-1.0, 0.2, 0.9, 2.5];
    for (x, y) in [(0.5, 1.3), (0.5, -1.3), (-0.5, 1.3)] {
        check!(by_sectors(value x = x, value y = y, shared table = table));
        check_second!(by_sectors(value x = x, value y = y, shared table = table));
    }
    let (gx, gy, gt) = by_sectors::grad(0.5, 1.3, &table);
    let z = 0.5 * 1.3 * 0.9 + 2.0 * 1.3;
    crate::check::near(&gx, &(2.0 * z * 1.3 * 0.9), 1e-12);
    crate::check::near(&gy, &(2.0 * z * (0.5 * 0.9 + 2.0)), 1e-12);
    crate::check::near(&gt[2], &(2.0 * z * 0.5 * 1.3), 1e-12);
}

#[test]
fn constant_functions_of_a_block_are_called_through_its_type() {
    for start in [0.4, 1.7] {
        check!(driven(value start = start, value x = 1.1, value y = 0.8));
        check_second!(driven(value start = start, value x = 1.1, value y = 0.8));
    }
    assert_eq!(
        driven(0.4, 1.1, 1.2),
        (0.92f64.powi(2) * 2.0 + (0.48f64 - 1.32).powi(2)) * 5.0
    );
}
