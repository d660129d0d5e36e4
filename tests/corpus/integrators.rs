//! Steps of integrators as they are written: closures without types that are lent lists, states by a name of their own, methods that fail and take functions.

use std::time::Duration;

use autodiff::{Differentiable, grad};

type State = Vec<f64>;

#[grad(order = 2)]
fn moved(y: &State, by: f64, k: &State) -> State {
    y.iter().zip(k.iter()).map(|(y, k)| y + by * k).collect()
}

#[grad(order = 2)]
fn step<F>(f: F, t: f64, y: &mut [f64], h: f64)
where
    F: Fn(f64, &[f64]) -> Vec<f64>,
{
    let k1 = f(t, y);
    let half: State = y.iter().zip(&k1).map(|(y, k)| y + 0.5 * h * k).collect();
    let k2 = f(t + 0.5 * h, &half);
    for (y, k) in y.iter_mut().zip(k2.iter()) {
        *y += h * k;
    }
}

#[grad(order = 2)]
fn oscillator(w: f64, y0: f64) -> f64 {
    let mut y = [1.0, y0];
    for i in 0..5 {
        step(
            |t, y| vec![y[1], -w * y[0] * (1.0 + t)],
            0.1 * i as f64,
            &mut y,
            0.1,
        );
    }
    y[0] * y[1]
}

#[grad(order = 2)]
fn filled(w: f64, y0: f64) -> f64 {
    let mut y = [1.0, y0];
    for i in 0..5 {
        step(
            |t, y| {
                let mut dy = vec![0.0; 2];
                dy[0] = y[1] * y[1];
                dy[1] = -w * y[0] * (1.0 + t);
                dy
            },
            0.1 * i as f64,
            &mut y,
            0.1,
        );
    }
    step(
        |_, y| y.iter().rev().map(|v| v * w).collect(),
        0.0,
        &mut y,
        0.2,
    );
    moved(&y.to_vec(), w, &vec![y0, w]).iter().sum()
}

#[grad(order = 2)]
fn by_value<F: Fn(f64, [f64; 2]) -> [f64; 2]>(f: F, y: [f64; 2]) -> f64 {
    let k = f(0.1, y);
    k[0] + k[1] * y[0]
}

#[grad(order = 2)]
fn of_an_array(w: f64, y0: f64) -> f64 {
    by_value(|t, y| [y[1] * w, -w * y[0] * t], [y0, w])
}

#[derive(Clone, Debug, Differentiable)]
struct Solver {
    gain: f64,
    period: Duration,
}

#[derive(Debug, PartialEq)]
struct Backwards;

#[grad(order = 2)]
impl Solver {
    fn advance<F>(&self, y: &mut [f64], h: f64, slope: F) -> Result<(), Backwards>
    where
        F: Fn(&[f64]) -> Vec<f64>,
    {
        if h < 0.0 {
            return Err(Backwards);
        }
        let k = slope(y);
        for i in 0..y.len() {
            y[i] += h * k[i] * self.gain * self.period.as_secs_f64();
        }
        Ok(())
    }

    fn weighed<F: Fn(f64) -> f64>(&self, x: f64, f: F) -> Result<f64, Backwards> {
        if x < 0.0 {
            return Err(Backwards);
        }
        Ok(f(x) * self.gain + x * self.period.as_millis() as f64)
    }
}

#[grad(order = 2)]
fn solved(w: f64, y0: f64) -> f64 {
    let solver = Solver {
        gain: w * w,
        period: Duration::from_millis(500),
    };
    let mut y = [y0, 1.0];
    solver
        .advance(&mut y, 0.3, |y| vec![y[1] * w, y[0] * y[0]])
        .unwrap();
    y[0] * y[1] * solver.weighed(y0, |x| x.sin() * w).unwrap()
}

#[test]
fn integrators_as_they_are_written() {
    macro_rules! of {
        ($($f:ident)*) => {$(
            check!($f(value w = 0.7, value y0 = 0.3));
            check_second!($f(value w = 0.7, value y0 = 0.3));
        )*};
    }
    of!(oscillator filled of_an_array solved);
}
