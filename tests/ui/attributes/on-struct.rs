use autodiff::grad;

#[grad]
pub struct P {
    pub x: f64,
}

fn main() {}
