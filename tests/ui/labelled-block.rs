use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let y = 'b: {
        if x > 1.0 {
            break 'b x * x;
        }
        x
    };
    y * 3.0
}

fn main() {}
