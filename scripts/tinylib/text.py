"""Items from `llscore generate`, their text, and the words that the model knows."""

import json
import subprocess
from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, processors

SPECIAL = ["<s>", "</s>", "[UNK]"]
TASKS = ["fol", "kinship", "series", "direction", "chain"]


def generate(binary, task, seed, items, hops=None):
    """Items of the train split that llscore makes, `items` groups a depth."""
    command = [binary, "generate", task, "--split", "train", "--items", str(items), "--seed", str(seed)]
    if hops:
        command += ["--hops", hops]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def prompt(item):
    """The text before the ending, as `llscore run` puts it."""
    question = item.get("question")
    return item["context"] + (f"\nQuestion: {question}\nAnswer:" if question else "")


def tokenizer(binary, tasks, seed, items):
    """One id a word or mark, digits one by one; every word that `items` groups a depth of each task hold."""
    split = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
    words = Counter()
    for task in tasks:
        for item in generate(binary, task, seed, items):
            for text in (prompt(item), *item["endings"]):
                words.update(word for word, _ in split.pre_tokenize_str(text))
    vocabulary = SPECIAL + sorted(words)
    ids = {word: n for n, word in enumerate(vocabulary)}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.pre_tokenizer = split
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", ids["<s>"])]
    )
    return made
