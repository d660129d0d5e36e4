//! Scratch memory: what each round of a loop overwrites before it reads it, and what nothing else reads.
//!
//! Such memory is private to the round, wherever it was made: no derivative passes through it from one round to the next.
//! After the reverse of a round its shadow is zero again, since all that was read had been stored in that round.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};

use crate::ir::{Block, Domain, Func, Kind, Op, Path, Place, Shape, Step, Storage, Ty, Value};

/// Those of `places` that are private to each round of the loop.
pub(crate) fn scratch(func: &Func, op: &Op, places: &HashSet<Place>) -> HashSet<Place> {
    let private = |p: &Place| {
        let elsewhere = (func.body.ops.iter()).any(|other| is_mentioned(other, *p, op));
        let mut reshaped = false;
        op.walk(&mut |inner| reshaped |= inner.reshapes(func).contains(p));
        let mut rounds = Rounds {
            func,
            place: *p,
            items: Vec::new(),
        };
        func.at(*p).storage == Storage::Local
            && !func.at(*p).borrows
            && !elsewhere
            && !reshaped
            && rounds.overwrites(&op.blocks[0], Covered::default())
    };
    places.iter().copied().filter(private).collect()
}

/// Whether the place is mentioned outside of the loop, but where it is made.
fn is_mentioned(op: &Op, p: Place, inside: &Op) -> bool {
    if op.pos == inside.pos {
        return false;
    }
    let made = matches!(&op.kind, Kind::New(of) if *of == p);
    !made && op.places().contains(&p)
        || (op.blocks.iter())
            .flat_map(|block| &block.ops)
            .any(|op| is_mentioned(op, p, inside))
}

/// What of a place has been overwritten since the round began.
#[derive(Clone, Default)]
struct Covered {
    whole: bool,
    parts: Vec<Path>,
    /// All elements up to such ends.
    swept: Vec<End>,
}

/// The end of a range, which is its last item or one behind.
#[derive(Clone, Copy)]
struct End {
    bound: Value,
    inclusive: bool,
}

struct Rounds<'a> {
    func: &'a Func,
    place: Place,
    /// The items of the loops around, with the ends of these.
    items: Vec<(Value, End)>,
}

impl Rounds<'_> {
    /// Whether the block reads nothing of the place that is not covered.
    fn overwrites(&mut self, block: &Block, mut covered: Covered) -> bool {
        block.ops.iter().all(|op| self.passes(op, &mut covered))
    }

    fn passes(&mut self, op: &Op, covered: &mut Covered) -> bool {
        let p = self.place;
        match &op.kind {
            Kind::Len(_) | Kind::Check(_) | Kind::ShapeOf(_) => return true,
            Kind::Store(path) | Kind::Fill(path) if path.root == p => {
                covered.whole |= is_whole(path);
                covered.parts.push(path.clone());
                return true;
            }
            Kind::Copy(to, from) if to.root == p && from.root != p => {
                covered.whole |= is_whole(to);
                covered.parts.push(to.clone());
                return true;
            }
            Kind::For(head) => {
                if op.places().contains(&p) {
                    return false;
                }
                let known = self.items.len();
                let mut swept = None;
                if let Domain::Range { inclusive, .. } = head.domain {
                    let (item, bound) = (op.blocks[0].params[0], op.args[1]);
                    let end = End { bound, inclusive };
                    self.items.push((item, end));
                    let all = !op.exits() && self.is_zero(op.args[0]);
                    swept = Some((item, end)).filter(|_| all);
                }
                let read = self.overwrites(&op.blocks[0], covered.clone());
                self.items.truncate(known);
                if let Some((item, end)) = swept {
                    let each = [Step::Index(item)];
                    let stores = |op: &Op| matches!(&op.kind, Kind::Store(path) if path.root == p && path.steps == each);
                    if op.blocks[0].ops.iter().any(stores) {
                        covered.whole |= !end.inclusive && self.is_length(end.bound);
                        covered.swept.push(end);
                    }
                }
                return read;
            }
            _ => {}
        }
        if !op.blocks.is_empty() {
            let here = !op.places().contains(&p);
            let mut arms = op.blocks.iter();
            return here && arms.all(|block| self.overwrites(block, covered.clone()));
        }
        match &op.kind {
            Kind::Load(path) | Kind::AddTo(path) | Kind::Owned(path, _) if path.root == p => {
                self.is_covered(path, covered)
            }
            _ if op.stores().contains(&p) => false,
            _ => covered.whole || !op.places().contains(&p),
        }
    }

    fn is_covered(&self, path: &Path, covered: &Covered) -> bool {
        let under = |part: &Path| path.steps.starts_with(&part.steps);
        let Some(Step::Index(at)) = path.steps.first() else {
            return covered.whole || covered.parts.iter().any(under);
        };
        let within = |end: &End| {
            let mut swept = covered.swept.iter();
            swept.any(|all| all.bound == end.bound && (all.inclusive || !end.inclusive))
        };
        let mut items = self.items.iter();
        covered.whole
            || covered.parts.iter().any(under)
            || items.any(|(item, end)| item == at && within(end))
    }

    /// The value is the number of the place's elements.
    fn is_length(&self, v: Value) -> bool {
        let text = |v: Value| match &defining(&self.func.body, v)?.kind {
            Kind::Lit(tokens) => Some(tokens.to_string()),
            _ => None,
        };
        if let Ty::Array(_, Some(len)) = &self.func.at(self.place).ty {
            return text(v).is_some_and(|text| text == len.to_string());
        }
        let made = made(&self.func.body, self.place);
        let of = made.and_then(|op| defining(&self.func.body, *op.args.first()?));
        of.is_some_and(|op| match &op.kind {
            Kind::Aggregate(Shape::VecRepeat) => op.args[1] == v,
            Kind::Opaque(opaque) => repeated(&opaque.tokens, &op.args) == Some(v),
            _ => false,
        })
    }

    fn is_zero(&self, v: Value) -> bool {
        defining(&self.func.body, v)
            .is_some_and(|op| matches!(&op.kind, Kind::Lit(tokens) if tokens.to_string() == "0"))
    }
}

/// The path names all of its place.
fn is_whole(path: &Path) -> bool {
    matches!(path.steps[..], [] | [Step::Range(None, None)])
}

/// The number of elements of `vec![x; n]`.
fn repeated(tokens: &TokenStream, args: &[Value]) -> Option<Value> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let [
        TokenTree::Ident(name),
        TokenTree::Punct(_),
        TokenTree::Group(group),
    ] = &tokens[..]
    else {
        return None;
    };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    let [.., TokenTree::Punct(semicolon), TokenTree::Ident(count)] = &inner[..] else {
        return None;
    };
    let count = count.to_string();
    let number: usize = count.strip_prefix("__a")?.parse().ok()?;
    (name == "vec" && semicolon.as_char() == ';').then(|| args.get(number).copied())?
}

/// The operation that defines a value, at any depth.
fn defining(block: &Block, v: Value) -> Option<&Op> {
    find(&block.ops, &|op| op.results.contains(&v))
}

/// The operation that makes a place.
fn made(block: &Block, p: Place) -> Option<&Op> {
    find(
        &block.ops,
        &|op| matches!(&op.kind, Kind::New(of) if *of == p),
    )
}

/// The first operation of that sort, at any depth.
pub(crate) fn find<'a>(ops: &'a [Op], is: &dyn Fn(&Op) -> bool) -> Option<&'a Op> {
    ops.iter().find_map(|op| {
        let inside = || op.blocks.iter().find_map(|block| find(&block.ops, is));
        if is(op) { Some(op) } else { inside() }
    })
}
