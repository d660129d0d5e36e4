#!/usr/bin/env python3
"""Writes special.csv: the true values and partials, up to second order, of the special functions, over the whole of their ranges.

    pip install mpmath && python3 special.py > special.csv

The derivatives are differences at 140 digits or more, with steps that are 1e-24 of the argument or of the distance to the nearest singularity; those of Bessel functions are combinations of their neighbours.
"""

import itertools
import struct
import sys

import mpmath as mp

DIGITS = 140
# Where values or derivatives are tiny beside others.
MORE = 1500
TAILS = ("log1mexp", "log1p_exp", "logaddexp", "normal_pdf", "normal_cdf")
# What is known to 1e-10 by shape parameters is measured with that instead of sixteen roundings.
BY_SHAPE = 3e4


def both(*magnitudes):
    return [s * m for m in magnitudes for s in (1, -1)]


def log1mexp(x):
    return mp.log(-mp.expm1(x))


def log1p_exp(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def sinc(x):
    return mp.mpf(1) if x == 0 else mp.sin(mp.pi * x) / (mp.pi * x)


def normal_pdf(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def normal_quantile(p):
    """By Newton's method on the logarithm, which is nearly a parabola."""
    if p > 0.5:
        return -normal_quantile(1 - p)
    t = mp.sqrt(-2 * mp.log(p))
    x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))))
    for _ in range(12):
        cdf = normal_cdf(x)
        x -= mp.log(cdf / p) * cdf / normal_pdf(x)
    return x


def erfinv(y):
    return normal_quantile((1 + y) / 2) / mp.sqrt(2) if abs(y) > 1e-3 else mp.findroot(lambda x: mp.erf(x) - y, y * mp.sqrt(mp.pi) / 2)


def lambert_w(x):
    return mp.lambertw(x).real


def ln_gamma(x):
    return mp.loggamma(x).real if x > 0 else mp.log(abs(mp.gamma(x)))


def ln_beta(a, b):
    # The sum is exact to many more digits than its terms cancel.
    with mp.extradps(60):
        return ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)


def beta(a, b):
    with mp.extradps(60):
        return mp.gamma(a) * mp.gamma(b) / mp.gamma(a + b) if max(abs(a), abs(b)) < 1e4 else mp.exp(ln_beta(a, b))


def logaddexp(a, b):
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


EVERYWHERE = both(1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.3, 0.7, 1, 1.3, 2, 3, 5, 8, 13, 20, 37, 100, 600)
POSITIVE = [x for x in EVERYWHERE if x > 0] + [1e-308, 1.4616, 1.46163214496836234, 0.5, 0.99, 1.0001, 1.99, 2.0001, 2.5, 4.2, 7.9, 10.5, 15.9, 16.1, 1e3, 1e5, 1e10, 1e20, 1e100]
PROBABILITIES = [1e-300, 1e-200, 1e-100, 1e-50, 1e-20, 1e-10, 1e-5, 1e-3, 0.02, 0.1, 0.2, 0.2499, 0.2501, 0.3, 0.45, 0.4999, 0.5001, 0.6, 0.7499, 0.7501, 0.9, 0.99, 0.9999, 1 - 1e-8, 1 - 1e-13, 1 - 2**-52]
NEGATIVE = [-1e-300, -1e-8, -0.1, -0.3, -0.5, -0.504083008264455, -0.9, -0.999999, -1.0000001, -1.573498473162390, -1.5, -2.2, -2.457024, -2.5, -2.7, -3.9, -10.3, -20.7, -50.5, -100.25, -170.5]
PAIRS = [(0.3, 0.7), (1.3, 2.5), (2, 3), (0.5, 0.5), (1, 1), (1e-8, 2), (1e-300, 3), (1e-8, 1e-8), (1e-3, 150), (7.5, 8.5), (3, 20), (40, 0.2), (80, 80), (100, 300), (1e-5, 1e8), (2, 1e10), (1e10, 2.5), (12.5, 1e6), (1e5, 1e5), (300, 1e3), (1e6, 1e9), (15.9, 1e-4), (1e8, 1e-9), (500, 1e-20), (9, 9.5)]
ORDERS = (0, 1, 2, 3, 5, 10, 25, 60)
ARGUMENTS = [1e-300, 1e-100, 1e-8, 1e-3, 0.1, 0.5, 1, 1.5, 1.99, 2, 2.1, 2.404825557695773, 3.8317, 5, 7.3, 8, 10, 14.9, 20, 25.1, 40, 60.5, 100, 300, 1e3, 1e5, 1e8]

