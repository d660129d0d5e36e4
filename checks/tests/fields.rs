//! Fields that are references to matrices and numbers, in operators, and fields that are indices of matrices: against differences.

use autodiff::{Differentiable, grad};
use nalgebra::{DMatrix, Matrix3, Vector3};
use ndarray::{Array1, Array2, array};

/// A fit to data that others own.
#[derive(Clone, Differentiable)]
struct Fit<'a> {
    #[constant]
    x: &'a Array2<f64>,
    #[constant]
    y: &'a Array1<f64>,
    lambda: f64,
}

#[grad]
impl Fit<'_> {
    fn cost(&self, w: &Array1<f64>) -> f64 {
        let r = self.x.dot(w) - self.y;
        0.5 * r.dot(&r) + self.lambda * w.dot(w)
    }

    fn scaled(&self, w: &Array1<f64>) -> f64 {
        let r = self.y - &self.x.dot(w);
        let s = self.y * &r;
        let t = self.y + self.y;
        s.sum() * self.lambda + (t * self.lambda).sum()
    }
}

#[derive(Clone, Differentiable)]
struct Frame<'a> {
    at: &'a Vector3<f64>,
    turn: &'a Matrix3<f64>,
    scale: &'a f64,
}

#[grad(order = 2)]
impl Frame<'_> {
    fn seen(&self, x: &Vector3<f64>) -> f64 {
        (self.turn * x - self.at).norm_squared() + x.norm() * self.scale
    }

    fn joined(&self, x: &Vector3<f64>) -> f64 {
        (x + self.at).dot(&(self.at + x)) * self.scale + self.scale / 2.0
    }

    fn changed(&self, x: &Vector3<f64>) -> f64 {
        let mut s = self.turn * self.at;
        s += self.at;
        s -= x;
        s.norm_squared() * self.scale * self.scale
    }
}

fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-5;
    (f(h) - f(-h)) / (2.0 * h)
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-7 * (1.0 + b.abs()), "{a} is not {b}");
}

macro_rules! fits {
    ($($grad:ident $f:ident),*) => {$({
        let x = array![[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]];
        let y = array![1.0, 0.2, -0.4];
        let fit = Fit { x: &x, y: &y, lambda: 0.1 };
        let w = array![0.3, -0.7];
        let (of_fit, of_w) = Fit::$grad(&fit, &w);
        for k in 0..2 {
            let along = |h| {
                let mut w = w.clone();
                w[k] += h;
                Fit::$f(&fit, &w)
            };
            assert_near(of_w[k], slope(along));
        }
        let along = |h| Fit::$f(&Fit { lambda: 0.1 + h, ..fit.clone() }, &w);
        assert_near(of_fit.lambda, slope(along));
    })*};
}

#[test]
fn constants() {
    fits!(cost_grad cost, scaled_grad scaled);
}

macro_rules! frames {
    ($($grad:ident $hvp:ident $f:ident),*) => {$({
        let at = Vector3::new(0.3, -0.4, 0.9);
        let turn = Matrix3::new(1.0, 0.2, 0.3, -0.4, 0.8, 0.1, 0.0, 0.5, 1.5);
        let scale = 0.7;
        let frame = Frame { at: &at, turn: &turn, scale: &scale };
        let x = Vector3::new(0.1, 0.2, -0.6);
        let (of_frame, of_x) = Frame::$grad(&frame, &x);
        for k in 0..3 {
            let step = |h| Vector3::from_fn(|i, _| if i == k { h } else { 0.0 });
            assert_near(of_x[k], slope(|h| Frame::$f(&frame, &(x + step(h)))));
            let moved = |h| Frame::$f(&Frame { at: &(at + step(h)), ..frame.clone() }, &x);
            assert_near(of_frame.at[k], slope(moved));
            let turned = |h| {
                let mut turn = turn;
                turn[(k, 1)] += h;
                Frame::$f(&Frame { turn: &turn, ..frame.clone() }, &x)
            };
            assert_near(of_frame.turn[(k, 1)], slope(turned));
        }
        let scaled = |h| Frame::$f(&Frame { scale: &(scale + h), ..frame.clone() }, &x);
        assert_near(of_frame.scale, slope(scaled));
        // Of second order, along one direction of all.
        let mut along = frame.zero_tangent();
        (along.at, along.scale) = (Vector3::new(0.2, -0.5, 0.4), 0.3);
        let dx = Vector3::new(-0.3, 0.8, 0.1);
        let (_, (of_frame, of_x)) = Frame::$hvp(&frame, &x, (&along, &dx));
        let gradient = |h: f64| {
            let at = at + along.at * h;
            let frame = Frame { at: &at, turn: &turn, scale: &(scale + along.scale * h) };
            Frame::$grad(&frame, &(x + dx * h))
        };
        for k in 0..3 {
            assert_near(of_x[k], slope(|h| gradient(h).1[k]));
            assert_near(of_frame.at[k], slope(|h| gradient(h).0.at[k]));
            assert_near(of_frame.turn[(k, 2)], slope(|h| gradient(h).0.turn[(k, 2)]));
        }
        assert_near(of_frame.scale, slope(|h| gradient(h).0.scale));
    })*};
}

