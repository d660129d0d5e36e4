//! Values as flat lists of `f64`, so that every derivative of every function can be compared in the same way.

/// A value made of floats (integers and the like have none).
pub trait Flat {
    /// Appends the floats in order.
    fn flatten(&self, out: &mut Vec<f64>);

    /// Overwrites the floats, in order, with those at the front of `from`, which is moved on.
    fn unflatten(&mut self, from: &mut &[f64]);
}

macro_rules! float {
    ($($float:ident)*) => {$(
        impl Flat for $float {
            fn flatten(&self, out: &mut Vec<f64>) {
                out.push(f64::from(*self));
            }

            fn unflatten(&mut self, from: &mut &[f64]) {
                *self = from[0] as $float;
                *from = &from[1..];
            }
        }
    )*};
}
float! { f32 f64 }

macro_rules! nothing {
    ($($ty:ty)*) => {$(
        impl Flat for $ty {
            fn flatten(&self, _: &mut Vec<f64>) {}

            fn unflatten(&mut self, _: &mut &[f64]) {}
        }
    )*};
}
nothing! { () usize i32 bool }

impl<T: Flat> Flat for [T] {
    fn flatten(&self, out: &mut Vec<f64>) {
        self.iter().for_each(|item| item.flatten(out));
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        self.iter_mut().for_each(|item| item.unflatten(from));
    }
}

impl<T: Flat, const N: usize> Flat for [T; N] {
    fn flatten(&self, out: &mut Vec<f64>) {
        self.as_slice().flatten(out);
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        self.as_mut_slice().unflatten(from);
    }
}

impl<T: Flat> Flat for Vec<T> {
    fn flatten(&self, out: &mut Vec<f64>) {
        self.as_slice().flatten(out);
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        self.as_mut_slice().unflatten(from);
    }
}

macro_rules! tuple {
    ($($name:ident $field:tt),*) => {
        impl<$($name: Flat),*> Flat for ($($name,)*) {
            fn flatten(&self, out: &mut Vec<f64>) {
                $(self.$field.flatten(out);)*
            }

            fn unflatten(&mut self, from: &mut &[f64]) {
                $(self.$field.unflatten(from);)*
            }
        }
    };
}
tuple! { A 0 }
tuple! { A 0, B 1 }
tuple! { A 0, B 1, C 2 }
tuple! { A 0, B 1, C 2, D 3 }
tuple! { A 0, B 1, C 2, D 3, E 4 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12 }
tuple! {
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12,
    N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23, Y 24, Z 25
}

/// The floats of a value.
pub fn flat<T: Flat + ?Sized>(value: &T) -> Vec<f64> {
    let mut out = Vec::new();
    value.flatten(&mut out);
    out
}

/// A value of the shape of `like` with the next floats of `from`.
pub fn filled<T: Flat>(mut like: T, from: &mut &[f64]) -> T {
    like.unflatten(from);
    like
}
