//! Tests of the passes on the printed graph.

mod reverse;
