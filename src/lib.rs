//! Automatic differentiation of plain Rust functions, at compile time.
//!
//! `#[grad]` on a function reads its body, and makes beside it the functions that compute its derivatives: plain Rust again, exact to rounding, without a tape or operator overloading.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn rosenbrock(x: f64, y: f64) -> f64 {
//!     let a = 1.0 - x;
//!     let b = y - x * x;
//!     a * a + 100.0 * b * b
//! }
//!
//! assert_eq!(rosenbrock(0.0, 1.0), 101.0);
//! assert_eq!(rosenbrock::grad(0.0, 1.0), (-2.0, 200.0));
//! assert_eq!(rosenbrock::value_and_grad(0.0, 1.0), (101.0, (-2.0, 200.0)));
//! ```
//!
//! # What `#[grad]` makes
//!
//! The function `f` stays as it is written.
//! Beside it appears a type `f` with `f`'s own visibility, and the derivatives are its associated functions.
//! Functions and types have different namespaces, so `use path::f` imports both.
//!
//! | function | returns | meaning |
//! |---|---|---|
//! | `f::grad(args…)` | `G` | the gradient of the result, a number |
//! | `f::value_and_grad(args…)` | `(R, G)` | value and gradient, in one sweep |
//! | `f::jvp(args…, tangents)` | `(R, Ṙ)` | forward mode: value, and derivative along `tangents` |
//! | `f::vjp(args…, seed)` | `(R, G)` | reverse mode: value, and what the cotangent `seed` of the result is pulled back to |
//! | `f::grad_into(args…, &mut g₁, …)` | `R` | *adds* the gradient to the caller's buffers, one per entry of `G` |
//! | `f::value_and_grad_into(args…, &mut g₁, …)` | `R` | *overwrites* the buffers with the gradient |
//! | `f::vjp_into(args…, seed, &mut g₁, …)` | `R` | the same with a seed |
//! | `f::pullback(args…)` | `(R, impl FnOnce(seed) -> G)` | the two sweeps of `vjp` apart |
//! | `f::jacobian(args…)` | [`Matrix`] | a row per scalar of the result, a column per scalar of the parameters; in the cheaper mode |
//! | `f::value_and_jacobian(args…)` | `(R, Matrix)` | value and Jacobian |
//! | `f::jacfwd(args…)`, `f::jacrev(args…)` | [`Matrix`] | the Jacobian in forward or in reverse mode |
//! | `f::jacobian_into(args…, &mut [T])` | `()` | writes the Jacobian, row by row |
//! | `f::with(constants…)` | `impl` [`Objective`] or `impl` [`Residuals`] | the function of its one differentiable parameter, for solvers; with `order = 2` an [`Objective`] is `impl` [`Hessian`] as well |
//! | `f::graph()` | `&'static` [`Graph`] | the computation graph as data, and as a picture |
//!
//! `R` is the return type and `Ṙ` its tangent type.
//! `G` has one entry per differentiable parameter, in order: a tuple, or the bare entry if there is one.
//! There may be 26; of a tuple of more than 12, the standard library knows no `Debug` and no `==`.
//! `tangents` has the same shape, and each entry is passed as its parameter is: a number by value, a slice as a slice.
//! `grad`, `value_and_grad`, `grad_into` and `value_and_grad_into` exist where the result is one number.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn polar(r: f64, phi: f64) -> (f64, f64) {
//!     (r * phi.cos(), r * phi.sin())
//! }
//!
//! // Along (1, 0), and back from the second component of the result.
//! assert_eq!(polar::jvp(2.0, 0.0, (1.0, 0.0)), ((2.0, 0.0), (1.0, 0.0)));
//! assert_eq!(polar::vjp(2.0, 0.0, (0.0, 1.0)), ((2.0, 0.0), (0.0, 2.0)));
//!
//! let jacobian = polar::jacobian(2.0, 0.0);
//! assert_eq!(jacobian.as_slice(), [1.0, 0.0, 0.0, 2.0]);
//!
//! // The value now, the derivative when its seed is known.
//! let ((x, y), back) = polar::pullback(2.0, 0.0);
//! assert_eq!(back((2.0 * x, 2.0 * y)), (4.0, 0.0));
//! ```
//!
//! Derivatives call derivatives: a call of another `#[grad]` function, by any path, is differentiated through.
//!
//! # Second derivatives
//!
//! With `#[grad(order = 2)]`, a function whose result is one number has these:
//!
//! | function | returns | meaning |
//! |---|---|---|
//! | `f::hvp(args…, tangents)` | `(G, G)` | the gradient, and the Hessian times `tangents` |
//! | `f::hessian(args…)` | [`Matrix`] | a row and a column per scalar of the differentiable parameters, in order |
//! | `f::value_grad_hessian(args…)` | `(R, G, Matrix)` | value, gradient and Hessian |
//! | `f::hessian_into(args…, &mut [T])` | `()` | *overwrites* with the Hessian, row by row |
//! | `f::value_grad_hessian_into(args…, &mut g₁, …, &mut [T])` | `R` | *overwrites* with gradient and Hessian |
//!
//! They are forward mode over both sweeps of reverse mode, so they hold for whatever a body contains.
//! A Hessian takes up to eight columns at once, and costs a few gradients rather than one per column.
//! With `#[grad(order = 3)]` there is `f::hvp_jvp(args…, tangents, more)`, which returns `((G, G), (G, G))`: what `hvp` returns for `tangents`, and its derivative along `more`.
//!
//! What such a function calls needs the same order, functions that are given a closure as well; those of this crate, such as [`sigmoid`], have every order. Types of your own may be in it, their methods (`p.loss_hessian(…)`), and their operators, with `#[grad(order = 2)]` on the `impl`; with `order = 3` the operators are those of floats.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad(order = 2)]
//! fn energy(x: f64, y: f64) -> f64 {
//!     x * x * y
//! }
//!
//! assert_eq!(energy::hvp(2.0, 3.0, (1.0, 0.0)), ((12.0, 4.0), (6.0, 4.0)));
//! assert_eq!(energy::hessian(2.0, 3.0).as_slice(), [6.0, 4.0, 4.0, 0.0]);
//! ```
//!
//! Inside a body the derivatives of other functions and methods are functions like any other: `inner::grad(x)`, `inner::value_and_grad(x)` and `inner::jvp(x, dx)` have derivatives where `inner` has second ones, and second derivatives where it has third ones; `inner::hvp(x, dx)` has derivatives where `inner` has third ones.
//! Those of a method are its siblings, `spring.energy_grad(x)`.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad(order = 2)]
//! fn energy(u: &[f64], #[constant] stiffness: f64) -> f64 {
//!     let mut sum = 0.0;
//!     for i in 1..u.len() {
//!         sum += 0.5 * stiffness * (u[i] - u[i - 1]).powi(2);
//!     }
//!     sum
//! }
//!
//! /// How hard the first particle is pulled.
//! #[grad]
//! fn pull(u: &[f64]) -> f64 {
//!     -energy::grad(u, 3.0)[0]
//! }
//!
//! assert_eq!(pull::grad(&[0.0, 1.0, 5.0]), [-3.0, 3.0, 0.0]);
//! ```
//!
//! # Parameters and tangents
//!
//! | parameter | tangent, entry of `G` | buffer of `grad_into` |
//! |---|---|---|
//! | `f64`, `f32` | the same | `&mut f64`, `&mut f32` |
//! | `[T; N]`, `&[T; N]` | array of tangents | `&mut [_; N]` |
//! | `&[T]`, `Vec<T>`, `&Vec<T>` | `Vec` of tangents | `&mut [_]` |
//! | tuple | tuple of tangents | `&mut (…)` |
//! | integers, `bool`, `char`, `String`, … | none: constants | none |
//!
//! Every parameter counts that may hold floats, unless it is marked `#[constant]`.
//! A caller may give it what depends on a parameter of its own: nothing flows back that way.
//! What such a parameter refers to with `&mut`, and what the function writes there, is a constant after the call, too, whatever a caller lends it.
//! So a generator of random numbers, a counter or a closure that changes what it holds is `#[constant] rng: &mut R`: each derivative is of one call, and leaves `rng` as one call does.
//! Where it runs the function several times, once for each column or row of a Jacobian or for each eight columns of a Hessian, all runs but one begin with a copy of what there was: the type needs `Clone` there, and not for `grad`, `jvp`, `vjp` or `hvp`.
//! State that no copy can be made of changes from run to run, and there is no error: a `static`, a generator of the thread, what `&Cell`, `&RefCell` or `&Mutex` refers to, or an `Rc` whose clones share what it holds. Draw from it before, and pass the numbers.
//! `#[grad(wrt(…))]` names those that count instead.
//!
//! ```
//! use autodiff::grad;
//!
//! /// Residual sum of squares of a line.
//! #[grad]
//! fn loss(line: &[f64; 2], #[constant] xs: &[f64], #[constant] ys: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for (x, y) in xs.iter().zip(ys) {
//!         let r = line[0] + line[1] * x - y;
//!         sum += r * r;
//!     }
//!     sum
//! }
//!
//! let (xs, ys) = ([0.0, 1.0, 2.0], [1.0, 3.0, 6.0]);
//! assert_eq!(loss::grad(&[1.0, 2.0], &xs, &ys), [-2.0, -4.0]);
//!
//! // Two calls add to one buffer.
//! let mut g = [0.0; 2];
//! loss::grad_into(&[1.0, 2.0], &xs, &ys, &mut g);
//! loss::grad_into(&[1.0, 2.0], &xs, &ys, &mut g);
//! assert_eq!(g, [-4.0, -8.0]);
//! ```
//!
//! [`Tangent`] has the operations of a vector space for all of them, [`Differentiable`] leads from a value to its tangent, [`Parameters`] moves a value along one.
//!
//! # Generic functions
//!
//! Type parameters, const generics and lifetimes are carried over: `f::grad::<f32, 3>(…)`.
//! A type parameter in the type of a differentiable parameter stands for `f64` or `f32`; its bounds are yours, and need not know of derivatives.
//! One that stands for no number, such as the unit in `Quantity<U>`, has no bounds, or is marked `#[constant]`: `impl<#[constant] U: Unit> Quantity<U>`.
//! Methods such as `x.sin()` are differentiated where the bound is [`Float`], or a float trait of another crate, see [below](#bounds-of-other-crates); another trait may mean something else by the name.
//!
//! ```
//! use autodiff::{Float, grad};
//!
//! #[grad]
//! fn gaussian<T: Float>(x: T, width: T) -> T {
//!     (-(x / width).powi(2)).exp()
//! }
//!
//! assert_eq!(gaussian::grad(0.0_f32, 2.0), (0.0, 0.0));
//! assert_eq!(gaussian::grad(1.0_f64, 1.0).0, -2.0 * (-1.0_f64).exp());
//! ```
//!
#![doc = include_str!("generic.md")]
//! ## Types of your own
//!
//! A type parameter with the bound [`Differentiable`] stands for any type of your own that derives it, and has the functions of its traits that have `#[grad]`, above the trait and above each `impl`.
//! What the trait provides has its derivatives there, and others where an `impl` replaces it; `#[constant]` stands before the same parameters in both, and `order` is the same.
//! The trait may be generic in lengths. Its functions take no functions and no associated types, and are filled by the `impl`s of types without type parameters. It needs Rust 1.87.
//!
//! ```
//! use autodiff::{Differentiable, grad};
//!
//! #[grad]
//! trait Potential {
//!     fn energy(&self, r: f64) -> f64;
//!
//!     fn of_both(&self, r: f64, s: f64) -> f64 {
//!         self.energy(r) + self.energy(s)
//!     }
//! }
//!
//! #[derive(Clone, Differentiable)]
//! struct Spring {
//!     stiffness: f64,
//! }
//!
//! #[grad]
//! impl Potential for Spring {
//!     fn energy(&self, r: f64) -> f64 {
//!         0.5 * self.stiffness * r * r
//!     }
//! }
//!
//! #[grad]
//! fn total<P: Potential + Differentiable>(potential: &P, rs: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for &r in rs {
//!         sum += potential.of_both(r, 2.0 * r);
//!     }
//!     sum
//! }
//!
//! let spring = Spring { stiffness: 2.0 };
//! let (d_spring, d_rs) = total::grad(&spring, &[1.0, 3.0]);
//! assert_eq!(d_spring.stiffness, 25.0);
//! assert_eq!(d_rs, [10.0, 30.0]);
//! ```
//!
//! # Functions as parameters
//!
//! A function may take functions, as `f: F` with `F: Fn(f64) -> f64` (or `FnMut`, `FnOnce`) or as `f: impl Fn(f64) -> f64`.
//! In another `#[grad]` function it is called with a closure, and the derivative flows through what the closure captures and what it is called with; or with the path of a `#[grad]` function or method of one parameter.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn midpoint_rule<F: Fn(f64) -> f64>(f: F, a: f64, b: f64) -> f64 {
//!     (b - a) * f(0.5 * (a + b))
//! }
//!
//! #[grad]
//! fn area(slope: f64, width: f64) -> f64 {
//!     midpoint_rule(|x| slope * x, 0.0, width) + midpoint_rule(f64::sqrt, 0.0, 2.0 * width)
//! }
//!
//! assert_eq!(area::grad(3.0, 4.0), (8.0, 12.0 + 6.0));
//! ```
//!
//! Of a plain closure only the value is known, so `midpoint_rule::grad(|x| x * x, 0.0, 1.0)` is an error.
//! A function that is `#[constant]`, or whose result holds no float, is a constant like any other; a closure that is passed on as a constant is written `stop_gradient(|k: usize| …)`.
//! A closure takes copies of the slices and vectors that it captures, and cannot change what it captures, nor call a function that the function around it was given; a parameter that is a reference says so, `|t, p: &Point| …`, unless `*p` does.
//! Methods take functions as well.
//!
//! # Derivatives of your own
//!
//! Where you know the derivative better than the macro can, or the body is none that it can follow, say what it is; the body then may contain anything.
//!
//! For numbers there is `partials`: one expression for each differentiable parameter, in the parameters and `y`, the result (unless a parameter is called `y`).
//! It serves both modes. The expressions may call functions; to differentiate once more, those need derivatives of their own.
//!
//! ```
//! use autodiff::grad;
//!
//! /// The eccentric anomaly, by Newton's method; its derivative is that of Kepler's equation `y - e sin y = m`.
//! #[grad(partials = (y.sin() / (1.0 - e * y.cos()), 1.0 / (1.0 - e * y.cos())))]
//! fn kepler(e: f64, m: f64) -> f64 {
//!     let mut y = m;
//!     while (y - e * y.sin() - m).abs() > 1e-14 {
//!         y -= (y - e * y.sin() - m) / (1.0 - e * y.cos());
//!     }
//!     y
//! }
//!
//! let y = kepler(0.1, 1.0);
//! assert_eq!(kepler::grad(0.1, 1.0).1, 1.0 / (1.0 - 0.1 * y.cos()));
//! ```
//!
//! For the solution of an equation there is `implicit`: an expression in `y`, the result, and the parameters that is zero at the solution, of the type of the result, a number, an array, a `Vec` or a tuple of numbers.
//! What it calls needs `#[grad]`, and with `order = 2` second derivatives. By the implicit function theorem each sweep takes one linear solve, however the function finds its result; it may return a `Result`, whose `Ok` value is the solution.
//! Where the Jacobian of the expression by `y` is singular, derivatives are NaN. With `verify` that is a panic, and so is a result from which a step of Newton's method would still go further than half the digits of a float.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::grad;
//!
//! #[grad]
//! fn residual(y: &[f64; 2], radius: f64, slope: f64) -> [f64; 2] {
//!     [y[0] * y[0] + y[1] * y[1] - radius * radius, y[1] - slope * y[0]]
//! }
//!
//! /// Where a circle meets a line, by Newton's method.
//! #[grad(implicit = residual(&y, radius, slope))]
//! fn crossing(radius: f64, slope: f64) -> [f64; 2] {
//!     let mut y = [radius, radius];
//!     for _ in 0..20 {
//!         let r = residual(&y, radius, slope);
//!         let det = 2.0 * (y[0] + slope * y[1]);
//!         y[0] -= (r[0] - 2.0 * y[1] * r[1]) / det;
//!         y[1] -= (slope * r[0] + 2.0 * y[0] * r[1]) / det;
//!     }
//!     y
//! }
//!
//! let by_radius = crossing::jvp(5.0, 0.75, (1.0, 0.0)).1;
//! assert!((by_radius[0] - 0.8).abs() < 1e-12 && (by_radius[1] - 0.6).abs() < 1e-12);
//! ```
//!
//! For everything else there are functions: `vjp = p` with `fn p(args…) -> (R, impl FnOnce(R::Tangent) -> G)`, and `jvp = q` with the signature of `f::jvp`, `fn q(args…, tangents) -> (R, R::Tangent)`.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad(vjp = norm_pullback)]
//! fn norm(xs: &[f64]) -> f64 {
//!     xs.iter().fold(0.0, |r: f64, x| r.hypot(*x))
//! }
//!
//! fn norm_pullback(xs: &[f64]) -> (f64, impl FnOnce(f64) -> Vec<f64>) {
//!     let r = norm(xs);
//!     (r, move |seed: f64| xs.iter().map(|x| seed * x / r).collect())
//! }
//!
//! assert_eq!(norm::grad(&[3.0, 4.0]), [0.6, 0.8]);
//! ```
//!
//! In two halves it is `vjp = (fwd, rev)`: `fn fwd(args…) -> (R, Saved)`, called in the forward sweep, and `fn rev(&Saved, seed) -> G`; what is saved borrows from no argument.
//! With `order = 2` both have `#[grad(order = 2)]` themselves, and there is forward mode and every second derivative.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::grad;
//!
//! /// `x sin x`, at the price of one sine and one cosine.
//! #[grad(order = 2, vjp = (wave_saved, wave_back))]
//! fn wave(x: f64) -> f64 {
//!     x * x.sin()
//! }
//!
//! #[grad(order = 2)]
//! fn wave_saved(x: f64) -> (f64, [f64; 2]) {
//!     (x * x.sin(), [x, x.sin()])
//! }
//!
//! #[grad(order = 2)]
//! fn wave_back(saved: &[f64; 2], seed: f64) -> f64 {
//!     seed * (saved[1] + saved[0] * saved[0].cos())
//! }
//!
//! assert_eq!(wave::grad(0.5), 0.5_f64.sin() + 0.5 * 0.5_f64.cos());
//! assert_eq!(wave::hessian(0.0)[[0, 0]], 2.0);
//! ```
//!
//! With `vjp` and `jvp`, every first derivative is there.
//! With `vjp` alone, forward mode is refused where it is asked for; with `jvp` alone, reverse mode is, where the number of scalars in the parameters only shows at run time.
//! Another `#[grad]` function that calls this one has both: the mode that is missing runs the one that is there, once for each scalar of the result or of the parameters.
//! When such a function is called in another one with references, the forward sweep calls the function itself, and the reverse sweep calls `p`, after the memory is what it was.
//! Derivatives of your own are for functions without `&mut` parameters and without functions as parameters.
//! The example `implicit` is an equilibrium that is found by Newton's method, and what depends on it.
//!
//! `#[grad(constant)]` says that a function has the derivative zero: others may call it with anything, for a message, a rounding, or a step size.
//!
//! # Constants and cotangents on the way
//!
//! [`stop_gradient(e)`](stop_gradient) is the value of `e` as a constant; any call may stand in it, but it may not change what depends on a differentiable parameter; what else it changes is a constant afterwards, too.
//! As an argument, `stop_gradient(&mut e)` lends a constant of the body, such as a generator of random numbers, to a parameter that is `#[constant]`; otherwise what is lent with `&mut` beside a variable is one as well.
//!
//! [`with_cotangent(x, |c| …)`](with_cotangent) is `x`, and in the reverse sweep the closure is given `c: &mut X::Tangent`, the cotangent that arrives there: to print it, to assert something of it, to clip it.
//! It runs once in each reverse sweep of this place, in a loop once for each round; not at all where nothing flows back.
//! What it reads of other variables is what they held in the forward sweep; it cannot change them.
//! Forward mode is about tangents: there, the closure does not run. A function with such code is never differentiated forward unless you ask for that, but one that calls it may be.
//!
//! ```
//! use autodiff::{grad, with_cotangent};
//!
//! #[grad]
//! fn f(x: f64, limit: f64) -> f64 {
//!     let y = with_cotangent(x * x, |c| *c = c.clamp(-limit, limit));
//!     y * y
//! }
//!
//! // The cotangent of `y` is 18.
//! assert_eq!(f::grad(3.0, 100.0).0, 18.0 * 6.0);
//! assert_eq!(f::grad(3.0, 1.0).0, 1.0 * 6.0);
//! ```
//!
//! # Long loops
//!
//! What the reverse sweep remembers of a loop grows with the number of its rounds.
//! The thread keeps that memory for its next derivative, up to 2²⁸ bytes: [`release_memory`] gives it back, [`set_memory_limit`] keeps less or more.
//! Counters that every round changes by the same number take none.
//! `#[checkpoint(every = k)]` on a `for` loop keeps the variables that the loop changes every `k` rounds instead, and in the reverse sweep runs `k` rounds again at a time: twice the rounds, and memory for `k` of them and for the states kept.
//! `#[checkpoint]` alone keeps only so many states as the logarithm of the number of rounds, by the binomial schedule of Griewank and Walther, and runs each round up to three times until there are many millions.
//! `#[grad(checkpoint)]` does so for every outermost loop that can.
//! Second and third derivatives keep the same states, with their tangents.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::grad;
//!
//! #[grad]
//! fn cooled(start: f64, rate: f64, steps: usize) -> f64 {
//!     let mut t = start;
//!     #[checkpoint(every = 100)]
//!     for _ in 0..steps {
//!         t -= rate * (t - 20.0);
//!     }
//!     t
//! }
//!
//! let (by_start, _) = cooled::grad(90.0, 1e-4, 10_000);
//! assert!((by_start - (1.0_f64 - 1e-4).powi(10_000)).abs() < 1e-12);
//! ```
//!
//! A `while` loop keeps states as it goes, fewer and fewer of the old ones, since nobody knows how long it will be.
//! This is for `while` loops and loops over a range that run to their end, and whose rounds may run again: code without derivative that may do something else the next time, such as a random number or a message, is refused in them, as is a change of what a reference parameter refers to.
//! Functions that are called from them are not looked into: they must do the same each time. Where the floats of a state come out as others than before, as when such a function draws random numbers, the reverse sweep panics and names the loop.
//!
//! # `&mut` parameters
//!
//! A parameter `&mut [T]`, `&mut [T; N]` or `&mut f64` is input and output.
//! After every call, a derivative's as well, it holds the final state.
//! In `jvp` its entry in `tangents` is a `&mut` tangent, updated in place.
//! `vjp` takes one `&mut` cotangent per such parameter after the seed: in goes the cotangent of the final state, out comes that of the initial one; `G` holds the other parameters.
//! Where the function returns nothing there is no seed, `vjp` returns `G` alone and `jvp` nothing.
//! Such a function has no `pullback`. Its Jacobian has a row for each scalar of the result and then of the final states, in order, and a column for each scalar of the differentiable parameters, initial states among them.
//! `jvp_lanes(args…, [tangents; N])` is `jvp` in several directions.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn decay(u: &mut [f64], rate: f64) {
//!     for i in 0..u.len() {
//!         u[i] *= rate;
//!     }
//! }
//!
//! let (mut u, mut u_dot) = ([1.0, 3.0], [1.0, 0.0]);
//! decay::jvp(&mut u, 0.5, (&mut u_dot, 1.0));
//! assert_eq!((u, u_dot), ([0.5, 1.5], [1.5, 3.0]));
//!
//! let (mut u, mut u_bar) = ([1.0, 3.0], [1.0, 1.0]);
//! let rate_bar = decay::vjp(&mut u, 0.5, &mut u_bar);
//! assert_eq!((u, u_bar, rate_bar), ([0.5, 1.5], [0.5, 0.5], 4.0));
//! ```
//!
//! `#[out]` marks one that is only written: what it holds before is a constant. It has no column in a Jacobian, `jvp` overwrites its tangent, and `vjp` leaves its cotangent zero.
//! As a function for solvers, `f::with(constants…)` takes it as a constant that says how long it is, and writes to a copy.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::grad;
//!
//! /// The right-hand side of a differential equation.
//! #[grad]
//! fn rhs(#[constant] t: f64, y: &[f64], #[out] dy: &mut [f64]) {
//!     dy[0] = y[1];
//!     dy[1] = t - y[0] * y[1];
//! }
//!
//! let (y, mut dy) = ([2.0, 3.0], [0.0; 2]);
//! let jacobian = rhs::jacobian(0.5, &y, &mut dy);
//! assert_eq!(dy, [3.0, -5.5]);
//! assert_eq!(jacobian.as_slice(), [0.0, 1.0, -3.0, -2.0]);
//! ```
//!
//! # What a body may contain
//!
//! - arithmetic, comparisons, casts, literals, constants; operators by name, `a.mul(b)` of numbers and `Mul::mul(a, b)` of anything; every method of `f64` and `f32` that is differentiable somewhere, as `x.sin()` or `f64::sin(x)`, also as `Real::sin(x)` with `type Real = f64`, or by another name that the function shows to be a float's, `let h: Num = 0.5` or `n as Num`; the functions of this crate such as [`sigmoid`], [`erf`](fn@erf) and [`ln_gamma`] (see [Special functions](#special-functions));
//! - `let` with tuple and array patterns, shadowing, mutation, compound assignment, blocks as expressions;
//! - tuples, arrays, nested arrays, slices, sub-slices, `Vec`s: read and written by index, `a[i][j] -= x`, `a.swap(i, j)`, `mem::swap`, `mem::replace`, `mem::take`, `copy_from_slice`, `fill`, and the methods of `Vec` that change its length;
//! - references to parts: `&mut a[3]`, `split_at_mut`, `chunks`, `windows`, `first`, `last`, `if let Some((a, rest)) = r.split_first()`, `if let Some(p) = list.get(i)`, `if let Some(w) = q.chunks(2).last()`; `rest = &rest[1..]`, and references to one of two variables;
//! - `if`, `else if`, `if let`, `let else` and `match`, as expressions and as statements, with guards, slice patterns and the patterns of `Option`;
//! - `for` over ranges and slices with the usual adaptors, `while`, `while let`, `loop`; `break` with a label or a value, `continue`, and `return` from anywhere;
//! - `Result`s of calls, see [Functions that may fail](#functions-that-may-fail);
//! - `Option`s, in fields as well: `?` in functions that return one, `map`, `and_then`, `unwrap_or` and their like;
//! - closures that are called where they are defined (each call is a copy of the body; a large one that is called often is compiled once, if it takes and captures numbers, and parameters that are slices or arrays), and iterator chains from `iter`, ranges, `windows` and `chunks` by way of `map`, `zip`, `filter`, `scan` and their like to `sum`, `product`, `fold`, `for_each`, `collect`, `max_by` and their like; iterators with a name that `next`, `peek` and `nth` take on by hand; `sort_by`, `reverse` and `rotate_left` of lists;
//! - structs with `#[derive(Differentiable)]`: literals with update syntax, fields at any depth, destructuring, vectors and options of them, their methods and operators under `#[grad]`;
//! - enums with `#[derive(Differentiable)]`: variants made, matched with guards and nested patterns, changed through `&mut`, in vectors, and in a `Box` of themselves: trees and lists are made, matched through the boxes (`match &**a { … }`), changed there, and moved out of them (`f(*a)`); enums without derivatives in fields that are `#[constant]`, matched;
//! - calls of other `#[grad]` functions, and of the function itself; closures as their arguments. Anything may be lent to them, written as a reference: `&TABLE`, `&model.table[1..]`, `&model.table()[..]`;
//! - whatever only decides, though it mentions variables: `xs.contains(&x)`, `a == b` of lists, `(lo..hi).contains(&x)`, `is_sorted`, `partition_point`, `binary_search_by`, `position`, `any`, `count`, orders (`total_cmp`, `partial_cmp`), text (`format!`, `to_string`), `to_bits`, indices that are sorted by variables, maps and sets of integers, and macros and functions of your own where a truth value stands, `if relative_eq!(x, 0.0)`.
//!   Such a value is a constant. What makes a number of text or bits again, `text.parse()`, `f64::from_bits(bits)`, is refused;
//! - calls that are given constants alone, `T::from(xs.len())`, `std::cmp::min(a.len(), b.len())`, `table.lookup(x as usize)`;
//! - `println!`, `assert!`, `panic!` and their like, as statements, and macros of your own that write messages or assert; `dbg!(e)`, which is `e`;
//! - any code at all that no differentiable parameter flows into: it is copied as it stands, and runs once in each derivative.
//!
//! Everything else is a compile error at the place, which says what to write instead.
//! Refused for now where a differentiable value is involved: methods of trait objects, a variable in the or-pattern of a `let`.
//!
//! # Special functions
//!
//! They are generic in [`Float`], work on plain numbers, in `#[grad]` code by path or `use`, and on the tape (`x.ln_gamma()`, `Var::bessel_j(2, x)`), to third order. Each says its formula, domain and source; values, first and second derivatives are tested to a few roundings of the arguments.
//!
//! - [`ln_gamma`], [`gamma`], [`digamma`], [`trigamma`], [`ln_beta`], [`beta`]; [`gamma_p`], [`gamma_q`], [`beta_inc`], also by their shape parameters (to about ten digits in first order);
//! - [`erf`](fn@erf), [`erfc`], [`erfinv`], [`normal_pdf`], [`normal_cdf`], [`normal_quantile`], [`lambert_w`]; [`bessel_j`], [`bessel_y`], [`bessel_i`], [`bessel_k`] of integer order;
//! - [`xlogy`], [`logaddexp`], [`logsumexp`], [`log1mexp`], [`log1p_exp`], [`sinc`], [`sigmoid`], [`softplus`];
//! - tables: [`interp`] (linear), [`CubicSpline`], by the point and by the entries.
//!
//! ```
//! use autodiff::{grad, ln_gamma, xlogy};
//!
//! /// The log-likelihood of a count under a Poisson distribution.
//! #[grad]
//! fn poisson(rate: f64, #[constant] count: f64) -> f64 {
//!     xlogy(count, rate) - rate - ln_gamma(count + 1.0)
//! }
//!
//! assert_eq!(poisson::grad(2.0, 3.0), 0.5);
//! ```
//!
//! # Types of your own
//!
//! `#[derive(Differentiable)]` on `struct P` makes `struct PTangent` with the same fields: gradients with respect to a `P` are of that type.
//! `#[grad]` on a method makes methods beside it, `loss_grad`, `loss_value_and_grad`, `loss_jvp`, and so on, where `self` counts as the first parameter;
//! on an `impl` block it does so for every function in it that has something to differentiate.
//! A function of an `impl` block that shows neither `self` nor `Self` needs `#[grad(method)]`.
//! Where the block has parameters of its own, as `impl<T: Float> Wave<T>` or `impl Weighted<'_>`, `#[grad]` stands on the block: a method alone does not see them.
//! There, too, a method that lends a part, `fn row(&self, i: usize) -> &[f64] { &self.data[…] }`, is written out where the others call it.
//! A method that changes its receiver and lends it again, `fn rate(&mut self, r: f64) -> &mut Self`, returns nothing to derivatives: call it in statements, `plan.rate(r).steps(3);`, and take it by value and return it where such calls make a value.
//! On the `impl` of an operator it makes the operator differentiable; on those of `Index<(usize, usize)>` and `IndexMut` with numbers as output, the elements `m[(i, j)]`, which can be read and assigned.
//! On that of `Index` with anything else, `v[i]`, it gives the tangent of the type the same index, so what it lends may depend on no constant of the value.
//! On the `impl` of any other trait for a type of your own, `#[grad] impl Model for Spring { … }`, it makes the same methods for the type; methods that the trait provides have none, unless the trait has `#[grad]`, too.
//! They are called as `spring.energy(x)`, `Spring::energy(&spring, x)` or `<Spring as Model>::energy(&spring, x)`; by the trait's name alone, the type is not seen.
//!
//! ```
//! use autodiff::{Differentiable, grad};
//!
//! #[derive(Clone, Copy, Differentiable)]
//! struct Complex {
//!     re: f64,
//!     im: f64,
//! }
//!
//! #[grad]
//! impl std::ops::Mul for Complex {
//!     type Output = Complex;
//!     fn mul(self, o: Complex) -> Complex {
//!         Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
//!     }
//! }
//!
//! #[grad]
//! impl Complex {
//!     fn norm2(&self) -> f64 {
//!         self.re * self.re + self.im * self.im
//!     }
//! }
//!
//! #[grad]
//! fn loss(z: Complex, w: Complex) -> f64 {
//!     (z * z * w).norm2()
//! }
//!
//! let z = Complex { re: 1.0, im: 2.0 };
//! let g: ComplexTangent = z.norm2_grad();
//! assert_eq!((g.re, g.im), (2.0, 4.0));
//! let (dz, dw) = loss::grad(z, Complex { re: 1.0, im: 0.0 });
//! assert_eq!((dz.re, dz.im), (20.0, 40.0));
//! assert_eq!((dw.re, dw.im), (50.0, 0.0));
//! ```
//!
//! The type has to be `Clone` where the reverse sweep needs a value that the function moves; the clone has to be equal to the value, because derivatives clone where the function does not.
//! Derivatives of a trait's functions belong to the type, so a type has one method with derivatives of each name. Functions generic in the trait need `#[grad]` above the trait itself, see [above](#generic-functions).
//!
//! A loop over a type with iterators of its own is one over its indices, `for i in 0..list.len()`.
//!
//! An operator on values of such types is taken to be the type's own, which costs nothing where it turns out to be that of a number.
//! A method named like one of numbers, `z.exp()`, is the type's own where the body shows that `z` is of the type: by its fields, by how it is made, or by what is done with the result.
//! Where nothing does, rustc refuses it; `Complex::exp(z)` says it.
//! Where a trait in scope gives numbers a method of such a name that takes `&self`, rustc prefers it on a reference, and says "multiple applicable items" of `r.sin()`: `(*r).sin()` is that of numbers.
//! What a free function returns is taken for a number where nothing shows that it is none: rustc refuses such an operator on another type, and `let a: Complex = …` shows the type.
//! `sum` and `product` are those of numbers: what a type has of its own is refused, and `fold` says what it does.
//! A function named like a type, `fn Potential(x)`, is read as a constructor; so is a single capital letter, `W(x)`, unless it is a parameter that is a function.
//!
//! A callee without `#[grad]` gives rustc's error E0433 at its name, "cannot find module or crate `helper`": the derivative of `f` looks for the derivative of `helper`, and there is none.
//! Put `#[grad]` on `helper`, or write `stop_gradient(helper(x))` where what it does with `x` is none of the derivative's business, a message for one.
//! A method without `#[grad]` gives E0599, "no method named `__fwd_helper`": put `#[grad]` on its `impl` block, with `#[grad(constant)]` on a method that only looks something up for an index, as `table.at(node.id)`.
//! A method that a trait without `#[grad]` provides has to be written in the `impl` for the type.
//! `Model::energy(a, x)` by the bare name of a trait gives E0782: write `a.energy(x)`, or `<Spring as Model>::energy(a, x)`.
//! A call that only decides, as in `if is_valid(x)`, needs neither.
//! What functions store elsewhere, in a `static` or a `Cell` or when a value is dropped, comes back as a constant; no derivative knows of it.
//!
//! A function that calls itself may do so a hundred thousand times deep, if the stack is enough for it: built with optimisations, a level of its gradient takes 50 to 150 bytes of it.
//! That is two to four times what the function takes where it is given numbers and slices, and more with arrays by value (nine times for one of two numbers), with parameters of types, in methods and in higher orders.
//! For more depth run it in a thread with a larger stack, `std::thread::Builder::new().stack_size(…)`, or write a loop.
//! Functions that call each other in a circle give E0720, "cannot resolve opaque type", unless one of them has `#[grad(recursive)]`: otherwise the pullback of each would contain itself.
//!
//! # Functions for solvers
//!
//! `f {}` is the function `f` as a value.
//! Where `f` has one parameter, that value is an [`Objective`] if the result is a number, and [`Residuals`] if it is several: an array, a vector, a tuple.
//! Where one parameter is differentiable and others are constants, `f::with(constants…)` binds these, in order, and is one; so it is for generic functions, as `f::with::<3>()`.
//! References stay borrowed, and what is passed by value is cloned for each call.
//! The point is what the parameter is or refers to, of any type with [`Parameters`].
//!
//! ```
//! use autodiff::{Objective, Parameters, grad};
//!
//! #[grad]
//! fn loss(w: &[f64], #[constant] data: &[(f64, f64)]) -> f64 {
//!     let mut sum = 0.0;
//!     for &(x, y) in data {
//!         let e = w[0] + w[1] * x - y;
//!         sum += e * e;
//!     }
//!     sum
//! }
//!
//! fn descend(f: &dyn Objective<Point = [f64]>, x: &mut [f64]) {
//!     for _ in 0..200 {
//!         let (_, gradient) = f.value_and_grad(x);
//!         x.move_by(-0.1, &gradient);
//!     }
//! }
//!
//! let mut w = [0.0, 0.0];
//! descend(&loss::with(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), &mut w);
//! assert!((w[0] - 1.0).abs() < 1e-6 && (w[1] - 2.0).abs() < 1e-6);
//! ```
//!
//! The example `least_squares` and the programs in `examples/solvers` hand such functions to solvers of other crates: Levenberg–Marquardt, L-BFGS, Newton's method, an integrator of differential equations.
//!
#![cfg_attr(feature = "tensor", doc = include_str!("tensors.md"))]
#![cfg_attr(all(feature = "nalgebra", feature = "std"), doc = include_str!("matrices.md"))]
#![cfg_attr(all(feature = "ndarray", feature = "std"), doc = include_str!("arrays.md"))]
//!
//! # Optimisers
//!
//! [`optim`] has [`Sgd`](optim::Sgd), [`Adam`](optim::Adam) and [`AdamW`](optim::AdamW), which compute what their namesakes in `PyTorch` do; they move parameters of any kind in place, by the gradient that `grad` gives.
//! [`clip_norm`](optim::clip_norm) and [`clip_value`](optim::clip_value) cut a gradient before; rates that change are functions of the step, in [`optim::schedule`].
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::optim::{AdamW, clip_norm, schedule};
//! use autodiff::{Differentiable, grad};
//!
//! #[derive(Differentiable)]
//! struct Net {
//!     hidden: Vec<Unit>,
//!     bias: f64,
//! }
//!
//! #[derive(Differentiable)]
//! struct Unit {
//!     inner: f64,
//!     bias: f64,
//!     outer: f64,
//! }
//!
//! #[grad]
//! fn loss(net: &Net, #[constant] points: &[(f64, f64)]) -> f64 {
//!     let mut sum = 0.0;
//!     for &(x, y) in points {
//!         let mut out = net.bias;
//!         for unit in &net.hidden {
//!             out += unit.outer * (unit.inner * x + unit.bias).tanh();
//!         }
//!         sum += (out - y) * (out - y);
//!     }
//!     sum / points.len() as f64
//! }
//!
//! let unit = |k: usize| Unit { inner: 1.0, bias: k as f64 - 2.0, outer: 0.1 };
//! let mut net = Net { hidden: (0..5).map(unit).collect(), bias: 0.0 };
//! let points: Vec<(f64, f64)> = (0..20).map(|k| k as f64 * 0.3 - 3.0).map(|x| (x, x.sin())).collect();
//!
//! // Biases do not decay.
//! let mut adam = AdamW::new(0.02).weight_decay(1e-4).decay_where(|path, _| !path.ends_with("bias"));
//! for step in 0..1000 {
//!     let (_, mut gradient) = loss::value_and_grad(&net, &points);
//!     clip_norm(&mut gradient, 1.0);
//!     adam.set_lr(schedule::linear(step, 1000, 0.02, 0.002));
//!     adam.step(&mut net, &gradient);
//! }
//! assert!(loss(&net, &points) < 1e-3);
//! ```
//!
//! An optimiser works on slices, of `f32` in `f32`, and knows each by its length and its path: `hidden[3].outer`.
//! [`Tangent::for_each_slice`] and [`Parameters::walk_slices`] hand the same slices to code of your own, as reductions over several machines need them; see [`slices`].
//! With the feature `serde` an optimiser is saved and restored with all it remembers.
//!
//! # Meaning at the edges
//!
//! - Values are those of the function itself, bit for bit, in every derivative.
//! - At kinks: `abs` has slope 0 at 0, as `relu` has; `max` and `min` give half to each side of a tie; `clamp` at a bound gives all to the argument; `floor`, `ceil`, `round`, `trunc`, `signum` have slope 0, `fract` has 1.
//! - An integer or a truth value is a constant, whatever it was made from: a cast `x as i32` has slope 0, as `trunc` has; so do counts, positions and numbers of rounds.
//! - `x % y` has the partials 1 and −(x − x % y) / y, the latter rounded to the integer that it is. `sqrt` has slope +∞ at 0.
//! - A zero absorbs an infinite slope, see [below](#zero-times-infinity). A branch not taken contributes nothing: `if x > 0.0 { x.ln() } else { 0.0 }` has slope 0 at 0.
//! - A parameter that the result does not depend on gets a zero of its own shape.
//! - Derivatives of elementary functions, up to the third, use formulas that stay accurate where the textbook's cancels or overflows.
//! - NaN and infinities pass through as IEEE 754 has it.
//! - Sums of contributions may be added in another order than the function's own.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn larger(x: f64, y: f64) -> f64 {
//!     x.max(y)
//! }
//!
//! assert_eq!(larger::grad(2.0, 1.0), (1.0, 0.0));
//! assert_eq!(larger::grad(1.0, 1.0), (0.5, 0.5));
//! ```
//!
//! # Panics
//!
//! Tangents and buffers whose lengths do not fit panic before anything is written, with both lengths in the message.
//! A panic in the function's own code, such as an index out of bounds, unwinds through the derivative as it does through the function.
//! The caller's buffers and `&mut` arguments are valid afterwards, but what they hold is unspecified.
//!
//! ## Zero times infinity
//!
//! `x.sqrt()` has an infinite slope at 0, `x.ln()` too, and so has `x / d` at `d = 0`.
//! What a derivative does with it is fixed, in both modes and every order: 0 · ∞ is 0 where the slope comes to be, and in the first product that it meets, whichever factor is the zero.
//! On the way there the slope may pass sums, copies, memory, loops and constant factors.
//! So the norm of a vector has slope 0 at the origin, where its formula says 0 / 0, and log weights of zero counts do no harm:
//!
//! ```
//! # use autodiff::grad;
//! #[grad]
//! fn norm(x: f64, y: f64) -> f64 {
//!     (x * x + y * y).sqrt()
//! }
//! assert_eq!(norm::grad(0.0, 0.0), (0.0, 0.0));
//! ```
//!
//! This has a price: a smooth function that is written by way of a singular one has slope 0 at the singularity, and not its limit.
//! `x.sqrt().powi(2)` is x, and its slope at 0 is taken for 0.
//! `#[grad(verify)]` panics, with the line and both factors, where a zero that was computed absorbs a slope that is not finite; zeros of branches not taken, of constants and of directions are no reason. `f::report()` lists the lines where that may happen.
//!
//! Products behind the first one are plain, for the sake of speed: two of them, or a product in a function that is called with what has the slope, may still give NaN.
//! `#[grad(strong_zero)]` guards every product of a function's derivatives. They take 1.3 times as long on average, and at worst twice.
//! Then both modes agree wherever they look, and with the tape, which guards every product always. Without it, two results that are both not NaN agree.
//!
//! ```
//! # use autodiff::grad;
//! #[grad(strong_zero)]
//! fn weight(x: f64, k: f64) -> f64 {
//!     let w = x.sqrt() * (1.0 + k) * k;
//!     w + x
//! }
//! assert_eq!(weight::grad(0.0, 0.0), (1.0, 0.0));
//! ```
//!
//! # Functions that may fail
//!
//! A function that returns `Result<R, E>` has derivatives that fail as it does:
//! `grad` gives `Result<G, E>`, `value_and_grad` gives `Result<(R, G), E>`, `jvp` gives `Result<(R, R::Tangent), E>`, and so on through `hessian` and `jacobian`.
//! `E` may be any type: it is moved, never copied, and nothing of it is differentiated.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn root(x: f64) -> Result<f64, String> {
//!     if x < 0.0 {
//!         return Err(format!("{x} is negative"));
//!     }
//!     Ok(x.sqrt())
//! }
//!
//! #[grad]
//! fn total(xs: &[f64]) -> Result<f64, Box<dyn std::error::Error>> {
//!     let mut sum = 0.0;
//!     for &x in xs {
//!         sum += root(x)? * x;
//!     }
//!     Ok(sum + root(sum).unwrap_or(0.0))
//! }
//!
//! assert_eq!(root::grad(4.0), Ok(0.25));
//! assert_eq!(root::grad(-4.0), Err("-4 is negative".to_string()));
//! assert!(total::value_and_grad(&[1.0, -1.0]).is_err());
//! ```
//!
//! - `?` converts errors as ever, also those of code without derivatives, `text.parse::<f64>()?`. `match`, `if let`, `let else`, `map_err`, `and_then`, `ok_or`, `unwrap_or` and their like are followed, and `collect`, `sum`, `product` and `try_fold` of what may fail.
//!   Macros that return, as `bail!` and `ensure!`, are as well.
//! - A call that stands alone, `check(x)?;`, need not be of a `#[grad]` function if it changes nothing.
//! - A derivative that returns an error has added nothing to the buffers of `grad_into` and `vjp_into`. What the function has changed behind `&mut` is as it left it, and the cotangents of that are as they were;
//!   a caller that goes on after the failure is differentiated through what was changed. A `Result<(), E>` has no seed.
//! - An alias whose name does not end in `Result` is shown by `#[grad(fallible)]`.
//! - Where it fails there has to be some value to compute with, which nobody looks at: a result of a type of your own asks for `Default` there.
//! - An error is a constant. It may be shown, compared, taken apart and returned; what else comes out of it must be without numbers, which rustc checks:
//!   integers, text, options and lists of these, and types of your own with `#[derive(Differentiable)]` that have no floats. Anything else is refused, because the derivative of a number in it would be lost, unless it is in `stop_gradient`.
//! - A call that has failed adds nothing to a derivative, also where its slope would be infinite.
//! - `return` and `?` in closures of `map`, `and_then` and their like are refused, as are results beside others in a tuple or an option: `match` them one by one.
//! - A struct named like a result, `FitResult { … }`, is none if the body makes it by its name.
//! - Of a function that returns a number or none, `Option<f64>`, `grad` gives `Option<G>`, and `value_and_grad` gives `Option<(f64, G)>`;
//!   `jvp`, `vjp` and `pullback` take and give options, as of any data.
//! - Results in fields, lists and parameters are refused, and fallible functions of traits.
//!
//! # Options
//!
//! | | |
//! |---|---|
//! | `#[grad(wrt(a, b))]` | the parameters that count, by name |
//! | `#[grad(name = T)]` | the name of the type that carries the derivatives |
//! | `#[grad(fallible)]` | the return type is an alias of a `Result` whose name does not show it |
//! | `#[grad(recursive)]` | on one of several functions that call each other in a circle: its pullback is boxed. A function that calls itself by its own name needs nothing |
//! | `#[grad(assume_std)]` | methods of a type parameter that are named like those of floats are these, though its bounds do not say so |
//! | `#[grad(crate = path)]` | where this crate is found, if not at `::autodiff` |
//! | `#[grad(partials = (e₁, …))]`, `#[grad(vjp = p)]`, `#[grad(jvp = q)]` | derivatives of your own |
//! | `#[grad(constant)]` | the function has the derivative zero |
//! | `#[grad(dynamic)]` | the derivatives run the body on a tape |
//! | `#[grad(checkpoint)]` | the outermost loops keep few states, and run again in the reverse sweep |
//! | `#[grad(mode = forward)]`, `#[grad(mode = reverse)]` | how `grad` and its kin are computed, if not as the macro thinks best: forward in all directions at once for up to four inputs of a recurrence, reverse otherwise. Where the inputs cannot be counted, `forward` runs the function once for each of them |
//! | `#[grad(report)]` | adds `f::report()`: what the reverse sweep remembers, and why, and where a zero may absorb an infinite slope |
//! | `#[grad(strong_zero)]` | zero times infinity is zero in every product of the derivatives |
//! | `#[grad(trace)]` | adds `f::trace(args…)`: every executed operation with its value and gradient |
//! | `#[grad(verify)]` | the reverse sweep also remembers what it would read or compute again, compares, and panics at a difference, and where a zero absorbs an infinite slope: slow, for those who suspect a bug in this crate, or a zero |
//!
//! # Looking inside
//!
//! `f::graph()` is the graph that the derivatives were made from: each operation with the name and place it has in the source, what it is computed from, the loop or arm it stands in, whether a derivative flows through it, and what the reverse sweep does to have its value.
//! [`to_svg`](Graph::to_svg) and [`to_dot`](Graph::to_dot) draw it.
//! `#[grad(report)]` adds `f::report()`, a text that says line by line what the reverse sweep remembers, how many bytes a round, and why.
//! The command line of the repository, `autodiff`, shows both without compiling, and `autodiff expand` writes a file with its derivatives as source, to be reviewed and checked in.
//!
//! ```
//! use autodiff::grad;
//! use autodiff::graph::Reverse;
//!
//! #[grad(report)]
//! fn iterate(x: f64, n: usize) -> f64 {
//!     let mut y = x;
//!     for _ in 0..n {
//!         let wave = y.sin();
//!         y = wave * wave + x;
//!     }
//!     y
//! }
//!
//! let wave = iterate::graph().node("wave").unwrap();
//! assert_eq!((wave.op, wave.reverse), ("sin", Reverse::Remembered));
//! # #[cfg(feature = "alloc")]
//! assert!(iterate::graph().to_svg().starts_with("<svg"));
//! assert!(iterate::report().contains("16 bytes a round"));
//! ```
//!
//! `#[grad(trace)]` adds `f::trace(args…)`, for functions whose result is one number: it runs the function and records every operation with its value, the gradient of the result with respect to it, and its partial derivatives.
//! A loop then has nodes for each of its rounds, and what a function calls, which needs the option too, is seen into.
//! A [`Trace`](trace::Trace) prints as a table, and is drawn like a graph.
//! Its gradients are computed by a walk over what was recorded, apart from the generated sweeps: a second opinion.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::grad;
//!
//! #[grad(trace)]
//! fn product(x: f64, y: f64) -> f64 {
//!     let p = x + y;
//!     let q = x - y;
//!     p * q
//! }
//!
//! let trace = product::trace(3.0, 1.0);
//! let p = trace.node("p").unwrap();
//! assert_eq!((p.op, p.value, p.gradient), ("add", 4.0, 2.0));
//! assert_eq!(trace.node("x").unwrap().gradient, 6.0);
//! println!("{trace}");
//! ```
//!
//! # The dynamic tape
//!
//! Where only the running program knows the way, in interpreters, adaptive solvers, graphs of objects, there are variables that record what is computed with them.
//! A [`Var`] is `Copy` and has every operator and method of the float; [`backward`](Var::backward) walks back over the [`Tape`] and finds the derivatives with respect to everything on it.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use autodiff::Tape;
//!
//! let tape = Tape::new();
//! let (a, b) = (tape.var(2.0), tape.var(-3.0));
//! let f = (a * b + 10.0).relu().sqrt();
//! let g = f.backward();
//! assert_eq!((g.wrt(a), g.wrt(b)), (-0.75, 0.5));
//! ```
//!
//! `#[grad(dynamic)]` is one word away from static code: the same derivatives under the same names, and any body that compiles when its float type is replaced by `Var`.
//! Static functions call dynamic ones like any others.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use std::collections::HashMap;
//! use autodiff::grad;
//!
//! #[grad(dynamic)]
//! fn run(program: &str, x: f64) -> f64 {
//!     let mut commands: HashMap<&str, Box<dyn Fn(f64) -> f64>> = HashMap::new();
//!     commands.insert("sin", Box::new(f64::sin));
//!     commands.insert("double", Box::new(|x| 2.0 * x));
//!     program.split(' ').fold(x, |x, command| commands[command](x))
//! }
//!
//! assert_eq!(run::grad("double sin", 0.0), 2.0);
//! ```
//!
//! It takes and returns numbers, arrays, slices, vectors, options and tuples of them, and structs and enums that are generic in their numbers and derive [`Differentiable`]; it changes what it is lent by `&mut`.
//! Other parameters are marked `#[constant]`; maps and lists of numbers may be, too.
//! Functions, types and traits in the body are of variables, as the body is.
//! The function may be generic in its float, and in lengths.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use autodiff::{Differentiable, grad};
//!
//! #[derive(Clone, Differentiable)]
//! struct Spring<T> {
//!     stiffness: T,
//!     rest: T,
//! }
//!
//! #[grad(dynamic)]
//! fn energy(springs: &[Spring<f64>], x: f64) -> f64 {
//!     trait Part {
//!         fn energy(&self, x: f64) -> f64;
//!     }
//!     struct Stretched<'a>(&'a Spring<f64>);
//!     struct Drag(f64);
//!     impl Part for Stretched<'_> {
//!         fn energy(&self, x: f64) -> f64 {
//!             0.5 * self.0.stiffness * (x - self.0.rest).powi(2)
//!         }
//!     }
//!     impl Part for Drag {
//!         fn energy(&self, x: f64) -> f64 {
//!             self.0 * x
//!         }
//!     }
//!     let mut parts: Vec<Box<dyn Part + '_>> = vec![Box::new(Drag(0.5))];
//!     for spring in springs {
//!         parts.push(Box::new(Stretched(spring)));
//!     }
//!     parts.iter().map(|part| part.energy(x)).sum()
//! }
//!
//! let spring = Spring { stiffness: 4.0, rest: 1.0 };
//! let (springs, x) = energy::grad(&[spring], 3.0);
//! assert_eq!((springs[0].stiffness, springs[0].rest, x), (2.0, -8.0, 8.5));
//! ```
//!
//! On an `impl` block it makes all functions dynamic, also those of a trait; in a block with `#[grad]` it may stand above some.
//! The type is generic in its numbers, or the receiver is a constant, `#[constant] &self`.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! # use autodiff::{Differentiable, grad};
//! #[derive(Clone, Differentiable)]
//! struct Oscillator<T> {
//!     stiffness: T,
//! }
//!
//! #[grad(dynamic)]
//! impl Oscillator<f64> {
//!     fn force(&self, x: f64) -> f64 {
//!         -self.stiffness * x
//!     }
//!     fn settle(&self, mut x: f64) -> f64 {
//!         while self.force(x).abs() > 0.5 {
//!             x += 0.25 * self.force(x);
//!         }
//!         x
//!     }
//! }
//!
//! let (oscillator, x) = Oscillator { stiffness: 2.0 }.settle_grad(1.0);
//! assert_eq!((oscillator.stiffness, x), (-0.25, 0.25));
//! ```
//!
//! Of functions outside of the body, compiled ones are called as they are, and recorded as one operation with the derivative that they have; dynamic ones run on the same tape; others have to be generic, or to take no numbers.
//! So where rustc says of a call that it expected an `f64` and found a `Var`, the function that is called needs `#[grad]` above it, or a type parameter for its number.
//! A function that takes functions, as `f: &dyn Fn(f64) -> f64` or `f: F`, has no derivative of its own; other dynamic functions call it.
//! So of the methods of types outside of it, those that are generic in the number can be called on variables.
//! A float out of a constant goes with variables in every operation; where a variable has to stand, `f64::from(x)` makes one.
//! Named constants are numbers among variables, and `stop_gradient` is as in static code.
//! [`with_cotangent`] stays in compiled code, where it sees the cotangents of the tape; in a function that calls one with it, if that returns an array or changes what it is lent.
//!
//! On a tape of one's own a compiled function is called by `f::on_tape`, with variables for the parameters that it is differentiated with respect to:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use autodiff::{Tape, grad};
//!
//! #[grad]
//! fn energy(x: &[f64], stiffness: f64, #[constant] rest: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for i in 1..x.len() {
//!         let stretch = x[i] - x[i - 1] - rest[i - 1];
//!         sum += 0.5 * stiffness * stretch * stretch;
//!     }
//!     sum
//! }
//!
//! let tape = Tape::new();
//! let (x, stiffness) = (tape.vars(&[0.0, 1.5, 2.0]), tape.var(2.0));
//! let e = energy::on_tape(&x, stiffness, &[1.0, 1.0]);
//! let g = (e * e).backward();
//! assert_eq!((e.value(), g.wrt(stiffness)), (0.5, 0.25));
//! ```
//!
//! It costs one gradient; where it returns or changes several numbers, the function itself, and one `vjp` in each sweep. Second derivatives do not go through it.
//! [`grad`](fn@grad), [`value_and_grad`], [`jacobian`] and [`hessian`] differentiate a closure, `grad(|x| x[0] * x[1], &[2.0, 3.0])`; the module [`tape`] has the rest.
//!
//! # Checking against differences
//!
//! [`gradcheck`] compares a gradient with extrapolated differences, which know how far they can be trusted; [`gradcheck_at`] does so at points of other types than slices, and [`hessian_check`] compares a Hessian with differences of a gradient.
//! The report names the worst entry.
//! What is small beside other entries is judged by the largest of them, up to 1, and a gradient that is small as a whole by its own size.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use autodiff::{grad, gradcheck, gradcheck_at};
//!
//! #[grad]
//! fn f(x: &[f64]) -> f64 {
//!     x[0] * x[0] * x[1].sin()
//! }
//!
//! let report = gradcheck(f, f::grad, &[1.5, -0.5]);
//! assert!(report.is_ok(), "{report}");
//!
//! #[grad]
//! fn g(a: f64, w: [f64; 2]) -> f64 {
//!     a * w[0] * w[1]
//! }
//!
//! gradcheck_at(|(a, w)| g(*a, *w), |(a, w)| g::grad(*a, *w), &(0.5, [1.0, 2.0])).ok().unwrap();
//! ```
//!
//! # Names
//!
//! The type beside a function hides a *crate* of the same name in its module: next to `#[grad] fn log(x: f64)`, the path `log::info!` no longer means the crate `log`, and the same goes for `rand` and others.
//! Give the type another name there: `#[grad(name = LogGrad)]`, then `LogGrad::grad(x)`.
//! Functions called `std`, `core` and `alloc` are refused without that.
//! Other `#[grad]` functions find the derivatives by the function's own name, so they cannot call one whose type is renamed.
//!
//! # Features and `no_std`
//!
//! | feature | |
//! |---|---|
//! | `std` (default) | elementary functions from the standard library; includes `alloc` |
//! | `alloc` | vectors, Jacobians, what loops must remember |
//! | `libm` | without `std`: elementary functions from the crate `libm` |
//! | `tensor` | [`Tensor`] and its operations |
//! | `reproducible` | the same bits of these on every machine; products take several times as long |
//! | `rayon` | operations of large tensors, and steps of optimisers, on the threads of rayon; the same bits with any number of them |
//! | `linalg` | with `tensor`: eigenvalues, singular values and orthogonal factors, by the crate `faer` |
//! | `ndarray`, `nalgebra` | matrices and arrays of these crates in `#[grad]` code, with `std`; [`Matrix`] and [`Tensor`] from and into arrays of these crates: `Tensor::from(array)`, `tensor.as_ndarray()` and `ArrayD::from(tensor)` without a copy where there is a way, those of `nalgebra` as copies |
//! | `argmin` | `solvers::Problem`: an [`Objective`], with its [`Hessian`] if it has one, or [`Residuals`] as a problem of the crate `argmin` |
//! | `levenberg-marquardt` | `solvers::Fit`: [`Residuals`] as a problem of the crate `levenberg-marquardt` |
//! | `npy` | tensors from and into the files of NumPy: `Tensor::read_npy`, and `NamedTensors::read_npz` for several |
//! | `safetensors` | tensors from and into files of that format: `NamedTensors::read_safetensors` |
//! | `serde` | optimisers, matrices and tensors are saved and restored by the crate `serde` |
//! | `approx` | the traits of the crate `approx` for [`Matrix`], [`Tensor`] and derived tangents |
//! | `chrono`, `time`, `uuid` | dates, times and identifiers of these crates as parameters and fields, which are constants |
//! | `num-traits` | the traits of the crate `num-traits` as bounds of generic functions, and for the variables of the dynamic tape |
//! | `simba` | the traits of the crate `simba`, which are `nalgebra`'s, as bounds of generic functions |
//!
//! Without `std`, the primitive floats have no method `sin`; with [`Float`] in scope they have.
//! Derivatives allocate the gradients they return as `Vec`s, and what long loops must remember from round to round; functions of numbers and arrays without such loops allocate nothing.
//! Without `alloc`, a function that needs a heap for that is refused.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
extern crate self as autodiff;

