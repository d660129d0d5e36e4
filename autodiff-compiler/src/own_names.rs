//! Methods of the user's own types that are named like those of numbers and lists: `z.exp()` of a complex number.
//!
//! The macro does not see the definitions of types. But only a struct has fields with names, only a type of the user's own has
//! an `impl` block, and what a struct literal makes is a struct: methods of what is certainly one are the user's own. They are
//! marked before anything else looks at their names, and lose the mark in what is emitted.

use rustc_hash::{FxHashMap, FxHashSet};

use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::complex;
use crate::function::{GradFn, ParamInfo};
use crate::ir::Ty;
use crate::macros::{self, VecMacro};
use crate::rules;
use crate::std_methods;
use crate::syntax;
use crate::tensors;
use crate::types::{self, OWNER};
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

const MARK: &str = "__own_";

/// In front of methods of a type that may be the user's own, which are named like those of numbers and lists that have no derivative.
///
/// They are given their receiver once more, so that what is emitted can make sure of it.
const CHECKED: &str = "__checked_";

/// Methods of numbers and lists without a derivative, which a type of the user's own may have with one.
const PERHAPS_OWN: &[&str] = &[
    "ceil",
    "classify",
    "contains",
    "floor",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_normal",
    "is_sign_negative",
    "is_sign_positive",
    "is_subnormal",
    "len",
    "round",
    "round_ties_even",
    "signum",
    "trunc",
];

/// Methods that types derive, or have for what is no derivative's business.
const DERIVED: &[&str] = &[
    "as_mut",
    "as_ref",
    "borrow",
    "borrow_mut",
    "clone",
    "clone_from",
    "default",
    "deref",
    "into",
    "into_iter",
    "iter",
    "iter_mut",
    "to_owned",
    "to_string",
    "try_into",
];

/// Functions of a type that are named so make a value of it.
const CONSTRUCTORS: &[&str] = &["default", "identity", "new", "one", "zero"];

/// The name of a method, without the mark.
pub(crate) fn unmarked(name: &str) -> &str {
    name.strip_prefix(MARK).unwrap_or(name)
}

/// Marks the methods of a body that are certainly the user's own; for each marked name, the one that the user wrote.
pub(crate) fn mark(
    body: &mut syn::Block,
    function: &GradFn,
    about: About,
) -> FxHashMap<String, String> {
    let mut structs = Structs {
        places: FxHashSet::default(),
        types: FxHashSet::from_iter([OWNER.to_owned()]),
        declared: FxHashMap::default(),
        made: FxHashMap::default(),
        makers: FxHashSet::default(),
        numbers: function.params.iter().filter_map(number_in).collect(),
        returned: FxHashSet::default(),
        origins: FxHashMap::default(),
        result: function.ret.as_ref().and_then(types::named_as),
        floats: function.numeric.iter().map(ToString::to_string).collect(),
        fielded: FxHashSet::default(),
        complex: about.complex,
        more: true,
    };
    if about.tensors {
        structs.types.insert(types::TENSOR.to_owned());
    }
    if about.complex {
        let types = complex::TYPES.iter().map(ToString::to_string);
        structs.types.extend(types);
    }
    structs.types.extend(function.options.of_type.clone());
    for p in &function.params {
        structs.declares(p.name.to_string(), &p.written);
    }
    if let (Some(_), Some(this)) = (&function.method, function.params.first()) {
        for (field, ty) in function.options.fields.iter() {
            structs.places.insert(format!("{}.{field}", this.name));
            structs.types.insert(ty.clone());
        }
    }
    while structs.more {
        structs.more = false;
        structs.declare();
        structs.learn_makers();
        structs.visit_block(body);
        structs.returns(syntax::block_value(body));
    }
    let mut mark = Mark {
        structs,
        about,
        written: FxHashMap::default(),
    };
    mark.visit_block_mut(body);
    mark.written
}

/// The fields of a block's type that its functions make with those of other types of the user's own, `Self { at: Place::origin(), … }`, and these types.
pub(crate) fn fields(block: &syn::ItemImpl) -> Vec<(String, String)> {
    struct Made {
        of_type: Option<String>,
        fields: Vec<(String, String)>,
    }
    impl<'ast> Visit<'ast> for Made {
        fn visit_other(&mut self, node: Other<'ast>) {
            node.walk(self);
            let Other::ExprStruct(e) = node else {
                return;
            };
            let own = e.path.get_ident().map(ToString::to_string);
            if own.is_none() || own != self.of_type && own.as_deref() != Some("Self") {
                return;
            }
            for field in &e.fields {
                let made = match &field.expr {
                    syn::Expr::Call(call) => made_by_own(call),
                    _ => None,
                };
                let named = made.filter(|ty| may_be_own(ty));
                self.fields
                    .extend(named.map(|ty| (field.member.to_token_stream().to_string(), ty)));
            }
        }
    }
    let mut made = Made {
        of_type: types::named_as(&block.self_ty),
        fields: Vec::new(),
    };
    for item in &block.items {
        if let syn::ImplItem::Fn(f) = item {
            made.visit_block(&f.block);
        }
    }
    // What a type parameter makes may be a number.
    let parameter = |ty: &String| types::named(&block.generics).any(|t| t == ty);
    made.fields.retain(|(_, ty)| !parameter(ty));
    made.fields
}

