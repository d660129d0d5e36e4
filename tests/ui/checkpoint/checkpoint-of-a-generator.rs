use autodiff::grad;

struct Generator(u64);

impl Generator {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f64
    }
}

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut generator = Generator(3);
    let mut s = x;
    #[checkpoint]
    for _ in 0..n {
        s *= generator.next();
    }
    s
}

fn main() {}
