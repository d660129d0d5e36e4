//! Functions that take functions, and the closures passed to them.

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[grad(order = 2)]
fn iterate<F>(f: F, x0: f64, n: usize) -> f64
where
    F: Fn(f64) -> f64,
{
    let mut x = x0;
    for _ in 0..n {
        x = f(x);
    }
    x
}

#[grad(order = 2)]
fn fixed_point(a: f64, w: f64) -> f64 {
    iterate(|t| (w * t).cos() * 0.5 + a, a, 4)
}

/// The same by hand.
#[grad(order = 2)]
fn fixed_point_inlined(a: f64, w: f64) -> f64 {
    let mut x = a;
    for _ in 0..4 {
        x = (w * x).cos() * 0.5 + a;
    }
    x
}

#[grad(order = 2)]
fn step(x: f64) -> f64 {
    x * 0.5 + 1.0 / x
}

#[grad(order = 2)]
fn by_path(x: f64) -> f64 {
    iterate(step, x, 3) + iterate(f64::sin, x, 2) * iterate(f64::sqrt, x, 1)
}

#[grad(order = 2)]
fn simpson(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let m = 0.5 * (a + b);
    (b - a) / 6.0 * (f(a) + 4.0 * f(m) + f(b))
}

#[grad(order = 2)]
fn area(p: [f64; 2], b: f64) -> f64 {
    simpson(|x| p[0] * x * x + p[1].sin(), 0.0, b)
}

#[grad(order = 2)]
fn of_slices(ws: &[f64], x: f64) -> f64 {
    let polynomial = simpson(
        |t| {
            let mut y = 0.0;
            for k in 0..ws.len() {
                y = y * t + ws[k];
            }
            y
        },
        x,
        2.0 * x,
    );
    polynomial * ws[0]
}

/// What is captured changes before and after.
#[grad(order = 2)]
fn changed_around(x: f64, y: f64) -> f64 {
    let mut a = vec![x, y, x * y];
    a[0] = a[1] * a[2];
    let first = iterate(|t| t * a[0] + a[2], x, 3);
    a[0] = 5.0 * first;
    a[2] *= a[2];
    let second = iterate(|t| t.sin() * a[0], a[1], 2);
    a[0] * second + a[2] * first
}

#[grad(order = 2)]
fn in_a_loop(x: f64, w: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        let scale = s * 0.3 + k as f64;
        if k % 2 == 0 {
            s += iterate(|t| t * w.cos() + scale, s, k);
        } else {
            s = simpson(|t| t * t * s, 0.1, scale);
        }
    }
    s
}

#[grad(order = 2)]
fn compose<F, G>(f: F, g: G, x: f64) -> f64
where
    F: Fn(f64) -> f64,
    G: Fn(f64, f64) -> f64,
{
    let y = f(x);
    f(g(y, x)) * g(x, y)
}

#[grad(order = 2)]
fn composed(a: f64, b: f64) -> f64 {
    compose(|t| t * a, |u, v| u * v + b * a, b) + compose(f64::exp, f64::hypot, a)
}

#[grad(order = 2)]
fn relax<F: FnMut(f64, usize) -> f64>(u: &mut [f64], mut f: F) -> f64 {
    let mut s = 0.0;
    for i in 0..u.len() {
        u[i] = f(u[i], i) * u[i];
        s += u[i];
    }
    s
}

#[grad(order = 2)]
fn relaxed(x: f64, k: f64) -> f64 {
    let mut u = [x, k, x * k];
    let w = [k, 2.0, x];
    let s = relax(&mut u, |v, i: usize| v * k + w[i]);
    s * u[0] + u[2]
}

#[grad(order = 2)]
fn with_references<F: Fn(&[f64], f64) -> f64>(f: F, xs: &[f64]) -> f64 {
    let mut ys = xs.to_vec();
    ys[0] = f(xs, xs[1]);
    f(&ys, ys[0]) + f(&xs[1..], 0.5)
}

#[grad(order = 2)]
fn referring(xs: &[f64], k: f64) -> f64 {
    with_references(|v: &[f64], t| v[0] * t * k + v[1], xs)
}

