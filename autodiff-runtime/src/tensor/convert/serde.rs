//! Tensors that are saved and restored, as `{ shape, data }`.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::element::Element;
use crate::tensor::Tensor;

#[derive(Serialize, Deserialize)]
#[serde(rename = "Tensor")]
struct Saved<S, D> {
    shape: S,
    data: D,
}

/// The entries of a tensor, row by row.
struct Entries<'a, T: Element>(&'a Tensor<T>);

impl<T: Element + Serialize> Serialize for Entries<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

/// As `{ shape, data }`, the entries row by row.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
///
/// let x = Tensor::from([[1.0, 2.0]]);
/// let text = serde_json::to_string(&x).unwrap();
/// assert_eq!(text, r#"{"shape":[1,2],"data":[1.0,2.0]}"#);
/// assert_eq!(serde_json::from_str::<Tensor<f64>>(&text).unwrap(), x);
/// ```
impl<T: Element + Serialize> Serialize for Tensor<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shape, data) = (self.shape(), Entries(self));
        Saved { shape, data }.serialize(serializer)
    }
}

impl<'de, T: Element + Deserialize<'de>> Deserialize<'de> for Tensor<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::<Vec<usize>, Vec<T>>::deserialize(deserializer)?;
        Tensor::try_from_vec(&saved.shape, saved.data).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use core::fmt::Debug;

    use super::*;

    fn round<T: Element + Serialize + for<'de> Deserialize<'de> + Debug>(x: &Tensor<T>) {
        let text = serde_json::to_string(x).unwrap();
        assert_eq!(&serde_json::from_str::<Tensor<T>>(&text).unwrap(), x);
    }

    #[test]
    fn what_is_saved_is_restored() {
        for shape in [&[][..], &[0], &[1], &[2, 0, 3], &[2, 3], &[2, 1, 2]] {
            round(&Tensor::from_fn(shape, |at| {
                at.iter().sum::<usize>() as f64 / 7.0
            }));
            round(&Tensor::from_fn(shape, |at| {
                at.iter().sum::<usize>() as f32 / 7.0
            }));
            round(&Tensor::from_fn(shape, |at| at.iter().sum::<usize>()));
            round(&Tensor::from_fn(shape, |at| {
                at.iter().sum::<usize>() % 2 == 1
            }));
            round(&Tensor::<f64>::zeros(shape));
        }
        round(&Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t());
    }

    #[test]
    fn lengths_have_to_fit() {
        let error =
            |text| serde_json::from_str::<Tensor<f64>>(text).map_err(|error| error.to_string());
        let wrong = error(r#"{"shape":[2,2],"data":[1.0]}"#).unwrap_err();
        assert!(
            wrong.starts_with("from_vec: the shape [2, 2] has 4 entries, but 1 are given"),
            "{wrong}"
        );
        for wrong in [
            r#"{"shape":[18446744073709551615,2],"data":[]}"#,
            r#"{"shape":[-1],"data":[]}"#,
            r#"{"shape":[1],"data":["a"]}"#,
            r#"{"data":[1.0]}"#,
            r#"{"shape":[2],"data":[1.0"#,
        ] {
            assert!(error(wrong).is_err(), "{wrong}");
        }
    }
}
