"""Computes the answers of the problems in test/Reference independently.

Usage: problems.py FILE.mlir            checks the file's EXPECT lines
       problems.py --update FILE.mlir   writes them

A problem file carries its arguments and answers as comments in MLIR's syntax:

    // ARGUMENT q = dense<[[1.0, 0.5]]> : tensor<1x2xf32>
    // EXPECT out = dense<[[0.75]]> : tensor<1x1xf64>

Here each problem is computed from its formula in plain Python, without MLIR and
without the C++ reference, which a unit test holds against the same lines.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math
import pathlib
import re
import sys

DECIMALS = 9


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def softmax_row(logits, rows, sink=-math.inf):
    """Weighted mean of rows and log-sum-exp; logits and rows of visible keys."""
    width = len(rows[0]) if rows else 2
    if not logits:
        return [0.0] * width, sink
    total = sum(map(math.exp, logits)) + math.exp(sink)
    weights = [math.exp(t) / total for t in logits]
    out = [sum(p * row[d] for p, row in zip(weights, rows)) for d in range(width)]
    return out, math.log(total)


def heads(q, k):
    """All (batch entry, query head, key head)."""
    group = len(q[0]) // len(k[0])
    return [(b, h, h // group) for b in range(len(q)) for h in range(len(q[0]))]


def attend(q, k, v, visible, bias, sink=None, finish=lambda y, own, b, h, i: y,
           own_row=lambda b, i: i):
    """Softmax attention with scale 1/sqrt(D); returns (out, lse)."""
    scale = 1 / math.sqrt(len(q[0][0][0]))
    out = [[[] for _ in entry] for entry in q]
    lse = [[[] for _ in entry] for entry in q]
    for b, h, g in heads(q, k):
        for i, query in enumerate(q[b][h]):
            keys = [j for j in range(len(k[b][g])) if visible(b, i, j)]
            logits = [scale * dot(query, k[b][g][j]) + bias(b, h, i, j) for j in keys]
            row, sum_log = softmax_row(
                logits, [v[b][g][j] for j in keys], sink[h] if sink else -math.inf
            )
            if keys:
                row = finish(row, v[b][g][own_row(b, i)], b, h, i)
            out[b][h].append(row)
            lse[b][h].append(sum_log)
    return out, lse


def exclude(y, v, strength=1.0):
    component = dot(y, v) / max(dot(v, v), 1e-12)
    return [a - strength * component * c for a, c in zip(y, v)]


def no_bias(b, h, i, j):
    return 0.0


def decode_dense_bias(q, k, v, bias):
    shift = len(k[0][0]) - len(q[0][0])
    return attend(q, k, v, lambda b, i, j: j <= i + shift,
                  lambda b, h, i, j: bias[b][h][i][j])


def left_padded_xsa(q, k, v, offset):
    return attend(q, k, v, lambda b, i, j: -offset[b] <= j <= i, no_bias,
                  finish=lambda y, own, b, h, i: exclude(y, own))


def learned_sink(q, k, v, sink):
    return attend(q, k, v, lambda b, i, j: j < i, no_bias, sink)


def xsa_strength(q, k, v, gate):
    return attend(q, k, v, lambda b, i, j: j <= i, no_bias,
                  finish=lambda y, own, b, h, i: exclude(y, own, math.tanh(gate[b][h][i])))[:1]


def ring_shard(q, k, v, q_offset, k_offset):
    return attend(q, k, v, lambda b, i, j: j + k_offset <= i + q_offset, no_bias)


def fox(q, k, v, c):
    shift = len(k[0][0]) - len(q[0][0])
    return attend(q, k, v, lambda b, i, j: j <= i + shift,
                  lambda b, h, i, j: c[b][h][i + shift] - c[b][h][j])


def image(q, k, v, alpha_y, beta_y, alpha_x, beta_x, omega):
    def axis(alpha, beta, delta):
        return sum(a * math.cos(w * delta) + c * math.sin(w * delta)
                   for a, c, w in zip(alpha, beta, omega))

    def bias(b, h, i, j):
        return (axis(alpha_y[h], beta_y[h], i // 3 - j // 3)
                + axis(alpha_x[h], beta_x[h], i % 3 - j % 3))

    return attend(q, k, v, lambda b, i, j: True, bias)


def sigmoid(q, k, v):
    scale = 1 / math.sqrt(len(q[0][0][0]))
    length = len(k[0][0])
    out = [[[] for _ in entry] for entry in q]
    for b, h, g in heads(q, k):
        for i, query in enumerate(q[b][h]):
            weights = [1 / (1 + math.exp(-(scale * dot(query, k[b][g][j]) - math.log(length))))
                       for j in range(i + 1)]
            out[b][h].append([sum(p * v[b][g][j][d] for j, p in enumerate(weights))
                              for d in range(len(v[b][g][0]))])
    return (out,)


PROBLEMS = {
    "decode-dense-bias": decode_dense_bias,
    "left-padded-xsa": left_padded_xsa,
    "learned-sink": learned_sink,
    "xsa-strength": xsa_strength,
    "ring-shard": ring_shard,
    "fox": fox,
    "image": image,
    "sigmoid": sigmoid,
}

LINE = re.compile(r"// (ARGUMENT|EXPECT) (\w+) = dense<(.*)> : tensor<(.*)>")


def parse(text):
    """The values of a dense attribute, with the hexadecimal form of -inf."""
    return json.loads(text.replace("0xFFF0000000000000", "-Infinity"))


def shape(value):
    return [len(value)] + shape(value[0]) if isinstance(value, list) else []


def flatten(value):
    if not isinstance(value, list):
        return [value]
    return [x for part in value for x in flatten(part)]


def spell(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(spell, value)) + "]"
    return "0xFFF0000000000000" if value == -math.inf else f"{value + 0.0:.{DECIMALS}f}"


def close(a, b):
    return a == b or abs(a - b) <= 0.6 * 10**-DECIMALS


def main(path, update):
    lines = path.read_text().splitlines()
    marked = [(n, LINE.match(line)) for n, line in enumerate(lines) if LINE.match(line)]
    arguments = [parse(m[3]) for _, m in marked if m[1] == "ARGUMENT"]
    expects = [(n, m) for n, m in marked if m[1] == "EXPECT"]
    answers = PROBLEMS[path.stem](*arguments)
    if len(answers) != len(expects):
        sys.exit(f"{path.name}: expected {len(answers)} EXPECT lines but got {len(expects)}")
    for (n, match), answer in zip(expects, answers):
        if update:
            sizes = "x".join(map(str, shape(answer)))
            lines[n] = f"// EXPECT {match[2]} = dense<{spell(answer)}> : tensor<{sizes}xf64>"
        elif not all(map(close, flatten(parse(match[3])), flatten(answer))):
            sys.exit(f"{path.name}:{n + 1}: expected {spell(answer)}")
    if update:
        path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[-1]), sys.argv[1] == "--update")
