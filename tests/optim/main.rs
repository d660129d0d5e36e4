//! Optimisers, against figures of their published formulas and loops over plain numbers.

use autodiff::optim::{Adam, AdamW, Sgd, clip_norm, clip_value};
use autodiff::slices::SliceError;
use autodiff::{Differentiable, Parameters, Tangent};

/// Numbers of both widths in all that parameters may be made of.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    layers: Vec<Layer>,
    #[constant]
    seed: u64,
    head: Option<Head>,
    scale: f32,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    w: Vec<[f64; 2]>,
    b: [f32; 2],
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Head {
    Line(Vec<f64>),
    Point { at: f64 },
}

fn model() -> Model {
    let layer = |x: f64| Layer {
        w: vec![[x, -x], [0.5 * x, 2.0]],
        b: [x as f32, 0.25],
    };
    Model {
        layers: vec![layer(1.0), layer(-3.0)],
        seed: 7,
        head: Some(Head::Line(vec![1.0, 2.0, 3.0])),
        scale: 0.5,
    }
}

/// Numbers between −1 and 1 that look like chance.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A gradient of noise.
fn gradient<P: Differentiable>(p: &P, seed: u64) -> P::Tangent {
    let mut next = noise(seed);
    let mut g = p.zero_tangent();
    g.for_each_scalar(&mut |x| *x = next());
    g
}

fn flat<P: Parameters>(p: &P) -> Vec<f64> {
    let mut out = vec![0.0; p.zero_tangent().scalar_count()];
    p.write_flat(&mut out);
    out
}

/// One of the optimisers.
#[derive(Clone, Debug)]
enum Any {
    Sgd(Sgd),
    Adam(Adam),
    AdamW(AdamW),
}

impl Any {
    fn try_step<P: Parameters>(&mut self, p: &mut P, g: &P::Tangent) -> Result<(), SliceError> {
        match self {
            Any::Sgd(o) => o.try_step(p, g),
            Any::Adam(o) => o.try_step(p, g),
            Any::AdamW(o) => o.try_step(p, g),
        }
    }

    fn steps(&self) -> u64 {
        match self {
            Any::Sgd(o) => o.steps(),
            Any::Adam(o) => o.steps(),
            Any::AdamW(o) => o.steps(),
        }
    }

    fn each() -> [Any; 4] {
        [
            Any::Sgd(Sgd::new(0.1).momentum(0.9).weight_decay(0.1)),
            Any::Sgd(Sgd::new(0.1).momentum(0.9).nesterov()),
            Any::Adam(Adam::new(0.1).weight_decay(0.1)),
            Any::AdamW(AdamW::new(0.1)),
        ]
    }
}

/// An optimiser as a line of the figures has it.
fn made(name: &str, settings: &str) -> Any {
    let all: Vec<(&str, f64)> = settings
        .split(' ')
        .map(|pair| pair.split_once('=').expect("name=value"))
        .map(|(name, value)| (name, value.parse().expect("a number")))
        .collect();
    let of = |name: &str| all.iter().find(|(n, _)| *n == name).map(|(_, x)| *x);
    let lr = of("lr").expect("a rate");
    let decay = of("decay").unwrap_or(0.0);
    let betas = (of("beta1").unwrap_or(0.9), of("beta2").unwrap_or(0.999));
    let eps = of("eps").unwrap_or(1e-8);
    match (name, of("decoupled")) {
        ("sgd", _) => {
            let sgd = Sgd::new(lr)
                .momentum(of("momentum").unwrap_or(0.0))
                .weight_decay(decay);
            Any::Sgd(match of("nesterov") {
                Some(_) => sgd.nesterov(),
                None => sgd,
            })
        }
        ("adam", None) => {
            let adam = Adam::new(lr).weight_decay(decay);
            Any::Adam(adam.betas(betas.0, betas.1).eps(eps))
        }
        _ => {
            let adam = AdamW::new(lr).weight_decay(decay);
            Any::AdamW(adam.betas(betas.0, betas.1).eps(eps))
        }
    }
}

