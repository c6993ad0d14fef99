"""The choice of the answer among the numbers of a reply: the last result after the last word of doubt.

A result is a number that the reply presents as its answer: in a box, in bold, alone in its line, called "the answer",
or behind the calculation of the question. Without a result, the last number counts that is neither an operand nor in
a remark.
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

_EDGES = frozenset({None, Kind.STOP, Kind.LINE})  # what stands around a sentence
_GIVING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.RESULT, Kind.BOX})
_NEGATIVE = frozenset({"minus", "negative", "moins", "menos", "meno", "минус", "eksi"})
_LEADS = frozenset({":", "=", "is", "ist", "was", "of", "the", "difference", "value"})  # behind "remainder"
_REACH = 16  # tokens between a number and the words that present it
_SENTENCE = 64  # tokens of a sentence that are looked at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number outside of an expression; it is `beside` the answer if it is an operand or in a remark."""

    at: int
    token: Token
    value: Decimal
    boxed: bool
    is_result: bool
    is_named: bool
    is_beside: bool


def answer_in(tokens: Tokens, operands: Operands) -> Decimal | None:
    """The answer, or None if there is no number that may be one."""
    found = _candidates(tokens, operands)
    doubts = [at for at, token in enumerate(tokens) if token.kind is Kind.DOUBT]
    added = _added(tokens, operands)
    breaks_off = kind_at(tokens, len(tokens) - 1) in (Kind.OPERATOR, Kind.EQUALS)
    for start, end in reversed(list(pairwise((-1, *doubts, len(tokens))))):
        section = [one for one in found if start < one.at < end]
        results = [one for one in section if one.is_result and added.get(one.value.copy_abs(), -1) < one.at]
        if not results and not breaks_off and not any(one.boxed for one in found):
            results = [one for one in section if not one.is_beside]
            results = results or [one for one in section if one.value.copy_abs() not in operands]
        if results:
            return results[-1].value
    return found[-1].value if len({one.value for one in found}) == 1 and not breaks_off else None


