# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy==2.4.6", "scipy==1.17.1"]
# ///
"""Makes tests/fixtures/metrics: random sample records, and their metrics computed with numpy and scipy alone.

Usage: uv run scripts/make_metrics_fixture.py [FOLDER]

`items.jsonl` holds what was measured (texts, log-likelihoods), `samples.jsonl` the records that must come of it, and
`expected.json` their metrics, their robustness (norm: char), and some values of McNemar's exact test.
"""

import json
import random
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import softmax
from scipy.stats import binomtest
from scipy.stats import norm as norm_distribution

NORM = "char"
TEXTS = ["yes", "no", "naïve", "数学", "🙂 fine", "a tumpus", "Rex is a wumpus.", "Σ", "e\u0301", "blue"]


def records():
    rng = random.Random(20)
    for task, variants, groups in [("chain", ["base"], 30), ("kinship", ["base", "l1", "l2"], 20), ("own", ["x", "base"], 8)]:
        for number in range(groups):
            hops = rng.choice([0, 1, 2, 3, 10, 11])
            for variant in variants:
                if rng.random() < 0.08:
                    continue
                n = rng.randint(1, 5)
                texts = rng.sample(TEXTS, n)
                item = {
                    "id": f"{task}-{number}/{variant}", "task": task, "group": f"{task}-{number}", "variant": variant,
                    "hops": hops, "extra_hops": 0, "context": "c", "endings": texts, "label": rng.randrange(n),
                }
                fate = rng.random()
                measured = {"item": item, "flags": []}
                if fate < 0.06:
                    measured["error"] = "the context is too long"
                elif fate < 0.1:
                    measured["flags"] = ["skipped"]
                else:
                    if fate < 0.2:
                        measured["flags"] = ["truncated"]
                    measured["endings"] = [
                        {
                            "text": text,
                            # Quarters make ties common; thirds need all their digits.
                            "logprob": -rng.randint(1, 40) / rng.choice([3, 4, 4, 4]),
                            "tokens": rng.randint(1, 4),
                            "greedy": rng.random() < 0.3,
                            "unconditional": -rng.randint(1, 40) / 4,
                        }
                        for text in texts
                    ]
                yield measured


def sample(measured):
    item = measured["item"]
    out = {key: item[key] for key in ["id", "task", "group", "variant", "hops", "extra_hops", "label"]}
    if "endings" not in measured:
        out |= {"ties": [], "flags": measured["flags"]}
        if "error" in measured:
            out["error"] = measured["error"]
        return out
    endings = [
        {
            "logprob": e["logprob"], "tokens": e["tokens"], "chars": len(e["text"]),
            "bytes": len(e["text"].encode()), "greedy": e["greedy"], "unconditional": e["unconditional"],
        }
        for e in measured["endings"]
    ]
    sums = np.array([e["logprob"] for e in endings])
    scores = {"sum": sums}
    for norm, length in [("token", "tokens"), ("char", "chars"), ("byte", "bytes")]:
        scores[norm] = sums / np.array([e[length] for e in endings])
    scores["pmi"] = sums - np.array([e["unconditional"] for e in endings])
    out |= {
        "context_tokens": 7, "endings": endings,
        "choice": {norm: int(np.argmax(s)) for norm, s in scores.items()},
        "ties": [norm for norm, s in scores.items() if int((s == s.max()).sum()) > 1],
        "flags": measured["flags"],
    }
    return out


def metrics(samples):
    scored = [s for s in samples if "choice" in s]
    n = len(scored)

    def rate(norm):
        return float(np.mean([s["choice"][norm] == s["label"] for s in scored])) if n else None

    def stderr(norm):
        right = np.array([s["choice"][norm] == s["label"] for s in scored], dtype=float)
        return float(np.std(right, ddof=1) / np.sqrt(n)) if n > 1 else None

    def brier(s):
        p = softmax([e["logprob"] for e in s["endings"]])
        return float(((p - np.eye(len(p))[s["label"]]) ** 2).sum())

    out = {
        "n": n, "acc": rate("sum"), "acc_stderr": stderr("sum"), "acc_norm": rate(NORM),
        "acc_norm_stderr": stderr(NORM), "acc_token": rate("token"), "acc_char": rate("char"),
        "acc_byte": rate("byte"),
    }
    if n:
        out["acc_pmi"] = rate("pmi")
    out |= {
        "chance": float(np.mean([1 / len(s["endings"]) for s in scored])) if n else None,
        "ties": sum(bool(s["ties"]) for s in scored), "errors": sum("error" in s for s in samples),
        "truncated": sum("truncated" in s["flags"] for s in scored),
    }
    skipped = sum("skipped" in s["flags"] for s in samples)
    if skipped:
        out["skipped"] = skipped
    return out | {"brier": float(np.mean([brier(s) for s in scored])) if n else None}


def grouped(samples, *keys):
    if not keys:
        return metrics(samples)
    groups = defaultdict(list)
    for s in samples:
        groups[s[keys[0]]].append(s)
    return {str(key): grouped(groups[key], *keys[1:]) for key in sorted(groups)}


def mcnemar(b, c):
    return float(binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0


def drop_interval(pairs):
    """95 % of 1 - mean(b) / mean(a), by the delta method from the pairs' own covariance."""
    values = np.array(pairs, dtype=float)
    (a, b), cov = values.mean(axis=0), np.cov(values, rowvar=False, ddof=0)
    gradient = np.array([b / a**2, -1 / a])
    half = norm_distribution.ppf(0.975) * np.sqrt(gradient @ cov @ gradient / len(pairs))
    return [float(1 - b / a - half), float(1 - b / a + half)]


def robustness(samples):
    right = {(s["task"], s["group"], s["variant"]): s["choice"][NORM] == s["label"] for s in samples if "choice" in s}
    out = {}
    for task, variant in sorted({(t, v) for t, _, v in right if v != "base"}):
        pairs = [(right[t, g, "base"], r) for (t, g, v), r in right.items()
                 if (t, v) == (task, variant) and (t, g, "base") in right]
        base, other = (float(np.mean([p[i] for p in pairs])) for i in (0, 1))
        out.setdefault(task, {})[variant] = {
            "pairs": len(pairs), "base_acc": base, "acc": other, "drop": (base - other) / base if base else None,
            "drop_interval": drop_interval(pairs) if base else None,
            "consistent": float(np.mean([a and b for a, b in pairs])),
            "mcnemar_p": mcnemar(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)),
        }
    drops = [p["drop"] for v in out.values() for p in v.values() if p["drop"] is not None]
    return out | {"average": float(np.mean(drops))}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "tests/fixtures/metrics")
    folder.mkdir(parents=True, exist_ok=True)
    measured = list(records())
    samples = [sample(m) for m in measured]
    expected = {
        "metrics": {
            "overall": metrics(samples), "by_task": grouped(samples, "task"),
            "by_variant": grouped(samples, "task", "variant"), "by_hops": grouped(samples, "task", "hops"),
            "by_variant_hops": grouped(samples, "task", "variant", "hops"),
        },
        "robustness": robustness(samples),
        "mcnemar": [[b, c, mcnemar(b, c)] for b, c in [
            (0, 0), (0, 1), (1, 0), (5, 5), (3, 9), (12, 1), (0, 40), (40, 60), (1000, 1100), (2000, 2001),
            (4900, 5300), (300, 700), (0, 900),
        ]],
    }
    lines = lambda rows: "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in rows)
    (folder / "items.jsonl").write_text(lines(measured), encoding="utf-8")
    (folder / "samples.jsonl").write_text(lines(samples), encoding="utf-8")
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


main()
