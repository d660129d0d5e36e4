//! A function to differentiate, as everything after the reading of its attribute sees it: options, parameters, result.

use std::cell::RefCell;
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

use crate::callable::Callable;
use crate::forms::RESERVED;
use crate::ir::Ty;
use crate::std_methods;
use crate::syntax::peel;
use crate::types;
use crate::visit::{self, Enter as _, Visit};

/// A rule of the compiler that makes derivatives faster and changes nothing else, so that a hidden option may leave it out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// Values are read or computed again; without it, the reverse sweep remembers everything.
    Remember,
    /// Integers that go by the same number in each round are run back.
    Step,
    /// Calls leave what they overwrote as it is where nobody reads it again.
    Leave,
    /// The reverse of what a guard selects stands under it.
    Sink,
    /// Products with one cotangent are joined.
    Factor,
    /// Forward mode has several directions.
    Lanes,
    /// Of these, loops leave out those in which nothing moves.
    Idle,
    /// Operations on tensors are kernels.
    Map,
    /// Kernels of both sweeps over the same entries are one.
    Beside,
    /// Searches are differentiated where they ended.
    Choose,
    /// Cotangents that are known to be zero are stored, and not emptied where they are overwritten next.
    Zero,
    /// Loops through parts of sequences run from zero.
    Rebase,
    /// Sums of cotangents stand in loops of their own.
    Sum,
    /// Reversed loops run from start to end where they may.
    Turn,
    /// What loops add to neighbouring elements is carried from round to round.
    Carry,
    /// What can runs forward and backward in one pass.
    Fuse,
}

impl Rule {
    /// Each with the option that leaves it out.
    pub(crate) const ALL: [(&str, Rule); 16] = [
        ("__remember_all", Rule::Remember),
        ("__step_nothing", Rule::Step),
        ("__leave_nothing", Rule::Leave),
        ("__sink_nothing", Rule::Sink),
        ("__factor_nothing", Rule::Factor),
        ("__lanes_nothing", Rule::Lanes),
        ("__idle_nothing", Rule::Idle),
        ("__map_nothing", Rule::Map),
        ("__beside_nothing", Rule::Beside),
        ("__choose_nothing", Rule::Choose),
        ("__zero_all", Rule::Zero),
        ("__rebase_nothing", Rule::Rebase),
        ("__sum_nothing", Rule::Sum),
        ("__turn_nothing", Rule::Turn),
        ("__carry_nothing", Rule::Carry),
        ("__fuse_nothing", Rule::Fuse),
    ];

    /// The rule that this option leaves out.
    pub(crate) fn left_out_by(option: &str) -> Option<Rule> {
        let mut all = Rule::ALL.iter();
        all.find(|(of, _)| *of == option).map(|&(_, rule)| rule)
    }
}

