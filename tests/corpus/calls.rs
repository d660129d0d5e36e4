//! Calls of other `#[grad]` functions, by any path, with any kind of argument.

use autodiff::grad;

mod library {
    pub(super) mod deep {
        use autodiff::grad;

        #[grad]
        pub(crate) fn sigmoid(z: f64) -> f64 {
            1.0 / (1.0 + (-z).exp())
        }
    }
}

use library::deep::sigmoid;
use library::deep::sigmoid as squash;

#[grad]
fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

#[grad]
fn by_any_path(x: f64, y: f64) -> f64 {
    let t = library::deep::sigmoid(x * y);
    self::mix(sigmoid(x), mix(y, x * x, t), squash(t - y)) + 2.0 * x
}

#[grad]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += a[i] * b[i];
    }
    s
}

#[grad]
fn the_same_argument_twice(a: &[f64], x: f64) -> f64 {
    dot(a, a).sqrt() + mix(x, x, x)
}

#[grad]
fn overlapping(a: &[f64]) -> f64 {
    dot(&a[..3], &a[1..4]) * dot(&a[0..2], &a[2..4])
}

#[grad]
fn scale_all(v: &mut [f64], k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..v.len() {
        v[i] = v[i] * v[i] * k;
        sum += v[i];
    }
    sum
}

#[grad]
fn changes_a_local(x: f64, y: f64) -> f64 {
    let mut v = [x, y, x * y];
    let before = v[0] * v[1];
    let first = scale_all(&mut v, y);
    let second = scale_all(&mut v[1..], x);
    before * first + second * v[0] + v[1] * v[2]
}

#[grad]
fn called_in_a_loop(x: f64, n: usize) -> f64 {
    let mut v = vec![x, 0.3];
    let mut s = 0.0;
    for _ in 0..n {
        s += scale_all(&mut v, 0.9);
        s = sigmoid(s) + v[0];
    }
    s
}

#[grad]
fn called_in_a_branch(x: f64, y: f64) -> f64 {
    let a = if x > y { sigmoid(x) } else { mix(x, y, 0.25) };
    let mut r = a;
    if a > 0.5 {
        r = mix(r, x, y);
    }
    r
}

#[grad]
fn polar(r: f64, t: f64) -> (f64, f64) {
    (r * t.cos(), r * t.sin())
}

#[grad]
fn doubled(a: [f64; 2]) -> [f64; 2] {
    [a[0] * 2.0, a[0] * a[1]]
}

#[grad]
fn several_results(r: f64, t: f64) -> f64 {
    let (x, y) = polar(r, t * t);
    let b = doubled([x, y]);
    let (u, _) = polar(b[0], b[1]);
    u * doubled(b)[1]
}

#[grad]
fn as_vec(x: f64, n: usize) -> Vec<f64> {
    let mut v = vec![0.0; n];
    for i in 0..n {
        v[i] = x * i as f64;
    }
    v
}

#[grad]
fn vec_result(x: f64) -> f64 {
    let v = as_vec(x * x, 3);
    let w = as_vec(v[2], 2);
    v[1] * w[1]
}

fn plain_helper(k: i32) -> f64 {
    f64::from(k * k) * 0.25
}

#[grad]
fn inactive_call(x: f64, k: i32) -> f64 {
    let weight = plain_helper(k);
    weight * x * x + plain_helper(k + 1)
}

#[grad]
fn increment(x: &mut f64, by: f64) {
    *x += by * *x;
}

#[grad]
fn through_a_scalar_reference(x: f64, y: f64) -> f64 {
    let mut z = x;
    increment(&mut z, y);
    increment(&mut z, x);
    z * z
}

#[test]
fn calls_of_scalar_functions() {
    check!(by_any_path(value x = 0.7, value y = -0.4));
    check!(called_in_a_branch(value x = 0.7, value y = -0.4));
    check!(called_in_a_branch(value x = 0.1, value y = 0.4));
    check!(inactive_call(value x = 0.7, constant k = 3));
}

#[test]
fn calls_with_references() {
    check!(the_same_argument_twice(shared a = [0.7, -0.4, 1.2], value x = 0.5));
    check!(overlapping(shared a = [0.7, -0.4, 1.2, 0.3]));
}

#[test]
fn calls_that_change_their_arguments() {
    check!(changes_a_local(value x = 0.7, value y = -0.4));
    check!(called_in_a_loop(value x = 0.7, constant n = 3));
    check!(called_in_a_loop(value x = 0.7, constant n = 0));
    check!(through_a_scalar_reference(value x = 0.7, value y = -0.4));
}

#[test]
fn calls_with_compound_results() {
    check!(several_results(value r = 0.7, value t = 0.4));
    check!(vec_result(value x = 0.7));
}

#[grad]
fn repeated(x: f64, name: &str) -> f64 {
    x * x * name.len() as f64
}

#[grad]
fn passes_text(x: f64) -> f64 {
    let mut s = x;
    for _ in 0..2 {
        s = repeated(s, "abc").sin() * s;
        if s > 0.0 {
            s += repeated(s, "x");
        }
    }
    s
}

#[test]
fn text_is_an_argument() {
    check!(passes_text(value x = 0.3));
}
