//! Constant data in types that the macro does not know, handed on to other functions: whether an argument is a reference, only its type says.

use autodiff::{Differentiable, grad};

#[derive(Clone)]
pub(crate) struct Sample {
    x: Vec<f64>,
    y: f64,
}

/// Of no use to derivatives, and not to be cloned either.
pub(crate) struct Settings {
    scale: f64,
    power: usize,
}

pub(crate) struct Data<'a> {
    rows: Vec<Vec<f64>>,
    samples: Vec<Sample>,
    best: Option<Vec<f64>>,
    pair: [[f64; 2]; 2],
    rates: Vec<f64>,
    lent: &'a [f64],
    name: String,
}

impl Data<'_> {
    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i]
    }
    fn rate(&self, i: usize) -> f64 {
        self.rates[i]
    }
    fn copied(&self) -> Vec<f64> {
        self.rates.clone()
    }
    fn name(&self) -> &str {
        &self.name
    }
}

const LIST: &[f64] = &[0.4, 0.9];
static TABLE: [f64; 3] = [0.2, 0.5, -0.3];

mod tables {
    pub(super) const NODES: [[f64; 2]; 2] = [[0.3, 0.4], [0.8, -0.5]];
}

#[grad]
fn dot(w: &[f64], #[constant] t: &[f64]) -> f64 {
    let mut s = 0.0;
    for (w, t) in w.iter().zip(t) {
        s += w * t;
    }
    s
}

#[grad]
fn missed(w: &[f64], #[constant] sample: &Sample) -> f64 {
    let mut s = 0.0;
    for (w, x) in w.iter().zip(&sample.x) {
        s += w * x;
    }
    s - sample.y
}

/// Constants of which some callers say whether they are.
#[grad]
fn mixed(k: f64, list: &[f64], x: f64, named: &str, m: usize) -> f64 {
    k * x.sin() + list[m % list.len()] * x * named.len() as f64
}

#[grad]
fn generic<T: AsRef<[f64]>>(#[constant] t: T, x: f64) -> f64 {
    let first = t.as_ref()[0];
    x * x * first
}

#[grad]
fn scaled(#[constant] settings: &Settings, x: f64) -> f64 {
    let p = settings.power as f64;
    settings.scale * (p * x).sin()
}

#[grad]
fn changed(buffer: &mut [f64], #[constant] by: &[f64], x: f64) -> f64 {
    for (b, by) in buffer.iter_mut().zip(by) {
        *b = *b * x + by;
    }
    buffer[0] * buffer[1]
}

#[grad]
fn of_rows(w: &[f64], #[constant] d: &Data<'_>) -> f64 {
    let mut s = 0.0;
    for row in &d.rows {
        s += dot(w, row).sin();
    }
    for row in d.rows.iter() {
        s *= dot(w, row).cos();
    }
    for i in 0..d.rows.len() {
        let r = &d.rows[i];
        s += dot(w, r).sin() + dot(w, &r[1..]) * s;
    }
    let rows = &d.rows;
    for r in rows {
        s += dot(w, r).sin();
    }
    for i in 0..2 {
        let z = &rows[i];
        s += dot(w, z).sin() + dot(w, &z[1..]);
    }
    let own = d.rows.clone();
    for r in &own {
        s += dot(w, r).sin();
    }
    for c in d.rows[0].chunks(2) {
        s += dot(w, c).sin();
    }
    s
}

#[grad]
fn of_samples(w: &[f64], #[constant] d: &Data<'_>) -> f64 {
    let mut s = 0.0;
    for z in &d.samples {
        s += missed(w, z).sin() + dot(w, &z.x).sin();
    }
    for (row, z) in d.rows.iter().zip(&d.samples) {
        s += dot(w, row).sin() * missed(w, z);
    }
    for Sample { x, y } in &d.samples {
        s += dot(w, x).sin() * y;
    }
    let Data { rows, samples, .. } = d;
    for i in 0..rows.len() {
        s += dot(w, &rows[i]).sin() * missed(w, &samples[i]);
    }
    s + d.samples.iter().map(|z| missed(w, z).sin()).sum::<f64>()
}

