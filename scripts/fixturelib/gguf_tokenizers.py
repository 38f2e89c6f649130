"""GGUF files that hold a tokenizer and no tensors, each beside the tokenizer.json that says the same.

The pre-tokenizer of each family is the one in the tokenizer.json of the released models that GGUF files of that
`tokenizer.ggml.pre` are made from. Vocabularies are trained here on a few made-up lines.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import gguf
import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from fixturelib import corpus, registry

Type = gguf.TokenType

CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"


def words(digits: str) -> str:
    """The pattern of Llama 3 (`digits` = \\p{N}{1,3}) and of Qwen2 (\\p{N})."""
    return CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + SPACES


def cased(contraction: str, digits: str) -> str:
    """The pattern of GPT-4o and of Tekken, which part words at a change of case."""
    start = r"[^\r\n\p{L}\p{N}]?"
    return (
        f"{start}{UPPER}*{LOWER}+{contraction}|{start}{UPPER}+{LOWER}*{contraction}|{digits}"
        + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        + SPACES
    )


def split(pattern: str) -> pre_tokenizers.PreTokenizer:
    """Splits by a pattern, then maps bytes to characters."""
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


@dataclass(frozen=True)
class ByteLevel:
    """A byte-level BPE family (`tokenizer.ggml.model` = gpt2).

    `add_bos` None leaves the key out of the GGUF file. `unused` counts padding tokens that only the GGUF file has.
    """

    pre: str
    note: str
    pre_tokenizer: pre_tokenizers.PreTokenizer
    special: list[str]
    bos: str
    eos: str
    add_bos: bool | None
    normalizer: normalizers.Normalizer | None = None
    ignore_merges: bool = False
    user_defined: tuple[str, ...] = ()
    unused: int = 0
    special_first: bool = False

    def train(self) -> tuple[Tokenizer, list[tuple[str, str]]]:
        """The tokenizer, and its merges in order."""
        trained = Tokenizer(models.BPE())
        trained.normalizer = self.normalizer
        trained.pre_tokenizer = self.pre_tokenizer
        trainer = trainers.BpeTrainer(
            vocab_size=480,
            show_progress=False,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            special_tokens=self.special if self.special_first else [],
        )
        trained.train_from_iterator(corpus.TRAINING + 8 * corpus.PROBES, trainer)
        vocabulary = trained.get_vocab()
        merges = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
        # A whole word that no merge leads to: only a tokenizer that ignores merges for whole words produces it.
        vocabulary["\u0120unmergeable"] = len(vocabulary)

        tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=self.ignore_merges))
        tokenizer.normalizer = self.normalizer
        tokenizer.pre_tokenizer = self.pre_tokenizer
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in self.special])
        tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in self.user_defined])
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        if self.add_bos:
            template = processors.TemplateProcessing(
                single=f"{self.bos} $A", special_tokens=[(self.bos, tokenizer.token_to_id(self.bos))]
            )
            tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
        return tokenizer, merges

    def describe(self, writer: gguf.GGUFWriter) -> int:
        """Adds the tokenizer's metadata to a GGUF file; returns the number of tokens."""
        tokenizer, merges = self.train()
        types = {text: Type.CONTROL for text in self.special} | {text: Type.USER_DEFINED for text in self.user_defined}
        size = tokenizer.get_vocab_size()
        tokens = [tokenizer.id_to_token(index) for index in range(size)]
        tokens += [f"[PAD{index}]" for index in range(size, size + self.unused)]
        kinds = [types.get(text, Type.NORMAL) for text in tokens[:size]] + [Type.UNUSED] * self.unused
        add_tokens(writer, "gpt2", self.pre, tokens, kinds, self.add_bos)
        writer.add_token_merges([f"{left} {right}" for left, right in merges])
        writer.add_bos_token_id(tokenizer.token_to_id(self.bos))
        writer.add_eos_token_id(tokenizer.token_to_id(self.eos))
        return len(tokens)

    def make(self, folder: Path) -> str:
        """Fills a case folder."""
        writer = gguf.GGUFWriter(folder / "tokenizer.gguf", "llama")
        writer.add_vocab_size(self.describe(writer))
        finish(writer)
        tokenizer, _ = self.train()
        return write_trials(folder, self.note, self.pre, tokenizer)


def add_tokens(
    writer: gguf.GGUFWriter, model: str, pre: str, tokens: list[str], kinds: list[Type], add_bos: bool | None
) -> None:
    """Adds what every tokenizer has."""
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([int(kind) for kind in kinds])
    if add_bos is not None:
        writer.add_add_bos_token(add_bos)


