//! Gradients against differences of their functions, and against those by hand.

use autodiff::check::gradcheck;

use super::{close, data};
use crate::by_hand;
use crate::evals::{ba, det, gmm, ht, kmeans, llsq, lse, lstm, ode};

/// The two gradients are the same, and differences of the function agree.
fn agree(
    f: impl Fn(&[f64]) -> f64,
    gradient: impl Fn(&[f64]) -> Vec<f64>,
    hand: impl Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
) {
    close(&gradient(x), &hand(x)).expect("the same gradient by hand");
    differ(f, gradient, x);
}

/// Differences of the function agree.
fn differ(f: impl Fn(&[f64]) -> f64, gradient: impl Fn(&[f64]) -> Vec<f64>, x: &[f64]) {
    if let Err(report) = gradcheck(f, gradient, x).ok() {
        panic!("{report}");
    }
}

#[test]
fn gmm_agrees_with_differences_and_by_hand() {
    for style in [gmm::HELPERS, gmm::FLAT] {
        let mut input = data::gmm(3, 2, 4);
        (input.gamma, input.m) = (0.7, 2);
        let at = |x: &[f64]| {
            let mut input = input.clone();
            let mut rest = x;
            let gmm::Input {
                alpha, mu, q, l, ..
            } = &mut input;
            for part in [alpha, mu, q, l] {
                let (head, after) = rest.split_at(part.len());
                part.copy_from_slice(head);
                rest = after;
            }
            input
        };
        let flat = |(alpha, mu, q, l): gmm::Gradient| [alpha, mu, q, l].concat();
        agree(
            |x| (style.value)(&at(x)),
            |x| flat((style.gradient)(&at(x))),
            |x| flat(by_hand::gmm::gradient(&at(x))),
            &[&input.alpha[..], &input.mu, &input.q, &input.l].concat(),
        );
    }
}

#[test]
fn lstm_agrees_with_differences_and_by_hand() {
    let input = data::lstm(2, 5, 3);
    let at = |x: &[f64]| {
        let mut input = input.clone();
        let (main, extra) = x.split_at(input.main_params.len());
        input.main_params.copy_from_slice(main);
        input.extra_params.copy_from_slice(extra);
        input
    };
    agree(
        |x| lstm::objective(&at(x)),
        |x| lstm::jacobian(&at(x)),
        |x| by_hand::lstm::jacobian(&at(x)),
        &[&input.main_params[..], &input.extra_params].concat(),
    );
}

#[test]
fn lse_agrees_with_differences_and_by_hand() {
    let at = |x: &[f64]| lse::Input { x: x.to_vec() };
    agree(
        |x| lse::primal(&at(x)),
        |x| lse::gradient(&at(x)),
        |x| by_hand::lse::gradient(&at(x)),
        &data::lse(11).x,
    );
}

#[test]
fn llsq_agrees_with_differences_and_by_hand() {
    let input = data::llsq(7, 5);
    let at = |x: &[f64]| llsq::Input {
        x: x.to_vec(),
        ..input.clone()
    };
    agree(
        |x| llsq::primal(&at(x)),
        |x| llsq::gradient(&at(x)),
        |x| by_hand::llsq::gradient(&at(x)),
        &input.x,
    );
}

#[test]
fn ode_agrees_with_differences_and_by_hand() {
    for n in [1, 5] {
        let input = data::ode(n, 3);
        let at = |x: &[f64]| ode::Input {
            x: x.to_vec(),
            ..input.clone()
        };
        agree(
            |x| ode::primal(&at(x))[n - 1],
            |x| ode::gradient(&at(x)),
            |x| by_hand::ode::gradient(&at(x)),
            &input.x,
        );
    }
}

#[test]
fn det_agrees_with_differences_and_by_hand() {
    for ell in [1, 2, 4] {
        let at = |a: &[f64]| det::Input { a: a.to_vec(), ell };
        agree(
            |a| det::primal(&at(a)),
            |a| det::gradient(&at(a)),
            |a| by_hand::det::gradient(&at(a)),
            &data::det(ell).a,
        );
    }
}

#[test]
fn steps_of_kmeans_lead_to_where_there_is_none() {
    let mut input = data::kmeans(3, 40, 2);
    close(&kmeans::dir(&input), &by_hand::kmeans::dir(&input)).expect("the same step by hand");
    for _ in 0..40 {
        let step = kmeans::dir(&input);
        for (x, step) in input.centroids.iter_mut().zip(step) {
            *x -= step;
        }
    }
    assert!(kmeans::dir(&input).iter().all(|step| step.abs() < 1e-12));
}

#[test]
fn rows_of_ba_agree_with_differences_and_by_hand() {
    for turned in [true, false] {
        let mut input = data::ba(1, 1, 1);
        if !turned {
            input.cams[0][..3].fill(0.0);
        }
        let at = |x: &[f64]| {
            let mut input = input.clone();
            input.cams[0].copy_from_slice(&x[..11]);
            input.points[0].copy_from_slice(&x[11..14]);
            input.weights[0] = x[14];
            input
        };
        let vals = |x: &[f64], jacobian: fn(&ba::Input, &mut ba::Sparse)| {
            let mut matrix = ba::Sparse::default();
            jacobian(&at(x), &mut matrix);
            matrix.vals
        };
        let x = [&input.cams[0][..], &input.points[0], &input.weights].concat();
        let (ours, hand) = (vals(&x, ba::jacobian), vals(&x, by_hand::ba::jacobian));
        close(&ours, &hand).expect("the same rows by hand");
        // Without a rotation differences see another formula than the function has there.
        for row in (0..2).filter(|_| turned) {
            let entries = 15 * row..15 * (row + 1);
            differ(
                |x| ba::objective(&at(x)).0[0][row],
                |x| vals(x, ba::jacobian)[entries.clone()].to_vec(),
                &x,
            );
        }
    }
}

#[test]
fn columns_of_ht_agree_with_differences() {
    let input = data::ht(6, 2);
    assert_eq!(ht::jacobian(&input).columns, 28);
    let at = |theta: &[f64]| ht::Input {
        theta: theta.try_into().expect("as many"),
        ..input.clone()
    };
    for row in 0..6 {
        differ(
            |theta| ht::objective(&at(theta))[row],
            |theta| ht::jacobian(&at(theta)).numbers[28 * row..][2..28].to_vec(),
            &input.theta,
        );
    }
}
