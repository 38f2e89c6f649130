# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "z3-solver==5.4.1.0",
# ]
# ///
"""Checks what `llscore prove` said, with a parser, an evaluator and a prover of its own.

Usage:
    llscore prove questions.jsonl > verdicts.jsonl
    python scripts/check_logic.py questions.jsonl verdicts.jsonl [--una] [--timeout SECONDS]

Every verdict is asked of z3 again. Every model is evaluated here, by Tarski's definition. Of every refutation: each ground
instance is its general formula with the values given, each general formula follows from its source and what its Skolem
functions stand for, and z3 finds that the instances cannot hold together. Formulas are read in FOLIO's syntax; lines with
others are counted and left out. Exit code 1 if something is wrong.
"""

import argparse
import json
import re
import sys
from collections import Counter

import z3

TOKEN = re.compile(r"\s*(?:([^\W](?:[\w'’\u0300-\u036f]|-(?=[\w'’]))*)|(\S))")
BINARY = [("↔", "iff"), ("→", "implies"), ("⊕", "xor"), ("∨", "or"), ("∧", "and")]
THING = z3.DeclareSort("Thing")


class Unread(Exception):
    """Not a formula of FOLIO's syntax."""


class Reader:
    """Recursive descent, one level a precedence. A formula is a tuple, its kind first."""

    def __init__(self, text: str, variables: set[str] = frozenset()):
        self.tokens = [name or sign for name, sign in TOKEN.findall(text)]
        self.names = [bool(name) for name, _ in TOKEN.findall(text)]
        self.at = 0
        self.scope = list(variables)

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, token: str | None = None) -> str:
        found = self.peek()
        if found is None or (token is not None and found != token):
            raise Unread(f"{token} expected, {found} found")
        self.at += 1
        return found

    def name(self) -> str:
        if self.at >= len(self.tokens) or not self.names[self.at]:
            raise Unread(f"a name expected, {self.peek()} found")
        return self.take()

    def whole(self):
        f = self.level(0)
        if self.peek() is not None:
            raise Unread(f"{self.peek()} follows")
        return f

    def level(self, i: int):
        if i == len(BINARY):
            return self.unary()
        sign, kind = BINARY[i]
        parts = [self.level(i + 1)]
        while self.peek() == sign:
            self.take()
            parts.append(self.level(i + 1))
        if len(parts) == 1:
            return parts[0]
        if kind in ("and", "or"):
            return (kind, parts)
        if kind == "implies":
            f = parts.pop()
            while parts:
                f = (kind, parts.pop(), f)
            return f
        f = parts[0]
        for part in parts[1:]:
            f = (kind, f, part)
        return f

    def unary(self):
        token = self.peek()
        if token == "¬":
            self.take()
            return ("not", self.unary())
        if token in ("∀", "∃"):
            self.take()
            x = self.name()
            self.scope.append(x)
            body = self.unary()
            self.scope.pop()
            return ("all" if token == "∀" else "some", x, body)
        if token == "(":
            self.take()
            f = self.level(0)
            self.take(")")
            return f
        if token in ("⊤", "⊥"):
            self.take()
            return ("true",) if token == "⊤" else ("false",)
        name = self.name()
        args = self.arguments()
        if self.peek() in ("=", "≠"):
            equal = self.take() == "="
            f = ("equal", self.as_term(name, args), self.term())
            return f if equal else ("not", f)
        return ("pred", name, args or [])

    def arguments(self):
        if self.peek() != "(":
            return None
        self.take()
        args = [self.term()]
        while self.peek() == ",":
            self.take()
            args.append(self.term())
        self.take(")")
        return args

    def term(self):
        name = self.name()
        return self.as_term(name, self.arguments())

    def as_term(self, name: str, args):
        return ("var", name) if args is None and name in self.scope else ("app", name, args or [])


def read(text: str, variables=frozenset()):
    return Reader(text, variables).whole()


def parts(f):
    """The formulas directly inside."""
    if f[0] in ("and", "or"):
        return f[1]
    if f[0] in ("pred", "equal", "true", "false"):
        return []
    return [part for part in f[1:] if isinstance(part, tuple)]


def holds(f, model: dict, env: dict) -> bool:
    """Whether a formula holds in a model, as `llscore prove` prints one."""
    kind = f[0]
    if kind == "pred":
        args = [value(t, model, env) for t in f[2]]
        table = model["predicates"][f"{f[1]}/{len(args)}"]
        return table if not args else args in table
    if kind == "equal":
        return value(f[1], model, env) == value(f[2], model, env)
    if kind in ("all", "some"):
        values = (holds(f[2], model, env | {f[1]: element}) for element in range(model["size"]))
        return all(values) if kind == "all" else any(values)
    if kind in ("true", "false"):
        return kind == "true"
    inside = [holds(part, model, env) for part in parts(f)]
    match kind:
        case "not":
            return not inside[0]
        case "and":
            return all(inside)
        case "or":
            return any(inside)
        case "implies":
            return not inside[0] or inside[1]
        case "iff":
            return inside[0] == inside[1]
        case "xor":
            return inside[0] != inside[1]
    raise ValueError(kind)


