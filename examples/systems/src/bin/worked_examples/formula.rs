//! Formulas as textbooks print them, `g=3x+1; y=g^2`, `h=sigmoid(W x + b)`, `Y=X@W`, as programs.
//!
//! Numbers, vectors and matrices are kept element by element.
//! A vector that is nowhere given is put together from its parts: `x` from `x1`, `x2`, …, `W` from `w11`, `w12`, ….
//! What stands behind a formula in parentheses or after a comma is a remark, and `dX=…` beside `X` says what a derivative is to be.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::program::{Function, Op};

/// Numbers of operations, row by row: without a shape it is one, else a vector or a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) slots: Vec<usize>,
}

/// Why there is no program.
#[derive(Debug, PartialEq)]
pub(crate) enum Flaw {
    /// Formulas are not understood.
    Formula(String),
    /// Numbers do not fit each other.
    Figures(String),
}

impl From<String> for Flaw {
    fn from(reason: String) -> Self {
        Flaw::Formula(reason)
    }
}

impl From<&str> for Flaw {
    fn from(reason: &str) -> Self {
        Flaw::Formula(reason.to_owned())
    }
}

/// Formulas read so far.
#[derive(Debug, Default)]
pub(crate) struct Formulas {
    pub(crate) program: Vec<Op>,
    pub(crate) inputs: Vec<f64>,
    names: BTreeMap<String, Array>,
    /// What was assigned last, which is what the formulas are about.
    pub(crate) last: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Symbol(char),
}

/// Tokens, each with whether a space stands before it.
type Tokens = Peekable<IntoIter<(bool, Token)>>;

impl Formulas {
    /// Gives a name to numbers that derivatives are taken by.
    pub(crate) fn input(&mut self, name: &str, shape: Vec<usize>, numbers: &[f64]) {
        let mut slots = Vec::new();
        for number in numbers {
            slots.push(self.push(Op::Input(self.inputs.len())));
            self.inputs.push(*number);
        }
        self.bind(name, Array { shape, slots });
    }

    /// Adds an operation.
    pub(crate) fn push(&mut self, op: Op) -> usize {
        let op = match op {
            Op::Call(Function::Neg, a) => match self.program[a] {
                Op::Constant(c) => Op::Constant(-c),
                _ => op,
            },
            _ => op,
        };
        self.program.push(op);
        self.program.len() - 1
    }

