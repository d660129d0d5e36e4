//! Statements: the choice among them, bindings and assignments of scalars and pairs.

use super::scope::{Kind, Var};
use super::{Generator, Stmt};

/// A kind of statement; `None` if the scope has not what it needs.
type Writer = fn(&mut Generator) -> Option<Vec<Stmt>>;

/// The kinds with their weights outside and inside of loops.
const STATEMENTS: &[(u32, u32, Writer)] = &[
    (10, 5, Generator::let_scalar),
    (3, 3, Generator::let_pattern),
    (2, 1, Generator::let_pair),
    (8, 12, Generator::assign),
    (8, 12, Generator::compound),
    (2, 2, Generator::assign_pair),
    (4, 2, Generator::let_list),
    (2, 1, Generator::let_nested),
    (6, 12, Generator::store),
    (2, 2, Generator::store_list),
    (2, 2, Generator::let_int),
    (2, 1, Generator::let_wildcard),
    (2, 3, Generator::swap),
    (2, 3, Generator::destructure),
    (5, 5, Generator::if_statement),
    (2, 2, Generator::if_let),
    (2, 2, Generator::match_statement),
    (2, 2, Generator::match_let),
    (8, 5, Generator::for_range),
    (5, 3, Generator::for_items),
    (3, 2, Generator::call_statement),
    (1, 1, Generator::macro_statement),
    (1, 1, Generator::effect),
    (2, 1, Generator::block_statement),
    (1, 2, Generator::any_trap),
    (3, 2, Generator::while_loop),
    (2, 1, Generator::endless_loop),
    (1, 1, Generator::while_let),
    (1, 1, Generator::while_pop),
    (1, 1, Generator::labelled_block),
    (1, 5, Generator::exit),
    (2, 2, Generator::if_some),
    (1, 2, Generator::let_else),
    (2, 2, Generator::closure),
    (1, 1, Generator::closure_move),
    (2, 2, Generator::closure_mut),
    (4, 2, Generator::chain_value),
    (2, 1, Generator::search),
    (4, 1, Generator::scaled_row),
    (1, 1, Generator::map_array),
    (2, 1, Generator::chain_mut),
    (2, 2, Generator::view),
    (2, 2, Generator::view_trap),
    (2, 1, Generator::view_walk),
    (2, 2, Generator::bulk),
    (4, 2, Generator::growth),
    (2, 2, Generator::moves),
    (2, 1, Generator::slice_pattern),
    (1, 2, Generator::assign_pattern),
    (1, 2, Generator::replace_float),
    (3, 1, Generator::struct_value),
    (3, 1, Generator::enum_value),
    (2, 1, Generator::tree_value),
];

impl Generator {
    /// One statement (or a few that belong together).
    pub(crate) fn statement(&mut self) -> Vec<Stmt> {
        if self.tensors && self.random.chance(0.6) {
            if let Some(stmts) = self.tensor_statement() {
                return stmts;
            }
        }
        if self.matrices && self.random.chance(0.5) {
            if let Some(stmts) = self.matrix_statement() {
                return stmts;
            }
        }
        if self.fallible && self.random.chance(0.2) {
            if let Some(stmts) = self.fallible_statement() {
                return stmts;
            }
        }
        let in_loop = self.loops > 0;
        let menu: Vec<(u32, Writer)> = STATEMENTS
            .iter()
            .map(|&(outside, inside, writer)| (if in_loop { inside } else { outside }, writer))
            .collect();
        for _ in 0..20 {
            let writer = self.random.weighted(&menu).unwrap_or(Self::let_scalar);
            if let Some(stmts) = writer(self) {
                return stmts;
            }
        }
        self.let_scalar().unwrap_or_default()
    }

    /// The statements of a nested block, where what is made inside flows out into variables of outside.
    pub(crate) fn nested_body(&mut self, budget: usize) -> Vec<Stmt> {
        self.nested_with(|generator| (0..budget).flat_map(|_| generator.statement()).collect())
    }

