"""Batches of any task: an item's endings as branches after its text, the right one to be the likeliest."""

import random

import torch
import torch.nn.functional as F

from .text import generate, prompt

BATCH = 16
LONGEST = 700
TEXT_WEIGHT = 0.1


class Choices:
    """Endless batches of the items of one task."""

    def __init__(self, binary, encoder, task, seed, groups):
        self.binary, self.encoder, self.task, self.groups = binary, encoder, task, groups
        self.seed, self.random, self.pool = seed, random.Random(seed), []

    def refill(self):
        items = generate(self.binary, self.task, self.seed, self.groups)
        self.seed += 1
        rnd = self.random
        # Shallow questions are asked more often: a model learns them first, and builds on them.
        kept = [item for item in items if rnd.random() < 1.5 / (0.5 + item["hops"])]
        encoded = []
        for item in kept:
            before = self.encoder.encode(prompt(item)).ids
            endings = [self.encoder.encode(" " + e, add_special_tokens=False).ids for e in item["endings"]]
            if len(before) <= LONGEST:
                encoded.append((before, endings, item["label"]))
        # Batches of like length waste little on padding; their order is drawn.
        encoded.sort(key=lambda one: len(one[0]) + rnd.random() * 20)
        batches = [encoded[n : n + BATCH] for n in range(0, len(encoded) - BATCH + 1, BATCH)]
        rnd.shuffle(batches)
        self.pool = batches

    def batch(self):
        if not self.pool:
            self.refill()
        return tensors(self.pool.pop())


def tensors(items):
    """Ids [B, T], positions [B, T], mask [B, 1, T, T], and where each ending stands: the texts first, then the endings."""
    width = max(len(before) for before, _, _ in items)
    count = max(len(endings) for _, endings, _ in items)
    length = max(len(e) for _, endings, _ in items for e in endings)
    total = width + count * length
    ids = torch.zeros(len(items), total, dtype=torch.long)
    position = torch.zeros(len(items), total, dtype=torch.long)
    known = torch.zeros(len(items), total, dtype=torch.bool)
    branch = torch.full((total,), -1)
    for k in range(count):
        branch[width + k * length : width + (k + 1) * length] = k
    for row, (before, endings, _) in enumerate(items):
        n = len(before)
        ids[row, :n] = torch.tensor(before)
        position[row, :n] = torch.arange(n)
        known[row, :n] = True
        for k, ending in enumerate(endings):
            at = width + k * length
            ids[row, at : at + len(ending)] = torch.tensor(ending)
            position[row, at : at + length] = torch.arange(n, n + length)
            known[row, at : at + len(ending)] = True
    same = (branch[:, None] == branch[None, :]) | (branch[None, :] == -1)
    mask = same & torch.ones(total, total, dtype=torch.bool).tril()
    # A padded place sees itself alone, so that no row of the softmax is empty.
    mask = (mask[None] & known[:, None, :]) | torch.eye(total, dtype=torch.bool)[None]
    ends = torch.tensor([len(before) - 1 for before, _, _ in items])
    labels = torch.tensor([label for _, _, label in items])
    chars = [[max(len(e), 1) for e in endings] for _, endings, _ in items]
    return ids, position, mask[:, None], known, ends, labels, (width, count, length, chars)


def choice_losses(model, batch):
    """The loss, and its parts: which ending, the right ending's words, the text's; and the share answered rightly."""
    ids, position, mask, known, ends, labels, (width, count, length, _) = batch
    x = model(ids, position, mask)
    rows = torch.arange(len(ids))
    # The first word of an ending is predicted by the text's last one, the others by the word before them.
    first = model.lm_head(x[rows, ends]).log_softmax(-1)
    later = model.lm_head(x[:, width:]).log_softmax(-1).unflatten(1, (count, length))
    target = ids[:, width:].unflatten(1, (count, length))
    there = known[:, width:].unflatten(1, (count, length))
    logprob = first.gather(1, target[:, :, 0])
    rest = later[:, :, :-1].gather(-1, target[:, :, 1:, None])[..., 0] * there[:, :, 1:]
    score = logprob + rest.sum(-1)
    score = score.masked_fill(~there[:, :, 0], -1e9)
    which = F.cross_entropy(score, labels)
    words = -(score[rows, labels] / there.sum(-1)[rows, labels]).mean()
    text = F.cross_entropy(
        model.lm_head(x[:, : width - 1]).flatten(0, 1), ids[:, 1:width].masked_fill(~known[:, 1:width], -100).flatten()
    )
    right = (score.argmax(-1) == labels).float().mean()
    return which + words + TEXT_WEIGHT * text, [part.item() for part in (which, words, text, right)]
