//! Rounds that add to elements beside each other.

use autodiff::grad;

#[grad]
fn steps(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let step = x[i + 1] - x[i];
        sum += step * step * x[i].sin();
    }
    sum
}

#[grad]
fn bends_multiplied(x: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 1..x.len() - 1 {
        product *= 0.3 * x[i - 1] - x[i] + 0.5 * x[i + 1] + 2.0;
    }
    product
}

#[grad]
fn from_the_end(x: &[f64], weight: f64) -> f64 {
    let mut state = weight;
    for i in (0..x.len() - 2).rev() {
        state = (state * x[i] - x[i + 2]).sin() + x[i + 1];
    }
    state
}

#[grad]
fn no_round_but_an_element(x: &[f64], from: usize, to: usize) -> f64 {
    let mut product = x[0];
    for i in from..to {
        product *= x[i] - 0.5 * x[i + 1];
    }
    product
}

#[grad]
fn rows(x: &[[f64; 3]]) -> f64 {
    let mut product = 1.0;
    for row in 1..x.len() {
        for i in 1..3 {
            product *= 1.0 + x[row][i] * x[row - 1][i] - 0.4 * x[row][i - 1];
        }
    }
    product
}

#[grad]
fn at_an_offset(x: &[f64], lo: usize, n: usize) -> f64 {
    let mut product = 1.0;
    let mut at = lo;
    for i in lo..lo + n {
        product *= x[at] + 0.3 * x[i + 1] - x[1 + at - lo];
        at += 1;
    }
    product
}

#[grad]
fn in_an_arm_only(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        if x[i] > 0.0 {
            sum += x[i + 1] * x[i];
        } else {
            sum -= x[i + 1].cos();
        }
    }
    sum.exp()
}

#[grad]
fn singles(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let step = x[i + 1] - x[i];
        sum += step * step;
    }
    sum
}

#[test]
fn each_neighbour_has_its_part() {
    let x = [0.4, -1.2, 0.7, 1.9, -0.3];
    check!(steps(shared x = x));
    check!(steps(shared x = [0.4, -1.2]));
    check!(steps(shared x = [0.4]));
    check!(bends_multiplied(shared x = x));
    check!(bends_multiplied(shared x = [0.4, -1.2, 0.7]));
    check!(bends_multiplied(shared x = [0.4, -1.2]));
    check!(from_the_end(shared x = x, value weight = 0.7));
    check!(from_the_end(shared x = [0.4, -1.2], value weight = 0.7));
    check!(no_round_but_an_element(shared x = x, constant from = 0, constant to = 4));
    check!(no_round_but_an_element(shared x = x, constant from = 3, constant to = 4));
    check!(at_an_offset(shared x = x, constant lo = 1, constant n = 3));
    check!(at_an_offset(shared x = x, constant lo = 4, constant n = 0));
    check!(in_an_arm_only(shared x = x));
    check!(singles(shared x = [0.4_f32, -1.2, 0.7, 1.9]));
}

#[test]
fn neighbours_of_a_row() {
    check!(rows(shared x = [[0.4, -1.2, 0.7], [1.9, -0.3, 0.2], [0.5, 0.8, -0.6]]));
}

/// Where no round is run, the index behind the last one may be of no element.
#[test]
fn nothing_is_added_where_there_is_no_round() {
    let x = [0.4, -1.2];
    assert_eq!(no_round_but_an_element::grad(&x, 9, 9), [1.0, 0.0]);
    assert_eq!(no_round_but_an_element::grad(&x, 9, 2), [1.0, 0.0]);
    assert_eq!(at_an_offset::grad(&x, 70, 0), [0.0, 0.0]);
}
