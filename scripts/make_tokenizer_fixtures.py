# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "tokenizers==0.23.3",
# ]
# ///
"""Makes small tokenizers of each kind, with the ids and the split of context and ending expected of them.

Usage:
    python scripts/make_tokenizer_fixtures.py [--out tests/fixtures/tokenize]

Each file holds a tokenizer.json (`tokenizer`) and `cases`: context, delimiter, ending, the `ids` of the whole text as
the Python library `tokenizers` encodes it (special tokens before the text included, those behind it left out, special
tokens inside the text taken as plain text), and

  harness   how many ids the common harness takes for the context: it encodes the context without its trailing white
            space by itself, and the whole, and cuts the whole behind as many ids. null where the context's own ids are
            not the beginning of the whole's, so that the harness scores ids that are no tokenisation of the text, and
            where the context ends in an unknown token, which may reach across.
  split     [ids of the context, whether a token covers both sides], counted from the bytes that each token's piece
            stands for, without offsets. null where pieces do not tell (unknown tokens, normalised text).

Where both are there they agree; the script checks that. Tokenizers are trained on the text below.
"""

import argparse
import json
import unicodedata
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = """Every wumpus is a tumpus. Every tumpus is a lorpus. Max is a wumpus. Is Max a lorpus? Answer: Yes, Max is a lorpus.
If Alice walks 3 km north and then 4 km east, how far is she from where she began? She is 5 km away.
The series is 2, 4, 8, 16, and so on. What is next? The answer is 32.
Question: Who is the grandmother of Paris? Answer: The mother of her father is Anna.
For all x, if P(x) then Q(x); there is a y such that not R(y). Therefore some S(z) holds, or else it does not.
No lempus is sterpus. Each brimpus is not dumpus, unless it's a zumpus, isn't it? We're sure they'll say so.
def f(x):\n    return x + 1\n\n\nprint(f(41))
Ein Mädchen hört über Käse; ça va être très bien à l'été. El niño pequeño comió piña.
Все люди смертны. Сократ человек. Следовательно, Сократ смертен.
所有人都会死。苏格拉底是人。所以苏格拉底会死。
"""

# Regular expressions for the first cut of two published families, as their tokenizer files state them.
CUT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{%s}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

SPECIAL = ["<unk>", "<s>", "</s>"]
BOS = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
BOS_EOS = processors.TemplateProcessing(
    single="<s> $A </s>", pair="<s> $A </s> <s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
)


def byte_level(cut, normalizer=None, post=None, prefix_space=False, ignore_merges=False):
    """Byte-level BPE; `cut` is None for GPT-2's own regular expression, or the digits a number may have at once."""
    tk = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tk.normalizer = normalizer
    level = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space, use_regex=cut is None)
    tk.pre_tokenizer = (
        level if cut is None else pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CUT % cut), "isolated"), level])
    )
    tk.decoder = decoders.ByteLevel()
    train(tk, trainers.BpeTrainer(vocab_size=520, special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    tk.post_processor = post or processors.ByteLevel(trim_offsets=True, add_prefix_space=prefix_space)
    return tk


def sentencepiece(normalizer=None, pre=None, post=BOS, strip=True):
    """BPE over `▁` with bytes for what is unknown."""
    tk = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    # Trained word by word, as SentencePiece does, then run without a cut.
    tk.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=560, show_progress=False,
                                  special_tokens=SPECIAL + [f"<0x{b:02X}>" for b in range(256)])
    train(tk, trainer, [line for line in CORPUS.split("\n") if line.isascii()])
    # Bytes are pieces of the model, not special tokens.
    file = json.loads(tk.to_str())
    file["added_tokens"] = file["added_tokens"][:3]
    tk = Tokenizer.from_str(json.dumps(file))
    tk.pre_tokenizer = pre
    if normalizer:
        tk.normalizer = normalizer
    tk.post_processor = post
    tail = [decoders.Strip(" ", 1, 0)] if strip else []
    tk.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()] + tail)
    return tk


def unigram():
    """Pieces of the BPE kind, each the likelier the earlier it was merged (the library's own trainer is not repeatable)."""
    pieces = sorted(sentencepiece().get_vocab().items(), key=lambda piece: piece[1])[len(SPECIAL) + 256 :]
    scores = [(piece, -4.0 - 0.02 * rank) for rank, (piece, _) in enumerate(pieces)]
    tk = Tokenizer(models.Unigram([(piece, 0.0) for piece in SPECIAL] + scores, unk_id=0, byte_fallback=False))
    tk.normalizer = normalizers.NFKC()
    tk.pre_tokenizer = pre_tokenizers.Metaspace()
    tk.decoder = decoders.Metaspace()
    tk.add_special_tokens(SPECIAL)
    return tk