/// The type that a function makes a value of, if numbers and lists have no such function: `Complex::polar(r, a)`.
fn made_by_own(e: &syn::ExprCall) -> Option<String> {
    let (ty, name) = called(e)?;
    let lists = ["default", "one", "with_capacity", "zero"].contains(&name.as_str())
        || name.starts_with("from")
        || name == "new" && e.args.is_empty()
        || name.starts_with(char::is_uppercase);
    ty.filter(|_| !lists && !is_standard(&name))
}

/// Whether some name is marked.
pub(crate) fn has_marks(written: &FxHashMap<String, String>) -> bool {
    let marked = |name: &String| name.starts_with(MARK) || name.starts_with(CHECKED);
    written.keys().any(marked)
}

/// The name of a method without the mark of one whose result is checked.
pub(crate) fn checked(method: &str) -> &str {
    method.strip_prefix(CHECKED).unwrap_or(method)
}

/// Whether a method says what a tensor looks like; that it is none with a derivative is checked.
pub(crate) fn is_look(method: &str) -> bool {
    method.strip_prefix(CHECKED).is_some_and(tensors::looks)
}

/// A marked method as one of numbers, if they have it with so many arguments.
pub(crate) fn of_number(e: &syn::ExprMethodCall) -> Option<syn::ExprMethodCall> {
    let name = e.method.to_string();
    let plain = name.strip_prefix(MARK)?;
    let rule = rules::rule(rules::by_method(plain)?);
    (rule.args.len() == 1 + e.args.len()).then(|| syn::ExprMethodCall {
        method: Ident::new(plain, e.method.span()),
        ..e.clone()
    })
}

