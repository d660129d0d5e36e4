//! Visitors of syntax trees, as syn has them, over one walk.
//!
//! Those of syn are generic in the visitor, so that rustc would compile a walk through every kind of syntax for each of them: more than half of this crate.

/// The visitor, with a method for each kind of node that one asks for, and functions that visit the parts of a node.
///
/// rustc compiles each method for each visitor: nodes that few ask for (`others`) share one, and visits that begin at a node (`entered`) are compiled where they do, by a trait of their own, so that no visitor can have a method that the walk does not call.
macro_rules! nodes {
    (
        asked { $($visit:ident: $Node:ident,)* }
        others { $($visit_rare:ident: $Rare:ident,)* }
        entered { $($enter:ident: $Entered:ident,)* }
    ) => {
        pub(crate) trait Visit<'ast>: Itself<'ast> {
            $(
                fn $visit(&mut self, node: &'ast syn::$Node) {
                    $visit(self.itself(), node);
                }
            )*

            fn visit_other(&mut self, node: Other<'ast>) {
                node.walk(self.itself());
            }
        }

        /// Visits that begin at a node.
        pub(crate) trait Enter<'ast>: Visit<'ast> + Sized {
            $(
                fn $enter(&mut self, node: &'ast syn::$Entered) {
                    syn::visit::Visit::$enter(&mut Walk(self), node);
                }
            )*
        }

        impl<'ast, V: Visit<'ast>> Enter<'ast> for V {}

        /// A node that few visitors ask for.
        #[derive(Clone, Copy)]
        pub(crate) enum Other<'ast> {
            $($Rare(&'ast syn::$Rare),)*
        }

        impl<'ast> Other<'ast> {
            /// Visits the parts of the node.
            pub(crate) fn walk(self, visitor: &mut dyn Visit<'ast>) {
                match self {
                    $(Self::$Rare(node) => syn::visit::$visit_rare(&mut Walk(visitor), node),)*
                }
            }
        }

        $(
            pub(crate) fn $visit<'ast>(visitor: &mut dyn Visit<'ast>, node: &'ast syn::$Node) {
                syn::visit::$visit(&mut Walk(visitor), node);
            }
        )*

        impl<'ast> syn::visit::Visit<'ast> for Walk<'_, 'ast> {
            $(
                fn $visit(&mut self, node: &'ast syn::$Node) {
                    self.0.$visit(node);
                }
            )*

            $(
                fn $visit_rare(&mut self, node: &'ast syn::$Rare) {
                    self.0.visit_other(Other::$Rare(node));
                }
            )*
        }
    };
}

nodes! {
    asked {
        visit_expr: Expr,
        visit_expr_assign: ExprAssign,
        visit_expr_binary: ExprBinary,
        visit_expr_break: ExprBreak,
        visit_expr_call: ExprCall,
        visit_expr_closure: ExprClosure,
        visit_expr_continue: ExprContinue,
        visit_expr_field: ExprField,
        visit_expr_for_loop: ExprForLoop,
        visit_expr_index: ExprIndex,
        visit_expr_let: ExprLet,
        visit_expr_loop: ExprLoop,
        visit_expr_match: ExprMatch,
        visit_expr_method_call: ExprMethodCall,
        visit_expr_path: ExprPath,
        visit_expr_reference: ExprReference,
        visit_expr_return: ExprReturn,
        visit_expr_try: ExprTry,
        visit_expr_while: ExprWhile,
        visit_ident: Ident,
        visit_item: Item,
        visit_item_fn: ItemFn,
        visit_local: Local,
        visit_macro: Macro,
        visit_pat_ident: PatIdent,
        visit_pat_struct: PatStruct,
        visit_pat_tuple_struct: PatTupleStruct,
        visit_pat_type: PatType,
        visit_path: Path,
        visit_path_segment: PathSegment,
        visit_type_fn_ptr: TypeFnPtr,
        visit_type_impl_trait: TypeImplTrait,
        visit_type_path: TypePath,
        visit_type_reference: TypeReference,
        visit_type_trait_object: TypeTraitObject,
    }
    others {
        visit_arm: Arm,
        visit_attribute: Attribute,
        visit_block: Block,
        visit_expr_async: ExprAsync,
        visit_expr_await: ExprAwait,
        visit_expr_block: ExprBlock,
        visit_expr_cast: ExprCast,
        visit_expr_if: ExprIf,
        visit_expr_range: ExprRange,
        visit_expr_raw_addr: ExprRawAddr,
        visit_expr_struct: ExprStruct,
        visit_generics: Generics,
        visit_impl_item_fn: ImplItemFn,
        visit_item_macro: ItemMacro,
        visit_item_mod: ItemMod,
        visit_item_static: ItemStatic,
        visit_item_use: ItemUse,
        visit_label: Label,
        visit_lifetime: Lifetime,
        visit_lit_float: LitFloat,
        visit_parenthesized_generic_arguments: ParenthesizedGenericArguments,
        visit_pat: Pat,
        visit_path_arguments: PathArguments,
        visit_stmt: Stmt,
        visit_type_infer: TypeInfer,
        visit_type_ptr: TypePtr,
        visit_type_tuple: TypeTuple,
        visit_use_glob: UseGlob,
        visit_use_name: UseName,
        visit_use_rename: UseRename,
    }
    entered {
        visit_angle_bracketed_generic_arguments: AngleBracketedGenericArguments,
        visit_block: Block,
        visit_file: File,
        visit_fn_arg: FnArg,
        visit_impl_item_fn: ImplItemFn,
        visit_item_impl: ItemImpl,
        visit_item_trait: ItemTrait,
        visit_pat: Pat,
        visit_pat_or: PatOr,
        visit_return_type: ReturnType,
        visit_signature: Signature,
        visit_stmt: Stmt,
        visit_type: Type,
        visit_type_param: TypeParam,
        visit_where_clause: WhereClause,
    }
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
