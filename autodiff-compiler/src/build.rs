//! Building blocks of operations, for lowering and for the derivative passes alike.

use autodiff_rules::Flag;
use proc_macro2::{Span, TokenStream};

use crate::ir::{Func, Kind, Op, Origin, Prim, Ty, Value, Width, join};
use crate::rules::{self, Partial, Sign};

/// Rows whose partial is infinite only where the value is: they grow faster than numbers do.
const OVERFLOWING: &[&str] = &["exp", "exp2", "exp_m1", "sinh", "cosh"];

/// Operations in the making, and the function they belong to.
pub(crate) struct Build<'a> {
    pub(crate) func: &'a mut Func,
    pub(crate) ops: Vec<Op>,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}

impl<'a> Build<'a> {
    pub(crate) fn new(func: &'a mut Func, origin: Origin) -> Self {
        Build {
            func,
            ops: Vec::new(),
            origin,
            span: Span::call_site(),
        }
    }

    /// Appends an operation with the given results.
    pub(crate) fn push(&mut self, kind: Kind, args: Vec<Value>, results: Vec<Value>) -> &mut Op {
        self.ops.push(Op {
            kind,
            args,
            results,
            blocks: Vec::new(),
            origin: self.origin,
            span: self.span,
            pos: 0,
        });
        let last = self.ops.len() - 1;
        &mut self.ops[last]
    }

    /// Appends an operation with one result.
    pub(crate) fn op(&mut self, kind: Kind, args: Vec<Value>, ty: Ty, hint: &str) -> Value {
        let result = self.func.value(hint, ty);
        self.push(kind, args, vec![result]);
        result
    }

    pub(crate) fn literal(&mut self, tokens: TokenStream, ty: Ty) -> Value {
        self.op(Kind::Lit(tokens), Vec::new(), ty, "")
    }

    /// A zero to start a sum of scalars with: `-0.0`, which every compiler may drop.
    pub(crate) fn zero(&mut self, ty: Ty) -> Value {
        let tokens = "-0.0".parse().unwrap_or_default();
        self.literal(tokens, ty)
    }

    pub(crate) fn prim(&mut self, prim: Prim, args: Vec<Value>, hint: &str) -> Value {
        let ty = args
            .iter()
            .map(|&v| self.func.ty(v).clone())
            .filter(Ty::is_float)
            .reduce(join)
            .unwrap_or_else(|| self.func.ty(args[0]).clone());
        self.op(Kind::Prim(prim), args, ty, hint)
    }

    /// A tangent or cotangent times what it goes through.
    pub(crate) fn times(&mut self, d: Value, p: Value) -> Value {
        let prim = if self.func.strong {
            Prim::Zmul
        } else {
            Prim::Mul
        };
        self.prim(prim, vec![d, p], "")
    }

    /// `a + b`, or the one that is there.
    pub(crate) fn sum(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            None => b,
            Some(a) => {
                let hint = self.func.hint(a).to_owned();
                self.prim(Prim::Add, vec![a, b], &hint)
            }
        }
    }

    /// What a change `d` of each argument contributes, or a cotangent `d` of the result: `d` times the partial by argument `k`.
    ///
    /// `None` where the partial is zero everywhere.
    pub(crate) fn contribution(
        &mut self,
        row: usize,
        k: usize,
        d: Value,
        operand: &mut dyn FnMut(&mut Self, Operand) -> Value,
    ) -> Option<Value> {
        let partial = rules::partials(row)[k].as_ref()?;
        if partial.is_zero() {
            return None;
        }
        if partial.is("1.0") {
            return Some(d);
        }
        if partial.is("-1.0") {
            return Some(self.prim(Prim::Neg, vec![d], ""));
        }
        let flag = rules::flag(row);
        if let Partial::Binary(Sign::Div, one, below) = partial {
            if one.is("1.0") && flag != Flag::Select {
                let below = self.partial(below, operand);
                let prim = if flag == Flag::Guarded || self.func.strong {
                    Prim::Sdiv
                } else {
                    Prim::Div
                };
                return Some(self.prim(prim, vec![d, below], ""));
            }
        }
        let p = self.partial(partial, operand);
        Some(match flag {
            Flag::Plain => self.times(d, p),
            Flag::Guarded => {
                let y = self.prim(Prim::Smul, vec![d, p], "");
                if OVERFLOWING.contains(&rules::rule(row).name) {
                    self.func.overflows.insert(y);
                }
                y
            }
            Flag::Select => self.prim(Prim::Select, vec![d, p], ""),
        })
    }

    /// A partial as operations; `operand` supplies the row's arguments and result.
    fn partial(
        &mut self,
        partial: &Partial,
        operand: &mut dyn FnMut(&mut Self, Operand) -> Value,
    ) -> Value {
        match partial {
            Partial::Float(text) => {
                self.literal(text.parse().unwrap_or_default(), Ty::Float(Width::Any))
            }
            Partial::Int(text) => self.literal(text.parse().unwrap_or_default(), Ty::Int),
            Partial::Arg(k) => operand(self, Operand::Arg(*k)),
            Partial::Result => operand(self, Operand::Result),
            Partial::Neg(inner) => {
                let inner = self.partial(inner, operand);
                self.prim(Prim::Neg, vec![inner], "")
            }
            Partial::Binary(sign, a, b) => {
                let a = self.partial(a, operand);
                let b = self.partial(b, operand);
                let prim = match sign {
                    Sign::Add => Prim::Add,
                    Sign::Sub => Prim::Sub,
                    Sign::Mul => Prim::Mul,
                    Sign::Div => Prim::Div,
                };
                self.prim(prim, vec![a, b], "")
            }
            Partial::Call(row, args) => {
                let args = args.iter().map(|arg| self.partial(arg, operand)).collect();
                self.prim(Prim::Rule(*row), args, "")
            }
        }
    }
}

/// What a partial may mention.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Arg(usize),
    Result,
}
