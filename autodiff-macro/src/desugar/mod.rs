//! Rewrites constructs of the language into simpler ones, syntax to syntax, before lowering.
//!
//! Names are unique already, so code may be moved from scope to scope; what names nothing active is left as it stands.

mod exits;

pub(crate) use self::exits::is_until;

use std::collections::HashMap;

use crate::errors::Errors;
use crate::facts::{self, Var};
use crate::ir::Ty;

/// The variables of the signature.
pub(crate) type Params = HashMap<String, Var>;

/// Rewrites a body whose names are unique; `returned` is the type of the result, if there is one.
pub(crate) fn desugar(
    body: &mut syn::Block,
    params: &Params,
    returned: Option<Ty>,
    errors: &mut Errors,
) {
    let known = facts::facts(body, params.clone());
    exits::exits(body, &known, returned, errors);
}
