# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "transformers==5.24.0",
#     "torch==2.15.0",
#     "safetensors==0.8.0",
#     "numpy==2.4.6",
# ]
# ///
"""Compares llscore with transformers on random checkpoints of every family: random sizes, random switches.

Usage:
    cargo build --release
    python scripts/random_parity.py --count 20                    # twenty checkpoints of each family
    python scripts/random_parity.py --families gemma2 mixtral --seed 7
    python scripts/random_parity.py --families opt --only 3 --keep DIR     # one of them, kept for inspection

For each checkpoint: a configuration whose sizes and options are drawn, random weights, config.json in one of the two
dialects, eight sequences scored by llscore (f32, `--log-tokens`) and by transformers loaded from the same folder. Prints a
line for each family, and every checkpoint whose worst token differs by more than 1e-4. Exit code 1 if there is one. A
checkpoint in which transformers' own f32 is more than 2e-5 from its f64 tests the number format, not llscore; such ones are
left out and counted.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TQDM_DISABLE", "1")

import torch  # noqa: E402
import transformers  # noqa: E402
from fixturelib.checkpoint import hub_dialect  # noqa: E402
from fixturelib.random_configs import FAMILIES  # noqa: E402
from fixturelib.weights import random_model  # noqa: E402

TOLERANCE = 1e-4
NOISE = 2e-5


def write_tokenizer(path: Path, vocab: int) -> None:
    """A tokenizer in which the word `w7x` is id 7."""
    words = {f"w{i}x": i for i in range(vocab)}
    model = {"type": "WordLevel", "vocab": words, "unk_token": "w0"}
    text = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": model,
    }
    path.write_text(json.dumps(text), encoding="utf-8")


def sequences(rng: random.Random, vocab: int, longest: int) -> list[list[int]]:
    """Eight sequences, some of which share their beginnings."""
    base = [rng.randrange(vocab) for _ in range(longest)]
    cut = [base[: rng.randrange(2, longest)] + [rng.randrange(vocab) for _ in range(rng.randrange(1, 6))] for _ in range(5)]
    return [base, base[: longest // 2], [rng.randrange(vocab) for _ in range(2)], *(c[:longest] for c in cut)]


def words(ids: list[int]) -> str:
    """Ids as the words of the tokenizer."""
    return " ".join(f"w{i}x" for i in ids)


def ours(binary: Path, folder: Path, rows: list[list[int]]) -> list[list[float]]:
    """Log-probabilities of all ids but the first, by llscore."""
    items = [
        {"id": str(i), "task": "t", "context": words(ids[:1]), "endings": [words(ids[1:])], "label": 0}
        for i, ids in enumerate(rows)
    ]
    data, output = folder / "items.jsonl", folder / "out"
    data.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    longest = str(max(len(r) for r in rows))
    command = [binary, "run", "--model", folder, "--data", data, "--output", output, "--log-tokens", "--quiet", "--parse-special"]
    done = subprocess.run([*command, "--max-length", longest], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        samples = output / "samples.jsonl"
        raise ValueError(f"exit {done.returncode}: {done.stderr.strip()} {samples.read_text()[:300] if samples.exists() else ''}")
    samples = [json.loads(line) for line in (output / "samples.jsonl").read_text().splitlines()]
    return [sample["endings"][0]["logprobs"] for sample in samples]


def theirs(model, ids: list[int]) -> list[float]:
    """The same by transformers."""
    with torch.no_grad():
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].double()
    targets = torch.tensor(ids[1:])
    return torch.log_softmax(logits, -1)[:-1].gather(1, targets[:, None])[:, 0].tolist()


def noise(model, rows: list[list[int]], reference: list[list[float]]) -> float:
    """The largest distance of the reference from the same model in f64."""
    exact = [theirs(model.double(), ids) for ids in rows]
    return max(abs(a - b) for x, y in zip(exact, reference, strict=True) for a, b in zip(x, y, strict=True))


def check(binary: Path, family: str, number: int, seed: int, folder: Path) -> tuple[float, int, str] | None:
    """One checkpoint: worst difference, tokens, and what was drawn; nothing where f32 itself is too coarse."""
    rng = random.Random(f"{seed}/{family}/{number}")
    config_class, options = FAMILIES[family](rng)
    config = config_class(**options)
    model = random_model(config, f"{seed}/{family}/{number}")
    model.set_experts_implementation("eager")
    model.save_pretrained(folder)
    hub = rng.random() < 0.5
    if hub:
        path = folder / "config.json"
        path.write_text(json.dumps(hub_dialect(json.loads(path.read_text())), indent=1), encoding="utf-8")
    text = config.get_text_config()
    write_tokenizer(folder / "tokenizer.json", text.vocab_size)
    rows = sequences(rng, text.vocab_size, rng.choice([40, 75, 110, 150]))

    def load():
        loaded = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        # Other implementations of experts want widths that are multiples of four, and have no f64.
        loaded.set_experts_implementation("eager")
        return loaded

    rope = str(options.get("rope_parameters"))
    reference = [theirs(load() if "dynamic" in rope else model.float().eval(), ids) for ids in rows]
    if hub:
        reloaded = load()
        again = [theirs(reloaded, ids) for ids in rows] if "dynamic" not in rope else reference
        if max(abs(a - b) for x, y in zip(again, reference, strict=True) for a, b in zip(x, y, strict=True)) > 1e-6:
            reference = again
    if "dynamic" not in rope and noise(load(), rows, reference) > NOISE:
        return None
    got = ours(binary, folder, rows)
    worst = max(abs(a - b) for x, y in zip(got, reference, strict=True) for a, b in zip(x, y, strict=True))
    return worst, sum(len(r) - 1 for r in rows), f"{'hub' if hub else '5.x'} {options}"


def main() -> int:
    """Parses the command line and checks family by family."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--families", nargs="+", choices=sorted(FAMILIES), default=sorted(FAMILIES))
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--only", type=int, help="this checkpoint's number alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="write the checkpoints here")
    parser.add_argument("--binary", type=Path, default=root / "target" / "release" / "llscore")
    args = parser.parse_args()
    failed = 0
    for family in args.families:
        worst, tokens, coarse, bad = 0.0, 0, 0, []
        numbers = range(args.count) if args.only is None else [args.only]
        for number in numbers:
            with tempfile.TemporaryDirectory() as scratch:
                folder = (args.keep or Path(scratch)) / f"{family}-{number}"
                folder.mkdir(parents=True, exist_ok=True)
                try:
                    found = check(args.binary, family, number, args.seed, folder)
                except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding)
                    bad.append(f"  {number}: {type(error).__name__}: {str(error)[:300]}")
                    continue
                if found is None:
                    coarse += 1
                    continue
                difference, count, drawn = found
                worst, tokens = max(worst, difference), tokens + count
                if not difference <= TOLERANCE:
                    bad.append(f"  {number}: {difference:.2e}  {drawn}")
        failed += len(bad)
        compared = len(numbers) - coarse
        print(
            f"{family:14} {compared:3} checkpoints  {tokens:6} tokens  worst {worst:.1e}  {len(bad)} bad  {coarse} too coarse",
            flush=True,
        )
        for line in bad:
            print(line, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