#[test]
fn steps_are_those_of_the_published_formulas() {
    let lines = include_str!("steps.csv").lines();
    let mut cases = 0;
    for line in lines.filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(';').collect();
        let numbers = |k: usize| -> Vec<f64> {
            let numbers = parts[k].split(' ').map(|x| x.parse().expect("a number"));
            numbers.collect()
        };
        let (start, gradients, after) = (numbers(2), numbers(3), numbers(4));
        let mut optimiser = made(parts[0], parts[1]);
        let narrow: Vec<f32> = start.iter().map(|x| *x as f32).collect();
        let mut p = (start, narrow);
        for (g, after) in gradients.chunks(3).zip(after.chunks(3)) {
            let narrow = g.iter().map(|x| *x as f32).collect();
            optimiser.try_step(&mut p, &(g.to_vec(), narrow)).unwrap();
            for (k, true_value) in after.iter().enumerate() {
                let of = true_value.abs().max(1.0);
                assert!((p.0[k] - true_value).abs() <= 4e-15 * of, "{line}: {p:?}");
                let wide = f64::from(p.1[k]);
                assert!((wide - true_value).abs() <= 2e-6 * of, "{line}: {p:?}");
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 12);
}

#[test]
fn first_steps_by_hand() {
    // Bias is corrected from t = 1: whatever the gradient, the first step has the length of the rate.
    let mut x = [1.0_f64, 1.0, 1.0];
    Adam::new(0.5).eps(0.0).step(&mut x, &[1e-6, -8.0, 1e6]);
    for (x, true_value) in x.iter().zip([0.5, 1.5, 0.5]) {
        assert!((x - true_value).abs() < 1e-13, "{x}");
    }
    // ε stands beside the corrected root: 4 / (4 + 1).
    let mut x = [1.0_f64];
    Adam::new(1.0).eps(1.0).step(&mut x, &[4.0]);
    assert!((x[0] - 0.2).abs() < 1e-15);
    // The first momentum is the gradient, not dampened; Nesterov looks ahead with the new one.
    let mut x = 0.0;
    Sgd::new(1.0).momentum(0.5).step(&mut x, &2.0);
    assert_eq!(x, -2.0);
    let mut x = 0.0;
    let mut sgd = Sgd::new(1.0).momentum(0.5).nesterov();
    sgd.step(&mut x, &2.0);
    assert_eq!(x, -3.0);
    sgd.step(&mut x, &2.0);
    assert_eq!(x, -3.0 - (2.0 + 0.5 * 3.0));
    // `AdamW` shrinks by rate times decay, Adam adds the decay to the gradient.
    let mut x = [2.0];
    AdamW::new(0.5).weight_decay(0.5).step(&mut x, &[0.0]);
    assert_eq!(x, [1.5]);
    let mut x = [2.0_f64];
    Adam::new(0.5)
        .weight_decay(0.5)
        .eps(0.0)
        .step(&mut x, &[0.0]);
    assert!((x[0] - 1.5).abs() < 1e-15);
}

#[test]
fn zero_gradients_move_nothing_and_give_no_nan() {
    for optimiser in [
        Any::Sgd(Sgd::new(0.1).momentum(0.9).nesterov()),
        Any::Adam(Adam::new(0.1)),
        Any::Adam(Adam::new(0.1).eps(0.0).betas(0.0, 0.0)),
        Any::AdamW(AdamW::new(0.1).eps(1e-60).weight_decay(0.0)),
    ] {
        let mut optimiser = optimiser;
        let mut p = model();
        for _ in 0..3 {
            let g = p.zero_tangent();
            optimiser.try_step(&mut p, &g).unwrap();
        }
        assert_eq!(p, model());
    }
}

/// The formulas once more, number by number.
fn by_hand(optimiser: &Any, p: &mut f64, gradients: &[f64]) {
    let (mut m, mut v) = (0.0, 0.0);
    for (g, t) in gradients.iter().zip(1..) {
        match optimiser {
            Any::Sgd(_) => {
                m = 0.9 * m + g + 0.1 * *p;
                *p -= 0.1 * m;
            }
            _ => {
                *p -= 0.1 * 0.01 * *p;
                m = 0.9 * m + 0.1 * g;
                v = 0.999 * v + 0.001 * g * g;
                let mean = m / (1.0 - 0.9_f64.powi(t));
                let root = (v / (1.0 - 0.999_f64.powi(t))).sqrt();
                *p -= 0.1 * mean / (root + 1e-8);
            }
        }
    }
}

#[test]
fn lists_of_any_length_are_moved_number_by_number() {
    let mut next = noise(5);
    for length in (0..40).chain([63, 64, 65, 1000, 4097]) {
        for mut optimiser in [Any::each()[0].clone(), Any::each()[3].clone()] {
            let start: Vec<f64> = (0..length).map(|_| next()).collect();
            let mut p = (start.clone(), vec![start.clone(); 2]);
            let gradients: Vec<Vec<f64>> = (0..3)
                .map(|_| (0..length).map(|_| next()).collect())
                .collect();
            for g in &gradients {
                let g = (g.clone(), vec![g.clone(); 2]);
                optimiser.try_step(&mut p, &g).unwrap();
            }
            for (k, start) in start.iter().enumerate() {
                let mut x = *start;
                let column: Vec<f64> = gradients.iter().map(|g| g[k]).collect();
                by_hand(&optimiser, &mut x, &column);
                for found in [p.0[k], p.1[0][k], p.1[1][k]] {
                    assert!((found - x).abs() < 1e-14, "{found} {x}");
                }
            }
        }
    }
}

#[test]
fn how_numbers_are_packed_makes_no_difference() {
    for mut optimiser in Any::each() {
        let mut p = model();
        let mut alone = optimiser.clone();
        let mut unpacked: Vec<(f64, f32)> = flat(&p).iter().map(|x| (*x, *x as f32)).collect();
        for step in 0..5 {
            let g = gradient(&p, step + 1);
            let both = g.to_flat().iter().map(|x| (*x, *x as f32)).collect();
            optimiser.try_step(&mut p, &g).unwrap();
            alone.try_step(&mut unpacked, &both).unwrap();
        }
        // Two layers of 4 numbers in f64 and 2 in f32, 3 in f64 and 1 in f32.
        let narrow = [4, 5, 10, 11, 15];
        for (k, (x, (wide, single))) in flat(&p).iter().zip(unpacked).enumerate() {
            let same = if narrow.contains(&k) {
                f64::from(single)
            } else {
                wide
            };
            assert_eq!(*x, same, "{k}");
        }
    }
}

#[test]
fn a_gradient_that_is_none_is_zero() {
    for mut optimiser in Any::each() {
        let mut p = (Some([1.0, 2.0]), 3.0_f32);
        let mut q = p;
        let mut other = optimiser.clone();
        for (one, two) in [
            ((Some([1.0, -1.0]), 1.0), (Some([1.0, -1.0]), 1.0)),
            ((None, 1.0), (Some([0.0, 0.0]), 1.0)),
        ] {
            optimiser.try_step(&mut p, &one).unwrap();
            other.try_step(&mut q, &two).unwrap();
        }
        assert_eq!(p, q);
    }
}

#[test]
fn decay_and_rate_are_asked_for_by_path_and_length() {
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = asked.clone();
    let mut adam = AdamW::new(0.5)
        .weight_decay(0.5)
        .decay_where(move |path, length| {
            seen.lock().unwrap().push(format!("{path}: {length}"));
            !path.ends_with('b')
        });
    let mut p = model();
    let zero = p.zero_tangent();
    adam.step(&mut p, &zero);
    adam.step(&mut p, &zero);
    assert_eq!(
        *asked.lock().unwrap(),
        [
            "layers[0].w: 4",
            "layers[0].b: 2",
            "layers[1].w: 4",
            "layers[1].b: 2",
            "head.0: 3",
            "scale: 1"
        ]
    );
    let start = model();
    assert_eq!(p.layers[0].b, start.layers[0].b);
    assert_eq!(p.layers[1].w[0][0], 0.75 * 0.75 * start.layers[1].w[0][0]);
    assert_eq!(p.scale, 0.75 * 0.75 * start.scale);

    // A factor of the rate, decay included; what has the factor 0 stays as it is, whatever its gradient.
    let mut adam = AdamW::new(0.25)
        .weight_decay(0.5)
        .rate_where(|path, _| match path {
            "scale" => 2.0,
            "head.0" => 0.0,
            _ => 1.0,
        });
    let mut p = model();
    let mut g = p.zero_tangent();
    g.head = Some(HeadTangent::Line(vec![f64::NAN; 3]));
    adam.step(&mut p, &g);
    assert_eq!(p.head, start.head);
    assert_eq!(p.scale, 0.75 * start.scale);
    assert_eq!(p.layers[0].w[0][0], 0.875 * start.layers[0].w[0][0]);

    // Without momentum as well, and said anew between steps.
    let mut sgd = Sgd::new(1.0).rate_where(|path, _| if path == "0" { 0.5 } else { 1.0 });
    let mut p = (1.0, 1.0);
    sgd.step(&mut p, &(1.0, 1.0));
    assert_eq!(p, (0.5, 0.0));
    let mut sgd = sgd.rate_where(|path, _| if path == "0" { 0.0 } else { 1.0 });
    sgd.step(&mut p, &(1.0, 1.0));
    assert_eq!(p, (0.5, -1.0));
}

#[test]
fn other_parameters_are_refused_by_the_name_of_the_slice() {
    let refused = |optimiser: &mut Any, p: &mut Model, text: &str| {
        let (before, steps) = (p.clone(), optimiser.steps());
        let g = gradient(p, 3);
        let error = optimiser.try_step(p, &g).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!((&*p, optimiser.steps()), (&before, steps));
    };
    for mut optimiser in Any::each() {
        let mut p = model();
        let g = gradient(&p, 1);
        optimiser.try_step(&mut p, &g).unwrap();
        let mut longer = p.clone();
        longer.layers[1].w.push([0.0, 1.0]);
        refused(
            &mut optimiser,
            &mut longer,
            "`layers[1].w` has length 6, but its state in this optimiser has length 4",
        );
        let mut more = p.clone();
        more.layers.push(more.layers[0].clone());
        refused(
            &mut optimiser,
            &mut more,
            "`layers[2].w` stands where this optimiser has the state of `head.0`; it belongs to one set of parameters, in one order",
        );
        let mut fewer = p.clone();
        fewer.head = None;
        refused(
            &mut optimiser,
            &mut fewer,
            "`scale` stands where this optimiser has the state of `head.0`; it belongs to one set of parameters, in one order",
        );
        let mut other = p.clone();
        other.head = Some(Head::Point { at: 1.0 });
        refused(
            &mut optimiser,
            &mut other,
            "`head.at` stands where this optimiser has the state of `head.0`; it belongs to one set of parameters, in one order",
        );
    }
}

#[test]
fn another_order_width_or_number_of_slices_is_refused() {
    #[derive(Differentiable)]
    struct Ab {
        a: [f64; 2],
        b: [f64; 2],
    }
    #[derive(Differentiable)]
    struct Ba {
        b: [f64; 2],
        a: [f64; 2],
    }
    let (mut ab, mut ba) = (
        Ab {
            a: [1.0; 2],
            b: [2.0; 2],
        },
        Ba {
            b: [1.0; 2],
            a: [2.0; 2],
        },
    );
    let mut adam = Adam::new(0.1);
    let g = ab.zero_tangent();
    adam.step(&mut ab, &g);
    let g = ba.zero_tangent();
    assert_eq!(
        adam.try_step(&mut ba, &g).unwrap_err().path(),
        "b",
        "of the same lengths, in another order"
    );
    assert_eq!((ab.b, ba.b, ba.a), ([2.0; 2], [1.0; 2], [2.0; 2]));

    let mut adam = Adam::new(0.1);
    adam.step(&mut (1.0, 2.0), &(0.0, 0.0));
    let error = |found: Result<(), SliceError>| found.unwrap_err().to_string();
    assert_eq!(
        error(adam.try_step(&mut (1.0, 2.0_f32), &(0.0, 0.0))),
        "`1` is of f32, but its state in this optimiser of f64"
    );
    assert_eq!(
        error(adam.try_step(&mut (1.0,), &(0.0,))),
        "`1` has a state in this optimiser, but is not among these parameters"
    );
    assert_eq!(
        error(adam.try_step(&mut (1.0, 2.0, 3.0), &(0.0, 0.0, 0.0))),
        "`2` has no state in this optimiser, which belongs to other parameters"
    );
}

#[test]
fn a_gradient_of_other_lengths_changes_nothing() {
    for mut optimiser in Any::each().into_iter().chain([Any::Sgd(Sgd::new(0.1))]) {
        let mut p = model();
        for round in 0..2 {
            let before = p.clone();
            let mut g = gradient(&p, 1);
            g.layers[1].w.pop();
            let error = optimiser.try_step(&mut p, &g).unwrap_err();
            assert_eq!(
                error.to_string(),
                "`layers[1].w` has length 2, but its tangent has length 1"
            );
            assert_eq!((&p, optimiser.steps()), (&before, round));
            let g = gradient(&p, 1);
            optimiser.try_step(&mut p, &g).unwrap();
        }
    }
}

#[test]
fn plain_descent_belongs_to_no_parameters() {
    let mut sgd = Sgd::new(0.5).weight_decay(0.5);
    let mut x = vec![1.0];
    sgd.step(&mut x, &vec![1.0]);
    assert_eq!(x, [0.25]);
    let mut y = (2.0_f32, [4.0]);
    sgd.step(&mut y, &(0.0, [0.0]));
    assert_eq!(y, (1.5, [3.0]));
    assert_eq!(sgd.steps(), 2);
}

#[test]
fn a_clone_goes_on_like_the_original() {
    for mut optimiser in Any::each() {
        let mut p = model();
        for step in 0..3 {
            let g = gradient(&p, step);
            optimiser.try_step(&mut p, &g).unwrap();
        }
        let (mut q, mut other) = (p.clone(), optimiser.clone());
        for step in 3..6 {
            let g = gradient(&p, step);
            optimiser.try_step(&mut p, &g).unwrap();
            other.try_step(&mut q, &g).unwrap();
        }
        assert_eq!(p, q);
    }
}

#[test]
fn the_rate_may_change_between_steps() {
    let mut sgd = Sgd::new(1.0);
    let mut x = [4.0];
    sgd.step(&mut x, &[1.0]);
    sgd.set_lr(0.5);
    assert_eq!(sgd.lr(), 0.5);
    sgd.step(&mut x, &[1.0]);
    assert_eq!(x, [2.5]);
    // At the rate 0 nothing moves, but gradients are remembered.
    let mut sgd = Sgd::new(0.0).momentum(1.0);
    sgd.step(&mut x, &[1.0]);
    assert_eq!(x, [2.5]);
    sgd.set_lr(1.0);
    sgd.step(&mut x, &[1.0]);
    assert_eq!(x, [0.5]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    use std::panic::catch_unwind;
    let wrong: [(fn(), &str); 7] = [
        (
            || drop(Sgd::new(-0.1)),
            "the rate is -0.1; it must be finite and not negative",
        ),
        (
            || drop(Adam::new(f64::NAN)),
            "the rate is NaN; it must be finite and not negative",
        ),
        (
            || AdamW::new(0.1).set_lr(f64::INFINITY),
            "the rate is inf; it must be finite and not negative",
        ),
        (
            || drop(Adam::new(0.1).betas(0.9, 1.0)),
            "a beta is 1; it must be at least 0 and less than 1",
        ),
        (
            || drop(Adam::new(0.1).eps(-1.0)),
            "eps is -1; it must be finite and not negative",
        ),
        (
            || {
                clip_norm(&mut 1.0, f64::NAN);
            },
            "a gradient cannot be clipped to NaN; a limit is not negative",
        ),
        (
            || Sgd::new(0.1).rate_where(|_, _| -1.0).step(&mut 1.0, &1.0),
            "the factor of a rate is -1; it must be finite and not negative",
        ),
    ];
    for (f, text) in wrong {
        let message = catch_unwind(f).unwrap_err();
        assert_eq!(message.downcast_ref::<String>().unwrap(), text);
    }
}

#[test]
fn clipping_leaves_a_smaller_gradient_bit_for_bit() {
    let p = model();
    let start = gradient(&p, 9);
    let norm = start.norm2().sqrt();
    for max in [1.0001 * norm, 1e9, f64::INFINITY] {
        let mut g = start.clone();
        let found = clip_norm(&mut g, max);
        assert!((found - norm).abs() < 1e-13 * norm);
        assert_eq!(g, start);
    }
    let mut g = start.clone();
    clip_norm(&mut g, 0.25);
    assert!((g.norm2().sqrt() - 0.25).abs() < 1e-7);
    let (a, b) = (g.to_flat(), start.to_flat());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b * 0.25 / norm).abs() < 1e-7, "the direction stays");
    }
    let mut g = start.clone();
    clip_value(&mut g, 2.0);
    assert_eq!(g, start);
    clip_value(&mut g, 0.25);
    for (a, b) in g.to_flat().iter().zip(start.to_flat()) {
        assert_eq!(*a, b.clamp(-0.25, 0.25));
    }
}

