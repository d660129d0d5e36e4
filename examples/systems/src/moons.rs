//! The data set of the two moons.

use std::f64::consts::PI;

use rand::{Rng, RngCore};
use rand_distr::StandardNormal;

/// Points in the plane, and the side of each: −1 for the upper moon, 1 for the lower one.
pub struct TwoMoons {
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// Their sides.
    pub sides: Vec<f64>,
}

/// Two half circles that reach into each other, with so many points in all and normal noise.
pub fn moons(count: usize, noise: f64, random: &mut impl RngCore) -> TwoMoons {
    let last = (count.div_ceil(2).max(2) - 1) as f64;
    let points = (0..count).map(|k| {
        let angle = PI * (k / 2) as f64 / last;
        let [x, y] = if k % 2 == 0 {
            [angle.cos(), angle.sin()]
        } else {
            [1.0 - angle.cos(), 0.5 - angle.sin()]
        };
        let mut noise = || noise * random.sample::<f64, _>(StandardNormal);
        [x + noise(), y + noise()]
    });
    TwoMoons {
        points: points.collect(),
        sides: (0..count)
            .map(|k| if k % 2 == 0 { -1.0 } else { 1.0 })
            .collect(),
    }
}
