//! What a tape keeps of its operations beyond what a sweep needs, where it is asked to.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::panic::Location;

use super::calls::Entry;
use super::elementary::Code;
use super::{NONE, Node, Tape, Var};
use crate::float::Float;

/// So many arguments has the function of the table that has most.
pub(super) const ARGUMENTS: usize = 6;

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail<T> {
    /// The position of its node.
    pub(super) node: u32,
    pub(super) code: Code,
    pub(super) value: T,
    /// Where the arguments are recorded, and their values.
    pub(super) arguments: [(u32, T); ARGUMENTS],
    /// How many these are.
    pub(super) count: usize,
    pub(super) location: &'static Location<'static>,
}

impl<T: Float> Detail<T> {
    pub(super) fn arguments(&self) -> &[(u32, T)] {
        &self.arguments[..self.count]
    }
}

/// The arguments of an operation.
pub(super) trait Arguments<T> {
    /// How many they are, and the number of the node and the value of each.
    fn spread(self) -> (usize, [(u64, T); ARGUMENTS]);
}

macro_rules! arguments {
    ($($count:literal: $($arg:ident)* | $($none:literal)*;)*) => {$(
        impl<T: Float> Arguments<T> for [Var<'_, T>; $count] {
            #[inline(always)]
            fn spread(self) -> (usize, [(u64, T); ARGUMENTS]) {
                let [$($arg),*] = self;
                ($count, [$(($arg.id, $arg.value),)* $(($none, T::ZERO),)*])
            }
        }
    )*};
}
arguments! {
    0: | 0 0 0 0 0 0;
    1: a | 0 0 0 0 0;
    2: a b | 0 0 0 0;
    3: a b c | 0 0 0;
    4: a b c d | 0 0;
    5: a b c d e | 0;
    6: a b c d e f |;
}

/// The call of a compiled function, which may have more arguments than any function of the table.
#[derive(Clone, Debug)]
pub(super) struct Call<T> {
    pub(super) name: &'static str,
    /// Where the arguments are recorded, their values, and the partial derivatives by them.
    pub(super) operands: Vec<(u32, T, T)>,
}

/// All that is kept of the operations.
#[derive(Debug)]
pub(super) struct Details<T> {
    pub(super) kept: bool,
    /// So many nodes were recorded before.
    pub(super) since: usize,
    /// Whether the first number that is not finite is an error.
    pub(super) strict: bool,
    /// In the order of their nodes; nodes that are nobody's have none.
    pub(super) all: Vec<Detail<T>>,
    calls: Vec<Call<T>>,
    pub(super) names: Vec<(u32, String)>,
}

