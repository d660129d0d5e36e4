//! What conditionals remember: the alternatives of their arms.

/// What one of two arms of a conditional remembers; more arms are a tree of these.
#[derive(Clone, Copy, Debug)]
pub enum Arm<A, B> {
    /// An arm of the first half ran.
    A(A),
    /// An arm of the second half ran.
    B(B),
}
