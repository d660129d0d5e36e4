//! The mutation of the compiler: each wrong answer of an analysis must be noticed by some program.

use autodiff_checks::run::{MUTATIONS, Series, run_series, test_mutation};

#[test]
fn every_mutation_is_noticed() {
    // Continuous integration has the time that a newcomer has not.
    let count = if std::env::var_os("CI").is_some() {
        40
    } else {
        16
    };
    let sound = run_series(&Series::new(21, count)).expect("cargo can be run");
    assert!(
        sound.failures.is_empty(),
        "the programs must pass first: {:#?}",
        sound.failures
    );
    let mut survivors = Vec::new();
    for name in MUTATIONS {
        let report = test_mutation(&Series::new(21, count), name).expect("cargo can be run");
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
