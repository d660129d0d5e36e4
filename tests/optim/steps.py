#!/usr/bin/env python3
"""Writes steps.csv: what optimisers do to three parameters in five steps, by the formulas of PyTorch's documentation.

    python3 steps.py > steps.csv

Everything is computed with 60 digits from the numbers as they are in binary, and rounded once.
"""

import random
from decimal import Decimal, getcontext

getcontext().prec = 60
STEPS = 5
SIZE = 3


def sgd(lr, p, gradients, momentum=0.0, nesterov=False, decay=0.0):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html, without dampening."""
    lr, momentum, decay = map(Decimal, (lr, momentum, decay))
    buffer = None
    for g in gradients:
        g = [g + decay * p for g, p in zip(g, p)]
        if momentum != 0:
            buffer = g if buffer is None else [momentum * b + g for b, g in zip(buffer, g)]
            g = [g + momentum * b for b, g in zip(buffer, g)] if nesterov else buffer
        p = [p - lr * g for p, g in zip(p, g)]
        yield p


def adam(lr, p, gradients, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.0, decoupled=False):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html, and AdamW.html where `decoupled`."""
    lr, beta1, beta2, eps, decay = map(Decimal, (lr, beta1, beta2, eps, decay))
    m = [Decimal(0)] * len(p)
    v = [Decimal(0)] * len(p)
    for t, g in enumerate(gradients, start=1):
        if decoupled:
            p = [p - lr * decay * p for p in p]
        else:
            g = [g + decay * p for g, p in zip(g, p)]
        m = [beta1 * m + (1 - beta1) * g for m, g in zip(m, g)]
        v = [beta2 * v + (1 - beta2) * g * g for v, g in zip(v, g)]
        mean = [m / (1 - beta1**t) for m in m]
        root = [(v / (1 - beta2**t)).sqrt() for v in v]
        p = [p - lr * m / (r + eps) for p, m, r in zip(p, mean, root)]
        yield p


def text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


CASES = [
    (sgd, dict(lr=0.1)),
    (sgd, dict(lr=0.1, decay=0.25)),
    (sgd, dict(lr=0.1, momentum=0.9)),
    (sgd, dict(lr=0.01, momentum=0.5, decay=0.125)),
    (sgd, dict(lr=0.1, momentum=0.9, nesterov=True)),
    (sgd, dict(lr=0.3, momentum=0.7, nesterov=True, decay=0.05)),
    (adam, dict(lr=0.001)),
    (adam, dict(lr=0.01, beta1=0.85, beta2=0.99)),
    (adam, dict(lr=0.1, beta1=0.0, beta2=0.5, eps=0.125)),
    (adam, dict(lr=0.1, decay=0.3)),
    (adam, dict(lr=0.001, decay=0.01, decoupled=True)),
    (adam, dict(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3, decay=0.5, decoupled=True)),
]


def main():
    random.seed(1)
    print("# What optimisers do, computed with 60 digits by steps.py.")
    print("# name; settings; parameters; the gradient of each step; the parameters after each step.")
    for function, settings in CASES:
        p = [random.choice([-1, 1]) * random.randint(1, 512) / 128 for _ in range(SIZE)]
        gradients = [[random.randint(-512, 512) / 256 for _ in range(SIZE)] for _ in range(STEPS)]
        # A gradient that is zero at first, and one that is zero throughout.
        gradients[0][1] = 0.0
        if settings["lr"] == 0.1:
            for g in gradients:
                g[2] = 0.0
        exact = [[Decimal(x) for x in g] for g in gradients]
        given = dict(settings)
        after = function(given.pop("lr"), [Decimal(x) for x in p], exact, **given)
        print(
            function.__name__,
            " ".join(f"{name}={float(value)!r}" for name, value in settings.items()),
            text(p),
            text(x for g in gradients for x in g),
            text(x for p in after for x in p),
            sep=";",
        )


main()
