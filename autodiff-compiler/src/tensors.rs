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
use crate::std_methods::{STANDARD, decides_by_name};
use crate::syntax;
use crate::types::TENSOR;
use crate::visit::{self, Enter as _, Visit};

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

/// Methods of tensors that have derivatives, and what looks at tensors; elementary functions have a row of the rules.
const METHODS: &[(&str, Gives, Whose, Work)] = &[
    ("allclose", Unsaid, Anybody, Other),
    ("argmax", Look, Anybody, Other),
    ("argmax_axis", Look, Anybody, Other),
    ("argmin", Look, Anybody, Other),
    ("argmin_axis", Look, Anybody, Other),
    ("argsort", Look, Anybody, Other),
    ("argsort_descending", Look, Anybody, Other),
    ("attention", Tensor, Anybody, Other),
    ("avg_pool1d", Tensor, Anybody, Other),
    ("avg_pool2d", Tensor, Anybody, Other),
    ("batchnorm_train", Tensor, Anybody, Other),
    ("bce_with_logits", Number, Anybody, Other),
    ("broadcast_to", Tensor, Tensors, Other),
    ("cast", Unsaid, Anybody, Other),
    ("causal_attention", Tensor, Tensors, Other),
    ("cholesky", Tensor, Anybody, Other),
    ("chunk", Unsaid, Anybody, Other),
    ("contract", Tensor, Anybody, Other),
    ("contract_self", Tensor, Anybody, Other),
    ("conv1d", Tensor, Anybody, Product),
    ("conv2d", Tensor, Anybody, Product),
    ("cosine_similarity", Tensor, Anybody, Other),
    ("cross_entropy", Number, Tensors, Other),
    ("cumprod", Tensor, Anybody, Other),
    ("cumsum", Tensor, Tensors, Other),
    ("det", Tensor, Anybody, Other),
    ("diag", Tensor, Anybody, Other),
    ("diagonal", Tensor, Anybody, Other),
    ("diff", Tensor, Anybody, Other),
    ("dot", Number, Anybody, Other),
    ("dropout_mask", Tensor, Anybody, Other),
    ("eigh", Unsaid, Anybody, Other),
    ("eigvalsh", Tensor, Anybody, Other),
    ("eigvecsh", Tensor, Anybody, Other),
    ("elu", Tensor, Anybody, Other),
    ("embedding", Tensor, Tensors, Other),
    ("flatten", Tensor, Lists, Other),
    ("flip", Tensor, Anybody, Other),
    ("gather", Tensor, Tensors, Other),
    ("huber", Number, Anybody, Other),
    ("index_add", Tensor, Anybody, Other),
    ("index_select", Tensor, Tensors, Other),
    ("inv", Tensor, Anybody, Other),
    ("item", Number, Anybody, Other),
    ("kl_div", Number, Anybody, Other),
    ("l1_loss", Number, Anybody, Other),
    ("layernorm", Tensor, Tensors, ByRow),
    ("leaky_relu", Tensor, Anybody, Other),
    ("lerp", Tensor, Anybody, Other),
    ("log_sigmoid", Tensor, Anybody, Other),
    ("log_softmax", Tensor, Tensors, ByRow),
    ("logdet", Tensor, Anybody, Other),
    ("logsumexp", Number, Anybody, Other),
    ("logsumexp_axis", Tensor, Tensors, Other),
    ("logsumexp_axis_keep", Tensor, Anybody, Other),
    ("map", Tensor, Anybody, Other),
    ("masked_fill", Tensor, Tensors, Other),
    ("matmul", Tensor, Tensors, Product),
    ("max", Number, Lists, Other),
    ("max_axis", Tensor, Tensors, Other),
    ("max_axis_keep", Tensor, Anybody, Other),
    ("max_pool1d", Tensor, Anybody, Other),
    ("max_pool2d", Tensor, Anybody, Other),
    ("mean", Number, Tensors, Other),
    ("mean_axis", Tensor, Tensors, Other),
    ("mean_axis_keep", Tensor, Tensors, Other),
    ("median", Number, Anybody, Other),
    ("median_axis", Tensor, Anybody, Other),
    ("min", Number, Lists, Other),
    ("min_axis", Tensor, Anybody, Other),
    ("min_axis_keep", Tensor, Anybody, Other),
    ("mse", Number, Tensors, Other),
    ("narrow", Tensor, Anybody, Other),
    ("nll_loss", Number, Anybody, Other),
    ("norm", Number, Anybody, Other),
    ("norm_axis", Tensor, Tensors, Other),
    ("norm_axis_keep", Tensor, Anybody, Other),
    ("norm_p", Number, Anybody, Other),
    ("norm_p_axis", Tensor, Anybody, Other),
    ("norm_p_axis_keep", Tensor, Anybody, Other),
    ("outer", Tensor, Anybody, Other),
    ("pad", Tensor, Anybody, Other),
    ("permute", Tensor, Tensors, Other),
    ("prod", Number, Anybody, Other),
    ("prod_axis", Tensor, Anybody, Other),
    ("prod_axis_keep", Tensor, Anybody, Other),
    ("qr", Unsaid, Anybody, Other),
    ("qr_q", Tensor, Anybody, Other),
    ("qr_r", Tensor, Anybody, Other),
    ("quantile", Number, Anybody, Other),
    ("quantile_axis", Tensor, Anybody, Other),
    ("rank", Look, Anybody, Other),
    ("repeat", Tensor, Lists, Other),
    ("reshape", Tensor, Tensors, Other),
    ("rmsnorm", Tensor, Tensors, ByRow),
    ("roll", Tensor, Anybody, Other),
    ("rsqrt", Tensor, Anybody, Other),
    ("scatter_add", Tensor, Tensors, Other),
    ("select", Tensor, Anybody, Other),
    ("shape", Look, Anybody, Other),
    ("sign", Tensor, Anybody, Other),
    ("slice", Tensor, Anybody, Other),
    ("smooth_l1", Number, Anybody, Other),
    ("softmax", Tensor, Tensors, ByRow),
    ("solve", Tensor, Anybody, Other),
    ("sorted", Tensor, Anybody, Other),
    ("sorted_descending", Tensor, Anybody, Other),
    ("split", Unsaid, Lists, Other),
    ("square", Tensor, Anybody, Other),
    ("squared_difference", Tensor, Anybody, Other),
    ("squeeze", Tensor, Anybody, Other),
    ("squeeze_all", Tensor, Anybody, Other),
    ("std", Number, Anybody, Other),
    ("std_axis", Tensor, Anybody, Other),
    ("std_axis_keep", Tensor, Anybody, Other),
    ("sum", Number, Lists, Other),
    ("sum_axis", Tensor, Tensors, Other),
    ("sum_axis_keep", Tensor, Tensors, Other),
    ("svd", Unsaid, Anybody, Other),
    ("svd_u", Tensor, Anybody, Other),
    ("svd_v", Tensor, Anybody, Other),
    ("svdvals", Tensor, Anybody, Other),
    ("t", Tensor, Anybody, Other),
    ("tile", Tensor, Anybody, Other),
    ("trace", Number, Anybody, Other),
    ("transpose", Tensor, Anybody, Other),
    ("triangular_solve", Tensor, Anybody, Other),
    ("triangular_solve_with", Tensor, Anybody, Other),
    ("tril", Tensor, Anybody, Other),
    ("triu", Tensor, Anybody, Other),
    ("unsqueeze", Tensor, Tensors, Other),
    ("var", Number, Anybody, Other),
    ("var_axis", Tensor, Tensors, Other),
    ("var_axis_keep", Tensor, Anybody, Other),
    ("where_cond", Unsaid, Tensors, Other),
];

