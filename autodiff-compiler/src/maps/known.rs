//! Which values and places are tensors, and of which numbers.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use crate::features::features;
use crate::function::GradFn;
use crate::ir::{
    Arg, Block, Call, For, Func, Kind, Number, Op, Opaque, Param, Path, Place, Prim, To, Value,
};
use crate::own_names;
use crate::syntax;
use crate::tensors;
use crate::types::{self, TENSOR};

/// What is known to be a tensor.
#[derive(Default)]
pub(crate) struct Known {
    values: FxHashMap<Value, Number>,
    places: FxHashMap<Place, Number>,
    literals: FxHashMap<Value, TokenStream>,
    /// Places of this block that hold what a kernel has made, and how often each place is mentioned.
    made: FxHashSet<Place>,
    mentions: FxHashMap<Place, usize>,
    /// The results of kernels.
    kernels: FxHashSet<Value>,
    /// References to whole tensors.
    references: FxHashMap<Value, Place>,
    /// What is called of tensors that has no derivatives.
    strange: Vec<Strange>,
}

/// A call of what tensors have no derivatives of.
pub(super) struct Strange {
    pub(super) refusal: String,
    pub(super) span: Span,
    pub(super) results: Vec<Value>,
}

impl Known {
    /// What the user has written the type of: parameters and variables.
    pub(crate) fn declared(
        function: &GradFn,
        func: &Func,
        values: &BTreeMap<Value, TokenStream>,
        places: &BTreeMap<Place, TokenStream>,
    ) -> Known {
        let mut known = Known::default();
        let generics = [&function.item.sig.generics, &function.outer];
        let is_float = |name: &&Ident| generics.iter().any(|of| types::is_float(name, of));
        let floats: Vec<Ident> = (function.numeric.iter())
            .filter(is_float)
            .cloned()
            .collect();
        for (param, info) in func.params.iter().zip(&function.params) {
            let Some(number) = types::tensor_of(&info.inner, &floats) else {
                continue;
            };
            match *param {
                Param::Value(v) => known.values.insert(v, number),
                Param::Place(p) => known.places.insert(p, number),
            };
        }
        let written = |tokens: &TokenStream| {
            let ty = syn::parse2::<syn::Type>(tokens.clone()).ok()?;
            types::tensor_of(&ty, &floats)
        };
        for (&v, ty) in values {
            known.values.extend(written(ty).map(|number| (v, number)));
        }
        for (&p, ty) in places {
            known.places.extend(written(ty).map(|number| (p, number)));
        }
        known
    }

    pub(super) fn value(&self, v: Value) -> Option<Number> {
        self.values.get(&v).cloned()
    }

    /// Notes in the graph what is a tensor.
    pub(super) fn mark(&self, func: &mut Func) {
        for v in self.values.keys() {
            func.values[v.0 as usize].tensor = true;
        }
    }

    /// Of what a path leads to.
    pub(super) fn path(&self, path: &Path) -> Option<Number> {
        (self.places.get(&path.root).cloned()).filter(|_| path.steps.is_empty())
    }

    /// Notes how often places are mentioned.
    pub(super) fn count_reads(&mut self, body: &Block) {
        for op in &body.ops {
            op.walk(&mut |op| {
                for p in op.places() {
                    *self.mentions.entry(p).or_default() += 1;
                }
            });
        }
    }

    /// Kernels are merged within a block alone: forgets what is made around it, and returns that.
    pub(super) fn enter_block(&mut self) -> FxHashSet<Place> {
        std::mem::take(&mut self.made)
    }

    pub(super) fn leave_block(&mut self, around: FxHashSet<Place>) {
        self.made = around;
    }

    /// Whether a place holds what a kernel of this block has made for one operation that reads it.
    pub(super) fn is_read_once(&self, p: Place) -> bool {
        self.made.contains(&p) && self.mentions.get(&p) == Some(&2)
    }

    /// The number that the source spells out.
    pub(super) fn literal(&self, v: Value) -> Option<&TokenStream> {
        self.literals.get(&v)
    }

    /// The tensor that a value refers to.
    pub(super) fn reference(&self, v: Value) -> Option<Place> {
        self.references.get(&v).copied()
    }

    /// The numbers of those values that are tensors, if these are all of one type; nothing if there is none.
    pub(super) fn common(&self, values: &[Value]) -> Option<Number> {
        let mut numbers = values.iter().filter_map(|&v| self.value(v));
        let first = numbers.next()?;
        numbers.all(|number| number == first).then_some(first)
    }

    /// The variables that a loop carries are in each round of the type that they begin with.
    pub(super) fn enter_loop(&mut self, head: &For, op: &Op) {
        for block in &op.blocks {
            let carried = block.params[head.inductions..].iter();
            for (&param, &init) in carried.zip(&op.args[head.domain.operands()..]) {
                let number = self.value(init);
                self.values.extend(number.map(|number| (param, number)));
            }
        }
    }

    /// Methods of tensors change nothing, though they are called on a variable that changes.
    pub(super) fn lend(&self, call: &mut Call) {
        let known = call.receiver && method_name(call).is_some_and(|name| tensors::has(&name));
        if let Some(Arg::Mut(path)) = call.args.first() {
            if known && self.path(path).is_some() {
                call.args[0] = Arg::Ref(path.clone());
            }
        }
    }

