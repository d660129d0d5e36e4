//! Random programs: every derivative of every one of them must agree with every other way to it.
//!
//! `AUTODIFF_SEED` and `AUTODIFF_COUNT` choose other programs.

use autodiff_checks::run::{Series, run_series};

#[test]
fn derivatives_agree() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().expect("the variable holds a number"))
    };
    let seed = number("AUTODIFF_SEED").unwrap_or(1);
    let mut series = Series::new(seed, number("AUTODIFF_COUNT").unwrap_or(40));
    series.batch = 10;
    let report = run_series(&series).expect("cargo can be run");
    println!("seed {seed}: {}", report.summary());
    let failures: Vec<String> = report
        .failures
        .iter()
        .map(|failure| {
            format!(
                "{}\n    again: cargo run -p autodiff-checks --release --bin random -- --seed {seed} --first {} --count 1 --keep DIR --reduce",
                failure.message, failure.index
            )
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} programs failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
