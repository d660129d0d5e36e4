//! Results without numbers beside `&mut` parameters: whether it was done, how often, and the like.

use autodiff::grad;

#[grad(order = 2)]
fn scale(v: &mut [f64], x: f64) -> Option<()> {
    if v.is_empty() {
        return None;
    }
    v[0] *= x;
    Some(())
}

#[grad(order = 2)]
fn first(v: &mut [f64], x: f64) -> Option<()> {
    let y = v.first_mut()?;
    *y *= x;
    scale(v, x)?;
    Some(())
}

#[grad]
fn counted(v: &mut [f64], x: f64) -> (usize, bool) {
    v[0] *= x;
    (2, true)
}

#[grad]
fn places(v: &mut [f64], x: f64) -> [usize; 2] {
    v[1] += x;
    [1, 0]
}

#[grad(order = 2)]
fn asked(q: &[f64], x: f64) -> f64 {
    let mut v = q.to_vec();
    scale(&mut v, x);
    if scale(&mut v, x).is_none() {
        return x * x;
    }
    scale(&mut v, x).unwrap();
    if let Some(()) = first(&mut v, x) {
        v[0] * x
    } else {
        x
    }
}

#[grad]
fn taken_apart(q: &[f64], x: f64) -> f64 {
    let mut v = q.to_vec();
    let (n, done) = counted(&mut v, x);
    let at = places(&mut v, x * x);
    if done {
        v[at[1]] * n as f64 + v[at[0]]
    } else {
        0.0
    }
}

#[grad]
fn passed_on(q: &[f64], x: f64) -> Option<f64> {
    let mut v = q.to_vec();
    first(&mut v, x)?;
    Some(v[0] * x)
}

#[test]
fn results_without_numbers() {
    let (mut v, mut bar) = ([2.0, 1.0], [1.0, 1.0]);
    assert_eq!(scale::vjp(&mut v, 3.0, Some(()), &mut bar), (Some(()), 2.0));
    assert_eq!((v, bar), ([6.0, 1.0], [3.0, 1.0]));
    let (mut v, mut dot) = ([2.0, 1.0], [1.0, 1.0]);
    assert_eq!(
        scale::jvp(&mut v, 3.0, (&mut dot, 0.5)),
        (Some(()), Some(()))
    );
    assert_eq!(dot, [4.0, 1.0]);
    for q in [vec![], vec![0.7, 0.3]] {
        check!(asked(shared q = q.clone(), value x = 1.2));
        check_second!(asked(shared q = q.clone(), value x = 1.2));
    }
    check!(taken_apart(shared q = vec![0.7, 0.3], value x = 1.2));
    let found = passed_on::vjp(&[0.5], 2.0, Some(1.0));
    assert_eq!(found, (Some(4.0), (vec![8.0], 6.0)));
}
