use autodiff::grad;

#[grad]
fn f(u: &mut [f64], n: usize) {
    #[checkpoint]
    for _ in 0..n {
        u[0] = u[0].sin();
    }
}

fn main() {}
