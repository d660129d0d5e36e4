//! A series of random programs: generated, compiled in batches, judged.

use std::io;
use std::path::PathBuf;

use super::batch::{Outcome, Workshop};
use super::glue::{Forms, WITHOUT, module_text};
use super::report::{Failure, Report};
use super::variants::{VARIANTS, variant};
use crate::generate::{
    Constructs, Program, ResultType, generate, tensor_types_text, types_on_tape, types_text,
};
use crate::random::Random;

/// What to run.
#[derive(Debug, Clone)]
pub struct Series {
    /// The seed of the series.
    pub seed: u64,
    /// The place of the first program.
    pub first: u64,
    /// How many programs.
    pub count: u64,
    /// How many programs share a crate.
    pub batch: usize,
    /// What they are made of.
    pub constructs: Constructs,
    /// Where failing programs are written.
    pub keep: Option<PathBuf>,
    /// Which forms are compared; the variant is chosen for each program.
    pub forms: Forms,
    /// Most programs have `vjp`, `jvp` and what is asked of second derivatives alone, and a third of them one twin: long series cost a quarter.
    pub lean: bool,
    /// The name of the workshop.
    pub workshop: String,
}

impl Series {
    /// The programs `0..count` of a seed with everything switched on.
    #[must_use]
    pub fn new(seed: u64, count: u64) -> Self {
        Self {
            seed,
            first: 0,
            count,
            batch: 25,
            constructs: Constructs::default(),
            keep: None,
            forms: Forms::default(),
            lean: false,
            workshop: "series".to_owned(),
        }
    }

    /// The programs, in order.
    pub fn programs(&self) -> impl Iterator<Item = Program> + '_ {
        (self.first..self.first + self.count)
            .map(|index| generate(self.seed, index, &self.constructs))
    }
}

/// The forms of one program: those of the series, with a variant of its own.
pub(super) fn forms_of(series: &Series, program: &Program) -> Forms {
    let mut forms = series.forms.clone();
    forms.second &= has_second(program);
    if !forms.plain && forms.options.is_empty() {
        let mut random = Random::item(program.seed ^ 0xA5A5, program.index);
        // Each twin is another program to compile: two of the four at a time.
        let left_out = random.below(4);
        let left_out = [left_out, (left_out + random.between(1, 3)) % 4];
        let mut twins: Vec<usize> = (0..4).filter(|k| !left_out.contains(k)).collect();
        let often = if program.constructs.contains("tensor") {
            2
        } else {
            6
        };
        forms.second = program.index % often == often - 1 && has_second(program);
        let mut lean = Random::item(program.seed ^ 0x5A5A, program.index);
        forms.lean = series.lean && lean.below(16) != 0;
        if forms.lean {
            let twin = *lean.pick(&twins);
            twins.retain(|&k| k == twin && lean.below(3) == 0);
        }
        forms.without = twins.contains(&0).then(|| {
            let mut rule = Random::item(program.seed ^ 0xC3C3, program.index);
            if rule.below(2) == 0 {
                WITHOUT[0]
            } else {
                *rule.pick(WITHOUT)
            }
        });
        forms.verify = twins.contains(&1);
        forms.dynamic = twins.contains(&2);
        for _ in 0..4 {
            if !twins.contains(&3) {
                break;
            }
            let name = *random.pick(VARIANTS);
            if let Some(written) = variant(program, name, &mut random) {
                forms.variant = Some((name, written));
                break;
            }
        }
    }
    forms
}

/// Second derivatives cost much, and some constructs have none; what counts how often it runs may run once only.
pub(super) fn has_second(program: &Program) -> bool {
    let inputs: usize = program
        .main
        .params
        .iter()
        .map(|param| param.ty.scalars())
        .sum();
    program.scalar == "f64"
        && program.main.result == ResultType::Scalar
        && (1..=8).contains(&inputs)
        && !program.main.params.iter().any(|param| param.ty.is_mut())
        && !program.constructs.contains("effect")
}

/// Modules: name and text.
type Modules = Vec<(String, String)>;

