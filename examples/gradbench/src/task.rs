//! Functions with their inputs, ready to be run as often as it takes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::output::Output;

/// A function of an eval with its input.
pub(crate) trait Task {
    /// Runs the function once, and says how long it took.
    fn run(&mut self) -> Duration;
    /// What came out last; nothing if it has not run.
    fn output(&self) -> Option<Output>;
}

struct Function<R, O, S> {
    run: R,
    last: Option<O>,
    show: S,
}

/// The task to run `run`, whose result is shown by `show`, which takes no part in the time.
pub(crate) fn task<O: 'static>(
    run: impl Fn() -> O + 'static,
    show: impl Fn(&O) -> Output + 'static,
) -> Box<dyn Task> {
    Box::new(Function {
        run,
        last: None,
        show,
    })
}

impl<O, R: Fn() -> O, S: Fn(&O) -> Output> Task for Function<R, O, S> {
    fn run(&mut self) -> Duration {
        // Its memory is given back before the clock runs.
        self.last = None;
        let start = Instant::now();
        let result = black_box((self.run)());
        let taken = start.elapsed();
        self.last = Some(result);
        taken
    }

    fn output(&self) -> Option<Output> {
        self.last.as_ref().map(&self.show)
    }
}
