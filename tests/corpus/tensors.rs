//! Tensors wherever floats stand: parameters, locals, fields, lists, tuples, enums; in loops, branches, closures and methods; with numbers on either side.

use autodiff::{Differentiable, Float, Tensor, grad};

use crate::check::near;

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: Tensor<f64>,
    b: Tensor<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Mlp {
    layers: Vec<Layer>,
    gain: f64,
    depth: usize,
}

#[derive(Clone, Debug, Differentiable)]
enum Part {
    Dense(Layer),
    Scale(Tensor<f64>),
    Nothing,
}

/// Entries that lie nowhere special.
pub(super) fn some(shape: &[usize]) -> Tensor<f64> {
    let mut k = shape.len() as f64;
    Tensor::from_fn(shape, |_| {
        k += 1.0;
        (k * 0.754877666).fract() - 0.4
    })
}

/// A function of a layer as one of its parts, which are tangents of their own.
macro_rules! of_parts {
    ($($order:literal $name:ident $f:ident($($before:ident)? | $($after:ident)?) -> $ret:ty, [$w:ident $b:ident $x:ident] $make:expr;)*) => {$(
        #[grad(order = $order)]
        fn $name($w: &Tensor<f64>, $b: &Tensor<f64>, $x: &Tensor<f64>) -> $ret {
            let made = $make;
            $f($($before,)? &made $(, $after)?)
        }
    )*};
}
of_parts! {
    2 layer_of layer(| x) -> Tensor<f64>, [w b x] Layer { w: w.clone(), b: b.clone() };
    2 forward_of forward(| x) -> Tensor<f64>, [w b x] Mlp { layers: vec![Layer { w: w.clone(), b: b.clone() }, Layer { w: w * 2.0, b: b.reshape(&[1, 3]) }], gain: 0.7, depth: 2 };
    2 loss_of loss(| x) -> f64, [w b x] Mlp { layers: vec![Layer { w: w.clone(), b: b.clone() }, Layer { w: w * 2.0, b: b.reshape(&[1, 3]) }], gain: 0.7, depth: 2 };
    2 shapes_of shapes(x |) -> f64, [w b x] Layer { w: w.clone(), b: b.clone() };
    1 a_closure_of a_closure(x |) -> f64, [w b x] Layer { w: w.clone(), b: b.clone() };
    1 a_list_of a_list(| x) -> f64, [w b x] vec![Layer { w: w.clone(), b: b.clone() }, Layer { w: w * 2.0, b: b.clone() }];
    1 a_pair_of a_pair(x |) -> (Tensor<f64>, f64), [w b x] Layer { w: w.clone(), b: b.clone() };
    1 chains_of chains(| x) -> f64, [w b x] vec![Layer { w: w.clone(), b: b.clone() }, Layer { w: w * 2.0, b: b.clone() }];
    1 variants_of variants(| x) -> f64, [w b x] [Part::Scale(b * 0.5), Part::Nothing, Part::Dense(Layer { w: w.clone(), b: b.clone() })];
    1 through_methods_of through_methods(| x) -> f64, [w b x] Layer { w: w.clone(), b: b.clone() };
}

#[grad(order = 2)]
fn layer(l: &Layer, x: &Tensor<f64>) -> Tensor<f64> {
    x.matmul(&l.w) + &l.b
}

#[grad(order = 2)]
fn forward(m: &Mlp, x: &Tensor<f64>) -> Tensor<f64> {
    let mut h = x.clone();
    for l in &m.layers {
        h = layer(l, &h);
        h = &h * &h * m.gain + h;
    }
    h
}

#[grad(order = 2)]
fn loss(m: &Mlp, x: &Tensor<f64>) -> f64 {
    let d = forward(m, x) - Tensor::from([[0.5, -0.25, 0.125]]);
    (&d * &d).sum() / d.len() as f64
}

