# /// script
# requires-python = ">=3.10"
# dependencies = [
#   "lm_eval==0.4.13", "torch==2.15.0", "transformers==5.24.0", "accelerate==1.15.0", "datasets==5.2.0",
#   "gguf==0.19.0", "tokenizers==0.23.3",
# ]
# ///
"""Runs llscore and lm_eval in turn on the same model, items and machine, and compares speed and scores.

    cargo build --release
    python scripts/bench_peers.py --model FOLDER|FILE.gguf|HUB_ID --data ITEMS.jsonl [--limit N] [--threads N]

lm_eval runs as its users run it: the `hf` back end in f32 on the CPU, through `simple_evaluate` and a multiple-choice
task made of the items (`acc` and `acc_norm`). Both sides get the same number of threads. "scoring" is the time from
token ids to log-likelihoods, with the model loaded and the text encoded; "whole command" is from the start of the
program to its results.

A .gguf file is read by transformers too, which turns its blocks into f32. Its tokenizer is not taken from transformers,
whose conversion leaves out the rules by which some models cut text (SmolLM2's single digits, say): it is built here from
the file's metadata for byte-level BPE with the cuts of GPT-2 or SmolLM. For others, and to force one, give both sides
the same tokenizer.json (or its folder) with --tokenizer.

Exit code 1 if a choice differs where lm_eval's margin between the best two endings exceeds 1e-3 nat.
"""

import time

STARTED = time.perf_counter()

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MARGIN = 1e-3
BINARY = Path(__file__).resolve().parent.parent / "target" / "release" / "llscore"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="HuggingFace folder, .gguf file or Hub id")
    parser.add_argument("--data", required=True, help="items as llscore reads them, JSON Lines")
    parser.add_argument("--tokenizer", help="tokenizer.json, or a folder that holds one, for both sides")
    parser.add_argument("--limit", type=int, help="only the first so many items")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    parser.add_argument("--batch-size", type=int, default=8, help="lm_eval's; default: 8")
    parser.add_argument("--repeats", type=int, default=1, help="times that each side runs, in turn; the fastest counts")
    parser.add_argument("--llscore", default=BINARY, type=Path, help="the program; default: target/release/llscore")
    return parser.parse_args()


def read_items(path, limit):
    """The items with the names that the fields may have, and the text before the endings."""
    items = []
    for line in open(path, encoding="utf-8"):
        if line.strip():
            raw = json.loads(line)
            text = raw.get("context", raw.get("ctx"))
            if raw.get("question") is not None:
                text += f"\nQuestion: {raw['question']}\nAnswer:"
            items.append({"text": text, "endings": raw.get("endings", raw.get("choices")), "label": raw["label"]})
    return items[:limit]


def run_llscore(args, folder):
    """results.json, the samples, and the seconds of the whole command."""
    command = [args.llscore, "run", "--model", args.model, "--data", args.data, "--threads", str(args.threads)]
    command += ["--device", "cpu", "--log-tokens", "--json", "--quiet", "--overwrite", "--output", folder]
    command += ["--tokenizer", args.tokenizer] if args.tokenizer else []
    command += ["--limit", str(args.limit)] if args.limit else []
    started = time.perf_counter()
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"llscore ended with exit code {done.returncode}")
    samples = [json.loads(line) for line in open(Path(folder) / "samples.jsonl", encoding="utf-8")]
    return json.loads(done.stdout), samples, seconds


def gguf_tokenizer(path):
    """The byte-level BPE tokenizer of a GGUF file, with the cuts that the file names."""
    import gguf
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    fields = gguf.GGUFReader(path).fields

    def get(name, default=None):
        field = fields.get(f"tokenizer.ggml.{name}")
        return default if field is None else field.contents()

    pre = get("pre", "default")
    cuts = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    if pre in ("smollm", "starcoder", "refact"):
        cuts.insert(0, pre_tokenizers.Digits(individual_digits=True))
    elif pre not in ("gpt-2", "phi-2", "default"):
        sys.exit(f"{path}: the tokenizer's cuts `{pre}` are not known here; give --tokenizer")
    if get("model") != "gpt2":
        sys.exit(f"{path}: the tokenizer is no byte-level BPE; give --tokenizer")
    tokens = get("tokens")
    merges = [(m[: m.index(" ", 1)], m[m.index(" ", 1) + 1 :]) for m in get("merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tokenizer.decoder = decoders.ByteLevel()
    special = [t for t, kind in zip(tokens, get("token_type", []), strict=False) if kind in (2, 3)]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    names = {}
    for name in ("bos", "eos"):
        if (index := get(f"{name}_token_id")) is not None:
            names[f"{name}_token"] = tokens[index]
    if get("add_bos_token", False):
        bos = names["bos_token"]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, tokens.index(bos))]
        )
    return tokenizer, names


def load_tokenizer(args):
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    if args.tokenizer is None and args.model.endswith(".gguf"):
        tokenizer, names = gguf_tokenizer(args.model)
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    path = Path(args.tokenizer or args.model)
    folder = path.parent if path.is_file() else path
    if path.is_file() and not (folder / "tokenizer_config.json").exists():
        return PreTrainedTokenizerFast(tokenizer_file=str(path))
    return AutoTokenizer.from_pretrained(str(folder))


