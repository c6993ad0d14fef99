"""Which models of two runs are compared. It does not know how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.reports.comparing.asked import Side
from pytest_llmarith.reports.comparing.wording import listed, shown
from pytest_llmarith.reports.keys import USUAL_NAME
from pytest_llmarith.reports.mistake import Mistake

Sides = Mapping[str, Side]


class Chosen(NamedTuple):
    """Which models are compared, and which nobody chose, as the other run has none of their name."""

    pairs: list[tuple[Side, Side]]
    alone: list[Side]


def within(run: str, sides: Sides, wanted: Sequence[str], *, with_itself: bool = False) -> Chosen:
    """The models of one run that are compared with each other; each with itself where that may make a difference."""
    if with_itself:
        return Chosen([_named(text, sides, sides) for text in wanted] or [(side, side) for side in sides.values()], [])
    if not wanted:
        raise Mistake(
            f"{shown(run)}: one run is compared with itself by --model=A:B, where A and B are models of it, or by "
            f"--condition=A:B; it holds {listed(sides)}"
        )
    pairs = [_named(text, sides, sides) for text in wanted]
    for first, second in pairs:
        if first is second:
            raise Mistake(f"--model={shown(first.model)}: one run is named, so name two models of it: --model=A:B")
    return Chosen(pairs, [])


def between(first: Sides, second: Sides, names: tuple[str, str], wanted: Sequence[str]) -> Chosen:
    """The models that are compared: those that somebody wants, else those of one name, else the only two there are."""
    for name, sides in zip(names, (first, second), strict=True):
        if not sides:
            raise Mistake(f"{shown(name)}: there is no trial in it, so there is nothing to compare")
    if wanted:
        return Chosen([_named(text, first, second) for text in wanted], [])
    if common := [(first[model], second[model]) for model in first if model in second]:
        alone = [
            side
            for sides, others in ((first, second), (second, first))
            for side in sides.values()
            if side.model not in others
        ]
        return Chosen(common, alone)
    if len(first) == len(second) == 1:
        return Chosen([(next(iter(first.values())), next(iter(second.values())))], [])
    raise Mistake(
        f"{shown(names[0])} and {shown(names[1])} have no model of the same name; say which to compare with "
        f"--model=A:B, where A is one of {listed(first)} and B one of {listed(second)}"
    )


def in_conditions(chosen: Chosen, wanted: Sequence[str]) -> Chosen:
    """The same models, each cut down to a condition: the first to A, the second to B."""
    if not wanted:
        return chosen
    pairs = [
        (_put_in(first, one, text), _put_in(second, other, text))
        for text in wanted
        for one, other in [_both(text)]
        for first, second in chosen.pairs
    ]
    for first, second in pairs:
        if (first.run, first.model, first.condition) == (second.run, second.model, second.condition):
            raise Mistake(
                f"--condition={shown(first.condition or '')}: one run is named, so name two conditions of it: A:B"
            )
    return chosen._replace(pairs=pairs)


def _both(text: str) -> tuple[str, str]:
    """The labels of `A` or `A:B`; no label holds a colon."""
    one, colon, other = text.partition(":")
    return one, other if colon else one


def _put_in(side: Side, condition: str, text: str) -> Side:
    label = "" if condition == USUAL_NAME else condition
    if (found := side.put_in(label)).trials:
        return found
    known = sorted({trial.condition or USUAL_NAME for trial in side.trials})
    raise Mistake(
        f"--condition={shown(text)}: {shown(side.model)} in {shown(side.run)} was asked nothing in a condition "
        f"{shown(condition)!r}; write --condition=A:B, where A and B are of {listed(known)}"
    )


def _named(text: str, first: Sides, second: Sides) -> tuple[Side, Side]:
    """The models of `A` or `A:B`; names may hold colons themselves."""
    found = [(first[one], second[other]) for one, other in _readings(text) if one in first and other in second]
    if not found:
        raise Mistake(
            f"--model={shown(text)}: no such models; write --model=A:B, where A is one of {listed(first)} "
            f"and B one of {listed(second)}"
        )
    if len(found) > 1:
        raise Mistake(f"--model={shown(text)}: the colons of these names can be read in {len(found)} ways")
    return found[0]


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """A name alone stands for the same name on both sides."""
    yield text, text
    for place, character in enumerate(text):
        if character == ":":
            yield text[:place], text[place + 1 :]