    /// Reads formulas with semicolons between them.
    pub(crate) fn read(&mut self, text: &str) -> Result<(), Flaw> {
        for formula in split(text) {
            let (name, right) = formula
                .split_once('=')
                .ok_or_else(|| format!("`{}` is no formula", formula.trim()))?;
            let name = name.trim();
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(format!("`{name}` is no name").into());
            }
            let of = name.strip_prefix('d').unwrap_or_default();
            if self.names.contains_key(of) {
                continue;
            }
            let mut tokens = tokens(right)?.into_iter().peekable();
            let right = self.sum(&mut tokens)?;
            match tokens.next() {
                None | Some((_, Token::Symbol(','))) => self.bind(name, right),
                Some((_, token)) => return Err(format!("{token:?} has no place").into()),
            }
            self.last = Some(name.to_owned());
        }
        Ok(())
    }

    /// What has this name: as it is, or put together from parts.
    pub(crate) fn get(&self, name: &str) -> Option<Array> {
        if let Some(array) = self.names.get(name) {
            return Some(array.clone());
        }
        let part = |end: &str| {
            let part = self.names.get(&format!("{name}{end}"));
            part.or_else(|| self.names.get(&format!("{}{end}", name.to_lowercase())))
        };
        let row = |start: &str| -> Vec<usize> {
            let parts = (1..).map_while(|k| part(&format!("{start}{k}")));
            parts.flat_map(|array| array.slots.clone()).collect()
        };
        let vector = row("");
        if !vector.is_empty() {
            return Some(Array {
                shape: vec![vector.len()],
                slots: vector,
            });
        }
        let rows: Vec<Vec<usize>> = (1..10)
            .map(|k| row(&k.to_string()))
            .take_while(|row| !row.is_empty())
            .collect();
        let columns = rows.first()?.len();
        rows.iter().all(|row| row.len() == columns).then(|| Array {
            shape: vec![rows.len(), columns],
            slots: rows.concat(),
        })
    }

    /// Gives a name to an array, and names to the elements of a vector.
    fn bind(&mut self, name: &str, array: Array) {
        if array.shape.len() == 1 {
            for (k, slot) in array.slots.iter().enumerate() {
                self.names.insert(format!("{name}{}", k + 1), one(*slot));
            }
        }
        self.names.insert(name.to_owned(), array);
    }

    fn sum(&mut self, tokens: &mut Tokens) -> Result<Array, Flaw> {
        let mut left = self.product(tokens)?;
        while let Some((_, Token::Symbol(symbol @ ('+' | '-')))) = tokens.peek().cloned() {
            tokens.next();
            let right = self.product(tokens)?;
            let op = if symbol == '+' { Op::Add } else { Op::Sub };
            left = self.each_of_two(op, &left, &right)?;
        }
        Ok(left)
    }

    fn product(&mut self, tokens: &mut Tokens) -> Result<Array, Flaw> {
        let mut left = self.signed(tokens)?;
        loop {
            let Some((spaced, token)) = tokens.peek().cloned() else {
                return Ok(left);
            };
            left = match token {
                Token::Symbol('*') => {
                    tokens.next();
                    let right = self.signed(tokens)?;
                    self.each_of_two(Op::Mul, &left, &right)?
                }
                Token::Symbol('/') => {
                    tokens.next();
                    let right = self.signed(tokens)?;
                    self.each_of_two(Op::Div, &left, &right)?
                }
                Token::Symbol('@' | '.') => {
                    tokens.next();
                    let right = self.signed(tokens)?;
                    self.matmul(&left, &right)?
                }
                // 3x, W x, 2(x + 1); what is no factor is a remark.
                Token::Name(_) | Token::Symbol('(') => {
                    let (mut ahead, length) = (tokens.clone(), self.program.len());
                    match self.signed(&mut ahead) {
                        Ok(right) => {
                            *tokens = ahead;
                            if left.shape.is_empty() || right.shape.is_empty() {
                                self.each_of_two(Op::Mul, &left, &right)?
                            } else {
                                self.matmul(&left, &right)?
                            }
                        }
                        Err(_) if spaced => {
                            self.program.truncate(length);
                            tokens.by_ref().for_each(drop);
                            return Ok(left);
                        }
                        Err(reason) => return Err(reason),
                    }
                }
                _ => return Ok(left),
            };
        }
    }

    fn signed(&mut self, tokens: &mut Tokens) -> Result<Array, Flaw> {
        if tokens
            .next_if(|(_, token)| *token == Token::Symbol('-'))
            .is_some()
        {
            let operand = self.signed(tokens)?;
            return Ok(self.each(Function::Neg, &operand));
        }
        let base = self.atom(tokens)?;
        if tokens
            .next_if(|(_, token)| *token == Token::Symbol('^'))
            .is_none()
        {
            return Ok(base);
        }
        let is_t = |token: &(bool, Token)| token.1 == Token::Name("T".to_owned());
        if base.shape.len() == 2 && tokens.next_if(is_t).is_some() {
            return Ok(transposed(&base));
        }
        let exponent = self.signed(tokens)?;
        match exponent.slots.as_slice() {
            [e] if exponent.shape.is_empty() => match self.program[*e] {
                Op::Constant(c) if c == f64::from(c as i32) => {
                    let slots = base.slots.iter().map(|a| Op::Power(*a, c as i32));
                    let ops: Vec<Op> = slots.collect();
                    Ok(Array {
                        shape: base.shape,
                        slots: ops.into_iter().map(|op| self.push(op)).collect(),
                    })
                }
                _ => self.each_of_two(Op::RealPower, &base, &exponent),
            },
            _ => Err("an exponent is no number".into()),
        }
    }

    fn atom(&mut self, tokens: &mut Tokens) -> Result<Array, Flaw> {
        match tokens.next() {
            Some((_, Token::Number(number))) => Ok(one(self.push(Op::Constant(number)))),
            Some((_, Token::Symbol('('))) => {
                let inner = self.sum(tokens)?;
                closed(tokens)?;
                Ok(inner)
            }
            Some((_, Token::Name(name))) => match self.get(&name) {
                Some(array) => Ok(array),
                None => self.call(&name, tokens),
            },
            Some((_, Token::Symbol(symbol))) => {
                Err(format!("`{symbol}` stands where a number is due").into())
            }
            None => Err("a formula ends where a number is due".into()),
        }
    }

    fn call(&mut self, name: &str, tokens: &mut Tokens) -> Result<Array, Flaw> {
        if tokens
            .next_if(|(_, token)| *token == Token::Symbol('('))
            .is_none()
        {
            return Err(format!("`{name}` is not known").into());
        }
        let first = self.sum(tokens)?;
        let found = match (name, Function::named(name)) {
            (_, Some(function)) => {
                // The arguments of the neurons of a layer are its z.
                if first.shape.len() == 1 && self.get("z").is_none() {
                    self.bind("z", first.clone());
                    self.names.remove("z");
                }
                self.each(function, &first)
            }
            ("max" | "min", _) => {
                if tokens
                    .next_if(|(_, token)| *token == Token::Symbol(','))
                    .is_none()
                {
                    return Err(format!("`{name}` takes two numbers").into());
                }
                let second = self.sum(tokens)?;
                let op = if name == "max" { Op::Max } else { Op::Min };
                self.each_of_two(op, &first, &second)?
            }
            ("sum", _) => self.total(&first)?,
            ("mean", _) => {
                let count = self.push(Op::Constant(first.slots.len() as f64));
                let total = self.total(&first)?;
                self.each_of_two(Op::Div, &total, &one(count))?
            }
            _ => return Err(format!("the function `{name}` is not known").into()),
        };
        closed(tokens)?;
        Ok(found)
    }

    fn total(&mut self, array: &Array) -> Result<Array, Flaw> {
        let sum = array
            .slots
            .iter()
            .copied()
            .reduce(|a, b| self.push(Op::Add(a, b)));
        sum.map(one)
            .ok_or_else(|| Flaw::Figures("a vector is empty".to_owned()))
    }

    fn each(&mut self, function: Function, array: &Array) -> Array {
        Array {
            shape: array.shape.clone(),
            slots: array
                .slots
                .iter()
                .map(|a| self.push(Op::Call(function, *a)))
                .collect(),
        }
    }

    /// An operation on the elements of two arrays, the smaller of which is repeated.
    fn each_of_two(
        &mut self,
        op: fn(usize, usize) -> Op,
        left: &Array,
        right: &Array,
    ) -> Result<Array, Flaw> {
        let long = if left.shape.len() < right.shape.len() {
            right
        } else {
            left
        };
        let length = |array: &Array, axis: usize| {
            let missing = long.shape.len() - array.shape.len();
            axis.checked_sub(missing)
                .map_or(1, |axis| array.shape[axis])
        };
        let mut shape = Vec::new();
        for axis in 0..long.shape.len() {
            shape.push(match (length(left, axis), length(right, axis)) {
                (a, b) if a == b => a,
                (1, n) | (n, 1) => n,
                _ => return Err(misfit(left, right)),
            });
        }
        let element = |array: &Array, mut k: usize| {
            let (mut place, mut stride) = (0, 1);
            for axis in (0..shape.len()).rev() {
                let n = length(array, axis);
                place += if n == 1 { 0 } else { k % shape[axis] * stride };
                stride *= n;
                k /= shape[axis];
            }
            array.slots[place]
        };
        let count = shape.iter().product();
        let ops = (0..count).map(|k| op(element(left, k), element(right, k)));
        let ops: Vec<Op> = ops.collect();
        Ok(Array {
            slots: ops.into_iter().map(|op| self.push(op)).collect(),
            shape,
        })
    }

    /// The product of matrices and vectors.
    fn matmul(&mut self, left: &Array, right: &Array) -> Result<Array, Flaw> {
        let inner = left.shape.last().copied().unwrap_or_default();
        if right.shape.first() != Some(&inner) || inner == 0 {
            return Err(misfit(left, right));
        }
        let columns = right.slots.len() / inner;
        let mut slots = Vec::new();
        for row in left.slots.chunks(inner) {
            for column in 0..columns {
                let mut terms = Vec::new();
                for (k, a) in row.iter().enumerate() {
                    terms.push(self.push(Op::Mul(*a, right.slots[k * columns + column])));
                }
                let terms = Array {
                    shape: vec![inner],
                    slots: terms,
                };
                slots.extend(self.total(&terms)?.slots);
            }
        }
        let shape = [&left.shape[..left.shape.len() - 1], &right.shape[1..]].concat();
        Ok(Array { shape, slots })
    }
}

