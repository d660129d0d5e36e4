//! Structs: literals, fields at any depth, destructuring, vectors and options of them.

use autodiff::{Differentiable, Float, Parameters, Tangent, grad};

use crate::check::near;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Spring {
    ends: [Point; 2],
    stiffness: f64,
    coils: usize,
    bent: bool,
    #[constant]
    rest: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Chain {
    springs: Vec<Spring>,
    load: (f64, Point),
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Scale(f64, f64);

fn spring(a: f64, b: f64) -> Spring {
    Spring {
        ends: [Point { x: a, y: b }, Point { x: b, y: a * b }],
        stiffness: 1.0 + a * a,
        coils: 3,
        bent: false,
        rest: 0.25,
    }
}

#[grad]
fn literal_and_fields(a: f64, b: f64) -> f64 {
    let p = Point { x: a * b, y: a + b };
    let q = Point { x: p.y.sin(), ..p };
    let r = Point { y: 2.0, ..q };
    p.x * q.x + q.y * r.x + r.y
}

#[grad]
fn assigned_fields(a: f64, b: f64) -> f64 {
    let mut s = Spring {
        ends: [Point { x: a, y: b }; 2],
        stiffness: a * b,
        coils: 3,
        bent: true,
        rest: 0.5,
    };
    s.ends[1].x *= b;
    s.ends[0].y = s.ends[1].x * s.ends[0].x;
    s.stiffness += s.ends[0].y;
    s.stiffness -= 0.5 * a;
    s.ends[0] = Point {
        x: s.stiffness,
        ..s.ends[1]
    };
    for k in 0..s.coils {
        s.ends[k % 2].y = s.ends[k % 2].y * s.ends[1 - k % 2].x;
    }
    if s.bent {
        s.stiffness /= 1.0 + s.ends[1].y * s.ends[1].y;
    }
    s.stiffness * s.ends[0].y + s.ends[1].x * s.coils as f64 * s.rest
}

#[grad]
fn energy(s: &Spring) -> f64 {
    let Spring {
        ends: [p, q],
        stiffness,
        ..
    } = s;
    let (dx, dy) = (p.x - q.x, p.y - q.y);
    let length = (dx * dx + dy * dy).sqrt();
    let stretch = length - s.rest;
    0.5 * stiffness * stretch * stretch / s.coils as f64
}

#[grad]
fn of_parts(s: Spring, Scale(u, v): Scale) -> f64 {
    let Point { x, y } = s.ends[0];
    let [_, far] = s.ends;
    x * u + y * v * far.x + s.stiffness
}

#[grad]
fn relax(s: &mut Spring, rate: f64) -> f64 {
    let before = s.stiffness;
    s.ends[0].x += rate * (s.ends[1].x - s.ends[0].x);
    s.ends[0].y = s.ends[0].y * s.ends[0].y;
    s.stiffness *= 1.0 - rate;
    let last = &mut s.ends[1];
    last.y += before * last.x;
    before * s.ends[0].x
}

#[grad]
fn chain_energy(chain: &Chain) -> f64 {
    let mut total = 0.0;
    for s in &chain.springs {
        total += energy(s);
    }
    for (k, s) in chain.springs.iter().enumerate() {
        total += s.ends[0].x * s.stiffness * k as f64;
    }
    let (weight, at) = chain.load;
    total + weight * at.x * at.y
}

#[grad]
fn through_calls(a: f64, b: f64, c: f64) -> f64 {
    let mut s = Spring {
        ends: [Point { x: a, y: b }, Point { x: c, y: a * c }],
        stiffness: b * b,
        coils: 2,
        bent: false,
        rest: 0.1,
    };
    let mut total = energy(&s);
    for _ in 0..3 {
        total += relax(&mut s, 0.1 * c);
        total *= s.ends[1].y.cos();
    }
    let copy = s.clone();
    s.stiffness = 0.0;
    let chain = Chain {
        springs: vec![copy, s.clone()],
        load: (a, Point { x: b, y: c }),
    };
    total + chain_energy(&chain) + of_parts(s, Scale(a, b))
}

#[grad]
fn vectors_of_structs(xs: &[f64]) -> f64 {
    let mut points = Vec::new();
    for w in xs.windows(2) {
        points.push(Point {
            x: w[0],
            y: w[1] * w[0],
        });
    }
    for k in 1..points.len() {
        points[k].x += points[k - 1].y;
        points[k].y = points[k].x * points[k - 1].x;
    }
    for p in points.iter_mut() {
        p.y *= 0.5;
    }
    let last = points.pop().unwrap();
    let mut total = last.x * last.y;
    for p in &points {
        total += p.x.sin() * p.y;
    }
    total
}

#[grad]
fn optional(a: f64, b: f64) -> f64 {
    let p = if a > b {
        Some(Point { x: a, y: b })
    } else {
        None
    };
    match p {
        Some(p) => p.x * p.y,
        None => a - b,
    }
}

#[grad]
fn chosen(a: f64, b: f64) -> f64 {
    let p = Point { x: a, y: b };
    let q = Point { x: b, y: a };
    let r = if a > b { p } else { q };
    let mut best = p;
    for k in 0..3 {
        let candidate = Point {
            x: r.x + k as f64 * b,
            y: best.y * a,
        };
        if candidate.x > best.x {
            best = candidate;
        }
    }
    r.x * r.x * r.y + best.x * best.y
}

#[grad]
fn swapped(a: f64, b: f64) -> f64 {
    let mut p = Point { x: a, y: b };
    let mut q = Point { x: a * b, y: 1.0 };
    for _ in 0..3 {
        std::mem::swap(&mut p, &mut q);
        p.x = p.x * q.y;
    }
    let old = std::mem::replace(&mut p, Point { x: b, y: a });
    old.x * q.x + p.x * old.y
}

#[derive(Clone, Copy, Differentiable)]
struct Interval<T> {
    low: T,
    high: T,
}

#[grad]
fn generic_struct(a: f64, b: f64) -> f64 {
    let i = Interval { low: a, high: b };
    let nested = Interval {
        low: i,
        high: Interval {
            low: b * a,
            high: a,
        },
    };
    nested.low.high * nested.high.low + nested.low.low
}

#[derive(Clone, Copy, Differentiable)]
struct Data<'a> {
    values: &'a [f64],
    weight: f64,
}

#[grad]
fn borrowed(d: &Data<'_>, x: f64) -> f64 {
    let mut total = 0.0;
    for (k, v) in d.values.iter().enumerate() {
        total += v * v * x * k as f64;
    }
    total * d.weight
}

#[grad]
fn integers_and_flags(a: f64, n: usize) -> f64 {
    let s = Spring {
        ends: [Point { x: a, y: a }; 2],
        stiffness: a,
        coils: n,
        bent: n > 1,
        rest: 1.0,
    };
    let mut total = 0.0;
    for k in 0..s.coils * 2 + 1 {
        if s.bent && k % 2 == 0 {
            total += s.ends[k % 2].x * (s.coils + k) as f64;
        } else {
            total -= s.stiffness.powi(k as i32);
        }
    }
    total * (s.coils as f64).sqrt()
}

#[test]
fn structs() {
    for (a, b) in [(0.7, 1.3), (1.9, -0.4), (-0.6, 0.8)] {
        check!(literal_and_fields(value a = a, value b = b));
        check!(assigned_fields(value a = a, value b = b));
        check!(through_calls(value a = a, value b = b, value c = 0.6));
        check!(optional(value a = a, value b = b));
        check!(chosen(value a = a, value b = b));
        check!(swapped(value a = a, value b = b));
        check!(generic_struct(value a = a, value b = b));
        check!(integers_and_flags(value a = a, constant n = 2));
    }
    check!(vectors_of_structs(shared xs = [0.3, 0.9, -0.5, 1.2]));
}

#[test]
fn gradients_are_structs() {
    let s = spring(0.7, 1.3);
    let (value, g): (f64, SpringTangent) = energy::value_and_grad(&s);
    assert_eq!(value, energy(&s));
    let h = 1e-6;
    let moved = |by: f64| {
        let mut s = s.clone();
        s.ends[1].y += by;
        s
    };
    let difference = (energy(&moved(h)) - energy(&moved(-h))) / (2.0 * h);
    assert!((g.ends[1].y - difference).abs() < 1e-8);
    let () = g.coils;
    let () = g.rest;
    let mut into = g.clone();
    energy::grad_into(&s, &mut into);
    assert_eq!(into.stiffness, 2.0 * g.stiffness);

    let (_, along) = energy::jvp(&s, &g);
    assert!((along - autodiff::Tangent::norm2(&g)).abs() < 1e-12);
    assert_eq!(energy::jacobian(&s).as_slice().len(), 5);

    let (gs, gu) = of_parts::grad(s.clone(), Scale(2.0, 3.0));
    assert_eq!(gs.ends[0].x, 2.0);
    assert_eq!(gu.0, s.ends[0].x);

    let chain = Chain {
        springs: vec![s.clone(), spring(0.2, 0.4)],
        load: (2.0, Point { x: 3.0, y: 5.0 }),
    };
    let g = chain_energy::grad(&chain);
    assert_eq!(g.springs.len(), 2);
    assert_eq!((g.load.0, g.load.1.x, g.load.1.y), (15.0, 10.0, 6.0));

    let d = Data {
        values: &[1.0, 2.0, 3.0],
        weight: 0.5,
    };
    let (gd, gx) = borrowed::grad(&d, 2.0);
    assert_eq!(gd.values, [0.0, 4.0, 12.0]);
    assert_eq!((gd.weight, gx), (44.0, 11.0));
}

#[test]
fn exclusive_structs() {
    let mut s = spring(0.7, 1.3);
    let mut state = s.clone();
    let value = relax(&mut state, 0.1);
    let mut bar = autodiff::Differentiable::zero_tangent(&s);
    bar.ends[1].y = 1.0;
    let (got, rate) = relax::vjp(&mut s, 0.1, 1.0, &mut bar);
    assert_eq!(got, value);
    assert_eq!(s.ends[1].y, state.ends[1].y);
    // ∂(before · x₀′ + y₁′) / ∂stiffness = x₀′ + x₁
    let first = spring(0.7, 1.3);
    let expected = state.ends[0].x + first.ends[1].x;
    assert!((bar.stiffness - expected).abs() < 1e-12);
    let expected = first.stiffness * (first.ends[1].x - first.ends[0].x);
    assert!((rate - expected).abs() < 1e-12);
}

#[derive(Clone, Copy, Differentiable)]
struct Weighted {
    x: f64,
    weight: f64,
}

#[derive(Clone, Differentiable)]
struct Sample {
    xs: Vec<f64>,
    scale: f64,
}

#[grad]
fn sorted(x: f64, y: f64) -> f64 {
    let mut points = vec![
        Weighted { x, weight: y },
        Weighted {
            x: y,
            weight: x * y,
        },
        Weighted {
            x: 0.3,
            weight: x.cos(),
        },
    ];
    points.sort_by(|p, q| p.x.partial_cmp(&q.x).unwrap());
    let mut sample = Sample {
        xs: vec![x, y, 0.2],
        scale: x,
    };
    sample.xs.sort_by(f64::total_cmp);
    let points = points.iter().enumerate();
    points.map(|(k, p)| p.weight * p.x * k as f64).sum::<f64>()
        + sample.xs[0] * sample.scale
        + sample.xs[2]
}

#[grad]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[derive(Clone, Copy, Differentiable)]
struct Held {
    a: f64,
    o: Option<f64>,
}

#[grad]
fn options_of_fields(x: f64, y: f64) -> f64 {
    let held = Held {
        a: y,
        o: positive(x),
    };
    let o = held.o;
    let mut s = o.map(|v| v * y).unwrap_or(x);
    let Held { a, o } = held;
    s += o.map(f64::sin).unwrap_or_else(|| a * x) * a;
    let p = positive(y);
    s * p.filter(|v| *v > 0.1).map(|v| v * v).unwrap_or(y)
}

#[derive(Clone, Copy, Differentiable)]
struct Sum<T> {
    n: u32,
    mean: T,
}

#[grad]
impl<T: Float> Sum<T> {
    fn variance(&self) -> T {
        self.mean / T::from_f64(self.n as f64 - 1.0) + self.mean * T::from_f64(f64::from(self.n))
    }
}

#[grad]
fn of_counts(x: f64, y: f64) -> f64 {
    let sum = Sum { n: 3, mean: x * y };
    sum.variance() * y
}

#[test]
fn lists_options_and_counts() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (0.4, 0.2)] {
        check!(sorted(value x = x, value y = y));
        check!(options_of_fields(value x = x, value y = y));
        check!(of_counts(value x = x, value y = y));
    }
}

