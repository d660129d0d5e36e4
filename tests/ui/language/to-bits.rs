use autodiff::grad;

#[grad]
fn f(x: f32) -> f32 {
    let i = 0x5f37_59df - (x.to_bits() >> 1);
    let y = f32::from_bits(i);
    y * (1.5 - 0.5 * x * y * y)
}

fn main() {}
