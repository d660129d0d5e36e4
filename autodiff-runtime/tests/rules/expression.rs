//! The partials' text, evaluated and differentiated by the rules of arithmetic and of the table itself, as a compiler does it.

use autodiff_runtime::kernels::{select, zmul};
use autodiff_runtime::rules::evaluate::Row;
use autodiff_runtime::rules::{Flag, RULES, Rule};

/// A number and its derivative in one direction; `None` where nothing depends on the direction.
#[derive(Clone, Copy)]
pub(crate) struct Dual {
    pub(crate) value: f64,
    pub(crate) tangent: Option<f64>,
}

/// The derivative by argument `j` of the partial by argument `i`, with the partial itself.
pub(crate) fn derivative(rule: &Rule, row: &Row<f64>, at: &[f64], i: usize, j: usize) -> Dual {
    let mut names: Vec<(&str, Dual)> = Vec::new();
    for (k, &name) in rule.args.iter().enumerate() {
        let free = Dual {
            value: at[k],
            tangent: (k == j).then_some(1.0),
        };
        names.push((
            name,
            if rule.given[k].is_empty() {
                free
            } else {
                evaluate(rule.given[k], &names)
            },
        ));
    }
    let args: Vec<_> = names.iter().map(|&(_, arg)| arg).collect();
    names.push(("y", call(rule, row, &args)));
    evaluate(rule.partials[i], &names)
}

fn evaluate(text: &str, names: &[(&str, Dual)]) -> Dual {
    let mut parser = Parser { text, names };
    let result = parser.sum();
    assert_eq!(parser.text.trim(), "", "left of {text}");
    result
}

/// A row applied to numbers and their derivatives.
fn call(rule: &Rule, row: &Row<f64>, args: &[Dual]) -> Dual {
    let at: Vec<_> = args.iter().map(|arg| arg.value).collect();
    let mut partials = vec![f64::NAN; at.len()];
    (row.partials)(&at, &mut partials);
    let contributions = (0..at.len())
        .filter(|&i| !["0.0", "_"].contains(&rule.partials[i]))
        .filter_map(|i| {
            let apply = match rule.flag {
                Flag::Plain => |d: f64, p: f64| d * p,
                Flag::Guarded => zmul,
                Flag::Select => select,
            };
            args[i].tangent.map(|d| apply(d, partials[i]))
        });
    Dual {
        value: (row.value)(&at),
        tangent: contributions.reduce(|a, b| a + b),
    }
}

/// Reads an expression from the front of `text`.
struct Parser<'a> {
    text: &'a str,
    names: &'a [(&'a str, Dual)],
}

impl Parser<'_> {
    fn eat(&mut self, token: char) -> bool {
        self.text = self.text.trim_start();
        let rest = self.text.strip_prefix(token);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    /// Takes from the front what `part` accepts.
    fn word(&mut self, part: impl Fn(char) -> bool) -> String {
        self.text = self.text.trim_start();
        let end = self.text.find(|c| !part(c)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word.to_owned()
    }

    fn sum(&mut self) -> Dual {
        let mut a = self.product();
        loop {
            let sign = if self.eat('+') {
                1.0
            } else if self.eat('-') {
                -1.0
            } else {
                return a;
            };
            let b = self.product();
            a = Dual {
                value: a.value + sign * b.value,
                tangent: add(a.tangent, b.tangent.map(|d| sign * d)),
            };
        }
    }

    fn product(&mut self) -> Dual {
        let mut a = self.factor();
        loop {
            if self.eat('*') {
                let b = self.factor();
                a = Dual {
                    value: a.value * b.value,
                    tangent: add(
                        a.tangent.map(|d| d * b.value),
                        b.tangent.map(|d| d * a.value),
                    ),
                };
            } else if self.eat('/') {
                let b = self.factor();
                let value = a.value / b.value;
                a = Dual {
                    value,
                    tangent: add(
                        a.tangent.map(|d| zmul(d, 1.0 / b.value)),
                        b.tangent.map(|d| zmul(d, -value / b.value)),
                    ),
                };
            } else {
                return a;
            }
        }
    }

    fn factor(&mut self) -> Dual {
        if self.eat('-') {
            let a = self.factor();
            return Dual {
                value: -a.value,
                tangent: a.tangent.map(|d| -d),
            };
        }
        if self.eat('(') {
            let a = self.sum();
            assert!(self.eat(')'), "no ) before {}", self.text);
            return a;
        }
        let number = self.word(|c| c.is_ascii_digit() || c == '.');
        if !number.is_empty() {
            return Dual {
                value: number.parse().unwrap(),
                tangent: None,
            };
        }
        let name = self.word(|c| c.is_alphanumeric() || c == '_');
        if !self.eat('(') {
            return self
                .names
                .iter()
                .find(|(other, _)| *other == name)
                .unwrap_or_else(|| panic!("no argument {name:?}"))
                .1;
        }
        let mut args = vec![self.sum()];
        while self.eat(',') {
            args.push(self.sum());
        }
        assert!(self.eat(')'), "no ) before {}", self.text);
        let i = RULES
            .iter()
            .position(|rule| rule.name == name)
            .unwrap_or_else(|| panic!("no row {name}"));
        call(&RULES[i], &Row::<f64>::ALL[i], &args)
    }
}

fn add(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a + b).or(a).or(b)
}
