// Small functions of ordinary numeric code, one file per construct, each put to every check:
// `vjp` = `jvp` = central differences, values bit for bit, buffers are added to, all forms of the derivative agree.
// They are several crates, because rustc takes minutes and gigabytes for all of them at once.

#[allow(
    dead_code,
    unused_macros,
    reason = "shared with all of the corpus, which uses more of it"
)]
#[macro_use]
#[path = "check.rs"]
mod check;
#[path = "harness.rs"]
mod harness;
use harness::{difference, effect, flat, judge, random};
