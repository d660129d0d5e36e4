use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut words = Vec::new();
    for x in xs {
        words.push(x.to_string());
    }
    let sum: f64 = words.iter().map(|word| word.parse::<f64>().unwrap()).sum();
    sum * xs[0]
}

fn main() {}
