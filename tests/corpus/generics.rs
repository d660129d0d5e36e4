//! Const generics and type aliases.

use autodiff::grad;

use crate::check::near;

type Real = f64;
type Point = [Real; 2];

#[grad]
fn dot<const N: usize>(a: [f64; N], b: &[f64; N]) -> f64 {
    let mut s = 0.0;
    for i in 0..N {
        s += a[i] * b[N - 1 - i];
    }
    s / N as f64
}

#[grad]
fn trace_of_square<const N: usize>(m: &[[f64; N]; N]) -> f64 {
    let mut t = 0.0;
    for i in 0..N {
        for j in 0..N {
            t += m[i][j] * m[j][i];
        }
    }
    t
}

#[grad]
fn calls_generic(x: f64) -> f64 {
    dot([x, x * x], &[0.5, x]) + dot::<3>([x, 1.0, 2.0], &[x, x, 3.0])
}

#[grad]
fn aliases(x: Real, p: &Point) -> Real {
    let half: Real = 0.5;
    let q: Point = [p[0] * x, p[1] * half];
    q[0] * q[1] + x as Real
}

#[test]
fn const_generics() {
    check!(dot(value a = [0.7, -0.4, 1.2], shared b = [0.3, 0.8, -0.5]));
    check!(trace_of_square(shared m = [[0.7, -0.4], [1.2, 0.3]]));
    check!(calls_generic(value x = 0.7));
    near(
        &dot::grad::<2>([1.0, 2.0], &[3.0, 5.0]),
        &([2.5, 1.5], [1.0, 0.5]),
        0.0,
    );
}

#[test]
fn type_aliases() {
    check!(aliases(value x = 0.7, shared p = [0.3, -1.2]));
}
