//! The elementary functions to third order, as a compiled function and on a tape, against true figures.
//!
//! The figures and the script that made them are in `autodiff-runtime/tests/data`.

use autodiff::Float;
use autodiff::tape::{Tape, Var};

/// What rounding may do to a partial of each order, times ε and the size of the partial.
const ALLOWED: [f64; 3] = [4.0, 16.0, 16.0];

/// The partials of each order, by arguments in ascending order.
type Partials = [Vec<f64>; 3];

/// A row of the data.
struct Line {
    name: &'static str,
    single: bool,
    at: Vec<f64>,
    /// Each with its size: how much of a relative change of the arguments it passes on.
    partials: Vec<(f64, f64)>,
}

fn lines() -> impl Iterator<Item = Line> {
    let number = |text: &str| -> f64 { text.parse().unwrap_or_else(|_| panic!("{text}")) };
    let text = include_str!("../autodiff-runtime/tests/data/partials.csv").lines();
    text.filter(|line| !line.starts_with('#')).map(move |line| {
        let columns: Vec<&str> = line.split(';').collect();
        let [name, kind, at, partials] = columns[..] else {
            panic!("{line}")
        };
        let pair = |text: &str| {
            let (partial, size) = text.split_once('~').unwrap();
            (number(partial), number(size))
        };
        Line {
            name,
            single: kind == "f32",
            at: at.split(' ').map(number).collect(),
            partials: partials.split(' ').map(pair).collect(),
        }
    })
}

/// All partials from derivatives in the directions of two axes: the gradient, the product with the Hessian, and that with the third derivatives.
fn collect(count: usize, mut along: impl FnMut(usize, usize) -> [Vec<f64>; 3]) -> Partials {
    let mut all = Partials::default();
    for i in 0..count {
        for j in i..count {
            let [first, second, third] = along(i, j);
            if i == j {
                all[1].extend(&second[i..]);
            }
            all[0] = first;
            all[2].extend(&third[j..]);
        }
    }
    all
}

/// The functions of the data, as compiled functions of their name and as functions of variables.
macro_rules! functions {
    (
        one { $($one:ident)* }
        own { $($own:ident)* }
        two { $($two:ident)* }
        three { $($three:ident)* }
    ) => {
        functions!(@compiled double f64 [$($one)*] [$($own)*] [$($two)*] [$($three)*]);
        functions!(@compiled single f32 [$($one)*] [$($own)*] [$($two)*] [$($three)*]);

        fn on_tape<'t, T: Float>(name: &str, at: &[Var<'t, T>]) -> Var<'t, T> {
            match name {
                $(stringify!($one) => at[0].$one(),)*
                $(stringify!($own) => at[0].$own(),)*
                $(stringify!($two) => at[0].$two(at[1]),)*
                $(stringify!($three) => at[0].$three(at[1], at[2]),)*
                "powi" => at[0].powi(at[1].value().to_f64() as i32),
                _ => panic!("{name}"),
            }
        }
    };
    (@compiled $module:ident $T:ident [$($one:ident)*] [$($own:ident)*] [$($two:ident)*] [$($three:ident)*]) => {
        mod $module {
            use autodiff::{grad, logsumexp};

            #[grad(order = 3)]
            pub(crate) fn one(x: $T, name: &str) -> $T {
                let mut y = x;
                $( if name == stringify!($one) { y = x.$one(); } )*
                $( if name == stringify!($own) { y = autodiff::$own(x); } )*
                y
            }

            #[allow(deprecated, reason = "`abs_sub` has a row, too")]
            #[grad(order = 3)]
            pub(crate) fn two(a: $T, b: $T, name: &str) -> $T {
                let mut y = a;
                $( if name == stringify!($two) { y = a.$two(b); } )*
                y
            }

            #[grad(order = 3)]
            pub(crate) fn three(a: $T, b: $T, c: $T, name: &str) -> $T {
                let mut y = a;
                $( if name == stringify!($three) { y = a.$three(b, c); } )*
                y
            }

            #[grad(order = 3)]
            pub(crate) fn power(x: $T, n: i32) -> $T {
                x.powi(n)
            }

            #[grad(order = 3)]
            pub(crate) fn terms(xs: &[$T]) -> $T {
                logsumexp(xs)
            }
        }
    };
}
functions! {
    one {
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln ln_1p log2 log10 sqrt cbrt recip
        to_degrees to_radians abs fract floor ceil round round_ties_even trunc signum next_up next_down
    }
    own { sigmoid softplus relu silu gelu gelu_tanh erf erfc }
    two { atan2 log hypot powf midpoint copysign max min abs_sub rem_euclid div_euclid }
    three { mul_add clamp }
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
        impl List for Vec<$T> {
            fn list(self) -> Vec<f64> {
                self.into_iter().map(f64::from).collect()
            }
        }
    )*};
}
lists!(f32 f64);

/// Every way to the derivatives of a compiled function in the directions of two axes; they agree.
macro_rules! ways {
    ($line:ident $i:ident $f:path, ($($arg:expr),*), $t:expr, $u:expr) => {{
        use $f as f;
        let ((first, second), (_, third)) = f::hvp_jvp($($arg,)* $t, $u);
        let [first, second, third] = [first.list(), second.list(), third.list()];
        same($line, "forward", &[f::jvp($($arg,)* $t).1.into()], &first[$i..=$i]);
        same($line, "reverse", &f::grad($($arg),*).list(), &first);
        let hessian = f::hessian($($arg),*);
        let row: Vec<f64> = (0..first.len()).map(|k| hessian[[$i, k]].into()).collect();
        same($line, "Hessian", &row, &second);
        [first, second, third]
    }};
}

