//! Tensors: parameters, locals, results, lists and fields of them; their shapes are known while the text is written, so that every operation fits.

mod expr;
mod numbers;
mod shape;
mod statement;
mod types;

pub use shape::Shape;
pub use types::tensor_types_text;

use super::scope::{Kind, Var};
use super::{Generator, ParamType, ResultType};

/// What holds a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// A variable.
    Owned,
    /// `&Tensor<S>`
    Shared,
    /// `&mut Tensor<S>`
    Changed,
}

/// The item that brings the type into scope.
pub(crate) const IMPORT: &str = "use autodiff::Tensor;";

impl Generator {
    /// The parameters of the judged function, if tensors are among them: few enough entries for second derivatives.
    pub(crate) fn tensor_parameters(&mut self) -> Vec<ParamType> {
        let mut types = Vec::new();
        let mut left = 8;
        for _ in 0..self.random.between(1, 3) {
            let shape = self.new_shape(left.min(6));
            left -= shape.count().min(left);
            types.push(match self.random.below(8) {
                0 | 1 => ParamType::Tensor(shape),
                2 if self.on.on("mut_param") => ParamType::MutTensor(shape),
                _ => ParamType::RefTensor(shape),
            });
        }
        for _ in 0..self.random.between(1, 2) {
            types.push(ParamType::Scalar);
        }
        if self.random.chance(0.3) && self.on.on("slice") {
            types.push(ParamType::Slice(self.random.between(1, 3)));
        }
        if self.random.chance(0.3) {
            types.push(ParamType::Int(self.random.between(1, 3)));
        }
        types
    }

    /// What the judged function returns, if tensors are drawn.
    pub(crate) fn tensor_result(&mut self) -> ResultType {
        match self.random.below(8) {
            0..=2 if self.use_of("vector_result") => {
                let shape = self.new_shape(4);
                if shape.count() == 0 {
                    ResultType::Scalar
                } else {
                    ResultType::Tensor(shape)
                }
            }
            3 if self.on.on("tuple") && self.use_of("vector_result") => ResultType::Pair,
            _ => ResultType::Scalar,
        }
    }

    /// Writes a function of tensors that later ones may call.
    pub(crate) fn write_tensor_helper(&mut self) {
        let mut types = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            let shape = self.new_shape(6);
            types.push(match self.random.below(8) {
                0 | 1 => ParamType::Tensor(shape),
                2 if self.on.on("call_mut") && self.on.on("mut_param") => {
                    ParamType::MutTensor(shape)
                }
                _ => ParamType::RefTensor(shape),
            });
        }
        if self.random.chance(0.5) {
            types.push(ParamType::Scalar);
        }
        let result = match self.random.below(4) {
            0 => ResultType::Scalar,
            1 if self.on.on("tuple") => ResultType::Pair,
            _ => ResultType::Tensor(self.new_shape(6)),
        };
        let name = self.fresh("h");
        let budget = self.random.between(1, 3);
        let function = self.write_function(&name, &types, result, budget, 0);
        self.helpers.push(function);
    }

    /// A shape of at most so many entries, none of them now and then.
    pub(crate) fn new_shape(&mut self, most: usize) -> Shape {
        let rank = [0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4][self.random.below(12)];
        let mut lengths = Vec::new();
        let mut count = 1;
        for _ in 0..rank {
            let length = self.new_length(true).min((most / count).max(1));
            count *= length.max(1);
            lengths.push(length);
        }
        Shape::new(&lengths)
    }

    /// The length of an axis; 0 now and then, if it may be.
    pub(crate) fn new_length(&mut self, empty: bool) -> usize {
        if empty && self.random.chance(0.03) {
            0
        } else {
            self.random.between(1, 3)
        }
    }

    /// The shape of some tensor in scope, or a new one.
    pub(crate) fn some_shape(&mut self) -> Shape {
        let found = self.any(|var| matches!(var.kind, Kind::Tensor(..)));
        match found.map(|var| var.kind) {
            Some(Kind::Tensor(shape, _)) if self.random.chance(0.7) => shape,
            _ => self.new_shape(6),
        }
    }

    /// A shape that is stretched to the given one.
    pub(crate) fn narrower(&mut self, shape: Shape) -> Shape {
        let dropped = self.random.below(shape.rank() + 1);
        let dropped = if self.random.chance(0.5) { 0 } else { dropped };
        let lengths: Vec<usize> = shape.lengths()[dropped..]
            .iter()
            .map(|&length| if self.random.chance(0.3) { 1 } else { length })
            .collect();
        Shape::new(&lengths)
    }

    /// A place in a tensor that has entries, as it stands between brackets.
    pub(crate) fn place(&mut self, shape: Shape) -> String {
        let places: Vec<String> = shape
            .lengths()
            .iter()
            .map(|&length| self.index(length))
            .collect();
        if let [one] = &places[..] {
            if self.random.chance(0.5) {
                return one.clone();
            }
        }
        format!("[{}]", places.join(", "))
    }

    /// A variable for a tensor.
    pub(crate) fn tensor_var(
        name: &str,
        shape: Shape,
        held: Held,
        mutable: bool,
        bound: f64,
    ) -> Var {
        Var::new(name, Kind::Tensor(shape, held), mutable, bound)
    }
}
