use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct View<'a> {
    data: &'a [f64],
    columns: usize,
}

#[grad]
impl View<'_> {
    fn sum(&self) -> f64 {
        self.data.iter().sum::<f64>() * self.columns as f64
    }
}

#[grad]
fn of_a_variable(x: f64) -> f64 {
    let d = [x, 2.0];
    let v = View {
        data: &d,
        columns: 2,
    };
    v.sum()
}

#[grad]
fn of_a_parameter(d: &Vec<f64>) -> f64 {
    let v = View {
        data: d,
        columns: 2,
    };
    v.sum()
}

#[grad]
fn of_a_slice(data: &[f64], k: f64) -> f64 {
    let v = View { data, columns: 2 };
    v.sum() * k
}

fn main() {}
