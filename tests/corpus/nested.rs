//! Derivatives of other functions inside of a body.

use autodiff::{Differentiable, Float, grad};

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

#[derive(Clone, Debug, Differentiable)]
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

/// Derivatives of methods are siblings of them.
#[derive(Clone, Debug, Differentiable)]
struct Spring {
    k: f64,
    m: f64,
}

#[grad(order = 3)]
impl Spring {
    fn potential(&self, x: f64) -> f64 {
        0.5 * self.k * x * x + (self.m * x * self.k).sin()
    }

    fn taken(self, x: f64) -> f64 {
        self.k * x * x.cos() * self.m
    }

    fn chain(&self, q: &[f64], #[constant] w: f64, n: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            s += w * self.k * q[i].sin() * q[0] * self.m;
        }
        s
    }

    fn free(x: f64, y: f64) -> f64 {
        x * x * y.sin() * y
    }

    fn coupled(&self, other: &Spring) -> f64 {
        self.k * other.m * other.m * self.m.exp()
    }
}

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

#[grad(order = 2)]
impl Energy for Spring {
    fn energy(&self, x: f64) -> f64 {
        self.k * x.powi(4) * self.m
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair<T> {
    a: T,
    b: T,
}

#[grad(order = 2)]
impl<T: Float> Pair<T> {
    fn energy(&self, x: T) -> T {
        self.a * x * x * self.b.sin() * self.a
    }
}

#[grad(order = 2)]
fn of_methods(k: f64, m: f64, x: f64) -> f64 {
    let spring = Spring { k, m };
    let (v, (g, force)) = spring.potential_value_and_grad(x);
    let (h, slope) = spring.clone().taken_grad(force);
    v * g.k * slope + h.m
}

#[grad(order = 2)]
fn along_methods(k: f64, m: f64, x: f64) -> f64 {
    let spring = Spring { k, m };
    let direction = SpringTangent { k: x, m: k };
    let (v, t) = spring.potential_jvp(x, (&direction, m));
    let (_, still) = spring.potential_jvp(t, (&spring.zero_tangent(), 1.0));
    v * t + still
}

#[grad(order = 2)]
fn lent_to_methods(k: f64, m: f64, x: f64) -> f64 {
    let spring = Spring { k, m };
    let q = [x, x * k, 0.3];
    let (g, slopes) = spring.chain_grad(&q, 2.0, 3);
    let other = Spring { k: x, m: x * k };
    let (a, b) = spring.coupled_grad(&other);
    let (_, t) = Spring::coupled_jvp(&spring, &other, (&b, &a));
    g.k * slopes[0] * slopes[1] + slopes[2] + a.k * b.m * t
}

#[grad(order = 2)]
fn of_associated_functions(x: f64, y: f64) -> f64 {
    let (a, b) = Spring::free_grad(x, y);
    let (_, t) = Spring::free_jvp(a, b, (x, y));
    a * t
}

#[grad]
fn of_traits_and_blocks(k: f64, m: f64, x: f64) -> f64 {
    let spring = Spring { k, m };
    let (g, force) = spring.energy_grad(x);
    let pair = Pair { a: k, b: force };
    let (h, slope) = pair.energy_grad(m);
    let (_, t) = pair.energy_jvp(x, (&h, slope));
    g.k * h.a * slope + t
}

#[grad]
fn bent(k: f64, m: f64, x: f64) -> f64 {
    let spring = Spring { k, m };
    let direction = SpringTangent { k: x, m: k };
    let (g, h) = spring.potential_hvp(x, (&direction, m));
    let (_, (c, _)) = Spring::free_hvp(x, h.1, (m, 1.0));
    g.0.k * h.0.m * h.1 + c
}

#[test]
fn derivatives_of_methods() {
    check!(of_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check!(along_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check!(lent_to_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check!(of_associated_functions(value x = 0.7, value y = -0.4));
    check!(of_traits_and_blocks(value k = 0.6, value m = 1.2, value x = 0.7));
    check!(bent(value k = 0.6, value m = 1.2, value x = 0.7));
    check_second!(of_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check_second!(along_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check_second!(lent_to_methods(value k = 0.6, value m = 1.2, value x = 0.7));
    check_second!(of_associated_functions(value x = 0.7, value y = -0.4));
}

#[grad(order = 3)]
fn ripple(x: f64, y: f64) -> f64 {
    x * x * x * (y * x).sin()
}

/// Of owned and of lent memory, and of a constant.
#[grad(order = 3)]
fn blend(w: Vec<f64>, u: &[f64], n: i32) -> f64 {
    w[0].powi(n) * w[1] * u[0] * u[0] * (u[1] * w[0]).exp()
}

#[grad(order = 3)]
fn deep(bowl: &Bowl, x: f64) -> f64 {
    bowl.a * bowl.a * x * x * x + (bowl.b[0] * x * bowl.a).sin() * bowl.b[1] * bowl.b[1]
}

#[grad(order = 2)]
fn second_of_numbers(x: f64, y: f64) -> f64 {
    let (v, (a, b)) = ripple::value_and_grad(x, y);
    let (c, d) = ripple::grad(y, v);
    let (u, t) = ripple::jvp(x, y, (x * y, y.sin()));
    a * b * v + c * d + t * u * x
}

#[grad(order = 2)]
fn second_of_memory(w: &[f64], n: usize) -> f64 {
    let mut u = [w[0], w[1]];
    for _ in 0..n {
        let (_, g) = blend::grad(w.to_vec(), &u, 2);
        for i in 0..2 {
            u[i] -= 0.1 * g[i];
        }
    }
    let (v, (a, b)) = blend::value_and_grad(w.to_vec(), &u, 3);
    let (_, t) = blend::jvp(w.to_vec(), &b, 2, (a.clone(), w));
    v * a[0] * b[1] + t
}

#[grad(order = 2)]
fn second_of_structs(x: f64, y: f64) -> f64 {
    let bowl = Bowl {
        a: x,
        b: [y, x * y],
    };
    let (v, (g, slope)) = deep::value_and_grad(&bowl, x);
    let (_, t) = deep::jvp(&bowl, x * v, (&g, x));
    t * v * slope + g.b[1] * g.a
}

#[grad]
fn curvatures(x: f64, y: f64) -> f64 {
    let (g, h) = ripple::hvp(x, y, (x * y, y.sin()));
    let w = vec![x, y];
    let (_, (hw, hu)) = blend::hvp(w.clone(), &w, 3, (vec![g.0, 1.0], &w));
    let bowl = Bowl {
        a: x,
        b: [y, x * y],
    };
    let (slope, by_x) = deep::grad(&bowl, x);
    let (_, (bends, bend)) = deep::hvp(&bowl, x, (&slope, by_x));
    h.0 * h.1 + hw[0] * hu[1] + bends.a * bend + bends.b[0]
}

#[test]
fn derivatives_in_second_order() {
    check!(second_of_numbers(value x = 0.7, value y = 1.2));
    check!(second_of_memory(shared w = [0.8, 0.5], constant n = 2));
    check!(second_of_structs(value x = 0.7, value y = 0.4));
    check!(curvatures(value x = 0.7, value y = 0.4));
    check_second!(second_of_numbers(value x = 0.7, value y = 1.2));
    check_second!(second_of_memory(shared w = [0.8, 0.5], constant n = 2));
    check_second!(second_of_structs(value x = 0.7, value y = 0.4));
}
