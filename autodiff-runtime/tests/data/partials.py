#!/usr/bin/env python3
"""Writes partials.csv: the true partials of every elementary function up to third order, at ordinary points and at the ends of its range.

    pip install sympy && python3 partials.py > partials.csv

The functions are differentiated symbolically, and evaluated by mpmath with so many digits that 60 of the result are certain.
"""

import itertools
import struct
import sys

import mpmath
import sympy as sp

X, A, B = sp.symbols("x a b", real=True)
TERMS = sp.symbols("x0:9", real=True)
ORDERS = 3


class NormalCdf(sp.Function):
    """The distribution function of the standard normal distribution; written with erf, sympy would subtract it from 1."""

    def fdiff(self, argindex=1):
        return sp.exp(-self.args[0] ** 2 / 2) / sp.sqrt(2 * sp.pi)


def normal_cdf(x):
    # So far out mpmath gives up; to the left it is zero in any type, and the density says so.
    if abs(x) > 1e6:
        tail = mpmath.exp(-x * x / 2)
        return tail if x < 0 else 1 - tail
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def sigmoid(t):
    return 1 / (1 + sp.exp(-t))


# Functions of one number that are smooth on all of their domain.
UNARY = {
    "sin": sp.sin(X),
    "cos": sp.cos(X),
    "tan": sp.tan(X),
    "asin": sp.asin(X),
    "acos": sp.acos(X),
    "atan": sp.atan(X),
    "sinh": sp.sinh(X),
    "cosh": sp.cosh(X),
    "tanh": 1 - 2 / (1 + sp.exp(2 * X)),
    "asinh": sp.asinh(X),
    "acosh": sp.acosh(X),
    "atanh": sp.atanh(X),
    "exp": sp.exp(X),
    "exp2": sp.exp(X * sp.log(2)),
    "exp_m1": sp.exp(X) - 1,
    "ln": sp.log(X),
    "ln_1p": sp.log(1 + X),
    "log2": sp.log(X) / sp.log(2),
    "log10": sp.log(X) / sp.log(10),
    "sqrt": sp.sqrt(X),
    "recip": 1 / X,
    "to_degrees": X * 180 / sp.pi,
    "to_radians": X * sp.pi / 180,
    "sigmoid": sigmoid(X),
    "silu": X * sigmoid(X),
    "gelu": X * NormalCdf(X),
    "erf": sp.erf(X),
    "erfc": sp.erfc(X),
}

# Those that are linear on each side of a kink or a jump, by the sign of the argument.
LINEAR = {
    "abs": lambda x: X if x > 0 else -X,
    "relu": lambda x: X if x > 0 else 0 * X,
    "fract": lambda x: X,
    "next_up": lambda x: X,
    "next_down": lambda x: X,
    **{name: lambda x: 0 * X for name in ("floor", "ceil", "round", "round_ties_even", "trunc", "signum")},
}

GELU_TANH = X * sigmoid(2 * sp.sqrt(2 / sp.pi) * (X + sp.Rational("0.044715") * X**3))

# By the point.
SEVERAL = {
    # Far out the rest is nothing in any type, and takes mpmath long.
    "gelu_tanh": lambda x: (GELU_TANH if abs(x) < 1e4 else X if x > 0 else 0 * X, (X,)),
    "softplus": lambda x: (sp.log(1 + sp.exp(X)) if x < 0 else X + sp.log(1 + sp.exp(-X)), (X,)),
    "cbrt": lambda x: (sp.cbrt(X) if x > 0 else -sp.cbrt(-X), (X,)),
    "atan2": lambda b, a: (sp.atan2(B, A), (B, A)),
    "log": lambda x, b: (sp.log(X) / sp.log(B), (X, B)),
    "hypot": lambda a, b: (sp.sqrt(A * A + B * B), (A, B)),
    "powf": lambda x, b: (sp.exp(B * sp.log(X)), (X, B)),
    "mul_add": lambda x, a, b: (X * A + B, (X, A, B)),
    "midpoint": lambda a, b: ((A + B) / 2, (A, B)),
    "copysign": lambda x, s: (X if (x > 0) == (s > 0) else -X, (X, B)),
    "max": lambda a, b: (A if a > b else B, (A, B)),
    "min": lambda a, b: (A if a < b else B, (A, B)),
    "clamp": lambda x, low, high: (A if x < low else B if x > high else X, (X, A, B)),
    "abs_sub": lambda a, b: (A - B if a > b else 0 * A, (A, B)),
    "rem_euclid": lambda x, b: (X - B * euclid(x, b), (X, B)),
    "div_euclid": lambda x, b: (0 * X, (X, B)),
    "logsumexp": lambda *xs: (sp.log(sum(map(sp.exp, TERMS[: len(xs)]))), TERMS[: len(xs)]),
}


