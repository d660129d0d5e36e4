//! The special functions to second order, as compiled functions and on a tape, against true figures.
//!
//! The figures and the script that made them are in `autodiff-runtime/tests/data`.

use autodiff::Float;
use autodiff::tape::{Tape, Var};

/// What rounding may do to the value and to a partial of each order, times ε and the size.
const ALLOWED: [f64; 3] = [16.0, 16.0, 64.0];

/// A row of the data.
struct Line {
    name: &'static str,
    single: bool,
    at: Vec<f64>,
    /// The value and the partials, each with its size: how much of a relative change of the arguments it passes on.
    truth: Vec<(f64, f64)>,
}

fn lines() -> impl Iterator<Item = Line> {
    let number = |text: &str| -> f64 { text.parse().unwrap_or_else(|_| panic!("{text}")) };
    let text = include_str!("../autodiff-runtime/tests/data/special.csv").lines();
    text.filter(|line| !line.starts_with('#')).map(move |line| {
        let columns: Vec<&str> = line.split(';').collect();
        let [name, kind, at, truth] = columns[..] else {
            panic!("{line}")
        };
        let pair = |text: &str| {
            let (value, size) = text.split_once('~').unwrap();
            (number(value), number(size))
        };
        Line {
            name,
            single: kind == "f32",
            at: at.split(' ').map(number).collect(),
            truth: truth.split(' ').map(pair).collect(),
        }
    })
}

/// A gradient as a list.
trait List {
    fn list(self) -> Vec<f64>;
}

macro_rules! lists {
    ($($T:ident)*) => {$(
        impl List for $T {
            fn list(self) -> Vec<f64> {
                vec![self.into()]
            }
        }
        impl List for ($T, $T) {
            fn list(self) -> Vec<f64> {
                vec![self.0.into(), self.1.into()]
            }
        }
        impl List for ($T, $T, $T) {
            fn list(self) -> Vec<f64> {
                vec![self.0.into(), self.1.into(), self.2.into()]
            }
        }
    )*};
}
lists!(f32 f64);

/// The value, the gradient, and the upper half of the Hessian, of a compiled function, and the same from products with the Hessian; its other first derivatives are the same.
macro_rules! compiled {
    ($line:ident $T:ident $f:path, $name:path, ($($n:ident)?), ($($x:ident)+)) => {{
        use $f as f;
        use $name as own;
        let (value, gradient) = f::value_and_grad($($n,)? $($x),+);
        assert_eq!((value, gradient), own::value_and_grad($($n,)? $($x),+));
        let gradient = gradient.list();
        let count = gradient.len();
        let hessian = f::hessian($($n,)? $($x),+);
        let mut found = vec![f64::from(value)];
        found.extend(&gradient);
        let mut by_products = found.clone();
        for i in 0..count {
            found.extend((i..count).map(|j| f64::from(hessian[[i, j]])));
            let axis = |k: usize| if i == k { 1.0 } else { 0.0 };
            let mut at = 0..;
            $(let $x = ($x, axis(at.next().unwrap()));)+
            let tangents = compiled!(@bundle $($x)+);
            let (again, slope) = f::jvp($($n,)? $($x.0,)+ tangents);
            assert!(again == value && close(slope.into(), gradient[i], $line.single), "{} at {:?}: {slope:e}", $line.name, $line.at);
            let (again, product) = f::hvp($($n,)? $($x.0,)+ tangents);
            let (again, product) = (again.list(), product.list());
            assert!(again.iter().zip(&gradient).all(|(&again, &other)| close(again, other, $line.single)), "{} at {:?}", $line.name, $line.at);
            by_products.extend(&product[i..]);
        }
        [found, by_products]
    }};
    (@bundle $x:ident) => { $x.1 };
    (@bundle $($x:ident)+) => { ($($x.1),+) };
}

fn close(found: f64, other: f64, single: bool) -> bool {
    let epsilon = if single {
        f32::EPSILON.into()
    } else {
        f64::EPSILON
    };
    found == other
        || (found - other).abs() <= 8.0 * epsilon * other.abs()
        || found.is_nan() && other.is_nan()
}

