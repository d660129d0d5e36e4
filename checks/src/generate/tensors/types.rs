//! Structs and enums with tensors in them.

use super::super::Stmt;
use super::super::scope::{Kind, Var};
use super::super::types::renamed;
use super::{Generator, Held, Shape};

/// The types and what they can do; `S` stands for the float.
const TYPES: &str = "\
#[derive(Clone, autodiff::Differentiable)]
pub struct Layer { pub w: Tensor<S>, pub b: Tensor<S>, #[constant] pub fixed: Tensor<S>, pub gain: S, pub n: usize }

#[derive(Clone, autodiff::Differentiable)]
pub enum Stage { Dense(Layer), Scale { by: Tensor<S>, k: S }, Nothing }

#[autodiff::grad]
impl Layer {
    pub fn apply(&self, x: &Tensor<S>) -> Tensor<S> { (x.matmul(&self.w) + &self.b).tanh() * self.gain }
    pub fn energy(&self, x: &Tensor<S>) -> S {
        let h = self.apply(&self.apply(x));
        (&h * &h).sum() + self.b.mean() * (&self.w * &self.fixed).sum()
    }
    pub fn step(&mut self, k: S) {
        self.w = self.w.sin() * k;
        self.b += &self.fixed.sum_axis(0);
        for _ in 0..self.n { self.b *= k.cos(); }
        self.gain = (self.gain * self.b.sum()).sin();
    }
}

#[autodiff::grad]
pub fn staged(s: &Stage, x: &Tensor<S>) -> Tensor<S> {
    match s {
        Stage::Dense(l) if l.gain > 0.1 => l.apply(x),
        Stage::Dense(l) => x.matmul(&l.w).sin(),
        Stage::Scale { by, k } => x * by * *k,
        Stage::Nothing => x.cos(),
    }
}

#[autodiff::grad]
pub fn retuned(mut l: Layer, x: &Tensor<S>, k: S) -> Layer {
    l.step(k);
    Layer { b: l.b * x.mean(), ..l }
}
";

/// The text of the types over the given float; functions carry `#[autodiff::grad]`.
#[must_use]
pub fn tensor_types_text(scalar: &str) -> String {
    renamed(TYPES, &[("S", scalar)])
}

impl Generator {
    fn define_tensor_types(&mut self) {
        let text = tensor_types_text(self.scalar);
        if !self.items.contains(&text) {
            self.items.push(text);
        }
    }

    /// A layer from n to n numbers.
    fn layer(&mut self, n: usize) -> String {
        let (square, row) = (Shape::new(&[n, n]), Shape::new(&[n]));
        let (w, b) = (
            self.fixed_tensor(1, square, 1.5),
            self.fixed_tensor(1, row, 1.5),
        );
        let fixed: Vec<String> = (0..n * n).map(|_| self.literal(-1.2, 1.2)).collect();
        let gain = self.fixed(1, 1.5);
        format!(
            "Layer {{ w: {w}, b: {b}, fixed: Tensor::<{}>::from_vec({}, vec![{}]), gain: {gain}, n: 1 }}",
            self.scalar,
            square.text(),
            fixed.join(", ")
        )
    }

