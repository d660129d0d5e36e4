//! How tensors are printed: as NumPy does.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::Tensor;
use crate::element::Element;

/// Tensors of more entries are cut.
const MOST: usize = 1000;
/// How many entries stand before and behind the cut of an axis.
const EDGE: usize = 3;

/// Nested brackets, entries aligned; of tensors with more than 1,000 entries, three at each end of an axis.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// assert_eq!(Tensor::from([[1.0, -2.5], [10.0, 0.0]]).to_string(), "[[ 1.0, -2.5],\n [10.0,  0.0]]");
/// assert_eq!(Tensor::<usize>::zeros(&[5000]).to_string(), "[0, 0, 0, ..., 0, 0, 0]");
/// ```
impl<T: Element> fmt::Display for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = self.len() > MOST;
        let entries = shown(self, cut, f.precision());
        let width = entries.iter().map(String::len).max().unwrap_or(0);
        let mut next = entries.iter();
        write(f, self.shape(), cut, 0, width, &mut next)
    }
}

/// The numbers of the entries of an axis that are shown.
fn kept(n: usize, cut: bool) -> impl Iterator<Item = usize> {
    (0..n).filter(move |k| !cut || n <= 2 * EDGE || *k < EDGE || *k >= n - EDGE)
}

/// The entries that are shown, as text.
fn shown<T: Element>(of: &Tensor<T>, cut: bool, precision: Option<usize>) -> Vec<String> {
    fn visit<T: Element>(
        of: &Tensor<T>,
        cut: bool,
        at: &mut Vec<usize>,
        found: &mut impl FnMut(T),
    ) {
        if at.len() == of.rank() {
            found(of[&at[..]]);
            return;
        }
        for k in kept(of.shape()[at.len()], cut) {
            at.push(k);
            visit(of, cut, at, found);
            at.pop();
        }
    }
    let mut out = Vec::new();
    visit(of, cut, &mut Vec::new(), &mut |x| {
        out.push(match precision {
            Some(digits) => format!("{x:.digits$}"),
            None if T::IS_FLOAT => format!("{x:?}"),
            None => x.to_string(),
        });
    });
    out
}

fn write<'a>(
    f: &mut fmt::Formatter<'_>,
    shape: &[usize],
    cut: bool,
    depth: usize,
    width: usize,
    next: &mut impl Iterator<Item = &'a String>,
) -> fmt::Result {
    let Some((n, inner)) = shape.split_first() else {
        return write!(f, "{:>width$}", next.next().map_or("", String::as_str));
    };
    let separator = if inner.is_empty() {
        ", ".to_string()
    } else {
        format!(",{}{}", "\n".repeat(inner.len()), " ".repeat(depth + 1))
    };
    f.write_str("[")?;
    let mut before = None;
    for k in kept(*n, cut) {
        if let Some(before) = before {
            f.write_str(&separator)?;
            if k > before + 1 {
                f.write_str("...")?;
                f.write_str(&separator)?;
            }
        }
        before = Some(k);
        write(f, inner, cut, depth + 1, width, next)?;
    }
    f.write_str("]")
}

impl<T: Element> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor {:?} {self}", self.shape())
    }
}
