//! Tests of the passes on the printed graph.

mod activity;
mod chosen;
mod depth;
mod exits;
mod expansion;
mod forward;
mod from_zero;
mod fuse;
mod growth;
mod idle;
mod lowering;
mod maps;
mod memory;
mod mode;
mod remember;
mod reverse;
mod rooms;
mod scratch;
mod second;
mod share;
mod simplify;
mod sink;
mod size;
mod slopes;
mod sums;
mod verify;