macro_rules! functions {
    (one { $($one:ident)* } two { $($two:ident)* } three { $($three:ident)* } ordered { $($ordered:ident)* }) => {
        functions!(@compiled double f64 { $($one)* } { $($two)* } { $($three)* } { $($ordered)* });
        functions!(@compiled single f32 { $($one)* } { $($two)* } { $($three)* } { $($ordered)* });

        fn of_double(line: &Line) -> [Vec<f64>; 2] {
            functions!(@found double f64 line { $($one)* } { $($two)* } { $($three)* } { $($ordered)* })
        }

        fn of_single(line: &Line) -> [Vec<f64>; 2] {
            functions!(@found single f32 line { $($one)* } { $($two)* } { $($three)* } { $($ordered)* })
        }

        fn on_tape<'t, T: Float>(name: &str, at: &[Var<'t, T>]) -> Var<'t, T> {
            match name {
                $(stringify!($one) => autodiff::$one::on_tape(at[0]),)*
                $(stringify!($two) => autodiff::$two::on_tape(at[0], at[1]),)*
                $(stringify!($three) => autodiff::$three::on_tape(at[0], at[1], at[2]),)*
                $(stringify!($ordered) => autodiff::$ordered::on_tape(at[0].value().to_f64() as i32, at[1]),)*
                _ => panic!("{name}"),
            }
        }
    };
    (@found $module:ident $T:ident $line:ident { $($one:ident)* } { $($two:ident)* } { $($three:ident)* } { $($ordered:ident)* }) => {{
        let at: Vec<$T> = $line.at.iter().map(|&x| x as $T).collect();
        match ($line.name, &at[..]) {
            $((stringify!($one), &[x]) => compiled!($line $T $module::$one, autodiff::$one, (), (x)),)*
            $((stringify!($two), &[a, b]) => compiled!($line $T $module::$two, autodiff::$two, (), (a b)),)*
            $((stringify!($three), &[a, b, c]) => compiled!($line $T $module::$three, autodiff::$three, (), (a b c)),)*
            $((stringify!($ordered), &[n, x]) => { let n = n as i32; compiled!($line $T $module::$ordered, autodiff::$ordered, (n), (x)) })*
            (name, _) => panic!("{name}"),
        }
    }};
    (@compiled $module:ident $T:ident { $($one:ident)* } { $($two:ident)* } { $($three:ident)* } { $($ordered:ident)* }) => {
        mod $module {
            use autodiff::grad;
            $(
                #[grad(order = 2)]
                pub(crate) fn $one(x: $T) -> $T {
                    autodiff::$one(x)
                }
            )*
            $(
                #[grad(order = 2)]
                pub(crate) fn $two(a: $T, b: $T) -> $T {
                    autodiff::$two(a, b)
                }
            )*
            $(
                #[grad(order = 2)]
                pub(crate) fn $three(a: $T, b: $T, c: $T) -> $T {
                    autodiff::$three(a, b, c)
                }
            )*
            $(
                #[grad(order = 2)]
                pub(crate) fn $ordered(n: i32, x: $T) -> $T {
                    autodiff::$ordered(n, x)
                }
            )*
        }
    };
}
functions! {
    one { log1mexp log1p_exp sinc normal_pdf normal_cdf normal_quantile erfinv lambert_w ln_gamma gamma digamma trigamma }
    two { xlogy logaddexp ln_beta beta }
    three { }
    ordered { }
}

fn taped<T: Float>(line: &Line) -> Vec<f64> {
    let tape = Tape::<T>::default();
    tape.keep_details();
    let integers = usize::from(line.name.starts_with("bessel"));
    let mut at: Vec<Var<T>> = line.at[..integers]
        .iter()
        .map(|&x| Var::from(T::from_f64(x)))
        .collect();
    at.extend(
        line.at[integers..]
            .iter()
            .map(|&x| tape.var(T::from_f64(x))),
    );
    let value = on_tape(line.name, &at);
    let at = &at[integers..];
    let first = value.backward_recorded().wrt(at);
    let mut found = vec![value.value().to_f64()];
    found.extend(first.iter().map(|d| d.value().to_f64()));
    for (i, slope) in first.iter().enumerate() {
        let second = slope.backward().wrt(at);
        found.extend(second[i..].iter().map(|d| d.to_f64()));
    }
    found
}

/// What is wrong with the derivatives of a line.
fn faults(line: &Line, way: &str, found: &[f64]) -> Vec<String> {
    let (epsilon, smallest, largest) = if line.single {
        (
            f32::EPSILON.into(),
            f32::MIN_POSITIVE.into(),
            f32::MAX.into(),
        )
    } else {
        (f64::EPSILON, f64::MIN_POSITIVE, f64::MAX)
    };
    assert_eq!(found.len(), line.truth.len(), "{}", line.name);
    let count = line.at.len() - usize::from(line.name.starts_with("bessel"));
    let order = |k: usize| usize::from(k > 0) + usize::from(k > count);
    let mut faults = Vec::new();
    for (k, (&found, &(truth, size))) in found.iter().zip(&line.truth).enumerate() {
        let order = order(k);
        let fine = if truth.abs() > largest {
            found == truth.signum() * f64::INFINITY
        } else {
            (found - truth).abs() <= (ALLOWED[order] * epsilon * size).max(smallest)
        };
        if !fine {
            let off = (found - truth).abs() / (epsilon * size);
            faults.push(format!(
                "{} at {:?}{}, {way}, order {order}: {found:e}, not {truth:e}, {off:.1} times what one rounding does",
                line.name, line.at, if line.single { " in f32" } else { "" }
            ));
        }
    }
    faults
}

#[test]
fn values_and_partials_are_as_accurate_as_their_arguments() {
    let mut all = Vec::new();
    for line in lines() {
        let ([hessian, products], on_tape) = if line.single {
            (of_single(&line), taped::<f32>(&line))
        } else {
            (of_double(&line), taped::<f64>(&line))
        };
        all.extend(faults(&line, "compiled", &hessian));
        all.extend(faults(&line, "by products", &products));
        all.extend(faults(&line, "on a tape", &on_tape));
    }
    assert!(
        all.is_empty(),
        "{} figures are off:\n{}",
        all.len(),
        all.join("\n")
    );
}
