//! Syntax made of parts that were parsed already; nothing here can fail.

use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::{Block, Expr, Pat, Stmt, Token};

/// `e;`
pub(super) fn semi(e: Expr) -> Stmt {
    Stmt::Expr(e, Some(<Token![;]>::default()))
}

/// `let pat = e;`
pub(super) fn local(pat: Pat, e: Expr) -> Stmt {
    Stmt::Local(syn::Local {
        attrs: Vec::new(),
        let_token: <Token![let]>::default(),
        modifiers: syn::LocalModifiers::default(),
        pat,
        init: Some(syn::LocalInit {
            eq_token: <Token![=]>::default(),
            expr: Box::new(e),
            diverge: None,
        }),
        semi_token: <Token![;]>::default(),
    })
}

/// `let name = e;`
pub(super) fn variable(name: &Ident, e: Expr) -> Stmt {
    local(ident(name, false), e)
}

/// `let mut name: ty = e;`
pub(super) fn mutable(name: &Ident, ty: Option<&syn::Type>, e: Expr) -> Stmt {
    let pat = ident(name, true);
    local(
        match ty {
            Some(ty) => typed(pat, ty),
            None => pat,
        },
        e,
    )
}

pub(super) fn typed(pat: Pat, ty: &syn::Type) -> Pat {
    Pat::Type(syn::PatType {
        attrs: Vec::new(),
        pat: Box::new(pat),
        colon_token: <Token![:]>::default(),
        ty: Box::new(ty.clone()),
    })
}

pub(super) fn ident(name: &Ident, mutable: bool) -> Pat {
    Pat::Ident(syn::PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: mutable.then(<Token![mut]>::default),
        ident: name.clone(),
        subpat: None,
    })
}

/// `_`
pub(super) fn wild() -> Pat {
    Pat::Wild(syn::PatWild {
        attrs: Vec::new(),
        underscore_token: <Token![_]>::default(),
    })
}

pub(super) fn tuple_pat(parts: impl IntoIterator<Item = Pat>) -> Pat {
    Pat::Tuple(syn::PatTuple {
        attrs: Vec::new(),
        paren_token: syn::token::Paren::default(),
        elems: parts.into_iter().collect(),
    })
}

pub(super) fn path(name: &Ident) -> Expr {
    Expr::Path(syn::ExprPath {
        attrs: Vec::new(),
        qself: None,
        path: name.clone().into(),
    })
}

pub(super) fn tuple(parts: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Tuple(syn::ExprTuple {
        attrs: Vec::new(),
        paren_token: syn::token::Paren::default(),
        elems: parts.into_iter().collect(),
    })
}

pub(super) fn unit() -> Expr {
    tuple([])
}

pub(super) fn paren(e: Expr) -> Expr {
    match e {
        e @ (Expr::Path(_) | Expr::Lit(_) | Expr::Paren(_) | Expr::Tuple(_)) => e,
        e => Expr::Paren(syn::ExprParen {
            attrs: Vec::new(),
            paren_token: syn::token::Paren::default(),
            expr: Box::new(e),
        }),
    }
}

/// `&e`
pub(super) fn reference(e: Expr, mutable: bool) -> Expr {
    Expr::Reference(syn::ExprReference {
        attrs: Vec::new(),
        and_token: <Token![&]>::default(),
        mutability: mutable.then(<Token![mut]>::default),
        expr: Box::new(paren(e)),
    })
}

/// `*e`
pub(super) fn deref(e: Expr) -> Expr {
    unary(syn::UnOp::Deref(<Token![*]>::default()), e)
}

/// `!e`
pub(super) fn not(e: Expr) -> Expr {
    unary(syn::UnOp::Not(<Token![!]>::default()), e)
}

pub(super) fn unary(op: syn::UnOp, e: Expr) -> Expr {
    Expr::Unary(syn::ExprUnary {
        attrs: Vec::new(),
        op,
        expr: Box::new(paren(e)),
    })
}

pub(super) fn binary(left: Expr, op: syn::BinOp, right: Expr) -> Expr {
    Expr::Binary(syn::ExprBinary {
        attrs: Vec::new(),
        left: Box::new(paren(left)),
        op,
        right: Box::new(paren(right)),
    })
}

/// `left = right;`
pub(super) fn assign(left: Expr, right: Expr) -> Stmt {
    semi(Expr::Assign(syn::ExprAssign {
        attrs: Vec::new(),
        left: Box::new(left),
        eq_token: <Token![=]>::default(),
        right: Box::new(right),
    }))
}

