//! Lists and arrays that are made where they are lent to be changed.

use autodiff::{Differentiable, grad};

#[grad]
fn count(x: f64, seen: &mut [usize], work: &mut [f64]) -> f64 {
    for k in 0..work.len() {
        seen[0] += 1;
        work[k] += x * k as f64;
    }
    work.iter().map(|w| w * w).sum::<f64>() * seen[0] as f64
}

#[grad]
fn tried(x: f64, work: &mut [f64]) -> Result<f64, String> {
    if work[0] > 9.0 {
        return Err("too large".to_owned());
    }
    work[0] *= x;
    Ok(work[0] * x)
}

#[grad]
fn neville(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let work: &mut [f64] = &mut [0.0; 8];
    for (i, y) in ys.iter().enumerate() {
        work[i] = *y;
    }
    let n = xs.len();
    let slopes = &mut vec![0.0; n];
    for j in 1..n {
        for i in 0..n - j {
            let d = xs[i] - xs[i + j];
            slopes[i] += (work[i] - work[i + 1]) / d;
            work[i] = ((x - xs[i + j]) * work[i] + (xs[i] - x) * work[i + 1]) / d;
        }
    }
    work[0] + slopes[0] * slopes[1]
}

#[grad]
fn lent_at_the_call(x: f64, y: f64) -> f64 {
    let n = 3;
    let a = count(x * y, &mut [0], &mut [x, y, 1.0]);
    let b = count(y.sin(), &mut [2], &mut [0.5; 4]);
    let mut total = a * b;
    if a > b {
        total += count(x, &mut [0, 1], &mut vec![y; n]) * x;
    }
    total
}

#[grad]
fn tried_where_lent(x: f64) -> Result<f64, String> {
    let y = tried(x, &mut [x, 2.0])?;
    Ok(y * x)
}

#[test]
fn what_is_made_where_it_is_lent_is_a_variable() {
    check!(neville(shared xs = [0.1, 0.9, 2.0, 2.7], shared ys = [1.0, -0.4, 0.3, 2.0], value x = 1.3));
    check!(lent_at_the_call(value x = 0.7, value y = -1.2));
    check!(lent_at_the_call(value x = -2.7, value y = 1.9));
    assert_eq!(tried_where_lent::value_and_grad(2.0), Ok((16.0, 32.0)));
    assert!(tried_where_lent::grad(10.0).is_err());
}

#[grad(order = 2)]
fn counted(x: f64, #[constant] n: &mut usize) -> f64 {
    *n += 1;
    x * x * *n as f64
}

#[grad(order = 2)]
fn kept(x: f64, sum: &mut f64) -> f64 {
    *sum += x;
    x * *sum
}

#[grad]
fn moved(x: f64, by: &mut Weighted) -> f64 {
    by.weight += x;
    by.weight * x
}

#[grad(order = 2)]
fn numbers_where_lent(x: f64, y: f64, #[constant] n: usize) -> f64 {
    let mut sum = kept(y, &mut -1.5);
    for k in 0..3 {
        sum += counted(x, &mut (n + k)) * counted(y, &mut 2) + kept(x * y, &mut 0.5);
    }
    sum
}

#[grad]
fn values_where_lent(x: f64) -> f64 {
    let values = vec![x];
    let a = moved(
        x,
        &mut Weighted {
            values: Vec::new(),
            weight: 1.0,
        },
    );
    a * moved(
        a,
        &mut Weighted {
            values,
            weight: 0.5,
        },
    )
}

#[test]
fn numbers_and_structs_are_variables_where_they_are_lent() {
    check!(numbers_where_lent(value x = 0.7, value y = -1.2, constant n = 4));
    check_second!(numbers_where_lent(value x = 0.7, value y = -1.2, constant n = 4));
    // 54 x² y², and of the others 3 (x² y² + x y / 2) and y² − 1.5 y.
    let gradient = numbers_where_lent::grad(2.0, 3.0, 4);
    assert_eq!(gradient.0, 57.0 * 2.0 * 2.0 * 9.0 + 4.5);
    check!(values_where_lent(value x = 0.7));
}

#[derive(Clone, Debug, Differentiable)]
struct Weighted {
    values: Vec<f64>,
    weight: f64,
}

#[grad]
impl Weighted {
    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        for x in self.values.clone() {
            sum += x * x * self.weight;
        }
        sum
    }
}

#[grad]
fn of_copies(a: f64, b: f64) -> f64 {
    let list = Weighted {
        values: vec![a, a * b],
        weight: b,
    };
    let mut product = list.sum();
    'all: for x in list.values.to_vec() {
        product *= x;
        if product < 0.0 {
            break 'all;
        }
    }
    product
}

#[test]
fn a_copy_of_a_field_is_walked() {
    check!(of_copies(value a = 0.7, value b = 1.2));
    check!(of_copies(value a = -0.7, value b = 1.2));
}
