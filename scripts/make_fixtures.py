# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "transformers==5.24.0",
#     "torch==2.15.0",
#     "safetensors==0.8.0",
#     "tokenizers==0.23.3",
#     "gguf==0.19.0",
#     "numpy==2.4.6",
# ]
# ///
"""Makes the tiny random checkpoints under tests/fixtures and the reference numbers beside them.

Usage:
    python scripts/make_fixtures.py                     # every case, into tests/fixtures
    python scripts/make_fixtures.py --list
    python scripts/make_fixtures.py --only gpt2-prefix llama-untied-gqa
    python scripts/make_fixtures.py --out DIR

Everything is seeded by the names of the cases: the same versions on the same kind of processor write the same
bytes (on another kind the numbers may differ in their last decimal). Each checkpoint is written first, then loaded
from disk in f32 by transformers, and the numbers come from that loaded model. The format is described in
tests/fixtures/README.md.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

# Must be set before torch is imported: results differ in the last bits between thread counts.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TQDM_DISABLE", "1")

from fixturelib import load_cases  # noqa: E402


def main() -> int:
    """Parses the command line, makes the chosen cases and reports their sizes."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="CASE", help="make these cases alone")
    parser.add_argument("--out", type=Path, default=root / "tests" / "fixtures", help="folder of the case folders")
    parser.add_argument("--list", action="store_true", help="print the names and notes of the cases")
    args = parser.parse_args()

    cases = load_cases()
    if args.list:
        for case in cases.values():
            print(f"{case.name:38} {case.note}")
        return 0
    names = args.only or list(cases)
    unknown = [name for name in names if name not in cases]
    if unknown:
        print(f"no such case: {', '.join(unknown)} (see --list)", file=sys.stderr)
        return 2

    total = 0
    for name in names:
        folder = args.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        remark = cases[name].make(folder)
        size = sum(path.stat().st_size for path in folder.iterdir())
        total += size
        print(f"{name:38} {size / 1000:7.1f} kB  {remark or ''}", flush=True)
        if size > 150_000:
            print(f"{name}: larger than 150 kB", file=sys.stderr)
            return 1
    print(f"{'total':38} {total / 1000:7.1f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
