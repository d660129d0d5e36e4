//! The walk backwards as operations that are recorded themselves, for derivatives of derivatives.

use alloc::vec::Vec;

use super::details::{ARGUMENTS, Detail};
use super::elementary::{Code, rows};
use super::sweep::{Source, Wrt};
use super::var::{Link, Var};
use super::{NONE, Tape};
use crate::float::Float;
use crate::kernels;
use crate::rules::{Flag, generic, table};

/// The derivatives of one result as variables, which can be computed with and differentiated once more.
#[derive(Clone, Debug)]
pub struct RecordedGradients<'t, T: Float = f64> {
    adjoints: Vec<Option<Var<'t, T>>>,
    tape: Option<&'t Tape<T>>,
}

impl<'t, T: Float> RecordedGradients<'t, T> {
    /// The derivative with respect to a variable, or to each of several.
    ///
    /// # Panics
    ///
    /// If a variable belongs to another tape, or the tape was cleared since.
    #[track_caller]
    pub fn wrt<W: Wrt<'t, T>>(&self, variables: W) -> W::Gradient<Var<'t, T>, Unrecorded> {
        variables.each(&mut &*self)
    }

    fn add(&mut self, node: u32, contribution: Var<'t, T>) {
        let sum = &mut self.adjoints[node as usize];
        *sum = Some(sum.map_or(contribution, |sum| sum + contribution));
    }
}

/// The derivative with respect to a tensor as something recorded, of which there is none.
#[derive(Clone, Copy, Debug)]
pub enum Unrecorded {}

impl<'t, T: Float> Source<'t, T> for &RecordedGradients<'t, T> {
    type Number = Var<'t, T>;
    type Array = Unrecorded;
    fn number(&mut self, variable: Var<'t, T>) -> Var<'t, T> {
        if let Some(tape) = self.tape {
            if !variable.is_of(tape) {
                variable.refuse(tape);
            }
        }
        let found = self.adjoints.get(variable.position()).copied().flatten();
        found.unwrap_or_default()
    }
    #[cfg(feature = "tensor")]
    fn tensor(&mut self, _: super::TensorVar<'t, T>) -> Unrecorded {
        panic!(
            "derivatives of derivatives with respect to tensors are not recorded; make the function `#[grad(order = 2)]`"
        )
    }
}

impl<'t, T: Float> Var<'t, T> {
    /// The derivatives of this number as variables on the same tape, so that derivatives of derivatives can be taken.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// tape.keep_details();
    /// let x = tape.var(2.0);
    /// let slope = x.powi(3).backward_recorded().wrt(x);
    /// let curvature = slope.backward_recorded().wrt(x);
    /// assert_eq!((slope.value(), curvature.value()), (12.0, 12.0));
    /// assert_eq!(curvature.backward().wrt(x), 6.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the tape did not [keep details](Tape::keep_details) since before the first operation that this number depends on, or was cleared since.
    #[must_use]
    #[track_caller]
    pub fn backward_recorded(self) -> RecordedGradients<'t, T> {
        let mut gradients = RecordedGradients {
            adjoints: Vec::new(),
            tape: self.tape,
        };
        let Some(tape) = self.tape else {
            return gradients;
        };
        if !self.is_of(tape) {
            self.refuse(tape);
        }
        gradients.adjoints.resize(self.position() + 1, None);
        gradients.adjoints[self.position()] = Some(Var::constant(T::ONE));
        let kept = tape.details.borrow().kept;
        assert!(
            kept,
            "derivatives of derivatives need a tape that keeps details; call `keep_details` on it first"
        );
        tape.demand(self.position());
        let mut at = tape.details.borrow().before(self.position() + 1);
        while let Some(before) = at.checked_sub(1) {
            at = before;
            let detail = tape.details.borrow().all[at];
            let Some(adjoint) = gradients.adjoints[detail.node as usize] else {
                continue;
            };
            if matches!(detail.code, Code::call(_)) {
                let name = tape.details.borrow().name(&detail);
                panic!(
                    "`{name}` was recorded as a whole, so its second derivative is not known; call it on plain numbers with `hvp` or `hessian`, or make it `#[grad(dynamic)]`"
                );
            }
            let [y, arguments @ ..] = detail.variables(tape);
            let partials = partials(detail.code, &arguments, y);
            let links = partials.into_iter().zip(detail.arguments());
            for ((partial, flag), &(node, _)) in links {
                if node != NONE {
                    tape.demand(node as usize);
                    if let Some(contribution) = contribution(adjoint, partial, flag) {
                        gradients.add(node, contribution);
                    }
                }
            }
        }
        gradients
    }
}

