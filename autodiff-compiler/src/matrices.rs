//! Which functions may be about matrices, arrays and complex numbers of other crates, whose methods have their hidden forms in traits.
//!
//! The macro sees no types. A function about numbers, lists and tuples of them alone has no need of these traits, and does not import them.

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::complex;
use crate::features::features;
use crate::function::{By, GradFn};
use crate::ir::{Call, Part};
use crate::iterators;
use crate::macros;
use crate::own_names;
use crate::rules;
use crate::std_methods;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Types, variants and traits of the standard library that say nothing of what the function is about.
const STANDARD: &[&str] = &[
    "Box", "Copy", "Clone", "Default", "Err", "Fn", "FnMut", "FnOnce", "Into", "Iterator", "None",
    "Ok", "Option", "Result", "Self", "Some", "String", "Vec", "Float", "Sized", "From", "Debug",
];

/// Whether a function may be about them: a type that is not one of the standard library is named, or a method that this has not is called.
pub(crate) fn may_concern(function: &GradFn) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let name = m.method.to_string();
            self.0 |= rules::by_method(&name).is_none() && !std_methods::is_standard(&name);
            visit::visit_expr_method_call(self, m);
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0 |= macros::open(mac).is_some();
        }
        // By two numbers.
        fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
            self.0 |= matches!(*e.index, syn::Expr::Tuple(_));
            visit::visit_expr_index(self, e);
        }
    }
    if !features().matrices() && !features().num_complex {
        return false;
    }
    let (written, body) = (&function.written, &function.body);
    let parameters = written.sig.generics.params.iter().map(|p| match p {
        syn::GenericParam::Type(t) => t.ident.to_string(),
        syn::GenericParam::Const(c) => c.ident.to_string(),
        syn::GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
    });
    let parameters: Vec<String> = parameters.collect();
    // A receiver is of any type.
    let mut find = Find(
        function.method.is_some()
            || names_a_type(written.sig.to_token_stream(), &parameters, Where::Signature)
            || names_a_type(body.to_token_stream(), &parameters, Where::Body),
    );
    find.visit_block(body);
    find.0
}

/// The tuple that the elements of an array are mapped to.
pub(crate) fn mapped_to_tuples(m: &syn::ExprMethodCall) -> Option<&syn::Expr> {
    if !features().ndarray || m.method != "mapv" {
        return None;
    }
    let Some(syn::Expr::Closure(closure)) = m.args.first() else {
        return None;
    };
    yielded_tuple(&closure.body)
}

/// The tuple that an expression ends in.
fn yielded_tuple(e: &syn::Expr) -> Option<&syn::Expr> {
    match e {
        syn::Expr::Tuple(t) if !t.elems.is_empty() => Some(e),
        syn::Expr::Paren(e) => yielded_tuple(&e.expr),
        syn::Expr::Block(b) => match b.block.stmts.last() {
            Some(syn::Stmt::Expr(e, None)) => yielded_tuple(e),
            _ => None,
        },
        _ => None,
    }
}

