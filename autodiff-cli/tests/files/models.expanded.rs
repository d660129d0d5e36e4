// @generated from `models.rs` by `autodiff expand`.
//! Functions that the tests expand.

/// A spring, of which the count of coils is no number to differentiate.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    // Newtons per metre.
    pub stiffness: f64,
    pub coils: usize,
}

///The tangent of [`Spring`]: a change of each of its fields.
#[allow(clippy::manual_non_exhaustive)]
#[allow(dead_code)]
pub struct SpringTangent {
    pub stiffness: <f64 as ::autodiff::__private::Differentiable>::Tangent,
    pub coils: (),
}
#[allow(dead_code, unused_variables, unreachable_pub)]
const _: () = {
    use ::autodiff::__private as __rt;
    #[automatically_derived]
    impl ::core::clone::Clone for SpringTangent {
        #[inline]
        fn clone(&self) -> Self {
            Self {
                stiffness: ::core::clone::Clone::clone(&self.stiffness),
                coils: ::core::clone::Clone::clone(&self.coils),
            }
        }
    }
    #[automatically_derived]
    impl ::core::cmp::PartialEq for SpringTangent {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            true && self.stiffness == other.stiffness && self.coils == other.coils
        }
    }
    __rt::approximate! {
        [] [SpringTangent] []
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for SpringTangent {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct("SpringTangent")
                .field("stiffness", &self.stiffness)
                .field("coils", &self.coils)
                .finish()
        }
    }
    #[automatically_derived]
    impl __rt::Differentiable for Spring {
        type Tangent = SpringTangent;
        #[inline]
        fn zero_tangent(&self) -> Self::Tangent {
            SpringTangent {
                stiffness: __rt::Differentiable::zero_tangent(&self.stiffness),
                coils: (),
            }
        }
        #[inline]
        fn write_flat(&self, out: &mut [f64]) {
            let mut at = 0;
            __rt::Differentiable::write_flat(&self.stiffness, &mut out[at..]);
            at += __rt::scalars(&self.stiffness);
            let _ = at;
        }
        #[inline]
        fn name_scalars(&self, name: &str, out: &mut __rt::Vec<__rt::String>) {
            __rt::name_scalars_of(&self.stiffness, name, "stiffness", out);
        }
        #[inline]
        #[track_caller]
        fn check_tangent(&self, part: __rt::Whose<'_>, t: &Self::Tangent) {
            __rt::Differentiable::check_tangent(
                &self.stiffness,
                __rt::Whose::Field(&part, "stiffness"),
                &t.stiffness,
            );
        }
        #[inline]
        fn has_lists() -> bool {
            false || __rt::has_lists::<f64>()
        }
    }
    #[automatically_derived]
    impl __rt::Parameters for Spring {
        #[inline]
        fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
            __rt::Parameters::move_by(&mut self.stiffness, scale, &t.stiffness);
        }
        #[inline]
        fn read_flat(&mut self, flat: &[f64]) {
            let mut at = 0;
            __rt::Parameters::read_flat(&mut self.stiffness, &flat[at..]);
            at += __rt::scalars(&self.stiffness);
            let _ = at;
        }
        #[inline]
        fn walk_slices(
            &mut self,
            t: ::core::option::Option<&Self::Tangent>,
            path: &__rt::FieldPath<'_>,
            f: &mut __rt::PairVisitor<'_>,
        ) -> ::core::result::Result<(), __rt::SliceError> {
            __rt::Parameters::walk_slices(
                &mut self.stiffness,
                t.map(|t| &t.stiffness),
                &__rt::FieldPath::Field(path, "stiffness"),
                f,
            )?;
            ::core::result::Result::Ok(())
        }
    }
    #[automatically_derived]
    impl __rt::Tangent for SpringTangent {
        #[inline]
        fn zero_like(&self) -> Self {
            Self {
                stiffness: __rt::Tangent::zero_like(&self.stiffness),
                coils: __rt::Tangent::zero_like(&self.coils),
            }
        }
        #[inline]
        fn add_scaled(&mut self, s: f64, t: &Self) {
            __rt::Tangent::add_scaled(&mut self.stiffness, s, &t.stiffness);
        }
        #[inline]
        fn inner(&self, t: &Self) -> f64 {
            0.0 + __rt::Tangent::inner(&self.stiffness, &t.stiffness)
        }
        #[inline]
        fn scalar_count(&self) -> usize {
            0 + __rt::Tangent::scalar_count(&self.stiffness)
        }
        #[inline]
        fn for_each_scalar(&mut self, f: &mut dyn ::core::ops::FnMut(&mut f64)) {
            __rt::Tangent::for_each_scalar(&mut self.stiffness, f);
        }
        #[inline]
        fn for_each_slice(
            &mut self,
            f: &mut dyn ::core::ops::FnMut(__rt::SliceMut<'_>),
        ) {
            __rt::Tangent::for_each_slice(&mut self.stiffness, f);
        }
        #[inline]
        fn visit_slices(&self, f: &mut dyn ::core::ops::FnMut(__rt::Slice<'_>)) {
            __rt::Tangent::visit_slices(&self.stiffness, f);
        }
        #[inline]
        fn write_flat(&self, out: &mut [f64]) {
            let mut at = 0;
            __rt::Tangent::write_flat(&self.stiffness, &mut out[at..]);
            at += __rt::Tangent::scalar_count(&self.stiffness);
            let _ = at;
        }
    }
    #[automatically_derived]
    impl __rt::Differentiable for SpringTangent {
        type Tangent = Self;
        #[inline]
        fn zero_tangent(&self) -> Self {
            __rt::Tangent::zero_like(self)
        }
        #[inline]
        fn write_flat(&self, out: &mut [f64]) {
            __rt::Tangent::write_flat(self, out);
        }
    }
    #[automatically_derived]
    impl __rt::Shaped for SpringTangent {
        type Shape = __rt::OfTangent<Self>;
        #[inline]
        fn __shape(&self) -> Self::Shape {
            __rt::OfTangent::new(self)
        }
    }
    #[automatically_derived]
    impl __rt::Accumulate for SpringTangent {
        #[inline]
        fn __accumulate(&mut self, t: &Self) {
            __rt::Accumulate::__accumulate(&mut self.stiffness, &t.stiffness);
        }
    }
    #[doc(hidden)]
    pub struct __SpringShape {
        stiffness: <f64 as __rt::Shaped>::Shape,
        coils: (),
    }
    #[automatically_derived]
    impl ::core::clone::Clone for __SpringShape {
        #[inline]
        fn clone(&self) -> Self {
            Self {
                stiffness: ::core::clone::Clone::clone(&self.stiffness),
                coils: ::core::clone::Clone::clone(&self.coils),
            }
        }
    }
    #[automatically_derived]
    impl __rt::Shape for __SpringShape {
        type Zero = SpringTangent;
        #[inline]
        fn zero(&self) -> Self::Zero {
            SpringTangent {
                stiffness: __rt::Shape::zero(&self.stiffness),
                coils: (),
            }
        }
    }
    #[automatically_derived]
    impl __rt::Shaped for Spring {
        type Shape = __SpringShape;
        #[inline]
        fn __shape(&self) -> Self::Shape {
            __SpringShape {
                stiffness: __rt::Shaped::__shape(&self.stiffness),
                coils: (),
            }
        }
    }
    __rt::own_type! {
        [] [Spring] [] [Self] stiffness x_0 ClonedPart f64, coils x_1 ClonedPart usize
    }
    __rt::part! {
        [< const __VARIANT : u64 >] [SpringTangent] [] stiffness : < f64 as
        __rt::Differentiable > ::Tangent, 8543434734894338990
    }
    __rt::part! {
        [< const __VARIANT : u64 >] [SpringTangent] [] coils : (), 10438831075042606515
    }
};

pub fn energy(spring: &Spring, x: f64) -> f64 {
    // Hooke's law, for each coil.
    0.5 * spring.stiffness * x * x / spring.coils as f64
}

#[doc(hidden)]
#[allow(
    nonstandard_style,
    dead_code,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::restriction
)]
#[derive(Clone, Copy)]
pub struct energy {}
#[allow(
    unknown_lints,
    nonstandard_style,
    unused,
    deprecated,
    mismatched_lifetime_syntaxes,
    unreachable_pub,
    unused_lifetimes,
    single_use_lifetimes,
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    arithmetic_overflow,
    unconditional_panic,
    trivial_bounds,
    trivial_casts,
    trivial_numeric_casts,
    elided_lifetimes_in_paths,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction
)]
const _: () = {
    use ::autodiff::__private as rt;
    use ::autodiff::__private::scope::*;
    rt::function! {
        energy
    }
    #[allow(dead_code)]
    type __Has0<__T> = rt::Vouched<
        {
            let _ = <rt::Spelled<
                fn(&'static ()) -> Spring,
            > as rt::Differentiable>::zero_tangent;
            true
        },
        __T,
    >;
    impl energy {
        #[doc(hidden)]
        pub const __STEEP: bool = true;
        #[doc(hidden)]
        pub const __TAKES: rt::Takes<2> = rt::Takes;
        #[doc(hidden)]
        #[inline]
        pub fn __zero_0(
            arg: &__Has0<Spring>,
        ) -> <rt::Spelled<
            fn(&'static ()) -> __Has0<Spring>,
        > as rt::Differentiable>::Tangent {
            rt::zero_like(arg)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __zero_1(arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            dot_spring: &<rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            dot_x: f64,
        ) -> (f64, f64) {
            let t = rt::copy(&spring.stiffness);
            let t_2 = rt::copy(&dot_spring.stiffness);
            let t_3 = (0.5) * (rt::copy(&t));
            let t_4 = (rt::copy(&t_3)) * (x);
            let t_5 = (rt::copy(&t_4)) * (x);
            let t_6 = rt::Original(&spring.coils).__copy();
            let t_7 = rt::copy(&dot_spring.coils);
            let t_8 = t_6 as f64;
            let t_9 = (rt::copy(&t_5)) / (t_8);
            let t_10 = rt::operators::div::fore_left(
                &t_5,
                &t_8,
                &(rt::sum(
                    rt::operators::mul::fore_left(
                        &t_4,
                        &x,
                        &(rt::sum(
                            rt::operators::mul::fore_left(
                                &t_3,
                                &x,
                                &(rt::operators::mul::fore_right(
                                    &0.5,
                                    &t,
                                    &(rt::Part(&t, t_2).settle()),
                                )),
                            ),
                            rt::operators::mul::fore_right(&t_3, &x, &dot_x),
                        )),
                    ),
                    rt::operators::mul::fore_right(&t_4, &x, &dot_x),
                )),
            );
            (
                t_9,
                t_10
                    + (rt::operators::div::fore_right(
                        &t_5,
                        &t_8,
                        &(rt::cast_fore::<_, f64>(rt::Part(&t_6, t_7).settle())),
                    )),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __vjp<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            seed: f64,
            d_spring: &mut <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
        ) -> (f64, (f64,)) {
            let t = rt::copy(&spring.stiffness);
            let t_2 = (0.5) * (rt::copy(&t));
            let t_3 = (rt::copy(&t_2)) * (x);
            let t_4 = (rt::copy(&t_3)) * (x);
            let t_5 = rt::Original(&spring.coils).__copy();
            let t_6 = t_5 as f64;
            let t_7 = (rt::copy(&t_4)) / (t_6);
            let t_8 = rt::operators::div::left_now(&t_4, &t_6, &seed);
            let t_9 = rt::cast_back(
                rt::operators::div::right_now(&t_4, &t_6, &seed),
                &t_5,
            );
            rt::acc(&mut d_spring.coils, &t_9);
            let t_10 = rt::operators::mul::left_now(&t_3, &x, &t_8);
            rt::acc(
                &mut d_spring.stiffness,
                &(rt::operators::mul::right_now(
                    &0.5,
                    &t,
                    &(rt::operators::mul::left_now(&t_2, &x, &t_10)),
                )),
            );
            let value = t_7;
            (
                value,
                (
                    (rt::operators::mul::right_now(&t_3, &x, &t_8))
                        + (rt::operators::mul::right_now(&t_2, &x, &t_10)) + 0.0,
                ),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __fwd<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            f64,
            impl FnOnce(
                f64,
                &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
                &mut <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
            ) -> (f64,) + use<'__by0>,
        ) {
            let t = rt::copy(&spring.stiffness);
            let kept = rt::operators::mul::keep_right(&0.5, &t);
            let t_2 = (0.5) * (rt::copy(&t));
            let kept_2 = rt::operators::mul::keep_left(&t_2, &x);
            let kept_3 = rt::operators::mul::keep_right(&t_2, &x);
            let t_3 = (rt::copy(&t_2)) * (x);
            let kept_4 = rt::operators::mul::keep_left(&t_3, &x);
            let kept_5 = rt::operators::mul::keep_right(&t_3, &x);
            let t_4 = (rt::copy(&t_3)) * (x);
            let t_5 = rt::Original(&spring.coils).__copy();
            let t_6 = t_5 as f64;
            let kept_6 = rt::operators::div::keep_left(&t_4, &t_6);
            let kept_7 = rt::operators::div::keep_right(&t_4, &t_6);
            let t_7 = (rt::copy(&t_4)) / (t_6);
            let value = t_7;
            let back = move |
                seed: f64,
                spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
                d_spring: &mut <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent|
            {
                let t_8 = rt::operators::div::left(kept_6, &seed);
                let t_9 = rt::cast_back(rt::operators::div::right(kept_7, &seed), &t_5);
                rt::acc(&mut d_spring.coils, &t_9);
                let t_10 = rt::operators::mul::left(kept_4, &t_8);
                rt::acc(
                    &mut d_spring.stiffness,
                    &(rt::operators::mul::right(
                        kept,
                        &(rt::operators::mul::left(kept_2, &t_10)),
                    )),
                );
                (
                    (rt::operators::mul::right(kept_5, &t_8))
                        + (rt::operators::mul::right(kept_3, &t_10)) + 0.0,
                )
            };
            (value, back)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __even<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            f64,
            impl FnOnce(
                f64,
                &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
                (),
                &mut <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                (),
            ) -> (((), f64)) + use<'__by0>,
        ) {
            let (value, back) = Self::__fwd(spring, x);
            (
                value,
                move |seed, spring, _none_0_1, d_spring, _none_1_1| {
                    let ((bar_x,)) = back(seed, spring, d_spring);
                    (((), bar_x))
                },
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __passed<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            f64,
            impl FnOnce(
                f64,
                &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
                &mut <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                &mut (),
            ) -> ((f64,)) + use<'__by0>,
        ) {
            let (value, back) = Self::__fwd(spring, x);
            (
                value,
                move |seed, spring, d_spring, _captured_0| back(seed, spring, d_spring),
            )
        }
        /// The value, and the pullback that turns a cotangent of the result into those of the parameters.
        #[inline]
        pub fn pullback<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            f64,
            impl FnOnce(
                f64,
            ) -> (
                    <rt::Spelled<
                        fn(&'static ()) -> __Has0<Spring>,
                    > as rt::Differentiable>::Tangent,
                    f64,
                ),
        ) {
            let (value, back) = Self::__fwd(spring, x);
            (
                value,
                move |seed: f64| {
                    let mut d_spring = Self::__zero_0(&*spring);
                    let (d_x,) = back(seed, spring, &mut d_spring);
                    (d_spring, d_x)
                },
            )
        }
        #[doc(hidden)]
        #[inline]
        pub const fn __dynamic<__F: ::core::marker::Copy>(function: __F) -> __F {
            function
        }
        #[inline]
        fn __primal<'__by0>() {
            let _ = energy;
        }
        /// Forward mode: the value, and the derivative along the given tangents.
        #[inline]
        pub fn jvp<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            tangents: (
                &<rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
        ) -> (f64, f64) {
            let (dot_spring, dot_x) = tangents;
            rt::check_tangent(rt::Whose::Argument("spring"), &spring, &dot_spring);
            Self::__jvp(spring, x, dot_spring, dot_x)
        }
        /// Forward mode in several directions: the value, and the derivative along each of the given tangents.
        #[inline]
        pub fn jvp_lanes<'__by0, const __LANES: usize>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            tangents: [(
                &<rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ); __LANES],
        ) -> (f64, [f64; __LANES]) {
            rt::lanes::runs(
                tangents,
                |tangents| Self::jvp(spring, x, tangents),
                || energy(spring, x),
            )
        }
        /// Reverse mode: the value, and the cotangents of the parameters for the cotangent `seed` of the result.
        #[inline]
        pub fn vjp<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            seed: f64,
        ) -> (
            f64,
            (
                <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
        ) {
            let mut d_spring = Self::__zero_0(&*spring);
            let (value, (d_x,)) = Self::__vjp(spring, x, seed, &mut d_spring);
            (value, (d_spring, d_x))
        }
        /// Reverse mode: adds the cotangents of the parameters to the given buffers, and returns the value.
        #[inline]
        pub fn vjp_into<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            seed: f64,
            g_spring: &mut <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            g_x: &mut f64,
        ) -> f64 {
            rt::check_tangent(rt::Whose::Argument("spring"), &spring, &g_spring);
            let (value, (d_x,)) = Self::__vjp(spring, x, seed, &mut *g_spring);
            rt::acc(&mut *g_x, &d_x);
            value
        }
        /// The gradient of the result.
        #[inline]
        pub fn grad<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            f64,
        ) {
            Self::value_and_grad(spring, x).1
        }
        /// The value and the gradient, in one sweep.
        #[inline]
        pub fn value_and_grad<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            f64,
            (
                <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
        ) {
            Self::vjp(spring, x, <f64 as rt::Unit>::unit())
        }
        /// Adds the gradient to the given buffers, and returns the value.
        #[inline]
        pub fn grad_into<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            g_spring: &mut <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            g_x: &mut f64,
        ) -> f64 {
            Self::vjp_into(spring, x, <f64 as rt::Unit>::unit(), g_spring, g_x)
        }
        /// Overwrites the given buffers with the gradient, and returns the value.
        #[inline]
        pub fn value_and_grad_into<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            g_spring: &mut <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            g_x: &mut f64,
        ) -> f64 {
            rt::check_tangent(rt::Whose::Argument("spring"), &spring, &g_spring);
            *g_spring = rt::Tangent::zero_like(&*g_spring);
            *g_x = rt::Tangent::zero_like(&*g_x);
            Self::grad_into(spring, x, g_spring, g_x)
        }
        /// Reverse mode for several seeds: the value, and the cotangents of the parameters for each of them.
        #[inline]
        pub fn vjp_lanes<'__by0, const __LANES: usize>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            seeds: [f64; __LANES],
        ) -> (
            f64,
            [(
                <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ); __LANES],
        ) {
            rt::lanes::runs(
                seeds,
                |seeds| Self::vjp(spring, x, seeds),
                || energy(spring, x),
            )
        }
        /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        pub fn jacobian<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> rt::Matrix<f64> {
            Self::value_and_jacobian(spring, x).1
        }
        /// The value and the Jacobian.
        #[inline]
        pub fn value_and_jacobian<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (f64, rt::Matrix<f64>) {
            rt::one_row::<f64, _, _>(Self::vjp(spring, x, <f64 as rt::Unit>::unit()))
        }
        /// The Jacobian in forward mode: column by column, or several columns in one sweep.
        #[inline]
        pub fn jacfwd<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> rt::Matrix<f64> {
            rt::all_columns(
                    (Self::__zero_0(spring), Self::__zero_1(&x)),
                    |(dot_spring, dot_x)| Self::jvp(spring, x, (&dot_spring, dot_x)),
                )
                .1
        }
        /// The Jacobian in reverse mode: one sweep per row.
        #[inline]
        pub fn jacrev<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> rt::Matrix<f64> {
            Self::value_and_jacobian(spring, x).1
        }
        /// Writes the Jacobian to `out`, row by row; panics if `out` does not have as many elements.
        #[inline]
        pub fn jacobian_into<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            out: &mut [f64],
        ) {
            let matrix = Self::jacobian(spring, x);
            rt::write_jacobian(&matrix, out);
        }
        /// The Jacobian as the result with its gradient in place of each scalar: one reverse sweep per scalar.
        #[inline]
        pub fn jacobian_rows<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> (
            <rt::Spelled<
                fn(&'static ()) -> __Has0<Spring>,
            > as rt::Differentiable>::Tangent,
            f64,
        ) {
            Self::vjp(spring, x, <f64 as rt::Unit>::unit()).1
        }
        #[doc(hidden)]
        #[inline]
        pub fn hvp<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
            tangents: (
                &<rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
        ) -> (
            (
                <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
            (
                <rt::Spelled<
                    fn(&'static ()) -> __Has0<Spring>,
                > as rt::Differentiable>::Tangent,
                f64,
            ),
        )
        where
            for<'__any> rt::Lacking<'__any>: rt::OrderOfFunction<2>,
        {
            ::core::unreachable!()
        }
        #[doc(hidden)]
        #[inline]
        pub fn hessian<'__by0>(
            spring: &rt::Spelled<fn(&'__by0 ()) -> __Has0<Spring>>,
            x: f64,
        ) -> rt::Matrix<f64>
        where
            for<'__any> rt::Lacking<'__any>: rt::OrderOfFunction<2>,
        {
            ::core::unreachable!()
        }
        /// The static computation graph, for pictures and inspection.
        #[inline]
        pub fn graph() -> &'static rt::Graph {
            static GRAPH: rt::Graph = rt::Graph::encoded(
                "energy",
                ::core::file!(),
                "parameter\tspring\t15\t15\t0\t*not needed\t\nparameter\tx\t15\t32\t0\t*not needed\t\n0.5\t\t1\t1\t0\tnot needed\t\nload\t\t1\t1\t0\t*not needed\t0\n*\t\t17\t9\t0\t*not needed\t2 3\n*\t\t17\t28\t0\t*not needed\t4 1\n*\t\t17\t32\t0\t*not needed\t5 1\nload\t\t17\t32\t0\t*kept\t0\nas f64\t\t17\t32\t0\t*not needed\t7\n/\t\t17\t36\t0\t*not needed\t6 8\n",
                "",
                &[0, 1],
                &[9],
            );
            &GRAPH
        }
    }
};

