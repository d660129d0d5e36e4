//! The exit codes and last words of the programs, at figures that are right, wrong and no figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

/// A folder that is there as long as this value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("systems-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a place for temporary files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a program in a folder: its exit code, the last line of its output, and all of its errors.
fn run(program: &str, folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(&folder.0)
        .output()
        .expect("the program of this package");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let out = text(output.stdout);
    let last = out.lines().last().unwrap_or_default().to_owned();
    let code = output.status.code().expect("an exit code");
    (code, last, text(output.stderr))
}

/// Puts a program to its figures as they are, with another number after `key`, and cut in the middle.
fn put_to_figures(program: &str, name: &str, key: &str) {
    let folder = Folder::new(name);
    let figures = Path::new(DATA).join(format!("{name}.json"));
    let right = fs::read_to_string(&figures).expect("figures");
    let (before, after) = right.split_once(key).expect("that key");
    let end = after.find([',', ']', '}']).expect("the end of a number");
    let wrong = format!("{before}{key}1234.5{}", &after[end..]);
    let cut = &right[..right.len() / 2];
    for (file, text) in [("right", right.as_str()), ("wrong", &wrong), ("cut", cut)] {
        fs::write(folder.0.join(file), text).expect("a file");
    }

    let (code, last, err) = run(program, &folder, &["--reference", "right"]);
    assert_eq!(code, 0, "{last}{err}");
    assert!(last.contains("largest deviation"), "{last}");
    let (code, last, err) = run(program, &folder, &["--reference", "wrong"]);
    assert_eq!(code, 1, "{last}{err}");
    assert!(last.contains("largest deviation"), "{last}");
    for file in ["cut", "none"] {
        let (code, _, err) = run(program, &folder, &["--reference", file]);
        assert_eq!(code, 2, "{err}");
        assert!(err.starts_with(&format!("error: {file}: ")), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn microgpt_is_put_to_its_figures() {
    put_to_figures(env!("CARGO_BIN_EXE_microgpt"), "microgpt", "\"losses\": [");
}

#[test]
fn micrograd_is_put_to_its_figures() {
    let program = env!("CARGO_BIN_EXE_micrograd");
    put_to_figures(program, "micrograd", "\"grad_step0\": [");
}

#[test]
fn worked_examples_are_put_to_their_figures() {
    let program = env!("CARGO_BIN_EXE_worked_examples");
    put_to_figures(program, "worked_examples", "\"grad\": ");
}

#[test]
fn microgpt_learns_any_names() {
    let folder = Folder::new("names");
    fs::write(folder.0.join("names"), "Łukasz\n\n  Zoë \n李雷\n").expect("a file");
    let program = env!("CARGO_BIN_EXE_microgpt");
    let (code, last, err) = run(program, &folder, &["--names", "names", "--steps", "3"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(last, "the loss is drawn in microgpt.svg");
    let svg = fs::read_to_string(folder.0.join("microgpt.svg")).expect("a picture");
    assert!(svg.starts_with("<svg"), "{svg}");

    let (code, _, err) = run(program, &folder, &["--names", "microgpt.svg/names"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    let (code, _, _) = run(program, &folder, &["--reference", "x", "--steps", "3"]);
    assert_eq!(code, 2);
}
