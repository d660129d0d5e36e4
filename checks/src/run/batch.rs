//! Crates of many generated modules: written, compiled together, run; a module that does not compile is taken out and noted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// Where this project lies.
#[must_use]
pub fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// The target directory of everything that checks build on their own, in which the project is compiled once.
#[must_use]
pub fn built() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| project_root().join("target"), PathBuf::from);
    target.join("random").join("target")
}

/// So many modules are many.
const MANY: usize = 300;

/// A directory with a cargo workspace of generated crates; they share one target directory, so that the project is compiled once.
#[derive(Debug, Clone)]
pub struct Workshop {
    name: String,
    directory: PathBuf,
}

/// What became of one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed: derivatives confirmed by differences, skipped, and NaN in one way only.
    Passed([usize; 3]),
    /// It did not, and why.
    Failed(String),
}

impl Workshop {
    /// A workshop of the given name under the target directory.
    ///
    /// # Errors
    ///
    /// If the directory cannot be made.
    pub fn new(name: &str) -> io::Result<Self> {
        let directory = built().with_file_name(name);
        fs::create_dir_all(&directory)?;
        Ok(Self {
            name: name.to_owned(),
            directory,
        })
    }

    /// The name of a crate, which no other workshop has: cargo tells what it built apart by name alone.
    fn crate_name(&self, number: usize) -> String {
        format!("{}_{number:03}", self.name)
    }

    /// The name of the crate of what all share.
    fn shared_name(&self) -> String {
        format!("{}_shared", self.name)
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Compiles and runs modules (name and text), a crate for each batch; what they `use crate::…` of the `shared` modules is in a crate
    /// of its own.
    ///
    /// # Errors
    ///
    /// If files cannot be written, or cargo cannot be run.
    pub fn run(
        &self,
        mut batches: Vec<Vec<(String, String)>>,
        shared: &[(String, String)],
    ) -> io::Result<BTreeMap<String, Outcome>> {
        let mut outcomes = BTreeMap::new();
        // Optimising the compiler pays only where it has much to do.
        let level = u8::from(batches.iter().map(Vec::len).sum::<usize>() >= MANY);
        let mentioned = |name: &String| {
            let mut modules = batches.iter().flatten();
            modules.any(|(_, text)| text.contains(name))
        };
        let shared: Vec<_> = shared
            .iter()
            .filter(|(name, _)| mentioned(name))
            .cloned()
            .collect();
        let mut modules = batches.iter().flatten();
        // Features change how all functions are compiled.
        let matrices = modules.any(|(_, text)| {
            ["nalgebra", "ndarray"]
                .iter()
                .any(|name| text.contains(name))
        });
        // rustc reports errors in phases, so several rounds may be needed until only sound modules are left.
        for _ in 0..8 {
            self.write(&batches, &shared, level, matrices)?;
            let log = self.build()?;
            let Some(log) = log else { break };
            let before = outcomes.len();
            for (number, batch) in batches.iter_mut().enumerate() {
                let errors = errors_of(&log, &self.crate_name(number));
                batch.retain(|(name, text)| {
                    let Some((line, message)) = errors.get(name) else {
                        return true;
                    };
                    let source = text
                        .lines()
                        .nth(line.saturating_sub(1))
                        .unwrap_or_default()
                        .trim();
                    outcomes.insert(
                        name.clone(),
                        Outcome::Failed(format!("does not compile: {message} (`{source}`)")),
                    );
                    false
                });
            }
            if outcomes.len() == before {
                // Nothing that can be laid at a module's door.
                let path = self.directory.join("build.log");
                fs::write(&path, &log)?;
                let first = log.lines().find(|line| line.contains("error"));
                let first = first.unwrap_or("cargo failed");
                let message = format!("{first} (all of it: {})", path.display());
                return Err(io::Error::other(message));
            }
        }
        for (number, batch) in batches.iter().enumerate() {
            self.run_batch(number, batch, &mut outcomes)?;
        }
        Ok(outcomes)
    }

    fn write(
        &self,
        batches: &[Vec<(String, String)>],
        shared: &[(String, String)],
        level: u8,
        matrices: bool,
    ) -> io::Result<()> {
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let known = name == self.shared_name()
                || (0..batches.len()).any(|number| name == self.crate_name(number));
            if path.is_dir() && !known {
                fs::remove_dir_all(path)?;
            }
        }
        let root = project_root();
        let lock = root.join("Cargo.lock");
        if lock.exists() {
            fs::copy(lock, self.directory.join("Cargo.lock"))?;
        }
        write_changed(
            self.directory.join("Cargo.toml"),
            format!(
                "[workspace]\nresolver = \"3\"\nmembers = [\"*_*\"]\n\n[profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n\n[profile.dev.build-override]\nopt-level = {level}\n"
            ),
        )?;
        let types = self.shared_name();
        let declared = declarations("pub mod", shared);
        let crates = dependencies(matrices);
        self.write_crate(&types, &crates, "lib.rs", &declared, shared)?;
        for (number, batch) in batches.iter().enumerate() {
            let mut text = format!("use {types}::*;\n\n{}", declarations("mod", batch));
            text.push_str("\nfn main() {\n    autodiff_checks::run::main(&[\n");
            for (module, _) in batch {
                let _ = writeln!(text, "        {module}::ENTRY,");
            }
            text.push_str("    ]);\n}\n");
            let on_types = format!("{crates}{types} = {{ path = \"../{types}\" }}\n");
            self.write_crate(&self.crate_name(number), &on_types, "main.rs", &text, batch)?;
        }
        Ok(())
    }

