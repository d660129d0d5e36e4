//! Forward mode in all directions at once: one tangent per scalar of the parameters, the partials computed once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::analysis;
use crate::ir::{Func, Kind, Op, Origin, Param, Shape, Storage, Ty, Value, Width};
use crate::jvp::jvp;
use crate::share::share;
use crate::simplify::simplify;

/// How many scalars a type holds, if its length is written as a number.
pub(crate) fn scalars(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Float(width) if *width != Width::Generic => Some(1),
        Ty::Array(elem, Some(len)) => {
            let len: usize = len.to_string().parse().ok()?;
            Some(len * scalars(elem)?)
        }
        _ => None,
    }
}

/// A type as generated code spells it, or with that many lanes its tangent; `None` where that is not known.
pub(crate) fn spelled(ty: &Ty, lanes: Option<&Ident>) -> Option<TokenStream> {
    let number = |float: TokenStream| match lanes {
        Some(lanes) => quote!(rt::Lanes<#float, #lanes>),
        None => float,
    };
    Some(match ty {
        Ty::Float(Width::F64) => number(quote!(f64)),
        Ty::Float(Width::F32) => number(quote!(f32)),
        // rustc finds it out.
        Ty::Float(Width::Any) => number(quote!(_)),
        Ty::Array(elem, Some(len)) => {
            let elem = spelled(elem, lanes)?;
            quote!([#elem; #len])
        }
        Ty::Vec(elem) => {
            let elem = spelled(elem, lanes)?;
            quote!(rt::Vec<#elem>)
        }
        Ty::Option(elem) => {
            let elem = spelled(elem, lanes)?;
            quote!(::core::option::Option<#elem>)
        }
        Ty::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| spelled(part, lanes)).collect();
            let parts = parts?;
            quote!((#(#parts,)*))
        }
        Ty::Float(Width::Generic)
        | Ty::Int
        | Ty::Bool
        | Ty::Inert
        | Ty::Unknown
        | Ty::User
        | Ty::Array(_, None)
        | Ty::Slice(_)
        | Ty::Residual { .. } => return None,
    })
}

/// The function with its derivatives by each scalar of the parameters in `wrt`: the body yields the result, then the partial derivatives in order.
///
/// The result must be one number, and each parameter countable by [`scalars`].
pub(crate) fn lanes(func: &Func, wrt: &[Param]) -> Func {
    let mut func = func.clone();
    let value = func.body.yields.clone();
    let mut yields = value.clone();
    for &param in wrt {
        let ty = match param {
            Param::Value(v) => func.ty(v).clone(),
            Param::Place(p) => func.at(p).ty.clone(),
        };
        for lane in 0..scalars(&ty).unwrap_or(0) {
            let (dual, tangent) = one(&func, param, &ty, lane);
            func = dual;
            yields.push(tangent);
        }
    }
    func.body.yields = yields;
    share(&mut func);
    simplify(&mut func);
    func
}

/// Adds the tangents of one direction; what was added for others before is constant to it.
fn one(func: &Func, param: Param, ty: &Ty, lane: usize) -> (Func, Value) {
    let activity = analysis::activity(func, &[param]);
    let dual = jvp(func, &activity, &[param]);
    let mut func = dual.func;
    let tangent = func.body.yields[func.body.yields.len() - 1];
    func.body.yields.truncate(func.body.yields.len() - 1);
    let mut start = Vec::new();
    match dual.tangents.into_iter().flatten().next() {
        Some(Param::Value(v)) => unit(&mut func, ty, lane, Some(v), &mut start),
        Some(Param::Place(p)) => {
            let v = unit(&mut func, ty, lane, None, &mut start);
            func.at_mut(p).storage = Storage::Local;
            start.push(op(Kind::New(p), vec![v], Vec::new()));
            v
        }
        None => tangent,
    };
    func.body.ops.splice(0..0, start);
    (func, tangent)
}

fn op(kind: Kind, args: Vec<Value>, results: Vec<Value>) -> Op {
    Op {
        kind,
        args,
        results,
        blocks: Vec::new(),
        origin: Origin::Derived,
        span: Span::call_site(),
        pos: 0,
    }
}

/// The unit vector of a direction, as the value `named` if that is given.
fn unit(func: &mut Func, ty: &Ty, lane: usize, named: Option<Value>, out: &mut Vec<Op>) -> Value {
    let kind = match ty {
        Ty::Array(elem, Some(len)) => {
            let len: usize = len.to_string().parse().unwrap_or(0);
            let each = scalars(elem).unwrap_or(1).max(1);
            let parts: Vec<Value> = (0..len)
                .map(|k| {
                    let inside = lane.checked_sub(k * each).filter(|l| *l < each);
                    unit(func, elem, inside.unwrap_or(usize::MAX), None, out)
                })
                .collect();
            (Kind::Aggregate(Shape::Array), parts)
        }
        _ => {
            let tokens: TokenStream = if lane == 0 { quote!(1.0) } else { quote!(0.0) };
            (Kind::Lit(tokens), Vec::new())
        }
    };
    let v = named.unwrap_or_else(|| func.value("", ty.clone()));
    out.push(op(kind.0, kind.1, vec![v]));
    v
}

/// The partial derivatives, put together as the gradient's entry of a parameter of that type.
pub(crate) fn entry(ty: &Ty, partials: &mut dyn Iterator<Item = TokenStream>) -> TokenStream {
    match ty {
        Ty::Array(elem, Some(len)) => {
            let len: usize = len.to_string().parse().unwrap_or(0);
            let parts: Vec<TokenStream> = (0..len).map(|_| entry(elem, partials)).collect();
            quote!([#(#parts),*])
        }
        _ => {
            let partial = partials.next().unwrap_or_else(|| quote!(0.0));
            // A partial may be −0.0 that nobody computed.
            quote!(#partial + 0.0)
        }
    }
}
