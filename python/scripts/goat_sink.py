#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prior parameters of a GOAT layer: Fourier amplitudes and the key prior u.

    python3 goat_sink.py --out DIR --seed 0 --heads 12 --length 1024

writes alpha.npy and beta.npy (heads, rank), omega.npy (rank) and u.npy (heads,
length), all float32. The key prior of head h at key position t is

    u_h(t) = scale * (gain_h * MLP(features(t)) + bump_h * [t = 0]
                      + softplus(raw_h) * t)          last term: causal only
    features(t) = [cos(w_m t)..., sin(w_m t)..., t / n, log(1 + t) / log(1 + n)]
    MLP: 2M + 2 -> 4 -> SiLU -> 1, shared by the heads
    w_m = base^(-m / max(M - 1, 1));  omega_r likewise with R for M

with n the training length, or max(length - 1, 1) without one. Everything is
computed in float64 and rounded once.

`initial_layer` draws what the official module starts from: alpha of standard
deviation 1e-2, beta = 0, MLP weights of standard deviation 1e-3, bump = 0,
slopes of ALiBi. Its prior is almost nothing but the slope. `seeded_layer`, which
the command line writes, stands for a trained layer: every term is large enough
to be seen in the result when it is missing. In the packed form of the method
u carries the slope, so u.npy does too (up to 723 at 12 heads, 1024 keys);
it must be added in fp32, never in bf16.

Checked against goat-attention 0.1.1 (float32) with the parameters of
`seeded_layer(12, 4, 4, seed=0)`: u without the slope at 1024 positions differs by
at most 1.4e-6 where its magnitude is 3.6, u with the slope by 9.2e-8 of its
largest value, and the whole prior at 256 positions by 1.1e-5 where its magnitude
is 50. That is the rounding of float32.
"""

import argparse
from dataclasses import dataclass
import math
from pathlib import Path
from typing import Optional

import numpy as np

HIDDEN_UNITS = 4


def frequencies(count: int, base: float = 1.0e4) -> np.ndarray:
    """Returns the geometric series 1 ... 1/base, (count,) float64."""
    return float(base) ** (-np.arange(count) / max(count - 1, 1))


def alibi_slopes(heads: int) -> np.ndarray:
    """Returns the slopes of ALiBi, (heads,) float64.

    A power of two has 2^(-8 (h + 1) / heads). Other counts take those of the
    power of two below and then every second one of the power of two above.
    Raises ValueError unless heads is positive.
    """
    if heads < 1:
        raise ValueError(f"expected at least one head but got {heads}")
    below = 1 << (heads.bit_length() - 1)
    slopes = 2.0 ** (-8.0 * np.arange(1, below + 1) / below)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * below + 1, 2) / below)
    return np.concatenate([slopes, between[:heads - below]])


@dataclass
class PriorParameters:
    """What a layer learns; shapes for H heads, rank R, M absolute frequencies.

    alpha, beta: (H, R). hidden_weight: (4, 2M + 2). hidden_bias,
    output_weight: (4,). gain, bump, slope: (H,); slope is softplus(raw) and
    positive. All float64.
    """

    alpha: np.ndarray
    beta: np.ndarray
    hidden_weight: np.ndarray
    hidden_bias: np.ndarray
    output_weight: np.ndarray
    output_bias: float
    gain: np.ndarray
    bump: np.ndarray
    slope: np.ndarray
    scale: float = 1.0


def draw_layer(heads: int, rank: int, abs_rank: int, seed: int,
               alpha_std: float, beta_std: float, mlp_std: float,
               bump_std: float) -> PriorParameters:
    """Draws parameters from normal distributions of the given deviations."""
    rng = np.random.default_rng(seed)

    def normal(std: float, *shape: int) -> np.ndarray:
        return std * rng.standard_normal(shape)

    return PriorParameters(
        alpha=normal(alpha_std, heads, rank),
        beta=normal(beta_std, heads, rank),
        hidden_weight=normal(mlp_std, HIDDEN_UNITS, 2 * abs_rank + 2),
        hidden_bias=np.zeros(HIDDEN_UNITS),
        output_weight=normal(mlp_std, HIDDEN_UNITS),
        output_bias=0.0,
        gain=np.ones(heads),
        bump=normal(bump_std, heads),
        slope=alibi_slopes(heads))


def initial_layer(heads: int, rank: int, abs_rank: int,
                  seed: int) -> PriorParameters:
    """Draws the official initial values (see the head of this file)."""
    return draw_layer(heads, rank, abs_rank, seed, alpha_std=1e-2,
                      beta_std=0.0, mlp_std=1e-3, bump_std=0.0)


def seeded_layer(heads: int, rank: int, abs_rank: int,
                 seed: int) -> PriorParameters:
    """Draws values of the size a trained layer has."""
    return draw_layer(heads, rank, abs_rank, seed, alpha_std=0.3,
                      beta_std=0.3, mlp_std=0.4, bump_std=1.0)


def position_features(positions: np.ndarray, abs_rank: int,
                      train_length: Optional[int],
                      base: float = 1.0e4) -> np.ndarray:
    """Returns the MLP's input, (positions, 2 abs_rank + 2) float64."""
    last = float(train_length if train_length is not None
                 else max(len(positions) - 1, 1))
    phase = positions[:, None] * frequencies(abs_rank, base)
    return np.concatenate([
        np.cos(phase), np.sin(phase), positions[:, None] / last,
        np.log1p(positions)[:, None] / math.log1p(last)], axis=1)


def key_prior(layer: PriorParameters, length: int, causal: bool = True,
              offset: int = 0, train_length: Optional[int] = None,
              base: float = 1.0e4) -> np.ndarray:
    """Returns u_h(t) for t = offset ... offset + length - 1.

    (heads, length) float64. Without `causal` the slope is left out.
    """
    positions = offset + np.arange(length, dtype=np.float64)
    abs_rank = layer.hidden_weight.shape[1] // 2 - 1
    features = position_features(positions, abs_rank, train_length, base)
    hidden = features @ layer.hidden_weight.T + layer.hidden_bias
    activated = hidden / (1.0 + np.exp(-hidden))
    shared = activated @ layer.output_weight + layer.output_bias
    u = (layer.gain[:, None] * shared
         + layer.bump[:, None] * (positions == 0.0))
    if causal:
        u = u + layer.slope[:, None] * positions
    return layer.scale * u


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--abs-rank", type=int, default=4)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--train-length", type=int)
    parser.add_argument("--bidirectional", action="store_true",
                        help="leave the slope out of u")
    parser.add_argument("--initial", action="store_true",
                        help="draw the official initial values")
    args = parser.parse_args()
    draw = initial_layer if args.initial else seeded_layer
    layer = draw(args.heads, args.rank, args.abs_rank, args.seed)
    arrays = {
        "alpha": layer.alpha,
        "beta": layer.beta,
        "omega": frequencies(args.rank),
        "u": key_prior(layer, args.length, not args.bidirectional,
                       train_length=args.train_length),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    for name, value in arrays.items():
        np.save(args.out / f"{name}.npy", value.astype(np.float32))
        print(f"{name}.npy {value.shape}: {value.min():.4g} ... "
              f"{value.max():.4g}")


if __name__ == "__main__":
    main()
