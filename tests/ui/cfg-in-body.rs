use autodiff::grad;

#[grad]
fn scaled(x: f64) -> f64 {
    #[cfg(any())]
    let x = 100.0 * x;
    let mut s = x;
    for k in 0..3 {
        #[cfg(not(debug_assertions))]
        continue;
        s *= match k {
            #[cfg(any())]
            1 => 2.0,
            _ => 0.5,
        };
    }
    #[cfg(debug_assertions)]
    {
        s += 1.0;
    }
    s * x
}

fn main() {}
