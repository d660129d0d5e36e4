//! Matrices of nalgebra and arrays of ndarray: parameters, locals, results and fields of them; their sizes are known while the text is written.

#![allow(
    clippy::unnecessary_wraps,
    reason = "statements are made by functions of one type"
)]

use super::expr::Expr;
use super::scope::{Kind, Var};
use super::tensors::Held;
use super::{Generator, ParamType, ResultType, Stmt, plain};

/// A type of another crate that holds floats, and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// `SVector<S, n>`
    Vector(usize),
    /// `SMatrix<S, n, n>`
    Square(usize),
    /// `DVector<S>`
    Column(usize),
    /// `DMatrix<S>`
    Rectangle(usize, usize),
    /// `Array1<S>`
    Row(usize),
    /// `Array2<S>`
    Table(usize, usize),
}

impl Matrix {
    /// The type as written in the source.
    #[must_use]
    pub fn source(self, scalar: &str) -> String {
        match self {
            Self::Vector(n) => format!("nalgebra::SVector<{scalar}, {n}>"),
            Self::Square(n) => format!("nalgebra::SMatrix<{scalar}, {n}, {n}>"),
            Self::Column(_) => format!("nalgebra::DVector<{scalar}>"),
            Self::Rectangle(..) => format!("nalgebra::DMatrix<{scalar}>"),
            Self::Row(_) => format!("ndarray::Array1<{scalar}>"),
            Self::Table(..) => format!("ndarray::Array2<{scalar}>"),
        }
    }

    /// The number of rows and of columns.
    fn sizes(self) -> (usize, usize) {
        match self {
            Self::Vector(n) | Self::Column(n) | Self::Row(n) => (n, 1),
            Self::Square(n) => (n, n),
            Self::Rectangle(m, n) | Self::Table(m, n) => (m, n),
        }
    }

    /// The number of entries.
    #[must_use]
    pub fn count(self) -> usize {
        let (m, n) = self.sizes();
        m * n
    }

    /// One with these entries, row by row.
    fn of(self, entries: &[String]) -> String {
        let list = entries.join(", ");
        let (m, n) = self.sizes();
        match self {
            Self::Vector(n) => format!("nalgebra::SVector::<_, {n}>::new({list})"),
            Self::Square(n) => format!("nalgebra::SMatrix::<_, {n}, {n}>::new({list})"),
            Self::Column(_) => format!("nalgebra::DVector::from_vec(vec![{list}])"),
            Self::Rectangle(..) => {
                format!("nalgebra::DMatrix::from_row_slice({m}, {n}, &[{list}])")
            }
            Self::Row(_) => format!("ndarray::array![{list}]"),
            Self::Table(..) => {
                let rows: Vec<String> = entries
                    .chunks(n)
                    .map(|row| format!("[{}]", row.join(", ")))
                    .collect();
                format!("ndarray::array![{}]", rows.join(", "))
            }
        }
    }

    /// A constant of this type.
    #[must_use]
    pub fn constant(self, scalar: &str) -> String {
        self.of(&vec![format!("0.5{scalar}"); self.count()])
    }

    fn is_of_ndarray(self) -> bool {
        matches!(self, Self::Row(_) | Self::Table(..))
    }

    fn is_copy(self) -> bool {
        matches!(self, Self::Vector(_) | Self::Square(_))
    }

    /// What has this as many columns as rows, and rows as columns.
    fn transposed(self) -> Option<Self> {
        match self {
            Self::Square(_) => Some(self),
            Self::Rectangle(m, n) => Some(Self::Rectangle(n, m)),
            Self::Table(m, n) => Some(Self::Table(n, m)),
            _ => None,
        }
    }

    /// Two whose product this is, with so many terms in each entry.
    fn factors(self, k: usize) -> (Self, Self) {
        match self {
            Self::Vector(n) => (Self::Square(n), self),
            Self::Square(_) => (self, self),
            Self::Column(n) => (Self::Rectangle(n, k), Self::Column(k)),
            Self::Rectangle(m, n) => (Self::Rectangle(m, k), Self::Rectangle(k, n)),
            Self::Row(n) => (Self::Table(n, k), Self::Row(k)),
            Self::Table(m, n) => (Self::Table(m, k), Self::Table(k, n)),
        }
    }
}