/// The arguments of `#[grad(…)]`.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "options are given or not")]
pub(crate) struct Options {
    /// `wrt(a, b)`: the differentiable parameters, by name.
    pub(crate) wrt: Option<Vec<Ident>>,
    /// `name = T`: the type that carries the derivatives.
    pub(crate) name: Option<Ident>,
    /// Nobody reads the derivatives: they may hold the code once more, for rustc to look at.
    pub(crate) for_rustc: bool,
    /// `crate = path`.
    pub(crate) krate: Option<TokenStream>,
    /// `recursive`: the function calls itself by way of others.
    pub(crate) recursive: bool,
    /// `checkpoint`: loops keep few states, and run again in the reverse sweep.
    pub(crate) checkpoint: Option<Span>,
    /// `verify`: the reverse sweep checks every value that it did not remember.
    pub(crate) verify: bool,
    /// `assume_std`: methods of a type parameter that are named like std's are std's, whatever trait they are of.
    pub(crate) assume_std: bool,
    /// `strong_zero`: every product of its derivatives gives zero where one factor is zero.
    pub(crate) strong_zero: bool,
    /// `method`: the function stands in an `impl` block, though it does not show it.
    pub(crate) method: bool,
    /// Its siblings stand in a block of their own, which allows what they cannot heed, and names what they call.
    pub(crate) apart: bool,
    /// The name of the type that the block is of, where the block is at hand.
    pub(crate) of_type: Option<String>,
    /// Fields of that type, and the types of the user's own that they are of.
    pub(crate) fields: Rc<Vec<(String, String)>>,
    /// The types of a method that are vouched for, beside the block that it stands in.
    pub(crate) vouched: Vouched,
    /// What derivatives of the methods of its block do with their receiver.
    pub(crate) uses: Rc<RefCell<Uses>>,
    /// The types of the user's own in the signatures of its block, beside which they are vouched for.
    pub(crate) own_types: Rc<RefCell<Vec<OwnType>>>,
    /// The number whose method it is.
    pub(crate) of_number: Option<Ident>,
    /// It is a function of a trait, whose derivatives are functions of the type.
    pub(crate) of_trait: bool,
    /// What it calls by its own name is a function of the type, and not itself.
    pub(crate) namesake: bool,
    /// It is a function that a trait requires: it has no body.
    pub(crate) declared: bool,
    /// The block that it stands in, if functions of it are dynamic.
    pub(crate) owner: Option<Box<Owner>>,
    /// Type parameters of the function or the block that stand for no number.
    pub(crate) labels: Vec<Ident>,
    /// Methods of its block that look at their receiver, and return an error or nothing.
    pub(crate) checks: Vec<Ident>,
    /// Methods of its block that look at their receiver and change nothing: those may be given their seeds.
    pub(crate) at_once: Vec<Ident>,
    /// `report`: what is remembered and why, as text.
    pub(crate) report: bool,
    /// `fallible`: the return type is a result, though its name does not show it.
    pub(crate) fallible: bool,
    /// It has hidden forms alone: it stands for a fallible function where that is used as if it returned an option, or for one that lends part of what it is given.
    pub(crate) called_only: bool,
    /// It stands for one that returns a result, as one that returns an option.
    pub(crate) of_result: bool,
    /// It computes the value of this function, which returns a result, and reports its errors by its last parameter.
    pub(crate) fails: Option<Ident>,
    /// `mode = …`: how gradients are computed.
    pub(crate) mode: Option<Mode>,
    /// `trace`: a form that records every operation.
    pub(crate) trace: bool,
    /// `partials`, `vjp`, `jvp`, `constant`: the user's own derivatives.
    pub(crate) own: Own,
    /// `order = n`: how often it may be differentiated; 0 where nothing is said, which is once.
    pub(crate) order: u32,
    /// Hidden: the rules that are not applied, for comparison.
    pub(crate) without: Vec<Rule>,
    /// `vjp` runs the body on a tape as well, and compares.
    pub(crate) twin: bool,
    /// Hidden: the only functions that are wanted, and what these call.
    pub(crate) only: Option<String>,
    /// Hidden: one analysis gives a wrong answer, for the test of the tests.
    pub(crate) mutate: Option<String>,
}

/// How gradients are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

/// A longer tuple is no tangent.
pub(crate) const MOST: usize = 26;

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum By {
    Value,
    Ref,
    Mut,
}

/// A parameter of the function.
#[derive(Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "what is known of it does not depend on each other"
)]
pub(crate) struct ParamInfo {
    /// Its name, or one made for a pattern.
    pub(crate) name: Ident,
    pub(crate) by: By,
    /// The type behind the reference, if it is one.
    pub(crate) inner: syn::Type,
    /// As written.
    pub(crate) written: syn::Type,
    /// The same with names for the lifetimes that a pullback may hold: all but those of the references in front.
    pub(crate) passed: syn::Type,
    /// As the pullback is given it again: behind references of its own.
    pub(crate) again: syn::Type,
    pub(crate) ty: Ty,
    /// Differentiated with respect to.
    pub(crate) active: bool,
    /// Has a tangent type: its written type is none of those without.
    pub(crate) tangible: bool,
    /// `#[out]`: memory that is only written, so what it holds before is a constant.
    pub(crate) out: bool,
    /// A constant of a type that the macro does not know, which has a tangent if the type has a derivative: whoever passes it may have one.
    pub(crate) perhaps: bool,
    /// Forms take a tangent of any type for it, which they ignore: a constant receiver.
    pub(crate) ignored: bool,
    /// It is a function, or holds some, and the function that takes it is dynamic: they are of variables there.
    pub(crate) of_variables: bool,
    /// It is a function that is differentiated through.
    pub(crate) callable: Option<Callable>,
}