/// A wave.
pub fn wave(x: f64, k: f64) -> f64 {
    let seed = k * x; // has the name of something in what is generated
    seed.sin() * x
}

#[doc(hidden)]
#[allow(
    nonstandard_style,
    dead_code,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::restriction
)]
#[derive(Clone, Copy)]
pub struct wave {}
#[allow(
    unknown_lints,
    nonstandard_style,
    unused,
    deprecated,
    mismatched_lifetime_syntaxes,
    unreachable_pub,
    unused_lifetimes,
    single_use_lifetimes,
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    arithmetic_overflow,
    unconditional_panic,
    trivial_bounds,
    trivial_casts,
    trivial_numeric_casts,
    elided_lifetimes_in_paths,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction
)]
const _: () = {
    use ::autodiff::__private as rt;
    use ::autodiff::__private::scope::*;
    let _ = wave;
    rt::function! {
        wave
    }
    impl wave {
        #[doc(hidden)]
        pub const __STEEP: bool = false;
        #[doc(hidden)]
        pub const __TAKES: rt::Takes<2> = rt::Takes;
        #[doc(hidden)]
        pub const __zero_0: fn(&f64) -> f64 = rt::zero_like;
        #[doc(hidden)]
        pub const __zero_1: fn(&f64) -> f64 = rt::zero_like;
        #[doc(hidden)]
        #[inline]
        pub fn __jvp(x: f64, k: f64, dot_x: f64, dot_k: f64) -> (f64, f64) {
            let seed_2 = k * x;
            let t = seed_2.sin();
            (t * x, (((dot_x * k) * (rt::op::cos(seed_2))) * x) + (dot_x * t))
        }
        #[doc(hidden)]
        #[inline]
        pub fn __vjp(x: f64, k: f64, seed: f64) -> (f64, (f64, f64)) {
            let seed_3 = k * x;
            let t = seed_3.sin();
            let value = t * x;
            (
                value,
                (
                    (seed * t) + (((seed * x) * (rt::op::cos(seed_3))) * k) + 0.0,
                    Self::__zero_1(&k),
                ),
            )
        }
        #[doc(hidden)]
        pub const __IN_LANES: bool = true;
        #[doc(hidden)]
        #[inline]
        pub fn __lanes_jvp<const __LANES: usize>(
            _: rt::lanes::Width<__LANES>,
            (x, k): (f64, f64),
            (dot_x, dot_k): (rt::Lanes<f64, __LANES>, rt::Lanes<f64, __LANES>),
        ) -> (f64, rt::Lanes<f64, __LANES>) {
            let seed_2 = k * x;
            let t = seed_2.sin();
            (t * x, (((dot_x * k) * (rt::op::cos(seed_2))) * x) + (dot_x * t))
        }
        #[doc(hidden)]
        #[inline]
        pub fn __fwd(x: f64, k: f64) -> (f64, impl FnOnce(f64) -> (f64, f64) + use<>) {
            let seed_3 = k * x;
            let t = seed_3.sin();
            let t_2 = t * x;
            let value = t_2;
            let back = move |seed: f64| {
                (
                    (seed * t) + (((seed * x) * (rt::op::cos(seed_3))) * k) + 0.0,
                    Self::__zero_1(&k),
                )
            };
            (value, back)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __even(
            x: f64,
            k: f64,
        ) -> (f64, impl FnOnce(f64, (), (), (), ()) -> ((f64, f64)) + use<>) {
            let (value, back) = Self::__fwd(x, k);
            (value, move |seed, _none_0_0, _none_0_1, _none_1_0, _none_1_1| back(seed))
        }
        #[doc(hidden)]
        #[inline]
        pub fn __passed(
            x: f64,
            k: f64,
        ) -> (f64, impl FnOnce(f64, &mut ()) -> ((f64, f64)) + use<>) {
            let (value, back) = Self::__fwd(x, k);
            (value, move |seed, _captured_0| back(seed))
        }
        /// The value, and the pullback that turns a cotangent of the result into those of the parameters.
        #[inline]
        pub fn pullback(x: f64, k: f64) -> (f64, impl FnOnce(f64) -> f64) {
            let (value, back) = Self::__fwd(x, k);
            (
                value,
                move |seed: f64| {
                    let (d_x, d_k) = back(seed);
                    d_x
                },
            )
        }
        ///The function of its one differentiable parameter, with all others bound: what optimisers take.
        #[inline]
        pub fn with(k: f64) -> impl rt::Hessian<Point = f64> {
            rt::curved(move |x: &f64, order: u32| match order {
                0 => {
                    let value = wave(rt::copy(&*x), rt::copy(&k));
                    (value, rt::None, rt::None)
                }
                1 => {
                    let (value, gradient) = Self::value_and_grad(
                        rt::copy(&*x),
                        rt::copy(&k),
                    );
                    (value, rt::Some(gradient), rt::None)
                }
                _ => {
                    let (value, gradient, hessian) = Self::value_grad_hessian(
                        rt::copy(&*x),
                        rt::copy(&k),
                    );
                    (value, rt::Some(gradient), rt::Some(hessian))
                }
            })
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_vjp<const __LANES: usize>(
            x: f64,
            k: f64,
            dot_x: rt::Lanes<f64, __LANES>,
            dot_k: rt::Lanes<f64, __LANES>,
            seed: f64,
            dot_seed: rt::Lanes<f64, __LANES>,
        ) -> (
            f64,
            rt::Lanes<f64, __LANES>,
            (f64, f64),
            (rt::Lanes<f64, __LANES>, rt::Lanes<f64, __LANES>),
        ) {
            let seed_3 = k * x;
            let t = dot_x * k;
            let t_2 = seed_3.sin();
            let t_3 = t * (rt::op::cos(seed_3));
            let t_4 = seed * x;
            let t_5 = rt::op::cos(seed_3);
            let t_6 = ((dot_seed * t_2) + (t_3 * seed))
                + (((((dot_seed * x) + (dot_x * seed)) * t_5)
                    + ((t * (-(rt::op::sin(seed_3)))) * t_4)) * k);
            (
                t_2 * x,
                (t_3 * x) + (dot_x * t_2),
                ((seed * t_2) + ((t_4 * t_5) * k) + 0.0, Self::__zero_1(&k)),
                (
                    t_6 + rt::lanes::zero(),
                    rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&k)),
                ),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_fwd(
            x: f64,
            k: f64,
            dot_x: f64,
            dot_k: f64,
        ) -> (f64, f64, impl FnOnce(f64, f64) -> ((f64, f64), (f64, f64)) + use<>) {
            let seed_3 = k * x;
            let t = dot_x * k;
            let t_2 = seed_3.sin();
            let t_3 = t * (rt::op::cos(seed_3));
            let t_4 = t_2 * x;
            let t_5 = (t_3 * x) + (dot_x * t_2);
            let value = (t_4, t_5);
            let back = move |seed: f64, dot_seed: f64| {
                let t_6 = seed * x;
                let t_7 = rt::op::cos(seed_3);
                let t_8 = ((dot_seed * t_2) + (t_3 * seed))
                    + (((((dot_seed * x) + (dot_x * seed)) * t_7)
                        + ((t * (-(rt::op::sin(seed_3)))) * t_6)) * k);
                (
                    ((seed * t_2) + ((t_6 * t_7) * k) + 0.0, Self::__zero_1(&k)),
                    (t_8 + 0.0, Self::__zero_1(&k)),
                )
            };
            (value.0, value.1, back)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_even(
            x: f64,
            k: f64,
            dot_x: f64,
            dot_k: f64,
        ) -> (
            f64,
            f64,
            impl FnOnce(
                f64,
                f64,
                (),
                (),
                (),
                (),
                (),
                (),
                (),
                (),
            ) -> ((f64, f64), (f64, f64)) + use<>,
        ) {
            let (value, dot_value, back) = Self::__jvp_fwd(x, k, dot_x, dot_k);
            (
                value,
                dot_value,
                move |
                    seed,
                    dot_seed,
                    _none_0_0,
                    _none_0_1,
                    _none_1_0,
                    _none_1_1,
                    _none_2_0,
                    _none_2_1,
                    _none_3_0,
                    _none_3_1|
                back(seed, dot_seed),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_passed(
            x: f64,
            k: f64,
            dot_x: f64,
            dot_k: f64,
        ) -> (
            f64,
            f64,
            impl FnOnce(f64, f64, &mut (), &mut ()) -> ((f64, f64), (f64, f64)) + use<>,
        ) {
            let (value, dot_value, back) = Self::__jvp_fwd(x, k, dot_x, dot_k);
            (
                value,
                dot_value,
                move |seed, dot_seed, _captured_0, _captured_1| back(seed, dot_seed),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __lanes_fwd<const __LANES: usize>(
            _: rt::lanes::Width<__LANES>,
            x: f64,
            k: f64,
            dot_x: rt::Lanes<f64, __LANES>,
            dot_k: rt::Lanes<f64, __LANES>,
        ) -> (
            f64,
            rt::Lanes<f64, __LANES>,
            impl FnOnce(
                f64,
                rt::Lanes<f64, __LANES>,
            ) -> (
                    (f64, f64),
                    (rt::Lanes<f64, __LANES>, rt::Lanes<f64, __LANES>),
                ) + use<__LANES>,
        ) {
            let seed_3 = k * x;
            let t = dot_x * k;
            let t_2 = seed_3.sin();
            let t_3 = t * (rt::op::cos(seed_3));
            let t_4 = t_2 * x;
            let t_5 = (t_3 * x) + (dot_x * t_2);
            let value = (t_4, t_5);
            let back = move |seed: f64, dot_seed: rt::Lanes<f64, __LANES>| {
                let t_6 = seed * x;
                let t_7 = rt::op::cos(seed_3);
                let t_8 = ((dot_seed * t_2) + (t_3 * seed))
                    + (((((dot_seed * x) + (dot_x * seed)) * t_7)
                        + ((t * (-(rt::op::sin(seed_3)))) * t_6)) * k);
                (
                    ((seed * t_2) + ((t_6 * t_7) * k) + 0.0, Self::__zero_1(&k)),
                    (
                        t_8 + rt::lanes::zero(),
                        rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&k)),
                    ),
                )
            };
            (value.0, value.1, back)
        }
        /// The gradient, and the Hessian times the given tangents.
        #[inline]
        pub fn hvp(x: f64, k: f64, tangents: f64) -> (f64, f64) {
            let dot_x = tangents;
            let dot_x = rt::lanes::widen::<_, 1>(&dot_x);
            let mut dot_k = rt::lanes::widen::<_, 1>(&Self::__zero_1(&k));
            let seed = <f64 as rt::Unit>::unit();
            let dot_seed = rt::lanes::zero();
            let (value, _, (d_x, d_k), (mut dot_d_x, mut dot_d_k)) = Self::__jvp_vjp::<
                1,
            >(x, k, dot_x, dot_k, seed, dot_seed);
            (d_x, rt::lanes::narrow::<f64, 1>(&dot_d_x))
        }
        #[inline]
        fn __hessian(
            x: f64,
            k: f64,
            entries: &mut rt::Entries<'_, f64>,
        ) -> (f64, (f64,)) {
            let columns = 0 + rt::Tangent::scalar_count(&Self::__zero_0(&x));
            let matrix = entries.square(columns);
            Self::__hessian_pass::<1>(x, k, 0, columns, matrix)
        }
        /// The Hessian: a row and a column per scalar of the differentiable parameters, in order.
        #[inline]
        pub fn hessian(x: f64, k: f64) -> rt::Matrix<f64> {
            Self::value_grad_hessian(x, k).2
        }
        /// The value, the gradient and the Hessian.
        #[inline]
        pub fn value_grad_hessian(x: f64, k: f64) -> (f64, f64, rt::Matrix<f64>) {
            let mut entries = rt::Entries::new();
            let (value, (d_x,)) = Self::__hessian(x, k, &mut entries);
            (value, d_x, entries.matrix())
        }
        /// Overwrites `out` with the Hessian, row by row; panics if `out` does not have as many elements.
        #[inline]
        pub fn hessian_into(x: f64, k: f64, out: &mut [f64]) {
            Self::__hessian(x, k, &mut rt::Entries::given(out));
        }
        /// Overwrites the given buffers with the gradient, and `out` with the Hessian, row by row; returns the value, and panics if `out` does not have as many elements.
        #[inline]
        pub fn value_grad_hessian_into(
            x: f64,
            k: f64,
            g_x: &mut f64,
            out: &mut [f64],
        ) -> f64 {
            let (value, (d_x,)) = Self::__hessian(x, k, &mut rt::Entries::given(out));
            *g_x = d_x;
            value
        }
        #[inline]
        fn __hessian_pass<const __LANES: usize>(
            x: f64,
            k: f64,
            first: usize,
            columns: usize,
            matrix: &mut [f64],
        ) -> (f64, (f64,)) {
            let mut dot_x = rt::lanes::widen::<_, __LANES>(&Self::__zero_0(&x));
            let mut dot_k = rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&k));
            let mut at = 0;
            rt::lanes::Wide::<__LANES>::point(&mut dot_x, first, &mut at);
            let seed = <f64 as rt::Unit>::unit();
            let dot_seed = rt::lanes::zero();
            let (value, _, (d_x, d_k), (mut dot_d_x, mut dot_d_k)) = Self::__jvp_vjp::<
                __LANES,
            >(x, k, dot_x, dot_k, seed, dot_seed);
            let mut row = 0;
            rt::lanes::Wide::<
                __LANES,
            >::write_columns(&dot_d_x, first, &mut row, columns, matrix);
            (value, (d_x,))
        }
        ///`wave` of variables, which is recorded on their tape as a whole, with its own derivative.
        #[track_caller]
        #[inline]
        pub fn on_tape<'__t>(x: rt::Var<'__t, f64>, k: f64) -> rt::Var<'__t, f64> {
            let mut __inputs = rt::Vec::new();
            let x = rt::dynamic::numbers::<f64, _>(&x, &mut __inputs);
            if rt::dynamic::are_constant(&__inputs) {
                rt::dynamic::constants::<f64, _>(&wave(x, k))
            } else {
                rt::dynamic::graded("wave", &__inputs, || Self::value_and_grad(x, k))
            }
        }
        #[inline]
        fn __on_variables<'__t>(
            x: rt::Var<'__t, f64>,
            k: rt::Var<'__t, f64>,
        ) -> rt::Var<'__t, f64> {
            let k = rt::dynamic::values::<f64, _>(&k);
            Self::on_tape(x, k)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __dynamic<'__t>(
            _: fn(f64, f64) -> f64,
        ) -> fn(rt::Var<'__t, f64>, rt::Var<'__t, f64>) -> rt::Var<'__t, f64> {
            Self::__on_variables
        }
        /// Forward mode: the value, and the derivative along the given tangents.
        #[inline]
        pub fn jvp(x: f64, k: f64, tangents: f64) -> (f64, f64) {
            let dot_x = tangents;
            let mut dot_k = Self::__zero_1(&k);
            Self::__jvp(x, k, dot_x, dot_k)
        }
        /// Forward mode in several directions: the value, and the derivative along each of the given tangents.
        #[inline]
        pub fn jvp_lanes<const __LANES: usize>(
            x: f64,
            k: f64,
            tangents: [f64; __LANES],
        ) -> (f64, [f64; __LANES]) {
            let dot_x = rt::lanes::along(&Self::__zero_0(&x), &tangents, |all| all);
            let dot_k = rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&k));
            let (value, tangent) = Self::__lanes_jvp(
                rt::lanes::Width,
                (x, k),
                (dot_x, dot_k),
            );
            (value, rt::lanes::apart(&tangent))
        }
        /// Reverse mode: the value, and the cotangents of the parameters for the cotangent `seed` of the result.
        #[inline]
        pub fn vjp(x: f64, k: f64, seed: f64) -> (f64, f64) {
            let (value, (d_x, d_k)) = Self::__vjp(x, k, seed);
            (value, d_x)
        }
        /// Reverse mode: adds the cotangents of the parameters to the given buffers, and returns the value.
        #[inline]
        pub fn vjp_into(x: f64, k: f64, seed: f64, g_x: &mut f64) -> f64 {
            let (value, (d_x, d_k)) = Self::__vjp(x, k, seed);
            rt::acc(&mut *g_x, &d_x);
            value
        }
        /// The gradient of the result.
        #[inline]
        pub fn grad(x: f64, k: f64) -> f64 {
            Self::value_and_grad(x, k).1
        }
        /// The value and the gradient, in one sweep.
        #[inline]
        pub fn value_and_grad(x: f64, k: f64) -> (f64, f64) {
            Self::vjp(x, k, <f64 as rt::Unit>::unit())
        }
        /// Adds the gradient to the given buffers, and returns the value.
        #[inline]
        pub fn grad_into(x: f64, k: f64, g_x: &mut f64) -> f64 {
            Self::vjp_into(x, k, <f64 as rt::Unit>::unit(), g_x)
        }
        /// Overwrites the given buffers with the gradient, and returns the value.
        #[inline]
        pub fn value_and_grad_into(x: f64, k: f64, g_x: &mut f64) -> f64 {
            *g_x = rt::Tangent::zero_like(&*g_x);
            Self::grad_into(x, k, g_x)
        }
        /// Reverse mode for several seeds: the value, and the cotangents of the parameters for each of them.
        #[inline]
        pub fn vjp_lanes<const __LANES: usize>(
            x: f64,
            k: f64,
            seeds: [f64; __LANES],
        ) -> (f64, [f64; __LANES]) {
            rt::lanes::runs(seeds, |seeds| Self::vjp(x, k, seeds), || wave(x, k))
        }
        /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        pub fn jacobian(x: f64, k: f64) -> rt::Matrix<f64> {
            Self::value_and_jacobian(x, k).1
        }
        /// The value and the Jacobian.
        #[inline]
        pub fn value_and_jacobian(x: f64, k: f64) -> (f64, rt::Matrix<f64>) {
            rt::one_row::<f64, _, _>(Self::vjp(x, k, <f64 as rt::Unit>::unit()))
        }
        /// The Jacobian in forward mode: column by column, or several columns in one sweep.
        #[inline]
        pub fn jacfwd(x: f64, k: f64) -> rt::Matrix<f64> {
            rt::one_column((Self::__zero_0(&x),), |(dot_x,)| Self::jvp(x, k, dot_x)).1
        }
        /// The Jacobian in reverse mode: one sweep per row.
        #[inline]
        pub fn jacrev(x: f64, k: f64) -> rt::Matrix<f64> {
            Self::value_and_jacobian(x, k).1
        }
        /// Writes the Jacobian to `out`, row by row; panics if `out` does not have as many elements.
        #[inline]
        pub fn jacobian_into(x: f64, k: f64, out: &mut [f64]) {
            let matrix = Self::jacobian(x, k);
            rt::write_jacobian(&matrix, out);
        }
        /// The Jacobian as the result with its gradient in place of each scalar: one reverse sweep per scalar.
        #[inline]
        pub fn jacobian_rows(x: f64, k: f64) -> f64 {
            Self::vjp(x, k, <f64 as rt::Unit>::unit()).1
        }
        /// The static computation graph, for pictures and inspection.
        #[inline]
        pub fn graph() -> &'static rt::Graph {
            static GRAPH: rt::Graph = rt::Graph::encoded(
                "wave",
                ::core::file!(),
                "parameter\tx\t22\t13\t0\t*kept\t\nparameter\tk\t22\t33\t0\tkept\t\nmul\tseed\t23\t18\t0\t*kept\t1 0\nsin\t\t24\t10\t0\t*kept\t2\nmul\t\t24\t16\t0\t*not needed\t3 0\n",
                "",
                &[0, 1],
                &[4],
            );
            &GRAPH
        }
    }
    impl rt::Order<2> for wave {}
    #[derive(Default)]
    pub struct __ValueAndGrad;
    impl __ValueAndGrad {
        #[inline]
        pub fn __zero_0(self, arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[inline]
        pub fn __zero_1(self, arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[inline]
        pub fn __jvp(
            self,
            x: f64,
            k: f64,
            dot_x: f64,
            dot_k: f64,
        ) -> ((f64, f64), (f64, f64)) {
            let (value, tangent) = wave::jvp(
                rt::copy(&x),
                rt::copy(&k),
                rt::copy(&dot_x),
            );
            let (gradient, curvature) = wave::hvp(
                rt::copy(&x),
                rt::copy(&k),
                rt::copy(&dot_x),
            );
            ((value, gradient), (tangent, curvature))
        }
        #[doc(hidden)]
        #[inline]
        pub fn __fwd(
            self,
            x: f64,
            k: f64,
        ) -> ((f64, f64), impl FnOnce((f64, f64)) -> ((f64, f64)) + use<>) {
            let g_k = rt::zero_like(&k);
            let value = wave::value_and_grad(rt::copy(&x), rt::copy(&k));
            let back = move |seed: (f64, f64)| {
                let (scale, mut seed_x) = seed;
                let scale = rt::num::cast::<_, f64>(scale);
                let (mut kept_x, mut g_x) = wave::hvp(
                    rt::copy(&x),
                    rt::copy(&k),
                    rt::copy(&seed_x),
                );
                if scale != 0.0 {
                    rt::Tangent::add_scaled(&mut g_x, scale, &kept_x);
                }
                (g_x, g_k)
            };
            let value = (value,);
            (value.0, back)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_fwd(self, x: f64, k: f64, dot_x: f64, dot_k: f64) -> ! {
            ::core::unreachable!()
        }
    }
    impl rt::HasValueAndGrad for wave {
        type Forms = __ValueAndGrad;
    }
    #[derive(Default)]
    pub struct __Jvp;
    impl __Jvp {
        #[inline]
        pub fn __zero_0(self, arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[inline]
        pub fn __zero_1(self, arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[inline]
        pub fn __zero_2(self, arg: &f64) -> f64 {
            rt::zero_like(arg)
        }
        #[inline]
        pub fn __jvp(
            self,
            x: f64,
            k: f64,
            along_x: f64,
            dot_x: f64,
            dot_k: f64,
            dot_along_x: f64,
        ) -> ((f64, f64), (f64, f64)) {
            let value = wave::jvp(rt::copy(&x), rt::copy(&k), rt::copy(&along_x));
            let (mut kept_x, mut bent_x) = wave::hvp(
                rt::copy(&x),
                rt::copy(&k),
                rt::copy(&dot_x),
            );
            (
                value,
                (
                    rt::num::lit(0.0 + rt::pair(&dot_x, &kept_x)),
                    rt::num::lit(
                        0.0 + rt::pair(&along_x, &bent_x)
                            + rt::pair(&dot_along_x, &kept_x),
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[inline]
        pub fn __fwd(
            self,
            x: f64,
            k: f64,
            along_x: f64,
        ) -> ((f64, f64), impl FnOnce((f64, f64)) -> ((f64, f64, f64)) + use<>) {
            let zero_k = rt::zero_like(&k);
            type __SelfType = wave;
            let (value, tangent, back_of) = __SelfType::__jvp_fwd(
                rt::copy(&x),
                rt::copy(&k),
                rt::copy(&along_x),
                rt::copy(&zero_k),
            );
            let value = (value, tangent);
            let back = move |seed: (f64, f64)| {
                let ((g_along_x, g_along_k), (g_x, g_k)) = back_of(seed.1, seed.0);
                (g_x, g_k, g_along_x)
            };
            let value = (value,);
            (value.0, back)
        }
        #[doc(hidden)]
        #[inline]
        pub fn __jvp_fwd(
            self,
            x: f64,
            k: f64,
            along_x: f64,
            dot_x: f64,
            dot_k: f64,
            dot_along_x: f64,
        ) -> ! {
            ::core::unreachable!()
        }
        #[doc(hidden)]
        #[inline]
        pub fn __value(self, x: f64, k: f64, along_x: f64) -> (f64, f64) {
            wave::jvp(rt::copy(&x), rt::copy(&k), rt::copy(&along_x))
        }
    }
    impl rt::HasJvp for wave {
        type Forms = __Jvp;
    }
};

pub mod sums {
    pub fn weighted(xs: &[f64], n: usize) -> f64 {
        let mut value = 0.0;
        for (k, x) in xs.iter().enumerate() {
            if k % 2 == 0 {
                value += x.exp() * x;
            } else {
                value -= x * n as f64;
            }
        }
        value
    }

    #[doc(hidden)]
    #[allow(
        nonstandard_style,
        dead_code,
        unreachable_pub,
        clippy::all,
        clippy::pedantic,
        clippy::restriction
    )]
    #[derive(Clone, Copy)]
    pub struct weighted {}
    #[allow(
        unknown_lints,
        nonstandard_style,
        unused,
        deprecated,
        mismatched_lifetime_syntaxes,
        unreachable_pub,
        unused_lifetimes,
        single_use_lifetimes,
        unused_qualifications,
        unused_results,
        let_underscore_drop,
        arithmetic_overflow,
        unconditional_panic,
        trivial_bounds,
        trivial_casts,
        trivial_numeric_casts,
        elided_lifetimes_in_paths,
        missing_docs,
        missing_debug_implementations,
        missing_copy_implementations,
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        clippy::restriction
    )]
    const _: () = {
        use ::autodiff::__private as rt;
        use ::autodiff::__private::scope::*;
        let _ = weighted;
        rt::function! {
            weighted
        }
        impl weighted {
            #[doc(hidden)]
            pub const __STEEP: bool = false;
            #[doc(hidden)]
            pub const __TAKES: rt::Takes<2> = rt::Takes;
            #[doc(hidden)]
            pub const __zero_0: fn(&[f64]) -> rt::Vec<f64> = rt::zero_like;
            #[doc(hidden)]
            #[inline]
            pub fn __zero_1<__T: ?::core::marker::Sized>(_: &__T) {}
            #[doc(hidden)]
            #[inline]
            pub fn __jvp(xs: &[f64], n: usize, dot_xs: &[f64], dot_n: ()) -> (f64, f64) {
                {
                    use rt::{MethodsOfNumbers as _, OfNumbersOrSigned as _};
                    let _ = |__x: &::core::primitive::f64| {
                        rt::of_numbers(__x.exp());
                    };
                }
                let n_2 = xs.len();
                let mut value_2: f64 = 0.0;
                let mut value_dot: f64 = 0.0;
                for k in 0..n_2 {
                    let (value_3, value_dot_2) = if k % 2 == 0 {
                        let t = xs[k];
                        let t_2 = dot_xs[k];
                        let t_3 = t.exp();
                        (
                            value_2 + (t_3 * t),
                            value_dot + ((rt::select(rt::smul(t_2, t_3), t)) + (t_2 * t_3)),
                        )
                    } else {
                        let t_4 = xs[k];
                        let t_5 = dot_xs[k];
                        let t_6 = n as f64;
                        (value_2 - (t_4 * t_6), value_dot - (t_5 * t_6))
                    };
                    (value_2, value_dot) = (value_3, value_dot_2);
                }
                (value_2, value_dot)
            }
            #[doc(hidden)]
            #[inline]
            pub fn __vjp(xs: &[f64], n: usize, seed: f64, d_xs: &mut [f64]) -> (f64, ((),)) {
                let d_xs = &mut d_xs[..xs.len()];
                let n_2 = xs.len();
                let mut value_2: f64 = 0.0;
                for k in 0..n_2 {
                    let (value_3, arm) = if k % 2 == 0 {
                        let t = xs[k];
                        let t_2 = t.exp();
                        (value_2 + (t_2 * t), rt::Arm::A((t_2,)))
                    } else {
                        let t_3 = xs[k];
                        (value_2 - (t_3 * (n as f64)), rt::Arm::B(()))
                    };
                    match arm {
                        rt::Arm::A((t_4,)) => {
                            let t_5 = xs[k];
                            d_xs[k] += (seed * t_4) + (rt::smul(seed * t_5, t_4));
                        }
                        rt::Arm::B(()) => {
                            d_xs[k] += (-seed) * (n as f64);
                        }
                    }
                    value_2 = value_3;
                }
                let value = value_2;
                (value, ((),))
            }
            #[doc(hidden)]
            pub const __IN_LANES: bool = true;
            #[doc(hidden)]
            #[inline]
            pub fn __lanes_jvp<const __LANES: usize>(
                _: rt::lanes::Width<__LANES>,
                (xs, n): (&[f64], usize),
                (dot_xs, dot_n): (&[rt::Lanes<f64, __LANES>], ()),
            ) -> (f64, rt::Lanes<f64, __LANES>) {
                let n_2 = xs.len();
                let mut value_2: f64 = 0.0;
                let mut value_dot = rt::lanes::zero();
                for k in 0..n_2 {
                    let (value_3, value_dot_2) = if k % 2 == 0 {
                        let t = xs[k];
                        let t_2 = dot_xs[k];
                        let t_3 = t.exp();
                        (
                            value_2 + (t_3 * t),
                            value_dot
                                + ((rt::lanes::select(rt::lanes::smul(t_2, t_3), t))
                                    + (t_2 * t_3)),
                        )
                    } else {
                        let t_4 = xs[k];
                        let t_5 = dot_xs[k];
                        let t_6 = n as f64;
                        (value_2 - (t_4 * t_6), value_dot - (t_5 * t_6))
                    };
                    (value_2, value_dot) = (value_3, value_dot_2);
                }
                (value_2, value_dot)
            }
            #[doc(hidden)]
            #[inline]
            pub fn __fwd(
                xs: &[f64],
                n: usize,
            ) -> (f64, impl FnOnce(f64, &[f64], &mut [f64]) -> ((),) + use<>) {
                let mut tape_0 = rt::Slots::new();
                let n_2 = xs.len();
                let mut value_2: f64 = 0.0;
                for (slot, k) in tape_0.open(rt::rounds(&(0..n_2))).iter_mut().zip(0..n_2) {
                    let (value_3, arm) = if k % 2 == 0 {
                        let t = xs[k];
                        let t_2 = t.exp();
                        (value_2 + (t_2 * t), rt::Arm::A((t_2,)))
                    } else {
                        let t_3 = xs[k];
                        (value_2 - (t_3 * (n as f64)), rt::Arm::B(()))
                    };
                    *slot = (arm,);
                    value_2 = value_3;
                }
                let value = value_2;
                let back = move |seed: f64, xs: &[f64], d_xs: &mut [f64]| {
                    let d_xs = &mut d_xs[..xs.len()];
                    let mut d_value = seed;
                    for (slot, k_2) in tape_0
                        .last(rt::rounds(&(0..n_2)))
                        .iter()
                        .rev()
                        .zip((0..n_2).rev())
                    {
                        let (arm_2,) = *slot;
                        let d_value_2 = match arm_2 {
                            rt::Arm::A((t_4,)) => {
                                let t_5 = xs[k_2];
                                d_xs[k_2]
                                    += (d_value * t_4) + (rt::smul(d_value * t_5, t_4));
                                d_value
                            }
                            rt::Arm::B(()) => {
                                d_xs[k_2] += (-d_value) * (n as f64);
                                d_value
                            }
                        };
                        d_value = d_value_2;
                    }
                    tape_0.close(rt::rounds(&(0..n_2)));
                    ((),)
                };
                (value, back)
            }
            #[doc(hidden)]
            #[inline]
            pub fn __even(
                xs: &[f64],
                n: usize,
            ) -> (f64, impl FnOnce(f64, &[f64], (), &mut [f64], ()) -> (((), ())) + use<>) {
                let (value, back) = Self::__fwd(xs, n);
                (
                    value,
                    move |seed, xs, _none_0_1, d_xs, _none_1_1| {
                        let ((bar_n,)) = back(seed, xs, d_xs);
                        (((), bar_n))
                    },
                )
            }
            #[doc(hidden)]
            #[inline]
            pub fn __passed(
                xs: &[f64],
                n: usize,
            ) -> (f64, impl FnOnce(f64, &[f64], &mut [f64], &mut ()) -> (((),)) + use<>) {
                let (value, back) = Self::__fwd(xs, n);
                (value, move |seed, xs, d_xs, _captured_0| back(seed, xs, d_xs))
            }
            /// The value, and the pullback that turns a cotangent of the result into those of the parameters.
            #[inline]
            pub fn pullback(
                xs: &[f64],
                n: usize,
            ) -> (f64, impl FnOnce(f64) -> rt::Vec<f64>) {
                let (value, back) = Self::__fwd(xs, n);
                (
                    value,
                    move |seed: f64| {
                        let mut d_xs = Self::__zero_0(&*xs);
                        let (d_n,) = back(seed, xs, &mut d_xs);
                        d_xs
                    },
                )
            }
            ///The function of its one differentiable parameter, with all others bound: what optimisers take.
            #[inline]
            pub fn with(n: usize) -> impl rt::Objective<Point = [f64]> {
                rt::objective(move |xs: &[f64], tangent: bool| {
                    if tangent {
                        let (value, gradient) = Self::value_and_grad(xs, rt::copy(&n));
                        (value, rt::Some(gradient))
                    } else {
                        let value = weighted(xs, rt::copy(&n));
                        (value, rt::None)
                    }
                })
            }
            ///`weighted` of variables, which is recorded on their tape as a whole, with its own derivative.
            #[track_caller]
            #[inline]
            pub fn on_tape<'__t>(xs: &[rt::Var<'__t, f64>], n: usize) -> rt::Var<'__t, f64> {
                let mut __inputs = rt::Vec::new();
                let xs = rt::dynamic::numbers::<f64, _>(&*xs, &mut __inputs);
                if rt::dynamic::are_constant(&__inputs) {
                    rt::dynamic::constants::<f64, _>(&weighted(&xs, n))
                } else {
                    rt::dynamic::graded(
                        "weighted",
                        &__inputs,
                        || Self::value_and_grad(&xs, n),
                    )
                }
            }
            #[doc(hidden)]
            #[inline]
            pub fn __dynamic<'__t>(
                _: fn(&[f64], usize) -> f64,
            ) -> fn(&[rt::Var<'__t, f64>], usize) -> rt::Var<'__t, f64> {
                Self::on_tape
            }
            /// Forward mode: the value, and the derivative along the given tangents.
            #[inline]
            pub fn jvp(xs: &[f64], n: usize, tangents: &[f64]) -> (f64, f64) {
                let dot_xs = tangents;
                rt::check_length(rt::Whose::Argument("xs"), xs.len(), dot_xs.len());
                let mut dot_n = Self::__zero_1(&n);
                Self::__jvp(xs, n, dot_xs, dot_n)
            }
            /// Forward mode in several directions: the value, and the derivative along each of the given tangents.
            #[inline]
            pub fn jvp_lanes<const __LANES: usize>(
                xs: &[f64],
                n: usize,
                tangents: [&[f64]; __LANES],
            ) -> (f64, [f64; __LANES]) {
                for dot_xs in &tangents {
                    rt::check_length(rt::Whose::Argument("xs"), xs.len(), dot_xs.len());
                }
                let dot_xs = rt::lanes::along(&Self::__zero_0(xs), &tangents, |all| *all);
                let dot_n = rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&n));
                let (value, tangent) = Self::__lanes_jvp(
                    rt::lanes::Width,
                    (xs, n),
                    (&dot_xs, dot_n),
                );
                (value, rt::lanes::apart(&tangent))
            }
            /// Reverse mode: the value, and the cotangents of the parameters for the cotangent `seed` of the result.
            #[inline]
            pub fn vjp(xs: &[f64], n: usize, seed: f64) -> (f64, rt::Vec<f64>) {
                let mut d_xs = Self::__zero_0(&*xs);
                let (value, (d_n,)) = Self::__vjp(xs, n, seed, &mut d_xs);
                (value, d_xs)
            }
            /// Reverse mode: adds the cotangents of the parameters to the given buffers, and returns the value.
            #[inline]
            pub fn vjp_into(xs: &[f64], n: usize, seed: f64, g_xs: &mut [f64]) -> f64 {
                rt::check_length(rt::Whose::Argument("xs"), xs.len(), g_xs.len());
                let (value, (d_n,)) = Self::__vjp(xs, n, seed, &mut *g_xs);
                value
            }
            /// The gradient of the result.
            #[inline]
            pub fn grad(xs: &[f64], n: usize) -> rt::Vec<f64> {
                Self::value_and_grad(xs, n).1
            }
            /// The value and the gradient, in one sweep.
            #[inline]
            pub fn value_and_grad(xs: &[f64], n: usize) -> (f64, rt::Vec<f64>) {
                Self::vjp(xs, n, <f64 as rt::Unit>::unit())
            }
            /// Adds the gradient to the given buffers, and returns the value.
            #[inline]
            pub fn grad_into(xs: &[f64], n: usize, g_xs: &mut [f64]) -> f64 {
                Self::vjp_into(xs, n, <f64 as rt::Unit>::unit(), g_xs)
            }
            /// Overwrites the given buffers with the gradient, and returns the value.
            #[inline]
            pub fn value_and_grad_into(xs: &[f64], n: usize, g_xs: &mut [f64]) -> f64 {
                rt::check_length(rt::Whose::Argument("xs"), xs.len(), g_xs.len());
                rt::set_zero(&mut *g_xs);
                Self::grad_into(xs, n, g_xs)
            }
            /// Reverse mode for several seeds: the value, and the cotangents of the parameters for each of them.
            #[inline]
            pub fn vjp_lanes<const __LANES: usize>(
                xs: &[f64],
                n: usize,
                seeds: [f64; __LANES],
            ) -> (f64, [rt::Vec<f64>; __LANES]) {
                rt::lanes::runs(seeds, |seeds| Self::vjp(xs, n, seeds), || weighted(xs, n))
            }
            /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
            #[inline]
            pub fn jacobian(xs: &[f64], n: usize) -> rt::Matrix<f64> {
                Self::value_and_jacobian(xs, n).1
            }
            /// The value and the Jacobian.
            #[inline]
            pub fn value_and_jacobian(xs: &[f64], n: usize) -> (f64, rt::Matrix<f64>) {
                rt::one_row::<f64, _, _>(Self::vjp(xs, n, <f64 as rt::Unit>::unit()))
            }
            /// The Jacobian in forward mode: column by column, or several columns in one sweep.
            #[inline]
            pub fn jacfwd(xs: &[f64], n: usize) -> rt::Matrix<f64> {
                rt::all_columns(
                        (Self::__zero_0(xs),),
                        |(dot_xs,)| Self::jvp(xs, n, &dot_xs[..]),
                    )
                    .1
            }
            /// The Jacobian in reverse mode: one sweep per row.
            #[inline]
            pub fn jacrev(xs: &[f64], n: usize) -> rt::Matrix<f64> {
                Self::value_and_jacobian(xs, n).1
            }
            /// Writes the Jacobian to `out`, row by row; panics if `out` does not have as many elements.
            #[inline]
            pub fn jacobian_into(xs: &[f64], n: usize, out: &mut [f64]) {
                let matrix = Self::jacobian(xs, n);
                rt::write_jacobian(&matrix, out);
            }
            /// The Jacobian as the result with its gradient in place of each scalar: one reverse sweep per scalar.
            #[inline]
            pub fn jacobian_rows(xs: &[f64], n: usize) -> rt::Vec<f64> {
                Self::vjp(xs, n, <f64 as rt::Unit>::unit()).1
            }
            #[doc(hidden)]
            #[inline]
            pub fn hvp(
                xs: &[f64],
                n: usize,
                tangents: &[f64],
            ) -> (rt::Vec<f64>, rt::Vec<f64>)
            where
                for<'__any> rt::Lacking<'__any>: rt::OrderOfFunction<2>,
            {
                ::core::unreachable!()
            }
            #[doc(hidden)]
            #[inline]
            pub fn hessian(xs: &[f64], n: usize) -> rt::Matrix<f64>
            where
                for<'__any> rt::Lacking<'__any>: rt::OrderOfFunction<2>,
            {
                ::core::unreachable!()
            }
            /// The static computation graph, for pictures and inspection.
            #[inline]
            pub fn graph() -> &'static rt::Graph {
                static GRAPH: rt::Graph = rt::Graph::encoded(
                    "weighted",
                    ::core::file!(),
                    "parameter\txs\t31\t21\t0\t*not needed\t\nparameter\tn\t31\t33\t0\tkept\t\n0.0\tvalue\t32\t9\t0\tnot needed\t\nlen\t\t33\t23\t0\tnot needed\t0\n0\t\t33\t9\t0\tnot needed\t\nitem\tk\t33\t9\t1\tkept\t4 3\ncarried\tvalue\t33\t9\t1\t*not needed\t2 17\n_ % 2 == 0\t\t33\t9\t1\tnot needed\t5\nload\t\t35\t17\t2\t*read again\t5 0\nexp\t\t35\t28\t2\t*remembered\t8\nload\t\t35\t28\t2\t*read again\t5 0\nmul\t\t35\t34\t2\t*not needed\t9 10\nadd\tvalue\t35\t34\t2\t*not needed\t6 11\nload\t\t37\t17\t3\t*not needed\t5 0\n_ as f64\t\t37\t17\t3\tcomputed again\t1\nmul\t\t37\t28\t3\t*not needed\t13 14\nsub\tvalue\t37\t28\t3\t*not needed\t6 15\nif\tvalue\t33\t9\t1\t*not needed\t7 12 16\nfor\tvalue\t33\t9\t0\t*not needed\t4 3 17\n",
                    "for\t33\t0\nthen\t33\t1\nelse\t33\t1\n",
                    &[0, 1],
                    &[18],
                );
                &GRAPH
            }
        }
    };
}

pub fn plain(x: f64) -> f64 {
    x + 1.0
}
