//! What is wrong with the operands of an operation.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// Why an operation cannot be done: the operation, the shapes and the axis in words.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
///
/// let (a, b) = (Tensor::<f64>::ones(&[64, 784]), Tensor::ones(&[512, 10]));
/// assert_eq!(a.try_matmul(&b).unwrap_err().to_string(), "matmul: the inner lengths differ: [64, 784] times [512, 10]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    operation: &'static str,
    reason: String,
}

impl Error {
    pub(crate) fn new(operation: &'static str, reason: impl Into<String>) -> Self {
        Error {
            operation,
            reason: reason.into(),
        }
    }

    /// Of two shapes that do not fit.
    pub(crate) fn shapes(operation: &'static str, reason: &str, a: &[usize], b: &[usize]) -> Self {
        Error::new(operation, format!("{reason}: {a:?} and {b:?}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.reason)
    }
}

impl core::error::Error for Error {}

/// What the operations give that say what is wrong.
pub type Result<T> = core::result::Result<T, Error>;

/// The value, or a panic with the error's words.
#[track_caller]
pub(crate) fn expect<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
