//! Runs the program.
#![allow(dead_code, reason = "each test crate uses a part")]

use std::process::Command;

pub(crate) struct Run {
    pub(crate) success: bool,
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) error: String,
}

/// Runs `autodiff` with arguments.
pub(crate) fn autodiff(args: &[&str]) -> Run {
    let out = Command::new(env!("CARGO_BIN_EXE_autodiff"))
        .args(args)
        .output()
        .unwrap();
    Run {
        success: out.status.success(),
        code: out.status.code(),
        output: String::from_utf8(out.stdout).unwrap(),
        error: String::from_utf8(out.stderr).unwrap(),
    }
}

/// A file of the tests.
pub(crate) fn file(name: &str) -> String {
    format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A file that a test may write.
pub(crate) fn scratch(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"))
}

/// A file with a text, for a test.
pub(crate) fn written(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).unwrap();
    path
}
