//! Types that follow from others: what is put into a variable, an element or a result has the type of that.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream, TokenTree};

use crate::ir::{Block, Change, Func, Kind, Prim, Shape, Ty, Value, Width};
use crate::types;

/// Gives values of unknown types those that the user wrote for them, and those of what they are put into, where these are made of numbers.
///
/// `result` is the type of what the function returns.
pub(crate) fn alike(func: &mut Func, result: &Ty, written: &BTreeMap<Value, TokenStream>) {
    let mut said = Vec::new();
    for (&v, ty) in written {
        if let Ok(ty) = syn::parse2(ty.clone()) {
            learn(func, v, &types::read(&ty), &mut said);
        }
    }
    for (v, ty) in said {
        func.values[v.0 as usize].ty = ty;
    }
    loop {
        let mut found = Vec::new();
        for &v in &func.body.yields {
            learn(func, v, result, &mut found);
        }
        collect(func, &func.body, &mut found);
        if found.is_empty() {
            return;
        }
        for (v, ty) in found {
            func.values[v.0 as usize].ty = ty;
        }
    }
}

/// Notes that a value is of this type, if that is news.
fn learn(func: &Func, v: Value, ty: &Ty, found: &mut Vec<(Value, Ty)>) {
    let news = match func.ty(v) {
        Ty::Unknown | Ty::User => ty.is_numbers(),
        Ty::Float(Width::Any) => matches!(ty, Ty::Float(Width::F32 | Width::F64)),
        _ => false,
    };
    if news {
        found.push((v, ty.clone()));
    }
}

fn collect(func: &Func, block: &Block, found: &mut Vec<(Value, Ty)>) {
    for op in &block.ops {
        match &op.kind {
            Kind::New(p) => learn(func, op.args[0], &func.at(*p).ty, found),
            Kind::Store(path) | Kind::Replace(path)
                if !matches!(func.path_ty(path), Ty::Slice(_)) =>
            {
                learn(func, op.args[0], &func.path_ty(path), found);
            }
            Kind::Change(Change::Push, path) => {
                learn(func, op.args[0], &func.path_ty(path).element(), found);
            }
            Kind::Aggregate(Shape::Array | Shape::VecList) => {
                let element = func.ty(op.results[0]).element();
                let known = op.args.iter().map(|&v| func.ty(v));
                let known = known.chain([&element]).find(|ty| ty.is_numbers());
                let of_elements = |known: &Ty| match &op.kind {
                    Kind::Aggregate(Shape::VecList) => Ty::Vec(Box::new(known.clone())),
                    _ => {
                        let len = Literal::usize_unsuffixed(op.args.len());
                        let len = TokenTree::from(len).into();
                        Ty::Array(Box::new(known.clone()), Some(len))
                    }
                };
                if let Some(known) = known {
                    op.args.iter().for_each(|&v| learn(func, v, known, found));
                    learn(func, op.results[0], &of_elements(known), found);
                }
            }
            // What is computed with floats of a width has that width.
            Kind::Prim(prim) if !matches!(prim, Prim::Operator(_)) => {
                let all = op.args.iter().chain(&op.results);
                let wide = |ty: &&Ty| matches!(ty, Ty::Float(Width::F32 | Width::F64));
                let known = all.clone().map(|&v| func.ty(v)).find(wide);
                let floats = all.filter(|&&v| func.ty(v).is_float());
                if let Some(known) = known {
                    floats.for_each(|&v| learn(func, v, known, found));
                }
            }
            Kind::If | Kind::Match(..) | Kind::Switch => {
                for (k, &y) in op.results.iter().enumerate() {
                    let arms = op.blocks.iter().filter_map(|arm| arm.yields.get(k));
                    let all: Vec<Value> = arms.copied().chain([y]).collect();
                    if let Some(known) = all.iter().map(|&v| func.ty(v)).find(|ty| ty.is_numbers())
                    {
                        all.iter().for_each(|&v| learn(func, v, known, found));
                    }
                }
            }
            _ => {}
        }
        for inner in &op.blocks {
            collect(func, inner, found);
        }
    }
}
