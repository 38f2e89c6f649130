"""What the cases of mamba and mamba2 share: the older config dialect, and its keys that change nothing."""

import torch

BF16 = torch.bfloat16
F16 = torch.float16


def released(document: dict) -> None:
    """Keys of the original training code that released files carry along, and without those that 5.x added."""
    for key in ("use_associative_scan", "use_mambapy", "rescale_prenorm_residual"):
        document.pop(key, None)
    document["d_model"] = document["hidden_size"]
    document["n_layer"] = document["num_hidden_layers"]
    document |= {"fused_add_norm": True, "pad_vocab_size_multiple": 8, "rms_norm": True, "ssm_cfg": {}}
