"""Confidence: the probabilities that a model gave its own answers, and whether they
tell which are right.

The probability of a number is the product over its tokens. A counter keeps cells of
1/32 of log odds (0.8 points at 50 %, finer towards both ends) with the sums of the
probabilities, so that only the order within a cell is lost.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Sequence
from math import exp, expm1, log, sqrt
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Figure, Leaf, Measure, Trial
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.records import Record, TokenLogprob
from pytest_llmarith.statistics.calibration import (
    Bin,
    area_under_curve,
    calibration_error,
    equal_bins,
    joined,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.means import of_mean
from pytest_llmarith.types import Outcome

MOST_POSITIONS = 30  # from either end of a number
ENDS = ("from_left", "from_right")
_STEPS, _MOST = 32, 16  # of log odds
_UNIT = 1_000_000  # sums are of whole numbers, which have no order


class _Digit(NamedTuple):
    """A digit of an answer: its token, and those of the token up to it."""

    token: TokenLogprob
    before: str


class _Sums:
    """Trials or digits, the right ones, and the sums of their probabilities."""

    def __init__(self) -> None:
        self.n = self.right = self.predicted = self.predicted_right = 0

    def add(self, logprob: float, *, is_right: bool) -> None:
        predicted = round(_UNIT * exp(logprob))
        self.n += 1
        self.right += is_right
        self.predicted += predicted
        self.predicted_right += predicted * is_right

    @property
    def bin(self) -> Bin:
        predicted, right = self.predicted / _UNIT, self.predicted_right / _UNIT
        return Bin(self.n, self.right, predicted, right)


_Places = collections.defaultdict[int, _Sums]


class ConfidenceCounter:
    def __init__(self) -> None:
        self.asked = self.known = self.first_wrong = self.among = 0
        self.answers, self.digits = _Places(_Sums), _Places(_Sums)  # by cell
        self.from_left, self.from_right = _Places(_Sums), _Places(_Sums)  # by position

    def add(self, trial: Trial) -> None:
        record, reply = trial.record, trial.record.reply
        if reply is None or record.answer is None or record.reading is None:
            return
        self.asked += bool(reply.sent and reply.sent.params.get("logprobs"))
        digits = _digits(reply.logprobs)
        told = "".join(one.before[-1] for one in digits)
        # A record that was graded anew may have another answer.
        if not told or told.lstrip("0") != _of(record.answer).lstrip("0"):
            return
        self.known += 1
        is_right = record.outcome is Outcome.CORRECT
        answer = sum(one.logprob or 0.0 for one in reply.logprobs)
        least = min(one.token.logprob or 0.0 for one in digits)
        for cells, logprob in ((self.answers, answer), (self.digits, least)):
            cells[_cell(logprob)].add(logprob, is_right=is_right)
        expected = _of(record.problem.expected)
        if len(told) == len(expected):
            self._add_digits(record, digits)
        if not is_right:
            self._add_first_wrong(digits, told, expected)

    def _add_digits(self, record: Record, digits: Sequence[_Digit]) -> None:
        wrong = record.number.wrong_digits if record.number else None
        if record.outcome is Outcome.CORRECT:
            wrong = "0" * len(digits)
        if wrong is None or len(wrong) != len(digits):
            return
        for at, (digit, flag) in enumerate(zip(digits, wrong, strict=True), 1):
            logprob, is_right = digit.token.logprob or 0.0, flag == "0"
            for places, place in (
                (self.from_left, at),
                (self.from_right, len(wrong) + 1 - at),
            ):
                if place <= MOST_POSITIONS:
                    places[place].add(logprob, is_right=is_right)

    def _add_first_wrong(
        self, digits: Sequence[_Digit], told: str, expected: str
    ) -> None:
        for digit, mine, right in zip(digits, told, expected, strict=False):
            if mine != right:
                others = digit.token.others
                self.first_wrong += bool(others)
                wanted = digit.before[:-1] + right
                self.among += any(_of(one).startswith(wanted) for one in others)
                return


def _digits(tokens: Sequence[TokenLogprob]) -> list[_Digit]:
    found = []
    for token in tokens:
        told = _of(token.text)
        found += [_Digit(token, told[:end]) for end in range(1, len(told) + 1)]
    return found


def _of(number: object) -> str:
    """The digits in a text."""
    return "".join(filter(str.isdigit, str(number)))


def _cell(logprob: float) -> int:
    """The cell of a probability, by its log odds."""
    rest = -expm1(logprob)
    odds = logprob - log(rest) if rest else float(_MOST)
    return round(_STEPS * max(-_MOST, min(odds, _MOST)))


# --- figures --------------------------------------------------------------------------


def _bins(leaves: Sequence[Leaf], name: str) -> dict[int, Bin]:
    """The cells or positions of all leaves, in their order."""
    found: dict[int, list[Bin]] = {}
    for leaf in leaves:
        for place, sums in getattr(leaf.counted, name).items():
            found.setdefault(place, []).append(sums.bin)
    return {place: joined(found[place]) for place in sorted(found)}


def _sum(leaves: Sequence[Leaf], name: str) -> int:
    return sum(getattr(leaf.counted, name) for leaf in leaves)


def _known(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    asked = _sum(leaves, "asked")
    if asked:
        yield Figure(_sum(leaves, "known"), n=asked)


def _mean(cells: Sequence[Bin], at: str = "") -> Figure:
    """The mean probability, with the interval of Student's t."""
    whole = joined(cells)
    mean = whole.predicted / whole.n
    squares = sum(cell.n * (cell.predicted / cell.n - mean) ** 2 for cell in cells)
    by, low, high = "of" if at else "", None, None
    if squares:
        error = sqrt(squares / (whole.n * (whole.n - 1)))
        ends, _ = of_mean(mean, error, whole.n - 1)
        low, high = in_percent(max(0.0, ends.low)), in_percent(min(1.0, ends.high))
    method = "" if low is None else "t"
    return Figure(in_percent(mean), low, high, whole.n, by, at, method)


