# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "nltk==3.10.4",
# ]
# ///
"""Writes how NLTK reads formulas, for the tests of llscore's NLTK syntax.

Usage:
    python scripts/make_nltk_readings.py

Each line of tests/fixtures/logic/nltk.jsonl holds a formula's text and NLTK's reading of it with all parentheses, operator
first, or null where NLTK refuses it or reads no first-order formula (`-a = b` is (-a) = b there).
"""

import json
from pathlib import Path

from nltk.sem import logic

OUT = Path(__file__).resolve().parent.parent / "tests/fixtures/logic/nltk.jsonl"
FORMULAS = """
P(a)
P
happy(bob)
Loves(bob,mary)
P(x)
-P(a)
not P(a)
!P(a)
--P(a)
- - -P(a)
P(a) & Q(a)
P(a) and Q(a)
P(a) ^ Q(a)
P(a) | Q(a)
P(a) or Q(a)
P(a) -> Q(a)
P(a) => Q(a)
P(a) implies Q(a)
P(a) <-> Q(a)
P(a) <=> Q(a)
P(a) iff Q(a)
P & Q & R
P & Q & R & S
P | Q | R
P | Q & R
P & Q | R
P | Q & R | S
P -> Q -> R
P -> Q -> R -> S
P <-> Q <-> R
P <-> Q -> R
P -> Q <-> R
P & Q -> R | S <-> T
P | Q -> R & S
-P & Q
-P -> Q
-(P & Q)
-(P -> Q) | R
(P -> Q) -> R
P -> (Q -> R)
P & (Q | R)
(P & Q) & R
P & (Q & R)
((P))
all x.P(x)
forall x.P(x)
exists x.P(x)
exist x.P(x)
some x.P(x)
all x.P(x) -> Q(a)
all x.P(x) & Q(a)
all x.P(x) | Q(a) -> R
all x.(P(x) -> Q(x))
all x.-P(x) & Q(a)
-all x.P(x)
-all x.P(x) & Q(a)
-exists x.(P(x) & Q(x))
all x y.R(x,y)
all x y z.(R(x,y) & R(y,z) -> R(x,z))
all x.exists y.R(x,y)
all x.exists y.R(x,y) -> P
all x.(P(x) -> exists y.(Q(y) & R(x,y)))
exists x.all y.R(x,y) & P
P & all x.Q(x) & R
P -> all x.Q(x) -> R
a = b
a == b
a != b
-(a = b)
a = b & c = d
a = b -> P(a)
all x.x = a
all x.(x = a)
all x.x != a
exists x.x = a -> P
all x.(P(x) -> x = a | x = b)
P & a = b
mother(bob) = mary
P(mother(bob))
all x.P(mother(mother(x)))
R(mother(x),father(y))
all x.all x.P(x)
not P and Q or R implies S iff T
not (P or Q)
-P(a)|Q(a)
all x.(P(x)->Q(x))
P(a)->Q(a)&R(a)
P1(a1) & P2(a2)
is_happy(bob_1)
P <- Q
P & & Q
P(a
all.P(x)
-a = b
"""


def reading(e) -> str:
    """The expression, operator first."""
    binary = {
        logic.AndExpression: "and",
        logic.OrExpression: "or",
        logic.ImpExpression: "implies",
        logic.IffExpression: "iff",
        logic.EqualityExpression: "equal",
    }
    if isinstance(e, logic.EqualityExpression) and isinstance(e.first, logic.NegatedExpression):
        raise logic.LogicalExpressionException(0, "a denied term")
    if type(e) in binary:
        return f"({binary[type(e)]} {reading(e.first)} {reading(e.second)})"
    if isinstance(e, logic.NegatedExpression):
        return f"(not {reading(e.term)})"
    if isinstance(e, logic.AllExpression):
        return f"(all {e.variable} {reading(e.term)})"
    if isinstance(e, logic.ExistsExpression):
        return f"(exists {e.variable} {reading(e.term)})"
    if isinstance(e, logic.ApplicationExpression):
        function, args = e.uncurry()
        return f"({function} {' '.join(reading(a) for a in args)})"
    return str(e)


def main() -> None:
    lines = []
    for text in FORMULAS.strip().splitlines():
        try:
            read = reading(logic.Expression.fromstring(text))
        except logic.LogicalExpressionException:
            read = None
        lines.append(json.dumps({"formula": text, "reading": read}, ensure_ascii=False))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
