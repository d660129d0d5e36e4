//! Enums that hold themselves in boxes: matched through the boxes, changed there, moved out of them, and made; lists; numbers in boxes.

use autodiff::{Differentiable, grad};

#[derive(Clone, Debug, Differentiable)]
enum Expr {
    Const(f64),
    Var(#[constant] usize),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Pow { base: Box<Expr>, n: i32 },
    Neg(Box<Expr>),
    Sin(Box<Expr>),
    Cos(Box<Expr>),
}

#[grad(order = 2)]
fn value(e: &Expr, v: &[f64]) -> f64 {
    match e {
        Expr::Const(c) => *c,
        Expr::Var(k) => v[*k],
        Expr::Add(a, b) => value(a, v) + value(b, v),
        Expr::Mul(a, b) => match (&**a, &**b) {
            (Expr::Const(c), Expr::Const(d)) => c * d,
            (Expr::Const(c), right) => *c * value(right, v),
            (left, right) => value(left, v) * value(right, v),
        },
        Expr::Pow { base, n } => match &**base {
            Expr::Pow { base: inner, n: m } => value(inner, v).powi(*n * *m),
            Expr::Neg(x) if *n == 2 => {
                let y = value(x, v);
                y * y
            }
            other => value(other, v).powi(*n),
        },
        Expr::Neg(a) => match &**a {
            Expr::Neg(inner) => value(inner, v),
            Expr::Const(c) => -*c,
            _ => -value(a, v),
        },
        Expr::Sin(a) => match a.as_ref() {
            Expr::Const(c) => c.sin(),
            inner => value(inner, v).sin(),
        },
        Expr::Cos(a) => {
            let inner = &**a;
            match inner {
                Expr::Const(c) => c.cos(),
                _ => value(inner, v).cos(),
            }
        }
    }
}

impl Expr {
    #[grad(method, order = 2)]
    fn at(&self, x: f64) -> f64 {
        match self {
            Self::Const(c) => *c,
            Self::Neg(a) => {
                let Self::Const(c) = &**a else {
                    return -a.at(x);
                };
                -c * x
            }
            Self::Sin(a) => {
                if let Self::Const(c) = a.as_ref() {
                    return c.sin() * x;
                }
                (**a).at(x).sin()
            }
            Self::Add(a, b) if matches!(**b, Self::Const(_)) => a.at(x) * b.at(x) * 2.0,
            Self::Add(a, b) => {
                let (a, b) = (a.as_ref(), b.as_ref());
                a.at(x) + b.at(x)
            }
            Self::Mul(a, b) => {
                let mut product = x;
                for factor in [a, b] {
                    product *= match &**factor {
                        Self::Const(c) => c * c,
                        other => other.at(x),
                    };
                }
                product
            }
            _ => x,
        }
    }
}

/// The derivative by the variable with this number.
#[grad(order = 2)]
fn by(e: &Expr, k: usize) -> Expr {
    match e {
        Expr::Const(_) => Expr::Const(0.0),
        Expr::Var(of) => Expr::Const(if *of == k { 1.0 } else { 0.0 }),
        Expr::Add(a, b) => Expr::Add(Box::new(by(a, k)), Box::new(by(b, k))),
        Expr::Mul(a, b) => {
            let left = Box::new(Expr::Mul(Box::new(by(a, k)), b.clone()));
            let right = Expr::Mul(a.clone(), Box::new(by(b, k)));
            Expr::Add(left, Box::new(right))
        }
        Expr::Pow { base, n } => {
            let rest = Expr::Pow {
                base: base.clone(),
                n: n - 1,
            };
            let outer = Expr::Mul(Box::new(Expr::Const(f64::from(*n))), Box::new(rest));
            Expr::Mul(Box::new(outer), Box::new(by(base, k)))
        }
        Expr::Neg(a) => {
            let inner = by(&**a, k);
            Expr::Neg(Box::new(inner))
        }
        Expr::Sin(a) => Expr::Mul(Box::new(Expr::Cos(a.clone())), Box::new(by(a, k))),
        Expr::Cos(a) => {
            let outer = Expr::Neg(Box::new(Expr::Sin(a.clone())));
            Expr::Mul(Box::new(outer), Box::new(by(a, k)))
        }
    }
}

#[grad(order = 2)]
fn tree(c: f64, d: f64) -> Expr {
    let inner = Expr::Mul(Box::new(Expr::Var(0)), Box::new(Expr::Const(d)));
    let wave = Expr::Mul(
        Box::new(Expr::Const(c)),
        Box::new(Expr::Sin(Box::new(inner))),
    );
    let square = Expr::Pow {
        base: Box::new(Expr::Var(1)),
        n: 2,
    };
    let power = Expr::Pow {
        base: Box::new(square),
        n: 2,
    };
    let twice = Expr::Neg(Box::new(Expr::Neg(Box::new(power))));
    let constants = Expr::Add(
        Box::new(Expr::Neg(Box::new(Expr::Const(c * d)))),
        Box::new(Expr::Mul(
            Box::new(Expr::Const(c)),
            Box::new(Expr::Const(d)),
        )),
    );
    let turned = Expr::Pow {
        base: Box::new(Expr::Neg(Box::new(wave))),
        n: 2,
    };
    let both = Expr::Add(Box::new(twice), Box::new(turned));
    let last = Expr::Cos(Box::new(Expr::Sin(Box::new(Expr::Const(d)))));
    let both = Box::new(Expr::Mul(Box::new(both), Box::new(last)));
    Expr::Add(both, Box::new(constants))
}

#[grad(order = 2)]
fn trees(c: f64, d: f64, v: &[f64]) -> f64 {
    let e = tree(c, d);
    let once = by(&e, 0);
    value(&e, v) + value(&once, v) * c + value(&by(&once, 1), v)
}

#[grad(order = 2)]
fn trees_have_methods(c: f64, d: f64, x: f64) -> f64 {
    let e = tree(c, d);
    let wave = Expr::Sin(Box::new(Expr::Neg(Box::new(Expr::Const(c)))));
    let known = Expr::Mul(
        Box::new(Expr::Sin(Box::new(Expr::Const(d)))),
        Box::new(Expr::Const(c)),
    );
    let product = Expr::Mul(Box::new(Expr::Const(d)), Box::new(wave));
    e.at(x) + known.at(d) * product.at(x)
}

#[grad(order = 2)]
fn trees_that_grow(c: f64, x: f64) -> f64 {
    let mut e = Expr::Const(c);
    for k in 0..3 {
        let scaled = Expr::Mul(Box::new(e), Box::new(Expr::Var(0)));
        e = Expr::Add(Box::new(scaled), Box::new(Expr::Const(c + f64::from(k))));
    }
    let b = Box::new(e);
    value(&b, &[x]) * value(b.as_ref(), &[c])
}

#[grad(order = 2)]
fn scale(e: &mut Expr, x: f64) {
    match e {
        Expr::Const(c) => *c *= x,
        Expr::Neg(a) => match &mut **a {
            Expr::Const(c) => *c += x * x,
            other => scale(other, x),
        },
        Expr::Sin(a) => match a.as_mut() {
            Expr::Const(c) => *c += x.sin(),
            other => scale(other, x),
        },
        Expr::Add(a, b) => {
            scale(a, x);
            scale(b, x * x);
        }
        Expr::Mul(a, b) => {
            if let Expr::Const(c) = &mut **a {
                *c = x * *c;
            }
            scale(b, x);
        }
        _ => {}
    }
}

#[grad(order = 2)]
fn trees_are_changed(c: f64, d: f64, x: f64) -> f64 {
    let mut e = tree(c, d);
    scale(&mut e, x);
    let mut wave = Expr::Add(
        Box::new(Expr::Sin(Box::new(Expr::Const(c)))),
        Box::new(Expr::Sin(Box::new(Expr::Neg(Box::new(Expr::Const(d)))))),
    );
    scale(&mut wave, x);
    value(&e, &[x, c]) * value(&wave, &[])
}

mod imported {
    use super::Expr::{self, *};
    use autodiff::grad;

