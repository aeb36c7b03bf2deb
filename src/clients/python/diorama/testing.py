"""Assertions on a diff."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from .models import Diff

Kind = Literal["inserts", "updates", "deletes"]
Row = Mapping[str, Any]
Value = TypeVar("Value")

KINDS: tuple[Kind, ...] = ("inserts", "updates", "deletes")
# Characters of a row in a message.
ROW_MAX = 2_000


def assert_diff(
    diff: Diff,
    *,
    inserts: Sequence[Row] = (),
    updates: Sequence[Row] = (),
    deletes: Sequence[Row] = (),
    others: Literal["reject", "allow"] = "reject",
    ignore: Sequence[str] = (),
) -> None:
    """
    Checks that each of the expected rows is in the diff, each another one, and, unless `others="allow"`, that the diff
    has no other rows. Tables in `ignore` are left out. Raises AssertionError, which names what is missing and what was
    not expected.

    An expected row has some of the row's fields, also inside of objects: an update has `__table__`, `key`, `before` and
    `after`. A value is compared by `==`, a `re.Pattern` searches in a text, and `...` stands for any value.

        assert_diff(run.diff, inserts=[{"__table__": "messages", "text": re.compile("lunch", re.I)}])
    """
    __tracebackhide__ = True
    expected: dict[Kind, Sequence[Row]] = {"inserts": inserts, "updates": updates, "deletes": deletes}
    problems: list[str] = []
    for kind in KINDS:
        rows: list[dict[str, Any]] = getattr(diff, kind)
        actual = [row for row in rows if row["__table__"] not in ignore]
        pairs = _pair(expected[kind], actual)
        for place, row in enumerate(expected[kind]):
            if place not in pairs:
                problems += _missing(kind, row, [row for n, row in enumerate(actual) if n not in pairs.values()])
        if others == "reject":
            unexpected = [row for place, row in enumerate(actual) if place not in pairs.values()]
            problems += [f"not expected in {kind}: {_shown(row)}" for row in unexpected]
    if problems:
        raise AssertionError("\n".join(["the diff is not as expected", *problems]))


def fits(expected: object, actual: object) -> bool:
    """Whether a value is as expected."""
    if expected is ...:
        return True
    if isinstance(expected, re.Pattern):
        return isinstance(actual, str) and cast("re.Pattern[str]", expected).search(actual) is not None
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        wanted, given = cast("Mapping[str, object]", expected), cast("Mapping[str, object]", actual)
        return all(name in given and fits(value, given[name]) for name, value in wanted.items())
    return bool(expected == actual)


def _pair(expected: Sequence[Row], actual: Sequence[Row]) -> dict[int, int]:
    """As many expected rows as possible, each with a row of its own: by augmenting paths."""
    taken: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for given, row in enumerate(actual):
            if given in tried or not fits(expected[wanted], row):
                continue
            tried.add(given)
            if given not in taken or place(taken[given], tried):
                taken[given] = wanted
                return True
        return False

    for wanted in range(len(expected)):
        place(wanted, set())
    return {wanted: given for given, wanted in taken.items()}


def _missing(kind: Kind, expected: Row, candidates: Sequence[Row]) -> list[str]:
    """The row that is missing, and what the most similar one lacks."""
    similar = [row for row in candidates if fits(expected.get("__table__", ...), row["__table__"])]
    lines = [f"missing in {kind}: {_shown(expected)}"]
    if similar:
        nearest = min(similar, key=lambda row: len(_wrong(expected, row)))
        wrong = {name: nearest.get(name) for name in _wrong(expected, nearest)}
        lines.append(f"  the nearest has {_shown(wrong)}")
    return lines


def _wrong(expected: Row, actual: Row) -> list[str]:
    return [name for name, value in expected.items() if not fits(value, actual.get(name))]


def _shown(row: Row) -> str:
    text = json.dumps(row, ensure_ascii=False, default=repr)
    return text if len(text) <= ROW_MAX else f"{text[:ROW_MAX]}…"
