//! Functions of one number, entry by entry: those of the rule table and some beside it.
//!
//! The operation is the same for all of them ([`Map`]); a function is a type that knows its value and its slopes ([`Function`]).
//! What a derivative is multiplied by is never a tensor of its own: cotangent and slope are brought together entry by entry ([`Along`]).

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::arithmetic::total;
use crate::dual::second;
use crate::element::Lanes;
use crate::float::Float;
use crate::kernels::zmul;
use crate::parallel::{Work, divide};
use crate::rules::{op, partial, table};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::count;
use crate::tensor::elementwise::{entries, map, map_by, zip_by, zip3_by};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::shape;

/// A function of one number.
pub(crate) trait Function<T: Float>: Clone + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// What the slope is computed from: the argument, the result, or the argument with the result at hand; nothing if it is the same everywhere.
    const KEEPS: Keeps;

    /// The function where `lane` has it: several entries at once then.
    const LANES: Option<Lanes> = None;

    /// Whether `lane` has the slope as well, of the argument alone.
    const SLOPES_IN_LANES: bool = false;

    /// How much work a value or a slope is.
    const WORK: Work = Work::Function;

    /// What is wrong with the attributes.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// The value.
    fn value(&self, x: T) -> T;

    /// The derivative at x, where y is the value; what is not kept is 0 here.
    fn slope(&self, x: T, y: T) -> T;

    /// The derivative of the slope: by the result where the slope is computed from that alone, by the argument otherwise.
    fn bend(&self, of: T) -> T;

    /// The slope times a tangent or cotangent.
    fn along(&self, x: T, y: T, d: T) -> T {
        zmul(d, self.slope(x, y))
    }

    /// The function with numbers around which it is tested.
    #[cfg(test)]
    fn points() -> Vec<(Self, f64)>;
}

/// The function of every entry.
#[derive(Clone)]
pub(crate) struct Map<F>(pub(crate) F);

/// A kernel over the entries of tensors of one shape, row by row.
fn side_by_side<T: Float, const N: usize>(
    x: [&Tensor<T>; N],
    kernel: impl Fn([&[T]; N], &mut [T]) + Sync,
) -> Tensor<T> {
    let shape = x[0].shape.clone();
    let x = x.map(Tensor::contiguous);
    let mut out = anything(count(&shape));
    let all = x.each_ref().map(|x| x.dense().unwrap_or(&[]));
    let amount = entries(Work::Function, out.len());
    divide(&mut out[..], amount, |some, out| {
        kernel(all.map(|x| &x[some.clone()]), out);
    });
    Tensor::of(shape, out)
}

/// Whether the derivative is zero everywhere.
fn is_flat<T: Float, F: Function<T>>(function: &F) -> bool {
    F::KEEPS == Keeps::Nothing && function.slope(T::ZERO, T::ZERO) == T::ZERO
}

impl<T: Float, F: Function<T>> Operation<T> for Map<F> {
    const NAME: &'static str = F::NAME;
    const KEEPS: Keeps = F::KEEPS;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.0.check()?;
        if let Some(function) = F::LANES {
            return Ok(side_by_side([x[0]], |[x], out| T::values(function, x, out)));
        }
        Ok(map_by(F::WORK, x[0], |x| self.0.value(x)))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        match dx[0] {
            Some(d) if !is_flat(&self.0) => Along::first(&self.0).of(x[0], y, d),
            _ => y.nothing(),
        }
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![(!is_flat(&self.0)).then(|| Along::first(&self.0).of(x[0], y, dy))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 4] = [&[2, 3], &[], &[1], &[0, 2]];
        let near = |center: f64, at: &[usize]| {
            let spread = T::from_f64(0.2);
            map(&shape(at), |s: T| {
                T::from_f64(center) + (s - T::from_f64(0.85)) * spread
            })
        };
        F::points()
            .into_iter()
            .flat_map(|(f, center)| shapes.map(|at| (Map(f.clone()), vec![near(center, at)])))
            .collect()
    }
}

/// A tangent or cotangent times the slope of a function, or times the slope's own.
///
/// The operands are the argument and the result, as far as the function's slope is computed from them, and what is multiplied.
#[derive(Clone)]
pub(crate) struct Along<F> {
    function: F,
    order: usize,
}

impl<F: Clone> Along<F> {
    fn first(function: &F) -> Self {
        Along {
            function: function.clone(),
            order: 1,
        }
    }

    fn next(&self) -> Self {
        Along {
            function: self.function.clone(),
            order: self.order + 1,
        }
    }

    fn of<T: Float, A: Algebra<T>>(&self, x: &A, y: &A, d: &A) -> A
    where
        Self: Operation<T>,
    {
        A::apply(self, &[x, y, d])
    }

