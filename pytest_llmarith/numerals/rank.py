"""Which number of a reply is its answer: the last result in the stretch after the last word of doubt.

A result is a number that the reply presents as what was asked for: in a box, in bold, alone in its line, named "the
answer", or given by the asked calculation. If there is none, the last number counts that is not beside the point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from pytest_llmarith.numerals.exact import is_close, significant
from pytest_llmarith.numerals.tokenize import Kind, Token, kind_at

Operands = Sequence[Decimal]  # in the order of the question, without signs
Tokens = Sequence[Token]

_EDGES = frozenset({None, Kind.STOP, Kind.LINE})  # what stands around a sentence
_GIVING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.SO, Kind.RESULT, Kind.BOX})
_NEGATIVE = frozenset({"minus", "negative", "moins", "menos", "meno", "минус", "eksi"})
_JOINING = frozenset({"x", "and", "by", "divided", "multiplied"})  # words between two numbers to calculate with
_OF_A_PART = frozenset({"digit", "digits", "partial", "intermediate", "ones", "tens", "first", "second", "third"})
_LEADS = frozenset({":", "=", "is", "was", "of", "the", "number", "difference", "value", "be", "should", "der", "ist"})
_WRONG = frozenset({"wrong", "incorrect"})
_ADDING = frozenset({"+", "-", "plus", "minus"})
_REACH = 16  # tokens between a number and the words that present it
_CHAIN = 64  # and of a chain of calculations


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that is no part of an expression.

    `terms` are the numbers of the calculation that it results from, the first of a chain; `asked` says that this is the
    one of the question.
    """

    at: int
    token: Token
    value: Decimal
    terms: Sequence[Decimal]
    asked: bool
    boxed: bool
    is_result: bool
    is_named: bool
    is_beside: bool  # equals an operand, or stands in a remark


def answer_in(tokens: Tokens, operands: Operands) -> Decimal | None:
    """The answer, or None if there is no number that may be one."""
    found = _candidates(tokens, operands)
    doubts = [at for at, token in enumerate(tokens) if token.kind is Kind.DOUBT]
    added = _added(tokens, operands)
    breaks_off = kind_at(tokens, len(tokens) - 1) in (Kind.OPERATOR, Kind.EQUALS)
    for start, end in reversed(list(pairwise((-1, *doubts, len(tokens))))):
        section = [one for one in found if start < one.at < end]
        results = [one for one in section if one.boxed or added.get(one.value.copy_abs(), -1) < one.at]
        results = [one for one in results if one.is_result]
        if not results and not breaks_off and not any(one.boxed for one in found):
            results = [one for one in section if not one.is_beside]
            results = results or [one for one in section if one.value.copy_abs() not in operands]
            results = results or (section if len({one.value for one in section}) == 1 else [])
        if results:
            return results[-1].value
    return None


def _candidates(tokens: Tokens, operands: Operands) -> list[Candidate]:
    """The numbers that may be the answer, in order; a check of an earlier one repeats it."""
    found: list[Candidate] = []
    boxed = False
    for at, token in enumerate(tokens):
        if token.kind in (Kind.BOX, Kind.END_OF_BOX):
            boxed = token.kind is Kind.BOX
        if token.kind is not Kind.NUMBER or token.value is None or _is_operand(tokens, at):
            continue
        if not boxed and _is_aside(tokens, at):
            continue
        one = _candidate(tokens, at, found, operands, boxed)
        if checked := _checked(one, found, operands):
            found.append(replace(checked, at=at, is_result=True))
        elif one.is_result or one.is_named or not any(_repeats(tokens, one, earlier) for earlier in found[-_REACH:]):
            found.append(one)
    return found


def _candidate(tokens: Tokens, at: int, found: Sequence[Candidate], operands: Operands, boxed: bool) -> Candidate:
    token = tokens[at]
    start = at - 1 if _is_negated(tokens, at) else at
    value = token.value or Decimal(0)
    value = value.copy_negate() if start < at and value else value
    sign = start - 2 if kind_at(tokens, start - 1) is Kind.LINE else start - 1
    terms = _terms_before(tokens, _first_of_chain(tokens, sign)) or _terms_before(tokens, sign)
    asked = len(terms) == 2 and [*map(significant, terms)] == [*map(significant, operands)]  # wherever the points
    ends = kind_at(tokens, at + 1) in _EDGES
    is_operand = value.copy_abs() in operands
    is_remark = _is_in_a_remark(tokens, start)
    named = _is_named(tokens, at, start, sign, operands)
    is_doubted = "?" in (token.followed_by, *(one.word for one in tokens[at + 1 : at + 3 if boxed else at + 2]))
    is_result = (
        not is_doubted
        and kind_at(tokens, sign) is not Kind.APPROX
        and (
            boxed
            or (asked and not token.has_magnitude)
            or any(one.is_result and one.value == value.copy_negate() > 0 for one in found[-_CHAIN:])
            or (
                not terms
                and (
                    (named and not is_remark)
                    or (_is_alone(tokens, at, start) and not token.has_magnitude)
                    or (token.bold and not is_operand)
                    or (ends and kind_at(tokens, sign) is Kind.SO)
                )
            )
        )
    )
    return Candidate(at, token, value, terms, asked, boxed, is_result, named, is_operand or is_remark)


