"""Writes the small files of figures beside it, with a scalar reverse mode of its own and Python's floats.

    python3 figures.py
"""

import json
import math
import pathlib
import random
import struct


class Value:
    """A number that remembers what it was made of: pairs of an operand and the derivative by it."""

    def __init__(self, data, parts=()):
        self.data, self.parts, self.grad = data, parts, 0.0

    def __add__(self, other):
        other = value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __pow__(self, power):
        return Value(self.data**power, ((self, power * self.data ** (power - 1)),))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -value(other)

    def __truediv__(self, other):
        return self * value(other) ** -1

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return value(other) - self

    def exp(self):
        y = math.exp(self.data)
        return Value(y, ((self, y),))

    def log(self):
        return Value(math.log(self.data), ((self, 1.0 / self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), ((self, float(self.data > 0.0)),))

    def sigmoid(self):
        y = 1.0 / (1.0 + math.exp(-self.data))
        return Value(y, ((self, y * (1.0 - y)),))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, ((self, 1.0 - y * y),))

    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((part, False) for part, _ in node.parts)
        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(order):
            for part, slope in node.parts:
                part.grad += slope * node.grad


def value(x):
    return x if isinstance(x, Value) else Value(float(x))


def numbers(count, scale):
    """Random numbers of three digits, which make short files."""
    return [round(random.gauss(0.0, scale), 3) for _ in range(count)]


def linear(w, x):
    rows = (w[k : k + len(x)] for k in range(0, len(w), len(x)))
    return [sum((a * b for a, b in zip(row, x)), Value(0.0)) for row in rows]


def softmax(x):
    top = max(v.data for v in x)
    exps = [(v - top).exp() for v in x]
    total = sum(exps, Value(0.0))
    return [e / total for e in exps]


def rmsnorm(x, epsilon):
    scale = (sum((v * v for v in x), Value(0.0)) / len(x) + epsilon) ** -0.5
    return [v * scale for v in x]


def gpt_losses(p, config, tokens):
    e, heads, epsilon = config["n_embd"], config["n_head"], config["rms_eps"]
    width = e // heads
    layers = range(config["n_layer"])
    keys, values, losses = [[] for _ in layers], [[] for _ in layers], []
    for position in range(min(config["block_size"], len(tokens) - 1)):
        token = tokens[position]
        embedded = zip(p["wte"][token * e : token * e + e], p["wpe"][position * e : position * e + e])
        x = rmsnorm([a + b for a, b in embedded], epsilon)
        for i in layers:
            matrix = lambda name: p[f"layer{i}.{name}"]
            y = rmsnorm(x, epsilon)
            q = linear(matrix("attn_wq"), y)
            keys[i].append(linear(matrix("attn_wk"), y))
            values[i].append(linear(matrix("attn_wv"), y))
            found = []
            for part in (slice(h * width, h * width + width) for h in range(heads)):
                dots = (sum((a * b for a, b in zip(q[part], k[part])), Value(0.0)) for k in keys[i])
                weights = softmax([dot / width**0.5 for dot in dots])
                for j in range(part.start, part.stop):
                    found.append(sum((w * v[j] for w, v in zip(weights, values[i])), Value(0.0)))
            x = [a + b for a, b in zip(linear(matrix("attn_wo"), found), x)]
            hidden = [h.relu() for h in linear(matrix("mlp_fc1"), rmsnorm(x, epsilon))]
            x = [a + b for a, b in zip(linear(matrix("mlp_fc2"), hidden), x)]
        losses.append(-softmax(linear(p["lm_head"], x))[tokens[position + 1]].log())
    return losses


