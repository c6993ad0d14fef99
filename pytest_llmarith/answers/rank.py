"""Chooses the answer among the numbers of a reply: the last result after the last word of doubt.

A result is a number that the reply presents as its answer: in a box, in bold, alone in its line, called "the answer",
or after the calculation of the question. If there is no result, the answer is the last number that is neither an
operand nor in a remark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from pytest_llmarith.answers.tokenize import Kind, Token, kind_at
from pytest_llmarith.decimals import is_close, significant

Operands = Sequence[Decimal]  # in the order of the question, without signs
Tokens = Sequence[Token]

_EDGES = frozenset({None, Kind.STOP, Kind.LINE})  # before and after a sentence
_PRESENTING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.RESULT, Kind.BOX})
_NEGATIVE = frozenset({"minus", "negative", "moins", "menos", "meno", "минус", "eksi"})
_LEADS = frozenset({":", "=", "is", "ist", "was", "of", "the", "difference", "value"})  # after "remainder"
_WINDOW = 16  # tokens between a number and the words that present it
_SENTENCE_WINDOW = 64  # tokens of a sentence that are examined


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number outside of an expression; it is computed if it follows one, secondary if an operand or in a remark."""

    at: int
    token: Token
    value: Decimal
    boxed: bool
    is_result: bool
    is_named: bool
    is_computed: bool
    is_secondary: bool


def answer_in(tokens: Tokens, operands: Operands) -> Decimal | None:
    """The answer, or None if no number can be the answer."""
    found = _candidates(tokens, operands)
    doubts = [at for at, token in enumerate(tokens) if token.kind is Kind.DOUBT]
    continued = _continued(tokens, operands)
    is_cut = kind_at(tokens, len(tokens) - 1) in (Kind.OPERATOR, Kind.EQUALS)
    for start, end in reversed(list(pairwise((-1, *doubts, len(tokens))))):
        section = [one for one in found if start < one.at < end]
        results = [one for one in section if one.is_result and continued.get(one.value.copy_abs(), -1) < one.at]
        if not results and not is_cut and not any(one.boxed for one in found):
            results = [one for one in section if not one.is_secondary]
            results = results or [one for one in section if one.value.copy_abs() not in operands]
        if results:
            return results[-1].value
    return found[-1].value if len({one.value for one in found}) == 1 and not is_cut else None


def _candidates(tokens: Tokens, operands: Operands) -> list[Candidate]:
    """The numbers that can be the answer, in order."""
    found: list[Candidate] = []
    boxed, first = False, 0  # a number rounds none that was taken back
    for at, token in enumerate(tokens):
        if token.kind in (Kind.BOX, Kind.END_OF_BOX):
            boxed = token.kind is Kind.BOX
        elif token.kind is Kind.DOUBT:
            first = len(found)
        if token.value is None or _is_operand(tokens, at) or _is_excluded(tokens, at):
            continue
        one = _candidate(tokens, at, token.value, operands, boxed)
        if (
            one.is_result
            or one.is_named
            or one.is_computed
            or not any(_repeats(one, earlier) for earlier in found[max(first, len(found) - _WINDOW) :])
        ):
            found.append(one)
    return found


def _candidate(tokens: Tokens, at: int, value: Decimal, operands: Operands, boxed: bool) -> Candidate:
    token = tokens[at]
    start = at - 1 if _is_negated(tokens, at) else at
    value = value.copy_negate() if start < at and value else value
    sign = start - 2 if kind_at(tokens, start - 1) is Kind.LINE else start - 1
    terms = _terms_before(tokens, sign)
    is_remark = _is_in_a_remark(tokens, start)
    is_named = not terms and not is_remark and _is_named(tokens, at, start, sign, operands)
    if terms:  # the calculation of the question, with the points at any position
        is_result = boxed or [*map(significant, terms)] == [*map(significant, operands)]
    else:
        is_result = boxed or token.bold or is_named or (not token.has_magnitude and _is_alone(tokens, at, start))
    is_exact = kind_at(tokens, sign) is not Kind.APPROX
    is_secondary = is_remark or value.copy_abs() in operands
    return Candidate(at, token, value, boxed, is_result and is_exact, is_named, bool(terms) and is_exact, is_secondary)


def _is_alone(tokens: Tokens, at: int, start: int) -> bool:
    """Whether the number is a whole sentence (also after "so"), or the last line of a paragraph."""
    if kind_at(tokens, start - 1) is Kind.SAYS and kind_at(tokens, start - 2) in _EDGES:
        start -= 1
    before, after = kind_at(tokens, start - 1), kind_at(tokens, at + 1)
    if before is not Kind.LINE:
        return before in _EDGES and after in _EDGES and kind_at(tokens, start - 2) is not Kind.NUMBER
    ends = after is Kind.LINE and (at + 2 == len(tokens) or tokens[at + 1].match[0].count("\n") > 1)
    return ends or after in (None, Kind.STOP)


def _is_in_a_remark(tokens: Tokens, at: int) -> bool:
    """Whether an earlier word of the sentence says that it is about another number."""
    for token in reversed(tokens[max(0, at - _SENTENCE_WINDOW) : at]):
        if token.kind in (Kind.STOP, Kind.LINE, Kind.REMARK):
            return token.kind is Kind.REMARK
    return False


