"""Step 5 of the tolerant reading: numbers, signs and the words that say something about a number, in one linear pass.

It does not know which number is the answer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from functools import cached_property

from pytest_llmarith.numerals.exact import shifted
from pytest_llmarith.numerals.glyphs import BOLD, BOX, END_OF_BOX, THIN
from pytest_llmarith.numerals.magnitudes import WORDS, letters_at, places_of
from pytest_llmarith.numerals.written import value_of


class Kind(Enum):
    """What a token is to the numbers beside it."""

    NUMBER = auto()
    OPERATOR = auto()
    EQUALS = auto()
    APPROX = auto()
    SAYS = auto()  # is, 's, gives, a colon
    ANSWER = auto()  # a noun that announces the final answer
    FINAL = auto()  # makes the next noun announce it
    RESULT = auto()  # a noun for any result, of a step too
    DOUBT = auto()  # what came before is taken back
    CHECK = auto()  # what comes now looks back at a result
    REASON = auto()  # the rest of the sentence explains a result
    COMPARE = auto()  # the rest of the sentence holds a result against another calculation
    UNIT = auto()  # the number before it counts digits or decimals
    LABEL = auto()  # the number after it counts steps
    ASIDE = auto()  # the number after it is not what was asked for
    WORD = auto()
    STOP = auto()
    LINE = auto()
    BOX = auto()
    END_OF_BOX = auto()


_VOCABULARY = {
    Kind.SAYS: "is s are was be equals equal gives give yields yield makes get gets becomes so thus hence therefore "
    "exactly precisely obtain obtains obtaining",
    Kind.ANSWER: "answer",
    Kind.FINAL: "final correct exact numeric numerical",
    Kind.RESULT: "result sum total product difference quotient value number output solution",
    Kind.APPROX: "approximately approx about roughly around nearly rounded rounds approximate",
    Kind.DOUBT: "wait actually correction oops sorry apologies apologize hmm redo redoing recomputing recalculating",
    Kind.CHECK: "check checking verify verifying verification validate validation",
    Kind.OPERATOR: "plus minus times negative",
    Kind.UNIT: "digit digits decimal decimals place places significant figures steps step percent seconds minutes",
    Kind.REASON: "because since",
    Kind.COMPARE: "estimate estimated estimates estimation ballpark approximation plausible plausibility reasonable "
    "reasonableness sanity sense casting modulo",
    Kind.ASIDE: "remainder leftover r absolute magnitude confidence carry first second third operand addend minuend "
    "subtrahend multiplicand multiplier dividend divisor factor numerator denominator root binary octal hexadecimal "
    "hex input inputs operands lhs rhs",
    Kind.LABEL: "step method part case example line",
}
# They may stand between such a word and its number, and say nothing.
_FILLERS = frozenset({"us", "indeed", "simply", "just", "now"})
_KINDS = {word: kind for kind, words in _VOCABULARY.items() for word in words.split()}
_SYMBOLS = {
    "=": Kind.EQUALS,
    "→": Kind.EQUALS,
    "∴": Kind.SAYS,
    "≈": Kind.APPROX,
    "~": Kind.APPROX,
    ":": Kind.SAYS,
    BOX: Kind.BOX,
    END_OF_BOX: Kind.END_OF_BOX,
    **dict.fromkeys("-+×÷/*^±", Kind.OPERATOR),
}

MANY = 2_048  # tokens that are looked at, counted from the end

# Of the expression below: possessive quantifiers stand on single characters only, as a possessive group keeps half a
# repetition in Python before 3.11.5 ("5," for "5").
_GAP = rf"[ {THIN}]{{0,2}}"
_TOKEN = re.compile(
    # The minus after a number or a bracket is an operator. Groups by plain spaces hold exactly three digits each.
    rf"(?P<code>(?<![\w.,])0[xX][\da-fA-F]++(?!\w))"  # hexadecimal digits are a name, no number
    rf"|(?P<number>"
    rf"(?P<digits>(?:(?:(?<![\w)])(?<![\d)][ ])|(?<=[\u3040-\u9fff]))[-+])?"
    rf"(?:(?!0)\d{{1,3}}(?:[ {THIN}]\d{{3}})+(?!\d)(?:[.,]\d++)?|\d++(?:[.,'_{THIN}]\d++)*|(?<![\d.])\.\d++))"
    rf"(?P<uncertainty>\(\d{{1,3}}\))?"
    rf"(?:{_GAP}[×xX*]{_GAP}10{_GAP}\^{_GAP}\(?(?P<tens>[-+]?\d++)\)?|[eE](?P<scale>[-+]?\d++)(?!\w)"
    rf"|\^\(?(?P<power>[-+]?\d++)\)?)?"
    rf"(?:[ {THIN}{BOLD}-]{{1,3}}(?P<magnitude>{WORDS}))?)"
    # What takes back in several words, or at the head of a line only.
    rf"|(?P<doubt>(?<!\w)(?i:(?:that|this|it|which)(?:'s|[ ]is|[ ]was)[ ]"
    rf"(?:wrong|incorrect|not[ ](?:right|correct)|a[ ]mistake)|let[ ]me[ ]re-?(?:check|compute|calculate|do|consider)"
    rf"|let[ ]me[ ](?:try[ ]again|correct|fix)|hold[ ]on(?![ ]to(?!\w))|on[ ]second[ ]thought|second[ ]attempt"
    rf"|scratch[ ]that|my[ ]mistake|I[ ]miscalculated"
    rf"|(?:that|this|it)[ ](?:doesn't|does[ ]not)[ ](?:look|seem)[ ](?:right|correct)"
    rf"|(?<!if[ ])I(?:'ve)?[ ]made[ ](?:a[ ]mistake|an[ ]error))"
    rf"(?!\w)|(?:(?<=\n)|(?<=\n{BOLD}))(?i:edit|update|corrected)(?={BOLD}?:)"
    rf"|(?<=[.…—–-][ ])(?i:no)(?=,[ ](?:(?:it|that)(?:'s|[ ]is)[ ])?{BOLD}?[-+]?\d))"
    # What gives a result in several words.
    rf"|(?P<says>(?<!\w)(?i:equal|evaluates|amounts|(?:comes|works)(?:[ ]out)?|(?:adds|sums)[ ]up)[ ]to(?!\w))"
    # A word may hold digits, as identifiers do, but only after a Latin letter: other scripts leave no space.
    rf"|(?P<word>[A-Za-z_À-ÖØ-öø-ɏ][\w]*(?:-\w+)*|[^\W\d_]+)"
    rf"|(?P<rule>-{{2,}}|={{2,}})"
    rf"|(?P<stop>(?<![Aa]pprox)[.!?](?=\s|{BOLD}|$))"
    rf"|(?P<symbol>[-+×÷/*^±=→≈~:∴{BOX}{END_OF_BOX}])"
    rf"|(?P<line>\n\s*)"
)
_KIND_OF_GROUP = {"doubt": Kind.DOUBT, "says": Kind.SAYS, "code": Kind.WORD, "stop": Kind.STOP, "line": Kind.LINE}


@dataclass(frozen=True)
class Token:
    """One thing in the text. `bold` and `followed_by` say what touches it."""

    kind: Kind
    match: re.Match[str]

    @property
    def bold(self) -> bool:
        start = self.match.start()
        return self.match.string[start - 1 : start] == BOLD

    @property
    def followed_by(self) -> str:
        end = self.match.end()
        return self.match.string[end : end + 1]

    @property
    def written_as(self) -> str:
        return self.match[0]

    @property
    def is_expression(self) -> bool:
        """Whether more than a number is written here: a power of anything but ten, a product by brackets."""
        digits = self.match["digits"]
        if self.match["uncertainty"] and "." not in digits:
            return True
        return bool(self.match["power"]) and digits.lstrip("+-") != "10"

    @cached_property
    def value(self) -> Decimal | None:
        """The number, or None where the digits write none."""
        number, magnitude = self._number, self.match["magnitude"]
        return shifted(number, places_of(magnitude)) if number is not None and magnitude else number

    @cached_property
    def sizes(self) -> tuple[Decimal, ...]:
        """What the number may stand for where it is held against another: `7M` for 7, or for 7 million."""
        if self.value is None:
            return ()
        letters = letters_at(self.match.string, self.match.end())
        return (self.value, shifted(self.value, places_of(letters))) if letters else (self.value,)

    @property
    def has_magnitude(self) -> bool:
        """Whether a power of ten, a word or letters behind the digits say how large the number is."""
        return any(self.match.group("tens", "scale", "magnitude")) or len(self.sizes) > 1

    @property
    def _number(self) -> Decimal | None:
        digits, power = self.match["digits"], self.match["power"]
        if power:
            return value_of(digits.replace("10", "1"), power)
        return value_of(digits, self.match["tens"] or self.match["scale"])


def kind_of(word: str) -> Kind:
    """What a word is to the numbers beside it."""
    return _KINDS.get(word.lower(), Kind.WORD)


def tokens(text: str) -> list[Token]:
    """The last tokens of the text, in order."""
    return list(_tokens(deque(_TOKEN.finditer(text), maxlen=MANY)))


def kind_at(tokens: Sequence[Token], at: int) -> Kind | None:
    """The kind of a token; None before the first and behind the last."""
    return tokens[at].kind if 0 <= at < len(tokens) else None


def _tokens(matches: Iterable[re.Match[str]]) -> Iterator[Token]:
    for match in matches:
        kind = _kind(match)
        if kind is not None:
            yield Token(kind, match)


def _kind(match: re.Match[str]) -> Kind | None:
    group = match.lastgroup
    if group == "word":
        return None if match[0].lower() in _FILLERS else kind_of(match[0])
    if group == "symbol":
        return _SYMBOLS[match[0]]
    if group == "rule":
        return None
    return _KIND_OF_GROUP.get(group or "", Kind.NUMBER)