    /// Which operand the slope is a function of.
    fn source<T: Float>() -> Option<usize>
    where
        F: Function<T>,
    {
        match F::KEEPS {
            Keeps::Nothing => None,
            Keeps::Operands | Keeps::Everything => Some(0),
            Keeps::Result => Some(1),
        }
    }
}

impl<T: Float, F: Function<T>> Operation<T> for Along<F> {
    const NAME: &'static str = F::NAME;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let ([x, y, d], f) = ([x[0], x[1], x[2]], &self.function);
        if d.is_known_zero() {
            return Ok(d.outline());
        }
        if let (1, true, Some(function)) = (self.order, F::SLOPES_IN_LANES, F::LANES) {
            return Ok(side_by_side([x, d], |[x, d], out| {
                T::along(function, x, d, out);
            }));
        }
        let zero = T::ZERO;
        match (self.order, F::KEEPS) {
            (1, Keeps::Nothing) => Ok(map(d, |d| f.along(zero, zero, d))),
            (1, Keeps::Operands) => zip_by(F::WORK, F::NAME, x, d, |x, d| f.along(x, zero, d)),
            (1, Keeps::Result) => zip_by(F::WORK, F::NAME, y, d, |y, d| f.along(zero, y, d)),
            (1, Keeps::Everything) => {
                zip3_by(F::WORK, F::NAME, x, y, d, |x, y, d| f.along(x, y, d))
            }
            (2, Keeps::Result) => zip_by(F::WORK, F::NAME, y, d, |y, d| zmul(d, f.bend(y))),
            (2, _) => zip_by(F::WORK, F::NAME, x, d, |x, d| zmul(d, f.bend(x))),
            _ => Err(Error::new(F::NAME, "there are derivatives up to order two")),
        }
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let bent = Self::source().and_then(|k| dx[k]);
        total(
            y,
            dx[2].map(|d| self.of(x[0], x[1], d)),
            bent.map(|d| self.next().of(x[0], x[1], &x[2].times(d))),
        )
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let mut bars = vec![None; 3];
        bars[2] = wanted[2].then(|| self.of(x[0], x[1], dy));
        if let Some(k) = Self::source().filter(|k| wanted[*k]) {
            bars[k] = Some(self.next().of(x[0], x[1], &x[2].times(dy)));
        }
        bars
    }

    /// It is tested by the second derivatives of its function.
    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        Vec::new()
    }
}

