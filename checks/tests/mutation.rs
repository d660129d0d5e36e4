//! The mutation of the compiler: each wrong answer of an analysis must be noticed by some program.

use autodiff_checks::run::{MUTATIONS, Series, Trial, test_mutations};

/// So many programs are run at once; more only as long as some mutation has not been noticed.
const PART: u64 = 4;
/// By then every mutation must have been.
const ALL: u64 = 80;

#[test]
fn every_mutation_is_noticed() {
    let series = Series::new(21, ALL);
    let mut left = MUTATIONS.to_vec();
    for first in (0..ALL).step_by(PART as usize) {
        let trials: Vec<Trial> = left
            .iter()
            .map(|&name| Trial {
                name,
                programs: (first..first + PART).collect(),
            })
            .collect();
        let reports = test_mutations(&series, &trials).expect("the programs can be run, and pass");
        for report in &reports {
            println!(
                "{}: noticed by {} of {} programs from {first}",
                report.name,
                report.noticed.len(),
                report.programs
            );
        }
        left.retain(|&name| {
            let mut reports = reports.iter();
            reports.any(|report| report.name == name && report.survived())
        });
        if left.is_empty() {
            break;
        }
    }
    assert!(left.is_empty(), "no program noticed {left:?}");
}
