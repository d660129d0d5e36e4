//! What a loop adds along directions in which nothing moves, where there are several at once: it runs without tangents.
//!
//! A row of a matrix often moves in few of the directions, and a loop adds its products to all that it draws along:
//!
//! ```text
//! for b {                                  for b {
//!   for v {                                  if ȧ.get(b).is_none_or(moves) {
//!     y[v] += a[b] w[v]             ⇒          for v { y[v] += a[b] w[v]; ẏ[v] += ȧ[b] w[v] }
//!     ẏ[v] += ȧ[b] w[v]                      } else {
//!   }                                          for v { y[v] += a[b] w[v] }
//! }                                          }
//!                                          }
//! ```
//!
//! Only loops in loops, that nothing is handed on by: what is asked is then less than one of their rounds reads, and another thing in each round of the outer one.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

use crate::chosen::Again;
use crate::ir::{
    Block, Domain, Func, Kind, Op, Opaque, Origin, Path, Place, Pos, Step, Ty, Value, Width,
};
use crate::jvp::{Dotted, Jvp};
use crate::lengths::find;

/// Rewrites the loops of a graph with tangents that may run without them, as they are in the graph without.
///
/// The answer is which memory they have then, each with what it stands for.
pub(crate) fn idle(dual: &mut Jvp, primal: &Func) -> Vec<(Place, Place)> {
    let mut body = std::mem::take(&mut dual.func.body);
    let mut cx = Cx {
        func: &mut dual.func,
        dotted: &dual.dotted,
        primal,
        again: Again::default(),
    };
    cx.block(&mut body, false);
    let made = cx.again.made();
    dual.func.body = body;
    made
}

struct Cx<'a> {
    func: &'a mut Func,
    dotted: &'a Dotted,
    primal: &'a Func,
    again: Again,
}

impl Cx<'_> {
    fn block(&mut self, of: &mut Block, within: bool) {
        for mut op in std::mem::take(&mut of.ops) {
            let is_loop = matches!(op.kind, Kind::For(_));
            let asked = if is_loop && within {
                asked(&op, self.func, self.dotted)
            } else {
                None
            };
            let plain = find(&self.primal.body.ops, &|other| at(other, op.pos));
            let (Some(paths), Some(plain)) = (asked, plain) else {
                for inner in &mut op.blocks {
                    self.block(inner, within || is_loop);
                }
                of.ops.push(op);
                continue;
            };
            let moves = self.func.value("", Ty::Bool);
            let question = Op {
                kind: Kind::Opaque(question(&paths)),
                args: paths.iter().flat_map(Path::values).collect(),
                results: vec![moves],
                blocks: Vec::new(),
                origin: Origin::Derived,
                span: op.span,
                pos: 0,
            };
            let (mut with, mut without) = (self.func.block(), self.func.block());
            without.ops = vec![self.again.op(self.func, plain)];
            let choice = Op {
                kind: Kind::If,
                args: vec![moves],
                results: Vec::new(),
                ..question.clone()
            };
            with.ops = vec![op];
            of.ops.push(question);
            of.ops.push(Op {
                blocks: vec![with, without],
                ..choice
            });
        }
    }
}

fn at(op: &Op, pos: Pos) -> bool {
    op.pos == pos && matches!(op.kind, Kind::For(_))
}

/// Whether any of these parts of tangents moves in any direction.
fn question(paths: &[Path]) -> Opaque {
    let mut next = 0_usize;
    let parts = paths.iter().enumerate().map(|(k, path)| {
        let place = format_ident!("__p{k}", span = Span::mixed_site());
        let mut indices = path.steps.iter().map(|_| {
            next += 1;
            format_ident!("__a{}", next - 1, span = Span::mixed_site())
        });
        let first = indices.next().map(|index| quote!(.get(#index)));
        let rest = indices.map(|index| quote!(.and_then(|part| part.get(#index))));
        // In a loop of no rounds, or under a condition in it, nothing may be there to be read.
        quote!(#place #first #(#rest)* .is_none_or(|part| rt::lanes::moves(part)))
    });
    let parts: Vec<TokenStream> = parts.collect();
    Opaque {
        tokens: quote!(#(#parts)||*),
        places: paths.iter().map(|path| path.root).collect(),
        writes: Vec::new(),
        pure: false,
    }
}

/// The parts of tangents by which the loop adds to other tangents; `None` if that is not all that it does with tangents.
fn asked(op: &Op, func: &Func, dotted: &Dotted) -> Option<Vec<Path>> {
    let Kind::For(head) = &op.kind else {
        return None;
    };
    let counts = matches!(head.domain, Domain::Range { .. }) && op.results.is_empty();
    let short = find(&func.body.ops, &|by| by.results == [op.args[1]])
        .is_some_and(|by| matches!(by.kind, Kind::Lit(_)));
    if !counts || short || op.exits() {
        return None;
    }
    let (mut inside, mut items) = (FxHashSet::default(), FxHashSet::default());
    op.blocks[0].defined(&mut inside);
    let (mut read, mut added) = (Vec::new(), BTreeSet::new());
    let mut all = true;
    op.blocks[0].ops.iter().for_each(|inner| {
        inner.walk(&mut |inner| {
            match &inner.kind {
                Kind::For(head) if matches!(head.domain, Domain::Range { .. }) => {
                    items.extend(&inner.blocks[0].params[..head.inductions]);
                }
                Kind::Lit(_) => items.extend(&inner.results),
                _ => {}
            }
            let tangents: Vec<Place> = inner
                .places()
                .into_iter()
                .filter(|p| dotted.place(*p))
                .collect();
            match &inner.kind {
                Kind::Load(path) if !tangents.is_empty() => read.push(path.clone()),
                Kind::AddTo(path) if tangents == [path.root] => {
                    added.insert(path.root);
                }
                Kind::Call(_) | Kind::Leave | Kind::Until => all = false,
                _ => all &= tangents.is_empty(),
            }
            let outer = |v: &Value| dotted.value(*v) && !inside.contains(v);
            all &= !inner.operands().iter().any(outer);
        });
    });
    let parts = read.iter().map(|path| fixed(path, &inside, &items));
    let mut parts = parts.collect::<Option<Vec<Path>>>()?;
    parts.sort_by_key(|path| path.root);
    parts.dedup();
    let apart = read.iter().all(|path| !added.contains(&path.root));
    all &= parts.iter().all(|path| of_numbers(&func.path_ty(path)));
    (all && apart && !added.is_empty() && !parts.is_empty()).then_some(parts)
}

/// The part that all rounds read, if each of them may read all of it.
fn fixed(path: &Path, inside: &FxHashSet<Value>, items: &FxHashSet<Value>) -> Option<Path> {
    let outer = |step: &&Step| matches!(step, Step::Index(v) if !inside.contains(v));
    let steps: Vec<Step> = path.steps.iter().take_while(outer).cloned().collect();
    let mut rest = path.steps[steps.len()..].iter();
    let swept = rest.all(|step| matches!(step, Step::Index(v) if items.contains(v)));
    (swept && !steps.is_empty()).then_some(Path {
        root: path.root,
        steps,
    })
}

/// Lists of numbers of one known type.
fn of_numbers(ty: &Ty) -> bool {
    match ty {
        Ty::Float(Width::F32 | Width::F64) => true,
        Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => of_numbers(elem),
        _ => false,
    }
}
