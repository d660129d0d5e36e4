"""The step of `gpt2 --bench` by PyTorch and by JAX, and its products by OpenBLAS, on one core.

    pip install torch jax numpy
    taskset -c 0 python3 others.py [torch] [jax] [numpy]

Steps and their products take turns, in processor time; each is as fast as its fastest round.
"""

import os

for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[name] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import math
import sys
import time

LAYERS, HEADS, CHANNELS, TOKENS = 6, 6, 384, 5000
BATCH, TIME = 4, 64
ROUNDS = 15

# Rows, columns of the operand, columns of the result; how often. A product forward has two on the way back.
SHAPES = [
    (BATCH * TIME, CHANNELS, 3 * CHANNELS, LAYERS),
    (BATCH * TIME, CHANNELS, CHANNELS, LAYERS),
    (BATCH * TIME, CHANNELS, 4 * CHANNELS, LAYERS),
    (BATCH * TIME, 4 * CHANNELS, CHANNELS, LAYERS),
    (BATCH * TIME, CHANNELS, TOKENS, 1),
]
OPERATIONS = sum(3 * 2 * m * k * n * count for m, k, n, count in SHAPES)


def fastest(*parts):
    """The milliseconds of each part, in turns."""
    found = [math.inf] * len(parts)
    for _ in range(ROUNDS):
        for k, part in enumerate(parts):
            start = time.process_time()
            part()
            found[k] = min(found[k], (time.process_time() - start) * 1e3)
    return found


def told(name, step, products):
    rate = OPERATIONS / products * 1e-6
    print(f"{name}: a step {step:.1f} ms, its products {products:.1f} ms ({rate:.1f} GFLOP/s), ratio {step / products:.2f}")