/// A type with fields of matrices, over the float `S`.
const POSE: &str = "\
#[derive(Clone, autodiff::Differentiable)]
pub struct Pose { pub at: nalgebra::SVector<S, 3>, pub turn: nalgebra::SMatrix<S, 3, 3>, pub xs: ndarray::Array1<S>, #[constant] pub fixed: nalgebra::DVector<S> }

#[autodiff::grad]
impl Pose {
    pub fn seen(&self, k: S) -> S { (self.turn * self.at * k).dot(&self.at) + self.xs.dot(&self.xs) * self.fixed[0] }
    pub fn step(&mut self, k: S) { self.at += (self.turn * self.at).map(|z| z.sin()) * k; self.xs = self.xs.mapv(|z| (z * k).cos()); }
    pub fn moved(&self, by: &nalgebra::SVector<S, 3>) -> nalgebra::SVector<S, 3> { (self.at + self.turn.transpose() * by).map(|z| z.tanh()) }
}
";

/// A kind of statement; `None` if the scope has not what it needs.
type Writer = fn(&mut Generator) -> Option<Vec<Stmt>>;

/// The kinds with their weights.
const STATEMENTS: &[(u32, Writer)] = &[
    (8, Generator::let_matrix),
    (6, Generator::assign_matrix),
    (6, Generator::compound_matrix),
    (6, Generator::store_entry),
    (4, Generator::let_number_of_matrix),
    (3, Generator::walk_through_matrix),
    (2, Generator::pose_value),
];

impl Generator {
    /// A matrix for a parameter, a local or a result, of at most so many entries.
    pub(crate) fn new_matrix(&mut self, most: usize) -> Matrix {
        let n = self.random.between(2, 3);
        let (m, k) = (self.random.between(1, 2), self.random.between(2, 3));
        let found = match self.random.below(6) {
            0 => Matrix::Vector(n),
            1 => Matrix::Square(n),
            2 => Matrix::Column(n),
            3 => Matrix::Rectangle(m, k),
            4 => Matrix::Row(n),
            _ => Matrix::Table(m, k),
        };
        if found.count() > most {
            Matrix::Vector(2)
        } else {
            found
        }
    }

    /// The type of some matrix in scope, or a new one.
    fn some_matrix(&mut self) -> Matrix {
        match self.any(|var| matches!(var.kind, Kind::Matrix(..))) {
            Some(Var {
                kind: Kind::Matrix(matrix, _),
                ..
            }) if self.random.chance(0.7) => matrix,
            _ => self.new_matrix(9),
        }
    }

    /// The parameters of the judged function, if matrices are among them: few enough entries for second derivatives.
    pub(crate) fn matrix_parameters(&mut self) -> Vec<ParamType> {
        let mut types = vec![ParamType::Scalar];
        let mut left = 7;
        for _ in 0..self.random.between(1, 2) {
            let matrix = self.new_matrix(left.min(6));
            left -= matrix.count().min(left);
            types.push(self.passed_matrix(matrix));
        }
        if self.random.chance(0.3) && self.on.on("slice") {
            types.push(ParamType::Slice(self.random.between(1, 3)));
        }
        if self.random.chance(0.3) {
            types.push(ParamType::Int(self.random.between(1, 3)));
        }
        types
    }

    fn passed_matrix(&mut self, matrix: Matrix) -> ParamType {
        match self.random.below(8) {
            0..=2 => ParamType::Matrix(matrix),
            3 if self.on.on("mut_param") => ParamType::MutMatrix(matrix),
            _ => ParamType::RefMatrix(matrix),
        }
    }

