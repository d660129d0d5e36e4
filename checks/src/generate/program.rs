//! What the generator makes: a program as a tree of statements, and its rendering as source text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::matrices::Matrix;
use super::tensors::Shape;

/// Marks the start of a subexpression that may be moved into a `let` of its own.
pub const OPEN: char = '⟦';
/// Marks the end of such a subexpression.
pub const CLOSE: char = '⟧';

/// A piece of a statement: text, or a nested list of statements.
#[derive(Debug, Clone)]
pub enum Part {
    /// Source text, perhaps with marks around movable subexpressions.
    Text(String),
    /// The statements of a block.
    Body(Vec<Stmt>),
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// The pieces, in order of the source.
    pub parts: Vec<Part>,
    /// What may stand in its place so that the rest still compiles: empty unless it binds names.
    pub stub: String,
    /// The names it binds or changes, nested statements included.
    pub writes: BTreeSet<String>,
}

impl Stmt {
    /// A statement that binds nothing.
    pub fn new(text: impl Into<String>, writes: &[&str]) -> Self {
        Self {
            parts: vec![Part::Text(text.into())],
            stub: String::new(),
            writes: writes.iter().map(|&name| root(name)).collect(),
        }
    }

    /// A statement that binds names; `stub` binds the same names to some constants.
    pub fn binding(text: impl Into<String>, stub: impl Into<String>, writes: &[&str]) -> Self {
        Self {
            stub: stub.into(),
            ..Self::new(text, writes)
        }
    }

    /// A statement with blocks in it.
    pub fn nested(parts: Vec<Part>, stub: impl Into<String>, writes: &[&str]) -> Self {
        let mut names: BTreeSet<String> = writes.iter().map(|&name| root(name)).collect();
        for part in &parts {
            if let Part::Body(body) = part {
                names.extend(body.iter().flat_map(|stmt| stmt.writes.iter().cloned()));
            }
        }
        Self {
            parts,
            stub: stub.into(),
            writes: names,
        }
    }

    /// Its text on lines of their own, without marks.
    pub fn render(&self, indent: usize, out: &mut String) {
        let pad = "    ".repeat(indent);
        let mut at_line_start = true;
        for part in &self.parts {
            match part {
                Part::Text(text) => {
                    for (number, line) in plain(text).split('\n').enumerate() {
                        if number > 0 {
                            out.push('\n');
                            at_line_start = true;
                        }
                        if at_line_start && !line.is_empty() {
                            out.push_str(&pad);
                            at_line_start = false;
                        }
                        out.push_str(line);
                    }
                }
                Part::Body(body) => {
                    out.push('\n');
                    for stmt in body {
                        stmt.render(indent + 1, out);
                    }
                    at_line_start = true;
                }
            }
        }
        out.push('\n');
    }

    /// The names that occur in its text.
    pub fn names(&self) -> BTreeSet<String> {
        let mut text = String::new();
        self.render(0, &mut text);
        identifiers(&text)
    }
}

