//! Gradients of any shape as one flat list, so that one check serves every problem.

/// A gradient, or the buffers one is added to.
pub(crate) trait Flat {
    /// Appends every scalar, in the order of the parameters.
    fn flatten(&self, out: &mut Vec<f64>);
}

impl Flat for f64 {
    fn flatten(&self, out: &mut Vec<f64>) {
        out.push(*self);
    }
}

impl<T: Flat> Flat for Vec<T> {
    fn flatten(&self, out: &mut Vec<f64>) {
        self.iter().for_each(|entry| entry.flatten(out));
    }
}

impl<T: Flat, const N: usize> Flat for [T; N] {
    fn flatten(&self, out: &mut Vec<f64>) {
        self.iter().for_each(|entry| entry.flatten(out));
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        impl<$($name: Flat),*> Flat for ($($name,)*) {
            fn flatten(&self, out: &mut Vec<f64>) {
                $(self.$index.flatten(out);)*
            }
        }
    };
}

tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);

/// The scalars of `gradient`, in the order of the parameters.
pub(crate) fn flat<G: Flat>(gradient: &G) -> Vec<f64> {
    let mut out = Vec::new();
    gradient.flatten(&mut out);
    out
}
