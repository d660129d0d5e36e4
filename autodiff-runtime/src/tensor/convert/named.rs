//! Tensors by name, as files of several hold them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::{Any, type_name};

use crate::element::Element;
use crate::tensor::{AsTensor, Error, Result, Tensor};

/// Tensors of any types by name: what a file of several holds.
///
/// ```
/// use autodiff_runtime::tensor::{NamedTensors, Tensor};
///
/// let mut model = NamedTensors::new();
/// model.insert("weight", Tensor::from([[1.0, 2.0]]));
/// model.insert("classes", Tensor::from([3, 1]));
/// let weight: Tensor<f64> = model.get("weight").unwrap();
/// assert_eq!(weight.shape(), [1, 2]);
/// assert_eq!(
///     model.get::<f32>("weight").unwrap_err().to_string(),
///     "get: `weight` holds f64 of shape [1, 2], and f32 is asked for; read it as what it is, and `cast` it"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTensors(pub(super) BTreeMap<String, Held>);

/// A tensor of one of the types that there are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    F32(Tensor<f32>),
    F64(Tensor<f64>),
    Usize(Tensor<usize>),
    Bool(Tensor<bool>),
    /// What a file holds that is no tensor, in words.
    Other(String),
}

impl Held {
    pub(super) fn of<T: Element>(tensor: Tensor<T>) -> Self {
        let any: &dyn Any = &tensor;
        None.or_else(|| any.downcast_ref().cloned().map(Held::F32))
            .or_else(|| any.downcast_ref().cloned().map(Held::F64))
            .or_else(|| any.downcast_ref().cloned().map(Held::Usize))
            .or_else(|| any.downcast_ref().cloned().map(Held::Bool))
            .unwrap_or_else(|| unreachable!("there are no other types of entries"))
    }

    /// Integers as `usize`, where there are no others among them.
    pub(super) fn counts<I: Copy + TryInto<usize> + ToString>(
        shape: &[usize],
        dtype: &str,
        entries: impl IntoIterator<Item = I>,
    ) -> Result<Self> {
        let mut counts = Vec::new();
        for x in entries {
            match x.try_into() {
                Ok(x) => counts.push(x),
                Err(_) => {
                    return Ok(Held::Other(format!(
                        "{dtype} of shape {shape:?} with {} in it, which is no `usize`",
                        x.to_string()
                    )));
                }
            }
        }
        Tensor::try_from_vec(shape, counts).map(Held::Usize)
    }

    /// What is held, in words.
    fn words(&self) -> String {
        fn of<T: Element>(tensor: &Tensor<T>) -> String {
            format!("{} of shape {:?}", type_name::<T>(), tensor.shape())
        }
        match self {
            Held::F32(tensor) => of(tensor),
            Held::F64(tensor) => of(tensor),
            Held::Usize(tensor) => of(tensor),
            Held::Bool(tensor) => of(tensor),
            Held::Other(words) => words.clone(),
        }
    }

    /// The tensor, if its entries are of this type.
    pub(super) fn get<T: Element>(
        &self,
        operation: &'static str,
        whose: &dyn core::fmt::Display,
    ) -> Result<Tensor<T>> {
        let any: &dyn Any = match self {
            Held::F32(tensor) => tensor,
            Held::F64(tensor) => tensor,
            Held::Usize(tensor) => tensor,
            Held::Bool(tensor) => tensor,
            Held::Other(words) => words,
        };
        any.downcast_ref::<Tensor<T>>().cloned().ok_or_else(|| {
            let advice = match self {
                Held::Other(_) => "",
                _ => "; read it as what it is, and `cast` it",
            };
            Error::new(
                operation,
                format!(
                    "{whose} holds {}, and {} is asked for{advice}",
                    self.words(),
                    type_name::<T>()
                ),
            )
        })
    }
}

/// The entries as the integers that files hold.
pub(super) fn integers(x: &Tensor<usize>) -> core::result::Result<Vec<i64>, String> {
    x.iter()
        .map(|n| i64::try_from(n).map_err(|_| format!("{n} is too large for a 64-bit integer")))
        .collect()
}

impl NamedTensors {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tensor, in place of one that had the name.
    pub fn insert<T: Element>(&mut self, name: impl Into<String>, tensor: impl AsTensor<T>) {
        self.0.insert(name.into(), Held::of(tensor.as_tensor()));
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// If there is none, or its entries are of another type.
    pub fn get<T: Element>(&self, name: &str) -> Result<Tensor<T>> {
        match self.0.get(name) {
            Some(held) => held.get("get", &format_args!("`{name}`")),
            None => {
                let names: Vec<&str> = self.names().collect();
                Err(Error::new(
                    "get",
                    format!("there is no `{name}` among {names:?}"),
                ))
            }
        }
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// How many tensors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What is wrong with a file.
pub(super) fn of_file(
    operation: &'static str,
    path: &std::path::Path,
    what: impl core::fmt::Display,
) -> Error {
    Error::new(operation, format!("{}: {what}", path.display()))
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The path of a file of the tests' own.
    pub(in crate::tensor::convert) fn place(name: &str) -> PathBuf {
        let process = std::process::id();
        std::env::temp_dir().join(format!("autodiff-{process}-{name}"))
    }

    /// Tensors of all types and awkward shapes.
    pub(in crate::tensor::convert) fn awkward() -> NamedTensors {
        let mut named = NamedTensors::new();
        for shape in [&[][..], &[0], &[1], &[2, 0, 3], &[2, 3], &[2, 1, 2]] {
            let sum = |at: &[usize]| at.iter().sum::<usize>();
            let x = Tensor::from_fn(shape, |at| sum(at) as f64 / 7.0);
            named.insert(
                format!("single{shape:?}"),
                Tensor::from_fn(shape, |at| sum(at) as f32 / 7.0),
            );
            named.insert(format!("counts{shape:?}"), Tensor::from_fn(shape, sum));
            named.insert(
                format!("mask{shape:?}"),
                Tensor::from_fn(shape, |at| sum(at) % 2 == 1),
            );
            named.insert(format!("zeros{shape:?}"), Tensor::<f64>::zeros(shape));
            if shape.len() > 1 {
                named.insert(format!("turned{shape:?}"), x.transpose(0, -1));
                named.insert(format!("part{shape:?}"), x.slice(0, 1, 2, 1));
                named.insert(
                    format!("steps{shape:?}"),
                    x.slice(-1, 0, shape[shape.len() - 1] as isize, 2),
                );
                named.insert(format!("flipped{shape:?}"), x.flip(0));
            }
            named.insert(format!("double{shape:?}"), x);
        }
        let repeated = Tensor::from([f64::MIN_POSITIVE, f64::INFINITY, -0.0]);
        named.insert("repeated", repeated.broadcast_to(&[2, 3]));
        named
    }

    #[test]
    fn what_is_not_there_is_said() {
        let mut named = NamedTensors::new();
        assert!(named.is_empty());
        named.insert("a", Tensor::from([1.0]));
        named.insert("a", Tensor::from([1.0_f32, 2.0]));
        named.insert("b", Tensor::scalar(true));
        assert_eq!(named.len(), 2);
        assert_eq!(named.get::<f32>("a").unwrap().to_vec(), [1.0, 2.0]);
        assert_eq!(
            named.get::<f32>("c").unwrap_err().to_string(),
            "get: there is no `c` among [\"a\", \"b\"]"
        );
    }
}
