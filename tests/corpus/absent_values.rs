//! Functions that return a number or none: their gradients are absent with the value.

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[derive(Debug, PartialEq)]
struct TooLarge;

#[grad]
fn log_odds(p: f64, scale: f64) -> Option<f64> {
    (0.0..1.0)
        .contains(&p)
        .then(|| scale * (p / (1.0 - p)).ln())
}

#[grad]
fn largest(xs: &[f64], scale: f64) -> Option<f64> {
    let most = xs.iter().copied().reduce(f64::max)?;
    Some(most * scale + xs[0] * xs[0])
}

#[grad]
fn logarithm<T: Float>(x: T) -> Option<T> {
    if x > T::from_f64(0.0) {
        Some(x.ln())
    } else {
        None
    }
}

#[grad]
fn root(x: f64) -> Result<Option<f64>, TooLarge> {
    if x > 9.0 {
        return Err(TooLarge);
    }
    Ok(if x > 0.0 { Some(x.sqrt()) } else { None })
}

#[derive(Clone, Debug, Differentiable)]
struct Gain {
    a: f64,
}

#[grad]
impl Gain {
    fn checked(&self, x: f64) -> Option<f64> {
        let odds = log_odds(x, self.a)?;
        Some(odds * self.a)
    }
}

#[test]
fn the_gradient_of_an_absent_value_is_absent() {
    let odds = (0.3f64 / 0.7).ln();
    let (dp, dscale) = log_odds::grad(0.3, 2.0).unwrap();
    assert!((dp - 2.0 / 0.21).abs() < 1e-12 && dscale == odds);
    assert_eq!(log_odds::grad(1.3, 2.0), None);
    assert_eq!(
        log_odds::value_and_grad(0.3, 2.0),
        Some((2.0 * odds, (dp, dscale)))
    );
    assert_eq!(largest::grad(&[1.0, 3.0], 2.0), Some((vec![2.0, 2.0], 3.0)));
    assert_eq!(largest::grad(&[], 2.0), None);
    assert_eq!(logarithm::grad(4.0f64), Some(0.25));
    assert_eq!(logarithm::grad(-4.0f32), None);
    assert_eq!(root::grad(4.0), Ok(Some(0.25)));
    assert_eq!(root::grad(-4.0), Ok(None));
    assert_eq!(root::grad(10.0), Err(TooLarge));
    let (gain, dx) = Gain { a: 2.0 }.checked_grad(0.3).unwrap();
    assert!((gain.a - 4.0 * odds).abs() < 1e-12 && (dx - 4.0 / 0.21).abs() < 1e-12);
    assert!(Gain { a: 2.0 }.checked_grad(-0.3).is_none());
}

#[test]
fn buffers_keep_what_they_held_where_the_value_is_absent() {
    let (mut dxs, mut dscale) = (vec![1.0, 1.0], 1.0);
    let xs = [1.0, 3.0];
    assert_eq!(
        largest::grad_into(&xs, 2.0, &mut dxs, &mut dscale),
        Some(7.0)
    );
    assert_eq!((&dxs[..], dscale), (&[3.0, 3.0][..], 4.0));
    assert_eq!(
        largest::value_and_grad_into(&xs, 2.0, &mut dxs, &mut dscale),
        Some(7.0)
    );
    assert_eq!((&dxs[..], dscale), (&[2.0, 2.0][..], 3.0));
    let mut dx = 5.0;
    assert_eq!(root::value_and_grad_into(-4.0, &mut dx), Ok(None));
    assert_eq!(root::grad_into(-4.0, &mut dx), Ok(None));
    assert_eq!(root::value_and_grad_into(10.0, &mut dx), Err(TooLarge));
    assert_eq!(dx, 5.0);
    assert_eq!(root::value_and_grad_into(4.0, &mut dx), Ok(Some(2.0)));
    assert_eq!(dx, 0.25);
}

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

/// Rows of a field, whose type is not seen.
#[grad]
fn of_rows(g: &Grid, i: usize, j: usize) -> f64 {
    let row = &g.rows[i];
    let here = row.get(j).copied().unwrap_or(0.0);
    let beside = g.rows[i].get(j + 1).copied().unwrap_or(0.5);
    here * beside * g.weights[0]
}

#[grad]
fn of_rows_that_may_lack(g: &Grid, i: usize, j: usize) -> f64 {
    let get = |i: usize, j: usize| -> f64 {
        g.rows
            .get(i)
            .and_then(|row| row.get(j))
            .copied()
            .unwrap_or(0.5)
    };
    let first = match g.rows.get(i) {
        Some(row) => row.first().cloned().unwrap_or(1.0),
        None => 2.0,
    };
    get(i, j) * get(i, j + 1) * g.weights[1] * first
}

#[test]
fn elements_of_rows_of_a_field() {
    let g = Grid {
        rows: vec![vec![1.0, 2.0], vec![3.0, 4.0, 5.0]],
        weights: vec![7.0, 0.25],
    };
    let of = |f: fn(&Grid, usize, usize) -> f64, along: [usize; 2], i, j| {
        let mut moved = [g.clone(), g.clone()];
        for (moved, h) in moved.iter_mut().zip([1e-6, -1e-6]) {
            moved.rows[along[0]][along[1]] += h;
        }
        (f(&moved[0], i, j) - f(&moved[1], i, j)) / 2e-6
    };
    for (i, j) in [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3)] {
        let one = of_rows::grad(&g, i, j);
        let other = of_rows_that_may_lack::grad(&g, i, j);
        for along in [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]] {
            let [r, k] = along;
            near(&one.rows[r][k], &of(of_rows, along, i, j), 1e-7);
            let truth = of(of_rows_that_may_lack, along, i, j);
            near(&other.rows[r][k], &truth, 1e-7);
        }
    }
    let beyond = of_rows_that_may_lack::value_and_grad(&g, 2, 0);
    near(&beyond.0, &(0.25 * 0.25 * 2.0), 1e-12);
    near(&beyond.1.weights, &vec![0.0, 0.5], 1e-12);
}
