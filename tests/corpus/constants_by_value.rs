//! Constants of types that the macro does not know, passed by value: whoever passes them may have a tangent for them, or none.

use autodiff::{Differentiable, grad};

/// It has a derivative.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Field {
    pub strength: f64,
    pub cells: i32,
}

/// It has none.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    Linear,
    Square,
}

/// It has one, of lists.
#[derive(Clone, Debug, Differentiable)]
pub enum Shape {
    Even,
    Listed(Vec<f64>),
}

type Span = (Field, Field);
type Steps = (i32, i32);

#[grad(order = 2)]
fn scaled(#[constant] field: Field, x: f64) -> f64 {
    field.strength * x * x
}

#[grad(order = 2)]
fn by_law(x: f64, #[constant] law: Law) -> f64 {
    match law {
        Law::Linear => x,
        Law::Square => x * x,
    }
}

#[grad(order = 2)]
fn by_shape(#[constant] shape: Shape, x: f64) -> f64 {
    match shape {
        Shape::Even => x * x,
        Shape::Listed(v) => v[0] * x * x * x,
    }
}

#[grad(constant)]
fn cells((a, b): Span) -> f64 {
    f64::from(b.cells - a.cells)
}

#[grad(constant)]
fn steps((a, b): Steps) -> f64 {
    f64::from(b - a)
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Body {
    mass: f64,
    field: Field,
}

#[grad(order = 2)]
impl Body {
    fn in_field(&self, #[constant] field: Field, x: f64) -> f64 {
        field.strength * self.mass * x
    }

    fn energy(&self, x: f64) -> f64 {
        self.in_field(self.field, x) + scaled(self.field, x * self.mass)
    }
}

#[grad(order = 2)]
fn of_a_variable(field: Field, x: f64, n: usize) -> f64 {
    let mut sum = field.strength * x;
    for k in 0..n {
        sum += scaled(field, x) * cells((field, field)) + by_law(x, Law::Square);
        let other = Field {
            strength: sum,
            cells: k as i32,
        };
        sum += scaled(other, x);
    }
    sum
}

#[grad(order = 2)]
fn of_what_is_made(x: f64, shape: Shape, span: Steps) -> f64 {
    let own = Shape::Listed(vec![x, 2.0]);
    by_shape(own, x)
        + by_shape(shape, x) * steps(span)
        + by_shape(Shape::Even, x)
        + by_law(x, Law::Linear)
}

#[test]
fn what_is_passed_as_a_constant_is_one() {
    let (s, x, m) = (1.5, 0.7, 2.0);
    let field = Field {
        strength: s,
        cells: 3,
    };
    let body = Body { mass: m, field };
    // s m x + s (x m)², with s a constant.
    let (d_body, d_x) = body.energy_grad(x);
    let wanted = [
        s * x + 2.0 * s * x * x * m,
        0.0,
        s * m + 2.0 * s * x * m * m,
    ];
    crate::check::near(&[d_body.mass, d_body.field.strength, d_x], &wanted, 1e-14);
    let along = BodyTangent {
        mass: 1.0,
        field: FieldTangent {
            strength: 5.0,
            cells: (),
        },
    };
    let (_, dot) = body.energy_jvp(x, (&along, 0.5));
    crate::check::near(&dot, &(wanted[0] + 0.5 * wanted[2]), 1e-14);
    // The same for second derivatives, of which those by `s` are those of a constant: 2 s x m² …
    let hessian = body.energy_hessian(x);
    let mixed = s + 4.0 * s * x * m;
    let wanted = [
        2.0 * s * x * x,
        0.0,
        mixed,
        0.0,
        0.0,
        0.0,
        mixed,
        0.0,
        2.0 * s * m * m,
    ];
    crate::check::near(hessian.as_slice(), &wanted[..], 1e-13);
}

#[test]
fn what_a_loop_passes_as_a_constant_is_one() {
    let (s, x) = (1.5, 0.7);
    let field = Field {
        strength: s,
        cells: 3,
    };
    // Each round adds x² and the sum as it then is, a constant, times x².
    let mut sum = s * x;
    let mut by_x = s;
    for _ in 0..2 {
        (sum, by_x) = (sum + x * x, by_x + 2.0 * x);
        (sum, by_x) = (sum + sum * x * x, by_x + 2.0 * sum * x);
    }
    let (value, (d_field, d_x)) = of_a_variable::value_and_grad(field, x, 2);
    crate::check::near(&[value, d_field.strength, d_x], &[sum, x, by_x], 1e-13);
    let along = FieldTangent {
        strength: 1.0,
        cells: (),
    };
    let (_, dot) = of_a_variable::jvp(field, x, 2, (along, 0.5));
    crate::check::near(&dot, &(x + 0.5 * by_x), 1e-13);
}

#[test]
fn what_is_made_and_passed_as_a_constant_is_one() {
    let x: f64 = 0.7;
    let shape = Shape::Listed(vec![0.4]);
    // x₀ x³ + 0.4 x³ · 2 + x² + x with x₀ a constant.
    let (d_x, _, ()) = {
        let (d_x, d_shape, ((), ())) = of_what_is_made::grad(x, shape.clone(), (1, 3));
        let ShapeTangent::Listed(v) = &d_shape else {
            panic!("another variant")
        };
        assert_eq!(*v, [0.0]);
        (d_x, d_shape, ())
    };
    let wanted = 3.0 * x * x * x + 2.4 * x * x + 2.0 * x + 1.0;
    crate::check::near(&d_x, &wanted, 1e-14);
    let (_, dot) = of_what_is_made::jvp(
        x,
        shape,
        (1, 3),
        (1.0, ShapeTangent::Listed(vec![1.0]), ((), ())),
    );
    crate::check::near(&dot, &wanted, 1e-14);
}

/// It borrows, and has no derivative.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    data: &'a [f64],
}

/// It borrows, and has one.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Points<'a> {
    data: &'a [f64],
    k: f64,
}

#[grad(order = 2)]
fn of_a_view(x: f64, #[constant] view: View) -> f64 {
    view.data[0] * x * x
}

#[grad(order = 2)]
fn of_points(#[constant] points: Points, x: f64) -> f64 {
    points.data[0] * x * x * points.k
}

#[grad(order = 2)]
fn of_own_points(points: Points, x: f64) -> f64 {
    of_points(points, x) * points.k
}

#[test]
fn what_borrows_is_a_constant() {
    let (data, k, x) = ([3.0], 2.0, 0.5);
    assert_eq!(of_a_view::grad(x, View { data: &data }), 3.0);
    assert_eq!(
        of_a_view::hessian(x, View { data: &data }).as_slice(),
        [6.0]
    );
    let (points, d) = of_own_points::grad(Points { data: &data, k }, x);
    crate::check::near(
        &[points.data[0], points.k, d],
        &[0.0, 3.0 * x * x * k, 6.0 * x * k * k],
        1e-14,
    );
}
