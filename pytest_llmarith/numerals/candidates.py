"""Step 7 of the tolerant reading: which numbers may be the answer, and how strongly the text says so.

It does not know operands: whether a number only echoes the question is decided later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum, auto

from pytest_llmarith.numerals.tokens import Kind, Token, kind_of


class Standing(IntEnum):
    """How strongly the text presents a number as an answer."""

    ASIDE = 0  # counts steps or decimals, or rounds a number that was just given
    MENTIONED = 1
    FIRST = 2  # opens the reply
    RESULT = 3  # after an equals sign, "is", a colon; alone in its line; bold
    STATED = 4  # after the word answer or a final result; alone in the last line


class Mood(Enum):
    """What the text is doing when it comes to a number."""

    TELLING = auto()
    ANNOUNCING = auto()  # its next result is the answer
    CHECKING = auto()  # its results are of another calculation
    REASONING = auto()  # so are these, up to the end of the sentence


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that is no part of an expression.

    `presented` says that a sign or a word gives it as a result: then it is no echo, even where it equals an operand.
    `terms` are the numbers of the calculation that it is the result of.
    """

    token: Token
    standing: Standing
    presented: bool
    negated: bool
    terms: Sequence[Token] = ()

    @property
    def value(self) -> Decimal | None:
        value = self.token.value
        return value.copy_negate() if self.negated and value else value


