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

# Gain over 1/sqrt(inputs), by a part of the parameter's name; the first match counts.
GAINS = [
    (("c_attn", "query_key_value", "q_proj", "k_proj", "q_b_proj", "kv_b_proj"), 1.3),
    (("mlp.gate.", "mlp.router."), 1.5),
    (("gate_proj", "c_fc", "dense_h_to_4h"), 1.5),
]
HEAD_GAIN = 2.0


def generator(key: str) -> torch.Generator:
    """A generator seeded by the digest of `key`."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1
    return torch.Generator().manual_seed(seed)


def random_model(config, key: str) -> torch.nn.Module:
    """A model in f32, every parameter random. `config` stays as it is: cases share them, and saving changes them."""
    model = AutoModelForCausalLM.from_config(copy.deepcopy(config), dtype=torch.float32).eval()
    randomise(model, key)
    return model


def randomise(model: torch.nn.Module, key: str) -> None:
    """Fills every parameter of `model` in place, in the order of their names."""
    source = generator(f"weights/{key}")

    def normal(tensor: torch.Tensor) -> torch.Tensor:
        return torch.randn(tensor.shape, generator=source, dtype=torch.float32)

    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            if tensor.dim() == 1:
                norm = any(part in name for part in ("norm", "ln_"))
                if norm and name.endswith("weight"):
                    # A fresh norm is one, or zero where the model adds one. Normalised queries get a wider spread.
                    centre = tensor.mean() + (0.3 if ".q_norm." in name or ".k_norm." in name else 0.0)
                    tensor.copy_(centre + 0.3 * normal(tensor))
                elif name.endswith("sinks"):
                    tensor.copy_(1.5 * normal(tensor))
                else:
                    tensor.copy_((0.2 if norm else 0.3) * normal(tensor))
                continue
            if name.endswith("_proj_bias"):
                tensor.copy_(0.3 * normal(tensor))
                continue
            embedding = any(part in name for part in ("embed", "wte", "wpe", "lm_head"))
            if embedding:
                scale = HEAD_GAIN / math.sqrt(tensor.shape[1])
            else:
                # GPT-2 stores its matrices as (in, out), everything else as (out, in).
                inputs = tensor.shape[0] if ".c_" in name else tensor.shape[1]
                if tensor.dim() == 3 and model.config.model_type != "gpt_oss":
                    # Experts are fused in memory as (experts, out, in), those of gpt_oss as (experts, in, out).
                    inputs = tensor.shape[2]
                gain = next((g for parts, g in GAINS if any(p in name for p in parts)), 1.0)
                scale = gain / math.sqrt(inputs)
            tensor.copy_(scale * normal(tensor))
        for name, tensor in sorted(model.named_buffers()):
            if name.endswith("e_score_correction_bias"):
                tensor.copy_(0.2 * normal(tensor))
