use autodiff::grad;

#[grad]
fn f<'a>(a: &'a f64, b: &'a f64) -> &'a f64 {
    if a > b { a } else { b }
}

fn main() {}
