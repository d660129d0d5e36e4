//! The mutation of the compiler: each wrong answer of an analysis must be noticed by some program.

use autodiff_checks::run::{MUTATIONS, Series, run_series, sound, test_mutation};

/// So many programs are run at once; more only as long as some mutation has not been noticed.
const PART: u64 = 2;
/// By then every mutation must have been.
const ALL: u64 = 80;

#[test]
fn every_mutation_is_noticed() {
    let mut left = MUTATIONS.to_vec();
    for first in (0..ALL).step_by(PART as usize) {
        if left.is_empty() {
            break;
        }
        let mut part = Series::new(21, PART);
        part.first = first;
        // Two crates, for two processors.
        part.batch = PART.div_ceil(2) as usize;
        let passing = run_series(&sound(&part)).expect("cargo can be run");
        assert!(
            passing.failures.is_empty(),
            "the programs must pass first: {:#?}",
            passing.failures
        );
        left.retain(|name| {
            let report = test_mutation(&part, name).expect("cargo can be run");
            println!(
                "{name}: noticed by {} of {} programs from {first}",
                report.noticed.len(),
                report.programs
            );
            report.survived()
        });
    }
    assert!(left.is_empty(), "no program noticed {left:?}");
}
