//! Which functions are about tensors, and which methods of tensors are named like those of numbers and iterators.
//!
//! The macro sees no types. In a function about tensors a value whose type it does not know may be a tensor wherever it may be a number:
//! so elementary functions of such values are calls of hidden forms, which tensors have and numbers as well.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use self::Gives::{Look, Number, Tensor, Unsaid};
use self::Whose::{Anybody, Lists, Tensors};
use self::Work::{ByRow, Other, Product};
use crate::features::features;
use crate::forms;
use crate::function::GradFn;
use crate::iterators::is_chain;
use crate::rules;
use crate::syntax;
use crate::types::TENSOR;
use crate::visit::{self, Visit};

/// What a method of tensors gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// Another tensor of the same numbers.
    Tensor,
    Number,
    /// What a tensor looks like, and where its entries are.
    Look,
    /// What its name does not say.
    Unsaid,
}

/// Who else has a method of the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Nobody, as good as certainly.
    Tensors,
    /// Iterators and lists, with other arguments or on something else.
    Lists,
    Anybody,
}

/// How much a method does for each entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// It takes an operand row by row, in less time than a product of matrices by far.
    ByRow,
    /// As much as the other operand is wide.
    Product,
    Other,
}

/// Methods of tensors, as far as their names say anything; elementary functions have a row of the rules.
const METHODS: &[(&str, Gives, Whose, Work)] = &[
    ("argmax", Look, Anybody, Other),
    ("argmax_axis", Look, Anybody, Other),
    ("argmin", Look, Anybody, Other),
    ("argmin_axis", Look, Anybody, Other),
    ("argsort", Look, Anybody, Other),
    ("argsort_descending", Look, Anybody, Other),
    ("bce_with_logits", Number, Anybody, Other),
    ("broadcast_to", Tensor, Tensors, Other),
    ("causal_attention", Tensor, Tensors, Other),
    ("conv1d", Unsaid, Anybody, Product),
    ("conv2d", Unsaid, Anybody, Product),
    ("cross_entropy", Number, Tensors, Other),
    ("cumsum", Tensor, Tensors, Other),
    ("dot", Number, Anybody, Other),
    ("embedding", Unsaid, Tensors, Other),
    ("flatten", Unsaid, Lists, Other),
    ("gather", Unsaid, Tensors, Other),
    ("huber", Number, Anybody, Other),
    ("index_select", Tensor, Tensors, Other),
    ("item", Number, Anybody, Other),
    ("kl_div", Number, Anybody, Other),
    ("l1_loss", Number, Anybody, Other),
    ("layernorm", Tensor, Tensors, ByRow),
    ("log_softmax", Tensor, Tensors, ByRow),
    ("logsumexp", Number, Anybody, Other),
    ("logsumexp_axis", Unsaid, Tensors, Other),
    ("map", Tensor, Anybody, Other),
    ("masked_fill", Tensor, Tensors, Other),
    ("matmul", Tensor, Tensors, Product),
    ("max", Number, Lists, Other),
    ("max_axis", Unsaid, Tensors, Other),
    ("mean", Number, Tensors, Other),
    ("mean_axis", Tensor, Tensors, Other),
    ("mean_axis_keep", Tensor, Tensors, Other),
    ("median", Number, Anybody, Other),
    ("min", Number, Lists, Other),
    ("mse", Number, Tensors, Other),
    ("nll_loss", Number, Anybody, Other),
    ("norm", Number, Anybody, Other),
    ("norm_axis", Tensor, Tensors, Other),
    ("permute", Tensor, Tensors, Other),
    ("prod", Number, Anybody, Other),
    ("quantile", Number, Anybody, Other),
    ("rank", Look, Anybody, Other),
    ("repeat", Unsaid, Lists, Other),
    ("reshape", Tensor, Tensors, Other),
    ("rmsnorm", Tensor, Tensors, ByRow),
    ("scatter_add", Unsaid, Tensors, Other),
    ("shape", Look, Anybody, Other),
    ("slice", Tensor, Anybody, Other),
    ("smooth_l1", Number, Anybody, Other),
    ("softmax", Tensor, Tensors, ByRow),
    ("split", Unsaid, Lists, Other),
    ("sum", Number, Lists, Other),
    ("sum_axis", Tensor, Tensors, Other),
    ("sum_axis_keep", Tensor, Tensors, Other),
    ("trace", Number, Anybody, Other),
    ("transpose", Tensor, Anybody, Other),
    ("unsqueeze", Tensor, Tensors, Other),
    ("var", Number, Anybody, Other),
    ("var_axis", Tensor, Tensors, Other),
    ("where_cond", Unsaid, Tensors, Other),
];

/// The row of a method.
fn row(name: &str) -> Option<(Gives, Whose, Work)> {
    let row = METHODS.iter().find(|(known, ..)| *known == name)?;
    Some((row.1, row.2, row.3))
}

fn gives(name: &str, what: Gives) -> bool {
    row(name).is_some_and(|(gives, ..)| gives == what)
}

fn is_of(name: &str, whom: Whose) -> bool {
    row(name).is_some_and(|(_, whose, _)| whose == whom)
}

fn does(name: &str, what: Work) -> bool {
    row(name).is_some_and(|(.., work)| work == what)
}

/// Whether a method of a tensor takes it row by row.
pub(crate) fn goes_row_by_row(name: &str) -> bool {
    does(name, ByRow)
}

/// Whether a method of a tensor is a product.
pub(crate) fn is_product(name: &str) -> bool {
    does(name, Product)
}

/// Whether a method gives a number, of tensors as of lists.
pub(crate) fn gives_number(name: &str) -> bool {
    gives(name, Number)
}

/// Whether a method of a tensor with so many operands gives another of the same numbers, as functions of numbers do; `x.max()` is a number.
pub(crate) fn keeps_type(name: &str, operands: usize) -> bool {
    let name = plain(name);
    let entry_by_entry = |row| rules::rule(row).args.len() == operands;
    gives(name, Tensor) || rules::by_name(name).is_some_and(entry_by_entry)
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
    sure(name).is_some_and(|name| is_of(name, Tensors) || gives(name, Tensor))
}

/// Whether a function is about tensors: their type is named, or something only they have is called.
pub(crate) fn concerns(function: &GradFn, body: &syn::Block) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let name = m.method.to_string();
            self.0 |= is_of(&name, Tensors) || name == "sum" && computed(&m.receiver);
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
    if is_of(&name, Lists) {
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
    gives(name, Look)
}