    /// A crate of modules and of a root file that names them.
    fn write_crate(
        &self,
        name: &str,
        dependencies: &str,
        root: &str,
        text: &str,
        modules: &[(String, String)],
    ) -> io::Result<()> {
        let directory = self.directory.join(name);
        let source = directory.join("src");
        fs::create_dir_all(&source)?;
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}"
        );
        write_changed(directory.join("Cargo.toml"), manifest)?;
        for (module, text) in modules {
            write_changed(source.join(format!("{module}.rs")), text)?;
        }
        write_changed(source.join(root), format!("#![allow(warnings)]\n\n{text}"))
    }

    /// Builds all crates; the log, if some did not compile.
    fn build(&self) -> io::Result<Option<String>> {
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--workspace",
                "--keep-going",
                "--message-format=short",
                "--color=never",
            ])
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", built())
            .env("RUST_MIN_STACK", "67108864")
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null())
            .output()?;
        Ok(
            (!output.status.success())
                .then(|| String::from_utf8_lossy(&output.stderr).into_owned()),
        )
    }

    fn run_batch(
        &self,
        number: usize,
        batch: &[(String, String)],
        outcomes: &mut BTreeMap<String, Outcome>,
    ) -> io::Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let program = built()
            .join("debug")
            .join(self.crate_name(number) + std::env::consts::EXE_SUFFIX);
        let output = Command::new(program)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines().filter_map(|line| line.strip_prefix("@@ ")) {
            let mut words = line.splitn(3, ' ');
            let (name, verdict, rest) = (
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
            );
            let mut counts = rest.split(' ').map(|word| word.parse().unwrap_or(0));
            let outcome = match verdict {
                "ok" => {
                    let mut next = || counts.next().unwrap_or(0);
                    Outcome::Passed([next(), next(), next()])
                }
                _ => Outcome::Failed(rest.to_owned()),
            };
            outcomes.insert(name.to_owned(), outcome);
        }
        for (name, _) in batch {
            outcomes.entry(name.clone()).or_insert_with(|| {
                Outcome::Failed(format!("no answer: the batch ended with {}", output.status))
            });
        }
        Ok(())
    }
}

/// What each crate depends on, with matrices of other crates or without.
fn dependencies(matrices: bool) -> String {
    let [face, checks] = [project_root(), project_root().join("checks")];
    let [face, checks] = [face, checks].map(|path| path.display().to_string());
    let (features, crates) = if matrices {
        (
            "\"nalgebra\", \"ndarray\", ",
            "nalgebra = { version = \"0.34\", default-features = false, features = [\"std\"] }\nndarray = \"0.17\"\n",
        )
    } else {
        ("", "")
    };
    format!(
        "autodiff = {{ path = {face:?}, features = [{features}\"num-traits\", \"tensor\"] }}\nautodiff-checks = {{ path = {checks:?} }}\nnum-traits = \"0.2\"\n{crates}"
    )
}

/// The lines that declare modules.
fn declarations(keyword: &str, modules: &[(String, String)]) -> String {
    let lines = modules
        .iter()
        .map(|(name, _)| format!("{keyword} {name};\n"));
    lines.collect()
}

/// Writes a file unless it holds just that: what is not touched is not compiled again.
fn write_changed(path: impl AsRef<Path>, text: impl AsRef<str>) -> io::Result<()> {
    let (path, text) = (path.as_ref(), text.as_ref());
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text)
}

/// The first error of each module of a crate: its line and message.
fn errors_of(log: &str, batch: &str) -> BTreeMap<String, (usize, String)> {
    let mut errors = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let prefix = format!("{batch}/src/");
    for line in log.lines() {
        // series_000/src/p00012.rs:34:5: error[E0308]: mismatched types
        let Some(at) = line.find(&prefix) else {
            continue;
        };
        let Some((place, message)) = line[at + prefix.len()..].split_once(": error") else {
            continue;
        };
        let mut parts = place.split(':');
        let (Some(file), Some(number)) = (parts.next(), parts.next()) else {
            continue;
        };
        let name = file.trim_end_matches(".rs").to_owned();
        if name != "main" && seen.insert(name.clone()) {
            errors.insert(
                name,
                (number.parse().unwrap_or(0), format!("error{message}")),
            );
        }
    }
    errors
}
