"""Token sequences, and what transformers says about them."""

import copy
import json
import math
from pathlib import Path

import torch
import transformers

from fixturelib.weights import generator

# The least distance, in nats, between the best id and the next one (or the target) wherever `greedy` is recorded, and
# the least relative one between the last expert that a router takes and the next.
MARGIN = 1e-3


def logits_by_layer(model, ids: list[int], routing: list[float] | None = None) -> torch.Tensor:
    """Logits of every layer's residual through what follows the last block: (layers + 1, ids, vocabulary), f64.
    `routing` takes up the margins of the routers.

    transformers returns the residual before each block, and for the last entry the state after the final norm. Its
    state-space models return the residual after each block and then the state after the final norm: no embedding.
    """
    # A fresh copy: dynamic rope keeps the frequencies of the longest input it has seen.
    model = copy.deepcopy(model)
    if routing is not None:
        watch_routers(model, routing)
    last = []
    blocks(model)[-1].register_forward_hook(lambda _module, _inputs, state: last.append(state))
    with torch.no_grad():
        output = model(torch.tensor([ids]), output_hidden_states=True, use_cache=False)
        states = output.hidden_states[:-1]
        if model.config.model_type in ("mamba", "mamba2"):
            states = (model.get_input_embeddings()(torch.tensor([ids])), *states[:-1])
        rows = [project(model, state[0]) for state in states]
        rows.append(output.logits[0])
        state = last[0][0] if isinstance(last[0], tuple) else last[0]
        own = project(model, state.reshape(len(ids), -1))
        # Fails where the model does more, or less, after its last block than `project` knows.
        torch.testing.assert_close(own.float(), rows[-1].float(), rtol=1e-5, atol=1e-5)
    if len(rows) != len(blocks(model)) + 1:
        raise ValueError(f"{len(rows)} states for {len(blocks(model))} blocks")
    return torch.stack(rows).double()


def project(model, state: torch.Tensor) -> torch.Tensor:
    """What follows the last block, for any residual: final norm, projection, head, and what is done to logits."""
    # A model around a text model follows the outer config: multimodal Gemma 3 ignores the cap of the inner one.
    base, config = stack(model), model.config
    state = final_norm(model)(state)
    if getattr(base, "project_out", None) is not None:
        state = base.project_out(state)
    logits = model.get_output_embeddings()(state)
    if hasattr(model, "logit_scale"):
        logits = logits * model.logit_scale
    if hasattr(config, "logits_scaling"):
        logits = logits / config.logits_scaling
    cap = getattr(config, "final_logit_softcapping", None)
    return logits if cap is None else cap * torch.tanh(logits / cap)


def stack(model) -> torch.nn.Module:
    """The module that holds the blocks."""
    base = model.base_model
    return next((getattr(base, name) for name in ("decoder", "language_model") if hasattr(base, name)), base)


def blocks(model) -> torch.nn.ModuleList:
    """The blocks in order."""
    return next(getattr(stack(model), name) for name in ("layers", "h", "blocks") if hasattr(stack(model), name))


def final_norm(model) -> torch.nn.Module:
    """The norm before the head; the identity where there is none (OPT with its norms after the branches)."""
    base = stack(model)
    for name in ("norm", "ln_f", "norm_f", "final_layer_norm", "final_layernorm"):
        if hasattr(base, name):
            return getattr(base, name) or torch.nn.Identity()
    raise ValueError(f"no final norm known in {type(base).__name__}")


def watch_routers(model, routing: list[float]) -> None:
    """Has every router add its least margin to `routing` when it runs."""
    for module in model.modules():
        if type(module).__name__.endswith("Router"):
            module.register_forward_hook(lambda m, _, output: routing.append(router_margin(m, output[0])))


def router_margin(router, logits: torch.Tensor) -> float:
    """The least relative distance between a router's last choice and the first one left out, over tokens, in experts
    and in groups of experts. Where it is tiny, rounding decides which expert runs.
    """

    def gap(scores: torch.Tensor, chosen: int) -> float:
        if chosen == scores.shape[1]:
            return math.inf
        ranked = scores.sort(dim=1, descending=True).values
        return ((ranked[:, chosen - 1] - ranked[:, chosen]) / ranked[:, chosen - 1].abs()).min().item()

    bias = getattr(router, "e_score_correction_bias", None)
    scores = logits.softmax(dim=-1) if bias is None else logits.sigmoid() + bias
    if bias is None and getattr(router, "topk_method", "greedy") == "greedy":
        return gap(scores, router.top_k)
    grouped = scores.view(len(scores), router.num_group, -1)
    ranks = grouped.amax(dim=-1) if bias is None else grouped.topk(2, dim=-1).values.sum(dim=-1)
    kept = torch.zeros_like(ranks).scatter(1, ranks.topk(router.topk_group, dim=1).indices, 1.0).bool()
    rest = grouped.masked_fill(~kept[..., None], -math.inf).flatten(1)
    return min(gap(ranks, router.topk_group), gap(rest, router.top_k))


