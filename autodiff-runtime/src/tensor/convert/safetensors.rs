//! Tensors in files of the format `safetensors`.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

use ::safetensors::tensor::TensorView;
use ::safetensors::{Dtype, SafeTensors, View, serialize};

use super::named::{Held, NamedTensors, integers, of_file};
use crate::tensor::{Error, Tensor};

impl NamedTensors {
    /// Reads a file of the format `safetensors`.
    ///
    /// `F32`, `F64` and `BOOL` as they are, `F16` and `BF16` as `f32`, integers of any width as `usize`.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged; what is in it and of another type is an error where it is asked for.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{NamedTensors, Tensor};
    ///
    /// let path = std::env::temp_dir().join("autodiff-read.safetensors");
    /// let mut model = NamedTensors::new();
    /// model.insert("layer.weight", Tensor::from([[1.0_f32, 2.0]]));
    /// model.insert("layer.bias", Tensor::from([0.5_f32]));
    /// model.write_safetensors(&path).unwrap();
    /// let read = NamedTensors::read_safetensors(&path).unwrap();
    /// let weight: Tensor<f32> = read.get("layer.weight").unwrap();
    /// assert_eq!(weight[[0, 1]], 2.0);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn read_safetensors(path: impl AsRef<Path>) -> Result<Self, Error> {
        const READ: &str = "read_safetensors";
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| of_file(READ, path, error))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|error| of_file(READ, path, error))?;
        file.iter()
            .map(|(name, view)| match read(&view) {
                Ok(held) => Ok((name.to_string(), held)),
                Err(error) => Err(of_file(READ, path, format_args!("{name}: {error}"))),
            })
            .collect::<Result<_, Error>>()
            .map(NamedTensors)
    }

    /// Writes a file of the format `safetensors`; `usize` as 64-bit integers.
    ///
    /// # Errors
    /// If the file cannot be written, or an entry is 2⁶³ or more, with the file's name.
    pub fn write_safetensors(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let views = self.0.iter().map(|(name, held)| match Written::new(held) {
            Ok(view) => Ok((name, view)),
            Err(error) => Err(format!("{name}: {error}")),
        });
        let written = views.collect::<Result<Vec<_>, _>>().and_then(|views| {
            let bytes = serialize(views, None).map_err(|error| error.to_string())?;
            fs::write(path, bytes).map_err(|error| error.to_string())
        });
        written.map_err(|error| of_file("write_safetensors", path, error))
    }
}

fn read(view: &TensorView<'_>) -> Result<Held, Error> {
    /// The numbers whose bytes these are, the lowest first.
    fn numbers<const N: usize, U>(
        view: &TensorView<'_>,
        number: impl Fn([u8; N]) -> U,
    ) -> impl Iterator<Item = U> {
        let items = view.data().chunks_exact(N);
        items.map(move |bytes| number(bytes.try_into().expect("N bytes")))
    }
    let shape = view.shape();
    let dtype = &view.dtype().to_string();
    macro_rules! floats {
        ($kind:ident: $number:expr) => {
            Tensor::try_from_vec(shape, numbers(view, $number).collect()).map(Held::$kind)
        };
    }
    macro_rules! counts {
        ($int:ident) => {
            Held::counts(shape, dtype, numbers(view, $int::from_le_bytes))
        };
    }
    match view.dtype() {
        Dtype::F32 => floats!(F32: f32::from_le_bytes),
        Dtype::F64 => floats!(F64: f64::from_le_bytes),
        Dtype::F16 => floats!(F32: |bytes| half(u16::from_le_bytes(bytes))),
        Dtype::BF16 => floats!(F32: |[low, high]| f32::from_le_bytes([0, 0, low, high])),
        Dtype::BOOL => floats!(Bool: |[byte]| byte != 0),
        Dtype::I8 => counts!(i8),
        Dtype::I16 => counts!(i16),
        Dtype::I32 => counts!(i32),
        Dtype::I64 => counts!(i64),
        Dtype::U8 => counts!(u8),
        Dtype::U16 => counts!(u16),
        Dtype::U32 => counts!(u32),
        Dtype::U64 => counts!(u64),
        _ => Ok(Held::Other(format!("{dtype} of shape {shape:?}"))),
    }
}

