"""The table of cases: a name, a note, and a function that fills a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One fixture folder; `make` fills it and returns a remark to print."""

    name: str
    note: str
    make: Callable[[Path], str | None]


CASES: dict[str, Case] = {}


def add(name: str, note: str, make: Callable[[Path], str | None]) -> None:
    """Registers a case; names are unique."""
    if name in CASES:
        raise ValueError(f"case {name} is defined twice")
    CASES[name] = Case(name, note, make)