def value(t, model: dict, env: dict) -> int:
    if t[0] == "var":
        return env[t[1]]
    args = [value(arg, model, env) for arg in t[2]]
    if not args:
        result = model["constants"][t[1]]
    else:
        rows = [row for row in model["functions"][f"{t[1]}/{len(args)}"] if row[:-1] == args]
        if len(rows) != 1:
            raise ValueError(f"{t[1]}{args} has {len(rows)} values")
        result = rows[0][-1]
    if not 0 <= result < model["size"]:
        raise ValueError(f"{t[1]} is {result}, no element")
    return result


def to_z3(f, env: dict):
    kind = f[0]
    if kind == "pred":
        return symbol("predicate " + f[1], f[2], z3.BoolSort(), env)
    if kind == "equal":
        return term_to_z3(f[1], env) == term_to_z3(f[2], env)
    if kind in ("true", "false"):
        return z3.BoolVal(kind == "true")
    if kind in ("all", "some"):
        x = z3.Const(f"variable {len(env)}", THING)
        return (z3.ForAll if kind == "all" else z3.Exists)([x], to_z3(f[2], nested(env, f[1], x)))
    inside = [to_z3(part, env) for part in parts(f)]
    match kind:
        case "not":
            return z3.Not(inside[0])
        case "and":
            return z3.And(inside)
        case "or":
            return z3.Or(inside)
        case "implies":
            return z3.Implies(*inside)
        case "iff":
            return inside[0] == inside[1]
        case "xor":
            return z3.Xor(*inside)
    raise ValueError(kind)


def nested(env: dict, name: str, x) -> dict:
    """One more variable; a key for each quantifier passed, so that the number of keys names the next variable."""
    return env | {("depth", len(env)): x} | {name: x}


def term_to_z3(t, env: dict):
    return env[t[1]] if t[0] == "var" else symbol("function " + t[1], t[2], THING, env)


def symbol(name: str, args: list, result, env: dict):
    return z3.Function(name, *[THING] * len(args), result)(*[term_to_z3(t, env) for t in args])


def terms(f):
    """All terms in a formula, inner ones too."""
    out = []
    open_terms = list(f[2]) if f[0] == "pred" else list(f[1:]) if f[0] == "equal" else []
    while open_terms:
        t = open_terms.pop()
        out.append(t)
        if t[0] == "app":
            open_terms.extend(t[2])
    return out + [t for part in parts(f) for t in terms(part)]


def constants(formulas) -> list[str]:
    return sorted({t[1] for f in formulas for t in terms(f) if t[0] == "app" and not t[2]})


def replace(f, change):
    """The formula with `change` applied to all its terms, outermost first; `None` leaves a term."""

    def in_term(t):
        new = change(t)
        if new is not None:
            return new
        return t if t[0] == "var" else ("app", t[1], [in_term(arg) for arg in t[2]])

    if f[0] == "pred":
        return ("pred", f[1], [in_term(t) for t in f[2]])
    if f[0] == "equal":
        return ("equal", in_term(f[1]), in_term(f[2]))
    if f[0] in ("and", "or"):
        return (f[0], [replace(part, change) for part in f[1]])
    return tuple(replace(part, change) if isinstance(part, tuple) else part for part in f)