    /// The same with statements of a given kind inside.
    pub(crate) fn nested_with(&mut self, write: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Vec<Stmt> {
        let marks = std::mem::replace(&mut self.marks, true);
        self.nesting += 1;
        let mark = self.vars.len();
        let outer =
            self.having(|var| var.mutable && matches!(var.kind, Kind::Scalar | Kind::List(..)));
        let mut body = write(self);
        // Whatever was bound in here is put to use, or it would be dead code.
        let inner: Vec<String> = self.vars[mark..]
            .iter()
            .map(|var| var.name.clone())
            .collect();
        let made = self.having(|var| inner.contains(&var.name));
        let reachable: Vec<Var> = outer
            .into_iter()
            .filter(|var| !inner.contains(&var.name) || var.read.starts_with('*'))
            .collect();
        if !reachable.is_empty() {
            for var in made.iter().filter(|var| var.kind != Kind::Flag) {
                if !self.random.chance(0.75) {
                    continue;
                }
                let target = self.random.pick(&reachable).clone();
                // The target may be borrowed by the loop that this block is the body of.
                if !self
                    .having(|other| other.name == target.name && other.mutable)
                    .is_empty()
                {
                    if let Some(value) = self.use_of_var(var) {
                        let place = self.place_in(&target);
                        body.push(Stmt::new(format!("{place} += {value};"), &[&target.name]));
                    }
                }
            }
        }
        if body.is_empty() {
            body.extend(
                self.assign()
                    .or_else(|| self.let_scalar())
                    .unwrap_or_default(),
            );
        }
        self.vars.truncate(mark);
        self.nesting -= 1;
        self.marks = marks;
        body
    }

    /// A small term that depends on the variable.
    pub(crate) fn use_of_var(&mut self, var: &Var) -> Option<String> {
        let element = match var.kind {
            Kind::Scalar => var.read.clone(),
            Kind::Pair => format!("{}.{}", var.name, self.random.below(2)),
            Kind::List(_, n) if n > 0 => format!("{}[{}]", var.name, self.index(n)),
            Kind::Nested(m, n) => format!("{}[{}][{}]", var.name, self.index(m), self.index(n)),
            Kind::Tensor(..) | Kind::Tensors(..) => self.number_of(var)?.text,
            Kind::Matrix(..) => self.number_of_matrix(var)?.atom(),
            _ => return None,
        };
        let element = if element.starts_with('*') {
            format!("({element})")
        } else {
            element
        };
        let factor = self.literal(0.1, 0.5);
        Some(match self.random.below(4) {
            0 => format!("{factor} * {element}.sin()"),
            1 => format!("{factor} * {element}.tanh()"),
            2 if var.bound < 4.0 => format!("{factor} * {element}"),
            _ => format!("{factor} * {element}.cos() * {}", self.leaf().atom()),
        })
    }

    /// The place of a float inside a mutable scalar or list.
    pub(crate) fn place_in(&mut self, var: &Var) -> String {
        match var.kind {
            Kind::List(_, n) if n > 0 => format!("{}[{}]", var.name, self.index(n)),
            _ => var.read.clone(),
        }
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "statements are made by functions of one type"
    )]
    fn let_scalar(&mut self) -> Option<Vec<Stmt>> {
        let value = self.float(2, 4.0);
        let name = self.binding_name();
        let mutable = self.random.chance(0.5);
        let keyword = if mutable { "mut " } else { "" };
        let ty = if self.random.chance(0.25) {
            format!(": {}", self.scalar)
        } else {
            String::new()
        };
        self.declare(Var::new(&name, Kind::Scalar, mutable, value.bound.max(1.0)));
        let stub = format!("let {keyword}{name}: {} = 0.75;", self.scalar);
        Some(vec![Stmt::binding(
            format!("let {keyword}{name}{ty} = {};", value.text),
            stub,
            &[&name],
        )])
    }

