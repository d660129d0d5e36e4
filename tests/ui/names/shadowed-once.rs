use autodiff::grad;

mod iter {
    pub(crate) fn once(x: f64) -> std::vec::IntoIter<f64> {
        vec![x, x].into_iter()
    }
}

#[grad]
fn f(x: f64) -> f64 {
    iter::once(x).map(|a| a * a).sum()
}

fn main() {}