/// A function to differentiate.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct GradFn {
    pub(crate) options: Options,
    /// As the user wrote it, without our attributes.
    pub(crate) written: syn::ItemFn,
    /// The same, a method as a function of its receiver.
    pub(crate) item: syn::ItemFn,
    /// It stands in an `impl` block.
    pub(crate) method: Option<Method>,
    /// The parameters of the block that it stands in.
    pub(crate) outer: syn::Generics,
    /// Only other derivatives use its own.
    pub(crate) hidden: bool,
    /// Its body, with patterns of parameters turned into `let`s.
    pub(crate) body: syn::Block,
    pub(crate) params: Vec<ParamInfo>,
    /// Types that are taken for those of the standard library, which have no derivative, by their names alone.
    pub(crate) borrowed_names: Vec<syn::TypePath>,
    /// Type parameters that stand for floats.
    pub(crate) numeric: Vec<Ident>,
    /// What vouches for the types of the signature.
    pub(crate) vouched: TokenStream,
    /// What operators on these yield is these.
    pub(crate) outputs: Vec<syn::WherePredicate>,
    /// Type parameters that stand for types of the user's own.
    pub(crate) held: Vec<Ident>,
    /// It may call itself.
    pub(crate) calls_itself: bool,
    /// The types of its signature are all known, and have derivatives where they need some.
    pub(crate) understood: bool,
    /// Nothing in the signature was refused.
    pub(crate) sound: bool,
    /// `None` for `()`.
    pub(crate) ret: Option<syn::Type>,
    pub(crate) ret_ty: Ty,
    /// The order of the derivatives that it is made of, itself a derivative of what the user wrote.
    pub(crate) derived: u32,
}

