use autodiff::grad;

trait Model {
    fn rate(&self) -> f64;
}

#[grad]
fn f<M: Model>(model: &M, x: f64) -> f64 {
    x * model.rate() + model.rate()
}

fn main() {}
