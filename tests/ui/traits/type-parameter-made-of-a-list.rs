use autodiff::grad;

#[grad]
fn halved<T: Copy + Into<[f64; 2]> + From<[f64; 2]>>(x: &T) -> T {
    let [a, b]: [f64; 2] = (*x).into();
    [a / 2.0, b / 2.0].into()
}

fn main() {}
