//! The static computation graph: structured SSA with regions, and places for what is memory.
//!
//! A [`Value`] is immutable and defined once.
//! A [`Place`] is one memory object: a variable that is stored through a projection, or what a reference parameter refers to.
//! References are not values: lowering resolves them to a [`Path`] from a place.
//! Forward-mode and reverse-mode differentiation map graphs to graphs of the same kinds.

use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// An immutable value, defined by one operation or block parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Value(pub(crate) u32);

/// A memory object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Place(pub(crate) u32);

/// A block of the forward sweep; blocks of the reverse sweep name the one they mirror.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub(crate) struct BlockId(pub(crate) u32);

/// The position of an operation in the primal, in textual order.
pub(crate) type Pos = u32;

/// The width of a float, as far as the macro can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    F32,
    F64,
    /// A float for sure, of a width that only rustc knows.
    Any,
    /// A type parameter, which stands for a float.
    Generic,
}

/// What the macro knows of a type; rustc knows the rest.
#[derive(Clone, Debug)]
pub(crate) enum Ty {
    Float(Width),
    Int,
    Bool,
    /// A type without derivative: text, unit, a hash map, a range.
    Inert,
    Unknown,
    /// Of a type that the user named, or a part of one: a struct, a number, anything. Its operators may be the user's own.
    User,
    Array(Box<Ty>, Option<TokenStream>),
    Slice(Box<Ty>),
    Vec(Box<Ty>),
    Tuple(Vec<Ty>),
    Option(Box<Ty>),
    /// What the arms of a conditional remember; plain if it is made of numbers alone.
    Residual {
        plain: bool,
    },
}

impl Ty {
    pub(crate) const F64: Ty = Ty::Float(Width::F64);

    /// Certainly without derivative.
    pub(crate) fn is_inert(&self) -> bool {
        match self {
            Ty::Int | Ty::Bool | Ty::Inert => true,
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => {
                elem.is_inert()
            }
            Ty::Tuple(parts) => parts.iter().all(Ty::is_inert),
            Ty::Float(_) | Ty::Unknown | Ty::User | Ty::Residual { .. } => false,
        }
    }

    /// Whether values may be, or hold, what has no tangent, of a type that the macro does not see.
    pub(crate) fn may_be_foreign(&self) -> bool {
        matches!(self, Ty::Inert) || !self.is_understood()
    }

    /// Known in all its parts.
    pub(crate) fn is_understood(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Int | Ty::Bool | Ty::Inert => true,
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => {
                elem.is_understood()
            }
            Ty::Tuple(parts) => parts.iter().all(Ty::is_understood),
            Ty::Unknown | Ty::User | Ty::Residual { .. } => false,
        }
    }

    /// Made of nothing but numbers and truth values.
    pub(crate) fn is_numbers(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Int | Ty::Bool => true,
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => {
                elem.is_numbers()
            }
            Ty::Tuple(parts) => parts.iter().all(Ty::is_numbers),
            Ty::Inert | Ty::Unknown | Ty::User | Ty::Residual { .. } => false,
        }
    }

    /// A number or truth value that is copied freely.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Float(_) | Ty::Int | Ty::Bool)
    }

    pub(crate) fn is_user(&self) -> bool {
        matches!(self, Ty::User)
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    /// A number or truth value of a type that is known by its name.
    pub(crate) fn is_primitive(&self) -> bool {
        matches!(
            self,
            Ty::Float(Width::F32 | Width::F64) | Ty::Int | Ty::Bool
        )
    }

    /// Has a type parameter in it.
    pub(crate) fn is_generic(&self) -> bool {
        match self {
            Ty::Float(width) => *width == Width::Generic,
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => {
                elem.is_generic()
            }
            Ty::Tuple(parts) => parts.iter().any(Ty::is_generic),
            Ty::Int | Ty::Bool | Ty::Inert | Ty::Unknown | Ty::User | Ty::Residual { .. } => false,
        }
    }

    /// May be remembered in a slot that is there before it is written, and is copied.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Int | Ty::Bool | Ty::Residual { plain: true } => true,
            Ty::Array(elem, _) | Ty::Option(elem) => elem.is_plain(),
            Ty::Tuple(parts) => parts.iter().all(Ty::is_plain),
            _ => false,
        }
    }

    /// Every value of the type has the same number of scalars, as far as a place of it is concerned: a slice keeps its length.
    pub(crate) fn keeps_shape(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Int | Ty::Bool | Ty::Inert => true,
            Ty::Array(elem, _) | Ty::Slice(elem) => elem.keeps_shape(),
            Ty::Tuple(parts) => parts.iter().all(Ty::keeps_shape),
            Ty::Vec(_) | Ty::Option(_) | Ty::Unknown | Ty::User | Ty::Residual { .. } => false,
        }
    }

    pub(crate) fn element(&self) -> Ty {
        match self {
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => (**elem).clone(),
            Ty::User => Ty::User,
            _ => Ty::Unknown,
        }
    }

    /// The type of a part.
    pub(crate) fn after(&self, step: &Step) -> Ty {
        match step {
            Step::Index(_) => self.element(),
            Step::Field(k) => self.field(k),
            Step::Range(..) => Ty::Slice(Box::new(self.element())),
        }
    }

    /// What is inside an option.
    pub(crate) fn payload(&self) -> Ty {
        match self {
            Ty::Option(inner) => (**inner).clone(),
            Ty::User => Ty::User,
            _ => Ty::Unknown,
        }
    }

    pub(crate) fn component(&self, k: usize) -> Ty {
        match self {
            Ty::Tuple(parts) => parts.get(k).cloned().unwrap_or(Ty::Unknown),
            Ty::User => Ty::User,
            _ => Ty::Unknown,
        }
    }

    pub(crate) fn field(&self, part: &Part) -> Ty {
        match part {
            Part::At(k) => self.component(*k as usize),
            Part::Of(variant, _) if *variant.name == *SOME => self.payload(),
            Part::Named(_) | Part::Of(..) | Part::Inside => Ty::User,
        }
    }
}

/// What is known of a value.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct ValueData {
    /// A name from the source, for readable output.
    pub(crate) hint: String,
    pub(crate) ty: Ty,
    /// It may be a reference, which the reverse sweep must not hold: what it refers to is gone, or borrowed again.
    pub(crate) borrows: bool,
    /// Nothing shows what it is, and an operator on it was taken for that of numbers: rustc makes sure.
    pub(crate) assumed: bool,
    /// It is known to be a tensor.
    pub(crate) tensor: bool,
    /// It is a tensor that takes less to compute again than to remember.
    pub(crate) again: bool,
}

/// How a place comes to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// A variable of the body.
    Local,
    /// An owned parameter.
    Owned,
    /// A `&T` parameter.
    Shared,
    /// A `&mut T` parameter.
    Exclusive,
}

/// What is known of a place.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "properties that do not depend on each other"
)]
pub(crate) struct PlaceData {
    pub(crate) hint: String,
    pub(crate) ty: Ty,
    pub(crate) storage: Storage,
    /// Written to after it was made.
    pub(crate) mutable: bool,
    /// It holds tangents or cotangents.
    pub(crate) tangent: bool,
    /// It may be a reference, which the reverse sweep must not hold: what it refers to is gone, or borrowed again.
    pub(crate) borrows: bool,
    /// It has no tangent, and is a constant to every function that is lent it to change it.
    pub(crate) constant: bool,
    /// The body of the loop to whose rounds its contents are private, wherever it was made.
    pub(crate) round: Option<BlockId>,
    /// The reverse sweep has it, or what it held: code that is copied as it stands, and moves it, is given a copy.
    pub(crate) copied: bool,
}

