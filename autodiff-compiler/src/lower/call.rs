//! Calls and method calls.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::expr::{is_number, unparen};
use super::{Lower, Tree, foreign, hidden};
use crate::counts;
use crate::desugar::PREFIX;
use crate::facts::{self, WALKED};
use crate::features::features;
use crate::forms::{self, WRITER};
use crate::ir::{
    self, Arg, Call, Conversion, Domain, For, Form, Function, Kind, Opaque, Path, Prim, Shape,
    Step, Storage, Ty, Value, Width,
};
use crate::iterators;
use crate::macros;
use crate::marks;
use crate::matrices;
use crate::own::LINKED;
use crate::own_names;
use crate::rules;
use crate::standard;
use crate::std_methods::{self, is_standard};
use crate::types::{self, is_type_name};

/// Methods that lose the derivative of what they are called on, and what to write instead.
const LOSSY: &[(&str, &str)] = &[
    (
        "parse",
        "a number read from text has no derivative; keep the number",
    ),
    (
        "lock",
        "shared state cannot be differentiated; pass the value in as a parameter and return the new one",
    ),
    (
        "borrow",
        "a `RefCell` hides its value from differentiation; use a `let mut` variable",
    ),
    (
        "borrow_mut",
        "a `RefCell` hides its value from differentiation; use a `let mut` variable",
    ),
];

/// Of a call that returns nothing and changes nothing that it is lent to be changed.
const HIDDEN_EFFECT: &str = "nothing comes back from this call, and what it stores is hidden from differentiation; if that is of no account, pass it `autodiff::stop_gradient(…)`";

/// Of the last call in a chain of methods: one of those before it may lend what this call changes, so the advice is not to let go of it.
const HIDDEN_IN_A_CHAIN: &str = "nothing comes back from this call, and what it stores is hidden behind a method that the standard library has, too; if that one is yours and returns `&mut Self`, call each in a statement of its own: `b.first(…); b.second(…);`";

/// Of a part of an array that is changed by another method than those that are followed.
const HIDDEN_IN_A_PART: &str = "what is stored in this part of an array is hidden from differentiation; write `row_mut(i)` or `column_mut(j)`, whose `assign` and `fill` are followed, or a loop over elements";

/// Why a method that nothing comes back from is refused.
fn hidden_effect(receiver: &syn::Expr) -> &'static str {
    match receiver {
        syn::Expr::MethodCall(call)
            if features().ndarray
                && ["index_axis_mut", "slice_mut"]
                    .iter()
                    .any(|name| call.method == name) =>
        {
            HIDDEN_IN_A_PART
        }
        syn::Expr::MethodCall(call) if !call.args.is_empty() => HIDDEN_IN_A_CHAIN,
        _ => HIDDEN_EFFECT,
    }
}

/// Whether other types than numbers have a method of this name that has no derivative.
fn is_of_anything(name: &str) -> bool {
    let compares = std_methods::compares(name) && name != "total_cmp";
    compares || ["contains", "is_none", "is_some"].contains(&name)
}

