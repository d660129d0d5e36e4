//! Derivatives that the user gives: `partials`, `implicit`, `vjp`, `jvp`, and `constant` for a derivative of zero; and `dynamic`, for which the macro makes what `vjp` and `jvp` name.
//!
//! Partials and equations become a graph, so they have derivatives in turn. What the others name is called by the hidden forms.

mod implicit;
mod partials;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::parse::ParseStream;

pub(crate) use self::implicit::{beside, expanded};
pub(crate) use self::partials::LINKED;
use crate::errors::Errors;
use crate::function::{By, GradFn, Options, Own};
use crate::ir::Ty;
use crate::types;

impl Own {
    /// The names of its options.
    pub(crate) const OPTIONS: &'static [&'static str] = &[
        "partials", "implicit", "solve", "vjp", "jvp", "constant", "dynamic",
    ];

    /// Reads the option of that name, without the name itself.
    pub(crate) fn parse(
        &mut self,
        name: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        if name == "constant" {
            self.constant = Some(name.span());
            return Ok(());
        }
        if name == "dynamic" {
            self.dynamic = Some(name.span());
            return Ok(());
        }
        if !input.peek(syn::Token![=]) {
            let (what, value) = if name == "partials" {
                ("one expression per parameter", "(…)")
            } else if name == "implicit" {
                (
                    "an expression that is zero at the result `y`",
                    "residual(y, …)",
                )
            } else {
                ("the path of a function", "path")
            };
            errors.error(
                name,
                format_args!("`{name}` takes {what}; write `{name} = {value}`"),
            );
            return crate::marks::skip_to_comma(input);
        }
        input.parse::<syn::Token![=]>()?;
        match name.to_string().as_str() {
            "partials" => self.partials = Some(input.parse()?),
            "implicit" => self.implicit = Some(input.parse()?),
            "solve" => self.solve = Some(input.parse()?),
            "vjp" if input.peek(syn::token::Paren) => {
                let pair: syn::Expr = input.parse()?;
                match both(&pair) {
                    Some((fwd, rev)) => (self.vjp, self.rev) = (Some(fwd), Some(rev)),
                    None => errors.error(pair, "`vjp` takes the path of one function, or those of two; write `vjp = (fwd, rev)`"),
                }
            }
            "vjp" => self.vjp = Some(input.parse()?),
            _ => self.jvp = Some(input.parse()?),
        }
        Ok(())
    }
}

/// The two paths of `(fwd, rev)`.
fn both(pair: &syn::Expr) -> Option<(syn::Path, syn::Path)> {
    let syn::Expr::Tuple(pair) = pair else {
        return None;
    };
    let path = |e: &syn::Expr| match e {
        syn::Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        _ => None,
    };
    match pair.elems.iter().collect::<Vec<_>>().as_slice() {
        [fwd, rev] => Some((path(fwd)?, path(rev)?)),
        _ => None,
    }
}

/// Checks the options against each other, before the signature is read.
pub(crate) fn check_options(options: &Options, errors: &mut Errors) {
    let own = &options.own;
    if let (Some(solve), None) = (&own.solve, &own.implicit) {
        errors.error(solve, "`solve` solves the linear systems of an implicit function; write `implicit = residual(y, …), solve = path`, or leave it out");
    }
    if !own.is_given() {
        return;
    }
    let called = own.vjp.is_some() || own.jvp.is_some();
    if own.is_implicit()
        && (own.is_constant() || own.is_dynamic() || own.partials.is_some() || called)
    {
        errors.error_at(own.span(), "`implicit` serves both modes; leave it out, or the other options that give a derivative");
        return;
    }
    if own.is_implicit() && options.order > 2 {
        errors.error_at(
            own.span(),
            "`implicit` gives first and second derivatives; write `order = 2`",
        );
    }
    if own.is_dynamic() && (own.is_constant() || own.partials.is_some() || called) {
        errors.error_at(
            own.span(),
            "`dynamic` makes the derivative; leave it out, or the options that give one",
        );
    }
    if own.is_dynamic() && options.order > 1 {
        errors.error_at(own.span(), "`dynamic` gives the first derivative alone; leave out `order`, or use `autodiff::hessian` on a closure");
    }
    if own.is_constant() && (own.partials.is_some() || called || options.wrt.is_some()) {
        errors.error_at(own.span(), "`constant` says that there is no derivative; leave it out, or the options that give one");
    }
    if own.partials.is_some() && called {
        errors.error_at(
            own.span(),
            "`partials` serves both modes; leave out `vjp` and `jvp`",
        );
    }
    if options.order > 1 && own.rev.is_some() {
        if own.jvp.is_some() {
            errors.error_at(
                own.span(),
                "with `order`, `vjp = (fwd, rev)` serves both modes; leave out `jvp`",
            );
        } else if options.order > 2 {
            errors.error_at(
                own.span(),
                "`vjp = (fwd, rev)` gives first and second derivatives; write `order = 2`",
            );
        }
    } else if options.order > 1 && own.is_called() && !own.is_dynamic() {
        errors.error_at(own.span(), "`vjp` and `jvp` give the first derivative alone; give `partials` or `vjp = (fwd, rev)`, or leave out `order`");
    }
    if options.trace {
        errors.error_at(own.span(), "a function with a derivative of its own has no operations to trace; leave out `trace`, and trace the function that calls it");
    }
}

