use autodiff::grad;

#[grad]
trait Model {
    type Point;

    fn energy(&self, x: Self::Point) -> f64;
}

fn main() {}
