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

#[grad]
fn several(x: &[f64], k: f64) -> Option<[f64; 2]> {
    let first = x.first()?;
    Some([first * k, first * first + x[1]])
}

#[grad]
fn with_a_count(x: f64, n: usize) -> Option<(f64, usize)> {
    (n < 3).then(|| (x * n as f64, n))
}

#[grad]
fn left_behind(x: &mut [f64; 2], y: f64) -> Option<f64> {
    x[0] *= y;
    if x[1] > 0.0 { Some(x[0] * x[1]) } else { None }
}

#[grad]
fn or_an_error(x: &[f64], y: f64) -> Result<Option<[f64; 2]>, String> {
    if y < 0.0 {
        return Err("negative".to_string());
    }
    Ok(x.first().map(|a| [a * y, y * y]))
}

#[grad]
impl Line {
    fn cut(#[constant] &self, y: f64) -> Option<f64> {
        if self.slope == 0.0 {
            None
        } else {
            Some(y / self.slope)
        }
    }
}

#[test]
fn an_optional_result_has_jacobians_where_there_is_one() {
    let matrix: Option<autodiff::Matrix<f32>> = perhaps::jacobian(1.5);
    let matrix = matrix.unwrap();
    assert_eq!(matrix.as_slice(), [3.0]);
    assert_eq!(
        perhaps::value_and_jacobian(1.5),
        Some((2.25, matrix.clone()))
    );
    assert_eq!(perhaps::jacfwd(1.5), Some(matrix.clone()));
    assert_eq!(perhaps::jacrev(1.5), Some(matrix));
    let mut out = [7.0];
    assert_eq!(perhaps::jacobian_into(-1.5, &mut out), None);
    assert_eq!(out, [7.0]);
    assert_eq!(perhaps::jacobian_into(1.5, &mut out), Some(()));
    assert_eq!(out, [3.0]);
    assert_eq!(perhaps::jacobian(-1.5), None);
    assert_eq!(perhaps::value_and_jacobian(-1.5), None);
    assert_eq!(perhaps::jacfwd(-1.5), None);
    assert_eq!(perhaps::jacrev(-1.5), None);
    assert_eq!(perhaps::jacobian_rows(1.5), Some(3.0));
    assert_eq!(perhaps::jacobian_rows(-1.5), None);

    // By rows, since there are many columns, and by columns.
    let x = [2.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for count in [2, 8] {
        let (value, matrix) = several::value_and_jacobian(&x[..count], 3.0).unwrap();
        assert_eq!(value, [6.0, 9.0]);
        assert_eq!((matrix.rows(), matrix.cols()), (2, count + 1));
        assert_eq!((matrix[[0, 0]], matrix[[0, count]]), (3.0, 2.0));
        assert_eq!((matrix[[1, 0]], matrix[[1, 1]]), (4.0, 1.0));
        assert_eq!(several::jacfwd(&x[..count], 3.0), Some(matrix.clone()));
        assert_eq!(several::jacrev(&x[..count], 3.0), Some(matrix.clone()));
        let mut out = vec![0.0; 2 * (count + 1)];
        assert!(several::jacobian_into(&x[..count], 3.0, &mut out).is_some());
        assert_eq!(out, matrix.as_slice());
    }
    assert_eq!(several::jacobian(&[], 3.0), None);
    assert_eq!(several::jacfwd(&[], 3.0), None);
    assert_eq!(several::jacrev(&[], 3.0), None);
    assert_eq!(several::jacobian_into(&[], 3.0, &mut [1.0]), None);

    let ((value, count), matrix) = with_a_count::value_and_jacobian(1.5, 2).unwrap();
    assert_eq!((value, count, matrix.as_slice()), (3.0, 2, &[2.0][..]));
    assert_eq!(with_a_count::jacobian(1.5, 3), None);

    let line = |slope| Line { slope };
    assert_eq!(line(4.0).cut_jacobian(1.0).unwrap().as_slice(), [0.25]);
    assert_eq!(line(0.0).cut_jacobian(1.0), None);
}

#[test]
fn of_an_optional_result_and_final_states() {
    let x = [4.0, 2.0];
    for form in [
        left_behind::jacobian,
        left_behind::jacfwd,
        left_behind::jacrev,
    ] {
        let mut state = x;
        let matrix = form(&mut state, 1.5).unwrap();
        assert_eq!((matrix.rows(), matrix.cols()), (3, 3));
        assert_eq!(matrix.as_slice()[..3], [3.0, 6.0, 8.0]);
        assert_eq!(matrix.as_slice()[3..], [1.5, 0.0, 4.0, 0.0, 1.0, 0.0]);
        assert_eq!(state, [6.0, 2.0]);
        let mut state = [4.0, -2.0];
        assert_eq!(form(&mut state, 1.5), None);
        assert_eq!(state, [6.0, -2.0]);
    }
    let mut state = x;
    let mut out = [0.0; 9];
    assert!(left_behind::jacobian_into(&mut state, 1.5, &mut out).is_some());
    assert_eq!(out[..3], [3.0, 6.0, 8.0]);
    let mut state = [4.0, -2.0];
    assert_eq!(left_behind::jacobian_into(&mut state, 1.5, &mut []), None);
}

#[test]
fn an_error_stands_around_the_option() {
    let matrix = or_an_error::jacobian(&[2.0], 3.0).unwrap().unwrap();
    assert_eq!(matrix.as_slice(), [3.0, 2.0, 0.0, 6.0]);
    let forms = [
        or_an_error::jacobian,
        or_an_error::jacfwd,
        or_an_error::jacrev,
    ];
    for form in forms {
        assert_eq!(form(&[2.0], 3.0), Ok(Some(matrix.clone())));
        assert_eq!(form(&[], 3.0), Ok(None));
        assert_eq!(form(&[2.0], -3.0), Err("negative".to_string()));
    }
    let mut out = [0.0; 4];
    assert_eq!(or_an_error::jacobian_into(&[], 3.0, &mut out), Ok(None));
    assert_eq!(
        or_an_error::jacobian_into(&[2.0], 3.0, &mut out),
        Ok(Some(()))
    );
    assert_eq!(out, matrix.as_slice());
}
