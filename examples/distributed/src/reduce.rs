//! The mean of a gradient over processes, in place.

use autodiff::Tangent;
use autodiff::slices::SliceMut;
use mpi::collective::SystemOperation;
use mpi::traits::{CommunicatorCollectives, Equivalence};

/// How many numbers are summed at once: MPI takes what it sends from other memory than it writes to, and so many stay in the cache on the way.
const PIECE: usize = 1 << 16;

/// Puts into each process' gradient the mean of all of them: g ← (g₁ + … + gₚ) / p, slice by slice.
///
/// Every process gets the same bits, as long as its MPI sums in the same order for all.
/// All have to call it, with gradients of the same shape.
pub fn mean(gradient: &mut impl Tangent, world: &impl CommunicatorCollectives) {
    gradient.for_each_slice(&mut |slice| match slice {
        SliceMut::F32(numbers) => sum(numbers, 1.0 / world.size() as f32, world),
        SliceMut::F64(numbers) => sum(numbers, 1.0 / f64::from(world.size()), world),
    });
}

fn sum<T: Copy + Equivalence + std::ops::MulAssign>(
    numbers: &mut [T],
    share: T,
    world: &impl CommunicatorCollectives,
) {
    let mut sent = Vec::with_capacity(numbers.len().min(PIECE));
    for piece in numbers.chunks_mut(PIECE) {
        sent.clear();
        sent.extend_from_slice(piece);
        world.all_reduce_into(&sent[..], piece, SystemOperation::sum());
        for x in piece {
            *x *= share;
        }
    }
}
