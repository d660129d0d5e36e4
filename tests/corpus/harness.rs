//! What judges a function at a point, shared with the member `checks`, which uses more of it.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]

#[path = "../../checks/src/difference.rs"]
pub(crate) mod difference;
#[path = "../../checks/src/effect.rs"]
pub(crate) mod effect;
#[path = "../../checks/src/flat.rs"]
pub(crate) mod flat;
#[path = "../../checks/src/judge.rs"]
pub(crate) mod judge;
#[path = "../../checks/src/random.rs"]
pub(crate) mod random;
