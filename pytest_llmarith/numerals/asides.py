"""Step 7 of the tolerant reading: numbers beside the point, such as counts, labels, years and codes.

It does not know how strongly the text presents the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_llmarith.numerals.tokens import Kind, Token, kind_at, kind_of

_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_LEADS = frozenset(
    {":", "=", "is", "was", "of", "the", "number", "difference", "value", "level", "score", "be", "should", "must"}
)
_LEADING = 3  # how many of them may stand between a word and its number
_WITHOUT = frozenset({"no", "No", "without", "Without"})
_JOINING = frozenset({"by", "x", "X"})  # words that calculate, as operators do
_SIDES = frozenset({"lhs", "rhs"})
_FAILING = frozenset({"error", "code", "status", "http"})
_OF_ITS_DIGITS = frozenset({"last", "first", "final", "leading", "unit", "units", "ones", "sum", "number", "count"})
_OF_DIGITS = 6  # tokens in which one of them may stand before a number
_LEFT_OVER = frozenset({"remainder", "remaining", "left", "leftover"})
_WRONG = frozenset({"wrong", "incorrect"})
_TAKING_BACK = frozenset({"is", "was", "be", "would"})
_COMMON = frozenset({"common", "frequent", "typical", "usual"})
_MISTAKES = frozenset({"mistake", "error", "slip"})
_OF_A_MISTAKE = 8  # tokens within which one may be spoken of
_CODE = re.compile(r"[45]\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_count(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number counts something about the answer, or numbers a step, an item, a place."""
    after = kind_at(tokens, at + 1)
    counts = after is Kind.UNIT and tokens[at].followed_by not in (",", '"')
    counts = counts or (tokens[at].followed_by == "-" and kind_at(tokens, at + 2) is Kind.UNIT)  # a 7-digit number
    if counts or kind_at(tokens, at - 1) is Kind.LABEL or _is_beside_the_point(tokens, at):
        return True
    if after is Kind.WORD and tokens[at + 1].written_as in _ORDINAL_ENDINGS:
        return True
    if _is_list_number(tokens, at) or _is_share(tokens, at):
        return True
    if _is_called_wrong(tokens, at) or _is_a_mistake(tokens, at):
        return True
    if _is_on_the_way(tokens, at):
        return True
    return kind_at(tokens, at - 1) is Kind.EQUALS and _is_of_another_calculation(tokens, at - 2)


