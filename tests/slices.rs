//! Access by slices: in which order, of which width, under which paths.

use autodiff::slices::{FieldPath, Slice, SliceError, SliceMut, SlicePair};
use autodiff::{Differentiable, Parameters, Tangent};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    w: Vec<[f64; 2]>,
    b: f32,
    steps: usize,
    #[constant]
    scale: f64,
    norm: Option<Norm>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Norm {
    Root { gain: [f32; 2] },
    Both(f64, Vec<f64>),
    Off,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model<T> {
    rows: Vec<Vec<T>>,
    layers: [Layer; 2],
    pair: (T, Box<[T; 3]>),
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Chain {
    x: f64,
    next: Option<Box<Chain>>,
}

/// Written by hand, and says nothing of slices.
#[derive(Clone, Debug, PartialEq)]
struct Angle(f32, f64);

impl Differentiable for Angle {
    type Tangent = Turn;
    fn zero_tangent(&self) -> Turn {
        Turn(0.0, 0.0)
    }
    fn write_flat(&self, out: &mut [f64]) {
        out[..2].copy_from_slice(&[f64::from(self.0), self.1]);
    }
}

impl Parameters for Angle {
    fn move_by(&mut self, scale: f64, t: &Turn) {
        self.0 += (scale * t.0) as f32;
        self.1 += scale * t.1;
    }
    fn read_flat(&mut self, flat: &[f64]) {
        *self = Angle(flat[0] as f32, flat[1]);
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Turn(f64, f64);

impl Tangent for Turn {
    fn zero_like(&self) -> Self {
        Turn(0.0, 0.0)
    }
    fn add_scaled(&mut self, s: f64, t: &Self) {
        self.0 += s * t.0;
        self.1 += s * t.1;
    }
    fn inner(&self, t: &Self) -> f64 {
        self.0 * t.0 + self.1 * t.1
    }
    fn scalar_count(&self) -> usize {
        2
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        f(&mut self.0);
        f(&mut self.1);
    }
    fn write_flat(&self, out: &mut [f64]) {
        out[..2].copy_from_slice(&[self.0, self.1]);
    }
}

fn layer(norm: Option<Norm>) -> Layer {
    Layer {
        w: vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        b: 7.0,
        steps: 3,
        scale: 9.0,
        norm,
    }
}

fn model() -> Model<f32> {
    Model {
        rows: vec![vec![1.0, 2.0], vec![], vec![3.0]],
        layers: [
            layer(Some(Norm::Root { gain: [0.1, 0.2] })),
            layer(Some(Norm::Both(0.3, vec![0.4, 0.5]))),
        ],
        pair: (8.0, Box::new([9.0, 10.0, 11.0])),
    }
}

/// A tangent whose scalars are 1, 2, 3, … in order.
fn counted<P: Differentiable>(p: &P) -> P::Tangent {
    let mut t = p.zero_tangent();
    let mut next = 0.0;
    t.for_each_scalar(&mut |x| {
        next += 1.0;
        *x = next;
    });
    t
}

/// Path, width and length of each slice, where with a tangent and without one it has to be the same.
fn listed<P: Parameters>(p: &mut P) -> Vec<String> {
    let t = counted(p);
    let mut paths = Vec::new();
    let mut seen = Vec::new();
    let mut list = |path: &FieldPath<'_>, pair: SlicePair<'_>| {
        let text = path.to_string();
        assert!(*path == *text && *path != *format!("{text}x"));
        paths.push(match pair {
            SlicePair::F32(p, t) => {
                seen.extend(t.unwrap_or_default().iter().copied().map(f64::from));
                format!("{text}: {} f32", p.len())
            }
            SlicePair::F64(p, t) => {
                seen.extend_from_slice(t.unwrap_or_default());
                format!("{text}: {} f64", p.len())
            }
        });
    };
    p.walk_slices(Some(&t), &FieldPath::Whole, &mut list)
        .unwrap();
    p.walk_slices(None, &FieldPath::Whole, &mut list).unwrap();
    assert_eq!(
        seen,
        t.to_flat(),
        "each number of the tangent once, in order"
    );
    let alone = paths.split_off(paths.len() / 2);
    assert_eq!(paths, alone);
    paths
}

#[test]
fn slices_come_in_the_order_of_fields_with_their_paths() {
    assert_eq!(
        listed(&mut model()),
        [
            "rows[0]: 2 f32",
            "rows[1]: 0 f32",
            "rows[2]: 1 f32",
            "layers[0].w: 6 f64",
            "layers[0].b: 1 f32",
            "layers[0].norm.gain: 2 f32",
            "layers[1].w: 6 f64",
            "layers[1].b: 1 f32",
            "layers[1].norm.0: 1 f64",
            "layers[1].norm.1: 2 f64",
            "pair.0: 1 f32",
            "pair.1: 3 f32",
        ]
    );
}

#[test]
fn what_lies_side_by_side_is_one_slice() {
    assert_eq!(listed(&mut 1.0_f64), [": 1 f64"]);
    assert_eq!(listed(&mut [1.0_f32; 3]), [": 3 f32"]);
    assert_eq!(listed(&mut vec![[[1.0; 2]; 3]; 4]), [": 24 f64"]);
    assert_eq!(listed(&mut [[0.0; 0]; 3]), [] as [&str; 0]);
    assert_eq!(listed(&mut Vec::<f64>::new()), [": 0 f64"]);
    let mut list = vec![(1.0, 2_usize), (3.0, 4)];
    assert_eq!(listed(&mut list), ["[0].0: 1 f64", "[1].0: 1 f64"]);
    assert_eq!(listed(&mut vec![Some(1.0), None]), ["[0]: 1 f64"]);
    assert_eq!(listed(&mut ("text".to_owned(), 5_usize)), [] as [&str; 0]);
    let mut chain = Chain {
        x: 1.0,
        next: Some(Box::new(Chain { x: 2.0, next: None })),
    };
    assert_eq!(listed(&mut chain), ["x: 1 f64", "next.x: 1 f64"]);
    let mut boxed: Box<[f32]> = vec![1.0; 5].into();
    assert_eq!(listed(&mut boxed), [": 5 f32"]);
}

#[test]
fn types_that_say_nothing_of_slices_hand_out_their_scalars() {
    let mut angles = vec![Angle(1.0, 2.0), Angle(3.0, 4.0)];
    assert_eq!(listed(&mut angles), ["[0]: 2 f64", "[1]: 2 f64"]);
    let t = vec![Turn(1.0, 0.0), Turn(0.0, 1.0)];
    angles
        .walk_slices(Some(&t), &FieldPath::Whole, &mut |_, pair| {
            if let SlicePair::F64(p, Some(t)) = pair {
                p.iter_mut().zip(t).for_each(|(p, t)| *p += 10.0 * t);
            }
        })
        .unwrap();
    assert_eq!(angles, [Angle(11.0, 2.0), Angle(3.0, 14.0)]);
    let mut t = (Turn(1.0, 2.0), 3.0_f32);
    t.for_each_slice(&mut |slice| match slice {
        SliceMut::F32(xs) => xs.iter_mut().for_each(|x| *x *= 2.0),
        SliceMut::F64(xs) => xs.iter_mut().for_each(|x| *x *= 3.0),
    });
    assert_eq!(t, (Turn(3.0, 6.0), 6.0));
}

#[test]
fn tangents_are_read_and_changed_slice_by_slice() {
    let mut t = counted(&model());
    let mut flat = Vec::new();
    let mut widths = Vec::new();
    t.visit_slices(&mut |slice| match slice {
        Slice::F32(xs) => {
            flat.extend(xs.iter().copied().map(f64::from));
            widths.push((32, xs.len()));
        }
        Slice::F64(xs) => {
            flat.extend_from_slice(xs);
            widths.push((64, xs.len()));
        }
    });
    assert_eq!(flat, t.to_flat());
    let mut changed = Vec::new();
    t.for_each_slice(&mut |slice| match slice {
        SliceMut::F32(xs) => {
            changed.push((32, xs.len()));
            xs.fill(1.0);
        }
        SliceMut::F64(xs) => {
            changed.push((64, xs.len()));
            xs.fill(1.0);
        }
    });
    assert_eq!(changed, widths);
    assert!(t.to_flat().iter().all(|x| *x == 1.0));
    t.scale_by(3.0);
    assert!(t.to_flat().iter().all(|x| *x == 3.0));
}

#[test]
fn a_tangent_that_does_not_fit_is_named_by_its_path() {
    let error = |p: &mut Model<f32>, t: &ModelTangent<f32>| {
        let mut visited = 0;
        let walk = p.walk_slices(Some(t), &FieldPath::Whole, &mut |_, _| visited += 1);
        (walk.unwrap_err(), visited)
    };
    let mut p = model();
    let mut t = p.zero_tangent();
    t.layers[1].w.pop();
    let (found, visited) = error(&mut p, &t);
    assert_eq!(
        found.to_string(),
        "`layers[1].w` has length 3, but its tangent has length 2"
    );
    assert_eq!((found.path(), visited), ("layers[1].w", 6));
    let mut t = p.zero_tangent();
    t.rows.push(vec![]);
    assert_eq!(
        error(&mut p, &t).0.to_string(),
        "`rows` has length 3, but its tangent has length 4"
    );
    let t = p.zero_tangent();
    p.layers[0].norm = Some(Norm::Off);
    assert_eq!(
        error(&mut p, &t).0,
        SliceError::new(
            &FieldPath::Field(&FieldPath::Whole, "layers[0].norm"),
            "is of another variant than its tangent"
        )
    );
    let mut list = vec![1.0];
    let none = list.walk_slices(Some(&vec![]), &FieldPath::Whole, &mut |_, _| {});
    assert_eq!(
        none.unwrap_err().to_string(),
        "the value has length 1, but its tangent has length 0"
    );
}

#[test]
fn no_tangent_of_an_option_is_zero() {
    let mut p = (Some([1.0, 2.0]), 3.0);
    let mut pairs = Vec::new();
    p.walk_slices(Some(&(None, 1.0)), &FieldPath::Whole, &mut |path, pair| {
        if let SlicePair::F64(p, t) = pair {
            pairs.push((path.to_string(), p.to_vec(), t.map(<[f64]>::to_vec)));
        }
    })
    .unwrap();
    assert_eq!(
        pairs,
        [
            ("0".to_owned(), vec![1.0, 2.0], None),
            ("1".to_owned(), vec![3.0], Some(vec![1.0]))
        ]
    );
}

#[test]
fn paths_are_compared_without_being_written() {
    let list = FieldPath::Field(&FieldPath::Whole, "a");
    for k in [0, 7, 10, 120, usize::MAX] {
        let item = FieldPath::Item(&list, k);
        let field = FieldPath::Field(&item, "b");
        assert!(field == *format!("a[{k}].b"));
        for other in [
            "", "a", "a[].b", "a[0]b", "[0].b", "aa[0].b", "a[00].b", "a[20].b",
        ] {
            assert!(field != *other, "{field} {other}");
        }
    }
    assert!(FieldPath::Whole == "" && list == "a" && list != "" && FieldPath::Whole != "a");
}
