//! Options behind references: what is in them is lent where it lies, and what is a number is read.

use autodiff::{Differentiable, Tangent, grad};

use crate::check::near;

#[derive(Clone, Debug, Differentiable)]
struct Leaf {
    a: f64,
    v: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Node {
    left: Option<Leaf>,
    right: Option<Leaf>,
    weight: Option<f64>,
    list: Option<Vec<f64>>,
    bias: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct List {
    head: f64,
    tail: Option<Box<List>>,
}

#[grad(order = 2)]
fn leaf(m: &Leaf, x: f64) -> f64 {
    m.a * m.a * x + m.v[0] * m.v[1]
}

#[grad(order = 2)]
fn product(v: &[f64]) -> f64 {
    v[0] * v[1]
}

#[grad(order = 2)]
fn lent(n: &Node, x: f64) -> f64 {
    let by_match = match &n.left {
        Some(m) if m.a > 2.0 => m.a,
        Some(m) => leaf(m, x) * n.bias,
        None => x,
    };
    let by_let = if let Some(m) = &n.right {
        leaf(m, by_match)
    } else {
        x * x
    };
    let by_reference = if let Some(ref m) = n.left {
        leaf(m, x) * m.a
    } else {
        1.0
    };
    let apart = match &n.right {
        Some(Leaf { a, v }) => a * v[0] * product(v),
        None => n.bias,
    };
    by_match * by_let + by_reference * apart
}

#[grad(order = 2)]
fn by_methods(n: &Node, x: f64) -> f64 {
    let mapped = n.left.as_ref().map_or(x, |m| leaf(m, x));
    let list = n.list.as_deref().map_or(1.0, |v| product(v) * v[1]);
    let later = n.right.as_ref();
    if later.is_none() || n.left.is_none() {
        return mapped * list;
    }
    let m = later.unwrap();
    mapped * list + leaf(m, list) * m.a + leaf(n.left.as_ref().unwrap(), x)
}

#[grad(order = 2)]
fn both(n: &Node, x: f64) -> f64 {
    match (&n.left, &n.right, n.weight) {
        (Some(p), Some(q), Some(w)) => leaf(p, w) * leaf(q, x),
        (Some(p), None, _) => leaf(p, x),
        _ => x,
    }
}

#[grad(order = 2)]
fn numbers(n: &Node, x: f64) -> f64 {
    let a = match &n.weight {
        Some(w) if *w > 0.5 => *w * x,
        Some(w) => w * w,
        None => x,
    };
    let b = match n.weight.as_ref() {
        Some(&w) => w * a,
        None => 0.3,
    };
    let Node { weight, .. } = n;
    a * b + weight.unwrap_or_default() * weight.unwrap_or(x)
}

/// What is read of an option is what it held then, also where the option is another one later.
#[grad(order = 2)]
fn replaced(n: &Node, x: f64) -> f64 {
    let mut k = n.clone();
    let weight = &k.weight;
    let before = weight.unwrap_or_else(|| x);
    k.weight = Some(before * x);
    if let Some(w) = &k.weight {
        let w = *w;
        k.weight = Some(w * x * before);
        k.bias += w;
    }
    k.left = Some(Leaf {
        a: x,
        v: vec![k.bias, x],
    });
    let m = match &k.left {
        Some(m) => m,
        None => return 0.0,
    };
    leaf(m, before) * k.weight.unwrap()
}

#[grad(order = 2)]
fn in_lists(leaves: &[Option<Leaf>], x: f64) -> f64 {
    let mut s = leaves.iter().flatten().map(|m| leaf(m, x)).sum::<f64>();
    for m in leaves {
        if let Some(m) = m {
            s *= leaf(m, s);
        }
    }
    let Some(first) = &leaves[0] else { return s };
    leaf(first, s)
}

macro_rules! of_node {
    ($($name:ident of $f:ident;)*) => {$(
        #[grad(order = 2)]
        fn $name(x: f64, y: f64, some: bool) -> f64 {
            let leaf = Leaf { a: x * y, v: vec![x, y.sin()] };
            let n = Node {
                left: Some(leaf.clone()),
                right: if some { Some(leaf) } else { None },
                weight: if some { Some(x - y) } else { None },
                list: if some { Some(vec![y, x]) } else { None },
                bias: y,
            };
            $f(&n, x)
        }
    )*};
}

of_node! {
    node_lent of lent;
    node_by_methods of by_methods;
    node_both of both;
    node_numbers of numbers;
    node_replaced of replaced;
}

#[grad(order = 2)]
fn list_of_leaves(x: f64, y: f64, some: bool) -> f64 {
    let leaf = Leaf {
        a: x * y,
        v: vec![x, y.sin()],
    };
    let other = if some { Some(leaf.clone()) } else { None };
    in_lists(&[other, None, Some(leaf)], y)
}

macro_rules! put_to_checks {
    ($($name:ident: $f:ident;)*) => {$(
        #[test]
        fn $name() {
            for (x, y) in [(1.3, 0.7), (-0.6, 1.2)] {
                for some in [true, false] {
                    check!($f(value x = x, value y = y, constant some = some));
                    check_second!($f(value x = x, value y = y, constant some = some));
                }
            }
        }
    )*};
}

put_to_checks! {
    what_is_in_an_option_is_lent: node_lent;
    methods_of_options: node_by_methods;
    two_options_at_once: node_both;
    options_of_numbers: node_numbers;
    options_that_are_replaced: node_replaced;
    options_in_lists: list_of_leaves;
}

#[grad(order = 2)]
fn horner(l: &List, x: f64) -> f64 {
    match &l.tail {
        Some(tail) => l.head + x * horner(tail, x),
        None => l.head,
    }
}

#[grad(order = 2)]
fn horner_by_methods(l: &List, x: f64) -> f64 {
    let Some(tail) = l.tail.as_deref() else {
        return l.head;
    };
    let rest = l.tail.as_ref().map_or(0.0, |tail| horner(tail, x));
    l.head + x * (horner_by_methods(tail, x) + rest) / 2.0
}

/// A list of boxes is walked down by calls.
#[test]
fn a_list_of_boxes() {
    let list = |head, tail: Option<List>| List {
        head,
        tail: tail.map(Box::new),
    };
    // 2 + 3 x + 5 x²
    let l = list(2.0, Some(list(3.0, Some(list(5.0, None)))));
    let x = 0.7;
    for (value, (by_list, by_x)) in [
        horner::value_and_grad(&l, x),
        horner_by_methods::value_and_grad(&l, x),
    ] {
        near(&value, &(2.0 + 3.0 * x + 5.0 * x * x), 1e-14);
        near(&by_list.to_flat(), &[1.0, x, x * x], 1e-14);
        near(&by_x, &(3.0 + 10.0 * x), 1e-14);
    }
    let rows = [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 2.0 * x],
        [0.0, 1.0, 2.0 * x, 10.0],
    ];
    for hessian in [horner::hessian(&l, x), horner_by_methods::hessian(&l, x)] {
        for (k, row) in rows.iter().enumerate() {
            near(hessian.row(k), row, 1e-13);
        }
    }
}

/// Fields that are options, by what the function returns.
mod fields {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Settings {
        pub(super) rate: f64,
        pub(super) momentum: Option<f64>,
    }

