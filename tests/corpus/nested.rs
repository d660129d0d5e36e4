//! Derivatives of other functions inside of a body.

use autodiff::{Float, grad};

mod library {
    use autodiff::grad;

    #[grad(order = 2)]
    pub(super) fn wave(x: f64, y: f64) -> f64 {
        x * x * y.sin() + (x * y).exp()
    }
}

use library::wave;

/// A potential of particles on a line.
#[grad(order = 2)]
fn potential(u: &[f64], #[constant] k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 1..u.len() {
        let d = u[i] - u[i - 1];
        sum += (k * d).sin() * u[i] + 0.25 * d * d * d;
    }
    sum
}

/// A recurrence, whose gradient is computed in forward mode.
#[grad(order = 2, mode = forward)]
fn recurrence(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = (y * 1.3).sin() + 0.1 * x;
    }
    y
}

#[grad(order = 2)]
fn owned(w: Vec<f64>, m: [[f64; 2]; 2], n: i32) -> f64 {
    w[0] * m[0][1] * m[1][0].powi(n) + w[1] * w[1] * m[0][0]
}

#[grad(order = 2)]
fn product<T: Float, const N: usize>(u: &[T; N]) -> T {
    let mut p = T::from_f64(1.0);
    for i in 0..N {
        p = p * u[i];
    }
    p
}

#[grad]
fn gradients(x: f64, y: f64) -> f64 {
    let (a, b) = wave::grad(x, y * 0.5);
    let (c, _) = library::wave::grad(a.sin(), x);
    a * b + c
}

#[grad]
fn values_and_gradients(x: f64, y: f64) -> f64 {
    let (v, (a, b)) = wave::value_and_grad(x, y);
    let (w, _) = wave::value_and_grad(v.cos(), 1.0);
    a * b * v + w
}

#[grad]
fn directions(x: f64, y: f64) -> f64 {
    let (v, d) = wave::jvp(x, y, (y * x, x.sin()));
    let (_, e) = wave::jvp(d, 0.5, (1.0, 0.0));
    v * d + e
}

#[grad]
fn descent(start: &[f64], rate: f64, steps: usize) -> f64 {
    let mut u = start.to_vec();
    for i in 0..steps {
        let g = potential::grad(&u, 1.5);
        if i % 2 == 0 {
            for j in 0..u.len() {
                u[j] -= rate * g[j];
            }
        } else {
            u[0] += g[1] * rate;
        }
    }
    let mut sum = 0.0;
    for i in 0..u.len() {
        sum += u[i] * u[i] * (i as f64 + 1.0);
    }
    sum
}

#[grad]
fn energy_and_force(u: &[f64], w: &[f64], n: usize) -> f64 {
    let mut v = [u[0], u[1], w[0] * u[0]];
    let mut sum = 0.0;
    for _ in 0..n {
        let (energy, force) = potential::value_and_grad(&v, 0.7);
        let (_, work) = potential::jvp(&v, 0.7, w);
        sum += energy * work + force[1];
        // What the call was given changes behind it.
        v[1] = force[2] * 0.3 + v[0];
        v[0] *= 0.9;
    }
    sum
}

#[grad]
fn in_forward_mode(x: f64, k: f64) -> f64 {
    let slope = recurrence::grad(x * k, 5);
    let (y, again) = recurrence::value_and_grad(slope, 3);
    y * again + slope
}

#[grad]
fn of_owned_things(w: &[f64], a: f64) -> f64 {
    let m = [[a, w[0]], [a * a, 2.0]];
    let (dw, dm) = owned::grad(w.to_vec(), m, 3);
    let (_, along) = owned::jvp(w.to_vec(), m, 2, (vec![a, 1.0], m));
    dw[0] * dm[0][1] + dm[1][0] * along
}

#[grad]
fn of_generic_ones(a: f64, b: f64) -> f64 {
    let g = product::grad(&[a, b, a * b]);
    let h = product::grad::<f64, 2>(&[g[0], b]);
    g[1] * g[2] + h[0]
}

/// Through functions between, and where no path leads back.
#[grad]
fn slope(x: f64, y: f64) -> f64 {
    wave::grad(x, y).0
}

#[grad]
fn through_functions(x: f64, y: f64, n: usize) -> f64 {
    let fixed = wave::grad(0.5, n as f64);
    let mut s = fixed.0;
    if x > 0.0 {
        s += slope(x, y) * slope(y, fixed.1);
    } else {
        let (_, unused) = wave::grad(x, y);
        let _ = unused;
        s *= y;
    }
    s
}

