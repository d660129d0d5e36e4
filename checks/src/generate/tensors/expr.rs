//! Expressions whose value is a tensor of a given shape.

#![allow(
    clippy::unnecessary_wraps,
    reason = "what one choice leads to is of one type"
)]

use super::super::expr::Expr;
use super::super::scope::Kind;
use super::super::{CLOSE, OPEN, ResultType};
use super::numbers::reference;
use super::{Generator, Shape};

/// A way to a tensor of a given shape; `None` if that has not what it needs.
type Way = fn(&mut Generator, usize, Shape) -> Option<Expr>;

/// The ways with their weights.
const WAYS: &[(u32, Way)] = &[
    (5, Generator::operator),
    (3, Generator::with_number),
    (5, Generator::entry_by_entry),
    (2, Generator::of_two),
    (3, Generator::along_axes),
    (3, Generator::product),
    (2, Generator::reshaped),
    (2, Generator::permuted),
    (1, Generator::stretched),
    (2, Generator::part),
    (2, Generator::joined),
    (1, Generator::picked),
    (2, Generator::masked),
    (1, Generator::along_one),
    (1, Generator::mapped),
    (1, Generator::branching),
    (1, Generator::in_block),
    (2, Generator::called),
    (1, Generator::made_of_numbers),
];

impl Generator {
    /// A tensor whose entries are at most about `limit`, by value.
    pub(crate) fn tensor(&mut self, depth: usize, shape: Shape, limit: f64) -> Expr {
        let expr = self.any_tensor(depth, shape);
        if expr.bound <= limit {
            return expr;
        }
        let inner = expr.atom();
        let bent = match self.random.below(4) {
            0 => closed(format!("{inner}.sin()"), 1.0),
            1 => closed(format!("{inner}.cos()"), 1.0),
            _ => closed(format!("{inner}.tanh()"), 1.0),
        };
        if bent.bound <= limit {
            bent
        } else {
            open(format!("{} * {:.2}", bent.text, limit), limit)
        }
    }

    fn any_tensor(&mut self, depth: usize, shape: Shape) -> Expr {
        if depth == 0 || self.random.chance(0.1) {
            return self.tensor_leaf(depth, shape);
        }
        for _ in 0..8 {
            let way = self.random.weighted(WAYS).unwrap_or(Self::operator);
            if let Some(expr) = way(self, depth, shape) {
                if self.marks && self.random.chance(0.1) {
                    return closed(format!("{OPEN}{}{CLOSE}", expr.atom()), expr.bound);
                }
                return expr;
            }
        }
        self.tensor_leaf(depth, shape)
    }

    /// A copy of a variable, or a tensor made of numbers.
    fn tensor_leaf(&mut self, depth: usize, shape: Shape) -> Expr {
        let found = self.any(|var| match var.kind {
            Kind::Tensor(other, _) => other == shape,
            Kind::Tensors(other, n) => other == shape && n > 0,
            _ => false,
        });
        if let Some(var) = found {
            let name = match var.kind {
                Kind::Tensors(_, n) => format!("{}[{}]", var.name, self.index(n)),
                _ => var.name,
            };
            return closed(format!("{name}.clone()"), var.bound);
        }
        match self.stretched(depth, shape) {
            Some(stretched) => stretched,
            None => self.of_numbers(depth, shape),
        }
    }

    /// An operand of an operator: a reference, or a value.
    fn operand(&mut self, depth: usize, shape: Shape, limit: f64) -> Expr {
        let found = self.any(|var| matches!(var.kind, Kind::Tensor(other, _) if other == shape));
        match found {
            Some(var) if var.bound <= limit && self.random.chance(0.5) => {
                closed(reference(&var), var.bound)
            }
            _ => {
                let value = self.tensor(depth, shape, limit);
                closed(value.atom(), value.bound)
            }
        }
    }

    /// A receiver of a method.
    pub(crate) fn receiver(&mut self, depth: usize, shape: Shape) -> String {
        self.receiver_within(depth, shape, 3.0).text
    }

    fn receiver_within(&mut self, depth: usize, shape: Shape, limit: f64) -> Expr {
        let found = self.any(|var| matches!(var.kind, Kind::Tensor(other, _) if other == shape));
        match found {
            Some(var) if var.bound <= limit && self.random.chance(0.4) => {
                closed(var.name, var.bound)
            }
            _ => {
                let value = self.tensor(depth, shape, limit);
                closed(value.atom(), value.bound)
            }
        }
    }

