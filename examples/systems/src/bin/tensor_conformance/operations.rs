//! The operations, each written once, as a function with `#[grad]` and as one on the tape.

use std::panic::{AssertUnwindSafe, catch_unwind};

use autodiff::Tensor;

use crate::attributes::Attributes;

/// Where derivatives are taken: with which cotangent, and along which tangents.
pub(crate) struct Directions {
    pub cotangent: Tensor<f64>,
    pub tangents: Vec<Tensor<f64>>,
}

/// What an operation gives at its operands.
#[derive(Clone)]
pub(crate) struct Found {
    pub output: Tensor<f64>,
    pub grads: Vec<Tensor<f64>>,
    pub jvp: Tensor<f64>,
    /// The tangents of the gradients, which the tape does not record.
    pub hvp: Option<Vec<Tensor<f64>>>,
}

type Run = fn(&[Tensor<f64>], &Attributes, &Directions) -> Found;

/// An operation in both modes.
pub(crate) struct Operation {
    pub name: &'static str,
    /// How many operands it has, unless any number will do.
    operands: Option<usize>,
    /// The attributes that it understands.
    pub attributes: &'static [&'static str],
    compiled: Run,
    on_tape: Run,
}

/// How derivatives are found.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Compiled,
    OnTape,
}

impl Operation {
    /// The operation of a name that takes so many operands, or what is wrong with them.
    pub(crate) fn of(name: &str, operands: usize) -> Result<&'static Operation, String> {
        let mut expected = Vec::new();
        for row in OPERATIONS.iter().filter(|row| row.name == name) {
            match row.operands {
                Some(number) if number != operands => expected.push(number.to_string()),
                _ => return Ok(row),
            }
        }
        if expected.is_empty() {
            return Err(format!("there is no operation `{name}`"));
        }
        Err(format!(
            "`{name}` has {} operands with derivatives, not {operands}",
            expected.join(" or ")
        ))
    }

    /// Runs it; the error is what it panics with.
    pub(crate) fn run(
        &self,
        mode: Mode,
        x: &[Tensor<f64>],
        at: &Attributes,
        along: &Directions,
    ) -> Result<Found, String> {
        let run = match mode {
            Mode::Compiled => self.compiled,
            Mode::OnTape => self.on_tape,
        };
        catch_unwind(AssertUnwindSafe(|| run(x, at, along))).map_err(|payload| {
            let said = payload.downcast_ref::<String>().cloned();
            said.or_else(|| {
                payload
                    .downcast_ref::<&str>()
                    .map(|said| (*said).to_owned())
            })
            .unwrap_or_else(|| "it panics".to_owned())
        })
    }
}

/// What derivatives are like for results of both kinds.
trait Outcome {
    fn tensor(self) -> Tensor<f64>;
    fn of(tensor: &Tensor<f64>) -> Self;
}

impl Outcome for Tensor<f64> {
    fn tensor(self) -> Tensor<f64> {
        self
    }
    fn of(tensor: &Tensor<f64>) -> Self {
        tensor.clone()
    }
}

impl Outcome for f64 {
    fn tensor(self) -> Tensor<f64> {
        Tensor::scalar(self)
    }
    fn of(tensor: &Tensor<f64>) -> Self {
        tensor.item()
    }
}

mod taped {
    use autodiff::Tensor;
    use autodiff::tape::{Gradients, Tape, TensorVar, Var};

    use super::{Attributes, Directions, Found};

