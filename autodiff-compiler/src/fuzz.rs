//! The macro never panics: mutated token streams of the project's own test programs go through it.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use quote::ToTokens;

use crate::function::Rule;

/// Programs with what the test programs lack.
const SNIPPETS: &[&str] = &[
    "fn f(x: f64) -> f64 { let y = match x { v if v > 1.0 => v * v, _ => 'a' as u8 as f64 }; y }",
    "fn f((a, b): (f64, f64), [c, .., d]: [f64; 4], n: &usize) -> f64 { a * b + c - d * *n as f64 }",
    "fn f<'a, const N: usize>(xs: &'a [[f64; N]], mut m: [f64; N]) -> [f64; N] where [f64; N]: Copy { for (i, row) in xs.iter().enumerate().rev() { for j in (0..N).step_by(2) { m[j] += row[j] * i as f64; } } m }",
    "fn f(u: &mut [f64], dt: f64) { let n = u.len(); for i in 1..n - 1 { u[i] += dt * (u[i - 1] - 2.0 * u[i] + u[i + 1]); } u.swap(0, n - 1); }",
    "fn f(x: f64) -> f64 { println!(\"{x} {} {x:?}\", x.abs()); assert!(x > 0.0, \"{}\", x); let z = loop { break 1.0; }; std::mem::swap(&mut x, &mut z); z }",
    "fn f(x: f64) -> (f64, Vec<f64>) { let mut v = vec![x; 3]; v[0] *= 2.0; let w = vec![x, 1.0,]; let r = &mut v[1..]; r[0] = w[1]; (v[0], w) }",
    "async unsafe extern \"C\" fn f<T>(self: &Self, x: impl Fn(f64) -> f64, ...) -> Result<f64, ()> where T: Copy { x(1.0)?.await }",
    "fn f(x: f64) -> f64 { 'a: for i in 0..=3 { if i == 2 { continue 'a } else if x < 0.0 { return x; } } let Some(y) = Some(x) else { panic!() }; unsafe { y } }",
    "fn f(x: f64) -> f64 { fn g() {} const K: f64 = 2.0; static S: f64 = 1.0; macro_rules! m { () => {} } use std::f64::consts::PI; struct P { a: f64 } let p = P { a: x, ..q }; p.a.powi(2) % K + (|t| t * x)(1.0) }",
    "fn r#fn(r#type: f64, _: f64, __a0: f64, rt: f64, seed: f64) -> f64 { let r#loop = r#type * __a0 * rt; r#loop + seed }",
    "fn f(x: f64) -> f64 { ((x.sin_cos().0).powf(-x), x.atan2(2.).rem_euclid(3e0), -x as f32 as f64).1 }",
    "fn f(x: f64, n: u32) -> f64 { let mut y; y = x; let (mut a, b): (f64, _) = (y, 2u8); (a, y) = (y, a); a -= b as f64; a <<= 2; y / a }",
    "fn f(x: f64) -> f64 { match (x, 3) { (v, 1 | 2) => v, (v, 3..=5) => { v.exp() } (_, k) if k > 7 => g::<3>(x, &k), _ => self::h::g(&mut [x; 2][..]) } }",
    "pub struct S { x: f64 }",
    "impl S { fn f(&self) -> f64 { self.x } }",
    "impl<'a, T: Float> Mul<&'a T> for S<T> { type Output = Self; fn mul(mut self, o: &'a T) -> Self::Output { self.x *= *o; S { x: self.x, ..self } } }",
    "impl AddAssign for S { fn add_assign(&mut self, o: Self) { self.x += o.x; self.y[0] = o.y[1]; } }",
    "impl Neg for S { type Output = S; fn neg(self) -> S { S(-self.0) } }",
    "impl S<'_> { #[grad(wrt(self))] pub fn f(self: &mut Self, k: usize) -> Option<Self> { if k == 0 { return None; } self.step(k as f64); Some(Self::new(self.x, &self.v)) } fn len(&self) -> usize { 0 } }",
    "pub trait M<const N: usize>: Copy { const K: f64; fn f(&self, x: &[f64; N]) -> f64; fn g(self, y: &mut f64, #[constant] n: usize) -> Self where Self: Sized { *y *= Self::K; self.f(&[*y; N]); self } fn new(x: f64) -> Self; }",
    "#[cfg(all())] impl m::M<3> for S { const K: f64 = 2.0; fn f(&self, x: &[f64; 3]) -> f64 { self.x * x[0] } fn new(x: f64) -> Self { S { x } } }",
    "fn f<P: m::M<3> + Differentiable, Q>(p: &P, q: Q, x: f64) -> f64 where Q: M<3> + Differentiable { let z = P::new(x); p.f(&[x; 3]) * <Q as M>::f(&q, &[x; 3]) + z.f(&[0.0; 3]) }",
    "pub struct S<'a, T> where T: Copy { #[constant] a: &'a T, b: (T, u8), pub c: Vec<[T; 3]> }",
    "struct S(pub f64, #[constant = 3] String); ",
    "enum E { A(f64), B { x: f64 }, C }",
    "",
];

