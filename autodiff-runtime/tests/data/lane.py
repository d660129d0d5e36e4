#!/usr/bin/env python3
"""Writes lane.csv: true values of the functions of `lane` at points of f64, as the nearest number and the rest.

    pip install mpmath && python3 lane.py > lane.csv
"""

import random

from mpmath import cos, cosh, erf, erfc, exp, expm1, inf, log, log1p, mp, mpf, pi, sin, sqrt, tan, tanh

mp.dps = 60


def sigmoid(x):
    return 1 / (1 + exp(-x))


def bell(x):
    return sigmoid(x) * sigmoid(-x)


def cdf(x):
    return erfc(-x / sqrt(2)) / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def exponent(x):
    return 2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3)


def exponent_slope(x):
    return 2 * sqrt(2 / pi) * (1 + 3 * mpf("0.044715") * x * x)


def d2gelu_tanh(x):
    u, slope = exponent(x), exponent_slope(x)
    bend = 2 * sqrt(2 / pi) * 6 * mpf("0.044715") * x
    return bell(u) * (2 * slope + x * bend - x * slope**2 * tanh(u / 2))


# Each with the size beyond which it is 0 or 1 or not a number, or where its bound is.
FUNCTIONS = {
    "exp": (exp, 745),
    "exp_m1": (expm1, 709),
    "ln": (lambda x: log(abs(x)), inf),
    "ln_1p": (lambda x: log1p(abs(x)), inf),
    "tanh": (tanh, 20),
    "sigmoid": (sigmoid, 745),
    "softplus": (lambda x: log1p(exp(x)), 745),
    "erf": (erf, 6),
    "erfc": (erfc, 27),
    "sin": (sin, 1e6),
    "cos": (cos, 1e6),
    "tan": (tan, 1e6),
    "silu": (lambda x: x * sigmoid(x), 745),
    "gelu": (lambda x: x * cdf(x), 38),
    "gelu_tanh": (lambda x: x * sigmoid(exponent(x)), 21),
    "dtanh": (lambda x: 1 / cosh(x) ** 2, 372),
    "d2tanh": (lambda x: -2 * tanh(x) / cosh(x) ** 2, 372),
    "dsigmoid": (bell, 745),
    "d2sigmoid": (lambda x: -bell(x) * tanh(x / 2), 745),
    "dsilu": (lambda x: sigmoid(x) + x * bell(x), 745),
    "d2silu": (lambda x: bell(x) * (2 - x * tanh(x / 2)), 745),
    "dgelu": (lambda x: cdf(x) + x * density(x), 38),
    "d2gelu": (lambda x: density(x) * (2 - x * x), 38),
    "dgelu_tanh": (lambda x: sigmoid(exponent(x)) + x * exponent_slope(x) * bell(exponent(x)), 21),
    "d2gelu_tanh": (d2gelu_tanh, 21),
    "derf": (lambda x: 2 / sqrt(pi) * exp(-x * x), 27),
    "d2erf": (lambda x: -4 / sqrt(pi) * x * exp(-x * x), 27),
    "gaussian": (lambda x: exp(-x * x), 27),
    "normal_pdf": (density, 38),
}
POINTS = 100


def points(name, end):
    """Tiny ones, ordinary ones, and those up to the end, on both sides."""
    for k in range(POINTS):
        ordinary = random.uniform(-4, 4)
        size = 10 ** random.uniform(-300, 300) if end == inf else 10 ** random.uniform(-12, 0) * end
        far = min(size, end) if end == inf else random.uniform(-1, 1) * end
        x = [ordinary, random.choice([-1, 1]) * size, far][k % 3]
        yield abs(x) if name.startswith("ln") else x


def main():
    random.seed(7)
    print("# True values of the functions of `lane`, by lane.py.")
    print("# function; argument; the nearest number; the rest")
    for name, (function, end) in FUNCTIONS.items():
        for x in points(name, end):
            y = function(mpf(x))
            high = float(y)
            if abs(high) < inf:
                print(f"{name};{x!r};{high!r};{float(y - mpf(high))!r}")


if __name__ == "__main__":
    main()
