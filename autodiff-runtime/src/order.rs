//! In which order a method takes its receiver and an argument changes it.
//!
//! A method that takes its receiver by value has it before the arguments are evaluated; its hidden forms are lent the receiver,
//! and look at it after that. A method that is lent it has no argument that changes it, says rustc.

/// The receiver is taken by value.
#[derive(Clone, Copy, Debug)]
pub struct ByValue;

/// The receiver is lent, or it is not known how it is passed.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed;

/// The receiver may be changed.
#[derive(Clone, Copy, Debug)]
pub struct Changed;

/// How a method takes its receiver, and what an argument does to that.
#[diagnostic::on_unimplemented(
    message = "this method takes its receiver by value before one of the arguments changes it, which its derivative would not; bind the receiver to a variable first, `let taken = value;`",
    label = "one of its arguments changes the receiver"
)]
pub trait InOrder {}

impl<A> InOrder for (Borrowed, A) {}
impl InOrder for (ByValue, Borrowed) {}

/// Checked by rustc, and nothing else.
#[inline]
pub fn in_order<O: InOrder>(_receiver_and_argument: O) {}