/// Arguments of the attribute.
const OPTIONS: &[&str] = &[
    "",
    "wrt(x)",
    "wrt = x, verify",
    "name = G",
    "crate = ::autodiff",
    "order = 2, partials = (1.0, y)",
    "order = 2",
    "order = 3",
    "method",
    "vjp = p, jvp = q",
    "constant",
    "skip",
    "checkpoint",
    "strong_zero",
    "__only = \"vjp\"",
    "__mutate = \"save\"",
    "wrt, name, crate = 3",
];

/// A token stream that can be taken apart.
#[derive(Clone)]
enum Node {
    Leaf(TokenTree),
    Group(Delimiter, Vec<Node>),
}

fn nodes(tokens: TokenStream) -> Vec<Node> {
    let node = |token| match token {
        TokenTree::Group(group) => Node::Group(group.delimiter(), nodes(group.stream())),
        leaf => Node::Leaf(leaf),
    };
    tokens.into_iter().map(node).collect()
}

fn tokens(nodes: &[Node]) -> TokenStream {
    let token = |node: &Node| match node {
        Node::Leaf(leaf) => leaf.clone(),
        Node::Group(delimiter, inner) => Group::new(*delimiter, tokens(inner)).into(),
    };
    nodes.iter().map(token).collect()
}

fn count(nodes: &[Node]) -> usize {
    let inner = |node: &Node| match node {
        Node::Leaf(_) => 0,
        Node::Group(_, inner) => count(inner),
    };
    nodes.iter().map(|node| 1 + inner(node)).sum()
}

/// The list that holds the `at`-th node in textual order, and its position there.
fn find(nodes: &mut Vec<Node>, at: usize) -> Option<(&mut Vec<Node>, usize)> {
    let mut left = at;
    let mut inside = None;
    for (k, node) in nodes.iter().enumerate() {
        if left == 0 {
            return Some((nodes, k));
        }
        left -= 1;
        if let Node::Group(_, inner) = node {
            let size = count(inner);
            if left < size {
                inside = Some(k);
                break;
            }
            left -= size;
        }
    }
    match nodes.get_mut(inside?) {
        Some(Node::Group(_, inner)) => find(inner, left),
        _ => None,
    }
}

/// One change; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(usize),
    Duplicate(usize),
    Swap(usize, usize),
    /// With a token of another program.
    Replace(usize, usize, usize),
    Insert(usize, usize, usize),
    /// A group gives way to its contents.
    Unwrap(usize),
    Wrap(usize, u8),
    /// Nothing follows in this group.
    Cut(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let n = || any::<u16>().prop_map(usize::from);
    prop_oneof![
        n().prop_map(Mutation::Delete),
        n().prop_map(Mutation::Duplicate),
        (n(), n()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        (n(), n(), n()).prop_map(|(a, p, b)| Mutation::Replace(a, p, b)),
        (n(), n(), n()).prop_map(|(a, p, b)| Mutation::Insert(a, p, b)),
        n().prop_map(Mutation::Unwrap),
        (n(), any::<u8>()).prop_map(|(a, d)| Mutation::Wrap(a, d)),
        n().prop_map(Mutation::Cut),
    ]
}

impl Mutation {
    fn apply(&self, program: &mut Vec<Node>, programs: &[Vec<Node>]) {
        let total = count(program).max(1);
        let foreign = |p: usize, at: usize| {
            let mut other = programs[p % programs.len()].clone();
            let size = count(&other).max(1);
            find(&mut other, at % size).map(|(list, k)| list[k].clone())
        };
        match *self {
            Mutation::Delete(at) => {
                if let Some((list, k)) = find(program, at % total) {
                    list.remove(k);
                }
            }
            Mutation::Duplicate(at) => {
                if let Some((list, k)) = find(program, at % total) {
                    let again = list[k].clone();
                    list.insert(k, again);
                }
            }
            Mutation::Swap(a, b) => {
                let Some(first) = find(program, a % total).map(|(list, k)| list[k].clone()) else {
                    return;
                };
                let Some((list, k)) = find(program, b % total) else {
                    return;
                };
                let second = std::mem::replace(&mut list[k], first);
                if let Some((list, k)) = find(program, a % total) {
                    list[k] = second;
                }
            }
            Mutation::Replace(at, p, b) => {
                if let (Some(new), Some((list, k))) = (foreign(p, b), find(program, at % total)) {
                    list[k] = new;
                }
            }
            Mutation::Insert(at, p, b) => {
                if let (Some(new), Some((list, k))) = (foreign(p, b), find(program, at % total)) {
                    list.insert(k, new);
                }
            }
            Mutation::Unwrap(at) => {
                if let Some((list, k)) = find(program, at % total) {
                    if let Node::Group(_, inner) = list[k].clone() {
                        list.splice(k..=k, inner);
                    }
                }
            }
            Mutation::Wrap(at, delimiter) => {
                let delimiter = match delimiter % 4 {
                    0 => Delimiter::Parenthesis,
                    1 => Delimiter::Brace,
                    2 => Delimiter::Bracket,
                    _ => Delimiter::None,
                };
                if let Some((list, k)) = find(program, at % total) {
                    let node = list[k].clone();
                    list[k] = Node::Group(delimiter, vec![node]);
                }
            }
            Mutation::Cut(at) => {
                if let Some((list, k)) = find(program, at % total) {
                    list.truncate(k + 1);
                }
            }
        }
    }
}

/// The functions, blocks and structs of a file that carry an attribute of ours, without it.
fn functions(text: &str, into: &mut Vec<TokenStream>) {
    let Ok(file) = syn::parse_file(text) else {
        return;
    };
    for item in file.items {
        let mut item = item;
        let attrs = match &mut item {
            syn::Item::Fn(f) => &mut f.attrs,
            syn::Item::Impl(block) => &mut block.attrs,
            syn::Item::Struct(s) => &mut s.attrs,
            _ => continue,
        };
        let before = attrs.len();
        attrs.retain(|attr| !attr.path().is_ident("grad") && !attr.path().is_ident("derive"));
        if attrs.len() < before {
            into.push(item.to_token_stream());
        }
    }
}

fn programs() -> Vec<Vec<Node>> {
    let mut found = Vec::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    for directory in ["corpus", "ui"] {
        let files = std::fs::read_dir(tests.join(directory))
            .into_iter()
            .flatten();
        let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
        paths.sort();
        for path in paths {
            functions(
                &std::fs::read_to_string(path).unwrap_or_default(),
                &mut found,
            );
        }
    }
    found.extend(SNIPPETS.iter().filter_map(|text| text.parse().ok()));
    found.into_iter().map(nodes).collect()
}

thread_local! {
    /// Where the last panic came from.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
    /// Whether this thread tries a program, whose panic is noted and not printed.
    static TRIES: Cell<bool> = const { Cell::new(false) };
}

/// Lets panics of programs that are tried be noted; others are printed as ever.
fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if TRIES.get() {
                PLACE.with(|place| *place.borrow_mut() = info.to_string());
            } else {
                print(info);
            }
        }));
    });
}

