//! The parameters in the order in which llm.c has them, which is that of all files.

use std::ops::Range;

use autodiff::{Differentiable, Float, Parameters, Tensor};
use rand::{Rng, RngCore};
use rand_distr::StandardNormal;

use super::{Block, Config, Gpt};

/// A tensor of llm.c: those of all layers, one behind the other, are one.
pub struct Stack {
    /// Its name in llm.c.
    pub name: &'static str,
    /// The shape in llm.c's files.
    pub shape: Vec<usize>,
    /// Where its parts are among the model's parameters in order.
    pub parts: Vec<Range<usize>>,
}

impl Stack {
    /// How many numbers it has.
    pub fn count(&self) -> usize {
        self.parts.iter().map(Range::len).sum()
    }

    /// The stack, from all numbers of a model or a gradient.
    pub fn of(&self, flat: &[f64]) -> Vec<f64> {
        let parts = self.parts.iter().map(|part| &flat[part.clone()]);
        parts.flatten().copied().collect()
    }
}

impl Config {
    /// The shapes of what stands before the layers, in a layer, and behind them.
    fn shapes(&self) -> [Vec<(&'static str, Vec<usize>)>; 3] {
        let c = self.channels;
        [
            vec![
                ("wte", vec![self.padded, c]),
                ("wpe", vec![self.positions, c]),
            ],
            vec![
                ("ln1w", vec![c]),
                ("ln1b", vec![c]),
                ("qkvw", vec![3 * c, c]),
                ("qkvb", vec![3 * c]),
                ("attprojw", vec![c, c]),
                ("attprojb", vec![c]),
                ("ln2w", vec![c]),
                ("ln2b", vec![c]),
                ("fcw", vec![4 * c, c]),
                ("fcb", vec![4 * c]),
                ("fcprojw", vec![c, 4 * c]),
                ("fcprojb", vec![c]),
            ],
            vec![("lnfw", vec![c]), ("lnfb", vec![c])],
        ]
    }

    /// What is wrong with the sizes; without that, lengths of all tensors and their sum are numbers.
    pub fn check(&self) -> Result<(), String> {
        let sizes = [
            (self.positions, "positions"),
            (self.vocabulary, "tokens"),
            (self.layers, "layers"),
            (self.heads, "heads"),
            (self.channels, "channels"),
        ];
        if let Some((_, name)) = sizes.iter().find(|(size, _)| *size == 0) {
            return Err(format!("a model without {name}"));
        }
        if !self.channels.is_multiple_of(self.heads) {
            return Err(format!(
                "{} heads do not make up {} channels",
                self.heads, self.channels
            ));
        }
        if self.padded < self.vocabulary {
            return Err(format!(
                "{} tokens do not go into {} rows",
                self.vocabulary, self.padded
            ));
        }
        let largest = self.positions.max(self.layers).max(self.channels);
        if largest >= 1 << 16 || self.padded >= 1 << 24 {
            return Err("a model that goes into no memory".to_owned());
        }
        Ok(())
    }

    /// How many parameters there are.
    pub fn count(&self) -> usize {
        self.stacks().iter().map(Stack::count).sum()
    }

    /// The tensors in llm.c's order.
    pub fn stacks(&self) -> Vec<Stack> {
        let [before, layer, behind] = self.shapes();
        let size = |shape: &[usize]| shape.iter().product::<usize>();
        let in_layer: usize = layer.iter().map(|(_, shape)| size(shape)).sum();
        let mut stacks = Vec::new();
        let mut next = 0;
        for (part, layers) in [(before, None), (layer, Some(self.layers)), (behind, None)] {
            let start = next;
            for (name, shape) in part {
                let end = next + size(&shape);
                let parts =
                    (0..layers.unwrap_or(1)).map(|k| next + k * in_layer..end + k * in_layer);
                stacks.push(Stack {
                    name,
                    parts: parts.collect(),
                    shape: layers.into_iter().chain(shape).collect(),
                });
                next = end;
            }
            next = layers.map_or(next, |layers| start + layers * in_layer);
        }
        stacks
    }
}

impl<T: Float + Parameters> Gpt<T> {
    /// A model of which `tensor` makes each part, by its name and shape.
    fn made(config: &Config, mut tensor: impl FnMut(&str, &[usize]) -> Tensor<T>) -> Self {
        let [before, layer, behind] = config.shapes();
        let mut make = |(name, shape): &(&'static str, Vec<usize>)| tensor(name, shape);
        let mut block = || Block {
            ln1w: make(&layer[0]),
            ln1b: make(&layer[1]),
            qkvw: make(&layer[2]),
            qkvb: make(&layer[3]),
            attprojw: make(&layer[4]),
            attprojb: make(&layer[5]),
            ln2w: make(&layer[6]),
            ln2b: make(&layer[7]),
            fcw: make(&layer[8]),
            fcb: make(&layer[9]),
            fcprojw: make(&layer[10]),
            fcprojb: make(&layer[11]),
        };
        let blocks = (0..config.layers).map(|_| block()).collect();
        Gpt {
            wte: make(&before[0]),
            wpe: make(&before[1]),
            blocks,
            lnfw: make(&behind[0]),
            lnfb: make(&behind[1]),
        }
    }

    /// A model to start with, as GPT-2 does.
    pub fn random(config: &Config, random: &mut impl RngCore) -> Self {
        let residual = 1.0 / (2.0 * config.layers as f64).sqrt();
        Gpt::made(config, |name, shape| {
            let spread = match name {
                "ln1w" | "ln2w" | "lnfw" => return Tensor::ones(shape),
                _ if name.ends_with('b') => return Tensor::zeros(shape),
                "attprojw" | "fcprojw" => 0.02 * residual,
                _ => 0.02,
            };
            Tensor::from_fn(shape, |_| {
                T::from_f64(spread * random.sample::<f64, _>(StandardNormal))
            })
        })
    }

    /// The model with these parameters in llm.c's order.
    pub fn of(config: &Config, parameters: &[f64]) -> Self {
        let mut gpt = Gpt::made(config, |_, shape| Tensor::zeros(shape));
        let mut flat = vec![0.0; parameters.len()];
        let mut rest = parameters;
        for part in config.stacks().iter().flat_map(|stack| &stack.parts) {
            let (first, others) = rest.split_at(part.len());
            flat[part.clone()].copy_from_slice(first);
            rest = others;
        }
        gpt.read_flat(&flat);
        gpt
    }

    /// All parameters, part by part.
    pub fn flat(&self, config: &Config) -> Vec<f64> {
        let mut flat = vec![0.0; config.count()];
        self.write_flat(&mut flat);
        flat
    }
}
