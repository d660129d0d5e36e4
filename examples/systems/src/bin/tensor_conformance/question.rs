//! What is asked of a case, and whether the answers hold.

use std::fmt::Write;

use autodiff::Tensor;

use crate::attributes::Attributes;
use crate::file::{Case, Number, PerInput, Type, tensor};
use crate::layout::Layout;
use crate::operations::{Directions, Found, Mode, Operation};

/// How far a number may be from its figure, as a part of it where it is larger than one.
pub(crate) const ALLOWED: f64 = 1e-10;
/// The same for second derivatives that are compared with differences.
pub(crate) const ROUGHLY: f64 = 1e-6;

/// A case that is understood.
pub(crate) struct Question<'a> {
    case: &'a Case,
    operation: &'static Operation,
    attributes: Attributes,
    /// The inputs that are operands, by their positions.
    places: Vec<usize>,
    operands: Vec<Tensor<f64>>,
    along: Directions,
}

/// What became of a case.
#[derive(Default)]
pub(crate) struct Answer {
    pub misses: Vec<String>,
    missed: [bool; 2],
    pub largest: f64,
    pub numbers: usize,
    /// How far second derivatives are from differences.
    pub second: Option<f64>,
}

impl Answer {
    /// Nothing was computed.
    pub(crate) fn refused(reason: String) -> Self {
        Answer {
            misses: vec![reason],
            missed: [true; 2],
            ..Answer::default()
        }
    }

    /// Whether all holds, compiled and on the tape.
    pub(crate) fn holds(&self) -> [bool; 2] {
        self.missed.map(|missed| !missed)
    }

    fn miss(&mut self, mode: Mode, layout: Layout, what: &str) {
        let way = match mode {
            Mode::Compiled => "compiled",
            Mode::OnTape => "on the tape",
        };
        self.missed[usize::from(mode == Mode::OnTape)] = true;
        self.misses
            .push(format!("{way}, operands {}: {what}", layout.name()));
    }

    /// Compares a tensor with figures; what is furthest apart is described.
    fn compare(
        &mut self,
        name: &str,
        found: &Tensor<f64>,
        shape: &[usize],
        figures: &[f64],
    ) -> Option<String> {
        if found.shape() != shape {
            return Some(format!(
                "{name} has the shape {:?}, not {shape:?}",
                found.shape()
            ));
        }
        let mut furthest = None;
        let mut largest = 0.0;
        for (k, (found, figure)) in found.iter().zip(figures).enumerate() {
            let deviation = deviation(found, *figure);
            if deviation > largest {
                largest = deviation;
                furthest = Some((k, found, *figure));
            }
        }
        self.numbers += figures.len();
        self.largest = self.largest.max(largest);
        let (k, found, figure) = furthest.filter(|_| largest > ALLOWED)?;
        let mut said = String::new();
        let _ = write!(said, "{name}[{k}] is {found:e}, not {figure:e}");
        Some(said)
    }
}

/// How far a number is from its figure: infinities and what is no number are equal to themselves.
fn deviation(found: f64, figure: f64) -> f64 {
    if found == figure || found.is_nan() && figure.is_nan() {
        return 0.0;
    }
    let deviation = (found - figure).abs() / figure.abs().max(1.0);
    if deviation.is_nan() {
        f64::INFINITY
    } else {
        deviation
    }
}

fn plain(numbers: &[Number]) -> Vec<f64> {
    numbers.iter().map(|x| x.0).collect()
}

impl<'a> Question<'a> {
    /// The question of a case, or why it is not understood.
    pub(crate) fn of(case: &'a Case) -> Result<Self, String> {
        let places: Vec<usize> = (0..case.inputs.len())
            .filter(|k| case.inputs[*k].dtype == Type::Float)
            .collect();
        let operation = Operation::of(&case.operation, places.len())?;
        let attributes = Attributes::of(case, operation)?;
        let operands = places.iter().map(|k| case.inputs[*k].tensor()).collect();
        let tangent = |k: &usize| {
            let shape = &case.inputs[*k].shape;
            case.tangents[*k]
                .as_ref()
                .map_or_else(|| Tensor::zeros(shape), |data| tensor(shape, data))
        };
        let along = Directions {
            cotangent: tensor(&case.output.shape, &case.cotangent),
            tangents: places.iter().map(tangent).collect(),
        };
        Ok(Question {
            case,
            operation,
            attributes,
            places,
            operands,
            along,
        })
    }

    /// Everything computed in every way, and compared.
    pub(crate) fn answer(&self) -> Answer {
        let mut answer = Answer::default();
        for mode in [Mode::Compiled, Mode::OnTape] {
            for layout in Layout::ALL {
                match self.run(mode, layout, &self.operands) {
                    Ok(found) => self.judge(&mut answer, mode, layout, &found),
                    Err(reason) => answer.miss(mode, layout, &reason),
                }
            }
            self.repeat(&mut answer, mode);
        }
        if self.case.hvp.is_none() {
            answer.second = self.differences();
        }
        answer
    }

