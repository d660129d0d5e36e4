//! A small seeded generator of random numbers (splitmix64): the same seed gives the same program text on every machine.

/// The state of the generator.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator whose whole future is decided by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator for item `index` of the series that `seed` names.
    #[must_use]
    pub fn item(seed: u64, index: u64) -> Self {
        let mut first = Self(seed ^ 0x5DEE_CE66_D1CE_4E5B);
        let start = first.word();
        let mut second = Self(start ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Self(second.word())
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`; `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the items, each as likely as the others.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, as likely as its weight says; `None` if all weights are 0.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> Option<T> {
        let total: u32 = items.iter().map(|item| item.0).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total as usize) as u32;
        for &(weight, item) in items {
            if left < weight {
                return Some(item);
            }
            left -= weight;
        }
        None
    }
}
