//! The whole program: constants, called functions, the judged function, and the points it is judged at.

use super::scope::{Kind, Var};
use super::tensors::IMPORT;
use super::{Generator, Param, ParamType, Point, Program, ResultType};

/// How many points each program is judged at.
const POINTS: usize = 3;

impl Generator {
    pub(crate) fn program(mut self, seed: u64, index: u64) -> Program {
        if self.tensors {
            self.used.insert("tensor");
            self.items.push(IMPORT.to_owned());
        }
        let consts = if self.on.on("const") {
            self.random.below(3)
        } else {
            0
        };
        for _ in 0..consts {
            self.used.insert("const");
            let name = self.fresh("C");
            let value = self.literal(0.2, 1.4);
            self.items
                .push(format!("const {name}: {} = {value};", self.scalar));
            self.globals.push(Var::new(&name, Kind::Scalar, false, 1.4));
        }
        if self.on.on("call") && self.random.chance(0.7) {
            for _ in 0..self.random.between(1, 3) {
                self.write_helper();
            }
        }
        if self.matrices {
            self.used.insert("matrix");
        }
        let types = if self.tensors {
            self.tensor_parameters()
        } else if self.matrices {
            self.matrix_parameters()
        } else {
            self.parameter_types()
        };
        let has_output = types.iter().any(|ty| ty.is_mut());
        let result = match self.random.below(10) {
            _ if self.tensors => self.tensor_result(),
            0 if self.matrices => {
                let matrix = self.new_matrix(6);
                ResultType::Matrix(matrix)
            }
            0 if has_output => ResultType::Unit,
            1 if self.use_of("vector_result") => ResultType::Array(self.random.between(2, 3)),
            2 if self.on.on("vec") && self.use_of("vector_result") => {
                ResultType::Vector(self.random.between(1, 3))
            }
            3 if self.on.on("tuple") && self.use_of("vector_result") => ResultType::Pair,
            _ => ResultType::Scalar,
        };
        let budget = self.random.between(3, 7);
        self.plan_traps(index);
        let traps = self.planned.len();
        let main = self.write_function("judged", &types, result, budget, traps);
        let points = (0..POINTS)
            .map(|number| self.point(&main.params, number))
            .collect();
        Program {
            seed,
            index,
            scalar: self.scalar,
            items: self.items,
            helpers: self.helpers,
            main,
            points,
            traps: self.traps,
            constructs: self.used,
        }
    }

    fn parameter_types(&mut self) -> Vec<ParamType> {
        let mut types = vec![ParamType::Scalar; self.random.between(1, 3)];
        for _ in 0..self.random.below(4) {
            let n = self.random.between(2, 5);
            let ty = match self.random.below(16) {
                0..=2 => ParamType::Slice(n),
                3 => ParamType::Slice(if self.random.chance(0.15) { 0 } else { n }),
                4 | 5 => ParamType::MutSlice(n),
                6 => ParamType::MutArray(n),
                7 => ParamType::Array(n.min(3)),
                8 => ParamType::RefArray(n.min(4)),
                9 => ParamType::RefNested(2, n.min(3)),
                10 => ParamType::Vector(n),
                11 => ParamType::Pair,
                12 => ParamType::MutScalar,
                13 => ParamType::Flag,
                14 => ParamType::ConstantScalar,
                _ => ParamType::ConstantSlice(n),
            };
            types.push(ty);
        }
        if self.random.chance(0.6) {
            types.push(ParamType::Int(self.random.between(1, 4)));
        }
        if self.random.chance(0.3) {
            types.push(ParamType::Indices(
                self.random.between(2, 4),
                self.random.between(1, 3),
            ));
        }
        types.retain(|&ty| self.allows(ty));
        for (ty, name) in [
            (ParamType::MutScalar, "mut_scalar"),
            (ParamType::Pair, "tuple"),
        ] {
            if types.contains(&ty) {
                self.use_of(name);
            }
        }
        for ty in &types {
            match ty {
                ParamType::Slice(_) => self.use_of("slice"),
                ParamType::MutSlice(_)
                | ParamType::MutArray(_)
                | ParamType::MutTensor(_)
                | ParamType::MutMatrix(_) => self.use_of("mut_param"),
                ParamType::Vector(_) => self.use_of("vec"),
                ParamType::Array(_) | ParamType::RefArray(_) => self.use_of("array"),
                ParamType::RefNested(..) => self.use_of("nested_array"),
                ParamType::ConstantScalar | ParamType::ConstantSlice(_) => {
                    self.use_of("constant_param")
                }
                _ => true,
            };
        }
        // Any order of kinds.
        for i in (1..types.len()).rev() {
            types.swap(i, self.random.below(i + 1));
        }
        types
    }

    /// Arguments: ordinary ones first, then (sometimes) zeros of both signs and ties.
    fn point(&mut self, params: &[Param], number: usize) -> Point {
        let mut point = Point {
            active: Vec::new(),
            inactive: Vec::new(),
        };
        let special = number == POINTS - 1 && self.random.chance(0.5);
        for param in params {
            for _ in 0..param.ty.scalars() {
                let ordinary = self.random.uniform(-1.4, 1.4);
                let value = match self.random.below(6) {
                    0 if special => 0.0,
                    1 if special => -0.0,
                    2 if special => 0.5,
                    _ => (ordinary * 1024.0).round() / 1024.0,
                };
                point.active.push(value);
            }
            let s = self.scalar;
            let text = match param.ty {
                ParamType::Int(bound) => format!("{}usize", self.random.below(bound + 1)),
                ParamType::Indices(n, bound) => {
                    let items: Vec<String> = (0..n)
                        .map(|_| format!("{}usize", self.random.below(bound)))
                        .collect();
                    format!("&[{}]", items.join(", "))
                }
                ParamType::Flag => self.random.chance(0.5).to_string(),
                ParamType::ConstantScalar => format!("{}{s}", self.literal(-1.2, 1.2)),
                ParamType::ConstantSlice(n) => {
                    let items: Vec<String> = (0..n)
                        .map(|_| format!("{}{s}", self.literal(-1.2, 1.2)))
                        .collect();
                    format!("&[{}]", items.join(", "))
                }
                _ => continue,
            };
            point.inactive.push(text);
        }
        point
    }
}