fn one(slot: usize) -> Array {
    Array {
        shape: Vec::new(),
        slots: vec![slot],
    }
}

fn transposed(matrix: &Array) -> Array {
    let (rows, columns) = (matrix.shape[0], matrix.shape[1]);
    let places = (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j));
    Array {
        shape: vec![columns, rows],
        slots: places.map(|place| matrix.slots[place]).collect(),
    }
}

fn misfit(left: &Array, right: &Array) -> Flaw {
    let (left, right) = (&left.shape, &right.shape);
    Flaw::Figures(format!("the shape {left:?} does not fit {right:?}"))
}

fn closed(tokens: &mut Tokens) -> Result<(), Flaw> {
    match tokens.next() {
        Some((_, Token::Symbol(')'))) => Ok(()),
        _ => Err("a parenthesis is not closed".into()),
    }
}

/// The parts between semicolons that stand in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ';' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}

fn tokens(text: &str) -> Result<Vec<(bool, Token)>, Flaw> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let spaced = trimmed.len() < rest.len();
        rest = trimmed;
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        let (token, length) = if first.is_ascii_digit() {
            let length = number_length(rest);
            let number = rest[..length].parse();
            let number = number.map_err(|_| format!("`{}` is no number", &rest[..length]))?;
            (Token::Number(number), length)
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let length = end.unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if rest.starts_with("**") {
            (Token::Symbol('^'), 2)
        } else {
            (Token::Symbol(first), first.len_utf8())
        };
        tokens.push((spaced, token));
        rest = &rest[length..];
    }
}

