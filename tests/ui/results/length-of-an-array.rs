use autodiff::grad;

#[grad]
fn volume(edges: &[f64]) -> Result<f64, String> {
    let [a, b, c]: [f64; 3] = edges.try_into().map_err(|_| "three edges".to_string())?;
    Ok(a * b * c)
}

fn main() {}
