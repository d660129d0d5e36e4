//! Structs and enums: values of them that are made, changed, matched and called.

use super::{Generator, Stmt};

/// The types and what they can do.
///
/// `S` stands for the float, `N` for what the fields hold, `Held` for what derivatives ask of a type parameter, `Numbers` for one more; what stands in `«»` is there where these are generic.
const TYPES: &str = "\
#[derive(Clone, Copy, autodiff::Differentiable)]
pub struct Point«T» { pub x: N, pub y: N }

#[derive(Clone, autodiff::Differentiable)]
pub struct Body«T» { pub at: Point«T», pub v: Vec<N>, pub w: [N; 3], #[constant] pub fixed: Vec<N>, #[constant] pub corner: Point«T», pub n: usize, pub rate: N }

#[derive(Clone, autodiff::Differentiable)]
pub enum Shape«T» { Round { at: Point«T», r: N }, Pair(N, N), Many { n: usize, xs: Vec<N> }, Nothing }

#[of_any]
impl«T» Point«T» {
    pub fn new(x: N, y: N) -> Self { Self { x, y } }
}

#[autodiff::grad]
impl Point«S» {
    pub fn dot(&self, other: &Point«S») -> S { self.x * other.x + self.y * other.y }
    pub fn turned(self, by: S) -> Point«S» { Point { x: self.y.sin() * by, ..self } }
}

#[autodiff::grad]
impl std::ops::Add for Point«S» {
    type Output = Point«S»;
    fn add(self, other: Point«S») -> Point«S» { Point { x: self.x + other.x, y: self.y + other.y } }
}

#[autodiff::grad]
impl std::ops::Mul<S> for Point«S» {
    type Output = Point«S»;
    fn mul(self, k: S) -> Point«S» { Point { x: self.x * k, y: self.y * k } }
}

#[autodiff::grad]
impl std::ops::Neg for Point«S» {
    type Output = Point«S»;
    fn neg(self) -> Point«S» { Point { x: -self.x, y: -self.y } }
}

#[autodiff::grad]
impl std::ops::AddAssign for Point«S» {
    fn add_assign(&mut self, other: Point«S») { self.x = (self.x + other.x).sin(); self.y += other.y * other.x; }
}

#[autodiff::grad]
impl Body«S» {
    pub fn energy(&self, k: S) -> S {
        let mut e = self.rate * k;
        for i in 0..self.n { e += self.v[i] * self.fixed[i + 1] + self.w[i] * e.sin(); }
        e.sin() + self.at.dot(&self.corner)
    }
    pub fn step(&mut self, k: S) {
        for w in self.w.iter_mut() { *w = w.sin() * k.cos(); }
        self.at.x = (self.at.x + self.v[0]).sin();
        self.v[1] *= self.at.x;
    }
}

pub trait Lengths«T» { fn length(&self, k: N) -> N; fn grow(&mut self, k: N); }

#[autodiff::grad]
impl Lengths«S» for Point«S» {
    fn length(&self, k: S) -> S { (self.dot(self) + k * k + 0.5).sqrt() }
    fn grow(&mut self, k: S) { let Point { x, y } = self; *x = x.sin() * k; *y = (*x + *y).cos(); }
}

#[of_any]
pub trait Curve«T» {
    fn bent(&self, k: N) -> N;
    fn bent_twice(&self, k: N) -> N { self.bent(self.bent(k)) }
}

#[autodiff::grad]
impl Curve«S» for Point«S» {
    fn bent(&self, k: S) -> S { (self.x * k).sin() + self.y }
}

#[autodiff::grad]
impl Curve«S» for Body«S» {
    fn bent(&self, k: S) -> S { (self.rate * k).cos() * self.v[0] }
    fn bent_twice(&self, k: S) -> S { self.at.bent(k) * self.bent(k + self.w[1]) }
}

#[of_any]
pub fn swept<Numbers C: Curve«T» + Held>(curve: &C, k: N) -> N {
    let mut y = curve.bent(k);
    for _ in 0..2 { y = curve.bent_twice(y); }
    y
}

#[autodiff::grad]
pub fn shift(b: &mut Body«S», k: S) -> S { b.at.grow(k); b.rate = (b.rate * k).sin(); b.w[0] * b.rate }

#[autodiff::grad]
pub fn merged(mut a: Body«S», b: &Body«S», k: S) -> Body«S» { a.at = Point::new(b.at.y, a.at.x * k); a.v[0] = b.v[1].cos(); Body { rate: (a.rate * b.rate).sin(), ..a } }

#[autodiff::grad]
pub fn area(s: &Shape«S», k: S) -> S {
    match s {
        Shape::Round { at: Point { x, y }, r } => x * y * r.sin() * k,
        Shape::Pair(a, b) if a > b => a.sin() - b * k,
        Shape::Pair(a, b) => (a * b).cos(),
        Shape::Many { n, xs } => { let mut sum = 0.0; for i in 0..*n { sum += xs[i].sin() * k; } sum }
        Shape::Nothing => k.sin(),
    }
}

#[derive(Clone, autodiff::Differentiable)]
pub enum Tree«T» { Leaf(N), Both(Box<Tree«T»>, Box<Tree«T»>), Bent { of: Box<Tree«T»>, by: N } }

#[autodiff::grad]
pub fn weight(t: &Tree«S», k: S) -> S {
    match t {
        Tree::Leaf(x) => (x * k).sin(),
        Tree::Both(a, b) => match (&**a, b.as_ref()) {
            (Tree::Leaf(x), Tree::Leaf(y)) => x * y.cos(),
            (Tree::Leaf(x), right) => x.sin() * weight(right, k),
            (left, right) => weight(left, k).sin() + weight(right, k),
        },
        Tree::Bent { of, by } => {
            if let Tree::Leaf(x) = &**of { return x * by; }
            (weight(of, *by) * k).cos()
        }
    }
}

#[autodiff::grad]
pub fn bend(t: &mut Tree«S», k: S) {
    match t {
        Tree::Leaf(x) => *x = x.sin() * k,
        Tree::Both(a, b) => {
            bend(a, k);
            if let Tree::Leaf(y) = &mut **b { *y += k.cos(); } else { bend(b, k.sin()); }
        }
        Tree::Bent { of, by } => {
            *by = (*by * k).sin();
            match of.as_mut() { Tree::Leaf(x) => *x *= *by, other => bend(other, *by) }
        }
    }
}
";

/// The text of the types over the given float; functions carry `#[autodiff::grad]`.
#[must_use]
pub fn types_text(scalar: &str) -> String {
    let mut text = String::new();
    for (k, part) in TYPES.split(['«', '»']).enumerate() {
        if k % 2 == 0 {
            text.push_str(part);
        }
    }
    let text = text.replace("#[of_any]", "#[autodiff::grad]");
    let held = [("Numbers", ""), ("Held", "autodiff::Differentiable")];
    renamed(
        &text,
        &[&[("S", scalar), ("N", scalar)][..], &held].concat(),
    )
}

/// The same for a tape, whose variables take the place of floats: the types are generic, and functions are dynamic.
#[must_use]
pub fn types_on_tape(scalar: &str) -> String {
    let text = TYPES.replace('«', "<").replace('»', ">");
    let text = text.replace("#[of_any]\n", "");
    let text = text.replace("#[autodiff::grad]", "#[autodiff::grad(dynamic)]");
    let held = [("Numbers", "T: Copy,"), ("Held", "Sized")];
    renamed(&text, &[&[("S", scalar), ("N", "T")][..], &held].concat())
}

/// The text with other words for some.
pub(crate) fn renamed(text: &str, words: &[(&str, &str)]) -> String {
    let pieces = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let new = pieces.map(|piece| {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        match words.iter().find(|(old, _)| *old == word) {
            Some((_, new)) => format!("{new}{}", &piece[word.len()..]),
            None => piece.to_owned(),
        }
    });
    new.collect()
}

impl Generator {
    fn define_types(&mut self) {
        if self.items.iter().all(|item| !item.contains("struct Body")) {
            self.items.push(types_text(self.scalar));
        }
    }