# The function, its points, and how far it is to the nearest singularity.
ONE = {
    "log1mexp": (log1mexp, [x for x in EVERYWHERE if x < 0] + [-0.6931, -0.6932], lambda x: min(abs(x), 1)),
    "log1p_exp": (log1p_exp, EVERYWHERE, lambda x: 1),
    "sinc": (sinc, both(1e-300, 1e-8, 1e-3, 0.02, 0.1, 0.25, 0.3, 0.47, 0.5, 0.7, 0.99, 1, 1.1, 1.43, 1.5, 2, 2.3, 3, 5.5, 10.2, 100.3, 1e5 + 0.3, 1e10), lambda x: 1e-10),
    "normal_pdf": (normal_pdf, [x for x in EVERYWHERE if abs(x) < 40], lambda x: 1),
    "normal_cdf": (normal_cdf, [x for x in EVERYWHERE if abs(x) < 38], lambda x: 1),
    "normal_quantile": (normal_quantile, PROBABILITIES, lambda x: min(x, 1 - mp.mpf(x))),
    "erfinv": (erfinv, both(1e-300, 1e-20, 1e-8, 0.01, 0.1, 0.3, 0.4999, 0.5001, 0.7, 0.9, 0.99, 0.9999, 1 - 1e-8, 1 - 2**-53), lambda x: 1 - abs(mp.mpf(x))),
    "lambert_w": (lambert_w, [-0.367879441, -0.3678, -0.367, -0.36, -0.33, -0.3, -0.25, -0.21, -0.19, -0.1, -1e-3, -1e-10, -1e-300, 1e-300, 1e-10, 1e-3, 0.1, 0.19, 0.21, 0.49, 0.51, 0.99, 1.01, 2, 2.718281828459045, 2.9, 3.1, 5, 10, 100, 1e3, 1e5, 1e10, 1e50, 1e100, 1e200, 1e300], lambda x: x + mp.exp(-1)),
    "ln_gamma": (ln_gamma, POSITIVE + NEGATIVE, lambda x: abs(x - min(0, mp.nint(x)))),
    "gamma": (mp.gamma, [x for x in POSITIVE if x < 171.7] + [150.5, 165.3, 171.3] + NEGATIVE, lambda x: abs(x - min(0, mp.nint(x)))),
    "digamma": (mp.digamma, POSITIVE + NEGATIVE, lambda x: abs(x - min(0, mp.nint(x)))),
    "trigamma": (lambda x: mp.psi(1, x), POSITIVE + NEGATIVE, lambda x: abs(x - min(0, mp.nint(x)))),
}
SEVERAL = {
    "xlogy": (lambda x, y: x * mp.log(y), [(0.3, 0.7), (-1.3, 2.5), (2, 1e-300), (1e-300, 1e300), (1e10, 1.0001), (3, 1e20), (-1e-8, 0.1)], lambda x, y: (1, y)),
    "logaddexp": (logaddexp, [(0.3, 0.7), (-1.3, 2.5), (0, 1e-9), (1000, 999), (-1000, -1000.5), (40, 0), (0, -40), (700, -700), (-0.6931, -0.6932), (1e8, 1e8 + 3), (-3, 30)], lambda a, b: (1, 1)),
    "ln_beta": (ln_beta, PAIRS + [(b, a) for a, b in PAIRS if a != b], lambda a, b: (a, b)),
    "beta": (beta, [(a, b) for a, b in PAIRS if max(a, b) < 1e9 and 1e-15 < min(a, b) < 500] + [(-0.3, 2.4), (3.2, -1.7), (-2.2, -0.7)], lambda a, b: (abs(a), abs(b)) if min(a, b) > 0 else (0.1, 0.1)),
}
def bessel_i(n, x):
    return mp.besseli(abs(n), x)


# Of an integer and a number.
ORDERED = {"bessel_j": mp.besselj, "bessel_y": mp.bessely, "bessel_i": bessel_i, "bessel_k": mp.besselk}


def neighbours(f, n, x, k, sign):
    """The k-th derivative by DLMF 10.6.7 and 10.29.5, which take no differences."""
    terms = (mp.binomial(k, j) * sign**j * f(n - k + 2 * j, x) for j in range(k + 1))
    return mp.mpf(-1 if f is mp.besselk and k % 2 else 1) * sum(terms) / mp.mpf(2) ** k


def orders_of(name):
    largest = {"bessel_j": 1e8, "bessel_y": 1e8, "bessel_i": 690, "bessel_k": 740}[name]
    for n in ORDERS:
        points = [x for x in ARGUMENTS if x < largest and (n < 10 or 1e-8 < x < 1e6) and (n in (0, 2, 10) or round(x * 10) % 3 != 1)]
        yield n, points


SHAPES = [(0.3, 0.7), (1, 2), (2.5, 1), (0.5, 0.5), (0.5, 4), (3, 12), (12, 3), (10, 30), (30, 10), (30, 31), (100, 90), (100, 150), (1e3, 1010.5), (1e3, 900), (1e-3, 0.5), (1e-3, 3), (0.9, 1.2), (1e-8, 0.3), (1e-8, 0.999), (0.2, 1.1), (5, 1e-5), (0.1, 1e-100), (40, 2e-3), (12.5, 12.5), (11.9, 11.9), (5, 100), (20, 300), (1e5, 1e5 + 100), (1e5, 99000), (2.2, 60)]
BETAS = [(0.5, 0.5, 0.3), (2, 3, 0.4), (2, 3, 0.9), (0.3, 5, 0.01), (5, 0.3, 0.97), (1, 1, 0.25), (10, 10, 0.5), (12.5, 20.5, 0.3), (12.5, 20.5, 0.8), (30, 1.5, 0.9), (30, 1.5, 0.99), (100, 200, 0.35), (100, 200, 0.25), (5, 1000, 0.004), (5, 1000, 0.02), (1e3, 1e3, 0.51), (1e4, 2e4, 0.33), (0.1, 0.1, 1e-10), (0.1, 0.2, 0.999), (3, 2, 1e-100), (50, 60, 0.1), (8, 9, 0.6)]