/// A type for each function of one number in the rule table.
macro_rules! functions {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        $($( functions!(@row $section $name [$($arg $(: $integer)?),*] [$($y)?] $partials $at); )*)*

        #[cfg(test)]
        mod table_checks {
            $($( functions!(@test $section $name [$($arg $(: $integer)?),*]); )*)*
        }
    };
    // Only partials call these.
    (@row kernels $($rest:tt)*) => {};
    // Numbers alone have these.
    (@row special $($rest:tt)*) => {};
    // Neighbours of whole tensors nobody asks for.
    (@row methods next_up $($rest:tt)*) => {};
    (@row methods next_down $($rest:tt)*) => {};
    // Their slopes follow from the result.
    (@row methods exp $($rest:tt)*) => {};
    (@row methods sqrt $($rest:tt)*) => {};
    (@row methods recip $($rest:tt)*) => {};
    (@row functions relu $($rest:tt)*) => {};
    (@row $section:ident $name:ident [$x:ident] $y:tt $partials:tt [$($at:tt)*]) => { pastey::paste! {
        #[doc = concat!("`", stringify!($name), "`, by its row in the table.")]
        #[derive(Clone)]
        pub(crate) struct [<$name:camel>];

        impl<T: Float> Function<T> for [<$name:camel>] {
            const NAME: &'static str = stringify!($name);
            const KEEPS: Keeps = functions!(@slope_in_lanes $name [Keeps::Operands] [functions!(@keeps $y $partials)]);
            const LANES: Option<Lanes> = functions!(@in_lanes $name [Some(Lanes::[<$name:camel>])] [None]);
            const SLOPES_IN_LANES: bool = functions!(@slope_in_lanes $name [true] [false]);
            const WORK: Work = functions!(@work $name);

            fn value(&self, x: T) -> T {
                op::$name(x)
            }

            fn slope(&self, x: T, y: T) -> T {
                let [slope] = partial::$name(x, y);
                slope
            }

            fn bend(&self, x: T) -> T {
                second::$name(x)
            }

            #[cfg(test)]
            fn points() -> Vec<(Self, f64)> {
                [$($at)*, -($($at)*)].into_iter().filter(|at| op::$name(*at).is_finite()).map(|at| (Self, at)).collect()
            }
        }
    } };
    (@row $($other:tt)*) => {};
    // Of these `lane` has the value.
    (@in_lanes ln [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@in_lanes ln_1p [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@in_lanes tan [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@in_lanes $name:ident $yes:tt $no:tt) => { functions!(@slope_in_lanes $name $yes $no) };
    // And of these the slope, computed from the argument alone.
    (@slope_in_lanes tanh [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes sigmoid [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes silu [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes gelu [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes gelu_tanh [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes erf [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes erfc [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes exp_m1 [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes softplus [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes sin [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes cos [$($yes:tt)*] $no:tt) => { $($yes)* };
    (@slope_in_lanes $other:ident $yes:tt [$($no:tt)*]) => { $($no)* };
    (@work abs) => { Work::Memory };
    (@work signum) => { Work::Memory };
    (@work to_degrees) => { Work::Memory };
    (@work to_radians) => { Work::Memory };
    (@work $other:ident) => { Work::Function };
    // A sign is no literal.
    (@keeps [] [- $($partial:tt)*]) => { Keeps::Operands };
    (@keeps [$y:ident] [- $($partial:tt)*]) => { Keeps::Everything };
    (@keeps $y:tt [$constant:literal]) => { Keeps::Nothing };
    (@keeps [] $partials:tt) => { Keeps::Operands };
    (@keeps [$y:ident] $partials:tt) => { Keeps::Everything };
    (@test kernels $($rest:tt)*) => {};
    (@test special $($rest:tt)*) => {};
    (@test methods next_up $($rest:tt)*) => {};
    (@test methods next_down $($rest:tt)*) => {};
    (@test methods exp $($rest:tt)*) => {};
    (@test methods sqrt $($rest:tt)*) => {};
    (@test methods recip $($rest:tt)*) => {};
    (@test functions relu $($rest:tt)*) => {};
    (@test $section:ident $name:ident [$x:ident]) => { pastey::paste! {
        #[test]
        fn [<of_ $name>]() {
            $crate::tensor::testing::check::<super::Map<super::[<$name:camel>]>>();
        }
    } };
    (@test $($other:tt)*) => {};
}
table!(functions);

/// Functions that are no rows of the table, or whose slopes follow from the result: that alone is kept of these.
///
/// The bend is a function of what the slope is computed from.
macro_rules! more_functions {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty),* })? as $label:literal keeps $keeps:ident $(by $work:ident)? $(in $lane:ident)? at [$($at:expr),*]:
            value($x:ident) $value:expr, slope($sx:ident, $sy:ident) $slope:expr, bend($z:ident) $bend:expr
            $(, along($ay:ident, $d:ident) $along:expr)?;
    )*) => {
        $(
            more_functions!(@type [$(#[$doc])*] $name $({ $($field: $ty),* })?);

            #[allow(unused_variables, reason = "few slopes look at everything")]
            impl<T: Float> Function<T> for $name {
                const NAME: &'static str = $label;
                const KEEPS: Keeps = Keeps::$keeps;
                $(const WORK: Work = Work::$work;)?
                $(const LANES: Option<Lanes> = Some(Lanes::$lane);)?

                #[inline]
                fn value(&self, $x: T) -> T {
                    $(let Self { $($field),* } = *self;)?
                    $value
                }

                #[inline]
                fn slope(&self, $sx: T, $sy: T) -> T {
                    $(let Self { $($field),* } = *self;)?
                    $slope
                }

                #[inline]
                fn bend(&self, $z: T) -> T {
                    $(let Self { $($field),* } = *self;)?
                    $bend
                }

                $(
                    #[inline]
                    fn along(&self, _: T, $ay: T, $d: T) -> T {
                        $along
                    }
                )?

                #[cfg(test)]
                fn points() -> Vec<(Self, f64)> {
                    vec![$($at),*]
                }
            }
        )*

        #[cfg(test)]
        mod more_checks {
            $( pastey::paste! {
                #[test]
                fn [<of_ $name:snake>]() {
                    $crate::tensor::testing::check::<super::Map<super::$name>>();
                }
            } )*
        }
    };
    (@type [$(#[$doc:meta])*] $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name;
    };
    (@type [$(#[$doc:meta])*] $name:ident { $($field:ident: $ty:ty),* }) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name { $(pub(crate) $field: $ty),* }
    };
}
more_functions! {
    /// eˣ.
    Exp as "exp" keeps Result in Exp at [(Exp, 0.3), (Exp, -2.0)]:
        value(x) x.exp(), slope(x, y) y, bend(y) T::ONE;
    /// The square root.
    Sqrt as "sqrt" keeps Result by Memory at [(Sqrt, 0.3), (Sqrt, 5.0)]:
        value(x) x.sqrt(), slope(x, y) T::from_f64(0.5) / y, bend(y) T::from_f64(-0.5) / (y * y);
    /// 1 / √x.
    Rsqrt as "rsqrt" keeps Result by Memory at [(Rsqrt, 0.3), (Rsqrt, 5.0)]:
        value(x) x.sqrt().recip(), slope(x, y) T::from_f64(-0.5) * y * y * y, bend(y) T::from_f64(-1.5) * y * y;
    /// 1 / x. The result is not squared, as the square of a quotient may be out of range where the product with it is not.
    Recip as "recip" keeps Result by Memory at [(Recip, 0.7), (Recip, -0.7)]:
        value(x) x.recip(), slope(x, y) -(y * y), bend(y) T::from_f64(-2.0) * y, along(y, d) -zmul(zmul(d, y), y);
    /// The larger of x and 0, with slope 0 at 0.
    Relu as "relu" keeps Result by Memory at [(Relu, 0.7), (Relu, -0.7)]:
        value(x) op::relu(x), slope(x, y) op::less(T::ZERO, y), bend(y) T::ZERO;
    /// x².
    Square as "square" keeps Operands by Memory at [(Square, 0.7), (Square, -0.1)]:
        value(x) x * x, slope(x, y) x + x, bend(x) T::from_f64(2.0);
    /// The sign of x, and 0 at both zeros.
    Sign as "sign" keeps Nothing by Memory at [(Sign, 0.7), (Sign, -0.7)]:
        value(x) op::sign(x), slope(x, y) T::ZERO, bend(x) T::ZERO;
    /// The logarithm of the logistic function.
    LogSigmoid as "log_sigmoid" keeps Operands at [(LogSigmoid, 0.7), (LogSigmoid, -3.0)]:
        value(x) -op::softplus(-x), slope(x, y) op::sigmoid(-x), bend(x) -op::dsigmoid(x, op::sigmoid(x));
    /// xⁿ.
    Powi { n: i32 } as "powi" keeps Operands at [(Powi { n: 3 }, -0.7), (Powi { n: -2 }, 0.7), (Powi { n: 0 }, 0.7), (Powi { n: 1 }, 0.0)]:
        value(x) op::powi(x, n), slope(x, y) op::dpowi(x, n, 1), bend(x) op::dpowi(x, n, 2);
    /// x above 0, and a multiple of it below.
    LeakyRelu { slope: f64 } as "leaky_relu" keeps Operands by Memory at [(LeakyRelu { slope: 0.1 }, 0.7), (LeakyRelu { slope: 0.1 }, -0.7)]:
        value(x) if x > T::ZERO { x } else { T::from_f64(slope) * x }, slope(x, y) if x > T::ZERO { T::ONE } else { T::from_f64(slope) }, bend(x) T::ZERO;
    /// x above 0, and α (eˣ − 1) below.
    Elu { alpha: f64 } as "elu" keeps Operands at [(Elu { alpha: 1.5 }, 0.7), (Elu { alpha: 1.5 }, -0.7)]:
        value(x) if x > T::ZERO { x } else { T::from_f64(alpha) * x.exp_m1() },
        slope(x, y) if x > T::ZERO { T::ONE } else { T::from_f64(alpha) * x.exp() },
        bend(x) if x > T::ZERO { T::ZERO } else { T::from_f64(alpha) * x.exp() };
}

/// The nearest number in an interval; at a bound its slope is 1.
#[derive(Clone)]
pub(crate) struct Clamp {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl<T: Float> Function<T> for Clamp {
    const NAME: &'static str = "clamp";
    const KEEPS: Keeps = Keeps::Operands;
    const WORK: Work = Work::Memory;

    fn check(&self) -> Result<()> {
        if self.low <= self.high {
            Ok(())
        } else {
            let reason = format!("no number is between {} and {}", self.low, self.high);
            Err(Error::new("clamp", reason))
        }
    }

    fn value(&self, x: T) -> T {
        x.clamp(T::from_f64(self.low), T::from_f64(self.high))
    }

    fn slope(&self, x: T, _: T) -> T {
        let outside = x < T::from_f64(self.low) || x > T::from_f64(self.high);
        if outside { T::ZERO } else { T::ONE }
    }

    fn bend(&self, _: T) -> T {
        T::ZERO
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, f64)> {
        let clamp = || Clamp {
            low: -0.5,
            high: 0.8,
        };
        vec![(clamp(), 0.1), (clamp(), 1.7), (clamp(), -1.7)]
    }
}

methods! {
    /// eˣ.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, f64::NEG_INFINITY]).exp().to_vec(), [1.0, 0.0]);
    /// ```
    exp(;) -> tensor = Map(Exp);
    /// 2ˣ.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, -1.0]).exp2().to_vec(), [8.0, 0.5]);
    /// ```
    exp2(;) -> tensor = Map(Exp2);
    /// eˣ − 1, accurate near 0.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1e-20]).exp_m1().to_vec(), [1e-20]);
    /// ```
    #[doc(alias = "expm1")]
    exp_m1(;) -> tensor = Map(ExpM1);
    /// The natural logarithm.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 0.0]).ln().to_vec(), [0.0, f64::NEG_INFINITY]);
    /// ```
    #[doc(alias = "log")]
    ln(;) -> tensor = Map(Ln);
    /// ln(1 + x), accurate near 0.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1e-20]).ln_1p().to_vec(), [1e-20]);
    /// ```
    #[doc(alias = "log1p")]
    ln_1p(;) -> tensor = Map(Ln1p);
    /// The logarithm to base 2.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([8.0, 0.5]).log2().to_vec(), [3.0, -1.0]);
    /// ```
    log2(;) -> tensor = Map(Log2);
    /// The logarithm to base 10.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([100.0, 1.0]).log10().to_vec(), [2.0, 0.0]);
    /// ```
    log10(;) -> tensor = Map(Log10);
    /// The square root, with slope +∞ at 0; NaN for negative numbers.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([4.0, 2.25]).sqrt().to_vec(), [2.0, 1.5]);
    /// ```
    sqrt(;) -> tensor = Map(Sqrt);
    /// 1 / √x.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([4.0, 0.25]).rsqrt().to_vec(), [0.5, 2.0]);
    /// ```
    rsqrt(;) -> tensor = Map(Rsqrt);
    /// The cube root.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([8.0, -1.0]).cbrt().to_vec(), [2.0, -1.0]);
    /// ```
    cbrt(;) -> tensor = Map(Cbrt);
    /// 1 / x.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([4.0, -0.5]).recip().to_vec(), [0.25, -2.0]);
    /// ```
    #[doc(alias = "reciprocal")]
    recip(;) -> tensor = Map(Recip);
    /// x².
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, -0.5]).square().to_vec(), [9.0, 0.25]);
    /// ```
    square(;) -> tensor = Map(Square);
    /// xⁿ for an integer n; x⁰ is 1 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([2.0, -1.0]).powi(3).to_vec(), [8.0, -1.0]);
    /// ```
    powi(; n: given [i32]) -> tensor = Map(Powi { n });
    /// The sine, in radians.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).sin().to_vec(), [0.0, 0.5_f64.sin()]);
    /// ```
    sin(;) -> tensor = Map(Sin);
    /// The cosine, in radians.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).cos().to_vec(), [1.0, 0.5_f64.cos()]);
    /// ```
    cos(;) -> tensor = Map(Cos);
    /// The tangent, in radians.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).tan().to_vec(), [0.0, 0.5_f64.tan()]);
    /// ```
    tan(;) -> tensor = Map(Tan);
    /// The inverse sine, between −π/2 and π/2; NaN outside of [−1, 1].
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).asin().to_vec(), [0.0, 0.5_f64.asin()]);
    /// ```
    #[doc(alias = "arcsin")]
    asin(;) -> tensor = Map(Asin);
    /// The inverse cosine, between 0 and π; NaN outside of [−1, 1].
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 0.5]).acos().to_vec(), [0.0, 0.5_f64.acos()]);
    /// ```
    #[doc(alias = "arccos")]
    acos(;) -> tensor = Map(Acos);
    /// The inverse tangent, between −π/2 and π/2.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).atan().to_vec(), [0.0, 0.5_f64.atan()]);
    /// ```
    #[doc(alias = "arctan")]
    atan(;) -> tensor = Map(Atan);
    /// The hyperbolic sine.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).sinh().to_vec(), [0.0, 0.5_f64.sinh()]);
    /// ```
    sinh(;) -> tensor = Map(Sinh);
    /// The hyperbolic cosine.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).cosh().to_vec(), [1.0, 0.5_f64.cosh()]);
    /// ```
    cosh(;) -> tensor = Map(Cosh);
    /// The hyperbolic tangent.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 100.0]).tanh().to_vec(), [0.0, 1.0]);
    /// ```
    tanh(;) -> tensor = Map(Tanh);
    /// The inverse hyperbolic sine.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).asinh().to_vec(), [0.0, 0.5_f64.asinh()]);
    /// ```
    #[doc(alias = "arcsinh")]
    asinh(;) -> tensor = Map(Asinh);
    /// The inverse hyperbolic cosine; NaN below 1.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 1.5]).acosh().to_vec(), [0.0, 1.5_f64.acosh()]);
    /// ```
    #[doc(alias = "arccosh")]
    acosh(;) -> tensor = Map(Acosh);
    /// The inverse hyperbolic tangent; NaN outside of [−1, 1].
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).atanh().to_vec(), [0.0, 0.5_f64.atanh()]);
    /// ```
    #[doc(alias = "arctanh")]
    atanh(;) -> tensor = Map(Atanh);
    /// The logistic function, 1 / (1 + e⁻ˣ).
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 1000.0]).sigmoid().to_vec(), [0.5, 1.0]);
    /// ```
    sigmoid(;) -> tensor = Map(Sigmoid);
    /// The logarithm of the logistic function, −ln(1 + e⁻ˣ), accurate on both sides.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1000.0, 1000.0]).log_sigmoid().to_vec(), [-1000.0, 0.0]);
    /// ```
    log_sigmoid(;) -> tensor = Map(LogSigmoid);
    /// ln(1 + eˣ).
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1000.0, 1000.0]).softplus().to_vec(), [0.0, 1000.0]);
    /// ```
    softplus(;) -> tensor = Map(Softplus);
    /// The larger of x and 0, with slope 0 at 0.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 3.0]).relu().to_vec(), [0.0, 3.0]);
    /// ```
    relu(;) -> tensor = Map(Relu);
    /// x above 0, and x times `slope` below; at 0 that is the slope.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 3.0]).leaky_relu(0.5).to_vec(), [-1.0, 3.0]);
    /// ```
    leaky_relu(; slope: given [T]) -> tensor = Map(LeakyRelu { slope: slope.to_f64() });
    /// x above 0, and `alpha` · (eˣ − 1) below.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1000.0, 3.0]).elu(1.5).to_vec(), [-1.5, 3.0]);
    /// ```
    ///
    /// Source: Clevert, Unterthiner, Hochreiter, Fast and Accurate Deep Network Learning by Exponential Linear Units, 2015.
    elu(; alpha: given [T]) -> tensor = Map(Elu { alpha: alpha.to_f64() });
    /// x Φ(x), with the distribution function of the normal distribution (by erf).
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 100.0]).gelu().to_vec(), [0.0, 100.0]);
    /// ```
    ///
    /// Source: Hendrycks, Gimpel, Gaussian Error Linear Units, 2016.
    gelu(;) -> tensor = Map(Gelu);
    /// [`gelu`](Self::gelu) by an approximation, x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))), as GPT-2 has it.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 100.0]).gelu_tanh().to_vec(), [0.0, 100.0]);
    /// ```
    gelu_tanh(;) -> tensor = Map(GeluTanh);
    /// x times the logistic function of x.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 100.0]).silu().to_vec(), [0.0, 100.0]);
    /// ```
    #[doc(alias = "swish")]
    silu(;) -> tensor = Map(Silu);
    /// The error function, 2/√π · ∫₀ˣ e^(−t²) dt.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 10.0]).erf().to_vec(), [0.0, 1.0]);
    /// ```
    erf(;) -> tensor = Map(Erf);
    /// 1 − erf(x), accurate also where it is tiny.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 10.0]).erfc().to_vec(), [1.0, 2.088487583762545e-45]);
    /// ```
    erfc(;) -> tensor = Map(Erfc);
    /// |x|, with slope 0 at 0.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 3.0]).abs().to_vec(), [2.0, 3.0]);
    /// ```
    abs(;) -> tensor = Map(Abs);
    /// The sign of x: −1, 0 or 1, as PyTorch has it; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 0.0, 3.0]).sign().to_vec(), [-1.0, 0.0, 1.0]);
    /// ```
    sign(;) -> tensor = Map(Sign);
    /// The sign of x as Rust has it: ±1, also of both zeros; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 0.0, -0.0]).signum().to_vec(), [-1.0, 1.0, -1.0]);
    /// ```
    signum(;) -> tensor = Map(Signum);
    /// The largest integer not above x; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 1.5]).floor().to_vec(), [-2.0, 1.0]);
    /// ```
    floor(;) -> tensor = Map(Floor);
    /// The smallest integer not below x; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 1.5]).ceil().to_vec(), [-1.0, 2.0]);
    /// ```
    ceil(;) -> tensor = Map(Ceil);
    /// The nearest integer, halves away from zero as of Rust's numbers; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 2.5]).round().to_vec(), [-2.0, 3.0]);
    /// ```
    round(;) -> tensor = Map(Round);
    /// The nearest integer, halves to the even one, which is what NumPy's and PyTorch's `round` do; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 2.5]).round_ties_even().to_vec(), [-2.0, 2.0]);
    /// ```
    round_ties_even(;) -> tensor = Map(RoundTiesEven);
    /// The integer part, rounded towards zero; its slope is 0 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 1.5]).trunc().to_vec(), [-1.0, 1.0]);
    /// ```
    trunc(;) -> tensor = Map(Trunc);
    /// x − trunc(x); its slope is 1 everywhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-1.5, 1.25]).fract().to_vec(), [-0.5, 0.25]);
    /// ```
    #[doc(alias = "frac")]
    fract(;) -> tensor = Map(Fract);
    /// 180 x / π.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 0.5]).to_degrees().to_vec(), [0.0, 0.5_f64.to_degrees()]);
    /// ```
    to_degrees(;) -> tensor = Map(ToDegrees);
    /// π x / 180.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 60.0]).to_radians().to_vec(), [0.0, 60_f64.to_radians()]);
    /// ```
    to_radians(;) -> tensor = Map(ToRadians);
    /// −x.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 3.0]).neg().to_vec(), [2.0, -3.0]);
    /// ```
    neg(;) -> tensor = super::arithmetic::Neg;
    /// The nearest number between `low` and `high`; at a bound its slope is 1.
    ///
    /// An error if `low > high` or one of them is NaN.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([-2.0, 0.25, 3.0]).clamp(0.0, 1.0).to_vec(), [0.0, 0.25, 1.0]);
    /// ```
    clamp(; low: given [T], high: given [T]) -> tensor = Map(Clamp { low: low.to_f64(), high: high.to_f64() });
}