def measure(model, ids: list[int]) -> tuple[dict, float]:
    """The record of one sequence, and its least margin."""
    routing: list[float] = []
    logits = logits_by_layer(model, ids, routing)
    logprobs = torch.log_softmax(logits, dim=-1)[:, :-1]
    targets = torch.tensor(ids[1:])
    chosen = logprobs.gather(2, targets.expand(len(logprobs), -1)[..., None])[..., 0]
    top, best = logprobs[-1].topk(2, dim=-1)
    greedy = best[:, 0] == targets
    margin = torch.where(greedy, top[:, 0] - top[:, 1], top[:, 0] - chosen[-1]).min().item()
    if not torch.isfinite(chosen).all():
        raise ValueError("a log-probability is not finite")
    layers = [[round(value, 6) for value in row] for row in chosen.tolist()]
    record = {"ids": ids, "logprobs": layers[-1], "greedy": greedy.tolist(), "layers": layers}
    return record, min([margin, *routing])


def tree(model, key: str, vocabulary: int, long: int, context_length: int) -> list[list[int]]:
    """Eight sequences that share prefixes: two contexts that part in their middle, endings that share first ids,
    one ending that is the start of another, a pair, and one of `long` ids. Some follow the model's own choice, so that
    `greedy` is not false throughout.
    """
    source = generator(f"sequences/{key}")

    def draw(count: int) -> list[int]:
        return torch.randint(0, vocabulary, (count,), generator=source).tolist()

    def follow(ids: list[int], count: int) -> list[int]:
        for _ in range(count):
            ids = ids + [int(logits_by_layer(model, ids)[-1, -1].argmax())]
        return ids

    context = draw(context_length)
    other = context[:9] + draw(5)
    first = draw(4)
    sequences = [
        context + first,
        context + first[:2] + draw(1),
        context + first[:1],
        follow(context, 6),
        follow(other, 2),
        other + draw(3),
        draw(2),
    ]
    last = list(context)
    while len(last) < long:
        last = last + draw(4)
        last = follow(last, min(2, max(0, long - len(last))))
    sequences.append(last[:long])
    return sequences


def line(model, key: str, vocabulary: int, long: int) -> list[list[int]]:
    """One sequence of `long` random ids that ends in a choice of the model, and four short ones, three of which share
    its first ids.
    """
    source = generator(f"sequences/{key}")
    ids = torch.randint(0, vocabulary, (long + 6,), generator=source).tolist()
    last, other = ids[:long], ids[long:]
    last[-1] = int(logits_by_layer(model, last[:-1])[-1, -1].argmax())
    return [last[:30], last[:18] + other[:4], last[:9], other[4:], last]


def reference(model, key: str, vocabulary: int, long: int, context: int | None) -> list[dict]:
    """Records of the tree of sequences, or of the line where there is no context; draws again while a choice, of
    an id or of an expert, is too close to call.
    """
    for attempt in range(100):
        if context is None:
            sequences = line(model, f"{key}/{attempt}", vocabulary, long)
        else:
            sequences = tree(model, f"{key}/{attempt}", vocabulary, long, context)
        records, margins = zip(*(measure(model, ids) for ids in sequences), strict=True)
        if min(margins) > MARGIN:
            return list(records)
    raise ValueError(f"{key}: no sequences with clear choices")


def conditioning(model, records: list[dict]) -> float:
    """The largest distance between the records and the same model run in f64 (rotary tables stay f32)."""
    twin = copy.deepcopy(model).double()
    # The fused kernels of experts know no f64.
    twin.config._experts_implementation = "eager"
    worst = 0.0
    for record in records:
        exact, _ = measure(twin, record["ids"])
        worst = max(worst, (torch.tensor(exact["layers"]) - torch.tensor(record["layers"])).abs().max().item())
    return worst


def write_expected(folder: Path, name: str, note: str, model_type: str, records: list[dict]) -> None:
    """Writes expected.json: one line a sequence, to keep it readable and small."""
    head = {
        "case": name,
        "model_type": model_type,
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "note": note,
    }
    lines = [json.dumps(record, separators=(",", ":")) for record in records]
    text = json.dumps(head, ensure_ascii=False)[:-1] + ', "sequences": [\n' + ",\n".join(lines) + "\n]}\n"
    (folder / "expected.json").write_text(text, encoding="utf-8")


def remark(records: list[dict], error: float) -> str:
    """What to print of a case: spread of the numbers and their conditioning."""
    values = torch.tensor([value for record in records for value in record["logprobs"]])
    lens = torch.tensor([value for record in records for row in record["layers"] for value in row])
    greedy = sum(sum(record["greedy"]) for record in records)
    return (
        f"logprob mean {values.mean():6.2f} min {values.min():6.2f} max {values.max():5.2f} lens min {lens.min():6.2f}"
        f"  greedy {greedy}/{len(values)}  f32-f64 {error:.1e}"
    )
