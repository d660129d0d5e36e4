use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Disk {
    radius: f64,
}

#[grad]
impl Disk {
    fn contains(&self, x: f64) -> f64 {
        self.radius - x
    }

    fn lt(&self, radius: &f64) -> f64 {
        1.0 / (1.0 + (self.radius - radius).exp())
    }
}

#[grad]
fn of_radius(radius: f64) -> Disk {
    Disk { radius }
}

#[grad]
fn inside(radius: f64, x: f64) -> f64 {
    let disk = of_radius(radius);
    2.0 * disk.contains(x)
}

#[grad]
fn smaller(radius: f64, x: f64) -> f64 {
    let disk = of_radius(radius);
    2.0 * disk.lt(&x)
}

fn main() {}
