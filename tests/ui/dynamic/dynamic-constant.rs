use autodiff::grad;

#[grad(dynamic, constant)]
fn same(x: f64) -> f64 {
    x
}

fn main() {}