def _is_alone(tokens: Tokens, at: int, start: int) -> bool:
    """Whether the number is a sentence, or ends a paragraph in a line of its own."""
    before, after = kind_at(tokens, start - 1), kind_at(tokens, at + 1)
    if before is not Kind.LINE:
        follows_a_number = before is Kind.STOP and kind_at(tokens, start - 2) is Kind.NUMBER
        return before in (None, Kind.STOP, Kind.DOUBT) and after in _EDGES and not follows_a_number
    if kind_at(tokens, start - 2) is Kind.EQUALS:
        return False
    ends = after is Kind.LINE and (at + 2 == len(tokens) or tokens[at + 1].match[0].count("\n") > 1)
    return ends or after in (None, Kind.STOP)


def _checked(one: Candidate, found: Sequence[Candidate], operands: Operands) -> Candidate | None:
    """The earlier number that a calculation leads from, with one operand to the other: `7391 × 2846 = 21034786`."""
    if one.asked or len(one.terms) != 2 or one.value.copy_abs() not in operands:
        return None
    other = operands[1 - operands.index(one.value.copy_abs())] if len(operands) == 2 else None
    if other not in one.terms:
        return None
    given = one.terms[1 - one.terms.index(other)]
    return next((earlier for earlier in reversed(found[-_CHAIN:]) if earlier.value.copy_abs() == given), None)


def _is_in_a_remark(tokens: Tokens, at: int) -> bool:
    """Whether the sentence says before that it is about another number."""
    for earlier in range(at - 1, max(-1, at - 1 - _CHAIN), -1):
        if tokens[earlier].kind in (Kind.STOP, Kind.LINE, Kind.REMARK):
            return tokens[earlier].kind is Kind.REMARK
    return False


def _is_named(tokens: Tokens, at: int, start: int, sign: int, operands: Operands) -> bool:
    """Whether the sentence calls the number the answer, the sum and so on: `the answer is 46`, `46 is the sum`."""
    if kind_at(tokens, start - 1) in _EDGES and kind_at(tokens, at + 1) is Kind.SAYS:
        return any(kind_at(tokens, at + ahead) is Kind.RESULT for ahead in (2, 3))
    if at + 1 < len(tokens) and tokens[at + 1].word == "exactly":
        return True
    if kind_at(tokens, sign) not in _GIVING:
        return False
    for earlier in range(start - 1, max(-1, start - 1 - _REACH), -1):
        token = tokens[earlier]
        if token.kind is Kind.RESULT or (token.word == "it" and earlier == start - 2):
            before, behind = tokens[max(0, earlier - 2) : earlier], tokens[earlier + 1 : earlier + 4]
            is_rounded = any(one.kind in (Kind.APPROX, Kind.UNIT) for one in before)
            return not is_rounded and _OF_A_PART.isdisjoint(one.word for one in (*before, *behind))
        if token.kind in (Kind.STOP, Kind.LINE, Kind.DOUBT, Kind.ASIDE, Kind.REMARK):
            return False
        if token.kind is Kind.NUMBER and token.value is not None and not token.has_magnitude:  # the name may be its own
            if token.value.copy_abs() in operands or _is_operand(tokens, earlier) or _is_aside(tokens, earlier):
                continue
            return False
    return False


# Calculations


def _is_operand(tokens: Tokens, at: int) -> bool:
    """Whether an operator joins the number to a neighbour: it is a part of a question or of a step."""
    return tokens[at].is_expression or _joins(tokens, at - 1) or _joins(tokens, at + 1)


def _joins(tokens: Tokens, at: int) -> bool:
    if kind_at(tokens, at) is Kind.LINE:  # the operator may begin or end the next line
        at += 1 if kind_at(tokens, at + 1) is Kind.OPERATOR else -1
    if kind_at(tokens, at) is not Kind.OPERATOR or kind_at(tokens, at + 1) is not Kind.NUMBER:
        return False
    if tokens[at].word == "negative":  # a sign that joins nothing
        return False
    left = kind_at(tokens, at - 1)
    if left is Kind.LINE and tokens[at].word != "-":  # a minus that begins a line is a bullet
        left = kind_at(tokens, at - 2)
    return left is Kind.NUMBER