#[grad(__remember_all)]
fn all_remembered(x: f64, y: f64) -> f64 {
    let (v, (a, b)) = wave::value_and_grad(x, y);
    let (w, _) = wave::value_and_grad(v.cos(), 1.0);
    a * b * v + w
}

#[test]
fn derivatives_of_derivatives() {
    check!(gradients(value x = 0.7, value y = -0.4));
    check!(values_and_gradients(value x = 0.7, value y = -0.4));
    check!(directions(value x = 0.7, value y = -0.4));
    for n in [0, 1, 4] {
        check!(descent(shared start = [0.3, 0.5, -0.8], value rate = 0.1, constant n = n));
        check!(energy_and_force(shared u = [0.3, 0.5], shared w = [0.2, 0.1, 0.9], constant n = n));
    }
    check!(in_forward_mode(value x = 0.7, value k = 1.4));
    check!(of_owned_things(shared w = [0.7, -1.3], value a = 0.6));
    check!(of_generic_ones(value a = 0.7, value b = 1.4));
    for x in [0.7, -0.7] {
        check!(through_functions(value x = x, value y = -0.4, constant n = 2));
    }
    assert_eq!(
        all_remembered::vjp(0.3, 0.4, 1.0),
        values_and_gradients::vjp(0.3, 0.4, 1.0)
    );
}

/// A curve's length, whose element is a derivative: a closed form.
#[grad(order = 2)]
fn parabola(x: f64, a: f64) -> f64 {
    a * x * x
}

#[grad]
fn tangent_slope(x: f64, a: f64) -> f64 {
    parabola::grad(x, a).0
}

#[test]
fn closed_forms() {
    assert_eq!(tangent_slope::value_and_grad(3.0, 2.0), (12.0, (4.0, 6.0)));
    assert_eq!(tangent_slope::jvp(3.0, 2.0, (1.0, 0.0)), (12.0, 4.0));
}

#[derive(Clone, Debug, autodiff::Differentiable)]
struct Bowl {
    a: f64,
    b: [f64; 2],
}

#[grad(order = 2)]
fn depth(bowl: &Bowl, x: f64) -> f64 {
    bowl.a * x * x * x + bowl.b[0] * x * bowl.b[1]
}

#[grad(order = 2)]
fn owned_depth(bowl: Bowl) -> f64 {
    bowl.a * bowl.a * bowl.b[0] + bowl.b[1].sin()
}

#[grad]
fn slopes(x: f64, y: f64, n: usize) -> f64 {
    let mut bowl = Bowl {
        a: x,
        b: [y, x * y],
    };
    let mut sum = 0.0;
    for _ in 0..n {
        let (by_bowl, by_x) = depth::grad(&bowl, x);
        sum += by_x * by_bowl.b[0] + by_bowl.a;
        bowl.a += 0.1 * by_bowl.b[1];
        let of = owned_depth::grad(bowl.clone());
        sum *= of.a + of.b[1];
    }
    sum
}

#[test]
fn derivatives_of_functions_of_structs() {
    for n in [0, 1, 3] {
        check!(slopes(value x = 0.7, value y = -0.4, constant n = n));
    }
}

/// Along a tangent that is made, and one that is a gradient itself.
#[grad]
fn along_structs(x: f64, y: f64) -> f64 {
    let bowl = Bowl {
        a: x,
        b: [y, x * y],
    };
    let direction = BowlTangent { a: y, b: [1.0, x] };
    let (v, t) = depth::jvp(&bowl, x, (&direction, y));
    let (slope, _) = depth::grad(&bowl, t);
    let (_, steepest) = depth::jvp(&bowl, y, (&slope, 0.5));
    let (_, of_owned) = owned_depth::jvp(bowl, slope);
    v * t + steepest * of_owned
}

/// The body names derivatives for any float.
#[grad]
fn generic_slope<T: Float>(x: T, y: T) -> T {
    let (v, g) = product::value_and_grad(&[x, y]);
    let (_, t) = product::jvp(&[g[0], y], &[v, x]);
    t * g[1]
}

#[test]
fn derivatives_along_structs_and_of_any_float() {
    check!(along_structs(value x = 0.7, value y = -0.4));
    check!(generic_slope(value x = 0.7, value y = -0.4));
}
