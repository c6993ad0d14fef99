"""Step 7 of the tolerant reading: which numbers may be the answer, and how strongly the text says so.

It does not know operands: whether a number only echoes the question is decided later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum, auto

from pytest_llmarith.numerals.asides import has_a_foreign_key, is_code, is_count, is_year
from pytest_llmarith.numerals.calculations import first_of, pair_before, sign_before, terms_before
from pytest_llmarith.numerals.lines import is_alone, is_explained, is_last
from pytest_llmarith.numerals.operands import is_operand
from pytest_llmarith.numerals.roundings import announces_its_successor, is_called_rounded, rounds_its_predecessor
from pytest_llmarith.numerals.tokens import Kind, Token, kind_at

_PRESENTING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.ANSWER})
_EXPECTING_A_SIGN = _PRESENTING | {Kind.RESULT, Kind.BOX}
_STARTING = frozenset({None, Kind.STOP, Kind.LINE})  # what stands before a sentence
_WHAT_IS_ASKED = frozenset({"result", "sum", "total", "product", "difference", "quotient"})
_CHECK = frozenset({Kind.CHECK})  # a reason may lead on to the answer: `The difference is 22. Since 12 < 34, it is -22`
_EXACTLY = frozenset({"exact", "exactly", "precisely"})
_MINUS = frozenset({"-", "minus", "negative"})


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
    `terms` are the numbers of the calculation that it is the result of, `pair` the two of a question in signs or words
    that this began with, `chained` whether the calculation is only the end of a chain, `12 × 34 = 360 + 48 =`.
    """

    token: Token
    standing: Standing
    presented: bool
    negated: bool
    terms: Sequence[Token] = ()
    pair: Sequence[Token] = ()
    chained: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether the text itself is not sure: `12 × 34 = 418?`."""
        return self.token.followed_by == "?"

    @property
    def value(self) -> Decimal | None:
        value = self.token.value
        return value.copy_negate() if self.negated and value else value


def candidates(tokens: Sequence[Token]) -> Iterator[Candidate]:
    """The numbers that are no operands, in order."""
    mood = Mood.TELLING
    for at, token in enumerate(tokens):
        if token.kind is not Kind.NUMBER:
            mood = _mood(tokens, at, mood)
        elif not is_operand(tokens, at) and not is_code(tokens, at) and not is_year(tokens, at):
            found = _candidate(tokens, at, mood)
            if found.standing is Standing.STATED:
                mood = Mood.TELLING
            yield found


def _mood(tokens: Sequence[Token], at: int, mood: Mood) -> Mood:
    kind = tokens[at].kind
    if kind is Kind.ANSWER or (kind is Kind.RESULT and kind_at(tokens, at - 1) is Kind.FINAL):
        return Mood.ANNOUNCING
    if kind is Kind.CHECK:
        return Mood.CHECKING
    if kind is Kind.REASON and mood is Mood.TELLING and not _begins_a_clause(tokens, at):
        return Mood.REASONING
    if kind is Kind.COMPARE and mood is Mood.TELLING:
        return Mood.REASONING
    if mood is Mood.REASONING and tokens[at].written_as.lower() in _EXACTLY:
        return Mood.TELLING
    if kind is Kind.STOP and mood is Mood.ANNOUNCING:
        return Mood.TELLING
    return Mood.TELLING if kind in _STARTING and mood is Mood.REASONING else mood


def _begins_a_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether the reason comes before what it explains: `Since 12 < 34, it is -22`, `but since 12 < 34, it is -22`."""
    return kind_at(tokens, at - 1) in _STARTING or tokens[at - 1].written_as in ("but", "and")


def _candidate(tokens: Sequence[Token], at: int, mood: Mood) -> Candidate:
    negated = _is_negated(tokens, at)
    start = at - 1 if negated else at
    before = Kind.WORD if has_a_foreign_key(tokens, at) else _before(tokens, start)
    standing = _standing(tokens, at, before, mood)
    presented = before in _PRESENTING and not _names_a_variable(tokens, start)
    sign = sign_before(tokens, start)
    first = first_of(tokens, sign)
    terms, pair = terms_before(tokens, sign), pair_before(tokens, first)
    return Candidate(tokens[at], standing, presented, negated, terms, pair, first < sign)


def _standing(tokens: Sequence[Token], at: int, before: Kind | None, mood: Mood) -> Standing:
    announced = mood is Mood.ANNOUNCING
    if is_count(tokens, at) or _only_gives_the_size(tokens, at, before, announced):
        return Standing.ASIDE
    if is_alone(tokens, at):
        is_stated = announced or is_last(tokens, at) or is_explained(tokens, at)
        return Standing.STATED if is_stated else Standing.RESULT
    if before is Kind.SAYS and tokens[at - 2].written_as.lower() in _WHAT_IS_ASKED and is_explained(tokens, at, _CHECK):
        return Standing.STATED
    if not announced and not tokens[at].bold and is_called_rounded(tokens, at):
        return Standing.ASIDE
    if before in _PRESENTING and mood not in (Mood.CHECKING, Mood.REASONING):
        return Standing.STATED if announced and before is not Kind.APPROX else Standing.RESULT
    if tokens[at].bold:
        return Standing.RESULT
    return Standing.FIRST if before is None else Standing.MENTIONED


def _only_gives_the_size(tokens: Sequence[Token], at: int, before: Kind | None, announced: bool) -> bool:
    """Whether a sign, a word or a magnitude says that the number stands for a longer one beside it."""
    if before is Kind.APPROX and rounds_its_predecessor(tokens, at):
        return True
    if announces_its_successor(tokens, at):
        return True
    is_in_passing = tokens[at].has_magnitude and not announced and not tokens[at].bold
    return is_in_passing and is_called_rounded(tokens, at)


def _names_a_variable(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number is what a letter stands for: `where a = 12`."""
    name = tokens[at - 2].written_as if at > 1 else ""
    return tokens[at - 1].kind is Kind.EQUALS and len(name) == 1 and name.isalpha()


def _is_negated(tokens: Sequence[Token], at: int) -> bool:
    """Whether a minus that stands apart belongs to the number: `= - 5`, or `- 5` as the whole reply."""
    if kind_at(tokens, at - 1) is not Kind.OPERATOR or tokens[at].bold:
        return False
    if tokens[at - 1].written_as.lower() not in _MINUS:
        return False
    if at == 1:
        return len(tokens) == 2
    if kind_at(tokens, at - 2) is Kind.LINE and is_last(tokens, at):  # a list has more than one item
        return kind_at(tokens, at - 3) in _EXPECTING_A_SIGN
    return kind_at(tokens, at - 2) in _EXPECTING_A_SIGN


def _before(tokens: Sequence[Token], at: int) -> Kind | None:
    """The kind of what stands before, over a line's end."""
    before = kind_at(tokens, at - 1)
    return kind_at(tokens, at - 2) if before is Kind.LINE else before