/// Functions of one number that tensors have as methods, whose values in kernels are those of the methods, bit for bit.
pub(crate) const ENTRYWISE: &[&str] = &[
    "abs",
    "cos",
    "erf",
    "erfc",
    "exp",
    "exp_m1",
    "gelu",
    "gelu_tanh",
    "ln",
    "ln_1p",
    "recip",
    "relu",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
];

/// Functions of the type that have derivatives, or are given no shape.
const FUNCTIONS: &[&str] = &[
    "arange", "concat", "einsum", "from", "from_fn", "from_vec", "full", "linspace", "meshgrid",
    "scalar", "stack",
];

/// What others call a function of tensors, or what has no derivatives here; and what to write.
const OTHERWISE: &[(&str, &str)] = &[
    ("absolute", "`abs`"),
    ("addmm", "`matmul` and `+`"),
    ("amax", "`max_axis`"),
    ("amin", "`min_axis`"),
    ("as_slice", "`iter`"),
    ("bmm", "`matmul`"),
    ("cat", "`Tensor::concat`"),
    ("clip", "`clamp`"),
    ("concatenate", "`Tensor::concat`"),
    ("cross_entropy_loss", "`cross_entropy`"),
    ("div", "`/`"),
    ("expand", "`broadcast_to`"),
    ("expand_dims", "`unsqueeze`"),
    ("expm1", "`exp_m1`"),
    (
        "eye",
        "the length as an integer, which is a constant, `n as usize`",
    ),
    ("fill", "`Tensor::full`"),
    ("hstack", "`Tensor::concat`"),
    ("layer_norm", "`layernorm`"),
    ("log", "`ln`"),
    ("log1p", "`ln_1p`"),
    ("mm", "`matmul`"),
    ("mse_loss", "`mse`"),
    ("new", "`Tensor::from_vec`"),
    (
        "ones",
        "lengths as integers, which are constants, `n as usize`",
    ),
    ("permute_axes", "`permute`"),
    ("pow", "`powf` or `powi`"),
    ("rand", "`Tensor::randn`"),
    (
        "randn",
        "lengths as integers, which are constants, `n as usize`",
    ),
    ("ravel", "`flatten`"),
    ("relu6", "`clamp`"),
    ("rms_norm", "`rmsnorm`"),
    ("sort", "`sorted`, or `argsort` and `gather`"),
    ("swapaxes", "`transpose`"),
    ("take", "`index_select`"),
    (
        "topk",
        "`sorted_descending` and `narrow`, or `argsort_descending` and `gather`",
    ),
    ("view", "`reshape`"),
    ("vstack", "`Tensor::concat`"),
    ("where_self", "`where_cond` of a mask"),
    (
        "zeros",
        "lengths as integers, which are constants, `n as usize`",
    ),
    ("zeros_like", "`Tensor::zeros`"),
];

