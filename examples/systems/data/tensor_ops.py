"""Writes tensor_ops.json: odd cases for tensor_conformance, by JAX in double precision.

    pip install jax; python tensor_ops.py > tensor_ops.json
"""

import json
import math

import jax
import jax.numpy as np
import numpy
from jax.nn import relu, sigmoid, softplus
from jax.scipy.special import erf, logsumexp

jax.config.update("jax_enable_x64", True)
random = numpy.random.default_rng(7)
cases = []


def number(x):
    x = float(x)
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def flat(x):
    return [number(entry) for entry in numpy.asarray(x).reshape(-1)]


def some(*shape, low=-1.5, high=1.5):
    return random.uniform(low, high, shape)


def case(op, f, operands, attrs=None, constants=()):
    """Of `f` at operands by name; constants (name, dtype, values) come behind the first operand."""
    x = [np.asarray(value, dtype=np.float64) for value in operands.values()]
    dx = [some(*value.shape) for value in x]
    y, dy = jax.jvp(f, tuple(x), tuple(dx))
    bar = some(*y.shape)
    pull = lambda *x: jax.vjp(f, *x)[1](np.asarray(bar))
    grads, hvp = jax.jvp(pull, tuple(x), tuple(dx))
    inputs = [
        {"name": name, "shape": list(value.shape), "dtype": "f64", "diff": True, "data": flat(value)}
        for name, value in zip(operands, x)
    ]
    lists = {
        "grads": [flat(g) for g in grads],
        "tangents": [flat(d) for d in dx],
        "hvp": [flat(h) for h in hvp],
    }
    for name, dtype, value in constants:
        value = numpy.asarray(value)
        data = [int(entry) for entry in value.reshape(-1)]
        inputs.insert(1, {"name": name, "shape": list(value.shape), "dtype": dtype, "diff": False, "data": data})
        for each in lists.values():
            each.insert(1, None)
    cases.append({
        "op": op,
        "id": f"{op}/{sum(c['op'] == op for c in cases)}",
        "attrs": attrs or {},
        "inputs": inputs,
        "output": {"shape": list(y.shape), "data": flat(y)},
        "cotangent": flat(bar),
        "jvp": flat(dy),
        **lists,
    })


# Rank 0, both sides stretched, axes of no and of one entry.
for op, f in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)]:
    case(op, f, {"a": some(), "b": some()})
    case(op, f, {"a": some(3, 1), "b": some(1, 2)})
    case(op, f, {"a": some(0, 3), "b": some(1)})
