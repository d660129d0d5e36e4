//! Types and activity of expressions, from those of variables.

use proc_macro2::TokenTree;

use super::{Facts, break_values};
use crate::ir::{Part, Ty, Width, join};
use crate::iterators;
use crate::macros::{VecMacro, vec_macro};
use crate::marks::{is_stop_gradient, is_with_cotangent};
use crate::own_names::{self, is_inert_method};
use crate::rules;
use crate::std_methods::SHARED_METHODS;
use crate::syntax::{block_value, is_comparison, is_logical};
use crate::types;

impl Facts {
    /// Whether the value of an expression may carry a derivative.
    pub(crate) fn active(&self, e: &syn::Expr) -> bool {
        self.known(e).1
    }

    /// The type of an expression and whether it is active, at once: a long sum or chain of methods is walked once.
    fn known(&self, e: &syn::Expr) -> (Ty, bool) {
        let (ty, carries) = match e {
            syn::Expr::Paren(e) => return self.known(&e.expr),
            syn::Expr::Group(e) => return self.known(&e.expr),
            syn::Expr::Reference(e) => return self.known(&e.expr),
            syn::Expr::Unary(e) => return self.known(&e.expr),
            syn::Expr::Binary(e) if !is_truth(&e.op) => {
                let ((left, of_left), (right, of_right)) =
                    (self.known(&e.left), self.known(&e.right));
                (self.binary_ty(&e.op, left, right), of_left || of_right)
            }
            syn::Expr::MethodCall(e) => {
                let (receiver, of_receiver) = self.known(&e.receiver);
                let carries = of_receiver || e.args.iter().any(|e| self.active(e));
                let inert = is_inert_method(&e.method.to_string());
                (self.method_ty_of(e, receiver), carries && !inert)
            }
            e => {
                let ty = self.ty(e);
                let carries = !ty.is_inert() && self.carries(e);
                (ty, carries)
            }
        };
        let active = carries && !ty.is_inert();
        (ty, active)
    }

