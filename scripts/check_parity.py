# /// script
# requires-python = ">=3.10"
# dependencies = ["torch==2.15.0", "transformers==5.24.0", "gguf", "accelerate"]
# ///
"""Checks a run of llscore against transformers in f32, token by token.

    llscore run --model MODEL --data ITEMS.jsonl --log-tokens --output DIR
    python scripts/check_parity.py MODEL DIR/samples.jsonl

MODEL is a HuggingFace folder or id, or a .gguf file (transformers dequantises it to f32). Every ending is computed
by itself, without cache or padding. Prints the largest difference of a token's log-probability, and how many items
choose another ending where the margin exceeds 1e-3 nat. Exit code 1 if a token differs by more than --tolerance.
"""

import argparse
import json
import os
import sys

import torch
from transformers import AutoModelForCausalLM


def load(model):
    if model.endswith(".gguf"):
        folder, name = os.path.split(os.path.abspath(model))
        return AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    return AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)


@torch.no_grad()
def token_logprobs(model, context, ending):
    ids = torch.tensor([context + ending])
    logits = model(ids[:, :-1], use_cache=False).logits[0, len(context) - 1 :]
    logprobs = torch.log_softmax(logits.double(), -1)
    return logprobs[torch.arange(len(ending)), torch.tensor(ending)].tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("samples")
    parser.add_argument("--limit", type=int, help="the first so many items")
    parser.add_argument("--tolerance", type=float, default=2e-3)
    args = parser.parse_args()
    model = load(args.model).eval()
    samples = [json.loads(line) for line in open(args.samples, encoding="utf-8")][: args.limit]
    worst, endings, tokens, other, close = 0.0, 0, 0, 0, 0
    for sample in samples:
        ours, theirs = [], []
        for ending in sample["endings"]:
            reference = token_logprobs(model, ending.get("context_ids", sample["context_ids"]), ending["ids"])
            worst = max([worst] + [abs(a - b) for a, b in zip(reference, ending["logprobs"], strict=True)])
            ours.append(ending["logprob"])
            theirs.append(sum(reference))
            endings += 1
            tokens += len(reference)
        ranked = sorted(theirs, reverse=True)
        if ranked[0] - ranked[1] <= 1e-3:
            close += 1
        elif ours.index(max(ours)) != theirs.index(max(theirs)):
            other += 1
    print(f"{len(samples)} items, {endings} endings, {tokens} tokens")
    print(f"largest difference of a token: {worst:.2e} nat (tolerance {args.tolerance:g})")
    print(f"another choice: {other} items ({close} with a margin of at most 1e-3 not counted)")
    sys.exit(worst > args.tolerance or other > 0)


if __name__ == "__main__":
    main()
