//! The optimiser Adam.

use autodiff::{Parameters, Tangent};

/// Adam: steps along a running mean of the gradient, each parameter's scaled by a running mean of its square.
pub struct Adam {
    rate: f64,
    betas: (f64, f64),
    epsilon: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

impl Adam {
    /// Adam with this learning rate, and with the parameters of its authors.
    pub fn new(rate: f64) -> Self {
        Adam {
            rate,
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            mean: Vec::new(),
            square: Vec::new(),
            steps: 0,
        }
    }

    /// How slowly the two means follow.
    #[must_use]
    pub fn betas(self, mean: f64, square: f64) -> Self {
        Adam {
            betas: (mean, square),
            ..self
        }
    }

    /// What keeps the scale of gradients that are zero finite.
    #[must_use]
    pub fn eps(self, epsilon: f64) -> Self {
        Adam { epsilon, ..self }
    }

    /// Changes the learning rate.
    pub fn set_lr(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// One step.
    pub fn step<P: Parameters + ?Sized>(&mut self, parameters: &mut P, gradient: &P::Tangent) {
        let gradient = gradient.to_flat();
        let mut flat = vec![0.0; gradient.len()];
        parameters.write_flat(&mut flat);
        self.mean.resize(flat.len(), 0.0);
        self.square.resize(flat.len(), 0.0);
        self.steps += 1;
        let (beta1, beta2) = self.betas;
        let (bias1, bias2) = (1.0 - beta1.powi(self.steps), 1.0 - beta2.powi(self.steps));
        let means = self.mean.iter_mut().zip(&mut self.square);
        for ((p, g), (m, v)) in flat.iter_mut().zip(&gradient).zip(means) {
            *m = beta1 * *m + (1.0 - beta1) * g;
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            *p -= self.rate * (*m / bias1) / ((*v / bias2).sqrt() + self.epsilon);
        }
        parameters.read_flat(&flat);
    }
}