def by_torch():
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(1)
    torch.manual_seed(1)
    c = CHANNELS

    def parameter(*shape, spread=0.02):
        return torch.nn.Parameter(torch.randn(*shape) * spread)

    def ones():
        return torch.nn.Parameter(torch.ones(c))

    def zeros(n):
        return torch.nn.Parameter(torch.zeros(n))

    wte, wpe, lnf = parameter(TOKENS, c), parameter(TIME, c), (ones(), zeros(c))
    blocks = [
        [ones(), zeros(c), parameter(3 * c, c), zeros(3 * c), parameter(c, c), zeros(c)]
        + [ones(), zeros(c), parameter(4 * c, c), zeros(4 * c), parameter(c, 4 * c), zeros(c)]
        for _ in range(LAYERS)
    ]
    adam = torch.optim.AdamW([wte, wpe, *lnf, *(p for block in blocks for p in block)], lr=1e-4)
    inputs, targets = torch.randint(TOKENS, (2, BATCH, TIME))

    def step():
        x = F.embedding(inputs, wte) + wpe
        for w1, b1, qkvw, qkvb, aw, ab, w2, b2, fw, fb, pw, pb in blocks:
            qkv = F.linear(F.layer_norm(x, (c,), w1, b1), qkvw, qkvb)
            q, k, v = (t.view(BATCH, TIME, HEADS, c // HEADS).transpose(1, 2) for t in qkv.split(c, dim=2))
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + F.linear(found.transpose(1, 2).reshape(BATCH, TIME, c), aw, ab)
            hidden = F.gelu(F.linear(F.layer_norm(x, (c,), w2, b2), fw, fb), approximate="tanh")
            x = x + F.linear(hidden, pw, pb)
        scores = F.linear(F.layer_norm(x, (c,), *lnf), wte)
        adam.zero_grad()
        F.cross_entropy(scores.view(-1, TOKENS), targets.reshape(-1)).backward()
        adam.step()

    operands = [(torch.full((m, k), 0.5), torch.full((n, k), 0.5), torch.full((m, n), 0.5), count) for m, k, n, count in SHAPES]

    def products():
        with torch.no_grad():
            for x, w, d, count in operands:
                for _ in range(count):
                    x @ w.T, d @ w, d.T @ x

    step()
    told(f"PyTorch {torch.__version__}, eager", *fastest(step, products))


def by_jax():
    import jax
    import jax.numpy as jnp

    c, size = CHANNELS, CHANNELS // HEADS
    keys = iter(jax.random.split(jax.random.key(1), 1000))

    def normal(*shape):
        return jax.random.normal(next(keys), shape) * 0.02

    def norm(x, w, b):
        x = x - x.mean(-1, keepdims=True)
        return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w + b

    def block():
        one = [jnp.ones(c), jnp.zeros(c), normal(3 * c, c), jnp.zeros(3 * c), normal(c, c), jnp.zeros(c)]
        return one + [jnp.ones(c), jnp.zeros(c), normal(4 * c, c), jnp.zeros(4 * c), normal(c, 4 * c), jnp.zeros(c)]

    parameters = [normal(TOKENS, c), normal(TIME, c), [block() for _ in range(LAYERS)], jnp.ones(c), jnp.zeros(c)]
    inputs, targets = jax.random.randint(next(keys), (2, BATCH, TIME), 0, TOKENS)
    mask = jnp.tril(jnp.ones((TIME, TIME), bool))

    def loss(parameters):
        wte, wpe, blocks, lnfw, lnfb = parameters
        x = wte[inputs] + wpe
        for w1, b1, qkvw, qkvb, aw, ab, w2, b2, fw, fb, pw, pb in blocks:
            qkv = norm(x, w1, b1) @ qkvw.T + qkvb
            q, k, v = (t.reshape(BATCH, TIME, HEADS, size).transpose(0, 2, 1, 3) for t in jnp.split(qkv, 3, axis=2))
            scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(size)
            found = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)) @ v
            x = x + found.transpose(0, 2, 1, 3).reshape(BATCH, TIME, c) @ aw.T + ab
            x = x + jax.nn.gelu(norm(x, w2, b2) @ fw.T + fb, approximate=True) @ pw.T + pb
        scores = norm(x, lnfw, lnfb) @ wte.T
        chosen = jnp.take_along_axis(scores, targets[..., None], axis=-1)[..., 0]
        return (jax.nn.logsumexp(scores, axis=-1) - chosen).mean()

    def stepped(state):
        parameters, m, v, t = state
        value, gradient = jax.value_and_grad(loss)(parameters)
        t = t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        rate = 1e-4 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8) - 1e-6 * p, parameters, m, v)
        return value, (parameters, m, v, t)

    stepped = jax.jit(stepped, donate_argnums=0)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = [(parameters, zeros, jax.tree.map(jnp.zeros_like, parameters), jnp.array(0.0))]

    def step():
        value, state[0] = stepped(state[0])
        value.block_until_ready()

    operands = [(jnp.full((m, k), 0.5), jnp.full((n, k), 0.5), jnp.full((m, n), 0.5), count) for m, k, n, count in SHAPES]
    multiplied = jax.jit(lambda x, w, d: (x @ w.T, d @ w, d.T @ x))

    def products():
        for x, w, d, count in operands:
            for _ in range(count):
                jax.block_until_ready(multiplied(x, w, d))

    step()
    products()
    told(f"JAX {jax.__version__}", *fastest(step, products))


def by_numpy():
    import numpy

    times = []
    for m, k, n, count in SHAPES:
        x, w, d = (numpy.full(shape, 0.5, numpy.float32) for shape in [(m, k), (n, k), (m, n)])
        times.append(fastest(lambda: x @ w.T, lambda: d @ w, lambda: d.T @ x))
        rates = ", ".join(f"{2 * m * k * n / t * 1e-6:.1f}" for t in times[-1])
        print(f"numpy's BLAS, {m} {k} {n} and its two ways back: {rates} GFLOP/s")
    whole = sum(sum(ts) * count for ts, (_, _, _, count) in zip(times, SHAPES))
    print(f"numpy's BLAS: all products {whole:.1f} ms ({OPERATIONS / whole * 1e-6:.1f} GFLOP/s)")


if __name__ == "__main__":
    tools = {"torch": by_torch, "jax": by_jax, "numpy": by_numpy}
    for tool in sys.argv[1:] or tools:
        tools[tool]()
