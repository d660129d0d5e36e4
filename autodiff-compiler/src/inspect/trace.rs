//! `f::trace(…)`: a forward pass that records what it computes, in place of tangents.
//!
//! What goes with an active number is the position of its node in the record, as a number of the same type, 0 for a constant.
//! So the types, shapes and signatures are those of forward mode, and so is all that only moves numbers about.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use autodiff_rules::Flag;

use super::Chart;
use crate::analysis::{self, Activity};
use crate::build::Build;
use crate::ir::{Block, Func, Kind, Op, Opaque, Origin, Param, Prim, Ty, Value};
use crate::jvp::{Inputs, Jvp, Record, forward};
use crate::rules;

/// The variable of generated code that holds the record.
pub(crate) fn recorder() -> Ident {
    Ident::new("__trace", Span::mixed_site())
}

/// The function that records; `func` is the primal as it was charted.
pub(crate) fn trace(func: &Func, chart: &Chart, wrt: &[Param]) -> Jvp {
    let mut func = func.clone();
    let activity = analysis::activity(&func, wrt);
    let mut body = func.body.clone();
    open_sums(&mut func, &mut body, &activity);
    func.body = body;
    let activity = analysis::activity(&func, wrt);
    forward(
        &func,
        &activity,
        &Inputs::new(&func, wrt),
        Some(&Recording { chart }),
    )
}

/// Turns `a[i] += x` on active memory into a load, a sum and a store: the sum is an operation to record.
fn open_sums(func: &mut Func, block: &mut Block, activity: &Activity) {
    let mut ops = Vec::with_capacity(block.ops.len());
    for mut op in std::mem::take(&mut block.ops) {
        for inner in &mut op.blocks {
            open_sums(func, inner, activity);
        }
        match &op.kind {
            Kind::AddTo(path) if activity.place(path.root) => {
                let ty = func.path_ty(path);
                let (path, added) = (path.clone(), op.args[0]);
                let mut build = Build::new(func, Origin::User);
                build.span = op.span;
                let old = build.op(Kind::Load(path.clone()), Vec::new(), ty.clone(), "");
                let sum = build.op(Kind::Prim(Prim::Add), vec![old, added], ty, "");
                build.push(Kind::Store(path), vec![sum], Vec::new());
                for new in &mut build.ops {
                    new.pos = op.pos;
                }
                ops.append(&mut build.ops);
            }
            _ => ops.push(op),
        }
    }
    block.ops = ops;
}

struct Recording<'a> {
    chart: &'a Chart,
}

/// A call of the record, where `__a0` stands for the first of `args`.
fn call(build: &mut Build<'_>, tokens: TokenStream, args: Vec<Value>, ty: Ty) -> Value {
    let opaque = Opaque {
        tokens,
        places: Vec::new(),
        writes: Vec::new(),
        pure: false,
    };
    build.op(Kind::Opaque(opaque), args, ty, "node")
}

impl Record for Recording<'_> {
    fn compute(&self, build: &mut Build<'_>, op: &Op, nodes: &[Option<Value>]) -> Option<Value> {
        let trace = recorder();
        let y = op.results[0];
        let ty = build.func.ty(y).clone();
        let at = self.chart.label(op);
        // The result, the operands, and the nodes of those that have one.
        let mut args = vec![y];
        args.extend(&op.args);
        let operands: Vec<TokenStream> = nodes
            .iter()
            .enumerate()
            .map(|(k, node)| {
                let value = format_ident!("__a{}", k + 1);
                let constant = || build.literal(quote!(0.0), ty.clone());
                args.push(node.unwrap_or_else(constant));
                let node = format_ident!("__a{}", args.len() - 1);
                quote!((#value, #node))
            })
            .collect();
        let tokens = match &op.kind {
            Kind::Prim(Prim::Rule(row)) => {
                let rule = rules::rule(*row);
                let name = format_ident!("{}", rule.name);
                let flag = match rule.flag {
                    Flag::Plain => quote!(Plain),
                    Flag::Guarded => quote!(Guarded),
                    Flag::Select => quote!(Select),
                };
                let values = (0..op.args.len()).map(|k| format_ident!("__a{}", k + 1));
                let values: Vec<Ident> = values.collect();
                let operands = operands.into_iter().zip(&values).zip(rule.integer).map(
                    |((operand, value), integer)| {
                        if *integer {
                            quote!(rt::integer(#value, &__a0))
                        } else {
                            operand
                        }
                    },
                );
                quote!(#trace.record(#at, rt::Flag::#flag, __a0, &[#(#operands),*], &rt::partial::#name(#(#values,)* __a0)))
            }
            Kind::Prim(prim @ (Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Neg)) => {
                let method = format_ident!("{}", super::graph::operation(&Kind::Prim(*prim)));
                quote!(#trace.#method(#at, __a0, [#(#operands),*]))
            }
            Kind::Cast(..) | Kind::CastLike => {
                let operand = &operands[0];
                quote!(#trace.cast(#at, __a0, #operand))
            }
            _ => return None,
        };
        Some(call(build, tokens, args, ty))
    }

    fn bind(&self, build: &mut Build<'_>, op: &Op, y: Value, node: Value) -> Value {
        // The last operation of the last round has the name already.
        let looped = matches!(op.kind, Kind::For(_));
        if looped || build.func.hint(y).is_empty() || !build.func.ty(y).is_float() {
            return node;
        }
        let (trace, at) = (recorder(), self.chart.label_of(y));
        let ty = build.func.ty(y).clone();
        call(
            build,
            quote!(#trace.same(#at, __a0, __a1)),
            vec![y, node],
            ty,
        )
    }
}
