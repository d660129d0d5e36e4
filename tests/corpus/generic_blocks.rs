//! Methods of types that have parameters: `#[grad]` on the block, which knows them.

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[derive(Clone, Differentiable)]
struct Wave<T> {
    height: T,
    rates: [T; 2],
}

#[grad]
impl<T: Float> Wave<T> {
    fn at(&self, t: T) -> T {
        self.height * t + (self.rates[1] * t).sin()
    }

    fn owned(self, t: T) -> T {
        self.rates[0] * t
    }

    fn grow(&mut self, by: T) -> T {
        self.height = self.height * by;
        self.height * self.rates[0]
    }

    fn twice(&self, t: T) -> T {
        self.at(self.at(t))
    }
}

#[derive(Clone, Differentiable)]
struct Weighted<'a> {
    scale: f64,
    #[constant]
    weights: &'a [f64],
}

#[grad]
impl<'a> Weighted<'a> {
    fn sum(&self, y: f64) -> f64 {
        let mut sum = 0.0;
        for w in self.weights {
            sum += w * y * self.scale;
        }
        sum
    }

    fn rescale(&mut self, by: f64) {
        self.scale *= by;
    }
}

#[grad]
impl Weighted<'_> {
    fn first(&self, y: f64) -> f64 {
        self.scale * y * self.weights[0]
    }
}

#[grad]
fn uses_both(a: f64, y: f64) -> f64 {
    let mut wave = Wave {
        height: a,
        rates: [y, a * y],
    };
    let grown = wave.grow(y);
    let mut weighted = Weighted {
        scale: y,
        weights: &[3.0, 1.0],
    };
    weighted.rescale(a);
    wave.twice(y) * grown + weighted.sum(a) + weighted.first(y) + wave.owned(a)
}

#[test]
fn functions_call_methods_of_generic_types() {
    check!(uses_both(value a = 0.7, value y = 1.3));
    check!(uses_both(value a = -0.2, value y = 0.4));
}

#[test]
fn methods_of_generic_types_have_derivatives() {
    let wave = Wave {
        height: 2.0,
        rates: [0.3, 0.4],
    };
    let (bar, dt) = wave.at_grad(3.0);
    near(&bar.height, &3.0, 1e-15);
    near(&bar.rates, &[0.0, 3.0 * 1.2_f64.cos()], 1e-15);
    near(&dt, &(2.0 + 0.4 * 1.2_f64.cos()), 1e-15);
    let (value, back) = wave.owned_pullback(3.0);
    let (bar, dt) = back(2.0);
    near(&(value, bar.rates, dt), &(0.9, [6.0, 0.0], 0.6), 1e-15);
    let single = Wave {
        height: 2.0_f32,
        rates: [0.3, 0.4],
    };
    near(&single.at_grad(3.0).1, &(2.0 + 0.4 * 1.2_f32.cos()), 1e-6);
}

#[test]
fn methods_of_types_with_lifetimes_have_derivatives() {
    let weights = [3.0, 1.0];
    let weighted = Weighted {
        scale: 2.0,
        weights: &weights,
    };
    assert_eq!(weighted.sum_grad(5.0).1, 8.0);
    let (bar, dy) = weighted.first_vjp(5.0, 2.0).1;
    assert_eq!((bar.scale, dy), (30.0, 12.0));
    let (value, tangent) = weighted.sum_jvp(5.0, (&bar, 1.0));
    assert_eq!((value, tangent), (40.0, 20.0 * 30.0 + 8.0));
}

#[derive(Clone, Debug, Differentiable)]
struct Weights {
    w: [f64; 3],
}

#[grad(order = 2)]
impl Weights {
    fn rows<const N: usize>(&self, x: [f64; N]) -> f64 {
        let mut s = 0.0;
        for i in 0..N {
            s += x[i] * (self.w[i % 3] * x[0]).sin();
        }
        s
    }

    fn at<const K: usize>(&self, x: f64) -> f64 {
        self.w[K].sin() * x
    }
}

#[grad(order = 2)]
fn of_lengths(w: [f64; 3], x: [f64; 4]) -> f64 {
    let m = Weights { w };
    m.rows(x) + m.rows([x[1], x[2]]) * m.at::<2>(x[3])
}

#[derive(Clone, Debug, Differentiable)]
struct Ring<T, const D: usize> {
    w: [T; D],
}

