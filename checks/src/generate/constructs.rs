//! The constructs of the language by name, so that each can be switched off and the mix can be changed in one place.

use std::collections::BTreeSet;

/// Every construct that the generator can be told to leave out.
pub const CONSTRUCTS: &[&str] = &[
    "array",
    "assert",
    "block",
    "break",
    "break_value",
    "bulk",
    "call",
    "call_mut",
    "call_same",
    "cast",
    "chain",
    "closure",
    "closure_mut",
    "compound",
    "const",
    "constant_param",
    "continue",
    "decide",
    "destructure",
    "effect",
    "enum",
    "enumerate",
    "f32",
    "fallible",
    "for",
    "function",
    "generic",
    "growth",
    "if",
    "if_let",
    "inclusive",
    "index_array",
    "iter",
    "iter_mut",
    "kink",
    "label",
    "labelled_block",
    "let_else",
    "loop",
    "match",
    "matrix",
    "mem_swap",
    "move",
    "mut_param",
    "mut_scalar",
    "nested_array",
    "nested_loop",
    "option_result",
    "own_numbers",
    "path_form",
    "print",
    "reassign",
    "recursion",
    "rem",
    "return",
    "rev",
    "search",
    "shadow",
    "slice",
    "slice_pattern",
    "step_by",
    "struct",
    "subslice",
    "swap",
    "tensor",
    "trap",
    "tuple",
    "tuple_pattern",
    "vec",
    "vector_result",
    "view",
    "while",
    "while_let",
    "wildcard",
    "zip",
];

/// The constructs that are switched on.
#[derive(Debug, Clone)]
pub struct Constructs(BTreeSet<&'static str>);

impl Default for Constructs {
    fn default() -> Self {
        Self(CONSTRUCTS.iter().copied().collect())
    }
}

impl Constructs {
    /// Switches off the constructs of a comma-separated list.
    ///
    /// # Errors
    ///
    /// Names the first word that is not a construct.
    pub fn without(mut self, list: &str) -> Result<Self, String> {
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            if !self.0.remove(word) && !CONSTRUCTS.contains(&word) {
                return Err(format!(
                    "`{word}` is not a construct; there are {}",
                    CONSTRUCTS.join(", ")
                ));
            }
        }
        Ok(self)
    }

    /// Leaves only the constructs of a comma-separated list.
    ///
    /// # Errors
    ///
    /// Names the first word that is not a construct.
    pub fn only(list: &str) -> Result<Self, String> {
        let mut chosen = BTreeSet::new();
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            match CONSTRUCTS.iter().find(|&&name| name == word) {
                Some(&name) => chosen.insert(name),
                None => {
                    return Err(format!(
                        "`{word}` is not a construct; there are {}",
                        CONSTRUCTS.join(", ")
                    ));
                }
            };
        }
        Ok(Self(chosen))
    }

    /// Is the construct switched on?
    #[must_use]
    pub fn on(&self, name: &str) -> bool {
        debug_assert!(CONSTRUCTS.contains(&name), "{name} is not a construct");
        self.0.contains(name)
    }
}