impl Spring {
    fn is_sound(&self) -> bool {
        self.stiffness > -100.0
    }

    fn force(&self) -> f64 {
        self.stiffness * self.rest
    }
}

fn is_bounded(xs: &[f64]) -> bool {
    xs.iter().all(|x| x.abs() < 100.0)
}

#[grad]
fn looked_at_while_it_changes(x: f64, y: f64) -> f64 {
    let mut s = Spring {
        ends: [Point { x, y }; 2],
        stiffness: 1.0 + x * x,
        coils: 3,
        bent: false,
        rest: 0.25,
    };
    let mut list = vec![x, y];
    let mut o = Some(x);
    assert!(s.is_sound() && !s.bent, "{:?} {s:?}", s.ends);
    s.stiffness *= x;
    list.push(s.stiffness);
    assert!({
        let mut sound = true;
        for bound in [100.0, 200.0] {
            sound &= s.stiffness < bound;
        }
        sound
    });
    assert!(list.iter().copied().all(f64::is_finite) && is_bounded(&list));
    assert!(list.starts_with(&[x]) && list.first().is_some());
    assert!(matches!(list.last(), Some(last) if last.is_finite()));
    if y > 1.0 {
        o = None;
    }
    assert_eq!(o.is_some(), o.map_or(false, |v| v == x));
    let row = &mut list[1..];
    row[0] *= 2.0;
    assert!(is_bounded(row) && row.len() == 2, "{row:?}");
    s.stiffness * list[1] * o.unwrap_or(y) + list[2]
}

