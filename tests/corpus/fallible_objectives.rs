//! Functions that may fail, as solvers take them.

use std::error::Error;

use autodiff::{
    FallibleObjective, FallibleResiduals, Float, Matrix, Objective, Parameters, Residuals, Tangent,
    grad,
};

use crate::check::near;

/// Value and gradient in one, flat, against differences.
fn at<F>(f: &F, x: &F::Point) -> Result<(f64, Vec<f64>), F::Error>
where
    F: FallibleObjective<Point: ToOwned<Owned: std::borrow::BorrowMut<F::Point>>> + ?Sized,
{
    let (value, gradient) = f.try_value_and_grad(x)?;
    assert_eq!(f.try_value(x).ok(), Some(value));
    let gradient = gradient.to_flat();
    let differences = differences(x, &|x| f.try_value(x).ok().map(|y| vec![y]));
    near(&gradient, differences.row(0), 1e-7);
    Ok((value, gradient))
}

/// The same of several values.
fn all<F>(f: &F, x: &F::Point) -> Result<(Vec<f64>, Matrix<f64>), F::Error>
where
    F: FallibleResiduals<Point: ToOwned<Owned: std::borrow::BorrowMut<F::Point>>> + ?Sized,
{
    let (values, jacobian) = f.try_residuals_and_jacobian(x)?;
    assert_eq!(f.try_residuals(x).ok().as_ref(), Some(&values));
    let differences = differences(x, &|x| f.try_residuals(x).ok());
    near(jacobian.as_slice(), differences.as_slice(), 1e-7);
    Ok((values, jacobian))
}

/// The Jacobian by central differences.
fn differences<P>(x: &P, f: &dyn Fn(&P) -> Option<Vec<f64>>) -> Matrix<f64>
where
    P: Parameters + ToOwned<Owned: std::borrow::BorrowMut<P>> + ?Sized,
{
    use std::borrow::BorrowMut;
    let mut flat = vec![0.0; x.zero_tangent().scalar_count()];
    x.write_flat(&mut flat);
    let moved = |k: usize, by: f64| {
        let (mut flat, mut x) = (flat.clone(), x.to_owned());
        flat[k] += by;
        x.borrow_mut().read_flat(&flat);
        f(x.borrow_mut()).expect("fails nearby")
    };
    let h = 1e-6;
    let columns: Vec<Vec<f64>> = (0..flat.len())
        .map(|k| {
            let both = moved(k, h).into_iter().zip(moved(k, -h));
            both.map(|(up, down)| (up - down) / (2.0 * h)).collect()
        })
        .collect();
    let rows = columns[0].len();
    let entries = (0..rows).flat_map(|i| columns.iter().map(move |column| column[i]));
    Matrix::from_vec(rows, columns.len(), entries.collect())
}

#[grad]
fn scaled_root(x: &[f64], #[constant] k: f64) -> Result<f64, String> {
    if x[0] < 0.0 {
        return Err(format!("{} is negative", x[0]));
    }
    Ok(x[0].sqrt() * k * x[1])
}

#[test]
fn results_of_numbers() {
    let f = scaled_root::with(3.0);
    assert_eq!(at(&f, &[4.0, 1.0]), Ok((6.0, vec![0.75, 6.0])));
    assert_eq!(at(&f, &[-4.0, 1.0]), Err("-4 is negative".to_string()));
    // Functions of one kind, whatever they are, stand in one list.
    let all: [Box<dyn FallibleObjective<Point = [f64], Error = String>>; 2] =
        [Box::new(f), Box::new(scaled_root::with(1.0))];
    let values = all.map(|f| f.try_value(&[4.0, 1.0]));
    assert_eq!(values, [Ok(6.0), Ok(2.0)]);
}

#[grad]
fn boxed_error(x: [f64; 2]) -> Result<f64, Box<dyn Error>> {
    if x[0] < 0.0 {
        return Err("negative".into());
    }
    Ok(x[0].sqrt() * x[1])
}

#[test]
fn functions_without_constants_are_their_own_values() {
    assert_eq!(
        at(&boxed_error {}, &[4.0, 1.0]).unwrap(),
        (2.0, vec![0.25, 2.0])
    );
    assert_eq!(at(&boxed_error::with(), &[4.0, 1.0]).unwrap().0, 2.0);
    let error = at(&boxed_error {}, &[-4.0, 1.0]).unwrap_err();
    assert_eq!(error.to_string(), "negative");
}

#[grad]
fn named<'a>(x: [f64; 2], #[constant] name: &'a str) -> Result<Vec<f64>, &'a str> {
    if x[0] < 0.0 {
        return Err(name);
    }
    Ok(vec![x[0].sqrt() * x[1], x[1], x[0] * x[0]])
}

#[grad]
fn unnamed(x: [f64; 2], #[constant] name: &str) -> Result<(f64, f64), &str> {
    if x[0] < 0.0 {
        Err(name)
    } else {
        Ok((x[0].sqrt(), x[1]))
    }
}

#[test]
fn errors_borrow_what_is_bound() {
    let name = "root".to_string();
    let (values, jacobian) = all(&named::with(&name), &[4.0, 3.0]).unwrap();
    assert_eq!(values, [6.0, 3.0, 16.0]);
    assert_eq!(jacobian.as_slice(), [0.75, 2.0, 0.0, 1.0, 8.0, 0.0]);
    assert_eq!(all(&named::with(&name), &[-4.0, 3.0]), Err("root"));
    assert_eq!(
        all(&unnamed::with(&name), &[4.0, 3.0]).unwrap().0,
        [2.0, 3.0]
    );
    assert_eq!(all(&unnamed::with(&name), &[-4.0, 3.0]), Err("root"));
}

