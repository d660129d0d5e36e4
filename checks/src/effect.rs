//! An effect that generated programs have: a counter that shows whether inactive code ran exactly once.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts this call; the result, below 3, tells the first call from the second and the third.
pub fn tick() -> usize {
    COUNT.with(|count| {
        count.set(count.get() + 1);
        count.get() % 3
    })
}

/// Sets the counter back, and returns what it was.
pub fn reset() -> usize {
    COUNT.with(|count| count.replace(0))
}