/// The variable at the root of a place such as `a[i]` or `*v`.
fn root(place: &str) -> String {
    place
        .trim_start_matches('*')
        .split(['[', '.'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The identifiers in a piece of source text (a superset of the variables).
fn identifiers(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .map(str::to_owned)
        .collect()
}

/// The text without marks.
#[must_use]
pub fn plain(text: &str) -> String {
    text.replace([OPEN, CLOSE], "")
}

/// How a parameter is passed and what it holds; lengths are those of every point the program is run at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// `S`
    Scalar,
    /// `(S, S)`
    Pair,
    /// `[S; n]`
    Array(usize),
    /// `&[S; n]`
    RefArray(usize),
    /// `&[[S; n]; m]`
    RefNested(usize, usize),
    /// `&[S]`
    Slice(usize),
    /// `Vec<S>`
    Vector(usize),
    /// `&mut [S]`
    MutSlice(usize),
    /// `&mut [S; n]`
    MutArray(usize),
    /// `&mut S`
    MutScalar,
    /// `Tensor<S>`
    Tensor(Shape),
    /// `&Tensor<S>`
    RefTensor(Shape),
    /// `&mut Tensor<S>`
    MutTensor(Shape),
    /// A matrix of another crate
    Matrix(Matrix),
    /// `&` of one
    RefMatrix(Matrix),
    /// `&mut` of one
    MutMatrix(Matrix),
    /// `usize`, between 0 and the bound, both included
    Int(usize),
    /// `&[usize]` of a length, every entry below the bound
    Indices(usize, usize),
    /// `bool`
    Flag,
    /// `#[constant] S`
    ConstantScalar,
    /// `#[constant] &[S]`
    ConstantSlice(usize),
}

impl ParamType {
    /// The type as written in the source.
    #[must_use]
    pub fn source(self, scalar: &str) -> String {
        match self {
            Self::Scalar | Self::ConstantScalar => scalar.to_owned(),
            Self::Pair => format!("({scalar}, {scalar})"),
            Self::Array(n) => format!("[{scalar}; {n}]"),
            Self::RefArray(n) => format!("&[{scalar}; {n}]"),
            Self::RefNested(m, n) => format!("&[[{scalar}; {n}]; {m}]"),
            Self::Slice(_) | Self::ConstantSlice(_) => format!("&[{scalar}]"),
            Self::Vector(_) => format!("Vec<{scalar}>"),
            Self::MutSlice(_) => format!("&mut [{scalar}]"),
            Self::MutArray(n) => format!("&mut [{scalar}; {n}]"),
            Self::MutScalar => format!("&mut {scalar}"),
            Self::Tensor(_) => format!("Tensor<{scalar}>"),
            Self::RefTensor(_) => format!("&Tensor<{scalar}>"),
            Self::MutTensor(_) => format!("&mut Tensor<{scalar}>"),
            Self::Matrix(matrix) => matrix.source(scalar),
            Self::RefMatrix(matrix) => format!("&{}", matrix.source(scalar)),
            Self::MutMatrix(matrix) => format!("&mut {}", matrix.source(scalar)),
            Self::Int(_) => "usize".to_owned(),
            Self::Indices(..) => "&[usize]".to_owned(),
            Self::Flag => "bool".to_owned(),
        }
    }

    /// The number of scalars in it that can be differentiated.
    #[must_use]
    pub fn scalars(self) -> usize {
        match self {
            Self::Scalar | Self::MutScalar => 1,
            Self::Pair => 2,
            Self::Array(n)
            | Self::RefArray(n)
            | Self::Slice(n)
            | Self::Vector(n)
            | Self::MutSlice(n)
            | Self::MutArray(n) => n,
            Self::RefNested(m, n) => m * n,
            Self::Tensor(shape) | Self::RefTensor(shape) | Self::MutTensor(shape) => shape.count(),
            Self::Matrix(matrix) | Self::RefMatrix(matrix) | Self::MutMatrix(matrix) => {
                matrix.count()
            }
            _ => 0,
        }
    }

    /// Is it differentiable (even if it is empty)?
    #[must_use]
    pub fn is_active(self) -> bool {
        !matches!(
            self,
            Self::Int(_)
                | Self::Indices(..)
                | Self::Flag
                | Self::ConstantScalar
                | Self::ConstantSlice(_)
        )
    }

    /// Is it an input and an output?
    #[must_use]
    pub fn is_mut(self) -> bool {
        matches!(
            self,
            Self::MutSlice(_)
                | Self::MutArray(_)
                | Self::MutScalar
                | Self::MutTensor(_)
                | Self::MutMatrix(_)
        )
    }

    /// Does it carry `#[constant]`?
    #[must_use]
    pub fn is_marked(self) -> bool {
        matches!(self, Self::ConstantScalar | Self::ConstantSlice(_))
    }
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it is.
    pub ty: ParamType,
    /// Is it declared `mut`?
    pub mutable: bool,
}

/// What a function returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// Nothing: the function works on its `&mut` parameters.
    Unit,
    /// `S`
    Scalar,
    /// `(S, S)`
    Pair,
    /// `[S; n]`
    Array(usize),
    /// `Vec<S>`
    Vector(usize),
    /// `Tensor<S>`
    Tensor(Shape),
    /// A matrix of another crate
    Matrix(Matrix),
    /// `Option<S>`, of called functions
    Maybe,
    /// `Result<S, E>` with an error of that name, of called functions
    Fallible(&'static str),
}

impl ResultType {
    /// The type as written in the source.
    #[must_use]
    pub fn source(self, scalar: &str) -> String {
        match self {
            Self::Unit => "()".to_owned(),
            Self::Scalar => scalar.to_owned(),
            Self::Pair => format!("({scalar}, {scalar})"),
            Self::Array(n) => format!("[{scalar}; {n}]"),
            Self::Vector(_) => format!("Vec<{scalar}>"),
            Self::Tensor(_) => format!("Tensor<{scalar}>"),
            Self::Matrix(matrix) => matrix.source(scalar),
            Self::Maybe => format!("Option<{scalar}>"),
            Self::Fallible(error) => format!("Result<{scalar}, {error}>"),
        }
    }

    /// The number of scalars in it.
    #[must_use]
    pub fn scalars(self) -> usize {
        match self {
            Self::Unit => 0,
            Self::Scalar | Self::Maybe | Self::Fallible(_) => 1,
            Self::Pair => 2,
            Self::Array(n) | Self::Vector(n) => n,
            Self::Tensor(shape) => shape.count(),
            Self::Matrix(matrix) => matrix.count(),
        }
    }

    /// A constant of this type.
    #[must_use]
    pub fn constant(self, scalar: &str) -> String {
        match self {
            Self::Unit => "()".to_owned(),
            Self::Scalar => format!("0.0{scalar}"),
            Self::Pair => format!("(0.0{scalar}, 0.0{scalar})"),
            Self::Array(n) => format!("[0.0{scalar}; {n}]"),
            Self::Vector(n) => format!("vec![0.0{scalar}; {n}]"),
            Self::Tensor(shape) => format!("Tensor::<{scalar}>::zeros({})", shape.text()),
            Self::Matrix(matrix) => matrix.constant(scalar),
            Self::Maybe => format!("Some(0.0{scalar})"),
            Self::Fallible(_) => format!("Ok(0.0{scalar})"),
        }
    }
}

/// What a generic function asks of its float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The crate's own trait.
    Ours,
    /// That of another crate.
    OfAnotherCrate,
    /// A trait that is built on the crate's own.
    Built,
    /// A trait of the program's own, with methods of its own.
    Own,
}

/// A trait that is built on the crate's own, as a user's may be.
pub trait OwnFloat: autodiff_runtime::float::Float {}
impl OwnFloat for f64 {}
impl OwnFloat for f32 {}

impl Bound {
    fn generics(self) -> &'static str {
        match self {
            Bound::Ours => "<T: autodiff::Float>",
            Bound::OfAnotherCrate => "<T: num_traits::Float>",
            Bound::Own => {
                "<T: Curved + autodiff::Differentiable + std::ops::Add<Output = T> + std::ops::Mul<Output = T>>"
            }
            Bound::Built => "<T: autodiff_checks::generate::OwnFloat>",
        }
    }

    /// Constants as this bound has them, in code that has them as the crate's own.
    #[must_use]
    pub fn constants(self, code: &str) -> String {
        if self != Bound::OfAnotherCrate {
            return code.to_owned();
        }
        let named = code
            .replace("T::ZERO", "T::zero()")
            .replace("T::ONE", "T::one()");
        let mut parts = named.split("T::from_f64(");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out += "T::from(";
            // The literal has no parentheses.
            out += &part.replacen(')', ").unwrap()", 1);
        }
        out
    }
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it returns.
    pub result: ResultType,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The expression at its end (empty for `Unit`), with marks.
    pub tail: String,
    /// What it asks of its float, if it is generic in it.
    pub generic: Option<Bound>,
}

