//! `jacobian_rows`: the result with a gradient in place of each scalar.

use autodiff::grad;

use crate::check::near;

#[grad]
fn polar(p: &[f32; 2]) -> [f32; 2] {
    let [r, angle] = *p;
    [r * angle.cos(), r * angle.sin()]
}

#[test]
fn an_array_has_an_array_of_gradients_without_a_heap() {
    let rows: [[f32; 2]; 2] = polar::jacobian_rows(&[2.0, 0.5]);
    let (sin, cos) = 0.5_f32.sin_cos();
    near(&rows, &[[cos, -2.0 * sin], [sin, 2.0 * cos]], 1e-6);
    near(&rows, polar::jacobian(&[2.0, 0.5]).as_slice(), 1e-7);
}

#[grad]
fn product(x: f64, y: f64) -> f64 {
    x * y
}

#[test]
fn a_number_has_its_gradient() {
    let row: (f64, f64) = product::jacobian_rows(3.0, 4.0);
    assert_eq!(row, (4.0, 3.0));
}

#[grad]
fn nested(x: &[f64], k: f64) -> (Vec<[f64; 2]>, usize, Option<f64>) {
    let parts = x.iter().map(|a| [a * k, a * a]).collect();
    (parts, x.len(), if k > 0.0 { Some(k * x[0]) } else { None })
}

#[test]
fn nested_results_keep_their_shape() {
    type Row = (Vec<f64>, f64);
    let (parts, count, last): (Vec<[Row; 2]>, (), Option<Row>) =
        nested::jacobian_rows(&[2.0, 3.0], 5.0);
    assert_eq!(
        parts,
        [
            [(vec![5.0, 0.0], 2.0), (vec![4.0, 0.0], 0.0)],
            [(vec![0.0, 5.0], 3.0), (vec![0.0, 6.0], 0.0)],
        ]
    );
    assert_eq!((count, last), ((), Some((vec![5.0, 0.0], 2.0))));
    let (_, (), last) = nested::jacobian_rows(&[2.0], -5.0);
    assert_eq!(last, None);
}

#[grad]
fn scaled<T: autodiff::Float, const N: usize>(x: [T; N], s: T) -> [T; N] {
    x.map(|a| a * s)
}

#[test]
fn generic_functions_have_rows() {
    let rows: [([f64; 3], f64); 3] = scaled::jacobian_rows([1.0, 2.0, 3.0], 10.0);
    assert_eq!(rows[1], ([0.0, 10.0, 0.0], 2.0));
}

#[derive(Clone, autodiff::Differentiable)]
struct Line {
    slope: f64,
}

#[grad]
impl Line {
    fn at(#[constant] &self, x: f64, y: f64) -> (f64, f64) {
        (self.slope * x, x * y)
    }
}

#[test]
fn methods_have_rows() {
    let line = Line { slope: 3.0 };
    assert_eq!(line.at(2.0, 5.0), (6.0, 10.0));
    assert_eq!(line.at_jacobian_rows(2.0, 5.0), ((3.0, 0.0), (5.0, 2.0)));
}

#[grad]
fn perhaps(x: f32) -> Option<f32> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[test]
fn an_optional_result_has_a_matrix_of_its_own_type() {
    let matrix: autodiff::Matrix<f32> = perhaps::jacobian(1.5);
    assert_eq!(matrix.as_slice(), [3.0]);
    assert_eq!(perhaps::jacobian_rows(1.5), Some(3.0));
    assert_eq!(perhaps::jacobian_rows(-1.5), None);
}