def finish(writer: gguf.GGUFWriter) -> None:
    """Writes the file out."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_trials(folder: Path, note: str, pre: str, tokenizer: Tokenizer) -> str:
    """Saves tokenizer.json, reads it back, and records what it makes of the trial texts."""
    path = folder / "tokenizer.json"
    tokenizer.save(str(path), pretty=False)
    read = Tokenizer.from_file(str(path))
    ids = [read.encode(text).ids for text in corpus.TRIALS]
    read.encode_special_tokens = True
    plain = [read.encode(text, add_special_tokens=False).ids for text in corpus.TRIALS]
    head = {"case": folder.name, "pre": pre, "tokenizers": tokenizers.__version__, "note": note}
    # Escapes throughout: an editor must not be able to normalise the decomposed characters.
    parts = [json.dumps(head)[:-1]]
    for key, rows in (("texts", corpus.TRIALS), ("ids", ids), ("plain_ids", plain)):
        parts.append(f'"{key}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]")
    text = ", ".join(parts) + "}\n"
    (folder / "expected.json").write_text(text, encoding="utf-8")
    return f"{read.get_vocab_size()} tokens, {sum(map(len, plain))} ids in {len(plain)} texts"


def sentence_piece() -> None:
    """Registers a SentencePiece-style BPE with byte fallback (`tokenizer.ggml.model` = llama), as Llama 2 has it."""
    name, note = "gguf-tokenizer-spm", "SentencePiece BPE: scores, byte fallback, a space put in front, BOS added"

    def make(folder: Path) -> str:
        trained = Tokenizer(models.BPE())
        trained.pre_tokenizer = pre_tokenizers.Metaspace()
        trained.train_from_iterator(corpus.TRAINING, trainers.BpeTrainer(vocab_size=260, show_progress=False))
        pieces = sorted(trained.get_vocab(), key=trained.get_vocab().get)
        # SentencePiece numbers the merged pieces in the order of their merges, and the single characters after them.
        # Scripts beyond Latin are left to byte fallback.
        merged = [piece for piece in pieces if len(piece) > 1]
        single = [piece for piece in pieces if len(piece) == 1 and (ord(piece) < 0x250 or piece == "\u2581")]
        ranked = [piece for piece in merged if all(character in single for character in piece)] + single
        fixed = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
        vocabulary = {piece: index for index, piece in enumerate(fixed + ranked)}

        # The merges that transformers derives from scores: every way to part a piece in two, better pieces first.
        merges = []
        for piece in merged:
            if piece in vocabulary:
                ways = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
                ways = [way for way in ways if way[0] in vocabulary and way[1] in vocabulary]
                merges += sorted(ways, key=lambda way: (vocabulary[way[0]], vocabulary[way[1]]))

        model = models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
        tokenizer = Tokenizer(model)
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
        )
        tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        tokenizer.add_special_tokens(
            [AddedToken(text, special=True, normalized=False) for text in ("<unk>", "<s>", "</s>")]
        )
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])

        tokens = fixed + ranked
        kinds = [Type.UNKNOWN, Type.CONTROL, Type.CONTROL] + [Type.BYTE] * 256 + [Type.NORMAL] * len(ranked)
        writer = gguf.GGUFWriter(folder / "tokenizer.gguf", "llama")
        writer.add_vocab_size(len(tokens))
        add_tokens(writer, "llama", "default", tokens, kinds, True)
        writer.add_token_scores([0.0] * len(fixed) + [-float(rank) for rank in range(len(ranked))])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        writer.add_add_space_prefix(True)
        finish(writer)
        return write_trials(folder, note, "default", tokenizer)

    registry.add(name, note, make)


END = "<|endoftext|>"
PLAIN = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
SINGLE_DIGITS = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), PLAIN])
CHAT = [END, "<|im_start|>", "<|im_end|>"]

SMOLLM = ByteLevel(
    "smollm",
    "SmolLM: single digits before the GPT-2 pattern, special tokens first, no add_bos_token key",
    SINGLE_DIGITS,
    CHAT,
    bos=END,
    eos=END,
    add_bos=None,
    special_first=True,
)
BYTE_LEVEL = [
    ByteLevel("gpt-2", "GPT-2, no BOS", PLAIN, [END], bos=END, eos=END, add_bos=False),
    ByteLevel(
        "llama-bpe",
        "Llama 3: digits by threes, whole words before merges, BOS added",
        split(words(r"\p{N}{1,3}")),
        ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"],
        bos="<|begin_of_text|>",
        eos="<|eot_id|>",
        add_bos=True,
        ignore_merges=True,
    ),
    ByteLevel(
        "qwen2",
        "Qwen2: NFC, single digits, a token of the user's, padding tokens in the GGUF file, no BOS",
        split(words(r"\p{N}")),
        CHAT,
        bos=END,
        eos="<|im_end|>",
        add_bos=False,
        normalizer=normalizers.NFC(),
        user_defined=("<tool_call>",),
        unused=5,
    ),
    SMOLLM,
    ByteLevel(
        "gpt-4o",
        "GPT-4o: words part at a change of case, digits by threes",
        split(cased(CONTRACTION + "?", r"\p{N}{1,3}")),
        [END, "<|endofprompt|>"],
        bos=END,
        eos=END,
        add_bos=False,
    ),
    ByteLevel(
        "tekken",
        "Tekken: words part at a change of case, single digits, whole words before merges, BOS added",
        split(cased("", r"\p{N}")),
        ["<unk>", "<s>", "</s>"],
        bos="<s>",
        eos="</s>",
        add_bos=True,
        ignore_merges=True,
        special_first=True,
    ),
]
for family in BYTE_LEVEL:
    registry.add(f"gguf-tokenizer-{family.pre}", family.note, family.make)
sentence_piece()