/// A field of a tuple, of a struct, or of a variant of an enum.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    At(u32),
    Named(Rc<str>),
    /// Of a variant; where another is there, to ask for it panics.
    Of(Variant, Rc<str>),
    /// What is in a box; of what is none, itself, because only rustc knows what `*` was written for.
    Inside,
}

/// A variant of an enum, by its name.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    name: Rc<str>,
    /// How a pattern names it, where it is only looked at: then the enum needs no derivative.
    pattern: Option<Rc<syn::Path>>,
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.name == other.name
    }
}

impl Eq for Variant {}

impl Hash for Variant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Variant {
    fn partial_cmp(&self, other: &Variant) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Variant {
    fn cmp(&self, other: &Variant) -> Ordering {
        self.name.cmp(&other.name)
    }
}

/// The variant of an option that has something in it.
const SOME: &str = "Some";

impl Part {
    /// What is in an option.
    pub(crate) fn payload() -> Part {
        let some = Variant {
            name: SOME.into(),
            pattern: None,
        };
        Part::Of(some, "0".into())
    }

    /// A field of the variant that a pattern names.
    pub(crate) fn of(variant: &Ident, pattern: &syn::Path, member: &syn::Member) -> Part {
        let field = Part::from(member).to_string();
        let variant = Variant {
            name: variant.to_string().into(),
            pattern: Some(Rc::new(pattern.clone())),
        };
        Part::Of(variant, field.into())
    }

    /// The same of what may be changed.
    pub(crate) fn changed(self) -> Part {
        match self {
            Part::Of(variant, field) => {
                let pattern = None;
                Part::Of(Variant { pattern, ..variant }, field)
            }
            part => part,
        }
    }
}

impl From<usize> for Part {
    fn from(k: usize) -> Part {
        Part::At(k as u32)
    }
}

impl From<&syn::Member> for Part {
    fn from(member: &syn::Member) -> Part {
        match member {
            syn::Member::Named(name) => Part::Named(name.to_string().into()),
            syn::Member::Unnamed(k) => Part::At(k.index),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::At(k) => write!(f, "{k}"),
            Part::Named(name) => write!(f, "{name}"),
            Part::Of(variant, name) => write!(f, "{}.{name}", variant.name),
            Part::Inside => write!(f, "inside"),
        }
    }
}

/// The name of the field.
impl ToTokens for Part {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Part::Inside => unreachable!("what is in a box has no name"),
            Part::At(k) => Literal::u32_unsuffixed(*k).to_tokens(tokens),
            Part::Named(name) | Part::Of(_, name) => match name.strip_prefix("r#") {
                Some(raw) => Ident::new_raw(raw, Span::call_site()).to_tokens(tokens),
                None if name.starts_with(|c: char| c.is_ascii_digit()) => {
                    tokens.extend(name.parse::<Literal>().ok().map(TokenTree::from));
                }
                None => Ident::new(name, Span::call_site()).to_tokens(tokens),
            },
        }
    }
}

