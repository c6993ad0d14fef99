"""Step 8 of the tolerant reading: the one number that is the answer. It does not know how numbers are written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import chain

from pytest_llmarith.numerals.candidates import Candidate, Standing, candidates
from pytest_llmarith.numerals.exact import is_shortened
from pytest_llmarith.numerals.tokens import Kind, Token

Operands = Sequence[Decimal]  # in the order of the question, without signs
Values = Collection[Decimal]

_FROM_THE_STRONGEST = sorted((one for one in Standing if one > Standing.ASIDE), reverse=True)


def chosen(tokens: Sequence[Token], operands: Operands) -> Candidate | None:
    """The last box that holds a number; else the strongest candidate after the last doubt, the last one of equals."""
    for box in _boxes_from_the_last(tokens):
        found = list(candidates(box))
        if boxed := _strongest(found, ()) or _only_one(found):
            return boxed
    given = _given(tokens).difference(operands)
    sections = [
        [one for one in candidates(section) if not _checks(one, given, operands)]
        for section in _sections_from_the_last(tokens)
    ]
    answers = (_strongest(found, operands) for found in sections)
    return next(filter(None, chain(answers, map(_only_one, sections))), None)


def _boxes_from_the_last(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """What stands in each box; of nested boxes the innermost."""
    end = len(tokens)
    for at in range(len(tokens) - 1, -1, -1):
        if tokens[at].kind is Kind.BOX:
            yield tokens[at + 1 : end]
        if tokens[at].kind in (Kind.BOX, Kind.END_OF_BOX):
            end = at


def _sections_from_the_last(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The stretches between words that take back what was said before them."""
    end = len(tokens)
    for at in range(len(tokens) - 1, -1, -1):
        if tokens[at].kind is Kind.DOUBT:
            yield tokens[at + 1 : end]
            end = at
    yield tokens[:end]


def _strongest(found: Sequence[Candidate], operands: Operands) -> Candidate | None:
    """The last of the strongest. A number equal to an operand is an echo, unless the reply gives no other number."""
    for standing in _FROM_THE_STRONGEST:
        equals = [one for one in found if one.standing is standing and not _echoes(one, operands)]
        if equals:
            return _last(equals, operands)
    return _only_one([one for one in found if one.standing > Standing.ASIDE])


def _only_one(found: Sequence[Candidate]) -> Candidate | None:
    """What is left where nothing else is said: a number beside the point, too, if there is no other."""
    return found[-1] if len({one.value for one in found}) == 1 else None


def _last(equals: Sequence[Candidate], operands: Operands) -> Candidate:
    """The last, unless that is clearly the result of a mere step, and the asked calculation has its own."""
    last = equals[-1]
    asked = next((one for one in reversed(equals) if _is_asked_for(one, operands)), None)
    if asked is None or not last.terms or _sums_up(last, equals) or _may_correct(last, asked):
        return last
    return asked


def _may_correct(last: Candidate, asked: Candidate) -> bool:
    """Whether a later result may be a second attempt: made in several steps, out of the first one, or more exact."""
    if last.chained or asked.is_asked or asked.value is None or last.value is None:
        return True
    is_made_of_it = asked.value in [term.value for term in last.terms]
    return is_made_of_it or last.value == asked.value.copy_negate() < 0 or is_shortened(asked.value, last.value)


def _sums_up(total: Candidate, steps: Sequence[Candidate]) -> bool:
    """Whether the calculation is made of nothing but results of steps before it."""
    results = frozenset(one.value for one in steps)
    return all(term.value in results for term in total.terms)


def _is_asked_for(candidate: Candidate, operands: Operands) -> bool:
    values = [term.value for term in candidate.pair]
    return bool(values) and [value and value.copy_abs() for value in values] == list(operands)


def _given(tokens: Sequence[Token]) -> frozenset[Decimal]:
    """The sizes of all numbers that may be the answer."""
    values = (one.value for one in candidates(tokens) if one.standing > Standing.ASIDE)
    return frozenset(value.copy_abs() for value in values if value is not None)


def _checks(candidate: Candidate, given: Values, operands: Operands) -> bool:
    """Whether a calculation leads from a number that was given back to an operand: a check of that number."""
    if not candidate.terms or not _is_among(candidate.value, operands):
        return False
    return any(_is_among(term.value, given) for term in candidate.terms)


def _echoes(candidate: Candidate, operands: Operands) -> bool:
    if candidate.presented or not operands:
        return False
    return _is_among(candidate.value, operands)


def _is_among(value: Decimal | None, values: Values) -> bool:
    return value is not None and value.copy_abs() in values