#[test]
fn a_network() {
    check_vector!(layer_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check_vector!(forward_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check!(loss_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check_second!(loss_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
}

#[grad(order = 2)]
fn numbers_of_tensors(x: &Tensor<f64>, k: f64) -> f64 {
    let s = x.sum();
    let t = (s * s + 1.0).sqrt();
    let u = t.tanh().powf(k) + t.max(s) * t.powi(2) - t.ln();
    let v = x * u + k;
    v.sum() / 3.0 + k.exp()
}

#[test]
fn what_rustc_alone_knows_to_be_a_number() {
    check!(numbers_of_tensors(shared x = some(&[2, 2]), value k = 0.7));
    check_second!(numbers_of_tensors(shared x = some(&[2, 2]), value k = 0.7));
}

#[grad(order = 2)]
fn operators(x: &Tensor<f64>, y: Tensor<f64>, k: f64) -> f64 {
    let a = x + &y;
    let b = 2.0 * &a - x * 0.5;
    let c = k * b.clone() / (&y * &y + 1.5);
    let d = 1.0 / (&c * &c + k * k + 1.0);
    let mut e = -d + c;
    e += x;
    e -= 0.25;
    e *= &y;
    e /= 3.0;
    e *= k;
    (e * b).sum()
}

#[test]
fn operators_on_either_side() {
    check!(operators(shared x = some(&[2, 3]), value y = some(&[2, 3]), value k = 0.7));
    check!(operators(shared x = some(&[2, 3]), value y = some(&[3]), value k = 0.7));
    check!(operators(shared x = some(&[]), value y = some(&[]), value k = -0.7));
    check!(operators(shared x = some(&[0, 3]), value y = some(&[3]), value k = 0.7));
    check_second!(operators(shared x = some(&[2, 1]), value y = some(&[1]), value k = 0.7));
}

#[grad(order = 2)]
fn shapes(x: &Tensor<f64>, l: &Layer) -> f64 {
    let n = x.shape()[0];
    let h = layer(l, x);
    let m = h.shape()[1] as f64 + h.rank() as f64;
    let flat = h.reshape(&[1, n * 3]);
    (flat.broadcast_to(&[2, n * 3]) * &some(&[2, 1])).sum() / m
}

#[test]
fn what_they_look_like() {
    check!(shapes_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check_second!(shapes_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
}

#[grad]
fn entries(x: &Tensor<f64>) -> f64 {
    let t = x.sum_axis(0);
    let mut s = t[[1]] * x[[0, 2]] + t[0];
    for k in 0..3 {
        s += t[k] * x[[1, k]] * x[[1, k]];
    }
    s
}

#[test]
fn entry_by_entry() {
    check!(entries(shared x = some(&[2, 3])));
}

#[grad]
fn a_closure(x: &Tensor<f64>, l: &Layer) -> f64 {
    let f = |t: &Tensor<f64>| t.matmul(&l.w) + &l.b;
    let h = f(x);
    let g = f(&h);
    (g * h).sum()
}

#[grad]
fn a_list(layers: &[Layer], x: &Tensor<f64>) -> f64 {
    let mut h = x.clone();
    let mut all = Vec::new();
    for l in layers {
        h = layer(l, &h);
        all.push(h.clone());
    }
    let mut s = 0.0;
    for t in &all {
        s += (t * t).sum();
    }
    s
}

#[grad]
fn a_pair(x: &Tensor<f64>, l: &Layer) -> (Tensor<f64>, f64) {
    let h = layer(l, x);
    let s = h.sum();
    (h * s, s)
}

#[grad]
fn branches(x: &Tensor<f64>, l: &Layer, k: usize) -> f64 {
    let h = match k {
        0 => layer(l, x),
        1 => x * 2.0,
        _ => -x,
    };
    if h.sum() > 0.0 {
        h.sum()
    } else {
        (&h * 3.0 * &h).sum()
    }
}

#[grad]
fn chains(layers: &[Layer], x: &Tensor<f64>) -> f64 {
    let sums = layers.iter().map(|l| layer(l, x).sum()).sum::<f64>();
    let last = layers.iter().fold(x.clone(), |h, l| layer(l, &h));
    sums * last.sum()
}

#[grad]
fn by_value(x: Tensor<f64>, w: Tensor<f64>) -> f64 {
    let y = x.matmul(w);
    let z = y * x;
    z.sum()
}

#[grad]
fn variants(parts: &[Part], x: &Tensor<f64>) -> f64 {
    let mut h = x.clone();
    for p in parts {
        h = match p {
            Part::Dense(l) => layer(l, &h),
            Part::Scale(s) => h * s,
            Part::Nothing => h,
        };
    }
    (&h * &h).sum()
}

#[grad]
impl Layer {
    fn apply(&self, x: &Tensor<f64>) -> Tensor<f64> {
        x.matmul(&self.w) + &self.b
    }

    fn energy(&self, x: &Tensor<f64>) -> f64 {
        let h = self.apply(&self.apply(x));
        (&h * &h).sum()
    }
}

#[grad]
fn through_methods(l: &Layer, x: &Tensor<f64>) -> f64 {
    l.energy(x) + l.apply(x).sum()
}

#[grad]
fn branches_of(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>, k: usize) -> f64 {
    branches(
        x,
        &Layer {
            w: w.clone(),
            b: b.clone(),
        },
        k,
    )
}

#[test]
fn wherever_floats_stand() {
    check!(a_closure_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check!(a_list_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check_vector!(a_pair_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    for k in 0..3 {
        check!(branches_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3]), constant k = k));
    }
    check!(chains_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check!(by_value(value x = some(&[3, 3]), value w = some(&[3, 3])));
    check!(variants_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check!(through_methods_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
}

#[grad]
fn steps(x: &mut Tensor<f64>, w: &Tensor<f64>, k: f64) {
    for _ in 0..3 {
        *x = x.matmul(w) * k;
    }
    *x += w;
}

#[test]
fn states_behind_references() {
    let (w, k) = (some(&[2, 2]), 0.7);
    let mut x = some(&[2, 2]) + 0.1;
    let before = x.clone();
    let mut bar = Tensor::ones(&[2, 2]);
    let (dw, dk) = steps::vjp(&mut x, &w, k, &mut bar);
    let run = |x: &Tensor<f64>, w: &Tensor<f64>, k: f64| {
        let mut x = x.clone();
        steps(&mut x, w, k);
        x.sum()
    };
    let h = 1e-6;
    near(
        &dk,
        &((run(&before, &w, k + h) - run(&before, &w, k - h)) / (2.0 * h)),
        1e-8,
    );
    for at in 0..4 {
        let mut e = Tensor::zeros(&[2, 2]);
        e[[at / 2, at % 2]] = h;
        let slope = |a: f64, b: f64| (a - b) / (2.0 * h);
        near(
            &bar[[at / 2, at % 2]],
            &slope(run(&(&before + &e), &w, k), run(&(&before - &e), &w, k)),
            1e-8,
        );
        near(
            &dw[[at / 2, at % 2]],
            &slope(run(&before, &(&w + &e), k), run(&before, &(&w - &e), k)),
            1e-8,
        );
    }
}

#[grad]
fn generic<T: Float>(x: &Tensor<T>, k: T) -> T {
    let h = x.matmul(x) * k;
    let s = h.sum();
    (h / s).sum() + s.tanh()
}

#[grad]
fn single(x: &Tensor<f32>, k: f32) -> f32 {
    let h = 2.0 * x.matmul(x) + 1.0;
    (h * k).sum() * 0.5
}

#[test]
fn both_widths() {
    check!(generic(shared x = some(&[2, 2]), value k = 0.7));
    check!(single(shared x = Tensor::<f32>::from([[0.5, 0.25], [-0.75, 1.5]]), value k = 0.7_f32));
}

#[grad]
fn indices(x: &Tensor<f64>, i: &Tensor<usize>, m: &Tensor<bool>) -> f64 {
    let k = i[0];
    if m[[0]] { x[[0, k]] * x.sum() } else { x.sum() }
}

#[test]
fn indices_and_masks_are_constants() {
    let (i, m) = (Tensor::from([1_usize]), Tensor::from([true]));
    let x = some(&[2, 3]);
    let g = indices::grad(&x, &i, &m);
    near(&g[[0, 1]], &(x.sum() + x[[0, 1]]), 1e-15);
    near(&g[[1, 1]], &x[[0, 1]], 1e-15);
}

#[grad(order = 2)]
fn made_of_numbers(a: f64, b: f64) -> f64 {
    let t = Tensor::<f64>::from_vec(&[2], vec![a, a * b]);
    let u = Tensor::<f64>::full(&[2], b) * Tensor::<f64>::scalar(a);
    (&t * &t * u).sum() + t[0].sin()
}

#[test]
fn tensors_of_numbers() {
    check!(made_of_numbers(value a = 0.7, value b = -0.3));
    check_second!(made_of_numbers(value a = 0.7, value b = -0.3));
}

/// What says the type of the entries: the numbers alone, what the tensors meet later, or a type that is written.
#[grad(order = 2)]
fn made_of_numbers_alone(x: &Tensor<f64>, k: f64) -> f64 {
    let shape = x.shape();
    let filled = Tensor::full(&[2, 2], k) * Tensor::full(&[2, 2], k.sin());
    let listed = Tensor::from_vec(&[2], vec![k, 2.0]) + Tensor::from_vec(shape, vec![k, k * k]);
    let met = x * Tensor::full(x.shape(), k) + Tensor::<f64>::full(shape, k);
    let parts = vec![k, k.exp()];
    let from = Tensor::from([k, k * 3.0]) * Tensor::from(parts) + Tensor::scalar(k);
    let square = Tensor::from([[k, 1.0], [k * k, k]]).matmul(&filled);
    let piled = Tensor::stack(&[k, k.cos()], 0);
    (listed * met * piled).sum().sin() * from.sum() + square.sum() * filled.sum()
}

#[grad(order = 2)]
fn one_by_one(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
    let z = x * y;
    let squares: f64 = x.iter().map(|v| v * v.sin()).sum();
    let both: f64 = z.iter().zip(y).map(|(a, b)| a * b).sum();
    let mut waves = 0.0;
    for v in x {
        waves += v.tanh();
    }
    for (k, v) in z.iter().enumerate() {
        waves += v * k as f64;
    }
    let list = z.to_vec();
    let most = y.iter().fold(f64::NEG_INFINITY, f64::max);
    squares * both + waves * most + list[0] * list[1] + z.t().sum()
}

#[grad]
fn one_by_one_generic<T: Float>(x: &Tensor<T>, #[constant] at: &Tensor<usize>) -> T {
    let squares: Vec<T> = x.iter().map(|v| v * v).collect();
    let mut sum = T::ZERO;
    for k in at.iter() {
        sum = sum + x[[k, 0]] * x[[0, k]];
    }
    (Tensor::from_vec(x.shape(), squares) * x).sum() * sum
}

#[test]
fn entries_that_are_walked_through() {
    check!(one_by_one(shared x = some(&[2, 3]), shared y = some(&[2, 3])));
    check_second!(one_by_one(shared x = some(&[2, 3]), shared y = some(&[2, 3])));
    check!(one_by_one(shared x = some(&[3, 2]).t(), shared y = some(&[2, 3])));
    check!(one_by_one_generic(shared x = some(&[2, 2]), constant at = &Tensor::from([1_usize, 0])));
}

/// The covariance of a process at some places, and a table of products.
#[grad(order = 2)]
fn made_by_places(x: &Tensor<f64>, k: f64) -> f64 {
    let n = x.len();
    let covariance = Tensor::<f64>::from_fn(&[n, n], |at| {
        let (i, j) = (at[0], at[1]);
        let d = x[i] - x[j];
        let near = (-0.5 * d * d / k).exp();
        if i == j { near + 0.5 } else { near }
    });
    let entry = |at: &[usize]| x[at[0]] * k + at.len() as f64;
    let products = Tensor::from_fn(&[n, 2], |at| x[at[0]] * x[at[1]].sin());
    covariance.logdet().item()
        + (products * 2.0).tanh().sum() * Tensor::from_fn(x.shape(), entry).norm()
}

#[grad]
fn made_by_places_generic<T: Float>(x: &Tensor<T>, k: T) -> T {
    let y: Tensor<T> = Tensor::from_fn(x.shape(), |at| x[at[0]] * T::from_f64(at[0] as f64) - k);
    y.square().sum()
}

#[grad(order = 2)]
fn made_of_a_slice(v: &[f64], k: f64) -> f64 {
    let whole = Tensor::from(v);
    let tail = Tensor::from(&v[1..]);
    (whole.square() * Tensor::from_vec(&[3], v.to_vec()) * k).sum() * tail.norm()
}

#[grad(order = 2)]
fn made_single(a: f32) -> f32 {
    let t = Tensor::full(&[2], a * 2.0) + Tensor::from([a, a.sin()]);
    (t * Tensor::stack(&[a, a * a], 0)).square().sum()
}

#[grad]
fn made_generic<T: Float>(x: &Tensor<T>, a: T, axis: isize) -> T {
    let filled = Tensor::full(&[2], a) * Tensor::from_vec(&[2], vec![a, a * a]);
    let piled = Tensor::stack(&[a, a], 0) + Tensor::from([a, a]) * Tensor::scalar(a);
    let both = Tensor::<T>::concat(&[x, &filled], axis);
    (both * Tensor::<T>::full(&[4], x.sum())).sum() + piled.sum()
}

#[grad(order = 2)]
fn joined_single(parts: &[Tensor<f32>], axis: isize) -> f32 {
    Tensor::<f32>::concat(parts, axis).square().sum() * Tensor::stack(parts, axis).sum()
}

struct Config {
    axis: isize,
}

#[grad(order = 2)]
fn joined_lists(x: &Tensor<f64>, y: &Tensor<f64>, #[constant] config: &Config) -> f64 {
    let parts = vec![x.clone(), y.square()];
    let lent: Vec<&Tensor<f64>> = vec![x, y];
    let axis = config.axis;
    let a = Tensor::<f64>::concat(&parts, config.axis).sin() * Tensor::concat(&parts, axis);
    let b = Tensor::stack(&parts, config.axis).square().reshape(&[4]);
    let c = Tensor::concat(&lent, axis) + Tensor::concat(&lent[..], 0);
    let each: Vec<Tensor<f64>> = (0..2).map(|i| x * (i as f64 + x.sum())).collect();
    let sums = Tensor::from_vec(&[2], each.iter().map(|t| t.sum()).collect());
    let whole = Tensor::concat(&each, 0) * a * b + c;
    whole.square().sum() + Tensor::einsum("i,i,i->", &[x, y, &sums]).sum()
}

#[test]
fn tensors_of_numbers_whose_type_follows() {
    check!(made_of_numbers_alone(shared x = some(&[2]), value k = 0.7));
    check_second!(made_of_numbers_alone(shared x = some(&[2]), value k = 0.7));
    check!(made_by_places(shared x = some(&[3]), value k = 0.7));
    check_second!(made_by_places(shared x = some(&[3]), value k = 0.7));
    check!(made_by_places_generic(shared x = some(&[3]), value k = 0.7));
    check!(made_by_places_generic(shared x = some(&[0]), value k = 0.7));
    check!(made_of_a_slice(shared v = vec![0.3, -0.4, 0.6], value k = 0.7));
    check_second!(made_of_a_slice(shared v = vec![0.3, -0.4, 0.6], value k = 0.7));
    check!(made_single(value a = 0.7_f32));
    check!(made_generic(shared x = some(&[2]), value a = 0.7, constant axis = 0));
    check!(joined_single(shared parts = vec![Tensor::<f32>::from([0.3, 0.4])], constant axis = 0));
    let config = Config { axis: 0 };
    check!(joined_lists(shared x = some(&[2]), shared y = some(&[2]), constant config = &config));
    check_second!(joined_lists(shared x = some(&[2]), shared y = some(&[2]), constant config = &config));
}

#[derive(Clone, Debug, Differentiable)]
struct Linear {
    w: Tensor<f64>,
    b: Option<Tensor<f64>>,
}

#[grad(order = 2)]
impl Linear {
    fn apply(&self, x: &Tensor<f64>) -> Tensor<f64> {
        let h = x.matmul(&self.w);
        match &self.b {
            Some(b) => h + b,
            None => h,
        }
    }
}

#[grad(order = 2)]
fn shifted(x: &Tensor<f64>, by: &Option<Tensor<f64>>) -> f64 {
    let mut h = x.square();
    if let Some(by) = by {
        h = h + by;
    }
    h.tanh().sum()
}

#[grad(order = 2)]
fn scaled(x: &Tensor<f64>, by: Option<Tensor<f64>>) -> f64 {
    let h = match &by {
        Some(by) => x * by,
        None => x.square(),
    };
    h.tanh().sum() + by.map_or(0.5, |by| by.square().sum())
}

#[grad(order = 2)]
fn perhaps_there(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>, on: bool) -> f64 {
    let with = Linear {
        w: w.clone(),
        b: Some(b.clone()),
    };
    let without = Linear {
        w: w.clone(),
        b: None,
    };
    let lent = if on { Some(b) } else { None };
    let mut h = with.apply(x) * without.apply(x);
    if let Some(b) = lent {
        h += b;
    }
    let h = match with.b.as_ref() {
        Some(b) => h * b,
        None => h,
    };
    let more = lent.map(|b| b.exp().sum()).unwrap_or(0.3);
    h.sin().sum() * more
        + shifted(x, &with.b) * shifted(x, &None)
        + scaled(x, Some(b * 2.0)) * scaled(x, None)
}

#[test]
fn options_of_tensors() {
    for on in [true, false] {
        check!(perhaps_there(shared w = some(&[2, 2]), shared b = some(&[2]), shared x = some(&[1, 2]), constant on = on));
        check_second!(perhaps_there(shared w = some(&[2, 2]), shared b = some(&[2]), shared x = some(&[1, 2]), constant on = on));
    }
}

#[grad(order = 2)]
fn on_a_grid(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
    let grid = Tensor::meshgrid(&[x, y]);
    let (a, b) = (&grid[0], &grid[1]);
    let vectors = vec![y.square(), x.clone(), x.sin()];
    let space = Tensor::meshgrid(&vectors);
    (a * b).sin().sum() * (&space[0] * &space[1] + &space[2]).square().sum() + a.sum()
}

#[grad(order = 2)]
fn joined(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {
    let both = Tensor::concat(&[x, y], 0);
    let parts = [both.square(), both.clone()];
    let piled = Tensor::stack(&parts, 1);
    let mut s = 0.0;
    for p in &piled.split(0, 2) {
        s += p.norm();
    }
    s * piled.mean()
}

#[grad(order = 2)]
fn masked(x: &Tensor<f64>) -> f64 {
    let m = x.gt(0.1);
    let y = m.where_cond(x.abs().ln(), x * 2.0);
    y.sum() + x.masked_fill(&m, 0.5).tanh().sum() + (x * 3.0).clamp(-0.5, 0.5).sum()
}

/// Masks that are compared indices, which look like truth values.
#[grad(order = 2)]
fn chosen_by_indices(x: &Tensor<f64>, labels: &Tensor<usize>) -> f64 {
    let squares = x.square();
    let nearest = squares.argmin_axis(1);
    let both = labels.ge(1) & labels.lt(2);
    let mut s = both.where_cond(x.square(), x.sin()).sum();
    for c in 0..2 {
        let mask = nearest.eq(c);
        let near = mask.where_cond(x, 0.0);
        let many = mask.count().max(1);
        s += near.sin().sum() / many as f64;
    }
    let valid = x.is_finite();
    let keep: Tensor<f64> = valid.cast();
    s + labels.eq(0).where_cond(x * keep, 1.0).exp().sum() / valid.count() as f64
}

/// Indices of results, which are no variables.
#[grad(order = 2)]
fn indices_of_results(x: &Tensor<f64>, w: &Tensor<f64>, axis: isize) -> f64 {
    let best = x.matmul(w).softmax(-1).argmax_axis(axis);
    let order = (x * 2.0).argsort(1);
    let nearest = (x * w).argmin_axis(-1);
    let at = (x - w).argmax();
    let y = x.gather(1, &order) * x.index_select(0, &nearest);
    let chosen = best.eq(1).where_cond(x, w);
    y.sin().sum() + x.flatten()[at].exp() + chosen.square().sum()
}

#[grad(order = 2)]
fn unknown_to_be_tensors(l: &Layer, x: &Tensor<f64>) -> f64 {
    let h: Tensor<f64> = layer(l, x);
    layer(l, x).tanh().mean()
        + h.sigmoid().max()
        + l.w.exp().sum_axis(0).min()
        + x.powi(3).softmax(-1).norm()
}

#[grad(order = 2)]
fn unknown_to_be_tensors_of(w: &Tensor<f64>, b: &Tensor<f64>, x: &Tensor<f64>) -> f64 {
    unknown_to_be_tensors(
        &Layer {
            w: w.clone(),
            b: b.clone(),
        },
        x,
    )
}

#[test]
fn functions_of_entries() {
    check!(joined(shared x = some(&[2, 3]), shared y = some(&[1, 3])));
    check_second!(joined(shared x = some(&[2, 2]), shared y = some(&[1, 2])));
    check!(on_a_grid(shared x = some(&[2]), shared y = some(&[3])));
    check_second!(on_a_grid(shared x = some(&[2]), shared y = some(&[3])));
    check!(masked(shared x = some(&[2, 3])));
    check_second!(masked(shared x = some(&[2, 3])));
    let labels = Tensor::from([1_usize, 0]);
    check!(chosen_by_indices(shared x = some(&[2, 2]), constant labels = &labels));
    check_second!(chosen_by_indices(shared x = some(&[2, 2]), constant labels = &labels));
    let scaled = || some(&[2, 2]).t() * 1.5;
    check!(indices_of_results(shared x = some(&[2, 2]), shared w = scaled(), constant axis = 1));
    check_second!(indices_of_results(shared x = some(&[2, 2]), shared w = scaled(), constant axis = 1));
    check!(unknown_to_be_tensors_of(shared w = some(&[3, 3]), shared b = some(&[3]), shared x = some(&[2, 3])));
    check_second!(unknown_to_be_tensors_of(shared w = some(&[2, 2]), shared b = some(&[2]), shared x = some(&[1, 2])));
}

#[grad(order = 2)]
fn mapped(x: &Tensor<f64>, k: f64) -> f64 {
    let y = x.map(|v| v * v * k + v.sin());
    (y * k).sum()
}

#[derive(Clone, Differentiable)]
struct Scaled {
    w: Tensor<f64>,
    by: f64,
}

/// Closures over the entries of what is not known to be a tensor: a field, a temporary, the result of a method.
#[grad(order = 2)]
fn mapped_unseen(w: &Tensor<f64>, by: f64, k: f64) -> f64 {
    let s = Scaled { w: w.clone(), by };
    let list = vec![k.sin(), k];
    let made = Tensor::<f64>::full(&[2, 2], k).map(|v| list[0] * v);
    let wide = s.w.broadcast_to(&[2, 2]).tanh().map(|v| v * k * s.by);
    (made * s.w.map(|v| v * v * k) * wide).sin().sum()
}

/// A variable that is read for the last time, and has another value before.
#[grad(order = 2)]
fn scaled_then_used_up(x: &Tensor<f64>, k: f64) -> f64 {
    let mut t = x.clone();
    let before = t.square().sum();
    t *= 0.3;
    (k.sin() - t).tanh().sum() * before
}

#[grad]
fn plain_of_active(x: &Tensor<f64>) -> f64 {
    let order = x.argsort(1);
    let best = x.argmax();
    let y = x.gather(1, &order);
    (&y * &y * Tensor::from([1.0, 2.0, 3.0])).sum() + best as f64 * x.sum()
}

/// What the macro does not know to be a value or a reference.
fn unnamed(shape: &[usize]) -> Tensor<f64> {
    some(shape)
}

#[grad(order = 2)]
fn given_constants(x: &Tensor<f64>, k: f64) -> f64 {
    let c = unnamed(&[2, 2]);
    let lent = &c;
    let h: Tensor<f64> = x.matmul(unnamed(&[2, 2])).sin().matmul(lent).hypot(c);
    let m = x.gt(unnamed(&[2, 2]));
    let y = m.where_cond(Tensor::<f64>::full(&[2], k), unnamed(&[2]));
    (y.mul_add(unnamed(&[2]), h).sin() * x).sum()
}

#[grad(order = 2)]
fn numbers_in_lists(x: &Tensor<f64>, k: f64) -> f64 {
    let all = [k.sin() * 0.5, k];
    let s = all[0];
    let list = vec![(k * 2.0).cos(), s.exp()];
    (x * all[0].tanh() + list[1].sin()).sum() + {
        let a = list[0];
        a * k
    }
    .atan()
}

#[grad(order = 2)]
fn lent_constants(x: &Tensor<f64>) -> f64 {
    let c = Tensor::<f64>::ones(&[2]);
    let r = &c;
    let mut t = x.clone() * &c + r / x.exp();
    t -= &Tensor::<f64>::full(&[2], 0.5);
    t *= &c;
    let all = Tensor::concat(&[x, r, &unnamed(&[2]), &t], 0);
    let parts = [&t.sin(), r];
    all.square().sum() + (parts[0] * parts[1]).sum()
}

#[grad]
fn entries_of_results(x: &Tensor<f64>, k: usize) -> f64 {
    let u = x.clone();
    let mut s = Tensor::<f64>::ones(&[2])[1] * x[0];
    for i in 0..2 {
        s += u[[i]] * x.broadcast_to(&[2, 2])[[k, i]] + (x * 2.0)[k];
    }
    s
}

#[test]
fn what_is_no_tensor_with_a_derivative() {
    check!(given_constants(shared x = some(&[2, 2]), value k = 0.7));
    check_second!(given_constants(shared x = some(&[2, 2]), value k = 0.7));
    check!(lent_constants(shared x = some(&[2])));
    check_second!(lent_constants(shared x = some(&[2])));
    check!(entries_of_results(shared x = some(&[2]), constant k = 1));
    check!(numbers_in_lists(shared x = some(&[2]), value k = 0.7));
    check_second!(numbers_in_lists(shared x = some(&[2]), value k = 0.7));
}

#[test]
fn closures_of_entries() {
    check!(mapped(shared x = some(&[2, 3]), value k = 0.7));
    check!(mapped(shared x = some(&[0]), value k = 0.7));
    check_second!(mapped(shared x = some(&[2]), value k = 0.7));
    check!(mapped_unseen(shared w = some(&[2, 1]), value by = 0.4, value k = 0.7));
    check_second!(mapped_unseen(shared w = some(&[2, 1]), value by = 0.4, value k = 0.7));
    check!(scaled_then_used_up(shared x = some(&[2, 2]), value k = 0.7));
    check_second!(scaled_then_used_up(shared x = some(&[2, 2]), value k = 0.7));
    check!(plain_of_active(shared x = some(&[2, 3])));
}

#[grad(order = 2)]
fn at_an_exact_fit(x: &Tensor<f64>) -> f64 {
    let s = x.sum();
    let h = x.reshape(&[2]);
    s * s + (&h * &h).sum()
}

#[test]
fn curvature_where_the_slope_is_zero() {
    let h = at_an_exact_fit::hessian(&Tensor::from([1.0, -1.0]));
    near(h.as_slice(), &[4.0, 2.0, 2.0, 4.0], 1e-14);
    let h = at_an_exact_fit::hessian(&Tensor::zeros(&[2]));
    near(h.as_slice(), &[4.0, 2.0, 2.0, 4.0], 1e-14);
}

#[grad]
fn padded(x: &Tensor<f64>, w: &Tensor<f64>, mask: &Tensor<bool>) -> f64 {
    mask.where_cond(x.matmul(w), 0.0).sum()
}

#[grad]
fn steep(x: &Tensor<f64>, w: &Tensor<f64>) -> f64 {
    x.sqrt().dot(w)
}

#[test]
fn nothing_comes_of_what_is_not_seen() {
    let x = Tensor::from([[1.0, 2.0], [f64::NAN, f64::INFINITY]]);
    let (w, mask) = (Tensor::from([3.0, 4.0]), Tensor::from([true, false]));
    let (dx, dw) = padded::grad(&x, &w, &mask);
    near(&dx.to_vec(), &vec![3.0, 4.0, 0.0, 0.0], 0.0);
    near(&dw.to_vec(), &vec![1.0, 2.0], 0.0);
    // Both modes agree where a slope is infinite and what it meets is zero.
    let (x, w) = (Tensor::from([0.0, 1.0]), Tensor::zeros(&[2]));
    near(&steep::grad(&x, &w).0.to_vec(), &vec![0.0, 0.0], 0.0);
    let along = (&Tensor::from([1.0, 0.0]), &Tensor::zeros(&[2]));
    near(&steep::jvp(&x, &w, along).1, &0.0, 0.0);
}

#[grad(order = 2)]
fn in_batches(w: &Tensor<f64>, x: &Tensor<f64>, classes: &Tensor<usize>, size: usize) -> f64 {
    let mut total = 0.0;
    for k in 0..classes.len() / size {
        let rows = x.narrow(0, k * size, size);
        let labels = classes.narrow(0, k * size, size);
        total += rows.matmul(w).cross_entropy(&labels) * size as f64;
    }
    total
}

#[grad(order = 2)]
fn shuffled(w: &Tensor<f64>, x: &Tensor<f64>, classes: &Tensor<usize>) -> f64 {
    let order = Tensor::from([2, 0, 3, 1]);
    let labels = classes.index_select(0, &order).reshape(&[4]);
    x.index_select(0, &order).matmul(w).cross_entropy(&labels) * 4.0
}

#[grad(order = 2)]
fn at_once(w: &Tensor<f64>, x: &Tensor<f64>, classes: &Tensor<usize>) -> f64 {
    x.matmul(w).cross_entropy(classes) * 4.0
}

#[grad(order = 2)]
fn masked_across(x: &Tensor<f64>) -> f64 {
    let mask = x.gt(0.0).t().reshape(&[2, 2]);
    mask.where_cond(x * x, x.exp()).sum()
}

#[test]
fn indices_and_masks_are_arranged() {
    let (w, x) = (some(&[3, 2]), some(&[4, 3]));
    let classes = Tensor::from([1, 0, 0, 1]);
    check!(in_batches(shared w = w.clone(), shared x = x.clone(), constant classes = &classes, constant size = 2));
    check_second!(in_batches(shared w = w.clone(), shared x = x.clone(), constant classes = &classes, constant size = 1));
    check!(shuffled(shared w = w.clone(), shared x = x.clone(), constant classes = &classes));
    check_second!(shuffled(shared w = w.clone(), shared x = x.clone(), constant classes = &classes));
    // The same sum, over the rows in whatever order.
    let whole = at_once::grad(&w, &x, &classes);
    for parts in [
        in_batches::grad(&w, &x, &classes, 2),
        shuffled::grad(&w, &x, &classes),
    ] {
        near(&parts.0.to_vec(), &whole.0.to_vec(), 1e-14);
        near(&parts.1.to_vec(), &whole.1.to_vec(), 1e-14);
    }
    // The mask of [[+, −], [+, −]] is [[+, +], [−, −]].
    let x = Tensor::from([[0.5, -1.0], [2.0, -0.25]]);
    let slopes = [1.0, -2.0, 2.0_f64.exp(), (-0.25_f64).exp()];
    near(&masked_across::grad(&x).to_vec(), &slopes.to_vec(), 1e-15);
    check_second!(masked_across(shared x = x.clone()));
}

/// What nothing uses is computed, and the zeros of what it is computed from are asked for beside it.
#[grad(order = 2)]
fn looked_at_for_nothing(x: &Tensor<f64>, k: f64) -> f64 {
    let f = |y: &Tensor<f64>| x.square() + y.sum();
    let given = f(&x.clone().atan2(x.clone().square() + k).cos());
    let _unused = x.sin().atan2(x.square() * k).tanh();
    given.sum() * k
}

#[test]
fn what_nothing_uses_is_not_moved_twice() {
    check!(looked_at_for_nothing(shared x = some(&[3, 2]), value k = 0.7));
    check_second!(looked_at_for_nothing(shared x = some(&[3, 2]), value k = 0.7));
}

/// A type of the name that generated code might choose for its own parameters.
type T = Tensor<f64>;

#[grad(order = 2)]
fn by_alias(x: &T, k: f64) -> f64 {
    let y: T = x.sin() * k;
    (&y * x).sum()
}

#[test]
fn types_by_short_names() {
    check!(by_alias(shared x = some(&[3, 2]), value k = 0.7));
    check_second!(by_alias(shared x = some(&[3, 2]), value k = 0.7));
}

#[derive(Clone, Debug, Differentiable)]
struct Heads {
    w: Tensor<f64>,
    #[constant]
    heads: usize,
}

/// Lengths that are computed from a field, whose type the macro does not see.
#[grad(order = 2)]
impl Heads {
    fn split(&self, x: &Tensor<f64>) -> Tensor<f64> {
        let (t, c) = (x.shape()[0], x.shape()[1]);
        let d = c / self.heads;
        let y = x.matmul(&self.w).reshape(&[t, self.heads, d]);
        y.transpose(0, 1).reshape(&[self.heads, t * d])
    }
}

#[grad(order = 2)]
fn split_heads(w: &Tensor<f64>, x: &Tensor<f64>, k: f64) -> f64 {
    let heads = Heads { w: w * k, heads: 2 };
    heads.split(x).tanh().sum()
}

/// A variable that is named as the cotangent of a constant is.
#[grad]
fn named_as_a_cotangent(k: f64, #[constant] real: &Tensor<f64>) -> f64 {
    let d_real = times(k, real);
    let dot_real = d_real.tanh();
    d_real.sum() + dot_real.sum()
}

#[grad]
fn times(k: f64, x: &Tensor<f64>) -> Tensor<f64> {
    x * k
}

/// Numbers alone have derivatives, in kernels over constants.
#[grad(order = 2)]
fn numbers_beside_constants(a: f64, b: f64, #[constant] x: &Tensor<f64>) -> f64 {
    (x * a + b).square().mean() + (x * b).tanh().sum()
}

#[test]
fn what_models_need() {
    check!(split_heads(shared w = some(&[4, 4]), shared x = some(&[3, 4]), value k = 0.7));
    check_second!(split_heads(shared w = some(&[4, 4]), shared x = some(&[3, 4]), value k = 0.7));
    let x = some(&[3, 2]);
    check!(named_as_a_cotangent(value k = 0.7, constant real = &x));
    check!(numbers_beside_constants(value a = 0.7, value b = -0.3, constant x = &x));
    check_second!(numbers_beside_constants(value a = 0.7, value b = -0.3, constant x = &x));
    let lanes = numbers_beside_constants::jvp_lanes(0.7, -0.3, &x, [(1.0, 0.0), (0.0, 1.0)]);
    let gradient = numbers_beside_constants::grad(0.7, -0.3, &x);
    near(&lanes.1[0], &gradient.0, 1e-12);
    near(&lanes.1[1], &gradient.1, 1e-12);
}
