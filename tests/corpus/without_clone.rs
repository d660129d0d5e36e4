//! Types with the derive that are not `Clone`: what derivatives keep of them is copied part by part.

use autodiff::{Differentiable, Float, grad};

#[derive(Differentiable)]
struct V2 {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl V2 {
    fn new(x: f64, y: f64) -> V2 {
        V2 { x, y }
    }
    fn add(&self, o: &V2) -> V2 {
        V2 {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
    fn scale(&self, k: f64) -> V2 {
        V2::new(self.x * k, self.y * k)
    }
    fn norm(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }
}

#[derive(Differentiable)]
struct Body {
    pos: V2,
    vel: V2,
    mass: f64,
}

#[grad(order = 2)]
impl Body {
    fn step(&mut self, force: &V2, dt: f64) {
        let a = force.scale(1.0 / self.mass);
        self.vel = self.vel.add(&a.scale(dt));
        self.pos = self.pos.add(&self.vel.scale(dt));
    }
    fn energy(&self) -> f64 {
        0.5 * self.mass * self.vel.norm().powi(2)
    }
}

/// A local that is changed in a loop.
#[grad(order = 2)]
fn fall(x: f64, vy: f64) -> f64 {
    let mut b = Body {
        pos: V2::new(x, 1.0),
        vel: V2::new(0.3, vy),
        mass: 2.0,
    };
    let g = V2::new(0.0, -9.81);
    for _ in 0..4 {
        b.step(&g, 0.01);
    }
    b.energy() + b.pos.norm()
}

#[derive(Differentiable)]
struct World {
    bodies: Vec<Body>,
    anchor: Option<V2>,
    links: Vec<(usize, V2)>,
    g: f64,
}

#[grad]
impl World {
    fn total(&self) -> f64 {
        let own: f64 = self
            .bodies
            .iter()
            .map(|b| b.energy() + b.mass * self.g * b.pos.y)
            .sum();
        own + self.links[0].1.norm()
    }
    fn step(&mut self, dt: f64) {
        for i in 0..self.bodies.len() {
            let mut f = V2::new(0.0, -self.g * self.bodies[i].mass);
            for j in 0..self.bodies.len() {
                if i != j {
                    let dx = self.bodies[j].pos.x - self.bodies[i].pos.x;
                    let r = (dx * dx + 0.1).sqrt();
                    f.x += dx / (r * r * r);
                }
            }
            self.bodies[i].step(&f, dt);
        }
    }
}

#[grad]
fn run(m: f64, g: f64) -> f64 {
    let mut w = World {
        bodies: vec![
            Body {
                pos: V2::new(0.0, 0.0),
                vel: V2::new(0.1, 0.0),
                mass: m,
            },
            Body {
                pos: V2::new(1.0, 0.5),
                vel: V2::new(0.0, 0.2),
                mass: 1.0,
            },
        ],
        anchor: Some(V2::new(m, g)),
        links: vec![(1, V2::new(g, m))],
        g,
    };
    for _ in 0..5 {
        w.step(0.02);
    }
    w.total()
}

/// What is lent to be changed.
#[grad]
fn ahead(w: &mut World, n: usize) -> f64 {
    for _ in 0..n {
        w.step(0.01);
    }
    w.total()
}

/// A value that is used again.
#[grad]
fn by_value(b: Body, k: f64) -> f64 {
    b.vel.norm() * k + b.pos.x * b.energy()
}

#[derive(Differentiable)]
enum Shape {
    Disc(V2, f64),
    Quad { a: V2, sides: [f64; 2] },
    Nothing,
}

#[grad]
fn area(s: Shape, k: f64) -> f64 {
    let s = match s {
        Shape::Disc(c, r) => Shape::Disc(c.scale(k), r * k),
        other => other,
    };
    match &s {
        Shape::Disc(c, r) => c.norm() + r * r * k,
        Shape::Quad { a, sides } => a.x * sides[0] * sides[1] * k,
        Shape::Nothing => k,
    }
}

#[derive(Differentiable)]
struct Pair<T> {
    a: T,
    b: Vec<T>,
}

#[grad]
fn swap<T: Float>(p: Pair<T>, n: usize) -> Pair<T> {
    Pair {
        a: p.b[n],
        b: vec![p.a, p.a * p.b[0]],
    }
}

#[grad]
fn generic<T: Float>(x: T, y: T) -> T {
    let p = Pair {
        a: x,
        b: vec![y, x],
    };
    let q = swap(p, 0);
    let r = swap(q, 1);
    r.a * r.b[0]
}

/// Of functions there are no copies, and none is needed.
#[derive(Differentiable)]
struct Scaled {
    k: f64,
    #[constant]
    f: Box<dyn Fn(f64) -> f64>,
}

#[grad]
impl Scaled {
    fn eval(&self, x: f64) -> f64 {
        self.k * self.k * x
    }
}

#[grad]
fn options(x: f64) -> f64 {
    let o: Option<V2> = if x > 0.0 {
        Some(V2::new(x, x * x))
    } else {
        None
    };
    let mut list = Vec::new();
    for k in 0..3 {
        list.push(V2::new(x * k as f64, 1.0));
    }
    let last = list.pop().unwrap();
    let s: f64 = list.iter().map(|v| v.norm()).sum();
    s + last.x + o.map_or(0.0, |v| v.norm())
}

fn near(a: f64, b: f64, tolerance: f64) {
    crate::check::near(&a, &b, tolerance);
}

fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
}

#[test]
fn what_is_kept_is_copied() {
    let (dx, dv) = fall::grad(0.5, 1.0);
    near(dx, slope(|x| fall(x, 1.0), 0.5), 1e-8);
    near(dv, slope(|v| fall(0.5, v), 1.0), 1e-8);
    near(
        fall::jvp(0.5, 1.0, (0.5, -2.0)).1,
        0.5 * dx - 2.0 * dv,
        1e-12,
    );
    let h = fall::hessian(0.5, 1.0);
    near(h[[1, 1]], slope(|v| fall::grad(0.5, v).1, 1.0), 1e-7);
    near(h[[0, 1]], slope(|v| fall::grad(0.5, v).0, 1.0), 1e-7);

    let (dm, dg) = run::grad(1.5, 0.7);
    near(dm, slope(|m| run(m, 0.7), 1.5), 1e-7);
    near(dg, slope(|g| run(1.5, g), 0.7), 1e-7);
    near(run::jvp(1.5, 0.7, (2.0, 1.0)).1, 2.0 * dm + dg, 1e-10);

    let world = |y: f64, g: f64| World {
        bodies: vec![Body {
            pos: V2 { x: 0.1, y },
            vel: V2 { x: 0.2, y: 0.3 },
            mass: 1.5,
        }],
        anchor: None,
        links: vec![(0, V2 { x: 3.0, y: 4.0 })],
        g,
    };
    let mut w = world(0.4, 2.0);
    let mut bar = w.zero_tangent();
    ahead::vjp(&mut w, 3, 1.0, &mut bar);
    near(bar.g, slope(|g| ahead(&mut world(0.4, g), 3), 2.0), 1e-8);
    near(bar.bodies[0].pos.y, 3.0, 1e-12);
    near(bar.links[0].1.y, 0.8, 1e-12);

    let body = |x: f64| Body {
        pos: V2 { x, y: 2.0 },
        vel: V2 { x: 3.0, y: 4.0 },
        mass: 1.0,
    };
    let (b, k) = by_value::grad(body(1.0), 2.0);
    near(b.vel.x, 2.0 * 0.6 + 3.0, 1e-12);
    near(b.pos.x, 12.5, 1e-12);
    near(k, 5.0, 1e-12);
}

#[test]
fn enums_and_generic_types() {
    let disc = || Shape::Disc(V2 { x: 3.0, y: 4.0 }, 1.0);
    near(area::grad(disc(), 2.0).1, 5.0 + 3.0 * 4.0, 1e-12);
    let quad = Shape::Quad {
        a: V2 { x: 3.0, y: 0.0 },
        sides: [2.0, 5.0],
    };
    near(area::grad(quad, 2.0).1, 30.0, 1e-12);
    near(area::grad(Shape::Nothing, 2.0).1, 1.0, 1e-12);
    // x y²
    let (dx, dy) = generic::grad(2.0, 3.0);
    near(dx, 9.0, 1e-12);
    near(dy, 12.0, 1e-12);
    let scaled = Scaled {
        k: 3.0,
        f: Box::new(|x| x + 1.0),
    };
    near(Scaled::eval_grad(&scaled, 2.0).0.k, 12.0, 1e-12);
    near((scaled.f)(1.0), 2.0, 0.0);
    near(options::grad(0.5), slope(options, 0.5), 1e-9);
    near(options::jvp(0.5, 1.0).1, options::grad(0.5), 1e-12);
}
