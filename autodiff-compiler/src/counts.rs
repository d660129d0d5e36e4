//! Calls that give another number of arguments than a function takes, where the function is at hand: otherwise rustc says so once for each form of its derivatives.

use crate::visit::{self, Enter as _, Visit};

use crate::errors::Errors;

/// What is wrong with a call, and what to do.
pub(crate) fn message(name: &str, takes: usize, given: usize) -> String {
    let arguments = match takes {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{takes} arguments"),
    };
    let advice = if given < takes {
        format!("give it {} more", takes - given)
    } else {
        format!("leave out {}", given - takes)
    };
    format!("`{name}` takes {arguments}, and is given {given}; {advice}")
}

/// Reports the calls in a block of functions of the same block.
pub(crate) fn check(block: &syn::ItemImpl, errors: &mut Errors) {
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(&f.sig),
        _ => None,
    });
    let functions = functions.collect();
    Calls { functions, errors }.visit_item_impl(block);
}

/// Reports the calls in what a trait provides of functions of the same trait.
pub(crate) fn check_trait(item: &syn::ItemTrait, errors: &mut Errors) {
    let functions = item.items.iter().filter_map(|item| match item {
        syn::TraitItem::Fn(f) => Some(&f.sig),
        _ => None,
    });
    let functions = functions.collect();
    Calls { functions, errors }.visit_item_trait(item);
}

struct Calls<'a> {
    functions: Vec<&'a syn::Signature>,
    errors: &'a mut Errors,
}

impl Calls<'_> {
    /// A receiver that stands in front is not among the arguments that are given.
    fn call(&mut self, name: &syn::Ident, receiver: bool, given: usize) {
        let of_name = self.functions.iter().filter(|sig| sig.ident == *name);
        let takes = |sig: &&&syn::Signature| {
            (sig.inputs.len()).checked_sub(usize::from(receiver && sig.receiver().is_some()))
        };
        // Under conditions there may be several.
        let takes: Vec<usize> = of_name.filter_map(|sig| takes(&sig)).collect();
        if let (Some(&first), false) = (takes.first(), takes.contains(&given)) {
            let message = message(&name.to_string(), first, given);
            self.errors.error(name, message);
        }
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        if matches!(&*e.receiver, syn::Expr::Path(p) if p.path.is_ident("self")) {
            self.call(&e.method, true, e.args.len());
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        if let syn::Expr::Path(func) = &*e.func {
            let names: Vec<_> = func.path.segments.iter().map(|s| &s.ident).collect();
            if let ([of, name], None) = (&names[..], &func.qself) {
                if *of == "Self" {
                    self.call(name, false, e.args.len());
                }
            }
        }
        visit::visit_expr_call(self, e);
    }

    // There `self` and `Self` are others.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
