#![allow(unused_macros)]
#[path = "/tmp/w/hM/checks/tests/matrices/judge.rs"]
#[macro_use]
mod judge;
#[path = "/tmp/w/hM/checks/tests/matrices/points.rs"]
mod points;