    /// Writes a function of matrices that later ones may call.
    pub(crate) fn write_matrix_helper(&mut self) {
        let matrix = self.new_matrix(9);
        let mut types = vec![self.passed_matrix(matrix)];
        if self.random.chance(0.5) {
            types.push(ParamType::Scalar);
        }
        let result = match self.random.below(4) {
            0 => ResultType::Scalar,
            1 if self.on.on("tuple") => ResultType::Pair,
            _ => ResultType::Matrix(self.new_matrix(9)),
        };
        let name = self.fresh("h");
        let budget = self.random.between(1, 3);
        let function = self.write_function(&name, &types, result, budget, 0);
        self.helpers.push(function);
    }

    /// A statement about matrices.
    pub(crate) fn matrix_statement(&mut self) -> Option<Vec<Stmt>> {
        (0..8).find_map(|_| {
            let writer = self.random.weighted(STATEMENTS)?;
            writer(self)
        })
    }

    /// A variable for a matrix.
    pub(crate) fn matrix_var(name: &str, matrix: Matrix, held: Held, mutable: bool) -> Var {
        Var::new(name, Kind::Matrix(matrix, held), mutable, 3.0)
    }

    /// A matrix of this type, as text that can stand before a dot; its entries are at most about 3.
    pub(crate) fn matrix(&mut self, depth: usize, matrix: Matrix) -> String {
        if depth == 0 {
            return self.matrix_leaf(matrix);
        }
        let map = if matrix.is_of_ndarray() {
            "mapv"
        } else {
            "map"
        };
        let a = self.matrix(depth - 1, matrix);
        match self.random.below(12) {
            0 => format!("({a} + {}) * 0.5", self.other_operand(depth, matrix)),
            1 => format!("({a} - {}) * 0.5", self.other_operand(depth, matrix)),
            2 => format!("{a} * {}", self.fixed_atom(1.0)),
            3 => {
                let by = self.fixed_atom(3.0);
                format!("{a} / (1.2 + {by} * {by})")
            }
            4 => {
                let by = self.fixed_atom(2.0);
                format!("{a}.{map}(|z| (z * {by}).sin())")
            }
            5 if matrix.is_of_ndarray() => {
                let b = self.matrix(depth - 1, matrix);
                format!("(&{a} * &{b}).mapv(|z| z.tanh())")
            }
            5 => {
                let b = self.matrix(depth - 1, matrix);
                format!("{a}.component_mul(&{b}).map(|z| z.tanh())")
            }
            6 => format!("-{a}"),
            7 | 8 => {
                let k = self.random.between(1, 3);
                let (left, right) = matrix.factors(k);
                let (left, right) = (self.matrix(depth - 1, left), self.matrix(depth - 1, right));
                if matrix.is_of_ndarray() {
                    format!("{left}.dot(&{right}).mapv(|z| z.sin())")
                } else {
                    format!("({left} * {right}).map(|z| z.cos())")
                }
            }
            9 => match (matrix, matrix.transposed()) {
                (_, Some(other)) => {
                    let other = self.matrix(depth - 1, other);
                    if matrix.is_of_ndarray() {
                        format!("{other}.t().to_owned()")
                    } else {
                        format!("{other}.transpose()")
                    }
                }
                (Matrix::Vector(3), _) => {
                    let b = self.matrix(depth - 1, matrix);
                    format!("{a}.cross(&{b}).map(|z| z.tanh())")
                }
                (Matrix::Row(n), _) => {
                    let table = self.matrix(depth - 1, Matrix::Table(2, n));
                    format!("{table}.row({}).to_owned()", self.index(2))
                }
                _ => format!("{a}.{map}(|z| z.atan())"),
            },
            10 if !matrix.is_of_ndarray() => {
                let b = self.matrix(depth - 1, matrix);
                format!("{a}.zip_map(&{b}, |y, z| (y * z).sin())")
            }
            _ => match self.matrix_call(matrix) {
                Some(call) => format!("{call}.{map}(|z| z.sin())"),
                None => {
                    let (condition, b) = (self.condition(), self.matrix(depth - 1, matrix));
                    format!("if {condition} {{ {a} }} else {{ {b} }}")
                }
            },
        }
        .closed()
    }