    /// `let (a, b) = …`, also nested, also with `_`, also names that are bound twice in a row.
    fn let_pattern(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("tuple_pattern") {
            return None;
        }
        self.used.insert("tuple_pattern");
        let (a, b) = (self.binding_name(), self.binding_name());
        if a == b {
            return None;
        }
        let (x, y) = (self.float(2, 3.0), self.float(2, 3.0));
        let mutable = self.random.chance(0.3);
        let left = if mutable {
            format!("mut {a}")
        } else {
            a.clone()
        };
        let s = self.scalar;
        let (pattern, value, stub) = match self.random.below(4) {
            0 => {
                let z = self.text(1);
                (
                    format!("({left}, ({b}, _))"),
                    format!("({}, ({}, {z}))", x.text, y.text),
                    format!("(0.75{s}, (0.5{s}, 0.0{s}))"),
                )
            }
            1 if self.on.on("wildcard") => {
                self.used.insert("wildcard");
                let z = self.text(1);
                (
                    format!("({left}, _, {b})"),
                    format!("({}, {z}, {})", x.text, y.text),
                    format!("(0.75{s}, (), 0.5{s})"),
                )
            }
            2 => match self.any(|var| var.kind == Kind::Pair) {
                Some(pair) => (
                    format!("({left}, {b})"),
                    pair.name,
                    format!("(0.75{s}, 0.5{s})"),
                ),
                None => return None,
            },
            _ => (
                format!("({left}, {b})"),
                format!("({}, {})", x.text, y.text),
                format!("(0.75{s}, 0.5{s})"),
            ),
        };
        self.declare(Var::new(&a, Kind::Scalar, mutable, 3.0));
        self.declare(Var::new(&b, Kind::Scalar, false, 3.0));
        Some(vec![Stmt::binding(
            format!("let {pattern} = {value};"),
            format!("let {pattern} = {stub};"),
            &[&a, &b],
        )])
    }

    fn let_pair(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("tuple") {
            return None;
        }
        let (x, y) = (self.text(2), self.text(2));
        let name = self.fresh("t");
        let mutable = self.random.chance(0.7);
        let keyword = if mutable { "mut " } else { "" };
        self.declare(Var::new(&name, Kind::Pair, mutable, 3.0));
        let stub = format!("let {keyword}{name} = (0.75{0}, 0.5{0});", self.scalar);
        Some(vec![Stmt::binding(
            format!("let {keyword}{name} = ({x}, {y});"),
            stub,
            &[&name],
        )])
    }

    fn assign_pair(&mut self) -> Option<Vec<Stmt>> {
        let pair = self.any(|var| var.kind == Kind::Pair && var.mutable)?;
        self.used.insert("tuple");
        let field = self.random.below(2);
        let value = self.text(2);
        let text = match self.random.below(4) {
            0 => format!("{}.{field} += {value};", pair.name),
            1 => format!("{} = ({value}, {});", pair.name, self.text(1)),
            _ => format!("{}.{field} = {value};", pair.name),
        };
        Some(vec![Stmt::new(text, &[&pair.name])])
    }

    pub(crate) fn assign(&mut self) -> Option<Vec<Stmt>> {
        let var = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
        if !self.use_of("reassign") {
            return None;
        }
        let value = self.float(2, var.bound.min(3.0));
        Some(vec![Stmt::new(
            format!("{} = {};", var.read, value.text),
            &[&var.name],
        )])
    }

    fn compound(&mut self) -> Option<Vec<Stmt>> {
        let var = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
        if !self.use_of("compound") {
            return None;
        }
        let text = self.compound_on(&var.read);
        Some(vec![Stmt::new(text, &[&var.name])])
    }

    /// `place op= value;`
    pub(crate) fn compound_on(&mut self, place: &str) -> String {
        match self.random.below(12) {
            0..=4 => format!("{place} += {};", self.float(2, 1.0).text),
            5..=6 => format!("{place} -= {};", self.float(2, 1.0).text),
            7..=8 => format!("{place} *= {};", self.float(1, 1.0).text),
            9 => {
                let value = self.leaf().atom();
                format!("{place} *= 0.5 + 0.4 * {value}.sin();")
            }
            10 => {
                let value = self.float(1, 3.0).atom();
                format!("{place} /= 1.2 + {value} * {value};")
            }
            _ if self.use_of("rem") => format!("{place} %= {};", self.literal(1.1, 2.5)),
            _ => format!("{place} += {};", self.float(2, 1.0).text),
        }
    }

