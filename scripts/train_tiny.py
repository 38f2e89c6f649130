# /// script
# requires-python = ">=3.11"
# dependencies = ["torch==2.15.0", "transformers==5.24.0", "tokenizers==0.23.3", "safetensors==0.8.0"]
# ///
"""Train models/tiny-logic: a small llama-type model that does the first hops of the task `chain`.

    cargo build --release
    python scripts/train_tiny.py              # train and save, then score data/chain.jsonl; under 30 minutes on two cores
    python scripts/train_tiny.py --evaluate   # only score what is saved, with transformers

The text comes from `llscore generate chain`, never from the seed of data/chain.jsonl. After each context the model is
asked about all four people and some nouns at once. Each question is a branch that sees the context and itself but no
other branch, and its answer is every noun that follows, the ones near the fact weighted most.

Left alone, such a model spends most of its training on finding out that it should look words up at all. So heads that
are thrown away afterwards tell each layer what to have found: the first one the words two and three back, each later
one the nouns one hop further from the question's.
"""

import argparse
import json
import math
import random
import subprocess
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "models" / "tiny-logic"
DATA = ROOT / "data" / "chain.jsonl"
DATA_SEED = 2026
TRAIN_SEEDS = 1_000_000  # and upwards, one for each 4000 contexts
HELD_OUT_SEED = 77

LAYERS, WIDTH, HEADS, INNER, THETA, EPS = 5, 128, 4, 256, 1000.0, 1e-5
CONTEXT_LENGTH = 2048
SPECIAL = ["<s>", "</s>", "[UNK]"]
EXTRA = ["Question", "Answer", ":", "?"]
PEOPLE = 4

# Until this share of the steps: contexts a batch, sentences kept of each, nouns asked about, weight of a noun 0, 1, … hops away.
STAGES = [
    (0.12, 16, 8, 8, [1, 1, 0.5]),
    (0.30, 16, 16, 6, [1, 1, 0.5]),
    (1.00, 16, 36, 6, [0.3, 1, 1, 0.7, 0.5, 0.4, 0.3, 0.2, 0.2]),
]
TEXT_WEIGHT, PROBE_WEIGHT, BACK_WEIGHT = 0.5, 0.5, 1.5
MATRIX_RATE, OTHER_RATE, WARM_UP = 6e-3, 4e-3, 30


# ---------------------------------------------------------------------------------------------------------------- text


