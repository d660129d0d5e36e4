//! What `autodiff expand` writes: it is current, it compiles, and it computes what the macro's derivatives do.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "the files show what people write"
)]

mod run;

#[path = "files/models.expanded.rs"]
#[rustfmt::skip]
mod expanded;
#[path = "files/models.rs"]
mod models;

use run::{autodiff, file, scratch};

#[test]
fn written_out_files_are_current() {
    let (source, output) = (file("models.rs"), file("models.expanded.rs"));
    let run = autodiff(&["expand", &source, "-o", &output, "--check"]);
    assert!(run.success, "{}", run.error);
}

#[test]
fn scalars_with_a_constant_have_the_same_derivatives() {
    for x in [-1.5, 0.3, 2.0] {
        let (k, seed) = (1.7_f64, (1.7 * x as f64).sin());
        let slope = k * x * (k * x).cos() + seed;
        assert_eq!(models::wave::grad(x, k), expanded::wave::grad(x, k));
        assert!((expanded::wave::grad(x, k) - slope).abs() < 1e-12);
        assert_eq!(models::wave::jvp(x, k, 1.0), expanded::wave::jvp(x, k, 1.0));
        assert_eq!(models::wave::hvp(x, k, 1.0), expanded::wave::hvp(x, k, 1.0));
    }
}

#[test]
fn loops_over_slices_have_the_same_gradients() {
    let xs = [0.5, -1.0, 2.0];
    let expected = [1.5 * 0.5_f64.exp(), -3.0, 3.0 * 2.0_f64.exp()];
    let found = expanded::sums::weighted::grad(&xs, 3);
    assert_eq!(models::sums::weighted::grad(&xs, 3), found);
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn types_have_the_same_tangents() {
    let ours = expanded::Spring {
        stiffness: 3.0,
        coils: 2,
    };
    let theirs = models::Spring {
        stiffness: 3.0,
        coils: 2,
    };
    let (spring, x) = expanded::energy::grad(&ours, 2.0);
    let (same_spring, same_x) = models::energy::grad(&theirs, 2.0);
    assert_eq!((spring.stiffness, x), (same_spring.stiffness, same_x));
    assert_eq!((spring.stiffness, x), (1.0, 3.0));
    assert_eq!(expanded::plain(1.0), models::plain(1.0));
}

#[test]
fn what_the_user_wrote_stays() {
    let text = std::fs::read_to_string(file("models.expanded.rs")).unwrap();
    for kept in [
        "    // Newtons per metre.\n    pub stiffness: f64,\n    pub coils: usize,\n",
        "    // Hooke's law, for each coil.\n",
        "/// A wave.\npub fn wave(x: f64, k: f64) -> f64 {\n",
        "#[derive(Clone, Copy, Debug)]\npub struct Spring",
        "pub fn plain(x: f64) -> f64 {\n    x + 1.0\n}\n",
    ] {
        assert!(text.contains(kept), "{kept}");
    }
    for gone in ["#[grad", "use autodiff::", "#[constant"] {
        assert!(!text.contains(gone), "{gone}");
    }
}

#[test]
fn one_function_is_expanded_with_options() {
    let run = autodiff(&["expand", &file("models.rs"), "weighted", "--order", "2"]);
    assert!(run.success, "{}", run.error);
    assert!(run.output.contains("#[grad(order = 2)]\npub fn wave"));
    assert!(run.output.contains("Hessian"));
    let run = autodiff(&["expand", &file("models.rs"), "plain", "--mode", "forward"]);
    assert!(run.output.contains("pub struct plain"), "{}", run.error);
    let run = autodiff(&["expand", &file("models.rs"), "absent"]);
    assert!(!run.success);
    assert!(
        run.error
            .starts_with("error: no function or type `absent` in `")
    );
}

#[test]
fn a_change_is_found_by_check() {
    let output = scratch("changed.rs");
    let source = file("models.rs");
    assert!(autodiff(&["expand", &source, "-o", &output]).success);
    let text = std::fs::read_to_string(&output).unwrap();
    std::fs::write(&output, text.replacen("x + 1.0", "x + 2.0", 1)).unwrap();
    let run = autodiff(&["expand", &source, "-o", &output, "--check"]);
    assert!(!run.success);
    assert!(run.error.contains("-    x + 2.0\n"), "{}", run.error);
    assert!(run.error.contains("+    x + 1.0\n"), "{}", run.error);
    std::fs::write(&output, text.replace('\n', "\r\n")).unwrap();
    assert!(autodiff(&["expand", &source, "-o", &output, "--check"]).success);
    std::fs::remove_file(&output).unwrap();
    let run = autodiff(&["expand", &source, "-o", &output, "--check"]);
    assert!(run.error.starts_with("error: failed to read `"));
}