impl<T: Float> Detail<T> {
    /// The result and the arguments, as they were.
    fn variables<'t>(&self, tape: &'t Tape<T>) -> [Var<'t, T>; ARGUMENTS + 1] {
        let generation = tape.arena.next() >> 32 << 32;
        let mut all = [Var::default(); ARGUMENTS + 1];
        let own = [(self.node, self.value)];
        for (var, &(node, value)) in all.iter_mut().zip(own.iter().chain(self.arguments())) {
            *var = match node {
                NONE => Var::constant(value),
                node => Var::recorded(tape, value, generation | u64::from(node)),
            };
        }
        all
    }

    /// The partial derivative by each argument.
    pub(super) fn partials(&self) -> [T; ARGUMENTS] {
        let arguments = self.arguments.map(|(_, value)| Var::constant(value));
        partials(self.code, &arguments, Var::constant(self.value)).map(|(partial, _)| partial.value)
    }
}

/// A cotangent times a partial; nothing where the partial says so.
#[track_caller]
fn contribution<'t, T: Float>(
    cotangent: Var<'t, T>,
    partial: Var<'t, T>,
    flag: Flag,
) -> Option<Var<'t, T>> {
    let nothing = partial.is_constant() || matches!(flag, Flag::Select);
    if nothing && partial.value == T::ZERO {
        None
    } else if partial.is_constant() && partial.value == T::ONE {
        Some(cotangent)
    } else {
        Some(zmul(cotangent, partial))
    }
}

/// The product, and 0 where one of the factors is.
#[track_caller]
fn zmul<'t, T: Float>(d: Var<'t, T>, p: Var<'t, T>) -> Var<'t, T> {
    let value = kernels::zmul(d.value, p.value);
    let (left, right) = (Link::of(p.value), Link::of(d.value));
    d.binary(Code::zmul, p, value, left, right, [d, p])
}

/// The partials of an operation as variables, and how they are applied.
#[track_caller]
fn partials<'t, T: Float>(
    code: Code,
    arguments: &[Var<'t, T>; ARGUMENTS],
    result: Var<'t, T>,
) -> [(Var<'t, T>, Flag); ARGUMENTS] {
    let one = Var::constant(T::ONE);
    let &[a, b, ..] = arguments;
    match code {
        Code::variable => padded([], Flag::Plain),
        Code::neg => padded([-one], Flag::Plain),
        Code::add => padded([one, one], Flag::Plain),
        Code::sub => padded([one, -one], Flag::Plain),
        Code::mul | Code::zmul => padded([b, a], Flag::Plain),
        Code::div => padded([b.recip(), -(result / b)], Flag::Guarded),
        _ => of_row(code, arguments, result),
    }
}

fn padded<T: Float, const N: usize>(
    partials: [Var<'_, T>; N],
    flag: Flag,
) -> [(Var<'_, T>, Flag); ARGUMENTS] {
    let mut all = [(Var::default(), flag); ARGUMENTS];
    for (all, partial) in all.iter_mut().zip(partials) {
        all.0 = partial;
    }
    all
}

macro_rules! of_row {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = [$($partials:tt)*], at $at:tt;
    )* })*) => {
        /// The partials of a row of the table.
        #[track_caller]
        fn of_row<'t, T: Float>(code: Code, arguments: &[Var<'t, T>; ARGUMENTS], result: Var<'t, T>) -> [(Var<'t, T>, Flag); ARGUMENTS] {
            match code {
                $($(Code::$name => row::$name(arguments, result),)*)*
                _ => padded([], Flag::Plain),
            }
        }

        mod row {
            use super::{ARGUMENTS, Flag, Float, Var, generic, padded};
            $($( of_row!(@row $name [$($arg [$($integer)?])*] [$($y)?] [$($flag)?] [$($partials)*]); )*)*
        }
    };
    (@row $name:ident $args:tt [] $flag:tt $partials:tt) => { of_row!(@row $name $args [y] $flag $partials); };
    (@row $name:ident [$($arg:ident [$($integer:ident)?])*] [$y:ident] [$($flag:ident)?] [$($partials:tt)*]) => {
        #[track_caller]
        #[allow(unused_variables, unused_imports, reason = "few partials use everything")]
        #[allow(clippy::approx_constant, reason = "the macro reads the rows, too: constants are numbers there")]
        pub(super) fn $name<'t, T: Float>(arguments: &[Var<'t, T>; ARGUMENTS], result: Var<'t, T>) -> [(Var<'t, T>, Flag); ARGUMENTS] {
            use super::rows::*;
            let $y = result;
            let mut arguments = arguments.iter().copied();
            $(let $arg = of_row!(@argument arguments $($integer)?);)*
            padded(generic!(@ Var [] [] $($partials)*), of_row!(@flag $($flag)?))
        }
    };
    (@argument $arguments:ident) => { $arguments.next().unwrap_or_default() };
    (@argument $arguments:ident $integer:ident) => { $arguments.next().unwrap_or_default().value.to_f64() as $integer };
    (@flag) => { Flag::Plain };
    (@flag guarded) => { Flag::Guarded };
    (@flag select) => { Flag::Select };
}
table!(of_row);
