#![allow(non_camel_case_types)]

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    type u32 = f64;
    let y: u32 = x;
    y * 2.0
}

fn main() {}
