use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut s = 0.0;
    'outer: for i in 0..3 {
        for j in 0..i {
            s += x * j as f64;
            if s > 1.0 {
                break 'outer;
            }
        }
    }
    s
}

fn main() {}