def _is_negated(tokens: Tokens, at: int) -> bool:
    """Whether a minus that stands apart belongs to the number: `= - 5`, `minus 5`, or `- 5` as the whole reply."""
    if kind_at(tokens, at - 1) is not Kind.OPERATOR:
        return False
    if tokens[at - 1].word in _NEGATIVE:
        return kind_at(tokens, at - 2) is not Kind.NUMBER
    if tokens[at - 1].word != "-" or tokens[at].bold:
        return False
    if at == 1:
        return len(tokens) == 2
    before = at - 2
    if kind_at(tokens, before) is Kind.LINE and all(token.kind in _EDGES for token in tokens[at + 1 :]):
        before -= 1  # a list has more than one item
    return kind_at(tokens, before) in _GIVING


def _first_of_chain(tokens: Tokens, sign: int) -> int:
    """The first equals sign of the chain that ends with this one: `12 × 34 = 360 + 48 =`."""
    first = at = sign
    while kind_at(tokens, sign) is Kind.EQUALS and max(0, sign - _CHAIN) < at:
        at -= 1
        kind, after = tokens[at].kind, kind_at(tokens, at + 1)
        if kind is Kind.EQUALS:
            first = at
        goes_on = (kind is Kind.NUMBER and after is not Kind.NUMBER) or (kind is Kind.LINE and after is Kind.EQUALS)
        if not goes_on and kind not in (Kind.EQUALS, Kind.OPERATOR) and tokens[at].word != "x":
            break
    return first


def _terms_before(tokens: Tokens, sign: int) -> Sequence[Decimal]:
    """The numbers of the expression that a sign gives the result of: `12 + 34 =`, `the sum of 12 and 34 is`."""
    if kind_at(tokens, sign) not in (Kind.EQUALS, Kind.SAYS, Kind.APPROX):
        return ()
    end = sign - 1 if kind_at(tokens, sign - 1) is Kind.LINE else sign
    terms: list[Decimal] = []
    for at in range(end - 1, max(-1, end - _REACH), -1):
        token = tokens[at]
        if token.kind is Kind.NUMBER and token.value is not None and kind_at(tokens, at + 1) is not Kind.NUMBER:
            terms.insert(0, token.value.copy_abs())
        elif token.kind is not Kind.OPERATOR and token.word not in _JOINING:
            break
    return terms if len(terms) > 1 and tokens[end - 1].followed_by != "|" else ()


def _added(tokens: Tokens, operands: Operands) -> dict[Decimal, int]:
    """The last places where a sum or a difference without operands goes on from a number: `771 + 10`."""
    added = {}
    for at, token in enumerate(tokens):
        if token.kind is not Kind.OPERATOR or token.word not in _ADDING or not _joins(tokens, at):
            continue
        left = tokens[at - 2] if kind_at(tokens, at - 1) is Kind.LINE else tokens[at - 1]
        values = [one.value.copy_abs() for one in (left, tokens[at + 1]) if one.value is not None]
        if set(operands).isdisjoint(values) and not _is_in_a_remark(tokens, at):
            added.update(dict.fromkeys(values, at))
    return added


# Numbers beside the point


def _is_aside(tokens: Tokens, at: int) -> bool:
    """Whether the number counts digits, is called wrong, a remainder or another thing, or stands in a question."""
    token, after = tokens[at], at + 1
    counts = kind_at(tokens, after) is Kind.UNIT or (after < len(tokens) and tokens[after].word == "remainder")
    if counts and tokens[after].match.start() <= token.match.end() + 1:
        return True
    if token.followed_by == "%" and len(tokens) > 1:
        return True
    if token.followed_by == "-" and kind_at(tokens, at + 2) is Kind.UNIT:  # a 7-digit number
        return True
    behind = [one.word for one in tokens[after : at + 4]]
    if behind[:1] and behind[0] in ("is", "was", "be", "would") and not _WRONG.isdisjoint(behind):
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


def _repeats(tokens: Tokens, one: Candidate, earlier: Candidate) -> bool:
    """Whether a number only gives the size of an earlier one: without its sign, or rounded."""
    if one.value == earlier.value.copy_negate() > 0:
        return True
    digits = len(significant(one.value))
    if not one.token.has_magnitude and digits >= len(earlier.value.as_tuple().digits):
        return False
    if not any(is_close(size, earlier.value) for size in one.token.sizes):
        return False
    before = tokens[max(earlier.at, one.at - _REACH) : one.at]
    speaks = any(token.kind in (Kind.APPROX, Kind.UNIT) for token in before)
    return digits > 2 or speaks or one.token.has_magnitude