    #[grad(order = 2)]
    pub(super) fn short(e: &Expr, x: f64) -> f64 {
        match e {
            Const(c) => *c,
            Neg(a) => match &**a {
                Const(c) => -c * x,
                Neg(b) => short(b, x),
                _ => -short(a, x),
            },
            Sin(a) => {
                let Const(c) = &**a else {
                    return short(a, x).sin();
                };
                c.sin()
            }
            Add(a, b) => short(a, x) + short(b, x),
            Mul(a, b) => {
                let mut product = x;
                for factor in [a, b] {
                    product *= match &**factor {
                        Const(c) => *c,
                        other => short(other, x),
                    };
                }
                product
            }
            _ => x,
        }
    }

    #[grad(order = 2)]
    pub(super) fn made(c: f64, x: f64) -> f64 {
        let left = Sin(Box::new(Neg(Box::new(Neg(Box::new(Const(c)))))));
        let right = Mul(Box::new(Const(x)), Box::new(Neg(Box::new(Const(c * x)))));
        short(&Add(Box::new(left), Box::new(right)), x)
    }
}

#[derive(Clone, Debug, Differentiable)]
struct List {
    head: f64,
    tail: Option<Box<List>>,
}

#[grad(order = 2)]
fn sum(l: &List) -> f64 {
    match &l.tail {
        Some(tail) => l.head * sum(tail),
        None => l.head.sin(),
    }
}

#[grad(order = 2)]
fn lists_in_boxes(x: f64, y: f64) -> f64 {
    let last = List {
        head: x * y,
        tail: None,
    };
    let list = List {
        head: x,
        tail: Some(Box::new(last)),
    };
    sum(&list) * y
}

#[test]
fn trees_are_matched_changed_and_made() {
    use imported::made;
    for (c, d, x) in [(0.7, 1.2, 0.4), (-0.3, 0.5, 1.1)] {
        let v = [x, 0.8];
        check!(trees(value c = c, value d = d, shared v = v));
        check_second!(trees(value c = c, value d = d, shared v = v));
        check!(trees_have_methods(value c = c, value d = d, value x = x));
        check_second!(trees_have_methods(value c = c, value d = d, value x = x));
        check!(trees_that_grow(value c = c, value x = x));
        check_second!(trees_that_grow(value c = c, value x = x));
        check!(trees_are_changed(value c = c, value d = d, value x = x));
        check_second!(trees_are_changed(value c = c, value d = d, value x = x));
        check!(made(value c = c, value x = x));
        check_second!(made(value c = c, value x = x));
        check!(lists_in_boxes(value x = x, value y = c));
        check_second!(lists_in_boxes(value x = x, value y = c));
    }
}

/// Sums and products of numbers, worked out as far as they are known.
#[grad(order = 2)]
fn folded(e: Expr) -> Expr {
    match e {
        Expr::Add(a, b) => match (folded(*a), folded(*b)) {
            (Expr::Const(c), Expr::Const(d)) => Expr::Const(c + d),
            (a, b) => Expr::Add(Box::new(a), Box::new(b)),
        },
        Expr::Mul(a, b) => {
            let a = folded(*a);
            let b = folded(*b);
            if let (Expr::Const(c), Expr::Const(d)) = (&a, &b) {
                return Expr::Const(c * d);
            }
            Expr::Mul(Box::new(a), Box::new(b))
        }
        Expr::Neg(a) | Expr::Sin(a) => {
            let inner = *a;
            folded(inner)
        }
        other => other,
    }
}

/// The same of what is lent.
#[grad(order = 2)]
fn halves(e: &Expr, x: f64) -> f64 {
    match e {
        Expr::Add(a, b) | Expr::Mul(a, b) => {
            let left = (**a).clone();
            consumed(left, x) * consumed((**b).clone(), x)
        }
        other => consumed(other.clone(), x),
    }
}

#[grad(order = 2)]
fn consumed(e: Expr, x: f64) -> f64 {
    match e {
        Expr::Const(c) => c * c * x,
        Expr::Add(a, b) => consumed(*a, x) + consumed(*b, x),
        Expr::Mul(a, b) => {
            let (a, b) = (*a, *b);
            consumed(a, x) * consumed(b, x)
        }
        _ => x,
    }
}

#[grad(order = 2)]
fn moved_out(c: f64, d: f64, x: f64) -> f64 {
    let e = tree(c, d);
    let sum = Expr::Add(
        Box::new(Expr::Neg(Box::new(Expr::Const(c * d)))),
        Box::new(Expr::Mul(
            Box::new(Expr::Const(c)),
            Box::new(Expr::Const(x)),
        )),
    );
    let kept = Box::new(sum.clone());
    let back = *kept;
    value(&folded(e), &[x, c]) + halves(&back, x) * consumed(folded(sum), d)
}

/// What is in the boxes of these is made and taken by functions of boxes.
#[grad(order = 2)]
fn added(a: Box<Expr>, b: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Add(a, b))
}

