//! Arguments of operations, and the shape of pullbacks that generated code calls.
//!
//! Generated code gives a pullback a reference to the receiver and to each argument that was passed by reference, then their cotangents to add to,
//! and takes the cotangents of what was passed by value as a tuple. So the type of a pullback follows from how each argument is passed ([`Arg`], [`Arity`]).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Tensor;
use crate::element::Element;
use crate::float::Float;
use crate::tangent::{Accumulate, Differentiable};

/// What an operation takes as an operand: a tensor, a reference to one, or a number.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
///
/// let (x, w) = (Tensor::from([[1.0, 2.0]]), Tensor::from([[3.0], [4.0]]));
/// assert_eq!(x.matmul(&w), x.matmul(w));
/// assert_eq!(x.maximum(1.5).to_vec(), [1.5, 2.0]);
/// ```
pub trait AsTensor<T: Element> {
    /// The operand as a tensor that shares its entries.
    fn as_tensor(&self) -> Tensor<T>;
}

impl<T: Element> AsTensor<T> for Tensor<T> {
    fn as_tensor(&self) -> Tensor<T> {
        self.clone()
    }
}

impl<T: Element> AsTensor<T> for &Tensor<T> {
    fn as_tensor(&self) -> Tensor<T> {
        (*self).clone()
    }
}

impl<T: Element> AsTensor<T> for T {
    fn as_tensor(&self) -> Tensor<T> {
        Tensor::scalar(*self)
    }
}

impl<T: Element> AsTensor<T> for &T {
    fn as_tensor(&self) -> Tensor<T> {
        Tensor::scalar(**self)
    }
}

/// An argument that is passed by value.
#[derive(Debug)]
pub struct ByValue;

/// An argument that is passed by reference.
#[derive(Debug)]
pub struct ByRef;

/// Cotangents of operands, in order.
pub type Flow<T> = alloc::vec::IntoIter<Tensor<T>>;

/// An argument of a method, as far as pullbacks are concerned.
pub trait Arg<T: Float> {
    /// [`ByValue`] or [`ByRef`].
    type By;
    /// What a reference refers to.
    type Held: ?Sized;
    /// The type of its tangent.
    type Tangent;
    /// How its tangent is passed.
    type Dot<'a>;
    /// Its cotangent, which is the next one that flows, if it is an operand.
    fn bar(flow: &mut Flow<T>) -> Self::Tangent;
    /// Adds its cotangent.
    fn give(to: &mut Self::Tangent, flow: &mut Flow<T>);
    /// Whether anybody reads what is added there, if it is an operand.
    fn wanted(to: &Self::Tangent) -> Option<bool>;
    /// Whether it is an operand whose cotangent is returned.
    const RETURNED: bool;
}

