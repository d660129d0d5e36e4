//! Files like `gpt2_tiny_ref.json`, with the parameters and the gradient in files beside it.

use std::fs;
use std::path::Path;

use autodiff::Tensor;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use systems::gpt2::Config;
use systems::{Figures, Stop, expect_length};

/// What is trained, and what that finds.
pub(crate) struct Reference {
    pub(crate) config: Config,
    pub(crate) inputs: Tensor<usize>,
    pub(crate) targets: Tensor<usize>,
    pub(crate) adamw: Rates,
    /// The names of files.
    parameters: String,
    gradient: String,
    /// The losses by their names in the file, which has them in `f32` and in `f64`.
    pub(crate) losses: Vec<(String, Vec<f64>)>,
    /// The logits of the first step's first and last token.
    pub(crate) first: Option<Vec<f64>>,
    pub(crate) last: Option<Vec<f64>>,
    /// What is known of the parameters after all steps.
    pub(crate) end: Option<End>,
}

#[derive(Deserialize)]
pub(crate) struct File {
    config: Sizes,
    num_parameters: Option<usize>,
    #[serde(default)]
    tensors: Vec<Place>,
    files: Names,
    inputs: Value,
    targets: Value,
    adamw: Rates,
    logits0_first_row_f64: Option<Vec<f64>>,
    logits0_last_row_f64: Option<Vec<f64>>,
    params_end_check: Option<End>,
    /// Among other things `losses_torch_f64` and `losses_llmc_f32`.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Sizes {
    max_seq_len: usize,
    vocab_size: usize,
    padded_vocab_size: Option<usize>,
    num_layers: usize,
    num_heads: usize,
    channels: usize,
    #[serde(rename = "B")]
    batch: usize,
    #[serde(rename = "T")]
    time: usize,
    layernorm_eps: f64,
}

#[derive(Deserialize)]
struct Place {
    name: String,
    shape: Vec<usize>,
    offset: usize,
}

#[derive(Deserialize)]
struct Names {
    params: String,
    grads_f64: String,
}

#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Rates {
    pub(crate) lr: f64,
    pub(crate) beta1: f64,
    pub(crate) beta2: f64,
    pub(crate) eps: f64,
    pub(crate) weight_decay: f64,
    pub(crate) steps: usize,
}

#[derive(Deserialize)]
#[allow(clippy::struct_field_names, reason = "the names of the file")]
pub(crate) struct End {
    pub(crate) sum_f64: f64,
    pub(crate) l2_f64: f64,
    pub(crate) first8_f64: Vec<f64>,
}

impl Figures for File {
    type Checked = Reference;

    fn checked(self) -> Result<Reference, String> {
        let sizes = &self.config;
        let config = Config {
            positions: sizes.max_seq_len,
            vocabulary: sizes.vocab_size,
            padded: sizes.padded_vocab_size.unwrap_or(sizes.vocab_size),
            layers: sizes.num_layers,
            heads: sizes.num_heads,
            channels: sizes.channels,
            epsilon: sizes.layernorm_eps,
        };
        config.check()?;
        if config.epsilon.is_nan() || config.epsilon < 0.0 {
            return Err("`layernorm_eps` is negative".to_owned());
        }
        if sizes.batch == 0 || sizes.time == 0 || sizes.time > sizes.max_seq_len {
            return Err("`B` or `T` is zero, or `T` more than `max_seq_len`".to_owned());
        }
        let rates = self.adamw;
        for (name, rate, below) in [
            ("lr", rates.lr, f64::INFINITY),
            ("eps", rates.eps, f64::INFINITY),
            ("weight_decay", rates.weight_decay, f64::INFINITY),
            ("beta1", rates.beta1, 1.0),
            ("beta2", rates.beta2, 1.0),
        ] {
            if !(0.0..below).contains(&rate) {
                return Err(format!("`adamw.{name}` is {rate}"));
            }
        }
        let count = config.count();
        if self.num_parameters.is_some_and(|given| given != count) {
            return Err(format!("`num_parameters` is not {count}"));
        }
        let mut offset = 0;
        for (k, stack) in config.stacks().iter().enumerate() {
            if let Some(place) = self.tensors.get(k)
                && (place.name.as_str(), &place.shape, place.offset)
                    != (stack.name, &stack.shape, offset)
            {
                return Err(format!(
                    "`tensors[{k}]` is not `{}` of shape {:?} at {offset}",
                    stack.name, stack.shape
                ));
            }
            offset += stack.count();
        }
        let mut losses = Vec::new();
        for (key, value) in self.others {
            if key.starts_with("losses") {
                let list = serde_json::from_value(value);
                let list: Vec<f64> = list.map_err(|error| format!("`{key}`: {error}"))?;
                if list.len() > rates.steps {
                    return Err(format!("`{key}` has more losses than `adamw` has steps"));
                }
                losses.push((key, list));
            }
        }
        let tokens = |name: &str, value: &Value| {
            let mut tokens = Vec::new();
            flatten(name, value, sizes.vocab_size, &mut tokens)?;
            expect_length(name, tokens.len(), sizes.batch.saturating_mul(sizes.time))?;
            Ok::<_, String>(Tensor::from_vec(&[sizes.batch, sizes.time], tokens))
        };
        for (name, row) in [
            ("logits0_first_row_f64", &self.logits0_first_row_f64),
            ("logits0_last_row_f64", &self.logits0_last_row_f64),
        ] {
            if let Some(row) = row.as_ref().filter(|row| row.len() != config.padded) {
                expect_length(name, row.len(), config.vocabulary)?;
            }
        }
        if let Some(end) = &self.params_end_check
            && end.first8_f64.len() > count
        {
            return Err("`first8_f64` has more than all parameters".to_owned());
        }
        Ok(Reference {
            config,
            inputs: tokens("inputs", &self.inputs)?,
            targets: tokens("targets", &self.targets)?,
            adamw: rates,
            parameters: self.files.params,
            gradient: self.files.grads_f64,
            losses,
            first: self.logits0_first_row_f64,
            last: self.logits0_last_row_f64,
            end: self.params_end_check,
        })
    }
}

/// The tokens in a list, or in a list of lists.
fn flatten(
    name: &str,
    value: &Value,
    vocabulary: usize,
    tokens: &mut Vec<usize>,
) -> Result<(), String> {
    match value {
        Value::Array(list) => list
            .iter()
            .try_for_each(|value| flatten(name, value, vocabulary, tokens)),
        _ => {
            let token = value.as_u64().map(|token| token as usize);
            let token = token.filter(|token| *token < vocabulary);
            tokens.push(token.ok_or_else(|| format!("`{name}` has {value}, which is no token"))?);
            Ok(())
        }
    }
}

impl Reference {
    /// The parameters to start from and the gradient there, which lie beside the file at `path`.
    pub(crate) fn beside(&self, path: &Path) -> Result<[Vec<f64>; 2], Stop> {
        let numbers = |name: &str, width: usize| {
            let path = path.with_file_name(name);
            let bytes = fs::read(&path).map_err(|error| Stop::file(&path, error))?;
            let count = self.config.count();
            if bytes.len() != count * width {
                let reason = format!(
                    "{} bytes, where {count} numbers of {width} bytes belong",
                    bytes.len()
                );
                return Err(Stop::file(&path, reason));
            }
            let numbers = bytes.chunks_exact(width).map(|b| match *b {
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                _ => f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]),
            });
            Ok(numbers.collect())
        };
        Ok([numbers(&self.parameters, 4)?, numbers(&self.gradient, 8)?])
    }
}