/// Takes the marks off what is emitted.
///
/// `b.__checked_floor(&b)` is `b.floor().__checked().__carries_nothing(&b)`.
pub(crate) fn unmark(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident.to_string().starts_with(CHECKED) => {
                out.extend([Ident::new(checked(&ident.to_string()), ident.span())]);
                let Some(TokenTree::Group(args)) = tokens.next() else {
                    continue;
                };
                out.extend(check_result(&args, ident.span()));
            }
            TokenTree::Ident(ident) if ident.to_string().contains(MARK) => {
                out.extend([Ident::new(
                    &ident.to_string().replace(MARK, ""),
                    ident.span(),
                )]);
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), unmark(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Literal(literal)
                if literal.to_string().contains(MARK) || literal.to_string().contains(CHECKED) =>
            {
                let text = literal.to_string().replace(MARK, "").replace(CHECKED, "");
                let mut plain = text.parse().unwrap_or_else(|_| Literal::string(&text));
                plain.set_span(literal.span());
                out.extend([TokenTree::Literal(plain)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// A call of a method named like one of numbers or lists, and what makes sure that the derivative of what it returns is not lost.
pub(crate) fn making_sure(
    method: &Ident,
    receiver: &TokenStream,
    args: &[TokenStream],
) -> TokenStream {
    let check = quote_spanned!(method.span()=> .__checked().__carries_nothing(&#receiver));
    quote!({
        use rt::{CarriesNothing as _, Check as _, HasNothing as _};
        #receiver.#method(#(#args),*)#check
    })
}

/// The arguments of a method whose last is its receiver, and behind them what makes sure of the result.
fn check_result(args: &Group, span: proc_macro2::Span) -> TokenStream {
    let inner = unmark(args.stream());
    let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    let Ok(mut args) = syn::parse::Parser::parse2(parser, inner) else {
        return args.to_token_stream();
    };
    let receiver = args.pop();
    quote_spanned!(span=> (#args).__checked().__carries_nothing(#receiver))
}

/// Whether numbers or lists have a method of this name.
fn is_standard(name: &str) -> bool {
    rules::by_method(name).is_some() || std_methods::is_standard(name)
}

/// Whether the standard library has no method of this name, and a type of the user's own may have it with a derivative.
pub(crate) fn is_foreign(name: &str) -> bool {
    !is_standard(name) && !DERIVED.contains(&name) && !is_inert_method(name)
}

/// The name of a method, as the user wrote it.
pub(crate) fn plain(method: &Ident) -> String {
    checked(&method.to_string()).replace(MARK, "")
}

/// Methods of lists, options and iterators that take a function first.
const TAKES_FUNCTION: &[&str] = &[
    "all", "and_then", "any", "filter", "find", "for_each", "map", "position", "reduce", "update",
];

/// Methods of the standard library that neither numbers nor lists have.
const OF_CONTAINERS: &[&str] = &[
    "div_f32",
    "div_f64",
    "entry",
    "flush",
    "get_or_init",
    "keys",
    "load",
    "lock",
    "mul_f32",
    "mul_f64",
    "parse",
    "read",
    "recv",
    "send",
    "set",
    "store",
    "try_recv",
    "try_send",
    "update",
    "values",
    "values_mut",
    "with",
    "write",
];

/// Methods that only iterators have, and values of types of the user's own.
const OF_ITERATORS: &[&str] = &[
    "add",
    "chain",
    "count",
    "cycle",
    "div",
    "enumerate",
    "fold",
    "max_by",
    "min_by",
    "mul",
    "neg",
    "next",
    "nth",
    "peekable",
    "product",
    "rev",
    "scan",
    "skip",
    "step_by",
    "sub",
    "sum",
];

/// What is certainly a struct.
struct Structs {
    /// Variables, and parts of them, as `key` names them.
    places: FxHashSet<String>,
    types: FxHashSet<String>,
    /// The types that variables and their elements are declared with.
    declared: FxHashMap<String, String>,
    /// Variables that are computed or made by functions of structs, and may be structs; the functions.
    made: FxHashMap<String, String>,
    /// The functions that have made one.
    makers: FxHashSet<String>,
    /// Variables that are numbers.
    numbers: FxHashSet<String>,
    /// Variables that are numbers if free functions return numbers.
    returned: FxHashSet<String>,
    /// What variables are computed from, if that is one variable.
    origins: FxHashMap<String, String>,
    /// The type of the result, if it may be one of the user's own.
    result: Option<String>,
    /// Type parameters that stand for floats.
    floats: Vec<String>,
    /// What has fields without names: tuples, and structs.
    fielded: FxHashSet<String>,
    /// The function is about complex numbers.
    complex: bool,
    /// Something was learnt in this round.
    more: bool,
}

impl Structs {
    fn learn(&mut self, place: Option<String>) {
        if let Some(place) = place {
            self.more |= self.places.insert(place);
        }
    }

    /// A variable is declared with a type.
    fn declares(&mut self, place: String, ty: &syn::Type) {
        let elem = match types::strip(ty) {
            syn::Type::Slice(t) => Some(&*t.elem),
            syn::Type::Array(t) => Some(&*t.elem),
            ty => types::argument_of(ty).filter(|_| !types::read(ty).is_user()),
        };
        if let Some(elem) = elem {
            self.declares(element(place), elem);
        } else if let Some(name) = types::named_as(ty).filter(|name| !self.floats.contains(name)) {
            let before = self.declared.insert(place, name);
            self.more |= before.is_none();
        }
    }

    /// Whatever a pattern binds is an element of `e`, or what is in it.
    fn binds(&mut self, pat: &syn::Pat, e: &syn::Expr) {
        match pat {
            syn::Pat::Ident(p) => {
                let name = p.ident.to_string();
                if self.holds(e) {
                    self.learn(Some(name));
                } else if self.places.contains(&name) {
                    self.learn(key(e).map(element));
                } else if key(e).is_some_and(|key| self.numbers.contains(&element(key))) {
                    self.more |= self.numbers.insert(name);
                }
            }
            syn::Pat::Reference(p) => self.binds(&p.pat, e),
            syn::Pat::Paren(p) => self.binds(&p.pat, e),
            syn::Pat::Type(p) => self.binds(&p.pat, e),
            syn::Pat::Tuple(p) if p.elems.len() == 2 => {
                let syn::Expr::MethodCall(m) = syntax::peel(e) else {
                    return;
                };
                match (plain(&m.method).as_str(), m.args.first()) {
                    ("enumerate", _) => self.binds(&p.elems[1], &m.receiver),
                    ("zip", Some(other)) => {
                        self.binds(&p.elems[0], &m.receiver);
                        self.binds(&p.elems[1], other);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// What is known of variables and what they are made of.
    fn bound(&mut self, pat: &syn::Pat, init: &syn::Expr) {
        match (pat, init) {
            (syn::Pat::Tuple(pats), syn::Expr::Tuple(parts))
                if pats.elems.len() == parts.elems.len() =>
            {
                for (pat, part) in pats.elems.iter().zip(&parts.elems) {
                    self.bound(pat, part);
                }
            }
            (syn::Pat::Slice(pats), syn::Expr::Array(parts))
                if pats.elems.len() == parts.elems.len() =>
            {
                for (pat, part) in pats.elems.iter().zip(&parts.elems) {
                    self.bound(pat, part);
                }
            }
            (syn::Pat::Type(p), _) => self.bound(&p.pat, init),
            (syn::Pat::Ident(p), _) => {
                let name = p.ident.to_string();
                if let Some(of) = self.origin(init) {
                    self.origins.insert(name.clone(), of);
                }
                if self.is(init) {
                    self.learn(Some(name));
                } else if self.places.contains(&name) {
                    self.learn(key(init));
                    self.expect(init);
                } else if let (true, Some(of)) = (self.fielded.contains(&name), self.mapped(init)) {
                    self.learn(Some(of));
                    self.learn(Some(name));
                } else if self.holds(init) {
                    self.learn(Some(element(name)));
                } else if self.is_number(init) {
                    self.more |= self.numbers.insert(name);
                } else if self.may_be_number(init) {
                    self.more |= self.returned.insert(name);
                } else if self.is_of_struct(init) || is_computed(init) {
                    let maker = maker(init).unwrap_or_default();
                    self.more |= self.made.insert(name, maker).is_none();
                }
            }
            (syn::Pat::Struct(p), _) if types::variant(&p.path).is_none() => {
                self.learn(key(init));
            }
            _ => {}
        }
    }

    /// What a method of numbers is called on, which would yield a number, if that is none for certain.
    fn mapped(&self, e: &syn::Expr) -> Option<String> {
        match syntax::peel(e) {
            syn::Expr::MethodCall(m) if maps_to_itself(&plain(&m.method)) => {
                key(&m.receiver).filter(|key| !self.numbers.contains(key))
            }
            _ => None,
        }
    }

    /// Whether the elements of a list are structs, or what is in an option is one.
    fn holds(&self, e: &syn::Expr) -> bool {
        if key(e).is_some_and(|key| self.places.contains(&element(key))) {
            return true;
        }
        match syntax::peel(e) {
            syn::Expr::Reference(e) => self.holds(&e.expr),
            syn::Expr::Array(e) => e.elems.first().is_some_and(|e| self.is(e)),
            syn::Expr::Repeat(e) => self.is(&e.expr),
            syn::Expr::If(e) => {
                syntax::block_value(&e.then_branch).is_some_and(|last| self.holds(last))
            }
            syn::Expr::Call(e) => match macros::vec_macro(e) {
                Some(VecMacro::List(all)) => all.first().is_some_and(|e| self.is(e)),
                Some(VecMacro::Repeat(e, _)) => self.is(e),
                None => is_some(&e.func) && e.args.first().is_some_and(|e| self.is(e)),
            },
            _ => false,
        }
    }

    fn learn_type(&mut self, path: &syn::Path) {
        if let (None, Some(last)) = (types::variant(path), path.segments.last()) {
            self.more |= self.types.insert(last.ident.to_string());
        }
    }

    /// What is known of a type is known of all that is declared with it, and the other way round.
    fn declare(&mut self) {
        for (name, ty) in &self.declared {
            if self.types.contains(ty) {
                self.more |= self.places.insert(name.clone());
            } else if self.places.contains(name) {
                self.more |= self.types.insert(ty.clone());
            }
        }
    }

    /// What has made one struct makes others.
    fn learn_makers(&mut self) {
        for (name, maker) in &self.made {
            if self.places.contains(name) && !maker.is_empty() {
                self.more |= self.makers.insert(maker.clone());
            }
        }
    }

    /// Whether a variable is declared with a type that may be one of the user's own.
    fn is_declared(&self, e: &syn::Expr) -> bool {
        let own = |ty: &String| ty.starts_with(char::is_uppercase) && !types::is_known(ty);
        key(e).is_some_and(|key| self.declared.get(&key).is_some_and(own))
    }

    fn is(&self, e: &syn::Expr) -> bool {
        if key(e).is_some_and(|key| self.places.contains(&key)) {
            return true;
        }
        match e {
            syn::Expr::Paren(e) => self.is(&e.expr),
            syn::Expr::Group(e) => self.is(&e.expr),
            syn::Expr::Reference(e) => self.is(&e.expr),
            syn::Expr::Unary(e) => !matches!(e.op, syn::UnOp::Not(_)) && self.is(&e.expr),
            syn::Expr::Struct(_) => true,
            syn::Expr::Path(p) => is_variant(&p.path),
            syn::Expr::Call(e) => self.is_made(e),
            syn::Expr::Block(e) => syntax::block_value(&e.block).is_some_and(|last| self.is(last)),
            syn::Expr::If(e) => {
                syntax::block_value(&e.then_branch).is_some_and(|last| self.is(last))
            }
            syn::Expr::Binary(e) => {
                let (left, right) = (self.is(&e.left), self.is(&e.right));
                match e.op {
                    syn::BinOp::Add(_) | syn::BinOp::Sub(_) => left || right,
                    // The product of two may be a number.
                    syn::BinOp::Mul(_) | syn::BinOp::Div(_) => {
                        left && self.is_number(&e.right) || right && self.is_number(&e.left)
                    }
                    _ => false,
                }
            }
            syn::Expr::MethodCall(m) => {
                let same = m.method == "clone" || maps_to_itself(&plain(&m.method));
                same && self.is(&m.receiver)
            }
            _ => false,
        }
    }

    /// The type of a call that only types of the user's own have.
    fn learn_owner(&mut self, e: &syn::ExprCall) {
        if let Some(ty) = made_by_own(e).filter(|ty| self.may_be_own(ty)) {
            self.more |= self.types.insert(ty);
        }
    }

    /// An expression is a struct: so is what nothing but a struct can be in it.
    fn expect(&mut self, e: &syn::Expr) {
        if self.may_be_number(e) {
            return;
        }
        match syntax::peel(e) {
            syn::Expr::Path(_) => {
                let computed = |key: &String| self.made.contains_key(key);
                self.learn(key(e).filter(computed));
            }
            syn::Expr::Unary(e) => self.expect(&e.expr),
            syn::Expr::Block(e) => {
                if let Some(last) = syntax::block_value(&e.block) {
                    self.expect(last);
                }
            }
            syn::Expr::Binary(e) => {
                let product = matches!(e.op, syn::BinOp::Mul(_) | syn::BinOp::Div(_));
                let sum = matches!(e.op, syn::BinOp::Add(_) | syn::BinOp::Sub(_));
                self.learn(key(&syn::Expr::Binary(e.clone())));
                // A product with a number is a struct by its other factor, one of two alike by both.
                if sum || product && (self.is_number(&e.right) || self.are_alike(e)) {
                    self.expect(&e.left);
                }
                if sum || product && (self.is_number(&e.left) || self.are_alike(e)) {
                    self.expect(&e.right);
                }
            }
            syn::Expr::MethodCall(m) if maps_to_itself(&plain(&m.method)) => {
                self.learn(key(&m.receiver));
                self.expect(&m.receiver);
            }
            _ => {}
        }
    }

    /// The value of the function, or what it returns early, is of the type of its result.
    fn returns(&mut self, e: Option<&syn::Expr>) {
        let own = |ty: &String| self.types.contains(ty);
        if let (Some(e), true) = (e, self.result.as_ref().is_some_and(own)) {
            self.learn(key(e));
            self.expect(e);
        }
    }

    /// Whether both sides are computed from one and the same variable, beside numbers.
    fn are_alike(&self, e: &syn::ExprBinary) -> bool {
        let (left, right) = (self.origin(&e.left), self.origin(&e.right));
        left.is_some() && left == right
    }

    /// The variable that an expression is computed from, beside numbers, if it is one.
    fn origin(&self, e: &syn::Expr) -> Option<String> {
        match syntax::peel(e) {
            syn::Expr::Path(_) => {
                let name = key(e)?;
                Some(self.origins.get(&name).unwrap_or(&name).clone())
            }
            syn::Expr::Unary(e) => self.origin(&e.expr),
            syn::Expr::Binary(e) if self.is_number(&e.right) => self.origin(&e.left),
            syn::Expr::Binary(e) if self.is_number(&e.left) => self.origin(&e.right),
            syn::Expr::Binary(e) => {
                let (left, right) = (self.origin(&e.left)?, self.origin(&e.right)?);
                (left == right).then_some(left)
            }
            syn::Expr::MethodCall(m) if maps_to_itself(&plain(&m.method)) => {
                self.origin(&m.receiver)
            }
            _ => None,
        }
    }

    /// Whether an expression is a call of a method of a struct, or of a function of a type that may be the user's own.
    fn is_of_struct(&self, e: &syn::Expr) -> bool {
        match syntax::peel(e) {
            syn::Expr::MethodCall(m) => self.is(&m.receiver),
            syn::Expr::Call(e) => {
                matches!(called(e), Some((Some(ty), _)) if self.types.contains(&ty) || self.may_be_own(&ty))
            }
            _ => false,
        }
    }

    /// Whether an expression may be a struct for all that is known.
    fn may_be(&self, e: &syn::Expr) -> bool {
        let named = |key: String| self.declared.contains_key(&key) || self.made.contains_key(&key);
        key(e).is_some_and(named) || is_computed(e) && !self.may_be_number(e)
    }

    /// Whether a type may be the user's own, by its name.
    fn may_be_own(&self, ty: &String) -> bool {
        may_be_own(ty) && !self.floats.contains(ty)
    }

    /// `T::one()`, `T::from(2.0).unwrap()`, where `T` stands for a float.
    fn is_of_float(&self, e: &syn::Expr) -> bool {
        match syntax::peel(e) {
            syn::Expr::MethodCall(m) if m.method == "unwrap" || m.method == "expect" => {
                self.is_of_float(&m.receiver)
            }
            syn::Expr::Call(e) => {
                matches!(called(e), Some((Some(ty), _)) if self.floats.contains(&ty))
            }
            _ => false,
        }
    }

    /// What is no function for certain.
    fn is_given_number(&self, e: &syn::Expr) -> bool {
        let known = key(e).is_some_and(|key| self.numbers.contains(&key));
        known || matches!(syntax::peel(e), syn::Expr::Lit(_))
    }

    /// Whether an expression is certainly a number.
    fn is_number(&self, e: &syn::Expr) -> bool {
        self.is_made_of_numbers(e, false)
    }

    /// Whether it is one, or would be if free functions returned numbers.
    fn may_be_number(&self, e: &syn::Expr) -> bool {
        self.is_made_of_numbers(e, true)
    }

    fn is_made_of_numbers(&self, e: &syn::Expr, returned: bool) -> bool {
        let numbers = |e| self.is_made_of_numbers(e, returned);
        match syntax::peel(e) {
            syn::Expr::Lit(_) => true,
            e if self.is_of_float(e) => true,
            e if self.complex && complex::is_real(e) => true,
            syn::Expr::Cast(e) => types::read(&e.ty).is_scalar(),
            syn::Expr::Unary(e) => numbers(&e.expr),
            syn::Expr::Reference(e) => numbers(&e.expr),
            syn::Expr::Binary(e) => numbers(&e.left) && numbers(&e.right),
            syn::Expr::MethodCall(m) if rules::by_method(&plain(&m.method)).is_some() => {
                numbers(&m.receiver)
            }
            syn::Expr::Call(e) => {
                let in_module = |of: String| !of.starts_with(char::is_uppercase);
                returned
                    && called(e).is_some_and(|(of, name)| {
                        of.is_none_or(in_module) && name.starts_with(char::is_lowercase)
                    })
            }
            e => key(e).is_some_and(|key| {
                let known = self.numbers.contains(&key) || returned && self.returned.contains(&key);
                known && !self.places.contains(&key)
            }),
        }
    }

    /// Whether a call makes a struct: `Complex(x, y)`, `Complex::new(x, y)`.
    fn is_made(&self, e: &syn::ExprCall) -> bool {
        let variant = matches!(&*e.func, syn::Expr::Path(p) if is_variant(&p.path));
        if variant || path_of(e).is_some_and(|path| self.makers.contains(&path)) {
            return true;
        }
        match called(e) {
            Some((Some(ty), name)) if self.types.contains(&ty) => {
                // `Complex::exp(z)` is `z.exp()`.
                let maps = || maps_to_itself(&name) && e.args.first().is_some_and(|e| self.is(e));
                name.starts_with("from_") || CONSTRUCTORS.contains(&name.as_str()) || maps()
            }
            Some((None, name)) => self.types.contains(&name),
            _ => false,
        }
    }
}

/// `Shape::Nothing`; what is written in capitals is a constant, of whatever type.
fn is_variant(path: &syn::Path) -> bool {
    let capitals = |name: &syn::Ident| !name.to_string().contains(char::is_lowercase);
    types::variant(path).is_some_and(|name| !capitals(name))
}

/// Whether a method named like one of lists is given another number of arguments than that.
fn takes_others(m: &syn::ExprMethodCall) -> bool {
    let taken = match m.method.to_string().as_str() {
        "clear" | "pop" | "last" | "first" => 0,
        "push" | "append" | "extend" | "remove" | "swap_remove" | "truncate" | "fill"
        | "split_off" => 1,
        // Options have it with one.
        "insert" => return m.args.len() != 1 && m.args.len() != 2,
        "resize" | "swap" => 2,
        _ => return false,
    };
    m.args.len() != taken
}

/// A call of a method that yields nothing where it is one of lists.
fn changes_list(e: &syn::Expr) -> Option<&syn::ExprMethodCall> {
    match syntax::peel(e) {
        syn::Expr::MethodCall(m) => {
            let name = plain(&m.method);
            let nothing = [
                "push", "clear", "truncate", "resize", "append", "extend", "swap", "fill",
            ];
            nothing.contains(&name.as_str()).then_some(m)
        }
        _ => None,
    }
}

/// By operators, or methods of numbers.
fn is_computed(e: &syn::Expr) -> bool {
    match syntax::peel(e) {
        syn::Expr::Binary(e) => !syntax::is_comparison(&e.op) && !syntax::is_logical(&e.op),
        syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)),
        syn::Expr::MethodCall(m) => maps_to_itself(&plain(&m.method)),
        _ => false,
    }
}

/// Whether a type may be the user's own, by its name.
fn may_be_own(ty: &str) -> bool {
    ty.starts_with(char::is_uppercase) && !types::is_known(ty) && !types::is_hiding(ty)
}

/// The function that makes a value, as it is written.
fn maker(e: &syn::Expr) -> Option<String> {
    match syntax::peel(e) {
        syn::Expr::Call(e) => path_of(e),
        _ => None,
    }
}

fn path_of(e: &syn::ExprCall) -> Option<String> {
    match &*e.func {
        syn::Expr::Path(p) if p.path.segments.len() > 1 => {
            Some(p.path.to_token_stream().to_string())
        }
        _ => None,
    }
}

/// The function that is called, and what it is a function of.
fn called(e: &syn::ExprCall) -> Option<(Option<String>, String)> {
    let syn::Expr::Path(p) = &*e.func else {
        return None;
    };
    let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
    let name = names.next()?;
    Some((names.next(), name))
}

/// A variable, or a part of one: elements have no numbers, what runs over them has a `~`, what other methods return has their name,
/// and what operators make is the same wherever it is written alike.
fn key(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Paren(e) => key(&e.expr),
        syn::Expr::Group(e) => key(&e.expr),
        syn::Expr::Reference(e) => key(&e.expr),
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => key(&e.expr),
        // Part of a list is one.
        syn::Expr::Index(e) if matches!(&*e.index, syn::Expr::Range(_)) => key(&e.expr),
        syn::Expr::Index(e) => Some(element(key(&e.expr)?)),
        syn::Expr::Binary(_) => Some(format!("({})", e.to_token_stream())),
        syn::Expr::Field(e) => Some(format!("{}.{}", key(&e.base)?, e.member.to_token_stream())),
        syn::Expr::MethodCall(m) => {
            let (of, name) = (key(&m.receiver)?, plain(&m.method));
            Some(match name.as_str() {
                "as_mut" | "as_ref" | "clone" => of,
                "cloned" | "copied" | "first" | "first_mut" | "get" | "get_mut" | "into_iter"
                | "iter" | "iter_mut" | "last" | "last_mut" | "max_by" | "min_by" | "next"
                | "pop" | "rev" | "skip" | "step_by" | "take" | "to_vec" => {
                    of.trim_end_matches('~').to_owned() + "~"
                }
                "expect" | "unwrap" => element(of),
                _ => format!("{of}.{name}()"),
            })
        }
        _ => None,
    }
}

/// What can be named twice.
fn is_place(e: &syn::Expr) -> bool {
    match syntax::peel(e) {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(e) => is_place(&e.base),
        syn::Expr::Index(e) => is_place(&e.expr) && is_place(&e.index),
        syn::Expr::Lit(_) => true,
        syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Deref(_)) && is_place(&e.expr),
        _ => false,
    }
}

/// The elements of a list, of what runs over it, and what is in an option of them.
fn element(of: String) -> String {
    of.trim_end_matches('~').to_owned() + "[]"
}

/// `Some`
fn is_some(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Path(p) if p.path.is_ident("Some"))
}

/// A parameter that is a number or a list of them, as `key` names the number.
fn number_in(param: &ParamInfo) -> Option<String> {
    let (mut ty, mut name) = (param.ty.clone(), param.name.to_string());
    while let Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) = ty {
        (ty, name) = (*elem, name + "[]");
    }
    ty.is_scalar().then_some(name)
}

/// A method of numbers that yields another of the kind, whatever it is a method of.
fn maps_to_itself(method: &str) -> bool {
    let shrinks = ["abs", "atan2", "hypot", "max", "min", "clamp", "signum"];
    rules::by_method(method).is_some() && !shrinks.contains(&method)
}

impl<'ast> Visit<'ast> for Structs {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_field(&mut self, e: &'ast syn::ExprField) {
        match &e.member {
            // A range has fields with names, too.
            syn::Member::Named(name) if name == "start" || name == "end" => {}
            syn::Member::Unnamed(_) if !self.is_declared(&e.base) => {
                if let Some(key) = key(&e.base) {
                    self.more |= self.fielded.insert(key);
                }
            }
            _ => {
                self.learn(key(&e.base));
                self.expect(&e.base);
            }
        }
        visit::visit_expr_field(self, e);
    }

    fn visit_pat_struct(&mut self, p: &'ast syn::PatStruct) {
        self.learn_type(&p.path);
        visit::visit_pat_struct(self, p);
    }

    fn visit_pat_type(&mut self, p: &'ast syn::PatType) {
        if let syn::Pat::Ident(variable) = &*p.pat {
            self.declares(variable.ident.to_string(), &p.ty);
        }
        visit::visit_pat_type(self, p);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        let Some(init) = &local.init else { return };
        if let (syn::Pat::Ident(_), Some(own)) = (&local.pat, changes_list(&init.expr)) {
            self.learn(key(&own.receiver));
        }
        self.bound(&local.pat, &init.expr);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        if let Some(own) = changes_list(&e.right) {
            self.learn(key(&own.receiver));
        }
        if self.is(&e.right) {
            self.learn(key(&e.left));
        } else if self.is(&e.left) {
            self.learn(key(&e.right));
            self.expect(&e.right);
        }
    }

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        visit::visit_expr_return(self, e);
        self.returns(e.expr.as_deref());
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        self.learn_owner(e);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        let changes = matches!(e.op, syn::BinOp::AddAssign(_) | syn::BinOp::SubAssign(_));
        if changes && self.is(&e.left) {
            self.expect(&e.right);
        }
        // What is added to a struct, and may be one, is one.
        if matches!(e.op, syn::BinOp::Add(_) | syn::BinOp::Sub(_)) {
            for (one, other) in [(&e.left, &e.right), (&e.right, &e.left)] {
                // These are variables; a long sum is not to be printed at each of its signs.
                let computed = matches!(syntax::peel(other), syn::Expr::Binary(_));
                let made = (!computed).then(|| key(other)).flatten();
                let made = made.filter(|key| self.made.contains_key(key));
                if made.is_some() && self.is(one) {
                    self.learn(made);
                }
            }
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.binds(&e.pat, &e.expr);
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        if let syn::Pat::TupleStruct(p) = &*e.pat {
            if let (true, Some(inner)) = (p.path.is_ident("Some"), p.elems.first()) {
                self.binds(inner, &e.expr);
            }
        }
        visit::visit_expr_let(self, e);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        for arm in &e.arms {
            if let syn::Pat::TupleStruct(p) = &arm.pat {
                if let (true, Some(inner)) = (p.path.is_ident("Some"), p.elems.first()) {
                    self.binds(inner, &e.expr);
                }
            }
        }
        visit::visit_expr_match(self, e);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if let Some(syn::Expr::Closure(closure)) = m.args.last() {
            // What is folded comes first.
            if let Some(item) = closure.inputs.last() {
                self.binds(item, &m.receiver);
            }
            if let ("fold", Some(folded)) = (plain(&m.method).as_str(), closure.inputs.first()) {
                self.bound(folded, &m.args[0]);
            }
        }
        visit::visit_expr_method_call(self, m);
        // A number's method would have made a number.
        let made = key(&syn::Expr::MethodCall(m.clone()));
        let made = made.is_some_and(|made| self.places.contains(&made));
        if made && maps_to_itself(&m.method.to_string()) {
            self.learn(key(&m.receiver));
        }
        let name = m.method.to_string();
        // Where lists take a function.
        let number = m.args.first().is_some_and(|arg| self.is_given_number(arg));
        if number && TAKES_FUNCTION.contains(&name.as_str()) {
            self.learn(key(&m.receiver));
        }
        // A list's method takes so many arguments, and some yield nothing.
        if takes_others(m) {
            self.learn(key(&m.receiver));
        }
        if let Some(inner) = changes_list(&m.receiver) {
            self.learn(key(&inner.receiver));
        }
        // Nothing but a type of one's own can have a method that numbers and lists have not, and a derivative of it.
        let foreign = is_foreign(&name) || OF_CONTAINERS.contains(&name.as_str());
        // Of an iterator there is no variable.
        let computed = key(&m.receiver).filter(|key| self.made.contains_key(key));
        if foreign && self.may_be(&m.receiver) {
            self.learn(key(&m.receiver));
            self.expect(&m.receiver);
        } else if OF_ITERATORS.contains(&name.as_str()) {
            self.learn(computed);
        }
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ExprStruct(e) => {
                self.learn_type(&e.path);
                Other::ExprStruct(e).walk(self);
            }
            other => other.walk(self),
        }
    }
}

/// What a value of unknown type may be, beside a number.
#[derive(Clone, Copy)]
pub(crate) struct About {
    /// A tensor.
    pub(crate) tensors: bool,
    /// A complex number.
    pub(crate) complex: bool,
}

impl About {
    /// Whether a method is one of these, if the value is.
    fn may_have(self, m: &syn::ExprMethodCall) -> bool {
        self.tensors && tensors::may_have(m) || self.complex && complex::may_have(m)
    }
}

struct Mark {
    structs: Structs,
    about: About,
    written: FxHashMap<String, String>,
}

impl VisitMut for Mark {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_method_call_mut(&mut self, m: &mut syn::ExprMethodCall) {
        // As it is written, before anything in it is marked.
        let certain = self.structs.is(&m.receiver);
        let foreign = self.about.may_have(m) && !self.structs.is_number(&m.receiver);
        visit_mut::visit_expr_method_call_mut(self, m);
        let name = m.method.to_string();
        if self.about.tensors && tensors::takes_lengths(&name) {
            m.args.iter_mut().for_each(decide_lengths);
        }
        if let Some(plain) = name.strip_prefix(MARK) {
            self.written.insert(name.clone(), plain.to_owned());
            return;
        }
        let other = DERIVED.contains(&name.as_str()) || std_methods::is_inert_name(&name);
        let standard = is_standard(&name);
        // Of an iterator there is no variable.
        let made = || key(&m.receiver).is_some_and(|key| self.structs.made.contains_key(&key));
        let chained = changes_list(&m.receiver).is_some();
        let own = certain
            || foreign
            || chained
            || takes_others(m)
            || OF_ITERATORS.contains(&name.as_str()) && made();
        let compares = std_methods::compares(&name);
        // Neither numbers nor lists that operators make have a length.
        let sized = ["len", "is_empty"].contains(&name.as_str()) && is_computed(&m.receiver);
        let looks = self.about.tensors && tensors::looks(&name);
        let perhaps = looks
            || PERHAPS_OWN.contains(&name.as_str())
                && (certain || self.structs.is_declared(&m.receiver))
            || matches!(name.as_str(), "is_none" | "is_some") && certain;
        let mark =
            if compares && m.args.len() != 1 || sized || standard && (!other || foreign) && own {
                MARK
            } else if perhaps && is_place(&m.receiver) {
                let receiver = &m.receiver;
                m.args.push(syn::parse_quote!(&#receiver));
                CHECKED
            } else {
                return;
            };
        m.method = Ident::new(&format!("{mark}{name}"), m.method.span());
        self.written.insert(m.method.to_string(), name);
    }
}

/// Lengths and axes are integers, though one is computed from a field, whose type nobody sees; rustc checks that.
fn decide_lengths(arg: &mut syn::Expr) {
    let syn::Expr::Reference(lent) = arg else {
        return;
    };
    if let syn::Expr::Array(list) = &*lent.expr {
        if !list.elems.iter().all(|e| matches!(e, syn::Expr::Lit(_))) {
            *lent.expr = syn::parse_quote!(rt::decided(#list));
        }
    }
}

/// Whether what a method of this name returns never carries a derivative; of a type of one's own that is made sure of.
pub(crate) fn is_inert_method(name: &str) -> bool {
    std_methods::is_inert_name(checked(name)) || is_look(name)
}
