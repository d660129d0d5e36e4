use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut stack = [1.0; 3];
    let mut n = 3;
    let mut s = 0.0;
    while let Some(v) = stack.get(n) {
        s += v * x;
        n -= 1;
    }
    stack[0] = s;
    stack[0]
}

fn main() {}
