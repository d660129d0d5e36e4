//! `for` over the elements of slices, arrays and `Vec`s.

use autodiff::grad;

#[grad]
fn iter(a: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in a.iter() {
        sum += v * v.sin();
    }
    for v in a {
        sum *= *v;
    }
    sum
}

#[grad]
fn by_value_pattern(a: &[f64], x: f64) -> f64 {
    let mut y = x;
    for &v in a.iter() {
        y = y * v + v * v;
    }
    for &v in a {
        y += v.cos() * y;
    }
    y
}

#[grad]
fn enumerated(a: &[f64], x: f64) -> f64 {
    let mut sum = 0.0;
    for (i, v) in a.iter().enumerate() {
        sum += v * x.powi(i as i32);
    }
    for (i, &v) in a.iter().enumerate().rev() {
        sum = sum * v + i as f64;
    }
    sum
}

#[grad]
fn zipped(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (u, v) in a.iter().zip(b) {
        sum += (u - v) * (u - v);
    }
    for (&u, v) in a.iter().zip(b.iter()) {
        sum *= 1.0 + 0.1 * u * v;
    }
    for (i, (u, v)) in a.iter().zip(b.iter()).enumerate() {
        sum += u * v * i as f64;
    }
    sum
}

#[grad]
fn written_in_place(a: &[f64], x: f64) -> f64 {
    let mut b = a.to_vec();
    for v in b.iter_mut() {
        *v = *v * *v * x;
    }
    for (i, v) in b.iter_mut().enumerate() {
        *v += x * i as f64;
    }
    for (v, u) in b.iter_mut().zip(a.iter()) {
        *v *= u;
    }
    let mut y = x;
    for v in &mut b {
        *v = y * *v;
        y += *v;
    }
    let mut sum = y;
    for v in &b {
        sum += v * v;
    }
    sum
}

#[grad]
fn array_items(a: [f64; 3], m: &[[f64; 2]; 3]) -> f64 {
    let mut s = 0.0;
    for (row, x) in m.iter().zip(a.iter()) {
        s += row[0] * x + row[1] * row[1];
    }
    for x in a {
        s *= x;
    }
    s
}

#[grad]
fn shorter_of_two(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 1.0;
    for (x, y) in a.iter().zip(b.iter()) {
        s *= x + y;
    }
    s
}

#[test]
fn items_read() {
    check!(iter(shared a = [0.7, -0.4, 1.2]));
    check!(by_value_pattern(shared a = [0.7, -0.4, 1.2], value x = 0.9));
    check!(enumerated(shared a = [0.7, -0.4, 1.2], value x = 0.9));
    check!(zipped(shared a = [0.7, -0.4, 1.2], shared b = [0.3, 0.8, -0.5]));
    check!(array_items(value a = [0.7, -0.4, 1.2], shared m = [[0.3, 0.8], [-0.5, 0.2], [1.1, 0.6]]));
}

#[test]
fn items_written() {
    check!(written_in_place(shared a = [0.7, -0.4, 1.2], value x = 0.9));
    check!(written_in_place(shared a = [0.0; 0], value x = 0.9));
}

#[test]
fn a_zip_ends_with_the_shorter() {
    check!(shorter_of_two(shared a = [0.7, -0.4, 1.2], shared b = [0.3, 0.8]));
    check!(shorter_of_two(shared a = [0.7], shared b = [0.3, 0.8, 0.1]));
}

/// Lists that are written where they are walked through, with integers and flags beside the numbers.
#[grad]
fn made_there(x: f64, y: f64) -> f64 {
    let u = [x, y, x * y];
    let mut s = 0.0;
    for (j, w) in vec![(1, 0.5), (2, x)] {
        s += w * u[j];
    }
    for (n, w) in [(1, x), (2, y * s)] {
        s += w.powi(n);
    }
    for &(up, w) in &[(true, x), (false, y)] {
        s = if up { s * w } else { s - w };
    }
    for w in vec![x * s; 3] {
        s += w * y;
    }
    for (k, w) in &vec![(0, x), (2, y)] {
        s += w * u[*k];
    }
    s
}

#[test]
fn lists_made_in_the_head() {
    check!(made_there(value x = 0.7, value y = -1.2));
}

/// Functions in the body that have no `#[grad]`; what is called with constants alone may do anything.
#[grad(order = 2)]
fn with_functions(x: f64, a: &[f64]) -> f64 {
    fn squared(v: f64) -> f64 {
        v * v
    }
    #[inline]
    fn quartic(v: f64) -> f64 {
        let s = squared(v);
        if v < 0.0 { -s * s } else { s * s }
    }
    fn label(n: usize) -> usize {
        format!("{n}").len()
    }
    let s: f64 = a.iter().map(|v| quartic(*v)).sum();
    quartic(x) * s + x * label(a.len()) as f64
}

#[test]
fn functions_in_the_body_are_given_derivatives() {
    for x in [0.7, -0.4] {
        check!(with_functions(value x = x, shared a = [0.3, -0.5, 1.1]));
        check_second!(with_functions(value x = x, shared a = [0.3, -0.5, 1.1]));
    }
}

const HEIGHT: f64 = 10.0;

/// Constants of one name, each in a block of its own.
#[grad]
fn bounced(x: f64) -> f64 {
    let start = HEIGHT * x;
    let fall = if x < 0.4 {
        const HEIGHT: f64 = 7.5;
        HEIGHT * x * x
    } else {
        const HEIGHT: f64 = 9.0;
        const SHIFT: usize = 1;
        let parts = [x, HEIGHT * x];
        {
            const HEIGHT: f64 = 2.0;
            parts[SHIFT] * HEIGHT
        }
    };
    start * fall
}

#[test]
fn constants_of_one_name() {
    check!(bounced(value x = 0.3));
    check!(bounced(value x = 0.8));
}

/// Noise with functions of its own, one of which has no float at all and one nothing to differentiate.
#[grad(order = 2)]
fn noise(x: f64) -> f64 {
    fn hash(i: i64) -> u8 {
        (i * 31 + 7) as u8
    }
    fn is_far(x: f64) -> bool {
        x.abs() > 1.0
    }
    fn slope(hash: i64, x: f64) -> f64 {
        let h = hash & 0x0F;
        let g = 1.0 + (h & 7) as f64;
        if h & 8 != 0 || is_far(x) {
            -g * x
        } else {
            g * x
        }
    }
    let i = x.floor() as i64;
    let part = x - i as f64;
    let t = (1.0 - part * part).powi(2);
    t * t * slope(hash(i) as i64, part) + t * slope(hash(i + 1) as i64, part - 1.0)
}

#[test]
fn functions_in_the_body_without_derivatives() {
    for x in [0.7, -0.4, 2.3] {
        check!(noise(value x = x));
        check_second!(noise(value x = x));
    }
}