#[cfg(feature = "alloc")]
mod implicit;
#[cfg(feature = "alloc")]
mod interpolation;

/// Makes the derivatives of a function.
///
/// ```
/// use autodiff::grad;
///
/// #[grad]
/// fn area(width: f64, height: f64) -> f64 {
///     width * height
/// }
///
/// assert_eq!(area::grad(2.0, 3.0), (3.0, 2.0));
/// ```
#[doc(inline)]
pub use autodiff_macro::grad;

#[cfg(feature = "alloc")]
pub use self::interpolation::*;
/// Gives a type of your own a tangent.
///
/// ```
/// use autodiff::{Differentiable, Tangent};
///
/// #[derive(Differentiable)]
/// struct Spring {
///     stiffness: f64,
///     #[constant]
///     length: f64,
///     coils: usize,
/// }
///
/// let spring = Spring { stiffness: 2.0, length: 1.0, coils: 7 };
/// let zero: SpringTangent = spring.zero_tangent();
/// assert_eq!(zero.stiffness, 0.0);
/// assert_eq!(zero.scalar_count(), 1);
/// # let _ = (spring.length, spring.coils);
/// ```
///
/// Fields of types of the standard library that hold no floats, as `Duration`, `Range<usize>` or `HashMap<String, usize>`, need no mark.
/// A `#[constant]` field has the tangent `()`: what a body stores in it is a constant from then on.
#[doc(inline)]
pub use autodiff_macro::Differentiable;
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use autodiff_runtime::check::{self, gradcheck, gradcheck_at, hessian_check};
#[cfg(any(feature = "std", feature = "libm"))]
pub use autodiff_runtime::functions::*;
pub use autodiff_runtime::graph;
#[doc(no_inline)]
pub use autodiff_runtime::graph::Graph;
#[cfg(feature = "alloc")]
pub use autodiff_runtime::matrix::Matrix;
#[cfg(feature = "alloc")]
pub use autodiff_runtime::objective::{Hessian, Residuals};
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
pub use autodiff_runtime::optim;
pub use autodiff_runtime::slices;
#[cfg(any(feature = "argmin", feature = "levenberg-marquardt"))]
pub use autodiff_runtime::solvers;
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
#[doc(no_inline)]
pub use autodiff_runtime::tape::{self, Tape, Var};
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
#[doc(inline)]
pub use autodiff_runtime::tape::{derivative, grad, hessian, jacobian, value_and_grad};
#[cfg(feature = "tensor")]
pub use autodiff_runtime::tensor::{self, AsTensor, Axes, Tensor};
#[cfg(feature = "alloc")]
pub use autodiff_runtime::trace;
pub use autodiff_runtime::{
    float::Float,
    objective::Objective,
    tangent::{Differentiable, Parameters, Tangent, stop_gradient, with_cotangent},
};
#[cfg(feature = "std")]
pub use autodiff_runtime::{release_memory, set_memory_limit};

/// What generated code calls.
#[doc(hidden)]
pub mod __private {
    pub use autodiff_runtime::generated::*;
    pub use autodiff_runtime::tangent::*;

    /// The derivatives of functions that are defined by an equation.
    #[cfg(feature = "alloc")]
    pub mod implicit {
        pub use crate::implicit::*;
        pub use autodiff_runtime::jacobian::{inverse_at, reciprocal_at};
    }
}
