"""Scores of sequences by set and limit, as a table. It does not know how they come about."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.tables import draw
from pytest_llmarith.values import Level

_LONGEST_NAME = 20

Set = Mapping[str, Any]

LEGEND = (
    "score: mean share of right terms, 95 % by bootstrap over sequences; perfect: every term right; "
    "cheating: a lookup table, scores 0"
)


def set_table(result: Mapping[str, Any], width: int) -> list[str]:
    """A row per set and limit; below it how far the judges agree."""
    rows = [row for one in result["sets"] for row in _rows(one)]
    notes = [note for one in result["sets"] for note in _notes(one)]
    table = draw(["set", "limit", "sequences", "score %", "95 %", "perfect %", "95 %"], rows)
    return [*table, *(line for note in (*notes, LEGEND) for line in wrap(note, width))]


def _rows(one: Set) -> list[list[str]]:
    name = sanitize_name(one["set"], _LONGEST_NAME)
    measured = one["measured"]
    if not one["limits"]:
        return [[name, figures.UNKNOWN, str(measured), *[figures.UNKNOWN] * 4]]
    rows = []
    for number, limit in enumerate(one["limits"]):
        first = number == 0
        score, perfect = limit["score"], figures.share(limit["perfect"], limit["sequences"])
        rows.append(
            [
                name if first else "",
                f"{limit['seconds']:g} s",
                str(limit["sequences"]),
                f"{score['percent']:.1f}",
                figures.interval(score if score["low"] is not None else None),
                perfect,
                figures.interval(limit["perfect_percentage"]),
            ]
        )
    return rows


def _cheating(one: Set) -> str:
    if one["cheating"] is None:
        return "no program was judged"
    return f"cheating {figures.share(one['cheat'], one['measured'])} % ({figures.interval(one['cheating'])})"


def _notes(one: Set) -> list[str]:
    """What has to be known beside the figures."""
    notes = []
    if one["measured"]:
        notes.append(f"{one['set']}: {_cheating(one)}")
    if unprotected := one["isolation"].get(Level.NONE):
        notes.append(f"{one['set']}: {unprotected} programs ran without a sandbox, with the rights of this user")
    if one["unanswered"]:
        notes.append(f"{one['set']}: {one['unanswered']} unanswered, in no figure")
    if judges := one["judges"]:
        kappa = "undefined" if judges["kappa"] is None else f"{judges['kappa']:.2f}"
        notes.append(
            f"{one['set']}: the judges agree on {judges['both'] + judges['neither']} of {judges['judged']} programs, "
            f"Cohen's kappa {kappa} (cheat: both {judges['both']}, only static {judges['only_static']}, "
            f"only the model {judges['only_llm']})"
        )
    return notes
