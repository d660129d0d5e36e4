//! Sums that are read while they grow: as the value of a branch, of a round, or of a part of a tuple they are not only added to.

use autodiff::grad;

#[grad]
fn above_a_limit(x: f64, y: f64) -> f64 {
    let mut cum = 0.0;
    let mut loss = 0.0;
    for t in [x, y] {
        cum += t;
        loss += if cum > 1.0 { cum } else { 0.5 };
    }
    loss
}

#[grad]
fn in_one_round(x: f64, y: f64) -> f64 {
    let mut s = x;
    let mut q = 0.0;
    for i in 0..3 {
        q += if i == 1 { s } else { y };
        if i == 0 {
            s += y;
        }
    }
    q
}

#[grad]
fn declared_the_other_way_round(x: f64, y: f64) -> f64 {
    let mut q = 0.0;
    let mut s = x;
    for i in 0..3 {
        q += if i == 1 { s } else { y };
        if i == 0 {
            s += y;
        }
    }
    q
}

#[grad]
fn by_match(x: f64) -> f64 {
    let (mut a, mut c) = (0.0, 0.0);
    for i in 0..4 {
        a += x;
        c += match i {
            2 => a,
            _ => 0.0,
        };
    }
    a + c
}

#[grad]
fn in_a_while(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (0.0, 0.0);
    let mut i = 0;
    while i < 4 {
        a += x;
        b += if i > 1 { a } else { y };
        i += 1;
    }
    a + b
}

#[grad]
fn in_a_loop(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (0.0, 0.0);
    let mut i = 0;
    loop {
        if i == 4 {
            break;
        }
        a += x;
        b += if i > 1 { a } else { y };
        i += 1;
    }
    a + b
}

#[grad]
fn scanned(v: &[f64]) -> f64 {
    v.iter()
        .scan(0.0, |s, t| {
            *s += *t;
            Some(if *s > 1.0 { *s } else { *t * 2.0 })
        })
        .sum::<f64>()
}

#[grad]
fn folded(x: f64, y: f64) -> f64 {
    let (a, b) = [x, y, x * y].iter().fold((0.0, 0.0), |(a, b), v| {
        let a = a + v;
        (a, b + if a > 1.0 { a } else { 0.5 })
    });
    a + b
}

#[grad]
fn parts_of_a_tuple(x: f64, y: f64) -> f64 {
    let mut a = (0.0, 0.0);
    for v in [x, y, x * y] {
        a.0 += v;
        a.1 += if a.0 > 1.0 { a.0 } else { v };
    }
    a.0 + a.1
}

#[grad]
fn with_jumps(x: f64, y: f64) -> f64 {
    let mut s = x;
    for i in 0..5 {
        let a = if i == 3 { break } else { 1.0 };
        let b = if i == 1 {
            s
        } else if i == 4 {
            s += x;
            continue;
        } else {
            y
        };
        s += a * b;
    }
    s
}

#[grad]
fn in_an_inner_loop(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (0.0, x);
    for i in 0..3 {
        for j in 0..3 {
            a += x * y;
            b += if j > i { a } else { y };
        }
        a += b;
    }
    a + b
}

#[test]
fn sums_that_are_read() {
    check!(above_a_limit(value x = 0.7, value y = 1.3));
    check!(in_one_round(value x = 0.7, value y = 1.3));
    check!(declared_the_other_way_round(value x = 0.7, value y = 1.3));
    check!(by_match(value x = 0.7));
    check!(in_a_while(value x = 0.7, value y = 1.3));
    check!(in_a_loop(value x = 0.7, value y = 1.3));
    check!(scanned(shared v = [0.7, 0.6]));
    check!(folded(value x = 0.7, value y = 1.3));
    check!(parts_of_a_tuple(value x = 0.7, value y = 1.3));
    check!(with_jumps(value x = 0.7, value y = 1.3));
    check!(in_an_inner_loop(value x = 0.7, value y = 1.3));
}
