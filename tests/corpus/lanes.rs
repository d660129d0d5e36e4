//! Forward mode in several directions at once, through calls. Each function stands here twice, the second time with one direction after the other.

use autodiff::grad;

use crate::check::near;

#[derive(Clone)]
struct Model {
    rate: f64,
    weights: Vec<f64>,
}

const MODEL: fn() -> Model = || Model {
    rate: 1.3,
    weights: vec![0.4, -0.7, 1.1],
};

#[grad]
fn product(a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let mut c = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[grad]
fn wave(x: f64, #[constant] model: &Model, k: usize) -> f64 {
    let (rate, weight): (f64, f64) = (model.rate, model.weights[k % 3]);
    (x * rate).sin() * weight + x.sqrt()
}

#[grad]
fn scale(u: &mut [f64], by: f64) {
    for i in 0..u.len() {
        u[i] *= by;
    }
}

// The result is a constant, and nobody uses it.
#[grad]
fn count(u: &mut Vec<f64>, x: f64) -> usize {
    u.push(x * x);
    u.len()
}

// Of a type parameter nobody knows the lanes.
#[grad]
fn square<T: autodiff::Float>(x: T) -> T {
    x * x
}

#[grad(partials = (3.0 * x * x))]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[grad(recursive)]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[derive(Clone, autodiff::Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
fn point(x: f64, y: f64) -> Point {
    Point { x: x * y, y }
}

#[grad]
fn length(p: &Point) -> f64 {
    (p.x * p.x + p.y * p.y).sqrt()
}

#[grad]
fn single(x: f32, y: f64) -> f32 {
    x * (y as f32)
}

#[grad]
fn pair(x: f64, y: f64) -> (f64, [f64; 2]) {
    (x * y, [x.exp(), y])
}

#[grad]
fn maybe(x: f64) -> Option<f64> {
    if x > 0.5 { Some(x.ln()) } else { None }
}

macro_rules! in_both_ways {
    ($(fn $name:ident($($(#[$attr:meta])? $p:ident: $t:ty),*) -> $ret:ty $body:block)*) => {
        $(
            #[grad]
            fn $name($($(#[$attr])? $p: $t),*) -> $ret $body
        )*
        mod apart {
            use super::*;
            $(
                #[grad(__lanes_nothing)]
                pub(super) fn $name($($(#[$attr])? $p: $t),*) -> $ret $body
            )*
        }
    };
}

in_both_ways! {
    fn through_calls(x: &[f64], t: f64, #[constant] model: &Model) -> Vec<f64> {
        let a = [[x[0], t], [t * x[1], 1.0]];
        let b: [[f64; 2]; 2] = product(&a, &[[1.0, 2.0], [x[1], 0.5]]);
        let w: f64 = wave(b[0][1], model, 1);
        let mut out = vec![b[0][0], b[1][0] * w, wave(t, model, 2)];
        scale(&mut out, x[0]);
        scale(&mut out[..2], 2.0);
        for (k, v) in x.iter().enumerate() {
            let z: f64 = wave(*v, model, k);
            count(&mut out, z);
            out.push(wave(z + 4.0, model, k));
        }
        out
    }

    fn of_runtime(x: &[f64; 2]) -> [f64; 2] {
        let y: f64 = autodiff::sigmoid(x[0] * x[1]);
        [y, autodiff::erf(x[1])]
    }

    // In arms, in a loop whose rounds depend on each other, and of a constant.
    fn in_arms(x: &[f64; 3], n: usize) -> [f64; 2] {
        let mut m = [[x[0], 0.0], [0.0, x[1]]];
        for k in 0..n {
            m = if k % 2 == 0 {
                product(&m, &[[0.5, x[2]], [0.1, 0.2]])
            } else {
                match k {
                    1 => product(&[[0.0, 1.0], [1.0, 0.0]], &m),
                    _ => m,
                }
            };
        }
        let unused = product(&m, &m);
        [m[0][0] + m[1][1], m[0][1]]
    }

    fn of_parts(x: &[f64], y: f64) -> (f64, Vec<f64>) {
        let (a, [b, c]): (f64, [f64; 2]) = pair(x[0], y);
        let z: f32 = single(x[1] as f32, a);
        (a * b, vec![c * x[0], f64::from(z)])
    }

    fn of_options(x: &[f64; 2]) -> [f64; 2] {
        let l: Option<f64> = maybe(x[0]);
        let z = match l {
            Some(l) => l * x[1],
            None => x[1] * x[1],
        };
        [z, z + x[0]]
    }

    // What these call has one direction at a time.
    fn of_generic(x: &[f64; 2]) -> [f64; 2] {
        let y: f64 = square(x[0]);
        [y * x[1], square(y)]
    }

    fn of_own(x: &[f64; 2]) -> [f64; 2] {
        let y: f64 = cube(x[0]);
        [y * x[1], x[1]]
    }

    fn of_recursive(x: &[f64; 2], n: usize) -> [f64; 2] {
        let y: f64 = power(x[0], n);
        [y * x[1], x[1]]
    }

    fn of_struct(x: &[f64; 2]) -> [f64; 2] {
        let p = point(x[0], x[1]);
        let l: f64 = length(&p);
        [l, p.x]
    }

    fn of_unknown(x: &[f64; 2]) -> [f64; 2] {
        let y = square(x[0]) * 2.0;
        let z = wave(y, &MODEL(), 0);
        [z.sin() * x[1], x[1]]
    }

    fn of_caller(x: &[f64; 2]) -> Vec<f64> {
        let inner: [f64; 2] = self::of_own(x);
        vec![inner[0] * inner[1]]
    }

    // What moves in some of the directions alone is added to lists; a round has memory of its own, whose type only the function says.
    fn drawn_along(x: &[f64], n: usize) -> Vec<f64> {
        let mut rows = vec![[0.0; 2]; x.len()];
        for k in 0..x.len() {
            rows[k] = [x[k] * x[k], 0.5];
        }
        let (mut sums, mut last) = (vec![[0.0; 2]; n], vec![0.0; n]);
        for k in 0..x.len() {
            for at in 0..n {
                let weights: Vec<f64> = (0..2).map(|i| ((at + k + i) as f64).cos()).collect();
                for i in 0..2 {
                    sums[at][i] += rows[k][i] * weights[i];
                    sums[at][1 - i] -= rows[k][1 - i] * rows[k][0];
                }
            }
            for at in 0..n {
                last[at] += rows[k][0] * sums[at][0];
            }
            for at in 0..n {
                sums[at][0] += last[n - 1 - at] * 0.1;
                last[at] += rows[at % 2][0] * x[k];
            }
        }
        for at in 0..n {
            last[at] += sums[at][1];
        }
        last
    }

    fn of_items(x: &[f64; 2]) -> [f64; 2] {
        #[grad]
        fn inner(x: f64) -> f64 {
            x * x * x
        }
        let y: f64 = inner(x[0]);
        [y * x[1], inner(x[1])]
    }
}

macro_rules! called {
    ($f:path, [$($arg:expr),*] $($more:expr)?) => { $f($($arg,)* $($more)?) };
}

/// Several directions give what each of them gives, with any number of them; and so do Jacobians.
macro_rules! check_lanes {
    ($($f:ident $args:tt along $($dot:expr),+;)*) => {$(
        let apart = called!(apart::$f::jacrev, $args);
        for jacobian in [called!($f::jacfwd, $args), called!($f::jacobian, $args), called!(apart::$f::jacfwd, $args)] {
            near(jacobian.as_slice(), apart.as_slice(), 1e-13);
        }
        let (value, all) = called!($f::jvp_lanes, $args [$($dot),+]);
        assert_eq!(value, called!($f, $args));
        let apart = called!(apart::$f::jvp_lanes, $args [$($dot),+]);
        assert_eq!(apart.0, value);
        let seeds = apart.1.clone();
        let mut all = all.iter().zip(&apart.1);
        $(
            let (value_again, along) = called!($f::jvp, $args $dot);
            let (lane, apart) = all.next().unwrap();
            assert_eq!(value_again, value);
            near(lane, &along, 1e-13);
            near(apart, &along, 1e-13);
        )+
        assert_eq!(called!($f::jvp_lanes, $args []).0, value);
        // The seeds are tangents of the result as well.
        let (value_again, gradients) = called!($f::vjp_lanes, $args seeds.clone());
        assert_eq!(value_again, value);
        for (seed, gradient) in seeds.iter().zip(&gradients) {
            assert_eq!(*gradient, called!($f::vjp, $args seed.clone()).1);
        }
        assert_eq!(called!($f::vjp_lanes, $args []).0, value);
    )*};
}

#[test]
fn several_directions_at_once() {
    let (model, x) = (MODEL(), [0.7, 0.4, 1.9, 2.3, 0.2, 0.9, 1.6, 0.8, 3.1]);
    let (e, f) = ([1.0; 9], [0.0, 1.0, 0.0, 0.5, 0.0, 2.0, 0.0, -1.0, 0.3]);
    let y = [0.6, 1.7];
    check_lanes! {
        through_calls [&x, 0.8, &model] along (&e, 0.0), (&f, 1.0), (&x, -0.4);
        drawn_along [&[0.5, -0.7, 1.2], 4] along &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], &[0.3, 0.2, -0.1];
        drawn_along [&[0.5, -0.7, 1.2], 3] along &[0.0, 1.0, 0.0];
        drawn_along [&[0.5, -0.7, 1.2], 0] along &[0.0; 3];
        of_parts [&[0.5, 1.75], 0.25] along (&[1.0, 0.0], 0.0), (&[0.2, 0.7], 1.0);
        in_arms [&[0.3, 0.8, 1.7], 0] along &[1.0, 0.0, 0.0];
        in_arms [&[0.3, 0.8, 1.7], 5] along &[1.0, 0.0, 0.0], &[0.1, 0.2, 0.3], &[0.0, 0.0, 1.0], &[0.5; 3];
        of_options [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_options [&[0.1, 0.7]] along &[1.0, 0.0], &[0.0, 1.0];
        of_generic [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_runtime [&y] along &[1.0, 0.0], &[0.2, 1.0];
        of_own [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_recursive [&y, 3] along &[1.0, 0.0], &[0.0, 1.0];
        of_struct [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_unknown [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_caller [&y] along &[1.0, 0.0], &[0.0, 1.0];
        of_items [&y] along &[1.0, 0.0], &[0.0, 1.0];
    }
}

#[test]
fn they_are_derivatives() {
    check_vector!(through_calls(shared x = [0.7, 0.4, 1.9], value t = 0.8, constant model = &MODEL()));
    check_vector!(in_arms(shared x = [0.3, 0.8, 1.7], constant n = 5));
    check_vector!(of_options(shared x = [0.6, 1.7]));
    check_vector!(of_own(shared x = [0.6, 1.7]));
    check_vector!(of_struct(shared x = [0.6, 1.7]));
}

#[test]
fn several_seeds() {
    let (value, [by_first, by_second, by_both]) =
        counted_pair::vjp_lanes(0.5, 3.0, vec![2.0], [(1.0, 0.0), (0.0, 1.0), (1.0, -2.0)]);
    assert_eq!(value, (3.0, 3.5));
    assert_eq!(by_first, (6.0, 1.0, vec![1.5]));
    assert_eq!(by_second, (1.0, 1.0, vec![0.0]));
    assert_eq!(by_both, (4.0, -1.0, vec![1.5]));
    let model = Weighted { weight: 0.5 };
    let (value, all) = model.scaled_vjp_lanes(&[2.0, 3.0], [vec![1.0, 0.0], vec![1.0, 1.0]]);
    assert_eq!(value, [1.0, 1.5]);
    let found = all.map(|(by_model, by_x)| (by_model.weight, by_x));
    assert_eq!(found, [(2.0, vec![0.5, 0.0]), (5.0, vec![0.5, 0.5])]);
    assert_eq!(root_of::vjp_lanes(4.0, [1.0, 8.0]), Ok((2.0, [0.25, 2.0])));
    assert_eq!(root_of::vjp_lanes(-4.0, [1.0, 8.0]), Err(-4));
}

#[grad]
fn counted_pair(x: f64, y: f64, z: Vec<f64>) -> (f64, f64) {
    (x * y * z[0], x + y)
}

#[derive(Clone, autodiff::Differentiable)]
struct Weighted {
    weight: f64,
}

#[grad]
impl Weighted {
    fn scaled(&self, x: &[f64]) -> Vec<f64> {
        x.iter().map(|x| self.weight * x).collect()
    }
}

#[grad]
fn root_of(x: f64) -> Result<f64, i32> {
    if x < 0.0 {
        return Err(x as i32);
    }
    Ok(x.sqrt())
}

#[test]
fn of_numbers_and_with_wrong_lengths() {
    let (value, along) = wave::jvp_lanes(0.6, &MODEL(), 1, [1.0, 2.0, 0.0]);
    let slope = wave::grad(0.6, &MODEL(), 1);
    assert_eq!(value, wave(0.6, &MODEL(), 1));
    near(&along, &[slope, 2.0 * slope, 0.0], 1e-14);
    let model = MODEL();
    crate::check::panic_of(|| {
        through_calls::jvp_lanes(
            &[0.7, 0.4],
            0.8,
            &model,
            [(&[1.0, 0.0], 0.0), (&[1.0], 0.0)],
        )
    });
}

// State behind a constant changes as by one call.
#[grad]
fn counted(x: f64, calls: &mut usize) -> [f64; 2] {
    *calls += 1;
    [x * x, x * (*calls as f64)]
}

#[test]
fn state_changes_once() {
    let mut calls = 0;
    let (value, along) = counted::jvp_lanes(3.0, &mut calls, [1.0, 2.0]);
    assert_eq!(
        (value, along, calls),
        ([9.0, 3.0], [[6.0, 1.0], [12.0, 2.0]], 1)
    );
    let (value, []) = counted::jvp_lanes(3.0, &mut calls, []);
    assert_eq!((value, calls), ([9.0, 6.0], 2));
}

// Loops that draw from what need not be there: of no rounds, and under conditions.
#[grad]
fn behind(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        let k = i + 1;
        for j in k..n {
            y[j] += x[k];
        }
    }
    y
}

#[grad]
fn guarded(x: &[f64], c: f64) -> Vec<f64> {
    let n = x.len();
    let mut y = vec![0.0; n];
    for b in 0..n + 1 {
        let left = b.wrapping_sub(1);
        for v in 0..n {
            if b < n {
                y[v] += x[b] * c;
            }
            if b > 0 {
                y[v] += x[left] * x[left];
            }
        }
    }
    y
}

#[grad]
fn ragged(x: &[[f64; 2]], ends: &[usize]) -> Vec<f64> {
    let mut y = vec![0.0; 3];
    let mut row = 0;
    for r in 0..ends.len() {
        for k in 0..ends[r] {
            for w in 0..2 {
                y[k] += x[row][w] * (k + w + 1) as f64;
            }
        }
        row += ends[r];
    }
    y
}

#[test]
fn loops_without_tangents_where_nothing_is_read() {
    let x = [0.7, -0.4, 1.3];
    assert_eq!(behind::jacfwd(&x), behind::jacrev(&x));
    assert_eq!(
        behind::jacfwd(&x).as_slice(),
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    );
    let (forward, reverse) = (guarded::jacfwd(&x, 0.5), guarded::jacrev(&x, 0.5));
    near(
        &forward.as_slice().to_vec(),
        &reverse.as_slice().to_vec(),
        1e-15,
    );
    let expected: Vec<f64> = x.iter().map(|x| 0.5 + 2.0 * x).collect();
    near(&forward.row(0)[..3].to_vec(), &expected, 1e-15);
    let x = [[0.7, 0.4], [1.1, -0.3], [0.2, 0.9]];
    for ends in [vec![1, 2, 0], vec![0, 3, 0, 0], vec![2, 1]] {
        let (forward, reverse) = (ragged::jacfwd(&x, &ends), ragged::jacrev(&x, &ends));
        near(
            &forward.as_slice().to_vec(),
            &reverse.as_slice().to_vec(),
            1e-15,
        );
    }
}
