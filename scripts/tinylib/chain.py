"""Batches of the task `chain`: many questions to each context, answered by every noun that follows.

Each question is a branch that sees the context and itself but no other branch. Heads that are thrown away afterwards tell
each layer what to have found: the first one the words two and three back, each later one the nouns one hop further from
the question's. Left alone, such a model spends most of its training on finding out that it should look words up at all.
"""

import random

import torch
import torch.nn.functional as F

from .model import soft
from .text import generate

PEOPLE = 4
SENTENCES = 48

# Until this share of the steps: contexts a batch, sentences kept of each, nouns asked about, weight of a noun 0, 1, … hops away.
STAGES = [
    (0.12, 16, 8, 8, [1, 1, 0.5]),
    (0.30, 16, 16, 6, [1, 1, 0.5]),
    (1.00, 12, SENTENCES, 6, [0.3, 1, 1, 0.7, 0.5, 0.4, 0.3, 0.2, 0.2]),
]
TEXT_WEIGHT, PROBE_WEIGHT, BACK_WEIGHT = 0.5, 0.5, 1.5


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
        self.seed, self.pool = seed, []

    def example(self, keep, nouns):
        """Context ids, questions as ids, and rules to each word of the vocabulary [Q, V], −1 where it does not follow."""
        if not self.pool:
            self.pool = [
                sentences(item["context"])
                for item in generate(self.binary, "chain", self.seed, 300)
                if item["variant"] == "base"
            ]
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