/// Writes the numbers of rows and columns that a shape is taken apart into as what says them alone: numbers are followed as constants where pairs of them would not be; methods that take their receiver as those that only borrow it; and what runs over parts of an array as what runs over a list.
pub(crate) fn take_shapes_apart(body: &mut syn::Block) {
    struct Apart;
    impl VisitMut for Apart {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_local_mut(&mut self, local: &mut syn::Local) {
            if let (syn::Pat::Tuple(pair), Some(init)) = (&local.pat, &mut local.init) {
                if let (2, Some([rows, columns])) = (pair.elems.len(), sizes(&init.expr)) {
                    *init.expr = syn::parse_quote!((#rows, #columns));
                }
            }
            visit_mut::visit_local_mut(self, local);
        }
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            if let syn::Expr::Field(field) = &*e {
                let part = match &field.member {
                    syn::Member::Unnamed(k) => Some(k.index as usize),
                    syn::Member::Named(_) => None,
                };
                let sizes = part.filter(|k| *k < 2).zip(sizes(&field.base));
                if let Some((k, sizes)) = sizes {
                    *e = sizes[k].clone();
                }
            }
            if features().ndarray && are_lengths(e) {
                let span = e.span();
                *e = syn::parse_quote_spanned!(span=> rt::decided(#e));
                return;
            }
            visit_mut::visit_expr_mut(self, e);
            if let Some(made) = array_of_slice(e) {
                *e = made;
            }
            if let syn::Expr::Try(tried) = e {
                if let Some(made) = tried_list(&tried.expr) {
                    *e = made;
                }
            }
            if let syn::Expr::Call(call) = e {
                collect_entries(call);
                decide_lengths(call);
                if let Some(made) = scaled_ones(call).or_else(|| spaced(call)) {
                    *e = made;
                }
            }
            if let syn::Expr::MethodCall(m) = e {
                if features().ndarray {
                    whole_line(m);
                }
                // What it gives is the same, and derivatives take nothing apart.
                let consuming = m.method == "mapv_into" || m.method == "mapv_into_any";
                if features().ndarray && consuming && m.args.len() == 1 {
                    m.method = Ident::new("mapv", m.method.span());
                }
                // It fails where the shape does not fit, and so does the row.
                if features().ndarray && matches!(&*m.method.to_string(), "unwrap" | "expect") {
                    if let Some(made) = shaped_list(&m.receiver) {
                        *e = made;
                        return;
                    }
                    if let syn::Expr::MethodCall(inner) = &*m.receiver {
                        let name = inner.method.to_string();
                        let reshapes = ["into_shape_with_order", "into_shape_clone", "to_shape"];
                        if reshapes.contains(&&*name) && inner.args.len() == 1 {
                            let (of, shape) = (&inner.receiver, &inner.args[0]);
                            let name = Ident::new("reshaped", inner.method.span());
                            *e = syn::parse_quote!(#of.#name(#shape));
                            return;
                        }
                    }
                }
                // Of what is zipped one may be a constant, which has no index: a list of them has.
                if m.method == "zip" && m.args.len() == 1 {
                    for parts in [&mut *m.receiver, &mut m.args[0]] {
                        if runs_over_parts(parts) {
                            *parts = syn::parse_quote!(#parts.into_iter().collect::<Vec<_>>().into_iter());
                        }
                    }
                }
                // The parts are a list in derivatives.
                if iterators::ADAPTORS.iter().any(|name| m.method == name)
                    && runs_over_parts(&m.receiver)
                {
                    let parts = &m.receiver;
                    *m.receiver = syn::parse_quote!(#parts.into_iter());
                }
            }
        }
    }
    if features().matrices() {
        Apart.visit_block_mut(body);
    }
}

/// An array of the numbers of a slice, `arr1(&[x, y])`, by a constructor; so is a view of one, which derivatives have as what it shows.
fn array_of_slice(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let (syn::Expr::Path(path), 1) = (&*call.func, call.args.len()) else {
        return None;
    };
    let mut names = path.path.segments.iter().rev().map(|s| s.ident.to_string());
    let (name, of) = (names.next()?, names.next());
    let made = matches!(
        (name.as_str(), of.as_deref()),
        ("arr1" | "aview1", None | Some("ndarray")) | ("from", Some("ArrayView1" | "ArrayView"))
    );
    if !features().ndarray || !made {
        return None;
    }
    let slice = &call.args[0];
    let from = Ident::new("from_vec", e.span());
    Some(syn::parse_quote!(rt::linalg::ndarray::Array1::<_>::#from((#slice).to_vec())))
}

/// `Array2::from_shape_vec(shape, list)`, as a list in that shape.
fn shaped_list(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let name = &path.path.segments.last()?.ident;
    if !features().ndarray
        || name != "from_shape_vec"
        || path.path.segments.len() < 2
        || call.args.len() != 2
    {
        return None;
    }
    let (shape, list) = (&call.args[0], &call.args[1]);
    let (from, reshaped) = (
        Ident::new("from_vec", name.span()),
        Ident::new("reshaped", name.span()),
    );
    Some(syn::parse_quote!(rt::linalg::ndarray::Array1::<_>::#from(#list).#reshaped(#shape)))
}

/// The same behind `?`, with methods of its result: whether it fails its length says, and that without the numbers.
fn tried_list(e: &syn::Expr) -> Option<syn::Expr> {
    let mut tried = e.clone();
    let mut called = &mut tried;
    while let syn::Expr::MethodCall(m) = called {
        called = &mut m.receiver;
    }
    let made = shaped_list(called)?;
    let syn::Expr::Call(call) = called else {
        return None;
    };
    if let syn::Expr::Path(path) = &mut *call.func {
        for segment in &mut path.path.segments {
            segment.arguments = syn::PathArguments::None;
        }
    }
    let list = std::mem::replace(
        &mut call.args[1],
        syn::parse_quote!(::std::vec![0_u8; __length]),
    );
    let made = match made {
        syn::Expr::MethodCall(mut m) => {
            *m.receiver = syn::parse_quote!(rt::linalg::ndarray::Array1::<_>::from_vec(__list));
            m
        }
        _ => return None,
    };
    Some(syn::parse_quote!({
        let __list = #list;
        let __length = __list.len();
        let _ = #tried?;
        #made
    }))
}

/// `a.outer_iter()` and `a.axis_iter(axis)` of arrays, `m.row_iter()` and `m.column_iter()` of matrices.
fn runs_over_parts(e: &syn::Expr) -> bool {
    let syn::Expr::MethodCall(m) = e else {
        return false;
    };
    let by_array = features().ndarray && matches!(&*m.method.to_string(), "outer_iter");
    let by_matrix =
        features().nalgebra && matches!(&*m.method.to_string(), "row_iter" | "column_iter");
    m.args.is_empty() && (by_array || by_matrix)
        || features().ndarray && m.method == "axis_iter" && m.args.len() == 1
}

/// Writes what is done to a part of a matrix, `m.fixed_view_mut::<3, 3>(0, 3).copy_from(&r)`, as assignments of its elements.
pub(crate) fn write_blocks(body: &mut syn::Block) {
    struct Blocks;
    impl VisitMut for Blocks {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
            visit_mut::visit_stmt_mut(self, stmt);
            let written = match stmt {
                syn::Stmt::Expr(syn::Expr::MethodCall(m), Some(_)) => written(m),
                _ => None,
            };
            if let Some(written) = written {
                *stmt = syn::Stmt::Expr(written, None);
            }
        }
    }
    if features().matrices() {
        Blocks.visit_block_mut(body);
    }
}

/// What is done to a part of a matrix by its elements: with what it is given, which has an element for each where `true`.
const CHANGES: &[(&str, &str, bool)] = &[
    ("assign", "=", true),
    ("copy_from", "=", true),
    ("add_assign", "+=", true),
    ("sub_assign", "-=", true),
    ("component_mul_assign", "*=", true),
    ("component_div_assign", "/=", true),
    ("fill", "=", false),
    ("mul_assign", "*=", false),
    ("scale_mut", "*=", false),
    ("div_assign", "/=", false),
    ("unscale_mut", "/=", false),
];

/// The assignments for a call that changes a part of a matrix, `m.row_mut(i).copy_from(&r)`.
fn written(m: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let (syn::Expr::MethodCall(part), 1) = (&*m.receiver, m.args.len()) else {
        return None;
    };
    let of = &part.receiver;
    let change = CHANGES.iter().find(|(name, ..)| m.method == name);
    let (_, sign, by_elements) = change.filter(|_| is_place(of))?;
    let sign: TokenStream = sign.parse().ok()?;
    if part.method == "row_mut" || part.method == "column_mut" {
        return written_line(m, part, &sign, *by_elements);
    }
    if m.method == "assign" {
        return None;
    }
    let fixed: Vec<&syn::GenericArgument> = part.turbofish.iter().flat_map(|t| &t.args).collect();
    let given: Vec<&syn::Expr> = part.args.iter().collect();
    let name = part.method.to_string();
    let (rows, columns) = (quote!(#of.nrows()), quote!(#of.ncols()));
    // Where it begins, and how large it is.
    let (top, left, rows, columns) = match (&*name, &fixed[..], &given[..]) {
        ("fixed_view_mut", [r, c], [i, j]) => (quote!(#i), quote!(#j), quote!(#r), quote!(#c)),
        ("view_mut", [], [at, size]) => (
            quote!(#at.0),
            quote!(#at.1),
            quote!(#size.0),
            quote!(#size.1),
        ),
        ("fixed_rows_mut", [r], [i]) => (quote!(#i), quote!(0), quote!(#r), columns),
        ("rows_mut", [], [i, r]) => (quote!(#i), quote!(0), quote!(#r), columns),
        ("fixed_columns_mut", [c], [j]) => (quote!(0), quote!(#j), rows, quote!(#c)),
        ("columns_mut", [], [j, c]) => (quote!(0), quote!(#j), rows, quote!(#c)),
        _ => return None,
    };
    let from = copied(m);
    let (check, element) = if *by_elements {
        (
            quote!(assert!(__from.nrows() == __rows && __from.ncols() == __columns);),
            quote!(__from[(__row, __column)]),
        )
    } else {
        (TokenStream::new(), quote!(__from))
    };
    Some(syn::parse_quote_spanned!(m.method.span()=> {
        // In the order in which the call evaluates them.
        let (__top, __left): (usize, usize) = (#top, #left);
        let (__rows, __columns): (usize, usize) = (#rows, #columns);
        let __from = #from;
        #check
        for __column in 0..__columns {
            for __row in 0..__rows {
                #of[(__top + __row, __left + __column)] #sign #element;
            }
        }
    }))
}

/// What is copied into a part of a matrix.
fn copied(m: &syn::ExprMethodCall) -> &syn::Expr {
    match &m.args[0] {
        // What is made there needs a name, and no reference.
        syn::Expr::Reference(r) if !is_place(&r.expr) => &r.expr,
        other => other,
    }
}

/// The assignments for a call that changes a row or a column of a matrix, or of an array of ndarray, `a.row_mut(i).assign(&b)`: what it is given has one index.
fn written_line(
    m: &syn::ExprMethodCall,
    part: &syn::ExprMethodCall,
    sign: &TokenStream,
    by_elements: bool,
) -> Option<syn::Expr> {
    let of = &part.receiver;
    let index = part.args.first().filter(|_| part.args.len() == 1)?;
    let lent = matches!(&m.args[0], syn::Expr::Reference(_));
    let sums = m.method == "add_assign" || m.method == "sub_assign";
    let scales = m.method == "mul_assign" || m.method == "div_assign";
    // To a line of an array a number may be added, and one may be multiplied by its elements: which it is the call does not show.
    if features().ndarray && sums && !lent || scales && lent {
        return None;
    }
    let from = copied(m);
    let (count, place) = match part.method.to_string().as_str() {
        "row_mut" => (quote!(ncols), quote!((__index, __k))),
        "column_mut" => (quote!(nrows), quote!((__k, __index))),
        _ => return None,
    };
    let (check, element) = if by_elements {
        (
            quote!(let __step = rt::decided::<::core::primitive::usize>(#of.__step(__count, __from.len()));),
            quote!(__from[__k * __step]),
        )
    } else {
        (TokenStream::new(), quote!(__from))
    };
    Some(syn::parse_quote_spanned!(m.method.span()=> {
        let __index: usize = #index;
        let __count: usize = #of.#count();
        let __from = #from;
        #check
        for __k in 0..__count {
            #of[#place] #sign #element;
        }
    }))
}

/// The numbers of rows and columns, of `m.shape()` and `a.dim()`.
fn sizes(e: &syn::Expr) -> Option<[syn::Expr; 2]> {
    let syn::Expr::MethodCall(m) = e else {
        return None;
    };
    let shape = (m.method == "shape" || m.method == "dim") && m.args.is_empty();
    let (receiver, span) = (&m.receiver, m.method.span());
    (shape && is_place(receiver)).then(|| {
        ["nrows", "ncols"].map(|name| {
            let name = Ident::new(name, span);
            syn::parse_quote!(#receiver.#name())
        })
    })
}

/// Whether it is lengths of an array, by a method of arrays: `a.shape()[k]`, `a.len_of(axis)`, `a.dim()`.
fn are_lengths(e: &syn::Expr) -> bool {
    let method = |m: &syn::ExprMethodCall, name: &str, count| {
        // The methods of what a method is called on are the user's.
        let own = matches!(&*m.receiver, syn::Expr::Path(p) if p.path.is_ident("self"));
        m.method == name && m.args.len() == count && is_place(&m.receiver) && !own
    };
    match e {
        syn::Expr::Index(i) => {
            matches!(&*i.expr, syn::Expr::MethodCall(m) if method(m, "shape", 0))
        }
        syn::Expr::MethodCall(m) => method(m, "len_of", 1) || method(m, "dim", 0),
        _ => false,
    }
}

/// Writes `DVector::from_iterator(n, chain)` as what is made of a list: a chain is followed where it is collected.
fn collect_entries(call: &mut syn::ExprCall) {
    let syn::Expr::Path(path) = &mut *call.func else {
        return;
    };
    let mut segments = path.path.segments.iter_mut().rev();
    let (Some(name), Some(of)) = (segments.next(), segments.next()) else {
        return;
    };
    let lengths = match of.ident.to_string().as_str() {
        "DMatrix" => 2,
        "DVector" | "RowDVector" => 1,
        _ => return,
    };
    if name.ident != "from_iterator" || call.args.len() != lengths + 1 {
        return;
    }
    name.ident = Ident::new("from_vec", name.ident.span());
    let mut args: Vec<syn::Expr> = std::mem::take(&mut call.args).into_iter().collect();
    if let Some(chain) = args.pop() {
        let span = chain.span();
        let entries: syn::Expr = match args.as_slice() {
            [rows, columns] => syn::parse_quote!((#rows) * (#columns)),
            [n] => syn::parse_quote!(#n),
            _ => return,
        };
        if lengths == 1 {
            args.clear();
        }
        args.push(syn::parse_quote_spanned!(span=> {
            let __count = rt::decided::<::core::primitive::usize>(#entries);
            let __entries = (#chain).take(__count).collect::<::std::vec::Vec<_>>();
            assert!(__entries.len() == __count);
            __entries
        }));
    }
    call.args = args.into_iter().collect();
}

/// Has the lengths that a matrix or an array is made with decided: those that are fields of `self` have types that nobody can see.
fn decide_lengths(call: &mut syn::ExprCall) {
    let syn::Expr::Path(path) = &*call.func else {
        return;
    };
    let mut names = path.path.segments.iter().rev().map(|s| s.ident.to_string());
    let (Some(name), Some(of)) = (names.next(), names.next()) else {
        return;
    };
    if !is_container(&of) {
        return;
    }
    let count = call.args.len();
    let lengths = match name.as_str() {
        "eye" | "identity" | "ones" | "zeros" => 0..count,
        "from_elem" | "from_shape_fn" | "from_shape_vec" => 0..count.min(1),
        "from_element" | "from_fn" | "from_row_slice" | "from_column_slice" | "from_vec" => {
            0..count.saturating_sub(1)
        }
        "linspace" => count.saturating_sub(1)..count,
        _ => return,
    };
    // Of arrays they may be several at once.
    let one = !of.starts_with("Array") || of == "Array1";
    for (k, length) in call.args.iter_mut().enumerate() {
        match length {
            _ if !lengths.contains(&k) => {}
            syn::Expr::Tuple(all) => all.elems.iter_mut().for_each(|e| decide(e, true)),
            length => decide(length, one),
        }
    }
}

fn decide(length: &mut syn::Expr, one: bool) {
    if matches!(length, syn::Expr::Lit(_)) {
        return;
    }
    let span = length.span();
    let ty = one.then(|| quote!(::<::core::primitive::usize>));
    *length = syn::parse_quote_spanned!(span=> rt::decided #ty (#length));
}

/// Writes an array of one number everywhere, `Array2::<f64>::from_elem((n, m), x)`, as what has a rule for any number of axes: the array of ones times the number, or what a closure fills.
fn scaled_ones(call: &syn::ExprCall) -> Option<syn::Expr> {
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut ones = path.clone();
    let mut segments = ones.path.segments.iter_mut().rev();
    let (name, of) = (segments.next()?, segments.next()?);
    let of_name = of.ident.to_string();
    let array = of_name.starts_with("Array") && is_container(&of_name) && of_name != "Array1";
    if !array || name.ident != "from_elem" || call.args.len() != 2 {
        return None;
    }
    let (lengths, x) = (&call.args[0], &call.args[1]);
    let syn::PathArguments::AngleBracketed(written) = &of.arguments else {
        if matches!(x, syn::Expr::Lit(_)) {
            return None;
        }
        // Of which type the numbers are, a closure says.
        name.ident = Ident::new("from_shape_fn", name.ident.span());
        return Some(syn::parse_quote_spanned!(call.span()=> {
            let (__lengths, __x) = (#lengths, #x);
            #ones(__lengths, |_| __x)
        }));
    };
    let number = match written.args.first()? {
        syn::GenericArgument::Type(ty) => types::read(ty).is_scalar(),
        _ => false,
    };
    if !number {
        return None;
    }
    name.ident = Ident::new("ones", name.ident.span());
    Some(syn::parse_quote_spanned!(call.span()=> (#ones(#lengths) * (#x))))
}

/// Writes `a.slice_mut(s![.., j])` as `a.column_mut(j)`, and `a.slice_mut(s![i, ..])` as `a.row_mut(i)`.
fn whole_line(m: &mut syn::ExprMethodCall) {
    if m.method != "slice_mut" {
        return;
    }
    let Some(syn::Expr::Macro(slice)) = m.args.first() else {
        return;
    };
    let name = slice.mac.path.segments.last();
    if name.is_none_or(|name| name.ident != "s") {
        return;
    }
    let parts = slice.mac.parse_body_with(
        syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated,
    );
    let parts: Vec<syn::Expr> = parts.into_iter().flatten().collect();
    let whole =
        |e: &syn::Expr| matches!(e, syn::Expr::Range(r) if r.start.is_none() && r.end.is_none());
    // From the end they count with a minus.
    let index = |e: &syn::Expr| matches!(e, syn::Expr::Lit(_) | syn::Expr::Path(_));
    let (name, at) = match &parts[..] {
        [all, at] if whole(all) && index(at) => ("column_mut", at),
        [at, all] if whole(all) && index(at) => ("row_mut", at),
        _ => return,
    };
    m.args = syn::punctuated::Punctuated::from_iter([at.clone()]);
    m.method = Ident::new(name, m.method.span());
}

/// Writes `Array1::linspace(start, end, n)` as its formula, of which each part has a rule.
fn spaced(call: &syn::ExprCall) -> Option<syn::Expr> {
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut names = path.path.segments.iter().rev().map(|s| s.ident.to_string());
    let (name, of) = (names.next()?, names.next()?);
    let [start, end, n] = &call.args.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let constant = [start, end].iter().all(|e| matches!(e, syn::Expr::Lit(_)));
    if !features().ndarray || name != "linspace" || !matches!(&*of, "Array" | "Array1") || constant
    {
        return None;
    }
    Some(syn::parse_quote_spanned!(call.span()=> {
        let (__start, __end, __n) = (#start, #end, #n);
        let __places = rt::linalg::ndarray::places(__n);
        let __step = if __n > 1 { (__end - __start) / __places[__n - 1] } else { 0.0 };
        rt::linalg::ndarray::Array1::<_>::from_elem(__n, __start) + __places * __step
    }))
}

/// Whether a name is that of a type of matrices or arrays.
fn is_container(name: &str) -> bool {
    let size = |n: &str| matches!(n, "1" | "2" | "3" | "4" | "5" | "6");
    let of_array = |rest: &str| rest.is_empty() || rest == "D" || rest == "0" || size(rest);
    let of_matrix = |rest: &str| match rest.split_once('x') {
        Some((rows, columns)) => {
            rows != columns && [rows, columns].iter().all(|n| size(n) || *n == "X")
        }
        None => size(rest),
    };
    let vectors = ["RowVector", "Vector"];
    match name {
        "DMatrix" | "DVector" | "OMatrix" | "OVector" | "RowDVector" | "SMatrix" | "SVector" => {
            true
        }
        _ if name.starts_with("Array") => name.strip_prefix("Array").is_some_and(of_array),
        _ if name.starts_with("Matrix") => name.strip_prefix("Matrix").is_some_and(of_matrix),
        _ => vectors
            .iter()
            .any(|of| name.strip_prefix(of).is_some_and(size)),
    }
}

/// Whether it may be written twice.
fn is_place(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(e) => is_place(&e.base),
        _ => false,
    }
}

/// Where something is named.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Signature,
    Body,
}

/// Whether something is named as types are, which is neither known nor a parameter; constants are named in capitals, and in a body so is a type before `::` alone.
fn names_a_type(tokens: TokenStream, parameters: &[String], place: Where) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_path = |k: usize| matches!(tokens.get(k + 1), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint);
    tokens.iter().enumerate().any(|(k, token)| match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let capital = name.starts_with(|c: char| c.is_uppercase());
            let in_capitals = name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
            let constant = in_capitals && place == Where::Body && !is_path(k);
            let known = STANDARD.contains(&name.as_str()) || name == types::TENSOR;
            capital && !constant && !known && !parameters.contains(&name)
        }
        TokenTree::Group(group) => names_a_type(group.stream(), parameters, place),
        _ => false,
    })
}

/// Methods of matrices and arrays that have derivatives, how many arguments each has, and whether it gives a matrix where its receiver is one of nalgebra; `linalg::plain` of the runtime has them as well.
const METHODS: &[(&str, usize, bool)] = &[
    ("add_scalar", 1, true),
    ("add_scalar_mut", 1, false),
    ("amax", 0, false),
    ("angle", 1, false),
    ("assign", 1, false),
    ("axpy", 3, false),
    ("clone_owned", 0, true),
    ("column", 1, true),
    ("column_iter", 0, false),
    ("column_mean", 0, false),
    ("column_sum", 0, false),
    ("columns", 2, false),
    ("component_div", 1, true),
    ("component_div_assign", 1, false),
    ("component_mul", 1, true),
    ("component_mul_assign", 1, false),
    ("conjugate", 0, false),
    ("copy_from", 1, false),
    ("cross", 1, true),
    ("determinant", 0, false),
    ("diag", 0, false),
    ("diagonal", 0, false),
    ("dim", 0, false),
    ("dot", 1, false),
    ("fill", 1, false),
    ("fill_diagonal", 1, false),
    ("fill_lower_triangle_with_upper_triangle", 0, false),
    ("fill_upper_triangle_with_lower_triangle", 0, false),
    ("fixed_columns", 1, false),
    ("fixed_rows", 1, false),
    ("fixed_view", 2, false),
    ("flatten", 0, false),
    ("gemm", 4, false),
    ("gemv", 4, false),
    ("ger", 4, false),
    ("index_axis", 2, false),
    ("inverse", 0, false),
    ("inverse_transform_point", 1, false),
    ("inverse_transform_vector", 1, false),
    ("is_square", 0, false),
    ("kronecker", 1, false),
    ("l", 0, false),
    ("lerp", 2, true),
    ("ln_determinant", 0, false),
    ("magnitude", 0, false),
    ("magnitude_squared", 0, false),
    ("mapv", 1, false),
    ("max", 0, false),
    ("mean", 0, false),
    ("mean_axis", 1, false),
    ("metric_distance", 1, false),
    ("min", 0, false),
    ("ncols", 0, false),
    ("ndim", 0, false),
    ("norm", 0, false),
    ("norm_squared", 0, false),
    ("normalize", 0, true),
    ("normalize_mut", 0, false),
    ("nrows", 0, false),
    ("outer_iter", 0, false),
    ("product", 0, false),
    ("push", 1, false),
    ("renormalize_fast", 0, false),
    ("row", 1, true),
    ("row_iter", 0, false),
    ("row_mean", 0, false),
    ("row_sum", 0, false),
    ("rows", 2, false),
    ("scale", 1, true),
    ("scale_mut", 1, false),
    ("scaled_add", 2, false),
    ("set_column", 2, false),
    ("set_diagonal", 1, false),
    ("set_row", 2, false),
    ("shape", 0, false),
    ("slice", 1, false),
    ("solve", 1, false),
    ("sum", 0, false),
    ("sum_axis", 1, false),
    ("t", 0, false),
    ("tr_mul", 1, true),
    ("trace", 0, false),
    ("transform_point", 1, false),
    ("transform_vector", 1, false),
    ("transpose", 0, true),
    ("try_normalize", 1, false),
    ("unscale", 1, true),
    ("unscale_mut", 1, false),
    ("variance", 0, false),
    ("view", 2, false),
    ("xy", 0, false),
    ("xyz", 0, false),
    ("zip_map", 2, true),
];

/// Methods that other types have as well, and that give a matrix of nalgebra where their receiver is one.
const SHARED: &[&str] = &["clone", "into_owned", "map"];

/// Methods of arrays that compute the elementary function of that name of each element, and how many arguments each has.
const BY_ELEMENT: &[(&str, usize)] = &[
    ("abs", 0),
    ("acos", 0),
    ("asin", 0),
    ("atan", 0),
    ("cbrt", 0),
    ("ceil", 0),
    ("cos", 0),
    ("cosh", 0),
    ("exp", 0),
    ("exp2", 0),
    ("exp_m1", 0),
    ("floor", 0),
    ("fract", 0),
    ("hypot", 1),
    ("ln", 0),
    ("ln_1p", 0),
    ("log", 1),
    ("log10", 0),
    ("log2", 0),
    ("pow2", 0),
    ("powf", 1),
    ("powi", 1),
    ("recip", 0),
    ("round", 0),
    ("signum", 0),
    ("sin", 0),
    ("sinh", 0),
    ("sqrt", 0),
    ("tan", 0),
    ("tanh", 0),
    ("to_degrees", 0),
    ("to_radians", 0),
    ("trunc", 0),
];

/// Whether a method gives a vector or a matrix of nalgebra where its receiver is one.
pub(crate) fn yields_matrix(method: &Ident) -> bool {
    let row = METHODS.iter().find(|(name, ..)| method == name);
    row.is_some_and(|(.., matrix)| *matrix) || SHARED.iter().any(|name| method == name)
}

/// Whether a method of arrays computes an elementary function of each element.
pub(crate) fn is_by_element(name: &str, count: usize) -> bool {
    BY_ELEMENT.contains(&(name, count))
}

/// Functions of matrices and arrays that have derivatives, and methods that no number of arguments tells from others: what has a row beside [`METHODS`].
const FUNCTIONS: &[&str] = &[
    "added_scaled",
    "arg",
    "as_view",
    "axis_iter",
    "axpied",
    "cholesky",
    "conj",
    "copied_from",
    "cos_angle",
    "cross_matrix",
    "diagonal_filled_with",
    "euler_angles",
    "fdiv",
    "filled_with",
    "finv",
    "from_angle",
    "from_axis_angle",
    "from_column_slice",
    "from_columns",
    "from_diagonal",
    "from_diagonal_element",
    "from_elem",
    "from_element",
    "from_euler_angles",
    "from_fn",
    "from_imag",
    "from_parts",
    "from_quaternion",
    "from_row_slice",
    "from_rows",
    "from_scaled_axis",
    "from_shape_fn",
    "from_vec",
    "gemmed",
    "gemved",
    "gered",
    "identity",
    "imag",
    "insert_axis",
    "insert_column",
    "insert_row",
    "into_inner",
    "into_owned",
    "inv",
    "l1_norm",
    "lower_from_upper",
    "lu",
    "matrix",
    "new",
    "new_normalize",
    "new_unchecked",
    "norm_sqr",
    "of_entries",
    "perp",
    "powc",
    "powu",
    "remove_column",
    "remove_row",
    "renormalized",
    "repeat",
    "reshaped",
    "reversed_axes",
    "scalar",
    "scaled_axis",
    "sin_angle",
    "std",
    "std_axis",
    "to_homogeneous",
    "to_matrix",
    "to_polar",
    "to_rotation_matrix",
    "try_inverse",
    "upper_from_lower",
    "var",
    "var_axis",
    "vector",
    "with_column",
    "with_diagonal",
    "with_row",
];

/// Those of [`METHODS`] that change their receiver.
const CHANGING: &[&str] = &[
    "add_scalar_mut",
    "assign",
    "axpy",
    "component_div_assign",
    "component_mul_assign",
    "copy_from",
    "fill",
    "fill_diagonal",
    "fill_lower_triangle_with_upper_triangle",
    "fill_upper_triangle_with_lower_triangle",
    "gemm",
    "gemv",
    "ger",
    "normalize_mut",
    "renormalize_fast",
    "scale_mut",
    "scaled_add",
    "set_column",
    "set_diagonal",
    "set_row",
    "unscale_mut",
];

/// Methods and functions of matrices and arrays that have no derivatives, and what to write in their place.
const REFUSED: &[(&str, &str)] = &[
    ("abs", "write `map` or `mapv`, `|x| x.abs()`"),
    ("add_to", "write `c = a + b`"),
    ("amax", "write a loop with `abs` of elements"),
    ("angle", "write `a.cross(b).norm().atan2(a.dot(b))`"),
    ("append", "write a constructor with all of the elements"),
    ("apply", "write `v = v.map(…)`"),
    (
        "column_iter_mut",
        "write a loop over elements, `m[(i, j)] = …`",
    ),
    (
        "column_mut",
        "assign elements, `m[(i, j)] = …`, or write `set_column`",
    ),
    (
        "exp",
        "write `mapv`, `|x| x.exp()`, where each entry is meant, and a series or your own rule where it is that of a matrix",
    ),
    ("fold", "write a loop over elements"),
    (
        "from_iterator",
        "write `from_vec`, with `collect::<Vec<_>>()`",
    ),
    ("indexed_iter", "write a loop over indices"),
    ("into_shape", "write `into_shape_with_order(…).unwrap()`"),
    (
        "into_shape_clone",
        "write `into_shape_with_order(…).unwrap()` of a clone",
    ),
    (
        "into_shape_with_order",
        "write `unwrap` or `expect` right behind it",
    ),
    ("kronecker", "write it with elements"),
    ("lp_norm", "write a loop over elements"),
    ("ln", "write `mapv`, `|x| x.ln()`"),
    ("map_with_location", "write `from_fn`"),
    ("mul_to", "write `c = a * b`, or `gemm`"),
    ("neg_mut", "write `v = -v`"),
    ("normalize_mut", "write `v = v.normalize()`"),
    (
        "outer_iter_mut",
        "write a loop over elements, `m[[i, j]] = …`",
    ),
    ("powi", "write `mapv`, `|x| x.powi(…)`"),
    ("powf", "write `mapv`, `|x| x.powf(…)`"),
    ("product", "write a loop over elements"),
    (
        "qr",
        "solve with `lu` or `cholesky`, or write it with elements",
    ),
    ("resize", "write `from_fn`, or `insert_row` and its like"),
    (
        "row_iter_mut",
        "write a loop over elements, `m[(i, j)] = …`",
    ),
    (
        "row_mut",
        "assign elements, `m[(i, j)] = …`, or write `set_row`",
    ),
    ("rows_range", "write `rows`"),
    ("columns_range", "write `columns`"),
    ("sqrt", "write `mapv`, `|x| x.sqrt()`"),
    ("svd", "write what is asked of it with elements"),
    ("swap_rows", "write a loop over elements"),
    ("symmetric_eigen", "write what is asked of it with elements"),
    (
        "symmetric_eigenvalues",
        "write what is asked of it with elements",
    ),
    ("to_shape", "write `unwrap` or `expect` right behind it"),
    (
        "try_normalize",
        "ask for the norm in an `if`, and write `normalize`",
    ),
    ("variance", "write it with `mean` and `map`"),
];

/// What to write in place of a method or a function without derivatives.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    let known = REFUSED.iter().find(|(refused, _)| *refused == name);
    known.map(|(_, advice)| *advice)
}

/// Whether a function is one of `Unit`, whatever is in it, which calls do not write.
pub(crate) fn is_of_every_unit(name: &str) -> bool {
    matches!(name, "new_normalize" | "new_unchecked")
}

/// Whether a function of this name, called by the path of its type, may have a row.
pub(crate) fn may_have_row(name: &str) -> bool {
    METHODS.iter().any(|(known, ..)| *known == name)
        || FUNCTIONS.contains(&name)
        || rules::by_method(name).is_some()
}

/// Whether there is a row by which a method changes its receiver.
pub(crate) fn changes(name: &str) -> bool {
    CHANGING.contains(&name) && advice(name).is_none()
}

/// Whether a field of this name may be one of a point or a translation, whose tangent is a vector and has no fields: it is asked for by an index, which tangents of structs have as well.
pub(crate) fn is_part(part: &Part) -> bool {
    let named = |names: &[&str]| matches!(part, Part::Named(name) if names.contains(&&**name));
    features().nalgebra && named(&["coords", "vector"])
}

/// Whether an argument is the shape of an array that a closure fills: of which type its numbers are, what makes the zero tangent of a shape does not say.
pub(crate) fn is_shape(call: &Call, k: usize) -> bool {
    k == 0
        && call
            .member
            .as_ref()
            .is_some_and(|name| name == "from_shape_fn")
}

fn arguments(method: &Ident) -> Option<usize> {
    let name = own_names::plain(method);
    let known = METHODS.iter().find(|(known, ..)| *known == name);
    known
        .map(|(_, count, _)| *count)
        .filter(|_| features().matrices())
}

/// Whether a call may be one of these.
pub(crate) fn is_method(m: &syn::ExprMethodCall) -> bool {
    arguments(&m.method) == Some(m.args.len())
}

/// Methods that lend a part of a matrix, or all of it in another order.
const VIEWS: &[&str] = &[
    "column",
    "columns",
    "fixed_columns",
    "fixed_rows",
    "fixed_view",
    "row",
    "rows",
    "slice",
    "t",
    "view",
];

/// Whether an expression may be a view of what is gone at the end of its statement: where it stands in generated code, it is no part of the user's.
pub(crate) fn is_view_of_temporary(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Paren(e) => is_view_of_temporary(&e.expr),
        syn::Expr::Reference(e) => is_view_of_temporary(&e.expr),
        syn::Expr::MethodCall(m) => {
            let temporary = matches!(
                *m.receiver,
                syn::Expr::Call(_) | syn::Expr::MethodCall(_) | syn::Expr::Paren(_)
            );
            let name = own_names::plain(&m.method);
            temporary && is_method(m) && VIEWS.contains(&name.as_str())
        }
        _ => false,
    }
}

/// What makes rustc check that a method of a matrix or complex number is the crate's: one of a trait of the user's own may go before it, and the derivative would be another function's.
pub(crate) fn check(method: &Ident, receiver: &TokenStream) -> TokenStream {
    let name = own_names::plain(method);
    let called = Ident::new(&name, method.span());
    let of_matrix = arguments(method).map(|count| {
        let nothing = vec![quote!(()); count];
        let each = if CHANGING.contains(&&*name) { "__changed" } else { "__each" };
        let each = Ident::new(each, method.span());
        quote_spanned! {method.span()=>
            let _ = || {
                use rt::linalg::plain::{MethodsBehind as _, MethodsOfTheCrate as _, Of, OfAnything as _, OfMatrix as _, OfPointer as _};
                let (mut value, lent, changed) = (&&Of(&#receiver)).#each();
                let () = value.#called(#(#nothing),*);
                let () = lent.#called(#(#nothing),*);
                let () = changed.#called(#(#nothing),*);
            };
        }
    });
    let of_complex = complex::borrowing(&name).map(|count| {
        let nothing = vec![quote!(()); count];
        quote_spanned! {method.span()=>
            let _ = || {
                use rt::linalg::plain::{MethodsOfTheCrate as _, Of, OfComplex as _, OfNoComplex as _};
                let () = (&&Of(&#receiver)).__number().#called(#(#nothing),*);
            };
        }
    });
    quote!(#of_matrix #of_complex)
}

/// Writes parameters that are views as views of what derivatives are given in their place, where they are passed on.
pub(crate) fn pass_views_on(body: &mut syn::Block, function: &GradFn) {
    struct PassOn<'a>(&'a GradFn);
    impl PassOn<'_> {
        fn write(&self, e: &mut syn::Expr) {
            // `x`, or `*x` of one that is lent.
            let (of, by) = match &*e {
                syn::Expr::Unary(deref) if matches!(deref.op, syn::UnOp::Deref(_)) => {
                    (&*deref.expr, By::Ref)
                }
                other => (other, By::Value),
            };
            let name = match of {
                syn::Expr::Path(path) => path.path.get_ident(),
                _ => None,
            };
            let mut params = self.0.params.iter();
            let param = name.and_then(|name| params.find(|p| p.name == *name));
            let written = param
                .zip(name)
                .filter(|(p, _)| p.by == by)
                .and_then(|(p, name)| match types::strip(&p.written) {
                    syn::Type::Reference(r) => types::view_of(&r.elem, name),
                    ty => types::view_of(ty, name),
                });
            if let Some(written) = written {
                *e = written;
            }
        }
    }
    impl VisitMut for PassOn<'_> {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_local_mut(&mut self, local: &mut syn::Local) {
            visit_mut::visit_local_mut(self, local);
            // It is what the view shows.
            if let syn::Pat::Type(typed) = &local.pat {
                if types::is_view(&typed.ty) && local.init.is_some() {
                    local.pat = (*typed.pat).clone();
                }
            }
            if let Some(init) = &mut local.init {
                self.write(&mut init.expr);
            }
        }
        fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
            visit_mut::visit_expr_call_mut(self, call);
            call.args.iter_mut().for_each(|arg| self.write(arg));
        }
        fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
            visit_mut::visit_expr_method_call_mut(self, call);
            call.args.iter_mut().for_each(|arg| self.write(arg));
        }
    }
    if features().matrices() && !function.options.own.is_called() {
        PassOn(function).visit_block_mut(body);
    }
}

/// The module whose traits have the methods that generated code calls.
pub(crate) fn scope(function: &GradFn) -> TokenStream {
    if may_concern(function) {
        quote!(linalg::scope)
    } else {
        quote!(scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::features::Features;
    use crate::testing::function;

    fn may_concern(source: &str) -> bool {
        let with = Features {
            nalgebra: true,
            ..Features::default()
        };
        with.within(|| super::may_concern(&function(source)))
    }

    /// The names of a row, `Dot dot(b: B;);` or `constructor!(FromVec from_vec […`.
    fn names_of_rows(line: &str) -> Option<&str> {
        let rest = line
            .trim()
            .strip_prefix("constructor!(")
            .unwrap_or(line.trim());
        let (of_trait, rest) = rest.split_once(' ')?;
        let made = line.contains("constructor!(");
        let name = if made {
            let rest = if of_trait.ends_with(':') {
                rest.split_once(' ')?.1
            } else {
                rest
            };
            rest.split(' ').next()?
        } else {
            let (name, args) = rest.split_once('(')?;
            (args.ends_with(");") && args.contains(';')).then_some(name)?
        };
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let capital = of_trait.starts_with(|c: char| c.is_ascii_uppercase());
        (capital && !name.is_empty() && name.chars().all(is_name)).then_some(name)
    }

    #[test]
    fn every_row_of_the_runtime_is_known_by_its_name() {
        let runtime = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../autodiff-runtime/src/linalg"
        );
        let mut folders = vec![std::path::PathBuf::from(runtime)];
        let mut files = vec![std::path::PathBuf::from(format!("{runtime}.rs"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        let mut found = 0;
        for file in files {
            for name in std::fs::read_to_string(file)
                .unwrap()
                .lines()
                .filter_map(names_of_rows)
            {
                found += 1;
                assert!(super::may_have_row(name), "`{name}` is missing");
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn functions_of_numbers_have_no_need_of_matrices() {
        for source in [
            "fn f(x: f64, y: &[f64]) -> f64 { x.sin() * y[0] + std::f64::consts::PI }",
            "fn f<const N: usize>(x: &[f64; N]) -> f64 { x.iter().map(|x| x * x).sum() }",
            "fn f(x: Vec<f64>) -> Option<f64> { if x.len() > 1 { Some(x[0]) } else { None } }",
        ] {
            assert!(!may_concern(source), "{source}");
        }
        for source in [
            "fn f(x: &Vector3<f64>) -> f64 { x[0] }",
            "fn f(x: f64) -> f64 { position(x).norm() }",
            "fn f(x: f64) -> f64 { let v = Vector2::new(x, x); v[0] }",
            "fn f(x: &V3) -> f64 { x.sum() }",
            "fn f(x: f64) -> f64 { V3::repeat(x).sum() }",
            "fn f(x: f64) -> f64 { let m = turn(x); m[(0, 1)] }",
            "fn f(x: f64) -> f64 { let v = vector![x, 1.0]; (v * 2.0).sum() }",
        ] {
            assert!(may_concern(source), "{source}");
        }
    }
}