impl Function {
    /// The first line, up to the opening brace.
    #[must_use]
    pub fn signature(&self, scalar: &str) -> String {
        let (scalar, generics) = match self.generic {
            Some(bound) => ("T", bound.generics()),
            None => (scalar, ""),
        };
        let params: Vec<String> = self
            .params
            .iter()
            .map(|param| {
                let marker = if param.ty.is_marked() {
                    "#[constant] "
                } else {
                    ""
                };
                let mutable = if param.mutable { "mut " } else { "" };
                format!(
                    "{marker}{mutable}{}: {}",
                    param.name,
                    param.ty.source(scalar)
                )
            })
            .collect();
        let result = if self.result == ResultType::Unit {
            String::new()
        } else {
            format!(" -> {}", self.result.source(scalar))
        };
        let params = params.join(", ");
        format!("pub fn {}{generics}({params}){result}", self.name)
    }

    /// The function as source text; `attribute` is `#[grad]` or empty.
    #[must_use]
    pub fn render(&self, scalar: &str, attribute: &str) -> String {
        let mut out = String::new();
        let mut signature = self.signature(scalar);
        if attribute.is_empty() {
            signature = signature.replace("#[constant] ", "");
        } else {
            let _ = writeln!(out, "{attribute}");
        }
        let _ = writeln!(out, "{signature} {{");
        for stmt in &self.body {
            stmt.render(1, &mut out);
        }
        if !self.tail.is_empty() {
            Stmt::new(self.tail.clone(), &[]).render(1, &mut out);
        }
        out.push_str("}\n");
        out
    }
}

