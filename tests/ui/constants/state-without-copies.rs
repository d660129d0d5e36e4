use autodiff::grad;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 += 1;
        self.0 as f64
    }
}

#[grad]
fn pair(a: f64, b: f64, #[constant] rng: &mut Rng) -> (f64, f64) {
    let z = rng.next();
    (z * a, z * a * b)
}

fn main() {
    let mut rng = Rng(0);
    // They run the function once.
    pair::jvp(1.0, 2.0, &mut rng, (1.0, 0.0));
    pair::vjp(1.0, 2.0, &mut rng, (1.0, 0.0));
    pair::jacobian(1.0, 2.0, &mut rng);
}