    /// What takes the place of any tensor among the arguments of a method.
    pub(crate) fn argument(&mut self, depth: usize, shape: Shape) -> String {
        self.operand(depth, shape, 3.0).text
    }

    /// A reference to a tensor.
    pub(crate) fn lent_tensor(&mut self, depth: usize, shape: Shape) -> String {
        let found = self.any(|var| matches!(var.kind, Kind::Tensor(other, _) if other == shape));
        match found {
            Some(var) if self.random.chance(0.6) => reference(&var),
            _ => format!("&{}", self.tensor(depth, shape, 3.0).atom()),
        }
    }

    /// A tensor, reference or value, on either side of an operator.
    fn operator(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        // A column beside a row, of which each is stretched along the other, or one that has the shape.
        let (own, other) = if shape.rank() > 1 && self.random.chance(0.2) {
            let axis = self.random.below(shape.rank() - 1);
            (shape.with(axis, 1), shape.with(axis + 1, 1))
        } else {
            (shape, self.narrower(shape))
        };
        let (left, right) = (
            self.operand(depth - 1, own, 3.0),
            self.operand(depth - 1, other, 3.0),
        );
        let (a, b) = if self.random.chance(0.5) {
            (&left, &right)
        } else {
            (&right, &left)
        };
        let (x, y) = (&a.text, &b.text);
        Some(match self.random.below(8) {
            0 | 1 => open(format!("{x} + {y}"), a.bound + b.bound),
            2 | 3 => open(format!("{x} - {y}"), a.bound + b.bound),
            4..=6 => open(format!("{x} * {y}"), a.bound * b.bound),
            _ => open(format!("{x} / (({y}).square() + 1.5)"), a.bound),
        })
    }

    /// A number on either side of an operator.
    fn with_number(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let x = self.operand(depth - 1, shape, 3.0);
        let k = if self.random.chance(0.4) {
            closed(self.literal(0.2, 1.3), 1.3)
        } else {
            self.float(1, 2.0)
        };
        let (t, n) = (&x.text, k.atom());
        Some(match self.random.below(8) {
            0 => open(format!("{t} + {n}"), x.bound + k.bound),
            1 => open(format!("{n} + {t}"), x.bound + k.bound),
            2 => open(format!("{t} - {n}"), x.bound + k.bound),
            3 => open(format!("{n} - {t}"), x.bound + k.bound),
            4 => open(format!("{t} * {n}"), x.bound * k.bound),
            5 => open(format!("{n} * {t}"), x.bound * k.bound),
            6 => open(format!("{t} / (1.5 + {n} * {n})"), x.bound),
            _ => open(format!("{n} / (({t}).square() + 1.2)"), k.bound),
        })
    }

    /// An elementary function inside its domain.
    fn entry_by_entry(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let r = self.receiver_within(depth - 1, shape, 3.0);
        let (x, b) = (&r.text, r.bound);
        Some(match self.random.below(26) {
            0 | 1 => closed(format!("{x}.sin()"), 1.0),
            2 => closed(format!("{x}.cos()"), 1.0),
            3 | 4 => closed(format!("{x}.tanh()"), 1.0),
            5 => closed(format!("{x}.sigmoid()"), 1.0),
            6 => closed(format!("{x}.softplus()"), b + 1.0),
            7 => closed(format!("{x}.atan()"), 1.6),
            8 => closed(format!("{x}.asinh()"), 2.0),
            9 => closed(format!("{x}.erf()"), 1.0),
            10 | 11 => closed(format!("(0.6 * {x}.clone()).exp()"), 6.1),
            12 => closed(format!("{x}.square()"), b * b),
            13 => closed(
                format!("{x}.powi({})", self.random.between(0, 3)),
                b.powi(3).max(1.0),
            ),
            14 => closed(format!("({x}.square() + 0.5).ln()"), 2.3),
            15 => closed(format!("({x}.square() + 1.0).sqrt()"), b + 1.0),
            16 => closed(format!("({x}.square() + 0.8).recip()"), 1.3),
            17 => closed(format!("({x}.square() + 0.8).rsqrt()"), 1.3),
            18 => closed(format!("{x}.gelu()"), b),
            19 => closed(format!("{x}.silu()"), b),
            20 => closed(format!("{x}.log_sigmoid()"), b + 1.0),
            21 => open(format!("-{x}.clone()"), b),
            22 if self.use_of("kink") => closed(format!("{x}.relu()"), b),
            23 if self.use_of("kink") => closed(format!("{x}.abs()"), b),
            24 if self.use_of("kink") => closed(format!("{x}.clamp(-0.6, 0.75)"), 0.75),
            25 if self.use_of("kink") => closed(format!("{x}.leaky_relu(0.1)"), b),
            _ => open(format!("-({x}.cos())"), 1.0),
        })
    }

