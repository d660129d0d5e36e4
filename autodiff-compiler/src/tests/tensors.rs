//! What is known of the methods of tensors.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tensors;

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

/// The rows of the runtime's methods: `name(operands; attributes) -> outcome = operation;`.
#[test]
fn every_method_of_the_runtime_is_known() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../autodiff-runtime/src/tensor");
    let mut all = Vec::new();
    files(&runtime, &mut all);
    let mut names = Vec::new();
    for path in all {
        let text = fs::read_to_string(&path).expect("a file");
        let rows = text.lines().filter_map(|line| {
            let (name, rest) = line.strip_prefix("    ")?.split_once('(')?;
            let (_, outcome) = rest.split_once(") -> ")?;
            let row = ["tensor = ", "scalar = "]
                .iter()
                .any(|of| outcome.starts_with(of));
            let word = name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            (row && word && !name.is_empty()).then(|| name.to_owned())
        });
        names.extend(rows);
    }
    assert!(names.len() > 140, "{} rows", names.len());
    let refused: Vec<_> = names
        .iter()
        .filter_map(|name| tensors::refusal(name))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_method_that_tensors_lack_is_refused_with_the_nearest() {
    let said = |name| tensors::refusal(name).unwrap_or_default();
    assert!(said("tahn").ends_with("; write `tanh`"), "{}", said("tahn"));
    assert!(
        said("reluu").ends_with("; write `relu`"),
        "{}",
        said("reluu")
    );
    assert!(
        said("sum_axes").ends_with("; write `sum_axis`"),
        "{}",
        said("sum_axes")
    );
    assert!(said("mm").ends_with("; write `matmul`"), "{}", said("mm"));
    assert!(
        said("frobnicate").contains("a #[grad] function"),
        "{}",
        said("frobnicate")
    );
    assert_eq!(tensors::refusal("try_tanh"), None);
    assert_eq!(tensors::refusal("to_vec"), None);
}