def microgpt():
    """Two layers, names longer than the block, and more steps than names."""
    config = {"n_embd": 4, "n_head": 2, "n_layer": 2, "block_size": 4, "vocab_size": 6, "rms_eps": 1e-5}
    adam = {"lr": 0.02, "beta1": 0.8, "beta2": 0.95, "eps": 1e-8, "num_steps_for_decay": 10}
    letters, bos, docs, steps = "abcde", 5, ["abba", "ed", "decade"], 5
    e = config["n_embd"]
    shapes = {"wte": [bos + 1, e], "wpe": [config["block_size"], e], "lm_head": [bos + 1, e]}
    for i in range(config["n_layer"]):
        shapes |= {f"layer{i}.attn_w{name}": [e, e] for name in "qkvo"}
        shapes |= {f"layer{i}.mlp_fc1": [4 * e, e], f"layer{i}.mlp_fc2": [e, 4 * e]}
    initial = {name: numbers(rows * columns, 0.3) for name, (rows, columns) in shapes.items()}
    p = {name: [Value(x) for x in matrix] for name, matrix in initial.items()}
    everything = [x for matrix in p.values() for x in matrix]
    mean, square = [0.0] * len(everything), [0.0] * len(everything)
    current = lambda: {name: [x.data for x in matrix] for name, matrix in p.items()}
    losses, positions = [], []
    for step in range(steps):
        tokens = [bos, *(letters.index(c) for c in docs[step % len(docs)]), bos]
        each = gpt_losses(p, config, tokens)
        loss = sum(each, Value(0.0)) / len(each)
        for x in everything:
            x.grad = 0.0
        loss.backward()
        losses.append(loss.data)
        positions.append([x.data for x in each])
        if step == 0:
            gradient = {name: [x.grad for x in matrix] for name, matrix in p.items()}
        rate = adam["lr"] * (1.0 - step / adam["num_steps_for_decay"])
        for k, x in enumerate(everything):
            mean[k] = adam["beta1"] * mean[k] + (1.0 - adam["beta1"]) * x.grad
            square[k] = adam["beta2"] * square[k] + (1.0 - adam["beta2"]) * x.grad**2
            m = mean[k] / (1.0 - adam["beta1"] ** (step + 1))
            v = square[k] / (1.0 - adam["beta2"] ** (step + 1))
            x.data -= rate * m / (v**0.5 + adam["eps"])
        if step == 1:
            early = current()
    return {
        "config": config,
        "adam": adam,
        "uchars": letters,
        "bos": bos,
        "docs": docs,
        "shapes": shapes,
        "params_init": initial,
        "losses": losses,
        "losses_per_position": positions,
        "grad_step0": gradient,
        "params_after_2": early,
        f"params_after_{steps}": current(),
    }


def micrograd():
    """Three inputs, and two hidden layers of different widths."""
    sizes, alpha, steps, count = [3, 4, 2, 1], 0.01, 6, 8
    points = [numbers(sizes[0], 1.0) for _ in range(count)]
    labels = [1 if sum(point) > 0.0 else -1 for point in points]
    initial = numbers(sum(outputs * (inputs + 1) for inputs, outputs in zip(sizes, sizes[1:])), 0.7)
    parameters = [Value(x) for x in initial]

    def score(x):
        rest = iter(parameters)
        for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            y = []
            for _ in range(outputs):
                weights = [next(rest) for _ in range(inputs)]
                total = sum((w * v for w, v in zip(weights, x)), next(rest))
                y.append(total if k + 2 == len(sizes) else total.relu())
            x = y
        return x[0]

    found = {"losses": [], "data_losses": [], "accuracy": []}
    for step in range(steps):
        scores = [score(point) for point in points]
        hinges = [(1.0 - y * s).relu() for s, y in zip(scores, labels)]
        data = sum(hinges, Value(0.0)) / count
        loss = data + alpha * sum((p * p for p in parameters), Value(0.0))
        loss.backward()
        found["losses"].append(loss.data)
        found["data_losses"].append(data.data)
        right = sum((s.data > 0.0) == (y > 0) for s, y in zip(scores, labels))
        found["accuracy"].append(right / count)
        if step == 0:
            first = [s.data for s in scores]
            gradient = [p.grad for p in parameters]
        for p in parameters:
            p.data -= (1.0 - 0.9 * step / 100) * p.grad
    return {
        "layer_sizes": sizes,
        "alpha": alpha,
        "X": points,
        "y": labels,
        "params_init": initial,
        "scores_step0": first,
        "grad_step0": gradient,
        **found,
        f"params_after_{steps}": [p.data for p in parameters],
    }


def affine(w, b, x):
    return [y + bias for y, bias in zip(linear(w, x), b)]