    fn run(&self, mode: Mode, layout: Layout, operands: &[Tensor<f64>]) -> Result<Found, String> {
        let laid = |x: &Tensor<f64>| layout.of(x);
        let operands: Vec<_> = operands.iter().map(laid).collect();
        let along = Directions {
            cotangent: laid(&self.along.cotangent),
            tangents: self.along.tangents.iter().map(laid).collect(),
        };
        self.operation
            .run(mode, &operands, &self.attributes, &along)
    }

    /// Compares with what the file knows.
    fn judge(&self, answer: &mut Answer, mode: Mode, layout: Layout, found: &Found) {
        let case = self.case;
        let mut misses = Vec::new();
        let shape = &case.output.shape;
        misses.extend(answer.compare("output", &found.output, shape, &plain(&case.output.data)));
        misses.extend(answer.compare("jvp", &found.jvp, shape, &plain(&case.jvp)));
        let mut each = |what: &str, found: &[Tensor<f64>], figures: &PerInput| {
            for (found, k) in found.iter().zip(&self.places) {
                let input = &case.inputs[*k];
                if let Some(figures) = &figures[*k] {
                    let name = format!("{what} of {}", input.name);
                    misses.extend(answer.compare(&name, found, &input.shape, &plain(figures)));
                }
            }
        };
        each("grad", &found.grads, &case.grads);
        if let (Some(found), Some(figures)) = (&found.hvp, &case.hvp) {
            each("hvp", found, figures);
        }
        for miss in misses {
            answer.miss(mode, layout, &miss);
        }
    }

    /// Puts tensors that repeat their entries to the same tensors one entry behind the other: other numbers than in the file, but the same in both.
    fn repeat(&self, answer: &mut Answer, mode: Mode) {
        let repeated: Vec<_> = self
            .operands
            .iter()
            .map(|x| Layout::repeated(x).unwrap_or_else(|| x.clone()))
            .collect();
        let dense: Vec<_> = repeated
            .iter()
            .map(|x| Tensor::from_vec(x.shape(), x.to_vec()))
            .collect();
        // Some matrices that repeat a column have no inverse, which both ways of laying them out must say.
        match [&repeated, &dense]
            .map(|x| self.operation.run(mode, x, &self.attributes, &self.along))
        {
            [Ok(found), Ok(figure)] => {
                let mut misses = Vec::new();
                for (name, found, figure) in [
                    ("output", &found.output, &figure.output),
                    ("jvp", &found.jvp, &figure.jvp),
                ] {
                    misses.extend(answer.compare(name, found, figure.shape(), &figure.to_vec()));
                }
                let lists = |of: &Found| {
                    of.grads
                        .iter()
                        .chain(of.hvp.iter().flatten())
                        .cloned()
                        .collect::<Vec<_>>()
                };
                for (found, figure) in lists(&found).iter().zip(lists(&figure)) {
                    misses.extend(answer.compare("grad", found, figure.shape(), &figure.to_vec()));
                }
                for miss in misses {
                    answer.miss(
                        mode,
                        Layout::Expanded,
                        &format!("with repeated entries {miss}"),
                    );
                }
            }
            [Err(_), Err(_)] => {}
            [found, _] => {
                let said = found
                    .err()
                    .unwrap_or_else(|| "no error, but one when dense".to_owned());
                answer.miss(
                    mode,
                    Layout::Expanded,
                    &format!("with repeated entries: {said}"),
                );
            }
        }
    }

    /// How far second derivatives are from differences of gradients, at the step where they are nearest.
    fn differences(&self) -> Option<f64> {
        let found = self
            .run(Mode::Compiled, Layout::Dense, &self.operands)
            .ok()?
            .hvp?;
        let at = |h: f64| {
            let moved = |(x, d): (&Tensor<f64>, &Tensor<f64>)| x + d * h;
            let operands: Vec<_> = self
                .operands
                .iter()
                .zip(&self.along.tangents)
                .map(moved)
                .collect();
            Some(
                self.run(Mode::Compiled, Layout::Dense, &operands)
                    .ok()?
                    .grads,
            )
        };
        let mut nearest = f64::INFINITY;
        for h in [1e-2, 1e-3, 1e-4] {
            let (Some(right), Some(left)) = (at(h), at(-h)) else {
                continue;
            };
            let (Some(far_right), Some(far_left)) = (at(2.0 * h), at(-2.0 * h)) else {
                continue;
            };
            let mut furthest = 0.0_f64;
            for (k, found) in found.iter().enumerate() {
                let near = (&right[k] - &left[k]) * 8.0;
                let slope = (near - (&far_right[k] - &far_left[k])) / (12.0 * h);
                let unit = slope.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                for (found, figure) in found.iter().zip(&slope) {
                    furthest = furthest.max(deviation(found / unit, figure / unit));
                }
            }
            nearest = nearest.min(furthest);
        }
        Some(nearest)
    }
}
