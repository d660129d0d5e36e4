//! The mutation of the compiler: each wrong answer of an analysis must be noticed by some program.

use autodiff_checks::run::{MUTATIONS, Series, run_series, test_mutation};

#[test]
fn every_mutation_is_noticed() {
    let sound = run_series(&Series::new(21, 40)).expect("cargo can be run");
    assert!(
        sound.failures.is_empty(),
        "the programs must pass first: {:#?}",
        sound.failures
    );
    let mut survivors = Vec::new();
    for name in MUTATIONS {
        let report = test_mutation(&Series::new(21, 40), name).expect("cargo can be run");
        println!(
            "{name}: noticed by {} of {} programs",
            report.noticed.len(),
            report.programs
        );
        if report.survived() {
            survivors.push(*name);
        }
    }
    assert!(survivors.is_empty(), "no program noticed {survivors:?}");
}
