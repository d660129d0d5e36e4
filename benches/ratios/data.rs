//! Reproducible made-up data.

/// A small generator of pseudo-random numbers (`SplitMix64`).
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The same `seed` gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number, uniform in `low..high`.
    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Puts `items` into any order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.next() as usize % (i + 1));
        }
    }

    /// `count` numbers, uniform in `low..high`.
    pub(crate) fn vec(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.uniform(low, high)).collect()
    }
}