impl Part {
    /// The part of what the tokens stand for, as a place expression.
    pub(crate) fn in_place(&self, whole: &TokenStream) -> TokenStream {
        match self {
            Part::At(_) | Part::Named(_) => quote!(#whole.#self),
            Part::Of(..) => self.by_index(whole),
            Part::Inside => inside(&quote!(&#whole)),
        }
    }

    /// The part of a variable that may be changed, to change it.
    pub(crate) fn in_variable(&self, whole: &TokenStream) -> TokenStream {
        match self {
            Part::Inside => inside(&quote!(&mut #whole)),
            part => part.in_place(whole),
        }
    }

    /// The part of what is only looked at, as a place expression.
    pub(crate) fn looked_at(&self, whole: &TokenStream) -> TokenStream {
        match self {
            Part::Of(
                Variant {
                    pattern: Some(pattern),
                    ..
                },
                _,
            ) => quote! {
                (*match rt::behind(&#whole) { #pattern { #self: __part, .. } => __part, _ => ::core::unreachable!() })
            },
            part => part.in_place(whole),
        }
    }

    /// The same by an index, which what may be the tangent of a constant has as well.
    pub(crate) fn by_index(&self, whole: &TokenStream) -> TokenStream {
        let variant = match self {
            Part::At(_) | Part::Named(_) => None,
            Part::Of(variant, _) => Some(&*variant.name),
            Part::Inside => return self.in_place(whole),
        };
        let key = field_key(&quote!(rt), &self.to_token_stream().to_string(), variant);
        quote!(#whole[#key])
    }
}

/// What is behind a reference to what may be a box, as a place expression.
fn inside(reference: &TokenStream) -> TokenStream {
    quote!((*{ use rt::Itself as _; rt::Behind(#reference).inside() }))
}

/// The index that asks for a field: of a variant, or of the tangent of a struct.
pub(crate) fn field_key(rt: &TokenStream, field: &str, variant: Option<&str>) -> TokenStream {
    let (key, variant) = (key(field), variant.map_or(Literal::u64_unsuffixed(0), key));
    quote!(#rt::Field::<#key, #variant>)
}

/// The key of a field or variant as a number: rustc takes milliseconds to find that two of an expression differ.
pub(crate) fn key(name: &str) -> Literal {
    Literal::u64_unsuffixed(autodiff_rules::field(name))
}

/// One step from a place to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Index(Value),
    Field(Part),
    Range(Option<Value>, Option<Value>),
}

/// A part of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) root: Place,
    pub(crate) steps: Vec<Step>,
}

impl Path {
    pub(crate) fn whole(root: Place) -> Path {
        Path {
            root,
            steps: Vec::new(),
        }
    }

    pub(crate) fn then(&self, step: Step) -> Path {
        let mut steps = self.steps.clone();
        steps.push(step);
        Path {
            root: self.root,
            steps,
        }
    }

    pub(crate) fn on(&self, root: Place) -> Path {
        Path {
            root,
            steps: self.steps.clone(),
        }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.steps
            .iter()
            .flat_map(|step| match step {
                Step::Index(v) => [Some(*v), None],
                Step::Field(_) => [None, None],
                Step::Range(lo, hi) => [*lo, *hi],
            })
            .flatten()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.steps
            .iter_mut()
            .flat_map(|step| match step {
                Step::Index(v) => [Some(v), None],
                Step::Field(_) => [None, None],
                Step::Range(lo, hi) => [lo.as_mut(), hi.as_mut()],
            })
            .flatten()
    }
}

/// An operator that the user may have defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operator {
    /// The module of the runtime with its derivative.
    pub(crate) name: &'static str,
    /// As it is written.
    pub(crate) sign: &'static str,
    /// Which of the operands are references.
    pub(crate) borrowed: [bool; 2],
    /// Of which of the operands only their types say whether they are references.
    pub(crate) perhaps: [bool; 2],
    /// Its derivative is differentiated again.
    pub(crate) again: bool,
}

impl Operator {
    pub(crate) const NEG: Operator = Operator::new("neg", "-");
    const ALL: &'static [Operator] = &[
        Operator::new("add", "+"),
        Operator::new("sub", "-"),
        Operator::new("mul", "*"),
        Operator::new("div", "/"),
        Operator::new("rem", "%"),
        Operator::new("add_assign", "+="),
        Operator::new("sub_assign", "-="),
        Operator::new("mul_assign", "*="),
        Operator::new("div_assign", "/="),
        Operator::new("rem_assign", "%="),
    ];

    const fn new(name: &'static str, sign: &'static str) -> Operator {
        Operator {
            name,
            sign,
            borrowed: [false; 2],
            perhaps: [false; 2],
            again: false,
        }
    }

    /// The number of its operands.
    pub(crate) fn arity(&self) -> usize {
        if self.name == Operator::NEG.name {
            1
        } else {
            2
        }
    }

    /// Whether none of its operands is a reference.
    pub(crate) fn is_by_value(&self) -> bool {
        self.borrowed == [false; 2] && self.perhaps == [false; 2]
    }

    /// The binary operator of that sign.
    pub(crate) fn binary(sign: &str) -> Option<Operator> {
        Operator::ALL.iter().find(|o| o.sign == sign).copied()
    }

    /// Of the trait in `core::ops`, such as `Mul`.
    pub(crate) fn of_trait(name: &str) -> Option<Operator> {
        let plain = |o: &Operator| o.name.replace('_', "");
        let all = Operator::ALL.iter().chain([&Operator::NEG]);
        all.copied().find(|o| plain(o) == name.to_lowercase())
    }

    /// The trait of the runtime with its derivative, or with that one's.
    pub(crate) fn rule(self, again: bool) -> Ident {
        let kind = if again { "Again" } else { "Rule" };
        let words = self.name.split('_').chain([kind]);
        let name: String = words
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect();
        Ident::new(&name, Span::call_site())
    }

    /// Every operand is passed as it says.
    pub(crate) fn on(self, borrowed: [bool; 2]) -> Operator {
        Operator { borrowed, ..self }
    }

    /// Its left side is what it changes.
    pub(crate) fn assigns(self) -> bool {
        self.name.ends_with("_assign")
    }
}

/// One of the operands of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) fn of(k: usize) -> Side {
        if k == 0 { Side::Left } else { Side::Right }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// Arithmetic with a derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prim {
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    /// `smul(d, p)`: 0 where one of them is 0, else `d * p`; `p` may be infinite or undefined.
    Smul,
    /// `select(d, p)`: 0 where `p` is 0, else `d * p`.
    Select,
    /// `zmul(a, b)`: 0 where one of them is 0, else `a * b`; either may be infinite or undefined.
    Zmul,
    /// `absorb(s, p)`: 0 where `p` is 0, else `s * p`; `s` may be an infinite slope, because of what came before.
    /// A third operand says whether it may, where only another function knows.
    Absorb(Asks),
    /// `sdiv(d, b)`: 0 where `d` is 0 or `b` infinite, else `d / b`.
    Sdiv,
    /// A row of the rule table.
    Rule(usize),
    /// `linked(v, x₁ … xₙ, p₁ … pₙ)`: `v`, and its partial by `xₖ` is `pₖ`, whatever `v` was computed from.
    Linked,
    /// A value that is certainly a float, though the macro cannot see it: rustc checks.
    Number,
    /// The tangent of a field: of the field's value or its shape, and what stands in the tangent of the whole.
    Settle,
    /// The shape of a value.
    Shape,
    /// An operator on values of types that the macro does not know.
    Operator(Operator),
    /// What the cotangent of an operand needs of both.
    Keep(Operator, Side),
    /// The cotangent of an operand, from what is kept and the cotangent of the result.
    Back(Operator, Side),
    /// The tangent of the result where only this operand changes: of the operands and its tangent.
    Fore(Operator, Side),
    /// The tangent of what is kept: of the operands, and of those of their tangents that there are.
    DotKeep(Operator, Side, [bool; 2]),
    /// The tangent of the cotangent of an operand: of what is kept and the cotangent of the result, each with its tangent behind it, if there is one.
    DotBack(Operator, Side, [bool; 2]),
}

/// How a product finds out whether it absorbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asks {
    /// Whether the slope is finite, by a branch: it is the same in every round of a loop, which asks once.
    Slope,
    /// Whether the partial is zero, by a mask.
    Partial,
}

impl Prim {
    /// Of `count` operands, those that a derivative flows through, each with its partial if that is an operand as well.
    pub(crate) fn linked(count: usize) -> impl Iterator<Item = (usize, usize)> {
        let inputs = count / 2;
        (1..=inputs).map(move |k| (k, inputs + k))
    }
}

/// How an aggregate is written.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Tuple,
    Array,
    /// `[v; LEN]`.
    Repeat(TokenStream),
    /// `vec![a, b]`.
    VecList,
    /// `vec![v; n]`; the operands are `v` and `n`.
    VecRepeat,
    Some,
    /// `Box::new(v)`.
    Box,
    /// `Path { a: v, b: w, ..base }`: the fields that are given, and whether the last operand is the base.
    Struct(Rc<Construct>),
}

/// How a struct is written.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    pub(crate) path: TokenStream,
    pub(crate) fields: Vec<Part>,
    /// The same of the tangent, of which it may not be known whether it is that of a variant.
    pub(crate) tangents: Vec<Part>,
    pub(crate) base: bool,
}

/// Code that is copied as it stands.
///
/// In `tokens` the placeholder `__a0` stands for the first operand, and `__p0` for the first of `places`; `__q0` for the same where the code moves it.
#[derive(Clone, Debug)]
pub(crate) struct Opaque {
    pub(crate) tokens: TokenStream,
    pub(crate) places: Vec<Place>,
    pub(crate) writes: Vec<Place>,
    /// May be run again: arithmetic on numbers, and nothing else.
    pub(crate) pure: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Value(Value),
    Ref(Path),
    Mut(Path),
    /// In a pullback: an argument that was passed by value, which the pullback owns.
    Owned,
    /// A function that is passed, by its number in [`Call::functions`].
    Function(usize),
    /// Memory that a function reads on its own account, or the function that is called; in a pullback its shadow.
    Capture(Path),
}

/// A function that is passed to another.
#[derive(Clone, Debug)]
pub(crate) enum Function {
    Closure(Rc<Closure>),
    /// A function parameter handed on: the number of its [`Arg::Capture`].
    Parameter(usize),
    /// A function of the program by its name: its path, and `::<…>` or nothing.
    Named(TokenStream, TokenStream),
}

/// A closure, as a graph of its own: its parameters are its inputs and then what it captures.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    pub(crate) func: Func,
    /// The inputs and captures that may have a derivative.
    pub(crate) wrt: Vec<Param>,
    pub(crate) inputs: usize,
    /// The number of the first argument of the call that is a capture.
    pub(crate) captures: usize,
    pub(crate) ascribed: BTreeMap<Value, TokenStream>,
    pub(crate) ascribed_places: BTreeMap<Place, TokenStream>,
}

impl Closure {
    /// What it captures, each with the number of its argument.
    pub(crate) fn captured(&self) -> impl Iterator<Item = (usize, Param)> + '_ {
        let captured = self.func.params[self.inputs..].iter().copied();
        captured
            .enumerate()
            .map(|(k, param)| (self.captures + k, param))
    }
}

/// The cotangent or tangent that goes with a by-reference argument.
#[derive(Clone, Debug)]
pub(crate) enum Companion {
    /// The argument has none: the callee's own zero is passed and forgotten.
    Zero,
    Value(Value),
    Place(Path),
}

/// Which form of a function is called.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The user's own call; one result.
    Primal,
    /// `__jvp`: one companion an argument; results value and tangent.
    Jvp(Vec<Companion>),
    /// `__fwd`: results value and pullback; no companions, before it is differentiated.
    Forward(Vec<Companion>),
    /// The pullback; operand 0 is the pullback, operand 1 the seed; one companion a reference argument; a result per by-value argument.
    ///
    /// Differentiated, there are tangents of the seed, and before the companions the tangents of the references.
    Backward(Vec<Companion>),
    /// `__vjp`, where the seed is known before the call: operand 0; one companion a reference argument; results value and cotangents of the by-value arguments.
    ///
    /// It is not differentiated again.
    AtOnce(Vec<Companion>),
}

impl Form {
    pub(crate) fn companions(&self) -> &[Companion] {
        match self {
            Form::Primal => &[],
            Form::Jvp(c) | Form::Forward(c) | Form::Backward(c) | Form::AtOnce(c) => c,
        }
    }

    pub(crate) fn companions_mut(&mut self) -> &mut [Companion] {
        match self {
            Form::Primal => &mut [],
            Form::Jvp(c) | Form::Forward(c) | Form::Backward(c) | Form::AtOnce(c) => c,
        }
    }

    /// Whether it adds to cotangents: a companion is the shadow of what is lent.
    pub(crate) fn pulls(&self) -> bool {
        matches!(self, Form::Backward(_) | Form::AtOnce(_))
    }
}

/// A call of another differentiable function.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each holds or not")]
pub(crate) struct Call {
    /// The path of the function, without the generic arguments of its last segment.
    pub(crate) path: TokenStream,
    /// The type that carries its derivatives: of the same path, but for the function itself.
    pub(crate) owner: TokenStream,
    /// `::<…>`, or nothing.
    pub(crate) generics: TokenStream,
    /// It is a function of an `impl` block: its derivatives have names of their own.
    pub(crate) member: Option<Ident>,
    /// It takes something of a type that the macro does not know, which may keep what the call is given.
    pub(crate) keeps: bool,
    /// It is called as a method: the first argument is the receiver, borrowed as the method says.
    pub(crate) receiver: bool,
    /// The arguments, and after them what the functions among them capture.
    pub(crate) args: Vec<Arg>,
    /// How many of these are arguments.
    pub(crate) passed: usize,
    pub(crate) functions: Vec<Function>,
    /// Those of what is lent that are passed by value unless they are references: the macro does not know their types.
    pub(crate) unsure: Vec<usize>,
    /// A function parameter is called: it is the only capture.
    pub(crate) parameter: bool,
    /// What it gives is gone on with as an option, and may be a result where the function itself is called.
    pub(crate) optional: bool,
    /// What is called is the derivative of this function: what carries its own is a value.
    pub(crate) nested: Option<TokenStream>,
    pub(crate) form: Form,
    /// How often the form was differentiated in forward mode; `__jvp` itself counts as once.
    pub(crate) level: u32,
}

impl Call {
    /// Whether this is a call of the function of that name, and of nothing that only its type tells.
    pub(crate) fn is_of(&self, name: &Ident) -> bool {
        let plain = self.member.is_none() && self.nested.is_none() && !self.parameter;
        let known = self.unsure.is_empty() && self.functions.is_empty() && self.level == 0;
        plain && known && self.generics.is_empty() && *name == self.path.to_string()
    }

    /// Whether what is called may have a form that has several directions at once: a function by its name.
    pub(crate) fn may_have_lanes(&self) -> bool {
        let plain = self.member.is_none() && self.nested.is_none() && !self.parameter;
        let known = self.unsure.is_empty() && self.functions.is_empty();
        plain && known && self.generics.is_empty()
    }

    /// Whether it is lent memory to change.
    pub(crate) fn changes(&self) -> bool {
        self.args.iter().any(|arg| matches!(arg, Arg::Mut(_)))
    }

    /// Whether a function of the runtime is called.
    pub(crate) fn is_of_runtime(&self) -> bool {
        let first = self.path.clone().into_iter().next();
        first.is_some_and(|first| first.to_string() == "rt")
    }

    /// Whether a function of a type is called by its path with a first argument that may be by value: that may be the receiver of a method.
    pub(crate) fn takes_first(&self) -> bool {
        let by_value = matches!(self.args.first(), Some(Arg::Value(_))) || self.unsure.contains(&0);
        self.member.is_some() && !self.receiver && by_value
    }

    /// Each companion with the number of the argument that it belongs to, and whether the call may change it.
    pub(crate) fn companions(&self) -> Vec<(&Companion, usize, bool)> {
        let all = self.form.companions();
        let backward = self.form.pulls();
        let owners: Vec<usize> = (0..self.args.len())
            .filter(|&k| !backward || matches!(self.args[k], Arg::Ref(_) | Arg::Mut(_)))
            .collect();
        // In a pullback the tangents of the references come first, one less of each than of the shadows.
        let tangents = if backward {
            owners.len() * ((1 << self.level) - 1)
        } else {
            all.len()
        };
        let each = all.iter().zip(owners.iter().cycle()).enumerate();
        each.map(|(k, (companion, &owner))| {
            let shadow = k >= tangents;
            let changes = shadow || matches!(self.args[owner], Arg::Mut(_));
            (companion, owner, changes)
        })
        .collect()
    }

    /// What is passed by value.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Value(v) => Some(*v),
            _ => None,
        })
    }

    /// Whether memory is lent to it.
    pub(crate) fn lends(&self) -> bool {
        let mut args = self.args.iter();
        args.any(|arg| matches!(arg, Arg::Ref(_) | Arg::Mut(_)))
    }

    /// The derivative forms of functions differ from the functions, so such a call always takes a form.
    ///
    /// What may keep what it is given has to have derivatives even where its result is not used.
    pub(crate) fn is_formed(&self) -> bool {
        self.parameter || self.keeps || !self.functions.is_empty()
    }
}

