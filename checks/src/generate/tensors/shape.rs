//! Shapes of tensors, as the generator knows them.

/// The lengths of the axes of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    rank: usize,
    lengths: [usize; Self::MOST],
}

impl Shape {
    /// So many axes at most.
    pub(crate) const MOST: usize = 4;

    /// The shape of these lengths.
    pub(crate) fn new(of: &[usize]) -> Self {
        let mut lengths = [0; Self::MOST];
        lengths[..of.len()].copy_from_slice(of);
        Self {
            rank: of.len(),
            lengths,
        }
    }

    /// The lengths of the axes.
    pub(crate) fn lengths(&self) -> &[usize] {
        &self.lengths[..self.rank]
    }

    /// How many axes there are.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// How many entries there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lengths().iter().product()
    }

    /// The shape with one axis of another length.
    pub(crate) fn with(&self, axis: usize, length: usize) -> Self {
        let mut lengths = self.lengths().to_vec();
        lengths[axis] = length;
        Self::new(&lengths)
    }

    /// The shape without an axis.
    pub(crate) fn without(&self, axis: usize) -> Self {
        let mut lengths = self.lengths().to_vec();
        lengths.remove(axis);
        Self::new(&lengths)
    }

    /// The shape with one axis more.
    pub(crate) fn inserted(&self, axis: usize, length: usize) -> Self {
        let mut lengths = self.lengths().to_vec();
        lengths.insert(axis, length);
        Self::new(&lengths)
    }

    /// The lengths as an argument.
    #[must_use]
    pub fn text(&self) -> String {
        format!("&{:?}", self.lengths())
    }
}
