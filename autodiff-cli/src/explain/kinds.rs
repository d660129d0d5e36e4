//! The refusals that users meet most, each with an example: what `autodiff explain` prints.

use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "async-block",
        message: "an `async` block cannot be differentiated; compute in plain code",
        why: "An async block runs later, or never; a derivative is computed now.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let later = async { x * x };
    drop(later);
    x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let now = x * x;
    now + x
}
"#,
    },
    Kind {
        name: "async-function",
        message: "an `async fn` cannot be differentiated; move the numeric part into a plain function",
        why: "An async function returns a future and no number.",
        example: r#"#[grad]
async fn f(x: f64) -> f64 {
    x * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "bits-of-a-number",
        message: "bit manipulation of an active float, `to_bits`: the derivative is lost where `from_bits` makes a number again; use arithmetic, or `autodiff::stop_gradient`",
        why: "Bits are integers, and the derivative ends in them.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    f64::from_bits(x.to_bits() + 1)
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x + 1e-16
}
"#,
    },
    Kind {
        name: "cfg-in-a-body",
        message: "whether `#[cfg]` holds is not known to the macro, which would differentiate the code in any case; write `if cfg!(…)`, or two functions with `#[cfg]` above them",
        why: "The attribute makes a statement, an arm or a field both with and without its condition, and rustc takes one; in other places, and as a command, the compiler sees all.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let parts = [x, #[cfg(debug_assertions)] 1.0];
    parts.iter().sum::<f64>() * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let more = if cfg!(debug_assertions) { 1.0 } else { 0.0 };
    (x + more) * x
}
"#,
    },
    Kind {
        name: "closure-as-a-value",
        message: "closure `scale` is used as a value here, which cannot be followed; call it, or turn it into a #[grad] function",
        why: "A closure that is passed on or stored is not followed to where it is called.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let scale = |y: f64| y * x;
    let all = [scale];
    all[0](2.0)
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let scale = |y: f64| y * x;
    scale(2.0)
}
"#,
    },
    Kind {
        name: "collected-into-another-type",
        message: "only a `Vec` of active values can be collected; collect into a `Vec`",
        why: "A list keeps the order of its elements, which other collections do not.",
        example: r#"#[grad]
fn f(xs: &[f64]) -> f64 {
    let set: std::collections::BTreeSet<f64> = xs.iter().map(|x| x * x).collect();
    set.len() as f64 * xs[0]
}
"#,
        instead: r#"#[grad]
fn f(xs: &[f64]) -> f64 {
    let squares: Vec<f64> = xs.iter().map(|x| x * x).collect();
    squares[0] * xs[0]
}
"#,
    },
    Kind {
        name: "dyn-function",
        message: "a `dyn` function as parameter cannot be differentiated; write `fn f<F: Fn(f64) -> f64>(f: F, …)`",
        why: "A type parameter says which function is passed, so its derivatives are known as well; one that is lent, `g: &dyn Fn(f64) -> f64`, is taken for that.",
        example: r#"#[grad]
fn f(g: Box<dyn Fn(f64) -> f64>, x: f64) -> f64 {
    g(x)
}
"#,
        instead: r#"#[grad]
fn f<F: Fn(f64) -> f64>(g: F, x: f64) -> f64 {
    g(x)
}
"#,
    },
    Kind {
        name: "dyn-object",
        message: "a `dyn` trait object cannot be differentiated; use an enum and `match`, or pass the numbers themselves, or where it is no variable write `#[constant]` in front of it",
        why: "Which function a trait object calls is known when the program runs, and its derivatives have to be known before.",
        example: r#"#[grad]
fn f(m: &dyn Model, x: f64) -> f64 {
    m.energy(x)
}
"#,
        instead: r#"enum Model {
    Linear,
    Square,
}