    /// What derivatives are like for results of both kinds on the tape.
    pub(super) trait Recorded<'t>: Copy {
        fn value(self) -> Tensor<f64>;
        fn pull(self, seed: &Tensor<f64>) -> Gradients<f64>;
        fn push(self, tape: &'t Tape, along: &[(TensorVar<'t>, Tensor<f64>)]) -> Tensor<f64>;
    }

    impl<'t> Recorded<'t> for TensorVar<'t> {
        fn value(self) -> Tensor<f64> {
            self.value()
        }
        fn pull(self, seed: &Tensor<f64>) -> Gradients<f64> {
            self.backward_from(seed.clone())
        }
        fn push(self, tape: &'t Tape, along: &[(TensorVar<'t>, Tensor<f64>)]) -> Tensor<f64> {
            tape.tangents(&[], along).of(self)
        }
    }

    impl<'t> Recorded<'t> for Var<'t> {
        fn value(self) -> Tensor<f64> {
            Tensor::scalar(self.value())
        }
        fn pull(self, seed: &Tensor<f64>) -> Gradients<f64> {
            self.backward_from(seed.item())
        }
        fn push(self, tape: &'t Tape, along: &[(TensorVar<'t>, Tensor<f64>)]) -> Tensor<f64> {
            Tensor::scalar(tape.tangents(&[], along).of(self))
        }
    }

    /// Records an operation, and walks the tape in both directions.
    pub(super) fn run<R: for<'t> Rule<'t>>(
        x: &[Tensor<f64>],
        at: &Attributes,
        along: &Directions,
        rule: R,
    ) -> Found {
        let tape = Tape::new();
        let x: Vec<TensorVar> = x.iter().map(|x| tape.tensor(x.clone())).collect();
        let y = rule.apply(&x, at);
        let direction: Vec<_> = x
            .iter()
            .copied()
            .zip(along.tangents.iter().cloned())
            .collect();
        Found {
            output: y.value(),
            grads: y.pull(&along.cotangent).wrt(&x),
            jvp: y.push(&tape, &direction),
            hvp: None,
        }
    }

    /// A function on the tape.
    pub(super) trait Rule<'t> {
        type Result: Recorded<'t>;
        fn apply(&self, x: &[TensorVar<'t>], at: &Attributes) -> Self::Result;
    }
}

