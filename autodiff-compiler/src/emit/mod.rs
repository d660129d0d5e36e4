//! From the graph to Rust: statements in the order of the operations, with the user's names.

mod arms;
mod call;
mod closure;
mod control;
mod directions;
mod kernel;
mod memory;
mod parts;
mod sums;
mod views;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use self::closure::{Gathered, Lasting};
use self::directions::Directions;
use self::parts::in_parts;
use crate::forms::lanes;
use crate::inspect::Chart;
use crate::ir::{
    Arg, Asks, Block, BlockId, Companion, Compared, Conversion, Func, Functions, Kind, Op, Opaque,
    Operator, Origin, Param, Part, Path, Place, Prim, Shape, Step, Storage, Ty, Value, Width,
};
use crate::matrices;
use crate::rules;
use crate::standard;

/// An expression is inlined into its only use up to this size.
const INLINE_SIZE: usize = 24;
/// A block with more statements is emitted in parts: rustc's stack does not bear thousands of `let`s in a row.
const BLOCK_SIZE: usize = 1000;

/// A function of the graph, on its way to tokens.
pub(crate) struct Emit<'a> {
    func: &'a Func,
    ascribed: &'a BTreeMap<Value, TokenStream>,
    ascribed_places: &'a BTreeMap<Place, TokenStream>,
    names: FxHashMap<Value, Ident>,
    place_names: FxHashMap<Place, Ident>,
    taken: FxHashMap<String, u32>,
    inlined: FxHashMap<Value, (TokenStream, usize)>,
    /// What is kept for the cotangent of an operand, and computed where that is: the operands that it is kept of.
    kept: FxHashMap<Value, Vec<TokenStream>>,
    /// The function that adds a cotangent in place, and what it is given, of cotangents that are computed where they are used.
    adds: FxHashMap<Value, (TokenStream, TokenStream)>,
    uses: FxHashMap<Value, Uses<'a>>,
    /// What leads to a number in lists, so that it is a `usize`.
    indices: FxHashSet<Value>,
    /// References that are values, and what operators are given in their place, with the places that they lead to.
    references: Vec<(Value, Vec<Place>)>,
    /// Stacks whose slots are opened ahead; the others are pushed to.
    opened: FxHashMap<u32, bool>,
    /// The label of the loop around, if one needs it to leave.
    leaving: Option<syn::Lifetime>,
    /// How arms leave what they remember.
    leaves: FxHashMap<BlockId, arms::Leaves>,
    /// What conditionals remember, in words that are the same only for one type.
    residuals: FxHashMap<Value, Option<String>>,
    split: Option<usize>,
    aliases: Vec<views::Alias>,
    /// Parts of one place that a call borrows together, by the names of their references.
    lent: Vec<(Path, TokenStream)>,
    /// In a loop: what stands in front of the outermost one, for zeros that serve all rounds.
    spares: Option<Vec<Ident>>,
    /// The last operation that mentions a place, and the block that made it.
    last_mention: FxHashMap<Place, *const Op>,
    made_in: FxHashMap<Place, BlockId>,
    /// The place of the operation that is written.
    place: Option<Span>,
    /// The name of the function, where the pullbacks of its calls of itself stand on the stack `deep`.
    pub(crate) deep: Option<Ident>,
    /// The copies that closures share.
    shared: BTreeMap<Lasting, Ident>,
    gathered: Gathered,
    /// Some values are of the type of a type parameter, of which derivative code may only ask what the runtime's `Numeric` has.
    generic: bool,
    /// Literals that the user wrote.
    literals: FxHashSet<Value>,
    /// Calls go to the form that records, under the nodes of this chart.
    pub(crate) recording: Option<&'a Chart>,
    directions: Directions<'a>,
    /// The graph is of the entries of tensors: whose functions the user's own are.
    in_kernel: Option<Functions>,
    /// The cotangent of the result, where both sweeps are one.
    pub(crate) seed: Option<Value>,
}

/// Where a value is used.
#[derive(Default, Clone)]
struct Uses<'a> {
    count: usize,
    /// The last operation that does.
    last: Option<&'a Op>,
    /// Of these, for its zero tangent, in front of any other.
    zeros: usize,
    /// Of these, as an operand of arithmetic.
    arithmetic: usize,
    /// Of these, as a component of a tuple.
    components: usize,
    /// Of these, in what the user wrote.
    written: usize,
    /// Of these, where the user wrote it.
    ordered: usize,
    blocks: FxHashSet<BlockId>,
    /// Used in a loop that its definition stands outside of.
    deeper: bool,
    /// Used on the other side of the split between the sweeps.
    across: bool,
    /// Its zero tangent is asked for as well, in front of the use.
    looked_at: bool,
    /// Of these, as what is lent to an operator or to one of its derivatives.
    lent: usize,
    home: Option<BlockId>,
}

/// The function of a rule that takes its operands as they are, if none is a reference, or with what says which are.
fn of_operands(operator: Operator, name: &str) -> Ident {
    if operator.is_by_value() {
        format_ident!("{name}")
    } else {
        format_ident!("{name}_of")
    }
}

/// The values that an operation takes references to and no more: the operands of an operator, where it is written with references, and those of its derivatives.
fn lent(op: &Op) -> Vec<Value> {
    let Kind::Prim(prim) = op.kind else {
        return Vec::new();
    };
    match prim {
        Prim::Operator(operator) if operator.perhaps == [false; 2] => {
            let lent = op.args.iter().zip(operator.borrowed);
            lent.filter(|(_, lent)| *lent).map(|(&v, _)| v).collect()
        }
        Prim::Keep(operator, _) | Prim::Fore(operator, _) | Prim::DotKeep(operator, ..)
            if operator.perhaps == [false; 2] =>
        {
            op.args.clone()
        }
        Prim::Shape => op.args.clone(),
        _ => Vec::new(),
    }
}

impl<'a> Emit<'a> {
    pub(crate) fn new(
        func: &'a Func,
        ascribed: &'a BTreeMap<Value, TokenStream>,
        ascribed_places: &'a BTreeMap<Place, TokenStream>,
        split: Option<usize>,
    ) -> Self {
        let reserved = crate::forms::RESERVED.iter().map(|&name| name.to_owned());
        let of_tapes = (0..func.tapes).flat_map(|k| [tape_name(k), room_name(k), items_name(k)]);
        let of_tapes = of_tapes.map(|name| name.to_string());
        let mut cx = Emit {
            func,
            ascribed,
            ascribed_places,
            names: FxHashMap::default(),
            place_names: FxHashMap::default(),
            taken: reserved.chain(of_tapes).map(|name| (name, 1)).collect(),
            inlined: FxHashMap::default(),
            kept: FxHashMap::default(),
            adds: FxHashMap::default(),
            uses: FxHashMap::default(),
            indices: FxHashSet::default(),
            references: Vec::new(),
            opened: FxHashMap::default(),
            leaves: FxHashMap::default(),
            residuals: FxHashMap::default(),
            split,
            aliases: Vec::new(),
            lent: Vec::new(),
            spares: None,
            last_mention: FxHashMap::default(),
            made_in: FxHashMap::default(),
            generic: func.generic
                || func.values.iter().any(|v| v.ty.is_generic())
                || func.places.iter().any(|p| p.ty.is_generic()),
            place: None,
            deep: None,
            shared: BTreeMap::new(),
            gathered: Gathered::default(),
            literals: FxHashSet::default(),
            recording: None,
            leaving: None,
            directions: Directions::default(),
            in_kernel: None,
            seed: None,
        };
        cx.count_uses(&func.body, 0, &mut FxHashMap::default());
        cx.find_gathered();
        cx
    }

    /// Gives a parameter the name it has in the signature.
    pub(crate) fn name_value(&mut self, v: Value, ident: Ident) {
        *self.taken.entry(ident.to_string()).or_default() += 1;
        self.names.insert(v, ident);
    }

    /// Gives a place parameter the name it has in the signature.
    pub(crate) fn name_place(&mut self, p: Place, ident: Ident) {
        *self.taken.entry(ident.to_string()).or_default() += 1;
        self.place_names.insert(p, ident);
    }

