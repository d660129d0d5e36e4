//! Other types of entries.

use alloc::boxed::Box;

use crate::element::Element;
use crate::lanes::Width;
use crate::tangent::{Accumulate, Differentiable};
use crate::tensor::Tensor;
use crate::tensor::elementwise::map;

/// The tangent of a tensor of this type: `()` of indices and masks.
type Dot<T> = <Tensor<T> as Differentiable>::Tangent;

/// The types of entries that others can be turned into, as by `as`: numbers are true in a mask where they are not 0.
pub trait Cast<U: Element>: Element
where
    Tensor<Self>: Differentiable,
    Tensor<U>: Differentiable,
{
    /// The entry as another type.
    fn cast(self) -> U;

    /// The tangent of the result.
    #[doc(hidden)]
    fn dot(dot: &Dot<Self>, y: &Tensor<U>) -> Dot<U>;

    /// Adds the cotangent of the operand.
    #[doc(hidden)]
    fn bar(dy: &Dot<U>, to: &mut Dot<Self>);
}

/// A tensor as another type; nothing of it is copied where it is zero.
fn converted<T: Cast<U>, U: Element>(x: &Tensor<T>) -> Tensor<U>
where
    Tensor<T>: Differentiable,
    Tensor<U>: Differentiable,
{
    if x.is_known_zero() {
        Tensor::zero(x.shape().into())
    } else {
        map(x, T::cast)
    }
}

macro_rules! casts {
    ($($from:ident to $to:ident $rules:ident |$x:ident| $f:expr;)*) => {$(
        impl Cast<$to> for $from {
            #[inline]
            fn cast(self) -> $to {
                let $x = self;
                $f
            }
            casts!(@$rules $from $to);
        }
    )*};
    (@floats $from:ident $to:ident) => {
        fn dot(dot: &Tensor<$from>, _: &Tensor<$to>) -> Tensor<$to> {
            converted(dot)
        }
        fn bar(dy: &Tensor<$to>, to: &mut Tensor<$from>) {
            to.__accumulate(&converted(dy));
        }
    };
    (@into_constants $from:ident $to:ident) => {
        fn dot(_: &Tensor<$from>, _: &Tensor<$to>) {}
        fn bar((): &(), _: &mut Tensor<$from>) {}
    };
    (@of_constants $from:ident $to:ident) => {
        fn dot((): &(), y: &Tensor<$to>) -> Tensor<$to> {
            y.outline()
        }
        fn bar(_: &Tensor<$to>, (): &mut ()) {}
    };
    (@constants $from:ident $to:ident) => {
        fn dot((): &(), _: &Tensor<$to>) {}
        fn bar((): &(), (): &mut ()) {}
    };
}
casts! {
    f32 to f32 floats |x| x;
    f32 to f64 floats |x| f64::from(x);
    f32 to usize into_constants |x| x as usize;
    f32 to bool into_constants |x| x != 0.0;
    f64 to f32 floats |x| x as f32;
    f64 to f64 floats |x| x;
    f64 to usize into_constants |x| x as usize;
    f64 to bool into_constants |x| x != 0.0;
    usize to f32 of_constants |x| x as f32;
    usize to f64 of_constants |x| x as f64;
    usize to usize constants |x| x;
    usize to bool constants |x| x != 0;
    bool to f32 of_constants |x| f32::from(x);
    bool to f64 of_constants |x| f64::from(x);
    bool to usize constants |x| usize::from(x);
    bool to bool constants |x| x;
}

