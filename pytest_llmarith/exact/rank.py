"""Chooses the answer among the numbers of a reply, by what each number stands for.

The reply is read from its last word of doubt on; if no answer is there, what comes
before is read, and so on. In such a part, the last *result* is the answer: a number in
a box, in bold, alone in its line, called "the answer", or after the calculation of the
question. Without one it is the number that the part opens with, if the last one has no
more digits, else the last. Operands, their parts, and numbers in remarks are no
answers.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from .context import alternatives, is_no_answer, refuses
from .digits import is_close, significant
from .normalize import value_of
from .tokenize import Number, Token, TokenKind

Operands = Sequence[Decimal]  # in the order of the question, without signs


class Standing:
    """How much a number says that it is the answer; the first level that a part of the
    reply has decides.
    """

    RESULT = 1
    PLAIN = 2  # in a sentence, or the value of another calculation
    # in a remark, in brackets, in a list, or the value of the question turned round
    ASIDE = 3
    REPEATED = 4  # an operand that is said once more, as a result is
    NONE = 5  # an operand


_EDGES = frozenset(
    {None, TokenKind.STOP, TokenKind.LINE}
)  # before and after a sentence
_PRESENTING = frozenset(
    {
        TokenKind.EQUALS,
        TokenKind.SAYS,
        TokenKind.APPROX,
        TokenKind.RESULT,
        TokenKind.BOX,
    }
)
_BEFORE_AN_OPENING = _EDGES | {TokenKind.SAYS, TokenKind.RESULT, TokenKind.BOX}
_END_OF_CLAUSE = re.compile(
    r"[ ]?(?:[;:.(!]|(?:because|since)\b|,(?![ ]?\d)|\s*\n|\s*\Z)"
)
_NEGATIVE = frozenset({"minus", "negative", "moins", "menos", "meno", "минус", "eksi"})
_COMMUTATIVE = frozenset({"+", "×", "*", "x", "plus", "times"})
_LEADS = frozenset(
    {":", "=", "is", "was", "of", "the", "difference", "value", "score", "level"}
)  # after "remainder"
_FAILURES = frozenset({"error", "http"})  # at the beginning: Error: timeout (408)
_UNFINISHED = frozenset(
    re.findall(
        r"\S+",
        "a an the to of and or but if as at by for from in into on with that which this we i "
        "let need can will must next first then also because since when where while its "
        "is are was be so thus hence therefore equals gives :",
    )
)  # at the end of a reply that breaks off
_BINARY = re.compile(r"\b(?i:bin)|二进|2進|2진")
_LONGEST_UNNAMED = 7  # digits of a binary number that nothing calls so
_MOST_DIGITS_OF_ROUND = 2  # that are not zeros at the end
_WINDOW = 16  # tokens that are examined on either side of a number


@dataclass
class Claim:
    """What a number outside of expressions stands for."""

    number: Number
    value: Decimal
    level: int
    # called the answer, or the value of a calculation: no mere rounding of an earlier
    # number
    is_stated: bool
    is_first: bool  # at the beginning of a sentence, or after a label or verb
    ends_clause: bool  # what follows may explain it

    @cached_property
    def digits(self) -> str:
        """The digits without those that may only fill."""
        return significant(self.value)

    @property
    def is_round(self) -> bool:
        """Whether it is 140,000 or the like, that others are compared with."""
        return self.value.adjusted() > 1 and len(self.digits) <= _MOST_DIGITS_OF_ROUND

    @cached_property
    def binary(self) -> int | None:
        """The number that its digits are in the binary system."""
        word = self.number.word
        return int(word, 2) if set(word) <= {"0", "1"} else None

    def is_in_binary(self, earlier: Claim) -> bool:
        """Whether this is an earlier number in binary digits."""
        if self.binary != earlier.number.size:
            return False
        is_long = len(self.number.word) > _LONGEST_UNNAMED
        return is_long or _speaks_of_binary(self.number.match.string)

    def rounds(self, earlier: Claim) -> bool:
        """Whether this is an earlier number rounded."""
        if self.value == earlier.value or earlier.level is Standing.NONE:
            return False
        if not self.number.has_magnitude:
            # In "1000 thousand (999000)" the second is no rounding, and a single digit
            # is a number of its own.
            if earlier.number.has_magnitude:
                most = len(earlier.digits)
            else:
                most = len(earlier.value.as_tuple().digits)
            if not 1 < len(self.digits) < most:
                return False
        return is_close(self.value, earlier.value)


@lru_cache(maxsize=1)
def _speaks_of_binary(text: str) -> bool:
    """Searched once for all numbers of a reply."""
    return bool(_BINARY.search(text))


def answer_in(tokens: Sequence[Token], operands: Operands) -> Decimal | None:
    """The answer, or None if no number can be the answer."""
    return _Ranked(tokens, operands).answer()


def answer_at_end(tokens: Sequence[Token], operands: Operands) -> Decimal | None:
    """The answer, if the last tokens of a reply have a result that no token before them
    can change; else None.
    """
    return _Ranked(tokens, operands).result_at_end()


class _Ranked:
    """The tokens of a reply, asked by position."""

    def __init__(self, tokens: Sequence[Token], operands: Operands) -> None:
        self._tokens = tokens
        self._operands = operands
        # None stands before and behind the tokens, for positions from -3 to 2 after the
        # last.
        self._kinds = [*(token.kind for token in tokens), None, None, None]
        self._numbers = self._positions(TokenKind.NUMBER)
        self._examined: dict[int, Claim | None] = {}

    def answer(self) -> Decimal | None:
        is_cut = self._is_cut()
        is_failure = any(token.word in _FAILURES for token in self._tokens[:3])
        only_results = is_cut or is_failure or self._has_box
        said = []
        for numbers in self._parts():
            result = self._last_result(numbers)
            if result:
                return self._with_point(result, numbers)
            claims = self._claims(numbers)
            chosen = None if only_results else _chosen(claims)
            if chosen:
                if refuses(chosen.number.match.string):
                    return None
                return self._with_point(chosen, numbers)
            said += claims
        if is_cut or is_failure:
            return None
        return self._only_value(said)

    def result_at_end(self) -> Decimal | None:
        """The last result, if no token before these can change it."""
        numbers = next(self._parts())
        # What stands before a number is looked at for less than two windows.
        result = self._last_result(numbers[bisect(numbers, 2 * _WINDOW) :])
        if result is None or (self._decimals and "." not in result.number.word):
            return None  # an earlier number may have the point
        return self._with_point(result, ())

    def _is_cut(self) -> bool:
        """Whether the reply ends in an operator, `the answer is`, or another word that
        needs more.
        """
        last = len(self._tokens) - 1
        kind = self._kind(last)
        is_named = kind is TokenKind.SAYS and self._kind(last - 1) is TokenKind.RESULT
        is_sign = kind in (TokenKind.OPERATOR, TokenKind.EQUALS)
        return (
            is_named or is_sign or (last > 0 and self._tokens[last].word in _UNFINISHED)
        )

    def _parts(self) -> Iterator[list[int]]:
        """The positions of the numbers between words of doubt, the last ones first."""
        numbers = self._numbers
        for doubt in reversed(self._positions(TokenKind.DOUBT)):
            first = bisect(numbers, doubt)
            yield numbers[first:]
            numbers = numbers[:first]
        yield numbers

    def _last_result(self, numbers: Sequence[int]) -> Claim | None:
        """The last number that is called a result, and is not used further."""
        for at in reversed(numbers):
            claim = self._claim(at)
            if claim is None or claim.level is not Standing.RESULT:
                continue
            if self._continued.get(claim.value.copy_abs(), -1) < at:
                return claim
        return None

    def _only_value(self, said: Iterable[Claim]) -> Decimal | None:
        """The value of all claims, if they have the same; an operand only if the reply
        has no other number.
        """
        sizes = {token.size for token in self._tokens if isinstance(token, Number)}
        values = set()
        for claim in said:
            if claim.number.is_half_read:
                return None
            if len(sizes) == 1 or claim.level is not Standing.NONE:
                values.add(claim.value)
        return values.pop() if len(values) == 1 else None

    def _claims(self, numbers: Iterable[int]) -> list[Claim]:
        """The numbers that can be the answer, without roundings of others."""
        found: list[Claim] = []
        unsaid = list(self._operands)
        for at in numbers:
            size = self._size(at)
            is_said = size not in unsaid
            if size in unsaid:
                unsaid.remove(size)
            claim = self._claim(at)
            if claim is None:
                continue
            if not claim.is_stated:
                nearby = found[-_WINDOW:]
                if any(map(claim.is_in_binary, nearby)) or any(
                    map(claim.rounds, nearby[-1:])
                ):
                    continue
                if claim.level is Standing.NONE and self._is_presented(at, is_said):
                    claim.level = Standing.REPEATED
            found.append(claim)
        return found

    def _claim(self, at: int) -> Claim | None:
        """What the number stands for; None if it is a part of an expression, or no
        number that answers. Examined once.
        """
        if at not in self._examined:
            self._examined[at] = self._examine(at)
        return self._examined[at]

    def _examine(self, at: int) -> Claim | None:
        number = self._number(at)
        value = number.value
        if value is None or self._is_operand(at) or self._is_excluded(at):
            return None
        start = at
        if self._is_negated(at):
            start = at - 1
            if value:
                value = value.copy_negate()
        sign = start - 2 if self._kind(start - 1) is TokenKind.LINE else start - 1
        is_exact = self._kind(sign) is not TokenKind.APPROX
        after = self._kind(at + 1)
        is_left_over = (
            after is TokenKind.UNIT and self._tokens[at + 1].word in _LEFT_OVER
        )
        is_remark = number.in_remark or number.in_brackets or is_left_over
        is_aside = is_remark or self._is_enumerated(at)
        is_named = False
        terms, operators = self._terms_before(sign)
        if terms:
            asked = [*self._operands]
            is_turned = terms == asked[::-1]
            is_asked = terms == asked or (
                is_turned and not operators.isdisjoint(_COMMUTATIVE)
            )
            # 12 × 34 = 418?
            is_doubtful = after is TokenKind.STOP and self._tokens[at + 1].word == "?"
            is_result = is_asked and not is_doubtful and not number.in_remark
            is_aside = is_aside or is_turned
        else:
            is_named = not is_aside and self._is_named(at, start, sign)
            is_result = number.bold or is_named
            if not is_result and not number.has_magnitude:
                is_result = self._is_alone(at, start)
        if is_exact and not number.in_brackets and (is_result or number.boxed):
            level = Standing.RESULT
        elif number.size in self._operands:
            level = Standing.NONE
        else:
            level = Standing.ASIDE if is_aside else Standing.PLAIN
        is_stated = level is Standing.RESULT or is_named or (bool(terms) and is_exact)
        is_first = self._kind(start - 1) in _BEFORE_AN_OPENING
        return Claim(number, value, level, is_stated, is_first, self._ends_clause(at))

    def _with_point(self, claim: Claim, numbers: Iterable[int]) -> Decimal | None:
        """The answer, None if it is read by half; without a point, the same digits
        with one:

        `17,647,500 hundredths of a hundredth, 1764.75`.

        The point is moved by as many places as the operands have decimals.
        """
        if claim.number.is_half_read:
            return None
        decimals = self._decimals
        if "." in claim.number.word or not decimals:
            return claim.value
        for at in numbers:
            other = self._claim(at) if "." in self._number(at).word else None
            if other is None or other.number.has_magnitude:
                continue
            if other.digits != claim.digits:
                continue
            if 0 < claim.value.adjusted() - other.value.adjusted() <= decimals:
                return other.value
        return claim.value

    @property
    def _decimals(self) -> int:
        """How many decimals the operands have together."""
        return sum(len(str(one).partition(".")[2]) for one in self._operands)

    # What stands beside a number

    def _kind(self, at: int) -> int | None:
        """The kind of the token at a position, or just before or behind all tokens."""
        return self._kinds[at]

    def _positions(self, kind: int) -> list[int]:
        return [at for at, found in enumerate(self._kinds) if found is kind]

    def _is_number(self, at: int) -> bool:
        return self._kinds[at] is TokenKind.NUMBER

    def _number(self, at: int) -> Number:
        token = self._tokens[at]
        assert isinstance(token, Number)
        return token

    def _size(self, at: int) -> Decimal | None:
        return self._number(at).size

    @cached_property
    def _has_box(self) -> bool:
        return any(self._number(at).boxed and self._claim(at) for at in self._numbers)

    def _is_alone(self, at: int, start: int) -> bool:
        """Whether the number is a whole sentence, or the last line of a paragraph."""
        before, after = self._kind(start - 1), self._kind(at + 1)
        if before is not TokenKind.LINE:
            is_between_edges = before in _EDGES and after in _EDGES
            return is_between_edges and not self._is_number(start - 2)
        if after is TokenKind.LINE:
            return self._tokens[at + 1].word.count("\n") > 1
        return after in (None, TokenKind.STOP)

    def _is_named(self, at: int, start: int, sign: int) -> bool:
        """Whether the sentence calls the number the answer, the sum and so on:

        `the answer is 46`, `46 is the sum`.
        """
        after = self._kind(at + 1)
        is_subject = after is TokenKind.SAYS and self._kind(start - 1) in _EDGES
        is_before_as = after is not None and self._tokens[at + 1].word == "as"
        if is_subject or is_before_as:
            return TokenKind.RESULT in (self._kind(at + 2), self._kind(at + 3))
        if self._kind(sign) not in _PRESENTING or self._tokens[sign].word == "was":
            return False
        for earlier in range(sign, max(-1, sign - _WINDOW), -1):
            kind = self._kind(earlier)
            if kind is TokenKind.RESULT:
                if self._kind(earlier + 1) is TokenKind.UNIT:
                    return False  # total steps: 4
                before = self._kind(earlier - 1), self._kind(earlier - 2)
                return TokenKind.APPROX not in before
            if kind in _EDGES:
                return False
            if self._is_number(earlier) and self._size(earlier) not in self._operands:
                return False  # the name can belong to that number
        return False

    def _is_presented(self, at: int, is_said: bool) -> bool:
        """Whether an operand is the result, too: behind `=`; or said before, and now
        behind a verb or at the end.
        """
        if self._number(at).is_before(")"):
            return False  # the denominator (66)
        is_last = self._kind(at + 1) in _EDGES
        before = self._tokens[at - 1].word if at else ":"  # of a label
        if is_last and self._kind(at - 1) is TokenKind.SAYS and before != ":":
            return True
        if not is_said:
            return False
        return is_last or any(
            self._kind(near) in _PRESENTING for near in range(at - 3, at)
        )

    def _ends_clause(self, at: int) -> bool:
        if self._kind(at + 1) is TokenKind.SAYS:
            return True
        match = self._number(at).match
        return bool(_END_OF_CLAUSE.match(match.string, match.end()))

    def _is_enumerated(self, at: int) -> bool:
        """Whether another number follows behind a comma, or in the next cell of a
        table.
        """
        if not self._is_number(at + 1):
            return False
        one, other = self._number(at).match, self._number(at + 1).match
        between = one.string[one.end() : other.start("digits")]
        is_cell = between.isspace() and len(between) > 1
        return is_cell or between.strip() in (",", "|")

    # Calculations

    def _is_operand(self, at: int) -> bool:
        """Whether an operator connects the number to a neighbour, so that it is part of
        a calculation.
        """
        number = self._number(at)
        after = at + 2 if self._kind(at + 1) is TokenKind.LINE else at + 1
        if number.is_power or self._joins(at - 1) or self._joins(after):
            return True
        if not self._is_number(at + 1) or not self._joins(at + 2):
            return False
        if number.is_before("("):
            return True  # 3(2 + 1)
        is_fraction = self._tokens[at + 2].word in ("/", "÷")
        return is_fraction and number.is_before(" ")  # 3 1/2

    def _joins(self, at: int) -> bool:
        """Whether an operator is between two numbers.

        It may begin a line, except a minus, which is then a bullet.
        """
        if self._kind(at) is not TokenKind.OPERATOR or not self._is_number(at + 1):
            return False
        word = self._tokens[at].word
        if word != "-" and self._kind(at - 1) is TokenKind.LINE:
            return self._is_number(at - 2)
        return self._is_number(at - 1) and word != "negative"

    def _is_negated(self, at: int) -> bool:
        """Whether a separate minus belongs to the number:

        `= - 5`, `minus 5`, or `- 5` as the whole reply.
        """
        if self._kind(at - 1) is not TokenKind.OPERATOR:
            return False
        word = self._tokens[at - 1].word
        if word in _NEGATIVE:
            return not self._is_number(at - 2)
        if word != "-" or self._number(at).bold:
            return False
        return len(self._tokens) == 2 or self._kind(at - 2) in _PRESENTING

    def _terms_before(self, sign: int) -> tuple[list[Decimal], set[str]]:
        """The numbers and operators of the expression before `=` or a verb:

        `12 + 34 =`, `12 plus 34 is`.
        """
        if self._kind(sign) not in (TokenKind.EQUALS, TokenKind.SAYS, TokenKind.APPROX):
            return [], set()
        end = sign - 1 if self._kind(sign - 1) is TokenKind.LINE else sign
        terms: list[Decimal] = []
        operators = set()
        for token in reversed(self._tokens[max(0, end - _WINDOW) : end]):
            if isinstance(token, Number) and token.size is not None:
                terms.insert(0, token.size)
            elif token.kind is TokenKind.OPERATOR:
                operators.add(token.word)
            else:
                break
        if len(terms) < 2:
            return [], set()
        return terms, operators

    @cached_property
    def _continued(self) -> dict[Decimal | None, int]:
        """The last position at which a number is used in a sum or difference without
        operands:

        `771 + 10`.
        """
        continued: dict[Decimal | None, int] = {}
        for at in self._positions(TokenKind.OPERATOR):
            if self._tokens[at].word not in ("+", "-", "plus", "minus"):
                continue
            if not self._joins(at) or not self._is_number(at - 1):
                continue
            sizes = self._size(at - 1), self._size(at + 1)
            if set(self._operands).isdisjoint(sizes):
                continued.update(dict.fromkeys(sizes, at))
        return continued

    # Numbers that are not answers

    def _is_excluded(self, at: int) -> bool:
        """Whether the number counts digits, is a remainder and the like, numbers a list
        item, or is in a question.
        """
        if self._has_unit(at) or self._is_asked(at + 1) or self._is_denied(at):
            return True
        word = at - 1
        while word > max(0, at - 4) and self._tokens[word].word in _LEADS:
            word -= 1
        is_denied = word > 0 and self._tokens[word - 1].word in ("no", "without", "il")
        if self._kind(word) is TokenKind.SIDE_RESULT and not is_denied:
            # 7391 R 0, but not R$ 0
            return self._tokens[word].word != "r" or self._is_number(word - 1)
        return self._is_list_number(at)

    def _has_unit(self, at: int) -> bool:
        """Whether the number counts digits, seconds and the like."""
        match = self._number(at).match
        if self._kind(at + 1) is not TokenKind.UNIT:
            return False
        if not _UNIT.match(match.string, match.end()):
            return False
        unit = self._tokens[at + 1].word
        if unit in _TIMES and self._kind(at - 1) is TokenKind.EQUALS:
            return False  # 4 × 60 = 240 minutes
        return unit not in _LEFT_OVER

    def _is_asked(self, after: int) -> bool:
        """Whether the number is in the midst of a question:

        `shall I show the 4 steps?`
        """
        for token in self._tokens[after : after + _WINDOW]:
            if token.kind in _EDGES:
                return token.word == "?"
        return False

    def _is_denied(self, at: int) -> bool:
        """Whether what stands beside the number keeps it from being an answer, or it is
        one of a choice.
        """
        number = self._number(at)
        match = number.match
        return (
            number.is_denied
            or is_no_answer(match.string, match.start("digits"), match.end())
            or self._is_choice(at)
        )

    def _is_choice(self, at: int) -> bool:
        """Whether the number is one of several that differ, and the reply does not
        choose:

        `17, 18 or 19`.
        """
        last = at
        while last < at + _WINDOW and self._is_enumerated(last):
            last += 1
        number = self._number(last)
        others = alternatives(
            number.match.string, number.match.start("digits"), number.match.end()
        )
        return any(value_of(other) not in (number.value, None) for other in others)

    def _is_list_number(self, at: int) -> bool:
        """Whether the number is `1.` or `1)` at the beginning of a line with more
        text.
        """
        number = self._number(at)
        if not number.is_before(".") and not number.is_before(")"):
            return False
        after = self._kind(at + 1)
        if after is TokenKind.STOP:
            after = self._kind(at + 2)
        if len(number.word) > 2 or after is None:
            return False
        if at == 0:
            return number.word == "1"
        return self._kind(at - 1) is TokenKind.LINE and after is not TokenKind.LINE


_UNIT = re.compile(r".?[\w%]")
_LEFT_OVER = frozenset({"left", "remaining"})
_TIMES = frozenset({"seconds", "minutes"})


def _chosen(claims: Sequence[Claim]) -> Claim | None:
    """The answer of a part without a result."""
    levels = [max(Standing.PLAIN, claim.level) for claim in claims]
    level = min(levels, default=Standing.NONE)
    if level is Standing.NONE:
        return None
    best = [claim for claim in claims if max(Standing.PLAIN, claim.level) is level]
    first, last = best[0], best[-1]
    if level is Standing.PLAIN and first.ends_clause and not first.number.is_half_read:
        if len(first.digits) > len(last.digits) and last.is_round:
            return first
        if len(first.digits) >= len(last.digits) and first.is_first:
            return first
    return last
