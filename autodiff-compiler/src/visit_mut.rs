//! Visitors that change what they visit, over one walk, as those that do not.

/// The visitor, with a method for each kind of node that one asks for, and functions that visit the parts of a node.
macro_rules! nodes {
    ($($visit:ident: $Node:ty,)*) => {
        pub(crate) trait VisitMut: Itself {
            /// The attributes of a node, which hold nothing that is visited.
            fn visit_attributes_mut(&mut self, _: &mut Vec<syn::Attribute>) {}

            $(
                fn $visit(&mut self, node: &mut $Node) {
                    $visit(self.itself(), node);
                }
            )*
        }

        $(
            pub(crate) fn $visit(visitor: &mut dyn VisitMut, node: &mut $Node) {
                syn::visit_mut::$visit(&mut Walk(visitor), node);
            }
        )*

        impl syn::visit_mut::VisitMut for Walk<'_> {
            fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
                self.0.visit_attributes_mut(attrs);
            }

            $(
                fn $visit(&mut self, node: &mut $Node) {
                    self.0.$visit(node);
                }
            )*
        }
    };
}

nodes! {
    visit_angle_bracketed_generic_arguments_mut: syn::AngleBracketedGenericArguments,
    visit_arm_mut: syn::Arm,
    visit_block_mut: syn::Block,
    visit_expr_assign_mut: syn::ExprAssign,
    visit_expr_async_mut: syn::ExprAsync,
    visit_expr_block_mut: syn::ExprBlock,
    visit_expr_break_mut: syn::ExprBreak,
    visit_expr_call_mut: syn::ExprCall,
    visit_expr_closure_mut: syn::ExprClosure,
    visit_expr_continue_mut: syn::ExprContinue,
    visit_expr_for_loop_mut: syn::ExprForLoop,
    visit_expr_if_mut: syn::ExprIf,
    visit_expr_let_mut: syn::ExprLet,
    visit_expr_loop_mut: syn::ExprLoop,
    visit_expr_match_mut: syn::ExprMatch,
    visit_expr_method_call_mut: syn::ExprMethodCall,
    visit_expr_mut: syn::Expr,
    visit_expr_path_mut: syn::ExprPath,
    visit_expr_return_mut: syn::ExprReturn,
    visit_expr_struct_mut: syn::ExprStruct,
    visit_expr_try_block_mut: syn::ExprTryBlock,
    visit_expr_try_mut: syn::ExprTry,
    visit_expr_while_mut: syn::ExprWhile,
    visit_field_pat_mut: syn::FieldPat,
    visit_field_value_mut: syn::FieldValue,
    visit_fn_arg_mut: syn::FnArg,
    visit_generic_argument_mut: syn::GenericArgument,
    visit_generics_mut: syn::Generics,
    visit_impl_item_fn_mut: syn::ImplItemFn,
    visit_item_const_mut: syn::ItemConst,
    visit_item_fn_mut: syn::ItemFn,
    visit_item_impl_mut: syn::ItemImpl,
    visit_item_mut: syn::Item,
    visit_lifetime_mut: syn::Lifetime,
    visit_local_init_mut: syn::LocalInit,
    visit_local_mut: syn::Local,
    visit_macro_mut: syn::Macro,
    visit_parenthesized_generic_arguments_mut: syn::ParenthesizedGenericArguments,
    visit_pat_ident_mut: syn::PatIdent,
    visit_pat_mut: syn::Pat,
    visit_path_mut: syn::Path,
    visit_path_segment_mut: syn::PathSegment,
    visit_precise_capture_mut: syn::PreciseCapture,
    visit_return_type_mut: syn::ReturnType,
    visit_signature_mut: syn::Signature,
    visit_stmt_mut: syn::Stmt,
    visit_trait_bound_mut: syn::TraitBound,
    visit_type_array_mut: syn::TypeArray,
    visit_type_fn_ptr_mut: syn::TypeFnPtr,
    visit_type_mut: syn::Type,
    visit_type_param_bound_mut: syn::TypeParamBound,
    visit_type_param_mut: syn::TypeParam,
    visit_type_path_mut: syn::TypePath,
    visit_type_reference_mut: syn::TypeReference,
    visit_type_trait_object_mut: syn::TypeTraitObject,
}

/// The one walk that is compiled.
struct Walk<'v>(&'v mut dyn VisitMut);

/// A visitor whose type is forgotten.
pub(crate) trait Itself {
    fn itself(&mut self) -> &mut dyn VisitMut;
}

impl<V: VisitMut> Itself for V {
    fn itself(&mut self) -> &mut dyn VisitMut {
        self
    }
}
