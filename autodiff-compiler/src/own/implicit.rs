//! `implicit = r(y, x₁, …)`: the function as the solution of an equation that has derivatives.
//!
//! Beside `f` stands a function of the result and the parameters with the expression as its body, the residual. The body of `f` becomes
//! `{ let y = stop_gradient(f(x₁, …)); let inverse = stop_gradient(…); step(y, residual(y, x₁, …), &inverse) }`,
//! where `inverse` is that of the Jacobian of the residual by `y`, and a step is one of Newton's method whose value is `y` itself.
//! The Jacobian is a constant, and the residual is zero: so a step gives the first derivatives, and each step more those of one order more.
//!
//! With `solve = s` there is no matrix: a step is a second function beside `f`, of the result, the residual and the parameters, which are constants to it.
//! Its derivatives are in `api/step.rs`: they call `s` with products of the Jacobian.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::partials::{Leaves, result_name};
use crate::errors::Errors;
use crate::forms;
use crate::function::{Beside, By, GradFn, Options, Own, Step, has_unnamed_types};
use crate::ir::Ty;
use crate::types::{self, OWNER};

/// What stands beside a function that is the solution of an equation: the function that is zero at the result, as the user would write it, and with `solve = s` the step.
pub(crate) fn beside(options: &Options, item: &syn::ItemFn) -> Vec<(Options, syn::ItemFn)> {
    let (Some(equation), syn::ReturnType::Type(_, ret)) = (&options.own.implicit, &item.sig.output)
    else {
        return Vec::new();
    };
    let ret = types::value_of(ret).unwrap_or(ret);
    let params = item.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(arg) => Some(&*arg.pat),
        syn::FnArg::Receiver(_) => None,
    });
    let named = params.filter_map(|pat| match pat {
        syn::Pat::Ident(pat) => Some(&pat.ident),
        _ => None,
    });
    let y = result_name(named, equation);
    let mut residual = item.clone();
    residual.sig.ident = name(&item.sig.ident);
    residual.sig.inputs.insert(0, syn::parse_quote!(#y: #ret));
    residual.sig.output = syn::parse_quote!(-> #ret);
    residual.block = syn::parse_quote!({ #equation });
    residual.vis = syn::Visibility::Inherited;
    let allowed: TokenStream = crate::forms::ALLOWED.parse().unwrap_or_default();
    residual.attrs = syn::parse_quote!(#[doc(hidden)] #allowed);
    let common = Options {
        krate: options.krate.clone(),
        assume_std: options.assume_std,
        labels: options.labels.clone(),
        order: options.order,
        ..Options::default()
    };
    let step = options.own.solve.as_ref().map(|solve| {
        let remains = Ident::new(REMAINS, Span::call_site());
        let mut step = residual.clone();
        step.sig.ident = step_name(&item.sig.ident);
        step.sig.inputs.insert(1, syn::parse_quote!(#remains: #ret));
        step.block = syn::parse_quote!({ #y });
        let own = Own {
            step: Some(Step {
                of: item.sig.ident.to_string(),
                residual: residual.sig.ident.clone(),
                solve: solve.clone(),
                verify: options.verify,
            }),
            ..Own::default()
        };
        let options = Options {
            own,
            wrt: options.wrt.clone().map(|mut names| {
                names.extend([y.clone(), remains]);
                names
            }),
            ..common.clone()
        };
        (options, step)
    });
    let options = Options {
        wrt: options.wrt.clone().map(|mut names| {
            names.push(y);
            names
        }),
        strong_zero: options.strong_zero,
        ..common
    };
    [(options, residual)].into_iter().chain(step).collect()
}

/// The same with derivatives, as long as there is no error.
pub(crate) fn expanded(
    beside: Vec<(Options, syn::ItemFn)>,
    expand: Beside,
    errors: &mut Errors,
) -> Vec<TokenStream> {
    let mut out = Vec::new();
    for (options, item) in beside {
        if errors.is_empty() {
            out.push(expand(options, item, errors));
        }
    }
    out
}

/// What is left at the result, as a parameter of the step.
const REMAINS: &str = "__remains";

fn step_name(of: &Ident) -> Ident {
    let plain = of.to_string().replace("r#", "");
    format_ident!("__step_of_{plain}", span = of.span())
}

fn name(of: &Ident) -> Ident {
    let plain = of.to_string().replace("r#", "");
    format_ident!("__residual_of_{plain}", span = of.span())
}

/// The body of a function that is the solution of an equation.
pub(super) fn body(function: &GradFn, equation: &syn::Expr, errors: &mut Errors) -> syn::Block {
    let count = errors.count();
    let mut leaves = Leaves {
        loops: 0,
        what: "a residual",
        errors,
    };
    crate::visit::Visit::visit_expr(&mut leaves, equation);
    let y = result_name(function.params.iter().map(|p| &p.name), equation);
    if !types::mentions(&equation.to_token_stream(), &y) {
        errors.error(
            equation,
            format_args!(
                "a residual is zero at the result, which this does not mention; write it with `{y}`"
            ),
        );
    }
    let Some(ret) = &function.ret else {
        return function.body.clone();
    };
    let solve = &function.options.own.solve;
    let Some(step) = step(ret, &function.ret_ty, &y) else {
        errors.error(ret, "an implicit function has a number, an array, a `Vec` or a tuple of numbers as its result; return one of these, or write `vjp = …`");
        return function.body.clone();
    };
    if errors.count() > count {
        return function.body.clone();
    }
    let free = function
        .options
        .fails
        .as_ref()
        .unwrap_or(&function.item.sig.ident);
    let (text, residual) = (free.to_string(), name(free));
    let generics: Vec<&Ident> = types::named(&function.item.sig.generics).collect();
    let turbofish = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    // How an error is reported comes last, and concerns the function alone.
    let params = || {
        let params = function.params.iter().enumerate();
        params.filter(|(_, p)| p.name != forms::FAILURE)
    };
    // What is passed by value is needed again.
    let args: Vec<TokenStream> = params()
        .map(|(_, p)| {
            let name = &p.name;
            match p.by {
                By::Value if p.active && !p.ty.is_scalar() => quote!(#name.clone()),
                By::Value if !p.ty.is_scalar() => quote!(::core::clone::Clone::clone(&#name)),
                _ => quote!(#name),
            }
        })
        .collect();
    let copies = function.params.iter().map(|p| {
        let name = &p.name;
        match p.by {
            By::Value => quote!(rt::copy(&#name)),
            _ => quote!(#name),
        }
    });
    let copies: Vec<TokenStream> = copies.collect();
    let primal = &function.item.sig.ident;
    let named = !has_unnamed_types(&function.item.sig.generics);
    let call_generics = turbofish.as_ref().filter(|_| named);
    let call = quote!(#primal #call_generics (#(#copies),*));
    let copies = &copies[..args.len()];
    let zeros = params().filter(|(_, p)| p.active).map(|(k, p)| {
        let (name, zero) = (&p.name, format_ident!("__zero_{}", k + 1));
        match p.by {
            By::Value => quote!(#residual::#zero(&#name)),
            _ => quote!(&#residual::#zero(#name)),
        }
    });
    let verify = function.options.verify;
    let copied = !matches!(function.ret_ty, Ty::Vec(_));
    let given = if copied {
        quote!(#y)
    } else {
        quote!(#y.clone())
    };
    let step = match solve {
        Some(_) => {
            let step = step_name(free);
            quote!(#step #turbofish (#y, residual, #(#args),*))
        }
        None => step,
    };
    let steps = (0..function.options.order.max(1)).map(|_| {
        quote! {
            let residual: #ret = #residual #turbofish (#given, #(#args),*);
            let #y: #ret = #step;
        }
    });
    let inverse = if function.ret_ty.is_float() {
        quote!(reciprocal_at)
    } else {
        quote!(inverse_at)
    };
    let inverse = solve.is_none().then(|| {
        quote! {
            let inverse = rt::stop_gradient(rt::implicit::#inverse(#text, #verify, &#y, |along| {
                #residual::jvp #turbofish (rt::copy(&#y), #(#copies,)* (along, #(#zeros),*))
            }));
        }
    });
    let solved = quote!(#inverse #(#steps)* #y);
    if function.options.fails.is_none() {
        return syn::parse_quote!({
            let #y: #ret = rt::stop_gradient(#call);
            #solved
        });
    }
    // What is returned after an error is no solution.
    let (owner, failure) = (
        format_ident!("{OWNER}"),
        format_ident!("{}", forms::FAILURE),
    );
    syn::parse_quote!({
        let #y: #ret = rt::stop_gradient(#owner::#call);
        let failed: bool = rt::stop_gradient(#failure.is_set());
        if failed { #y } else { #solved }
    })
}

/// A step from `y` by `residual`, of results of these types.
fn step(written: &syn::Type, ty: &Ty, y: &Ident) -> Option<TokenStream> {
    match ty {
        Ty::Float(_) => {
            let zero = quote!(rt::stop_gradient(rt::zero_like(&#y)));
            Some(quote!({
                let [step] = rt::implicit::number(#y, residual, inverse, #zero);
                step
            }))
        }
        Ty::Array(elem, _) if elem.is_float() => {
            Some(quote!(rt::implicit::array(#y, residual, &inverse)))
        }
        Ty::Vec(elem) if elem.is_float() => {
            Some(quote!(rt::implicit::list(#y, residual, &inverse)))
        }
        Ty::Tuple(parts) if !parts.is_empty() && parts.iter().all(Ty::is_float) => {
            let syn::Type::Tuple(_) = types::strip_groups(written) else {
                return None;
            };
            let part = |prefix: &str| -> Vec<Ident> {
                (0..parts.len())
                    .map(|k| format_ident!("{prefix}{k}"))
                    .collect()
            };
            let (ys, rs) = (part("part"), part("residual"));
            Some(quote!({
                let (#(#ys,)*) = #y;
                let (#(#rs,)*) = residual;
                let [#(#ys),*] = rt::implicit::array([#(#ys),*], [#(#rs),*], &inverse);
                (#(#ys,)*)
            }))
        }
        _ => None,
    }
}