#[grad]
fn perhaps(x: f64) -> Option<f64> {
    if x < 0.0 { None } else { Some(x.sqrt()) }
}

#[grad]
fn perhaps_two(x: &[f64], #[constant] k: f64) -> Option<[f64; 2]> {
    let first = x.first()?;
    Some([k * first * first, first.exp()])
}

#[test]
fn options_have_an_error_without_a_reason() {
    assert_eq!(at(&perhaps {}, &4.0), Ok((2.0, vec![0.25])));
    assert_eq!(at(&perhaps::with(), &-4.0), Err(()));
    let two = perhaps_two::with(2.0);
    let (values, jacobian) = all(&two, &[0.0]).unwrap();
    assert_eq!(
        (values.as_slice(), jacobian.as_slice()),
        (&[0.0, 1.0][..], &[0.0, 1.0][..])
    );
    assert_eq!(two.try_residuals(&[]), Err(()));
    assert_eq!(two.try_residuals_and_jacobian(&[]), Err(()));
}

#[grad]
fn generic<T: Float>(x: [T; 1], #[constant] k: T) -> Result<T, &'static str> {
    if x[0] < k {
        Err("small")
    } else {
        Ok((x[0] - k) * x[0])
    }
}

#[grad]
fn single(x: f32) -> Result<f32, &'static str> {
    if x < 0.0 { Err("negative") } else { Ok(x * x) }
}

#[test]
fn of_any_width() {
    assert_eq!(at(&generic::with(1.0), &[3.0]), Ok((6.0, vec![5.0])));
    assert_eq!(at(&generic::with(1.0), &[0.5]), Err("small"));
    assert_eq!(single {}.try_value_and_grad(&3.0), Ok((9.0, 6.0)));
    assert_eq!(single {}.try_value(&-3.0), Err("negative"));
}

#[grad]
fn step(state: &mut [f64], #[constant] rate: f64) -> Result<(), String> {
    if rate < 0.0 {
        return Err("backwards".to_string());
    }
    state[0] += rate * state[1];
    state[1] -= rate * state[0];
    Ok(())
}

#[grad]
fn slopes(y: &[f64], #[out] dy: &mut [f64]) -> Result<(), String> {
    if y[0] < 0.0 {
        return Err("negative".to_string());
    }
    dy[0] = y[0].sqrt();
    dy[1] = y[0] * y[1];
    Ok(())
}

#[test]
fn what_is_written_to_is_the_value() {
    let (values, jacobian) = all(&step::with(0.5), &[1.0, 2.0]).unwrap();
    assert_eq!(values, [2.0, 1.0]);
    assert_eq!(jacobian.as_slice(), [1.0, 0.5, -0.5, 0.75]);
    assert_eq!(
        all(&step::with(-0.5), &[1.0, 2.0]),
        Err("backwards".to_string())
    );
    let mut dy = [0.0; 2];
    assert_eq!(
        all(&slopes::with(&mut dy), &[4.0, 3.0]).unwrap().0,
        [2.0, 12.0]
    );
    assert!(all(&slopes::with(&mut dy), &[-4.0, 3.0]).is_err());
}

#[grad(implicit = y * y - a)]
fn solved(a: f64) -> Result<f64, String> {
    if a < 0.0 {
        Err("negative".to_string())
    } else {
        Ok(a.sqrt())
    }
}

#[test]
fn functions_that_solve_equations() {
    assert_eq!(at(&solved {}, &4.0), Ok((2.0, vec![0.25])));
    assert_eq!(at(&solved {}, &-4.0), Err("negative".to_string()));
}

#[grad]
fn squared(x: f64) -> f64 {
    x * x
}

#[grad]
fn powers(x: f64) -> [f64; 2] {
    [x, x * x]
}

#[test]
fn what_never_fails_is_one_that_may() {
    assert_eq!(at(&squared {}, &3.0), Ok((9.0, vec![6.0])));
    let lent: &dyn Objective<Point = f64> = &squared::with();
    assert_eq!(at(lent, &3.0), Ok((9.0, vec![6.0])));
    assert_eq!(at(&lent, &3.0), Ok((9.0, vec![6.0])));
    assert_eq!(all(&powers {}, &3.0).unwrap().1.as_slice(), [1.0, 6.0]);
    let lent: &dyn Residuals<Point = f64> = &powers {};
    assert_eq!(all(lent, &3.0).unwrap().0, [3.0, 9.0]);
}

/// An error that borrows the point is none for a solver, but one for everybody else.
#[grad]
fn lent_point<'a>(x: &'a [f64], #[constant] k: f64) -> Result<f64, &'a [f64]> {
    if x[0] < 0.0 {
        Err(x)
    } else {
        Ok(k * x[0].sqrt())
    }
}

#[test]
fn errors_that_borrow_the_point() {
    assert_eq!(lent_point::grad(&[4.0], 2.0), Ok(vec![0.5]));
    assert_eq!(lent_point::grad(&[-4.0], 2.0), Err(&[-4.0][..]));
}