/// An operand.
pub trait Operand<T: Float>: AsTensor<T> + Arg<T> {
    /// Its tangent as a tensor.
    fn dot(dot: Self::Dot<'_>) -> Tensor<T>;
}

/// An attribute that is passed by value.
#[derive(Debug)]
pub struct Given;

/// An attribute that is passed by reference.
#[derive(Debug)]
pub struct Lent<X: ?Sized>(core::marker::PhantomData<X>);

impl<T: Float> Arg<T> for Tensor<T> {
    const RETURNED: bool = true;
    fn wanted(to: &Tensor<T>) -> Option<bool> {
        Some(!to.is_unread())
    }
    type By = ByValue;
    type Held = ();
    type Tangent = Tensor<T>;
    type Dot<'a> = Tensor<T>;
    fn bar(flow: &mut Flow<T>) -> Tensor<T> {
        flow.next().unwrap_or_default()
    }
    fn give(to: &mut Tensor<T>, flow: &mut Flow<T>) {
        to.__accumulate(&Self::bar(flow));
    }
}

impl<T: Float> Operand<T> for Tensor<T> {
    fn dot(dot: Tensor<T>) -> Tensor<T> {
        dot
    }
}

impl<T: Float> Arg<T> for &Tensor<T> {
    const RETURNED: bool = false;
    fn wanted(to: &Tensor<T>) -> Option<bool> {
        Some(!to.is_unread())
    }
    type By = ByRef;
    type Held = Tensor<T>;
    type Tangent = Tensor<T>;
    type Dot<'a> = &'a Tensor<T>;
    fn bar(flow: &mut Flow<T>) -> Tensor<T> {
        flow.next().unwrap_or_default()
    }
    fn give(to: &mut Tensor<T>, flow: &mut Flow<T>) {
        to.__accumulate(&Self::bar(flow));
    }
}

impl<T: Float> Operand<T> for &Tensor<T> {
    fn dot(dot: &Tensor<T>) -> Tensor<T> {
        dot.clone()
    }
}

impl<T: Float> Arg<T> for T {
    const RETURNED: bool = true;
    fn wanted(_: &T) -> Option<bool> {
        Some(true)
    }
    type By = ByValue;
    type Held = ();
    type Tangent = T;
    type Dot<'a> = T;
    fn bar(flow: &mut Flow<T>) -> T {
        flow.next().map_or(T::ZERO, |d| d.only())
    }
    fn give(to: &mut T, flow: &mut Flow<T>) {
        *to += Self::bar(flow);
    }
}

impl<T: Float> Operand<T> for T {
    fn dot(dot: T) -> Tensor<T> {
        dot.into_tensor()
    }
}

impl<T: Float> Arg<T> for Given {
    const RETURNED: bool = false;
    fn wanted((): &()) -> Option<bool> {
        None
    }
    type By = ByValue;
    type Held = ();
    type Tangent = ();
    type Dot<'a> = ();
    fn bar(_: &mut Flow<T>) {}
    fn give((): &mut (), _: &mut Flow<T>) {}
}

impl<T: Float, X: ?Sized> Arg<T> for Lent<X> {
    const RETURNED: bool = false;
    fn wanted((): &()) -> Option<bool> {
        None
    }
    type By = ByRef;
    type Held = X;
    type Tangent = ();
    type Dot<'a> = &'a ();
    fn bar(_: &mut Flow<T>) {}
    fn give((): &mut (), _: &mut Flow<T>) {}
}

/// What has methods with derivatives: a tensor, or indices or a mask, which have no cotangent.
pub trait Receiver<T: Float>: Differentiable {
    /// Adds its cotangent, which is the next one that flows, if it has one.
    #[doc(hidden)]
    fn give(to: &mut Self::Tangent, flow: &mut Flow<T>);
    /// Whether anybody reads what is added there, if it has a cotangent.
    #[doc(hidden)]
    fn wanted(to: &Self::Tangent) -> Option<bool>;
    /// The operand that it is, unless it is a constant.
    #[doc(hidden)]
    fn operand(&self) -> Option<&Tensor<T>>;
}

impl<T: Float> Receiver<T> for Tensor<T> {
    fn operand(&self) -> Option<&Tensor<T>> {
        Some(self)
    }
    fn wanted(to: &Tensor<T>) -> Option<bool> {
        Some(!to.is_unread())
    }
    fn give(to: &mut Tensor<T>, flow: &mut Flow<T>) {
        to.__accumulate(&flow.next().unwrap_or_default());
    }
}

impl<T: Float> Receiver<T> for Tensor<bool> {
    fn operand(&self) -> Option<&Tensor<T>> {
        None
    }
    fn wanted((): &()) -> Option<bool> {
        None
    }
    fn give((): &mut (), _: &mut Flow<T>) {}
}

impl<T: Float> Receiver<T> for Tensor<usize> {
    fn operand(&self) -> Option<&Tensor<T>> {
        None
    }
    fn wanted((): &()) -> Option<bool> {
        None
    }
    fn give((): &mut (), _: &mut Flow<T>) {}
}

/// What is passed as a constant, and has a zero in place of a tangent that nobody reads.
pub trait Constant: Differentiable {
    /// That zero.
    #[doc(hidden)]
    fn unread(&self) -> Self::Tangent;
}

impl<T: Float> Constant for Tensor<T> {
    fn unread(&self) -> Tensor<T> {
        self.nobodys()
    }
}

impl Constant for Tensor<bool> {
    fn unread(&self) {}
}

impl Constant for Tensor<usize> {
    fn unread(&self) {}
}

impl Constant for f32 {
    fn unread(&self) -> f32 {
        0.0
    }
}

impl Constant for f64 {
    fn unread(&self) -> f64 {
        0.0
    }
}

impl<X: Constant> Constant for &X {
    fn unread(&self) -> X::Tangent {
        (**self).unread()
    }
}

/// How the arguments of a list are passed.
pub trait Passed<T: Float> {
    /// A marker for each.
    type By;
}

macro_rules! passed {
    ($($a:ident)*) => {
        impl<T: Float, $($a: Arg<T>),*> Passed<T> for ($($a,)*) {
            type By = ($($a::By,)*);
        }
    };
}
passed!();
passed!(A);
passed!(A B);
passed!(A B C);
passed!(A B C D);
passed!(A B C D E);

/// What an operation gives: a tensor, or the number in one of rank 0.
pub trait Outcome<T: Float>: Clone + 'static {
    /// The result.
    fn of(tensor: Tensor<T>) -> Self;
    /// A tangent or cotangent of the result as a tensor.
    fn into_tensor(self) -> Tensor<T>;
}

