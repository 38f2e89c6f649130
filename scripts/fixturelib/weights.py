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

# Gain over 1/sqrt(inputs), by a part of the parameter's name; the first match counts.
GAINS = [
    (("c_attn", "query_key_value", "q_proj", "k_proj", "qkv"), 1.3),
    (("gate_proj", "c_fc", "dense_h_to_4h", "fc1", "fc_in", "ffn.up_proj", "gate_up_proj"), 1.5),
]
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

# Families whose norms multiply by 1 + weight.
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
    """Fills every parameter of `model` in place, in the order of their names.

    `head_gain` is for embeddings and heads; `score_gain` multiplies the gain of the projections to queries and keys.
    """
    source = generator(f"weights/{key}")
    # GPT-2 stores its matrices as (in, out), everything else as (out, in).
    transposed = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Conv1D)}
    centre = 0.0 if model.config.model_type in ONE_PLUS else 1.0

    def normal(tensor: torch.Tensor) -> torch.Tensor:
        return torch.randn(tensor.shape, generator=source, dtype=torch.float32)

    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            special = next((values for end, values in STATE_SPACE.items() if name.endswith(end)), None)
            if special:
                tensor.copy_(special[0] + special[1] * normal(tensor))
                continue
            norm = any(part in name for part in ("norm", "ln_"))
            if tensor.dim() == 1 or norm:
                if norm and name.endswith("weight"):
                    tensor.copy_(centre + 0.3 * normal(tensor))
                else:
                    tensor.copy_((0.2 if norm else 0.3) * normal(tensor))
                continue
            embedding = any(part in name for part in ("embed", "wte", "wpe", "lm_head"))
            if embedding:
                scale = head_gain / math.sqrt(tensor.shape[1])
            else:
                inputs = tensor.shape[0] if name in transposed else tensor.shape[1]
                gain = next((g for parts, g in GAINS if any(p in name for p in parts)), 1.0)
                if any(part in name for part in GAINS[0][0]):
                    gain *= score_gain
                scale = gain / math.sqrt(inputs)
            tensor.copy_(scale * normal(tensor))