def euclid(x, b):
    return round((mpmath.mpf(x) - mpmath.mpf(x) % abs(mpmath.mpf(b))) / mpmath.mpf(b))


def both(*magnitudes):
    return [s * m for m in magnitudes for s in (1, -1)]


ORDINARY = both(0.1, 0.3, 0.7, 1.3, 2, 3, 5)
SMALL = both(1e-300, 1e-160, 1e-100, 1e-20, 1e-9, 1e-5, 1e-3, 0.02)
SMALL_F32 = both(1e-37, 1e-20, 1e-13, 1e-5, 1e-3, 0.02)
MIDDLE = both(8, 9.5, 13, 18.5, 19.1, 25, 37, 40, 100, 300, 354, 600, 700, 708.5, 709.7, 744, 750)
MIDDLE_F32 = both(8, 9.5, 13, 16.7, 20, 37, 43, 44.5, 60, 80, 87.4, 88.6, 100, 103, 110)
LARGE = both(1e3, 1e5, 1e8, 1e12, 1e20, 1e75, 1e103, 1e110, 1e154, 1e155, 1e160, 1e200, 1e300, 1.7e308)
LARGE_F32 = both(1e3, 1e5, 1e8, 1e12, 1e13, 1e19, 1e20, 1e30, 3e38)
BELOW_ONE = both(0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-9, 1 - 2.0**-53)
BELOW_ONE_F32 = both(0.5, 0.9, 0.99, 1 - 1e-6, 1 - 2.0**-24)
ABOVE_ONE = [1 + 2.0**-52, 1 + 1e-9, 1 + 1e-6, 1.001, 1.1]
ABOVE_ONE_F32 = [1 + 2.0**-23, 1 + 1e-6, 1.001, 1.1]
GAUSSIAN = both(0.7071067811865476, 1.2247448713915892, 6, 8.3, 15, 20, 26, 26.7, 27.3, 30, 37.6, 38.4, 39, 40)
# Where a derivative of some order is zero.
ROOTS = {
    "sigmoid": both(1.3169578969248166),
    "softplus": both(1.3169578969248166),
    "tanh": both(0.6584789484624083),
    "atan": both(0.5773502691896258),
    "silu": both(1.2784645427610738, 2.399357280515468, 3.4358),
    "gelu": both(0.7517915246935645, 1.4142135623730951, 2),
    "gelu_tanh": both(0.7524614220710163, 1.3876, 1.9),
}
NEAR_ROOT_OF_TAN = [1.5707963267948966, 1.57, -4.71238898038469]
EXP2 = [1022.5, 1023.9, 1024, 1024.2, 1024.53, 1025.05, 1025.58, -1021, -1022.5, -1074, -1080]
EXP2_F32 = [126.5, 127.9, 128, 128.2, 128.5, 129.05, 129.5, -125.5, -126.5, -149, -155]

POSITIVE = ("ln", "log2", "log10", "sqrt")
INSIDE_ONE = ("asin", "acos", "atanh")