/// One arm of a `match`: in `pat` and `guard`, `__b0` stands for the block's first parameter.
#[derive(Clone, Debug)]
pub(crate) struct ArmHead {
    pub(crate) pat: TokenStream,
    pub(crate) guard: Option<TokenStream>,
    /// The guard may run again.
    pub(crate) pure: bool,
}

/// What a loop runs over.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// Operands 0 and 1 are the bounds.
    Range { inclusive: bool, reversed: bool },
    /// Any other iterator without active items, verbatim; placeholders stand for the first `count` operands.
    Verbatim {
        pat: TokenStream,
        iter: Opaque,
        count: usize,
    },
    /// Operand 0 is the number of rounds.
    Count,
    /// In a reverse sweep: the first rounds of a range, last round first; operands 0 and 1 are the bounds, 2 is the number of rounds.
    Taken { inclusive: bool, reversed: bool },
    /// Until the body ends it.
    Forever,
}

impl Domain {
    /// How many operands of the loop belong to its domain; the others are the carried values.
    pub(crate) fn operands(&self) -> usize {
        match self {
            Domain::Range { .. } => 2,
            Domain::Verbatim { count, .. } => *count,
            Domain::Count => 1,
            Domain::Taken { .. } => 3,
            Domain::Forever => 0,
        }
    }
}