    /// A function of two tensors.
    fn of_two(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let other = self.narrower(shape);
        let r = self.receiver_within(depth - 1, shape, 3.0);
        let a = self.operand(depth - 1, other, 3.0);
        let (x, y) = (&r.text, &a.text);
        let most = r.bound.max(a.bound);
        Some(match self.random.below(9) {
            0 if self.use_of("kink") => closed(format!("{x}.maximum({y})"), most),
            1 if self.use_of("kink") => closed(format!("{x}.minimum({y})"), most),
            2 => closed(
                format!("{x}.hypot(({y}).square() + 1.0)"),
                most * most + 2.0,
            ),
            3 => closed(format!("{x}.atan2(({y}).square() + 0.5)"), 3.2),
            4 => closed(
                format!("({x}.square() + 0.4).powf(({y}).sin() * 1.5)"),
                30.0,
            ),
            5 => closed(format!("{x}.logaddexp({y})"), most + 1.0),
            6 => {
                let weight = self.float(1, 1.0).text;
                closed(format!("{x}.lerp({y}, {weight})"), 2.0 * most + most)
            }
            7 => {
                let third = self.operand(depth - 1, other, 3.0);
                closed(
                    format!("{x}.mul_add({y}, {})", third.text),
                    r.bound * a.bound + third.bound,
                )
            }
            _ => closed(
                format!("{x}.squared_difference({y})"),
                (r.bound + a.bound).powi(2),
            ),
        })
    }

    /// A reduction over one axis, which may stay.
    fn along_axes(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let kept: Vec<usize> = (0..shape.rank())
            .filter(|&axis| shape.lengths()[axis] == 1)
            .collect();
        let n = self.new_length(true);
        let (axis, from, keep) = if !kept.is_empty() && self.random.chance(0.5) {
            let axis = *self.random.pick(&kept);
            (axis, shape.with(axis, n), "_keep")
        } else if shape.rank() < Shape::MOST {
            let axis = self.random.below(shape.rank() + 1);
            (axis, shape.inserted(axis, n), "")
        } else {
            return None;
        };
        let r = self.receiver_within(depth - 1, from, 2.0);
        let at = self.axis(axis, from);
        let (x, b) = (&r.text, r.bound);
        let some = n > 0;
        Some(match self.random.below(8) {
            0 | 1 if some => closed(format!("{x}.mean_axis{keep}({at})"), b),
            2 | 3 if some => closed(format!("{x}.logsumexp_axis{keep}({at})"), b + 1.2),
            4 if some && self.use_of("kink") => closed(format!("{x}.max_axis{keep}({at})"), b),
            5 if some && self.use_of("kink") => closed(format!("{x}.min_axis{keep}({at})"), b),
            _ => closed(format!("{x}.sum_axis{keep}({at})"), b * n.max(1) as f64),
        })
    }

    /// The number of an axis, from the front or from the end.
    fn axis(&mut self, axis: usize, of: Shape) -> String {
        if self.random.chance(0.25) {
            format!("-{}", of.rank() - axis)
        } else {
            axis.to_string()
        }
    }

    /// A product of matrices, vectors, or stacks of matrices.
    fn product(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let k = self.new_length(true);
        let s = shape.lengths();
        let (left, right) = match *s {
            [] => (vec![k], vec![k]),
            [n] if self.random.chance(0.5) => (vec![n, k], vec![k]),
            [n] => (vec![k], vec![k, n]),
            [ref stack @ .., m, n] => {
                let (mut left, mut right) = (stack.to_vec(), stack.to_vec());
                match self.random.below(4) {
                    0 => left.clear(),
                    1 => right.clear(),
                    _ => {}
                }
                left.extend([m, k]);
                right.extend([k, n]);
                (left, right)
            }
        };
        let a = self.receiver_within(depth - 1, Shape::new(&left), 1.5);
        let b = self.operand(depth - 1, Shape::new(&right), 1.5);
        Some(closed(
            format!("{}.matmul({})", a.text, b.text),
            a.bound * b.bound * k.max(1) as f64,
        ))
    }

