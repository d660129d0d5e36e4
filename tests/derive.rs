//! `#[derive(Differentiable)]`: tangents of types of the user's own.

use autodiff::{Differentiable, Parameters, Tangent};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    weights: Vec<[f64; 2]>,
    bias: f64,
    steps: usize,
    label: String,
    #[constant]
    scale: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point(f64, f64);

#[derive(Clone, Copy, Differentiable)]
struct Nothing;

#[derive(Clone, Differentiable)]
struct Pair<A, B> {
    left: A,
    right: (B, u8),
}

#[derive(Differentiable)]
struct Borrowed<'a, T> {
    values: &'a [T],
    #[constant]
    names: std::collections::HashMap<String, &'a T>,
}

mod other {
    #[derive(super::Differentiable)]
    pub(super) struct Scene {
        pub(super) points: Vec<super::Point>,
        pub(super) pair: super::Pair<f64, super::Point>,
        pub(super) far: Option<super::Point>,
    }
}

/// What holds no floats needs no mark.
#[derive(Clone, Differentiable)]
struct Run {
    rate: f64,
    rates: Box<[f64]>,
    every: std::time::Duration,
    started: Option<std::time::Instant>,
    rounds: std::ops::Range<usize>,
    order: std::cmp::Ordering,
    file: std::path::PathBuf,
    name: std::rc::Rc<str>,
    counts: std::collections::HashMap<String, usize>,
    schedule: fn(f64) -> f64,
    norm: fn(&[f64]) -> f64,
}

fn layer() -> Layer {
    Layer {
        weights: vec![[1.0, 2.0], [3.0, 4.0]],
        bias: 5.0,
        steps: 3,
        label: "first".to_owned(),
        scale: 9.0,
    }
}

