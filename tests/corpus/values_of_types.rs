//! Values of the user's own types that leave loops, and that chains find the greatest of.

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
struct Crossing {
    at: f64,
    slope: f64,
}

#[derive(Clone, Debug, Differentiable)]
enum Found {
    Early(f64),
    Late { crossing: Crossing },
}

/// Values of the user's own types leave loops.
#[grad]
fn values_of_types(x: f64) -> f64 {
    let mut p = x;
    let crossing = loop {
        p *= 0.9;
        if p < 1.0 {
            break Crossing { at: p, slope: x };
        }
    };
    let found = loop {
        p *= 0.9;
        if p < -0.2 {
            break Found::Early(p * x);
        }
        if p < 0.7 {
            break Found::Late {
                crossing: Crossing { at: p, ..crossing },
            };
        }
    };
    let (last, n) = loop {
        p *= 0.5;
        if p < 0.1 {
            break (Crossing { at: p, slope: p }, 3);
        }
    };
    let s = match found {
        Found::Early(p) => p,
        Found::Late { crossing } => crossing.at * crossing.slope,
    };
    s * crossing.at * crossing.slope + last.at * last.slope * n as f64
}

#[test]
fn loops_yield_values_of_types() {
    for x in [0.83, -0.71, 1.3] {
        check!(values_of_types(value x = x));
    }
}

/// A number with an order.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[grad]
fn extent(v: &[f64]) -> f64 {
    let most = v.iter().map(|&t| Ordered(t)).max().unwrap().0;
    let all: Vec<Ordered> = v.iter().map(|&t| Ordered(t * t)).collect();
    let mut s = 0.0;
    if let Some(least) = all.iter().min() {
        s += least.0 * most;
    }
    s + all.iter().copied().max().unwrap().0
}

#[test]
fn the_greatest_of_what_has_an_order() {
    check!(extent(shared v = vec![0.7, -1.4, 1.2]));
}

/// The best so far, by reference.
#[grad]
fn steepest(crossings: &[Crossing], k: f64) -> f64 {
    let mut best = &crossings[0];
    let mut second = &crossings[1..][0];
    for crossing in crossings {
        if crossing.slope > best.slope {
            second = best;
            best = crossing;
        }
    }
    best.at * best.slope * k + second.at
}

/// The gradient of a function of crossings, by their parts, and by the number.
macro_rules! of_crossings {
    ($f:ident) => {{
        let of = [(0.7, 0.2), (-0.4, 0.9), (1.3, 0.5), (0.1, 1.4)];
        let crossings = of.map(|(at, slope)| Crossing { at, slope });
        let (value, (g, by_k)) = $f::value_and_grad(&crossings, 0.8);
        assert_eq!(value, $f(&crossings, 0.8));
        let g: Vec<_> = g.iter().map(|g| (g.at, g.slope)).collect();
        (g, by_k)
    }};
}

#[test]
fn the_best_so_far() {
    let (g, by_k) = of_crossings!(steepest);
    assert_eq!(
        g,
        [(0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (1.4 * 0.8, 0.1 * 0.8)]
    );
    assert_eq!(by_k, 0.1 * 1.4);
}

/// An element of a part of a list is none of what stands behind the part.
#[grad]
fn beyond(xs: &[f64], of: usize) -> f64 {
    let mut best = &xs[..2][of];
    for x in xs {
        if x < best {
            best = x;
        }
    }
    best * best
}

#[test]
fn an_element_beyond_its_part_panics() {
    let xs = [0.7, 0.4, 0.1];
    assert_eq!(beyond::grad(&xs, 1), [0.0, 0.0, 0.2]);
    let at_two = std::panic::catch_unwind(|| beyond::grad(&xs, 2));
    assert!(at_two.is_err());
}

/// The best so far, if there is one.
#[grad]
fn steepest_of(crossings: &[Crossing], k: f64) -> f64 {
    let mut best: Option<&Crossing> = None;
    let mut lowest: Option<&f64> = None;
    for crossing in crossings {
        if best.is_none_or(|b| crossing.slope > b.slope) {
            best = Some(crossing);
        }
        let at = &crossing.at;
        if lowest.map_or(true, |l| at < l) {
            lowest = Some(at);
        }
    }
    let Some(b) = best else { return k };
    b.at * b.slope * k + lowest.map_or(0.0, |l| l * l)
}

#[test]
fn the_best_so_far_in_an_option() {
    let (g, by_k) = of_crossings!(steepest_of);
    assert_eq!(
        g,
        [(0.0, 0.0), (-0.8, 0.0), (0.0, 0.0), (1.4 * 0.8, 0.1 * 0.8)]
    );
    assert_eq!(by_k, 0.1 * 1.4);
    assert_eq!(steepest_of::grad(&[], 0.8), (vec![], 1.0));
}

#[derive(Clone, Debug, Differentiable)]
struct Kept {
    list: Vec<Option<f64>>,
    pair: [Option<f64>; 2],
}

#[grad]
impl Crossing {
    fn checked(self, k: f64) -> Option<Crossing> {
        if k > 0.0 {
            Some(Crossing {
                at: self.at * k,
                slope: self.slope,
            })
        } else {
            None
        }
    }
}

/// Options that elements are, and that methods return, are told by what is done with them in the end.
#[grad]
fn mapped(kept: &Kept, c: Crossing, k: f64) -> f64 {
    let mut s = c.checked(k).map(|c| c.at * c.slope).unwrap_or(k);
    for i in 0..2 {
        s += kept.list[i].map(|x| x.sin() * k).unwrap_or_default();
        s += kept.pair[i].map(|x| x * s).unwrap_or(k);
    }
    s
}

#[grad]
fn of_options(a: f64, b: f64, k: f64) -> f64 {
    let kept = Kept {
        list: vec![Some(a), None],
        pair: [None, Some(b)],
    };
    mapped(
        &kept,
        Crossing {
            at: a * b,
            slope: b,
        },
        k,
    )
}

#[test]
fn options_that_are_elements() {
    check!(of_options(value a = 0.3, value b = 1.7, value k = 0.6));
    check!(of_options(value a = 0.3, value b = 1.7, value k = -0.6));
}