#[grad]
fn of_one(w: &[f64], #[constant] d: &Data<'_>, flag: bool) -> f64 {
    let mut s = dot(w, d.row(0));
    let r = d.row(1);
    s += dot(w, r) * s;
    s += dot(w, d.rows.last().unwrap());
    let best = d.rows.iter().max_by(|a, b| a[0].total_cmp(&b[0])).unwrap();
    s *= dot(w, best);
    let chosen = if flag { &d.rows[0] } else { &d.rows[1] };
    s += dot(w, chosen).sin();
    let [a, b] = &d.pair;
    s += dot(w, a) * dot(w, b);
    if let Some(b) = &d.best {
        s += dot(w, b).sin();
    }
    match &d.best {
        Some(b) if b.len() > 1 => s -= dot(w, b),
        _ => s *= dot(w, &d.rows[0]),
    }
    let b = d.best.as_ref().unwrap();
    s += dot(w, b) * dot(w, d.best.as_deref().unwrap());
    s + dot(w, d.lent) * dot(w, &d.lent[1..])
}

#[grad]
fn by_value_or_not(x: f64, #[constant] d: &Data<'_>, n: usize) -> f64 {
    let mut s = x;
    for i in 0..n {
        s += mixed(d.rates[i], d.lent, x, d.name(), i);
        s = mixed(d.rate(i), d.row(i % 2), s, &d.name, n - i).sin();
        s += mixed(0.5, LIST, s, "abc", i) + mixed(LIST[i % 2], &TABLE, x, d.name(), i);
    }
    for rate in d.rates.iter() {
        s += mixed(*rate, &TABLE[1..], s, "d", 1).sin();
    }
    for &rate in &d.rates {
        s += mixed(rate, &tables::NODES[1], s, "d", 0).cos();
    }
    s + generic(d.copied(), x) + generic([d.rate(0), 0.5], s)
}

/// The type of such an argument is known only by what it is passed to.
#[grad]
fn inferred(x: f64, #[constant] text: &str) -> f64 {
    let k = text.parse().unwrap();
    let mut s = mixed(k, &[0.5], x, text, 0);
    s += mixed(text.parse().unwrap(), &[0.5], x, text, 0);
    s += mixed(2.5_f32.into(), &[0.4], s, "", Default::default());
    let list: Vec<f64> = (0..3).map(|i| 0.1 * i as f64).collect();
    s + mixed(list.iter().sum(), &list, s, "xy", 1)
}

#[grad]
fn in_a_field(x: f64, #[constant] settings: &(Settings, f64), #[constant] all: &[Settings]) -> f64 {
    let mut s = scaled(&settings.0, x) * settings.1;
    for one in all {
        s += scaled(&one, s);
    }
    s * scaled(&all[0], s)
}

#[grad]
fn beside_what_changes(x: f64, #[constant] d: &Data<'_>) -> f64 {
    let mut buffer = [x, 0.5 * x];
    let mut s = 0.0;
    for row in &d.rows {
        s += changed(&mut buffer, row, x).sin();
    }
    s += changed(&mut buffer, d.row(1), s);
    s * buffer[1]
}

#[derive(autodiff::Differentiable)]
struct Model {
    at: f64,
}

#[grad]
impl Model {
    fn along(#[constant] &self, row: &[f64], x: f64) -> f64 {
        x * row[0] + self.at * (x * row[1]).sin()
    }

    fn over(#[constant] &self, #[constant] d: &Data<'_>, x: f64) -> f64 {
        let mut s = x;
        for row in &d.rows {
            s += self.along(row, s);
        }
        s * self.along(d.row(0), x) * Self::twice(d.rate(0), x)
    }

    fn twice(k: f64, x: f64) -> f64 {
        k * x.cos()
    }
}

#[grad]
fn by_method(x: f64, #[constant] d: &Data<'_>, #[constant] model: &Model) -> f64 {
    model.over(d, x) + model.along(d.rows.first().unwrap(), x)
}

