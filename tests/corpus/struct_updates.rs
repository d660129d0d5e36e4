//! `S { field: new, ..base }` where the field changes its shape: another variant, another length, something in place of nothing.

use autodiff::{Differentiable, grad};

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Mode {
    Off,
    On(f64),
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Machine {
    mode: Mode,
    acc: f64,
    log: Vec<f64>,
    last: Option<f64>,
    #[constant]
    rounds: usize,
}

#[grad]
impl Machine {
    fn next(self, u: f64) -> Machine {
        let rounds = self.rounds + 1;
        match self.mode {
            Mode::Off => Machine {
                mode: Mode::On(u * self.acc),
                last: None,
                rounds,
                ..self
            },
            Mode::On(x) => Machine {
                mode: Mode::Off,
                acc: self.acc + x * u,
                log: vec![x, u, x * u],
                last: Some(x * x),
                ..self
            },
        }
    }
}

#[grad]
fn switched(u: f64, v: f64) -> f64 {
    let mut m = Machine {
        mode: Mode::Off,
        acc: v,
        log: Vec::new(),
        last: Some(u),
        rounds: 0,
    };
    for k in 0..5 {
        m = m.next(u + 0.1 * k as f64);
    }
    let left = match m.mode {
        Mode::Off => v,
        Mode::On(x) => x * v,
    };
    m.acc * left + m.log.iter().sum::<f64>() + m.last.unwrap_or(u * v) * m.rounds as f64
}

#[grad]
fn emptied(c: &Machine) -> f64 {
    let d = Machine {
        log: vec![],
        mode: Mode::Off,
        last: Some(c.acc * c.acc),
        ..c.clone()
    };
    d.acc * d.acc + d.last.unwrap_or(0.0)
}

#[test]
fn shapes_change() {
    for (u, v) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9)] {
        check!(switched(value u = u, value v = v));
    }
}

#[test]
fn tangents_have_the_shape_of_their_values() {
    let c = Machine {
        mode: Mode::On(2.0),
        acc: 3.0,
        log: vec![1.0, 2.0],
        last: None,
        rounds: 1,
    };
    let gradient = emptied::grad(&c);
    assert_eq!(gradient.acc, 12.0);
    assert_eq!(gradient.log, [0.0, 0.0]);
    assert_eq!(gradient.mode, ModeTangent::On(0.0));
    assert_eq!(gradient.last, None);
    let along = MachineTangent {
        mode: ModeTangent::On(1.0),
        acc: 1.0,
        log: vec![5.0, 5.0],
        last: None,
        rounds: (),
    };
    assert_eq!(emptied::jvp(&c, &along), (18.0, 12.0));
}
