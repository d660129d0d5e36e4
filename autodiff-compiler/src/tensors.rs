//! Which functions are about tensors, and which methods of tensors are named like those of numbers and iterators.
//!
//! The macro sees no types. In a function about tensors a value whose type it does not know may be a tensor wherever it may be a number:
//! so elementary functions of such values are calls of hidden forms, which tensors have and numbers as well.

use crate::visit::{self, Visit};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::features::features;
use crate::forms;
use crate::function::GradFn;
use crate::iterators::is_chain;
use crate::rules;
use crate::syntax;
use crate::types::TENSOR;

/// Methods that nothing but a tensor has, as good as certainly.
const OWN: &[&str] = &[
    "broadcast_to",
    "causal_attention",
    "cross_entropy",
    "cumsum",
    "embedding",
    "gather",
    "index_select",
    "layernorm",
    "log_softmax",
    "logsumexp_axis",
    "masked_fill",
    "matmul",
    "max_axis",
    "mean",
    "mean_axis",
    "mean_axis_keep",
    "mse",
    "norm_axis",
    "permute",
    "reshape",
    "rmsnorm",
    "scatter_add",
    "softmax",
    "sum_axis",
    "sum_axis_keep",
    "unsqueeze",
    "var_axis",
    "where_cond",
];

/// Methods that iterators and lists have as well, with other arguments or on something else.
const SHARED: &[&str] = &["flatten", "max", "min", "repeat", "split", "sum"];

/// Methods that say what a tensor looks like, and where its entries are.
const LOOKS: &[&str] = &[
    "argmax",
    "argmax_axis",
    "argmin",
    "argmin_axis",
    "argsort",
    "argsort_descending",
    "rank",
    "shape",
];

/// Methods of tensors that give another of the same numbers.
const SAME_TYPE: &[&str] = &[
    "broadcast_to",
    "causal_attention",
    "cumsum",
    "index_select",
    "layernorm",
    "log_softmax",
    "map",
    "masked_fill",
    "matmul",
    "mean_axis",
    "mean_axis_keep",
    "norm_axis",
    "permute",
    "reshape",
    "rmsnorm",
    "slice",
    "softmax",
    "sum_axis",
    "sum_axis_keep",
    "transpose",
    "unsqueeze",
    "var_axis",
];

/// Methods of tensors that take an operand row by row, in less time than a product of matrices by far.
const ROW_BY_ROW: &[&str] = &["layernorm", "log_softmax", "rmsnorm", "softmax"];

/// Methods of tensors that are products: for each entry of the receiver they do as much work as the other operand is wide.
const PRODUCTS: &[&str] = &["conv1d", "conv2d", "matmul"];

/// Whether a method of a tensor takes it row by row.
pub(crate) fn goes_row_by_row(name: &str) -> bool {
    ROW_BY_ROW.contains(&name)
}

/// Whether a method of a tensor is a product.
pub(crate) fn is_product(name: &str) -> bool {
    PRODUCTS.contains(&name)
}

/// Whether a method of a tensor with so many operands gives another of the same numbers, as functions of numbers do; `x.max()` is a number.
pub(crate) fn keeps_type(name: &str, operands: usize) -> bool {
    let name = plain(name);
    let entry_by_entry = |row| rules::rule(row).args.len() == operands;
    SAME_TYPE.contains(&name) || rules::by_name(name).is_some_and(entry_by_entry)
}

/// The method that panics where the one of this name returns an error.
fn sure(name: &str) -> Option<&str> {
    name.strip_prefix("try_")
}

/// The same of a call that reports its error.
fn plain(name: &str) -> &str {
    sure(forms::without_value(name)).unwrap_or(name)
}

/// Whether a method returns a result, if it is one of tensors.
pub(crate) fn may_fail(name: &str) -> bool {
    sure(name).is_some_and(|name| OWN.contains(&name) || SAME_TYPE.contains(&name))
}

/// Whether a function is about tensors: their type is named, or something only they have is called.
pub(crate) fn concerns(function: &GradFn, body: &syn::Block) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let name = m.method.to_string();
            self.0 |= OWN.contains(&name.as_str()) || name == "sum" && computed(&m.receiver);
            visit::visit_expr_method_call(self, m);
        }
    }
    if !features().tensor {
        return false;
    }
    let mut find =
        Find(names(function.item.sig.to_token_stream()) || names(body.to_token_stream()));
    find.visit_block(body);
    find.0
}

/// Whether a type is that of tensors, or made of it.
pub(crate) fn is_named(ty: &syn::Type) -> bool {
    features().tensor && names(ty.to_token_stream())
}

/// Whether the type is named.
fn names(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == TENSOR,
        TokenTree::Group(group) => names(group.stream()),
        _ => false,
    })
}

/// What an operator or an elementary function makes is no iterator.
fn computed(e: &syn::Expr) -> bool {
    match syntax::peel(e) {
        syn::Expr::Binary(_) => true,
        syn::Expr::MethodCall(m) => {
            rules::by_method(&m.method.to_string()).is_some() && !is_chain(&m.receiver)
        }
        _ => false,
    }
}

/// Whether a method, of what may be a tensor, is one of tensors if it is that.
pub(crate) fn may_have(m: &syn::ExprMethodCall) -> bool {
    let name = m.method.to_string();
    if is_chain(&m.receiver) {
        return false;
    }
    if SHARED.contains(&name.as_str()) {
        // Numbers have `max` with an argument, lists `repeat` and `split` with a number or a closure.
        return match m.args.first() {
            None => !["repeat", "split"].contains(&name.as_str()),
            Some(arg) => {
                name == "repeat" && matches!(syntax::peel(arg), syn::Expr::Reference(_))
                    || name == "split" && m.args.len() == 2
            }
        };
    }
    rules::by_method(&name).is_some()
}

/// Whether a method is one of masks, which choose between what has derivatives.
pub(crate) fn chooses(name: &str) -> bool {
    features().tensor && plain(name) == "where_cond"
}

/// Whether a method says what a tensor looks like.
pub(crate) fn looks(name: &str) -> bool {
    LOOKS.contains(&name)
}
