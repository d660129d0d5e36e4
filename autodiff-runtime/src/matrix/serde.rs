//! Matrices that are saved and restored, as `{ shape, data }`.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Matrix;

#[derive(Serialize, Deserialize)]
#[serde(rename = "Matrix")]
struct Saved<D> {
    shape: [usize; 2],
    data: D,
}

/// As `{ shape, data }`, the numbers row by row.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
///
/// let m = Matrix::from_vec(1, 2, vec![1.0, 2.0]);
/// let text = serde_json::to_string(&m).unwrap();
/// assert_eq!(text, r#"{"shape":[1,2],"data":[1.0,2.0]}"#);
/// assert_eq!(serde_json::from_str::<Matrix<f64>>(&text).unwrap(), m);
/// ```
impl<T: Serialize> Serialize for Matrix<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved {
            shape: [self.rows, self.cols],
            data: &self.data,
        }
        .serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Matrix<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { shape, data } = Saved::<Vec<T>>::deserialize(deserializer)?;
        Matrix::try_from_vec(shape[0], shape[1], data).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn what_is_saved_is_restored_if_the_lengths_fit() {
        for (rows, cols) in [(0, 2), (2, 0), (1, 1), (2, 3)] {
            let entries = (0..rows * cols).map(|k| k as f64 / 7.0).collect();
            let m = Matrix::from_vec(rows, cols, entries);
            let text = serde_json::to_string(&m).unwrap();
            assert_eq!(serde_json::from_str::<Matrix<f64>>(&text).unwrap(), m);
        }
        let wrong = serde_json::from_str::<Matrix<f64>>(r#"{"shape":[2,2],"data":[1.0]}"#);
        let wrong = wrong.unwrap_err().to_string();
        assert!(
            wrong.starts_with("a matrix of 2 rows and 2 columns cannot be made of 1 numbers"),
            "{wrong}"
        );
        assert!(serde_json::from_str::<Matrix<f64>>(r#"{"shape":[1],"data":[1.0]}"#).is_err());
    }
}
