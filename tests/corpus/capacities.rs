//! What a vector has room for, which changes nothing that is in it.

use autodiff::{Differentiable, grad};

#[grad(order = 2)]
fn reserved(x: f64, n: usize) -> f64 {
    let mut v = Vec::new();
    v.reserve(n);
    for i in 0..n {
        v.push(x * i as f64);
        v.reserve_exact(v.len());
    }
    v.shrink_to_fit();
    v.shrink_to(1);
    let room = v.capacity();
    assert!(room >= n);
    v.try_reserve(3).unwrap();
    v.push(x.sin());
    v.try_reserve_exact(n * 2).unwrap();
    let mut copy = v.clone();
    if copy.capacity() < 1000 {
        copy.reserve(1000 - copy.len());
        copy[1] *= x;
    }
    v.iter().zip(&copy).map(|(a, b)| a * b).sum()
}

fn reserved_by_hand(x: f64, n: usize) -> f64 {
    let mut v: Vec<f64> = (0..n).map(|i| x * i as f64).collect();
    v.push(x.sin());
    let mut copy = v.clone();
    copy[1] *= x;
    v.iter().zip(&copy).map(|(a, b)| a * b).sum()
}

#[grad]
fn grown(v: &mut Vec<f64>, x: f64) {
    v.reserve(1);
    v.push(x * v[0]);
    v.shrink_to_fit();
}

#[derive(Clone, Differentiable)]
struct Series {
    w: Vec<f64>,
}

#[grad(order = 2)]
fn of_a_field(w: Vec<f64>, x: f64) -> f64 {
    let mut series = Series { w };
    series.w.reserve(3);
    series.w.push(x);
    series.w.shrink_to_fit();
    series.w[0] * series.w[series.w.len() - 1] * x
}

#[test]
fn room_for_more() {
    assert_eq!(reserved(0.7, 3), reserved_by_hand(0.7, 3));
    check!(reserved(value x = 0.7, constant n = 3));
    check_second!(reserved(value x = 0.7, constant n = 3));
    check!(of_a_field(value w = vec![0.3, 0.4], value x = 0.7));
    check_second!(of_a_field(value w = vec![0.3, 0.4], value x = 0.7));
    let (mut v, mut bar) = (vec![2.0], vec![1.0, 10.0]);
    assert_eq!(grown::vjp(&mut v, 3.0, &mut bar), 20.0);
    assert_eq!((v, bar), (vec![2.0, 6.0], vec![31.0]));
    let (mut v, mut dot) = (vec![2.0], vec![1.0]);
    grown::jvp(&mut v, 3.0, (&mut dot, 0.5));
    assert_eq!(dot, [1.0, 4.0]);
}