/// The number of IEEE 754's format of 16 bits: 5 of them the exponent, 10 the fraction.
fn half(bits: u16) -> f32 {
    let (sign, rest) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    let magnitude = if rest >= 0x7c00 {
        f32::from_bits(rest << 13 | 0x7f80_0000)
    } else {
        // The exponents count from −15 there and from −127 here: 2¹¹² lies between, and subnormals are right as well.
        f32::from_bits(rest << 13) * f32::from_bits((127 + 112) << 23)
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

/// A tensor as the file holds it.
struct Written<'a> {
    dtype: Dtype,
    shape: &'a [usize],
    bytes: Vec<u8>,
}

impl<'a> Written<'a> {
    fn new(held: &'a Held) -> Result<Self, String> {
        let (dtype, shape, bytes) = match held {
            Held::F32(x) => {
                let bytes = x.iter().flat_map(f32::to_le_bytes).collect();
                (Dtype::F32, x.shape(), bytes)
            }
            Held::F64(x) => {
                let bytes = x.iter().flat_map(f64::to_le_bytes).collect();
                (Dtype::F64, x.shape(), bytes)
            }
            Held::Bool(x) => (Dtype::BOOL, x.shape(), x.iter().map(u8::from).collect()),
            Held::Usize(x) => {
                let bytes = integers(x)?
                    .into_iter()
                    .flat_map(i64::to_le_bytes)
                    .collect();
                (Dtype::I64, x.shape(), bytes)
            }
            Held::Other(words) => return Err(format!("{words} cannot be written")),
        };
        Ok(Written {
            dtype,
            shape,
            bytes,
        })
    }
}

impl View for Written<'_> {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::named::tests::{awkward, place};
    use super::*;

    fn held(dtype: Dtype, shape: &[usize], data: &[u8]) -> Held {
        read(&TensorView::new(dtype, shape.to_vec(), data).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let (path, all) = (place("all.safetensors"), awkward());
        all.write_safetensors(&path).unwrap();
        assert_eq!(NamedTensors::read_safetensors(&path).unwrap(), all);
        NamedTensors::new().write_safetensors(&path).unwrap();
        assert!(NamedTensors::read_safetensors(&path).unwrap().is_empty());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn narrow_floats_become_f32() {
        // The value by its definition.
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let magnitude = match exponent {
                0 => fraction * 2_f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
            };
            let expected = if bits >> 15 == 1 {
                -magnitude
            } else {
                magnitude
            };
            let x = f64::from(half(bits));
            assert!(x == expected || x.is_nan() && expected.is_nan(), "{bits:x}");
            assert_eq!(x.is_sign_negative(), bits >> 15 == 1, "{bits:x}");
        }
        assert_eq!(
            held(Dtype::F16, &[2], &[0, 0x3c, 0, 0xc0]),
            Held::F32([1.0, -2.0].into())
        );
        assert_eq!(
            held(Dtype::BF16, &[2], &[0x80, 0x3f, 0, 0xc0]),
            Held::F32([1.0, -2.0].into())
        );
    }

    #[test]
    fn integers_become_usize() {
        assert_eq!(
            held(Dtype::U8, &[2, 1], &[1, 255]),
            Held::Usize([[1], [255]].into())
        );
        assert_eq!(held(Dtype::I16, &[1], &[2, 1]), Held::Usize([258].into()));
        assert_eq!(
            held(Dtype::U64, &[], &[7, 0, 0, 0, 0, 0, 0, 0]),
            Held::Usize(Tensor::scalar(7))
        );
        let negative = held(Dtype::I8, &[2], &[1, 255]).get::<usize>("get", &"it");
        assert_eq!(
            negative.unwrap_err().to_string(),
            "get: it holds I8 of shape [2] with -1 in it, which is no `usize`, and usize is asked for"
        );
    }

    #[test]
    fn damaged_files_are_errors_in_words() {
        let path = place("damaged.safetensors");
        let mut named = NamedTensors::new();
        named.insert("x", Tensor::from([1.0, 2.0]));
        named.write_safetensors(&path).unwrap();
        let good = fs::read(&path).unwrap();
        let said = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            NamedTensors::read_safetensors(&path)
                .unwrap_err()
                .to_string()
        };
        for end in 0..good.len() {
            let said = said(&good[..end]);
            assert!(
                said.starts_with(&format!("read_safetensors: {}: ", path.display())),
                "{said}"
            );
        }
        let text = String::from_utf8_lossy(&good[8..good.len() - 16]).to_string();
        for wrong in [
            text.replace("[2]", "[3]"),
            text.replace("F64", "F32"),
            text.replace("[2]", "[4611686018427387904,4611686018427387904]"),
        ] {
            let length = (wrong.len() as u64).to_le_bytes();
            said(&[&length[..], wrong.as_bytes(), &good[good.len() - 16..]].concat());
        }
        fs::remove_file(&path).unwrap();
        assert!(NamedTensors::read_safetensors(&path).is_err());
    }
}