#[grad(recursive)]
fn down(x: f64, #[constant] d: &Data<'_>, depth: usize) -> f64 {
    if depth == 0 {
        return x.sin();
    }
    let row = d.row(depth % 2);
    along_row(down(x * d.rate(0), d, depth - 1), row)
}

#[grad]
fn along_row(x: f64, #[constant] row: &[f64]) -> f64 {
    x * row[0] + x.cos() * row[1]
}

/// A table of the program may be lent for ever.
#[grad]
fn for_ever(#[constant] t: &'static [f64], x: f64) -> f64 {
    t[0] * x * x
}

#[grad]
fn of_the_program(x: f64, n: usize) -> f64 {
    const INNER: [f64; 2] = [3.0, 4.0];
    let mut s = for_ever(&TABLE, x);
    for i in 0..n {
        s += along_row(s, &TABLE) + along_row(x, &tables::NODES[i % 2]) + along_row(s, &INNER);
        s = s.sin();
        if i > 1 {
            s *= for_ever(&TABLE[1..], x);
        }
    }
    s
}

mod second {
    use autodiff::grad;

    #[grad(order = 2)]
    pub(super) fn quadratic(t: &[f64], x: f64) -> f64 {
        t[0] * x * x + t[1] * x.sin()
    }

    #[grad(order = 2)]
    pub(super) fn constant_rate(k: f64, x: f64) -> f64 {
        k * (k * x).sin()
    }

    #[grad(order = 2)]
    pub(super) fn of_data(x: f64, #[constant] d: &super::Data<'_>) -> f64 {
        let mut s = x;
        for row in &d.rows {
            s = quadratic(row, s).sin();
        }
        for i in 0..2 {
            s += quadratic(d.row(i), s) * constant_rate(d.rate(i), x);
        }
        s
    }
}

/// What such calls and the least of a list are made of may run again.
#[grad]
fn in_parts(x: f64, #[constant] list: &[f64], n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(every = 2)]
    for i in 0..n {
        for k in list.iter().copied() {
            s = mixed(k, list, s, "a", i).sin();
        }
        let both = [s, x * s];
        s += both.iter().copied().min_by(|a, b| a.total_cmp(b)).unwrap();
    }
    s
}

const WEIGHTS: [f64; 3] = [0.3, 0.7, 1.1];
static NODES: [[f64; 2]; 2] = [[0.1, 0.9], [0.4, 0.6]];

#[grad]
fn along(x: f64, t: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in t {
        s += (v * x).sin();
    }
    s
}

#[grad]
fn applied<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * f(x * x)
}

/// Constants are lent in the parts of a loop, in closures and around them.
#[grad(checkpoint)]
fn lent_in_parts(x: f64, n: usize) -> f64 {
    let w = x * x;
    let mut s = along(w, &WEIGHTS);
    for i in 0..n {
        s += along(s, &WEIGHTS) * 0.3 + along(x, &NODES[i % 2]);
        s = s.sin();
        if i > 1 {
            s *= along(x, &WEIGHTS[1..]);
        }
    }
    s
}

#[grad]
fn lent_in_closures(x: f64, y: f64) -> f64 {
    let a = [x, y, x * y];
    let s = along(a[1], &NODES[0]);
    let t = applied(|z| along(z * y, &WEIGHTS) + a[2] * along(z, &NODES[1]), x);
    s * t + along(y, &WEIGHTS)
}

fn data() -> &'static Data<'static> {
    let data = Data {
        rows: vec![vec![0.9, 0.7], vec![0.5, 0.25]],
        samples: vec![
            Sample {
                x: vec![0.1, 0.9],
                y: 0.4,
            },
            Sample {
                x: vec![0.7, 0.2],
                y: -0.4,
            },
        ],
        best: Some(vec![0.3, 0.8]),
        pair: [[0.1, 0.2], [0.3, 0.4]],
        rates: vec![0.6, 1.3, -0.4],
        lent: &[0.7, -0.2, 0.5],
        name: "data".into(),
    };
    Box::leak(Box::new(data))
}

