//! The derivative of a solver that does not run backwards through its iterations: one linear solve instead.
//!
//! A reaction network is in equilibrium where `residual(x, rates)` is zero.
//! Newton's method finds `x`, and `implicit` says what it has found.

use autodiff::{Matrix, grad};

/// 2A → B → C → A, with the sum of all kept.
#[grad]
fn residual(x: &[f64; 3], rates: &[f64; 3]) -> [f64; 3] {
    let (ab, bc, ca) = (rates[0] * x[0] * x[0], rates[1] * x[1], rates[2] * x[2]);
    [ca - ab, ab - bc, x[0] + x[1] + x[2] - 1.0]
}

/// The equilibrium for these rates.
#[grad(implicit = residual(&y, rates))]
fn equilibrium(rates: &[f64; 3]) -> [f64; 3] {
    let mut x = [0.4, 0.3, 0.3];
    for _ in 0..50 {
        let step = solve(&by_state(&x, rates), residual(&x, rates));
        for (x, step) in x.iter_mut().zip(&step) {
            *x -= step;
        }
        if step.iter().all(|s| s.abs() < 1e-14) {
            break;
        }
    }
    x
}

/// The first three columns of the Jacobian: those of the state.
fn by_state(x: &[f64; 3], rates: &[f64; 3]) -> [[f64; 3]; 3] {
    let j: Matrix<f64> = residual::jacobian(x, rates);
    [0, 1, 2].map(|i| [j[[i, 0]], j[[i, 1]], j[[i, 2]]])
}

/// Cramer's rule.
fn solve(a: &[[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let det = |m: &[[f64; 3]; 3]| -> f64 {
        (0..3)
            .map(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j])
            })
            .sum()
    };
    let whole = det(a);
    [0, 1, 2].map(|column| {
        let mut m = *a;
        for (row, b) in m.iter_mut().zip(b) {
            row[column] = b;
        }
        det(&m) / whole
    })
}

/// How far the yield of C is from one half: the solver is called like any function.
#[grad]
fn loss(rates: &[f64; 3]) -> f64 {
    let x = equilibrium(rates);
    (x[2] - 0.5) * (x[2] - 0.5)
}

fn main() {
    let mut rates = [1.0, 2.0, 0.5];
    let (value, gradient) = loss::value_and_grad(&rates);
    println!("loss {value:.6}, gradient {gradient:.6?}");

    // Against differences.
    for k in 0..3 {
        let at = |h: f64| {
            let mut moved = rates;
            moved[k] += h;
            loss(&moved)
        };
        let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert!(
            (slope - gradient[k]).abs() < 1e-8,
            "{slope} {}",
            gradient[k]
        );
    }

    for _ in 0..500 {
        let gradient = loss::grad(&rates);
        for (rate, g) in rates.iter_mut().zip(&gradient) {
            *rate -= 5.0 * g;
        }
    }
    println!("rates {rates:.4?} give {:.6?}", equilibrium(&rates));
    assert!(loss(&rates) < 1e-9);
}
