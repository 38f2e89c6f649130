# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "tokenizers==0.23.3",
#     "transformers==5.24.0",
# ]
# ///
"""Makes folders with vocab.json and merges.txt but no tokenizer.json, with the ids that AutoTokenizer gives.

Usage:
    python scripts/make_vocab_fixtures.py [--out tests/fixtures/vocab.json]

One file: `vocab` and `merges` (the text of merges.txt), which all folders share, and `folders`: the `name`, the further
`files`, the names of special tokens (`named`), their ids (`bos`, `eos`), and `cases`: a `text`, its `ids` with the text of
special tokens parsed, and `plain`, where it is not. Both hold BOS where the tokenizer adds it; EOS behind the text is cut.
"""

import argparse
import json
import tempfile
from pathlib import Path

from make_tokenizer_fixtures import byte_level
from transformers import AutoTokenizer, GPT2Tokenizer

END = "<|endoftext|>"


def token(content, **rules):
    plain = {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False}
    return plain | rules


def typed(content, **rules):
    return token(content, **rules) | {"__type": "AddedToken"}


def folders():
    config = "tokenizer_config.json"
    decoder = {
        "800": token("<|im_start|>", special=True),
        "801": token("<|im_end|>", special=True),
        "802": token("<tool>", special=False),
        "803": token("wumpus tumpus", special=False, normalized=True),
    }
    spaces = {" " * n: 900 + n for n in range(2, 6)} | {"<|mark|>": 910}
    return {
        "gpt2": {config: {"tokenizer_class": "GPT2Tokenizer"}},
        "gpt2-by-family": {"config.json": {"model_type": "gpt2"}},
        "gpt2-fast": {config: {"tokenizer_class": "GPT2TokenizerFast", "add_prefix_space": True, "add_bos_token": False}},
        "opt": {
            config: {"tokenizer_class": "GPT2Tokenizer", "errors": "replace", "unk_token": typed("</s>", normalized=True),
                     "bos_token": typed("</s>", normalized=True), "eos_token": typed("</s>", normalized=True),
                     "pad_token": typed("<pad>", normalized=True), "add_bos_token": True, "add_prefix_space": False},
            "special_tokens_map.json": {"bos_token": token("</s>", normalized=True), "eos_token": token("</s>", normalized=True),
                                        "unk_token": token("</s>", normalized=True), "pad_token": token("<pad>", normalized=True)},
        },
        "bos-and-eos": {config: {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<s>", "eos_token": "</s>",
                                 "add_bos_token": True, "add_eos_token": True}},
        "bos-by-default": {config: {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True}},
        "no-bos": {config: {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "add_bos_token": True}},
        "qwen2": {config: {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "eos_token": "<|im_end|>", "pad_token": END,
                           "unk_token": None, "added_tokens_decoder": decoder, "add_prefix_space": False,
                           "additional_special_tokens": ["<|im_start|>", "<|im_end|>", "<|more|>"]}},
        "qwen2-by-family": {"config.json": {"model_type": "qwen2", "bos_token_id": 1}},
        "codegen": {config: {"tokenizer_class": "CodeGenTokenizer", "add_prefix_space": False},
                    "added_tokens.json": spaces,
                    "special_tokens_map.json": {"bos_token": END, "eos_token": END, "unk_token": token(END),
                                                "mask_token": token("<|mark|>", lstrip=True)}},
        "gpt-neox": {config: {"tokenizer_class": "GPTNeoXTokenizer", "pad_token": None}},
        "gpt-neox-space": {config: {"tokenizer_class": "GPTNeoXTokenizer", "add_prefix_space": True, "pad_token": "</s>"}},
        "cohere": {config: {"tokenizer_class": "CohereTokenizer", "bos_token": "<s>", "eos_token": "</s>", "add_bos_token": True}},
        "rules": {config: {"tokenizer_class": "GPT2Tokenizer", "image_token": "<image>", "added_tokens_decoder": {
            "700": token("<l>", lstrip=True, special=True), "701": token("<r>", rstrip=True, special=True),
            "702": token("<lr>", lstrip=True, rstrip=True, special=False), "703": token("max", single_word=True, special=False)}}},
        "unknown-class": {config: {"tokenizer_class": "NoSuchTokenizer", "bos_token": "<s>"}},
    }


TEXTS = [
    "Every wumpus is a tumpus. Max is a wumpus.\nQuestion: What is Max?\nAnswer: yes", "", " ", "  A", "A ", "hello  world   x",
    "def f(x):\n    return x + 1\n\n\nprint(f(41234))", "It's isn't WE'LL", "Mädchen été niño", "e\u0301 \u1112\u1161\u11ab ﬁ", "所有人都会死。",
    "\U0001f469\u200d\U0001f4bb \u00a0\u2028x", "a</s>b <s> c<|endoftext|>", "x <|im_start|>user\n<tool> y<|im_end|> <|more|>", "one wumpus tumpus two",
    "a  <|mark|>  b <pad> c <mask>", "a <l> b  <r>  c <lr>  d max maximum <image>", "tab\tand\r\nline",
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=Path("tests/fixtures/vocab.json"))
    out = arguments.parse_args().out
    model = json.loads(byte_level(None).to_str())["model"]
    vocab = model["vocab"] | {END: len(model["vocab"])}
    merges = "#version: 0.2\n" + "".join(" ".join(m if isinstance(m, list) else m.split(" ")) + "\n" for m in model["merges"])
    made = []
    for name, files in folders().items():
        where = Path(tempfile.mkdtemp())
        (where / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
        (where / "merges.txt").write_text(merges, encoding="utf-8")
        for file, content in ({"config.json": {}} | files).items():
            (where / file).write_text(json.dumps(content))
        # What is unknown is to be taken as GPT-2's.
        loader = GPT2Tokenizer if name == "unknown-class" else AutoTokenizer
        tokenizer = loader.from_pretrained(where)
        behind = [tokenizer.eos_token_id] if tokenizer.add_eos_token else []
        cases = []
        for text in TEXTS:
            ids = tokenizer(text)["input_ids"]
            plain = tokenizer(text, split_special_tokens=True)["input_ids"]
            assert not behind or (ids[-1:] == behind and plain[-1:] == behind)
            cut = len(behind)
            cases.append({"text": text, "ids": ids[: len(ids) - cut], "plain": plain[: len(plain) - cut]})
        made.append({"name": name, "files": files, "named": tokenizer.special_tokens_map, "bos": tokenizer.bos_token_id,
                     "eos": tokenizer.eos_token_id, "cases": cases})
        print(name, type(tokenizer).__name__, tokenizer.special_tokens_map, len(tokenizer))
    lines = ",\n".join(json.dumps(f, ensure_ascii=False, separators=(",", ":")) for f in made)
    head = json.dumps({"vocab": vocab, "merges": merges}, ensure_ascii=False, separators=(",", ":"))
    out.write_text(f'{head[:-1]},\n"folders":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