#[test]
fn data_is_handed_on() {
    let d = data();
    check!(of_rows(shared w = [0.3, -0.4], constant d = d));
    check!(of_samples(shared w = [0.3, -0.4], constant d = d));
    for flag in [false, true] {
        check!(of_one(shared w = [0.3, -0.4], constant d = d, constant flag = flag));
    }
    for n in 0..4 {
        check!(by_value_or_not(value x = 0.7, constant d = d, constant n = n.min(3)));
        check!(of_the_program(value x = 0.3, constant n = n));
        check!(down(value x = 0.7, constant d = d, constant depth = n));
    }
    check!(inferred(value x = 0.7, constant text = "1.5"));
    check!(lent_in_closures(value x = 0.7, value y = 0.4));
    for n in 0..6 {
        check!(lent_in_parts(value x = 0.7, constant n = n));
        check!(in_parts(value x = 0.7, constant list = &[0.6, 1.3], constant n = n));
    }
    check!(beside_what_changes(value x = 0.7, constant d = d));
}

#[test]
fn types_that_cannot_be_cloned() {
    let one = || Settings {
        scale: 0.8,
        power: 2,
    };
    let all: &'static [Settings] = vec![one(), one()].leak();
    let fields = |x: f64| in_a_field::grad(x, &(one(), 0.4), all);
    let value = |x: f64| in_a_field(x, &(one(), 0.4), all);
    let slope = (value(0.7 + 1e-6) - value(0.7 - 1e-6)) / 2e-6;
    assert!(
        (fields(0.7) - slope).abs() < 1e-8,
        "{} {slope}",
        fields(0.7)
    );
}

#[test]
fn methods_are_given_it() {
    let model: &'static Model = Box::leak(Box::new(Model { at: 0.4 }));
    check!(by_method(value x = 0.7, constant d = data(), constant model = model));
}

#[test]
fn twice_differentiated() {
    let d = data();
    let slope = |x: f64| second::of_data::grad(x, d);
    let (x, h) = (0.7, 1e-5);
    let curvature = (slope(x + h) - slope(x - h)) / (2.0 * h);
    let hessian = second::of_data::hessian(x, d)[[0, 0]];
    assert!((hessian - curvature).abs() < 1e-7, "{hessian} {curvature}");
    let (_, product) = second::of_data::hvp(x, d, 1.0);
    assert!((product - hessian).abs() < 1e-12);
    let value = |x: f64| second::of_data(x, d);
    let difference = (value(x + h) - value(x - h)) / (2.0 * h);
    assert!((slope(x) - difference).abs() < 1e-7);
}

/// A constant inside an option is compared with what depends on the parameter.
#[grad]
fn compared(x: f64, #[constant] n: usize) -> Option<f64> {
    let mut s: f64 = 0.0;
    if n == 0 {
        return Some(x.atan());
    }
    let c = compared(s.signum() * 0.83, n - 1)?;
    s = x.exp() - c * x;
    let least = if let Some(z) = Some(0.3 * n as f64) {
        z
    } else {
        0.7
    };
    s *= if c < s { x } else { s * 0.338 };
    Some(if least > s { s + c } else { s * c })
}

#[test]
fn constants_are_compared_with_what_is_none() {
    for n in 0..3 {
        let value = |x: f64| compared(x, n).unwrap();
        let slope = (value(0.7 + 1e-6) - value(0.7 - 1e-6)) / 2e-6;
        let (_, tangent) = compared::jvp(0.7, n, 1.0);
        let (_, cotangent) = compared::vjp(0.7, n, Some(1.0));
        assert!(
            (tangent.unwrap() - slope).abs() < 1e-7,
            "{n}: {tangent:?} {slope}"
        );
        assert!((cotangent - slope).abs() < 1e-7, "{n}: {cotangent} {slope}");
    }
}

fn words() -> Vec<String> {
    ["sin", "cos", "other"].map(String::from).to_vec()
}