class Checker:
    def __init__(self, una: bool, timeout: float):
        self.una = una
        self.timeout = int(timeout * 1000)
        self.counts = Counter()

    def sat(self, formulas, names=()) -> z3.CheckSatResult:
        solver = z3.Solver()
        solver.set("timeout", self.timeout)
        solver.add(*[to_z3(f, {}) for f in formulas])
        if self.una and len(names) > 1:
            solver.add(z3.Distinct(*[z3.Const("function " + c, THING) for c in names]))
        return solver.check()

    def question(self, premises, conclusion, said: dict) -> list[str]:
        """What is wrong with one line."""
        problems = []
        negated = ("not", conclusion)
        names = constants([*premises, conclusion])
        with_, without = (self.sat([*premises, q], names) for q in (conclusion, negated))
        verdict = said["verdict"]
        self.counts[verdict] += 1
        possible = {
            "entailed": without != z3.sat and with_ != z3.unsat,
            "contradicted": with_ != z3.sat and without != z3.unsat,
            "unknown": z3.unsat not in (with_, without),
            "inconsistent": z3.sat not in (with_, without),
            "undecided": True,
        }
        if z3.unknown in (with_, without):
            self.counts["z3 does not know"] += 1
        if not possible[verdict]:
            problems.append(f"{verdict}, but z3: {with_} with the conclusion, {without} without")
        evidence = said["evidence"]
        for key, q in (("model_true", conclusion), ("model_false", negated)):
            if key in evidence:
                self.counts["models"] += 1
                problems += [f"{key}: {p}" for p in self.model(evidence[key], [*premises, q], names)]
        if verdict == "unknown" and not {"model_true", "model_false"} <= evidence.keys():
            problems.append("unknown without two models")
        refutations = [key for key in ("refutation", "refutation_true", "refutation_false") if evidence.get(key)]
        if verdict in ("entailed", "contradicted", "inconsistent") and not refutations:
            problems.append(f"{verdict} without a refutation")
        for key in refutations:
            self.counts["refutations"] += 1
            problems += [f"{key}: {p}" for p in self.refutation(evidence[key], premises, conclusion, names)]
        return problems

    def model(self, model: dict, formulas, names) -> list[str]:
        try:
            wrong = [i for i, f in enumerate(formulas) if not holds(f, model, {})]
        except (KeyError, ValueError) as e:
            return [f"cannot be evaluated: {e!r}"]
        out = [f"formula {i} does not hold" for i in wrong]
        if self.una and len({model["constants"][c] for c in names}) < len(names):
            out.append("two constants have one value")
        return out

    def refutation(self, refutation: dict, premises, conclusion, names) -> list[str]:
        sources = {("premise", i): f for i, f in enumerate(premises)}
        sources |= {("conclusion", None): conclusion, ("negated conclusion", None): ("not", conclusion)}
        out = []
        axioms = {}
        for skolem in refutation["skolems"]:
            depends_on = skolem["depends_on"]
            said = read(skolem["says"], set(depends_on))
            new = "some " + skolem["name"]

            def made(t, name=skolem["name"], arity=len(depends_on), new=new):
                return ("var", new) if t[0] == "app" and t[1] == name and len(t[2]) == arity else None

            axiom = ("implies", ("some", new, replace(said, made)), said)
            for x in reversed(depends_on):
                axiom = ("all", x, axiom)
            axioms.setdefault((skolem["from"], skolem["index"]), []).append(axiom)
        ground = []
        for i, instance in enumerate(refutation["instances"]):
            values = {x: read(f"p({t})")[2][0] for x, t in instance["with"].items()}
            general = read(instance["general"], set(values))
            ground.append(read(instance["ground"]))
            if replace(general, lambda t, values=values: values.get(t[1]) if t[0] == "var" else None) != ground[-1]:
                out.append(f"instance {i} is none of its general formula")
            place = (instance["from"], instance["index"])
            for x in values:
                general = ("all", x, general)
            follows = self.sat([sources[place], *axioms.get(place, []), ("not", general)])
            if follows == z3.sat:
                out.append(f"instance {i}: its general formula does not follow from {place}")
            elif follows == z3.unknown:
                self.counts["general formulas that z3 does not decide"] += 1
        if refutation["unique_names"] and not self.una:
            out.append("unique names were not asked for")
        found = self.sat(ground, names)
        if found != z3.unsat:
            out.append(f"z3 says {found} to the ground instances")
        return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions")
    parser.add_argument("verdicts")
    parser.add_argument("--una", action="store_true", help="as given to llscore prove")
    parser.add_argument("--timeout", type=float, default=5, help="seconds for each question to z3")
    args = parser.parse_args()
    checker = Checker(args.una, args.timeout)
    with open(args.questions, encoding="utf-8") as f:
        questions = [json.loads(line) for line in f]
    with open(args.verdicts, encoding="utf-8") as f:
        verdicts = [json.loads(line) for line in f]
    if len(questions) != len(verdicts):
        print(f"{len(questions)} questions, {len(verdicts)} verdicts")
        return 1
    wrong = 0
    for number, (question, said) in enumerate(zip(questions, verdicts), 1):
        try:
            premises = [read(text) for text in question["premises"]]
            conclusion = read(question["conclusion"])
        except Unread:
            checker.counts["left out: refused by both" if "error" in said else "left out: not FOLIO's syntax"] += 1
            continue
        if "error" in said:
            print(f"line {number}: refused, but readable here: {said['error']}")
            wrong += 1
            continue
        problems = checker.question(premises, conclusion, said)
        for problem in problems:
            print(f"line {number}: {problem}")
        wrong += bool(problems)
    for what, count in checker.counts.most_common():
        print(f"{count:6} {what}")
    print(f"{wrong} lines with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