/// Whether a function of tensors has derivatives.
pub(crate) fn is_function(name: &str) -> bool {
    features().tensor && FUNCTIONS.contains(&plain(name))
}

/// Why a method of a tensor has no derivatives, with what to write in place of it; nothing if it has some, or is not one of tensors alone.
pub(crate) fn refusal(name: &str) -> Option<String> {
    let name = plain(name);
    let known = row(name).is_some() || rules::by_name(name).is_some();
    let methods = METHODS.iter().map(|(method, ..)| *method);
    let names = methods
        .chain(rules::methods())
        .chain(ENTRYWISE.iter().copied());
    refused("method", name, known, names)
}

/// The same of a function of the type.
pub(crate) fn refusal_of_function(name: &str) -> Option<String> {
    let name = plain(name);
    let known = row(name).is_some() || rules::by_name(name).is_some() || FUNCTIONS.contains(&name);
    refused("function", name, known, FUNCTIONS.iter().copied())
}

fn refused<'a>(
    what: &str,
    name: &str,
    known: bool,
    names: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let otherwise = OTHERWISE.iter().find(|(other, _)| *other == name);
    let standard = || decides_by_name(name) || STANDARD.contains(&name);
    if known || name.starts_with("__") || otherwise.is_none() && standard() {
        return None;
    }
    let far = |other: &'a str| {
        let more = name.len().abs_diff(other.len());
        (changes(name, other), more, other)
    };
    let nearest = names.map(far).min();
    let advice = match (otherwise, nearest) {
        (Some((_, advice)), _) => format!("write {advice}"),
        (None, Some((few, _, near))) if 3 * few <= name.len() => format!("write `{near}`"),
        _ => "write a #[grad] function with those that the documentation of `Tensor` lists, or `autodiff::stop_gradient(…)` around a call that is a constant".to_owned(),
    };
    Some(format!(
        "no {what} `{name}` of tensors has derivatives; {advice}"
    ))
}

/// How many letters have to change to make one word of another; in another order they are one change.
fn changes(from: &str, to: &str) -> usize {
    let sorted = |word: &str| {
        let mut letters: Vec<u8> = word.bytes().collect();
        letters.sort_unstable();
        letters
    };
    if from != to && sorted(from) == sorted(to) {
        return 1;
    }
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (k, letter) in from.bytes().enumerate() {
        let (mut corner, mut left) = (k, k + 1);
        row[0] = left;
        for (above, other) in row[1..].iter_mut().zip(to.bytes()) {
            left = (left + 1)
                .min(*above + 1)
                .min(corner + usize::from(letter != other));
            corner = std::mem::replace(above, left);
        }
    }
    row[to.len()]
}

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

/// Whether a method that only tensors have gives something new.
pub(crate) fn makes(name: &str) -> bool {
    is_of(name, Tensors) || ENTRYWISE.contains(&name)
}

/// Whether tensors have a method.
pub(crate) fn has(name: &str) -> bool {
    row(plain(name)).is_some() || rules::by_name(plain(name)).is_some()
}

/// Whether a method is given a list of lengths or of axes, and nothing else.
pub(crate) fn takes_lengths(name: &str) -> bool {
    ["broadcast_to", "permute", "reshape"].contains(&plain(name))
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