#[grad]
fn frozen_while_it_changes(x: f64) -> f64 {
    let mut s = Spring {
        ends: [Point { x, y: x }; 2],
        stiffness: x,
        coils: 3,
        bent: false,
        rest: 0.25,
    };
    let force = autodiff::stop_gradient(if s.is_sound() { s.force() } else { 0.0 });
    s.stiffness *= x;
    let list = autodiff::stop_gradient([s.stiffness, force].to_vec());
    s.stiffness * force + list[1] * x
}

#[test]
fn code_that_only_reads_sees_what_changes() {
    check!(looked_at_while_it_changes(value x = 0.7, value y = 0.4));
    check!(looked_at_while_it_changes(value x = 0.7, value y = 1.4));
    let (x, force) = (0.7, 0.7 * 0.25);
    crate::check::near(
        &frozen_while_it_changes::grad(x),
        &(2.0 * x * force + force),
        1e-15,
    );
}

mod named {
    pub(super) const K: f64 = 1.5;
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[grad]
fn printed_under_their_names(x: f64, y: f64) -> f64 {
    let a = x * y;
    let a = a * x;
    let named = a;
    let b = y;
    let b = b * a;
    assert!(
        Pair { a: a, b }.a.is_finite(),
        "{:?} {}",
        Pair { a, b },
        named::K
    );
    println!("{:?} {:?}", Pair { a, b }, Some(named::K * named));
    assert!(matches!(Pair { a, b: 2.0 }, Pair { a: first, .. } if first.is_finite()));
    a * b + named
}

#[test]
fn fields_and_paths_in_macros() {
    check!(printed_under_their_names(value x = 0.7, value y = -0.4));
}

/// A measurement, whose errors add up as lengths do.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Measured {
    value: f64,
    error: f64,
}