def moons():
    """Three inputs, three classes, and hidden layers of different widths."""
    sizes, rate, steps, count = [3, 4, 2, 3], 0.5, 6, 8
    points = [numbers(sizes[0], 1.0) for _ in range(count)]
    targets = [k % sizes[-1] for k in range(count)]
    shapes = {}
    for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        shapes |= {f"W{k}": [inputs, outputs], f"b{k}": [outputs]}
    initial = {name: numbers(math.prod(shape), 0.7) for name, shape in shapes.items()}
    p = {name: [Value(x) for x in array] for name, array in initial.items()}
    current = lambda: {name: [x.data for x in array] for name, array in p.items()}
    losses = []
    for step in range(steps):
        entropies = []
        for x, target in zip(points, targets):
            for k, outputs in enumerate(sizes[1:]):
                # Weights are (in, out).
                w, b = p[f"W{k}"], p[f"b{k}"]
                x = affine([w[i * outputs + o] for o in range(outputs) for i in range(len(x))], b, x)
                if k + 2 < len(sizes):
                    x = [v.tanh() for v in x]
            entropies.append(-softmax(x)[target].log())
        loss = sum(entropies, Value(0.0)) / count
        loss.backward()
        losses.append(loss.data)
        if step == 0:
            gradient = {name: [x.grad for x in array] for name, array in p.items()}
        for array in p.values():
            for x in array:
                x.data -= rate * x.grad
    return {
        "sizes": sizes,
        "activation": "tanh",
        "lr": rate,
        "X": points,
        "targets": targets,
        "shapes": shapes,
        "params_init": initial,
        "losses": losses,
        "grad_step0": gradient,
        f"params_after_{steps}": current(),
    }


def layernorm(x, w, b, epsilon):
    mean = sum(x, Value(0.0)) / len(x)
    centred = [v - mean for v in x]
    scale = (sum((v * v for v in centred), Value(0.0)) / len(x) + epsilon) ** -0.5
    return [v * scale * gain + bias for v, gain, bias in zip(centred, w, b)]


def gelu(x):
    return 0.5 * x * (1.0 + ((2.0 / math.pi) ** 0.5 * (x + 0.044715 * x * x * x)).tanh())


def gpt2_logits(p, config, tokens):
    """The scores of the whole vocabulary after each token."""
    c, heads, epsilon = config["channels"], config["num_heads"], config["layernorm_eps"]
    row = lambda matrix, k: matrix[k * c : k * c + c]
    x = [[a + b for a, b in zip(row(p["wte"], token), row(p["wpe"], k))] for k, token in enumerate(tokens)]
    for layer in range(config["num_layers"]):
        def part(name):
            size = len(p[name]) // config["num_layers"]
            return p[name][layer * size : layer * size + size]

        triples = [affine(part("qkvw"), part("qkvb"), layernorm(v, part("ln1w"), part("ln1b"), epsilon)) for v in x]
        width, found = c // heads, [[] for _ in x]
        for h in range(heads):
            q, k, v = ([row(triple, j)[h * width : h * width + width] for triple in triples] for j in range(3))
            for i in range(len(x)):
                dots = (sum((a * b for a, b in zip(q[i], key)), Value(0.0)) for key in k[: i + 1])
                weights = softmax([dot / width**0.5 for dot in dots])
                for j in range(width):
                    found[i].append(sum((w * value[j] for w, value in zip(weights, v)), Value(0.0)))
        x = [[a + b for a, b in zip(r, affine(part("attprojw"), part("attprojb"), y))] for r, y in zip(x, found)]
        hidden = [affine(part("fcw"), part("fcb"), layernorm(v, part("ln2w"), part("ln2b"), epsilon)) for v in x]
        hidden = [[gelu(v) for v in row] for row in hidden]
        x = [[a + b for a, b in zip(r, affine(part("fcprojw"), part("fcprojb"), y))] for r, y in zip(x, hidden)]
    words = p["wte"][: config["vocab_size"] * c]
    return [linear(words, layernorm(v, p["lnfw"], p["lnfb"], epsilon)) for v in x]


