//! Products of matrices, by the kernels of the crate `matrixmultiply`.
//!
//! They use the instructions that the processor has, so their bits differ between machines. With the feature `reproducible` products are plain loops,
//! which take several times as long.
//! Blocks are divided between threads here, not by the crate's own feature, whose threads are not rayon's.
//! Matrix times vector is a loop of our own: such kernels pack their operands, which costs more than the product of a vector.

use crate::parallel::{Amount, Blocks, Work, divide};

/// A matrix that lies in a slice: the entries from its first one, and the distances of rows and of columns.
#[derive(Clone, Copy, Debug)]
pub struct Lent<'a, T> {
    /// The entries, from the first one on.
    pub data: &'a [T],
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

impl<T> Lent<'_, T> {
    /// Panics unless every entry of a matrix of this size is inside of the slice.
    #[cfg(not(feature = "reproducible"))]
    fn check(&self, rows: usize, columns: usize) {
        if rows > 0 && columns > 0 {
            let last = (rows - 1)
                .checked_mul(self.row)
                .zip((columns - 1).checked_mul(self.column))
                .and_then(|(r, c)| r.checked_add(c));
            assert!(
                last.is_some_and(|last| last < self.data.len()),
                "a matrix reaches beyond its entries"
            );
        }
    }
}

/// So many rows at a time go to a thread: a multiple of what every kernel computes at once, so that they do the same wherever the cuts are.
#[cfg(not(feature = "reproducible"))]
const BLOCK: usize = 16;
#[cfg(feature = "reproducible")]
const BLOCK: usize = 1;

macro_rules! gemm {
    ($name:ident, $kernel:ident, $called:ident, $t:ty) => {
        /// C = A B + β C; without β what is in C does not matter.
        pub(crate) fn $name(
            [m, k, n]: [usize; 3],
            a: Lent<'_, $t>,
            b: Lent<'_, $t>,
            beta: $t,
            c: &mut [$t],
        ) {
            let amount = Amount {
                work: Work::Product,
                units: m.div_ceil(BLOCK),
                each: BLOCK.saturating_mul(k).saturating_mul(n),
            };
            let c = Blocks(&mut c[..m * n], BLOCK * n);
            divide(c, amount, |some, Blocks(c, _)| {
                // Without columns there is nothing to write.
                let rows = c.len().checked_div(n).unwrap_or(0);
                let a = Lent {
                    data: &a.data[(some.start * BLOCK * a.row).min(a.data.len())..],
                    ..a
                };
                $kernel([rows, k, n], a, b, beta, c);
            });
        }

        /// The same by one thread.
        #[cfg(feature = "reproducible")]
        fn $kernel(
            [_, k, n]: [usize; 3],
            a: Lent<'_, $t>,
            b: Lent<'_, $t>,
            beta: $t,
            c: &mut [$t],
        ) {
            for (i, c) in c.chunks_exact_mut(n.max(1)).enumerate() {
                for c in &mut *c {
                    *c = if beta == 0.0 { 0.0 } else { *c * beta };
                }
                for l in 0..k {
                    let x = a.data[i * a.row + l * a.column];
                    for (c, j) in c.iter_mut().zip(0..) {
                        *c += x * b.data[l * b.row + j * b.column];
                    }
                }
            }
        }

        /// The same by one thread.
        #[cfg(not(feature = "reproducible"))]
        #[allow(
            unsafe_code,
            reason = "the kernels take pointers; that everything they touch is inside of the slices is checked here"
        )]
        fn $kernel(
            [m, k, n]: [usize; 3],
            a: Lent<'_, $t>,
            b: Lent<'_, $t>,
            beta: $t,
            c: &mut [$t],
        ) {
            a.check(m, k);
            b.check(k, n);
            assert!(m.checked_mul(n).is_some_and(|size| size <= c.len()), "a product is larger than its place");
            // SAFETY: the entries of A, B and C that the kernel reads and writes are i·row + j·column with i, j below the sizes,
            // all of which were just checked to lie inside of the slices; C is dense and borrowed mutably, so it overlaps with neither.
            // Strides fit into `isize` where the sizes are at least two, because slices are no longer than that; they are not used otherwise.
            unsafe {
                matrixmultiply::$called(
                    m, k, n, 1.0,
                    a.data.as_ptr(), a.row as isize, a.column as isize,
                    b.data.as_ptr(), b.row as isize, b.column as isize,
                    beta,
                    c.as_mut_ptr(), n as isize, 1,
                );
            }
        }
    };
}
gemm!(sgemm, sgemm_kernel, sgemm, f32);
gemm!(dgemm, dgemm_kernel, dgemm, f64);