impl Lower<'_> {
    /// Whether a method named like one that only decides may be one of the user's own, which yields a number.
    fn may_be_another(&self, e: &syn::ExprMethodCall) -> bool {
        let name = e.method.to_string();
        let unknown = matches!(self.facts.ty(&e.receiver), Ty::Unknown | Ty::User);
        let of_anything = std_methods::row(&name, |of| of == std_methods::Of::Anything);
        unknown && (of_anything.is_some() || std_methods::compares(&name))
    }

    /// `receiver.method(args)` with something active in it.
    pub(super) fn method(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let name = e.method.to_string();
        // What is known by now to be a number has the methods of numbers.
        if self.facts.ty(&e.receiver).is_float() {
            if let Some(of_number) = own_names::of_number(e) {
                return self.method(&of_number);
            }
        }
        let unused = std::mem::take(&mut self.unused);
        if let Some((_, why)) = LOSSY.iter().find(|(lossy, _)| *lossy == name) {
            if self.is_refused(&e.receiver) {
                return self.dummy();
            }
            return self.refuse_unless_known(
                &e.receiver,
                &e.method,
                format_args!("method `{name}`: {why}"),
            );
        }
        if let Some(pair) = matrices::mapped_to_tuples(e) {
            let message = "elements of arrays are numbers here; map to one number at a time";
            return self.refuse_unless_known(&e.receiver, pair, message);
        }
        if let Some((entry, why)) = hidden::entry(e).filter(|_| !self.is_given_constants(e)) {
            self.poisoned.extend(facts::root(&entry.receiver));
            return self.refuse(&entry.method, format_args!("method `entry`: {why}"));
        }
        match name.as_str() {
            "len" if e.args.is_empty() => {
                let tree = self.expr(&e.receiver);
                if let Tree::Either(either) = tree {
                    return Tree::Value(self.either_length(*either));
                }
                let path = self.path(tree);
                let ty = self.func.path_ty(&path);
                if let Some(refused) = self.refuse_length(&e.method, &ty) {
                    return refused;
                }
                let n = self.asked_len(path);
                if matches!(ty, Ty::Unknown | Ty::User | Ty::Array(..)) {
                    // A method of that name that returns something else does not compile.
                    self.ascribed.insert(n, quote!(usize));
                }
                return Tree::Value(n);
            }
            "is_empty" if e.args.is_empty() => {
                let tree = self.expr(&e.receiver);
                if let Tree::Either(either) = tree {
                    let n = self.either_length(*either);
                    return Tree::Value(self.pure(quote!(__a0 == 0), vec![n], Ty::Bool));
                }
                let path = self.path(tree);
                let ty = self.func.path_ty(&path);
                if let Some(refused) = self.refuse_length(&e.method, &ty) {
                    return refused;
                }
                // What a type of the user's own calls empty is its own affair.
                if matches!(ty, Ty::Unknown | Ty::User) {
                    return Tree::Value(self.asked_of(&path, &e.method, Ty::Bool));
                }
                let n = self.len(path);
                return Tree::Value(self.pure(quote!(__a0 == 0), vec![n], Ty::Bool));
            }
            "ncols" | "ndim" | "nrows" | "is_square"
                if features().matrices() && e.args.is_empty() =>
            {
                let tree = self.expr(&e.receiver);
                let path = self.path(tree);
                let ty = if name == "is_square" {
                    Ty::Bool
                } else {
                    Ty::Int
                };
                return Tree::Value(self.asked_of(&path, &e.method, ty));
            }
            "raw_dim" if features().ndarray && e.args.is_empty() => {
                let tree = self.expr(&e.receiver);
                let path = self.path(tree);
                return Tree::Value(self.asked_of(&path, &e.method, Ty::Inert));
            }
            "to_f64" if e.args.is_empty() && self.facts.ty(&e.receiver).is_generic() => {
                let x = self.scalar(&e.receiver);
                let cast = Kind::Cast(quote!(f64), Ty::F64, Conversion::Float);
                return Tree::Value(self.emit(cast, vec![x], Ty::F64, ""));
            }
            "sin_cos" if e.args.is_empty() => {
                let x = self.scalar(&e.receiver);
                let parts = ["sin", "cos"].map(|name| match rules::by_name(name) {
                    Some(row) => Tree::Value(self.prim(Prim::Rule(row), vec![x])),
                    None => Tree::Never,
                });
                return Tree::Tuple(parts.into());
            }
            "to_vec" | "clone" | "to_owned" if e.args.is_empty() => {
                let method = if name == "to_vec" {
                    "to_vec"
                } else if name == "clone" {
                    "clone"
                } else {
                    "to_owned"
                };
                return match self.unboxed(false, &e.receiver) {
                    Tree::Place(path) | Tree::View(path) => {
                        if method == "to_owned" {
                            self.refuse_own(&path, &e.method);
                        }
                        let ty = match (self.func.path_ty(&path), method) {
                            (ty @ (Ty::Array(..) | Ty::Slice(_)), "to_vec")
                            | (ty @ Ty::Slice(_), "to_owned") => Ty::Vec(Box::new(ty.element())),
                            (ty, _) => ty,
                        };
                        // The tangent of a `&Vec` is a slice.
                        let whole = path.steps.is_empty()
                            && matches!(self.func.at(path.root).storage, Storage::Shared);
                        let method = if whole && matches!(ty, Ty::Vec(_)) {
                            "to_vec"
                        } else {
                            method
                        };
                        Tree::Value(self.emit(Kind::Owned(path, method), Vec::new(), ty, ""))
                    }
                    tree => tree,
                };
            }
            // Of a text nothing has a derivative, and it is looked at where it lies.
            "as_str" if e.args.is_empty() => {
                let tree = self.expr(&e.receiver);
                let path = self.path(tree);
                return Tree::Value(self.text_in(&path, &e.method));
            }
            "as_slice" | "as_mut_slice" | "as_ref" | "as_mut" if e.args.is_empty() => {
                return match self.expr(&e.receiver) {
                    Tree::Place(path) | Tree::View(path) => {
                        self.refuse_own(&path, &e.method);
                        Tree::View(path)
                    }
                    Tree::Either(either) => either.viewed(),
                    tree => tree,
                };
            }
            _ => {}
        }
        // A list would be told where.
        let own = matches!(unparen(&e.receiver), syn::Expr::Path(_))
            && self.facts.ty(&e.receiver).is_user();
        if name == "insert" && e.args.len() == 1 && own {
            return self.method_call(e, unused);
        }
        // `groups.entry(k).or_default().push(i)`
        let lent = hidden::is_lent_by_method(&e.receiver);
        let hides = std_methods::hides(&name);
        if (lent || self.changes_unknown(e)) && !hides && self.is_given_constants(e) {
            return self.constant_call(&syn::Expr::MethodCall(e.clone()));
        }
        if let Some(tree) = self.memory_method(e) {
            return tree;
        }
        if let Some(tree) = self.view_method(e) {
            return tree;
        }
        if let Some(tree) = self.conversion(e) {
            return tree;
        }
        if name == "into" && e.args.is_empty() {
            return self.method_call(e, unused);
        }
        match name.as_str() {
            "unwrap" | "expect"
                if self.is_option(&e.receiver) || self.may_be_option(&e.receiver) =>
            {
                return self.payload(e);
            }
            "as_ref" | "copied" | "cloned" if self.is_option(&e.receiver) => {
                return self.expr(&e.receiver);
            }
            _ => {}
        }
        if let Some(row) = rules::by_method(&name) {
            if unused {
                return self.refuse(&e.method, hidden_effect(&e.receiver));
            }
            // `v.max()`, which is none of a number's.
            let arity = rules::rule(row).args.len() == 1 + e.args.len();
            if let Some(refused) = self.refuse_no_number(e).filter(|_| arity) {
                return refused;
            }
            let number = matches!(self.facts.ty(&e.receiver), Ty::Float(_) | Ty::Int);
            if !arity && !number {
                return self.method_call(e, unused);
            }
            let args = std::iter::once(&*e.receiver).chain(&e.args);
            let values = args.map(|e| self.scalar(unref(e))).collect();
            return self.rule(row, &e.method, values);
        }
        if own_names::is_inert_method(&name) {
            if !is_of_anything(&name) {
                if let Some(refused) = self.refuse_no_number(e) {
                    return refused;
                }
            }
            let receiver = self.scalar(&e.receiver);
            let mut args = vec![receiver];
            args.extend(e.args.iter().map(|arg| self.scalar(unref(arg))));
            let method = &e.method;
            let compares = std_methods::compares(&name);
            let rest = e.args.iter().zip(1..).map(|(arg, k)| {
                let name = quote::format_ident!("__a{k}");
                if compares || matches!(unparen(arg), syn::Expr::Reference(_)) {
                    quote!(&#name)
                } else {
                    quote!(#name)
                }
            });
            let ty = self.facts.ty(&syn::Expr::MethodCall(e.clone()));
            let text = if self.may_be_another(e) {
                let rest: Vec<_> = rest.collect();
                own_names::making_sure(method, &quote!(__a0), &rest)
            } else {
                quote!(__a0.#method(#(#rest),*))
            };
            return Tree::Value(self.pure(text, args, ty));
        }
        if self.is_given_constants(e) && !std_methods::hides(&name) {
            return self.constant_call(&syn::Expr::MethodCall(e.clone()));
        }
        // An order of indices: what it is made of is only looked at.
        let orders = name.starts_with("sort") || name == "retain";
        if orders && self.facts.ty(&e.receiver).is_inert() {
            self.verbatim_statement(&syn::Expr::MethodCall(e.clone()));
            return Tree::Unit;
        }
        let chooses = crate::tensors::chooses(&name);
        let of_lists = std_methods::OF_LISTS_ALONE.contains(&name.as_str());
        let own = self.facts.ty(&e.receiver).is_user() && !of_lists;
        if own || chooses || self.must_be_own(e) {
            return self.method_call(e, unused);
        }
        let name = forms::without_value(&name).to_owned();
        let generic = self.no_number(e).is_some() || self.facts.ty(&e.receiver).is_generic();
        if let Some(of) = self.beside_numbers.clone().filter(|_| generic) {
            let rest = if e.args.is_empty() { "x" } else { "x, …" };
            return self.refuse(&e.method, format_args!("method `{name}` of a float: its derivative is that of an `impl` of `{of}`; put #[grad] on `trait {of}` and on its `impl`s, and call it by the path of the trait, `{of}::{name}({rest})`"));
        }
        if let Some(param) = self.no_number(e) {
            self.poisoned.insert(param.to_string());
            return self.refuse(&param, format_args!("a type parameter stands for a float here, which has no method `{name}`; where this is no variable, write `#[constant]` in front of it, else put #[grad] on the trait and write `T: Trait + Differentiable`"));
        }
        let message = match name.as_str() {
            "drain" | "retain" | "dedup" | "splice" | "resize_with" => {
                format!(
                    "method `{name}` changes the length of a `Vec` of active values in a way that cannot be followed; use `remove`, `truncate` or `push`"
                )
            }
            "first" | "last" | "get" | "first_mut" | "last_mut" | "get_mut" | "split_first"
            | "split_last" | "split_first_mut" | "split_last_mut" | "pop" => {
                format!(
                    "method `{name}` yields an `Option` of something active, which is understood only where `unwrap` or `expect` follows at once; match on a slice or use an index"
                )
            }
            name if iterators::parts(name).is_some() => {
                format!(
                    "method `{name}` is understood as what a `for` loop runs over; write a `for` loop"
                )
            }
            "first_chunk" | "last_chunk" | "split_first_chunk" | "split_last_chunk" => {
                format!(
                    "method `{name}` lends an array of active values out of a slice, which cannot be followed; match on a slice pattern, `if let [a, b, rest @ ..] = …`, or use an index"
                )
            }
            "as_chunks" | "as_rchunks" | "array_chunks" | "array_windows" => {
                format!(
                    "method `{name}` lends arrays of active values out of a slice, which cannot be followed; use `chunks_exact` or `windows`, which lend slices"
                )
            }
            "select_nth_unstable" | "select_nth_unstable_by" => {
                format!(
                    "method `{name}` is not supported yet on active values; use `sort_by`, and an index"
                )
            }
            "rotate_left" | "rotate_right" | "sort_by" | "reverse" | "concat" | "copy_within"
            | "swap_with_slice" | "fill_with" => {
                format!(
                    "method `{name}` is not supported yet on active values; write a `for` loop over indices"
                )
            }
            "map" if matches!(unparen(&e.receiver), syn::Expr::Call(_)) => {
                "method `map`: it is not known whether this is an array or an option; bind it to a variable with its type first, `let y: [f64; 3] = …`".to_owned()
            }
            "iter" | "iter_mut" | "into_iter" | "map" | "sum" | "product" | "fold" | "zip"
            | "enumerate" | "filter" | "rev" | "collect" | "for_each" | "scan" | "take"
            | "skip" | "step_by" | "copied" | "cloned" | "peekable" | "flat_map" | "chain"
            | "any" | "all" | "position" => {
                format!(
                    "iterator method `{name}` is not supported yet on active values; write a `for` loop"
                )
            }
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "map_or" | "ok_or"
            | "is_some_and" => {
                format!(
                    "method `{name}`: `Option` and `Result` of active values are not supported yet; compute with plain floats"
                )
            }
            name if std_methods::hides(name) => {
                format!(
                    "method `{name}` hides an active value from differentiation; use a `let mut` variable"
                )
            }
            "mul_f64" | "div_f64" | "mul_f32" | "div_f32" => {
                format!("method `{name}`: a `Duration` has no derivative; compute with the number of seconds")
            }
            _ if hidden::is_of_lists(&name) || self.is_list(&e.receiver) => format!(
                "method `{name}` of a list of active values cannot be followed; write a loop over indices, `for i in 0..v.len() {{ … v[i] … }}`, or use sub-slices, `&v[a..b]`"
            ),
            _ if self.facts.ty(&e.receiver).is_generic() => format!(
                "method `{name}`: a type parameter stands for a float here, and has the methods of floats; for types of your own put #[grad] on the trait and write `T: Trait + Differentiable`, or take the method as a function, `fn f<F: Fn(f64) -> f64>({name}: F, …)`"
            ),
            // `logistic` is what traits of a user's own have, too.
            _ => match foreign::instead_of(&name).filter(|_| name != "logistic") {
                Some(instead) => format!("method `{name}` is not known; write `{instead}`"),
                // One of a trait of the user's own that numbers implement.
                None if self.facts.ty(&e.receiver).is_float() => {
                    return self.method_call(e, unused);
                }
                None => format!(
                    "method `{name}` has no derivative rule; write it as a #[grad] function and call it as `{name}(…)`"
                ),
            },
        };
        if self.is_refused(&e.receiver) {
            return self.dummy();
        }
        let call = syn::Expr::MethodCall(e.clone());
        let refused = self.refuse_unless_known(&call, &e.method, message);
        if hidden::stores(&name) {
            self.poisoned.extend(facts::root(&e.receiver));
        }
        refused
    }

    /// What a method says of how a value is arranged, a truth value or a count; one of that name that returns something else does not compile.
    fn asked_of(&mut self, path: &Path, method: &syn::Ident, ty: Ty) -> Value {
        let mut operands = super::opaque::Operands::default();
        let place = self.borrowed_tokens(path, &mut operands);
        let method = quote::format_ident!("{}", own_names::plain(method), span = method.span());
        let tokens = match ty {
            Ty::Bool => quote!({ let asked: bool = (#place).#method(); asked }),
            // Of arrays alone.
            Ty::Inert => quote!(rt::linalg::ndarray::lengths((#place).#method())),
            _ => quote!({ let asked: usize = (#place).#method(); asked }),
        };
        let asked = crate::ir::Opaque {
            tokens,
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        self.emit(Kind::Opaque(asked), operands.args, ty, "")
    }

    /// The parameter whose method is called with nothing active, where its type parameter cannot be told from one that stands for a float.
    fn no_number(&self, e: &syn::ExprMethodCall) -> Option<syn::Ident> {
        let syn::Expr::Path(path) = unparen(&e.receiver) else {
            return None;
        };
        let name = path.path.get_ident()?.to_string();
        let param = self.by_trait.get(&name)?;
        let plain = self.facts.ty(&e.receiver).is_float() && !self.poisoned.contains(&name);
        let given = e.args.iter().any(|arg| self.facts.mentions_active(arg));
        (plain && !given).then(|| param.clone())
    }

    fn is_list(&self, e: &syn::Expr) -> bool {
        matches!(self.facts.ty(e), Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_))
    }

    /// Makes rustc check that a method which only looks is none of the user's own that has derivatives.
    pub(super) fn refuse_own(&mut self, path: &Path, method: &syn::Ident) {
        if !matches!(self.func.path_ty(path), Ty::Unknown | Ty::User) {
            return;
        }
        let mut operands = super::opaque::Operands::default();
        let place = self.borrowed_tokens(path, &mut operands);
        let (span, mut form) = (method.span(), crate::forms::sibling("__fwd", method));
        form.set_span(span);
        let check = crate::ir::Opaque {
            tokens: quote_spanned!(span=> { use rt::StandardMethods as _; let _: rt::OfStandardLibrary = (#place).#form(); }),
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        self.push(Kind::Opaque(check), operands.args, Vec::new());
    }

    /// Whether what a method is called on is refused itself: the cause of a problem is reported, not what follows from it.
    fn is_refused(&mut self, receiver: &syn::Expr) -> bool {
        let receiver = unparen(receiver);
        let calls = matches!(receiver, syn::Expr::MethodCall(_) | syn::Expr::Call(_));
        if !calls || is_loop_head(receiver) || !self.facts.mentions_active(receiver) {
            return false;
        }
        let before = self.errors.count();
        self.expr(receiver);
        self.errors.count() > before
    }

    /// A row of the rule table applied to arguments.
    fn rule(&mut self, row: usize, name: &syn::Ident, values: Vec<Value>) -> Tree {
        let rule = rules::rule(row);
        if values.len() != rule.args.len() {
            return self.refuse(
                name,
                format_args!(
                    "`{}` takes {} arguments, not {}; see the documentation of `f64::{}`",
                    rule.name,
                    rule.args.len(),
                    values.len(),
                    rule.name
                ),
            );
        }
        self.span = name.span();
        let floats: Vec<Ty> = values
            .iter()
            .zip(rule.integer)
            .filter(|(_, int)| !**int)
            .map(|(&v, _)| self.func.ty(v).clone())
            .collect();
        if floats.iter().any(Ty::is_inert) {
            // `n.max(m)` on integers.
            let method = quote::format_ident!("{}", rule.name);
            let rest = (1..values.len()).map(|k| quote::format_ident!("__a{k}"));
            let ty = floats.into_iter().next().unwrap_or(Ty::Int);
            return Tree::Value(self.pure(quote!(__a0.#method(#(#rest),*)), values, ty));
        }
        let mut ty = floats.into_iter().fold(Ty::Unknown, ir::join);
        if matches!(ty, Ty::Unknown | Ty::User) && !std_methods::SHARED_METHODS.contains(&rule.name)
        {
            ty = Ty::Float(Width::Any);
        }
        Tree::Value(self.emit(Kind::Prim(Prim::Rule(row)), values, ty, ""))
    }

    fn is_option(&self, e: &syn::Expr) -> bool {
        matches!(self.facts.ty(e), Ty::Option(_))
    }

    /// A method that the standard library has nowhere, or iterators alone, of what a function has returned, of a constant, or of what operators make of them:
    /// its type is one of the user's own.
    fn must_be_own(&self, e: &syn::ExprMethodCall) -> bool {
        let unknown = matches!(self.facts.ty(&e.receiver), Ty::Unknown);
        let receiver = unparen(&e.receiver);
        let named = matches!(
            receiver,
            syn::Expr::Call(_)
                | syn::Expr::Path(_)
                | syn::Expr::MethodCall(_)
                | syn::Expr::Index(_)
                | syn::Expr::Field(_)
        );
        // What a function returns is no iterator.
        let ends_a_chain = e.method == "sum" || e.method == "product";
        let returned = matches!(receiver, syn::Expr::Call(_) | syn::Expr::MethodCall(_));
        let of_iterators = ends_a_chain && e.args.is_empty() && returned;
        let standard = is_standard(&e.method.to_string()) && !of_iterators;
        !standard && (unknown && named || self.facts.is_made_of_unknown(receiver))
    }

    /// A field, an element, a variable or a result of a type that the macro does not know; a method of its own would not be called so.
    fn may_be_option(&self, e: &syn::Expr) -> bool {
        let named = match unparen(e) {
            syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Path(_) | syn::Expr::Call(_) => {
                true
            }
            syn::Expr::MethodCall(m) => !is_standard(&m.method.to_string()),
            _ => false,
        };
        named && matches!(self.facts.ty(e), Ty::User | Ty::Unknown)
    }

    /// `Some(e)`
    fn some(&mut self, e: &syn::Expr) -> Tree {
        let v = self.scalar(e);
        let ty = Ty::Option(Box::new(self.func.ty(v).clone()));
        Tree::Value(self.emit(Kind::Aggregate(Shape::Some), vec![v], ty, ""))
    }

    /// `option.unwrap()`
    fn payload(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let option = self.scalar(&e.receiver);
        Tree::Value(self.payload_of(option))
    }

    /// What is in an option.
    pub(super) fn payload_of(&mut self, option: Value) -> Value {
        let ty = self.func.ty(option).payload();
        let payload = self.emit(Kind::Payload, vec![option], ty, "");
        if self.elements.contains(&option) {
            self.elements.insert(payload);
        }
        payload
    }

    /// `function(args)` with something active in it.
    pub(super) fn call(&mut self, e: &syn::ExprCall) -> Tree {
        if let Some(elements) = macros::vec_macro(e) {
            return self.vec(&elements);
        }
        let syn::Expr::Path(func) = unparen(&e.func) else {
            return self.refuse(
                &e.func,
                "this call cannot be followed; call a #[grad] function by its path",
            );
        };
        let names: Vec<String> = func
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let Some(last) = func.path.segments.last() else {
            return self.dummy();
        };
        if marks::is_optional(&e.func) {
            let option = self.expr(&e.args[0]);
            if let Some(Kind::Call(call)) = self.ops.last_mut().map(|op| &mut op.kind) {
                call.optional = true;
            }
            return option;
        }
        if marks::is_stop_gradient(&e.func) {
            let Some(arg) = e.args.first() else {
                return self.refuse(func, "`stop_gradient` takes one expression; give it one");
            };
            if marks::is_decided(&e.func) {
                return self.decided(e, arg);
            }
            self.check_ours(func);
            return self.frozen(arg);
        }
        if let Some(ident) = func.path.get_ident() {
            let name = ident.to_string();
            if let (WALKED, Some(list)) = (name.as_str(), e.args.first()) {
                let list = self.expr(list);
                let path = self.path(list);
                self.push(Kind::Walked(path), Vec::new(), Vec::new());
                return Tree::Unit;
            }
            if let Some(place) = self.callable(func) {
                self.span = ident.span();
                return self.call_parameter(e, place, &name);
            }
            if self.deciding.contains(&name) {
                return self.frozen(&syn::Expr::Call(e.clone()));
            }
            if self.env.contains_key(&name) || self.poisoned.contains(&name) {
                if self.facts.ty(&e.func).is_user() {
                    return self.refuse_unless_known(&e.func, ident, format_args!("`{name}` is a function of a type that the macro does not know; write the type out where `{name}` is a parameter, `{name}: fn(f64) -> f64`"));
                }
                return self.refuse_unless_known(&e.func, ident, format_args!("`{name}` is a closure or function value, which is not supported yet with active arguments; call a #[grad] function by its path"));
            }
            if self.functions.get(&name) == Some(&false) && self.passes_active(&e.args) {
                self.given_derivatives.insert(name.clone());
            }
            if name == "Some" && e.args.len() == 1 {
                return self.some(&e.args[0]);
            }
            if matches!(name.as_str(), "Ok" | "Err") {
                return self.refuse(ident, format_args!("`{name}` of an active value cannot be followed; use an `Option`, with `Some` and `None`"));
            }
            // Nobody drops a number for its value.
            let number = |arg| matches!(self.facts.ty(arg), Ty::Float(_) | Ty::Unknown);
            if name == "drop" && !e.args.iter().any(number) {
                return self.dropped(e, func);
            }
        }
        match names
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [.., ty @ ("f64" | "f32"), name] => return self.path_method(e, ty, name),
            [ty, name] if self.is_numeric(ty) => return self.path_method(e, ty, name),
            [.., owner, name]
                if self.aliases.contains(*owner) && rules::by_method(name).is_some() =>
            {
                self.check_alias(func);
                return self.path_method(e, "f64", name);
            }
            [.., owner, name] if is_of_floats(owner, name) => {
                self.check_floats(func);
                return self.path_method(e, "f64", name);
            }
            [.., "Option", "Some"] if e.args.len() == 1 => return self.some(&e.args[0]),
            [.., "mem", "swap"] | ["swap"]
                if e.args.len() == 2 && (names.len() > 1 || !self.is_given_values(e)) =>
            {
                self.check_standard(func, &syn::parse_quote!(::core::mem::swap::<u8>));
                if self.exchange_references(&e.args[0], &e.args[1]) {
                    return Tree::Unit;
                }
                let a = self.lent_place(&e.args[0]);
                let b = self.lent_place(&e.args[1]);
                match (a, b) {
                    (Some((a, false)), Some((b, false))) => self.exchange(a, b),
                    (Some(a), Some(b)) => {
                        let (x, y) = (self.content(&a), self.content(&b));
                        self.write_over(a, y);
                        self.write_over(b, x);
                    }
                    _ => {}
                }
                return Tree::Unit;
            }
            [.., "mem", "replace"] if e.args.len() == 2 => {
                self.check_standard(func, &syn::parse_quote!(::core::mem::replace::<u8>));
                let place = self.lent_place(&e.args[0]);
                let new = self.scalar(&e.args[1]);
                let Some(place) = place else {
                    return self.dummy();
                };
                let old = self.content(&place);
                self.write_over(place, new);
                return Tree::Value(old);
            }
            [.., "mem", "take"] if e.args.len() == 1 => {
                self.check_standard(func, &syn::parse_quote!(::core::mem::take::<u8>));
                let path = self.borrowed(&e.args[0]);
                return match path {
                    Some(path) => self.take(path),
                    None => self.dummy(),
                };
            }
            [.., hiding, name] if crate::types::is_hiding(hiding) => {
                let at = &func.path.segments[names.len() - 2].ident;
                if let ("Box", "new", [arg]) =
                    (*hiding, *name, &e.args.iter().collect::<Vec<_>>()[..])
                {
                    self.check_standard(func, &syn::parse_quote!(rt::Box::<u8>::new));
                    let v = self.scalar(arg);
                    let boxed = self.boxed(v);
                    if let (true, Some(number)) = (is_number(arg), self.number_type(v)) {
                        // Nothing else may say it where the tangent's type is asked for.
                        self.ascribed.insert(boxed, quote!(rt::Box<#number>));
                    }
                    return Tree::Value(boxed);
                }
                let call = syn::Expr::Call(e.clone());
                return self.refuse_unless_known(&call, at, hidden::message(hiding));
            }
            [.., "Duration", _] => {
                return self.refuse(
                    &last.ident,
                    format_args!(
                        "`Duration::{}`: a `Duration` has no derivative; compute with the number of seconds",
                        last.ident
                    ),
                );
            }
            path if foreign::of_crate(path).is_some() && self.passes_active(&e.args) => {
                return match foreign::of_crate(path) {
                    Some(of) => self.of_crate(e, func, &of),
                    None => self.dummy(),
                };
            }
            path if foreign::advice(path).is_some() && self.passes_active(&e.args) => {
                return self.refuse(func, foreign::advice(path).unwrap_or_default());
            }
            ["std" | "core" | "alloc", ..]
            | ["mem" | "ptr", _]
            | ["convert", "identity"]
            | ["hint", "black_box"]
            | [
                "iter",
                "from_fn" | "successors" | "repeat_with" | "repeat" | "once",
            ] if self.passes_active(&e.args) => {
                return self.refuse(
                    &last.ident,
                    format_args!(
                        "`{}` of the standard library has no derivative rule; write it out",
                        names[names.len().saturating_sub(2)..].join("::")
                    ),
                );
            }
            [.., name]
                if types::is_constructor(name)
                    || crate::types::variant(&func.path).is_some()
                    || func.path.segments.len() == 1 && self.is_capital(name) =>
            {
                let fields = e.args.iter().enumerate();
                let part = |k| self.part_of(&func.path, &syn::Member::from(k));
                let fields = fields.map(|(k, e)| (part(k), e)).collect();
                return self.construct(&func.path, fields, None);
            }
            // How much it may hold is counted by what is active, and is none of it.
            [.., "Vec", "with_capacity"] if e.args.len() == 1 => {
                let n = self.scalar(&e.args[0]);
                let opaque = Opaque {
                    tokens: quote!(#func(__a0)),
                    places: Vec::new(),
                    writes: Vec::new(),
                    pure: false,
                };
                let ty = Ty::Vec(Box::new(Ty::Unknown));
                return Tree::Value(self.emit(Kind::Opaque(opaque), vec![n], ty, ""));
            }
            [.., "Vec" | "PartialEq" | "PartialOrd" | "Ord", name]
                if std_methods::is_inert_name(name) =>
            {
                return self.as_method(e, &last.ident);
            }
            [.., "Vec", name] if self.passes_active(&e.args) => {
                return self.refuse(
                    &last.ident,
                    format_args!(
                        "`Vec::{name}` with active values is not supported yet; use `vec![0.0; n]`"
                    ),
                );
            }
            _ => {}
        }
        if marks::is_with_cotangent(&e.func) {
            self.check_ours(func);
            return self.watched(e);
        }
        if last.ident == LINKED {
            return self.linked(e);
        }
        let ours = func.path.segments[0].ident == "rt";
        if !ours && !self.passes_active(&e.args) {
            return self.constant_call(&syn::Expr::Call(e.clone()));
        }
        self.graded(e, func)
    }

    /// A function of `libm` or `statrs`: its own value, with the derivatives of the row.
    fn of_crate(&mut self, e: &syn::ExprCall, func: &syn::ExprPath, of: &foreign::OfCrate) -> Tree {
        let rule = rules::rule(of.row);
        if e.args.len() != rule.args.len() {
            return self.refuse(func, "this function takes another number of arguments");
        }
        let path = &func.path;
        self.check_standard(func, &syn::parse_quote!(::#path));
        let args: Vec<Value> = e.args.iter().map(|arg| self.scalar(arg)).collect();
        let ty = Ty::Float(of.width);
        self.span = func.path.segments[0].ident.span();
        let names = (0..args.len()).map(|k| quote::format_ident!("__a{k}"));
        let value = self.pure(quote!(#func(#(#names),*)), args.clone(), ty.clone());
        let row = self.emit(Kind::Prim(Prim::Rule(of.row)), args, ty.clone(), "");
        let one = self.literal(quote!(1.0), ty.clone());
        Tree::Value(self.emit(Kind::Prim(Prim::Linked), vec![value, row, one], ty, ""))
    }

    /// A result and the user's own partials.
    fn linked(&mut self, e: &syn::ExprCall) -> Tree {
        let args: Vec<Value> = e.args.iter().map(|arg| self.scalar(arg)).collect();
        let ty = self.ret_ty.clone();
        Tree::Value(self.emit(Kind::Prim(Prim::Linked), args, ty, ""))
    }

    /// `&mut place`, as an argument of `swap`.
    pub(super) fn borrowed(&mut self, e: &syn::Expr) -> Option<Path> {
        // A variable that holds constants alone is memory all the same.
        if let (syn::Expr::Reference(r), false) = (unparen(e), self.facts.mentions_active(e)) {
            if let Some(path) = self.memory(&r.expr) {
                self.func.at_mut(path.root).mutable = true;
                return Some(path);
            }
        }
        match self.expr(e) {
            Tree::View(path) => {
                self.func.at_mut(path.root).mutable = true;
                Some(path)
            }
            _ => {
                self.errors.error(e, "this is not a place the macro can follow; pass `&mut` of a variable or an element");
                None
            }
        }
    }

    /// `drop(e)`, as a statement.
    pub(super) fn dropped(&mut self, e: &syn::ExprCall, func: &syn::ExprPath) -> Tree {
        self.check_standard(func, &syn::parse_quote!(::core::mem::drop::<u8>));
        self.verbatim_statement(&syn::Expr::Call(e.clone()));
        Tree::Unit
    }

    /// Whether an argument shows that it is no `&mut` reference: the function that is called is none of `core::mem`.
    fn is_given_values(&self, e: &syn::ExprCall) -> bool {
        e.args.iter().any(|arg| match unparen(arg) {
            syn::Expr::Reference(r) => r.mutability.is_none(),
            syn::Expr::Lit(_) | syn::Expr::Binary(_) | syn::Expr::Cast(_) => true,
            syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)),
            syn::Expr::Path(_) => {
                let var = facts::root(arg).and_then(|name| self.facts.get(&name));
                var.is_some_and(|var| !var.exclusive)
            }
            _ => false,
        })
    }

    /// Makes rustc check that the methods of a trait are std's.
    fn check_floats(&mut self, func: &syn::ExprPath) {
        if self.func.assume_std.is_some() {
            return;
        }
        let mut path = func.path.clone();
        let Some(method) = path.segments.pop() else {
            return;
        };
        path.segments.pop_punct();
        let method = &method.ident;
        let known = standard::known(&quote!(x), method);
        // A trait built on one of these may have another method of that name: then it is ambiguous which is meant.
        self.verbatim_statement(
            &syn::parse_quote!({ fn __of_floats<T: #path + ::core::marker::Copy>(x: T) -> T { let _ = T::#method; #known } }),
        );
    }

    /// Makes rustc check that the type whose function is called is a float by another name.
    fn check_alias(&mut self, func: &syn::ExprPath) {
        let mut alias = func.path.clone();
        alias.segments.pop();
        alias.segments.pop_punct();
        self.verbatim_statement(&syn::parse_quote!({ rt::name_of_float::<#alias>(); }));
    }

    /// Is this the name of a type parameter that stands for a float?
    pub(super) fn is_numeric(&self, name: &str) -> bool {
        self.numeric.iter().any(|numeric| numeric == name)
    }

    /// `f64::sin(x)`
    fn path_method(&mut self, e: &syn::ExprCall, ty: &str, name: &str) -> Tree {
        let last = match unparen(&e.func) {
            syn::Expr::Path(p) => p.path.segments.last().map(|s| s.ident.clone()),
            _ => None,
        };
        let Some(last) = last else {
            return self.dummy();
        };
        if name == "from_f64" && e.args.len() == 1 && self.is_numeric(ty) {
            let v = self.scalar(&e.args[0]);
            let to = quote::format_ident!("{ty}");
            let ty = Ty::Float(Width::Generic);
            let cast = Kind::Cast(to.to_token_stream(), ty.clone(), Conversion::Float);
            return Tree::Value(self.emit(cast, vec![v], ty, ""));
        }
        if name == "from" && self.is_numeric(ty) && e.args.iter().any(|e| self.is_active_number(e))
        {
            let to = quote::format_ident!("{ty}").to_token_stream();
            return self.convert(&e.args[0], to, Conversion::Into, last.span());
        }
        if name == "from" && e.args.len() == 1 && !self.is_numeric(ty) {
            let v = self.scalar(&e.args[0]);
            let width = if ty == "f64" { Width::F64 } else { Width::F32 };
            let func = &e.func;
            if self.func.ty(v).is_inert() {
                return Tree::Value(self.pure(quote!(#func(__a0)), vec![v], Ty::Float(width)));
            }
            let ident = quote::format_ident!("{ty}");
            return Tree::Value(self.emit(
                Kind::Cast(quote!(#ident), Ty::Float(width), Conversion::As),
                vec![v],
                Ty::Float(width),
                "",
            ));
        }
        if let Some((_, why)) = LOSSY.iter().find(|(lossy, _)| *lossy == name) {
            return self.refuse(&last, format_args!("`{name}`: {why}"));
        }
        let is_width = |p: &syn::ExprPath| {
            let owner = p.path.segments.iter().rev().nth(1);
            owner.is_some_and(|owner| owner.ident == "f32" || owner.ident == "f64")
        };
        let written = matches!(unparen(&e.func), syn::Expr::Path(p) if is_width(p));
        if let (Some(row), true) = (rules::by_method(name), written) {
            let values = e.args.iter().map(|e| self.scalar(unref(e)));
            let values: Vec<Value> = values.collect();
            // Of what is made of literals alone nothing else says which method this is.
            let receiver = values.first().copied();
            let open = |v: &Value| matches!(self.func.ty(*v), Ty::Unknown | Ty::Float(Width::Any));
            if let Some(v) = receiver.filter(open) {
                let ty = quote::format_ident!("{ty}");
                self.ascribed.entry(v).or_insert_with(|| quote!(#ty));
            }
            return self.rule(row, &last, values);
        }
        let known = name == "sin_cos" || std_methods::is_inert_name(name);
        if known || rules::by_method(name).is_some() {
            return self.as_method(e, &last);
        }
        let call = syn::Expr::Call(e.clone());
        if !self.passes_active(&e.args) {
            return self.constant_call(&call);
        }
        if let Some(instead) = foreign::instead_of(name) {
            return self.refuse(
                &last,
                format_args!("`{ty}::{name}` is not known; write `{instead}`"),
            );
        }
        if let (syn::Expr::Path(func), true) = (unparen(&e.func), self.is_numeric(ty)) {
            return self.graded(e, func);
        }
        self.refuse_unless_known(&call, &last, format_args!("`{ty}::{name}` has no derivative rule; of a trait with #[grad] write `<{ty} as Trait>::{name}(…)`, otherwise use another function, or `autodiff::stop_gradient`"))
    }

    /// `T::from(x).unwrap()`, `x.to_f64().unwrap()`, `x.into()`: casts by the traits of other crates, and of std.
    fn conversion(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        if !self.func.generic {
            return None;
        }
        if e.method == "into" && e.args.is_empty() && self.facts.ty(&e.receiver).is_float() {
            let cast = Conversion::Into;
            return Some(self.convert(&e.receiver, quote!(_), cast, e.method.span()));
        }
        if e.method != "unwrap" && e.method != "expect" {
            return None;
        }
        match unparen(&e.receiver) {
            syn::Expr::MethodCall(m) if m.args.is_empty() => {
                let (to, method) = match m.method.to_string().as_str() {
                    "to_f64" => (quote!(f64), "to_f64"),
                    "to_f32" => (quote!(f32), "to_f32"),
                    _ => return None,
                };
                let cast = Conversion::To(method);
                let active = self.is_active_number(&m.receiver);
                active.then(|| self.convert(&m.receiver, to, cast, m.method.span()))
            }
            syn::Expr::Call(call) if call.args.len() == 1 => {
                let syn::Expr::Path(func) = unparen(&call.func) else {
                    return None;
                };
                if !self.is_active_number(&call.args[0]) {
                    return None;
                }
                let (to, cast) = self.converted(func)?;
                let span = func
                    .path
                    .segments
                    .last()
                    .map_or(self.span, |s| s.ident.span());
                Some(self.convert(&call.args[0], to, cast, span))
            }
            _ => None,
        }
    }

    /// Whether an expression may be a number that derivatives flow through.
    fn is_active_number(&self, e: &syn::Expr) -> bool {
        self.facts.active(e) && !self.facts.ty(e).is_inert()
    }

    /// The type to which a function casts that yields an option.
    fn converted(&self, func: &syn::ExprPath) -> Option<(TokenStream, Conversion)> {
        let names = func.path.segments.iter().map(|s| s.ident.to_string());
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let of = match &func.qself {
            Some(qself) if self.facts.read(&qself.ty).is_float() => {
                let ty = &qself.ty;
                Some(quote!(#ty))
            }
            Some(_) => return None,
            None => None,
        };
        let open = || of.clone().unwrap_or(quote!(_));
        let written = func.to_token_stream();
        match names.as_slice() {
            [ty, name @ ("from" | "from_f64" | "from_f32")] if self.is_numeric(ty) => {
                let ty = quote::format_ident!("{ty}");
                let cast = match *name {
                    "from" => Conversion::From,
                    _ => Conversion::FromPrimitive,
                };
                Some((quote!(#ty), cast))
            }
            [.., "NumCast", "from"] => {
                Some((open(), Conversion::Path(&["NumCast", "from"], written)))
            }
            [.., "FromPrimitive", "from_f64"] => Some((
                open(),
                Conversion::Path(&["FromPrimitive", "from_f64"], written),
            )),
            [.., "FromPrimitive", "from_f32"] => Some((
                open(),
                Conversion::Path(&["FromPrimitive", "from_f32"], written),
            )),
            [.., "ToPrimitive", "to_f64"] => Some((
                quote!(f64),
                Conversion::Path(&["ToPrimitive", "to_f64"], written),
            )),
            [.., "ToPrimitive", "to_f32"] => Some((
                quote!(f32),
                Conversion::Path(&["ToPrimitive", "to_f32"], written),
            )),
            [.., "cast"] => {
                let last = func.path.segments.last()?;
                let to = match &last.arguments {
                    syn::PathArguments::AngleBracketed(args) => args.args.last(),
                    _ => None,
                };
                let to = to.map_or(quote!(_), ToTokens::to_token_stream);
                Some((to, Conversion::Path(&["cast"], written)))
            }
            _ => None,
        }
    }

    /// A number as one of another type.
    fn convert(
        &mut self,
        e: &syn::Expr,
        to: TokenStream,
        cast: Conversion,
        span: proc_macro2::Span,
    ) -> Tree {
        let x = self.scalar(unref(e));
        self.span = span;
        let ty = match syn::parse2(to.clone()) {
            Ok(ty) if !matches!(ty, syn::Type::Infer(_)) => self.facts.read(&ty),
            _ => Ty::Unknown,
        };
        Tree::Value(self.emit(Kind::Cast(to, ty.clone(), cast), vec![x], ty, ""))
    }

    /// `f64::sin(x)`, as a method of its first argument.
    fn as_method(&mut self, e: &syn::ExprCall, name: &syn::Ident) -> Tree {
        let mut args = e.args.iter();
        let Some(receiver) = args.next().map(unref) else {
            return self.refuse(name, format_args!("`{name}` takes arguments; give it some"));
        };
        self.method(&syn::parse_quote_spanned!(name.span()=> (#receiver).#name(#(#args),*)))
    }

    /// A call of another `#[grad]` function.
    fn graded(&mut self, e: &syn::ExprCall, func: &syn::ExprPath) -> Tree {
        let through = match self.through_trait(func) {
            Ok(through) => through,
            Err(refused) => return refused,
        };
        let mut path = func.path.clone();
        let mut generics = quote!();
        if let Some(last) = path.segments.last_mut() {
            if let syn::PathArguments::AngleBracketed(args) = &mut last.arguments {
                args.colon2_token = Some(syn::token::PathSep::default());
                generics = args.to_token_stream();
            }
            last.arguments = syn::PathArguments::None;
        }
        let nested = match self.nested(&path) {
            // The gradient is part of what has derivatives.
            Ok(Some("grad")) => {
                let (mut both, span) = (e.clone(), func.span());
                let mut func = func.clone();
                if let Some(last) = func.path.segments.last_mut() {
                    last.ident = syn::Ident::new("value_and_grad", last.ident.span());
                }
                *both.func = syn::Expr::Path(func);
                let part: syn::Expr = syn::parse_quote_spanned!(span=> #both.1);
                return self.expr(&part);
            }
            Ok(nested) => nested,
            Err(refused) => return refused,
        };
        let member = match &through {
            Some(_) => path.segments.last().map(|s| s.ident.clone()),
            None => self.associated(&path),
        };
        let takes_tangents = match (nested, &member) {
            (Some(form), _) => matches!(form, "jvp_of" | "hvp_of"),
            (None, Some(member)) => takes_tangents(member),
            (None, None) => false,
        };
        let (given, flat) = given(&e.args, takes_tangents);
        if let (Some(_), true, false, Some(tangents)) =
            (nested, takes_tangents, flat, e.args.last())
        {
            if matches!(self.facts.ty(tangents), Ty::Tuple(_)) {
                return self.refuse(tangents, "the tangents of several parameters are given one by one where the derivative has derivatives; write them as a tuple here, `(a, b)`");
            }
        }
        let (mut args, mut extra) = (Vec::new(), vec![Arg::Owned; given.len()]);
        let (mut functions, mut unsure) = (Vec::new(), Vec::new());
        // Functions that take functions, and forms of the runtime, have no form for it.
        let known = nested.is_some()
            || path.segments[0].ident == "rt"
            || given.iter().any(|arg| self.is_function(arg));
        for &arg in &given {
            if let Some(function) = self.function(arg, &mut extra) {
                args.push(Arg::Function(functions.len()));
                functions.push(function);
            } else if let Some(path) = (!known).then(|| self.perhaps_lent(arg)).flatten() {
                unsure.push(args.len());
                args.push(Arg::Ref(path));
            } else {
                args.push(self.argument(arg, &e.args));
            }
        }
        // What a loop's round yields is what the loop yields.
        let mut round = Ty::Unknown;
        let last = path.segments.last().map(|s| s.ident.to_string());
        if path.segments[0].ident == "rt" && last.is_some_and(|name| name.starts_with(PREFIX)) {
            for function in &functions {
                self.refuse_again(function);
                if let Function::Closure(closure) = function {
                    round = closure.func.ty(closure.func.body.yields[0]).clone();
                }
            }
        }
        let passed = args.len();
        args.extend(extra.drain(passed..));
        // A `&mut` variable passed twice can only be lent out shared.
        let borrowed: Vec<Path> = args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Ref(path) | Arg::Mut(path) => Some(path.clone()),
                _ => None,
            })
            .collect();
        for arg in &args {
            if let Arg::Mut(path) = arg {
                if borrowed
                    .iter()
                    .filter(|other| other.root == path.root)
                    .count()
                    > 2
                {
                    return self.refuse(func, "more than two parts of one variable are lent to this call, one of them mutably; lend two, or keep the others in variables of their own");
                }
            }
        }
        for arg in &mut args {
            if let Arg::Mut(path) = arg {
                if borrowed.iter().filter(|other| *other == path).count() > 1 {
                    *arg = Arg::Ref(path.clone());
                }
            }
        }
        self.span = func
            .path
            .segments
            .last()
            .map_or(self.span, |s| s.ident.span());
        // Another function of that name, by another path, is boxed as well: that is never wrong.
        let of_itself = path.segments[0].ident == types::OWNER;
        let named = path.segments.last().is_some_and(|s| {
            s.ident == self.own.as_str() && (of_itself || s.ident != forms::VALUE)
        });
        let itself =
            !self.method && path.is_ident(&self.own) && !self.functions.contains_key(&self.own);
        self.recursive |= named;
        if itself && given.len() != self.parameters {
            let message = counts::message(&self.own, self.parameters, given.len());
            return self.refuse(func, message);
        }
        let mut parent = path.clone();
        let mut path = syn::ExprPath {
            path,
            ..func.clone()
        }
        .to_token_stream();
        let (owner, ty) = if let Some(of_type) = through {
            (of_type, Ty::User)
        } else if let Some(form) = nested {
            parent.segments.pop();
            parent.segments.pop_punct();
            // All of it at the function's name: an error that is found twice is reported once.
            let span = parent.segments.last().map_or(self.span, |s| s.ident.span());
            let of = syn::Ident::new(form, span);
            let owner = quote_spanned!(span=> rt::#of::<#parent>());
            if takes_tangents {
                path = quote!(#owner.__value);
            }
            (owner, Ty::Unknown)
        } else if itself {
            (quote!(Self), self.ret_ty.clone())
        } else if let Some(member) = &member {
            parent.segments.pop();
            parent.segments.pop_punct();
            if flat {
                let lent = matches!(args.first(), Some(Arg::Ref(_) | Arg::Mut(_)));
                let value = with_tangents(member, !lent || unsure.contains(&0));
                path = quote!(#parent::#value);
            }
            let itself = named && parent.is_ident(types::OWNER);
            let ty = if itself {
                self.ret_ty.clone()
            } else if *member == forms::VALUE {
                Ty::Unknown
            } else {
                Ty::User
            };
            (parent.to_token_stream(), ty)
        } else {
            // What is made of a type of the user's own may be one.
            let made = self.facts.ty(&syn::Expr::Call(e.clone()));
            let ty = if made.is_user() { made } else { round };
            (path.clone(), ty)
        };
        // The body of a function with derivatives of its own is its call, which has none.
        let keeps = !(itself && self.own_given)
            && e.args.iter().any(|arg| {
                matches!(self.facts.ty(arg), Ty::User | Ty::Unknown) && !self.facts.active(arg)
            });
        let call = Call {
            path,
            owner,
            generics: if functions.is_empty() {
                generics
            } else {
                quote!()
            },
            member,
            nested: nested.map(|_| parent.to_token_stream()),
            receiver: false,
            keeps,
            args,
            passed,
            functions,
            unsure,
            parameter: false,
            optional: false,
            form: Form::Primal,
            level: 0,
        };
        Tree::Value(self.emit(Kind::Call(call), Vec::new(), ty, ""))
    }

    /// A single capital that is neither a type parameter nor a function in the body: the constructor of a type where it is called.
    /// In front of `::` it may be a function as well, a potential say.
    fn is_capital(&self, name: &str) -> bool {
        types::is_capital(name)
            && !self.facts.is_generic(name)
            && !self.functions.contains_key(name)
    }

    /// The function of a type that a path names, `Point::new`.
    pub(super) fn associated(&self, path: &syn::Path) -> Option<syn::Ident> {
        let mut names = path.segments.iter().rev().map(|s| &s.ident);
        let (last, owner) = (names.next()?, names.next()?);
        let owner = owner.to_string();
        let function = types::is_function_name(&owner);
        let short =
            (function || self.is_capital(&owner)) && !types::is_derivative(&last.to_string());
        let fails = *last == forms::VALUE;
        let of_type = owner == types::OWNER || is_type_name(&owner) && !function;
        (of_type || short || fails).then(|| last.clone())
    }

    /// Whether an expression calls the function of a type that a path names.
    pub(super) fn calls_associated(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Call(call) = unparen(e) else {
            return false;
        };
        matches!(unparen(&call.func), syn::Expr::Path(p) if self.associated(&p.path).is_some())
    }

    /// The derivative of a function that a path names: what carries the derivatives of that.
    fn nested(&mut self, path: &syn::Path) -> Result<Option<&'static str>, Tree> {
        let (Some(last), Some(owner)) = (path.segments.last(), path.segments.iter().nth_back(1))
        else {
            return Ok(None);
        };
        if self.associated(path).is_some() || owner.ident == "autodiff" {
            return Ok(None);
        }
        let form = match last.ident.to_string().as_str() {
            "grad" => "grad",
            "value_and_grad" => "value_and_grad_of",
            "jvp" => "jvp_of",
            "hvp" => "hvp_of",
            form @ ("hessian"
            | "hessian_into"
            | "value_grad_hessian"
            | "value_grad_hessian_into"
            | "hvp_jvp"
            | "jvp_lanes"
            | "vjp"
            | "vjp_lanes"
            | "vjp_into"
            | "pullback"
            | "grad_into"
            | "value_and_grad_into"
            | "jacobian"
            | "value_and_jacobian"
            | "jacobian_rows"
            | "jacobian_into"
            | "jacfwd"
            | "jacrev") => {
                return Err(self.refuse(
                    &last.ident,
                    format_args!("the derivative `{form}` of a function has none itself; use `grad`, `value_and_grad`, `jvp` or `hvp`"),
                ));
            }
            _ => return Ok(None),
        };
        let refused = if path.segments.len() == 2 && owner.ident == self.own.as_str() {
            "a function cannot contain its own derivative; write another function for one of them"
        } else if self.traced {
            "the derivative of a function is not supported with `trace` yet; leave that out"
        } else if self.order > 2 {
            "the derivative of a function has no third derivatives; write `order = 2`"
        } else if self.order > 1 && form == "hvp_of" {
            "the derivative `hvp` of a function has no second derivatives; leave `order` out"
        } else {
            return Ok(Some(form));
        };
        Err(self.refuse(&last.ident, refused))
    }

    /// `receiver.method(args)`, with a `#[grad]` method of a type of the user's own; `unused` is what it returns.
    fn method_call(&mut self, e: &syn::ExprMethodCall, unused: bool) -> Tree {
        let root = facts::root(&e.receiver);
        let behind = root.as_deref().map(|name| self.facts.behind(name));
        if behind.is_some_and(|names| names.iter().any(|name| self.by_trait.contains_key(*name))) {
            let name = own_names::plain(&e.method);
            return self.refuse(&e.method, format_args!("method `{name}`: a trait is all that is known of this type, and not which function it is, nor its derivative; put #[grad] on the trait and take a type parameter, `T: Trait + Differentiable`, use an enum and `match`, or take the method as a function, `fn f<F: Fn(f64) -> f64>({name}: F, …)`"));
        }
        let Some(receiver) = self.received(&e.receiver) else {
            return self.dummy();
        };
        // The receiver is the first argument.
        let (given, flat) = given(&e.args, takes_tangents(&e.method));
        let (mut args, mut extra) = (Vec::new(), vec![Arg::Owned; 1 + given.len()]);
        let (mut functions, mut unsure) = (Vec::new(), Vec::new());
        // What is assigned to an element is no reference.
        let sets = e.method.to_string().starts_with(WRITER);
        let known = sets || e.args.iter().any(|arg| self.is_function(arg));
        let before = self.ops.len();
        for arg in given {
            if let Some(function) = self.function(arg, &mut extra) {
                args.push(Arg::Function(functions.len()));
                functions.push(function);
            } else if let Some(path) = (!known).then(|| self.perhaps_lent(arg)).flatten() {
                unsure.push(1 + args.len());
                args.push(Arg::Ref(path));
            } else {
                args.push(self.argument(arg, &e.args));
            }
        }
        self.require_order(&receiver, &e.method, before);
        let captures = extra.split_off(1 + args.len());
        let receiver = self.receiver(e, receiver, &mut args, &captures);
        args.insert(0, receiver);
        let changes = |arg: &Arg| matches!(arg, Arg::Mut(_) | Arg::Function(_));
        if unused && !args.iter().any(changes) {
            return self.refuse(&e.method, hidden_effect(&e.receiver));
        }
        self.span = e.method.span();
        self.recursive |= own_names::plain(&e.method) == self.own;
        let method = &e.method;
        let passed = args.len();
        args.extend(captures);
        let generics = match &e.turbofish {
            Some(generics) if functions.is_empty() => generics.to_token_stream(),
            _ => quote!(),
        };
        let path = if flat {
            with_tangents(method, false)
        } else {
            method.clone()
        };
        let call = Call {
            path: path.to_token_stream(),
            owner: quote!(),
            generics,
            member: Some(method.clone()),
            nested: None,
            receiver: true,
            keeps: true,
            level: 0,
            passed,
            args,
            functions,
            unsure,
            parameter: false,
            optional: false,
            form: Form::Primal,
        };
        Tree::Value(self.emit(Kind::Call(call), Vec::new(), Ty::User, ""))
    }

    /// Where the receiver of a method lies.
    ///
    /// Of one without derivative, which nothing changes, a pullback borrows a part of a variable again, or a copy of anything else:
    /// what a reference of the body refers to is gone then.
    fn received(&mut self, e: &syn::Expr) -> Option<Path> {
        let name = facts::root(e);
        let changes = name.and_then(|name| self.facts.get(&name).map(|v| v.mutable || v.exclusive));
        let constant = changes != Some(true) && !self.facts.mentions_active(e);
        if let (syn::Expr::Field(_) | syn::Expr::Index(_), true) = (unparen(e), constant) {
            return Some(self.lent_out(e));
        }
        let tree = self.going_into(true, e);
        let borrows = match &tree {
            Tree::Either(_) => {
                self.refuse(e, "a reference chosen at run time is passed on here, which cannot be followed; call the method in the arms of an `if`");
                return None;
            }
            Tree::Value(v) => self.func.values[v.0 as usize].borrows,
            Tree::Place(path) | Tree::View(path) => self.func.at(path.root).borrows,
            _ => false,
        };
        if !constant || !borrows {
            return Some(self.path(tree));
        }
        let v = self.value(tree);
        let held = self.held(v);
        Some(self.path(Tree::Value(held)))
    }

    /// A copy of what a constant refers to, if it is a reference.
    pub(super) fn held(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v).clone();
        self.pure(quote!(rt::passed(&__a0).to_held()), vec![v], ty)
    }

    /// The receiver of a method as it is lent, beside what else is.
    ///
    /// What the method says of its receiver is not known here: it may change what may be changed.
    fn receiver(
        &mut self,
        e: &syn::ExprMethodCall,
        receiver: Path,
        args: &mut [Arg],
        captures: &[Arg],
    ) -> Arg {
        let name = facts::root(&e.receiver);
        let exclusive = name
            .as_ref()
            .and_then(|name| self.facts.get(name))
            .is_some_and(|var| var.mutable || var.exclusive);
        let lent = |path: &Path| {
            let within = |a: &Path, b: &Path| b.steps.starts_with(&a.steps);
            path.root == receiver.root && (within(path, &receiver) || within(&receiver, path))
        };
        // Elements that one variable leads to can only be lent together if neither of them is changed; two `&mut` references are apart.
        let beside = |path: &Path, arg: &syn::Expr| {
            let differ = path.steps.iter().zip(&receiver.steps);
            let mut fork = differ.skip_while(|(a, b)| a == b).map(|(step, _)| step);
            path.root == receiver.root
                && !matches!(fork.next(), Some(Step::Field(_)))
                && name.as_ref().zip(facts::root(arg)).is_some_and(|(a, b)| {
                    let exclusive = [a, &b].map(|name| self.facts.get(name));
                    let apart = exclusive.iter().all(|var| var.is_some_and(|v| v.exclusive));
                    let leads = || self.facts.leads_to(a, &b) || self.facts.leads_to(&b, a);
                    *a == b || !apart && leads()
                })
        };
        let captured = |arg: &Arg| matches!(arg, Arg::Capture(path) if lent(path));
        let mut shared = captures.iter().any(captured);
        for (arg, e) in args.iter_mut().zip(&e.args) {
            let (Arg::Ref(path) | Arg::Mut(path)) = &*arg else {
                continue;
            };
            if lent(path) || beside(path, e) {
                shared = true;
                *arg = Arg::Ref(path.clone());
            }
        }
        let given = self.func.at(receiver.root).storage == Storage::Shared;
        if exclusive && !shared && !given {
            self.func.at_mut(receiver.root).mutable = true;
            Arg::Mut(receiver)
        } else {
            Arg::Ref(receiver)
        }
    }

    /// Code that cannot be run again: it might not do the same.
    fn refuse_again(&mut self, function: &Function) {
        let Function::Closure(closure) = function else {
            return;
        };
        let mut found = Vec::new();
        for op in &closure.func.body.ops {
            op.walk(&mut |op| {
                let code = match &op.kind {
                    Kind::Opaque(code) => code,
                    Kind::Match(code, heads) => {
                        let guards = heads.iter().filter(|head| !head.pure);
                        let mut guards = guards.filter_map(|head| head.guard.as_ref());
                        if !guards.all(is_repeatable) {
                            found.push(op.span);
                        }
                        code
                    }
                    Kind::For(For {
                        domain: Domain::Verbatim { iter, .. },
                        ..
                    }) => iter,
                    _ => return,
                };
                let harmless = code.pure || is_repeatable(&code.tokens);
                if !harmless || !code.writes.is_empty() {
                    found.push(op.span);
                }
            });
        }
        for span in found {
            self.errors.error_at(span, "a loop with `#[checkpoint]` runs again in the reverse sweep, and this code may then do something else; compute it before the loop, or leave `#[checkpoint]` out");
        }
    }
}

/// Calls nothing but what looks into memory, and asserts.
fn is_repeatable(tokens: &TokenStream) -> bool {
    // What was written since the last operator, `std::cmp::max` or `.rev` or `assert!`, is what a group in parentheses calls.
    let mut called: Vec<String> = Vec::new();
    // `(self.noise)(i)` and `noises[k](i)`
    let mut value = false;
    let mut tokens = tokens.clone().into_iter();
    while let Some(token) = tokens.next() {
        let after_value = std::mem::take(&mut value);
        match &token {
            TokenTree::Group(group) => {
                let call = group.delimiter() == Delimiter::Parenthesis;
                // A loop whose rounds run again has ended, and reported no error.
                if call && reports(&called) {
                    called.clear();
                    continue;
                }
                let known = !after_value && may_run_again(&called, group.stream().is_empty());
                if call && !known || !is_repeatable(&group.stream()) {
                    return false;
                }
                called.clear();
                value = group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Ident(_) => called.push(token.to_string()),
            TokenTree::Punct(p) => match p.as_char() {
                '.' => called = vec![token.to_string()],
                ':' | '!' => called.push(token.to_string()),
                '<' if called.last().is_some_and(|last| last == ":") => {
                    skip_generics(&mut tokens);
                }
                _ => called.clear(),
            },
            TokenTree::Literal(_) => called.clear(),
        }
    }
    true
}

/// Whether what stands before parentheses is what reports an error.
fn reports(called: &[String]) -> bool {
    const REPORTING: &[&str] = &[
        "convert",
        "convert_as",
        "expect",
        "fail",
        "fail_from",
        "fail_into",
        "map",
        "pass",
        "unwrap",
    ];
    of_failures(called).is_some_and(|name| REPORTING.contains(&name))
}

/// The name of a function of ours that is about errors, `rt::fallible::fail`.
fn of_failures(called: &[String]) -> Option<&str> {
    match called {
        [rt, _, _, fallible, .., name] if rt == "rt" && fallible == "fallible" => Some(name),
        _ => None,
    }
}

/// Leaves out what stands between `::<` and its `>`.
fn skip_generics(tokens: &mut impl Iterator<Item = TokenTree>) {
    let (mut depth, mut arrow) = (1, false);
    for token in tokens {
        let sign = match &token {
            TokenTree::Punct(p) => p.as_char(),
            _ => ' ',
        };
        match sign {
            '<' => depth += 1,
            '>' if !arrow => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
        arrow = sign == '-';
    }
}

/// Whether what stands before parentheses does the same again.
///
/// A function of the user's own may have any of these names, so it counts how they are written, too.
fn may_run_again(called: &[String], no_arguments: bool) -> bool {
    const METHODS: &[&str] = &[
        "iter",
        "enumerate",
        "rev",
        "zip",
        "skip",
        "take",
        "copied",
        "cloned",
        "len",
        "is_empty",
        "step_by",
        "min",
        "max",
        "abs",
        "is_finite",
        "is_nan",
        // Of generated code, around what is looked at.
        "to_kept",
    ];
    const MACROS: &[&str] = &[
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "ensure",
        "panic",
        "unreachable",
    ];
    // What stands after one of these is no argument: `if (i + 1) % 2 == 0`.
    const KEYWORDS: &[&str] = &[
        "as", "break", "else", "for", "if", "in", "let", "match", "move", "mut", "return", "while",
    ];
    // Of generated code.
    const OURS: &[&str] = &[
        "alike",
        "assume",
        "behind",
        "decided",
        "passed",
        "stop_gradient",
    ];
    if of_failures(called).is_some() {
        return true;
    }
    let words: Vec<&str> = called.iter().map(String::as_str).collect();
    match words[..] {
        // A group of an expression or a tuple, the type of a function, and an option.
        [] | ["!"] | [.., "fn" | "Some"] => true,
        // `take()` is that of a cell or an option.
        [".", name] => {
            let name = own_names::checked(name);
            let known = METHODS.contains(&name)
                || iterators::reads_parts(name)
                || std_methods::decides_by_name(name);
            known && !(name == "take" && no_arguments)
        }
        [.., word] if KEYWORDS.contains(&word) => true,
        [.., name, "!"] => MACROS.contains(&name),
        ["rt", ":", ":", .., name] => OURS.contains(&name),
        // `cmp::max(i, j)`, `usize::max(i, j)`
        [.., "min" | "max"] => true,
        _ => false,
    }
}

/// An iterator that a `for` loop understands: what is done with it elsewhere is the problem.
fn is_loop_head(e: &syn::Expr) -> bool {
    match unparen(e) {
        syn::Expr::MethodCall(m) => {
            let adaptor = matches!(
                m.method.to_string().as_str(),
                "iter"
                    | "iter_mut"
                    | "into_iter"
                    | "copied"
                    | "cloned"
                    | "enumerate"
                    | "zip"
                    | "rev"
                    | "skip"
                    | "take"
            );
            adaptor && is_loop_head(&m.receiver)
        }
        syn::Expr::Call(_) => false,
        _ => true,
    }
}

fn unref(e: &syn::Expr) -> &syn::Expr {
    match unparen(e) {
        syn::Expr::Reference(r) if r.mutability.is_none() => &r.expr,
        other => other,
    }
}

/// The name of a method's derivative that takes tangents, or of a method that is called like one.
fn takes_tangents(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name.ends_with("_jvp") || name.ends_with("_hvp")
}

/// Whether this may be the path of a float's method, by a trait that others call so.
fn is_of_floats(owner: &str, name: &str) -> bool {
    FLOATS.contains(&owner) && rules::by_method(name).is_some()
}

/// Traits that floats have.
pub(super) const FLOATS: &[&str] = &[
    "Euclid",
    "Float",
    "FloatCore",
    "Real",
    "Signed",
    "ComplexField",
    "RealField",
];

/// The form of such a derivative that has the tangents among its parameters; of one that is called by its path with a first argument by value.
fn with_tangents(name: &syn::Ident, taken: bool) -> syn::Ident {
    let form = "__value".to_owned();
    let form = if taken { forms::taken(&form) } else { form };
    let mut form = forms::sibling(&form, name);
    form.set_span(name.span());
    form
}

/// The arguments of a call, and whether that are more than are written: the tangents of several parameters are a tuple, but arguments of their own where they have derivatives.
fn given(
    args: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
    takes_tangents: bool,
) -> (Vec<&syn::Expr>, bool) {
    let mut given: Vec<&syn::Expr> = args.iter().collect();
    match given.last().map(|e| unparen(e)) {
        Some(syn::Expr::Tuple(tangents)) if takes_tangents => {
            given.pop();
            given.extend(&tangents.elems);
            (given, true)
        }
        _ => (given, false),
    }
}
