"""Vectors of evals.md 7.2 and 7.3 that the rules of November 2026 changed, worked out without any code of the runtime.

Plain Python, no packages: quantiles of Student's t by Simpson's rule and bisection, of the normal distribution from `statistics`.
The output is pinned in `test/unit/eval/stats/vectors.json`:

    python3 dev/evals/vectors.py > test/unit/eval/stats/vectors.json
"""

import json
from math import exp, fsum, lgamma, pi, sqrt
from statistics import NormalDist


def t_density(x, df):
    return exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * pi) * (1 + x * x / df) ** (-(df + 1) / 2)


def t_within(x, df, steps=20000):
    """P(0 <= T <= x)"""
    h = x / steps
    odd = fsum(t_density(h * i, df) for i in range(1, steps, 2))
    even = fsum(t_density(h * i, df) for i in range(2, steps, 2))
    return h / 3 * (t_density(0, df) + 4 * odd + 2 * even + t_density(x, df))


def t_quantile(p, df):
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        if t_within(middle, df, 4000) < p - 0.5:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def wilson(share, n, c):
    centre = (share + c * c / (2 * n)) / (1 + c * c / n)
    half = c * sqrt(share * (1 - share) / n + c * c / (4 * n * n)) / (1 + c * c / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def newcombe(e, f, g, h, level):
    """Method 10, with the correlation corrected for continuity; B less A."""
    n = e + f + g + h
    z = NormalDist().inv_cdf((1 + level) / 2)
    a, b = (e + f) / n, (e + g) / n
    (la, ua), (lb, ub) = wilson(a, n, z), wilson(b, n, z)
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    c = e * h - f * g
    if c > 0:
        c = max(0.0, c - n / 2)
    phi = 0.0 if margins <= 0 else c / sqrt(margins)
    root = lambda x, y: sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))
    return b - a - root(b - lb, ua - a), b - a + root(ub - b, a - la)


def standard_error(values, clusters):
    n = len(values)
    mean = fsum(values) / n
    sums = {}
    for value, cluster in zip(values, clusters):
        sums.setdefault(cluster, []).append(value - mean)
    squares = fsum(fsum(part) ** 2 for part in sums.values())
    count = len(sums)
    se = sqrt(count / (count - 1) * squares) / n
    return mean, 0.0 if se < 1e-12 else se, count


def paired(a, b, clusters, kind, level):
    """The rule of `Differences of pairs`."""
    d, se, count = standard_error([y - x for x, y in zip(a, b)], clusters)
    if se == 0 and kind == "amount":
        return {"value": d, "se": se, "low": None, "high": None}
    half = t_quantile((1 + level) / 2, count - 1) * se if se > 0 else 0.0
    low, high = d - half, d + half
    mean_a, mean_b = fsum(a) / len(a), fsum(b) / len(b)
    extreme = any(mean < 0.05 or mean > 0.95 for mean in (mean_a, mean_b))
    if se == 0 or (kind == "share" and (count < 10 or extreme)):
        e = count * min(mean_a, mean_b)
        g = count * max(mean_b - mean_a, 0)
        f = count * max(mean_a - mean_b, 0)
        plain = newcombe(e, f, g, max(0.0, count - e - f - g), level)
        low, high = min(low, plain[0]), max(high, plain[1])
    return {"value": d, "se": se, "low": low, "high": high}


def scaled_mean(values, level=0.95):
    """The rule of `Shares of scaled values`: as many trials as have this standard error."""
    mean, se, count = standard_error(values, range(len(values)))
    n_eff = count if se == 0 else mean * (1 - mean) / se**2
    low, high = wilson(mean, n_eff, t_quantile((1 + level) / 2, count - 1))
    return {"value": mean, "se": se, "n_eff": n_eff, "low": low, "high": high}


third = 1 / 3
A = [1, 2 * third, 1, 0, third, 1, 2 * third, 1]
B = [1, 1, 1, third, third, 1, 1, 2 * third]
alone = lambda values: [str(at) for at in range(len(values))]

pairs = list("aabbccddeeffgghhiijjkkll")
# name, baseline, compared, clusters, kind, level
cases = [
    ("8 samples, 3 epochs", A, B, None, "share", 0.95),
    ("the same at level 0.9", A, B, None, "share", 0.9),
    ("the same as scores on a scale", A, B, None, "score", 0.95),
    ("5 samples in 2 clusters, all passed by both", [1] * 5, [1] * 5, list("aaabb"), "share", 0.9),
    ("5 samples in 2 clusters, 4 passed by B", [1] * 5, [1, 1, 1, 1, 0], list("aaabb"), "share", 0.9),
    ("12 clusters, means near 1", [1] * 24, [1] * 22 + [0, 1], pairs, "share", 0.9),
    ("12 clusters, 20 and 18 of 24", [1] * 20 + [0] * 4, [1] * 12 + [0] * 6 + [1] * 6, pairs, "share", 0.9),
    ("scores that are all the same", [0.5, 0.75, 0.25, 0.5], [0.5, 0.75, 0.25, 0.5], None, "score", 0.95),
    ("scores that are all better by the same", [0.5, 0.25, 0.125], [0.75, 0.5, 0.375], None, "score", 0.95),
    ("amounts that differ by the same", [2, 3, 4], [3, 4, 5], None, "amount", 0.95),
]

out = {"paired": [], "scaled": []}
for name, a, b, clusters, kind, level in cases:
    found = paired(a, b, clusters or alone(a), kind, level)
    out["paired"].append(
        {"name": name, "a": a, "b": b, "clusters": clusters, "kind": kind, "level": level, "expected": found}
    )
for name, values in [
    ("five scores", [0.2, 0.4, 0.55, 0.7, 0.9]),
    ("fifteen scores near 1", [0.8, 0.95, 1, 0.9, 0.85, 1, 0.75, 0.9, 1, 0.95, 0.8, 0.7, 1, 0.9, 0.85]),
    ("scores that are all the same", [0.1, 0.1, 0.1]),
]:
    out["scaled"].append({"name": name, "values": values, "expected": scaled_mean(values)})

print(json.dumps(out, indent=2))