/// A loop: its block's first `inductions` parameters are the items, the others are carried.
#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) domain: Domain,
    pub(crate) inductions: usize,
    /// The stack on which the rounds of this loop remember; the reversed loop names the same.
    pub(crate) tape: Option<u32>,
    /// What the stack holds is read, and stays there.
    pub(crate) peeks: bool,
    /// A reversed loop that runs from start to end, and so through what the stack holds.
    pub(crate) onward: bool,
    /// The last result is the number of rounds.
    pub(crate) counted: bool,
}

/// A change of a vector's length.
///
/// The operands are the position, except at the end, and what is added; the result is what is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Appends one element.
    Push,
    /// Removes the last element.
    Pop,
    /// Appends a vector at the length before.
    Append,
    /// Removes what stands from a position on, as a vector.
    Cut,
    Insert,
    Remove,
}

impl Change {
    /// What undoes it, at the same position.
    pub(crate) fn inverse(self) -> Change {
        match self {
            Change::Push => Change::Pop,
            Change::Pop => Change::Push,
            Change::Append => Change::Cut,
            Change::Cut => Change::Append,
            Change::Insert => Change::Remove,
            Change::Remove => Change::Insert,
        }
    }

    /// Takes what it adds as its last operand; the others have what they remove as their result.
    pub(crate) fn adds(self) -> bool {
        matches!(self, Change::Push | Change::Append | Change::Insert)
    }
}

/// What becomes of a value that a kernel computes for each entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum To {
    /// A tensor.
    Entries,
    /// A tensor that is summed to the shape of an operand.
    Like(usize),
    /// The sum of all entries, a number.
    Sum,
    /// Their mean.
    Mean,
    /// How many there are.
    Count,
    /// What the lanes along an axis are folded to; the axis stays with length 1.
    Along(Fold, isize),
    /// How many entries such a lane has, a number.
    CountAlong(isize),
}

/// What the entries of a lane are folded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    Sum,
    Mean,
    /// The largest of the entries of an operand as they are.
    Most,
}

impl Fold {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Mean => "mean",
            Fold::Most => "max",
        }
    }
}

impl To {
    /// Whether it is a number.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, To::Sum | To::Mean) || self.is_count()
    }

    /// Whether it is a number that follows from the shapes.
    pub(crate) fn is_count(self) -> bool {
        matches!(self, To::Count | To::CountAlong(_))
    }
}

/// The type of a tensor's entries, as it is written: `f64`, `f32`, or a type parameter that stands for one of them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Number(pub(crate) Rc<str>);

impl Number {
    pub(crate) fn ty(&self) -> Ty {
        Ty::Float(match &*self.0 {
            "f64" => Width::F64,
            "f32" => Width::F32,
            _ => Width::Generic,
        })
    }

    pub(crate) fn ident(&self) -> Ident {
        Ident::new(&self.0, Span::call_site())
    }
}

/// Whose elementary functions a kernel has, where the user's are computed; derivatives have those of `lane`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Functions {
    /// Those of `lane`, as the methods of tensors do.
    Lanes,
    /// Those of numbers: the user's closure calls them.
    Std,
}

/// A kernel over the entries of its operands, which are stretched to one shape: a scalar graph of its own, with an entry of each operand as parameters.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) func: Rc<Func>,
    /// What becomes of each value that it computes.
    pub(crate) to: Vec<To>,
    /// What it is called where shapes do not fit.
    pub(crate) name: Rc<str>,
    pub(crate) number: Number,
    pub(crate) functions: Functions,
}

/// The operations: a closed set.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A literal.
    Lit(TokenStream),
    Prim(Prim),
    Map(Map),
    /// A comparison or logical operator between numbers, by its sign.
    Compare(&'static str),
    /// `x as T`.
    Cast(TokenStream, Ty, Conversion),
    /// The first operand, in the type of the second.
    CastLike,
    Opaque(Opaque),
    /// The first operand; its code is for the reverse sweep, where (`back`) it changes the cotangent that is the first operand.
    ///
    /// The other operands are what the code reads: there `__a0` stands for the second operand.
    Watch {
        code: Opaque,
        back: bool,
    },
    Aggregate(Shape),
    /// Component of a tuple value.
    Component(Part),
    /// The first operand with a component replaced by the second.
    WithComponent(Part),
    /// Element of an array or vector value.
    Element(u32),
    /// What is inside an option; panics if it is empty.
    Payload,
    /// The sum of a vector's or array's elements.
    SumElements,
    /// The zero tangent of a primal value.
    ZeroLike,
    /// The same of what is put into a part of a struct: the part may be a constant, of a type that has no tangents.
    ZeroPart,
    /// The zero tangent of a recorded shape.
    Zero,
    /// The shape of a part of a place, enough to make its zero tangent.
    ShapeOf(Path),
    New(Place),
    /// A new place that holds zeros: of its own type if that is fully known, else of the shape that the operand is.
    NewZero(Place),
    Load(Path),
    /// Moves the contents out; the place is not used again before it is stored to as a whole.
    Take(Place),
    /// An owned copy, by the method the user wrote (`to_vec`, `clone`).
    Owned(Path, &'static str),
    Store(Path),
    AddTo(Path),
    /// Read, then set to zero.
    TakeZero(Path),
    /// Read, then set to the operand.
    Replace(Path),
    /// Changes the length of a vector.
    Change(Change, Path),
    /// Exchanges two parts that do not overlap.
    Swap(Path, Path),
    /// Copies the second part, of numbers, over the first.
    Copy(Path, Path),
    /// Sets every number of a part to the operand.
    Fill(Path),
    /// Adds the second part, of numbers, to the first, and sets it to zero.
    Give(Path, Path),
    /// The sum of a part's numbers, added to the operand; they are set to zero.
    SumZero(Path),
    Len(Path),
    /// Panics where the user's own borrow of this path would.
    Check(Path),
    /// Does not compile unless the iterators of what the path leads to yield its elements by index.
    Walked(Path),
    Call(Call),
    /// In the body of a loop, before anything has changed: leaves the loop if the operand is true.
    Leave,
    /// In the body of a loop: this round is the last if the operand is true.
    Until,
    /// Operand 0 is the condition, or what the arms remembered.
    If,
    /// Operands are those of the scrutinee.
    Match(Opaque, Vec<ArmHead>),
    /// Selects by what the arms of a conditional remembered.
    Switch,
    For(For),
    /// In a reverse sweep not yet resolved: the value of the forward sweep at that position.
    Need(Pos),
    /// In a reverse sweep not yet resolved: undoes the store at that position by this operation.
    ///
    /// A `Store` without operand puts the old contents back.
    Undo(Box<Kind>, Pos),
    /// Panics unless both operands are the same, bit for bit.
    AssertSame,
    /// Where one factor of a derivative's product is a computed zero, the other must be finite: of which factor that is to be seen, and whether it is a quotient.
    /// Where the third operand is zero, so is the first, and nobody computed it.
    Absorbed {
        counts: [bool; 2],
        divides: bool,
    },
    /// Where the reverse sweep begins, while a pass runs.
    Mark,
}

/// Where an operation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The user's code: never changed or dropped.
    User,
    /// Derivative code.
    Derived,
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) args: Vec<Value>,
    pub(crate) results: Vec<Value>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
    /// Set by [`number`].
    pub(crate) pos: Pos,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Block {
    pub(crate) id: BlockId,
    pub(crate) params: Vec<Value>,
    pub(crate) ops: Vec<Op>,
    pub(crate) yields: Vec<Value>,
    /// Values of this forward block that its mirror in the reverse sweep recalls, in order.
    pub(crate) record: Vec<Value>,
    /// The names under which a reverse block recalls them.
    pub(crate) recall: Vec<Value>,
    /// The forward block that this reverse block mirrors.
    pub(crate) mirror: Option<BlockId>,
    /// Forward and reverse sweep of one segment (function body, fused loop body) stand in this block.
    pub(crate) segment: bool,
    /// Ends in a panic: yields nothing.
    pub(crate) diverges: bool,
    /// Runs only where the function fails: nothing that is derived is looked at then.
    pub(crate) fails: bool,
}