def unigram_bytes():
    """As Unigram, with bytes for what is unknown."""
    file = json.loads(unigram().to_str())
    pieces = [[f"<0x{b:02X}>", -9.0] for b in range(256)]
    file["model"]["vocab"] = file["model"]["vocab"][: len(SPECIAL)] + pieces + file["model"]["vocab"][len(SPECIAL) :]
    file["model"]["byte_fallback"] = True
    tk = Tokenizer.from_str(json.dumps(file))
    tk.post_processor = BOS_EOS
    tk.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tk


def wordpiece():
    tk = Tokenizer(models.WordPiece(unk_token="<unk>", max_input_chars_per_word=100))
    tk.normalizer = normalizers.BertNormalizer(lowercase=True)
    tk.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tk.decoder = decoders.WordPiece()
    train(tk, trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIAL, show_progress=False))
    tk.post_processor = BOS_EOS
    return tk


def added():
    """Byte-level, with tokens that are no special ones and have rules of their own."""
    tk = byte_level(None)
    rules = {"<l>": {"lstrip": True}, "<r>": {"rstrip": True}, "<both>": {"lstrip": True, "rstrip": True}, "<plain>": {}}
    tk.add_tokens([AddedToken(token, normalized=False, **rule) for token, rule in rules.items()])
    tk.add_tokens([AddedToken("sub", single_word=True, normalized=False), AddedToken("dax wug", normalized=True), "\n\n"])
    return tk


def words():
    tk = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tk.pre_tokenizer = pre_tokenizers.Whitespace()
    train(tk, trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False))
    tk.post_processor = BOS_EOS
    return tk


def train(tk, trainer, lines=None):
    tk.train_from_iterator((lines or CORPUS.split("\n")) * 3, trainer)


def kinds():
    prepend = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    level = processors.ByteLevel(trim_offsets=True)
    return {
        "gpt2": byte_level(None),
        "roberta": byte_level(None, prefix_space=True, post=processors.RobertaProcessing(("</s>", 2), ("<s>", 1))),
        "qwen2": byte_level("1", normalizer=normalizers.NFC(), post=processors.ByteLevel(trim_offsets=False)),
        "llama3": byte_level("1,3", post=processors.Sequence([level, BOS]), ignore_merges=True),
        "llama2-prepend": sentencepiece(normalizer=prepend),
        "llama2-metaspace": sentencepiece(pre=pre_tokenizers.Metaspace(prepend_scheme="first", split=False)),
        "gemma": sentencepiece(
            normalizer=normalizers.Replace(" ", "▁"),
            pre=pre_tokenizers.Split(" ", "merged_with_previous"), strip=False,
        ),
        "unigram": unigram(),
        "unigram-bytes": unigram_bytes(),
        "wordpiece": wordpiece(),
        "added": added(),
        "words": words(),
    }


PAIRS = [
    ("Every wumpus is a tumpus. Max is a wumpus.\nQuestion: What is Max?\nAnswer:", " ", "Max is a tumpus."),
    ("Every wumpus is a tumpus. Max is a wumpus.\nQuestion: What is Max?\nAnswer: ", "", "Max is a tumpus."),
    ("Every wumpus is a tumpus. Max is a wumpus.\nQuestion: What is Max?\nAnswer:\n\n", "", "Max is a lorpus."),
    ("Every wum", "", "pus is"), ("Max is a lor", "", "pus."), ("the answ", "", "er"), ("Ans", "", "wer"),
    ("The series is 2, 4, 8, 1", "", "6"), ("12", "", "34567"), ("it", "", "'s a zumpus"), ("isn", "", "'t it?"),
    ("She is 5 km away.", "\n", "Yes"), ("She is 5 km away", "", ".\n\nNo"), ("Yes.", "\n\n", "No."), ("x)", "", ";\n"),
    ("A", "  ", "B"), ("A \t", " ", "B"), ("A", "", " "), ("A", " ", "\n"), ("A", "", "\n\n\nB"), (" ", " ", "B"), ("  A", "", "  B"),
    ("def f(x):\n", "", "    return x"), ("def f(x):\n    ", "", "return x"), ("A", " ", "is "), ("A", " ", "\u00a0x"), ("A\u00a0", "", "x"),
    ("Mädchen h", "", "ört"), ("Mädchen hö", "", "rt"), ("ça", " ", "été"), ("é", "", "è"), ("ni", "", "ño"), ("niñ", "", "o pequeño"),
    ("Сократ че", "", "ловек"), ("Все", " ", "смертны."), ("苏格拉", "", "底是人"), ("所有人都会死。", "", "苏格拉底是人。"), ("所", " ", "死"),
    ("\U0001f600", "", "\U0001f601"), ("a\U0001f469\u200d", "", "\U0001f4bbb"), ("e", "", "\u0301x"), ("e\u0301", "", "\u0301"), ("x e", " ", "\u0301"),
    ("ﬁ", "", "ﬂ"), ("…", "", "..."), ("½", " ", "¾"), ("가", "", "나"), ("ᄀ", "", "ᅡᆨ"), ("\u200b", "", "\u200b"), ("a", "", "\u0000b"),
    ("Answer:", " ", "</s>"), ("a<s>", "", "b"), ("<", "", "s>"), ("▁", "", "▁a"), ("Ġ", "", "Ġa"), ("<0x41>", "", "<0x42>"),
    ("For all x, if P(x)", " ", "then Q(x)"), ("not R", "", "(y)"), ("P(", "", "x)"), ("zqjx", " ", "vkw"), ("zq", "", "jx"),
]