/// Closures with names, and ones that are called here as well.
#[grad(order = 2)]
fn named(x: f64, k: f64) -> f64 {
    let square = |t| t * t;
    let scaled = |t: f64| t * k;
    let both = |t: f64| scaled(square(t)) + x;
    iterate(square, x, 2) + iterate_reference(&both, k) * scaled(x)
}

#[grad(order = 2)]
fn iterate_reference<F: Fn(f64) -> f64>(f: &F, x: f64) -> f64 {
    iterate(f, x, 2)
}

/// Loops, chains and exits within a closure.
#[grad(order = 2)]
fn control_inside(x: f64, ws: &[f64]) -> f64 {
    iterate(
        |t| {
            let mut s: f64 = ws.iter().map(|w| w * t).sum();
            while s < 2.0 {
                s += x * x;
                if s > 1.5 {
                    break;
                }
            }
            if s > 3.0 {
                return s.sqrt();
            }
            s * 0.5
        },
        x,
        3,
    )
}

#[grad(order = 2)]
fn total<F: Fn(&f64, &(f64, f64)) -> f64>(f: F, xs: &[f64]) -> f64 {
    let mut s = 0.0;
    for x in xs {
        s += f(x, &(s, *x)) * *x;
    }
    s
}

#[grad(order = 2)]
fn totalled(xs: &[f64], k: f64) -> f64 {
    total(|&x, &(a, b)| x * x * k + a * b, xs) + total(|x: &f64, p: &(f64, f64)| *x * p.1, xs)
}

#[grad(order = 2)]
fn handed_on<F: Fn(f64) -> f64>(f: &F, x: f64, n: usize) -> f64 {
    if n == 0 {
        f(x)
    } else {
        handed_on(f, f(x) * 0.5, n - 1) * iterate(f, x, n)
    }
}

#[grad(order = 2)]
fn handed(x: f64, w: f64) -> f64 {
    handed_on(&|t| t * w + 0.3, x, 3)
}

#[grad(order = 2)]
fn any_float<T: Float, F: Fn(T) -> T>(f: F, x: T) -> T {
    f(f(x) * x)
}

#[grad(order = 2)]
fn single(x: f32, w: f32) -> f32 {
    any_float(|t| t * w + x, x)
}

#[grad(order = 2)]
fn generic<T: Float>(x: T, w: T) -> T {
    any_float(|t| t.sin() * w, x)
}

#[grad(order = 2)]
fn nested(x: f64, w: f64) -> f64 {
    iterate(|t| simpson(|s| s * t * w, 0.0, t) + x, x, 2)
}

#[grad(order = 2)]
fn with_pair<F: Fn((f64, f64)) -> (f64, f64)>(f: F, x: f64) -> f64 {
    let (a, b) = f((x, x * x));
    a * b
}

#[grad(order = 2)]
fn pairs(x: f64, k: f64) -> f64 {
    with_pair(|(a, b)| (a * k, b + a), x)
}

#[grad(order = 2)]
fn count<P: Fn(f64) -> bool>(xs: &[f64], above: P) -> f64 {
    let mut s = 0.0;
    for i in 0..xs.len() {
        if above(1.0 + i as f64) {
            s += xs[i] * xs[i];
        }
    }
    s
}

#[grad(order = 2)]
fn counted(xs: &[f64], limit: f64) -> f64 {
    count(xs, |k: f64| k > 1.5) * limit
}

#[grad(order = 2)]
fn weighted<F: Fn(usize) -> f64>(xs: &[f64], #[constant] weight: F) -> f64 {
    let mut s = 0.0;
    for i in 0..xs.len() {
        s += weight(i) * xs[i] * xs[i];
    }
    s
}

/// What flows into the function's captures alone.
#[grad(order = 2)]
fn sampled<F: Fn(usize) -> f64>(f: F, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += f(i) * f(i);
    }
    s
}

#[grad(order = 2)]
fn samples(ws: &[f64], k: f64) -> f64 {
    sampled(|i: usize| ws[i] * k + i as f64, ws.len())
}