#[grad]
fn words_by_value(x: f64, words: Vec<String>) -> f64 {
    let mut s = 0.0;
    for word in words {
        let n = word.len();
        match word.as_str() {
            "sin" => s += x.sin() * n as f64,
            _ if word.starts_with('c') => s *= x.cos(),
            _ => s += x,
        }
    }
    s
}

#[grad]
fn words_with_numbers(x: f64, #[constant] list: Vec<(String, f64)>, more: [String; 2]) -> f64 {
    let mut s = 0.0;
    for (word, w) in list {
        s += if word == "sin" { x.sin() } else { x } * w;
    }
    for (i, word) in more.into_iter().enumerate() {
        if i > 0 && word.len() > 2 {
            s *= x * i as f64;
        }
    }
    s
}

#[grad]
fn words_of_the_body(x: f64) -> f64 {
    let words = vec![String::from("sin"), "cos".to_string()];
    let mut s = 0.0;
    for word in words {
        s += if word == "sin" { x.sin() } else { x.cos() } * x;
    }
    s
}

#[grad]
fn words_in_a_chain(x: f64, words: Vec<String>) -> f64 {
    words
        .into_iter()
        .map(|word| if word == "sin" { x.sin() } else { x * x })
        .sum()
}

fn numbered() -> Vec<(String, f64)> {
    words().into_iter().zip([0.5, 1.5, 2.0]).collect()
}

#[grad]
fn given_words(x: f64) -> f64 {
    let more = ["one".to_owned(), "three".to_owned()];
    words_by_value(x, words())
        * words_with_numbers(x, numbered(), more)
        * words_in_a_chain(x, words())
}

#[test]
fn what_may_not_be_copied_steers() {
    check!(given_words(value x = 0.7));
    check!(words_of_the_body(value x = 0.7));
}

/// A source of numbers that has no copy.
struct Draws(f64);

impl Draws {
    fn draw(&mut self) -> f64 {
        self.0 *= 0.5;
        self.0
    }
}

trait Source {
    fn next(&mut self) -> f64;
}

impl Source for Draws {
    fn next(&mut self) -> f64 {
        self.draw()
    }
}

#[grad]
fn drawn(#[constant] draws: &mut Draws, x: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for _ in 0..n {
        let a = draws.draw();
        sum += a * x * x;
    }
    sum
}

#[grad]
fn drawn_from<R: Source + ?Sized>(#[constant] source: &mut R, x: f64) -> f64 {
    let (a, b) = (source.next(), source.next());
    a * (b * x).sin()
}

#[grad]
fn read_once(#[constant] draws: Draws, x: f64) -> f64 {
    draws.0 * x
}