def load_peer(args):
    """lm_eval's HFLM with the model in it, in f32."""
    import torch
    from lm_eval.models.huggingface import HFLM
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(args.threads)
    if args.model.endswith(".gguf"):
        folder, name = os.path.split(os.path.abspath(args.model))
        model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    else:
        model = AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32)
    model.eval()
    return HFLM(
        pretrained=model, tokenizer=load_tokenizer(args), backend="causal", device="cpu", batch_size=args.batch_size
    )


class Watch:
    """Notes what lm_eval asks of its model: ids, log-likelihoods, seconds and the tokens computed, padding included."""

    def __init__(self, lm):
        self.score, self.call = lm._loglikelihood_tokens, lm._model_call
        lm._loglikelihood_tokens, lm._model_call = self.on_score, self.on_call
        self.clear()

    def clear(self):
        self.seconds, self.computed, self.ids, self.scores = 0.0, 0, [], []

    def on_call(self, inputs, *args, **kwargs):
        self.computed += inputs.numel()
        return self.call(inputs, *args, **kwargs)

    def on_score(self, requests, *args, **kwargs):
        started = time.perf_counter()
        scores = self.score(requests, *args, **kwargs)
        self.seconds += time.perf_counter() - started
        self.ids += [(context, ending) for _, context, ending in requests]
        self.scores += [score for score, _ in scores]
        return scores


def run_peer(lm, items):
    """lm_eval's accuracies and the seconds of the evaluation."""
    import datasets
    from lm_eval import simple_evaluate

    task = {
        "task": "items",
        "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(items)},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "text",
        "doc_to_choice": "endings",
        "doc_to_target": "label",
        "target_delimiter": " ",
        "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}],
    }
    started = time.perf_counter()
    results = simple_evaluate(lm, tasks=[task], num_fewshot=0, log_samples=False)
    metrics = results["results"]["items"]
    return metrics["acc,none"], metrics["acc_norm,none"], time.perf_counter() - started


def compare(items, samples, watch):
    """Prints how the scores agree; the number of choices that differ beyond the margin."""
    theirs = iter(zip(watch.ids, watch.scores, strict=True))
    worst, where, ids, endings = 0.0, "", 0, 0
    same, clear, clear_same = [0, 0], [0, 0], [0, 0]
    for item, sample in zip(items, samples, strict=True):
        peer = []
        for i, ours in enumerate(sample["endings"]):
            (context, ending), score = next(theirs)
            ids += (ours.get("context_ids", sample["context_ids"]), ours["ids"]) != (list(context), list(ending))
            endings += 1
            peer.append(score)
            if abs(score - ours["logprob"]) > worst:
                worst, where = abs(score - ours["logprob"]), f" (item {sample['id']}, ending {i})"
        for n, (norm, lengths) in enumerate({"sum": [1] * len(peer), "char": map(len, item["endings"])}.items()):
            ranked = [score / length for score, length in zip(peer, lengths, strict=True)]
            agrees = sample["choice"][norm] == ranked.index(max(ranked))
            best = sorted(ranked, reverse=True)
            same[n] += agrees
            if len(best) < 2 or best[0] - best[1] > MARGIN:
                clear[n] += 1
                clear_same[n] += agrees
    print(f"other token ids           {ids} of {endings} endings")
    print(f"largest difference        {worst:.1e} nat an ending{where}")
    for n, name in enumerate(["by sum", "per character"]):
        print(
            f"same choice {name:13} {same[n]} of {len(items)} items; "
            f"{clear_same[n]} of the {clear[n]} with a margin above {MARGIN:g}"
        )
    return sum(clear) - sum(clear_same)


def row(name, ours, theirs, form, ratio=False):
    times = f"{theirs / ours:9.1f} x" if ratio and ours else ""
    print(f"{name:22}{ours:>12{form}}{theirs:>12{form}}{times}")


def main():
    args = arguments()
    if Path(args.model).exists():
        os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    items = read_items(args.data, args.limit)
    ours, theirs, whole = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        results, samples, seconds = run_llscore(args, folder)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        ours.append(results["seconds"])
        whole.append(seconds)
        # Everything that lm_eval needs at its start counts into its whole command, what llscore took does not.
        lm = load_peer(args)
        loaded = time.perf_counter() - STARTED - seconds
        watch = Watch(lm)
        acc, acc_norm, evaluated = run_peer(lm, items)
        theirs.append(watch.seconds)
        for _ in range(1, args.repeats):
            again, _, seconds = run_llscore(args, folder)
            ours.append(again["seconds"])
            whole.append(seconds)
            watch.clear()
            run_peer(lm, items)
            theirs.append(watch.seconds)

    overall = results["metrics"]["overall"]
    asked = sum(len(context) + len(ending) - 1 for context, ending in watch.ids)
    print(f"\n{args.model}: {len(items)} items, {args.threads} threads, f32, lm_eval's batch size {args.batch_size}\n")
    print(f"{'':22}{'llscore':>12}{'lm_eval':>12}")
    row("seconds, scoring", min(ours), min(theirs), ".2f", ratio=True)
    row("seconds, whole command", min(whole), loaded + evaluated, ".2f")
    row("tokens asked for", results["tokens"]["requests"], asked, ",")
    row("tokens computed", results["tokens"]["computed"], watch.computed, ",")
    row("tokens scored", results["tokens"]["scored"], sum(len(ending) for _, ending in watch.ids), ",")
    row("peak memory, MB", memory // 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, ",")
    row("acc", overall["acc"], acc, ".4f")
    row("acc_norm", overall["acc_norm"], acc_norm, ".4f")
    print()
    sys.exit(int(compare(items, samples, watch) > 0))


if __name__ == "__main__":
    main()
