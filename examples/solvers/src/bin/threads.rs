//! A gradient over many measurements, on a tape for each thread of `rayon`: the sum of what the threads find.
//!
//!     cargo run --release --bin threads

use std::time::Instant;

use autodiff::{Tangent, Tape, Var, grad};
use rayon::prelude::*;

/// How fast the level of a tank falls: an outflow at the bottom, and a leak.
#[grad]
fn fall(level: f64, outflow: f64, leak: f64) -> f64 {
    -outflow * level.max(0.0).sqrt() - leak * level
}

/// The level after some time, by steps as long as the level allows: how many there are, only the running program knows.
fn level(start: f64, time: f64, [outflow, leak]: [Var<'_>; 2]) -> Var<'_> {
    let mut level = Var::from(start);
    let mut now = 0.0;
    while now < time {
        let slope = fall::on_tape(level, outflow, leak);
        let step = (0.01 * (level / slope).abs().value())
            .max(1e-4)
            .min(time - now);
        let middle = fall::on_tape(level + 0.5 * step * slope, outflow, leak);
        level += step * middle;
        now += step;
    }
    level
}

/// What was measured: a level at the start, a time, and the level then.
struct Measurement {
    start: f64,
    time: f64,
    level: f64,
}

/// The sum of the squared residuals of some measurements, and its gradient.
fn part(tape: &Tape, data: &[Measurement], parameters: [f64; 2]) -> (f64, [f64; 2]) {
    let mut all = (0.0, [0.0; 2]);
    for m in data {
        // The memory is kept, so only the first measurements of a thread allocate.
        tape.clear();
        let parameters = parameters.map(|p| tape.var(p));
        let loss = (level(m.start, m.time, parameters) - m.level).powi(2);
        all.0 += loss.value();
        all.1.add_scaled(1.0, &loss.backward().wrt(parameters));
    }
    all
}

fn main() {
    let data: Vec<Measurement> = (0..2000)
        .map(|k| {
            let (start, time) = (
                1.0 + f64::from(k % 40) / 20.0,
                0.5 + f64::from(k / 40) / 40.0,
            );
            let root = (start.sqrt() - 0.2 * time).max(0.0);
            Measurement {
                start,
                time,
                level: root * root,
            }
        })
        .collect();
    let parameters = [0.3, 0.1];

    let begin = Instant::now();
    let (loss, gradient) = part(&Tape::new(), &data, parameters);
    let alone = begin.elapsed();

    let begin = Instant::now();
    let (sum, summed) = data
        .par_chunks(50)
        .map_init(Tape::new, |tape, chunk| part(tape, chunk, parameters))
        .reduce(
            || (0.0, [0.0; 2]),
            |mut a, b| {
                a.0 += b.0;
                a.1.add_scaled(1.0, &b.1);
                a
            },
        );
    let together = begin.elapsed();

    println!("loss {sum:.9}, gradient {summed:.9?}");
    println!(
        "one thread {alone:.1?}, {} threads {together:.1?}",
        rayon::current_num_threads()
    );
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * b.abs();
    assert!(near(sum, loss), "{sum} is not {loss}");
    for (a, b) in summed.iter().zip(gradient) {
        assert!(near(*a, b), "{a} is not {b}");
    }
}
