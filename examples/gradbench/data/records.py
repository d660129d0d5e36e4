"""Writes records.jsonl: small inputs of GradBench's evals, and what their functions return.

Everything is computed from the definitions, with the standard library alone; derivatives are complex steps,
f'(x) = Im f(x + ih) / h, which cancel nothing and are exact to rounding.

    python3 examples/gradbench/data/records.py > examples/gradbench/data/records.jsonl
"""

import cmath
import json
import math
import random

STEP = 1e-40
R = random.Random(31337)


def normal(*shape):
    return draw(lambda: round(R.gauss(0.0, 1.0), 4), shape)


def uniform(*shape):
    return draw(lambda: round(R.random(), 4), shape)


def draw(one, shape):
    return [draw(one, shape[1:]) for _ in range(shape[0])] if shape else one()


def along(f, x, i):
    """The derivative of each number of f by x[i]."""
    y = f([v + 1j * STEP if k == i else v for k, v in enumerate(x)])
    return [v.imag / STEP for v in y] if isinstance(y, list) else y.imag / STEP


def gradient(f, x):
    return [along(f, x, i) for i in range(len(x))]


def flat(rows):
    return [v for row in rows for v in row]


def rows(numbers, width):
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


def real(y):
    return y.real if isinstance(y, complex) else y


def record(name, function, workload, given, output, rtol=1e-10):
    line = {"eval": name, "function": function, "workload": workload, "rtol": rtol}
    print(json.dumps({**line, "source": "records.py", "input": given, "output": output}))


# hello


def hello():
    record("hello", "square", "x=1.5", 1.5, 2.25)
    record("hello", "double", "x=1.5", 1.5, 3.0)


# gmm


def logsumexp(x):
    top = max(v.real for v in x)
    return cmath.log(sum(cmath.exp(v - top) for v in x)) + top