    /// The same entries in another shape.
    fn reshaped(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let ones: Vec<usize> = (0..shape.rank())
            .filter(|&axis| shape.lengths()[axis] == 1)
            .collect();
        match self.random.below(5) {
            0 if !ones.is_empty() => {
                let axis = *self.random.pick(&ones);
                let x = self.receiver_within(depth - 1, shape.without(axis), 3.0);
                Some(closed(format!("{}.unsqueeze({axis})", x.text), x.bound))
            }
            1 if shape.rank() < Shape::MOST => {
                let axis = self.random.below(shape.rank() + 1);
                let x = self.receiver_within(depth - 1, shape.inserted(axis, 1), 3.0);
                Some(closed(format!("{}.squeeze({axis})", x.text), x.bound))
            }
            _ => {
                let n = shape.count();
                let mut from = vec![vec![n], vec![1, n], vec![n, 1]];
                from.extend(
                    [2, 3]
                        .iter()
                        .filter(|&&part| n.is_multiple_of(part))
                        .map(|&part| vec![part, n / part]),
                );
                let from: &Vec<usize> = self.random.pick(&from);
                let from = Shape::new(from);
                let x = self.receiver_within(depth - 1, from, 3.0);
                let text = if shape.rank() == 1 && self.random.chance(0.4) {
                    format!("{}.flatten()", x.text)
                } else {
                    format!("{}.reshape({})", x.text, shape.text())
                };
                Some(closed(text, x.bound))
            }
        }
    }

    /// The axes in another order.
    fn permuted(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let rank = shape.rank();
        if rank < 2 {
            return None;
        }
        let mut order: Vec<usize> = (0..rank).collect();
        let (a, b) = (self.random.below(rank), self.random.below(rank));
        order.swap(a, b);
        let permute = self.random.chance(0.4);
        if permute {
            let (c, d) = (self.random.below(rank), self.random.below(rank));
            order.swap(c, d);
        }
        let mut from = vec![0; rank];
        for (to, &axis) in order.iter().enumerate() {
            from[axis] = shape.lengths()[to];
        }
        let x = self.receiver_within(depth - 1, Shape::new(&from), 3.0);
        let text = if permute {
            format!("{}.permute(&{order:?})", x.text)
        } else if rank == 2 && a != b {
            format!("{}.t()", x.text)
        } else {
            format!("{}.transpose({a}, {b})", x.text)
        };
        Some(closed(text, x.bound))
    }

    /// A variable stretched to a shape.
    fn stretched(&mut self, _: usize, shape: Shape) -> Option<Expr> {
        let fits = |from: Shape| {
            from.rank() <= shape.rank()
                && from
                    .lengths()
                    .iter()
                    .rev()
                    .zip(shape.lengths().iter().rev())
                    .all(|(from, to)| from == to || *from == 1)
        };
        let var = self.any(|var| matches!(var.kind, Kind::Tensor(from, _) if fits(from)))?;
        let text = format!("{}.broadcast_to({})", var.name, shape.text());
        Some(closed(text, var.bound))
    }

    /// A part of a longer tensor, or its entries in another place.
    fn part(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if self.random.chance(0.2) && shape.rank() < Shape::MOST {
            let axis = self.random.below(shape.rank() + 1);
            let n = self.random.between(1, 3);
            let x = self.receiver_within(depth - 1, shape.inserted(axis, n), 3.0);
            let index = self.random.below(n) as isize
                - if self.random.chance(0.3) {
                    n as isize
                } else {
                    0
                };
            return Some(closed(
                format!("{}.select({axis}, {index})", x.text),
                x.bound,
            ));
        }
        if shape.rank() == 0 {
            return None;
        }
        let axis = self.random.below(shape.rank());
        let n = shape.lengths()[axis];
        let (start, more) = (self.random.below(2), self.random.below(2));
        match self.random.below(4) {
            0 if n > 0 => {
                let step = self.random.between(1, 2);
                let stop = start + (n - 1) * step + 1;
                let x = self.receiver_within(depth - 1, shape.with(axis, stop + more), 3.0);
                let text = format!("{}.slice({axis}, {start}, {stop}, {step})", x.text);
                Some(closed(text, x.bound))
            }
            1 => {
                let from = shape.with(axis, start + n + more);
                let x = self.receiver_within(depth - 1, from, 3.0);
                let text = format!("{}.narrow({axis}, {start}, {n})", x.text);
                Some(closed(text, x.bound))
            }
            2 => {
                let x = self.receiver_within(depth - 1, shape, 3.0);
                Some(closed(format!("{}.flip({axis})", x.text), x.bound))
            }
            _ => {
                let x = self.receiver_within(depth - 1, shape, 3.0);
                Some(closed(format!("{}.roll({start}, {axis})", x.text), x.bound))
            }
        }
    }

