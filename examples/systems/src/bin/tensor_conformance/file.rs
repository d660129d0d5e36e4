//! Files with cases, as they are written.

use std::fmt;

use autodiff::Tensor;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use systems::{Figures, expect_length};

/// A file with cases.
#[derive(Deserialize)]
pub(crate) struct File {
    cases: Vec<Case>,
}

/// An operation at some operands, and what is known of it there.
#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(rename = "op")]
    pub operation: String,
    #[serde(default)]
    pub id: String,
    #[serde(default, rename = "attrs")]
    pub attributes: Map<String, Value>,
    pub inputs: Vec<Input>,
    pub output: Output,
    pub cotangent: Vec<Number>,
    pub grads: PerInput,
    pub tangents: PerInput,
    pub jvp: Vec<Number>,
    pub hvp: Option<PerInput>,
}

/// Numbers for each input that has any.
pub(crate) type PerInput = Vec<Option<Vec<Number>>>;

/// An input of a case.
#[derive(Deserialize)]
pub(crate) struct Input {
    pub name: String,
    pub shape: Vec<usize>,
    pub dtype: Type,
    data: Vec<Number>,
}

/// What an input is made of.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(crate) enum Type {
    /// Numbers.
    #[serde(rename = "f64")]
    Float,
    /// Indices.
    #[serde(rename = "i64")]
    Index,
    /// Zeros and ones.
    #[serde(rename = "bool")]
    Mask,
}

/// The result of a case.
#[derive(Deserialize)]
pub(crate) struct Output {
    pub shape: Vec<usize>,
    pub data: Vec<Number>,
}

/// A number, or a text for one that JSON has not.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, `inf`, `-inf` or `nan`")
            }
            fn visit_bool<E: Error>(self, is: bool) -> Result<Number, E> {
                Ok(Number(f64::from(u8::from(is))))
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Number, E> {
                Ok(Number(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Number, E> {
                Ok(Number(x as f64))
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<Number, E> {
                Ok(Number(x as f64))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                special(text)
                    .map(Number)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        from.deserialize_any(Any)
    }
}

/// What a text stands for that is a number.
pub(crate) fn special(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// A tensor of numbers that are known to be as many as it has entries.
pub(crate) fn tensor(shape: &[usize], data: &[Number]) -> Tensor<f64> {
    Tensor::from_vec(shape, data.iter().map(|x| x.0).collect())
}

impl Input {
    pub(crate) fn tensor(&self) -> Tensor<f64> {
        tensor(&self.shape, &self.data)
    }

    /// The indices, which are whole numbers from zero on.
    pub(crate) fn indices(&self) -> Result<Tensor<usize>, String> {
        let index = |x: &Number| {
            let index = x.0 as usize;
            let is = index as f64 == x.0;
            is.then_some(index)
                .ok_or_else(|| format!("`{}` has {}, which is no index", self.name, x.0))
        };
        let data = self.data.iter().map(index).collect::<Result<_, _>>()?;
        Ok(Tensor::from_vec(&self.shape, data))
    }

    pub(crate) fn mask(&self) -> Tensor<bool> {
        Tensor::from_vec(&self.shape, self.data.iter().map(|x| x.0 != 0.0).collect())
    }
}

impl Figures for File {
    type Checked = Vec<Case>;

    fn checked(self) -> Result<Vec<Case>, String> {
        for (k, case) in self.cases.iter().enumerate() {
            fits(case).map_err(|reason| format!("case {k} (`{}`): {reason}", case.operation))?;
        }
        Ok(self.cases)
    }
}

/// Whether a case has as many numbers as its shapes say.
fn fits(case: &Case) -> Result<(), String> {
    let length = |name: &str, shape: &[usize]| {
        let count = shape
            .iter()
            .try_fold(1_usize, |count, n| count.checked_mul(*n));
        count.ok_or_else(|| format!("`{name}` has too large a shape {shape:?}"))
    };
    for input in &case.inputs {
        let entries = length(&input.name, &input.shape)?;
        expect_length(&input.name, input.data.len(), entries)?;
    }
    let entries = length("output", &case.output.shape)?;
    expect_length("output", case.output.data.len(), entries)?;
    expect_length("cotangent", case.cotangent.len(), entries)?;
    expect_length("jvp", case.jvp.len(), entries)?;
    let lists = [
        ("grads", Some(&case.grads)),
        ("tangents", Some(&case.tangents)),
        ("hvp", case.hvp.as_ref()),
    ];
    for (name, list) in lists {
        let Some(list) = list else { continue };
        expect_length(name, list.len(), case.inputs.len())?;
        for (input, numbers) in case.inputs.iter().zip(list) {
            if let Some(numbers) = numbers {
                let name = format!("{name} of {}", input.name);
                expect_length(&name, numbers.len(), input.data.len())?;
            }
        }
    }
    Ok(())
}
