use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct State {
    a: f64,
}

#[grad]
impl std::ops::Add<f64> for State {
    type Output = State;

    fn add(self, scale: f64) -> State {
        State {
            a: self.a * scale,
        }
    }
}

#[grad]
fn start(x: f64) -> State {
    State { a: x }
}

#[grad]
fn end(s: State) -> f64 {
    s.a
}

#[grad]
fn f(x: f64) -> f64 {
    let mut s = start(x);
    for _ in 0..3 {
        s = s + 1.5;
    }
    end(s)
}

fn main() {}