#[grad]
impl std::ops::Add for Measured {
    type Output = Measured;
    fn add(self, other: Measured) -> Measured {
        Measured {
            value: self.value + other.value,
            error: self.error.hypot(other.error),
        }
    }
}

#[grad]
impl std::ops::Mul<f64> for Measured {
    type Output = Measured;
    fn mul(self, k: f64) -> Measured {
        Measured {
            value: self.value * k,
            error: self.error * k,
        }
    }
}

#[grad]
impl std::ops::Neg for Measured {
    type Output = Measured;
    fn neg(self) -> Measured {
        Measured {
            value: -self.value,
            error: self.error,
        }
    }
}

#[grad]
impl std::ops::AddAssign for Measured {
    fn add_assign(&mut self, other: Measured) {
        self.value *= other.value;
        self.error += other.error;
    }
}

#[grad]
fn read_off(x: f64) -> Measured {
    Measured {
        value: x,
        error: 0.1 * x * x,
    }
}

#[grad]
fn doubled(m: Measured) -> Measured {
    Measured {
        value: 2.0 * m.value,
        error: m.error.sqrt(),
    }
}

#[grad]
fn of_calls_a_field_shows(x: f64, y: f64) -> f64 {
    let t = read_off(x) + read_off(y);
    let u = -read_off(x);
    let v = if y > 0.0 { read_off(y) } else { t };
    t.error * (read_off(x) * y + u).error - (v * x).value + u.value
}