#[test]
fn constants_that_change_need_no_copy() {
    let mut draws = Draws(1.0);
    let (value, by_x) = drawn::value_and_grad(&mut draws, 3.0, 2);
    assert_eq!((value, by_x, draws.0), (6.75, 4.5, 0.25));
    let (value, dot) = drawn::jvp(&mut draws, 2.0, 1, 1.0);
    assert_eq!((value, dot, draws.0), (0.5, 0.5, 0.125));
    let mut draws = Draws(1.0);
    let (value, by_x) = drawn_from::value_and_grad::<dyn Source>(&mut draws, 0.7);
    assert_eq!(value, 0.5 * (0.25_f64 * 0.7).sin());
    assert_eq!(by_x, 0.5 * (0.25 * (0.25_f64 * 0.7).cos()));
    assert_eq!(read_once::grad(Draws(2.5), 1.0), 2.5);
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl std::ops::Mul<Point> for f64 {
    type Output = Point;
    fn mul(self, p: Point) -> Point {
        Point {
            x: self * p.x,
            y: self * p.y,
        }
    }
}

#[grad(order = 2)]
impl std::ops::Sub<Point> for &f64 {
    type Output = Point;
    fn sub(self, p: Point) -> Point {
        Point {
            x: self - p.x,
            y: self * p.y,
        }
    }
}

/// Its fields stand on both sides of what data are, and of references to data.
#[derive(Clone, Differentiable)]
struct Fit {
    rate: f64,
    at: Point,
    weights: Vec<f64>,
}

#[grad(order = 2)]
fn misfit(m: &Fit, #[constant] d: &Data<'_>) -> f64 {
    let mut s = 0.0;
    for x in &d.rates {
        let e = x - m.rate;
        s += e * e * x + m.at.x * x;
    }
    for (x, w) in d.rates.iter().zip(d.lent) {
        let p = x - *x * m.at;
        s += w * (p.x - m.weights[0]) / p.y;
    }
    let mut left = d.rates.iter();
    while let Some(x) = left.next() {
        s *= x - m.weights[1];
        s -= x;
    }
    s + d
        .samples
        .iter()
        .map(|one| one.x.iter().map(|x| (x - m.rate) * one.y).sum::<f64>())
        .sum::<f64>()
}

#[grad(order = 2)]
fn beside_fields(a: f64, b: f64, #[constant] d: &Data<'_>) -> f64 {
    let at = Point { x: b, y: a * b };
    let weights = vec![b * b, a];
    misfit(
        &Fit {
            rate: a,
            at,
            weights,
        },
        d,
    )
}

#[grad]
fn ends_of_data(m: &Fit, #[constant] d: &Data<'_>) -> f64 {
    let ends = match d.rates.as_slice() {
        [first, .., last] => (first - m.rate) * (last * m.at.x),
        _ => m.rate,
    };
    if let [a, _, b] = d.lent {
        ends * (a - m.at.y) * b
    } else {
        ends
    }
}

#[grad]
fn beside_ends(a: f64, b: f64, #[constant] d: &Data<'_>) -> f64 {
    let at = Point { x: b, y: a * b };
    ends_of_data(
        &Fit {
            rate: a,
            at,
            weights: vec![],
        },
        d,
    )
}

#[test]
fn what_data_hold_stands_beside_fields() {
    let d = data();
    check!(beside_fields(value a = 0.7, value b = 0.6, constant d = d));
    check_second!(beside_fields(value a = 0.7, value b = 0.6, constant d = d));
    check!(beside_ends(value a = 0.7, value b = 0.6, constant d = d));
}

/// Methods of constants, whose types need no derive.
#[grad(order = 2)]
impl Settings {
    fn scaled(#[constant] &self, x: f64) -> f64 {
        self.scale * x * x * x
    }
    fn summed(#[constant] &self, xs: &[f64]) -> f64 {
        let power = self.power();
        xs.iter().map(|x| self.scaled(*x) + x.powi(power)).sum()
    }
    fn again(#[constant] &self, x: f64, n: usize) -> f64 {
        if n == 0 {
            x * x
        } else {
            self.again(x * self.scale, n - 1) * x
        }
    }
    fn step(#[constant] &self, u: &mut [f64], dt: f64) {
        for v in u.iter_mut() {
            *v += dt * self.scaled(*v);
        }
    }
    fn power(&self) -> i32 {
        self.power as i32
    }
}

#[grad(order = 2)]
fn by_settings(xs: &[f64], y: f64, #[constant] settings: &Settings) -> f64 {
    let mut u = xs.to_vec();
    settings.step(&mut u, 0.1);
    let s = Settings::scaled(settings, y) + settings.again(y, 2);
    s * settings.summed(&u[1..]) + settings.summed(xs) * f64::from(settings.power()) + u[0]
}

/// The same type is a constant for one function and has derivatives for another.
#[derive(Clone, Debug, Differentiable)]
struct Coil {
    k: f64,
    ks: Vec<f64>,
}

#[grad(order = 2)]
impl Coil {
    fn energy(#[constant] &self, x: f64) -> f64 {
        self.k * x * x
    }
    fn along(#[constant] &self, xs: &[f64]) -> f64 {
        self.k * xs[0] * xs[1]
    }
    fn total(&self, x: f64) -> f64 {
        self.energy(x) * self.k * self.ks[0]
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Coils {
    #[constant]
    first: Coil,
    second: Coil,
}

/// Nothing comes back from what is a constant to the function that is called: differences would not agree.
#[grad(order = 2)]
fn by_coils(coils: &Coils, x: f64) -> f64 {
    let xs = [x, x * x];
    coils.first.energy(x) * coils.second.energy(x)
        + Coil::energy(&coils.second, x)
        + coils.second.along(&xs) * coils.first.along(&xs)
        + coils.second.total(x)
}

#[test]
fn methods_of_constants() {
    let settings = &*Box::leak(Box::new(Settings {
        scale: 0.7,
        power: 3,
    }));
    check!(by_settings(shared xs = [0.3, -0.4], value y = 0.8, constant settings = settings));
    check_second!(by_settings(shared xs = [0.3, -0.4], value y = 0.8, constant settings = settings));
    let coil = |k: f64| Coil {
        k,
        ks: vec![1.0, 2.0],
    };
    let coils = Coils {
        first: coil(0.5),
        second: coil(0.25),
    };
    let x = 0.8;
    let (gradient, by_x) = by_coils::grad(&coils, x);
    assert!((gradient.second.k - 0.25 * x * x).abs() < 1e-15);
    assert!((gradient.second.ks[0] - 0.0625 * x * x).abs() < 1e-15);
    let (dot, one) = (
        CoilsTangent {
            first: (),
            second: CoilTangent {
                k: 0.0,
                ks: vec![0.0; 2],
            },
        },
        1.0,
    );
    let (_, slope) = by_coils::jvp(&coils, x, (&dot, one));
    assert!((slope - by_x).abs() < 1e-15);
    let hessian = by_coils::hessian(&coils, x);
    let (_, curved) = by_coils::hvp(&coils, x, (&dot, one));
    assert!((hessian[[3, 3]] - curved.1).abs() < 1e-14);
}

/// What is written down in passing.
trait Log {
    fn log(&self, x: f64);
}

#[derive(Default)]
struct Last {
    value: std::cell::Cell<f64>,
    count: std::cell::Cell<usize>,
}

impl Log for Last {
    fn log(&self, x: f64) {
        self.value.set(x);
        self.count.set(self.count.get() + 1);
    }
}

/// It is no part of the result, and is told once.
#[grad]
fn told(x: f64, n: usize, #[constant] last: &Last, #[constant] log: &dyn Log) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = y.sin() * x;
        last.value.set(autodiff::stop_gradient(y));
        log.log(autodiff::stop_gradient(y * 2.0));
    }
    y * y
}

#[test]
fn effects_of_constants() {
    let (x, n) = (0.7, 3);
    let (last, log) = (Last::default(), Last::default());
    let gradient = told::grad(x, n, &last, &log);
    assert_eq!(
        (log.count.get(), last.value.get() * 2.0),
        (n, log.value.get())
    );
    assert!((told(x, n, &last, &log) - last.value.get().powi(2)).abs() < 1e-15);
    let (_, slope) = told::jvp(x, n, &last, &log, 1.0);
    assert!((gradient - slope).abs() < 1e-14);
    let differences = (told(x + 1e-5, n, &last, &log) - told(x - 1e-5, n, &last, &log)) / 2e-5;
    assert!((gradient - differences).abs() < 1e-8);
}

mod named_like_standard_types {
    use autodiff::grad;

    /// It has no derivative, whatever its name.
    #[derive(Clone, Copy)]
    pub(super) struct Instant(pub(super) u32);

    #[grad]
    pub(super) fn at(x: f64, when: Instant, order: std::sync::atomic::Ordering) -> f64 {
        let then: std::time::Duration = std::time::Duration::from_millis(500);
        let same = order == std::sync::atomic::Ordering::Relaxed;
        let k = if same { f64::from(when.0) } else { 1.0 };
        x * x * k * then.as_secs_f64()
    }
}

#[test]
fn types_that_are_named_like_those_of_the_standard_library() {
    use named_like_standard_types::{Instant, at};
    let order = std::sync::atomic::Ordering::Relaxed;
    assert_eq!(at::grad(3.0, Instant(4), order), 12.0);
}
