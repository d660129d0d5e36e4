//! What functions return, as it is written.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    Number(f64),
    Numbers(Vec<f64>),
    /// So many rows of this width.
    Rows {
        numbers: Vec<f64>,
        len: usize,
        width: usize,
    },
    Count(usize),
    List(Vec<Output>),
    Fields(Vec<(&'static str, Output)>),
}

impl Output {
    /// A matrix of so many rows of this width.
    pub(crate) fn rows(numbers: Vec<f64>, len: usize, width: usize) -> Self {
        Output::Rows {
            numbers,
            len,
            width,
        }
    }

    /// Whether all numbers are finite: JSON has no others.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Output::Number(x) => x.is_finite(),
            Output::Numbers(numbers) | Output::Rows { numbers, .. } => {
                numbers.iter().all(|x| x.is_finite())
            }
            Output::Count(_) => true,
            Output::List(list) => list.iter().all(Output::is_finite),
            Output::Fields(fields) => fields.iter().all(|(_, field)| field.is_finite()),
        }
    }
}

impl From<f64> for Output {
    fn from(x: f64) -> Self {
        Output::Number(x)
    }
}

impl From<Vec<f64>> for Output {
    fn from(numbers: Vec<f64>) -> Self {
        Output::Numbers(numbers)
    }
}

impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Output::Number(x) => serializer.serialize_f64(*x),
            Output::Numbers(numbers) => numbers.serialize(serializer),
            Output::Rows {
                numbers,
                len,
                width,
            } => {
                let mut rows = serializer.serialize_seq(Some(*len))?;
                for i in 0..*len {
                    rows.serialize_element(&numbers[i * width..(i + 1) * width])?;
                }
                rows.end()
            }
            Output::Count(count) => count.serialize(serializer),
            Output::List(list) => list.serialize(serializer),
            Output::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, field) in fields {
                    map.serialize_entry(name, field)?;
                }
                map.end()
            }
        }
    }
}
