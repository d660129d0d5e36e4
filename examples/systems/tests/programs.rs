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
    put_to_figures_in(&Folder::new(name), program, name, key);
}

fn put_to_figures_in(folder: &Folder, program: &str, name: &str, key: &str) {
    let figures = Path::new(DATA).join(format!("{name}.json"));
    let right = fs::read_to_string(&figures).expect("figures");
    let (before, after) = right.split_once(key).expect("that key");
    let end = after.find([',', ']', '}']).expect("the end of a number");
    let wrong = format!("{before}{key}1234.5{}", &after[end..]);
    let cut = &right[..right.len() / 2];
    for (file, text) in [("right", right.as_str()), ("wrong", &wrong), ("cut", cut)] {
        fs::write(folder.0.join(file), text).expect("a file");
    }

    let (code, last, err) = run(program, folder, &["--reference", "right"]);
    assert_eq!(code, 0, "{last}{err}");
    assert!(last.contains("largest deviation"), "{last}");
    let (code, last, err) = run(program, folder, &["--reference", "wrong"]);
    assert_eq!(code, 1, "{last}{err}");
    assert!(last.contains("largest deviation"), "{last}");
    for file in ["cut", "none"] {
        let (code, _, err) = run(program, folder, &["--reference", file]);
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
fn operations_of_tensors_are_put_to_their_figures() {
    let program = env!("CARGO_BIN_EXE_tensor_conformance");
    put_to_figures(
        program,
        "tensor_ops",
        "\"output\": {\"shape\": [], \"data\": [",
    );
}

#[test]
fn worked_examples_are_put_to_their_figures() {
    let program = env!("CARGO_BIN_EXE_worked_examples");
    put_to_figures(program, "worked_examples", "\"grad\": ");
}

#[test]
fn moons_is_put_to_its_figures() {
    put_to_figures(env!("CARGO_BIN_EXE_moons"), "moons", "\"losses\": [");
}

#[test]
fn gpt2_is_put_to_its_figures() {
    let folder = Folder::new("gpt2");
    for name in ["gpt2_params_f32.bin", "gpt2_grads_f64.bin"] {
        fs::copy(Path::new(DATA).join(name), folder.0.join(name)).expect("a copy");
    }
    let program = env!("CARGO_BIN_EXE_gpt2");
    put_to_figures_in(&folder, program, "gpt2", "\"losses_python_f64\": [");
    // One number less than there are parameters.
    let path = folder.0.join("gpt2_grads_f64.bin");
    let bytes = fs::read(&path).expect("numbers");
    fs::write(&path, &bytes[8..]).expect("a file");
    let (code, _, err) = run(program, &folder, &["--reference", "right"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.starts_with("error: gpt2_grads_f64.bin: "), "{err}");
}

#[test]
fn gpt2_goes_on_where_it_was_saved() {
    let folder = Folder::new("gpt2-saved");
    let program = env!("CARGO_BIN_EXE_gpt2");
    let mut first =
        "--layers 1 --heads 2 --channels 8 --context 8 --steps 2 --length 5 --save saved"
            .split(' ')
            .collect::<Vec<_>>();
    let (code, _, err) = run(program, &folder, &first);
    assert_eq!(code, 0, "{err}");
    let next = ["--load", "saved", "--steps", "1", "--save", "again"];
    let (code, _, err) = run(program, &folder, &next);
    assert_eq!(code, 0, "{err}");
    let length = |name| fs::metadata(folder.0.join(name)).expect("a file").len();
    assert_eq!(length("saved"), length("again"));

    first[3] = "3";
    for wrong in [&first[..], &["--load", "none"], &["--tokens", "saved"]] {
        let (code, _, err) = run(program, &folder, wrong);
        assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    }
}

#[test]
fn mlp_reads_what_it_is_given() {
    let folder = Folder::new("mlp");
    let program = env!("CARGO_BIN_EXE_mlp");
    for name in ["train", "t10k"] {
        let file = |kind: &str, axes: u8, lengths: &[u32], entries: &[u8]| {
            let lengths = lengths.iter().flat_map(|length| length.to_be_bytes());
            let bytes = [0, 0, 8, axes].into_iter().chain(lengths);
            let bytes: Vec<u8> = bytes.chain(entries.iter().copied()).collect();
            let name = format!("{name}-{kind}-idx{axes}-ubyte");
            fs::write(folder.0.join(name), bytes).expect("a file");
        };
        file("images", 3, &[2, 28, 28], &[7; 2 * 28 * 28]);
        file("labels", 1, &[2], &[3, 9]);
    }
    let (code, last, err) = run(program, &folder, &["--data", ".", "--steps", "2"]);
    assert_eq!(
        (code, last.as_str()),
        (0, "the loss is drawn in mlp.svg"),
        "{err}"
    );
    fs::write(folder.0.join("t10k-labels-idx1-ubyte"), "no labels").expect("a file");
    let (code, _, err) = run(program, &folder, &["--data", "."]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
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