def _is_beside_the_point(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word shortly before says that the number is something else than the answer: `remainder of 0`."""
    if kind_at(tokens, at - 1) is Kind.SAYS and tokens[at - 2].written_as in ("digit", "digits"):
        # `the sum of the digits is 13`, but `reading the digits: 13`
        return not _OF_ITS_DIGITS.isdisjoint(token.written_as for token in tokens[max(0, at - _OF_DIGITS) : at])
    word = _led_by(tokens, at)
    if word > 0 and _is_of_the_digits(tokens[word - 1], tokens[word]) and not _has_digits(tokens, word - 1):
        return True
    if kind_at(tokens, word) is not Kind.ASIDE or _is_calculated_with(tokens, word):
        return False
    return word < 1 or tokens[word - 1].written_as not in _WITHOUT


def _is_calculated_with(tokens: Sequence[Token], word: int) -> bool:
    """Whether an operator joins the word to a like one: `lhs + rhs = 46`, `the first number plus the second is 46`."""
    if word > 0 and {token.written_as.lower() for token in tokens[word - 1 : word + 1]} == _SIDES:
        return True  # the star of `lhs * rhs` may have been taken for markup
    joining = word - 2 if word and tokens[word - 1].written_as == "the" else word - 1
    if kind_at(tokens, joining) is not Kind.OPERATOR and tokens[joining].written_as not in _JOINING:
        return False
    other = joining - 2 if tokens[joining].written_as == "by" else joining - 1
    return kind_at(tokens, other) is Kind.ASIDE or (other > 0 and tokens[other].written_as == "number")


def _is_of_the_digits(one: Token, other: Token) -> bool:
    """Whether two words name a digit of the answer, or the sum of them: `last digit`, `digit sum`."""
    words = {one.written_as.lower(), other.written_as.lower()}
    return not words.isdisjoint(_OF_ITS_DIGITS) and not words.isdisjoint({"digit", "digits"})


def _has_digits(tokens: Sequence[Token], word: int) -> bool:
    """Whether the word only says how many digits there are: `the 5-digit sum`."""
    before = word - 1 if kind_at(tokens, word - 1) is Kind.NUMBER else word - 2
    return kind_at(tokens, before) is Kind.NUMBER and tokens[before].match.end() + 1 == tokens[word].match.start()


def _is_of_another_calculation(tokens: Sequence[Token], last: int) -> bool:
    """Whether what ends there gives an absolute value, `|12 - 34|`, or a remainder, `Remainder: 12 - 3 × 4`."""
    if last > 1 and tokens[last - 1].written_as == "mod":
        return True
    first = last
    while first > 0 and tokens[first].kind in (Kind.NUMBER, Kind.OPERATOR):
        first -= 1
    if kind_at(tokens, last) is not Kind.NUMBER or last - first < 2:
        return False
    is_absolute = tokens[last].followed_by == "|"
    return is_absolute or tokens[_led_by(tokens, first + 1)].written_as.lower() == "remainder"


def _is_share(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is a percentage, or says that nothing is left over: `0 remainder`."""
    if tokens[at].followed_by == "%":
        return True
    return tokens[at].written_as == "0" and at + 1 < len(tokens) and tokens[at + 1].written_as.lower() in _LEFT_OVER


def _is_on_the_way(tokens: Sequence[Token], at: int) -> bool:
    """Whether the next words lead on from the number to another one: `gives 10 first, then`."""
    behind = [token.written_as for token in tokens[at + 1 : at + 3]]
    return behind in (["first", "then"], ["first", "and"])


def _is_called_wrong(tokens: Sequence[Token], at: int) -> bool:
    """Whether the words right behind take the number back: `46 would be incorrect`."""
    behind = at + 1
    while behind < len(tokens) and tokens[behind].written_as.lower() in _TAKING_BACK:
        behind += 1
    return behind > at + 1 and behind < len(tokens) and tokens[behind].written_as.lower() in _WRONG


def _is_a_mistake(tokens: Sequence[Token], at: int) -> bool:
    """Whether the sentence says that others go wrong so: `a common mistake is to answer 418`."""
    for earlier in range(at - 1, max(0, at - _OF_A_MISTAKE), -1):
        if tokens[earlier].kind in (Kind.STOP, Kind.LINE, Kind.NUMBER):
            return False
        if tokens[earlier].written_as in _MISTAKES and tokens[earlier - 1].written_as.lower() in _COMMON:
            return True
    return False


def _led_by(tokens: Sequence[Token], at: int) -> int:
    """Where the word stands that the number belongs to, over a colon, `is`, `of` and the like."""
    word = at - 1
    while word > at - 1 - _LEADING and word > 0 and tokens[word].written_as in _LEADS:
        word -= 1
    return word


def is_code(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is what a server says instead of an answer: `Error 500`."""
    word = _led_by(tokens, at)
    return word >= 0 and tokens[word].written_as.lower() in _FAILING and bool(_CODE.fullmatch(tokens[at].written_as))


def is_year(tokens: Sequence[Token], at: int) -> bool:
    """Whether something happened in that year, and nothing resulted in it."""
    if at < 2 or tokens[at - 1].written_as not in ("in", "since", "until"):
        return False
    happened = tokens[at - 2]
    if happened.kind is not Kind.WORD or happened.written_as.startswith("result"):
        return False
    return bool(_YEAR.fullmatch(tokens[at].written_as))


def has_a_foreign_key(tokens: Sequence[Token], at: int) -> bool:
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
    goes_on = kind_at(tokens, at + 2 if kind_at(tokens, at + 1) is Kind.STOP else at + 1)
    if at == 0:  # no list begins with another number than 1, but a reply may
        return token.written_as == "1" and goes_on is not None
    return kind_at(tokens, at - 1) is Kind.LINE and goes_on not in (None, Kind.LINE)
