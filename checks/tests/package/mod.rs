//! A package of its own for a test: written below the target directory, and built there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package on disk that depends on `autodiff` by its path.
pub(crate) struct Package {
    directory: PathBuf,
}

impl Package {
    /// Writes a package; `files` are paths and texts.
    pub(crate) fn new(name: &str, edition: &str, files: &[(&str, &str)]) -> Package {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\
             [dependencies]\nautodiff = {{ path = \"{root}\" }}\n[workspace]\n\
             [profile.dev]\ndebug = false\nincremental = false\n",
            root = root.display(),
        );
        write(&directory.join("Cargo.toml"), &manifest);
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the workspace has a lock");
        write(&directory.join("Cargo.lock"), &lock);
        for (path, text) in files {
            write(&directory.join(path), text);
        }
        Package { directory }
    }

    /// Runs cargo in the package, and asks for what the compiler is to print; all packages share a target directory with the random programs.
    pub(crate) fn cargo(&self, arguments: &[&str], dump: Option<&str>) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(arguments)
            .arg("--offline")
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", autodiff_checks::run::built())
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("RUSTFLAGS")
            .env_remove("AUTODIFF_DUMP");
        if let Some(asked) = dump {
            command.env("AUTODIFF_DUMP", asked);
        }
        command.output().expect("cargo runs")
    }
}

/// Writes a file, with the directories it needs, unless it is there as it should be.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("directory");
    fs::write(path, text).expect("file");
}

/// What a command said on its error output.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
