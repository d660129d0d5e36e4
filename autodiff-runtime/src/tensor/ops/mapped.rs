//! The hidden forms of `x.map(|v| …)`: the closure is differentiated as any closure that a function is passed, and runs once for each entry.

use alloc::vec::Vec;

use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::elementwise::gather;

/// What the pullbacks of entries make of the cotangents: one number each, in a tuple.
type Bars<T> = (T,);

#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
impl<T: Float> Tensor<T> {
    #[doc(hidden)]
    #[must_use]
    pub fn __zero_of_0_map(&self, receiver: &Self) -> Self {
        receiver.outline()
    }

    #[doc(hidden)]
    pub fn __jvp_map(&self, f: impl Fn(T, T) -> (T, T), dot: &Self) -> (Self, Self) {
        let pairs = self.iter().zip(dot).map(|(x, dot)| f(x, dot));
        let (values, dots): (Vec<T>, Vec<T>) = pairs.unzip();
        (
            Tensor::of(self.shape.clone(), values),
            Tensor::of(self.shape.clone(), dots),
        )
    }

    #[doc(hidden)]
    pub fn __fwd_map<F, B, E>(
        &self,
        f: F,
    ) -> (
        Self,
        impl FnOnce(Self, &Self, &mut Self, &mut E) + use<T, F, B, E>,
    )
    where
        F: Fn(T) -> (T, B),
        B: FnOnce(T, &mut E) -> Bars<T>,
    {
        let (values, backs): (Vec<T>, Vec<B>) = self.iter().map(f).unzip();
        let y = Tensor::of(self.shape.clone(), values);
        (y, |seed: Self, x: &Self, to: &mut Self, env: &mut E| {
            let bars = backs
                .into_iter()
                .zip(gather(&seed))
                .map(|(back, seed)| back(seed, env).0);
            to.add_multiple(T::ONE, &Tensor::of(x.shape.clone(), bars.collect()));
        })
    }

    #[doc(hidden)]
    pub fn __jvp_fwd_map<F, B, E, D>(
        &self,
        f: F,
        dot: &Self,
    ) -> (
        Self,
        Self,
        impl FnOnce(Self, Self, &Self, &Self, &mut Self, &mut E, &mut Self, &mut D) -> ((), ())
        + use<T, F, B, E, D>,
    )
    where
        F: Fn(T, T) -> (T, T, B),
        B: FnOnce(T, T, &mut E, &mut D) -> (Bars<T>, Bars<T>),
    {
        let shape = &self.shape;
        let (mut values, mut dots, mut backs) = (Vec::new(), Vec::new(), Vec::new());
        for (x, dot) in self.iter().zip(dot) {
            let (y, dot_y, back) = f(x, dot);
            values.push(y);
            dots.push(dot_y);
            backs.push(back);
        }
        let back = |seed: Self,
                    dot_seed: Self,
                    x: &Self,
                    _: &Self,
                    to: &mut Self,
                    env: &mut E,
                    dot_to: &mut Self,
                    dot_env: &mut D| {
            let seeds = gather(&seed).into_iter().zip(gather(&dot_seed));
            let bars = backs
                .into_iter()
                .zip(seeds)
                .map(|(back, (seed, dot_seed))| {
                    let ((bar,), (dot_bar,)) = back(seed, dot_seed, env, dot_env);
                    (bar, dot_bar)
                });
            let (bars, dot_bars): (Vec<T>, Vec<T>) = bars.unzip();
            to.add_multiple(T::ONE, &Tensor::of(x.shape.clone(), bars));
            dot_to.add_multiple(T::ONE, &Tensor::of(x.shape.clone(), dot_bars));
            ((), ())
        };
        (
            Tensor::of(shape.clone(), values),
            Tensor::of(shape.clone(), dots),
            back,
        )
    }
}
