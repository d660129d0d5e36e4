//! Optimisers that are saved and restored in the middle of a run go on to the last bit.

use autodiff::optim::{Adam, AdamW, Sgd};
use autodiff::slices::SliceError;
use autodiff::{Differentiable, Tangent};
use serde::{Serialize, de::DeserializeOwned};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    w: Vec<[f64; 3]>,
    b: Vec<f32>,
    norm: Option<f32>,
}

fn model() -> Model {
    Model {
        w: vec![[0.1, 0.2, 0.3], [-1.0, 2.0, 1e-9]],
        b: vec![1.0 / 3.0, -7.0],
        norm: Some(1.0),
    }
}

/// A gradient that is another in each step, and changes with the parameters.
fn slope(p: &Model, step: u32) -> ModelTangent {
    let mut g = p.zero_tangent();
    let mut flat = vec![0.0; g.scalar_count()];
    p.write_flat(&mut flat);
    let slopes = flat
        .iter()
        .zip(0..)
        .map(|(x, k)| (x * f64::from(step + k)).sin());
    g.read_flat(&slopes.collect::<Vec<_>>());
    g
}

trait Optimiser: Clone + Serialize + DeserializeOwned {
    fn go(&mut self, p: &mut Model, g: &ModelTangent) -> Result<(), SliceError>;
    fn made(&self) -> u64;
}

macro_rules! optimisers {
    ($($Name:ident)*) => {$(
        impl Optimiser for $Name {
            fn go(&mut self, p: &mut Model, g: &ModelTangent) -> Result<(), SliceError> {
                self.try_step(p, g)
            }
            fn made(&self) -> u64 {
                self.steps()
            }
        }
    )*};
}
optimisers!(Sgd Adam AdamW);

fn goes_on<O: Optimiser>(optimiser: O) {
    goes_on_from(optimiser, model());
}

fn goes_on_from<O: Optimiser>(mut optimiser: O, mut p: Model) {
    for step in optimiser.made() as u32..10 {
        let text = serde_json::to_string(&optimiser).expect("numbers");
        let mut restored: O = serde_json::from_str(&text).expect("what was saved");
        assert_eq!(restored.made(), u64::from(step));
        let mut q = p.clone();
        let mut other = optimiser.clone();
        let mut r = p.clone();
        for step in step..step + 3 {
            let g = slope(&q, step);
            restored.go(&mut q, &g).unwrap();
            other.go(&mut r, &g).unwrap();
        }
        assert_eq!(q, r);
        let g = slope(&p, step);
        optimiser.go(&mut p, &g).unwrap();
    }

    // Other parameters are as wrong as before.
    let text = serde_json::to_string(&optimiser).expect("numbers");
    let mut restored: O = serde_json::from_str(&text).expect("what was saved");
    p.b.push(1.0);
    let g = slope(&p, 0);
    let error = restored.go(&mut p, &g).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`b` has length 3, but its state in this optimiser has length 2"
    );
}

#[test]
fn a_restored_optimiser_goes_on_exactly() {
    goes_on(Sgd::new(0.1).momentum(0.9));
    goes_on(Sgd::new(0.1).momentum(0.9).nesterov().weight_decay(0.01));
    goes_on(Adam::new(0.03).betas(0.8, 0.95).weight_decay(0.1));
    goes_on(AdamW::new(0.03).weight_decay(0.3));
}

#[test]
fn what_predicates_said_is_saved() {
    let mut adam = AdamW::new(0.03)
        .weight_decay(0.5)
        .decay_where(|path, _| path == "w")
        .rate_where(|path, length| if path == "norm" { 0.0 } else { length as f64 });
    let mut p = model();
    let text = serde_json::to_string(&adam).expect("numbers");
    let g = slope(&p, 0);
    adam.step(&mut p, &g);
    goes_on_from(adam, p.clone());

    // Before the first step they were asked nothing yet, and must be given again.
    let mut adam: AdamW = serde_json::from_str(&text).expect("what was saved");
    let before = p.clone();
    assert_eq!(
        adam.try_step(&mut p, &g).unwrap_err().to_string(),
        "the value has slices with rates or decays of their own, and the functions that say so were not saved before the first step; call `decay_where` and `rate_where` again"
    );
    assert_eq!((&p, adam.steps()), (&before, 0));
    let adam = adam.decay_where(|path, _| path == "w");
    let mut adam = adam.rate_where(|_, _| 1.0);
    adam.step(&mut p, &g);

    let mut sgd = Sgd::new(0.1).rate_where(|_, length| 1.0 / length as f64);
    let g = slope(&p, 1);
    sgd.step(&mut p, &g);
    goes_on_from(sgd, p);
}

#[test]
fn a_damaged_state_is_refused() {
    let mut adam = Adam::new(0.1);
    let mut p = model();
    let g = slope(&p, 0);
    adam.step(&mut p, &g);
    let mut saved = serde_json::to_value(&adam).expect("numbers");
    saved["state"]["second"]["f32"]
        .as_array_mut()
        .expect("second moments")
        .pop();
    let mut adam: Adam = serde_json::from_value(saved).expect("its form is right");
    let before = p.clone();
    assert_eq!(
        adam.try_step(&mut p, &g).unwrap_err().to_string(),
        "the value does not fit the state of this optimiser, which is damaged"
    );
    assert_eq!(p, before);
}