    /// A struct of tensors: its fields are read and changed, its methods called.
    pub(super) fn layer_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("vec") || !self.on.on("match") || !self.use_of("struct") {
            return None;
        }
        self.define_tensor_types();
        let n = self.random.between(1, 2);
        let shape = Shape::new(&[self.random.between(1, 2), n]);
        let (l, t) = (self.fresh("m"), self.fresh("t"));
        let x = self.fixed_tensor(1, shape, 2.0);
        let mut lines = vec![format!("let mut {l} = {};", self.layer(n))];
        lines.push(format!("let mut {t} = {x};"));
        let looped = self.on.on("for") && self.random.chance(0.4);
        if looped {
            lines.push(format!("for _ in 0..{} {{", self.random.below(4)));
        }
        for _ in 0..self.random.between(1, 4) {
            let k = self.fixed(1, 1.0);
            let square = self.fixed_tensor(1, Shape::new(&[n, n]), 1.0);
            lines.push(match self.random.below(10) {
                0 => format!("{t} = {l}.apply(&{t});"),
                1 => format!("{l}.step({k});"),
                2 => format!("{l}.w = ({square} - &{l}.w).sin();"),
                3 => format!("{l}.w *= {k};"),
                4 => format!("{l}.gain = {l}.energy(&{t}).sin();"),
                5 => format!("{l} = retuned({l}.clone(), &{t}, {k});"),
                6 => format!("{l} = Layer {{ w: {square}, ..{l}.clone() }};"),
                7 => format!("let Layer {{ w, b, .. }} = &{l}; {t} = ({t}.matmul(w) * b).cos();"),
                8 => format!("let pair = [{l}.clone(), Layer {{ gain: {k}, ..{l}.clone() }}]; for each in &pair {{ {t} = each.apply(&{t}) + each.gain; }}"),
                _ => format!("let found = if {l}.gain > 0.1 {{ Some({l}.w.clone()) }} else {{ None }}; if let Some(w) = found {{ {t} = {t}.matmul(w).sin(); }}"),
            });
        }
        if looped {
            lines.push("}".into());
        }
        let stub = format!(
            "let mut {l} = Layer {{ w: {0}, b: {1}, fixed: {0}, gain: 0.5, n: 1 }}; let mut {t} = {2};",
            self.constant_tensor(Shape::new(&[n, n])),
            self.constant_tensor(Shape::new(&[n])),
            self.constant_tensor(shape)
        );
        for (name, shape) in [("w", Shape::new(&[n, n])), ("b", Shape::new(&[n]))] {
            let field = format!("{l}.{name}");
            self.declare(Self::tensor_var(&field, shape, Held::Owned, true, 3.0));
        }
        self.declare(Self::tensor_var(&t, shape, Held::Owned, true, 3.0));
        self.declare(Var::new(&format!("{l}.gain"), Kind::Scalar, true, 2.0));
        Some(vec![Stmt::binding(lines.join("\n"), stub, &[&l, &t])])
    }

    /// An enum of tensors, in a list that is run over.
    pub(super) fn part_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("vec")
            || !self.on.on("for")
            || !self.on.on("struct")
            || !self.on.on("match")
            || !self.use_of("enum")
        {
            return None;
        }
        self.define_tensor_types();
        let n = self.random.between(1, 2);
        let shape = Shape::new(&[self.random.between(1, 2), n]);
        let (list, t) = (self.fresh("m"), self.fresh("t"));
        let mut parts = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let part = match self.random.below(4) {
                0 => "Stage::Nothing".to_owned(),
                1 | 2 => {
                    let narrow = self.narrower(shape);
                    let (by, k) = (self.fixed_tensor(1, narrow, 1.0), self.fixed(1, 1.0));
                    format!("Stage::Scale {{ by: {by}, k: {k} }}")
                }
                _ => format!("Stage::Dense({})", self.layer(n)),
            };
            parts.push(part);
        }
        let k = self.fixed(1, 1.0);
        let x = self.fixed_tensor(1, shape, 2.0);
        let mut lines = vec![
            format!("let mut {list} = vec![{}];", parts.join(", ")),
            format!("let mut {t} = {x};"),
        ];
        if self.random.chance(0.5) {
            lines.push(format!("for each in {list}.iter_mut() {{ match each {{ Stage::Dense(l) => l.step({k}), Stage::Scale {{ by, .. }} => *by *= {k}, Stage::Nothing => {{}} }} }}"));
        }
        lines.push(if self.random.chance(0.5) {
            format!("for each in &{list} {{ {t} = staged(each, &{t}); }}")
        } else {
            format!("for each in &{list} {{ {t} = match each {{ Stage::Dense(l) => l.apply(&{t}) + {k}, Stage::Scale {{ by, k }} => &{t} * by / (k * k + 1.2), Stage::Nothing => {t} }}; }}")
        });
        let stub = format!("let mut {t} = {};", self.constant_tensor(shape));
        self.declare(Self::tensor_var(&t, shape, Held::Owned, true, 3.0));
        Some(vec![Stmt::binding(lines.join("\n"), stub, &[&list, &t])])
    }
}