#[test]
fn of_first_and_second_order() {
    frames!(seen_grad seen_hvp seen, joined_grad joined_hvp joined, changed_grad changed_hvp changed);
}

/// The ends of a bar.
#[derive(Clone, Copy, Differentiable)]
struct Bar {
    start: usize,
    end: usize,
}

#[derive(Clone, Differentiable)]
struct Chain {
    stiffness: Vec<f64>,
    #[constant]
    bars: Vec<Bar>,
}

#[grad(order = 2)]
impl Chain {
    fn assembled(&self) -> DMatrix<f64> {
        let mut k = DMatrix::<f64>::identity(3, 3);
        for (bar, s) in self.bars.iter().zip(&self.stiffness) {
            let ends = [bar.start, bar.end];
            for (i, a) in [(0, 1.0), (1, -1.0)] {
                for (j, b) in [(0, 1.0), (1, -1.0)] {
                    k[(ends[i], ends[j])] += s * s * a * b;
                }
            }
        }
        k
    }

    fn pliancy(&self, bar: &Bar) -> f64 {
        let k = self.assembled();
        let mut a = Array2::<f64>::zeros((3, 3));
        a[[bar.start, bar.end]] += k[(bar.end, bar.start)] * k[(2 * bar.start, bar.end)];
        a.sum() * k[(bar.start, bar.start)]
    }
}

#[test]
fn indices_of_matrices() {
    let bars = vec![Bar { start: 0, end: 1 }, Bar { start: 1, end: 2 }];
    let chain = Chain {
        stiffness: vec![0.7, 1.3],
        bars,
    };
    let moved = |k: usize, h: f64| {
        let mut chain = chain.clone();
        chain.stiffness[k] += h;
        chain
    };
    let first = Bar { start: 0, end: 1 };
    let of_bar = BarTangent { start: (), end: () };
    let of_chain = chain.pliancy_grad(&first).0;
    let along = ChainTangent {
        stiffness: vec![0.4, -0.9],
        bars: (),
    };
    let (_, slope_along) = chain.pliancy_jvp(&first, (&along, &of_bar));
    let mut sum = 0.0;
    for k in 0..2 {
        let truth = slope(|h| moved(k, h).pliancy(&first));
        assert_near(of_chain.stiffness[k], truth);
        sum += truth * along.stiffness[k];
    }
    assert_near(slope_along, sum);
    let (_, (curvature, _)) = chain.pliancy_hvp(&first, (&along, &of_bar));
    let gradient = |h: f64| {
        let mut chain = chain.clone();
        for (s, t) in chain.stiffness.iter_mut().zip(&along.stiffness) {
            *s += h * t;
        }
        chain.pliancy_grad(&first).0
    };
    for k in 0..2 {
        assert_near(curvature.stiffness[k], slope(|h| gradient(h).stiffness[k]));
    }
}