/// Values of the parameters: those that can be differentiated flat and in order, the others as source text in order.
#[derive(Debug, Clone)]
pub struct Point {
    /// The differentiable scalars.
    pub active: Vec<f64>,
    /// The other arguments, as the text of expressions.
    pub inactive: Vec<String>,
}

/// A generated program: constants, called functions, and the function that is judged.
#[derive(Debug, Clone)]
pub struct Program {
    /// The seed of the series.
    pub seed: u64,
    /// Its place in the series.
    pub index: u64,
    /// `f64` or `f32`.
    pub scalar: &'static str,
    /// Items before the functions.
    pub items: Vec<String>,
    /// The functions it calls.
    pub helpers: Vec<Function>,
    /// The function that is judged.
    pub main: Function,
    /// Where it is judged.
    pub points: Vec<Point>,
    /// The traps in it.
    pub traps: Vec<&'static str>,
    /// The constructs in it.
    pub constructs: BTreeSet<&'static str>,
}

impl Program {
    /// The name of its module in a batch.
    #[must_use]
    pub fn module(&self) -> String {
        format!("p{:05}", self.index)
    }

    /// The whole program as source text; `attribute` is `#[grad]` or empty.
    #[must_use]
    pub fn render(&self, attribute: &str) -> String {
        self.render_with(attribute, attribute, attribute)
    }

    /// The same with attributes of their own for the types, the called functions, and the judged one.
    #[must_use]
    pub fn render_with(&self, types: &str, called: &str, judged: &str) -> String {
        let mut out = String::new();
        for item in &self.items {
            let item = item.replace("#[autodiff::grad]", types);
            out.push_str(&item);
            out.push('\n');
        }
        let called = self.helpers.iter().map(|function| (function, called));
        for (function, attribute) in called.chain([(&self.main, judged)]) {
            out.push('\n');
            out.push_str(&function.render(self.scalar, attribute));
        }
        out
    }
}
