# /// script
# requires-python = ">=3.11"
# dependencies = ["torch==2.15.0", "transformers==5.24.0", "tokenizers==0.23.3", "safetensors==0.8.0"]
# ///
"""Train models/tiny-logic: a small llama-type model that does the first hops of LogicMark.

    cargo build --release
    python scripts/train_tiny.py              # train and save; the time is set by --minutes
    cargo run --release -- run                # score what ships

The text comes from `llscore generate --split train`: whatever the seed, none of it shares a structure with the items that
are scored from three hops on, nor a question below that. Two kinds of batch take turns: `chain` with many questions to
each context (tinylib/chain.py), and items of all tasks with their endings (tinylib/choice.py).
"""

import argparse
import math
import sys
import time
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tinylib import chain, text  # noqa: E402
from tinylib.choice import Choices, choice_losses  # noqa: E402
from tinylib.files import save  # noqa: E402
from tinylib.model import Llama, Probes  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "models" / "tiny-logic"
FIRST_SEED = 1_000_000  # and upwards, so that none is that of data/
VOCABULARY_SEED = 999_999

MATRIX_RATE, OTHER_RATE, WARM_UP = 6e-3, 4e-3, 30
# Of each round of batches, those of chain's own kind; the others go round the tasks.
CHAIN_EVERY = 3


def train(args):
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    started = time.time()
    encoder = text.tokenizer(args.binary, args.tasks, VOCABULARY_SEED, args.vocabulary)
    ids = encoder.get_vocab()
    print(f"{len(ids)} words, {time.time() - started:.0f} s", flush=True)
    seed = FIRST_SEED + 1_000_000 * args.seed
    batches = chain.Batches(args.binary, ids, seed)
    choices = [Choices(args.binary, encoder, task, seed + 1000 * (n + 1), args.groups) for n, task in enumerate(args.tasks)]
    model, probes = Llama(len(ids)), Probes(len(ids))
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    matrices = [p for p in model.model["layers"].parameters() if p.dim() == 2]
    others = [p for p in [*model.parameters(), *probes.parameters()] if not any(p is m for m in matrices)]
    optimizers = [
        torch.optim.Muon(matrices, lr=MATRIX_RATE, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    base_rates = [[group["lr"] for group in o.param_groups] for o in optimizers]
    shown, step, spoken = {}, 0, time.time()
    while (share := (time.time() - started) / (60 * args.minutes)) < 1:
        rate = min(1, (step + 1) / WARM_UP) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * share)))
        for optimizer, rates in zip(optimizers, base_rates):
            for group, base in zip(optimizer.param_groups, rates):
                group["lr"] = base * rate
        if step % CHAIN_EVERY == 0:
            _, size, keep, nouns, weights = next(stage for stage in chain.STAGES if share < stage[0])
            loss, parts = chain.losses(model, probes, batches.batch(size, keep, nouns), weights)
            shown.setdefault(f"chain, {keep} sentences", []).append(parts)
        else:
            which = choices[(step - step // CHAIN_EVERY) % len(choices)]
            loss, parts = choice_losses(model, which.batch())
            shown.setdefault(which.task, []).append(parts)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        step += 1
        if time.time() - spoken > 60:
            spoken = time.time()
            print(f"step {step}, {time.time() - started:.0f} s", flush=True)
            for name, parts in sorted(shown.items()):
                print(f"  {name}: " + " ".join(f"{sum(part) / len(part):.2f}" for part in zip(*parts)), flush=True)
            shown = {}
            save(args.folder, model, encoder)
    save(args.folder, model, encoder)
    print(f"{step} steps, {time.time() - started:.0f} s, {time.process_time():.0f} s of processor time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "target/release/llscore"), help="the llscore that makes the text")
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--groups", type=int, default=60, help="groups a depth that are made at a time")
    parser.add_argument("--vocabulary", type=int, default=200, help="groups a depth whose words are learned")
    parser.add_argument("--tasks", nargs="+", default=text.TASKS, choices=text.TASKS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
