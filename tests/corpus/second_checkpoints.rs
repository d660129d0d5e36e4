//! Second derivatives of loops with `#[checkpoint]` are what they are without.

use crate::check::near;

/// The same functions without, in two schedules, and by the option of the function.
macro_rules! curved {
    ($($module:ident: $(#[$loops:meta])* / $($option:ident)?;)*) => {$(
        mod $module {
            use autodiff::{Differentiable, Float, grad};

            #[derive(Clone, Copy, Differentiable)]
            pub(super) struct Spring {
                x: f64,
                v: f64,
            }

            #[grad(order = 2)]
            fn pull(x: f64, weights: &[f64]) -> f64 {
                let mut s = 0.0;
                for w in weights {
                    s += (x * w).sin();
                }
                s
            }

            #[grad(order = 2 $(, $option)?)]
            pub(super) fn swings(xs: &[f64], k: f64, n: usize) -> f64 {
                let weights = [k, xs[0] * k];
                let mut s = Spring { x: xs[0], v: xs[1] };
                let (mut v, mut count) = (xs.to_vec(), 0);
                $(#[$loops])*
                for i in (0..n).rev() {
                    count += i % 2;
                    s.v -= 0.1 * pull(s.x, &weights);
                    s.x += 0.1 * s.v;
                    v[i % 2] = v[count % 2] * s.x + k;
                }
                s.x * s.v + v[0] * v[1]
            }

            #[grad(order = 2 $(, $option)?)]
            pub(super) fn until(x: f64, k: f64, n: usize) -> f64 {
                let (mut s, mut rounds) = (x, 0);
                $(#[$loops])*
                while s < 4.0 && rounds < n {
                    s += k * s * s.sin() + 0.1;
                    rounds += 1;
                }
                s * s * k
            }

            #[grad(order = 3 $(, $option)?)]
            pub(super) fn of_any_float<T: Float>(x: T, n: usize) -> T {
                let mut s = x;
                $(#[$loops])*
                for _ in 0..n {
                    s = (s * x).cos();
                }
                s
            }

            /// Third derivatives of the loop.
            #[grad(order = 2)]
            pub(super) fn slopes(x: f64, k: f64, n: usize) -> f64 {
                of_any_float::grad(x * k, n) * k + of_any_float(x, 2)
            }

            impl Spring {
                #[grad(order = 2 $(, $option)?)]
                fn run(&self, n: usize) -> f64 {
                    let mut s = *self;
                    $(#[$loops])*
                    for _ in 0..n {
                        s.v -= 0.1 * s.x * self.x;
                        s.x += 0.1 * s.v;
                    }
                    s.x
                }
            }

            #[derive(Clone, Differentiable)]
            enum Phase {
                Rising(f64),
                Falling { by: f64, rate: f64 },
            }

            /// States that are matched, numbers converted, and what is asserted.
            #[grad(order = 2 $(, $option)?)]
            pub(super) fn phases(x: f64, k: f64, n: usize) -> f64 {
                let (mut s, mut phase) = (x, Phase::Rising(k));
                $(#[$loops])*
                for i in 0..n {
                    let Some(third) = Some(usize::max(i, 1) % 3) else {
                        panic!("of a number there is one");
                    };
                    s = match &phase {
                        Phase::Rising(by) | Phase::Falling { by, rate: _ } if s < 0.5 && !(i == 1) => {
                            s + by * f64::from(third as u32)
                        }
                        Phase::Rising(rate) | Phase::Falling { rate, .. } => s * rate.cos(),
                    };
                    assert!(s.is_finite() && !(s.abs() > 100.0));
                    let odd = if (i + 1) % 2 == 0 { 1 } else { 3 };
                    let weight = match (i, odd) {
                        (0, _) => 0.5,
                        (_, 1) => 1.0,
                        _ => 0.25,
                    };
                    s = (s * weight + 0.1 * odd as f64).sin();
                    phase = match i % 4 {
                        0 if third > 0 => Phase::Falling { by: s * k, rate: k },
                        1 | 2 => phase,
                        _ => Phase::Rising(s.sin()),
                    };
                }
                match phase {
                    Phase::Rising(last) | Phase::Falling { by: last, .. } => s * last,
                }
            }

            #[grad(order = 2 $(, $option)?)]
            fn step(u: &mut [f64], k: f64, n: usize) {
                let mut v = u.to_vec();
                $(#[$loops])*
                for _ in 0..n {
                    v.swap(0, 1);
                    v[1] = v[0].sin() * k;
                }
                u.copy_from_slice(&v);
            }

            #[grad(order = 2)]
            pub(super) fn within(x: f64, k: f64, n: usize) -> f64 {
                let mut u = [x, k];
                step(&mut u, k, n);
                u[0] * u[1] * Spring { x, v: k }.run(n)
            }
        }
    )*};
}

curved! {
    curved: /;
    curved_in_steps: #[checkpoint(every = 3)] /;
    curved_by_the_schedule: #[checkpoint] /;
    curved_by_the_option: / checkpoint;
}

#[test]
fn second_derivatives() {
    macro_rules! same {
        ($name:ident($($arg:tt)*)) => {
            let plain = curvature!(curved::$name, $($arg)*);
            { use curved_in_steps::$name; check_second!($name($($arg)*)); }
            near(&curvature!(curved_in_steps::$name, $($arg)*), &plain, 1e-13);
            { use curved_by_the_schedule::$name; check_second!($name($($arg)*)); }
            near(&curvature!(curved_by_the_schedule::$name, $($arg)*), &plain, 1e-13);
            near(&curvature!(curved_by_the_option::$name, $($arg)*), &plain, 1e-13);
        };
    }
    for n in [0, 7, 200] {
        same!(swings(shared xs = [0.5, -1.2], value k = 0.8, constant n = n));
        same!(until(value x = 0.7, value k = 0.2, constant n = n));
        same!(slopes(value x = 0.7, value k = 0.9, constant n = n));
        same!(phases(value x = 0.7, value k = 0.9, constant n = n));
    }
    same!(within(value x = 0.7, value k = 0.9, constant n = 7));
}