    /// Whether what an expression is made of may carry a derivative.
    fn carries(&self, e: &syn::Expr) -> bool {
        let any = |exprs: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>| {
            exprs.iter().any(|e| self.active(e))
        };
        match e {
            syn::Expr::Lit(_) | syn::Expr::Range(_) => false,
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|i| self.get(&i.to_string()).is_some_and(|v| v.active)),
            syn::Expr::Cast(e) => self.active(&e.expr),
            syn::Expr::Field(e) => self.active(&e.base),
            syn::Expr::Index(e) => self.active(&e.expr),
            syn::Expr::Call(e) => match vec_macro(e) {
                Some(VecMacro::Repeat(v, _)) => self.active(v),
                _ if is_with_cotangent(&e.func) => e.args.first().is_some_and(|x| self.active(x)),
                // A closure has what it captures.
                _ => !is_stop_gradient(&e.func) && (any(&e.args) || self.active(&e.func)),
            },
            syn::Expr::Macro(_) => false,
            syn::Expr::Tuple(e) => any(&e.elems),
            syn::Expr::Array(e) => any(&e.elems),
            syn::Expr::Repeat(e) => self.active(&e.expr),
            syn::Expr::Block(e) => {
                let mut values = block_value(&e.block).into_iter().chain(break_values(e));
                values.any(|e| self.active(e))
            }
            syn::Expr::If(e) => {
                block_value(&e.then_branch).is_some_and(|e| self.active(e))
                    || e.else_branch.as_ref().is_some_and(|(_, e)| self.active(e))
            }
            syn::Expr::Match(e) => e.arms.iter().any(|arm| self.active(&arm.body)),
            other => self.mentions_active(other),
        }
    }

    /// Whether an expression is made by operators of things of which nothing is known, and perhaps of numbers that scale them: those may be of a type of the user's own.
    pub(crate) fn is_made_of_unknown(&self, e: &syn::Expr) -> bool {
        let unknown = |e| matches!(self.ty(e), Ty::Unknown) || self.is_made_of_unknown(e);
        match crate::syntax::peel(e) {
            syn::Expr::Binary(e) => match e.op {
                syn::BinOp::Mul(_) | syn::BinOp::Div(_) => unknown(&e.left) || unknown(&e.right),
                syn::BinOp::Add(_) | syn::BinOp::Sub(_) => unknown(&e.left) && unknown(&e.right),
                _ => false,
            },
            syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)) && unknown(&e.expr),
            _ => false,
        }
    }

    /// What is known of an expression's type.
    pub(crate) fn ty(&self, e: &syn::Expr) -> Ty {
        match e {
            syn::Expr::Lit(lit) => literal_ty(&lit.lit),
            syn::Expr::Path(p) => match p.path.get_ident() {
                Some(ident) => match self.get(&ident.to_string()) {
                    Some(var) => var.ty.clone(),
                    None if is_none(&p.path) => Ty::Option(Box::new(Ty::Unknown)),
                    None => Ty::Unknown,
                },
                None if is_none(&p.path) => Ty::Option(Box::new(Ty::Unknown)),
                // A constant of a type of the user's own may be a value of it.
                None if self.is_of_own_type(&p.path) => Ty::User,
                None => path_ty(&p.path),
            },
            syn::Expr::Paren(e) => self.ty(&e.expr),
            syn::Expr::Group(e) => self.ty(&e.expr),
            syn::Expr::Reference(e) => self.ty(&e.expr),
            syn::Expr::Unary(e) => self.ty(&e.expr),
            syn::Expr::Binary(e) if is_truth(&e.op) => Ty::Bool,
            syn::Expr::Binary(e) => self.binary_ty(&e.op, self.ty(&e.left), self.ty(&e.right)),
            syn::Expr::Cast(e) => self.read(&e.ty),
            syn::Expr::Field(e) => self.ty(&e.base).field(&Part::from(&e.member)),
            syn::Expr::Struct(_) => Ty::User,
            syn::Expr::Index(e) => match &*e.index {
                syn::Expr::Range(_) if matches!(self.ty(&e.expr), Ty::User) => Ty::User,
                syn::Expr::Range(_) => Ty::Slice(Box::new(self.ty(&e.expr).element())),
                _ => self.ty(&e.expr).element(),
            },
            syn::Expr::Tuple(e) => Ty::Tuple(e.elems.iter().map(|e| self.ty(e)).collect()),
            syn::Expr::Array(e) => {
                let len = proc_macro2::Literal::usize_unsuffixed(e.elems.len());
                Ty::Array(
                    Box::new(e.elems.iter().map(|e| self.ty(e)).fold(Ty::Unknown, join)),
                    Some(TokenTree::from(len).into()),
                )
            }
            syn::Expr::Repeat(e) => Ty::Array(
                Box::new(self.ty(&e.expr)),
                Some(quote::ToTokens::to_token_stream(&e.len)),
            ),
            syn::Expr::Block(e) => {
                let last = block_value(&e.block).map(|e| self.ty(e));
                let left = break_values(e).into_iter().map(|e| self.ty(e));
                let ty = last.into_iter().chain(left).reduce(join);
                ty.unwrap_or(Ty::Tuple(Vec::new()))
            }
            syn::Expr::If(e) => {
                let then =
                    block_value(&e.then_branch).map_or(Ty::Tuple(Vec::new()), |e| self.ty(e));
                e.else_branch
                    .as_ref()
                    .map_or(then.clone(), |(_, e)| join(then, self.ty(e)))
            }
            syn::Expr::Match(e) => e
                .arms
                .iter()
                .map(|arm| self.ty(&arm.body))
                .fold(Ty::Unknown, join),
            syn::Expr::MethodCall(e) => self.method_ty(e),
            syn::Expr::Call(e) => self.call_ty(e),
            syn::Expr::Macro(m) if m.mac.path.is_ident("format") => Ty::Inert,
            syn::Expr::Range(_) => Ty::Inert,
            _ => Ty::Unknown,
        }
    }

    fn binary_ty(&self, op: &syn::BinOp, left: Ty, right: Ty) -> Ty {
        let scales = matches!(op, syn::BinOp::Mul(_) | syn::BinOp::Div(_));
        let unknown = [&left, &right].iter().any(|ty| matches!(ty, Ty::Unknown));
        if self.cautious && scales && unknown {
            Ty::Unknown
        } else {
            arithmetic(left, right)
        }
    }

    pub(super) fn method_ty(&self, e: &syn::ExprMethodCall) -> Ty {
        self.method_ty_of(e, self.ty(&e.receiver))
    }

    /// The type of a method's result, from that of its receiver.
    fn method_ty_of(&self, e: &syn::ExprMethodCall, receiver: Ty) -> Ty {
        let name = e.method.to_string();
        // `collect::<Vec<f64>>()` says what it is.
        let said = e
            .turbofish
            .as_ref()
            .map(|t| t.args.iter().collect::<Vec<_>>());
        if let Some([syn::GenericArgument::Type(ty)]) = said.as_deref() {
            if matches!(name.as_str(), "collect" | "sum" | "product") {
                return self.read(ty);
            }
        }
        if let Some(decided) = self.decided_by_method(e, &receiver) {
            return decided;
        }
        let unseen = matches!(receiver, Ty::Unknown | Ty::User);
        match own_names::checked(&name) {
            // Of a mask, which may look like a truth value: what it chooses from are tensors.
            name if crate::tensors::chooses(name) => Ty::User,
            // Of what may be the user's own, these may yield numbers.
            "count" | "count_ones" if !unseen => Ty::Int,
            "any" | "all" if !unseen => Ty::Bool,
            "try_reserve" | "try_reserve_exact" if matches!(receiver, Ty::Vec(_)) => Ty::Inert,
            "into" | "try_into" if receiver.is_scalar() => Ty::Unknown,
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => {
                match receiver {
                    Ty::Option(inner) => *inner,
                    _ => self.certain_ty(&e.receiver),
                }
            }
            "then" | "then_some" if matches!(receiver, Ty::Bool) => {
                let some = e.args.first().filter(|_| name == "then_some");
                Ty::Option(Box::new(some.map_or(Ty::Unknown, |e| self.ty(e))))
            }
            "to_owned" => match receiver {
                Ty::Slice(elem) => Ty::Vec(elem),
                other => other,
            },
            "to_vec" => Ty::Vec(Box::new(receiver.element())),
            "concat" => match receiver.element() {
                Ty::Vec(elem) | Ty::Slice(elem) | Ty::Array(elem, _) => Ty::Vec(elem),
                _ => Ty::Unknown,
            },
            "clone" | "as_slice" | "as_ref" | "as_mut" | "as_mut_slice" => receiver,
            "sin_cos" => Ty::Tuple(vec![receiver.clone(), receiver]),
            "iter" | "iter_mut" | "into_iter" | "copied" | "cloned" | "rev" | "skip" | "take"
            | "step_by" => match receiver {
                Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => Ty::Slice(elem),
                other => other,
            },
            "enumerate" => match receiver {
                Ty::Slice(elem) => Ty::Slice(Box::new(Ty::Tuple(vec![Ty::Int, *elem]))),
                Ty::User => Ty::Slice(Box::new(Ty::Tuple(vec![Ty::Int, Ty::User]))),
                other => other,
            },
            name if iterators::parts(name).is_some() => {
                Ty::Slice(Box::new(Ty::Slice(Box::new(receiver.element()))))
            }
            "split_at" | "split_at_mut" => {
                let half = Ty::Slice(Box::new(receiver.element()));
                Ty::Tuple(vec![half.clone(), half])
            }
            "remove" | "swap_remove" => receiver.element(),
            "split_off" => receiver,
            "pop" | "first" | "last" | "get" | "first_mut" | "last_mut" | "get_mut"
            | "split_first" | "split_first_mut" | "split_last" | "split_last_mut" => {
                match self.certain_ty(&syn::Expr::MethodCall(e.clone())) {
                    Ty::Unknown => Ty::Unknown,
                    inner => Ty::Option(Box::new(inner)),
                }
            }
            "zip" => {
                let other = e.args.first().map_or(Ty::Unknown, |e| self.ty(e));
                Ty::Slice(Box::new(Ty::Tuple(vec![
                    receiver.element(),
                    other.element(),
                ])))
            }
            "to_f64" if receiver.is_generic() => Ty::F64,
            _ => match rules::by_method(&name) {
                // Other methods are those of a trait that the macro does not know.
                None if receiver.is_generic() => Ty::Unknown,
                // So may those of a number be.
                None if receiver.is_float() && !own_names::is_inert_method(&name) => Ty::Unknown,
                None if matches!(receiver, Ty::User) => Ty::User,
                // Integers have these as well.
                Some(_)
                    if matches!(receiver, Ty::User) && SHARED_METHODS.contains(&name.as_str()) =>
                {
                    Ty::User
                }
                _ if receiver.is_scalar() && !is_odd_integer_method(&name) => receiver,
                Some(_) if self.cautious && matches!(receiver, Ty::Unknown | Ty::User) => receiver,
                // Only floats have these methods; the others exist on integers, too.
                Some(_)
                    if !SHARED_METHODS.contains(&name.as_str())
                        && matches!(receiver, Ty::Unknown | Ty::User) =>
                {
                    Ty::Float(Width::Any)
                }
                _ => Ty::Unknown,
            },
        }
    }

    /// The type in an `Option` that a method of sequences yields.
    fn certain_ty(&self, e: &syn::Expr) -> Ty {
        let syn::Expr::MethodCall(m) = crate::syntax::peel(e) else {
            return Ty::Unknown;
        };
        let sequence = self.ty(&m.receiver);
        match m.method.to_string().as_str() {
            "copied" | "cloned" => self.certain_ty(&m.receiver),
            "get" | "get_mut" if matches!(m.args.first(), Some(syn::Expr::Range(_))) => {
                Ty::Slice(Box::new(sequence.element()))
            }
            "first" | "first_mut" | "last" | "last_mut" | "get" | "get_mut" | "pop" => {
                sequence.element()
            }
            "split_first" | "split_first_mut" | "split_last" | "split_last_mut" => {
                let elem = sequence.element();
                Ty::Tuple(vec![elem.clone(), Ty::Slice(Box::new(elem))])
            }
            _ => Ty::Unknown,
        }
    }

    /// Whether a path leads into a type that may be the user's own, `Complex::I`; the derivatives of a function are named so, too.
    fn is_of_own_type(&self, path: &syn::Path) -> bool {
        let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
        let (Some(last), Some(ty)) = (names.next(), names.next()) else {
            return false;
        };
        let short = types::is_capital(&ty) && !self.is_generic(&ty);
        let short = short || types::is_function_name(&ty);
        let named = types::is_type_name(&ty) && !types::is_function_name(&ty);
        short && !types::is_derivative(&last) || named && !types::is_hiding(&ty)
    }

    pub(super) fn call_ty(&self, e: &syn::ExprCall) -> Ty {
        match vec_macro(e) {
            Some(VecMacro::List(all)) => {
                let elem = all.iter().map(|e| self.ty(e)).fold(Ty::Unknown, join);
                return Ty::Vec(Box::new(elem));
            }
            Some(VecMacro::Repeat(v, _)) => return Ty::Vec(Box::new(self.ty(v))),
            None => {}
        }
        let syn::Expr::Path(p) = &*e.func else {
            return Ty::Unknown;
        };
        if let Some(decided) = self.decided_by_call(&p.path) {
            return decided;
        }
        let segments: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        match segments
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [.., "f64", "from" | "from_bits"] => Ty::F64,
            [.., "f32", "from" | "from_bits"] => Ty::Float(Width::F32),
            [.., ty @ ("f64" | "f32"), name] if rules::by_method(name).is_some() => {
                Ty::Float(if *ty == "f64" { Width::F64 } else { Width::F32 })
            }
            [ty, name] if self.is_numeric(ty) && rules::by_method(name).is_some() => {
                Ty::Float(Width::Generic)
            }
            ["String", ..] => Ty::Inert,
            [.., "Box", "new"] => Ty::User,
            [.., ty, "from" | "try_from" | "min" | "max"]
                if syn::parse_str::<syn::Type>(ty).is_ok_and(|t| types::read(&t).is_inert()) =>
            {
                Ty::Int
            }
            ["rt", "decided"] => match types::given(&p.path) {
                Some(ty) => self.read(ty),
                None => e.args.first().map_or(Ty::Inert, |e| match self.ty(e) {
                    ty if ty.is_inert() => ty,
                    _ => Ty::Inert,
                }),
            },
            [.., "stop_gradient" | "with_cotangent"] => {
                e.args.first().map_or(Ty::Unknown, |e| self.ty(e))
            }
            [.., "Vec", "new" | "with_capacity"] => Ty::Vec(Box::new(Ty::Unknown)),
            [.., "mem", "take"] => e.args.first().map_or(Ty::Unknown, |e| self.ty(e)),
            [.., "mem", "replace"] => {
                let both = e.args.iter().take(2).map(|e| self.ty(e));
                both.reduce(join).unwrap_or(Ty::Unknown)
            }
            [.., "Some"] => {
                Ty::Option(Box::new(e.args.first().map_or(Ty::Unknown, |e| self.ty(e))))
            }
            // A constructor, or a function of a type of the user's own.
            [.., name] if types::is_constructor(name) => Ty::User,
            [name] if types::is_capital(name) && self.get(name).is_none() => Ty::User,
            _ if types::variant(&p.path).is_some() => Ty::User,
            _ if self.is_of_own_type(&p.path) => Ty::User,
            // What is made of such a type may be one.
            _ if e.args.iter().any(|arg| self.ty(arg).is_user()) => Ty::User,
            _ => Ty::Unknown,
        }
    }
}

