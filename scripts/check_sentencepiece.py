# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "gguf==0.19.0",
#     "numpy==2.4.6",
#     "sentencepiece==0.2.3",
# ]
# ///
"""Compares llscore's reading of SentencePiece tokenizers in GGUF files with the sentencepiece library.

Usage:
    cargo build --release
    python scripts/check_sentencepiece.py

Trains a BPE model with byte fallback on the project's own texts, once with and once without a space put in front, writes each
with a tiny random llama into a GGUF file, scores every text with `--log-tokens` and compares the ids. Exit code 1 if some
differ.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np
import sentencepiece
from fixturelib import corpus

Kind = gguf.TokenType
WIDTH = 16
ROOT = Path(__file__).resolve().parent.parent
ENDING = " qz"


def train(folder: Path, texts: list[str], prefix: bool) -> sentencepiece.SentencePieceProcessor:
    """A model of 900 pieces."""
    (folder / "train.txt").write_text("\n".join(texts), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "train.txt"),
        model_prefix=str(folder / "model"),
        model_type="bpe",
        vocab_size=900,
        byte_fallback=True,
        split_digits=True,
        character_coverage=0.99,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=prefix,
        user_defined_symbols=["<sep>"],
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "model.model"))


def kind(model: sentencepiece.SentencePieceProcessor, i: int) -> Kind:
    """The type of a piece, as llama.cpp's converter has it."""
    if model.is_unknown(i):
        return Kind.UNKNOWN
    if model.is_control(i):
        return Kind.CONTROL
    if model.is_byte(i):
        return Kind.BYTE
    return Kind.USER_DEFINED if model.id_to_piece(i) == "<sep>" else Kind.NORMAL


def write(path: Path, model: sentencepiece.SentencePieceProcessor, prefix: bool) -> None:
    """The tokenizer with a llama of one layer."""
    ids = range(model.get_piece_size())
    w = gguf.GGUFWriter(path, "llama")
    w.add_block_count(1)
    w.add_context_length(4096)
    w.add_embedding_length(WIDTH)
    w.add_feed_forward_length(WIDTH)
    w.add_head_count(2)
    w.add_head_count_kv(2)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_tokenizer_model("llama")
    w.add_token_list([model.id_to_piece(i) for i in ids])
    w.add_token_scores([model.get_score(i) for i in ids])
    w.add_token_types([kind(model, i) for i in ids])
    w.add_bos_token_id(model.bos_id())
    w.add_eos_token_id(model.eos_id())
    w.add_unk_token_id(model.unk_id())
    w.add_add_space_prefix(prefix)
    source = np.random.default_rng(0)
    matrices = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
    shapes = {f"blk.0.{name}": (WIDTH, WIDTH) for name in matrices}
    shapes |= {"token_embd": (len(ids), WIDTH), "output_norm": (WIDTH,)}
    shapes |= {"blk.0.attn_norm": (WIDTH,), "blk.0.ffn_norm": (WIDTH,)}
    for name, shape in shapes.items():
        w.add_tensor(f"{name}.weight", source.normal(size=shape).astype(np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def ids_of(binary: Path, folder: Path, texts: list[str]) -> list[list[int]]:
    """The ids that llscore scores for each text and the ending."""
    items = [{"id": str(i), "task": "t", "context": t, "endings": [ENDING], "label": 0} for i, t in enumerate(texts)]
    data, output = folder / "items.jsonl", folder / "out"
    data.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    command = [binary, "run", "--model", folder / "model.gguf", "--data", data, "--output", output, "--log-tokens"]
    subprocess.run([*command, "--delimiter", "", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    samples = [json.loads(line) for line in (output / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    return [sample["context_ids"] + sample["endings"][0]["ids"] for sample in samples]


def main() -> int:
    """Trains, writes, compares."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "llscore")
    args = parser.parse_args()
    lines = [line for path in sorted(ROOT.glob("*.md")) for line in path.read_text(encoding="utf-8").splitlines()]
    # Special tokens in a text are another matter, and white space at its end is the ending's.
    texts = [t for t in [*corpus.TRIALS, *lines] if t and t.strip() == t and "<" not in t and "\0" not in t]
    failed = 0
    for prefix in (True, False):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            model = train(folder, [*corpus.TRAINING, *lines], prefix)
            write(folder / "model.gguf", model, prefix)
            got = ids_of(args.binary, folder, texts)
            wanted = [[model.bos_id(), *model.encode(text + ENDING)] for text in texts]
        different = [t for t, a, b in zip(texts, got, wanted, strict=True) if a != b]
        failed += len(different)
        print(f"space in front {prefix!s:5}  {len(texts)} texts  {len(different)} different", *different[:3], sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
