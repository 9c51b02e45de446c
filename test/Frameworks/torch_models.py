# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiny GPT and a tiny ViT as people write them in PyTorch."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PriorAttention(nn.Module):
    """Causal self attention with a prior on distance and key, and with the part
    along the row's own value taken out."""

    def __init__(self, width, count, length, rank, dtype):
        super().__init__()
        self.count, self.dtype = count, dtype
        self.qkv = nn.Linear(width, 3 * width, dtype=dtype)
        self.out = nn.Linear(width, width)
        self.alpha = nn.Parameter(0.5 * torch.randn(count, rank))
        self.beta = nn.Parameter(0.5 * torch.randn(count, rank))
        self.key_prior = nn.Parameter(0.5 * torch.randn(count, length))
        self.register_buffer("omega", 10.0 ** -torch.arange(rank))
        nn.init.normal_(self.qkv.weight, std=0.3)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.count, -1).transpose(1, 2)
                   for part in self.qkv(x.to(self.dtype)).chunk(3, dim=-1))
        s = (q @ k.transpose(-2, -1)).float() / math.sqrt(q.shape[-1])
        i = torch.arange(length, device=x.device)[:, None]
        j = torch.arange(length, device=x.device)[None, :]
        phase = (i - j)[..., None] * self.omega
        s = s + torch.einsum("hr,ijr->hij", self.alpha, phase.cos())
        s = s + torch.einsum("hr,ijr->hij", self.beta, phase.sin())
        s = s + self.key_prior[:, None, :length]
        s = s.masked_fill(j > i, -math.inf)
        y = s.softmax(-1).to(v.dtype) @ v
        v = F.normalize(v, dim=-1, eps=1e-3)
        y = y - (y * v).sum(-1, keepdim=True) * v
        y = y.transpose(1, 2).reshape(batch, length, width)
        return self.out(y.float())


class PlainAttention(nn.Module):
    """Self attention by PyTorch's own op."""

    def __init__(self, width, count, dtype):
        super().__init__()
        self.count, self.dtype = count, dtype
        self.qkv = nn.Linear(width, 3 * width, dtype=dtype)
        self.out = nn.Linear(width, width)
        nn.init.normal_(self.qkv.weight, std=0.3)

    def forward(self, x):
        qkv = self.qkv(x.to(self.dtype)).unflatten(-1, (3, self.count, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.0)
        return self.out(y.transpose(1, 2).flatten(2).float())


class Block(nn.Module):
    def __init__(self, width, attention):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), attention
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Dropout(0.1), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """ids (B, L) to logits (B, L, V)."""

    def __init__(self, width=32, count=2, layers=2, length=24, vocabulary=17,
                 rank=3, dtype=torch.float16):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.3 * torch.randn(length, width))
        self.blocks = nn.ModuleList(
            Block(width, PriorAttention(width, count, length, rank, dtype))
            for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.tokens(ids) + self.places[:ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tokens.weight.T


class ViT(nn.Module):
    """images (B, C, H, W) to class logits (B, N)."""

    def __init__(self, width=32, count=2, layers=2, size=16, patch=4, classes=5,
                 dtype=torch.float16):
        super().__init__()
        self.patch = nn.Conv2d(3, width, patch, stride=patch)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(
            0.3 * torch.randn(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(
            Block(width, PlainAttention(width, count, dtype))
            for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.norm(self.blocks(x))[:, 0])