/// Refuses a constant function that may write to memory with a derivative: what was there before would stay the derivative of what is there.
///
/// Of an object that is lent to a function, a generator of random numbers for one, rustc sees whether it has one.
pub(crate) fn check_constant(function: &GradFn, errors: &mut Errors) {
    let receives = function.method.as_ref().is_some_and(|m| m.receiver);
    for (k, param) in function.params.iter().enumerate() {
        let object = matches!(param.ty, Ty::Unknown | Ty::User) && !(receives && k == 0);
        if param.by == By::Mut && param.tangible && !object {
            let at: &dyn ToTokens = if receives && k == 0 {
                &function.written.sig.ident
            } else {
                &param.written
            };
            errors.error(
                at,
                "a function with `#[grad(constant)]` cannot change what may have a derivative; return the new value, or leave the option out, and call the function in `autodiff::stop_gradient(…)` if what it changes is a constant",
            );
        }
    }
}

pub(crate) fn refuse_method(options: &Options, errors: &mut Errors) {
    errors.error_at(
        options.own.span(),
        "a method cannot have a derivative of its own; give it to a free function, and call that",
    );
}

/// Puts what is differentiated in place of the body: the call of the function itself, and the partials.
pub(crate) fn apply(function: &mut GradFn, errors: &mut Errors) {
    if !function.options.own.is_given() || function.options.own.is_constant() {
        return;
    }
    let count = errors.count();
    if function.options.own.is_dynamic() {
        crate::dynamic::check(function, errors);
    } else if function.method.is_some() && function.options.fails.is_none() {
        refuse_method(&function.options, errors);
    }
    let kind = if function.options.own.is_dynamic() {
        "a dynamic function"
    } else {
        "a function with a derivative of its own"
    };
    for param in &function.params {
        if param.callable.is_some() {
            errors.error(
                &param.written,
                format_args!("{kind} cannot take functions; leave the option out, or take numbers"),
            );
        } else if param.by == By::Mut && !function.options.own.is_dynamic() {
            errors.error(
                &param.written,
                format_args!(
                    "{kind} cannot have `&mut` parameters; return the new `{}`",
                    param.name
                ),
            );
        }
    }
    // Of a dynamic one this has been said.
    if function.ret.is_none() && !function.options.own.is_dynamic() {
        let name = &function.item.sig.ident;
        errors.error(
            name,
            "a derivative of its own needs a result; return a float",
        );
    }
    if errors.count() > count || function.ret.is_none() {
        return;
    }
    let own = &function.options.own;
    function.body = match (&own.partials, &own.implicit) {
        (_, Some(equation)) => implicit::body(function, equation, errors),
        (Some(partials), None) => partials::body(function, partials, errors),
        (None, None) => partials::call(function),
    };
}

/// Whether the written type is made of floats, as many as it says.
pub(crate) fn is_countable(ty: &syn::Type) -> bool {
    match types::strip(ty) {
        syn::Type::Array(array) => is_countable(&array.elem),
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(is_countable),
        other => types::read(other).is_scalar(),
    }
}