#[test]
fn closures() {
    check!(fixed_point(value a = 0.5, value w = 2.0));
    check_second!(fixed_point(value a = 0.5, value w = 2.0));
    near(
        &fixed_point::grad(0.5, 2.0),
        &fixed_point_inlined::grad(0.5, 2.0),
        1e-14,
    );
    check!(area(value p = [0.7, -0.4], value b = 1.3));
    check_second!(area(value p = [0.7, -0.4], value b = 1.3));
    check!(composed(value a = 0.7, value b = 0.4));
    check_second!(composed(value a = 0.7, value b = 0.4));
    check!(named(value x = 0.7, value k = 0.4));
    check_second!(named(value x = 0.7, value k = 0.4));
    for x in [0.7, 1.9, -0.3] {
        check!(control_inside(value x = x, shared ws = [0.7, -0.4, 1.2]));
        check_second!(control_inside(value x = x, shared ws = [0.7, -0.4, 1.2]));
    }
    check!(pairs(value x = 0.7, value k = 0.4));
    check_second!(pairs(value x = 0.7, value k = 0.4));
    check!(nested(value x = 0.7, value w = 0.4));
    check_second!(nested(value x = 0.7, value w = 0.4));
}

#[test]
fn functions_by_path() {
    check!(by_path(value x = 0.7));
    check_second!(by_path(value x = 0.7));
}

#[test]
fn captured_memory() {
    check!(of_slices(shared ws = [0.7, -0.4, 1.2], value x = 0.6));
    check_second!(of_slices(shared ws = [0.7, -0.4, 1.2], value x = 0.6));
    check!(changed_around(value x = 0.7, value y = -0.4));
    check_second!(changed_around(value x = 0.7, value y = -0.4));
    check!(relaxed(value x = 0.7, value k = 0.4));
    check_second!(relaxed(value x = 0.7, value k = 0.4));
    check!(referring(shared xs = [0.7, -0.4, 1.2], value k = 0.6));
    check_second!(referring(shared xs = [0.7, -0.4, 1.2], value k = 0.6));
    check!(totalled(shared xs = [0.7, -0.4, 1.2], value k = 0.6));
    check_second!(totalled(shared xs = [0.7, -0.4, 1.2], value k = 0.6));
    check!(samples(shared ws = [0.7, -0.4, 1.2], value k = 0.6));
    check_second!(samples(shared ws = [0.7, -0.4, 1.2], value k = 0.6));
}

#[test]
fn within_loops_and_branches() {
    for n in 0..5 {
        check!(in_a_loop(value x = 0.7, value w = 0.4, constant n = n));
        check_second!(in_a_loop(value x = 0.7, value w = 0.4, constant n = n));
    }
}

#[test]
fn handed_to_others() {
    check!(handed(value x = 0.7, value w = 0.4));
    check_second!(handed(value x = 0.7, value w = 0.4));
}

#[test]
fn of_any_float() {
    check!(single(value x = 0.7_f32, value w = 0.4_f32));
    check_second!(single(value x = 0.7_f32, value w = 0.4_f32));
    check!(generic(value x = 0.7, value w = 0.4));
    check_second!(generic(value x = 0.7, value w = 0.4));
}

#[test]
fn functions_without_derivative() {
    check!(counted(shared xs = [0.7, -0.4, 1.2], value limit = 0.3));
    check_second!(counted(shared xs = [0.7, -0.4, 1.2], value limit = 0.3));
    check!(weighted(shared xs = [0.7, -0.4, 1.2], constant weight = |i: usize| i as f64 + 0.5));
    check_second!(weighted(shared xs = [0.7, -0.4, 1.2], constant weight = |i: usize| i as f64 + 0.5));
}

#[grad(order = 3)]
fn thrice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x * f(f(x)))
}

#[grad(order = 3)]
fn third(x: f64, w: f64) -> f64 {
    thrice(|t| (t * w).sin() + x, x)
}

#[grad(order = 3)]
fn third_inlined(x: f64, w: f64) -> f64 {
    let f = |t: f64| (t * w).sin() + x;
    f(x * f(f(x)))
}

#[test]
fn of_third_order() {
    let (along, more) = ((0.3, -0.7), (1.1, 0.4));
    let ((gradient, curvature), (across, third)) = third::hvp_jvp(0.7, 0.4, along, more);
    let by_hand = third_inlined::hvp_jvp(0.7, 0.4, along, more);
    near(&gradient, &by_hand.0.0, 1e-14);
    near(&curvature, &by_hand.0.1, 1e-14);
    near(&across, &by_hand.1.0, 1e-14);
    near(&third, &by_hand.1.1, 1e-14);
}

