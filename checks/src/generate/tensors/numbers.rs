//! Numbers that are made of tensors.

use super::super::expr::Expr;
use super::super::scope::{Kind, Var};
use super::Generator;
use super::Held;

impl Generator {
    /// A number that depends on a tensor variable, or on an expression of such.
    pub(crate) fn number_of_tensors(&mut self, depth: usize) -> Option<Expr> {
        if self.random.chance(0.4) {
            let var = self.any(|var| matches!(var.kind, Kind::Tensor(..)))?;
            return self.number_of(&var);
        }
        let shape = self.some_shape();
        if self.random.chance(0.15) {
            // Two operands, whose shapes are the same.
            let shape = super::Shape::new(&[self.new_length(true)]);
            let (x, y) = (self.receiver(depth, shape), self.argument(depth, shape));
            return Some(closed(format!("{x}.dot({y})"), 30.0));
        }
        let receiver = self.receiver(depth, shape);
        Some(self.reduced(&receiver, shape, 4.0))
    }

    /// A number that depends on a variable that holds tensors.
    pub(crate) fn number_of(&mut self, var: &Var) -> Option<Expr> {
        match var.kind {
            Kind::Tensor(shape, _) => Some(self.reduced(&var.name.clone(), shape, var.bound)),
            Kind::Tensors(shape, n) if n > 0 => {
                let place = format!("{}[{}]", var.name, self.index(n));
                Some(self.reduced(&place, shape, var.bound))
            }
            _ => None,
        }
    }

    /// A reduction of a receiver to a number, or one of its entries.
    fn reduced(&mut self, x: &str, shape: super::Shape, bound: f64) -> Expr {
        let count = shape.count();
        let total = bound * (count.max(1) as f64);
        if count == 0 {
            return closed(format!("{x}.sum()"), 0.1);
        }
        match self.random.below(14) {
            0..=2 => closed(format!("{x}.sum()"), total),
            3 => closed(format!("{x}.mean()"), bound),
            4 if self.use_of("kink") => closed(format!("{x}.max()"), bound),
            5 if self.use_of("kink") => closed(format!("{x}.min()"), bound),
            6 => closed(format!("{x}.logsumexp()"), bound + 2.0),
            7 => closed(format!("({x}.square().mean() + 0.5).sqrt()"), bound + 1.0),
            8 => {
                let other = self.argument(1, shape);
                closed(format!("{x}.mse({other})"), (bound + 3.0).powi(2))
            }
            9 if shape.rank() == 0 => closed(format!("{x}.item()"), bound),
            10 if shape.rank() == 2 && shape.lengths()[0] == shape.lengths()[1] => {
                closed(format!("{x}.trace()"), total)
            }
            _ if shape.rank() == 0 => closed(format!("{x}.sum()"), bound),
            _ => closed(format!("{x}[{}]", self.place(shape)), bound),
        }
    }
}

fn closed(text: String, bound: f64) -> Expr {
    Expr {
        text,
        bound,
        closed: true,
    }
}

/// The text that is a tensor variable as a reference.
pub(super) fn reference(var: &Var) -> String {
    match var.kind {
        Kind::Tensor(_, Held::Shared) => var.name.clone(),
        Kind::Tensor(_, Held::Changed) => format!("&*{}", var.name),
        _ => format!("&{}", var.name),
    }
}