#[test]
fn norms_at_the_ends_of_the_range() {
    // Zero norms give no NaN.
    let mut g = (vec![0.0, -0.0], 0.0_f32);
    assert_eq!(clip_norm(&mut g, 0.0), 0.0);
    assert_eq!(g, (vec![0.0, 0.0], 0.0));
    assert_eq!(clip_norm(&mut Vec::<f64>::new(), 1.0), 0.0);
    assert_eq!(clip_norm(&mut (), 1.0), 0.0);
    // No square overflows or underflows.
    let mut g = [3e200_f64, 4e200];
    assert!((clip_norm(&mut g, 5.0) / 5e200 - 1.0).abs() < 1e-15);
    assert!((g[0] - 3.0).abs() < 1e-14 && (g[1] - 4.0).abs() < 1e-14);
    let mut g = [3e-200_f64, 4e-200];
    assert!((clip_norm(&mut g, 5e-201) / 5e-200 - 1.0).abs() < 1e-15);
    assert!((g[0] / 3e-201 - 1.0).abs() < 1e-14);
    let mut g = [3e38_f32; 4];
    assert!(clip_norm(&mut g, 1.0).is_finite());
    assert!((g[0] - 0.5).abs() < 1e-6);
    // What is not finite is said, and left.
    let mut g = [1.0, f64::NAN, 2.0];
    assert!(clip_norm(&mut g, 1.0).is_nan());
    assert!(g[0] == 1.0 && g[2] == 2.0);
    let mut g = [1.0, f64::NEG_INFINITY];
    assert_eq!(clip_norm(&mut g, 1.0), f64::INFINITY);
    assert_eq!(g[0], 1.0);
    clip_value(&mut g, 0.5);
    assert_eq!(g, [0.5, -0.5]);
}

