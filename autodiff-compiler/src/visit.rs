//! Visitors of syntax trees, as syn has them, over one walk.
//!
//! Those of syn are generic in the visitor, so that rustc would compile a walk through every kind of syntax for each of them: more than half of this crate.

/// The visitor, with a method for each kind of node that one asks for, and functions that visit the parts of a node.
macro_rules! nodes {
    ($($visit:ident: $Node:ty,)*) => {
        pub(crate) trait Visit<'ast>: Itself<'ast> {
            $(
                fn $visit(&mut self, node: &'ast $Node) {
                    $visit(self.itself(), node);
                }
            )*
        }

        $(
            pub(crate) fn $visit<'ast>(visitor: &mut dyn Visit<'ast>, node: &'ast $Node) {
                syn::visit::$visit(&mut Walk(visitor), node);
            }
        )*

        impl<'ast> syn::visit::Visit<'ast> for Walk<'_, 'ast> {
            $(
                fn $visit(&mut self, node: &'ast $Node) {
                    self.0.$visit(node);
                }
            )*
        }
    };
}

nodes! {
    visit_angle_bracketed_generic_arguments: syn::AngleBracketedGenericArguments,
    visit_arm: syn::Arm,
    visit_attribute: syn::Attribute,
    visit_block: syn::Block,
    visit_expr: syn::Expr,
    visit_expr_assign: syn::ExprAssign,
    visit_expr_async: syn::ExprAsync,
    visit_expr_await: syn::ExprAwait,
    visit_expr_binary: syn::ExprBinary,
    visit_expr_block: syn::ExprBlock,
    visit_expr_break: syn::ExprBreak,
    visit_expr_call: syn::ExprCall,
    visit_expr_cast: syn::ExprCast,
    visit_expr_closure: syn::ExprClosure,
    visit_expr_continue: syn::ExprContinue,
    visit_expr_field: syn::ExprField,
    visit_expr_for_loop: syn::ExprForLoop,
    visit_expr_if: syn::ExprIf,
    visit_expr_index: syn::ExprIndex,
    visit_expr_let: syn::ExprLet,
    visit_expr_loop: syn::ExprLoop,
    visit_expr_match: syn::ExprMatch,
    visit_expr_method_call: syn::ExprMethodCall,
    visit_expr_path: syn::ExprPath,
    visit_expr_range: syn::ExprRange,
    visit_expr_raw_addr: syn::ExprRawAddr,
    visit_expr_reference: syn::ExprReference,
    visit_expr_return: syn::ExprReturn,
    visit_expr_struct: syn::ExprStruct,
    visit_expr_try: syn::ExprTry,
    visit_expr_while: syn::ExprWhile,
    visit_file: syn::File,
    visit_fn_arg: syn::FnArg,
    visit_generics: syn::Generics,
    visit_ident: syn::Ident,
    visit_impl_item_fn: syn::ImplItemFn,
    visit_item: syn::Item,
    visit_item_fn: syn::ItemFn,
    visit_item_impl: syn::ItemImpl,
    visit_item_macro: syn::ItemMacro,
    visit_item_mod: syn::ItemMod,
    visit_item_static: syn::ItemStatic,
    visit_item_trait: syn::ItemTrait,
    visit_item_use: syn::ItemUse,
    visit_label: syn::Label,
    visit_lifetime: syn::Lifetime,
    visit_lit_float: syn::LitFloat,
    visit_local: syn::Local,
    visit_macro: syn::Macro,
    visit_parenthesized_generic_arguments: syn::ParenthesizedGenericArguments,
    visit_pat: syn::Pat,
    visit_pat_ident: syn::PatIdent,
    visit_pat_or: syn::PatOr,
    visit_pat_struct: syn::PatStruct,
    visit_pat_tuple_struct: syn::PatTupleStruct,
    visit_pat_type: syn::PatType,
    visit_path: syn::Path,
    visit_path_arguments: syn::PathArguments,
    visit_path_segment: syn::PathSegment,
    visit_return_type: syn::ReturnType,
    visit_signature: syn::Signature,
    visit_stmt: syn::Stmt,
    visit_type: syn::Type,
    visit_type_fn_ptr: syn::TypeFnPtr,
    visit_type_impl_trait: syn::TypeImplTrait,
    visit_type_infer: syn::TypeInfer,
    visit_type_param: syn::TypeParam,
    visit_type_path: syn::TypePath,
    visit_type_ptr: syn::TypePtr,
    visit_type_reference: syn::TypeReference,
    visit_type_trait_object: syn::TypeTraitObject,
    visit_type_tuple: syn::TypeTuple,
    visit_use_glob: syn::UseGlob,
    visit_use_name: syn::UseName,
    visit_use_rename: syn::UseRename,
    visit_where_clause: syn::WhereClause,
}

/// The one walk that is compiled.
struct Walk<'v, 'ast>(&'v mut dyn Visit<'ast>);

/// A visitor whose type is forgotten.
pub(crate) trait Itself<'ast> {
    fn itself(&mut self) -> &mut dyn Visit<'ast>;
}

impl<'ast, V: Visit<'ast>> Itself<'ast> for V {
    fn itself(&mut self) -> &mut dyn Visit<'ast> {
        self
    }
}