    /// Notes what follows from an operation.
    pub(super) fn learn(&mut self, op: &Op) {
        let number = match &op.kind {
            Kind::Lit(tokens) => {
                self.literals.insert(op.results[0], tokens.clone());
                return;
            }
            Kind::New(p) => {
                let number = op.args.first().and_then(|&v| self.value(v));
                // What is put into a variable is of the type that is written there.
                let written = self.places.get(p).cloned();
                self.values.extend(op.args.first().copied().zip(written));
                self.places.extend(number.map(|number| (*p, number)));
                if op.args.first().is_some_and(|v| self.kernels.contains(v)) {
                    self.made.insert(*p);
                }
                return;
            }
            Kind::Load(path) | Kind::Owned(path, "clone") => self.path(path),
            Kind::Take(p) => self.places.get(p).cloned(),
            Kind::Map(map) if map.to == [To::Entries] => {
                self.kernels.insert(op.results[0]);
                self.common(&op.args)
            }
            Kind::Map(map) if matches!(map.to[0], To::Along(..)) => self.common(&op.args),
            Kind::Opaque(code) => {
                let text = code.tokens.to_string().replace(' ', "");
                let alone = code.pure && op.args.is_empty();
                // A number with a sign is spelled out as well.
                if alone && text.starts_with('-') && text.parse::<i64>().is_ok() {
                    self.literals.insert(op.results[0], code.tokens.clone());
                    return;
                }
                if let ([p], true) = (&*code.places, alone && text == "&__p0") {
                    let number = self.places.get(p).cloned();
                    self.references.extend(number.map(|_| (op.results[0], *p)));
                    return;
                }
                self.constant(code, &op.args)
            }
            Kind::Prim(Prim::Neg) => {
                if let Some(number) = self.literals.get(&op.args[0]) {
                    self.literals.insert(op.results[0], quote!(-#number));
                }
                None
            }
            Kind::Call(call) => {
                self.strange.extend(self.strange(call, op));
                self.called(call)
            }
            // All arms yield the same type.
            Kind::If | Kind::Match(..) => {
                for (k, &y) in op.results.iter().enumerate() {
                    let mut blocks = op.blocks.iter().filter(|block| !block.diverges);
                    let number = blocks.find_map(|block| self.value(*block.yields.get(k)?));
                    self.values.extend(number.map(|number| (y, number)));
                }
                return;
            }
            Kind::For(head) => {
                let inits = op.args[head.domain.operands()..].iter();
                for (&init, &y) in inits.zip(&op.results) {
                    let number = self.value(init);
                    self.values.extend(number.map(|number| (y, number)));
                }
                return;
            }
            _ => None,
        };
        if let (Some(number), Some(&y)) = (number, op.results.first()) {
            self.values.insert(y, number);
        }
    }

    /// Of what constant code computes.
    fn constant(&self, code: &Opaque, args: &[Value]) -> Option<Number> {
        let mut known = args.iter().any(|v| self.values.contains_key(v));
        known |= code.places.iter().any(|p| self.places.contains_key(p));
        let e = syn::parse2(known.then(|| code.tokens.clone())?).ok()?;
        self.computed(&e, code, args)
    }

    /// The same of an expression in it, in which operands have other names.
    fn computed(&self, e: &syn::Expr, code: &Opaque, args: &[Value]) -> Option<Number> {
        let same = |e: &syn::Expr| self.computed(e, code, args);
        match e {
            syn::Expr::Path(e) => {
                let name = e.path.get_ident()?.to_string();
                let after = |of: &str| name.strip_prefix(of)?.parse::<usize>().ok();
                if let Some(k) = after("__a").or_else(|| after("__c")) {
                    return self.value(*args.get(k)?);
                }
                let k = after("__p").or_else(|| after("__q"))?;
                self.places.get(code.places.get(k)?).cloned()
            }
            syn::Expr::Paren(e) => same(&e.expr),
            syn::Expr::Group(e) => same(&e.expr),
            syn::Expr::Reference(e) => same(&e.expr),
            syn::Expr::Unary(e) => same(&e.expr).filter(|_| matches!(e.op, syn::UnOp::Neg(_))),
            syn::Expr::Binary(e) if syntax::is_arithmetic(&e.op) => {
                same(&e.left).or_else(|| same(&e.right))
            }
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let name = own_names::unmarked(&name);
                let kept = name == "clone" || tensors::keeps_type(name, m.args.len() + 1);
                same(&m.receiver).filter(|_| kept)
            }
            _ => None,
        }
    }

    /// What is to be said of a call of what tensors have not.
    fn strange(&self, call: &Call, op: &Op) -> Option<Strange> {
        if call.receiver {
            let Arg::Ref(path) = call.args.first()? else {
                return None;
            };
            self.path(path)?;
        }
        Some(Strange {
            refusal: refusal(call)?,
            span: call.member.as_ref()?.span(),
            results: op.results.clone(),
        })
    }

    pub(super) fn strangers(self) -> Vec<Strange> {
        self.strange
    }

    /// Of the result of a method of tensors that gives another of the same numbers.
    fn called(&self, call: &Call) -> Option<Number> {
        let (Arg::Ref(path), true) = (call.args.first()?, call.receiver) else {
            return None;
        };
        let name = method_name(call)?;
        self.path(path)
            .filter(|_| tensors::keeps_type(&name, call.passed))
    }
}

/// The name of the method that is called, as the user wrote it.
pub(super) fn method_name(call: &Call) -> Option<String> {
    Some(own_names::unmarked(&call.member.as_ref()?.to_token_stream().to_string()).to_owned())
}

/// Why a method has no derivatives if it is one of tensors, or a function of their type.
pub(super) fn refusal(call: &Call) -> Option<String> {
    if !features().tensor {
        return None;
    }
    let name = method_name(call)?;
    if call.receiver {
        return tensors::refusal(&name);
    }
    let of = call.path.clone().into_iter().next()?;
    tensors::refusal_of_function(&name).filter(|_| of.to_string() == TENSOR)
}