def points_of_one(name, single):
    small, middle, large = (SMALL_F32, MIDDLE_F32, LARGE_F32) if single else (SMALL, MIDDLE, LARGE)
    below, above = (BELOW_ONE_F32, ABOVE_ONE_F32) if single else (BELOW_ONE, ABOVE_ONE)
    if name in LINEAR:
        return both(0.3, 2.7, 1e-30, 1e30)
    if name in INSIDE_ONE:
        return small + [x for x in ORDINARY if abs(x) < 1] + below
    if name == "acosh":
        return above + [x for x in ORDINARY + middle + large if x > 1]
    if name == "ln_1p":
        return [x for x in small + ORDINARY + below + middle + large if x > -1]
    everywhere = small + ORDINARY + middle + large + ROOTS.get(name, [])
    if name in POSITIVE:
        return [x for x in everywhere + below + above if x > 0]
    if name in ("sin", "cos", "tan"):
        return everywhere + NEAR_ROOT_OF_TAN
    if name in ("exp2",):
        return everywhere + (EXP2_F32 if single else EXP2)
    if name in ("erf", "erfc", "gelu", "gelu_tanh"):
        return everywhere + GAUSSIAN
    return everywhere


def points_of_several(name, single):
    tiny, low, high, huge = (1e-37, 1e-14, 1e14, 1e37) if single else (1e-300, 1e-110, 1e110, 1e300)
    pairs = [(0.3, 0.7), (-1.3, 2.5), (2, -3), (-0.6, -1.1)]
    ends = [(1, low), (low, 1), (1, tiny), (tiny, 1), (1, high), (high, 1), (1, huge), (huge, 1)]
    ends += [(tiny, tiny), (low, 3 * low), (high, 1.7 * high), (huge, huge), (low, high), (tiny, huge), (high, low)]
    if name in ("atan2", "hypot"):
        return pairs + ends + [(1, 1), (3, -3), (0.0, 2), (0.0, 1e-20), (0.0, 1e20), (1e-9, 1), (1, -1e-9)]
    if name == "logsumexp":
        found = [(0,), (3.7,), (0, 0), (1e-9, 0), (0, 0.003), (-3, 0.5), (5, 5.001), (-1000, -1001), (0.2, 0.2, 0.2), (-3, 0.5, 0.25)]
        found += [(0, -gap) for gap in (5, 17, 37, 38, 60, 80, 100)] + [(-gap, 0) for gap in (37, 50)]
        found += [(1e-6, 0, -50), (-40, 2e-5, 0), (0, 40, 1), (0, 40, 40), (0.1, -0.2, 0.3, 0), (60, 0, 60, 59), (0.01, -0.02, -20, -30, 0)]
        return found if single else found + [(0, -700), (800, 0, -800), (1e-100, 0, -300), (1e8, 1e8 + 1, 1e8 - 40)]
    if name in ("cbrt", "softplus", "gelu_tanh"):
        return [(x,) for x in points_of_one(name, single)]
    if name == "log":
        bases = [2, 10, 0.3, 1.0001, 0.9999, tiny, huge]
        return [(x, b) for b in bases for x in (0.3, 0.999, 1.5, 700, tiny, low, high, huge)]
    if name == "powf":
        found = [(x, b) for b in (-2.5, -1, -0.5, 0.3, 0.5, 1, 1.5, 2, 3.5, 10.7) for x in (tiny, low, 1e-5, 0.3, 0.99, 1, 2.7, 100, high, huge)]
        found += [(2, 120), (2, -120), (1.0001, 50000), (0.7, 200)]
        found += [] if single else [(2, 1020), (2, -1020), (10, 307), (1e-10, 30.5), (3, 600), (1 - 1e-9, 1e9)]
        return found
    if name == "powi":
        found = [(x, n) for n in (-7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 9, 30) for x in both(tiny, low, 0.3, 1.1, 2.5, high, huge)]
        return found + [(2, 127), (2, -126)] + ([] if single else [(2, 1023), (2, -1022), (1.0001, 100000), (0.9, 6000), (-1.7, 1001)])
    if name in ("mul_add", "clamp"):
        return [(0.3, 0.7, 0.9), (-1.3, 0.2, 1.1), (5, -1, 2), (0.5, -3, 4), (huge, 1, 2), (tiny, tiny, 1)]
    if name in ("rem_euclid", "div_euclid"):
        return [(7.5, 2), (-7.3, 2.1), (7.5, -2), (0.3, 0.7), (100.5, 0.7)]
    return pairs + [(low, 1), (1, low), (high, huge), (huge, tiny)]


def rounded(x, single):
    return struct.unpack("f", struct.pack("f", x))[0] if single else float(x)


