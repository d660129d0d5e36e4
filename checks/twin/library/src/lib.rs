//! The library as the corpus sees it where it is put to one check more: `#[grad]` compares compiled code with the tape.

pub use autodiff_twin_attribute::grad;
#[doc(hidden)]
pub use plain::grad as __grad;
pub use plain::*;

/// What generated code calls, where a comparison is noted as well.
#[doc(hidden)]
pub mod __private {
    pub use plain::__private::*;

    pub mod dynamic {
        use std::io::Write as _;
        use std::panic::Location;

        use plain::{Differentiable, Tangent};

        pub use plain::__private::dynamic::*;

        /// Compares, and appends to the file that `AUTODIFF_COMPARED` names: the test, and the function.
        #[track_caller]
        pub fn compare<R: Differentiable, G: Tangent>(name: &str, one: &(R, G), other: &(R, G)) {
            plain::__private::dynamic::compare(name, one, other);
            let Some(file) = std::env::var_os("AUTODIFF_COMPARED") else {
                return;
            };
            let thread = std::thread::current();
            let (test, at) = (thread.name().unwrap_or_default(), Location::caller());
            let line = format!(
                "{test} {name} {}:{}:{}\n",
                at.file(),
                at.line(),
                at.column()
            );
            let mut options = std::fs::OpenOptions::new();
            let noted = options.append(true).create(true).open(file);
            let noted = noted.and_then(|mut file| file.write_all(line.as_bytes()));
            noted.expect("a comparison is noted");
        }
    }
}