#[allow(
    clippy::type_complexity,
    clippy::let_unit_value,
    reason = "the forms that generated code calls"
)]
impl<T: Element> Tensor<T>
where
    Tensor<T>: Differentiable,
{
    /// The same entries as another type, as by `as`; in a mask numbers are true where they are not 0.
    ///
    /// Between floats it has a derivative, whose numbers are turned back.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([0.5, -2.0, 3.25]);
    /// assert_eq!(x.cast::<f32>().to_vec(), [0.5_f32, -2.0, 3.25]);
    /// assert_eq!(x.cast::<usize>().to_vec(), [0, 0, 3]);
    /// assert_eq!(x.gt(0.0).cast::<f64>().to_vec(), [1.0, 0.0, 1.0]);
    /// ```
    #[doc(alias = "astype")]
    #[must_use]
    pub fn cast<U: Element>(&self) -> Tensor<U>
    where
        T: Cast<U>,
        Tensor<U>: Differentiable,
    {
        converted(self)
    }

    #[doc(hidden)]
    pub fn __jvp_cast<U: Element>(&self, dot: &Dot<T>) -> (Tensor<U>, Dot<U>)
    where
        T: Cast<U>,
        Tensor<U>: Differentiable,
    {
        let y = converted(self);
        let dot_y = T::dot(dot, &y);
        (y, dot_y)
    }

    #[doc(hidden)]
    pub fn __fwd_cast<U: Element>(&self) -> (Tensor<U>, Box<dyn FnOnce(Dot<U>, &Self, &mut Dot<T>)>)
    where
        T: Cast<U>,
        Tensor<U>: Differentiable,
    {
        (converted(self), Box::new(|dy, _, to| T::bar(&dy, to)))
    }

    #[doc(hidden)]
    pub fn __jvp_fwd_cast<U: Element>(
        &self,
        dot: &Dot<T>,
    ) -> (
        Tensor<U>,
        Dot<U>,
        Box<dyn FnOnce(Dot<U>, Dot<U>, &Self, &Dot<T>, &mut Dot<T>, &mut Dot<T>)>,
    )
    where
        T: Cast<U>,
        Tensor<U>: Differentiable,
    {
        let (y, dot_y) = self.__jvp_cast(dot);
        let back = |dy, ddy, _: &Self, _: &Dot<T>, to: &mut Dot<T>, dot_to: &mut Dot<T>| {
            T::bar(&dy, to);
            T::bar(&ddy, dot_to);
        };
        (y, dot_y, Box::new(back))
    }

    #[doc(hidden)]
    pub fn __each_fwd_cast<U: Element, const N: usize>(
        &self,
        _: Width<N>,
        dots: [&Dot<T>; N],
    ) -> (
        Tensor<U>,
        [Dot<U>; N],
        Box<dyn FnOnce(Dot<U>, [Dot<U>; N], &Self, [&Dot<T>; N], &mut Dot<T>, [&mut Dot<T>; N])>,
    )
    where
        T: Cast<U>,
        Tensor<U>: Differentiable,
    {
        let y = converted(self);
        let dot_ys = dots.map(|dot| T::dot(dot, &y));
        let back = |dy,
                    ddys: [Dot<U>; N],
                    _: &Self,
                    _: [&Dot<T>; N],
                    to: &mut Dot<T>,
                    dot_to: [&mut Dot<T>; N]| {
            T::bar(&dy, to);
            for (ddy, to) in ddys.iter().zip(dot_to) {
                T::bar(ddy, to);
            }
        };
        (y, dot_ys, Box::new(back))
    }

    #[doc(hidden)]
    pub fn __zero_of_0_cast(&self, receiver: &Self) -> Dot<T> {
        receiver.zero_tangent()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn between_floats() {
        let x = Tensor::from([[0.1_f64, 2.0], [3.0, 4.0]]).permuted(&[1, 0]);
        let dot = x.map(|x| 10.0 * x);
        let (y, dot_y, back) = x.__jvp_fwd_cast::<f32>(&dot);
        assert_eq!(y.to_vec(), [0.1_f32, 3.0, 2.0, 4.0]);
        assert_eq!(dot_y.to_vec(), [1.0_f32, 30.0, 20.0, 40.0]);
        let (mut bar, mut dot_bar) = (x.outline(), x.outline());
        back(dot_y, y, &x, &dot, &mut bar, &mut dot_bar);
        assert_eq!(bar.to_vec(), [1.0, 30.0, 20.0, 40.0]);
        assert_eq!(dot_bar.to_vec(), [f64::from(0.1_f32), 3.0, 2.0, 4.0]);
        let (_, back) = x.__fwd_cast::<f32>();
        back(Tensor::zeros(&[2, 2]), &x, &mut bar);
        assert_eq!(bar.to_vec(), [1.0, 30.0, 20.0, 40.0]);
        let (_, [one, two], back) = x.__each_fwd_cast::<f32, 2>(Width, [&x, &dot]);
        let mut bars = [x.outline(), x.outline()];
        let [first, second] = &mut bars;
        back(
            Tensor::zeros(&[2, 2]),
            [two, one],
            &x,
            [&x, &dot],
            &mut bar,
            [first, second],
        );
        assert_eq!(bars[0].to_vec(), [1.0, 30.0, 20.0, 40.0]);
        assert_eq!(bars[1].to_vec(), [f64::from(0.1_f32), 3.0, 2.0, 4.0]);
    }

    #[test]
    fn of_what_has_no_derivative() {
        let mask = Tensor::from([true, false]);
        let (y, dot) = mask.__jvp_cast::<f64>(&());
        assert_eq!((y.to_vec(), dot.to_vec()), (vec![1.0, 0.0], vec![0.0, 0.0]));
        let (_, back) = mask.__fwd_cast::<f64>();
        back(y.clone(), &mask, &mut ());
        let (at, ()) = y.__jvp_cast::<usize>(&dot);
        assert_eq!(at.to_vec(), [1, 0]);
        assert_eq!(
            Tensor::<usize>::zeros(&[2]).cast::<bool>().to_vec(),
            [false; 2]
        );
        assert_eq!(
            Tensor::from([f32::NAN, -1.0, 2.9]).cast::<usize>().to_vec(),
            [0, 0, 2]
        );
        assert_eq!(
            Tensor::from([f64::NAN, -0.0]).cast::<bool>().to_vec(),
            [true, false]
        );
        assert_eq!(Tensor::<f32>::zeros(&[0, 2]).cast::<f64>().shape(), [0, 2]);
    }
}