#[cfg(feature = "tensor")]
#[test]
fn tensors_are_moved_as_lists_of_their_entries() {
    use autodiff::Tensor;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Net {
        w: Tensor<f32>,
        b: Tensor<f64>,
        scale: Tensor<f64>,
    }

    let mut next = noise(3);
    let mut numbers = |n: usize| (0..n).map(|_| next()).collect::<Vec<f64>>();
    let narrow = |xs: &[f64]| xs.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    for mut optimiser in Any::each() {
        let (w, b) = (numbers(6), numbers(3));
        let start = Net {
            // Laid out by columns, and shared.
            w: Tensor::from_vec(&[2, 3], narrow(&w)).permute(&[1, 0]),
            b: Tensor::from_vec(&[3], b.clone()),
            scale: Tensor::from_vec(&[], vec![0.5]),
        };
        let mut net = start.clone();
        let mut lists = (start.w.to_vec(), b, 0.5);
        let mut other = optimiser.clone();
        for _ in 0..3 {
            let g = numbers(6);
            let mut slope = net.zero_tangent();
            slope.w = Tensor::from_vec(&[2, 3], narrow(&g)).permute(&[1, 0]);
            let slopes = (slope.w.to_vec(), vec![0.0; 3], 0.0);
            optimiser.try_step(&mut net, &slope).unwrap();
            other.try_step(&mut lists, &slopes).unwrap();
        }
        assert_eq!(net.w.to_vec(), lists.0);
        assert_eq!(net.b.to_vec(), lists.1);
        assert_eq!(net.scale.to_vec(), [lists.2]);
        assert_eq!(
            start.w.to_vec(),
            Tensor::from_vec(&[2, 3], narrow(&w))
                .permute(&[1, 0])
                .to_vec()
        );
        let mut slope = net.zero_tangent();
        slope.w = Tensor::zeros(&[2, 3]);
        assert_eq!(
            optimiser
                .try_step(&mut net, &slope)
                .unwrap_err()
                .to_string(),
            "`w` has shape [3, 2], but its tangent has shape [2, 3]"
        );
    }
}