#[grad]
fn f(#[constant] m: &Model, x: f64) -> f64 {
    match m {
        Model::Linear => x,
        Model::Square => x * x,
    }
}
"#,
    },
    Kind {
        name: "function-as-result",
        message: "a function as a result has no tangent; write a #[grad] function that takes its arguments and what it captures, and returns its value",
        why: "A function has no tangent.",
        example: r#"#[grad]
fn f(x: f64) -> impl Fn(f64) -> f64 {
    move |y| x * y
}
"#,
        instead: r#"#[grad]
fn f(x: f64, y: f64) -> f64 {
    x * y
}
"#,
    },
    Kind {
        name: "hidden-in-a-type",
        message: "`Cell` hides an active value from differentiation; use a `let mut` variable, an array or a `Vec`",
        why: "What is in a type with interior mutability may change without a trace.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let cell = std::cell::Cell::new(x);
    cell.get() * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let cell = x;
    cell * x
}
"#,
    },
    Kind {
        name: "impl-trait-parameter",
        message: "`impl Trait` as parameter type has no known tangent; take `&[f64]` or `Vec<f64>`, or where it is no variable write `#[constant]` in front of it",
        why: "The tangent of a parameter must have a type that can be written.",
        example: r#"#[grad]
fn f(xs: impl Iterator<Item = f64>) -> f64 {
    xs.sum()
}
"#,
        instead: r#"#[grad]
fn f(xs: &[f64]) -> f64 {
    xs.iter().sum()
}
"#,
    },
    Kind {
        name: "iterator-as-result",
        message: "an iterator as a result has no tangent; collect it, and return a `Vec`",
        why: "The tangent of a result must have a type that can be written.",
        example: r#"#[grad]
fn f(xs: &[f64]) -> impl Iterator<Item = f64> {
    xs.iter().map(|x| x * x)
}
"#,
        instead: r#"#[grad]
fn f(xs: &[f64]) -> Vec<f64> {
    xs.iter().map(|x| x * x).collect()
}
"#,
    },
    Kind {
        name: "map-of-numbers",
        message: "`BTreeMap` hides its active values from differentiation; use a `Vec` or an array and an index",
        why: "The order and the entries of a map depend on its keys, which the graph does not know.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let mut map = std::collections::BTreeMap::new();
    map.insert(1, x);
    map[&1] * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let map = vec![0.0, x];
    map[1] * x
}
"#,
    },
    Kind {
        name: "no-active-parameter",
        message: "no parameter has a derivative; give the function a float parameter that is not `#[constant]`",
        why: "Derivatives are with respect to floats; integers are constants.",
        example: r#"#[grad]
fn f(n: usize) -> f64 {
    n as f64
}
"#,
        instead: r#"#[grad]
fn f(x: f64, n: usize) -> f64 {
    x * n as f64
}
"#,
    },
    Kind {
        name: "no-such-parameter",
        message: "`z` is no parameter of this function; name one of its parameters",
        why: "`wrt` names parameters of the function.",
        example: r#"#[grad(wrt(z))]
fn f(x: f64, y: f64) -> f64 {
    x * y
}
"#,
        instead: r#"#[grad(wrt(x))]
fn f(x: f64, y: f64) -> f64 {
    x * y
}
"#,
    },
    Kind {
        name: "nothing-to-differentiate",
        message: "return type `u32` has no derivative: there is nothing to differentiate; return a float, remove #[grad], or write #[grad(constant)] if differentiated functions call it",
        why: "The result is an integer, a truth value or text: it does not change smoothly.",
        example: r#"#[grad]
fn f(x: f64) -> u32 {
    x as u32
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x.floor()
}
"#,
    },
    Kind {
        name: "on-a-struct",
        message: "#[grad] differentiates functions; put it on a `fn`",
        why: "Functions have derivatives; types have tangents, which the derive makes.",
        example: r#"#[grad]
struct P {
    x: f64,
}
"#,
        instead: r#"#[derive(Differentiable)]
struct P {
    x: f64,
}
"#,
    },
    Kind {
        name: "order-out-of-range",
        message: "the order is a number from 1 to 3; write `order = 2`",
        why: "Each order takes several times the code of the one before.",
        example: r#"#[grad(order = 4)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
        instead: r#"#[grad(order = 3)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "parameter-hides-its-contents",
        message: "`Rc` hides its contents from differentiation; take a slice or `Vec`, or mark the parameter `#[constant]`",
        why: "A parameter of such a type has no tangent type.",
        example: r#"#[grad]
fn f(x: std::rc::Rc<f64>) -> f64 {
    *x * *x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "raw-pointer",
        message: "a raw pointer to an active value cannot be followed; use a reference or an index",
        why: "What a raw pointer refers to is not known.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    let p = &raw const x;
    let _ = p;
    x * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    let p = &x;
    *p * x
}
"#,
    },
    Kind {
        name: "raw-pointer-parameter",
        message: "a raw pointer hides what it points to from differentiation; take a reference or a slice, or mark the parameter `#[constant]`",
        why: "What a raw pointer refers to is not known.",
        example: r#"#[grad]
fn f(x: *const f64) -> f64 {
    g(x)
}
"#,
        instead: r#"#[grad]
fn f(x: &f64) -> f64 {
    *x * *x
}
"#,
    },
    Kind {
        name: "reference-as-result",
        message: "a reference as return type cannot be differentiated; return an owned value",
        why: "A cotangent belongs to a value of its own.",
        example: r#"#[grad]
fn f(xs: &[f64]) -> &f64 {
    &xs[0]
}
"#,
        instead: r#"#[grad]
fn f(xs: &[f64]) -> f64 {
    xs[0]
}
"#,
    },
    Kind {
        name: "result-as-a-parameter",
        message: "a result as a parameter has no derivative; take what is in it, or mark the parameter `#[constant]`",
        why: "Errors have no derivative.",
        example: r#"#[grad]
fn f(x: Result<f64, String>) -> f64 {
    x.unwrap()
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "result-in-a-result",
        message: "a result in a result has no derivative; use `?` on one of them",
        why: "A function fails once: its errors have no derivative.",
        example: r#"#[grad]
fn f(x: f64) -> Result<Result<f64, String>, String> {
    Ok(Ok(x))
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> Result<f64, String> {
    Ok(x * x)
}
"#,
    },
    Kind {
        name: "skip-of-a-function",
        message: "`skip` stands alone, on a function of an `impl` block or a trait that has #[grad]; remove the attribute from what is to have no derivatives",
        why: "It takes a function out of a block that has derivatives; elsewhere a function has none without the attribute.",
        example: r#"#[grad(skip)]
fn load(path: &str) -> f64 {
    path.len() as f64
}
"#,
        instead: r#"#[derive(Clone, Differentiable)]
struct Table {
    scale: f64,
}

#[grad]
impl Table {
    #[grad(skip)]
    fn load(path: &str) -> Table {
        Table { scale: path.len() as f64 }
    }

    fn at(&self, x: f64) -> f64 {
        self.scale * x
    }
}
"#,
    },
    Kind {
        name: "returns-nothing",
        message: "this function returns nothing and writes to no `&mut` parameter of floats: there is nothing to differentiate; return a float, or take `&mut [f64]`; what only checks returns a `Result` and needs no #[grad]",
        why: "There is neither a result nor memory that the caller sees.",
        example: r#"#[grad]
fn f(x: f64) {
    let _ = x * x;
}
"#,
        instead: r#"#[grad]
fn f(x: f64, out: &mut [f64]) {
    out[0] = x * x;
}
"#,
    },
    Kind {
        name: "union",
        message: "a union has no derivative: which of its fields is there is not known; use a struct or an enum",
        why: "Which field of a union is there is not known.",
        example: r#"#[derive(Differentiable)]
union U {
    x: f64,
    y: f64,
}
"#,
        instead: r#"#[derive(Differentiable)]
enum U {
    X(f64),
    Y(f64),
}
"#,
    },
    Kind {
        name: "unknown-macro",
        message: "macro `square!` uses active values and cannot be looked into; write the expression out, or turn the macro into a #[grad] function",
        why: "What a macro of another crate expands to is not seen.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    square!(x) + x
}
"#,
        instead: r#"fn square(x: f64) -> f64 {
    x * x
}

#[grad]
fn f(x: f64) -> f64 {
    let y = x * x;
    y + x
}
"#,
    },
    Kind {
        name: "unknown-mode",
        message: "this is no mode; write `mode = forward` or `mode = reverse`",
        why: "There are two modes; without this option the macro chooses.",
        example: r#"#[grad(mode = backward)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
        instead: r#"#[grad(mode = reverse)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "unknown-option",
        message: "unknown option `ordre`; known are `wrt(…)`, `name = …`, `crate = …`, `mode = …`, `order = …`, `partials = (…)`, `implicit = …`, `solve = …`, `vjp = …`, `jvp = …`, `assume_std`, `constant`, `dynamic`, `checkpoint`, `fallible`, `recursive`, `report`, `skip`, `strong_zero`, `trace` and `verify`",
        why: "The attribute has options of its own.",
        example: r#"#[grad(ordre = 2)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
        instead: r#"#[grad(order = 2)]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "unsafe-block",
        message: "an `unsafe` block with active values cannot be differentiated; write it in safe code",
        why: "What unsafe code does to memory cannot be seen, so neither can what depends on it.",
        example: r#"#[grad]
fn f(x: f64) -> f64 {
    unsafe { *(&x as *const f64) * x }
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "unsafe-function",
        message: "an `unsafe fn` cannot be differentiated; make the function safe",
        why: "The caller of an unsafe function promises something that derivatives cannot promise.",
        example: r#"#[grad]
unsafe fn f(x: f64) -> f64 {
    x * x
}
"#,
        instead: r#"#[grad]
fn f(x: f64) -> f64 {
    x * x
}
"#,
    },
    Kind {
        name: "untyped-parameter",
        message: "the type of a parameter must be written; write it out",
        why: "Derivatives repeat the types of the parameters.",
        example: r#"#[grad]
fn f(x: [_; 2]) -> f64 {
    x[0] * x[1]
}
"#,
        instead: r#"#[grad]
fn f(x: [f64; 2]) -> f64 {
    x[0] * x[1]
}
"#,
    },
];