    fn count_uses(&mut self, block: &'a Block, loops: u32, depth_of: &mut FxHashMap<Value, u32>) {
        for &v in block.params.iter().chain(&block.recall) {
            depth_of.insert(v, loops);
            self.uses.entry(v).or_default().home = Some(block.id);
        }
        let mut side_of: FxHashMap<Value, bool> = FxHashMap::default();
        for (at, op) in block.ops.iter().enumerate() {
            let side = block.id == self.func.body.id && self.split.is_some_and(|split| at >= split);
            let component = matches!(op.kind, Kind::Component(_));
            for v in op.operands() {
                let depth = depth_of.get(&v).copied().unwrap_or(0);
                let uses = self.uses.entry(v).or_default();
                if matches!(op.kind, Kind::ZeroLike) && uses.count == uses.zeros {
                    uses.zeros += 1;
                }
                uses.count += 1;
                uses.arithmetic += usize::from(matches!(op.kind, Kind::Prim(_)));
                uses.last = Some(op);
                uses.components += usize::from(component);
                let written = op.origin == Origin::User;
                uses.written += usize::from(written);
                // Kernels may have moved.
                uses.ordered += usize::from(written && !matches!(op.kind, Kind::Map(_)));
                uses.blocks.insert(block.id);
                uses.deeper |= loops > depth;
                uses.across |= side_of.get(&v).is_some_and(|s| *s != side);
            }
            for v in lent(op) {
                self.uses.entry(v).or_default().lent += 1;
            }
            if let (Kind::Opaque(code), [result]) = (&op.kind, &op.results[..]) {
                self.refer(code, *result, &op.args);
            }
            if let Kind::Call(call) = &op.kind {
                for (companion, k, _) in call.companions() {
                    if let (Companion::Zero, Arg::Value(v)) = (companion, &call.args[k]) {
                        self.uses.entry(*v).or_default().looked_at |= !is_copy(self.func.ty(*v));
                    }
                }
            }
            match &op.kind {
                Kind::Load(path) if self.func.path_ty(path).is_float() => {
                    let index = |step: &Step| match step {
                        Step::Index(v) => Some(*v),
                        _ => None,
                    };
                    self.indices.extend(path.steps.iter().filter_map(index));
                }
                _ => {}
            }
            for p in op.places() {
                self.last_mention.insert(p, op);
            }
            if let Kind::New(p) | Kind::NewZero(p) = &op.kind {
                self.made_in.insert(*p, block.id);
            }
            for &v in &op.results {
                depth_of.insert(v, loops);
                side_of.insert(v, side);
                self.uses.entry(v).or_default().home = Some(block.id);
            }
            let inner_loops = loops + u32::from(matches!(op.kind, Kind::For(_)));
            for inner in &op.blocks {
                self.count_uses(inner, inner_loops, depth_of);
            }
        }
        for (k, &v) in block.yields.iter().chain(&block.record).enumerate() {
            let depth = depth_of.get(&v).copied().unwrap_or(0);
            let uses = self.uses.entry(v).or_default();
            uses.count += 1;
            uses.written += 1;
            uses.ordered += usize::from(k < block.yields.len());
            uses.blocks.insert(block.id);
            uses.deeper |= loops > depth;
            uses.across |= block.id == self.func.body.id
                && side_of.get(&v).is_some_and(|s| !*s)
                && self.split.is_some();
        }
    }

    fn used(&self, v: Value) -> usize {
        self.uses.get(&v).map_or(0, |u| u.count)
    }

    fn fresh(&mut self, hint: &str) -> Ident {
        let hint = hint.replace("r#", "");
        let hint = if hint.is_empty() || hint == "_" {
            "t"
        } else {
            &hint
        };
        loop {
            let n = self.taken.entry(hint.to_owned()).or_default();
            *n += 1;
            let text = match (*n, hint) {
                (1, _) => hint.to_owned(),
                (n, hint) => format!("{hint}_{n}"),
            };
            if text == *hint || !self.taken.contains_key(&text) {
                if text != *hint {
                    self.taken.insert(text.clone(), 1);
                }
                return ident(&text);
            }
        }
    }

    /// The name under which a value is bound.
    fn name(&mut self, v: Value) -> Ident {
        if let Some(name) = self.names.get(&v) {
            return name.clone();
        }
        let name = self.fresh(self.func.hint(v));
        self.names.insert(v, name.clone());
        name
    }

    fn place(&mut self, p: Place) -> Ident {
        if let Some(name) = self.place_names.get(&p) {
            return name.clone();
        }
        let name = self.fresh(&self.func.at(p).hint.clone());
        self.place_names.insert(p, name.clone());
        name
    }

    /// A pattern that binds a value, `_` if nothing uses it.
    fn binder(&mut self, v: Value) -> TokenStream {
        if self.used(v) == 0 {
            quote!(_)
        } else {
            self.name(v).to_token_stream()
        }
    }

    /// An operand: a name, or the expression inlined into its only use; in parentheses where it is not a single term.
    fn operand(&mut self, v: Value) -> TokenStream {
        match self.inlined.get(&v) {
            Some((tokens, size)) if *size > 1 => {
                Group::new(Delimiter::Parenthesis, tokens.clone()).to_token_stream()
            }
            _ => self.bare(v),
        }
    }

    /// An operand where no parentheses are needed.
    fn bare(&mut self, v: Value) -> TokenStream {
        match self.inlined.get(&v) {
            Some((tokens, _)) => tokens.clone(),
            None => self.named(v),
        }
    }

    fn size(&self, v: Value) -> usize {
        self.inlined.get(&v).map_or(1, |(_, size)| *size)
    }

    /// An operand that is moved: copied where it is used again.
    fn moved(&mut self, v: Value) -> TokenStream {
        let whole = self.copies_by_type(v);
        self.moved_or(v, |of| copy_of(whole, of))
    }

    /// Whether a value may be of a type of the user's own, which is copied as that is: what is computed with has operators, and copies.
    fn copies_by_type(&self, v: Value) -> bool {
        let uses = self.uses.get(&v);
        // In a direction there are tangents.
        copies_by_type(self.func.ty(v))
            && !self.in_direction()
            && uses.is_none_or(|uses| uses.count > uses.arithmetic)
    }

