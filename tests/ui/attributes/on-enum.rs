use autodiff::grad;

#[grad]
pub enum E {
    A(f64),
}

fn main() {}