_PRESENTING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.ANSWER})
_EXPECTING_A_SIGN = _PRESENTING | {Kind.RESULT, Kind.BOX}
_OF_AN_EXPRESSION = frozenset({Kind.NUMBER, Kind.OPERATOR})
_STARTING = frozenset({None, Kind.STOP, Kind.LINE})  # what stands before a sentence
_EXPLAINING = frozenset({Kind.CHECK, Kind.REASON})
_EXPLANATIONS = frozenset(
    {"explanation", "explained", "working", "workings", "work", "steps", "proof", "reasoning", "breakdown"}
)
_ENDING_A_HEADING = frozenset({Kind.LINE, Kind.NUMBER})
_MINUS = frozenset({"-", "minus", "negative"})
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_LEADS = frozenset({":", "=", "is", "was", "of", "the", "number", "difference", "value", "level", "score"})
_LEADING = 3  # how many of them may stand between a word and its number
_WITHOUT = frozenset({"no", "No", "without", "Without"})
_FAILING = frozenset({"error", "code", "status", "http"})
_CODE = re.compile(r"[45]\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_REACH = 8  # how many tokens may stand between a number and its rounding


def candidates(tokens: Sequence[Token]) -> Iterator[Candidate]:
    """The numbers that are no operands, in order."""
    mood = Mood.TELLING
    for at, token in enumerate(tokens):
        if token.kind is not Kind.NUMBER:
            mood = _mood(tokens, at, mood)
        elif not _is_operand(tokens, at) and not _is_code(tokens, at) and not _is_year(tokens, at):
            found = _candidate(tokens, at, mood)
            if found.standing is Standing.STATED:
                mood = Mood.TELLING
            yield found


def _mood(tokens: Sequence[Token], at: int, mood: Mood) -> Mood:
    kind = tokens[at].kind
    if kind is Kind.ANSWER or (kind is Kind.RESULT and _kind(tokens, at - 1) is Kind.FINAL):
        return Mood.ANNOUNCING
    if kind is Kind.CHECK:
        return Mood.CHECKING
    if kind is Kind.REASON and mood is Mood.TELLING and _kind(tokens, at - 1) not in _STARTING:
        return Mood.REASONING
    if kind is Kind.STOP and mood is Mood.ANNOUNCING:
        return Mood.TELLING
    return Mood.TELLING if kind in _STARTING and mood is Mood.REASONING else mood


def _candidate(tokens: Sequence[Token], at: int, mood: Mood) -> Candidate:
    negated = _is_negated(tokens, at)
    start = at - 1 if negated else at
    before = Kind.WORD if _has_a_foreign_key(tokens, at) else _before(tokens, start)
    standing = _standing(tokens, at, before, mood)
    return Candidate(tokens[at], standing, before in _PRESENTING, negated, _terms(tokens, start))


def _standing(tokens: Sequence[Token], at: int, before: Kind | None, mood: Mood) -> Standing:
    announced = mood is Mood.ANNOUNCING
    if _is_count(tokens, at) or (before is Kind.APPROX and _rounds_its_predecessor(tokens, at)):
        return Standing.ASIDE
    if _is_alone(tokens, at):
        is_stated = announced or _is_last(tokens, at) or _is_explained(tokens, at)
        return Standing.STATED if is_stated else Standing.RESULT
    if not announced and not tokens[at].bold and _is_called_rounded(tokens, at):
        return Standing.ASIDE
    if before in _PRESENTING and mood not in (Mood.CHECKING, Mood.REASONING):
        return Standing.STATED if announced and before is not Kind.APPROX else Standing.RESULT
    if tokens[at].bold:
        return Standing.RESULT
    return Standing.FIRST if before is None else Standing.MENTIONED


def _terms(tokens: Sequence[Token], at: int) -> Sequence[Token]:
    """The numbers of the expression that the sign before `at` gives the result of."""
    at -= 2 if _kind(tokens, at - 1) is Kind.LINE else 1
    if _kind(tokens, at) not in _PRESENTING:
        return ()
    start = at
    while start > max(0, at - _REACH) and tokens[start - 1].kind in _OF_AN_EXPRESSION:
        if tokens[start - 1].kind is _kind(tokens, start) is Kind.NUMBER:  # the one before ends another sentence
            break
        start -= 1
    return [token for token in tokens[start:at] if token.kind is Kind.NUMBER]


def _is_operand(tokens: Sequence[Token], at: int) -> bool:
    """Whether an operator joins the number to a neighbour: it is a part of a question or of a step."""
    return tokens[at].is_expression or _joins(tokens, at - 1) or _joins(tokens, at + 1)


def _joins(tokens: Sequence[Token], at: int) -> bool:
    if _kind(tokens, at) is Kind.LINE:  # the operator may begin or end the next line
        at += 1 if _kind(tokens, at + 1) is Kind.OPERATOR else -1
    if _kind(tokens, at) is not Kind.OPERATOR or _kind(tokens, at + 1) is not Kind.NUMBER:
        return False
    if tokens[at].written_as.lower() == "negative":  # a sign that joins nothing
        return False
    left = _kind(tokens, at - 1)
    if left is Kind.LINE and tokens[at].written_as != "-":  # a minus that begins a line is a bullet
        left = _kind(tokens, at - 2)
    return left is Kind.NUMBER


def _is_negated(tokens: Sequence[Token], at: int) -> bool:
    """Whether a minus that stands apart belongs to the number: `= - 5`, or `- 5` as the whole reply."""
    if _kind(tokens, at - 1) is not Kind.OPERATOR or tokens[at - 1].written_as.lower() not in _MINUS or tokens[at].bold:
        return False
    if at == 1:
        return len(tokens) == 2
    if _kind(tokens, at - 2) is Kind.LINE and _is_last(tokens, at):  # a list has more than one item
        return _kind(tokens, at - 3) in _EXPECTING_A_SIGN
    return _kind(tokens, at - 2) in _EXPECTING_A_SIGN


def _is_count(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number counts something about the answer, or numbers a step, an item, a place."""
    after = _kind(tokens, at + 1)
    counts = after is Kind.UNIT and tokens[at].followed_by not in (",", '"')
    if counts or _kind(tokens, at - 1) is Kind.LABEL or _is_beside_the_point(tokens, at):
        return True
    if after is Kind.WORD and tokens[at + 1].written_as in _ORDINAL_ENDINGS:
        return True
    return _is_list_number(tokens, at)


def _is_beside_the_point(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word shortly before says that the number is something else than the answer: `remainder of 0`."""
    if _kind(tokens, at - 1) is Kind.SAYS and tokens[at - 2].written_as in ("digit", "digits"):
        return at > 2 and tokens[at - 3].written_as in _LEADS  # `the sum of the digits is 13`
    word = _led_by(tokens, at)
    return _kind(tokens, word) is Kind.ASIDE and (word < 1 or tokens[word - 1].written_as not in _WITHOUT)


def _led_by(tokens: Sequence[Token], at: int) -> int:
    """Where the word stands that the number belongs to, over a colon, `is`, `of` and the like."""
    word = at - 1
    while word > at - 1 - _LEADING and word > 0 and tokens[word].written_as in _LEADS:
        word -= 1
    return word


def _is_code(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is what a server says instead of an answer: `Error 500`."""
    word = _led_by(tokens, at)
    return word >= 0 and tokens[word].written_as.lower() in _FAILING and bool(_CODE.fullmatch(tokens[at].written_as))


def _is_year(tokens: Sequence[Token], at: int) -> bool:
    """Whether something happened in that year, and nothing resulted in it."""
    if at < 2 or tokens[at - 1].written_as not in ("in", "since", "until"):
        return False
    happened = tokens[at - 2]
    if happened.kind is not Kind.WORD or happened.written_as.startswith("result"):
        return False
    return bool(_YEAR.fullmatch(tokens[at].written_as))


def _has_a_foreign_key(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is the value of a key in quotes that names no result: `"time_ms": 12`."""
    if at < 2 or tokens[at - 1].written_as != ":" or tokens[at - 2].followed_by != '"':
        return False
    names = tokens[at - 2].written_as.lower().split("_")
    return not any(kind_of(name) in (Kind.RESULT, Kind.ANSWER, Kind.FINAL) for name in names)


def _is_list_number(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is `1.` or `1)` at the head of a line that goes on."""
    token = tokens[at]
    if token.followed_by not in (".", ")") or len(token.written_as) > 2:
        return False
    goes_on = _kind(tokens, at + 2 if _kind(tokens, at + 1) is Kind.STOP else at + 1)
    if at == 0:  # no list begins with another number than 1, but a reply may
        return token.written_as == "1" and goes_on is not None
    return _kind(tokens, at - 1) is Kind.LINE and goes_on not in (None, Kind.LINE)


def _is_alone(tokens: Sequence[Token], at: int) -> bool:
    after = at + 2 if _kind(tokens, at + 1) is Kind.STOP else at + 1
    return _kind(tokens, at - 1) in (None, Kind.LINE) and _kind(tokens, after) in (None, Kind.LINE)


def _is_last(tokens: Sequence[Token], at: int) -> bool:
    return at + 4 > len(tokens) and all(token.kind in (Kind.STOP, Kind.LINE) for token in tokens[at + 1 :])


def _is_explained(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is the whole first line, and the next line announces an explanation or a check."""
    if at > 1 or (at == 1 and tokens[0].kind is not Kind.LINE):
        return False
    start = at + 3 if _kind(tokens, at + 1) is Kind.STOP else at + 2
    for token in tokens[start : start + _REACH]:
        if token.kind in _EXPLAINING or token.written_as.lower() in _EXPLANATIONS:
            return True
        if token.kind in _ENDING_A_HEADING:
            return False
    return False


def _is_called_rounded(tokens: Sequence[Token], at: int) -> bool:
    """Whether the sentence speaks of rounding, and what it rounds was given before with more digits."""
    speaks, same_sentence = False, True
    for earlier in range(at - 1, max(-1, at - 1 - 2 * _REACH), -1):
        token = tokens[earlier]
        if token.kind is Kind.NUMBER and not _is_count(tokens, earlier):
            return speaks and not _is_operand(tokens, earlier) and _is_shortened(tokens[at].value, token.value)
        same_sentence = same_sentence and token.kind not in _STARTING
        speaks = speaks or (same_sentence and token.kind in (Kind.APPROX, Kind.UNIT))
    return False


def _is_shortened(rounded: Decimal | None, exact: Decimal | None) -> bool:
    if rounded is None or exact is None or len(rounded.as_tuple().digits) >= len(exact.as_tuple().digits):
        return False
    return _is_close(rounded, exact)


def _rounds_its_predecessor(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number close to it, not a part of an expression, was given earlier in the sentence."""
    for earlier in range(at - 1, max(-1, at - 1 - _REACH), -1):
        match tokens[earlier].kind:
            case Kind.STOP:
                return False
            case Kind.NUMBER:
                return not _is_operand(tokens, earlier) and _is_close(tokens[at].value, tokens[earlier].value)
    return False


def _is_close(rounded: Decimal | None, exact: Decimal | None) -> bool:
    """Whether two numbers begin alike: same size, same leading digits but for the rounding."""
    if rounded is None or exact is None or rounded.adjusted() - exact.adjusted() not in (-1, 0, 1):
        return False
    few = [number.scaleb(-exact.adjusted()) for number in (rounded.normalize(), exact)]
    return abs(few[0] - few[1]) <= Decimal("0.1") * abs(few[1])


def _before(tokens: Sequence[Token], at: int) -> Kind | None:
    """The kind of what stands before, over a line's end."""
    before = _kind(tokens, at - 1)
    return _kind(tokens, at - 2) if before is Kind.LINE else before


def _kind(tokens: Sequence[Token], at: int) -> Kind | None:
    return tokens[at].kind if 0 <= at < len(tokens) else None