#[cfg(test)]
mod traps {
    use alloc::string::ToString;

    use super::*;
    use crate::tangent::Tangent;
    use crate::tensor::testing::slopes;

    /// Value, slope and bend at each number.
    fn at<F: Function<f64>>(function: F, x: &[f64]) -> [Vec<f64>; 3] {
        let (y, mut derivatives) = slopes(&Map(function), &[x]);
        let [slope, bend] = derivatives.remove(0);
        [y, slope, bend]
    }

    fn close(a: &[f64], b: &[f64]) {
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() <= 1e-14 * y.abs(), "{a:?} and {b:?}");
        }
    }

    #[test]
    fn nothing_overflows() {
        fn finite<F: Function<f64>>(function: F) {
            let x = [-1e308, -1e5, -745.0, -30.0, 30.0, 710.0, 1e5, 1e308];
            for list in at(function, &x) {
                assert!(list.iter().all(|x| x.is_finite()), "{}: {list:?}", F::NAME);
            }
        }
        finite(Sigmoid);
        finite(LogSigmoid);
        finite(Softplus);
        finite(Silu);
        finite(Gelu);
        finite(GeluTanh);
        finite(Tanh);
        finite(Erf);
        finite(Erfc);
        finite(Elu { alpha: 1.5 });
        finite(Atan);
    }

    #[test]
    fn slopes_are_accurate_in_both_tails() {
        let x = [-40.0, -3.0, 0.0, 3.0, 40.0_f64];
        let closed = |x: f64| 0.25 / (0.5 * x).cosh().powi(2);
        let [_, slope, bend] = at(Sigmoid, &x);
        close(&slope, &x.map(closed));
        close(&bend, &x.map(|x| -closed(x) * (0.5 * x).tanh()));
        let [_, slope, bend] = at(Tanh, &x);
        close(&slope, &x.map(|x| x.cosh().powi(-2)));
        close(&bend, &x.map(|x| -2.0 * x.tanh() * x.cosh().powi(-2)));
        let [y, slope, bend] = at(LogSigmoid, &x);
        close(&y, &x.map(|x| x.min(0.0) - (-x.abs()).exp().ln_1p()));
        close(&slope, &x.map(|x| op::sigmoid(-x)));
        close(&bend, &x.map(|x| -closed(x)));
        let [_, slope, bend] = at(Softplus, &x);
        close(&slope, &x.map(op::sigmoid));
        close(&bend, &x.map(closed));
    }

    #[test]
    fn kinks_and_jumps() {
        let zeros = [0.0, -0.0];
        assert_eq!(at(Relu, &zeros)[1..], [[0.0; 2], [0.0; 2]]);
        assert_eq!(at(Abs, &zeros)[1..], [[0.0; 2], [0.0; 2]]);
        assert_eq!(
            at(LeakyRelu { slope: 0.1 }, &zeros)[1..],
            [[0.1; 2], [0.0; 2]]
        );
        let clamp = Clamp {
            low: -1.0,
            high: 2.0,
        };
        let [y, slope, _] = at(clamp, &[-1.5, -1.0, 2.0, 2.5]);
        assert_eq!(
            (y, slope),
            (vec![-1.0, -1.0, 2.0, 2.0], vec![0.0, 1.0, 1.0, 0.0])
        );
        for flat in [
            at(Floor, &[2.0]),
            at(Ceil, &[2.0]),
            at(Round, &[2.5]),
            at(Trunc, &[2.0]),
            at(Sign, &[0.0]),
            at(Signum, &[0.0]),
        ] {
            assert_eq!(flat[1..], [[0.0], [0.0]]);
        }
        assert_eq!(at(Fract, &[2.0]), [[0.0], [1.0], [0.0]]);
    }

    #[test]
    fn powers_at_zero_and_below() {
        let x = [0.0, -0.0, -2.0];
        assert_eq!(at(Powi { n: 0 }, &x), [[1.0; 3], [0.0; 3], [0.0; 3]]);
        assert_eq!(at(Powi { n: 1 }, &x)[1..], [[1.0; 3], [0.0; 3]]);
        assert_eq!(
            at(Powi { n: 2 }, &x),
            [[0.0, 0.0, 4.0], [0.0, 0.0, -4.0], [2.0; 3]]
        );
        assert_eq!(
            at(Powi { n: 3 }, &x),
            [[0.0, 0.0, -8.0], [0.0, 0.0, 12.0], [0.0, 0.0, -12.0]]
        );
        assert_eq!(at(Square, &x)[1..], [[0.0, 0.0, -4.0], [2.0; 3]]);
    }

    #[test]
    fn infinite_slopes() {
        let [_, slope, bend] = at(Sqrt, &[0.0]);
        assert_eq!((slope[0], bend[0]), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(at(Ln, &[0.0])[1], [f64::INFINITY]);
        assert_eq!(at(Rsqrt, &[f64::INFINITY]), [[0.0], [0.0], [0.0]]);
        assert_eq!(at(Recip, &[f64::INFINITY])[1], [0.0]);
        // Nothing comes of them where nothing is asked for, in second order too.
        let x = Tensor::from([0.0, 4.0]);
        let dot = Tensor::from([0.0, 1.0]);
        let (_, dot_y, back) = x.__jvp_fwd_sqrt(&dot);
        assert_eq!(dot_y.to_vec(), [0.0, 0.25]);
        let (mut bar, mut dot_bar) = (x.outline(), x.outline());
        back(
            dot.clone(),
            Tensor::from([0.0, 1.0]),
            &x,
            &dot,
            &mut bar,
            &mut dot_bar,
        );
        assert_eq!(bar.to_vec(), [0.0, 0.25]);
        assert_eq!(dot_bar.to_vec(), [0.0, 0.25 - 1.0 / 32.0]);
    }

    #[test]
    fn the_square_of_a_quotient_is_not_computed() {
        let x = Tensor::from([1e200]);
        let (_, dot) = x.__jvp_recip(&Tensor::from([1e300]));
        assert!((dot.item() + 1e-100).abs() < 1e-114);
    }

    #[test]
    fn nan_stays_where_it_is() {
        let x = Tensor::from([f64::NAN, 0.5]);
        for y in [
            x.exp(),
            x.relu(),
            x.clamp(0.0, 1.0),
            x.sqrt(),
            x.gelu(),
            x.sigmoid(),
        ] {
            assert_eq!(y.is_nan().to_vec(), [true, false]);
        }
        let (_, back) = x.__fwd_tanh();
        let mut bar = x.outline();
        back(Tensor::from([0.0, 1.0]), &x, &mut bar);
        assert!(bar[0] == 0.0 && bar[1].is_finite());
    }

    #[test]
    fn single_precision() {
        let x = Tensor::from([0.3_f32, -20.0]);
        let (y, dot, back) = x.__jvp_fwd_sigmoid(&Tensor::from([1.0_f32, 2.0]));
        assert_eq!(y.to_vec(), [op::sigmoid(0.3_f32), op::sigmoid(-20.0_f32)]);
        let (mut bar, mut dot_bar) = (x.outline(), x.outline());
        back(
            Tensor::ones(&[2]),
            x.outline(),
            &x,
            &x,
            &mut bar,
            &mut dot_bar,
        );
        let slope = |x: f64| 0.25 / (0.5 * x).cosh().powi(2);
        let expected = [slope(f64::from(0.3_f32)), slope(-20.0)];
        assert!(
            bar.cast::<f64>()
                .allclose(&Tensor::from(expected), 3e-7, 0.0)
        );
        assert!((f64::from(dot[0]) - expected[0]).abs() < 1e-7);
        assert!(dot_bar.norm2() > 0.0);
    }

    #[test]
    fn refusals() {
        let x = Tensor::from([0.5]);
        assert_eq!(
            x.try_clamp(1.0, 0.0).unwrap_err().to_string(),
            "clamp: no number is between 1 and 0"
        );
        assert!(x.try_clamp(f64::NAN, 0.0).is_err());
        assert_eq!(x.clamp(0.5, 0.5).to_vec(), [0.5]);
    }
}
