//! Progress.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar over so many steps on standard error; it is drawn only where that is a terminal.
pub fn bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}");
    ProgressBar::new(steps as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