    fn point_value(&mut self) -> String {
        let (x, y) = (self.fixed(2, 1.5), self.fixed(1, 1.5));
        format!("Point {{ x: {x}, y: {y} }}")
    }

    /// A struct with constant fields: fields at any depth, methods, update syntax.
    pub(crate) fn struct_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("match") || !self.on.on("vec") || !self.use_of("struct") {
            return None;
        }
        self.define_types();
        let (b, name) = (self.fresh("b"), self.fresh("v"));
        let (at, rate) = (self.point_value(), self.fixed(1, 1.5));
        let v: Vec<String> = (0..2).map(|_| self.fixed(1, 1.5)).collect();
        let w: Vec<String> = (0..3).map(|_| self.fixed(1, 1.5)).collect();
        let (v, w) = (v.join(", "), w.join(", "));
        let mut lines = vec![format!(
            "let mut {b} = Body {{ at: {at}, v: vec![{v}], w: [{w}], fixed: vec![0.5, -1.25, 0.75], corner: Point {{ x: 0.6, y: -0.8 }}, n: 2, rate: {rate} }};"
        )];
        let looped = self.on.on("for") && self.random.chance(0.5);
        let k = if looped {
            let k = self.fresh("k");
            lines.push(format!("for {k} in 0..{} {{", self.random.below(4)));
            k
        } else {
            self.random.below(3).to_string()
        };
        let scalar = self.scalar;
        for _ in 0..self.random.between(2, 5) {
            let e = self.fixed(2, 1.2);
            let (i, j) = (self.random.below(2), self.random.below(3));
            let limit = self.literal(-0.5, 0.8);
            lines.push(match self.random.below(32) {
                0 => format!("{b}.at.x = ({b}.at.y * ({e})).sin();"),
                1 => format!("{b}.v[{i}] = ({b}.v[{k} % 2] + ({e}) * {b}.fixed[{k} % 3]).sin();"),
                2 => format!("{b}.w[{k} % 3] = {b}.w[{j}].sin() * {b}.corner.x + {e};"),
                3 => format!("{b}.step({e});"),
                4 => format!("{b}.at = {b}.at.turned({e});"),
                5 => format!("{b} = Body {{ rate: {e}, ..{b}.clone() }};"),
                6 => format!("for w in &{b}.fixed {{ {b}.rate = ({b}.rate + w * ({e})).sin(); }}"),
                7 => format!("if {b}.energy({e}) > {limit} {{ {b}.w[{j}] *= {e}; }}"),
                8 => format!("match &mut {b}.at {{ Point {{ x, y }} if *x > {limit} => *y *= x.cos(), Point {{ x, .. }} => *x = x.sin() * ({e}) }}"),
                9 => format!("let Point {{ x, y: side }} = {b}.at; {b}.rate = (x * side + {b}.rate).sin();"),
                10 if self.on.on("mem_swap") => format!("std::mem::swap(&mut {b}.v[0], &mut {b}.w[{j}]);"),
                11 => format!("{b}.rate = shift(&mut {b}, {e}).cos();"),
                12 => format!("{b} = merged({b}.clone(), &{b}, {e});"),
                13 => format!("let mut all = vec![{b}.at, Point::new({e}, {b}.rate)]; for p in all.iter_mut() {{ p.x = p.length({e}).sin(); }} all.push({b}.at); all[{j}].grow({b}.corner.x); {b}.at = all[{i}]; {b}.v[{i}] = all[2].x * all[1].y;"),
                14 => format!("let found = if {b}.rate > {limit} {{ Some({b}.at) }} else {{ None }}; if let Some(Point {{ x, .. }}) = found {{ {b}.rate = (x * ({e})).sin(); }} else {{ {b}.at.x = {e}; }}"),
                15 => format!("let part = &mut {b}.at; part.grow({e}); let kept = part.turned({limit}); {b}.w[{j}] = kept.length({e}).cos();"),
                16 => format!("let pair = ({b}.at, {b}.v[{i}]); let (Point {{ y, .. }}, z) = pair; {b}.v[{i}] = (y * z).sin();"),
                17 => format!("{b}.at = {b}.at.turned({e}) * {limit} + -{b}.at;"),
                18 => format!("let c = {b}.corner; {b}.at += c * ({e}); {b}.at = ({b}.at + c) * {b}.v[{i}];"),
                19 => format!("let mut sums = vec![Point::new(0.25, {e}); 2]; for k in 0..3 {{ sums[k % 2] += {b}.at * {b}.w[{j}]; }} {b}.at = sums[0] + sums[{i}];"),
                20 => format!("let all = [{b}.at, Point::new({e}, {limit}), {b}.corner]; if let Some(Point {{ x, y }}) = all.get({j}) {{ {b}.rate = (x * y + {b}.rate).sin(); }}"),
                21 => format!("let all = vec![{b}.at * ({e}), {b}.at]; {b}.w[{j}] = all.first().map_or({limit}, |p| (p.x * p.y).cos()) * all.last().unwrap().y;"),
                22 => format!("let all = vec![Point::new({e}, {b}.rate), {b}.at, {b}.at + {b}.corner]; if let [Point {{ x, .. }}, .., last] = &all[..] {{ {b}.v[{i}] = (x * last.y).sin(); }}"),
                23 => format!("let all = [{b}.at, {b}.at * ({e})]; let sum = all.iter().fold({b}.corner, |sum, p| sum + *p * {limit}); {b}.at.x = sum.length({e}).sin();"),
                24 => format!("let found = if {b}.rate > {limit} {{ Some({b}.at) }} else {{ None }}; {b}.at = found.map(|p| p.turned({e})).unwrap_or({b}.at * {limit});"),
                25 => format!("let found: Option<{scalar}> = if {b}.at.x > {limit} {{ Some({e}) }} else {{ None }}; for z in found {{ {b}.rate = (z * {b}.rate).sin(); }}"),
                26 => format!("let pair: ({scalar}, {scalar}) = if {b}.rate > {limit} {{ ({e}, 0.5) }} else {{ (-0.25, {b}.at.y) }}; {b}.at.y = (pair.0 * pair.1.cos()).sin();"),
                27 => format!("let bent = |x, z: {scalar}| Point::new(x, z).length({b}.rate) * z.sin(); let z = bent({b}.at.x, {e}); {b}.w[{j}] = (z * {limit}).cos();"),
                28 => format!("let (mut left, right) = ({b}.at, {b}.at * ({e})); for _ in 0..2 {{ left += right; if left.x > {limit} {{ left = left.turned({b}.rate); }} }} {b}.at = left;"),
                29 => format!("{b}.rate = swept(&{b}.at, {e}).sin();"),
                30 => format!("{b}.at.y = (swept(&{b}, {e}) * {limit}).sin();"),
                _ => format!("let other = {b}.clone(); {b}.at.y = (other.energy({e}) * {b}.at.dot(&other.at)).cos();"),
            });
        }
        if looped {
            lines.push("}".into());
        }
        let e = self.fixed(1, 1.5);
        lines.push(format!(
            "let {name} = ({b}.energy({e}) + {b}.v[0] * {b}.fixed[1] + {b}.at.y * {b}.w[2] + {b}.v[1] * {b}.corner.y).sin();"
        ));
        Some(self.lines(&lines, &name, &[]))
    }

