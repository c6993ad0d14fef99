"""What repeats of problems say together, as a table. It does not know how the figures come about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from textwrap import wrap

from pytest_llmarith.records import Percentage, Repeats, Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, draw, fitted

LEGEND = (
    "same: problems whose repeats all came to the same answer. pass@k: one of k is correct. majority: the most "
    "frequent answer is correct. The 95 % interval of pass@1 is clustered by problem, as repeats are alike."
)


def repeat_table(results: Sequence[Result], width: int) -> list[str]:
    """A row per result whose problems were put several times; nothing where none was."""
    repeated = [(result, result.repeats) for result in results if result.repeats]
    if not repeated:
        return []
    names = (_name(result, LONGEST_NAME) for result, _ in repeated)
    return [*fitted(partial(_drawn, repeated), names, width), *wrap(LEGEND, width)]


def _drawn(repeated: Sequence[tuple[Result, Repeats]], longest_name: int) -> list[str]:
    headers = ["model\ntask", "times\nproblems", "same %\n95 %", "pass@1 %\n95 %", "pass@k %\n", "majority %\n95 %"]
    return draw(headers, [_row(result, repeats, longest_name) for result, repeats in repeated])


def _row(result: Result, repeats: Repeats, longest_name: int) -> list[str]:
    return [
        _name(result, longest_name),
        f"{figures.times(result, repeats)}\n{repeats.problems}",
        _share(repeats.consistency),
        _share(repeats.pass_at_1),
        figures.UNKNOWN if repeats.pass_at_k is None else f"{repeats.pass_at_k:.1f}\nk = {repeats.k}",
        _share(repeats.majority),
    ]


def _share(share: Percentage | None) -> str:
    return f"{figures.one_decimal(share)}\n{figures.interval(share)}" if share else figures.UNKNOWN


def _name(result: Result, longest: int) -> str:
    of_what = ", ".join(filter(None, (result.task, label_of(result.condition))))
    return "\n".join(sanitize_name(words, longest) for words in (result.model, of_what))