/// Expands a program; the message, if the macro panics.
fn panic_of(options: TokenStream, program: &[Node]) -> Option<String> {
    let program = tokens(program);
    let expand = AssertUnwindSafe(|| {
        let _ = crate::expand::grad(options.clone(), program.clone());
        let _ = crate::derive::differentiable(program.clone());
    });
    TRIES.set(true);
    let tried = panic::catch_unwind(expand);
    TRIES.set(false);
    tried.err().map(|_| {
        let place = PLACE.with(|place| place.borrow().clone());
        format!("{place}\n#[grad({options})] {program}")
    })
}

/// Cases of a seed that are tried, unless the time is over first; `AUTODIFF_FUZZ` sets another number, without limit of time.
const CASES: u32 = 2_500;
const TIME: Duration = Duration::from_secs(240);

// Two halves, for two processors.
#[test]
fn mutated_programs_do_not_panic() {
    try_programs(*b"mutated programs do not panic...");
}

#[test]
fn other_mutated_programs_do_not_panic() {
    try_programs(*b"other mutated programs neither..");
}

/// Tries the cases of a seed, which are the same every time; another number of cases goes on where this one ends.
fn try_programs(seed: [u8; 32]) {
    let programs = programs();
    assert!(programs.len() > 100, "the test programs were not found");
    let wanted = std::env::var("AUTODIFF_FUZZ")
        .ok()
        .and_then(|n| n.parse().ok());
    let config = Config {
        cases: wanted.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let strategy = (
        any::<u16>(),
        any::<u8>(),
        prop::collection::vec(mutation(), 0..6),
    );
    note_panics();
    let start = Instant::now();
    let tried = Cell::new(0_u32);
    let result =
        TestRunner::new_with_rng(config, rng).run(&strategy, |(program, options, mutations)| {
            if wanted.is_none() && start.elapsed() > TIME {
                return Ok(());
            }
            tried.set(tried.get() + 1);
            let mut program = programs[usize::from(program) % programs.len()].clone();
            // Most programs have no options, so that most errors are met in the body.
            let options = (OPTIONS.iter().copied())
                .chain(Rule::ALL.map(|(option, _)| option))
                .nth(usize::from(options) % 48)
                .unwrap_or_default();
            for mutation in &mutations {
                mutation.apply(&mut program, &programs);
            }
            match panic_of(options.parse().unwrap_or_default(), &program) {
                Some(message) => Err(TestCaseError::fail(message)),
                None => Ok(()),
            }
        });
    println!("{} programs in {:?}", tried.get(), start.elapsed());
    if let Err(TestError::Fail(message, case)) = result {
        panic!("{message}\n{case:?}");
    }
}