/// `receiver.name(args)`
pub(super) fn method(receiver: Expr, name: Ident, args: Vec<Expr>) -> Expr {
    Expr::MethodCall(syn::ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(paren(receiver)),
        dot_token: <Token![.]>::default(),
        method: name,
        turbofish: None,
        paren_token: syn::token::Paren::default(),
        args: args.into_iter().collect(),
    })
}

/// `func(args)`
pub(super) fn call(func: Expr, args: Vec<Expr>) -> Expr {
    Expr::Call(syn::ExprCall {
        attrs: Vec::new(),
        func: Box::new(func),
        paren_token: syn::token::Paren::default(),
        args: args.into_iter().collect(),
    })
}

pub(super) fn index(e: Expr, at: Expr) -> Expr {
    Expr::Index(syn::ExprIndex {
        attrs: Vec::new(),
        expr: Box::new(paren(e)),
        bracket_token: syn::token::Bracket::default(),
        index: Box::new(at),
    })
}

pub(super) fn array(elems: Vec<Expr>) -> Expr {
    Expr::Array(syn::ExprArray {
        attrs: Vec::new(),
        bracket_token: syn::token::Bracket::default(),
        elems: elems.into_iter().collect::<Punctuated<_, _>>(),
    })
}

pub(super) fn range(lo: Option<Expr>, hi: Option<Expr>) -> Expr {
    Expr::Range(syn::ExprRange {
        attrs: Vec::new(),
        start: lo.map(|e| Box::new(paren(e))),
        limits: syn::RangeLimits::HalfOpen(<Token![..]>::default()),
        end: hi.map(|e| Box::new(paren(e))),
    })
}

pub(super) fn braces(stmts: Vec<Stmt>) -> Block {
    Block {
        brace_token: syn::token::Brace::default(),
        stmts,
    }
}

fn label(name: &syn::Lifetime) -> syn::Label {
    syn::Label {
        name: name.clone(),
        colon_token: <Token![:]>::default(),
    }
}

/// `'label: { … }`
pub(super) fn labelled(name: Option<&syn::Lifetime>, block: Block) -> Expr {
    Expr::Block(syn::ExprBlock {
        attrs: Vec::new(),
        label: name.map(label),
        block,
    })
}

/// `{ statements; value }`
pub(super) fn block(mut stmts: Vec<Stmt>, value: Option<Expr>) -> Expr {
    let value = value.filter(|e| !is_unit(e));
    match (stmts.is_empty(), value) {
        (true, Some(value)) => paren(value),
        (_, value) => {
            stmts.extend(value.map(|e| Stmt::Expr(e, None)));
            labelled(None, braces(stmts))
        }
    }
}

pub(super) fn is_unit(e: &Expr) -> bool {
    matches!(e, Expr::Tuple(t) if t.elems.is_empty())
}

/// `if cond { then } else { other }`
pub(super) fn condition(cond: Expr, then: Vec<Stmt>, other: Option<Vec<Stmt>>) -> Stmt {
    Stmt::Expr(
        Expr::If(syn::ExprIf {
            attrs: Vec::new(),
            if_token: <Token![if]>::default(),
            cond: Box::new(cond),
            then_branch: braces(then),
            else_branch: other.map(|other| {
                (
                    <Token![else]>::default(),
                    Box::new(labelled(None, braces(other))),
                )
            }),
        }),
        None,
    )
}

/// `if let pat = e { then } else { other }`
pub(super) fn condition_let(pat: Pat, e: Expr, then: Vec<Stmt>, other: Option<Vec<Stmt>>) -> Stmt {
    let cond = Expr::Let(syn::ExprLet {
        attrs: Vec::new(),
        let_token: <Token![let]>::default(),
        pat: Box::new(pat),
        eq_token: <Token![=]>::default(),
        expr: Box::new(e),
    });
    condition(cond, then, other)
}

/// `'label: for pat in head { body }`
pub(super) fn for_loop(
    name: Option<&syn::Lifetime>,
    pat: Pat,
    head: Expr,
    body: Vec<Stmt>,
) -> Expr {
    Expr::ForLoop(syn::ExprForLoop {
        attrs: Vec::new(),
        label: name.map(label),
        for_token: <Token![for]>::default(),
        pat: Box::new(pat),
        in_token: <Token![in]>::default(),
        expr: Box::new(head),
        body: braces(body),
    })
}

/// `break 'label value`
pub(super) fn leave(name: &syn::Lifetime, value: Option<Expr>, span: Span) -> Expr {
    Expr::Break(syn::ExprBreak {
        attrs: Vec::new(),
        break_token: syn::token::Break { span },
        label: Some(name.clone()),
        expr: value.map(Box::new),
    })
}