#[derive(Clone, Copy, Differentiable)]
pub struct Spot {
    x: f64,
    y: f64,
}

#[derive(Clone, Differentiable)]
pub struct Model {
    k: f64,
    at: Spot,
    w: Vec<f64>,
    #[constant]
    n: usize,
}

#[grad(order = 2)]
impl Model {
    fn apply<F: Fn(f64, &Spot) -> f64>(&self, f: F, x: f64) -> f64 {
        let mut s = x;
        for i in 0..self.w.len() {
            s += f(s, &self.at) * self.w[i];
        }
        s * self.k
    }

    fn step<F: Fn(f64) -> f64>(&mut self, f: F, h: f64) {
        for w in self.w.iter_mut() {
            *w += h * f(*w);
        }
        self.k = f(self.k);
    }

    fn stepped<F: Fn(f64) -> f64>(&mut self, f: F, h: f64) -> f64 {
        self.step(&f, h);
        self.step(f, h * 0.5);
        self.w[0] * self.w[1] * self.k
    }

    fn applied(&self, a: f64) -> f64 {
        self.apply(|t, p: &Spot| (t * p.x).cos() + a * p.y * self.k, a)
    }

    fn applied_inlined(&self, a: f64) -> f64 {
        let mut s = a;
        for i in 0..self.w.len() {
            s += ((s * self.at.x).cos() + a * self.at.y * self.k) * self.w[i];
        }
        s * self.k
    }
}

#[grad(order = 2)]
fn of_a_copy(m: &Model, a: f64) -> f64 {
    let mut copy = m.clone();
    let first = copy.stepped(|t| t.sin() * a + m.at.x, 0.1 * a);
    first * copy.w[1] + iterate(|t| t * m.k + m.at.y * m.w[0], a, m.n)
}

#[grad(order = 2)]
fn of_a_copy_inlined(m: &Model, a: f64) -> f64 {
    let (mut w, mut k) = (m.w.clone(), m.k);
    for h in [0.1 * a, 0.1 * a * 0.5] {
        for i in 0..w.len() {
            w[i] += h * (w[i].sin() * a + m.at.x);
        }
        k = k.sin() * a + m.at.x;
    }
    let mut t = a;
    for _ in 0..m.n {
        t = t * m.k + m.at.y * m.w[0];
    }
    w[0] * w[1] * k * w[1] + t
}

#[test]
fn methods() {
    let m = Model {
        k: 0.8,
        at: Spot { x: 0.3, y: -0.6 },
        w: vec![0.5, 1.2],
        n: 3,
    };
    let (value, gradient) = m.applied_value_and_grad(0.7);
    let (again, by_hand) = m.applied_inlined_value_and_grad(0.7);
    near(&value, &again, 1e-15);
    near(&gradient.0.k, &by_hand.0.k, 1e-14);
    near(&gradient.0.w, &by_hand.0.w, 1e-14);
    near(&gradient.1, &by_hand.1, 1e-14);
    let flat = |h: autodiff::Matrix<f64>| h.as_slice().to_vec();
    near(
        &flat(m.applied_hessian(0.7)),
        &flat(m.applied_inlined_hessian(0.7)),
        1e-13,
    );
    let (value, gradient) = of_a_copy::value_and_grad(&m, 0.7);
    let (again, by_hand) = of_a_copy_inlined::value_and_grad(&m, 0.7);
    near(&value, &again, 1e-15);
    near(&gradient.0.k, &by_hand.0.k, 1e-14);
    near(&gradient.0.at.x, &by_hand.0.at.x, 1e-14);
    near(&gradient.0.w, &by_hand.0.w, 1e-14);
    near(&gradient.1, &by_hand.1, 1e-14);
    near(
        &flat(of_a_copy::hessian(&m, 0.7)),
        &flat(of_a_copy_inlined::hessian(&m, 0.7)),
        1e-13,
    );
}

/// A parameter of a closure is a reference where `*` stands in front of it.
mod dereferenced {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    struct Point {
        x: f64,
        y: f64,
    }

    #[grad(order = 2)]
    fn product(p: Point) -> f64 {
        p.x * p.y
    }