def _probability(name: str) -> Callable[[Sequence[Leaf]], Iterator[Figure]]:
    """The mean over all answers, over the right and over the wrong ones."""

    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        cells = list(_bins(leaves, name).values())
        if not cells:
            return
        yield _mean(cells)
        right, wrong = [], []
        for n, some, predicted, of_right in cells:
            if some:
                right.append(Bin(some, some, of_right, of_right))
            if n > some:
                wrong.append(Bin(n - some, 0, predicted - of_right, 0.0))
        for at, part in (("right", right), ("wrong", wrong)):
            if part:
                yield _mean(part, at)

    return figures


def _correct(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    cells = _bins(leaves, "answers").values()
    found = percentage(sum(one.right for one in cells), _sum(leaves, "known"))
    if found is not None:
        yield found


def _area(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for name, by, at in (("answers", "", ""), ("digits", "of", "least digit")):
        found = area_under_curve(list(_bins(leaves, name).values()))
        if found is not None:
            value, low, high = map(in_percent, (found[0], *found[1]))
            n = _sum(leaves, "known")
            yield Figure(value, low, high, n, by, at, "newcombe")


def _error(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    cells = list(_bins(leaves, "answers").values())
    if cells:
        error, (low, high) = calibration_error(equal_bins(cells))
        value, low, high = map(in_percent, (error, low, high))
        yield Figure(value, low, high, _sum(leaves, "known"), method="bootstrap")


def _reliability(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    cells = list(_bins(leaves, "answers").values())
    for one in equal_bins(cells) if cells else ():
        at = f"{in_percent(one.predicted / one.n):g}"
        found = percentage(one.right, one.n, "predicted", at)
        if found is not None:
            yield found


def _digit_probability(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for by in ENDS:
        for place, one in _bins(leaves, by).items():
            mean = in_percent(one.predicted / one.n)
            yield Figure(mean, n=one.n, by=by, at=str(place))


def _digit_accuracy(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for by in ENDS:
        for place, one in _bins(leaves, by).items():
            found = percentage(one.right, one.n, by, str(place))
            if found is not None:
                yield found


def _among(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    found = percentage(_sum(leaves, "among"), _sum(leaves, "first_wrong"))
    if found is not None:
        yield found


def _measure(
    key: str,
    title: str,
    unit: str,
    meaning: str,
    figures: Callable[[Sequence[Leaf]], Iterator[Figure]],
) -> Measure:
    return Measure(key, title, unit, meaning, ConfidenceCounter, figures, False)


MEASURES = (
    _measure(
        "confident",
        "with probability",
        "answers",
        "answers whose probability is known, of n that it was asked for",
        _known,
    ),
    _measure(
        "answer_probability",
        "probability %",
        "%",
        "mean probability that the model gave its answer, the product over its tokens; "
        "also of right and of wrong answers",
        _probability("answers"),
    ),
    _measure(
        "least_digit_probability",
        "least digit %",
        "%",
        "mean probability of the digit of each answer that was least probable; also of "
        "right and of wrong answers",
        _probability("digits"),
    ),
    _measure(
        "confident_correct",
        "correct % of these",
        "%",
        "correct ones of the answers whose probability is known",
        _correct,
    ),
    _measure(
        "confidence_auc",
        "AUC %",
        "%",
        "pairs of a right and a wrong answer in which the right one was more probable "
        "to the model, 50 by chance; also by the least probable digit",
        _area,
    ),
    _measure(
        "calibration_error",
        "ECE %",
        "%",
        "expected calibration error: mean distance of probability and accuracy in ten "
        "bins of equally many answers; above 0 for every model",
        _error,
    ),
    _measure(
        "reliability",
        "reliability",
        "%",
        "correct answers in ten bins of equally many answers, by their mean probability",
        _reliability,
    ),
    _measure(
        "digit_probability",
        "digit probability %",
        "%",
        "mean probability of n digits, by their position from either end, of answers "
        f"as long as the expected value; at most {MOST_POSITIONS}",
        _digit_probability,
    ),
    _measure(
        "digit_accuracy",
        "right digits %",
        "%",
        "right ones of the same digits",
        _digit_accuracy,
    ),
    _measure(
        "right_among_five",
        "in top 5 %",
        "%",
        "wrong answers in which the right digit was among the first five in the place "
        "of the first wrong one",
        _among,
    ),
)
