//! Blocks, `if` and `match`, as statements and as expressions.

use super::scope::{Kind, Var};
use super::{Generator, Part, Stmt};

impl Generator {
    /// How many statements a nested block gets.
    pub(crate) fn budget(&mut self) -> usize {
        if self.nesting >= 3 {
            1
        } else {
            self.random.between(1, 3)
        }
    }

    /// A block of statements that ends with a float.
    fn valued_body(&mut self, parts: &mut Vec<Part>) {
        let marks = std::mem::replace(&mut self.marks, true);
        self.nesting += 1;
        let mark = self.vars.len();
        let mut body = Vec::new();
        if self.nesting < 4 && self.random.chance(0.6) {
            for _ in 0..self.random.between(1, 2) {
                body.extend(self.statement());
            }
        }
        self.marks = false;
        let tail = self.text(2);
        self.marks = marks;
        self.vars.truncate(mark);
        self.nesting -= 1;
        parts.push(Part::Body(body));
        parts.push(Part::Text(format!("    {tail}\n")));
    }

    pub(crate) fn block_statement(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.use_of("block") {
            return None;
        }
        if self.random.chance(0.5) {
            let budget = self.budget();
            let body = self.nested_body(budget);
            return Some(vec![Stmt::nested(
                vec![
                    Part::Text("{".into()),
                    Part::Body(body),
                    Part::Text("}".into()),
                ],
                "",
                &[],
            )]);
        }
        let name = self.binding_name();
        let mut parts = vec![Part::Text(format!("let {name} = {{"))];
        self.valued_body(&mut parts);
        parts.push(Part::Text("};".into()));
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        Some(vec![Stmt::nested(
            parts,
            format!("let {name}: {} = 0.75;", self.scalar),
            &[&name],
        )])
    }

    pub(crate) fn if_statement(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 4 || !self.use_of("if") {
            return None;
        }
        let mut parts = vec![Part::Text(format!("if {} {{", self.condition()))];
        let budget = self.budget();
        parts.push(Part::Body(self.nested_body(budget)));
        if self.random.chance(0.25) {
            parts.push(Part::Text(format!("}} else if {} {{", self.condition())));
            let budget = self.budget();
            parts.push(Part::Body(self.nested_body(budget)));
        }
        if self.random.chance(0.5) {
            parts.push(Part::Text("} else {".into()));
            let budget = self.budget();
            parts.push(Part::Body(self.nested_body(budget)));
        }
        parts.push(Part::Text("}".into()));
        Some(vec![Stmt::nested(parts, "", &[])])
    }

    /// `let v = if … { … } else { … };`
    pub(crate) fn if_let(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.use_of("if") {
            return None;
        }
        let name = self.binding_name();
        let mut parts = vec![Part::Text(format!(
            "let {name} = if {} {{",
            self.condition()
        ))];
        self.valued_body(&mut parts);
        if self.random.chance(0.3) {
            parts.push(Part::Text(format!("}} else if {} {{", self.condition())));
            self.valued_body(&mut parts);
        }
        parts.push(Part::Text("} else {".into()));
        self.valued_body(&mut parts);
        parts.push(Part::Text("};".into()));
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        Some(vec![Stmt::nested(
            parts,
            format!("let {name}: {} = 0.75;", self.scalar),
            &[&name],
        )])
    }

    /// An integer to match on.
    fn scrutinee(&mut self) -> Option<String> {
        let int = self.any(|var| matches!(var.kind, Kind::Int(..)))?;
        Some(match self.random.below(3) {
            0 => int.read,
            1 => format!("{} % 4", int.read),
            _ => format!("{} + {}", int.read, self.random.below(3)),
        })
    }

    /// The patterns of a match on an integer; the last one takes the rest.
    fn patterns(&mut self) -> Vec<String> {
        let mut patterns = vec![(*self.random.pick(&["0", "0 | 2", "1", "0..=1"])).to_owned()];
        if self.random.chance(0.6) {
            let guard = match self.random.below(2) {
                0 => "n % 2 == 1".to_owned(),
                _ => self.comparison(),
            };
            patterns.push(format!("n if {guard}"));
        }
        if self.random.chance(0.5) {
            patterns.push((*self.random.pick(&["2", "2..=3", "3 | 4", "2.."])).to_owned());
        }
        patterns.push("_".to_owned());
        patterns
    }

    pub(crate) fn match_statement(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.on.on("match") {
            return None;
        }
        let scrutinee = self.scrutinee()?;
        self.used.insert("match");
        let mut parts = vec![Part::Text(format!("match {scrutinee} {{\n"))];
        for pattern in self.patterns() {
            parts.push(Part::Text(format!("{pattern} => {{")));
            let budget = self.budget();
            parts.push(Part::Body(if pattern == "_" && self.random.chance(0.3) {
                Vec::new()
            } else {
                self.nested_body(budget)
            }));
            parts.push(Part::Text("}\n".into()));
        }
        parts.push(Part::Text("}".into()));
        Some(vec![Stmt::nested(parts, "", &[])])
    }

    /// `let v = match … { … };`
    pub(crate) fn match_let(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.on.on("match") {
            return None;
        }
        let scrutinee = self.scrutinee()?;
        self.used.insert("match");
        let name = self.binding_name();
        let mut parts = vec![Part::Text(format!("let {name} = match {scrutinee} {{\n"))];
        for pattern in self.patterns() {
            if self.random.chance(0.5) {
                let value = self.float(1, 3.0);
                parts.push(Part::Text(format!(
                    "    {pattern} => {},\n",
                    super::plain(&value.text)
                )));
            } else {
                parts.push(Part::Text(format!("    {pattern} => {{")));
                self.valued_body(&mut parts);
                parts.push(Part::Text("    }\n".into()));
            }
        }
        parts.push(Part::Text("};".into()));
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        Some(vec![Stmt::nested(
            parts,
            format!("let {name}: {} = 0.75;", self.scalar),
            &[&name],
        )])
    }
}