def gpt2():
    """Fewer tokens than rows, fewer in a text than positions, and weights that decay; numbers in files beside it."""
    config = {
        "max_seq_len": 4, "vocab_size": 5, "padded_vocab_size": 7, "num_layers": 2, "num_heads": 2, "channels": 4,
        "B": 2, "T": 3, "layernorm_eps": 1e-4,
    }
    adamw = {"lr": 0.01, "beta1": 0.8, "beta2": 0.95, "eps": 1e-6, "weight_decay": 0.1, "steps": 3}
    layers, c = config["num_layers"], config["channels"]
    shapes = {
        "wte": [config["padded_vocab_size"], c], "wpe": [config["max_seq_len"], c],
        "ln1w": [layers, c], "ln1b": [layers, c], "qkvw": [layers, 3 * c, c], "qkvb": [layers, 3 * c],
        "attprojw": [layers, c, c], "attprojb": [layers, c], "ln2w": [layers, c], "ln2b": [layers, c],
        "fcw": [layers, 4 * c, c], "fcb": [layers, 4 * c], "fcprojw": [layers, c, 4 * c], "fcprojb": [layers, c],
        "lnfw": [c], "lnfb": [c],
    }
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    p, tensors, offset = {}, [], 0
    for name, shape in shapes.items():
        p[name] = [Value(single(x)) for x in numbers(math.prod(shape), 0.4)]
        tensors.append({"name": name, "shape": shape, "offset": offset, "count": len(p[name])})
        offset += len(p[name])
    everything = [x for array in p.values() for x in array]
    files = {"params": "gpt2_params_f32.bin", "grads_f64": "gpt2_grads_f64.bin"}
    write = lambda name, code, x: (pathlib.Path(__file__).parent / name).write_bytes(struct.pack(f"<{len(x)}{code}", *x))
    write(files["params"], "f", [x.data for x in everything])
    texts = [[3, 1, 4, 1], [0, 2, 2, 3]]
    mean, square, losses = [0.0] * len(everything), [0.0] * len(everything), []
    for step in range(adamw["steps"]):
        logits = [gpt2_logits(p, config, text[:-1]) for text in texts]
        pairs = [pair for rows, text in zip(logits, texts) for pair in zip(rows, text[1:])]
        loss = sum((-softmax(row)[target].log() for row, target in pairs), Value(0.0)) / len(pairs)
        loss.backward()
        losses.append(loss.data)
        if step == 0:
            first, last = ([x.data for x in row] for row in [logits[0][0], logits[-1][-1]])
            write(files["grads_f64"], "d", [x.grad for x in everything])
        for k, x in enumerate(everything):
            mean[k] = adamw["beta1"] * mean[k] + (1.0 - adamw["beta1"]) * x.grad
            square[k] = adamw["beta2"] * square[k] + (1.0 - adamw["beta2"]) * x.grad**2
            m = mean[k] / (1.0 - adamw["beta1"] ** (step + 1))
            v = square[k] / (1.0 - adamw["beta2"] ** (step + 1))
            x.data -= adamw["lr"] * (m / (v**0.5 + adamw["eps"]) + adamw["weight_decay"] * x.data)
            x.grad = 0.0
    end = [x.data for x in everything]
    return {
        "config": config,
        "num_parameters": len(everything),
        "tensors": tensors,
        "files": files,
        "inputs": [text[:-1] for text in texts],
        "targets": [text[1:] for text in texts],
        "adamw": adamw,
        "losses_python_f64": losses,
        "logits0_first_row_f64": first,
        "logits0_last_row_f64": last,
        "params_end_check": {"sum_f64": math.fsum(end), "l2_f64": math.hypot(*end), "first8_f64": end[:8]},
    }


def graph(name, expression, inputs, code=None):
    """An example of numbers: Python itself reads the formulas, or `code` where it cannot."""
    nodes = {key: Value(x) for key, x in inputs.items()}
    functions = {f: getattr(Value, f) for f in ["exp", "log", "relu", "sigmoid", "tanh"]}
    code = code or expression.replace("^", "**").split("  ")[0]
    exec(code, functions, nodes)
    output = list(nodes)[-1]
    nodes[output].backward()
    found = {key: {"value": x.data, "grad": x.grad} for key, x in nodes.items()}
    return {"name": name, "expression": expression, "inputs": inputs, "output": output, "nodes": found}