#[grad(order = 2)]
fn lent_box(e: &Box<Expr>, x: f64) -> f64 {
    match &**e {
        Expr::Add(a, b) => lent_box(a, x) * lent_box(b, x),
        other => value(other, &[x]),
    }
}

#[grad(order = 2)]
fn boxes_are_passed(c: f64, x: f64) -> f64 {
    let inner = added(Box::new(Expr::Const(c)), Box::new(Expr::Var(0)));
    let whole = added(inner.clone(), Box::new(Expr::Const(x * c)));
    lent_box(&whole, x) * consumed(*whole, c) + value(&inner, &[x])
}

#[grad(order = 2)]
fn put_before(head: f64, tail: Option<Box<List>>) -> Option<Box<List>> {
    Some(Box::new(List { head, tail }))
}

#[grad(order = 2)]
fn total(l: &Option<Box<List>>) -> f64 {
    match l {
        Some(node) => node.head * node.head + total(&node.tail),
        None => 0.0,
    }
}

/// Each element times all behind it.
#[grad(order = 2)]
fn scaled(l: List) -> List {
    match l.tail {
        None => List {
            head: l.head,
            tail: None,
        },
        Some(tail) => {
            let mut next = scaled(*tail);
            next.head *= l.head;
            next
        }
    }
}