#[grad]
fn of_calls_an_argument_shows(x: f64, y: f64) -> f64 {
    let m = Measured { value: x, error: y };
    let k = doubled(m);
    let k = doubled(m + k * 0.5);
    let sum = doubled(k * y) + m * x;
    sum.value * sum.error
}

#[grad]
fn of_calls_the_result_shows(x: f64, y: f64) -> Measured {
    let mut s = read_off(x);
    for k in 0..3 {
        s = s * y + read_off(x * k as f64);
    }
    s += read_off(y);
    s
}

#[grad]
fn the_result_shows(x: f64, y: f64) -> f64 {
    let m: Measured = of_calls_the_result_shows(x, y);
    m.value * m.error
}

#[test]
fn operators_on_what_functions_return_are_those_of_its_type() {
    for (x, y) in [(1.3, 0.7), (0.4, 1.1), (0.6, 0.9)] {
        check!(of_calls_a_field_shows(value x = x, value y = y));
        check!(of_calls_an_argument_shows(value x = x, value y = y));
        check!(the_result_shows(value x = x, value y = y));
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Spot {
    x: f64,
    y: f64,
}

#[grad]
impl Spot {
    fn at(x: f64, y: f64) -> Spot {
        Spot { x, y: y * x }
    }
}

#[grad]
fn arrays_of_spots(x: &[f64], k: f64) -> f64 {
    let a: [Spot; 3] = std::array::from_fn(|i| Spot { x: x[i], y: k });
    let b: [Spot; 2] = std::array::from_fn(|i| Spot::at(x[i] * x[4], x[i + 1] * i as f64));
    let c = std::array::from_fn::<Spot, 2, _>(|i| {
        let s = a[i];
        Spot::at(s.y, b[i].x)
    });
    let m: [[f64; 2]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| x[i] * x[j + 1]));
    let lists: [Vec<f64>; 2] = std::array::from_fn(|i| vec![x[i]; i + 1]);
    let d: [Spot; 2] = a[1..].try_into().unwrap();
    let mut s = m[1][0] * m[2][1] + lists[1][1] * lists[0][0] + d[1].x * d[0].y;
    for p in a.iter().chain(&b).chain(&c) {
        s += p.x * p.y * s;
    }
    s
}

#[test]
fn arrays_made_by_index() {
    check!(arrays_of_spots(shared x = [1.3, 0.7, -0.4, 1.1, 0.6], value k = 0.4));
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Twice(f64, f64);

#[grad]
fn taken_apart_into_places(x: f64, y: f64, n: usize) -> f64 {
    let mut p = Spot { x, y };
    let mut v = [0.0; 2];
    let mut b = y;
    for _ in 0..n {
        Spot { x: v[0], y: p.x } = Spot {
            x: p.x * p.y,
            y: b * x,
        };
        (Spot { y: v[1], .. }, b) = (p, v[0]);
        Twice(b, _) = Twice(b * v[1], 1.0);
        [Spot { x: p.y, .. }, _] = [p, p];
    }
    v[0] * v[1] + b * p.x + p.y
}

#[test]
fn assigned_part_by_part() {
    check!(taken_apart_into_places(value x = 0.7, value y = 1.2, constant n = 3));
    check!(taken_apart_into_places(value x = 0.7, value y = 1.2, constant n = 0));
}

/// A boxed slice is read like any other.
#[derive(Clone, Debug, Differentiable)]
struct Sampled {
    scale: f64,
    at: Box<[f64]>,
    points: Box<[Spring]>,
    range: std::ops::Range<usize>,
    picks: Box<[usize]>,
}

#[grad]
fn boxed_slices(s: &Sampled) -> f64 {
    let products = s.at.iter().zip(s.at.iter().skip(1)).map(|(a, b)| a * b);
    let mut sum: f64 = products.sum();
    for &i in s.picks.iter() {
        sum += s.at[i] * s.at[i] * s.scale;
    }
    for i in s.range.start..s.range.end {
        sum += s.points[i].stiffness * s.points[1].ends[i].x;
    }
    sum * total_of(&s.at)
}

#[grad]
fn total_of(x: &[f64]) -> f64 {
    x.iter().map(|x| x.sin()).sum()
}

#[test]
fn slices_in_boxes() {
    let s = Sampled {
        scale: 0.7,
        at: vec![1.3, -0.4, 0.9].into(),
        points: vec![spring(0.3, 1.1), spring(-0.6, 0.8)].into(),
        range: 0..2,
        picks: vec![2, 0].into(),
    };
    let gradient = boxed_slices::grad(&s);
    let mut point = vec![0.0; gradient.scalar_count()];
    Differentiable::write_flat(&s, &mut point);
    let value = |point: &[f64]| {
        let mut s = s.clone();
        s.read_flat(point);
        boxed_slices(&s)
    };
    for (k, slope) in gradient.to_flat().into_iter().enumerate() {
        let mut unit = gradient.zero_like();
        unit.read_flat(&{
            let mut unit = vec![0.0; point.len()];
            unit[k] = 1.0;
            unit
        });
        near(&boxed_slices::jvp(&s, &unit).1, &slope, 1e-12);
        let at = |h: f64| {
            let mut point = point.clone();
            point[k] += h;
            value(&point)
        };
        near(&((at(1e-5) - at(-1e-5)) / 2e-5), &slope, 1e-8);
    }
}

/// A state in parts is taken apart in each round, and put together again.
#[grad]
fn rounds_of_parts(a: f64, b: f64) -> f64 {
    let mut state = (Point { x: a, y: b }, b, 0);
    let mut total = 0.0;
    #[checkpoint(every = 3)]
    while state.2 < 8 {
        let (mut p, h, n) = state;
        p.x -= 0.1 * h * p.y;
        total += p.x * p.y * n as f64;
        state = (p, 0.9 * h + 0.01 * p.x, n + 1);
    }
    total + state.1
}

#[test]
fn states_of_checkpoints_in_parts() {
    check!(rounds_of_parts(value a = 0.7, value b = 0.4));
}

// A derivative of one's own, in one mode alone.

#[derive(Clone, Copy, Differentiable)]
struct Crossing {
    a: f64,
    n: usize,
    b: [f64; 2],
}

#[allow(clippy::type_complexity)]
fn crossed_back(
    p: Crossing,
    x: &[f64],
    o: Option<f64>,
) -> (
    (f64, Crossing),
    impl FnOnce((f64, CrossingTangent)) -> (CrossingTangent, Vec<f64>, Option<f64>),
) {
    let (first, last) = (x[0], o.unwrap_or(0.0));
    let back = move |(seed, of): (f64, CrossingTangent)| {
        let a = 2.0 * p.a * seed + of.a * first;
        let mut dx = vec![0.0; x.len()];
        dx[0] = of.a * p.a;
        let of_p = CrossingTangent { a, n: (), b: of.b };
        (of_p, dx, o.map(|_| 2.0 * last * seed))
    };
    (crossed(p, x, o), back)
}

#[grad(vjp = crossed_back)]
fn crossed(p: Crossing, x: &[f64], o: Option<f64>) -> (f64, Crossing) {
    let last = o.unwrap_or(0.0);
    let next = Crossing {
        a: p.a * x[0],
        n: p.n + 1,
        b: p.b,
    };
    (p.a * p.a + last * last, next)
}

#[grad]
fn several_of_reverse_alone(x: f64, y: f64) -> [f64; 3] {
    let mut out = [x, y, x * y];
    let mut p = Crossing {
        a: x,
        n: 0,
        b: [x, y],
    };
    for i in 0..3 {
        let last = if i == 1 { None } else { Some(y) };
        let (value, next) = crossed(p, &out, last);
        p = next;
        out[i] += value * p.a + p.b[0] * p.n as f64;
    }
    out
}

#[test]
fn reverse_mode_alone_has_forward_mode_where_it_is_called() {
    check_vector!(several_of_reverse_alone(value x = 0.7, value y = -0.4));
}
