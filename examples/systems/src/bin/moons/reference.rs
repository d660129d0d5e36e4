//! Files like `numpy_moons_ref.json`: points, a starting point, and what training finds.

use std::collections::BTreeMap;

use autodiff::Tensor;
use serde::Deserialize;
use serde_json::Value;
use systems::{Figures, expect_length};

use crate::Training;
use crate::network::{Activation, Layer, Network};

/// What is trained, and what that finds.
pub(crate) struct Reference {
    pub(crate) training: Training,
    /// The losses by their names in the file, which has them from several sources.
    pub(crate) losses: Vec<(String, Vec<f64>)>,
    /// The gradient of the first step, in the shape of the network.
    pub(crate) gradient: Network,
    /// The network after some numbers of steps, by the name in the file.
    pub(crate) after: Vec<(usize, String, Network)>,
}

type Arrays = BTreeMap<String, Vec<f64>>;

#[derive(Deserialize)]
pub(crate) struct File {
    sizes: Vec<usize>,
    activation: Activation,
    lr: f64,
    #[serde(rename = "X")]
    points: Vec<Vec<f64>>,
    targets: Vec<usize>,
    #[serde(default)]
    shapes: BTreeMap<String, Vec<usize>>,
    params_init: Arrays,
    grad_step0: Arrays,
    /// Among other things `losses`, `losses_torch`, `params_after_20`.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl Figures for File {
    type Checked = Reference;

    fn checked(self) -> Result<Reference, String> {
        let sizes = &self.sizes;
        if sizes.len() < 2 || sizes.contains(&0) {
            return Err("`sizes` are not those of a network".to_owned());
        }
        if !(self.lr >= 0.0 && self.lr.is_finite()) {
            return Err("`lr` is negative or not finite".to_owned());
        }
        if self.points.is_empty() {
            return Err("`X` is empty".to_owned());
        }
        for (k, point) in self.points.iter().enumerate() {
            expect_length(&format!("X[{k}]"), point.len(), sizes[0])?;
        }
        expect_length("targets", self.targets.len(), self.points.len())?;
        let classes = sizes[sizes.len() - 1];
        if let Some(class) = self.targets.iter().find(|class| **class >= classes) {
            return Err(format!(
                "`targets` has the class {class}, but there are {classes}"
            ));
        }
        let mut losses = Vec::new();
        let mut after = Vec::new();
        for (key, value) in &self.others {
            let wrong = |error| format!("`{key}`: {error}");
            if key == "losses" || key.starts_with("losses_") {
                let list: Vec<f64> = serde_json::from_value(value.clone()).map_err(wrong)?;
                losses.push((key.clone(), list));
            } else if let Some(steps) = key.strip_prefix("params_after_") {
                let steps = steps.parse();
                let steps = steps.map_err(|_| format!("`{key}` does not end with a number"))?;
                let arrays: Arrays = serde_json::from_value(value.clone()).map_err(wrong)?;
                after.push((steps, key.clone(), self.network(key, &arrays)?));
            }
        }
        if losses.iter().all(|(_, list)| list.is_empty()) {
            return Err("there are no `losses`".to_owned());
        }
        Ok(Reference {
            losses,
            after,
            gradient: self.network("grad_step0", &self.grad_step0)?,
            training: Training {
                network: self.network("params_init", &self.params_init)?,
                activation: self.activation,
                points: Tensor::from_vec(&[self.points.len(), sizes[0]], self.points.concat()),
                classes: Tensor::from_vec(&[self.targets.len()], self.targets.clone()),
                rate: self.lr,
            },
        })
    }
}

impl File {
    /// The network that `arrays` make up, which are the file's under the name `what`.
    fn network(&self, what: &str, arrays: &Arrays) -> Result<Network, String> {
        let tensor = |name: String, shape: &[usize]| {
            if self.shapes.get(&name).is_some_and(|given| given != shape) {
                return Err(format!("`shapes.{name}` is not {shape:?}"));
            }
            let full = format!("{what}.{name}");
            let array = arrays
                .get(&name)
                .ok_or_else(|| format!("there is no `{full}`"))?;
            let count = shape.iter().copied().fold(1, usize::saturating_mul);
            expect_length(&full, array.len(), count)?;
            Ok(Tensor::from_vec(shape, array.clone()))
        };
        let layers = self.sizes.windows(2).enumerate().map(|(k, pair)| {
            Ok(Layer {
                w: tensor(format!("W{k}"), pair)?,
                b: tensor(format!("b{k}"), &pair[1..])?,
            })
        });
        let layers = layers.collect::<Result<Vec<_>, String>>()?;
        if arrays.len() > 2 * layers.len() {
            return Err(format!("`{what}` has more than the arrays of `sizes`"));
        }
        Ok(Network { layers })
    }
}