impl<T: Float> Outcome<T> for Tensor<T> {
    fn of(tensor: Tensor<T>) -> Self {
        tensor
    }
    fn into_tensor(self) -> Tensor<T> {
        self
    }
}

impl<T: Float> Outcome<T> for T {
    fn of(tensor: Tensor<T>) -> Self {
        tensor.only()
    }
    fn into_tensor(self) -> Tensor<T> {
        if self == T::ZERO {
            Tensor::zeros(&[])
        } else {
            Tensor::scalar(self)
        }
    }
}

/// From the cotangent of the result to those of the receiver and the operands.
///
/// It is lent the receiver again, if that is an operand, and told for each of them whether anybody reads its cotangent.
pub(super) type Pull<T, Y> = Box<dyn FnOnce(Y, Option<&Tensor<T>>, &[bool]) -> Vec<Tensor<T>>>;

/// The same with tangents in `N` directions: from the cotangent and its tangents to those of the receiver and the operands.
pub(super) type PullEach<T, Y, const N: usize> =
    Box<dyn FnOnce(Y, [Y; N], &[bool]) -> (Vec<Tensor<T>>, [Vec<Tensor<T>>; N])>;

/// Pullbacks of a method of `R` whose arguments are passed in a certain way.
pub trait Arity<T: Float, Args, Y, R> {
    /// The pullback.
    type Back;
    /// The pullback with its tangent.
    type DotBack;
    /// The pullback that is given something for every argument, and gives something for each.
    type EvenBack;
    /// The same with its tangent.
    type DotEvenBack;
    /// The pullback with its tangents in several directions.
    type EachBack<const N: usize>;
    /// The pullback as generated code calls it.
    #[doc(hidden)]
    fn back(pull: Pull<T, Y>) -> Self::Back;
    /// The same with a tangent.
    #[doc(hidden)]
    fn dot_back(pull: PullEach<T, Y, 1>) -> Self::DotBack;
    /// The pullback as generated code calls it that does not know which arguments are references.
    #[doc(hidden)]
    fn even_back(pull: Pull<T, Y>) -> Self::EvenBack;
    /// The same with a tangent.
    #[doc(hidden)]
    fn dot_even_back(pull: PullEach<T, Y, 1>) -> Self::DotEvenBack;
    /// The pullback with several tangents.
    #[doc(hidden)]
    fn each_back<const N: usize>(pull: PullEach<T, Y, N>) -> Self::EachBack<N>;
}

