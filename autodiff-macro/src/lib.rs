//! The attribute `#[grad]` and the derive `Differentiable`, as rustc calls them: the compiler is `autodiff-compiler`.
#![forbid(unsafe_code)]

use autodiff_compiler::Features;
use proc_macro::TokenStream;

/// What the crate `autodiff` was built with.
const FEATURES: Features = Features {
    tensor: cfg!(feature = "tensor"),
    nalgebra: cfg!(feature = "nalgebra"),
    ndarray: cfg!(feature = "ndarray"),
    num_complex: cfg!(feature = "num-complex"),
    sparse: cfg!(feature = "sparse"),
};

/// Differentiates a function at compile time.
///
/// The function stays as it is; beside it appears a type of the same name with its derivatives as associated functions:
/// `grad`, `value_and_grad`, `jvp`, `vjp`, `grad_into`, `vjp_into`, `pullback`, `jacobian` and its variants.
/// The book in the repository says what they take and return, what a body may contain, and what derivatives mean at kinks.
///
/// Parameters without floats are constants, as are those marked `#[constant]`.
///
/// | option | |
/// |---|---|
/// | `wrt(a, b)` | the parameters to differentiate with respect to, by name |
/// | `name = T` | the name of the type beside the function |
/// | `crate = path` | where the crate `autodiff` is found, if not at `::autodiff` |
/// | `mode = forward`, `mode = reverse` | how gradients are computed, if not as the macro thinks best: forward for few inputs of a recurrence, reverse otherwise |
/// | `order = 2`, `order = 3` | second derivatives, too: `hvp`, `hessian`, `value_grad_hessian`; and third ones: `hvp_jvp` |
/// | `partials = (e₁, …)`, `vjp = p`, `jvp = q`, `constant` | derivatives of your own, or zero |
/// | `assume_std` | the methods of a type parameter that are named like those of floats are these, though its bounds do not say so; debug builds compare |
/// | `dynamic` | the derivatives run the body on a tape: any control flow, boxed closures, maps, recursion; for what the other mode refuses |
/// | `checkpoint` | the outermost loops keep few states, and run again in the reverse sweep |
/// | `verify` | the reverse sweep compares what it reads or computes again with what it remembered, and panics at a difference |
///
/// What cannot be differentiated correctly is a compile error at the place, which says what to write instead.
#[proc_macro_attribute]
pub fn grad(args: TokenStream, item: TokenStream) -> TokenStream {
    let (args, item) = (args.into(), item.into());
    if let Some(each) = autodiff_compiler::conditional(&args, &item) {
        return each.into();
    }
    let expanded = FEATURES.within(|| autodiff_compiler::grad_for_rustc(args, item));
    autodiff_compiler::wrapped(expanded).into()
}

/// The items in its arguments, in place of what it stands above.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn beside(items: TokenStream, _: TokenStream) -> TokenStream {
    items
}

/// Gives a type of your own a tangent, so that it can be differentiated.
///
/// For `struct P`, a struct `PTangent` with the same fields: each holds the tangent of the field's type, `()` where that is no float and holds none.
/// The traits `Differentiable` and `Parameters` are implemented for `P`, `Tangent` for `PTangent`.
///
/// A field marked `#[constant]` has tangent `()`, whatever its type, and so has one of type `PhantomData`.
/// `#[differentiable(crate = path)]` says where the crate `autodiff` is found, if not at `::autodiff`.
///
/// A field whose type has no derivative is an error at that field.
#[proc_macro_derive(Differentiable, attributes(constant, differentiable))]
pub fn differentiable(input: TokenStream) -> TokenStream {
    FEATURES
        .within(|| autodiff_compiler::differentiable(input.into()))
        .into()
}