    /// A number as an operand, of which nothing may be moved out.
    fn fixed_atom(&mut self, limit: f64) -> String {
        plain(&self.float(1, limit).atom())
    }

    /// A call of a function that gives such a matrix and changes nothing.
    fn matrix_call(&mut self, matrix: Matrix) -> Option<String> {
        let helper = self.helper(|function| {
            function.result == ResultType::Matrix(matrix)
                && function.params.iter().all(|param| !param.ty.is_mut())
        })?;
        let (arguments, _) = self.arguments(&helper)?;
        Some(format!("{}({arguments})", helper.name))
    }

    /// What stands behind an operator: a value, or a reference to a variable.
    fn other_operand(&mut self, depth: usize, matrix: Matrix) -> String {
        if self.random.chance(0.5) {
            if let Some(lent) = self.lent_variable(matrix) {
                return lent;
            }
        }
        let value = self.matrix(depth - 1, matrix);
        if self.random.chance(0.3) {
            format!("&{value}")
        } else {
            value
        }
    }

    /// A reference to a variable of this type.
    fn lent_variable(&mut self, matrix: Matrix) -> Option<String> {
        let var = self.any(|var| matches!(var.kind, Kind::Matrix(other, _) if other == matrix))?;
        Some(match var.kind {
            Kind::Matrix(_, Held::Shared) => var.name,
            Kind::Matrix(_, Held::Changed) => format!("&*{}", var.name),
            _ => format!("&{}", var.name),
        })
    }

    /// An argument for a parameter that is a reference.
    pub(crate) fn lent_matrix(&mut self, matrix: Matrix) -> String {
        match self.lent_variable(matrix) {
            Some(lent) => lent,
            None => format!("&{}", self.matrix(1, matrix)),
        }
    }

    fn matrix_leaf(&mut self, matrix: Matrix) -> String {
        if self.random.chance(0.8) {
            let var = self.any(|var| matches!(var.kind, Kind::Matrix(other, _) if other == matrix));
            if let Some(var) = var {
                return match var.kind {
                    Kind::Matrix(_, Held::Owned) if matrix.is_copy() => var.name,
                    Kind::Matrix(_, _) if matrix.is_copy() => format!("(*{})", var.name),
                    _ => format!("{}.clone()", var.name),
                };
            }
        }
        let entries: Vec<String> = (0..matrix.count())
            .map(|k| {
                let depth = usize::from(k < 2);
                plain(&self.float(depth, 2.0).text)
            })
            .collect();
        matrix.of(&entries)
    }

    /// A place in a matrix, as it stands between brackets.
    fn entry(&mut self, matrix: Matrix) -> String {
        let (m, n) = matrix.sizes();
        let i = self.index(m);
        match matrix {
            Matrix::Square(_) | Matrix::Rectangle(..) => format!("({i}, {})", self.index(n)),
            Matrix::Table(..) => format!("[{i}, {}]", self.index(n)),
            _ => i,
        }
    }

