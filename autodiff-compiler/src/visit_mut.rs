//! Visitors that change what they visit, over one walk, as those that do not.

/// The visitor, with a method for each kind of node that one asks for, and functions that visit the parts of a node, as for those that change nothing.
macro_rules! nodes {
    (
        asked { $($visit:ident: $Node:ident,)* }
        others { $($visit_rare:ident: $Rare:ident,)* }
        entered { $($enter:ident: $Entered:ident,)* }
    ) => {
        pub(crate) trait VisitMut: Itself {
            /// The attributes of a node, which hold nothing that is visited.
            fn visit_attributes_mut(&mut self, _: &mut Vec<syn::Attribute>) {}

            $(
                fn $visit(&mut self, node: &mut syn::$Node) {
                    $visit(self.itself(), node);
                }
            )*

            fn visit_other_mut(&mut self, node: OtherMut<'_>) {
                node.walk(self.itself());
            }
        }

        /// Visits that begin at a node.
        pub(crate) trait EnterMut: VisitMut + Sized {
            $(
                fn $enter(&mut self, node: &mut syn::$Entered) {
                    syn::visit_mut::VisitMut::$enter(&mut Walk(self), node);
                }
            )*
        }

        impl<V: VisitMut> EnterMut for V {}

        /// A node that few visitors ask for.
        pub(crate) enum OtherMut<'node> {
            $($Rare(&'node mut syn::$Rare),)*
        }

        impl OtherMut<'_> {
            /// Visits the parts of the node.
            pub(crate) fn walk(self, visitor: &mut dyn VisitMut) {
                match self {
                    $(Self::$Rare(node) => syn::visit_mut::$visit_rare(&mut Walk(visitor), node),)*
                }
            }
        }

        $(
            pub(crate) fn $visit(visitor: &mut dyn VisitMut, node: &mut syn::$Node) {
                syn::visit_mut::$visit(&mut Walk(visitor), node);
            }
        )*

        impl syn::visit_mut::VisitMut for Walk<'_> {
            fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
                self.0.visit_attributes_mut(attrs);
            }

            $(
                fn $visit(&mut self, node: &mut syn::$Node) {
                    self.0.$visit(node);
                }
            )*

            $(
                fn $visit_rare(&mut self, node: &mut syn::$Rare) {
                    self.0.visit_other_mut(OtherMut::$Rare(node));
                }
            )*
        }
    };
}

nodes! {
    asked {
        visit_arm_mut: Arm,
        visit_block_mut: Block,
        visit_expr_call_mut: ExprCall,
        visit_expr_closure_mut: ExprClosure,
        visit_expr_for_loop_mut: ExprForLoop,
        visit_expr_method_call_mut: ExprMethodCall,
        visit_expr_mut: Expr,
        visit_expr_path_mut: ExprPath,
        visit_expr_return_mut: ExprReturn,
        visit_expr_while_mut: ExprWhile,
        visit_field_pat_mut: FieldPat,
        visit_field_value_mut: FieldValue,
        visit_item_mut: Item,
        visit_lifetime_mut: Lifetime,
        visit_local_mut: Local,
        visit_macro_mut: Macro,
        visit_pat_ident_mut: PatIdent,
        visit_pat_mut: Pat,
        visit_stmt_mut: Stmt,
        visit_type_mut: Type,
        visit_type_path_mut: TypePath,
        visit_type_reference_mut: TypeReference,
    }
    others {
        visit_angle_bracketed_generic_arguments_mut: AngleBracketedGenericArguments,
        visit_expr_assign_mut: ExprAssign,
        visit_expr_async_mut: ExprAsync,
        visit_expr_block_mut: ExprBlock,
        visit_expr_break_mut: ExprBreak,
        visit_expr_continue_mut: ExprContinue,
        visit_expr_if_mut: ExprIf,
        visit_expr_let_mut: ExprLet,
        visit_expr_loop_mut: ExprLoop,
        visit_expr_match_mut: ExprMatch,
        visit_expr_struct_mut: ExprStruct,
        visit_expr_try_block_mut: ExprTryBlock,
        visit_expr_try_mut: ExprTry,
        visit_generic_argument_mut: GenericArgument,
        visit_item_const_mut: ItemConst,
        visit_parenthesized_generic_arguments_mut: ParenthesizedGenericArguments,
        visit_path_mut: Path,
        visit_path_segment_mut: PathSegment,
        visit_precise_capture_mut: PreciseCapture,
        visit_signature_mut: Signature,
        visit_trait_bound_mut: TraitBound,
        visit_type_array_mut: TypeArray,
        visit_type_fn_ptr_mut: TypeFnPtr,
        visit_type_trait_object_mut: TypeTraitObject,
    }
    entered {
        visit_angle_bracketed_generic_arguments_mut: AngleBracketedGenericArguments,
        visit_fn_arg_mut: FnArg,
        visit_generics_mut: Generics,
        visit_impl_item_fn_mut: ImplItemFn,
        visit_item_fn_mut: ItemFn,
        visit_item_impl_mut: ItemImpl,
        visit_local_init_mut: LocalInit,
        visit_path_mut: Path,
        visit_return_type_mut: ReturnType,
        visit_signature_mut: Signature,
        visit_type_param_bound_mut: TypeParamBound,
        visit_type_param_mut: TypeParam,
    }
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
