use autodiff::grad;

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint]
    for i in 0..n {
        println!("round {i}");
        s = s.sin();
    }
    s
}

fn main() {}
