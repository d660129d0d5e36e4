//! Code that is there under a condition of the build: statements, arms, fields, in functions and in methods.

// Clippy asks for the newer attribute, which people have not all written.
#![allow(clippy::deprecated_cfg_attr)]

use autodiff::{Differentiable, grad};

use crate::check::near;

#[grad(order = 2)]
fn statements(x: f64, y: f64) -> f64 {
    #[cfg(any())]
    let x = 100.0 * x;
    let mut s = x;
    for k in 0..3 {
        #[cfg(not(all()))]
        continue;
        s *= match k {
            #[cfg(any())]
            1 => 2.0,
            #[cfg(any(unix, not(unix)))]
            0 => y,
            _ => 0.5,
        };
        #[cfg(any(unix, not(unix)))]
        s += x * x;
        #[cfg(any())]
        s -= y;
    }
    #[cfg(not(any()))]
    {
        s += y.sin();
    }
    s * x
}

/// What is not there need not compile.
#[grad(order = 2)]
fn one_of_two(angle: f64) -> f64 {
    let doubled = 2.0 * angle;
    #[cfg(any())]
    {
        doubled.wrapped_as_elsewhere()
    }
    #[cfg(not(any()))]
    {
        doubled.rem_euclid(core::f64::consts::TAU) * angle
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    mass: f64,
    size: f64,
}

#[grad]
impl Body {
    fn inertia(&self, scale: f64) -> f64 {
        #[cfg(any())]
        return self.mass * self.depth;
        let size = self.size * scale;
        #[cfg(any(unix, not(unix)))]
        let size = size * size;
        self.mass * size
    }

    fn grown(&self, by: f64) -> Body {
        Body {
            #[cfg(any())]
            mass: self.depth,
            #[cfg(not(any()))]
            mass: self.mass * by,
            size: self.size + by,
        }
    }
}

#[test]
fn what_is_there_is_differentiated() {
    check!(statements(value x = 1.5, value y = 0.7));
    check_second!(statements(value x = 1.5, value y = 0.7));
    check!(one_of_two(value angle = 4.0));
    check_second!(one_of_two(value angle = 4.0));
}

#[test]
fn methods_as_well() {
    let body = Body {
        mass: 2.0,
        size: 3.0,
    };
    let (value, (of_body, of_scale)) = body.inertia_value_and_grad(0.5);
    near(&value, &4.5, 1e-15);
    near(&of_body.mass, &2.25, 1e-15);
    near(&of_body.size, &3.0, 1e-15);
    near(&of_scale, &18.0, 1e-15);
    let seed = BodyTangent {
        mass: 1.0,
        size: 10.0,
    };
    let (_, (of_body, by)) = body.grown_vjp(4.0, seed);
    near(&of_body.mass, &4.0, 1e-15);
    near(&by, &12.0, 1e-15);
}

/// Attributes that say nothing of what is there.
#[grad(order = 2)]
fn laid_out(x: f64, y: f64) -> f64 {
    #[cfg_attr(rustfmt, rustfmt_skip)]
    let m = [
        x, 2.0 * y,
        y, x * y,
    ];
    m[0] * m[3] - m[1] * m[2]
}

#[test]
fn attributes_under_a_condition() {
    check!(laid_out(value x = 1.5, value y = 0.7));
    check_second!(laid_out(value x = 1.5, value y = 0.7));
}