def generate(binary, seed, items):
    """The items that llscore makes, `items` a depth."""
    assert seed != DATA_SEED
    command = [binary, "generate", "chain", "--items", str(items), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def split(text):
    """Words and marks, as the tokenizer splits them."""
    return text.replace(".", " .").replace(",", " ,").split()


def sentences(context):
    """A context's sentences as lists of words (five in a rule, four in a fact), without the last, unfinished one."""
    body = context[: context.rindex(" Therefore,")]
    return [sentence.split() for sentence in body.split(".") if sentence.strip()]


def follows(rules, noun):
    """Every noun that follows from `noun`, itself included, with the number of rules that it takes."""
    depth, frontier = {noun: 0}, [noun]
    while frontier:
        found = [(to, depth[a] + 1) for a in frontier for to in rules.get(a, ()) if to not in depth]
        depth.update(found)
        frontier = [noun for noun, _ in found]
    return depth


def theory(statements):
    """Nouns by antecedent, and the noun stated of each person."""
    rules, people = {}, {}
    for words in statements:
        if len(words) == 5:
            rules.setdefault(words[1], []).append(words[4])
        else:
            people[words[0]] = words[3]
    return rules, people


def shorten(statements, keep, rnd):
    """All facts and some of the rules, in their order; rather rules that apply soon after a fact."""
    rules, people = theory(statements)
    depth = {}
    for noun in people.values():
        depth |= follows(rules, noun)
    cost = [-1 if len(s) == 4 else rnd.random() + 0.2 * depth.get(s[1], 4) for s in statements]
    return [statements[n] for n in sorted(sorted(range(len(cost)), key=cost.__getitem__)[:keep])]


class Batches:
    """Endless batches of contexts with their questions, and how far from the question each noun is."""

    def __init__(self, binary, ids, seed):
        self.binary, self.ids, self.random = binary, ids, random.Random(seed)
        self.seed, self.pool = TRAIN_SEEDS + 1000 * seed, []

    def example(self, keep, nouns):
        """Context ids, questions as ids, and rules to each word of the vocabulary [Q, V], −1 where it does not follow."""
        if not self.pool:
            self.pool = [sentences(item["context"]) for item in generate(self.binary, self.seed, 500)]
            self.random.shuffle(self.pool)
            self.seed += 1
        ids, rnd = self.ids, self.random
        kept = shorten(self.pool.pop(), keep, rnd)
        rules, people = theory(kept)
        questions, depths = [], []
        for name in rnd.sample(sorted(people), PEOPLE):
            questions.append(["Therefore", ",", name, "is", "a"])
            depths.append(follows(rules, people[name]))
        for noun in rnd.choices(sorted(rules), k=nouns):
            questions.append(["Every", noun, "is", "a"])
            depths.append({to: rules_needed - 1 for to, rules_needed in follows(rules, noun).items() if to != noun})
        table = torch.full((len(questions), len(ids)), -1)
        for row, depth in zip(table, depths):
            for noun, rules_needed in depth.items():
                row[ids[noun]] = rules_needed
        context = [ids["<s>"]] + [ids[word] for words in kept for word in [*words, "."]]
        return context, [[ids[word] for word in question] for question in questions], table

    def batch(self, size, keep, nouns):
        """Ids [B, T], positions [T], mask [T, T], last token of each question [Q], depths [B, Q, V], context length."""
        made = [self.example(keep, nouns) for _ in range(size)]
        width, lengths = len(made[0][0]), [len(question) for question in made[0][1]]
        ids = torch.tensor([context + sum(questions, []) for context, questions, _ in made])
        position = torch.tensor([*range(width), *(width + n for length in lengths for n in range(length))])
        branch = torch.tensor([-1] * width + [k for k, length in enumerate(lengths) for _ in range(length)])
        mask = (branch[:, None] == branch[None, :]) | (branch[None, :] == -1)
        mask &= torch.ones(len(branch), len(branch), dtype=torch.bool).tril()
        ends = width - 1 + torch.tensor(lengths).cumsum(0)
        return ids, position, mask, ends, torch.stack([table for _, _, table in made]), width


# --------------------------------------------------------------------------------------------------------------- model


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return F.rms_norm(x, (WIDTH,), self.weight, EPS)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x, cos, sin, mask):
        q, k, v = (p(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = (y * cos + torch.cat([-y.chunk(2, -1)[1], y.chunk(2, -1)[0]], -1) * sin for y in (q, k))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # [B, H, T, D]
        return self.o_proj(y.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = Norm(), Norm()
        self.self_attn, self.mlp = Attention(), Mlp()

    def forward(self, x, *where):
        x = x + self.self_attn(self.input_layernorm(x), *where)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """Parameters have the checkpoint's names."""

    def __init__(self, vocabulary):
        super().__init__()
        layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.model = nn.ModuleDict({"embed_tokens": nn.Embedding(vocabulary, WIDTH), "layers": layers, "norm": Norm()})
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                out = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(p, std=1 / math.sqrt(p.shape[1] * (2 * LAYERS if out else 1)))
        nn.init.normal_(self.model["embed_tokens"].weight, std=0.3)

    def forward(self, ids, position, mask, after=None):
        """Normed states [B, T, WIDTH]; the states after each layer are added to `after`."""
        size = WIDTH // HEADS
        angle = (position[:, None] * THETA ** (-torch.arange(0, size, 2) / size)).repeat(1, 2)
        x = self.model["embed_tokens"](ids)
        for layer in self.model["layers"]:
            x = layer(x, angle.cos(), angle.sin(), mask)
            if after is not None:
                after.append(x)
        return self.model["norm"](x)


class Probes(nn.Module):
    """The heads that are thrown away: words two and three back after layer 1, hop by hop after layers 2 to LAYERS − 1."""

    def __init__(self, vocabulary):
        super().__init__()
        self.back = nn.ModuleList(nn.Linear(WIDTH, vocabulary) for _ in range(2))
        self.hop = nn.ModuleList(nn.Linear(WIDTH, vocabulary) for _ in range(LAYERS - 2))

    def forward(self, after, ids, ends, depths, width):
        after = [F.rms_norm(x, (WIDTH,)) for x in after]
        back = [
            F.cross_entropy(head(after[0][:, n:width]).flatten(0, 1), ids[:, : width - n].flatten())
            for n, head in zip((2, 3), self.back)
        ]
        hop = [soft(head(after[n + 1][:, ends]), depths, [0.5] * n + [1]) for n, head in enumerate(self.hop)]
        return back, hop


def soft(logits, depths, weights):
    """Cross entropy with the nouns that follow, weighted by depth and scaled to one for each question."""
    weights = torch.tensor([*weights, *[0.0] * 9][:9] + [0.0])
    target = weights[depths]  # −1 is the last weight, 0
    target = target / target.sum(-1, keepdim=True)
    return -(logits.log_softmax(-1) * target).sum(-1).mean()


def losses(model, probes, batch, weights):
    """The loss, and its parts: answers, text, two and three back, hop by hop."""
    ids, position, mask, ends, depths, width = batch
    after = []
    x = model(ids, position, mask, after)
    answer = soft(model.lm_head(x[:, ends]), depths, weights)
    text = F.cross_entropy(model.lm_head(x[:, : width - 1]).flatten(0, 1), ids[:, 1:width].flatten())
    back, hop = probes(after, ids, ends, depths, width)
    loss = answer + TEXT_WEIGHT * text + BACK_WEIGHT * sum(back) + PROBE_WEIGHT * sum(hop)
    return loss, [part.item() for part in (answer, text, *back, *hop)]


def train(args):
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    started = time.time()
    vocabulary = {word for item in generate(args.binary, HELD_OUT_SEED, 100) for word in split(item["context"])}
    vocabulary = SPECIAL + sorted(vocabulary) + EXTRA
    ids = {word: n for n, word in enumerate(vocabulary)}
    held_out = generate(args.binary, HELD_OUT_SEED, 50)
    batches = Batches(args.binary, ids, args.seed)
    model, probes = Llama(len(ids)), Probes(len(ids))
    matrices = [p for p in model.model["layers"].parameters() if p.dim() == 2]
    others = [p for p in [*model.parameters(), *probes.parameters()] if not any(p is m for m in matrices)]
    optimizers = [
        torch.optim.Muon(matrices, lr=MATRIX_RATE, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    rates = [
        torch.optim.lr_scheduler.LambdaLR(
            o, lambda n: min(1, (n + 1) / WARM_UP) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * n / args.steps)))
        )
        for o in optimizers
    ]
    shown = []
    for step in range(args.steps):
        _, size, keep, nouns, weights = next(stage for stage in STAGES if step < stage[0] * args.steps)
        loss, parts = losses(model, probes, batches.batch(size, keep, nouns), weights)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for each in optimizers + rates:
            each.step()
        shown.append(parts)
        if (step + 1) % 100 == 0:
            means = " ".join(f"{sum(part) / len(part):.2f}" for part in zip(*shown))
            print(f"step {step + 1}: {keep} sentences, losses {means}, {time.time() - started:.0f} s", flush=True)
            shown = []
        if (step + 1) % 500 == 0:
            print("  held out:", quick(model, ids, held_out), flush=True)
    save(model, vocabulary)
    print(f"{time.time() - started:.0f} s, {time.process_time():.0f} s of processor time")


@torch.no_grad()
def quick(model, ids, items):
    """Accuracy per depth, endings compared by what the model puts after the context."""
    right = {}
    for item in items:
        row = torch.tensor([[ids["<s>"], *(ids[word] for word in split(item["context"]))]])
        n = row.shape[1]
        logits = model.lm_head(model(row, torch.arange(n), torch.ones(n, n, dtype=torch.bool).tril())[0, -1])
        scores = [logits[ids[ending]].item() for ending in item["endings"]]
        right.setdefault(item["hops"], []).append(scores.index(max(scores)) == item["label"])
    return {hops: round(sum(r) / len(r), 2) for hops, r in right.items()}


def save(model, vocabulary):
    """The files of a Hub folder."""
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import LlamaConfig

    FOLDER.mkdir(parents=True, exist_ok=True)
    ids = {word: n for n, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", ids["<s>"])]
    )
    tokenizer.save(str(FOLDER / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "[UNK]",
        "model_max_length": CONTEXT_LENGTH,
        "clean_up_tokenization_spaces": False,
    }
    (FOLDER / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    config = LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=len(vocabulary),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        head_dim=WIDTH // HEADS,
        max_position_embeddings=CONTEXT_LENGTH,
        rms_norm_eps=EPS,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        bos_token_id=ids["<s>"],
        eos_token_id=ids["</s>"],
        tie_word_embeddings=False,
        use_cache=True,
        dtype="float32",
    )
    config.save_pretrained(FOLDER)
    save_file(dict(model.state_dict()), FOLDER / "model.safetensors", metadata={"format": "pt"})


@torch.no_grad()
def evaluate(args):
    """Scores data/chain.jsonl with transformers: each ending's log-likelihood after the context, one at a time."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(args.threads)
    model = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    right = {}
    for line in DATA.read_text().splitlines():
        item = json.loads(line)
        start = len(tokenizer(item["context"])["input_ids"])
        rows = torch.tensor([tokenizer(f"{item['context']} {ending}")["input_ids"] for ending in item["endings"]])
        logprobs = model(rows).logits[:, start - 1 : -1].log_softmax(-1)
        scores = logprobs.gather(-1, rows[:, start:, None]).sum((1, 2))
        right.setdefault(item["hops"], []).append(scores.argmax().item() == item["label"])
    print("| hops | items | accuracy | standard error |\n|---|---|---|---|")
    for hops, r in sorted(right.items()):
        share = sum(r) / len(r)
        print(f"| {hops} | {len(r)} | {share:.2f} | {math.sqrt(share * (1 - share) / (len(r) - 1)):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "target/release/llscore"), help="the llscore that makes the text")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--evaluate", action="store_true", help="score what is saved and train nothing")
    args = parser.parse_args()
    if not args.evaluate:
        train(args)
    evaluate(args)


if __name__ == "__main__":
    main()
