//! Files like `moons_ref.json`: points, a starting point, and what training finds.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use systems::{Figures, expect_length};

use crate::network::Problem;

/// What is trained, and what that finds.
pub(crate) struct Reference {
    pub(crate) problem: Problem,
    pub(crate) scores: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    /// Lists with a figure for each step.
    pub(crate) losses: Vec<List>,
    pub(crate) data_losses: Vec<List>,
    pub(crate) accuracy: Vec<List>,
    /// The parameters after so many steps.
    pub(crate) after: Vec<(usize, List)>,
}

/// A list of figures by its name in the file.
pub(crate) struct List {
    pub(crate) name: String,
    pub(crate) figures: Vec<f64>,
}

#[derive(Deserialize)]
pub(crate) struct File {
    layer_sizes: Vec<usize>,
    alpha: f64,
    #[serde(rename = "X")]
    points: Vec<Vec<f64>>,
    #[serde(rename = "y")]
    labels: Vec<f64>,
    params_init: Vec<f64>,
    scores_step0: Vec<f64>,
    grad_step0: Vec<f64>,
    /// Among other things `losses`, `losses_100`, `data_losses`, `accuracy`, `params_after_20`.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl Figures for File {
    type Checked = Reference;

    fn checked(self) -> Result<Reference, String> {
        let sizes = &self.layer_sizes;
        if sizes.len() < 2 || sizes.contains(&0) || sizes.last() != Some(&1) {
            return Err("`layer_sizes` are not those of a network with one output".to_owned());
        }
        if self.points.is_empty() {
            return Err("`X` is empty".to_owned());
        }
        for (k, point) in self.points.iter().enumerate() {
            expect_length(&format!("X[{k}]"), point.len(), sizes[0])?;
        }
        let of_layer = |pair: &[usize]| pair[1].saturating_mul(pair[0].saturating_add(1));
        let count = sizes.windows(2).map(of_layer);
        let count = count.fold(0, usize::saturating_add);
        expect_length("y", self.labels.len(), self.points.len())?;
        expect_length("params_init", self.params_init.len(), count)?;
        expect_length("grad_step0", self.grad_step0.len(), count)?;
        expect_length("scores_step0", self.scores_step0.len(), self.points.len())?;
        let losses = self.lists("losses")?;
        if losses.iter().all(|list| list.figures.is_empty()) {
            return Err("there are no `losses`".to_owned());
        }
        let mut after = Vec::new();
        for list in self.lists("params_after")? {
            expect_length(&list.name, list.figures.len(), count)?;
            let steps = list.name.rsplit('_').next().map(str::parse);
            let Some(Ok(steps)) = steps else {
                return Err(format!("`{}` does not end with a number", list.name));
            };
            after.push((steps, list));
        }
        Ok(Reference {
            losses,
            data_losses: self.lists("data_losses")?,
            accuracy: self.lists("accuracy")?,
            after,
            scores: self.scores_step0,
            gradient: self.grad_step0,
            problem: Problem {
                sizes: self.layer_sizes,
                points: self.points,
                labels: self.labels,
                parameters: self.params_init,
                alpha: self.alpha,
                decay: 100,
            },
        })
    }
}

impl File {
    /// The lists with this name, and those with a number behind it.
    fn lists(&self, name: &str) -> Result<Vec<List>, String> {
        let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let named = self.others.iter().filter(|(key, _)| {
            let rest = key.strip_prefix(name);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('_').is_some_and(is_number)
            })
        });
        let lists = named.map(|(key, value)| {
            let figures = serde_json::from_value(value.clone());
            Ok(List {
                name: key.clone(),
                figures: figures.map_err(|error| format!("`{key}`: {error}"))?,
            })
        });
        lists.collect()
    }
}