    /// One of the first variants, as many as are told: the last one has no number in it.
    fn shape_value(&mut self, variants: usize) -> String {
        match self.random.below(variants) {
            0 => {
                let (at, r) = (self.point_value(), self.fixed(1, 1.5));
                format!("Shape::Round {{ at: {at}, r: {r} }}")
            }
            1 => format!(
                "Shape::Pair({}, {})",
                self.fixed(2, 1.5),
                self.fixed(1, 1.5)
            ),
            2 => {
                let (a, b) = (self.fixed(1, 1.5), self.fixed(1, 1.5));
                format!(
                    "Shape::Many {{ n: {}, xs: vec![{a}, {b}] }}",
                    self.random.below(3)
                )
            }
            _ => "Shape::Nothing".to_owned(),
        }
    }

    /// Enums in a vector or a variable, which arms take apart, change, and replace by other variants.
    pub(crate) fn enum_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("match") || !self.on.on("vec") || !self.use_of("enum") {
            return None;
        }
        self.define_types();
        let (s, name) = (self.fresh("s"), self.fresh("v"));
        // From a number rustc infers the type where that is generic.
        let shapes = [3, 4, 3].map(|variants| self.shape_value(variants));
        let e: Vec<String> = (0..6).map(|_| self.fixed(2, 1.2)).collect();
        let (condition, limit) = (self.condition(), self.literal(-0.5, 0.8));
        let [first, second, third] = [&shapes[0], &shapes[1], &shapes[2]];
        let changed = [
            format!(
                "        Shape::Round {{ at, r }} => {{ *r = (*r * ({})).sin(); at.x = at.x.cos() * *r; }}",
                e[0]
            ),
            format!(
                "        Shape::Pair(a, b) if *a > {limit} => {{ *b = (*a * *b).sin() + {}; *a *= b.cos(); }}",
                e[1]
            ),
            format!("        Shape::Pair(a, _) => {{ *a += {}; }}", e[2]),
            format!(
                "        Shape::Many {{ xs, .. }} => for x in xs.iter_mut() {{ *x = x.sin() * ({}); }},",
                e[3]
            ),
            format!("        Shape::Nothing => *s = {third},"),
        ];
        let rounds = self.random.between(1, 3);
        let mut lines = if self.random.chance(0.5) {
            let mut lines = vec![
                format!(
                    "let mut {s} = vec![if {condition} {{ {first} }} else {{ {second} }}, {third}];"
                ),
                format!("for k in 0..{rounds} {{"),
                format!("    for s in {s}.iter_mut() {{ match s {{"),
            ];
            lines.extend(changed);
            lines.push("    } }".into());
            lines.push(format!(
                "    if k == 1 {{ {s}.push({second}); let last = {s}[0].clone(); {s}[1] = last; }}"
            ));
            lines.push("}".into());
            lines.push(format!("let mut {name}t = 0.0;"));
            lines.push(format!("for s in &{s} {{ {name}t += match s {{"));
            lines
        } else {
            let mut lines = vec![
                format!("let mut {s} = if {condition} {{ {first} }} else {{ {second} }};"),
                format!("for _ in 0..{rounds} {{"),
                format!("    let s = &mut {s};"),
                "    match s {".into(),
            ];
            lines.extend(changed);
            lines.push("    }".into());
            lines.push(format!("    {s} = match {s} {{"));
            lines.push(format!(
                "        Shape::Round {{ r, .. }} if r > {limit} => Shape::Pair(r, {}),",
                e[4]
            ));
            lines.push(
                "        Shape::Pair(a, b) => Shape::Many { n: 2, xs: vec![a * b, b] },".into(),
            );
            lines.push("        Shape::Many { xs, n: 2 } => Shape::Round { at: Point { x: xs[0], y: xs[1] }, r: xs[0] },".into());
            lines.push("        whole => whole,".into());
            lines.push("    };".into());
            lines.push("}".into());
            lines.push(format!("let mut {name}t = 0.0;"));
            lines.push(format!("{{ let s = &{s}; {name}t += match s {{"));
            lines
        };
        lines.extend([
            format!(
                "    Shape::Round {{ at: Point {{ x, .. }}, r }} => x * r * ({}),",
                e[5]
            ),
            "    whole @ Shape::Pair(a, _) => a.sin() * area(whole, *a),".into(),
            format!("    Shape::Many {{ xs, .. }} => xs[0] * xs[1] + {name}t,"),
            format!("    other => area(other, {}),", e[4]),
            "} }".into(),
            format!("let {name} = {name}t.sin();"),
        ]);
        Some(self.lines(&lines, &name, &[]))
    }

    /// A tree of so many levels at most.
    fn tree(&mut self, levels: usize) -> String {
        match self.random.below(if levels == 0 { 1 } else { 3 }) {
            0 => format!("Tree::Leaf({})", self.fixed(1, 1.5)),
            1 => {
                let (left, right) = (self.tree(levels - 1), self.tree(levels - 1));
                format!("Tree::Both(Box::new({left}), Box::new({right}))")
            }
            _ => {
                let (of, by) = (self.tree(levels - 1), self.fixed(1, 1.5));
                format!("Tree::Bent {{ of: Box::new({of}), by: {by} }}")
            }
        }
    }

    /// A tree in boxes that grows, is changed, and is matched through them.
    pub(crate) fn tree_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("match") || !self.on.on("recursion") || !self.use_of("enum") {
            return None;
        }
        self.define_types();
        let (t, name) = (self.fresh("t"), self.fresh("v"));
        let mut lines = vec![format!("let mut {t} = {};", self.tree(2))];
        let looped = self.on.on("for") && self.random.chance(0.4);
        if looped {
            lines.push(format!("for _ in 0..{} {{", self.random.below(4)));
        }
        for _ in 0..self.random.between(1, 4) {
            let (e, leaf) = (self.fixed(2, 1.2), self.fixed(1, 1.5));
            lines.push(match self.random.below(6) {
                0 => format!("bend(&mut {t}, {e});"),
                1 => format!("{t} = Tree::Both(Box::new({t}), Box::new(Tree::Leaf({leaf})));"),
                2 => format!("let of = Box::new({t}.clone()); {t} = Tree::Bent {{ of, by: {e} }};"),
                3 => format!("let k = weight(&{t}, {e}); bend(&mut {t}, k);"),
                4 => format!("match &mut {t} {{ Tree::Leaf(x) => *x *= {e}, Tree::Bent {{ by, .. }} => *by = by.sin() + {leaf}, Tree::Both(a, _) => if let Tree::Bent {{ of, by }} = &mut **a {{ bend(of, *by); }} else {{ bend(a, {e}); }} }}"),
                _ => format!("let k = match &{t} {{ Tree::Both(a, b) => match &**a {{ Tree::Leaf(x) => x * weight(b, *x), other => weight(other, {e}) }}, Tree::Bent {{ of, by }} if matches!(**of, Tree::Leaf(_)) => by.cos(), other => weight(other, {e}) }}; {t} = Tree::Both(Box::new(Tree::Leaf(k)), Box::new({t}));"),
            });
        }
        if looped {
            lines.push("}".into());
        }
        let e = self.fixed(1, 1.5);
        lines.push(format!("let {name} = weight(&{t}, {e}).sin();"));
        Some(self.lines(&lines, &name, &[]))
    }
}