def chains(depth, x, r):
    nodes = {}
    for name, start in [("sigmoid_chain", x), ("relu_chain", r)]:
        start = v = Value(start)
        for _ in range(depth):
            v = v.sigmoid() - 0.5 if name == "sigmoid_chain" else v.relu()
        v.backward()
        nodes[name] = {"value": v.data, "grad": start.grad}
    expression = "chain of d sigmoids each at input 0 (s(v)-0.5), vs d relus at 1"
    inputs = {"x": x, "r": r}
    return {"name": f"depth_{depth}", "expression": expression, "inputs": inputs, "output": "grad", "nodes": nodes}


def matmul(a, b):
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def worked_examples():
    """What textbooks work through, at inputs of our own, and some that no program knows by name."""
    network = {
        "x1": -0.3, "x2": 1.2, "w11": 0.5, "w12": -0.4, "w21": 0.7, "w22": 0.2,
        "b1": 0.1, "b2": -0.6, "v1": 0.9, "v2": -1.1, "c": 0.3, "y": 0.0,
    }
    layer = "z1=w11*x1+w12*x2+b1; z2=w21*x1+w22*x2+b2; h1=sigmoid(z1); h2=sigmoid(z2)"
    rest = "yhat=sigmoid(z); L=0.5*(yhat-y)**2"
    examples = [
        graph("fork_product", "p=x+y; q=x-y; f=p*q", {"x": -1.5, "y": 0.25}),
        graph("relu_affine", "c=a*b; e=c+d; f=relu(e)", {"a": 0.5, "b": 3.0, "d": -1.75}),
        graph("mul_add_fork", "c=a*b; d=c+a", {"a": -2.0, "b": 0.7}),
        graph("double_use", "b=a+a", {"a": -0.1}),
        graph("chain_square", "g=3x+1; y=g^2", {"x": 0.3}, "g=3*x+1; y=g**2"),
        graph("mul", "c=a*b", {"a": 0.3, "b": -7.0}),
        graph("wx_plus_b_squared", "u=W*x; z=u+b; L=z^2  (a remark; no formula)", {"W": 0.4, "x": 2.0, "b": -0.3}),
        graph(
            "mlp_2_2_1_reconstructed",
            "h=sigmoid(W x + b) (2 units); z=v.h+c; yhat=sigmoid(z); L=0.5*(yhat-y)^2",
            network,
            f"{layer}; z=v1*h1+v2*h2+c; {rest}",
        ),
        graph("quotient", "p=exp(x)/(1+y^2); f=log(p)-tanh(x*y)", {"x": 0.7, "y": -0.4}),
        graph("many_uses", "s=x*x; t=s*s+s; f=t/(x-y)-s^-1", {"x": 1.3, "y": 0.4}),
        chains(3, 0.0, 1.0),
        chains(15, 0.0, 1.0),
    ]
    x, w, cotangent = [[1.0, -2.0]], [[0.5, 3.0], [-1.5, 0.25]], [[2.0, -1.0]]
    transposed = lambda a: list(map(list, zip(*a)))
    by_x, by_w = matmul(cotangent, transposed(w)), matmul(transposed(x), cotangent)
    of = {"X": x, "W": w, "dY": cotangent, "Y": matmul(x, w), "dX": by_x, "dW": by_w}
    examples.append({"name": "matmul_rule", "expression": "Y=X@W; dX=dY@W^T; dW=X^T@dY", **of})
    x, b, cotangent = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.5, -1.0, 2.0], [[1.0, 0.0, 2.0], [0.5, -3.0, 1.0]]
    of = {"X": x, "b": b, "dY": cotangent, "dX": cotangent, "db": [sum(column) for column in zip(*cotangent)]}
    expression = "Y=X+b, X (2,3), b (3,): db = sum over axis 0 of dY"
    examples.append({"name": "broadcast_bias", "expression": expression, **of})
    return {"examples": examples}


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    for system in [microgpt, micrograd, moons, gpt2, worked_examples]:
        random.seed(7)
        lines = (f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in system().items())
        (here / f"{system.__name__}.json").write_text("{" + ",\n".join(lines) + "}\n")