/// How a parameter enters the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Param {
    Value(Value),
    Place(Place),
}

/// How the user has written a cast, where the type of the number or of the result is a type parameter.
#[derive(Clone, Debug)]
pub(crate) enum Conversion {
    /// `x as T`
    As,
    /// `T::from_f64(x)`, `x.to_f64()`: of this library's float.
    Float,
    /// `T::from(x).unwrap()`, of which nothing but the result's type says that it is a cast.
    From,
    /// `T::from_f64(x).unwrap()`
    FromPrimitive,
    /// `x.to_f64().unwrap()`
    To(&'static str),
    /// `T::from(x)`, `x.into()`: std's.
    Into,
    /// `NumCast::from(x).unwrap()`, `num_traits::cast(x).unwrap()`: by a function that must be the one of this name.
    Path(&'static [&'static str], TokenStream),
}

/// When a method is compared with std's of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compared {
    InDebugBuilds,
    Always,
}

#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub(crate) values: Vec<ValueData>,
    pub(crate) places: Vec<PlaceData>,
    pub(crate) blocks: u32,
    pub(crate) tapes: u32,
    /// Values of the reverse sweep that compute a value of the forward sweep again.
    pub(crate) copies: BTreeMap<Value, Value>,
    pub(crate) params: Vec<Param>,
    /// It calls itself: each of its calls has a frame on the stack of the machine.
    pub(crate) recursive: bool,
    /// Type parameters stand for floats: what is of an unknown type may be of one of them.
    pub(crate) generic: bool,
    /// The methods of a type parameter that are named like std's are taken for these, and compared with them: in debug builds, or always.
    pub(crate) assume_std: Option<Compared>,
    /// Every product of its derivatives is guarded against zero times infinity.
    pub(crate) strong: bool,
    /// The results of derivatives' products and quotients that are guarded, but whose first factor cannot be infinite: there only its zero absorbs.
    pub(crate) mild: BTreeSet<Value>,
    /// The results of derivatives' products whose partial is infinite only where the value of the row is.
    pub(crate) overflows: BTreeSet<Value>,
    /// The calls whose pullbacks need not put back what the callee changed: nobody reads it again.
    pub(crate) left: BTreeSet<Pos>,
    pub(crate) body: Block,
}

impl Block {
    /// Whether there is no loop in it.
    pub(crate) fn is_innermost(&self) -> bool {
        let mut innermost = true;
        for op in &self.ops {
            op.walk(&mut |op| innermost &= !matches!(op.kind, Kind::For(_)));
        }
        innermost
    }

    /// The values that are defined in it, at any depth.
    pub(crate) fn defined(&self, out: &mut FxHashSet<Value>) {
        out.extend(self.params.iter().chain(&self.recall));
        for op in &self.ops {
            out.extend(&op.results);
            op.blocks.iter().for_each(|inner| inner.defined(out));
        }
    }

    /// Marks the operation at `split`, so that it is found again after a pass.
    pub(crate) fn mark_split(&mut self, split: usize) {
        let mark = Op {
            kind: Kind::Mark,
            args: Vec::new(),
            results: Vec::new(),
            blocks: Vec::new(),
            origin: Origin::User,
            span: Span::call_site(),
            pos: 0,
        };
        self.ops.insert(split, mark);
    }

    /// Removes the mark, and says where it was.
    pub(crate) fn unmark_split(&mut self) -> usize {
        let at = self
            .ops
            .iter()
            .position(|op| matches!(op.kind, Kind::Mark))
            .unwrap_or(self.ops.len());
        if at < self.ops.len() {
            self.ops.remove(at);
        }
        at
    }
}

impl Func {
    pub(crate) fn value(&mut self, hint: impl Into<String>, ty: Ty) -> Value {
        self.values.push(ValueData {
            hint: hint.into(),
            ty,
            borrows: false,
            assumed: false,
            tensor: false,
            again: false,
        });
        Value(self.values.len() as u32 - 1)
    }

    pub(crate) fn place(&mut self, hint: impl Into<String>, ty: Ty, storage: Storage) -> Place {
        self.places.push(PlaceData {
            hint: hint.into(),
            ty,
            storage,
            mutable: false,
            tangent: false,
            borrows: false,
            constant: false,
            round: None,
            copied: false,
        });
        Place(self.places.len() as u32 - 1)
    }

    pub(crate) fn block(&mut self) -> Block {
        self.blocks += 1;
        Block {
            id: BlockId(self.blocks - 1),
            params: Vec::new(),
            ops: Vec::new(),
            yields: Vec::new(),
            record: Vec::new(),
            recall: Vec::new(),
            mirror: None,
            segment: false,
            diverges: false,
            fails: false,
        }
    }

    /// The values that may be references.
    pub(crate) fn borrowed(&self) -> impl Iterator<Item = Value> + '_ {
        let all = (0..self.values.len() as u32).map(Value);
        all.filter(|&v| self.refers(v))
    }

    pub(crate) fn refers(&self, v: Value) -> bool {
        self.values[v.0 as usize].borrows
    }

    /// Whether what takes the value by value leaves nothing behind, as far as its type is known.
    pub(crate) fn is_moved(&self, v: Value) -> bool {
        !self.refers(v) && !self.ty(v).is_scalar()
    }

    pub(crate) fn ty(&self, v: Value) -> &Ty {
        &self.values[v.0 as usize].ty
    }

    /// The number of operations, those in regions included.
    pub(crate) fn count_ops(&self) -> usize {
        let mut count = 0;
        for op in &self.body.ops {
            op.walk(&mut |_| count += 1);
        }
        count
    }

    pub(crate) fn hint(&self, v: Value) -> &str {
        &self.values[v.0 as usize].hint
    }

    pub(crate) fn at(&self, p: Place) -> &PlaceData {
        &self.places[p.0 as usize]
    }

    pub(crate) fn at_mut(&mut self, p: Place) -> &mut PlaceData {
        &mut self.places[p.0 as usize]
    }

    /// Whether a path leads through a field of a type of the user's own, which may have declared it a constant: then its tangent is `()`.
    pub(crate) fn through_field(&self, path: &Path) -> bool {
        let mut ty = self.at(path.root).ty.clone();
        path.steps.iter().any(|step| {
            let through = matches!((step, &ty), (Step::Field(_), Ty::User | Ty::Unknown));
            ty = ty.after(step);
            through
        })
    }

    /// The type of what a path leads to.
    pub(crate) fn path_ty(&self, path: &Path) -> Ty {
        path.steps
            .iter()
            .fold(self.at(path.root).ty.clone(), |ty, step| ty.after(step))
    }
}

