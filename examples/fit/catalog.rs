//! The 27 datasets' models by name, each as two functions of slices: its value and its gradient.

use crate::models::{
    bennett5, chwirut, cubic_by_cubic, dan_wood, eckerle4, enso, exponential_rise, gauss, kirby2,
    lanczos, mgh09, mgh10, mgh17, misra1b, misra1c, misra1d, nelson, rat42, rat43, roszman1,
};

/// A model as the solver sees it: every length is known, every argument is a slice.
#[derive(Debug)]
pub(crate) struct Model {
    /// NIST's name of the dataset.
    pub(crate) dataset: &'static str,
    /// The name of the function in `models.rs`.
    pub(crate) function: &'static str,
    /// How many parameters the model has.
    pub(crate) parameters: usize,
    /// How many predictors one observation has.
    pub(crate) predictors: usize,
    /// What is fitted, given the observed response.
    pub(crate) response: fn(f64) -> f64,
    /// The name of what is fitted.
    pub(crate) response_name: &'static str,
    /// The model's value for parameters `b` at the predictors `x`.
    pub(crate) value: fn(b: &[f64], x: &[f64]) -> f64,
    /// Writes the partials of that value with respect to `b` into a row of the Jacobian.
    pub(crate) gradient: fn(b: &[f64], x: &[f64], row: &mut [f64]),
}

macro_rules! model {
    ($dataset:literal, $function:ident($($b:ident),+; $($x:ident),+)) => {
        model!($dataset, $function($($b),+; $($x),+), "y", |y| y)
    };
    ($dataset:literal, $function:ident($($b:ident),+; $($x:ident),+), $response_name:literal, $response:expr) => {
        Model {
            dataset: $dataset,
            function: stringify!($function),
            parameters: [$(stringify!($b)),+].len(),
            predictors: [$(stringify!($x)),+].len(),
            response: $response,
            response_name: $response_name,
            value: |b, x| {
                let ([$($b),+], [$($x),+]) = (exactly(b), exactly(x));
                $function($($b),+, $($x),+)
            },
            gradient: |b, x, row| {
                let ([$($b),+], [$($x),+]) = (exactly(b), exactly(x));
                let ($($b),+) = $function::grad($($b),+, $($x),+);
                row.copy_from_slice(&[$($b),+]);
            },
        }
    };
}

/// All models, by the name of the dataset.
pub(crate) const MODELS: &[Model] = &[
    model!("Bennett5", bennett5(b1, b2, b3; x)),
    model!("BoxBOD", exponential_rise(b1, b2; x)),
    model!("Chwirut1", chwirut(b1, b2, b3; x)),
    model!("Chwirut2", chwirut(b1, b2, b3; x)),
    model!("DanWood", dan_wood(b1, b2; x)),
    model!("ENSO", enso(b1, b2, b3, b4, b5, b6, b7, b8, b9; x)),
    model!("Eckerle4", eckerle4(b1, b2, b3; x)),
    model!("Gauss1", gauss(b1, b2, b3, b4, b5, b6, b7, b8; x)),
    model!("Gauss2", gauss(b1, b2, b3, b4, b5, b6, b7, b8; x)),
    model!("Gauss3", gauss(b1, b2, b3, b4, b5, b6, b7, b8; x)),
    model!("Hahn1", cubic_by_cubic(b1, b2, b3, b4, b5, b6, b7; x)),
    model!("Kirby2", kirby2(b1, b2, b3, b4, b5; x)),
    model!("Lanczos1", lanczos(b1, b2, b3, b4, b5, b6; x)),
    model!("Lanczos2", lanczos(b1, b2, b3, b4, b5, b6; x)),
    model!("Lanczos3", lanczos(b1, b2, b3, b4, b5, b6; x)),
    model!("MGH09", mgh09(b1, b2, b3, b4; x)),
    model!("MGH10", mgh10(b1, b2, b3; x)),
    model!("MGH17", mgh17(b1, b2, b3, b4, b5; x)),
    model!("Misra1a", exponential_rise(b1, b2; x)),
    model!("Misra1b", misra1b(b1, b2; x)),
    model!("Misra1c", misra1c(b1, b2; x)),
    model!("Misra1d", misra1d(b1, b2; x)),
    model!("Nelson", nelson(b1, b2, b3; x1, x2), "log[y]", f64::ln),
    model!("Rat42", rat42(b1, b2, b3; x)),
    model!("Rat43", rat43(b1, b2, b3, b4; x)),
    model!("Roszman1", roszman1(b1, b2, b3, b4; x)),
    model!("Thurber", cubic_by_cubic(b1, b2, b3, b4, b5, b6, b7; x)),
];

/// The model of the dataset called `name`, in any case of letters.
pub(crate) fn find(name: &str) -> Option<&'static Model> {
    MODELS
        .iter()
        .find(|model| model.dataset.eq_ignore_ascii_case(name))
}

impl Model {
    /// The function as it stands in `models.rs`, from its formula to its closing brace.
    pub(crate) fn source(&self) -> &'static str {
        function_source(include_str!("models.rs"), self.function)
    }
}

fn function_source(file: &'static str, function: &str) -> &'static str {
    let signature = format!("fn {function}(");
    file.split("\n\n")
        .find(|item| item.contains(&signature))
        .map_or("", str::trim_end)
}

/// A slice as the array it is long enough for: readers and solver pass slices of the model's own lengths.
fn exactly<const N: usize>(values: &[f64]) -> [f64; N] {
    values
        .try_into()
        .expect("a model is called with its own number of parameters and predictors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_source() {
        for model in MODELS {
            let source = model.source();
            assert!(source.starts_with("/// `"), "{}: {source}", model.dataset);
            assert!(source.ends_with('}'), "{}: {source}", model.dataset);
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(find("misra1A").map(|model| model.dataset), Some("Misra1a"));
        assert!(find("Misra1e").is_none());
    }
}