impl<T> Default for Details<T> {
    fn default() -> Self {
        Details {
            kept: false,
            since: 0,
            strict: false,
            all: Vec::new(),
            calls: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl<T: Float> Details<T> {
    /// How many operations come before that node.
    pub(super) fn before(&self, node: usize) -> usize {
        self.all
            .partition_point(|detail| (detail.node as usize) < node)
    }

    /// The operation that a node belongs to: its own, or the one behind it that it is a part of.
    pub(super) fn of(&self, node: usize) -> Option<&Detail<T>> {
        self.all.get(self.before(node))
    }

    /// Keeps a call, and returns its number.
    pub(super) fn call(&mut self, call: Call<T>) -> u32 {
        self.calls.push(call);
        self.calls.len() as u32 - 1
    }

    /// What an operation is called.
    pub(super) fn name(&self, detail: &Detail<T>) -> &'static str {
        match detail.code {
            Code::call(k) => self.calls[k as usize].name,
            code => code.name(),
        }
    }

    /// Where the arguments of an operation are recorded, their values, and the partial derivatives by them.
    pub(super) fn operands(&self, detail: &Detail<T>) -> Vec<(u32, T, T)> {
        if let Code::call(k) = detail.code {
            return self.calls[k as usize].operands.clone();
        }
        let arguments = detail.arguments().iter().zip(detail.partials());
        arguments
            .map(|(&(node, value), partial)| (node, value, partial))
            .collect()
    }

    pub(super) fn clear(&mut self) {
        self.since = 0;
        self.all.clear();
        self.calls.clear();
        self.names.clear();
    }
}

impl<T: Float> Tape<T> {
    /// From now on, the tape keeps what each operation is, its arguments and where in the source it stands.
    ///
    /// Pictures and second derivatives need that, and cannot tell what was recorded before; it makes recording several times slower.
    pub fn keep_details(&self) {
        let mut details = self.details.borrow_mut();
        if !details.kept {
            details.kept = true;
            details.since = self.len();
        }
        drop(details);
        self.arena.watch();
    }

    /// From now on, the first number that is not finite is an error: a panic that names the operation and its place in the source.
    ///
    /// That is so for values while they are recorded, and for derivatives in [`backward`](Tape::backward).
    /// Tapes without this pay nothing for it; with it, recording takes several times as long.
    ///
    /// ```should_panic
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// tape.detect_anomaly();
    /// let x = tape.var(0.0);
    /// let y = x.ln(); // "`ln` of 0 is -inf, at src/main.rs:…"
    /// # let _ = y;
    /// ```
    pub fn detect_anomaly(&self) {
        self.details.borrow_mut().strict = true;
        self.keep_details();
    }

    /// Records a node, which is the result of an operation.
    ///
    /// The arguments are spread where that is needed alone: an address of theirs would keep them out of registers.
    #[inline(always)]
    #[track_caller]
    pub(super) fn record(
        &self,
        node: Node<T>,
        code: Code,
        value: T,
        arguments: impl Arguments<T>,
    ) -> Var<'_, T> {
        if self.arena.asks() {
            self.note(code, value, arguments.spread(), Location::caller());
        }
        Var::recorded(self, value, self.arena.push(node))
    }

    /// Keeps the details of the operation whose node comes next, if this tape does so.
    #[cold]
    #[inline(never)]
    pub(super) fn note(
        &self,
        code: Code,
        value: T,
        (count, arguments): (usize, [(u64, T); ARGUMENTS]),
        location: &'static Location<'static>,
    ) {
        if !self.arena.is_watched() {
            return;
        }
        let mut details = self.details.borrow_mut();
        let detail = Detail {
            node: self.len() as u32,
            code,
            value,
            arguments: arguments.map(|(id, value)| (if id == 0 { NONE } else { id as u32 }, value)),
            count,
            location,
        };
        if details.strict && !value.is_finite() {
            let text = Text(&details, &detail).to_string();
            drop(details);
            panic!("{text} is {value}, at {location}");
        }
        details.all.push(detail);
    }

    /// Panics if a node is the result of an operation of which no details are kept.
    #[track_caller]
    pub(super) fn demand(&self, node: usize) {
        let since = self.details.borrow().since;
        let calls = self.calls.borrow();
        let after = calls.partition_point(|call| call.nodes().start <= node);
        let call = calls[..after].last();
        let call = call.filter(|call| call.nodes().contains(&node));
        assert!(
            !call.is_some_and(Entry::is_of_tensors),
            "derivatives of derivatives of tensors are not recorded; make the function `#[grad(order = 2)]`"
        );
        let of_call = || call.is_some();
        let is_result = || self.arena.read(|nodes| nodes[node].operands != [NONE; 2]);
        assert!(
            node >= since || !is_result() && !of_call(),
            "an operation was recorded before `keep_details` was called; call it on a tape that is empty"
        );
    }

    /// Panics because a derivative is not finite.
    #[cold]
    pub(super) fn refuse_derivative(&self, node: usize, cotangent: T, partial: T) -> ! {
        let details = self.details.borrow();
        match details.of(node) {
            Some(detail) => panic!(
                "the derivative of {} is {partial}, which times the cotangent {cotangent} is {}, at {}",
                Text(&details, detail),
                cotangent * partial,
                detail.location
            ),
            None => panic!(
                "a derivative is {partial}, which times the cotangent {cotangent} is {}",
                cotangent * partial
            ),
        }
    }
}

/// An operation as text: `ln` of 0.
struct Text<'a, T>(&'a Details<T>, &'a Detail<T>);

impl<T: Float> fmt::Display for Text<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(details, detail) = self;
        write!(f, "`{}`", details.name(detail))?;
        for (k, (_, value, _)) in details.operands(detail).iter().enumerate() {
            let before = if k == 0 { " of" } else { "," };
            write!(f, "{before} {value}")?;
        }
        Ok(())
    }
}

impl<T: Float> Var<'_, T> {
    /// Gives the node a name, for pictures.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        if let Some(tape) = self.tape {
            let mut details = tape.details.borrow_mut();
            details.names.push((self.id as u32, name.into()));
        }
        self
    }
}