macro_rules! arity {
    // One way of passing: for each argument its type, its marker, and whether it is in the group of values or of references.
    (@way [$($a:ident $by:ident)*] [$($v:ident $bar:ident $dot_bar:ident)*] [$($r:ident $arg:ident $to:ident $dot:ident $dot_to:ident)*] [$($step:ident $x:ident $given:ident $p:ident $dot_given:ident $q:ident)*]) => {
        impl<T: Float, Y: Outcome<T>, R: Receiver<T>, $($a: Arg<T, By = $by>,)*> Arity<T, ($($a,)*), Y, R> for ($($by,)*) {
            type Back = Box<dyn FnOnce(Y, &R, $(&$r::Held,)* &mut R::Tangent, $(&mut $r::Tangent,)*) -> arity!(@out [$($v::Tangent)*])>;
            type DotBack = Box<dyn FnOnce(Y, Y, &R, $(&$r::Held,)* &R::Tangent, $(&$r::Tangent,)* &mut R::Tangent, $(&mut $r::Tangent,)* &mut R::Tangent, $(&mut $r::Tangent,)*) -> (arity!(@out [$($v::Tangent)*]), arity!(@out [$($v::Tangent)*]))>;
            type EvenBack = Box<dyn FnOnce(Y, &R, $(arity!(@held $step $x),)* &mut R::Tangent, $(arity!(@shadow $step $x),)*) -> ((), $(arity!(@returned $step $x),)*)>;
            type DotEvenBack = Box<dyn FnOnce(Y, Y, &R, $(arity!(@held $step $x),)* &R::Tangent, $(arity!(@dot $step $x),)* &mut R::Tangent, $(arity!(@shadow $step $x),)* &mut R::Tangent, $(arity!(@shadow $step $x),)*) -> (((), $(arity!(@returned $step $x),)*), ((), $(arity!(@returned $step $x),)*))>;
            type EachBack<const N: usize> = Box<dyn FnOnce(Y, [Y; N], &R, $(&$r::Held,)* [&R::Tangent; N], $([&$r::Tangent; N],)* &mut R::Tangent, $(&mut $r::Tangent,)* [&mut R::Tangent; N], $([&mut $r::Tangent; N],)*) -> (arity!(@out [$($v::Tangent)*]), arity!(@out [$([$v::Tangent; N])*]))>;


            fn back(pull: Pull<T, Y>) -> Self::Back {
                Box::new(move |seed, receiver, $($arg,)* to, $($to,)*| {
                    $(let _ = $arg;)*
                    let wanted: Vec<bool> = [R::wanted(to), $(arity!(@wanted $step $x $p)),*].into_iter().flatten().collect();
                    let mut flow = pull(seed, receiver.operand(), &wanted).into_iter();
                    let flow = &mut flow;
                    R::give(to, flow);
                    $(arity!(@$step $x flow $p);)*
                    arity!(@tuple [$($bar)*])
                })
            }

            fn dot_back(pull: PullEach<T, Y, 1>) -> Self::DotBack {
                Box::new(move |seed, dot_seed, _, $($arg,)* _, $($dot,)* to, $($to,)* dot_to, $($dot_to,)*| {
                    $(let _ = ($arg, $dot);)*
                    let wanted: Vec<bool> = [R::wanted(to), $(arity!(@wanted $step $x $p)),*].into_iter().flatten().collect();
                    let (flow, [dot_flow]) = pull(seed, [dot_seed], &wanted);
                    let (mut flow, mut dot_flow) = (flow.into_iter(), dot_flow.into_iter());
                    let (flow, dot_flow) = (&mut flow, &mut dot_flow);
                    R::give(to, flow);
                    R::give(dot_to, dot_flow);
                    $(arity!(@$step $x flow $p);)*
                    $(arity!(@$step $x dot_flow $q);)*
                    (arity!(@tuple [$($bar)*]), arity!(@tuple [$($dot_bar)*]))
                })
            }

            fn even_back(pull: Pull<T, Y>) -> Self::EvenBack {
                Box::new(move |seed, receiver, $(arity!(@any $x),)* to, $($p,)*| {
                    let wanted: Vec<bool> = [R::wanted(to), $(arity!(@wanted $step $x $p)),*].into_iter().flatten().collect();
                    let mut flow = pull(seed, receiver.operand(), &wanted).into_iter();
                    let flow = &mut flow;
                    R::give(to, flow);
                    $(arity!(@$step $x flow $p);)*
                    ((), $(arity!(@result $step $p),)*)
                })
            }

            fn dot_even_back(pull: PullEach<T, Y, 1>) -> Self::DotEvenBack {
                Box::new(move |seed, dot_seed, _, $(arity!(@any $x),)* _, $(arity!(@any $x),)* to, $($p,)* dot_to, $($q,)*| {
                    let wanted: Vec<bool> = [R::wanted(to), $(arity!(@wanted $step $x $p)),*].into_iter().flatten().collect();
                    let (flow, [dot_flow]) = pull(seed, [dot_seed], &wanted);
                    let (mut flow, mut dot_flow) = (flow.into_iter(), dot_flow.into_iter());
                    let (flow, dot_flow) = (&mut flow, &mut dot_flow);
                    R::give(to, flow);
                    R::give(dot_to, dot_flow);
                    $(arity!(@$step $x flow $p);)*
                    $(arity!(@$step $x dot_flow $q);)*
                    (((), $(arity!(@result $step $p),)*), ((), $(arity!(@result $step $q),)*))
                })
            }

            fn each_back<const N: usize>(pull: PullEach<T, Y, N>) -> Self::EachBack<N> {
                Box::new(move |seed, dot_seeds, _, $($arg,)* _, $($dot,)* to, $($to,)* dot_to, $($dot_to,)*| {
                    $(let _ = ($arg, $dot);)*
                    let wanted: Vec<bool> = [R::wanted(to), $(arity!(@wanted $step $x $p)),*].into_iter().flatten().collect();
                    let (flow, dot_flows) = pull(seed, dot_seeds, &wanted);
                    let mut flow = flow.into_iter();
                    let flow = &mut flow;
                    let mut dot_flows = dot_flows.map(Vec::into_iter);
                    let dot_flows = &mut dot_flows;
                    R::give(to, flow);
                    for (to, flow) in dot_to.into_iter().zip(dot_flows.iter_mut()) {
                        R::give(to, flow);
                    }
                    $(arity!(@$step $x flow $p);)*
                    $(arity!(@each $step $x dot_flows $q);)*
                    (arity!(@tuple [$($bar)*]), arity!(@tuple [$($dot_bar)*]))
                })
            }

        }
    };
    (@out []) => { () };
    (@out [$($t:ty)*]) => { ($($t,)*) };
    (@tuple []) => { () };
    (@tuple [$($x:ident)*]) => { ($($x,)*) };
    (@wanted value $x:ident $bar:ident) => { $x::RETURNED.then_some(true) };
    (@wanted reference $x:ident $to:ident) => { $x::wanted($to) };
    (@any $x:ident) => { _ };
    (@held value $x:ident) => { () };
    (@held reference $x:ident) => { &$x::Held };
    (@dot value $x:ident) => { () };
    (@dot reference $x:ident) => { &$x::Tangent };
    (@shadow value $x:ident) => { () };
    (@shadow reference $x:ident) => { &mut $x::Tangent };
    (@returned value $x:ident) => { $x::Tangent };
    (@returned reference $x:ident) => { () };
    (@result value $bar:ident) => { $bar };
    (@result reference $to:ident) => { () };
    (@value $x:ident $flow:ident $bar:ident) => { let $bar = $x::bar($flow); };
    (@reference $x:ident $flow:ident $to:ident) => { $x::give($to, $flow); };
    (@each value $x:ident $flows:ident $bar:ident) => { let $bar = core::array::from_fn(|k| $x::bar(&mut $flows[k])); };
    (@each reference $x:ident $flows:ident $to:ident) => {
        for (to, flow) in $to.into_iter().zip($flows.iter_mut()) {
            $x::give(to, flow);
        }
    };
    // All ways of passing the arguments that are left.
    (@ways $a:tt $v:tt $r:tt $s:tt []) => { arity!(@way $a $v $r $s); };
    (@ways [$($a:tt)*] [$($v:tt)*] $r:tt [$($s:tt)*] [value ($x:ident $arg:ident $to:ident $dot:ident $dot_to:ident) $($rest:tt)*]) => {
        arity!(@ways [$($a)* $x ByValue] [$($v)* $x $to $dot_to] $r [$($s)* value $x $arg $to $dot $dot_to] [$($rest)*]);
    };
    (@ways [$($a:tt)*] [$($v:tt)*] [$($r:tt)*] [$($s:tt)*] [($x:ident $arg:ident $to:ident $dot:ident $dot_to:ident) $($rest:tt)*]) => {
        arity!(@ways [$($a)* $x ByValue] [$($v)* $x $to $dot_to] [$($r)*] [$($s)* value $x $arg $to $dot $dot_to] [$($rest)*]);
        arity!(@ways [$($a)* $x ByRef] [$($v)*] [$($r)* $x $arg $to $dot $dot_to] [$($s)* reference $x $arg $to $dot $dot_to] [$($rest)*]);
    };
    ($($list:tt)*) => { arity!(@ways [] [] [] [] [$($list)*]); };
}

#[allow(
    unused_variables,
    clippy::unused_unit,
    clippy::type_complexity,
    clippy::ignored_unit_patterns,
    reason = "one form for any number of arguments"
)]
mod arities {
    use super::{Arg, Arity, Box, ByRef, ByValue, Float, Outcome, Pull, PullEach, Receiver, Vec};
    arity!();
    arity!((A a to_a dot_a dot_to_a));
    arity!((A a to_a dot_a dot_to_a) (B b to_b dot_b dot_to_b));
    arity!((A a to_a dot_a dot_to_a) (B b to_b dot_b dot_to_b) (C c to_c dot_c dot_to_c));
    arity!((A a to_a dot_a dot_to_a) (B b to_b dot_b dot_to_b) (C c to_c dot_c dot_to_c) (D d to_d dot_d dot_to_d));
    // The last one is where errors are reported to.
    arity!((A a to_a dot_a dot_to_a) (B b to_b dot_b dot_to_b) (C c to_c dot_c dot_to_c) (D d to_d dot_d dot_to_d) value (E e to_e dot_e dot_to_e));
}
