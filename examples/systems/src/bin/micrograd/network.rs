//! The perceptron and its loss: on a tape as micrograd has it, and once more for the compiler.

use autodiff::{Tape, Var, grad, relu};

struct Neuron<'t> {
    weights: Vec<Var<'t>>,
    bias: Var<'t>,
    linear: bool,
}

impl<'t> Neuron<'t> {
    fn call(&self, inputs: &[Var<'t>]) -> Var<'t> {
        let terms = self.weights.iter().zip(inputs).map(|(w, x)| w * x);
        let sum = terms.fold(self.bias, |sum, term| sum + term);
        if self.linear { sum } else { sum.relu() }
    }
}

struct Mlp<'t> {
    layers: Vec<Vec<Neuron<'t>>>,
}

impl<'t> Mlp<'t> {
    /// The network with these layers, and its parameters in order: for each neuron its weights, then its bias.
    fn new(sizes: &[usize], parameters: &[Var<'t>]) -> Self {
        let mut rest = parameters.iter().copied();
        let layers = (1..sizes.len()).map(|k| {
            let neurons = (0..sizes[k]).map(|_| Neuron {
                weights: rest.by_ref().take(sizes[k - 1]).collect(),
                bias: rest.next().expect("a parameter for each bias"),
                linear: k + 1 == sizes.len(),
            });
            neurons.collect()
        });
        Mlp {
            layers: layers.collect(),
        }
    }

    fn call(&self, point: &[f64]) -> Var<'t> {
        let inputs: Vec<Var> = point.iter().map(|&x| x.into()).collect();
        let outputs = self.layers.iter().fold(inputs, |inputs, layer| {
            layer.iter().map(|neuron| neuron.call(&inputs)).collect()
        });
        outputs[0]
    }
}

/// What a step of training starts with.
#[derive(Clone)]
pub(crate) struct Problem {
    pub(crate) sizes: Vec<usize>,
    pub(crate) points: Vec<Vec<f64>>,
    pub(crate) labels: Vec<f64>,
    pub(crate) parameters: Vec<f64>,
    pub(crate) alpha: f64,
    /// After so many steps the learning rate is a tenth of what it was.
    pub(crate) decay: usize,
}

/// What a step has found.
pub(crate) struct Step {
    pub(crate) loss: f64,
    pub(crate) data_loss: f64,
    pub(crate) accuracy: f64,
    pub(crate) scores: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
}

impl Problem {
    /// Hinge loss with L2 regularisation on the tape, its gradient, and how many points are on the right side.
    pub(crate) fn step_on_tape<'t>(&self, tape: &'t Tape) -> Step {
        tape.clear();
        let parameters = tape.vars(&self.parameters);
        let model = Mlp::new(&self.sizes, &parameters);
        let scores: Vec<Var<'t>> = self.points.iter().map(|x| model.call(x)).collect();
        let losses = scores.iter().zip(&self.labels);
        let sum: Var = losses.clone().map(|(s, y)| (1.0 - y * s).relu()).sum();
        let data_loss = sum / self.points.len() as f64;
        let squares: Var = parameters.iter().map(|p| p * p).sum();
        let loss = data_loss + self.alpha * squares;
        let right = losses.filter(|(s, y)| (s.value() > 0.0) == (**y > 0.0));
        Step {
            loss: loss.value(),
            data_loss: data_loss.value(),
            accuracy: right.count() as f64 / self.points.len() as f64,
            scores: scores.iter().map(|s| s.value()).collect(),
            gradient: loss.backward().wrt(&parameters),
        }
    }

    /// The loss and its gradient by the compiled function.
    pub(crate) fn step_compiled(&self) -> (f64, Vec<f64>) {
        loss::value_and_grad(
            &self.parameters,
            &self.sizes,
            &self.points,
            &self.labels,
            self.alpha,
        )
    }

    /// The score of any point.
    pub(crate) fn score(&self, point: &[f64]) -> f64 {
        let constants: Vec<Var> = self.parameters.iter().map(|&p| p.into()).collect();
        Mlp::new(&self.sizes, &constants).call(point).value()
    }

    /// Plain gradient descent.
    pub(crate) fn descend(&mut self, gradient: &[f64], step: usize) {
        let rate = 1.0 - 0.9 * step as f64 / self.decay as f64;
        for (p, g) in self.parameters.iter_mut().zip(gradient) {
            *p -= rate * g;
        }
    }
}

/// The same loss for the compiler.
#[grad]
fn loss(
    parameters: &[f64],
    #[constant] sizes: &[usize],
    #[constant] points: &[Vec<f64>],
    #[constant] labels: &[f64],
    #[constant] alpha: f64,
) -> f64 {
    let mut sum = 0.0;
    for (point, y) in points.iter().zip(labels) {
        let mut inputs = point.clone();
        let mut start = 0;
        for k in 1..sizes.len() {
            let n = sizes[k - 1];
            let mut outputs = vec![0.0; sizes[k]];
            for j in 0..sizes[k] {
                let weights = &parameters[start + j * (n + 1)..][..=n];
                let mut output = weights[n];
                for i in 0..n {
                    output += weights[i] * inputs[i];
                }
                outputs[j] = if k + 1 == sizes.len() {
                    output
                } else {
                    relu(output)
                };
            }
            start += sizes[k] * (n + 1);
            inputs = outputs;
        }
        sum += relu(1.0 - y * inputs[0]);
    }
    let mut squares = 0.0;
    for p in parameters {
        squares += p * p;
    }
    sum / points.len() as f64 + alpha * squares
}