    #[grad(order = 2)]
    fn total<F: Fn(&f64) -> f64>(xs: &[f64], f: F) -> f64 {
        let mut sum = 0.0;
        for x in xs {
            sum += f(x);
        }
        sum
    }

    #[grad(order = 2)]
    fn at(p: &Point, f: impl Fn(&Point, f64) -> f64) -> f64 {
        f(p, p.x) * 2.0
    }

    #[grad(order = 2)]
    pub(super) fn all(x: f64, y: f64) -> f64 {
        let p = Point { x, y: x * y };
        let squares = total(&[x, y], |v| *v * v.sin() * y);
        squares + total(&[x, y], |&v| v * v * x) + at(&p, |q, k| product(*q) * k * y)
    }
}

#[test]
fn untyped_parameters_that_are_references() {
    use dereferenced::all;
    check!(all(value x = 0.4, value y = 0.7));
    check_second!(all(value x = 0.4, value y = 0.7));
}

#[grad(order = 2)]
fn trapezia(g: &dyn Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let n = 6;
    let h = (b - a) / n as f64;
    let inner: f64 = (1..n).map(|i| g(a + i as f64 * h)).sum();
    (g(a) / 2.0 + inner + g(b) / 2.0) * h
}

#[grad(order = 2)]
fn handed_behind_dyn(g: &dyn Fn(f64) -> f64, b: f64) -> f64 {
    trapezia(g, 0.0, b) * b
}

#[grad(order = 2)]
fn cube_of(x: f64) -> f64 {
    x * x * x
}

#[grad(order = 2)]
fn lent_functions(k: f64, b: f64) -> f64 {
    let wave = |x: f64| (k * x).sin();
    trapezia(&wave, 0.1, b) + handed_behind_dyn(&|x| k * x * x, b) + trapezia(&cube_of, 0.0, k)
}

#[grad]
fn step_behind_dyn(f: &dyn Fn(f64, &[f64]) -> Vec<f64>, y: &[f64], h: f64) -> Vec<f64> {
    let k = f(0.5, y);
    y.iter().zip(k.iter()).map(|(a, b)| a + h * b).collect()
}

#[grad]
fn stepped(y: &[f64], k: f64) -> f64 {
    let r = step_behind_dyn(&|t: f64, y: &[f64]| vec![k * y[1] * t, -y[0]], y, 0.1);
    r[0] * r[1]
}

#[test]
fn functions_behind_dyn() {
    check!(lent_functions(value k = 0.7, value b = 1.3));
    check_second!(lent_functions(value k = 0.7, value b = 1.3));
    check!(stepped(shared y = [0.7, -0.4], value k = 1.2));
}

#[grad(order = 2)]
fn of_vectors<F: Fn(&Vec<f64>) -> f64>(f: F, v: &Vec<f64>) -> f64 {
    let mut w = v.clone();
    w[0] *= 2.0;
    f(v) * f(&w)
}

#[grad(order = 2)]
fn lent_vectors(v: &Vec<f64>, k: f64) -> f64 {
    of_vectors(|v: &Vec<f64>| v[0] * v[1] * k + v.len() as f64, v)
}

#[grad(order = 2)]
fn integrated<F: Fn(&[f64], f64) -> f64>(f: F, x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        sum += f(x, i as f64 * 0.1) * 0.1;
    }
    sum
}

// What the closure is lent, only the call shows.
#[grad(order = 2)]
fn of_lists(x: &[f64], k: f64) -> f64 {
    let copy = x.to_vec();
    integrated(|x, p| x[0] * p * k, x, 5)
        + integrated(|x, _| (x[0] - k).powi(2) * x[1], &copy, 3)
        + integrated(|x, p| x.iter().sum::<f64>() * p * k, &copy[..1], 4)
}

#[test]
fn closures_that_are_lent_lists() {
    check!(lent_vectors(shared v = vec![0.7, -0.4], value k = 1.2));
    check_second!(lent_vectors(shared v = vec![0.7, -0.4], value k = 1.2));
    check!(of_lists(shared x = [0.7, -0.4], value k = 1.2));
    check_second!(of_lists(shared x = [0.7, -0.4], value k = 1.2));
}
