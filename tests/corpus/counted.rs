//! Integers that loops count by: the reverse sweep runs them back, if every round changes them by the same number, and remembers them if not.

use autodiff::grad;

#[grad(order = 2)]
fn below_the_diagonal(l: &[f64], x: &[f64]) -> f64 {
    let mut y = [0.0; 4];
    let mut at = 0;
    for j in 0..4 {
        for i in j + 1..4 {
            y[i] += l[at] * x[j].sin();
            at += 1;
        }
        y[j] *= x[j];
    }
    y[0] * y[1] + y[2] * y[3] + l[at - 1]
}

#[grad(order = 2)]
fn upwards_by_two(x: &[f64]) -> f64 {
    let mut s = 1.0;
    let mut i = 0usize;
    while i < x.len() {
        s = s * x[i].sin() + x[i];
        i += 2;
    }
    s
}

#[grad]
fn downwards(x: &[f64]) -> f64 {
    let mut s = 1.0;
    let mut i = x.len();
    while i > 0 {
        i -= 1;
        s = s * x[i] + x[i].cos();
    }
    s
}

#[grad]
fn below_zero(x: &[f64]) -> f64 {
    let mut s = 1.0;
    let mut k = x.len() as i32 - 1;
    while k >= 0 {
        s = s * x[k as usize] + 0.5;
        k = k - 1;
    }
    s * x[(k + 1) as usize]
}

#[grad]
fn by_a_variable(x: &[f64], step: usize) -> f64 {
    let mut s = 1.0;
    let mut at = 0;
    for _ in 0..3 {
        s = s * x[at % x.len()].sin() + x[at % x.len()];
        at += step;
    }
    s
}

#[grad]
fn by_a_step_that_grows(x: &[f64]) -> f64 {
    let (mut s, mut at, mut step) = (1.0, 0, 1);
    while at < x.len() {
        s = s * x[at].sin() + x[at];
        at += step;
        step += 1;
    }
    s
}

#[grad]
fn only_sometimes(x: &[f64]) -> f64 {
    let (mut s, mut at) = (1.0, 0);
    for v in x {
        s = s * v + x[at].sin();
        if *v > 0.0 {
            at += 1;
        }
    }
    s
}

#[grad]
fn until_it_is_enough(x: &[f64]) -> f64 {
    let (mut s, mut i) = (1.0, 0u8);
    loop {
        s = s * x[i as usize].exp();
        i += 1;
        if s > 3.0 || i as usize == x.len() {
            break;
        }
        s = s + x[i as usize] * i as f64;
    }
    s
}

#[grad]
fn with_rounds_left_out(x: &[f64]) -> f64 {
    let (mut s, mut i) = (1.0, 0);
    while i < x.len() {
        i += 1;
        if x[i - 1] < 0.0 {
            continue;
        }
        s = s * x[i - 1] + 1.0;
    }
    s
}

#[grad]
fn set_back_between(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for j in 0..3 {
        let mut i = j;
        while i < x.len() {
            s = s * x[i].sin() + x[j];
            i += 1;
        }
    }
    s
}

#[grad]
fn around_the_end(x: &[f64]) -> f64 {
    let (mut s, mut i) = (1.0, 254u8);
    for v in x {
        s = s * v + f64::from(i).sqrt() * v;
        i = i.wrapping_add(1);
    }
    s
}

#[grad]
fn rounds_that_are_run_again(x: &[f64]) -> f64 {
    let (mut s, mut i) = (1.0, 0);
    #[checkpoint(every = 2)]
    for _ in 0..x.len() {
        s = s * x[i].sin() + x[i];
        i += 1;
    }
    s
}

// Between no round and dozens, which all remember one after the other.
#[grad(order = 2)]
fn as_often_as_it_takes(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let mut y = x[i];
        let mut f = y.sin();
        while y.abs() > 0.01 {
            y = y * 0.8 * (0.3 * f).cos();
            f = f * y.cos() + y;
        }
        s += 10.0 * y * f;
    }
    s
}

/// The head of a loop may borrow from what lives no longer than the loop.
#[grad(order = 2)]
fn through_what_lives_as_long(x: f64, n: usize) -> f64 {
    let held = std::cell::RefCell::new(vec![0.5_f64; n]);
    let mut s = x;
    for weight in held.borrow().iter() {
        s = (s * weight + x).sin();
        if s > 2.0 {
            break;
        }
    }
    for digit in n.to_string().chars() {
        s = (s * x).cos() + if digit > '2' { s } else { x };
    }
    for (k, weight) in vec![0.25; n].iter().enumerate() {
        if k > 70 {
            break;
        }
        s = (s + weight * x).sin();
    }
    s
}

/// Variables with names that derivatives could give to what is theirs.
#[grad(order = 2)]
fn named_as_what_is_remembered(x: f64, #[constant] n: usize) -> f64 {
    let mut tape_0 = x;
    let mut room_0 = 0.0;
    let items_0 = 0.5 * x;
    for slot in 0..n {
        room_0 += tape_0 * items_0;
        if room_0 > 5.0 {
            break;
        }
        tape_0 = (tape_0 * 1.1 + slot as f64).sin();
    }
    room_0 + tape_0
}

#[test]
fn names_of_what_is_remembered() {
    for n in [0, 1, 16, 65] {
        check!(named_as_what_is_remembered(value x = 0.7, constant n = n));
        check_second!(named_as_what_is_remembered(value x = 0.7, constant n = n));
    }
}

#[test]
fn heads_that_borrow() {
    for n in [0, 1, 16, 17, 65, 345] {
        check!(through_what_lives_as_long(value x = 0.7, constant n = n));
        check_second!(through_what_lives_as_long(value x = 0.7, constant n = n));
    }
}

#[test]
fn counters_have_the_value_of_their_round() {
    check!(below_the_diagonal(shared l = [0.3, 0.7, -0.4, 1.1, 0.2, 0.9], shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(as_often_as_it_takes(shared x = [0.5, -0.3, 0.001, 1.2, 0.8, -2.0]));
    check_second!(as_often_as_it_takes(shared x = [0.5, -0.3, 0.001, 1.2, 0.8, -2.0]));
    check_second!(below_the_diagonal(shared l = [0.3, 0.7, -0.4, 1.1, 0.2, 0.9], shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(upwards_by_two(shared x = [0.5, 0.3, 1.2, 0.8, 0.4]));
    check_second!(upwards_by_two(shared x = [0.5, 0.3, 1.2, 0.8, 0.4]));
    check!(downwards(shared x = [0.5, -0.3, 1.2]));
    check!(below_zero(shared x = [0.5, -0.3, 1.2]));
    check!(by_a_variable(shared x = [0.5, -0.3, 1.2, 0.8], constant step = 3));
    check!(by_a_step_that_grows(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(only_sometimes(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(until_it_is_enough(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(with_rounds_left_out(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(set_back_between(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(around_the_end(shared x = [0.5, -0.3, 1.2, 0.8]));
    check!(rounds_that_are_run_again(shared x = [0.5, -0.3, 1.2, 0.8, 0.4]));
}
