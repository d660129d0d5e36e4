//! The chapters of the book, whose blocks of code are tests here.

/// A module for each chapter.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        $(
            #[doc = include_str!($file)]
            mod $name {}
        )*
    };
}

chapters! {
    start: "src/start.md",
    body: "src/body.md",
    types: "src/types.md",
    methods: "src/methods.md",
    generic: "src/generic.md",
    fallible: "src/fallible.md",
    functions: "src/functions.md",
    own: "src/own.md",
    refusals: "src/refusals.md",
    refusals_by_kind: "src/refusals-by-kind.md",
    memory: "src/memory.md",
    second: "src/second.md",
    matrices: "src/matrices.md",
    tensors: "src/tensors.md",
    tape: "src/tape.md",
    solvers: "src/solvers.md",
    inside: "src/inside.md",
    speed: "src/speed.md",
    reference: "src/reference.md",
    coming: "src/coming.md",
    compiler: "src/compiler.md",
    limits: "src/limits.md",
}

#[cfg(feature = "sparse")]
chapters! {
    sparse: "src/sparse.md",
}