case("maximum", np.maximum, {"a": some(2, 1), "b": some(3)})
case("minimum", np.minimum, {"a": some(), "b": some(2, 2)})
case("pow", np.power, {"base": some(2, 1, low=0.5), "exponent": some(3)})
for op, f in [
    ("neg", np.negative), ("exp", np.exp), ("expm1", np.expm1), ("square", np.square), ("sin", np.sin),
    ("cos", np.cos), ("tanh", np.tanh), ("sigmoid", sigmoid), ("relu", relu), ("abs", np.abs), ("erf", erf),
    ("silu", lambda x: x * sigmoid(x)), ("softplus", softplus),
    ("gelu_erf", lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
    ("gelu_tanh", lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2),
]:
    case(op, f, {"x": some()})
    case(op, f, {"x": some(2, 0)})
for op, f in [
    ("log", np.log), ("log1p", np.log1p), ("sqrt", np.sqrt), ("rsqrt", lambda x: 1 / np.sqrt(x)),
    ("reciprocal", lambda x: 1 / x),
]:
    case(op, f, {"x": some(low=0.5)})
case("exp", np.exp, {"x": [-800.0, -math.inf, 3.0]})
case("tanh", np.tanh, {"x": [25.0, -40.0]})
case("pow_scalar", lambda x: x**3, {"x": some(2, 1)}, {"exponent": 3, "integer_exponent": True})
case("pow_scalar", lambda x: x**-2, {"x": some(2, 1)}, {"exponent": -2, "integer_exponent": True})
case("pow_scalar", lambda x: x**2.5, {"x": some(3, low=0.5)}, {"exponent": 2.5})
case("clamp", lambda x: np.clip(x, -0.5, np.inf), {"x": some(3, 3)}, {"lo": -0.5, "hi": "inf"})

# Products, with lengths of no and of one entry.
case("matmul", np.matmul, {"a": some(2, 0), "b": some(0, 3)})
case("matmul", np.matmul, {"a": some(1, 1), "b": some(1, 3)})
case("matmul_batched", np.matmul, {"a": some(2, 1, 2, 3), "b": some(3, 3, 1)})
case("matmul_vec", np.matmul, {"a": some(2, 2, 3), "b": some(3)})
case("einsum", lambda a, b: np.einsum("...ij,...jk->...ik", a, b), {"x0": some(2, 1, 2, 2), "x1": some(3, 2, 1)}, {"equation": "...ij,...jk->...ik"})
case("einsum", lambda a: np.einsum("iij->ji", a), {"x0": some(2, 2, 3)}, {"equation": "iij->ji"})
case("einsum", lambda a, b, c: np.einsum("i,ij,j->", a, b, c), {"x0": some(2), "x1": some(2, 3), "x2": some(3)}, {"equation": "i,ij,j->"})

# Moves, with negative axes.
case("transpose", lambda x: np.swapaxes(x, -1, 0), {"x": some(2, 1, 3)}, {"dim0": -1, "dim1": 0})
case("permute", lambda x: np.transpose(x, (-1, 0, 1)), {"x": some(2, 0, 3)}, {"axes": [-1, 0, 1]})
case("reshape", lambda x: np.reshape(x, (-1, 2)), {"x": some(2, 3)}, {"shape": [-1, 2]})
case("reshape", lambda x: np.reshape(x, ()), {"x": some(1, 1)}, {"shape": []})
case("broadcast_to", lambda x: np.broadcast_to(x, (2, 3)), {"x": some()}, {"shape": [2, 3]})
case("broadcast_to", lambda x: np.broadcast_to(x, (0, 3)), {"x": some(1, 3)}, {"shape": [0, 3]})
case("slice", lambda x: x[:, -3:-1], {"x": some(2, 4)}, {"dim": -1, "start": -3, "stop": -1, "step": 1})
case("slice", lambda x: x[3:3], {"x": some(4)}, {"dim": 0, "start": 3, "stop": 3, "step": 1})
case("flip", lambda x: np.flip(x, (0, -1)), {"x": some(2, 1, 3)}, {"dims": [0, -1]})
case("pad_constant", lambda x: np.pad(x, ((0, 0), (2, 1)), constant_values=-2.0), {"x": some(2, 1)}, {"pad_torch_order": [2, 1], "value": -2.0})
case("concat", lambda a, b: np.concatenate([a, b], -1), {"x0": some(2, 0), "x1": some(2, 2)}, {"dim": -1})
case("concat", lambda a: np.concatenate([a]), {"x0": some(2)}, {"dim": 0})
case("stack", lambda a, b, c: np.stack([a, b, c], -1), {"x0": some(2), "x1": some(2), "x2": some(2)}, {"dim": -1})
case("stack", lambda a, b: np.stack([a, b]), {"x0": some(), "x1": some()}, {"dim": 0})
case("tril", lambda x: np.tril(x, -5), {"x": some(2, 3)}, {"diagonal": -5})
case("triu", lambda x: np.triu(x, 1), {"x": some(2, 2, 3)}, {"diagonal": 1})
case("cumsum", lambda x: np.cumsum(x, -2), {"x": some(3, 2)}, {"dim": -2})

# Selections.
index = numpy.array([[2, 2], [0, 2]])
case("embedding", lambda w: w[index], {"weight": some(3, 2)}, constants=[("indices", "i64", index)])
case("gather", lambda x: np.take_along_axis(x, index, -1), {"x": some(2, 3)}, {"dim": -1}, [("index", "i64", index)])
case("scatter_add", lambda x, s: x.at[np.array([[0], [1]]), index].add(s), {"x": some(2, 3), "src": some(2, 2)}, {"dim": -1}, [("index", "i64", index)])
mask = numpy.array([[True], [False]])
case("dropout_mask", lambda x: x * mask / (1 - 0.75), {"x": some(2, 1)}, {"p": 0.75, "rule": "x*mask/(1-p)"}, [("keep_mask", "bool", mask)])

# Reductions, with infinities where they have derivatives.
keep = {"axes": [-1], "keepdims": True}
for op, f in [("sum", np.sum), ("mean", np.mean), ("max", np.max), ("min", np.min), ("prod", np.prod), ("logsumexp", logsumexp)]:
    case(op, lambda x: f(x, axis=-1, keepdims=True), {"x": some(2, 3)}, keep)
    case(op, lambda x: f(x, axis=(0, 2)), {"x": some(2, 1, 2)}, {"axes": [0, -1], "keepdims": False})
    case(op, f, {"x": some(2, 2)}, {"axes": "all", "keepdims": False})
case("sum", lambda x: np.sum(x, axis=0), {"x": some(0, 2)}, {"axes": [0], "keepdims": False})
case("prod", lambda x: np.prod(x, axis=0), {"x": [[0.0, 2.0], [3.0, 1.5], [-1.0, 0.5]]}, {"axes": [0], "keepdims": False})
case("var", lambda x: np.var(x, axis=1, ddof=1), {"x": some(2, 3)}, {"axes": [1], "keepdims": False, "correction": 1})
case("norm", lambda x: np.sqrt(np.sum(x * x, axis=-1)), {"x": some(2, 3)}, {"axes": [-1], "keepdims": False, "ord": 2})
case("norm", lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3), {"x": some(4)}, {"axes": "all", "keepdims": False, "ord": 3})
case("logsumexp", lambda x: logsumexp(x, axis=0), {"x": [1000.0, 999.0, -1000.0]}, {"axes": [0], "keepdims": False})
large = [[1000.0, 998.5, -1000.0], [-2000.0, -2001.0, -2000.5]]
case("softmax", lambda x: jax.nn.softmax(x, -1), {"x": large}, {"dim": -1})
case("softmax", lambda x: jax.nn.softmax(x, 0), {"x": some(1, 3)}, {"dim": 0})
case("log_softmax", lambda x: jax.nn.log_softmax(x, -1), {"x": large}, {"dim": -1})

