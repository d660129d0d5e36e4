use autodiff::grad;

#[grad(dynamic, order = 2)]
fn same(x: f64) -> f64 {
    x
}

fn main() {}
