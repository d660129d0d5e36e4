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

/// Both sweeps of a function of kernels are one kernel, which the programs have none of.
#[autodiff::grad(__mutate = "drop_beside")]
fn mislinked(a: &autodiff::Tensor<f64>) -> f64 {
    (a * 2.0).tanh().sum()
}

#[test]
fn a_wrong_link_between_both_sweeps_is_noticed() {
    let a = autodiff::Tensor::from_vec(&[1], vec![0.25]);
    let (value, gradient) = mislinked::value_and_grad(&a);
    let tanh = 0.5_f64.tanh();
    let slope = 2.0 * (1.0 - tanh * tanh);
    assert!((value - tanh).abs() < 1e-15);
    assert!((gradient.to_vec()[0] - slope).abs() > 0.1 * slope);
}