# Layers and losses.
def normed(x, axes):
    away = x - np.mean(x, axes, keepdims=True)
    return away / np.sqrt(np.mean(away**2, axes, keepdims=True) + 1e-5)

case("layernorm", lambda x, w, b: normed(x, -1) * w + b, {"x": some(3), "weight": some(3), "bias": some(3)}, {"axis": -1, "eps": 1e-5})
case("rmsnorm", lambda x, w: x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5) * w, {"x": some(2, 1), "weight": some(1)}, {"axis": -1, "eps": 1e-5})
case("batchnorm_train", lambda x, w, b: normed(x, (0, 2)) * w[:, None] + b[:, None], {"x": some(2, 2, 3), "weight": some(2), "bias": some(2)}, {"channel_axis": 1, "reduce_axes": [0, 2], "eps": 1e-5, "variance": "biased"})
targets = numpy.array([2, 0])
logits = [[-800.0, 1.0, 700.0], [700.5, 700.0, 699.0]]
case("cross_entropy", lambda x: -np.mean(jax.nn.log_softmax(x, -1)[np.arange(2), targets]), {"logits": logits}, {"reduction": "mean"}, [("targets", "i64", targets)])
case("cross_entropy", lambda x: -np.sum(jax.nn.log_softmax(x, -1)[np.arange(2), targets]), {"logits": some(2, 3)}, {"reduction": "sum"}, [("targets", "i64", targets)])
case("mse", lambda a, b: np.mean((a - b) ** 2), {"pred": some(), "target": some()}, {"reduction": "mean"})
case("mse", lambda a, b: np.sum((a - b) ** 2), {"pred": some(2, 2), "target": some(2, 2)}, {"reduction": "sum"})
case("bce_with_logits", lambda x, t: np.mean(softplus(x) - x * t), {"logits": [700.0, -700.0, 0.5], "target": some(3, low=0.1, high=0.9)}, {"reduction": "mean"})

def attention(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    seen = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    return jax.nn.softmax(np.where(seen, scores, -np.inf), -1) @ v

case("causal_attention", attention, {name: some(1, 2, 3, 2) for name in "qkv"}, {"scale": "1/sqrt(d)", "mask": "key<=query"})
case("causal_attention", attention, {name: some(1, 1) for name in "qkv"}, {"scale": "1/sqrt(d)", "mask": "key<=query"})

def convolution(axes):
    def of(strides, padding, dilation, groups):
        y = lambda x, w: jax.lax.conv_general_dilated(x, w, strides, [(p, p) for p in padding], rhs_dilation=dilation, feature_group_count=groups)
        return lambda x, w, b: y(x, w) + b.reshape((-1,) + (1,) * axes)
    return of

case("conv1d", convolution(1)([2], [1], [1], 2), {"x": some(1, 2, 5), "weight": some(2, 1, 2), "bias": some(2)}, {"stride": 2, "padding": 1, "dilation": 1, "groups": 2})
case("conv2d", convolution(2)([1, 2], [1, 0], [2, 1], 1), {"x": some(2, 1, 3, 4), "weight": some(2, 1, 2, 2), "bias": some(2)}, {"stride": [1, 2], "padding": [1, 0], "dilation": [2, 1], "groups": 1})

# Matrices.
spread = lambda n: some(n, n) + 3 * numpy.eye(n)
lower = lambda x: np.linalg.cholesky((x + np.swapaxes(x, -1, -2)) / 2, symmetrize_input=False)
case("cholesky", lower, {"a": spread(3)})
case("solve", np.linalg.solve, {"a": spread(3), "b": some(3, 1)})
case("inv", np.linalg.inv, {"a": spread(1)})
case("inv", np.linalg.inv, {"a": spread(3)})
case("det", np.linalg.det, {"a": spread(1)})
case("det", np.linalg.det, {"a": spread(3)})
case("logdet", lambda a: np.linalg.slogdet(a)[1], {"a": -spread(3)})
case("trace", np.trace, {"a": some(2, 3)})
case("triangular_solve", lambda l, b: np.linalg.solve(np.tril(l), b), {"l": spread(2), "b": some(2, 1)})

# Both branches are selected from, and what is not selected has no part, whatever it is.
case("where", lambda a, b: np.where(mask, a, b), {"a": some(2, 1), "b": some(3)}, constants=[])
cases[-1]["inputs"].insert(0, {"name": "cond", "shape": [2, 1], "dtype": "bool", "diff": False, "data": [1, 0]})
for name in ("grads", "tangents", "hvp"):
    cases[-1][name].insert(0, None)

print('{"schema": "tensor_ops/1", "cases": [')
print(",\n".join(json.dumps(case) for case in cases))
print("]}")