def _candidates(tokens: Tokens, operands: Operands) -> list[Candidate]:
    """The numbers that may be the answer, in order."""
    found: list[Candidate] = []
    boxed, first = False, 0  # a number rounds none that was taken back
    for at, token in enumerate(tokens):
        if token.kind in (Kind.BOX, Kind.END_OF_BOX):
            boxed = token.kind is Kind.BOX
        elif token.kind is Kind.DOUBT:
            first = len(found)
        if token.value is None or _is_operand(tokens, at) or _is_aside(tokens, at):
            continue
        one = _candidate(tokens, at, token.value, operands, boxed)
        if (
            one.is_result
            or one.is_named
            or not any(_repeats(one, earlier) for earlier in found[max(first, len(found) - _REACH) :])
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
    if terms:  # of the asked calculation, wherever the points stand
        is_result = boxed or [*map(significant, terms)] == [*map(significant, operands)]
    else:
        is_result = boxed or token.bold or is_named or (not token.has_magnitude and _is_alone(tokens, at, start))
    is_result = is_result and kind_at(tokens, sign) is not Kind.APPROX
    return Candidate(at, token, value, boxed, is_result, is_named, is_remark or value.copy_abs() in operands)


def _is_alone(tokens: Tokens, at: int, start: int) -> bool:
    """Whether the number is a sentence, alone or after "so", or ends a paragraph in a line of its own."""
    if kind_at(tokens, start - 1) is Kind.SAYS and kind_at(tokens, start - 2) in _EDGES:
        start -= 1
    before, after = kind_at(tokens, start - 1), kind_at(tokens, at + 1)
    if before is not Kind.LINE:
        return before in _EDGES and after in _EDGES and kind_at(tokens, start - 2) is not Kind.NUMBER
    ends = after is Kind.LINE and (at + 2 == len(tokens) or tokens[at + 1].match[0].count("\n") > 1)
    return ends or after in (None, Kind.STOP)


def _is_in_a_remark(tokens: Tokens, at: int) -> bool:
    """Whether the sentence says before that it is about another number."""
    for token in reversed(tokens[max(0, at - _SENTENCE) : at]):
        if token.kind in (Kind.STOP, Kind.LINE, Kind.REMARK):
            return token.kind is Kind.REMARK
    return False


def _is_named(tokens: Tokens, at: int, start: int, sign: int, operands: Operands) -> bool:
    """Whether the sentence calls the number the answer, the sum and so on: `the answer is 46`, `46 is the sum`."""
    if kind_at(tokens, start - 1) in _EDGES and kind_at(tokens, at + 1) is Kind.SAYS:
        return Kind.RESULT in (kind_at(tokens, at + 2), kind_at(tokens, at + 3))
    if kind_at(tokens, sign) not in _GIVING:
        return False
    for earlier in range(start - 1, max(-1, start - 1 - _REACH), -1):
        token = tokens[earlier]
        if token.kind is Kind.RESULT:
            before = tokens[max(0, earlier - 2) : earlier]
            return not any(one.kind in (Kind.APPROX, Kind.UNIT) for one in before)  # rounded result, digit sum
        if token.kind in _EDGES:
            return False
        if token.value is not None and token.value.copy_abs() not in operands and not _is_operand(tokens, earlier):
            return False  # the name may belong to that number
    return False


# Calculations


def _is_operand(tokens: Tokens, at: int) -> bool:
    """Whether an operator joins the number to a neighbour: it is a part of a question or of a step."""
    after = at + 2 if kind_at(tokens, at + 1) is Kind.LINE else at + 1
    return tokens[at].is_expression or _joins(tokens, at - 1) or _joins(tokens, after)


def _joins(tokens: Tokens, at: int) -> bool:
    """Whether an operator stands between two numbers; it may begin a line, but a minus that does is a bullet."""
    if kind_at(tokens, at) is not Kind.OPERATOR or kind_at(tokens, at + 1) is not Kind.NUMBER:
        return False
    before = None if tokens[at].word == "negative" else kind_at(tokens, at - 1)
    return (kind_at(tokens, at - 2) if before is Kind.LINE and tokens[at].word != "-" else before) is Kind.NUMBER


def _is_negated(tokens: Tokens, at: int) -> bool:
    """Whether a minus that stands apart belongs to the number: `= - 5`, `minus 5`, or `- 5` as the whole reply."""
    if kind_at(tokens, at - 1) is not Kind.OPERATOR:
        return False
    if tokens[at - 1].word in _NEGATIVE:
        return tokens[at - 1].word == "negative" or kind_at(tokens, at - 2) is not Kind.NUMBER
    if tokens[at - 1].word != "-" or tokens[at].bold:
        return False
    return len(tokens) == 2 or kind_at(tokens, at - 2) in _GIVING


def _terms_before(tokens: Tokens, sign: int) -> Sequence[Decimal]:
    """The numbers of the expression that a sign gives the result of: `12 + 34 =`, `12 plus 34 is`."""
    if kind_at(tokens, sign) not in (Kind.EQUALS, Kind.SAYS, Kind.APPROX):
        return ()
    end = sign - 1 if kind_at(tokens, sign - 1) is Kind.LINE else sign
    terms: list[Decimal] = []
    for token in reversed(tokens[max(0, end - _REACH) : end]):
        if token.value is not None:
            terms.insert(0, token.value.copy_abs())
        elif token.kind is not Kind.OPERATOR:
            break
    return terms if len(terms) > 1 else ()


def _added(tokens: Tokens, operands: Operands) -> dict[Decimal, int]:
    """The last places where a sum or a difference without operands goes on from a number: `771 + 10`."""
    added = {}
    for at, token in enumerate(tokens):
        if token.word in ("+", "-", "plus", "minus") and _joins(tokens, at):
            values = [one.value.copy_abs() for one in (tokens[at - 1], tokens[at + 1]) if one.value is not None]
            if set(operands).isdisjoint(values):
                added.update(dict.fromkeys(values, at))
    return added


# Numbers beside the point


def _is_aside(tokens: Tokens, at: int) -> bool:
    """Whether the number counts digits, is a remainder or another thing, heads a line or stands in a question."""
    token, after = tokens[at], at + 1
    unit = after + (token.followed_by == "-")  # 7 digits, a 7-digit number
    if kind_at(tokens, unit) is Kind.UNIT and tokens[unit].match.start() <= token.match.end() + 1:
        return True
    stop = next((one for one in tokens[after : at + _REACH] if one.kind in _EDGES), None)
    if stop and stop.word == "?" and stop is not tokens[after]:  # shall I show the 4 steps?
        return True
    word = at - 1
    while word > max(0, at - 4) and tokens[word].word in _LEADS:
        word -= 1
    if kind_at(tokens, word) is Kind.ASIDE and (word == 0 or tokens[word - 1].word not in ("no", "without")):
        return tokens[word].word != "r" or kind_at(tokens, word - 1) is Kind.NUMBER  # 7391 R 0, but not R$ 0
    return _is_list_number(tokens, at)


def _is_list_number(tokens: Tokens, at: int) -> bool:
    """Whether the number is `1.` or `1)` at the head of a line that goes on."""
    token, after = tokens[at], kind_at(tokens, at + 2 if kind_at(tokens, at + 1) is Kind.STOP else at + 1)
    if token.followed_by not in (".", ")") or len(token.word) > 2 or after is None:
        return False
    return token.word == "1" if at == 0 else kind_at(tokens, at - 1) is Kind.LINE and after is not Kind.LINE


def _repeats(one: Candidate, earlier: Candidate) -> bool:
    """Whether a number rounds an earlier one."""
    digits = significant(earlier.value) if earlier.token.has_magnitude else earlier.value.as_tuple().digits
    is_shorter = len(significant(one.value)) < len(digits)  # in "1000 thousand (999000)" the second is no rounding
    if not is_shorter and not one.token.has_magnitude:
        return False
    return is_close(one.value, earlier.value)
