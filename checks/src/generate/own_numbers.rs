//! Traits of the program's own that floats have.

use super::{Bound, Function, Generator, Param, ParamType, ResultType, Stmt};

/// A trait for the float `S` with methods that compute and decide, and a provided one.
const TRAIT: &str = "\
#[autodiff::grad]
pub trait Curved: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> + autodiff::Differentiable {
    fn bent(self, by: Self) -> Self;
    fn is_high(self) -> bool;
    fn twice(self, by: Self) -> Self { self.bent(by).bent(by) }
}

#[autodiff::grad]
impl Curved for S {
    fn bent(self, by: Self) -> Self { (self * by).sin() + self * 0.25 }
    fn is_high(self) -> bool { self > 0.125 }
}
";

impl Generator {
    /// Writes a function over that trait.
    pub(crate) fn write_of_own_numbers(&mut self) {
        let item = super::types::renamed(TRAIT, &[("S", self.scalar)]);
        if !self.items.contains(&item) {
            self.items.push(item);
        }
        self.used.insert("own_numbers");
        let name = self.fresh("h");
        let (p, c) = (self.fresh("p"), self.fresh("p"));
        let of_list = self.random.chance(0.4) && self.allows(ParamType::Slice(3));
        let text = match self.random.below(3) {
            _ if of_list => format!(
                "let mut s = {c};\nfor z in {p} {{ if Curved::is_high(*z) {{ s = Curved::bent(s, *z); }} else {{ s = s + Curved::twice(*z, {c}) * {c}; }} }}"
            ),
            0 => format!("let s = Curved::twice({p}, {c}) + {c} * {p};"),
            1 => {
                format!(
                    "let s = if Curved::is_high({p}) {{ Curved::bent({p}, {c}) * {c} }} else {{ {c} + {p} }};"
                )
            }
            _ => format!("let mut s = {p};\nfor _ in 0..3 {{ s = Curved::bent(s, {c} + s); }}"),
        };
        let list = if of_list {
            ParamType::Slice(3)
        } else {
            ParamType::Scalar
        };
        let param = |name: &str, ty| Param {
            name: name.to_owned(),
            ty,
            mutable: false,
        };
        // On a tape it stays compiled, because it is generic.
        self.helpers.push(Function {
            name,
            params: vec![param(&p, list), param(&c, ParamType::Scalar)],
            result: ResultType::Scalar,
            body: vec![Stmt::new(text, &[])],
            tail: format!("Curved::bent(s, {c})"),
            generic: Some(Bound::Own),
        });
    }
}
