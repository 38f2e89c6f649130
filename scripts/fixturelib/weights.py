"""Random weights that show errors: far from initialisation scale, norms and biases not trivial.

At initialisation scale attention is nearly uniform and every branch small beside the residual, so that a wrong
mask, scale or rotation hardly moves a log-probability. Here scores have a spread of about 1.5, the branches weigh
as much as the residual, and logits have a spread of about 2.
"""

import copy
import hashlib
import math

import torch
from transformers import AutoModelForCausalLM
from transformers.pytorch_utils import Conv1D

# Parts of the names of the projections to queries and keys.
SCORES = ("c_attn", "query_key_value", "q_proj", "k_proj", "qkv", "q_b_proj", "kv_b_proj")
# Gain over 1/sqrt(inputs), by a part of the parameter's name; the first match counts.
GAINS = [
    (SCORES, 1.3),
    (("mlp.gate.", "mlp.router."), 1.5),
    (("gate_proj", "c_fc", "dense_h_to_4h", "fc_in", "ffn.up_proj"), 1.5),
]
# Gains of one family alone, which come before those of all. Other families have parts of the same names at gain 1.
FAMILY_GAINS = {
    "opt": [(("fc1",), 1.5)],
    "phi": [(("fc1",), 1.5)],
    "phi3": [(("gate_up_proj",), 1.5)],
}
HEAD_GAIN = 2.0

# State spaces, by the end of a parameter's name: mean and spread of a normal draw. A time step of about 0.2 and decay
# rates of about 0.2 leave a state that fades over tens of tokens.
STATE_SPACE = {
    "mixer.A_log": (-1.5, 1.0),
    "mixer.D": (1.0, 0.5),
    "mixer.dt_bias": (-1.5, 0.7),
    "mixer.dt_proj.bias": (-1.5, 0.7),
    "mixer.conv1d.weight": (0.0, 0.6),
}

# Families whose norms multiply by 1 + weight though a fresh weight is one.
ONE_PLUS = {"nemotron"}


def generator(key: str) -> torch.Generator:
    """A generator seeded by the digest of `key`."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1
    return torch.Generator().manual_seed(seed)


def random_model(config, key: str, head_gain: float = HEAD_GAIN, score_gain: float = 1.0) -> torch.nn.Module:
    """A model in f32, every parameter random. `config` stays as it is: cases share them, and saving changes them."""
    model = AutoModelForCausalLM.from_config(copy.deepcopy(config), dtype=torch.float32).eval()
    randomise(model, key, head_gain, score_gain)
    return model


def randomise(model: torch.nn.Module, key: str, head_gain: float = HEAD_GAIN, score_gain: float = 1.0) -> None:
    """Fills every parameter of `model` in place, in the order of their names, then the biases of routers.

    `head_gain` is for embeddings and heads; `score_gain` multiplies the gain of the projections to queries and keys.
    """
    source = generator(f"weights/{key}")
    family = model.config.model_type
    gains = FAMILY_GAINS.get(family, []) + GAINS
    # GPT-2 stores its matrices as (in, out), everything else as (out, in); of fused experts, (experts, out, in) in
    # memory, gpt_oss alone has (experts, in, out).
    transposed = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Conv1D)}

    def normal(tensor: torch.Tensor) -> torch.Tensor:
        return torch.randn(tensor.shape, generator=source, dtype=torch.float32)

    def vector(name: str, tensor: torch.Tensor, norm: bool) -> torch.Tensor:
        if norm and name.endswith("weight"):
            # A fresh norm is one, or zero where the model adds one.
            centre = 0.0 if family in ONE_PLUS else tensor.mean()
            # Normalised queries and keys get a wider spread, but not where every head has weights of its own.
            if tensor.dim() == 1 and (".q_norm." in name or ".k_norm." in name):
                centre = centre + 0.3
            return centre + 0.3 * normal(tensor)
        if name.endswith("sinks"):
            return 1.5 * normal(tensor)
        return (0.2 if norm else 0.3) * normal(tensor)

    def matrix(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if any(part in name for part in ("embed", "wte", "wpe", "lm_head")):
            return head_gain / math.sqrt(tensor.shape[1]) * normal(tensor)
        inputs_first = name in transposed or (tensor.dim() == 3 and family == "gpt_oss")
        inputs = tensor.shape[-2 if inputs_first else -1]
        gain = next((g for parts, g in gains if any(part in name for part in parts)), 1.0)
        if any(part in name for part in SCORES):
            gain *= score_gain
        return gain / math.sqrt(inputs) * normal(tensor)

    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            special = next((values for end, values in STATE_SPACE.items() if name.endswith(end)), None)
            if special:
                tensor.copy_(special[0] + special[1] * normal(tensor))
                continue
            norm = any(part in name for part in ("norm", "ln_"))
            # Biases of experts are fused too: (experts, out).
            flat = tensor.dim() == 1 or norm or name.endswith("_proj_bias")
            tensor.copy_(vector(name, tensor, norm) if flat else matrix(name, tensor))
        for name, tensor in sorted(model.named_buffers()):
            if name.endswith("e_score_correction_bias"):
                tensor.copy_(0.2 * normal(tensor))
