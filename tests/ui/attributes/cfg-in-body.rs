use autodiff::grad;

#[grad]
fn scaled(x: f64) -> f64 {
    let parts = [x, #[cfg(any())] 2.0];
    #[cfg_attr(all(), cfg(all()))]
    let s = parts[0] * parts[0];
    s * x
}

fn main() {}