    /// A number that is made of a matrix.
    fn number_of_value(&mut self, a: &str, matrix: Matrix) -> Expr {
        let text = match self.random.below(9) {
            0 => format!("{a}.sum()"),
            1 => format!("{a}[{}]", self.entry(matrix)),
            2 if !matches!(matrix, Matrix::Table(..)) => {
                format!("{a}.iter().map(|z| z.sin()).sum::<{}>()", self.scalar)
            }
            3 => match matrix {
                Matrix::Square(_) => format!("{a}.determinant()"),
                Matrix::Table(_, n) => {
                    format!("{a}.sum_axis(ndarray::Axis(0))[{}]", self.index(n))
                }
                Matrix::Row(_) => format!("{a}.dot(&{a})"),
                _ => format!("{a}.norm_squared()"),
            },
            4 if matrix.is_of_ndarray() => format!("{a}.mean().unwrap()"),
            4 => format!("{a}.mean()"),
            5 => match matrix {
                Matrix::Square(_) => format!("{a}.trace()"),
                Matrix::Table(..) => format!("{a}.row({}).sum()", self.index(matrix.sizes().0)),
                Matrix::Row(_) => format!("{a}.slice(ndarray::s![1..]).sum()"),
                _ => format!("{a}.column(0).sum()"),
            },
            6 if !matrix.is_of_ndarray() => format!("{a}.map(|z| z.cos() + 1.5).norm()"),
            7 if self.on.on("kink") && !matrix.is_of_ndarray() => format!("{a}.max()"),
            _ if matches!(matrix, Matrix::Table(..)) => format!("(&{a} * &{a}).sum()"),
            _ => {
                let other = self.lent_matrix(matrix);
                format!("{a}.dot({other})")
            }
        };
        let number = Expr {
            text,
            bound: 60.0,
            closed: true,
        };
        self.fit(number, 3.0)
    }

    /// The same of a variable.
    pub(crate) fn number_of_matrix(&mut self, var: &Var) -> Option<Expr> {
        let Kind::Matrix(matrix, held) = var.kind else {
            return None;
        };
        let place = match held {
            Held::Owned => var.name.clone(),
            _ => format!("(*{})", var.name),
        };
        Some(self.number_of_value(&place, matrix))
    }

    fn let_matrix(&mut self) -> Option<Vec<Stmt>> {
        let matrix = self.some_matrix();
        let value = self.matrix(2, matrix);
        let name = self.fresh("m");
        let mutable = self.random.chance(0.6);
        let keyword = if mutable { "mut " } else { "" };
        let ty = if self.random.chance(0.3) {
            format!(": {}", matrix.source(self.scalar))
        } else {
            String::new()
        };
        self.declare(Self::matrix_var(&name, matrix, Held::Owned, mutable));
        Some(vec![Stmt::binding(
            format!("let {keyword}{name}{ty} = {value};"),
            format!("let {keyword}{name} = {};", matrix.constant(self.scalar)),
            &[&name],
        )])
    }

    /// A matrix that may be changed, its type, and the text that is it as a place.
    fn changeable_matrix(&mut self) -> Option<(Var, Matrix, String)> {
        let var = self.any(|var| matches!(var.kind, Kind::Matrix(..)) && var.mutable)?;
        let Kind::Matrix(matrix, held) = var.kind else {
            unreachable!()
        };
        let place = match held {
            Held::Changed => format!("*{}", var.name),
            _ => var.name.clone(),
        };
        Some((var, matrix, place))
    }

    fn assign_matrix(&mut self) -> Option<Vec<Stmt>> {
        let (var, matrix, place) = self.changeable_matrix()?;
        let value = self.matrix(2, matrix);
        let text = format!("{place} = {value};");
        Some(vec![Stmt::new(text, &[&var.name])])
    }

    fn compound_matrix(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("compound") {
            return None;
        }
        let (var, matrix, place) = self.changeable_matrix()?;
        let text = match self.random.below(4) {
            0 => format!("{place} *= {};", self.fixed_atom(0.9)),
            1 => {
                let by = self.fixed_atom(3.0);
                format!("{place} /= 1.2 + {by} * {by};")
            }
            kind => {
                let mark = self.vars.len();
                self.hide(&var.name);
                let by = self.fixed_atom(0.5);
                let value = self.matrix(1, matrix);
                self.vars.truncate(mark);
                let sign = if kind == 2 { "+" } else { "-" };
                let lent = if matrix.is_of_ndarray() { "&" } else { "" };
                format!("{place} {sign}= {lent}({value} * {by});")
            }
        };
        Some(vec![Stmt::new(text, &[&var.name])])
    }