def _is_named(tokens: Tokens, at: int, start: int, sign: int, operands: Operands) -> bool:
    """Whether the sentence calls the number the answer, the sum and so on: `the answer is 46`, `46 is the sum`."""
    if kind_at(tokens, start - 1) in _EDGES and kind_at(tokens, at + 1) is Kind.SAYS:
        return Kind.RESULT in (kind_at(tokens, at + 2), kind_at(tokens, at + 3))
    if kind_at(tokens, sign) not in _PRESENTING:
        return False
    for earlier in range(start - 1, max(-1, start - 1 - _WINDOW), -1):
        token = tokens[earlier]
        if token.kind is Kind.RESULT:
            before = tokens[max(0, earlier - 2) : earlier]
            # A rounded result, or a digit sum.
            return not any(one.kind in (Kind.APPROX, Kind.UNIT) for one in before)
        if token.kind in _EDGES:
            return False
        if token.value is not None and token.value.copy_abs() not in operands and not _is_operand(tokens, earlier):
            return False  # the name can belong to that number
    return False


# Calculations


def _is_operand(tokens: Tokens, at: int) -> bool:
    """Whether an operator connects the number to a neighbour, so that it is part of a calculation."""
    after = at + 2 if kind_at(tokens, at + 1) is Kind.LINE else at + 1
    return tokens[at].is_expression or _joins(tokens, at - 1) or _joins(tokens, after)


def _joins(tokens: Tokens, at: int) -> bool:
    """Whether an operator is between two numbers. It may begin a line, except a minus, which is then a bullet."""
    if kind_at(tokens, at) is not Kind.OPERATOR or kind_at(tokens, at + 1) is not Kind.NUMBER:
        return False
    before = None if tokens[at].word == "negative" else kind_at(tokens, at - 1)
    return (kind_at(tokens, at - 2) if before is Kind.LINE and tokens[at].word != "-" else before) is Kind.NUMBER


def _is_negated(tokens: Tokens, at: int) -> bool:
    """Whether a separate minus belongs to the number: `= - 5`, `minus 5`, or `- 5` as the whole reply."""
    if kind_at(tokens, at - 1) is not Kind.OPERATOR:
        return False
    if tokens[at - 1].word in _NEGATIVE:
        return tokens[at - 1].word == "negative" or kind_at(tokens, at - 2) is not Kind.NUMBER
    if tokens[at - 1].word != "-" or tokens[at].bold:
        return False
    return len(tokens) == 2 or kind_at(tokens, at - 2) in _PRESENTING


def _terms_before(tokens: Tokens, sign: int) -> Sequence[Decimal]:
    """The numbers of the expression before an equals sign or a verb: `12 + 34 =`, `12 plus 34 is`."""
    if kind_at(tokens, sign) not in (Kind.EQUALS, Kind.SAYS, Kind.APPROX):
        return ()
    end = sign - 1 if kind_at(tokens, sign - 1) is Kind.LINE else sign
    terms: list[Decimal] = []
    for token in reversed(tokens[max(0, end - _WINDOW) : end]):
        if token.value is not None:
            terms.insert(0, token.value.copy_abs())
        elif token.kind is not Kind.OPERATOR:
            break
    return terms if len(terms) > 1 else ()


def _continued(tokens: Tokens, operands: Operands) -> dict[Decimal, int]:
    """The last position at which a number is used in a sum or difference without operands: `771 + 10`."""
    continued = {}
    for at, token in enumerate(tokens):
        if token.word in ("+", "-", "plus", "minus") and _joins(tokens, at):
            values = [one.value.copy_abs() for one in (tokens[at - 1], tokens[at + 1]) if one.value is not None]
            if set(operands).isdisjoint(values):
                continued.update(dict.fromkeys(values, at))
    return continued


# Numbers that are not answers


def _is_excluded(tokens: Tokens, at: int) -> bool:
    """Whether the number counts digits, is a remainder and the like, numbers a list item, or is in a question."""
    token, after = tokens[at], at + 1
    unit = after + (token.followed_by == "-")  # 7 digits, a 7-digit number
    if kind_at(tokens, unit) is Kind.UNIT and tokens[unit].match.start() <= token.match.end() + 1:
        return True
    stop = next((one for one in tokens[after : at + _WINDOW] if one.kind in _EDGES), None)
    if stop and stop.word == "?" and stop is not tokens[after]:  # shall I show the 4 steps?
        return True
    word = at - 1
    while word > max(0, at - 4) and tokens[word].word in _LEADS:
        word -= 1
    if kind_at(tokens, word) is Kind.SIDE_RESULT and (word == 0 or tokens[word - 1].word not in ("no", "without")):
        return tokens[word].word != "r" or kind_at(tokens, word - 1) is Kind.NUMBER  # 7391 R 0, but not R$ 0
    return _is_list_number(tokens, at)


def _is_list_number(tokens: Tokens, at: int) -> bool:
    """Whether the number is `1.` or `1)` at the beginning of a line with more text."""
    token, after = tokens[at], kind_at(tokens, at + 2 if kind_at(tokens, at + 1) is Kind.STOP else at + 1)
    if token.followed_by not in (".", ")") or len(token.word) > 2 or after is None:
        return False
    return token.word == "1" if at == 0 else kind_at(tokens, at - 1) is Kind.LINE and after is not Kind.LINE


def _repeats(one: Candidate, earlier: Candidate) -> bool:
    """Whether a number rounds an earlier one."""
    digits = significant(earlier.value) if earlier.token.has_magnitude else earlier.value.as_tuple().digits
    # In "1000 thousand (999000)" the second is no rounding, and a single digit is a number of its own.
    is_shorter = 1 < len(significant(one.value)) < len(digits)
    if not is_shorter and not one.token.has_magnitude:
        return False
    return is_close(one.value, earlier.value)
