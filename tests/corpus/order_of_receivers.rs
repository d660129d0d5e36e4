//! Methods whose arguments look at their receiver, or change it after it was taken by value.

use autodiff::{Differentiable, grad};

use crate::check::near;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Body {
    at: f64,
    speed: f64,
}

#[grad(order = 2)]
impl Body {
    fn scaled(self, by: f64) -> Body {
        Body {
            at: self.at * by,
            speed: self.speed.sin() * by,
        }
    }
    fn ahead(self, by: f64) -> f64 {
        self.at * by + self.speed
    }
    fn energy(&self) -> f64 {
        self.at * self.speed
    }
    fn kick(&mut self, by: f64) -> f64 {
        self.at *= by;
        self.at.sin()
    }
}

#[grad]
trait Moves {
    fn twice(self, by: f64) -> f64;
    fn push(&mut self, by: f64) -> f64;
    fn rate(&self) -> f64;
}

#[grad]
impl Moves for Body {
    fn twice(self, by: f64) -> f64 {
        self.at * by * by
    }
    fn push(&mut self, by: f64) -> f64 {
        self.speed += by * self.at;
        self.speed
    }
    fn rate(&self) -> f64 {
        self.at + self.speed
    }
}

#[grad(order = 2)]
fn looked_at(x: f64, y: f64) -> f64 {
    let mut body = Body { at: x, speed: y };
    let mut total = 0.0;
    for _ in 0..2 {
        body = body.scaled(body.energy());
        total += body.kick(body.energy()) + body.ahead(if total < y { body.energy() } else { y });
    }
    total
}

#[grad]
fn pushed<T: Moves + Copy + Differentiable>(mut body: T, y: f64) -> f64 {
    let first = body.push(body.rate());
    first * body.twice(body.rate() * y)
}

#[grad]
fn looked_at_by_trait(x: f64, y: f64) -> f64 {
    pushed(Body { at: x, speed: y }, y)
}

/// The place before each kick.
#[grad(order = 2)]
fn taken_first(x: f64, y: f64) -> f64 {
    let mut body = Body { at: x, speed: y };
    let taken = body;
    taken.ahead(body.kick(y)) + Body::ahead(body, body.kick(y))
}

#[test]
fn receivers_are_taken_in_their_turn() {
    check!(looked_at(value x = 0.7, value y = 0.4));
    check!(looked_at_by_trait(value x = 0.7, value y = 0.4));
    check!(taken_first(value x = 0.7, value y = 0.4));
    check_second!(looked_at(value x = 0.7, value y = 0.4));
    check_second!(taken_first(value x = 0.7, value y = 0.4));
    let (x, y) = (0.7_f64, 0.4_f64);
    // x sin(x y) + y + x y sin(x y²) + y
    let slope = [
        (x * y).sin()
            + x * y * (x * y).cos()
            + y * (x * y * y).sin()
            + x * y * y * y * (x * y * y).cos(),
        x * x * (x * y).cos()
            + 2.0
            + x * (x * y * y).sin()
            + 2.0 * x * x * y * y * (x * y * y).cos(),
    ];
    let (by_x, by_y) = taken_first::grad(x, y);
    near(&[by_x, by_y].to_vec(), &slope.to_vec(), 1e-14);
}