def rounded(x, single):
    return struct.unpack("f", struct.pack("f", x))[0] if single else float(x)


def partial(f, point, distances, index):
    """By central differences, one variable after the other."""
    if not index:
        return f(*point)
    k, rest = index[0], index[1:]
    step = mp.mpf(distances[k]) * mp.mpf(10) ** -24

    def moved(sign):
        return partial(f, (*point[:k], point[k] + sign * step, *point[k + 1 :]), distances, rest)

    if rest and rest[0] == k:
        # The second difference of one variable.
        middle = partial(f, point, distances, rest[1:])
        after = (*point[:k], point[k] + step, *point[k + 1 :]), (*point[:k], point[k] - step, *point[k + 1 :])
        return (partial(f, after[0], distances, rest[1:]) - 2 * middle + partial(f, after[1], distances, rest[1:])) / step**2
    return (moved(1) - moved(-1)) / (2 * step)


def shown(x, digits=17):
    if abs(x) < mp.mpf(10) ** -400:
        return "0"
    if abs(x) > mp.mpf(10) ** 400:
        return "inf" if x > 0 else "-inf"
    text = mp.nstr(x, digits, strip_zeros=True, min_fixed=0, max_fixed=0)
    return text.replace(".0e", "e").removesuffix("e+0").removesuffix("e0")


def line(name, f, point, distances, single, order=None, shapes=0):
    tiny = any(0 < abs(x) < 1e-30 for x in point)
    mp.mp.dps = 60 if order is not None else MORE if tiny or name in TAILS else DIGITS
    exact = tuple(map(mp.mpf, point))
    distances = [min(d, abs(x) or 1) for d, x in zip(distances, exact)]
    known = {}

    def of(index):
        index = tuple(sorted(index))
        if index not in known:
            if order is None:
                known[index] = partial(f, exact, distances, index)
            else:
                known[index] = neighbours(f, order, exact[0], len(index), 1 if f in (bessel_i, mp.besselk) else -1)
        return known[index]

    entries = []
    for count in (0, 1, 2):
        for index in itertools.combinations_with_replacement(range(len(point)), count):
            value = of(index)
            size = abs(value) + sum(abs(x * of((*index, k))) for k, x in enumerate(exact))
            if name == "beta" and index == (0, 1):
                # A sum of two products, which nearly cancel where one argument is tiny.
                size += abs(of((0,)) * of((1,)) / of(()))
            if any(k < shapes for k in index):
                size *= BY_SHAPE
            entries.append(f"{shown(value)}~{shown(size, 4)}")
    arguments = ([] if order is None else [str(order)]) + [shown(x, 9 if single else 17) for x in exact]
    return f"{name};{'f32' if single else 'f64'};{' '.join(arguments)};{' '.join(entries)}"


def main():
    mp.mp.dps = DIGITS
    print("# The values and partials of special functions, computed with 140 digits and more by special.py.")
    print("# function; type; arguments; the value, first and second partials by the numbers among the arguments in ascending order: d, a tilde,")
    print(f"# and |d| + the sum of |x ∂d/∂x| over the arguments, which is what rounding of the arguments does to it; {BY_SHAPE:.0f} times that for partials by shape parameters.")
    only = set(sys.argv[1:])
    everything = [(name, f, [(x,) for x in points], lambda x, d=distance: (d(x),), None, 0) for name, (f, points, distance) in ONE.items()]
    everything += [(name, f, points, distance, None, 0) for name, (f, points, distance) in SEVERAL.items()]
    for name, f in ORDERED.items():
        everything += [(name, f, [(x,) for x in points], lambda x: (min(x, 1),), n, 0) for n, points in orders_of(name)]
    everything += INCOMPLETE
    for name, f, points, distances, order, shapes in everything:
        if only and name not in only:
            continue
        for k, point in enumerate(points):
            print(line(name, f, tuple(map(float, point)), distances(*point), False, order, shapes))
            single = tuple(rounded(x, True) if abs(x) < 1e38 else 0.0 for x in point)
            if k % 4 == 2 and all(1e-30 < abs(x) < 1e30 for x in single) and min(distances(*single)) > 0:
                print(line(name, f, single, distances(*single), True, order, shapes))


def gamma_p(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_q(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_inc(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


INCOMPLETE = [
    ("gamma_p", gamma_p, SHAPES, lambda a, x: (a, x), None, 1),
    ("gamma_q", gamma_q, SHAPES, lambda a, x: (a, x), None, 1),
    ("beta_inc", beta_inc, BETAS, lambda a, b, x: (a, b, min(x, 1 - mp.mpf(x))), None, 2),
]

if __name__ == "__main__":
    main()