macro_rules! compiled {
    ($name:ident in $module:ident $T:ident) => {
        fn $name(line: &Line) -> Partials {
            let name = line.name;
            let at: Vec<$T> = line.at.iter().map(|&x| x as $T).collect();
            let axis = |i: usize, k: usize| if i == k { 1.0 } else { 0.0 };
            let (two, three) = (
                |i| (axis(i, 0), axis(i, 1)),
                |i| (axis(i, 0), axis(i, 1), axis(i, 2)),
            );
            match (name, &at[..]) {
                ("powi", &[x, n]) => collect(1, |i, _| {
                    ways!(line i $module::power, (x, n as i32), 1.0, 1.0)
                }),
                ("logsumexp", xs) => collect(xs.len(), |i, j| {
                    let [t, u] = [i, j].map(|i| (0..xs.len()).map(|k| axis(i, k)).collect::<Vec<$T>>());
                    ways!(line i $module::terms, (xs), &t, &u)
                }),
                (_, &[x]) => collect(1, |i, _| ways!(line i $module::one, (x, name), 1.0, 1.0)),
                (_, &[a, b]) => collect(2, |i, j| ways!(line i $module::two, (a, b, name), two(i), two(j))),
                (_, &[a, b, c]) => collect(3, |i, j| ways!(line i $module::three, (a, b, c, name), three(i), three(j))),
                _ => panic!("{name}"),
            }
        }
    };
}
compiled!(compiled in double f64);
compiled!(compiled_single in single f32);

/// Two ways to the same numbers, which differ by little.
fn same(line: &Line, way: &str, found: &[f64], other: &[f64]) {
    let epsilon = if line.single {
        f64::from(f32::EPSILON)
    } else {
        f64::EPSILON
    };
    for (&found, &other) in found.iter().zip(other) {
        let fine = found == other
            || (found - other).abs() <= 8.0 * epsilon * other.abs()
            || found.is_nan() && other.is_nan();
        assert!(
            fine,
            "{} at {:?}, {way}: {found:e}, not {other:e}",
            line.name, line.at
        );
    }
}

fn taped<T: Float>(line: &Line) -> Partials {
    let count = if line.name == "powi" {
        1
    } else {
        line.at.len()
    };
    let tape = Tape::<T>::default();
    tape.keep_details();
    let mut at: Vec<Var<T>> = line.at[..count]
        .iter()
        .map(|&x| tape.var(T::from_f64(x)))
        .collect();
    at.extend(line.at[count..].iter().map(|&x| Var::from(T::from_f64(x))));
    let first = on_tape(line.name, &at)
        .backward_recorded()
        .wrt(&at[..count]);
    let mut all = Partials::default();
    all[0] = first.iter().map(|d| d.value().to_f64()).collect();
    for (i, slope) in first.iter().enumerate() {
        let second = slope.backward_recorded().wrt(&at[..count]);
        for j in i..count {
            all[1].push(second[j].value().to_f64());
            let third = second[j].backward().wrt(&at[..count]);
            all[2].extend(third[j..].iter().map(|d| d.to_f64()));
        }
    }
    all
}

/// What is wrong with the partials of a line.
fn faults(line: &Line, way: &str, found: &Partials) -> Vec<String> {
    let (epsilon, smallest, largest) = if line.single {
        (
            f32::EPSILON.into(),
            f32::MIN_POSITIVE.into(),
            f32::MAX.into(),
        )
    } else {
        (f64::EPSILON, f64::MIN_POSITIVE, f64::MAX)
    };
    let orders = found.iter().zip(ALLOWED).enumerate();
    let found: Vec<(usize, f64, f64)> = orders
        .flat_map(|(order, (all, allowed))| all.iter().map(move |&d| (order + 1, allowed, d)))
        .collect();
    assert_eq!(found.len(), line.partials.len(), "{}", line.name);
    let mut faults = Vec::new();
    for (&(order, allowed, found), &(truth, size)) in found.iter().zip(&line.partials) {
        let fine = if truth.abs() > largest {
            found == truth.signum() * f64::INFINITY
        } else {
            (found - truth).abs() <= (allowed * epsilon * size).max(smallest)
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
fn partials_are_as_accurate_as_their_arguments() {
    let mut faults_of_all = Vec::new();
    for line in lines() {
        // A tape has its gradient alone.
        let on_tape = line.name != "logsumexp";
        if line.single {
            faults_of_all.extend(faults(&line, "compiled", &compiled_single(&line)));
            if on_tape {
                faults_of_all.extend(faults(&line, "on a tape", &taped::<f32>(&line)));
            }
        } else {
            faults_of_all.extend(faults(&line, "compiled", &compiled(&line)));
            if on_tape {
                faults_of_all.extend(faults(&line, "on a tape", &taped::<f64>(&line)));
            }
        }
    }
    assert!(
        faults_of_all.is_empty(),
        "{} partials are off:\n{}",
        faults_of_all.len(),
        faults_of_all.join("\n")
    );
}
