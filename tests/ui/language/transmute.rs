use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let y: u64 = unsafe { std::mem::transmute(x) };
    x * y as f64
}

fn main() {}
