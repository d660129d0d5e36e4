//! What a function leaves in memory that it declares a constant is a constant, whatever was there before.
//!
//! A caller may lend memory that has a tangent to a `#[constant]` parameter. If the function changes it, each hidden form
//! that other derivatives call sets the tangents and the shadows of such memory to zero; what was there before would stay
//! the derivative of what is written there.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::forms::lanes;
use crate::function::{By, GradFn};
use crate::ir::{Func, Param, Ty};
use crate::second::Several;

/// Statements of a form.
pub(crate) struct Cut {
    /// In front of the body.
    pub(crate) before: TokenStream,
    /// Behind it.
    pub(crate) after: TokenStream,
}

/// Sets what belongs to constant memory that `func` changes to zero; `belonging` gives the names by that of the parameter, and how each has
/// several directions.
pub(crate) fn cut(
    function: &GradFn,
    func: &Func,
    names: &[Ident],
    belonging: impl Fn(&Ident) -> Vec<(Ident, Several)>,
) -> Cut {
    let mut changed = Vec::new();
    for op in &func.body.ops {
        op.walk(&mut |op| changed.extend(op.stores()));
    }
    let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
    for ((param, info), name) in func.params.iter().zip(&function.params).zip(names) {
        let Param::Place(p) = param else { continue };
        let constant = info.by == By::Mut && !info.active && info.tangible;
        if !constant || !changed.contains(p) {
            continue;
        }
        for (tangent, several) in belonging(name) {
            let each = several == Several::Each;
            let one = if each {
                format_ident!("{tangent}_one", span = tangent.span())
            } else {
                tangent.clone()
            };
            let zeroed = match info.ty {
                Ty::Slice(_) => quote!(rt::set_zero(&mut *#one);),
                Ty::Vec(_) => {
                    // The public functions have none.
                    let there = format_ident!("{tangent}_there", span = tangent.span());
                    let first = each.then(|| quote!([0]));
                    before.extend(quote!(let #there = #tangent #first.len() == #name.len();));
                    let zero = if several == Several::Lanes {
                        let lanes = lanes();
                        quote!(rt::lanes::zero_like::<_, #lanes>(&*#name))
                    } else {
                        quote!(rt::zero_like(&*#name))
                    };
                    quote!(if #there { *#one = #zero; })
                }
                _ => quote!(*#one = rt::Tangent::zero_like(&*#one);),
            };
            after.extend(if each {
                quote!(for #one in &mut #tangent { let #one = &mut **#one; #zeroed })
            } else {
                zeroed
            });
        }
    }
    Cut { before, after }
}