#[grad]
impl<T: Float, const D: usize> Ring<T, D> {
    fn rows<const N: usize>(&self, x: &[T; N]) -> T {
        let mut s = x[0];
        for i in 0..N {
            s = s + x[i] * self.w[i % D].sin();
        }
        s
    }
}

#[test]
fn methods_with_lengths_of_their_own() {
    let m = Weights {
        w: [0.4, -0.7, 1.1],
    };
    let (by_m, by_x) = m.rows_grad([0.3, 0.8]);
    let (c0, c1) = ((0.12_f64).cos(), (-0.21_f64).cos());
    near(&by_m.w, &[0.09 * c0, 0.24 * c1, 0.0], 1e-15);
    near(&by_x[1], &(-0.21_f64).sin(), 1e-15);
    let (by_m, by_x) = m.at_grad::<2>(0.5);
    near(&by_m.w, &[0.0, 0.0, 0.5 * 1.1_f64.cos()], 1e-15);
    near(&by_x, &1.1_f64.sin(), 1e-15);
    check!(of_lengths(value w = [0.4, -0.7, 1.1], value x = [0.3, 0.8, -0.4, 0.9]));
    check_second!(of_lengths(value w = [0.4, -0.7, 1.1], value x = [0.3, 0.8, -0.4, 0.9]));
    let (by_w, by_x) = Ring { w: [0.1, 0.2] }.rows_grad(&[1.0, 2.0, 3.0]);
    near(&by_w.w, &[4.0 * 0.1_f64.cos(), 2.0 * 0.2_f64.cos()], 1e-15);
    near(
        &by_x,
        &[1.0 + 0.1_f64.sin(), 0.2_f64.sin(), 0.1_f64.sin()],
        1e-15,
    );
}

/// Its methods have `#[grad]` one by one, which do not see the block.
#[derive(Clone, Debug, Differentiable)]
struct Line<T> {
    from: T,
    slope: T,
}

impl<T: Float> Line<T> {
    #[grad]
    fn through(x: T, y: T, slope: T) -> Self {
        let from = y - slope * x;
        Line { from, slope }
    }

    #[grad(order = 2)]
    fn at_alone(&self, x: T) -> T {
        self.from + self.slope * x * x
    }

    #[grad]
    fn both(&self, xs: &mut [T], n: usize) -> T {
        for k in 0..n {
            xs[k] = xs[k] * self.slope;
        }
        xs[0] * self.at_alone(xs[1])
    }

    #[grad]
    fn checked(&self, x: T) -> Result<T, String> {
        if x < x - x {
            return Err("left of it".to_owned());
        }
        let half = T::from_f64(0.5);
        Ok(self.at_alone(x) * half)
    }
}

#[test]
fn methods_of_generic_blocks_stand_alone() {
    let line = Line {
        from: 0.3,
        slope: 1.2,
    };
    let (value, (of_line, of_x)) = line.at_alone_value_and_grad(0.7);
    near(&value, &(0.3 + 1.2 * 0.49), 1e-12);
    near(&of_line.from, &(1.0), 1e-12);
    near(&of_line.slope, &(0.49), 1e-12);
    near(&of_x, &(1.2 * 1.4), 1e-12);
    let h = line.at_alone_hessian(0.7);
    near(&h[[1, 2]], &(1.4), 1e-12);
    near(&h[[2, 2]], &(2.4), 1e-12);

    let of_through = Line::<f64>::through_jacobian(0.7, 0.4, 1.2);
    near(&of_through[[0, 0]], &(-1.2), 1e-12);
    near(&of_through[[0, 2]], &(-0.7), 1e-12);

    // x0 s (a + s (s x1)²) = x0 a s + x0 x1² s⁴
    let (mut xs, mut of_xs) = ([0.7, 0.5], [0.0; 2]);
    let (_, of_line) = line.both_vjp(&mut xs, 2, 1.0, &mut of_xs);
    near(&of_line.from, &(0.7 * 1.2), 1e-12);
    near(
        &of_line.slope,
        &(0.7 * 0.3 + 4.0 * 0.7 * 0.25 * 1.728),
        1e-12,
    );
    near(&of_xs[1], &(2.0 * 0.7 * 0.5 * 1.2_f64.powi(4)), 1e-12);

    let (value, (_, of_x)) = line.checked_value_and_grad(0.7).unwrap();
    near(&value, &((0.3 + 1.2 * 0.49) / 2.0), 1e-12);
    near(&of_x, &(1.2 * 0.7), 1e-12);
    assert!(line.checked_grad(-1.0).is_err());
}