# For tokens with rules of their own.
ADDED_PAIRS = [
    ("A", " ", "<plain>"), ("A<plain>", " ", "B"), ("A  ", "", "<l>"), ("A", " ", " <l>B"), ("A<l>", " ", "B"), ("A<r>", "", "B"), ("A <r>", "", "  B"),
    ("A", "  ", "<both> B"), ("A <both>", " ", "B"), ("a sub", "", " b"), ("a ", "", "sub"), ("a sub", "", "marine"), ("a", "", "sub"), ("a dax", " ", "wug"),
    ("dax w", "", "ug"), ("A.\n", "", "\nB"), ("A.", "\n\n", "B"), ("<pla", "", "in>"),
]


def piece_bytes(kind, token):
    """The bytes that a piece stands for; None if it does not tell."""
    if kind in ("gpt2", "roberta", "qwen2", "llama3"):
        return len(token)  # one character a byte
    if kind.startswith("llama2") or kind == "gemma":
        if token == "<unk>":
            return None
        if len(token) == 6 and token.startswith("<0x"):
            return 1
        return len(token.replace("▁", " ").encode())
    return None


def expected_split(kind, text, end, tokens, before):
    """[ids of the context, merge] from the bytes of the pieces, `before` special tokens aside."""
    lengths = [piece_bytes(kind, t) for t in tokens]
    plain = text.replace("▁", " ") if kind.startswith("llama2") or kind == "gemma" else text
    if not tokens or None in lengths or (kind == "qwen2" and unicodedata.normalize("NFC", text) != text) or plain != text:
        return None
    extra = sum(lengths) - len(text.encode())  # a space put before the text
    assert extra in (0, 1), (kind, text, tokens)
    reach, end = 0, len(text[:end].encode()) + (extra if end else 0)
    for index, length in enumerate(lengths):
        if reach + length > end:
            return [before + index, reach < end]
        reach += length
    raise AssertionError((kind, text))


def case(kind, tk, context, delimiter, ending):
    text = context + delimiter + ending
    tk.encode_special_tokens = True
    raw = tk.encode(text, add_special_tokens=False)
    whole = tk.encode(text).ids
    before = next(i for i in range(len(whole) + 1) if whole[i : i + len(raw.ids)] == raw.ids)
    whole = whole[: before + len(raw.ids)]
    stripped = context.rstrip()
    own = tk.encode(stripped, add_special_tokens=False).ids
    harness = before + len(own) if raw.ids[: len(own)] == own and own[-1:] != [0] else None
    split = expected_split(kind, text, len(stripped), raw.tokens, before)
    if split and harness is not None:
        assert split == [harness, False], (kind, context, ending, split, harness)
    return {"context": context, "delimiter": delimiter, "ending": ending, "ids": whole, "harness": harness, "split": split}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=Path("tests/fixtures/tokenize"))
    out = arguments.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for kind, tk in kinds().items():
        tokenizer = json.loads(tk.to_str())
        cases = [case(kind, tk, *pair) for pair in PAIRS + (ADDED_PAIRS if kind == "added" else [])]
        lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
        text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
        path = out / f"{kind}.json"
        path.write_text(f'{{"kind":"{kind}","tokenizer":{text},\n"cases":[\n{lines}\n]}}\n', encoding="utf-8")
        merges = sum(bool(c["split"] and c["split"][1]) for c in cases)
        told = sum(c["split"] is not None for c in cases)
        same = sum(c["harness"] is not None for c in cases)
        print(f"{path}: {path.stat().st_size} bytes, {len(cases)} cases, {told} told by pieces, {merges} merges, {same} as the harness")


if __name__ == "__main__":
    main()