    #[grad(order = 2)]
    impl Settings {
        fn scaled(&self) -> Option<f64> {
            self.momentum.map(|m| m * self.rate)
        }
        fn large(&self, least: f64) -> Option<f64> {
            self.momentum.filter(|m| *m > least)
        }
    }

    #[grad(order = 2)]
    fn early(s: &Settings, k: f64) -> Option<f64> {
        if k > 1.0 {
            return s.momentum.map(|m| m * s.rate * k);
        }
        match s.momentum {
            None => None,
            Some(_) if k > 0.5 => s.momentum.map(|m| m * m * k),
            Some(m) => {
                let scaled = s.momentum.map(|x| x * m * s.rate);
                scaled
            }
        }
    }

    #[grad(order = 2)]
    pub(super) fn all(x: f64, y: f64) -> f64 {
        let s = Settings {
            rate: x,
            momentum: if y > 0.0 { Some(x * y) } else { None },
        };
        let mut sum = s.scaled().unwrap_or(x) * s.large(0.3).unwrap_or(y);
        for k in [0.2, 0.7, 1.5] {
            sum += early(&s, k * x).unwrap_or(y * y);
        }
        sum
    }
}

#[test]
fn a_field_that_is_mapped_into_what_is_returned() {
    use fields::all;
    for (x, y) in [(1.1, 0.7), (1.1, -0.7), (0.4, 0.5)] {
        check!(all(value x = x, value y = y));
        check_second!(all(value x = x, value y = y));
    }
}