impl ParamInfo {
    /// The zero tangent of what a reference leads to.
    pub(crate) fn zero_of(&self, reference: &TokenStream) -> TokenStream {
        let known = match types::strip(&self.inner) {
            syn::Type::Path(of) if self.perhaps => of.path.segments.last(),
            _ => None,
        };
        match known.map(|last| &last.arguments) {
            Some(syn::PathArguments::AngleBracketed(args)) => {
                let has = args.args.first();
                quote!(rt::zero_of_perhaps::<#has, _>(#reference))
            }
            _ => quote!(rt::zero_like(#reference)),
        }
    }

    /// Its type has no known tangent, and it is lent to be changed: so it may be to calls, whose pullbacks put back a copy.
    pub(crate) fn is_kept_by_calls(&self) -> bool {
        self.by == By::Mut && !self.tangible && !self.is_object()
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(types::strip(&self.inner), syn::Type::TraitObject(_))
    }
}

impl GradFn {
    /// Whether a constant may be gone behind the body: it is passed by value, and the body takes it.
    pub(crate) fn is_gone(&self, p: &ParamInfo) -> bool {
        let lists = p.tangible && matches!(&p.ty, Ty::Vec(_) | Ty::Option(_));
        let mut takes = Takes {
            name: &p.name,
            moves: false,
            found: false,
        };
        if p.by == By::Value && !p.active && lists {
            takes.visit_block(&self.body);
        }
        p.perhaps || takes.found
    }

    /// The type that carries the derivatives.
    pub(crate) fn type_name(&self) -> Ident {
        self.options
            .name
            .clone()
            .unwrap_or_else(|| self.item.sig.ident.clone())
    }

    /// It returns a number, or none.
    pub(crate) fn returns_optional_number(&self) -> bool {
        matches!(&self.ret_ty, Ty::Option(inner) if inner.is_float())
    }

    /// The type of what is in the option that it returns.
    pub(crate) fn some(&self) -> Option<&syn::Type> {
        let optional = matches!(self.ret_ty, Ty::Option(_));
        let ret = self.ret.as_ref().filter(|_| optional);
        ret.and_then(types::argument_of)
    }

    /// Whether fields of a parameter are taken for references, perhaps: only rustc knows if there is a lifetime in its type.
    ///
    /// Forms that do not ask have second derivatives in several directions at once.
    pub(crate) fn takes_as_borrowing(&self, param: &ParamInfo) -> bool {
        self.is_receiver_alone(param) || self.options.order < 2 && self.may_hide_lifetime(param)
    }

    /// The receiver of a method whose block is not at hand.
    fn is_receiver_alone(&self, param: &ParamInfo) -> bool {
        let itself = matches!(types::strip(&param.inner), syn::Type::Path(p) if p.path.is_ident(types::OWNER));
        itself && self.options.of_type.is_none()
    }

    /// Whether a parameter may be of a type with a lifetime that is not written.
    pub(crate) fn may_hide_lifetime(&self, param: &ParamInfo) -> bool {
        let parameters: Vec<Ident> = types::named(&self.item.sig.generics).cloned().collect();
        types::may_hide_lifetime(&param.written, &parameters)
    }

    /// It is a method by value whose receiver is lent to its forms.
    pub(crate) fn is_lent(&self) -> bool {
        self.method.is_some_and(|method| method.lent)
    }

    /// The parameters that are functions.
    pub(crate) fn callables(&self) -> Vec<&Callable> {
        self.params
            .iter()
            .filter_map(|p| p.callable.as_ref())
            .collect()
    }

    /// What derivatives ask of the type parameters, which the user need not say.
    pub(crate) fn hidden_bounds(&self) -> impl Iterator<Item = syn::WherePredicate> {
        let numeric = self.numeric.iter();
        let numeric = numeric.map(|name| syn::parse_quote!(#name: rt::Numeric));
        // What is boxed holds pullbacks of theirs.
        let lasting = self.calls_itself.then(|| quote!(+ 'static));
        let held = self.held.iter();
        let outputs = self.outputs.iter().cloned();
        let numeric = numeric.chain(outputs);
        numeric.chain(held.map(move |name| syn::parse_quote!(#name: rt::Held #lasting)))
    }

    /// The path of the facade.
    pub(crate) fn krate(&self) -> TokenStream {
        self.options
            .krate
            .clone()
            .unwrap_or_else(|| quote!(::autodiff))
    }
}

/// What the options say of the user's own derivatives.
#[derive(Clone, Default)]
pub(crate) struct Own {
    /// `partials = (e₁, …)`
    pub(crate) partials: Option<syn::Expr>,
    /// `implicit = r(y, …)`
    pub(crate) implicit: Option<syn::Expr>,
    /// `solve = s`
    pub(crate) solve: Option<syn::Path>,
    /// The function is a step of Newton's method to the solution of another.
    pub(crate) step: Option<Step>,
    /// `vjp = p`
    pub(crate) vjp: Option<syn::Path>,
    /// The second path of `vjp = (fwd, rev)`.
    pub(crate) rev: Option<syn::Path>,
    /// `jvp = q`
    pub(crate) jvp: Option<syn::Path>,
    /// `constant`
    pub(crate) constant: Option<Span>,
    /// `dynamic`, where derivatives are functions that the macro makes.
    pub(crate) dynamic: Option<Span>,
}

/// A function of an `impl` block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    /// It has a receiver.
    pub(crate) receiver: bool,
    /// The receiver is passed by value.
    pub(crate) owned: bool,
    /// The receiver is lent to the forms of a method that takes it by value.
    pub(crate) lent: bool,
}

/// What derivatives do with parameters of a type.
#[derive(Default, Debug)]
pub(crate) struct Uses {
    /// They are walked through, and where first.
    pub(crate) walked: Option<Span>,
    /// They have elements with a number for an index, and so have their tangents.
    pub(crate) indexed: bool,
    /// What is passed on by value.
    pub(crate) passed_on: PassedOn,
    /// The methods named like those of lists, where they are called on what rustc alone knows to be a list.
    pub(crate) of_lists: Vec<Ident>,
}

/// A type of the user's own that is vouched for.
#[derive(Debug)]
pub(crate) struct OwnType {
    pub(crate) ty: syn::Type,
    /// With what stands for its parameters.
    pub(crate) closed: syn::Type,
    pub(crate) uses: Uses,
}

/// What functions are given by value: those who ask for a reference have an error there, if it was one.
#[derive(Default, Debug)]
pub(crate) struct PassedOn {
    /// Methods, where they are called, whose results these are.
    pub(crate) methods: Vec<Ident>,
    /// Fields of parameters whose types may hide a lifetime, as they are written: `p.xs`.
    pub(crate) fields: Vec<String>,
}

impl PassedOn {
    pub(crate) fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn extend(&mut self, other: PassedOn) {
        self.methods.extend(other.methods);
        self.fields.extend(other.fields);
    }
}

/// Which types of a method are vouched for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Vouched {
    /// None: there is no place for what vouches.
    #[default]
    None,
    /// Those of the signatures in its block.
    Others,
    /// That of its block, and the others.
    Own,
    /// Those of a function.
    All,
}

/// The path of the facade.
pub(crate) fn krate(options: &Options) -> TokenStream {
    options.krate.clone().unwrap_or_else(|| quote!(::autodiff))
}

fn has_word(tokens: TokenStream, test: &dyn Fn(&str) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => test(&word.to_string()),
        TokenTree::Group(group) => has_word(group.stream(), test),
        _ => false,
    })
}

/// How the names begin of shadows and tangents, which are named after the parameters.
pub(crate) const SHADOWS: &[&str] = &[
    "d_", "dot_", "dot2_", "dot3_", "g_", "kept_", "vars_", "along_", "bent_", "more_", "seed_",
];

/// The names of the parameters in generated functions: those of the user, unless something else has them there.
pub(crate) fn param_names(function: &GradFn) -> Vec<Ident> {
    let mut names: Vec<String> = Vec::new();
    for param in &function.params {
        let mut name = param.name.to_string();
        while RESERVED.contains(&name.as_str()) || names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    let plain = |name: &str| name.trim_start_matches("r#").to_owned();
    let clash = names.iter().any(|name| {
        SHADOWS.iter().any(|prefix| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| names.iter().any(|other| plain(other) == rest))
        })
    });
    // Those of constants are in signatures alone, where they would hide a variable of that name.
    let constants = function.params.iter().filter(|param| !param.active);
    let constants: Vec<String> = constants.map(|p| plain(&p.name.to_string())).collect();
    let hides = |word: &str| {
        let mut rest = SHADOWS
            .iter()
            .filter_map(|prefix| word.strip_prefix(prefix));
        rest.any(|rest| constants.iter().any(|name| name == rest))
    };
    let clash = clash || !constants.is_empty() && has_word(function.body.to_token_stream(), &hides);
    let named = function.params.iter().zip(names).enumerate();
    named
        .map(|(k, (param, name))| {
            let name = if clash {
                format!("p{k}_{}", plain(&name))
            } else {
                name
            };
            let mut ident = param.name.clone();
            if ident != name {
                ident = Ident::new(&name, Span::mixed_site());
            }
            ident.set_span(Span::mixed_site());
            ident
        })
        .collect()
}

impl Own {
    /// As `constant` says.
    pub(crate) fn make_constant(&mut self, span: Span) {
        self.constant = Some(span);
        self.dynamic = None;
    }

    /// Not `dynamic`.
    pub(crate) fn make_compiled(&mut self) {
        self.dynamic = None;
    }

    /// The derivatives run the body on a tape.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.dynamic.is_some()
    }

    /// The body is not differentiated.
    pub(crate) fn is_given(&self) -> bool {
        self.partials.is_some()
            || self.is_implicit()
            || self.step.is_some()
            || self.is_called()
            || self.is_constant()
            || self.is_dynamic()
    }

    /// Derivatives are functions that are called.
    pub(crate) fn is_called(&self) -> bool {
        self.vjp.is_some() || self.jvp.is_some() || self.is_dynamic()
    }

    /// The result is defined by an equation.
    pub(crate) fn is_implicit(&self) -> bool {
        self.implicit.is_some()
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.constant.is_some()
    }

    /// The function that gives reverse mode.
    pub(crate) fn vjp(&self) -> Option<&syn::Path> {
        self.vjp.as_ref()
    }

    /// The function that is given what `vjp` has saved, where there are two.
    pub(crate) fn rev(&self) -> Option<&syn::Path> {
        self.rev.as_ref()
    }

    /// The function that gives forward mode.
    pub(crate) fn jvp(&self) -> Option<&syn::Path> {
        self.jvp.as_ref()
    }

    pub(crate) fn span(&self) -> Span {
        let partials = self.implicit.as_ref().or(self.partials.as_ref());
        let partials = partials.map(Spanned::span);
        let called = self.vjp.as_ref().or(self.jvp.as_ref()).map(Spanned::span);
        let found = self.constant.or(self.dynamic).or(partials).or(called);
        found.unwrap_or_else(Span::call_site)
    }
}

/// A step of Newton's method, by a solver that is given products of the Jacobian.
#[derive(Clone)]
pub(crate) struct Step {
    /// The name of the function whose value is the solution.
    pub(crate) of: String,
    /// The function that is zero there.
    pub(crate) residual: Ident,
    /// `solve = s`
    pub(crate) solve: syn::Path,
    /// What is found is checked.
    pub(crate) verify: bool,
}

/// What a method has to know of the block that it stands in.
#[derive(Clone)]
pub(crate) struct Owner {
    pub(crate) ty: syn::Type,
    /// The functions of the block that variables are put into.
    pub(crate) functions: Vec<FunctionOfBlock>,
}

/// A function of a block.
#[derive(Clone)]
pub(crate) struct FunctionOfBlock {
    pub(crate) name: Ident,
    pub(crate) receiver: bool,
}

impl Owner {
    /// The name of the type.
    pub(crate) fn ident(&self) -> Option<Ident> {
        match types::strip(&self.ty) {
            syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.clone()),
            _ => None,
        }
    }
}

/// What expands a function that is taken out of another's body: the function, and its derivatives beside it.
pub(crate) type Beside = fn(Options, syn::ItemFn, &mut crate::errors::Errors) -> TokenStream;

/// How the types of parameters that are written `impl Trait` are called, which nobody can name in a call.
pub(crate) const GIVEN: &str = "__Given";

/// Whether a function has such parameters.
pub(crate) fn has_unnamed_types(generics: &syn::Generics) -> bool {
    types::named(generics).any(|name| name.to_string().starts_with(GIVEN))
}

/// Looks for places where a variable may be moved: wherever it stands, but where it is only looked at.
struct Takes<'a> {
    name: &'a Ident,
    /// In a closure that moves what it mentions.
    moves: bool,
    found: bool,
}

impl<'ast> Visit<'ast> for Takes<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        let looked_at = match e {
            syn::Expr::Field(e) => &e.base,
            syn::Expr::Index(e) => &e.expr,
            syn::Expr::Reference(e) => &e.expr,
            syn::Expr::MethodCall(e) if std_methods::leaves_receiver(&e.method.to_string()) => {
                &e.receiver
            }
            syn::Expr::Path(e) => {
                self.found |= e.path.is_ident(self.name);
                return;
            }
            syn::Expr::Closure(e) => {
                let around = std::mem::replace(&mut self.moves, e.capture.is_some());
                self.moves |= around;
                visit::visit_expr_closure(self, e);
                self.moves = around;
                return;
            }
            _ => return visit::visit_expr(self, e),
        };
        let is_name = matches!(peel(looked_at), syn::Expr::Path(e) if e.path.is_ident(self.name));
        if !is_name || self.moves {
            return visit::visit_expr(self, e);
        }
        match e {
            syn::Expr::Index(e) => self.visit_expr(&e.index),
            syn::Expr::MethodCall(e) => e.args.iter().for_each(|arg| self.visit_expr(arg)),
            _ => {}
        }
    }
}