    /// Several tensors as one.
    fn joined(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if shape.rank() == 0 {
            return None;
        }
        let axis = self.random.below(shape.rank());
        let n = shape.lengths()[axis];
        let (name, parts) = if self.random.chance(0.4) && (1..4).contains(&n) {
            ("stack", vec![shape.without(axis); n])
        } else {
            let first = self.random.below(n + 1);
            (
                "concat",
                vec![shape.with(axis, first), shape.with(axis, n - first)],
            )
        };
        let s = self.scalar;
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| self.lent_tensor(depth - 1, part))
            .collect();
        let at = self.axis(axis, shape);
        let text = format!("Tensor::<{s}>::{name}(&[{}], {at})", parts.join(", "));
        Some(closed(text, 3.0))
    }

    /// Entries at constant places.
    fn picked(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if shape.rank() == 0 {
            return None;
        }
        let axis = self.random.below(shape.rank());
        let n = self.random.between(1, 3);
        let x = self.receiver_within(depth - 1, shape.with(axis, n), 3.0);
        let (name, index) = if self.random.chance(0.5) {
            ("gather", shape)
        } else {
            ("index_select", Shape::new(&[shape.lengths()[axis]]))
        };
        let places: Vec<String> = (0..index.count())
            .map(|_| format!("{}_usize", self.random.below(n)))
            .collect();
        let text = format!(
            "{}.{name}({axis}, &Tensor::<usize>::from_vec({}, vec![{}]))",
            x.text,
            index.text(),
            places.join(", ")
        );
        Some(closed(text, x.bound))
    }

    /// A mask: compared, or constant.
    fn mask(&mut self, depth: usize, shape: Shape) -> String {
        if self.random.chance(0.3) {
            let truths: Vec<String> = (0..shape.count())
                .map(|_| self.random.chance(0.5).to_string())
                .collect();
            return format!(
                "Tensor::<bool>::from_vec({}, vec![{}])",
                shape.text(),
                truths.join(", ")
            );
        }
        let x = self.receiver(depth, shape);
        let limit = self.literal(-0.6, 0.6);
        let comparison = *self.random.pick(&["gt", "lt", "ge", "le"]);
        format!("{x}.{comparison}({limit})")
    }

    /// One of two, or a number, where a mask says so.
    fn masked(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let x = self.operand(depth - 1, shape, 3.0);
        let number = self.float(1, 2.0);
        if self.random.chance(0.5) {
            let mask = self.mask(depth - 1, shape);
            let bound = x.bound.max(number.bound);
            let receiver = if x.text.starts_with('&') {
                format!("({})", x.text)
            } else {
                x.text
            };
            let text = format!("{receiver}.masked_fill(&{mask}, {})", number.text);
            return Some(closed(text, bound));
        }
        let narrow = self.narrower(shape);
        let mask = self.mask(depth - 1, narrow);
        let other = if self.random.chance(0.3) {
            number
        } else {
            let narrow = self.narrower(shape);
            self.operand(depth - 1, narrow, 3.0)
        };
        let bound = x.bound.max(other.bound);
        Some(closed(
            format!("{mask}.where_cond({}, {})", x.text, other.text),
            bound,
        ))
    }

    /// A function along an axis.
    fn along_one(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if shape.count() == 0 || shape.rank() == 0 {
            return None;
        }
        let axis = self.random.below(shape.rank());
        let n = shape.lengths()[axis];
        let r = self.receiver_within(depth - 1, shape, 3.0);
        let at = self.axis(axis, shape);
        let (x, b) = (&r.text, r.bound);
        Some(match self.random.below(4) {
            0 => closed(format!("{x}.softmax({at})"), 1.0),
            1 => closed(format!("{x}.log_softmax({at})"), 2.0 * b + 1.2),
            2 => closed(format!("{x}.cumprod({at})"), b.max(1.0).powi(n as i32)),
            _ => closed(format!("{x}.cumsum({at})"), b * n as f64),
        })
    }

    /// A closure of each entry.
    fn mapped(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if !self.use_of("closure") {
            return None;
        }
        let x = self.receiver(depth - 1, shape);
        let v = self.fresh("z");
        let body = self.fixed_with(vec![super::Var::new(&v, Kind::Scalar, false, 3.0)], 2, 3.0);
        Some(closed(format!("{x}.map(|{v}| ({body}) * {v})"), 9.0))
    }

    /// One of two, by a condition or by an integer.
    fn branching(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        let (a, b) = (
            self.tensor(depth - 1, shape, 3.0),
            self.tensor(depth - 1, shape, 3.0),
        );
        let bound = a.bound.max(b.bound);
        if self.random.chance(0.3) && self.use_of("match") {
            let int = self.any(|var| matches!(var.kind, Kind::Int(..)))?;
            return Some(open(
                format!(
                    "match {} % 2 {{ 0 => {}, _ => {} }}",
                    int.read, a.text, b.text
                ),
                bound,
            ));
        }
        if !self.use_of("if") {
            return None;
        }
        let condition = self.condition();
        Some(open(
            format!("if {condition} {{ {} }} else {{ {} }}", a.text, b.text),
            bound,
        ))
    }

    /// A block with a binding of its own.
    fn in_block(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        if !self.use_of("block") {
            return None;
        }
        let other = self.narrower(shape);
        let inner = self.tensor(depth - 1, other, 3.0);
        let name = self.fresh("t");
        let mark = self.vars.len();
        self.declare(Self::tensor_var(
            &name,
            other,
            super::Held::Owned,
            false,
            inner.bound,
        ));
        let last = self.tensor(depth - 1, shape, 3.0);
        self.vars.truncate(mark);
        let text = format!(
            "{{ let {name} = {}; {} * &{name} }}",
            inner.text,
            last.atom()
        );
        Some(open(text, last.bound * inner.bound))
    }

    /// A call of a function that returns a tensor of the shape.
    fn called(&mut self, _: usize, shape: Shape) -> Option<Expr> {
        let helper = self.helper(|function| {
            function.result == ResultType::Tensor(shape)
                && function.params.iter().all(|param| !param.ty.is_mut())
        })?;
        let (arguments, _) = self.arguments(&helper)?;
        self.used.insert("call");
        Some(closed(format!("{}({arguments}).tanh()", helper.name), 1.0))
    }

    fn made_of_numbers(&mut self, depth: usize, shape: Shape) -> Option<Expr> {
        Some(self.of_numbers(depth, shape))
    }

    /// A tensor whose entries are numbers, or all the same one.
    fn of_numbers(&mut self, depth: usize, shape: Shape) -> Expr {
        let (s, at) = (self.scalar, shape.text());
        if shape.rank() == 0 && self.random.chance(0.5) {
            let number = self.float(depth.min(1), 2.0).text;
            let tensor = self.tensor_of(&number);
            return closed(format!("{tensor}::scalar({number})"), 2.0);
        }
        match self.random.below(6) {
            0 => {
                let number = self.float(depth.min(1), 2.0).text;
                let tensor = self.tensor_of(&number);
                closed(format!("{tensor}::full({at}, {number})"), 2.0)
            }
            1 => closed(format!("Tensor::<{s}>::ones({at})"), 1.0),
            _ => {
                let numbers: Vec<String> = (0..shape.count())
                    .map(|_| {
                        if self.random.chance(0.4) {
                            self.literal(-1.2, 1.2)
                        } else {
                            self.float(depth.min(1), 2.0).text
                        }
                    })
                    .collect();
                let numbers = numbers.join(", ");
                let tensor = self.tensor_of(&numbers);
                if shape.rank() == 1 && shape.count() > 0 && self.random.chance(0.3) {
                    return closed(format!("{tensor}::from([{numbers}])"), 2.0);
                }
                closed(format!("{tensor}::from_vec({at}, vec![{numbers}])"), 2.0)
            }
        }
    }

    /// The type of a tensor of these numbers, of whose entries it need not be said what they are unless all are literals.
    fn tensor_of(&mut self, numbers: &str) -> String {
        if numbers.contains(char::is_alphabetic) && self.random.chance(0.5) {
            "Tensor".to_owned()
        } else {
            format!("Tensor::<{}>", self.scalar)
        }
    }
}

fn closed(text: String, bound: f64) -> Expr {
    Expr {
        text,
        bound,
        closed: true,
    }
}

fn open(text: String, bound: f64) -> Expr {
    Expr {
        text,
        bound,
        closed: false,
    }
}