    /// The same, with how it is copied.
    fn moved_or(
        &mut self,
        v: Value,
        copy: impl FnOnce(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let uses = self.uses.get(&v).cloned().unwrap_or_default();
        let tokens = self.bare(v);
        debug_assert!(!tokens.is_empty());
        // What is done in each direction is done more than once.
        let last = uses.count - uses.zeros <= 1 && !uses.deeper && !self.in_direction();
        if is_copy(self.func.ty(v)) || self.inlined.contains_key(&v) || last {
            tokens
        } else {
            copy(&tokens)
        }
    }

    fn root(&mut self, p: Place, whole: bool) -> TokenStream {
        let name = self.place_named(p);
        let reference = matches!(
            self.func.at(p).storage,
            Storage::Shared | Storage::Exclusive
        );
        if reference && whole {
            quote!((*#name))
        } else {
            name
        }
    }

    /// The place expression of a path.
    fn path(&mut self, path: &Path) -> TokenStream {
        if let Some((name, path, from)) = self.aliased(path) {
            return self.steps(name.to_token_stream(), &path, from, 0);
        }
        let root = self.root(path.root, path.steps.is_empty());
        self.steps(root, path, 0, 0)
    }

    /// The place expression of a path, where `tokens` stand for what its first steps lead to.
    ///
    /// Its first `shared` steps may be borrowed on another way: fields are written as such there, so that rustc sees that they do not overlap.
    fn steps(
        &mut self,
        tokens: TokenStream,
        path: &Path,
        from: usize,
        shared: usize,
    ) -> TokenStream {
        let mut ty = self.func.at(path.root).ty.clone();
        let (mut tokens, mut field) = (tokens, false);
        let tangent = self.func.at(path.root).tangent;
        for (at, step) in path.steps.iter().enumerate() {
            let unknown = matches!(ty, Ty::User | Ty::Unknown);
            // The tangent of a constant is indexed as well.
            let perhaps = field && tangent;
            field |= unknown && matches!(step, Step::Field(_));
            ty = ty.after(step);
            if at < from {
                continue;
            }
            tokens = match step {
                Step::Index(v) => {
                    let v = self.bare(*v);
                    // Of tensors, or a tensor of several.
                    let unknown = unknown || matches!(ty, Ty::User | Ty::Unknown);
                    match (perhaps, self.place) {
                        (true, _) => quote!(#tokens[rt::At(#v)]),
                        // A panic names the place of an expression, if all of that is the user's.
                        (false, Some(place)) if unknown => quote_spanned!(place=> (#tokens)[#v]),
                        _ => quote!(#tokens[#v]),
                    }
                }
                Step::Field(k) if at >= shared && (perhaps || tangent && matrices::is_part(k)) => {
                    k.by_index(&tokens)
                }
                Step::Field(k) if tangent => k.in_place(&tokens),
                Step::Field(k) => k.looked_at(&tokens),
                Step::Range(lo, hi) => {
                    let lo = lo.map(|v| self.operand(v));
                    let hi = hi.map(|v| self.operand(v));
                    if perhaps {
                        quote!(#tokens[rt::At(#lo..#hi)])
                    } else {
                        quote!(#tokens[#lo..#hi])
                    }
                }
            };
        }
        tokens
    }

    /// Whether a path leads to what may be the tangent of a constant, which is `()`.
    pub(super) fn may_be_nothing(&self, path: &Path) -> bool {
        self.func.at(path.root).tangent && self.func.through_field(path)
    }

    /// The statements of a block, without its yields.
    fn statements(&mut self, ops: &[Op], block: &Block) -> Vec<TokenStream> {
        let mut out = Vec::new();
        let mut k = 0;
        while k < ops.len() {
            let together = &ops[k..][..self.together(&ops[k..]).max(1)];
            for op in together.iter().filter(|_| block.id == self.func.body.id) {
                self.add_sums(Some(op), &mut out);
            }
            match together {
                [op] => self.op(op, ops.get(k + 1), block, &mut out),
                together => self.program(together, &mut out),
            }
            k += together.len();
        }
        out
    }

    /// Binds a value, or hands it to the place that the next operation makes of it.
    fn bind_or_place(
        &mut self,
        v: Value,
        tokens: TokenStream,
        next: Option<&Op>,
        out: &mut Vec<TokenStream>,
    ) {
        let makes = next.is_some_and(|op| matches!(op.kind, Kind::New(_)) && op.args == [v]);
        if makes && self.used(v) == 1 && self.ascription(v).is_none() {
            self.inlined.insert(v, (tokens, 1));
        } else {
            self.bind(v, &tokens, out);
        }
    }

    /// A whole block as the body of an arm or loop: statements, then what `end` makes of them.
    fn block(&mut self, block: &Block, end: impl FnOnce(&mut Self) -> TokenStream) -> TokenStream {
        let statements = self.statements(&block.ops, block);
        let end = end(self);
        quote!(#(#statements)* #end)
    }

    fn inline_or_let(
        &mut self,
        op: &Op,
        block: &Block,
        tokens: TokenStream,
        size: usize,
        out: &mut Vec<TokenStream>,
    ) {
        let v = op.results[0];
        let uses = self.uses.get(&v).cloned().unwrap_or_default();
        let alone = uses.count == 1
            && self.is_written_with(op, uses.last)
            && uses.blocks.contains(&block.id)
            && !uses.across
            && !uses.looked_at
            && size <= INLINE_SIZE
            && self.ascription(v).is_none();
        // A variable of the user's is of one type wherever it is named, which one use may tell.
        let variable =
            op.origin == Origin::User && uses.written > 1 && !self.func.hint(v).is_empty();
        let literal = matches!(op.kind, Kind::Lit(_)) && !variable && self.ascription(v).is_none();
        if literal && !self.in_direction() || alone {
            self.inlined.insert(v, (tokens, size));
            return;
        }
        self.bind(v, &tokens, out);
    }

    /// Remembers the operands that something is kept of where the cotangent is computed at once: it reads them then, and nothing is kept.
    /// What adds such a cotangent is remembered as well.
    fn kept_at_once(&mut self, prim: Prim, op: &Op) {
        let v = op.results[0];
        if !self.inlined.contains_key(&v) {
            return;
        }
        match prim {
            Prim::Keep(operator, _)
                if operator.perhaps == [false; 2] && operator.name != Operator::NEG.name =>
            {
                let operands = self.operands(operator, &op.args);
                self.kept.insert(v, operands);
            }
            // What is written without references is small.
            Prim::Back(operator, side) if operator.borrowed != [false; 2] => {
                if let Some(operands) = self.operands_of(op.args[0]) {
                    let name = Ident::new(operator.name, op.span.resolved_at(Span::mixed_site()));
                    let add = of_operands(operator, &format!("add_{}", side.name()));
                    let dy = self.operand(op.args[1]);
                    let add = quote!(rt::operators::#name::#add);
                    self.adds.insert(v, (add, quote!(#(#operands,)* &#dy)));
                }
            }
            _ => {}
        }
    }

    /// The operands that something is kept of, if the cotangent reads them where it is computed.
    fn operands_of(&self, kept: Value) -> Option<Vec<TokenStream>> {
        let operands = self.kept.get(&kept).cloned();
        operands.filter(|_| self.inlined.contains_key(&kept))
    }

    /// Whether what a parameter refers to, which nothing changes, is read by no more than references to it: there is no need of a copy.
    fn is_lent(&self, v: Value, p: Place) -> bool {
        let place = self.func.at(p);
        let given = self.func.params.iter();
        let mut given = given.filter(|param| matches!(param, Param::Place(q) if *q == p));
        let uses = self.uses.get(&v);
        matches!(place.storage, Storage::Shared)
            && given.next().is_some()
            && uses.is_some_and(|uses| uses.lent == uses.count && !uses.across && !uses.looked_at)
            && self.ascription(v).is_none()
            && !self.in_direction()
    }

    /// The type that the user wrote for a value, or for what it computes again.
    fn ascription(&self, v: Value) -> Option<&'a TokenStream> {
        let original = self.func.copies.get(&v).copied().unwrap_or(v);
        self.ascribed.get(&original)
    }

    fn bind(&mut self, v: Value, tokens: &TokenStream, out: &mut Vec<TokenStream>) {
        let name = self.binder(v);
        let written = self.ascription(v).map(|ty| quote!(: #ty));
        // Rustc has to know whose methods are called on what is made of literals alone.
        let ty = written.or_else(|| match self.func.ty(v) {
            Ty::Float(Width::F64) if only_numbers(tokens) => Some(quote!(: f64)),
            Ty::Float(Width::F32) if only_numbers(tokens) => Some(quote!(: f32)),
            _ => None,
        });
        if ty.is_none() && self.ends_direction(v, tokens, out) {
            return;
        }
        out.push(quote!(let #name #ty = #tokens;));
    }

    fn op(&mut self, op: &Op, next: Option<&Op>, block: &Block, out: &mut Vec<TokenStream>) {
        let around = self.place.replace(op.span);
        if self.is_directed(op) {
            self.in_each_direction(op, block, out);
        } else {
            self.at_once(op, next, block, out);
        }
        self.place = around;
    }

    /// Writes an operation, in one direction or with all of them in lanes.
    fn at_once(&mut self, op: &Op, next: Option<&Op>, block: &Block, out: &mut Vec<TokenStream>) {
        let span = op.span.resolved_at(Span::mixed_site());
        match &op.kind {
            Kind::Lit(tokens) => {
                let v = op.results[0];
                if self.is_wide(v) && !self.func.ty(v).is_inert() {
                    // The one tangent that is a literal.
                    return self.inline_or_let(op, block, quote!(rt::lanes::zero()), 1, out);
                }
                if op.origin == Origin::User {
                    self.literals.insert(v);
                } else if self.generic
                    && self.func.ty(v).is_float()
                    && !self.func.ty(v).is_primitive()
                {
                    return self.inline_or_let(op, block, quote!(rt::num::lit(#tokens)), 1, out);
                }
                let negative = tokens.to_string().starts_with('-');
                self.inline_or_let(op, block, tokens.clone(), if negative { 2 } else { 1 }, out);
            }
            Kind::Prim(prim) => {
                let size = 1 + op.args.iter().map(|&v| self.size(v)).sum::<usize>();
                let tokens = self.prim(*prim, op, span);
                // Of what does not fit, the user's operator says so before its derivatives find out.
                let derived = |next: &Op| next.origin == Origin::Derived;
                if matches!(prim, Prim::Operator(_)) && next.is_some_and(derived) {
                    return self.bind(op.results[0], &tokens, out);
                }
                self.inline_or_let(op, block, tokens, size, out);
                self.kept_at_once(*prim, op);
            }
            Kind::Map(map) => self.kernel(op, map, out),
            Kind::Compare(sign) => {
                let size = 1 + op.args.iter().map(|&v| self.size(v)).sum::<usize>();
                let (a, b) = (self.operand(op.args[0]), self.operand(op.args[1]));
                let sign: TokenStream = sign.parse().unwrap_or_default();
                self.inline_or_let(op, block, quote!(#a #sign #b), size, out);
            }
            Kind::Cast(to, _, conversion) => {
                let size = 1 + self.size(op.args[0]);
                let types = [op.args[0], op.results[0]].map(|v| self.func.ty(v));
                let tokens = if self.is_wide(op.results[0]) {
                    let (v, lanes) = (self.bare(op.args[0]), lanes());
                    quote!(rt::lanes::cast::<_, #to, #lanes>(#v))
                } else if op.origin == Origin::Derived
                    && matches!(types[0], Ty::User | Ty::Unknown)
                    && !self.func.copies.contains_key(&op.results[0])
                {
                    let v = self.bare(op.args[0]);
                    quote_spanned!(span=> rt::cast_fore::<_, #to>(#v))
                } else if op.origin == Origin::User
                    && (!matches!(conversion, Conversion::As)
                        || types.iter().any(|ty| ty.is_generic()))
                {
                    let v = self.bare(op.args[0]);
                    converted(&v, to, conversion, span)
                } else if self.generic
                    // A value of a type parameter is not cast by `as`.
                    && op.origin != Origin::User
                    && !types.iter().all(|ty| ty.is_primitive())
                {
                    let v = self.bare(op.args[0]);
                    quote!(rt::num::cast::<_, #to>(#v))
                } else {
                    let v = self.operand(op.args[0]);
                    quote!(#v as #to)
                };
                self.inline_or_let(op, block, tokens, size, out);
            }
            Kind::CastLike => {
                let (a, b) = (self.bare(op.args[0]), self.operand(op.args[1]));
                let tokens = if matches!(self.func.ty(op.args[1]), Ty::User | Ty::Unknown) {
                    quote_spanned!(span=> rt::cast_back(#a, &#b))
                } else {
                    let wide = self.is_wide(op.results[0]).then(|| quote!(lanes::));
                    quote!(rt::#wide cast_like(#a, &#b))
                };
                self.bind(op.results[0], &tokens, out);
            }
            Kind::Opaque(opaque) => self.opaque(op, opaque, next, block, out),
            Kind::Watch { code, back } => {
                let x = self.moved(op.args[0]);
                let tokens = if *back {
                    let code = self.fill(&code.tokens, &op.args[1..], &code.places, &[]);
                    let ty = match self.func.ty(op.args[0]) {
                        Ty::Float(Width::F64) => Some(quote!(::<f64>)),
                        Ty::Float(Width::F32) => Some(quote!(::<f32>)),
                        _ => None,
                    };
                    quote!(rt::watched #ty (#x, #code))
                } else {
                    x
                };
                self.bind(op.results[0], &tokens, out);
            }
            Kind::Aggregate(shape) => {
                let args: Vec<_> = op.args.iter().map(|&v| self.moved(v)).collect();
                let tokens = match shape {
                    Shape::Tuple => quote!((#(#args,)*)),
                    Shape::Array => quote!([#(#args),*]),
                    Shape::Repeat(len)
                        if op.origin == Origin::Derived && may_own(self.func.ty(op.args[0])) =>
                    {
                        quote!(rt::repeat::<_, { #len }>(&#(#args)*))
                    }
                    Shape::Repeat(len) => quote!([#(#args)*; #len]),
                    Shape::VecList => quote!(rt::vec![#(#args),*]),
                    Shape::Some => quote!(rt::Some(#(#args)*)),
                    Shape::Box => quote!(rt::Box::new(#(#args)*)),
                    Shape::Struct(construct) => {
                        let (path, fields) = (&construct.path, &construct.fields);
                        let base = args.get(fields.len()).map(|base| quote!(..#base));
                        quote!(#path { #(#fields: #args,)* #base })
                    }
                    Shape::VecRepeat => {
                        let (v, n) = (&args[0], &args[1]);
                        quote!(rt::vec![#v; #n])
                    }
                };
                self.bind_or_place(op.results[0], tokens, next, out);
            }
            Kind::Component(k) => {
                let v = op.args[0];
                let uses = self.uses.get(&v).cloned().unwrap_or_default();
                let whole = self.operand(v);
                let part = if op.origin == Origin::User {
                    k.looked_at(&whole)
                } else if matrices::is_part(k) {
                    let part = k.by_index(&whole);
                    quote!(rt::copy(&#part))
                } else {
                    k.in_place(&whole)
                };
                let alone = uses.components == uses.count && !uses.deeper && !self.in_direction();
                let apart = is_copy(self.func.ty(v)) || alone;
                let variant = matches!(k, Part::Of(..) | Part::Inside);
                // Nothing is moved out of a variant, or from behind a reference to a box; the tangent in one that is not used again can be replaced.
                let tokens = if apart && !variant {
                    part
                } else if alone && variant && uses.count == 1 && op.origin == Origin::Derived {
                    let (whole, part) = (self.moved(v), k.in_variable(&quote!(whole)));
                    quote!({ let mut whole = #whole; rt::Tangent::__taken(&mut #part) })
                } else {
                    copy_at(self.copies_by_type(op.results[0]), &part, span)
                };
                let size = 1 + self.size(v);
                if is_copy(self.func.ty(v)) || self.func.ty(op.results[0]).is_scalar() {
                    self.inline_or_let(op, block, tokens, size, out);
                } else {
                    self.bind(op.results[0], &tokens, out);
                }
            }
            Kind::WithComponent(k) if op.args.len() == 1 => {
                let whole = self.moved(op.args[0]);
                let part = changed_part(k, op.origin);
                let tokens =
                    quote!({ let mut whole = #whole; let _ = rt::take_zero(&mut #part); whole });
                self.bind(op.results[0], &tokens, out);
            }
            // A field that is a constant has no place for it.
            Kind::WithComponent(k) if self.func.ty(op.args[0]).is_user() => {
                let (whole, new) = (self.moved(op.args[0]), self.moved(op.args[1]));
                let part = changed_part(k, op.origin);
                let tokens =
                    quote!({ let mut whole = #whole; rt::Slot(&mut #part).put(#new); whole });
                self.bind(op.results[0], &tokens, out);
            }
            Kind::WithComponent(k) => {
                let (whole, new) = (self.moved(op.args[0]), self.moved(op.args[1]));
                let part = changed_part(k, op.origin);
                self.bind(
                    op.results[0],
                    &quote!({ let mut whole = #whole; #part = #new; whole }),
                    out,
                );
            }
            Kind::Element(k) => {
                let v = self.operand(op.args[0]);
                let k = Literal::u32_unsuffixed(*k);
                let tokens = if self.func.ty(op.results[0]).is_scalar() {
                    quote!(#v[#k])
                } else {
                    copy_of(self.copies_by_type(op.results[0]), &quote!(#v[#k]))
                };
                self.bind(op.results[0], &tokens, out);
            }
            Kind::Payload => {
                let v = self.moved(op.args[0]);
                let tokens = match self.func.ty(op.args[0]) {
                    Ty::Option(_) => quote!(rt::payload(#v)),
                    _ => quote!(rt::Holds::held(#v)),
                };
                self.bind(op.results[0], &tokens, out);
            }
            Kind::Leave => {
                let cond = self.bare(op.args[0]);
                let label = &self.leaving;
                out.push(quote!(if #cond { break #label; }));
            }
            Kind::Until => {
                // Bound, for it is asked after the carried values have changed.
                if let Some((tokens, _)) = self.inlined.remove(&op.args[0]) {
                    self.bind(op.args[0], &tokens, out);
                }
            }
            Kind::SumElements => {
                let (v, zero) = (self.operand(op.args[0]), self.moved(op.args[1]));
                self.bind(
                    op.results[0],
                    &quote!(rt::sum_elements(&#v[..], #zero)),
                    out,
                );
            }
            Kind::ZeroLike => {
                let wide = self.is_wide(op.results[0]) && !self.is_wide(op.args[0]);
                let (v, lanes) = (self.operand(op.args[0]), lanes());
                let zero = if wide {
                    asked(&quote!(lanes::zero_like::<_, #lanes>), &v, span)
                } else {
                    asked(&quote!(zero_like), &v, span)
                };
                self.bind(op.results[0], &zero, out);
            }
            Kind::ZeroPart => {
                let v = self.operand(op.args[0]);
                let zero = of_part(&quote!(zero), &v);
                self.bind(op.results[0], &zero, out);
            }
            Kind::Zero => {
                let v = self.operand(op.args[0]);
                self.bind(op.results[0], &quote!(rt::zero_of(&#v)), out);
            }
            Kind::ShapeOf(path) => {
                let of = self.path(path);
                let foreign = self.func.path_ty(path).may_be_foreign();
                let shape = if foreign && self.func.through_field(path) {
                    of_part(&quote!(shape), &of)
                } else {
                    asked(&quote!(shape_of), &of, span)
                };
                self.bind(op.results[0], &shape, out);
            }
            Kind::New(p) => {
                let v = self.moved(op.args[0]);
                let name = self.place(*p);
                let mutable = self.func.at(*p).mutable.then(|| quote!(mut));
                let ty = self.ascribed_places.get(p).map(|ty| quote!(: #ty));
                out.push(quote!(let #mutable #name #ty = #v;));
            }
            Kind::NewZero(p) => {
                let name = self.place(*p);
                let wide = self
                    .directions
                    .lanes()
                    .is_some_and(|dotted| dotted.place(*p));
                let value = match op.args.first() {
                    Some(&shape) => {
                        let (shape, lanes) = (self.bare(shape), lanes());
                        if wide {
                            quote!(rt::lanes::zero_of::<_, #lanes>(&#shape))
                        } else {
                            quote!(rt::zero_of(&#shape))
                        }
                    }
                    None => zero_tokens(&self.func.at(*p).ty, wide, self.generic),
                };
                out.push(quote!(let mut #name = #value;));
            }
            Kind::Take(p) => {
                let name = self.place(*p);
                self.bind(op.results[0], &name.to_token_stream(), out);
            }
            Kind::Load(path) => {
                let copied = self.func.ty(op.results[0]).is_scalar()
                    || is_copy(self.func.ty(op.results[0]))
                    || op.origin == Origin::User
                        && !path.steps.is_empty()
                        && !may_own(self.func.ty(op.results[0]));
                let storage = self.func.at(path.root).storage;
                let reference = matches!(storage, Storage::Shared | Storage::Exclusive);
                let last = self.last_mention.get(&path.root) == Some(&std::ptr::from_ref(op))
                    && self.made_in.get(&path.root) == Some(&block.id);
                let tokens = self.path(path);
                // An operator may take the reference itself, of what is not copied freely.
                let ty = self.func.ty(op.results[0]);
                let user = ty.is_user();
                let owner = user || matches!(ty, Ty::Vec(_));
                let read = reference && op.origin == Origin::User && !owner;
                if user && path.steps.is_empty() && self.is_lent(op.results[0], path.root) {
                    let tokens = self.path(path);
                    self.inlined.insert(op.results[0], (tokens, 1));
                    return;
                }
                let moved = path.steps.is_empty() && (last || read) && !self.in_direction();
                let tokens = if copied || moved {
                    tokens
                } else {
                    copy_at(self.copies_by_type(op.results[0]), &tokens, span)
                };
                self.bind(op.results[0], &tokens, out);
            }
            Kind::Owned(path, method) => {
                let root = self.root(path.root, false);
                let tokens = self.steps(root, path, 0, 0);
                let method = format_ident!("{method}");
                self.bind_or_place(op.results[0], quote!(#tokens.#method()), next, out);
            }
            Kind::Store(path) => {
                // A slice has no size: its elements are written over.
                if matches!(self.func.path_ty(path), Ty::Slice(_)) {
                    let v = self.operand(op.args[0]);
                    let path = self.path(path);
                    out.push(quote!(#path.clone_from_slice(&#v);));
                    return;
                }
                let v = self.moved(op.args[0]);
                let nothing = self.may_be_nothing(path);
                let path = self.path(path);
                out.push(if nothing {
                    quote!(rt::Slot(&mut #path).put(#v);)
                } else {
                    quote!(#path = #v;)
                });
            }
            Kind::AddTo(path) => {
                let plain = op.origin == Origin::User
                    || self.func.ty(op.args[0]).is_float()
                        && !self.is_foreign(op.args[0])
                        && !self.may_be_nothing(path);
                let v = if plain {
                    self.bare(op.args[0])
                } else {
                    self.operand(op.args[0])
                };
                let added = self.adds.get(&op.args[0]).cloned();
                let added = added.filter(|_| self.inlined.contains_key(&op.args[0]));
                let nothing = self.may_be_nothing(path);
                let path = self.path(path);
                if let Some((add, given)) = added {
                    out.push(if nothing {
                        quote!(rt::Slot(&mut #path).add(|to| #add(#given, to));)
                    } else {
                        quote!(#add(#given, &mut #path);)
                    });
                    return;
                }
                out.push(if plain {
                    quote_spanned!(span=> #path += #v;)
                } else {
                    quote!(rt::acc(&mut #path, &#v);)
                });
            }
            Kind::TakeZero(path) => {
                let nothing = self.may_be_nothing(path);
                let path = self.path(path);
                let number = self.func.ty(op.results[0]).is_float()
                    && !nothing
                    && !self.is_foreign(op.results[0])
                    && !self.is_wide(op.results[0]);
                let tokens = if number {
                    quote!(rt::replace(&mut #path, 0.0))
                } else {
                    quote!(rt::take_zero(&mut #path))
                };
                if self.used(op.results[0]) == 0 && number {
                    out.push(quote!(#path = 0.0;));
                } else {
                    self.bind(op.results[0], &tokens, out);
                }
            }
            Kind::Replace(path) => {
                let v = self.moved(op.args[0]);
                let nothing = self.may_be_nothing(path);
                let path = self.path(path);
                let old = if nothing {
                    quote!(rt::Slot(&mut #path).exchange(#v))
                } else {
                    quote!(rt::replace(&mut #path, #v))
                };
                self.bind(op.results[0], &old, out);
            }
            Kind::Len(path) => {
                let root = self.root(path.root, false);
                let path = self.steps(root, path, 0, 0);
                self.bind(op.results[0], &quote!(#path.len()), out);
            }
            Kind::Check(path) => {
                let path = self.path(path);
                out.push(quote!(let _ = &#path;));
            }
            Kind::Walked(path) => {
                let root = self.root(path.root, false);
                let path = self.steps(root, path, 0, 0);
                let path = located_at(quote!(&#path), span);
                out.push(quote_spanned!(span=> rt::walked(#path);));
            }
            Kind::Call(call) => self.call(op, call, span, out),
            Kind::If => {
                let cond = self.bare(op.args[0]);
                let (arms, results) = self.arms(op, out);
                let (then, other) = (&arms[0], &arms[1]);
                if results.is_none() {
                    out.push(if other.is_empty() {
                        quote!(if #cond { #then })
                    } else {
                        quote!(if #cond { #then } else { #other })
                    });
                } else {
                    out.push(quote!(#results if #cond { #then } else { #other };));
                }
            }
            Kind::Match(scrutinee, heads) => {
                let tokens = self.fill(&scrutinee.tokens, &op.args, &scrutinee.places, &[]);
                let (bodies, results) = self.arms(op, out);
                let semicolon = results.as_ref().map(|_| quote!(;));
                let mut arms = TokenStream::new();
                for ((head, body), block) in heads.iter().zip(bodies).zip(&op.blocks) {
                    let pat = self.fill(&head.pat, &[], &[], &block.params);
                    let guard = head.guard.as_ref().map(|guard| {
                        let guard = self.fill(guard, &op.args, &scrutinee.places, &block.params);
                        quote!(if #guard)
                    });
                    let ascribed = self.ascribed(&block.params);
                    arms.extend(quote!(#pat #guard => { #ascribed #body }));
                }
                out.push(quote!(#results match #tokens { #arms } #semicolon));
            }
            Kind::Switch => self.switch(op, out),
            Kind::For(head) => self.for_loop(op, head, out),
            Kind::AssertSame => {
                let (a, b) = (self.bare(op.args[0]), self.bare(op.args[1]));
                let name = self.func.hint(op.args[0]).to_owned();
                out.push(quote!(rt::assert_same(#name, #a, #b);));
            }
            Kind::Absorbed { counts, divides } => {
                let (a, b) = (self.bare(op.args[0]), self.bare(op.args[1]));
                let [of_a, of_b] = counts;
                let of_a = match op.args.get(2) {
                    Some(&seed) if *of_a => {
                        let seed = self.bare(seed);
                        quote!(!rt::is_zero(#seed))
                    }
                    _ => quote!(#of_a),
                };
                let name = if *divides {
                    "quotient_absorbed"
                } else {
                    "absorbed"
                };
                let name = Ident::new(name, span);
                out.push(quote_spanned!(span=> rt::#name(#a, #b, #of_a, #of_b);));
            }
            Kind::Change(..)
            | Kind::Swap(..)
            | Kind::Copy(..)
            | Kind::Fill(_)
            | Kind::Give(..)
            | Kind::SumZero(_) => self.memory(op, out),
            Kind::Need(_) | Kind::Undo(..) | Kind::Mark => {
                unreachable!("left over from before the needs were met")
            }
        }
    }

    /// Whether a value may be of the type of a type parameter, for all that the macro knows.
    fn is_foreign(&self, v: Value) -> bool {
        self.generic && !self.func.ty(v).is_primitive()
    }

    /// Arithmetic on values of a type parameter, by functions of the runtime: the user's bounds need not have the operator, or have it for references only.
    fn lifted(&mut self, prim: Prim, op: &Op, span: Span) -> TokenStream {
        let name = match prim {
            Prim::Add => "add",
            Prim::Sub => "sub",
            Prim::Mul => "mul",
            Prim::Div => "div",
            Prim::Neg => "neg",
            Prim::Select => "select",
            Prim::Smul if self.func.mild.contains(&op.results[0]) => "smul",
            Prim::Sdiv if self.func.mild.contains(&op.results[0]) => "sdiv",
            Prim::Smul | Prim::Zmul => "zmul",
            Prim::Absorb(asks) => absorbing(asks, op),
            Prim::Sdiv => "zdiv",
            Prim::Linked => return self.bare(op.args[0]),
            Prim::Number => "number",
            Prim::Settle => "settle",
            Prim::Shape => "shape_of",
            Prim::Operator(operator)
            | Prim::Keep(operator, _)
            | Prim::Back(operator, _)
            | Prim::Fore(operator, _)
            | Prim::DotKeep(operator, ..)
            | Prim::DotBack(operator, ..) => operator.name,
            Prim::Rule(row) => rules::rule(row).name,
        };
        let name = Ident::new(name, span);
        let args = op.args.iter().map(|&v| {
            let tokens = self.bare(v);
            if self.literals.contains(&v) && !self.func.ty(v).is_inert() {
                quote!(rt::num::lit(#tokens))
            } else {
                tokens
            }
        });
        let args: Vec<_> = args.collect();
        quote!(rt::num::#name(#(#args),*))
    }

    fn prim(&mut self, prim: Prim, op: &Op, span: Span) -> TokenStream {
        if let Some(tokens) = self.operator(prim, op, span) {
            return tokens;
        }
        let user = op.origin == Origin::User;
        let args = op.args.iter().map(|&v| {
            let data = &self.func.values[v.0 as usize];
            let by_method = matches!(prim, Prim::Rule(_)) && data.ty.is_user();
            if user && (data.assumed || by_method) {
                let v = located_at(self.bare(v), span);
                let check = Ident::new(if by_method { "calculated" } else { "assumed" }, span);
                quote_spanned!(span=> rt::operators::#check(#v))
            } else {
                self.operand(v)
            }
        });
        let args: Vec<TokenStream> = args.collect();
        let binary = |sign: TokenStream| {
            let (a, b) = (&args[0], &args[1]);
            let sign: TokenStream = sign
                .into_iter()
                .map(|mut t| {
                    t.set_span(span);
                    t
                })
                .collect();
            quote!(#a #sign #b)
        };
        let scalar = user || op.args.iter().any(|&v| self.func.ty(v).is_scalar());
        let method = matches!(prim, Prim::Rule(row) if rules::rule(row).method);
        let foreign = if user {
            // What the user's bounds have for certain is left as it stands.
            let generic = |v: &Value| self.func.ty(*v).is_generic() && !self.literals.contains(v);
            !method && op.args.iter().all(generic)
        } else {
            op.args.iter().any(|&v| self.is_foreign(v))
        };
        let in_lanes = match self.in_kernel {
            Some(Functions::Lanes) => true,
            Some(Functions::Std) => !user,
            None => false,
        };
        if let (true, Prim::Rule(row)) = (in_lanes, prim) {
            let args: Vec<_> = op.args.iter().map(|&v| self.bare(v)).collect();
            if let Some(in_lanes) = kernel::in_lanes(rules::rule(row).name, &args) {
                return in_lanes;
            }
        }
        if foreign && (scalar || !matches!(prim, Prim::Add)) {
            return self.lifted(prim, op, span);
        }
        match prim {
            Prim::Add if !scalar => {
                let (a, b) = (self.moved(op.args[0]), self.moved(op.args[1]));
                quote!(rt::sum(#a, #b))
            }
            Prim::Add => binary(quote!(+)),
            Prim::Sub => binary(quote!(-)),
            Prim::Mul => binary(quote!(*)),
            Prim::Div => binary(quote!(/)),
            Prim::Neg => {
                let a = &args[0];
                quote!(-#a)
            }
            Prim::Linked => self.bare(op.args[0]),
            Prim::Smul | Prim::Select | Prim::Zmul | Prim::Absorb(_) | Prim::Sdiv => {
                let name = format_ident!(
                    "{}",
                    match prim {
                        Prim::Select => "select",
                        Prim::Smul if self.func.mild.contains(&op.results[0]) => "smul",
                        Prim::Sdiv if self.func.mild.contains(&op.results[0]) => "sdiv",
                        Prim::Sdiv => "zdiv",
                        Prim::Absorb(asks) => absorbing(asks, op),
                        _ => "zmul",
                    }
                );
                let args = op.args.iter().map(|&v| self.bare(v));
                let args: Vec<_> = args.collect();
                let wide = self.is_wide(op.results[0]).then(|| quote!(lanes::));
                quote!(rt::#wide #name(#(#args),*))
            }
            Prim::Number
            | Prim::Settle
            | Prim::Shape
            | Prim::Operator(_)
            | Prim::Keep(..)
            | Prim::Back(..)
            | Prim::Fore(..)
            | Prim::DotKeep(..)
            | Prim::DotBack(..) => {
                unreachable!("written as calls of the runtime")
            }
            Prim::Rule(row) => {
                let rule = rules::rule(row);
                let name = Ident::new(rule.name, span);
                if user && rule.name == "rem" {
                    return binary(quote!(%));
                }
                let bare: Vec<_> = op.args.iter().map(|&v| self.bare(v)).collect();
                if self.in_kernel.is_some() {
                    return quote!(rt::op::#name(#(#bare),*));
                }
                if user && rule.method {
                    let receiver = &args[0];
                    let rest = &bare[1..];
                    if self.is_foreign(op.args[0]) {
                        return self.of_a_parameter(&name, &bare, span);
                    }
                    // Of numbers alone rustc does not know whose method it is.
                    if only_numbers(receiver) {
                        let width = |&v: &Value| match self.func.ty(v) {
                            Ty::Float(Width::F64) => Some(quote!(f64::)),
                            Ty::Float(Width::F32) => Some(quote!(f32::)),
                            _ => None,
                        };
                        // Another operand may know.
                        let owner = op.args.iter().chain(&op.results).find_map(width);
                        let owner = owner.unwrap_or_else(|| quote!(rt::op::));
                        return quote!(#owner #name(#(#bare),*));
                    }
                    return quote!(#receiver.#name(#(#rest),*));
                }
                quote!(rt::op::#name(#(#bare),*))
            }
        }
    }

    /// A method of what may be of the type of a type parameter: rustc says whether it is std's, or the user does.
    fn of_a_parameter(&self, name: &Ident, args: &[TokenStream], span: Span) -> TokenStream {
        let Some(compared) = self.func.assume_std else {
            let (x, rest) = (&args[0], &args[1..]);
            let x = standard::known(x, name);
            return quote!(#x.#name(#(#rest),*));
        };
        let names = (0..args.len()).map(|k| format_ident!("__a{k}", span = Span::mixed_site()));
        let names: Vec<Ident> = names.collect();
        let (text, always) = (name.to_string(), compared == Compared::Always);
        let (x, rest) = (&names[0], &names[1..]);
        quote_spanned!(span=> ({ #(let #names = #args;)* rt::assume_std(#text, #always, #x.#name(#(rt::argument(&#rest)),*), || rt::num::#name(#(#names),*)) }))
    }

    /// An operator that the user may have defined, or one of its derivatives; `None` for other arithmetic.
    fn operator(&mut self, prim: Prim, op: &Op, span: Span) -> Option<TokenStream> {
        let args = &op.args;
        let of = |operator: Operator| Ident::new(operator.name, span);
        Some(match prim {
            Prim::Operator(operator) => {
                let args = args.iter().zip(operator.borrowed);
                let args: Vec<_> = args
                    .map(|(&v, borrowed)| {
                        if borrowed {
                            let v = self.operand(v);
                            quote!(&#v)
                        } else {
                            // Who has operators that take values has copies of them.
                            self.moved_or(v, |of| quote!(rt::copy(&#of)))
                        }
                    })
                    .collect();
                // A panic names the place of an expression, if all of that is the user's.
                let own = op.span;
                if let (true, [a, b]) = (operator.assigns(), args.as_slice()) {
                    let name = Ident::new(operator.name, own);
                    return Some(quote_spanned!(own=> rt::operators::Left(#a).#name(#b)));
                }
                let sign: TokenStream = operator.sign.parse().unwrap_or_default();
                let sign = sign.into_iter().map(|mut token| {
                    token.set_span(own);
                    token
                });
                let sign: TokenStream = sign.collect();
                match args.as_slice() {
                    [a] => quote_spanned!(own=> #sign (#a)),
                    [a, b] => quote_spanned!(own=> (#a) #sign (#b)),
                    _ => return None,
                }
            }
            Prim::Number => {
                let x = self.operand(args[0]);
                quote_spanned!(span=> rt::operators::number(#x))
            }
            Prim::Settle => {
                let (y, dot) = (self.operand(args[0]), self.moved(args[1]));
                let part = match self.func.ty(args[0]) {
                    Ty::Inert => quote!(Formed),
                    _ => quote!(Part),
                };
                quote!(rt::#part(&#y, #dot).settle())
            }
            Prim::Shape => {
                let v = self.operand(args[0]);
                quote!(rt::shape_of(&#v))
            }
            Prim::Keep(operator, side) => {
                let keep = of_operands(operator, &format!("keep_{}", side.name()));
                let (name, args) = (of(operator), self.operands(operator, args));
                quote_spanned!(span=> rt::operators::#name::#keep(#(#args),*))
            }
            Prim::Back(operator, side) => {
                let name = of(operator);
                if let Some(operands) = self.operands_of(args[0]) {
                    let now = of_operands(operator, &format!("{}_now", side.name()));
                    let dy = self.operand(args[1]);
                    return Some(
                        quote_spanned!(span=> rt::operators::#name::#now(#(#operands,)* &#dy)),
                    );
                }
                let back = format_ident!("{}", side.name());
                let (kept, dy) = (self.moved(args[0]), self.operand(args[1]));
                quote_spanned!(span=> rt::operators::#name::#back(#kept, &#dy))
            }
            Prim::Fore(operator, side) => {
                let fore = of_operands(operator, &format!("fore_{}", side.name()));
                let (name, args) = (of(operator), self.operands(operator, args));
                quote_spanned!(span=> rt::operators::#name::#fore(#(#args),*))
            }
            Prim::DotKeep(operator, side, there) => {
                let keep = of_operands(operator, &format!("dot_keep_{}", side.name()));
                let (name, args) = (of(operator), self.operands(operator, args));
                let operands = operator.arity();
                let (args, dots) = args.split_at(operands);
                let mut dots = dots.iter();
                let dots = there[..operands].iter().map(|there| {
                    let dot = there.then(|| dots.next()).flatten();
                    perhaps(dot.cloned())
                });
                quote_spanned!(span=> rt::operators::#name::#keep(#(#args,)* #(#dots),*))
            }
            Prim::DotBack(operator, side, [of_kept, of_dy]) => {
                let (name, back) = (of(operator), format_ident!("dot_{}", side.name()));
                let kept = self.moved(args[0]);
                let kept_dot = of_kept.then(|| self.moved(args[1]));
                let dy = 1 + usize::from(of_kept);
                let dy_dot = of_dy.then(|| {
                    let dot = self.operand(args[dy + 1]);
                    quote!(&#dot)
                });
                let (kept_dot, dy_dot) = (perhaps(kept_dot), perhaps(dy_dot));
                let dy = self.operand(args[dy]);
                quote_spanned!(span=> rt::operators::#name::#back(#kept, #kept_dot, &#dy, #dy_dot))
            }
            _ => return None,
        })
    }

    /// References to the operands of an operator, and to what stands behind them.
    fn operands(&mut self, operator: Operator, args: &[Value]) -> Vec<TokenStream> {
        let mut out = Vec::new();
        for (k, &v) in args.iter().enumerate() {
            let tokens = self.operand(v);
            let lent = (k < operator.arity()).then(|| operator.borrowed[k]);
            out.push(match lent {
                Some(_) if operator.perhaps[k] => quote!(rt::operators::perhaps(&#tokens).of()),
                Some(lent) if !operator.is_by_value() => {
                    quote!(rt::operators::Of::<_, #lent>(&#tokens))
                }
                _ => quote!(&#tokens),
            });
        }
        out
    }

    fn opaque(
        &mut self,
        op: &Op,
        opaque: &Opaque,
        next: Option<&Op>,
        block: &Block,
        out: &mut Vec<TokenStream>,
    ) {
        let tokens = self.fill(&opaque.tokens, &op.args, &opaque.places, &[]);
        let Some(&v) = op.results.first() else {
            out.push(quote!(#tokens;));
            return;
        };
        if opaque.pure && opaque.places.is_empty() && self.func.ty(v).is_scalar() {
            self.inline_or_let(op, block, tokens, INLINE_SIZE / 2, out);
        } else {
            self.bind_or_place(v, tokens, next, out);
        }
    }

    /// Whether derivatives look at the value, which the user cannot know.
    fn is_looked_at(&self, v: Value) -> bool {
        let uses = self.uses.get(&v);
        uses.is_some_and(|uses| uses.count > uses.ordered)
    }

    /// Notes the result of code that is a reference, or what operators are given in its place.
    fn refer(&mut self, code: &Opaque, result: Value, args: &[Value]) {
        let first = code.tokens.clone().into_iter().next();
        let places: Vec<Place> = match first {
            Some(TokenTree::Punct(sign)) if sign.as_char() == '&' => code.places.clone(),
            Some(TokenTree::Ident(name)) if name == "rt" => {
                let made_of = self.references.iter().filter(|(of, _)| args.contains(of));
                made_of.flat_map(|(_, of)| of.clone()).collect()
            }
            _ => return,
        };
        self.references.push((result, places));
    }

    /// Whether they look at a reference to a part of the place.
    fn is_referred_to(&self, p: Place) -> bool {
        let mut references = self.references.iter();
        references.any(|(reference, places)| places.contains(&p) && self.is_looked_at(*reference))
    }

    /// Replaces the placeholders in verbatim code.
    fn fill(
        &mut self,
        tokens: &TokenStream,
        args: &[Value],
        places: &[Place],
        params: &[Value],
    ) -> TokenStream {
        let mut out = TokenStream::new();
        for token in tokens.clone() {
            match token {
                TokenTree::Ident(ident) => {
                    let text = ident.to_string();
                    let index = |prefix: &str| {
                        text.strip_prefix(prefix)
                            .and_then(|n| n.parse::<usize>().ok())
                    };
                    if let Some(&v) = index("__a").and_then(|k| args.get(k)) {
                        out.extend(self.operand(v));
                    } else if let Some(&v) = index("__c").and_then(|k| args.get(k)) {
                        let again = !self.inlined.contains_key(&v) && self.is_looked_at(v);
                        let name = self.operand(v);
                        out.extend(if again {
                            copy_of(self.copies_by_type(v), &name)
                        } else {
                            name
                        });
                    } else if let Some(&p) = index("__p").and_then(|k| places.get(k)) {
                        out.extend(self.place_named(p));
                    } else if let Some(&p) = index("__q").and_then(|k| places.get(k)) {
                        let name = self.place_named(p);
                        let place = self.func.at(p);
                        let again = place.copied || self.is_referred_to(p);
                        let again = again && !place.borrows && !is_copy(&place.ty);
                        out.extend(if again {
                            copy_of(copies_by_type(&place.ty), &name)
                        } else {
                            name
                        });
                    } else if let Some(&v) = index("__b").and_then(|k| params.get(k)) {
                        out.extend(self.name(v).to_token_stream());
                    } else {
                        out.extend([TokenTree::Ident(ident)]);
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(
                        group.delimiter(),
                        self.fill(&group.stream(), args, places, params),
                    );
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                other => out.extend([other]),
            }
        }
        out
    }

    /// Declarations of all stacks, once it is known how each is used, and of the copies that closures share.
    fn tapes(&self) -> TokenStream {
        let shared = self
            .shared
            .values()
            .map(|name| quote!(let #name = rt::Shared::new();));
        (0..self.func.tapes)
            .map(|k| {
                let name = tape_name(k);
                let open = self.opened.get(&k).copied().unwrap_or(false);
                let kind = if open { quote!(Slots) } else { quote!(Stack) };
                quote!(let mut #name = rt::#kind::new();)
            })
            .chain(shared)
            .collect()
    }

    /// The whole body as statements, and its yields; `from..to` are operations.
    pub(crate) fn body(&mut self) -> (TokenStream, Vec<TokenStream>) {
        let block = &self.func.body;
        let mut statements = self.statements(&block.ops, block);
        self.add_sums(None, &mut statements);
        let yields: Vec<_> = block.yields.iter().map(|&v| self.moved(v)).collect();
        let statements = in_parts(statements, &yields);
        let (tapes, sums) = (self.tapes(), self.sums());
        (quote!(#tapes #sums #statements), yields)
    }

    /// The forward sweep with its result, and the reverse sweep with its cotangents.
    pub(crate) fn sweeps(
        &mut self,
        split: usize,
        results: usize,
    ) -> (TokenStream, Vec<TokenStream>, TokenStream, Vec<TokenStream>) {
        let block = &self.func.body;
        let forward = self.statements(&block.ops[..split], block);
        let values: Vec<_> = block.yields[..results]
            .iter()
            .map(|&v| self.moved(v))
            .collect();
        let mut reverse = self.statements(&block.ops[split..], block);
        self.add_sums(None, &mut reverse);
        let bars: Vec<_> = block.yields[results..]
            .iter()
            .map(|&v| self.moved(v))
            .collect();
        let after: TokenStream = reverse
            .iter()
            .cloned()
            .chain(bars.iter().cloned())
            .collect();
        let mut live = values.clone();
        live.push(after);
        let forward = in_parts(forward, &live);
        let (tapes, sums) = (self.tapes(), self.sums());
        let reverse = in_parts(reverse, &bars);
        (
            quote!(#tapes #forward),
            values,
            quote!(#sums #reverse),
            bars,
        )
    }
}

fn tape_name(k: u32) -> Ident {
    format_ident!("tape_{k}", span = Span::mixed_site())
}

/// The slots of a tape that a loop writes, which counts its rounds.
fn room_name(k: u32) -> Ident {
    format_ident!("room_{k}", span = Span::mixed_site())
}

/// What such a loop walks through.
fn items_name(k: u32) -> Ident {
    format_ident!("items_{k}", span = Span::mixed_site())
}

/// The label of such a loop.
fn rounds_label(k: u32) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'rounds_{k}"), Span::mixed_site())
}

fn ident(text: &str) -> Ident {
    let span = Span::mixed_site();
    // Of these there is no raw form; code that binds them does not compile, and rustc says why.
    let special = matches!(text, "self" | "Self" | "super" | "crate");
    if special || syn::parse_str::<Ident>(text).is_ok() {
        Ident::new(text, span)
    } else {
        Ident::new_raw(text, span)
    }
}

/// What is remembered as one value: a tuple, nested where it has more parts than std gives traits to.
fn slot(parts: &[TokenStream]) -> TokenStream {
    const MOST: usize = 12;
    if parts.len() <= MOST {
        return quote!((#(#parts,)*));
    }
    let groups: Vec<TokenStream> = parts.chunks(MOST).map(slot).collect();
    slot(&groups)
}

/// May be a type that is not copied freely.
fn may_own(ty: &Ty) -> bool {
    match ty {
        Ty::Vec(_) | Ty::User => true,
        Ty::Array(elem, _) | Ty::Option(elem) => may_own(elem),
        Ty::Tuple(parts) => parts.iter().any(may_own),
        _ => false,
    }
}

/// Copied freely, as far as the macro can tell.
fn is_copy(ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int | Ty::Bool | Ty::Residual { plain: true } => true,
        Ty::Array(elem, _) | Ty::Option(elem) => is_copy(elem),
        Ty::Tuple(parts) => parts.iter().all(is_copy),
        _ => false,
    }
}

/// The zero of a type that is known to its last number; in a `generic` function that may be one of a type parameter.
fn zero_tokens(ty: &Ty, wide: bool, generic: bool) -> TokenStream {
    match ty {
        Ty::Float(_) if wide => quote!(rt::lanes::zero()),
        Ty::Float(Width::F32) => quote!(0.0_f32),
        Ty::Float(Width::F64) => quote!(0.0_f64),
        Ty::Float(Width::Any) if !generic => quote!(0.0),
        Ty::Float(Width::Any | Width::Generic) => quote!(rt::num::lit(0.0)),
        Ty::Array(elem, Some(len)) => {
            let elem = zero_tokens(elem, wide, generic);
            quote!([#elem; #len])
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| zero_tokens(part, wide, generic));
            quote!((#(#parts,)*))
        }
        _ => quote!(()),
    }
}

/// What may be there, as an option.
fn perhaps(tokens: Option<TokenStream>) -> TokenStream {
    match tokens {
        Some(tokens) => quote!(rt::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}

/// Whether a type may be one of the user's own, which need not be `Clone`.
pub(crate) fn copies_by_type(ty: &Ty) -> bool {
    !ty.is_understood() && !matches!(ty, Ty::Residual { .. })
}

/// A copy of a value, by its type's own way or by `Clone`.
pub(crate) fn copy_of(by_type: bool, of: impl ToTokens) -> TokenStream {
    if by_type {
        quote!(rt::Original(&#of).__copy())
    } else {
        quote!(rt::copy(&#of))
    }
}

/// The same at the place that rustc names where there is none.
fn copy_at(by_type: bool, of: &TokenStream, span: Span) -> TokenStream {
    if !by_type {
        return asked(&quote!(copy), of, span);
    }
    let of = located_at(quote!(&#of), span);
    quote_spanned!(span=> rt::Original(#of).__copy())
}

/// What a function of the runtime says of a value, at the place that rustc names where a type has no such thing.
fn asked(function: &TokenStream, of: &TokenStream, span: Span) -> TokenStream {
    let (function, of) = (
        located_at(function.clone(), span),
        located_at(quote!(&#of), span),
    );
    quote_spanned!(span=> rt::#function(#of))
}

/// The same of a part of a struct, which may be a constant of a type that has no tangents.
fn of_part(method: &TokenStream, of: &TokenStream) -> TokenStream {
    quote!((&rt::PartOf(&#of)).#method())
}

/// Tokens that rustc names by another place.
pub(crate) fn located_at(tokens: TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        let own = token.span();
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), located_at(group.stream(), span)).into();
        }
        token.set_span(own.located_at(span));
        token
    });
    tokens.collect()
}

/// Names nothing.
fn only_numbers(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Ident(_) => false,
        TokenTree::Group(group) => only_numbers(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => true,
    })
}

/// A cast as the user wrote it, by rustc's word that it is one.
fn converted(v: &TokenStream, to: &TokenStream, by: &Conversion, span: Span) -> TokenStream {
    let check = match by {
        Conversion::As | Conversion::Float => {
            return quote_spanned!(span=> rt::convert::<_, #to>(#v));
        }
        Conversion::Into => return quote_spanned!(span=> rt::into::<_, #to, _>(#v)),
        Conversion::From => quote_spanned!(span=> __autodiff_from),
        Conversion::FromPrimitive => quote_spanned!(span=> __autodiff_from_primitive),
        Conversion::To(method) => {
            let method = Ident::new(method, span);
            return quote_spanned!(span=> ({
                use rt::{KnownTo as _, MethodsByValue as _};
                let x = #v;
                let _ = || rt::of_numbers(x.#method());
                (&&rt::Casting::<_, #to>::new(x)).__autodiff_to()
            }));
        }
        Conversion::Path(function, written) => {
            let names = function.iter().map(|name| Ident::new(name, span));
            let by = if function[0] == "ToPrimitive" {
                quote_spanned!(span=> cast_by_reference)
            } else {
                quote_spanned!(span=> cast_by)
            };
            return quote_spanned!(span=> rt::casts::#by::<_, #to, _, _>(#v, rt::casts::#(#names)::*, #written));
        }
    };
    quote_spanned!(span=> ({ use rt::{KnownFrom as _, KnownFromPrimitive as _}; (&&rt::Casting::<_, #to>::new(#v)).#check() }))
}

/// Removes parentheses around a whole expression, unless it is one that a loop does not take without them: a struct.
fn unparen(tokens: &TokenStream) -> TokenStream {
    let mut iter = tokens.clone().into_iter();
    match (iter.next(), iter.next()) {
        (Some(TokenTree::Group(group)), None)
            if group.delimiter() == Delimiter::Parenthesis && !has_braces(&group.stream()) =>
        {
            group.stream()
        }
        _ => tokens.clone(),
    }
}

fn has_braces(tokens: &TokenStream) -> bool {
    let braces = |t| matches!(t, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    tokens.clone().into_iter().any(braces)
}

/// The function of the runtime by which a product absorbs.
fn absorbing(asks: Asks, op: &Op) -> &'static str {
    match asks {
        Asks::Slope if op.args.len() > 2 => "absorb_if",
        Asks::Partial if op.args.len() > 2 => "select_if",
        Asks::Slope => "absorb",
        Asks::Partial => "select",
    }
}

/// The part of a variable `whole` that is changed there, of a value or of a tangent.
fn changed_part(part: &Part, origin: Origin) -> TokenStream {
    let whole = quote!(whole);
    if origin == Origin::Derived && matrices::is_part(part) {
        part.by_index(&whole)
    } else {
        part.in_variable(&whole)
    }
}