/// How long the number at the beginning of `text` is.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text.as_bytes()[from..];
        rest.iter().take_while(|c| c.is_ascii_digit()).count()
    };
    let mut length = digits(0);
    if text[length..].starts_with('.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::on_tape;

    /// The elements of what `text` is about, at these inputs.
    fn values(text: &str, inputs: &[(&str, f64)]) -> Result<Vec<f64>, Flaw> {
        let mut formulas = Formulas::default();
        for (name, number) in inputs {
            formulas.input(name, Vec::new(), &[*number]);
        }
        formulas.read(text)?;
        let last = formulas.last.as_deref().and_then(|name| formulas.get(name));
        let seeds = vec![0.0; formulas.program.len()];
        let found = on_tape(&formulas.program, &formulas.inputs, &seeds);
        Ok(last
            .expect("a formula")
            .slots
            .iter()
            .map(|k| found.values[*k])
            .collect())
    }

    #[test]
    fn formulas_mean_what_textbooks_mean() {
        let inputs = [("x", 3.0), ("y", 2.0)];
        for (text, expected) in [
            ("g=3x+1; f=g^2", 100.0),
            ("f = -x^2 + 2(y + 1)", -3.0),
            ("f=x-y-1", 0.0),
            ("f=x/y/2", 0.75),
            ("f=2 x y", 12.0),
            ("f=x (y+1)", 9.0),
            ("f=x*y   (as in the book; numbers are ours)", 6.0),
            ("f=x*y, where y (1,) is a number", 6.0),
            ("f=1.5e1x**2", 135.0),
            ("f=x^-1 * relu(-x) + max(x, y) + 2^y", 7.0),
            ("f=(x+1)(y+1)", 12.0),
            ("f=x*y; dx=y; dy=x", 6.0),
        ] {
            assert_eq!(values(text, &inputs), Ok(vec![expected]), "{text}");
        }
    }

    #[test]
    fn vectors_and_matrices_are_put_together() {
        let inputs = [
            ("w11", 1.0),
            ("w12", 2.0),
            ("w21", 3.0),
            ("w22", 4.0),
            ("x1", 1.0),
            ("x2", -1.0),
            ("b1", 0.5),
            ("b2", 3.0),
        ];
        for (text, expected) in [
            ("h=relu(W x + b) (2 units)", &[0.0, 2.0][..]),
            ("h=relu(W x + b); f=x.h", &[-2.0]),
            ("h=W x; f=h1*h2", &[1.0]),
            ("h=relu(W x + b); f=z1+z2", &[1.5]),
            ("f=W@W^T", &[5.0, 11.0, 11.0, 25.0]),
            ("f=sum(W+x)+mean(b)", &[11.75]),
        ] {
            assert_eq!(values(text, &inputs), Ok(expected.to_vec()), "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_is_said() {
        let inputs = [("x", 3.0)];
        for (text, expected) in [
            ("all of it", "`all of it` is no formula"),
            ("f=x+", "a formula ends where a number is due"),
            ("f=x*q", "`q` is not known"),
            ("f=erf(x)", "the function `erf` is not known"),
            ("f=x)", "Symbol(')') has no place"),
            ("f=(x", "a parenthesis is not closed"),
            ("f(x)=x", "`f(x)` is no name"),
        ] {
            assert_eq!(values(text, &inputs), Err(expected.into()), "{text}");
        }
    }
}
