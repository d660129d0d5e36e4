//! Files like `microgpt_ref.json`: a configuration, a starting point, documents, and what training finds.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use systems::{Figures, expect_length};

use crate::Training;
use crate::model::{Config, Gpt, Layer};

/// What is trained, and what that finds.
pub(crate) struct Reference {
    pub(crate) training: Training,
    pub(crate) losses: Vec<f64>,
    /// The loss of each position, of as many steps as are known.
    pub(crate) positions: Vec<Vec<f64>>,
    /// The gradient of the first step, in the shape of the model.
    pub(crate) gradient: Gpt,
    /// The model after some numbers of steps.
    pub(crate) after: Vec<(usize, Gpt)>,
}

type Matrices = BTreeMap<String, Vec<f64>>;

#[derive(Deserialize)]
pub(crate) struct File {
    config: Sizes,
    adam: Rates,
    uchars: String,
    bos: usize,
    docs: Vec<String>,
    #[serde(default)]
    shapes: BTreeMap<String, Vec<usize>>,
    params_init: Matrices,
    losses: Vec<f64>,
    #[serde(default)]
    losses_per_position: Vec<Vec<f64>>,
    grad_step0: Matrices,
    /// Among other things the parameters after so many steps, `params_after_20`.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Sizes {
    n_embd: usize,
    n_head: usize,
    n_layer: usize,
    block_size: usize,
    vocab_size: usize,
    head_dim: Option<usize>,
    rms_eps: f64,
}

#[derive(Deserialize)]
struct Rates {
    lr: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    num_steps_for_decay: usize,
}

impl Figures for File {
    type Checked = Reference;

    fn checked(self) -> Result<Reference, String> {
        self.check_sizes()?;
        let documents = self.docs.iter().map(|doc| self.tokens(doc));
        let training = Training {
            config: Config {
                embedding: self.config.n_embd,
                heads: self.config.n_head,
                block: self.config.block_size,
                epsilon: self.config.rms_eps,
            },
            gpt: self.gpt("params_init", &self.params_init)?,
            documents: documents.collect::<Result<_, _>>()?,
            rate: self.adam.lr,
            betas: (self.adam.beta1, self.adam.beta2),
            epsilon: self.adam.eps,
            decay: self.adam.num_steps_for_decay,
        };
        let gradient = self.gpt("grad_step0", &self.grad_step0)?;
        let mut after = Vec::new();
        for (key, value) in &self.others {
            if let Some(steps) = key.strip_prefix("params_after_") {
                let steps = steps.parse();
                let steps = steps.map_err(|_| format!("`{key}` does not end with a number"))?;
                let matrices: Matrices = serde_json::from_value(value.clone())
                    .map_err(|error| format!("`{key}`: {error}"))?;
                after.push((steps, self.gpt(key, &matrices)?));
            }
        }
        for (k, losses) in self.losses_per_position.iter().enumerate() {
            let name = format!("losses_per_position[{k}]");
            expect_length(&name, losses.len(), training.positions(k))?;
        }
        let steps = after.iter().map(|(steps, _)| *steps);
        if steps.fold(self.losses.len(), usize::max) > self.adam.num_steps_for_decay {
            return Err("there are more steps than `num_steps_for_decay`".to_owned());
        }
        Ok(Reference {
            training,
            losses: self.losses,
            positions: self.losses_per_position,
            gradient,
            after,
        })
    }
}

impl File {
    fn check_sizes(&self) -> Result<(), String> {
        let sizes = &self.config;
        for (name, size) in [
            ("n_embd", sizes.n_embd),
            ("n_head", sizes.n_head),
            ("block_size", sizes.block_size),
            ("vocab_size", sizes.vocab_size),
            ("num_steps_for_decay", self.adam.num_steps_for_decay),
            ("docs", self.docs.len()),
            ("losses", self.losses.len()),
        ] {
            if size == 0 {
                return Err(format!("`{name}` is zero or empty"));
            }
        }
        let width = sizes.n_embd / sizes.n_head;
        if width * sizes.n_head != sizes.n_embd || sizes.head_dim.is_some_and(|d| d != width) {
            return Err("`n_head` heads of `head_dim` do not make up `n_embd`".to_owned());
        }
        let Rates {
            lr,
            beta1,
            beta2,
            eps,
            ..
        } = self.adam;
        let is_part = |beta| (0.0..1.0).contains(&beta);
        if lr < 0.0 || eps < 0.0 || !is_part(beta1) || !is_part(beta2) {
            return Err("`adam` has a number that no Adam has".to_owned());
        }
        if self.bos.max(self.uchars.chars().count().saturating_sub(1)) >= sizes.vocab_size {
            return Err("`vocab_size` is less than there are tokens".to_owned());
        }
        Ok(())
    }

    fn tokens(&self, doc: &str) -> Result<Vec<usize>, String> {
        let index = |c| self.uchars.chars().position(|known| known == c);
        let mut tokens = vec![self.bos];
        for c in doc.chars() {
            tokens.push(index(c).ok_or_else(|| format!("{c:?} of `docs` is not in `uchars`"))?);
        }
        tokens.push(self.bos);
        Ok(tokens)
    }

    /// The model that `matrices` make up, which are the file's under the name `what`.
    fn gpt(&self, what: &str, matrices: &Matrices) -> Result<Gpt, String> {
        let matrix = |name: &str, rows: usize, columns: usize| {
            if self
                .shapes
                .get(name)
                .is_some_and(|shape| *shape != [rows, columns])
            {
                return Err(format!("`shapes.{name}` is not [{rows}, {columns}]"));
            }
            let full = format!("{what}.{name}");
            let matrix = matrices
                .get(name)
                .ok_or_else(|| format!("there is no `{full}`"))?;
            expect_length(&full, matrix.len(), rows.saturating_mul(columns))?;
            Ok(matrix.clone())
        };
        let (n, wide) = (self.config.n_embd, self.config.n_embd.saturating_mul(4));
        let layer = |i: usize| {
            let matrix = |name, rows, columns| matrix(&format!("layer{i}.{name}"), rows, columns);
            Ok(Layer {
                attn_wq: matrix("attn_wq", n, n)?,
                attn_wk: matrix("attn_wk", n, n)?,
                attn_wv: matrix("attn_wv", n, n)?,
                attn_wo: matrix("attn_wo", n, n)?,
                mlp_fc1: matrix("mlp_fc1", wide, n)?,
                mlp_fc2: matrix("mlp_fc2", n, wide)?,
            })
        };
        let gpt = Gpt {
            wte: matrix("wte", self.config.vocab_size, n)?,
            wpe: matrix("wpe", self.config.block_size, n)?,
            lm_head: matrix("lm_head", self.config.vocab_size, n)?,
            layers: (0..self.config.n_layer)
                .map(layer)
                .collect::<Result<_, String>>()?,
        };
        if matrices.len() > 3 + 6 * self.config.n_layer {
            return Err(format!(
                "`{what}` has more than the matrices of `n_layer` layers"
            ));
        }
        Ok(gpt)
    }
}