/// Comparisons and the operators of truth values, whose result is one.
fn is_truth(op: &syn::BinOp) -> bool {
    is_comparison(op) || is_logical(op)
}

/// `None`, `Option::None`
fn is_none(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().rev().map(|s| &s.ident);
    names.next().is_some_and(|name| name == "None")
        && names.next().is_none_or(|name| name == "Option")
}

/// The type of `a + b` and its like.
fn arithmetic(a: Ty, b: Ty) -> Ty {
    if a.is_user() || b.is_user() {
        Ty::User
    } else {
        join(a, b)
    }
}

/// Methods of numbers whose result is no number of the same type.
pub(super) fn is_odd_integer_method(name: &str) -> bool {
    name.starts_with("is_")
        || name.starts_with("checked_")
        || name.starts_with("overflowing_")
        || matches!(
            name,
            "cmp"
                | "partial_cmp"
                | "total_cmp"
                | "eq"
                | "ne"
                | "lt"
                | "le"
                | "gt"
                | "ge"
                | "to_bits"
                | "to_string"
                | "leading_zeros"
                | "trailing_zeros"
                | "unsigned_abs"
        )
}

pub(super) fn literal_ty(lit: &syn::Lit) -> Ty {
    match lit {
        syn::Lit::Float(f) => suffix_ty(f.suffix(), Ty::Float(Width::Any)),
        syn::Lit::Int(i) => suffix_ty(i.suffix(), Ty::Int),
        syn::Lit::Bool(_) => Ty::Bool,
        _ => Ty::Inert,
    }
}

pub(super) fn suffix_ty(suffix: &str, otherwise: Ty) -> Ty {
    match suffix {
        "f64" => Ty::F64,
        "f32" => Ty::Float(Width::F32),
        _ => otherwise,
    }
}

pub(super) fn path_ty(path: &syn::Path) -> Ty {
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match names.iter().any(|n| n == "f32") {
        true => Ty::Float(Width::F32),
        false if names.iter().any(|n| n == "f64") => Ty::F64,
        false => Ty::Unknown,
    }
}
