"""Writes a checkpoint folder, rewrites it into what the Hub holds, reloads it and records the numbers."""

import json
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from fixturelib import reference, registry
from fixturelib.weights import random_model

Tensors = dict[str, torch.Tensor]


def hub_dialect(config: dict) -> dict:
    """config.json as released checkpoints have it: top-level `rope_theta`, `rope_scaling`, `torch_dtype`."""
    rope = dict(config.pop("rope_parameters", None) or {})
    if "dtype" in config:
        config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.41.0"
    if "text_config" in config:
        config["text_config"] = hub_dialect(config["text_config"])
        del config["text_config"]["transformers_version"]
    if not rope:
        return config
    if "full_attention" in rope:
        # The scaling concerns full layers only; gemma3 has a key for the theta of the others, olmo3 has none.
        local = rope["sliding_attention"]
        rope = dict(rope["full_attention"])
        if config["model_type"] != "olmo3":
            config["rope_local_base_freq"] = local["rope_theta"]
    theta = rope.pop("rope_theta")
    partial = rope.pop("partial_rotary_factor", None)
    if config["model_type"] == "gpt_neox":
        config["rotary_emb_base"] = int(theta)
        config["rotary_pct"] = partial
    else:
        config["rope_theta"] = theta
        if partial is not None:
            config["partial_rotary_factor"] = partial
    config["rope_scaling"] = None if rope["rope_type"] == "default" else rope
    return config


def edited(*dropped: str, **set_to) -> Callable[[dict], None]:
    """An edit of config.json: drops keys, then sets others."""

    def edit(document: dict) -> None:
        for key in dropped:
            document.pop(key, None)
        document.update(set_to)

    return edit


def checkpoint(
    name: str,
    note: str,
    config,
    *,
    weights: str | None = None,
    long: int = 72,
    dtype: torch.dtype = torch.float32,
    hub: bool = False,
    edit_config: Callable[[dict], None] | None = None,
    edit_tensors: Callable[[Tensors], Tensors] | None = None,
    shard: str = "1GB",
    context: int | None = 20,
    own_head: bool = False,
    add_files: Callable[[Path], None] | None = None,
    **gains: float,
) -> None:
    """Registers a case.

    `weights` names the random weights (default: the case), so that twins share weights and sequences. `long` and
    `context` are lengths of sequences, in ids; without a context there is one long sequence. `hub` writes the older
    config dialect; the edits come after that.
    `own_head` says that the edited file has a head which the model in memory lacks.
    `add_files` writes what else the folder holds. `gains` are those of `randomise`.
    """

    def make(folder: Path) -> str:
        model = random_model(config, weights or name, **gains).to(dtype)
        model.save_pretrained(folder, max_shard_size=shard)
        (folder / "generation_config.json").unlink(missing_ok=True)
        rewrite(folder, hub, edit_config, edit_tensors)
        for path in folder.glob("*.safetensors"):
            path.chmod(0o644)
        if add_files:
            add_files(folder)
        loaded = reload(folder, model, own_head)
        records = reference.reference(loaded, weights or name, config.get_text_config().vocab_size, long, context)
        reference.write_expected(folder, name, note, config.model_type, records)
        error = reference.conditioning(loaded, records)
        if error > 2e-5:
            raise ValueError(f"{name}: f32 and f64 differ by {error}")
        return reference.remark(records, error)

    registry.add(name, note, make)


def rewrite(folder: Path, hub: bool, edit_config, edit_tensors) -> None:
    """Applies the edits to config.json and to the (unsharded) weights."""
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    if hub:
        config = hub_dialect(config)
    if edit_config:
        edit_config(config)
    if hub or edit_config:
        path.write_text(json.dumps(dict(sorted(config.items())), indent=2) + "\n", encoding="utf-8")
    if edit_tensors:
        weights = folder / "model.safetensors"
        save_file(edit_tensors(load_file(weights)), weights, metadata={"format": "pt"})


def reload(folder: Path, model, own_head: bool) -> torch.nn.Module:
    """The checkpoint as read from disk in f32, checked against the model that was written."""
    loaded, info = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    if info["missing_keys"] or info["mismatched_keys"]:
        raise ValueError(f"{folder.name}: {info}")
    written, read = model.state_dict(), loaded.state_dict()
    same = {key: key in written and torch.equal(written[key].float(), read[key]) for key in read}
    if own_head and same.pop("lm_head.weight"):
        raise ValueError(f"{folder.name}: the head of the file was not used")
    if written.keys() != read.keys() or not all(same.values()):
        raise ValueError(f"{folder.name}: the reloaded weights differ from the written ones")
    if loaded.dtype != torch.float32:
        raise ValueError(f"{folder.name}: loaded as {loaded.dtype}")
    return loaded.eval()
