use autodiff::grad;

#[grad(constant)]
fn sector(x: f64) -> usize {
    (x / 0.5) as usize
}

fn main() {
    sector::grad(1.0);
}
