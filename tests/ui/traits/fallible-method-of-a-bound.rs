use autodiff::grad;

#[grad]
trait Stage {
    fn advance(&self, x: f64) -> Result<f64, String>;
}

#[grad]
fn staged<S: Stage>(stage: &S, x: f64) -> Result<f64, String> {
    Ok(stage.advance(x)? * x)
}

fn main() {}
