//! Random programs: every derivative of every one of them must agree with every other way to it.
//!
//! `AUTODIFF_SEED` and `AUTODIFF_COUNT` choose other programs.

use autodiff_checks::run::{Series, run_series};

/// The programs of each of these seeds are run where nothing else is said.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

#[test]
fn derivatives_agree() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().expect("the variable holds a number"))
    };
    // Continuous integration has the time that a newcomer's first test run has not.
    let usual = if std::env::var_os("CI").is_some() {
        500
    } else {
        40
    };
    let count = number("AUTODIFF_COUNT").unwrap_or(usual);
    let chosen = number("AUTODIFF_SEED");
    let all = if count < 100 { &SEEDS[..1] } else { &SEEDS[..] };
    let seeds: Vec<u64> = chosen.map_or_else(|| all.to_vec(), |seed| vec![seed]);
    let mut failures = Vec::new();
    for seed in &seeds {
        let series = Series::new(*seed, count.div_ceil(seeds.len() as u64));
        let report = run_series(&series).expect("cargo can be run");
        println!("seed {seed}: {}", report.summary());
        failures.extend(report.failures.iter().map(|failure| {
            format!(
                "{}\n    again: cargo run -p autodiff-checks --release --bin random -- --seed {seed} --first {} --count 1 --keep DIR --reduce",
                failure.message, failure.index
            )
        }));
    }
    assert!(
        failures.is_empty(),
        "{} programs failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
