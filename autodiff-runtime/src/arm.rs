//! What conditionals remember: the alternatives of their arms.

/// What one of two arms of a conditional remembers; more arms nest in `B`.
#[derive(Clone, Copy, Debug)]
pub enum Arm<A, B> {
    /// The first arm ran.
    A(A),
    /// Another arm ran.
    B(B),
}