#[test]
fn a_struct_has_a_tangent_of_the_same_fields() {
    let mut t: LayerTangent = layer().zero_tangent();
    assert_eq!(t.weights, [[0.0; 2]; 2]);
    let () = t.steps;
    let () = t.label;
    let () = t.scale;
    t.bias = 1.5;
    t.weights[1][0] = 2.0;
    assert_eq!(t.to_flat(), [0.0, 0.0, 2.0, 0.0, 1.5]);
    assert_eq!(t.norm2(), 4.0 + 2.25);
    let mut u = t.zero_like();
    u.add_scaled(2.0, &t);
    assert_eq!(u.bias, 3.0);
    u.scale_by(0.5);
    assert_eq!(u, t);
    assert_eq!(
        format!("{t:?}"),
        "LayerTangent { weights: [[0.0, 0.0], [2.0, 0.0]], bias: 1.5, steps: (), label: (), scale: () }"
    );
    u.read_flat(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!((u.weights[0], u.bias), ([1.0, 2.0], 5.0));
}

#[test]
fn a_struct_is_moved_along_a_tangent() {
    let mut moved = layer();
    let mut t = moved.zero_tangent();
    t.read_flat(&[1.0, 0.0, 0.0, 0.0, 2.0]);
    moved.move_by(-0.5, &t);
    assert_eq!(moved.weights[0], [0.5, 2.0]);
    assert_eq!((moved.bias, moved.scale, moved.steps), (4.0, 9.0, 3));
    let mut flat = [0.0; 5];
    moved.write_flat(&mut flat);
    assert_eq!(flat, [0.5, 2.0, 3.0, 4.0, 4.0]);
    let mut read = layer();
    read.read_flat(&flat);
    assert_eq!(read, moved);
}

#[test]
fn tuple_structs_units_generics_and_nesting() {
    let t = PointTangent(1.0, 2.0);
    assert_eq!(Point(0.0, 0.0).zero_tangent().zero_like(), t.zero_like());
    assert_eq!(format!("{t:?}"), "PointTangent(1.0, 2.0)");
    assert_eq!(Nothing.zero_tangent().scalar_count(), 0);

    let scene = other::Scene {
        points: vec![Point(1.0, 2.0), Point(3.0, 4.0)],
        pair: Pair {
            left: 5.0,
            right: (Point(6.0, 7.0), 1),
        },
        far: None,
    };
    let mut t = scene.zero_tangent();
    assert_eq!(t.scalar_count(), 7);
    t.pair.right.0.1 = 1.0;
    assert_eq!(t.to_flat(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let mut flat = [0.0; 7];
    scene.write_flat(&mut flat);
    assert_eq!(flat, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(format!("{:?}", t.pair.left), "0.0");
}

#[test]
fn a_struct_may_borrow() {
    let values = [1.0_f32, 2.0];
    let borrowed = Borrowed {
        values: &values,
        names: std::collections::HashMap::new(),
    };
    let t = borrowed.zero_tangent();
    assert_eq!(t.values, [0.0, 0.0]);
    assert_eq!(t.scalar_count(), 2);
    assert!(borrowed.names.is_empty());
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Shape<T> {
    Circle { radius: T, sides: usize },
    Rect(T, #[constant] f64, Vec<T>),
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Tree {
    Leaf(f64),
    Node(Box<Tree>, Box<Tree>),
}

#[test]
fn an_enum_has_a_tangent_of_the_same_variants() {
    let s = Shape::Rect(2.0, 3.0, vec![4.0, 5.0]);
    let mut t: ShapeTangent<f64> = s.zero_tangent();
    assert_eq!(t, ShapeTangent::Rect(0.0, (), vec![0.0, 0.0]));
    assert_eq!(t.scalar_count(), 3);
    t.read_flat(&[1.0, 2.0, 3.0]);
    assert_eq!(format!("{t:?}"), "Rect(1.0, (), [2.0, 3.0])");
    assert_eq!((t.norm2(), t.to_flat()), (14.0, vec![1.0, 2.0, 3.0]));
    let mut u = t.zero_like();
    u.add_scaled(2.0, &t);
    u.scale_by(0.5);
    assert_eq!(u, t);

    let mut moved = s.clone();
    moved.move_by(-1.0, &t);
    assert_eq!(moved, Shape::Rect(1.0, 3.0, vec![2.0, 2.0]));
    let mut flat = [0.0; 3];
    moved.write_flat(&mut flat);
    assert_eq!(flat, [1.0, 2.0, 2.0]);
    moved.read_flat(&[7.0, 8.0, 9.0]);
    assert_eq!(moved, Shape::Rect(7.0, 3.0, vec![8.0, 9.0]));

    let c = Shape::Circle {
        radius: 1.0_f32,
        sides: 3,
    };
    let t = c.zero_tangent();
    assert_eq!(
        t,
        ShapeTangent::Circle {
            radius: 0.0_f32,
            sides: ()
        }
    );
    assert_eq!(format!("{t:?}"), "Circle { radius: 0.0, sides: () }");
    let nothing = Shape::<f64>::Nothing.zero_tangent();
    assert_eq!((nothing.scalar_count(), nothing.norm2()), (0, 0.0));
    assert_ne!(nothing, ShapeTangent::Rect(0.0, (), vec![]));
}

#[test]
#[should_panic(expected = "of different variants")]
fn tangents_of_different_variants_do_not_add() {
    let mut t = Shape::Rect(1.0, 0.0, vec![]).zero_tangent();
    t.add_scaled(1.0, &ShapeTangent::Nothing);
}

#[test]
fn an_enum_may_hold_itself_in_a_box() {
    let leaf = |x| Box::new(Tree::Leaf(x));
    let mut tree = Tree::Node(leaf(1.0), Box::new(Tree::Node(leaf(2.0), leaf(3.0))));
    let mut t = tree.zero_tangent();
    assert_eq!(t.scalar_count(), 3);
    t.read_flat(&[1.0, 0.0, -1.0]);
    tree.move_by(2.0, &t);
    let mut flat = [0.0; 3];
    tree.write_flat(&mut flat);
    assert_eq!(flat, [3.0, 2.0, 1.0]);
}

#[test]
fn fields_without_floats_have_no_tangent() {
    let run = Run {
        rate: 0.5,
        rates: vec![1.0, 2.0].into(),
        every: std::time::Duration::from_secs(1),
        started: None,
        rounds: 0..3,
        order: std::cmp::Ordering::Less,
        file: "here".into(),
        name: "first".into(),
        counts: std::collections::HashMap::new(),
        schedule: f64::sqrt,
        norm: |x| x.iter().sum(),
    };
    let mut t = run.zero_tangent();
    let () = t.every;
    let () = t.rounds;
    let () = t.order;
    let () = t.file;
    let () = t.name;
    let () = t.counts;
    let () = t.schedule;
    let () = t.norm;
    assert_eq!((t.scalar_count(), &t.started), (3, &None));
    t.rates[1] = 4.0;
    let mut moved = run.clone();
    moved.move_by(0.5, &t);
    assert_eq!(*moved.rates, [1.0, 4.0]);
    assert_eq!(
        (moved.schedule)(4.0) + (moved.norm)(&run.rates),
        2.0 + 3.0 + run.zero_tangent().norm2()
    );
}
