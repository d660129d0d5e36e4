//! Names: of the user like those of generated code, from macros, in modules without a prelude, and of the crate itself.

use autodiff::grad;

/// Each binds a variable of a name that its argument mentions.
macro_rules! weighted {
    ($name:ident, $x:ident, $e:expr) => {
        #[grad]
        fn $name($x: f64) -> f64 {
            let s = 3.0 * $x;
            let x = s * s;
            let mut total = 0.0;
            for k in 0..2 {
                let s = $e;
                total += s * x + f64::from(k);
            }
            total * s
        }
    };
}

weighted!(same_names, x, x * x);
weighted!(other_names, y, y.sin());

macro_rules! around {
    ($name:ident, |$s:ident| $e:expr) => {
        #[grad]
        fn $name($s: f64) -> f64 {
            let t = $s + 1.0;
            {
                let s = t * 2.0;
                let inner = $e;
                inner * s + t
            }
        }
    };
}

around!(shadowed_by_the_macro, |s| s * s);

macro_rules! in_a_macro {
    ($($name:ident = $factor:literal;)*) => {$(
        #[grad]
        fn $name(x: f64, xs: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in xs {
                s += v * x * $factor;
            }
            println!("{s} {x}");
            s * s
        }
    )*};
}

in_a_macro! {
    twofold = 2.0;
    threefold = 3.0;
}

/// Variables named like those of generated code.
#[grad]
#[allow(non_snake_case)]
fn names_like_ours(tape: f64, seed: &[f64], d_x: f64, r#type: f64) -> f64 {
    let mut slot = [tape, d_x];
    let mut value = r#type;
    let x_dot = seed[0] * tape;
    for rounds in 0..seed.len() {
        let back = slot[0] * value + x_dot;
        slot[1] = back * seed[rounds];
        let rt = slot[1].sin();
        value += rt * d_x;
        let tape_0 = if value > 0.0 { value * back } else { rt };
        slot[0] = tape_0;
    }
    let d_tape = value;
    let zero = d_tape * slot[1];
    let bars = zero + slot[0];
    let arm = if bars > 0.0 { bars.sqrt() } else { x_dot };
    let kept = arm * r#type;
    kept + d_tape
}

/// The parameters are named like the shadows and tangents of each other.
#[grad]
fn parameters_like_ours(x: f64, d_x: f64, dot_x: f64, dot_d_x: &[f64], d_dot_d_x: &[f64]) -> f64 {
    x * d_x * dot_x + dot_d_x[0] * d_dot_d_x[0] * x
}

fn inner_functions(x: f64) -> f64 {
    #[grad]
    fn square(v: f64) -> f64 {
        v * v
    }
    #[grad]
    fn quartic(v: f64) -> f64 {
        square(square(v))
    }
    quartic::grad(x)
}

mod renamed {
    pub(super) use autodiff as ad;

    #[ad::grad(crate = crate::corpus::hygiene::renamed::ad)]
    pub(super) fn through(xs: &[f64], k: f64) -> f64 {
        let mut v = xs.to_vec();
        v[0] *= k;
        let s: f64 = v.iter().map(|x| x * x * k).sum();
        s + half(k) + ad::stop_gradient(k)
    }

    #[ad::grad(crate = ad)]
    fn half(x: f64) -> f64 {
        x * 0.5
    }
}

#[no_implicit_prelude]
mod bare {
    #[::autodiff::grad]
    pub(super) fn mean(xs: &[f64], w: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..xs.len() {
            s += if xs[i] > w { xs[i] * w } else { xs[i] * xs[i] };
        }
        let mut left = 3;
        while left > 0 {
            left -= 1;
            s = s * 0.5 + w;
        }
        s / xs.len() as f64
    }

    #[::autodiff::grad]
    pub(super) fn generic<T: ::autodiff::Float>(x: T, n: u32) -> T {
        if n == 0 {
            x
        } else {
            generic(x * x, n - 1) + apply(|t| t * x, x)
        }
    }

    #[::autodiff::grad]
    fn apply<T: ::autodiff::Float, F: ::core::ops::Fn(T) -> T>(f: F, x: T) -> T {
        f(f(x)).sin()
    }
}

#[test]
fn variables_of_macros() {
    check!(same_names(value x = 0.7));
    check!(other_names(value y = 0.7));
    check!(shadowed_by_the_macro(value s = 0.7));
    check!(twofold(value x = 0.7, shared xs = [0.3, 0.5]));
    check!(threefold(value x = 0.7, shared xs = [0.3, 0.5]));
}

#[test]
fn names_of_generated_code() {
    check!(names_like_ours(value tape = 0.7, shared seed = [0.3, -0.4], value d_x = 0.9, value r#type = 1.1));
    check!(parameters_like_ours(value x = 0.7, value d_x = 0.3, value dot_x = -0.4, shared dot_d_x = [0.9], shared d_dot_d_x = [1.1]));
}

#[test]
fn inner_functions_have_derivatives() {
    assert_eq!(inner_functions(2.0), 32.0);
}

use bare::{generic, mean};
use renamed::through;

#[test]
fn crates_and_preludes() {
    check!(mean(shared xs = [0.7, 0.2, 1.4], value w = 0.5));
    check!(generic(value x = 0.7, constant n = 2));
    let (value, (xs, k)) = through::value_and_grad(&[0.5, 2.0], 3.0);
    assert_eq!(value, through(&[0.5, 2.0], 3.0));
    assert_eq!((xs, k), (vec![27.0, 12.0], 11.25));
}