/// The table of operations `name(operands)[attributes]; at => expression`.
///
/// The expression is the body of a function with `#[grad]` and of one over variables on a tape; it gives a tensor, or a number where `-> f64` says so.
/// After `taped` stands how the latter is written, where the two differ. `[x]` in place of the operands is a list of any length, which `Array` joins.
macro_rules! operations {
    ($($module:ident = $name:literal $operands:tt [$($attribute:literal)*] $at:ident $(-> $number:ident)? => $body:expr $(, taped $taped:expr)?;)*) => {
        $(operations!(@module $module $operands $at [$($number)?] [$body] [$($taped)?] [$body]);)*

        static OPERATIONS: &[Operation] = &[$(
            Operation {
                name: $name,
                operands: operations!(@number $operands),
                attributes: &[$($attribute),*],
                compiled: $module::compiled::run,
                on_tape: $module::on_tape::run,
            },
        )*];
    };
    (@number [$x:ident]) => { None };
    (@number ($($x:ident)*)) => { Some([$(stringify!($x)),*].len()) };
    (@recorded f64) => { Var<'t> };
    (@recorded) => { TensorVar<'t> };
    (@module $module:ident $operands:tt $at:ident [$($number:ident)?] [$body:expr] [] [$_:expr]) => {
        operations!(@both $module $operands $at [$($number)?] [$body] [$body]);
    };
    (@module $module:ident $operands:tt $at:ident [$($number:ident)?] [$body:expr] [$taped:expr] [$_:expr]) => {
        operations!(@both $module $operands $at [$($number)?] [$body] [$taped]);
    };
    (@both $module:ident $operands:tt $at:ident [$($number:ident)?] [$body:expr] [$taped:expr]) => {
        #[allow(unused_variables, unused_imports, reason = "not every operation has attributes, is a list, or gives a number")]
        mod $module {
            pub(super) mod compiled {
                use autodiff::{Tensor, Tensor as Array, grad};
                use crate::attributes::*;
                use crate::operations::{Directions, Found, Outcome};
                operations!(@compiled $operands $at [$($number)?] [$body]);
            }
            pub(super) mod on_tape {
                use autodiff::tape::{TensorVar, TensorVar as Array, Var};
                use autodiff::Tensor;
                use crate::attributes::*;
                use crate::operations::{Directions, Found};
                use crate::operations::taped::Rule;
                struct Function;
                impl<'t> Rule<'t> for Function {
                    type Result = operations!(@recorded $($number)?);
                    operations!(@taped $operands $at [$taped]);
                }
                pub(in crate::operations) fn run(x: &[Tensor<f64>], at: &Attributes, along: &Directions) -> Found {
                    crate::operations::taped::run(x, at, along, Function)
                }
            }
        }
    };
    // A macro sees the types that are written, so they are.
    (@compiled $operands:tt $at:ident [] [$body:expr]) => {
        operations!(@derived $operands $at [Tensor<f64>] [$body]);
    };
    (@compiled $operands:tt $at:ident [f64] [$body:expr]) => {
        operations!(@derived $operands $at [f64] [$body]);
    };
    (@derived [$x:ident] $at:ident [$($outcome:tt)*] [$body:expr]) => {
        #[grad]
        fn value($x: &[Tensor<f64>], #[constant] $at: &Attributes) -> $($outcome)* {
            $body
        }
        #[grad(order = 2)]
        fn weighed($x: &[Tensor<f64>], #[constant] weights: &Tensor<f64>, #[constant] $at: &Attributes) -> f64 {
            let y = $body;
            (y * weights).sum()
        }
        pub(in crate::operations) fn run($x: &[Tensor<f64>], $at: &Attributes, along: &Directions) -> Found {
            let seed = Outcome::of(&along.cotangent);
            let (output, grads) = value::vjp($x, $at, seed);
            let (_, jvp) = value::jvp($x, $at, &along.tangents);
            let (_, hvp) = weighed::hvp($x, &along.cotangent, $at, &along.tangents);
            Found { output: output.tensor(), grads, jvp: jvp.tensor(), hvp: Some(hvp) }
        }
    };
    (@derived ($x:ident) $at:ident [$($outcome:tt)*] [$body:expr]) => {
        #[grad]
        fn value($x: &Tensor<f64>, #[constant] $at: &Attributes) -> $($outcome)* {
            $body
        }
        #[grad(order = 2)]
        fn weighed($x: &Tensor<f64>, #[constant] weights: &Tensor<f64>, #[constant] $at: &Attributes) -> f64 {
            let y = $body;
            (y * weights).sum()
        }
        pub(in crate::operations) fn run(x: &[Tensor<f64>], $at: &Attributes, along: &Directions) -> Found {
            let seed = Outcome::of(&along.cotangent);
            let (output, grad) = value::vjp(&x[0], $at, seed);
            let (_, jvp) = value::jvp(&x[0], $at, &along.tangents[0]);
            let (_, hvp) = weighed::hvp(&x[0], &along.cotangent, $at, &along.tangents[0]);
            Found { output: output.tensor(), grads: vec![grad], jvp: jvp.tensor(), hvp: Some(vec![hvp]) }
        }
    };
    (@derived ($($x:ident)*) $at:ident [$($outcome:tt)*] [$body:expr]) => {
        #[grad]
        fn value($($x: &Tensor<f64>,)* #[constant] $at: &Attributes) -> $($outcome)* {
            $body
        }
        #[grad(order = 2)]
        fn weighed($($x: &Tensor<f64>,)* #[constant] weights: &Tensor<f64>, #[constant] $at: &Attributes) -> f64 {
            let y = $body;
            (y * weights).sum()
        }
        pub(in crate::operations) fn run(x: &[Tensor<f64>], $at: &Attributes, along: &Directions) -> Found {
            let seed = Outcome::of(&along.cotangent);
            let [$($x),*] = x else { unreachable!("the number of operands is checked") };
            let (output, grads) = value::vjp($($x,)* $at, seed);
            let tangents = || {
                let [$($x),*] = &along.tangents[..] else { unreachable!("there is one for each operand") };
                ($($x,)*)
            };
            let (_, jvp) = value::jvp($($x,)* $at, tangents());
            let (_, hvp) = weighed::hvp($($x,)* &along.cotangent, $at, tangents());
            let list = |($($x,)*)| vec![$($x),*];
            Found { output: output.tensor(), grads: list(grads), jvp: jvp.tensor(), hvp: Some(list(hvp)) }
        }
    };
    (@taped [$x:ident] $at:ident [$body:expr]) => {
        fn apply(&self, $x: &[TensorVar<'t>], $at: &Attributes) -> Self::Result {
            $body
        }
    };
    (@taped ($($x:ident)*) $at:ident [$body:expr]) => {
        fn apply(&self, x: &[TensorVar<'t>], $at: &Attributes) -> Self::Result {
            let [$($x),*] = *x else { unreachable!("the number of operands is checked") };
            $body
        }
    };
}

operations! {
    add = "add"(a b)[] at => a + b;
    sub = "sub"(a b)[] at => a - b;
    mul = "mul"(a b)[] at => a * b;
    div = "div"(a b)[] at => a / b;
    maximum = "maximum"(a b)[] at => a.maximum(b);
    minimum = "minimum"(a b)[] at => a.minimum(b);
    neg = "neg"(x)[] at => -x;
    exp = "exp"(x)[] at => x.exp();
    log = "log"(x)[] at => x.ln();
    log1p = "log1p"(x)[] at => x.ln_1p();
    expm1 = "expm1"(x)[] at => x.exp_m1();
    sqrt = "sqrt"(x)[] at => x.sqrt();
    rsqrt = "rsqrt"(x)[] at => x.rsqrt();
    reciprocal = "reciprocal"(x)[] at => x.recip();
    square = "square"(x)[] at => x.square();
    sin = "sin"(x)[] at => x.sin();
    cos = "cos"(x)[] at => x.cos();
    tanh = "tanh"(x)[] at => x.tanh();
    sigmoid = "sigmoid"(x)[] at => x.sigmoid();
    relu = "relu"(x)[] at => x.relu();
    abs = "abs"(x)[] at => x.abs();
    gelu_tanh = "gelu_tanh"(x)[] at => x.gelu_tanh();
    gelu_erf = "gelu_erf"(x)[] at => x.gelu();
    erf = "erf"(x)[] at => x.erf();
    silu = "silu"(x)[] at => x.silu();
    softplus = "softplus"(x)[] at => x.softplus();
    pow_scalar = "pow_scalar"(x)["exponent" "integer_exponent"] at => if at.is_integer { x.powi(at.exponent as i32) } else { x.powf(at.exponent) };
    pow = "pow"(base exponent)[] at => base.powf(exponent);
    clamp = "clamp"(x)["lo" "hi"] at => x.clamp(at.lo, at.hi);
    matmul = "matmul"(a b)[] at => a.matmul(b);
    matmul_batched = "matmul_batched"(a b)[] at => a.matmul(b);
    matmul_vec = "matmul_vec"(a b)[] at => a.matmul(b);
    transpose = "transpose"(x)["dim0" "dim1"] at => x.transpose(at.dim0, at.dim1);
    permute = "permute"(x)["axes"] at => x.permute(&at.order);
    reshape = "reshape"(x)["shape"] at => x.reshape(&at.shape);
    broadcast_to = "broadcast_to"(x)["shape"] at => x.broadcast_to(&at.shape);
    slice = "slice"(x)["dim" "start" "stop" "step"] at => x.slice(at.dim, at.start, at.stop, at.step);
    flip = "flip"(x)["dims"] at => x.flip(at.axes.clone());
    pad_constant = "pad_constant"(x)["pad_torch_order" "value"] at => x.pad(&at.widths, at.value);
    concat = "concat"[x]["dim"] at => Array::concat(x, at.dim);
    stack = "stack"[x]["dim"] at => Array::stack(x, at.dim);
    embedding = "embedding"(weight)[] at => weight.embedding(&at.index);
    gather = "gather"(x)["dim"] at => x.gather(at.dim, &at.index);
    scatter_add = "scatter_add"(x src)["dim"] at => x.scatter_add(at.dim, &at.index, src);
    sum = "sum"(x)["axes" "keepdims"] at => if at.keep { x.sum_axis_keep(at.axes.clone()) } else { x.sum_axis(at.axes.clone()) };
    mean = "mean"(x)["axes" "keepdims"] at => if at.keep { x.mean_axis_keep(at.axes.clone()) } else { x.mean_axis(at.axes.clone()) };
    max = "max"(x)["axes" "keepdims"] at => if at.keep { x.max_axis_keep(at.axes.clone()) } else { x.max_axis(at.axes.clone()) };
    min = "min"(x)["axes" "keepdims"] at => if at.keep { x.min_axis_keep(at.axes.clone()) } else { x.min_axis(at.axes.clone()) };
    prod = "prod"(x)["axes" "keepdims"] at => if at.keep { x.prod_axis_keep(at.axes.clone()) } else { x.prod_axis(at.axes.clone()) };
    logsumexp = "logsumexp"(x)["axes" "keepdims"] at => if at.keep { x.logsumexp_axis_keep(at.axes.clone()) } else { x.logsumexp_axis(at.axes.clone()) };
    var = "var"(x)["axes" "keepdims" "correction"] at => if at.keep { x.var_axis_keep(at.axes.clone(), at.correction) } else { x.var_axis(at.axes.clone(), at.correction) };
    norm = "norm"(x)["axes" "keepdims" "ord"] at => match (at.ord == 2.0, at.keep) {
        (true, false) => x.norm_axis(at.axes.clone()),
        (true, true) => x.norm_axis_keep(at.axes.clone()),
        (false, false) => x.norm_p_axis(at.axes.clone(), at.ord),
        (false, true) => x.norm_p_axis_keep(at.axes.clone(), at.ord),
    };
    softmax = "softmax"(x)["dim"] at => x.softmax(at.dim);
    log_softmax = "log_softmax"(x)["dim"] at => x.log_softmax(at.dim);
    cumsum = "cumsum"(x)["dim"] at => x.cumsum(at.dim);
    layernorm = "layernorm"(x weight bias)["axis" "eps"] at => x.transpose(at.dim, -1).layernorm(weight, bias, at.eps).transpose(at.dim, -1);
    rmsnorm = "rmsnorm"(x weight)["axis" "eps"] at => x.transpose(at.dim, -1).rmsnorm(weight, at.eps).transpose(at.dim, -1);
    batchnorm_train = "batchnorm_train"(x weight bias)["channel_axis" "reduce_axes" "eps" "variance"] at => x.transpose(at.dim, 1).batchnorm_train(weight, bias, at.eps).transpose(at.dim, 1);
    cross_entropy = "cross_entropy"(logits)["reduction"] at -> f64 => logits.permute(&at.order).cross_entropy(&at.index) * at.scale;
    mse = "mse"(pred target)["reduction"] at -> f64 => pred.mse(target) * at.scale;
    bce_with_logits = "bce_with_logits"(logits target)["reduction"] at -> f64 => logits.bce_with_logits(target) * at.scale;
    conv1d = "conv1d"(x weight bias)["stride" "padding" "dilation" "groups"] at => x.conv1d(weight, at.conv1d) + bias.unsqueeze(-1);
    conv1d_alone = "conv1d"(x weight)["stride" "padding" "dilation" "groups"] at => x.conv1d(weight, at.conv1d);
    conv2d = "conv2d"(x weight bias)["stride" "padding" "dilation" "groups"] at => x.conv2d(weight, at.conv2d) + bias.unsqueeze(-1).unsqueeze(-1);
    conv2d_alone = "conv2d"(x weight)["stride" "padding" "dilation" "groups"] at => x.conv2d(weight, at.conv2d);
    max_pool2d = "max_pool2d"(x)["kernel" "stride" "padding"] at => x.max_pool2d(at.pool);
    avg_pool2d = "avg_pool2d"(x)["kernel" "stride" "padding" "count_include_pad"] at => x.avg_pool2d(at.pool);
    dropout_mask = "dropout_mask"(x)["p" "rule"] at => x.dropout_mask(&at.mask, at.p);
    where_cond = "where"(a b)[] at => at.mask.where_cond(a, b), taped at.mask.where_cond_on_tape(a, b);
    einsum = "einsum"[x]["equation"] at => Array::einsum(&at.equation, x);
    tril = "tril"(x)["diagonal"] at => x.tril(at.diagonal);
    triu = "triu"(x)["diagonal"] at => x.triu(at.diagonal);
    causal_attention = "causal_attention"(q k v)["scale" "mask"] at => (q * at.scale).causal_attention(k, v);
    cholesky = "cholesky"(a)[] at => a.cholesky();
    solve = "solve"(a b)[] at => a.solve(b);
    inv = "inv"(a)[] at => a.inv();
    det = "det"(a)[] at => a.det();
    logdet = "logdet"(a)[] at => a.logdet();
    trace = "trace"(a)[] at -> f64 => a.trace();
    triangular_solve = "triangular_solve"(l b)[] at => l.triangular_solve(b);
}