/// The kinds that name one path, and those that name two: listed once, for references of either sort.
macro_rules! one_path {
    ($p:ident) => {
        Kind::ShapeOf($p)
            | Kind::Load($p)
            | Kind::Owned($p, _)
            | Kind::Store($p)
            | Kind::AddTo($p)
            | Kind::TakeZero($p)
            | Kind::Replace($p)
            | Kind::Change(_, $p)
            | Kind::Fill($p)
            | Kind::SumZero($p)
            | Kind::Len($p)
            | Kind::Check($p)
            | Kind::Walked($p)
    };
}
macro_rules! two_paths {
    ($p:ident, $q:ident) => {
        Kind::Swap($p, $q) | Kind::Copy($p, $q) | Kind::Give($p, $q)
    };
}
macro_rules! no_path {
    () => {
        Kind::Lit(_)
            | Kind::Prim(_)
            | Kind::Map(_)
            | Kind::Compare(_)
            | Kind::Cast(..)
            | Kind::CastLike
            | Kind::Opaque(_)
            | Kind::Watch { .. }
            | Kind::Aggregate(_)
            | Kind::Component(_)
            | Kind::WithComponent(_)
            | Kind::Element(_)
            | Kind::Payload
            | Kind::SumElements
            | Kind::ZeroLike
            | Kind::ZeroPart
            | Kind::Zero
            | Kind::Take(_)
            | Kind::New(_)
            | Kind::NewZero(_)
            | Kind::Leave
            | Kind::Until
            | Kind::If
            | Kind::Match(..)
            | Kind::Switch
            | Kind::For(_)
            | Kind::Need(_)
            | Kind::Mark
            | Kind::AssertSame
            | Kind::Absorbed { .. }
    };
}

impl Kind {
    /// The paths that the operation reads or writes.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            one_path!(p) => vec![p],
            two_paths!(p, q) => vec![p, q],
            Kind::Undo(kind, _) => kind.paths(),
            Kind::Call(call) => {
                let companions = call.form.companions();
                let args = call.args.iter().filter_map(|arg| match arg {
                    Arg::Ref(p) | Arg::Mut(p) | Arg::Capture(p) => Some(p),
                    Arg::Value(_) | Arg::Owned | Arg::Function(_) => None,
                });
                args.chain(companions.iter().filter_map(|c| match c {
                    Companion::Place(p) => Some(p),
                    Companion::Zero | Companion::Value(_) => None,
                }))
                .collect()
            }
            no_path!() => Vec::new(),
        }
    }

    /// Calls `f` with every path that the operation reads or writes.
    pub(crate) fn for_each_path(&mut self, f: &mut dyn FnMut(&mut Path)) {
        match self {
            one_path!(p) => f(p),
            two_paths!(p, q) => {
                f(p);
                f(q);
            }
            Kind::Undo(kind, _) => kind.for_each_path(f),
            Kind::Call(call) => {
                for arg in &mut call.args {
                    if let Arg::Ref(p) | Arg::Mut(p) | Arg::Capture(p) = arg {
                        f(p);
                    }
                }
                for companion in call.form.companions_mut() {
                    if let Companion::Place(p) = companion {
                        f(p);
                    }
                }
            }
            no_path!() => {}
        }
    }
}

