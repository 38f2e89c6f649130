"""The model, under the checkpoint's parameter names, and the heads that are thrown away."""

import math

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, HEADS, INNER, THETA, EPS = 5, 160, 5, 320, 1000.0, 1e-5


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return F.rms_norm(x, (WIDTH,), self.weight, EPS)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x, cos, sin, mask):
        q, k, v = (p(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = (y * cos + torch.cat([-y.chunk(2, -1)[1], y.chunk(2, -1)[0]], -1) * sin for y in (q, k))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # [B, H, T, D]
        return self.o_proj(y.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = Norm(), Norm()
        self.self_attn, self.mlp = Attention(), Mlp()

    def forward(self, x, *where):
        x = x + self.self_attn(self.input_layernorm(x), *where)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """Parameters have the checkpoint's names."""

    def __init__(self, vocabulary):
        super().__init__()
        layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.model = nn.ModuleDict({"embed_tokens": nn.Embedding(vocabulary, WIDTH), "layers": layers, "norm": Norm()})
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                out = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(p, std=1 / math.sqrt(p.shape[1] * (2 * LAYERS if out else 1)))
        nn.init.normal_(self.model["embed_tokens"].weight, std=0.3)

    def forward(self, ids, position, mask, after=None):
        """Normed states [B, T, WIDTH] for positions [T] or [B, T]; the states after each layer are added to `after`."""
        size = WIDTH // HEADS
        angle = (position[..., None] * THETA ** (-torch.arange(0, size, 2) / size)).repeat(*[1] * position.dim(), 2)
        if angle.dim() == 3:
            angle = angle[:, None]  # every head of a row
        x = self.model["embed_tokens"](ids)
        for layer in self.model["layers"]:
            x = layer(x, angle.cos(), angle.sin(), mask)
            if after is not None:
                after.append(x)
        return self.model["norm"](x)


class Probes(nn.Module):
    """The heads that are thrown away: words two and three back after layer 1, hop by hop after layers 2 to LAYERS − 1."""

    def __init__(self, vocabulary):
        super().__init__()
        self.back = nn.ModuleList(nn.Linear(WIDTH, vocabulary) for _ in range(2))
        self.hop = nn.ModuleList(nn.Linear(WIDTH, vocabulary) for _ in range(LAYERS - 2))

    def forward(self, after, ids, ends, depths, width):
        after = [F.rms_norm(x, (WIDTH,)) for x in after]
        back = [
            F.cross_entropy(head(after[0][:, n:width]).flatten(0, 1), ids[:, : width - n].flatten())
            for n, head in zip((2, 3), self.back)
        ]
        hop = [soft(head(after[n + 1][:, ends]), depths, [0.5] * n + [1]) for n, head in enumerate(self.hop)]
        return back, hop


def soft(logits, depths, weights):
    """Cross entropy with the nouns that follow, weighted by depth and scaled to one for each question."""
    weights = torch.tensor([*weights, *[0.0] * 9][:9] + [0.0])
    target = weights[depths]  # −1 is the last weight, 0
    target = target / target.sum(-1, keepdim=True)
    return -(logits.log_softmax(-1) * target).sum(-1).mean()