/// Takes the types out of the modules of batches, into modules of their own that all of a crate use: they are the same everywhere, and cost more than
/// the program does.
fn share_types(batches: &[Modules]) -> (Vec<Modules>, Modules) {
    let mut shared = Vec::new();
    for scalar in ["f64", "f32"] {
        for (form, attribute) in [
            ("plain", ""),
            ("judged", "#[autodiff::grad]"),
            ("all", "#[autodiff::grad(__remember_all)]"),
            ("verified", "#[autodiff::grad(verify)]"),
            ("apart", "#[autodiff::grad(__map_nothing)]"),
            ("strong", "#[autodiff::grad(strong_zero)]"),
            ("second", "#[autodiff::grad(order = 2)]"),
        ] {
            for (name, text) in [
                ("types", types_text(scalar)),
                ("tensor_structs", tensor_types_text(scalar)),
            ] {
                let text = text.replace("#[autodiff::grad]", attribute);
                shared.push((format!("{name}_{form}_{scalar}"), text));
            }
        }
        let on_tape = types_on_tape(scalar);
        shared.push((format!("types_dynamic_{scalar}"), on_tape));
    }
    let without_types = |text: &String| {
        shared.iter().fold(text.clone(), |text, (name, types)| {
            text.replace(types, &format!("use crate::{name}::*;\n"))
        })
    };
    let batches = batches.iter().map(|modules| {
        let modules = modules.iter();
        let compiled = modules.map(|(name, text)| (name.clone(), without_types(text)));
        compiled.collect()
    });
    let batches = batches.collect();
    // What brings tensors into scope stands elsewhere in a program.
    let shared = shared
        .into_iter()
        .map(|(name, text)| (name, format!("use autodiff::Tensor;\n\n{text}")))
        .collect();
    (batches, shared)
}

/// A program in certain forms, as a module of the given name.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) text: String,
}

impl Case {
    pub(crate) fn new(name: String, program: Program, forms: &Forms) -> Self {
        let text = module_text(&program, forms);
        Self {
            name,
            program,
            text,
        }
    }
}

/// Cases as batches of a size.
pub(crate) fn split(cases: &[Case], size: usize) -> Vec<Vec<Case>> {
    cases.chunks(size.max(1)).map(<[_]>::to_vec).collect()
}

/// Compiles and runs cases, a crate for each batch; what was wrong with a case, if anything was, goes to `failed`.
pub(crate) fn judge(
    workshop: &str,
    batches: &[Vec<Case>],
    report: &mut Report,
    mut failed: impl FnMut(&Case, String) -> io::Result<()>,
) -> io::Result<()> {
    let modules = batches.iter().map(|batch| {
        let cases = batch.iter();
        cases
            .map(|case| (case.name.clone(), case.text.clone()))
            .collect()
    });
    let (compiled, shared) = share_types(&modules.collect::<Vec<_>>());
    let outcomes = Workshop::new(workshop)?.run(compiled, &shared)?;
    for case in batches.iter().flatten() {
        let program = &case.program;
        let message = match outcomes.get(&case.name) {
            Some(Outcome::Passed([confirmed, skipped, absorbed])) => {
                report.confirmed += confirmed;
                report.skipped += skipped;
                report.absorbed += absorbed;
                let inputs = program.points.first().map_or(0, |point| point.active.len());
                if *confirmed > 0 || program.scalar == "f32" || inputs == 0 {
                    continue;
                }
                "the generator failed: differences could confirm nothing at any point".to_owned()
            }
            Some(Outcome::Failed(message)) => message.clone(),
            None => "no answer".to_owned(),
        };
        failed(case, message)?;
    }
    Ok(())
}

/// Runs a series.
///
/// # Errors
///
/// If files cannot be written, or cargo cannot be run.
pub fn run_series(series: &Series) -> io::Result<Report> {
    let mut report = Report::default();
    let cases: Vec<Case> = series
        .programs()
        .map(|program| {
            report.count(&program);
            let forms = forms_of(series, &program);
            Case::new(program.module(), program, &forms)
        })
        .collect();
    let batches = split(&cases, series.batch);
    let mut failures = Vec::new();
    judge(&series.workshop, &batches, &mut report, |case, message| {
        let program = &case.program;
        if let Some(directory) = &series.keep {
            std::fs::create_dir_all(directory)?;
            let head = format!(
                "// seed {}, program {}\n// {message}\n\n",
                series.seed, program.index
            );
            std::fs::write(
                directory.join(format!("{}-{}.rs", series.seed, case.name)),
                format!("{head}{}", program.render("#[autodiff::grad]")),
            )?;
            std::fs::write(
                directory.join(format!("{}-{}.module.rs", series.seed, case.name)),
                &case.text,
            )?;
        }
        failures.push(Failure {
            index: program.index,
            message,
        });
        Ok(())
    })?;
    report.failures = failures;
    Ok(report)
}
