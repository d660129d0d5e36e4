use autodiff::grad;
use ndarray::{Array2, Axis};

#[grad]
fn doubled(x: &Array2<f64>) -> Array2<f64> {
    let mut y = Array2::zeros((2, 2));
    for i in 0..2 {
        y.index_axis_mut(Axis(0), i).assign(&(&x.row(i) * 2.0));
    }
    y
}

fn main() {}
