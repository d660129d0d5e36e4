use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Body {
    at: f64,
    speed: f64,
}

#[grad]
impl Body {
    fn ahead(self, by: f64) -> f64 {
        self.at * by + self.speed
    }
    fn kick(&mut self, by: f64) -> f64 {
        self.at *= by;
        self.at.sin()
    }
    fn both(&mut self, by: f64) -> f64 {
        self.ahead(self.kick(by))
    }
}

#[grad]
trait Moves {
    fn twice(self, by: f64) -> f64;
    fn shake(&mut self, by: f64) -> f64;
}

#[grad]
fn method(x: f64, y: f64) -> f64 {
    let mut body = Body { at: x, speed: y };
    body.ahead(body.kick(y))
}

#[grad]
fn assigned(x: f64, y: f64) -> f64 {
    let mut body = Body { at: x, speed: y };
    body.ahead({
        body.at = x * y;
        y
    })
}

#[grad]
fn generic<T: Moves + Copy + Differentiable>(mut body: T, y: f64) -> f64 {
    body.twice(body.shake(y))
}

fn main() {}