def gmm_objective(d, k, x, m, gamma, parameters):
    sizes = [k, k * d, k * d, k * d * (d - 1) // 2]
    parts = []
    for size in sizes:
        parts.append(parameters[:size])
        parameters = parameters[size:]
    alpha, mu, q, l = parts
    mu, q = rows(mu, d), rows(q, d)
    low = d * (d - 1) // 2
    total = -len(x) * (d / 2 * math.log(2 * math.pi) + logsumexp(alpha))
    triangles = []
    for c in range(k):
        matrix = [[0.0] * d for _ in range(d)]
        below = iter(l[c * low : (c + 1) * low])
        for j in range(d):
            matrix[j][j] = cmath.exp(q[c][j])
            for i in range(j + 1, d):
                matrix[i][j] = next(below)
        triangles.append(matrix)
    for point in x:
        terms = []
        for c in range(k):
            off = [a - b for a, b in zip(point, mu[c])]
            seen = [sum(t * o for t, o in zip(row, off)) for row in triangles[c]]
            terms.append(alpha[c] + sum(q[c]) - 0.5 * sum(v * v for v in seen))
        total += logsumexp(terms)
    nn = d + m + 1
    log_gamma = d * (d - 1) / 4 * math.log(math.pi)
    log_gamma += sum(math.lgamma(nn / 2 + (1 - j) / 2) for j in range(1, d + 1))
    total += k * (nn * d * math.log(gamma / math.sqrt(2)) - log_gamma)
    for c in range(k):
        squares = sum(v * v for v in flat(triangles[c]))
        total += m * sum(q[c]) - gamma * gamma / 2 * squares
    return total


def gmm():
    for d, k, n, m, gamma in [(3, 2, 4, 2, 0.7), (1, 2, 3, 0, 1.0)]:
        low = d * (d - 1) // 2
        x, alpha = normal(n, d), normal(k)
        mu, q, l = uniform(k, d), normal(k, d), normal(k, low)
        given = {"d": d, "k": k, "n": n, "x": x, "m": m, "gamma": gamma}
        given |= {"alpha": alpha, "mu": mu, "q": q, "l": l}
        parameters = alpha + flat(mu) + flat(q) + flat(l)

        def f(p):
            return gmm_objective(d, k, x, m, gamma, p)

        g = gradient(f, parameters)
        out = {"alpha": g[:k], "mu": rows(g[k : k + k * d], d)}
        out["q"] = rows(g[k + k * d : k + 2 * k * d], d)
        out["l"] = rows(g[k + 2 * k * d :], low) if low else [[] for _ in range(k)]
        for style in ["", "_flat"]:
            record("gmm", "objective" + style, f"{d}_{k}_{n}", given, f(parameters).real)
            record("gmm", "jacobian" + style, f"{d}_{k}_{n}", given, out)


# ba


def cross(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def ba_error(feat, p):
    r, centre, f, u0, k1, x, w = p[:3], p[3:6], p[6], p[7:9], p[9:11], p[11:14], p[14]
    at = [a - b for a, b in zip(x, centre)]
    square = sum(v * v for v in r)
    if square == 0:
        seen = [a + b for a, b in zip(at, cross(r, at))]
    else:
        theta = cmath.sqrt(square)
        axis = [v / theta for v in r]
        dot = sum(a * b for a, b in zip(axis, at))
        turned = cross(axis, at)
        s, c = cmath.sin(theta), cmath.cos(theta)
        seen = [a * c + t * s + v * dot * (1 - c) for a, t, v in zip(at, turned, axis)]
    flat_point = [seen[0] / seen[2], seen[1] / seen[2]]
    s = sum(v * v for v in flat_point)
    distortion = 1 + k1[0] * s + k1[1] * s * s
    return [w * (v * distortion * f + o - z) for v, o, z in zip(flat_point, u0, feat)]


def ba():
    n, m, p = 2, 3, 4
    for turn in [[-0.75, -1.1, -0.84], [0.0, 0.0, 0.0]]:
        cam = turn + [34.5, 39.6, 53.8, 419.2, 5.8, -8.5, 0.087, 0.0027]
        x, w, feat = [7.2, 0.0011, 3.02], 0.417, [271.7, 834.2]
        given = {"n": n, "m": m, "p": p, "cam": cam, "x": x, "w": w, "feat": feat}
        point = cam + x + [w]
        errors = [real(v) for v in ba_error(feat, point)]
        workload = f"n={n},m={m},p={p}"
        out = {"reproj_error": {"elements": errors, "repeated": p}}
        out["w_err"] = {"element": 1 - w * w, "repeated": p}
        record("ba", "objective", workload, given, out)
        columns = gradient(lambda p: ba_error(feat, p), point)
        starts, cols, vals = [0], [], []
        for i in range(p):
            for row in range(2):
                cols += [11 * (i % n) + k for k in range(11)]
                cols += [11 * n + 3 * (i % m) + k for k in range(3)]
                cols.append(11 * n + 3 * m + i)
                vals += [column[row] for column in columns]
                starts.append(len(cols))
        for i in range(p):
            cols.append(11 * n + 3 * m + i)
            vals.append(-2 * w)
            starts.append(len(cols))
        ends = {"rows": starts[:30] + starts[-1:], "cols": cols[:30] + cols[-1:]}
        record("ba", "jacobian", workload, given, ends | {"vals": vals[:30] + vals[-1:]})


# kmeans


def kmeans():
    points, d = normal(7, 2), 2
    centroids = points[-2:]
    nearest = [
        min(range(2), key=lambda j: sum((a - b) ** 2 for a, b in zip(centroids[j], p)))
        for p in points
    ]
    cost = sum(
        sum((a - b) ** 2 for a, b in zip(centroids[j], p)) for j, p in zip(nearest, points)
    )
    step = []
    for j, centroid in enumerate(centroids):
        mine = [p for p, at in zip(points, nearest) if at == j]
        step.append([centroid[i] - sum(p[i] for p in mine) / len(mine) for i in range(d)])
    given = {"points": points, "centroids": centroids}
    record("kmeans", "cost", "k=2,n=7,d=2", given, cost)
    record("kmeans", "dir", "k=2,n=7,d=2", given, step)


# lstm


def sigmoid(x):
    return 1 / (1 + cmath.exp(-x))


def lstm_loss(l, b, state, sequence, parameters):
    main, extra = rows(parameters[: 8 * l * b], 4 * b), rows(parameters[8 * l * b :], b)
    state = [list(row) for row in state]
    total = 0
    for t in range(len(sequence) - 1):
        x = [a * w for a, w in zip(sequence[t], extra[0])]
        for k in range(l):
            gates = list(zip(main[2 * k], main[2 * k + 1]))
            hidden, cell = state[2 * k], state[2 * k + 1]
            for i in range(b):
                gate = [gates[part * b + i] for part in range(4)]
                forget = sigmoid(x[i] * gate[0][0] + gate[0][1])
                into = sigmoid(hidden[i] * gate[1][0] + gate[1][1])
                out = sigmoid(x[i] * gate[2][0] + gate[2][1])
                change = cmath.tanh(hidden[i] * gate[3][0] + gate[3][1])
                cell[i] = cell[i] * forget + into * change
                hidden[i] = out * cmath.tanh(cell[i])
            x = hidden
        y = [a * w + o for a, w, o in zip(x, extra[1], extra[2])]
        norm = cmath.log(2 + sum(cmath.exp(v) for v in y))
        total += sum(g * (v - norm) for g, v in zip(sequence[t + 1], y))
    return -total / (b * (len(sequence) - 1))


def lstm():
    l, b, c = 2, 3, 4
    given = {"main_params": normal(2 * l, 4 * b), "extra_params": normal(3, b)}
    given["state"] = normal(2 * l, b)
    given["sequence"] = draw(lambda: float(R.randrange(2)), (c, b))
    parameters = flat(given["main_params"]) + flat(given["extra_params"])

    def f(p):
        return lstm_loss(l, b, given["state"], given["sequence"], p)

    record("lstm", "objective", f"l={l},c={c},b={b}", given, f(parameters).real)
    record("lstm", "jacobian", f"l={l},c={c},b={b}", given, gradient(f, parameters))


# ht


def product(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def about(axis, angle):
    c, s = cmath.cos(angle), cmath.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = [[0.0] * 3 for _ in range(3)]
    matrix[axis][axis] = 1.0
    matrix[i][i] = matrix[j][j] = c
    matrix[j][i], matrix[i][j] = s, -s
    return matrix


def ht_errors(model, correspondences, points, us, theta):
    bones = model["bone_count"]
    angles = [[0.0] * 3 for _ in range(bones)]
    at = 6
    for finger in range(5):
        for joint in range(3):
            bone = 2 + 4 * finger + joint
            angles[bone][0] = theta[at]
            at += 1
            if joint == 0:
                angles[bone][1] = theta[at]
                at += 1
    absolutes = []
    for bone in range(bones):
        x, z, y = angles[bone]
        turn = product(product(about(2, z), about(1, y)), about(0, x))
        turn = [row + [0.0] for row in turn] + [[0.0, 0.0, 0.0, 1.0]]
        relative = product(model["base_relatives"][bone], turn)
        parent = model["parents"][bone]
        absolutes.append(relative if parent < 0 else product(absolutes[parent], relative))
    moves = [product(a, b) for a, b in zip(absolutes, model["inverse_base_absolutes"])]
    norm = cmath.sqrt(sum(v * v for v in theta[:3]))
    globally = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    if norm.real >= 1e-4:
        u = [v / norm for v in theta[:3]]
        hat = [[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]]
        twice = product(hat, hat)
        s, c = cmath.sin(norm), cmath.cos(norm)
        globally = [
            [globally[i][j] + s * hat[i][j] + (1 - c) * twice[i][j] for j in range(3)]
            for i in range(3)
        ]
    skin = []
    for base, weights in zip(model["base_positions"], model["weights"]):
        place = [0.0] * 3
        for move, weight in zip(moves, weights):
            for i in range(3):
                place[i] += weight * sum(m * v for m, v in zip(move[i], base))
        if model["is_mirrored"]:
            place[0] = -place[0]
        turned = [sum(r * v for r, v in zip(row, place)) for row in globally]
        skin.append([a + b for a, b in zip(turned, theta[3:6])])
    errors = []
    for k, (which, point) in enumerate(zip(correspondences, points)):
        on_hand = skin[which] if not us else None
        if us:
            corners = [skin[v] for v in model["triangles"][which]]
            u, v = us[k]
            on_hand = [u * a + v * b + (1 - u - v) * c for a, b, c in zip(*corners)]
        errors += [a - b for a, b in zip(point, on_hand)]
    return errors


def ht():
    bones, vertices, count = 21, 4, 3
    for mirrored, us in [(False, []), (True, uniform(count, 2))]:
        model = {"bone_count": bones, "bone_names": [f"bone{i}" for i in range(bones)]}
        model["parents"] = [i - 1 if i < 4 or i % 4 else 1 for i in range(bones)]
        last = [0.0, 0.0, 0.0, 1.0]
        model["base_relatives"] = [normal(3, 4) + [last] for _ in range(bones)]
        model["inverse_base_absolutes"] = [normal(3, 4) + [last] for _ in range(bones)]
        model["base_positions"] = [row + [1.0] for row in normal(vertices, 3)]
        model["weights"] = uniform(vertices, bones)
        model["triangles"] = [[0, 1, 2], [2, 1, 3]]
        model["is_mirrored"] = mirrored
        correspondences = [1, 0, 1] if us else [3, 0, 2]
        points, theta = normal(count, 3), normal(26)
        data = {"model": model, "correspondences": correspondences, "points": points}
        given = {"theta": theta, "data": data, "us": us}

        def f(theta, us=us):
            return ht_errors(model, correspondences, points, us, theta)

        workload = "complicated" if us else "simple"
        record("ht", "objective", workload, given, [real(v) for v in f(theta)], 1e-9)
        columns = gradient(f, theta)
        # Each point has coordinates of its own; all move at once.
        for i in range(2 if us else 0):
            moved = [[v + 1j * STEP if k == i else v for k, v in enumerate(u)] for u in us]
            columns.insert(i, [v.imag / STEP for v in f(theta, moved)])
        record("ht", "jacobian", workload, given, [list(row) for row in zip(*columns)], 1e-9)


# ode


def ode_state(s, x):
    n, h = len(x), 2 / s

    def slope(y):
        return [x[0]] + [x[i] * y[i - 1] for i in range(1, n)]

    def moved(y, k, by):
        return [a + by * b for a, b in zip(y, k)]

    y = [0.0] * n
    for _ in range(s):
        k1 = slope(y)
        k2 = slope(moved(y, k1, h / 2))
        k3 = slope(moved(y, k2, h / 2))
        k4 = slope(moved(y, k3, h))
        y = [
            v + h * (a + 2 * b + 2 * c + d) / 6 for v, a, b, c, d in zip(y, k1, k2, k3, k4)
        ]
    return y


def ode():
    n, s = 5, 3
    x = uniform(n)
    record("ode", "primal", f"n={n},s={s}", {"x": x, "s": s}, ode_state(s, x))
    g = gradient(lambda x: ode_state(s, x)[-1], x)
    record("ode", "gradient", f"n={n},s={s}", {"x": x, "s": s}, g)


# det


def determinant(a):
    if not a:
        return 1.0
    minors = ([row[:j] + row[j + 1 :] for row in a[1:]] for j in range(len(a)))
    return sum((-1) ** j * a[0][j] * determinant(m) for j, m in enumerate(minors))


def det():
    for ell in [1, 4]:
        a = uniform(ell * ell)
        given = {"A": a, "ell": ell}
        record("det", "primal", str(ell), given, real(determinant(rows(a, ell))))
        g = gradient(lambda a: determinant(rows(a, ell)) + 0j, a)
        record("det", "gradient", str(ell), given, g)


# llsq


def llsq_value(n, x):
    total = 0
    for i in range(n):
        t = -1 + 2 * i / (n - 1)
        sign = (t > 0) - (t < 0)
        total += (sign - sum(v * t**j for j, v in enumerate(x))) ** 2
    return total / 2


def llsq():
    x, n = uniform(4), 5
    record("llsq", "primal", f"n={n},m=4", {"x": x, "n": n}, llsq_value(n, x))
    g = gradient(lambda x: llsq_value(n, x), x)
    record("llsq", "gradient", f"n={n},m=4", {"x": x, "n": n}, g)


# lse


def lse():
    x = uniform(6)
    record("lse", "primal", "n=6", {"x": x}, logsumexp(x).real)
    record("lse", "gradient", "n=6", {"x": x}, gradient(logsumexp, x))


# particle and saddle


def argmin(f, g, x):
    fx, gx = f(x), g(x)
    eta, i = 1e-5, 0
    while True:
        if math.sqrt(sum(v * v for v in gx)) <= 1e-5:
            return x
        if i == 10:
            eta, i = eta * 2, 0
            continue
        moved = [a - eta * b for a, b in zip(x, gx)]
        if math.sqrt(sum((a - b) ** 2 for a, b in zip(x, moved))) <= 1e-5:
            return x
        below = f(moved)
        if below < fx:
            x, fx, gx, i = moved, below, g(moved), i + 1
        else:
            eta, i = eta / 2, 0


def landing(w):
    charges = [(10.0, 10.0 - w), (10.0, 0.0)]
    x, y, vx, vy, dt = 0.0, 8.0, 0.75, 0.0, 0.1
    while True:
        ax = ay = 0
        for cx, cy in charges:
            cubed = cmath.sqrt((x - cx) ** 2 + (y - cy) ** 2) ** 3
            ax, ay = ax + (x - cx) / cubed, ay + (y - cy) / cubed
        x, y = x + dt * vx, y + dt * vy
        if y.real <= 0:
            return (x - y / vy * vx) ** 2
        vx, vy = vx + dt * ax, vy + dt * ay


def particle():
    w = argmin(
        lambda x: landing(x[0]).real, lambda x: gradient(lambda p: landing(p[0]), x), [0.5]
    )
    for function in ["ff", "fr", "rf", "rr"]:
        record("particle", function, "w=0.5", {"w": 0.5}, w[0], 1e-6)


def saddle():
    start = [1.0, 0.5]
    # What one of the two pairs is does not change where the other one goes.
    x = argmin(lambda x: x[0] ** 2 + x[1] ** 2, lambda x: [2 * x[0], 2 * x[1]], start)
    for function in ["ff", "fr", "rf", "rr"]:
        record("saddle", function, str(start), {"start": start}, x + x, 1e-2)


for write in [hello, gmm, ba, kmeans, lstm, ht, ode, det, llsq, lse, particle, saddle]:
    write()
