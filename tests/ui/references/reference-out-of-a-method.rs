use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut a = [[0.0; 2]; 2];
    let row = a.iter_mut().last().unwrap();
    row[0] = x;
    a[1][0] * 2.0
}

fn main() {}