class Partials:
    """The partials of an expression, by their multi-indices."""

    def __init__(self, expression, arguments):
        self.arguments, self.of = arguments, {(): expression}
        self.compiled = {}

    def expression(self, index):
        if index not in self.of:
            self.of[index] = sp.diff(self.expression(index[:-1]), self.arguments[index[-1]])
        return self.of[index]

    def at(self, index, point):
        """To 60 digits."""
        index = tuple(sorted(index))
        if index not in self.compiled:
            self.compiled[index] = sp.lambdify(self.arguments, self.expression(index), [{"NormalCdf": normal_cdf}, "mpmath"])
        first = before = None
        for digits in (80, 160, 320, 800, 1600, 3200):
            with mpmath.workdps(digits):
                now = +mpmath.mpf(self.compiled[index](*map(mpmath.mpf, point)))
                if now != 0 and before is not None and abs(now - before) <= abs(now) * mpmath.mpf(10) ** -60:
                    return now
                if self.expression(index) == 0:
                    return now
                first, before = first or now, now
        # What is zero is nothing but rounding, which got smaller.
        if abs(now) <= abs(first) * mpmath.mpf(10) ** -1000:
            return mpmath.mpf(0)
        raise ArithmeticError(f"{self.of[()]} by {index} at {point}")


def shown(x, digits=17):
    with mpmath.workdps(60):
        # Beyond the range of any type the exponents themselves get long.
        if abs(x) < mpmath.mpf(10) ** -1000:
            return "0"
        if abs(x) > mpmath.mpf(10) ** 1000:
            return "inf" if x > 0 else "-inf"
        text = mpmath.nstr(x, digits, strip_zeros=True, min_fixed=0, max_fixed=0)
        return text.replace(".0e", "e").removesuffix("e+0").removesuffix("e0")


def lines_of(name, partials, points, single, integer=None):
    seen = set()
    for point in points:
        point = tuple(rounded(x, single) for x in point)
        if point in seen:
            continue
        seen.add(point)
        of = partials(point)
        count = len(of.arguments)
        entries = []
        for order in range(1, ORDERS + 1):
            for index in itertools.combinations_with_replacement(range(count), order):
                value = of.at(index, point[:count])
                with mpmath.workdps(60):
                    size = abs(value) + sum(abs(mpmath.mpf(x) * of.at((*index, k), point[:count])) for k, x in enumerate(point[:count]))
                entries.append(f"{shown(value)}~{shown(size, 4)}")
        kind = "f32" if single else "f64"
        arguments = " ".join(repr(int(x)) if integer == k else shown(mpmath.mpf(x), 9 if single else 17) for k, x in enumerate(point))
        yield f"{name};{kind};{arguments};{' '.join(entries)}"


def main():
    print("# The partials of elementary functions, computed with 60 digits by partials.py.")
    print("# function; type; arguments; for each partial of first, then second, then third order, by arguments in ascending order:")
    print("# the partial d, a tilde, and |d| + the sum of |x ∂d/∂x| over the arguments, which is what rounding of the arguments does to it.")
    only = set(sys.argv[1:])
    for single in (False, True):
        for name, expression in UNARY.items():
            if only and name not in only:
                continue
            of = Partials(expression, (X,))
            for line in lines_of(name, lambda _: of, [(x,) for x in points_of_one(name, single)], single):
                print(line)
        for name, piece in LINEAR.items():
            if only and name not in only:
                continue
            for line in lines_of(name, lambda point: Partials(piece(*point), (X,)), [(x,) for x in points_of_one(name, single)], single):
                print(line)
        for name, of_point in SEVERAL.items():
            if only and name not in only:
                continue
            known = {}

            def partials(point):
                key = of_point(*point)
                return known.setdefault(key, Partials(*key))

            for line in lines_of(name, partials, points_of_several(name, single), single):
                print(line)
        if not only or "powi" in only:
            of_power = {}
            for line in lines_of(
                "powi",
                lambda point: of_power.setdefault(point[1], Partials(X ** int(point[1]), (X,))),
                points_of_several("powi", single),
                single,
                integer=1,
            ):
                print(line)


if __name__ == "__main__":
    main()
