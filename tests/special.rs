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
    two { xlogy logaddexp ln_beta beta gamma_p gamma_q }
    three { beta_inc }
    ordered { bessel_j bessel_y bessel_i bessel_k }
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

mod in_functions {
    use autodiff::{bessel_j, beta_inc, gamma_p, grad, ln_beta, ln_gamma, logaddexp, xlogy};

    pub(crate) struct Data {
        pub(crate) order: i32,
        pub(crate) weights: Vec<f64>,
    }

    impl Data {
        pub(crate) fn weight(&self, k: usize) -> f64 {
            self.weights[k]
        }

        pub(crate) fn order(&self) -> i32 {
            self.order
        }
    }

    /// Constants of which only rustc knows the type, loops, and derivatives of derivatives.
    #[grad(order = 2)]
    pub(crate) fn mixture(x: f64, y: f64, #[constant] data: &Data) -> f64 {
        let mut sum = bessel_j(data.order(), x * y) + gamma_p(data.weight(0), x);
        for k in 0..data.weights.len() {
            sum += xlogy(data.weight(k), y) * beta_inc(x, data.weight(k), 0.3 * y);
            sum = logaddexp(sum, ln_beta(x, data.weight(k)));
        }
        sum + ln_gamma(x) + bessel_j::grad(data.order(), y) * gamma_p::grad(x, y).1
    }

    #[grad(order = 3)]
    pub(crate) fn third(a: f64, x: f64) -> f64 {
        gamma_p(a, x) * autodiff::beta(a, x) + autodiff::bessel_k(1, x)
    }

    #[grad(dynamic)]
    pub(crate) fn dynamic(a: f64, x: f64) -> f64 {
        let mut y = a;
        while y < 3.0 {
            y += gamma_p(a, x) * bessel_j(2, y);
        }
        autodiff::lambert_w(y)
    }

    #[grad]
    pub(crate) fn as_static(a: f64, x: f64) -> f64 {
        let mut y = a;
        while y < 3.0 {
            y += gamma_p(a, x) * bessel_j(2, y);
        }
        autodiff::lambert_w(y)
    }
}

/// The slope of a function of one number.
fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-4;
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

fn near(found: f64, truth: f64) {
    assert!(
        (found - truth).abs() <= 1e-8 * (1.0 + truth.abs()),
        "{found}, not {truth}"
    );
}

#[test]
fn in_functions_of_users() {
    use in_functions::{Data, as_static, dynamic, mixture, third};
    let data = Data {
        order: 2,
        weights: vec![0.7, 1.9],
    };
    let (x, y) = (1.3, 0.8);
    let (by_x, by_y) = mixture::grad(x, y, &data);
    near(by_x, slope(|x| mixture(x, y, &data), x));
    near(by_y, slope(|y| mixture(x, y, &data), y));
    near(mixture::jvp(x, y, &data, (1.0, 0.0)).1, by_x);
    let hessian = mixture::hessian(x, y, &data);
    near(hessian[[0, 0]], slope(|x| mixture::grad(x, y, &data).0, x));
    near(hessian[[0, 1]], slope(|y| mixture::grad(x, y, &data).0, y));
    near(hessian[[1, 0]], slope(|x| mixture::grad(x, y, &data).1, x));
    near(hessian[[1, 1]], slope(|y| mixture::grad(x, y, &data).1, y));
    for (t, u) in [
        ((1.0, 0.0), (1.0, 0.0)),
        ((1.0, 0.0), (0.0, 1.0)),
        ((0.0, 1.0), (0.0, 1.0)),
    ] {
        let (_, (_, third_order)) = third::hvp_jvp(x, y, t, u);
        let along = |s: f64| third::hvp(x + s * u.0, y + s * u.1, t).1;
        near(third_order.0, slope(|s| along(s).0, 0.0));
        near(third_order.1, slope(|s| along(s).1, 0.0));
    }
    let (dynamic, as_static) = (dynamic::grad(0.6, 1.1), as_static::grad(0.6, 1.1));
    near(dynamic.0, as_static.0);
    near(dynamic.1, as_static.1);
    near(as_static.0, slope(|a| in_functions::as_static(a, 1.1), 0.6));
}

mod tables {
    use autodiff::{CubicSpline, grad, interp};

    #[grad(order = 2)]
    pub(crate) fn linear(x: f64, xs: &[f64], ys: &[f64]) -> f64 {
        let y = interp(x, xs, ys);
        y * y
    }

    #[grad(order = 2)]
    pub(crate) fn natural(x: f64, xs: &[f64], ys: &[f64]) -> f64 {
        let spline = CubicSpline::natural(xs, ys);
        spline.at(x) * spline.at(x + 0.1)
    }

    #[grad(order = 2)]
    pub(crate) fn not_a_knot(x: f64, xs: &[f64], ys: &[f64]) -> f64 {
        let spline = CubicSpline::not_a_knot(xs, ys);
        spline.at(x) * spline.at(x + 0.1)
    }
}

/// All first and second derivatives of a function of a point and a table against differences.
macro_rules! of_table {
    ($f:path, $xs:expr, $ys:expr, $at:expr) => {{
        use $f as f;
        let n = $xs.len();
        let mut all = vec![$at];
        all.extend($xs);
        all.extend($ys);
        let moved = |k: usize, to: f64| {
            let mut all = all.clone();
            all[k] = to;
            all
        };
        let gradient = |all: &[f64]| {
            let (x, xs, ys) = f::grad(all[0], &all[1..=n], &all[n + 1..]);
            [vec![x], xs, ys].concat()
        };
        let (found, hessian) = (
            gradient(&all),
            f::hessian(all[0], &all[1..=n], &all[n + 1..]),
        );
        for k in 0..all.len() {
            near(
                found[k],
                slope(
                    |to| {
                        let all = moved(k, to);
                        f(all[0], &all[1..=n], &all[n + 1..])
                    },
                    all[k],
                ),
            );
            for j in 0..all.len() {
                near(
                    hessian[[j, k]],
                    slope(|to| gradient(&moved(k, to))[j], all[k]),
                );
            }
        }
    }};
}

#[test]
fn tables_are_differentiated_by_point_and_entries() {
    let (xs, ys) = ([0.0, 0.7, 1.5, 2.1, 3.0], [0.3, 1.2, -0.4, 0.9, 0.2]);
    for at in [-0.4, 0.3, 1.1, 1.9, 2.4, 3.3] {
        of_table!(tables::linear, xs, ys, at);
        of_table!(tables::natural, xs, ys, at);
        of_table!(tables::not_a_knot, xs, ys, at);
        of_table!(tables::not_a_knot, [0.0, 0.7, 1.5], [0.3, 1.2, -0.4], at);
        of_table!(tables::natural, [0.0, 0.7], [0.3, 1.2], at);
    }
    let cubic = |x: f64| 1.0 + x * (2.0 - x * (0.5 - 0.3 * x));
    let spline = autodiff::CubicSpline::not_a_knot(&xs, &xs.map(cubic));
    for x in [-1.0, 0.1, 1.0, 2.0, 2.5, 4.0] {
        near(spline.at(x), cubic(x));
    }
}
