//! How hares and lynxes of tomorrow depend on the birth rate of hares: forward mode through a time stepper.
//!
//!     cargo run --release --example sensitivity

use autodiff::grad;

/// The growth of prey and predators by Lotka and Volterra.
#[grad]
fn growth(u: [f64; 2], birth: f64) -> [f64; 2] {
    [
        birth * u[0] - 0.1 * u[0] * u[1],
        0.05 * u[0] * u[1] - 0.5 * u[1],
    ]
}

/// A step of the midpoint rule, in place.
#[grad]
fn step(u: &mut [f64; 2], birth: f64, h: f64) {
    let half = growth(*u, birth);
    let middle = [u[0] + 0.5 * h * half[0], u[1] + 0.5 * h * half[1]];
    let full = growth(middle, birth);
    u[0] += h * full[0];
    u[1] += h * full[1];
}

const BIRTH: f64 = 1.1;
const H: f64 = 0.01;

/// The state after `steps` steps, and nothing else: for differences.
fn run(birth: f64, steps: usize) -> [f64; 2] {
    let mut u = [10.0, 5.0];
    (0..steps).for_each(|_| step(&mut u, birth, H));
    u
}

fn main() {
    println!("       populations             d/d birth rate            by differences");
    println!("time   hares   lynxes          hares     lynxes          hares     lynxes");
    let (mut u, mut u_dot) = ([10.0, 5.0], [0.0, 0.0]);
    for k in 0..=2_000 {
        if k % 200 == 0 {
            let (up, down) = (run(BIRTH + 1e-5, k), run(BIRTH - 1e-5, k));
            let difference = |i: usize| (up[i] - down[i]) / 2e-5;
            println!(
                "{:4.0} {:7.3} {:8.3} {:14.4} {:10.4} {:14.4} {:10.4}",
                k as f64 * H,
                u[0],
                u[1],
                u_dot[0],
                u_dot[1],
                difference(0),
                difference(1)
            );
        }
        // State and derivative go forward together, and nothing is remembered.
        step::jvp(&mut u, BIRTH, H, (&mut u_dot, 1.0, 0.0));
    }
}