impl Op {
    /// The paths that the operation reads or writes.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        self.kind.paths()
    }

    /// The places that the operation names, its blocks not included.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut out: Vec<Place> = self.paths().iter().map(|path| path.root).collect();
        match &self.kind {
            Kind::New(p) | Kind::NewZero(p) | Kind::Take(p) => out.push(*p),
            Kind::Opaque(opaque) | Kind::Match(opaque, _) | Kind::Watch { code: opaque, .. } => {
                out.extend(&opaque.places);
            }
            Kind::For(For {
                domain: Domain::Verbatim { iter, .. },
                ..
            }) => out.extend(&iter.places),
            _ => {}
        }
        out
    }

    /// Whether the operation names this place, or one in its blocks does.
    pub(crate) fn mentions(&self, p: Place) -> bool {
        let mut found = false;
        self.walk(&mut |op| found |= op.places().contains(&p));
        found
    }

    /// Calls `f` with every place that the operation itself names, to replace it.
    pub(crate) fn for_each_place(&mut self, f: &mut dyn FnMut(&mut Place)) {
        self.kind.for_each_path(&mut |p| f(&mut p.root));
        match &mut self.kind {
            Kind::New(p) | Kind::NewZero(p) | Kind::Take(p) => f(p),
            Kind::Opaque(opaque) | Kind::Match(opaque, _) | Kind::Watch { code: opaque, .. } => {
                opaque
                    .places
                    .iter_mut()
                    .chain(&mut opaque.writes)
                    .for_each(f);
            }
            _ => {}
        }
    }

    /// Calls `f` with every value the operation itself uses (its blocks not included), to read or replace it.
    pub(crate) fn for_each_operand(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.args.iter_mut().for_each(&mut *f);
        self.kind
            .for_each_path(&mut |p| p.values_mut().for_each(&mut *f));
        if let Kind::Call(call) = &mut self.kind {
            for arg in &mut call.args {
                if let Arg::Value(v) = arg {
                    f(v);
                }
            }
            for companion in call.form.companions_mut() {
                if let Companion::Value(v) = companion {
                    f(v);
                }
            }
        }
    }

    /// Every value the operation itself uses, its blocks not included.
    pub(crate) fn operands(&self) -> Vec<Value> {
        let mut out = self.args.clone();
        if let Kind::Call(call) = &self.kind {
            out.extend(call.args.iter().filter_map(|arg| match arg {
                Arg::Value(v) => Some(*v),
                _ => None,
            }));
            out.extend(call.form.companions().iter().filter_map(|c| match c {
                Companion::Value(v) => Some(*v),
                Companion::Zero | Companion::Place(_) => None,
            }));
        }
        for path in self.paths() {
            out.extend(path.values());
        }
        out
    }

    /// The values from outside that the operation and its blocks use; a need names one of the forward sweep.
    pub(crate) fn captures(&self) -> Vec<Value> {
        fn go(op: &Op, used: &mut Vec<Value>, defined: &mut FxHashSet<Value>) {
            if !matches!(op.kind, Kind::Need(_)) {
                used.extend(op.operands());
            }
            defined.extend(&op.results);
            for block in &op.blocks {
                defined.extend(&block.params);
                used.extend(&block.yields);
                block.ops.iter().for_each(|op| go(op, used, defined));
            }
        }
        let (mut used, mut defined) = (Vec::new(), FxHashSet::default());
        go(self, &mut used, &mut defined);
        used.retain(|v| !defined.contains(v));
        used
    }

    /// The places whose contents the operation itself may change, its blocks not included.
    pub(crate) fn stores(&self) -> Vec<Place> {
        match &self.kind {
            Kind::Store(p)
            | Kind::AddTo(p)
            | Kind::TakeZero(p)
            | Kind::Replace(p)
            | Kind::Change(_, p)
            | Kind::Copy(p, _)
            | Kind::Fill(p)
            | Kind::SumZero(p) => vec![p.root],
            Kind::Swap(p, q) | Kind::Give(p, q) => vec![p.root, q.root],
            Kind::Undo(kind, _) => kind.paths().iter().map(|p| p.root).collect(),
            Kind::Opaque(opaque) | Kind::Match(opaque, _) => opaque.writes.clone(),
            Kind::For(For {
                domain: Domain::Verbatim { iter, .. },
                ..
            }) => iter.writes.clone(),
            Kind::Call(call) => {
                let backward = matches!(call.form, Form::Backward(_));
                let mut out: Vec<Place> = Vec::new();
                for arg in &call.args {
                    match arg {
                        Arg::Mut(p) => out.push(p.root),
                        // In a pullback it is a shadow.
                        Arg::Capture(p) if backward => out.push(p.root),
                        _ => {}
                    }
                }
                // Tangents change with what they belong to; a pullback adds to all its shadows.
                out.extend(
                    call.companions()
                        .into_iter()
                        .filter_map(|(companion, _, changes)| match companion {
                            Companion::Place(p) if changes => Some(p.root),
                            _ => None,
                        }),
                );
                out
            }
            _ => Vec::new(),
        }
    }

    /// The places whose shape the operation itself may change, its blocks not included.
    pub(crate) fn reshapes(&self, func: &Func) -> Vec<Place> {
        let may = |path: &Path| !func.path_ty(path).keeps_shape();
        match &self.kind {
            Kind::Change(_, p) => vec![p.root],
            Kind::Store(p) | Kind::Replace(p) => {
                let kept = |v: &Value| func.ty(*v).keeps_shape();
                if may(p) && !self.args.first().is_some_and(kept) {
                    vec![p.root]
                } else {
                    Vec::new()
                }
            }
            Kind::Swap(p, q) if may(p) => vec![p.root, q.root],
            Kind::Call(call) => call
                .args
                .iter()
                .filter_map(|arg| match arg {
                    Arg::Mut(p) if may(p) => Some(p.root),
                    _ => None,
                })
                .collect(),
            Kind::Opaque(_) | Kind::Match(..) | Kind::For(_) => {
                let mut written = self.stores();
                written.retain(|&p| may(&Path::whole(p)));
                written
            }
            _ => Vec::new(),
        }
    }

    /// Calls `f` on this operation and on every operation in its blocks, in textual order.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Op)) {
        f(self);
        for block in &self.blocks {
            for op in &block.ops {
                op.walk(f);
            }
        }
    }

    /// Whether what a loop of the forward sweep remembers is written to slots that are there when it begins: it is known how many rounds there are.
    pub(crate) fn opens_slots(&self, func: &Func) -> bool {
        let Kind::For(head) = &self.kind else {
            return false;
        };
        matches!(head.domain, Domain::Range { .. }) && !self.exits() && self.records_plain(func)
    }

    /// Whether it is written to slots that are opened behind the loop: it counts its rounds. The first of them are in the frame, of which a function that calls itself has many.
    pub(crate) fn counts_slots(&self, func: &Func) -> bool {
        matches!(&self.kind, Kind::For(head) if head.counted)
            && !func.recursive
            && self.records_plain(func)
    }

    /// Whether a loop of the forward sweep remembers something, and nothing but plain values.
    fn records_plain(&self, func: &Func) -> bool {
        let mut recorded = self.blocks[0].record.iter();
        matches!(&self.kind, Kind::For(head) if head.tape.is_some())
            && self.blocks[0].mirror.is_none()
            && recorded.all(|&v| func.ty(v).is_plain())
    }

    /// A loop that may end before its domain does.
    pub(crate) fn exits(&self) -> bool {
        self.blocks
            .iter()
            .flat_map(|block| &block.ops)
            .any(|op| matches!(op.kind, Kind::Leave | Kind::Until))
    }

    /// Has no effect but to define its results.
    pub(crate) fn is_pure(&self) -> bool {
        match &self.kind {
            Kind::Opaque(opaque) => opaque.pure,
            Kind::Lit(_)
            | Kind::Prim(_)
            | Kind::Map(_)
            | Kind::Compare(_)
            | Kind::Cast(..)
            | Kind::CastLike
            | Kind::Aggregate(_)
            | Kind::Component(_)
            | Kind::WithComponent(_)
            | Kind::Element(_)
            | Kind::SumElements
            | Kind::ZeroLike
            | Kind::ZeroPart
            | Kind::Zero
            | Kind::ShapeOf(_)
            | Kind::Load(_)
            | Kind::Owned(..)
            | Kind::Len(_)
            | Kind::Need(_) => true,
            Kind::New(_)
            | Kind::NewZero(_)
            | Kind::Take(_)
            | Kind::Store(_)
            | Kind::AddTo(_)
            | Kind::TakeZero(_)
            | Kind::Replace(_)
            | Kind::Change(..)
            | Kind::Swap(..)
            | Kind::Copy(..)
            | Kind::Fill(_)
            | Kind::Give(..)
            | Kind::SumZero(_)
            | Kind::Check(_)
            | Kind::Walked(_)
            | Kind::Call(_)
            | Kind::Payload
            | Kind::Watch { .. }
            | Kind::Leave
            | Kind::Until
            | Kind::If
            | Kind::Match(..)
            | Kind::Switch
            | Kind::For(_)
            | Kind::Undo(..)
            | Kind::Mark
            | Kind::AssertSame
            | Kind::Absorbed { .. } => false,
        }
    }
}

/// Numbers the operations of the primal in textual order; a region takes a second number for its end.
pub(crate) fn number(func: &mut Func) {
    fn go(block: &mut Block, next: &mut Pos) {
        for op in &mut block.ops {
            op.pos = *next;
            *next += 1;
            if !op.blocks.is_empty() {
                for inner in &mut op.blocks {
                    *next += 1;
                    go(inner, next);
                }
                *next += 1;
            }
        }
    }
    go(&mut func.body, &mut 1);
}

/// The type of two things that must have the same type.
pub(crate) fn join(a: Ty, b: Ty) -> Ty {
    match (a, b) {
        (Ty::Float(Width::Any), b @ Ty::Float(_)) => b,
        (a @ Ty::Float(_), _) => a,
        (_, b @ Ty::Float(_)) => b,
        (Ty::Unknown, b) => b,
        (Ty::User, Ty::Unknown) => Ty::User,
        (Ty::User, b) => b,
        (Ty::Array(a, n), Ty::Array(b, _)) => Ty::Array(Box::new(join(*a, *b)), n),
        (Ty::Vec(a), Ty::Vec(b)) => Ty::Vec(Box::new(join(*a, *b))),
        (Ty::Slice(a), Ty::Slice(b)) => Ty::Slice(Box::new(join(*a, *b))),
        (Ty::Option(a), Ty::Option(b)) => Ty::Option(Box::new(join(*a, *b))),
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
            Ty::Tuple(a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect())
        }
        (a, _) => a,
    }
}
