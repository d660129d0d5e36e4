use autodiff::grad;

#[grad]
trait Shape {
    fn area(&self, x: f64) -> f64;

    fn twice(&self, x: f64) -> f64 {
        2.0 * self.area(x, x)
    }
}

fn main() {}