    /// `(a, b) = (b, …)`
    fn destructure(&mut self) -> Option<Vec<Stmt>> {
        if self.random.chance(0.35) {
            return self.destructure_elements();
        }
        let a = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
        let b = self.any(|var| var.kind == Kind::Scalar && var.mutable && var.name != a.name)?;
        if !self.use_of("destructure") {
            return None;
        }
        let value = if self.random.chance(0.4) {
            a.read.clone()
        } else {
            self.float(2, a.bound.min(3.0)).text
        };
        Some(vec![Stmt::new(
            format!("({}, {}) = ({}, {value});", a.read, b.read, b.read),
            &[&a.name, &b.name],
        )])
    }

    /// `(a[i], a[j]) = (a[j], …)`
    fn destructure_elements(&mut self) -> Option<Vec<Stmt>> {
        let (var, _, n) = self.any_list(2, true)?;
        if !self.use_of("destructure") {
            return None;
        }
        let (i, j) = (self.index(n), self.index(n));
        let value = if self.random.chance(0.5) {
            format!("{}[{i}]", var.name)
        } else {
            self.float(1, 3.0).text
        };
        let name = &var.name;
        let text = format!("({name}[{i}], {name}[{j}]) = ({name}[{j}], {value});");
        Some(vec![Stmt::new(text, &[name])])
    }

    fn let_int(&mut self) -> Option<Vec<Stmt>> {
        let name = self.fresh("k");
        let decided = if self.random.chance(0.4) {
            self.decided_int()
        } else {
            None
        };
        let text = if let Some(value) = decided {
            format!("let {name} = {value};")
        } else if self.random.chance(0.5) {
            let int = self.any(|var| matches!(var.kind, Kind::Int(..)))?;
            format!(
                "let {name} = ({} + {}) % 4;",
                int.read,
                self.random.below(4)
            )
        } else if self.use_of("cast") {
            format!(
                "let {name} = ({}.sin() * 1.5 + 1.6) as usize;",
                self.leaf().atom()
            )
        } else {
            return None;
        };
        self.declare(Var::new(&name, Kind::Int(0, 3), false, 3.0));
        Some(vec![Stmt::binding(
            text,
            format!("let {name} = 1usize;"),
            &[&name],
        )])
    }

    fn let_wildcard(&mut self) -> Option<Vec<Stmt>> {
        let value = self.text(2);
        self.use_of("wildcard")
            .then(|| vec![Stmt::new(format!("let _ = {value};"), &[])])
    }

    fn macro_statement(&mut self) -> Option<Vec<Stmt>> {
        let value = self.leaf().text;
        if self.random.chance(0.5) {
            return self.use_of("assert").then(|| {
                vec![Stmt::new(
                    format!("assert!({value} < 1e30, \"large: {{}}\", {value});"),
                    &[],
                )]
            });
        }
        (self.rounds == 1 && self.use_of("print")).then(|| {
            let text = if self.random.chance(0.5) {
                format!("eprintln!(\"{{:?}}\", {value});")
            } else {
                format!("let _ = dbg!({value} * 0.5);")
            };
            vec![Stmt::new(text, &[])]
        })
    }

    /// A call that must run exactly once: it counts how often it is called, and its result depends on the count.
    fn effect(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("effect") {
            return None;
        }
        let name = self.fresh("k");
        self.declare(Var::new(&name, Kind::Int(0, 2), false, 2.0));
        let text = format!("let {name} = autodiff_checks::effect::tick();");
        Some(vec![Stmt::binding(
            text,
            format!("let {name} = 1usize;"),
            &[&name],
        )])
    }
}