#[grad(order = 2)]
fn walked(l: List) -> f64 {
    let mut sum = l.head;
    let mut current = l;
    while let Some(next) = current.tail {
        current = *next;
        sum = sum * current.head + current.head;
    }
    let mut at = Some(Box::new(current));
    while let Some(node) = at {
        sum += node.head;
        at = node.tail;
    }
    sum
}

#[grad(order = 2)]
fn lists_are_taken_apart(x: f64, y: f64) -> f64 {
    let list = put_before(x, put_before(y, put_before(x * y, None)));
    let whole = List {
        head: y,
        tail: list.clone(),
    };
    total(&list) * scaled(whole.clone()).head + walked(whole)
}

#[derive(Clone, Debug, Differentiable)]
struct Boxed {
    k: Box<f64>,
    pair: Box<[f64; 2]>,
    many: Vec<Box<f64>>,
}

#[grad(order = 2)]
fn in_fields(b: &Boxed) -> f64 {
    *b.k * *b.k + b.pair[0] * (*b.k).sin() + b.many.iter().map(|x| **x * b.pair[1]).sum::<f64>()
}

#[grad(order = 2)]
fn boxed(x: f64, y: f64) -> Boxed {
    let k = Box::new(x * y);
    Boxed {
        k,
        pair: Box::new([x, y * y]),
        many: vec![Box::new(y), Box::new(x)],
    }
}

#[grad(order = 2)]
fn grown(b: &mut Box<f64>, x: f64) {
    **b *= x;
}

#[grad(order = 2)]
fn squared(b: Box<f64>) -> f64 {
    *b * *b
}

#[grad(order = 2)]
fn cubed(x: &f64) -> f64 {
    x * x * x
}

#[grad(order = 2)]
fn numbers_in_boxes(x: f64, y: f64) -> f64 {
    let mut b = boxed(x, y);
    *b.k += y;
    *b.k = *b.k * x;
    b.pair[1] *= *b.k;
    for many in &mut b.many {
        **many *= x;
    }
    b.many.push(Box::<f64>::new(x * y));
    b.many.push(std::boxed::Box::new(y));
    *b.many[1] -= x;
    let mut sum = Box::new(0.0);
    for i in 0..3 {
        *sum += *b.many[i] * y;
        *sum *= x;
    }
    grown(&mut sum, y);
    let chosen = if x > y { Box::new(x) } else { sum.clone() };
    let there = Some(Box::new(y));
    let y = match there {
        Some(y) => *y,
        None => 1.0,
    };
    in_fields(&b) + *chosen * cubed(&sum) + squared(sum) * y
}

#[test]
fn what_is_in_a_box_is_moved_out() {
    for (c, d, x) in [(0.7, 1.2, 0.4), (-0.3, 0.5, 1.1)] {
        check!(moved_out(value c = c, value d = d, value x = x));
        check_second!(moved_out(value c = c, value d = d, value x = x));
        check!(boxes_are_passed(value c = c, value x = x));
        check_second!(boxes_are_passed(value c = c, value x = x));
        check!(lists_are_taken_apart(value x = x, value y = d));
        check_second!(lists_are_taken_apart(value x = x, value y = d));
        check!(numbers_in_boxes(value x = x, value y = d));
        check_second!(numbers_in_boxes(value x = x, value y = d));
        check!(numbers_in_boxes(value x = d, value y = x));
    }
}