    fn store_entry(&mut self) -> Option<Vec<Stmt>> {
        let (var, matrix, _) = self.changeable_matrix()?;
        let entry = self.entry(matrix);
        let (name, value) = (&var.name, self.fixed(2, 2.0));
        let text = match self.random.below(3) {
            0 if self.use_of("compound") => format!("{name}[{entry}] += ({value}).sin();"),
            1 => format!("{name}[{entry}] = ({name}[{entry}] * ({value})).sin();"),
            _ => format!("{name}[{entry}] = {value};"),
        };
        Some(vec![Stmt::new(text, &[name])])
    }

    fn let_number_of_matrix(&mut self) -> Option<Vec<Stmt>> {
        let matrix = self.some_matrix();
        let value = self.matrix(1, matrix);
        let number = self.number_of_value(&value, matrix);
        let name = self.fresh("v");
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        let text = format!("let {name} = {};", plain(&number.text));
        Some(vec![Stmt::binding(text, stub, &[&name])])
    }

    /// A loop over the entries, which it changes or adds up.
    fn walk_through_matrix(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("for") {
            return None;
        }
        let (e, name) = (self.fixed(1, 1.5), self.fresh("v"));
        let (var, matrix, _) = self.changeable_matrix()?;
        let a = &var.name;
        let n = matrix.sizes().0;
        let mut lines = vec![format!("let k = {e};")];
        lines.push(match self.random.below(3) {
            0 => format!("for z in {a}.iter_mut() {{ *z = (*z * k).sin(); }}"),
            1 if matches!(
                matrix,
                Matrix::Vector(_) | Matrix::Column(_) | Matrix::Row(_)
            ) =>
            {
                format!("for i in 1..{n} {{ {a}[i] = ({a}[i - 1] * k).sin() + {a}[i] * 0.5; }}")
            }
            1 if matrix.is_of_ndarray() => format!("{a}.mapv_inplace(|z| (z * k).sin());"),
            _ => format!("{a}.iter_mut().for_each(|z| *z = z.cos() * k);"),
        });
        lines.push(format!(
            "let mut {name} = k; for z in {a}.iter() {{ {name} = ({name} * z).sin() + 0.5 * z; }}"
        ));
        Some(self.lines(&lines, &name, &[a]))
    }

    /// A struct with fields of matrices.
    fn pose_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("struct") {
            return None;
        }
        if self.items.iter().all(|item| !item.contains("struct Pose")) {
            let words = &[("S", self.scalar)];
            self.items.push(super::types::renamed(POSE, words));
        }
        let (p, name) = (self.fresh("b"), self.fresh("v"));
        let (at, turn) = (
            self.matrix(1, Matrix::Vector(3)),
            self.matrix(1, Matrix::Square(3)),
        );
        let xs = self.matrix(1, Matrix::Row(2));
        let mut lines = vec![format!(
            "let mut {p} = Pose {{ at: {at}, turn: {turn}, xs: {xs}, fixed: nalgebra::DVector::from_vec(vec![0.75, -0.5]) }};"
        )];
        for _ in 0..self.random.between(1, 4) {
            let (e, i) = (self.fixed(1, 1.2), self.random.below(2));
            lines.push(match self.random.below(6) {
                0 => format!("{p}.step({e});"),
                1 => format!("{p}.at = {p}.moved(&{p}.at);"),
                2 => format!("{p}.at.x = ({p}.xs[{i}] * ({e})).sin();"),
                3 => format!("{p}.xs[{i}] = {p}.seen({e}).sin();"),
                4 => format!("{p}.turn[(0, {i})] += ({p}.fixed[{i}] * ({e})).cos();"),
                _ => format!(
                    "let other = {p}.clone(); {p} = Pose {{ at: other.at * ({e}), ..other }};"
                ),
            });
        }
        lines.push(format!("let {name} = ({p}.seen(0.5) + {p}.at.y).sin();"));
        Some(self.lines(&lines, &name, &[]))
    }
}

trait Closed {
    fn closed(self) -> String;
}

impl Closed for String {
    /// The text, so that it can stand before a dot and beside any operator.
    fn closed(self) -> String {
        format!("({self})")
    }
}
