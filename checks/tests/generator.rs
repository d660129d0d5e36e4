//! The generator and the judge on their own, with differences in the place of derivatives.

use autodiff_checks::generate::{Constructs, TRAPS, generate};
use autodiff_checks::run::{Forms, Report, Series, run_series};

#[test]
fn a_seed_fixes_the_text() {
    let all = Constructs::default();
    let text = |seed, index| generate(seed, index, &all).render("#[grad]");
    assert_eq!(text(3, 5), text(3, 5));
    assert_ne!(text(3, 5), text(3, 6));
    assert_ne!(text(3, 5), text(4, 5));
}

#[test]
fn every_trap_is_set_in_twenty_programs() {
    let all = Constructs::default();
    for first in [0, 7, 40] {
        let mut report = Report::default();
        for index in first..first + 20 {
            report.count(&generate(11, index, &all));
        }
        assert_eq!(
            report.traps.len(),
            TRAPS.len(),
            "missing: {:?}",
            report.rare_traps()
        );
    }
}

#[test]
fn constructs_are_left_out_on_demand() {
    let few = Constructs::default()
        .without("match, trap, vec, swap,mem_swap, matrix, fallible")
        .expect("these are constructs");
    for index in 0..200 {
        let text = generate(2, index, &few).render("#[grad]");
        assert!(
            !text.contains("match ") && !text.contains("vec![") && !text.contains("swap"),
            "{text}"
        );
    }
    assert!(Constructs::default().without("mtach").is_err());
}

#[test]
fn programs_are_sound_rust() {
    let count = std::env::var("AUTODIFF_COUNT").map_or(20, |text| {
        text.parse().expect("the variable holds a number")
    });
    let mut series = Series::new(12, count);
    series.forms = Forms {
        plain: true,
        ..Forms::default()
    };
    series.batch = 10;
    series.workshop = "plain".to_owned();
    let report = run_series(&series).expect("cargo can be run");
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    assert!(
        report.skipped * 20 < report.confirmed,
        "{}",
        report.summary()
    );
}
