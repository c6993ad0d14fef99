"""Confidence: the probabilities that a model gave its own answers, and whether they
tell which are right.

The probability of a number is the product over its tokens. A counter keeps cells of
1/32 of log odds (0.8 points at 50 %, finer towards both ends) with the sums of the
probabilities, so that only the order within a cell is lost.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Sequence
from math import exp, expm1, log

from pytest_llmarith.figures.estimates import Figure, Leaf, MakeFigures, Measure, Trial
from pytest_llmarith.figures.shares import percentages, share_with
from pytest_llmarith.records import Record, TokenLogprob
from pytest_llmarith.statistics.calibration import (
    Bin,
    area_under_curve,
    calibration_error,
    equal_bins,
    joined,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.types import Outcome

_MOST_POSITIONS = 30  # from either end of a number
_ANSWER, _DIGIT = "answer", "least digit"
_TOKEN = "in token of "  # how many digits
_NOWHERE = _MOST_POSITIONS + 1
_STEPS, _MOST = 32, 16  # of log odds
_UNIT = 1_000_000  # sums are of whole numbers, which have no order

# The digits of an answer: the token of each, and those of the token up to it.
_Digits = Sequence[tuple[TokenLogprob, str]]


class ConfidenceCounter:
    def __init__(self) -> None:
        self.asked = self.known = self.first_wrong = self.among = 0
        # By what is summed up, and its cell or position.
        self.sums = collections.defaultdict[tuple[str, int], list[int]](lambda: [0] * 4)
        self.number_tokens = collections.Counter[str]()

    def add(self, trial: Trial) -> None:
        record, reply = trial.record, trial.record.reply
        if reply is None or record.answer is None or record.reading is None:
            return
        self.asked += bool(reply.sent and reply.sent.params.get("logprobs"))
        if reply.number_tokens:
            self.number_tokens[reply.number_tokens] += 1
        digits = _digits(reply.logprobs)
        told = "".join(before[-1] for _, before in digits)
        # A record that was graded anew may have another answer.
        if not told or told.lstrip("0") != _of(record.answer).lstrip("0"):
            return
        self.known += 1
        is_right = record.outcome is Outcome.CORRECT
        answer = sum(one.logprob or 0.0 for one in reply.logprobs)
        least = min(token.logprob or 0.0 for token, _ in digits)
        self._add(_ANSWER, _cell(answer), answer, is_right)
        self._add(_DIGIT, _cell(least), least, is_right)
        expected = _of(record.problem.expected)
        if len(told) == len(expected):
            self._add_digits(record, digits)
        if is_right:
            return
        for (token, before), digit, right in zip(digits, told, expected, strict=False):
            if digit != right:
                wanted = before[:-1] + right
                self.first_wrong += bool(token.others)
                self.among += any(_of(one).startswith(wanted) for one in token.others)
                return

    def _add(self, what: str, place: int, logprob: float, is_right: bool) -> None:
        predicted = round(_UNIT * exp(logprob))
        sums = self.sums[what, place]
        sums[0] += 1
        sums[1] += is_right
        sums[2] += predicted
        sums[3] += predicted * is_right

    def _add_digits(self, record: Record, digits: _Digits) -> None:
        wrong = record.number.wrong_digits if record.number else None
        if record.outcome is Outcome.CORRECT:
            wrong = "0" * len(digits)
        if wrong is None or len(wrong) != len(digits):
            return
        for at, (token, before) in enumerate(digits):
            size = len(_of(token.text))
            for what, place in (
                ("from_left", at + 1),
                ("from_right", len(wrong) - at),
                (f"{_TOKEN}{size}", len(before) if size > 1 else _NOWHERE),
            ):
                if place <= _MOST_POSITIONS:
                    self._add(what, place, token.logprob or 0.0, wrong[at] == "0")


def _digits(tokens: Sequence[TokenLogprob]) -> _Digits:
    found = []
    for token in tokens:
        told = _of(token.text)
        found += [(token, told[: end + 1]) for end in range(len(told))]
    return found


def _of(number: object) -> str:
    """The digits in a text."""
    text = str(number)
    return text if text.isdigit() else "".join(filter(str.isdigit, text))


def _cell(logprob: float) -> int:
    """The cell of a probability, by its log odds."""
    rest = -expm1(logprob)
    odds = logprob - log(rest) if rest else float(_MOST)
    return round(_STEPS * max(-_MOST, min(odds, _MOST)))


# --- figures --------------------------------------------------------------------------


def _bins(leaves: Sequence[Leaf], what: str) -> dict[int, Bin]:
    """The cells or positions of all leaves, in their order."""
    found: dict[int, list[Bin]] = {}
    for leaf in leaves:
        for (name, place), (n, right, *sums) in leaf.counted.sums.items():
            if name == what:
                one = Bin(n, right, sums[0] / _UNIT, sums[1] / _UNIT)
                found.setdefault(place, []).append(one)
    return {place: joined(found[place]) for place in sorted(found)}


def _count_of(name: str, whole: str) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        counts = [
            sum(getattr(leaf.counted, one) for leaf in leaves) for one in (name, whole)
        ]
        if counts[1]:
            yield Figure(counts[0], n=counts[1])

    return figures


def _probability(what: str) -> MakeFigures:
    """The mean over all answers, over the right and over the wrong ones."""

    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        n, right, all_of, of_right = joined(_bins(leaves, what).values())
        for by, at, total, count in (
            ("", "", all_of, n),
            ("outcome", "right", of_right, right),
            ("outcome", "wrong", all_of - of_right, n - right),
        ):
            if count:
                yield Figure(in_percent(total / count), n=count, by=by, at=at)

    return figures


def _correct(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    return _accuracy(joined(_bins(leaves, _ANSWER).values()))


def _area(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for what, by, at in ((_ANSWER, "", ""), (_DIGIT, "of", _DIGIT)):
        cells = list(_bins(leaves, what).values())
        found = area_under_curve(cells)
        if found is not None:
            area = share_with(
                found[1], found[0], joined(cells).n, method="hanley-mcneil"
            )
            yield area._replace(by=by, at=at)


def _error(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    cells = list(_bins(leaves, _ANSWER).values())
    if cells:
        error, interval = calibration_error(equal_bins(cells))
        yield share_with(interval, error, joined(cells).n, method="bootstrap")


def _reliability(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """Bins of whole percents, so that each has a place of its own."""
    percents: dict[int, list[Bin]] = {}
    for cell in _bins(leaves, _ANSWER).values():
        percents.setdefault(round(100 * cell.predicted / cell.n), []).append(cell)
    for one in equal_bins([*map(joined, percents.values())]):
        yield from _accuracy(one, "predicted", str(round(100 * one.predicted / one.n)))


def _by_position(figure_of: Callable[[Bin], Iterator[Figure]]) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        named = {what for leaf in leaves for what, _ in leaf.counted.sums}
        for by in sorted(named - {_ANSWER, _DIGIT}):
            for place, one in _bins(leaves, by).items():
                for figure in figure_of(one):
                    yield figure._replace(by=by, at=str(place))

    return figures


def _digit_probability(one: Bin) -> Iterator[Figure]:
    yield Figure(in_percent(one.predicted / one.n), n=one.n)


def _accuracy(one: Bin, by: str = "", at: str = "") -> Iterator[Figure]:
    return percentages([Figure(one.right, n=one.n, by=by, at=at)])


def _number_tokens(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """How most replies say that a number is cut, in words and as an example."""
    counted = collections.Counter[str]()
    for leaf in leaves:
        counted.update(leaf.counted.number_tokens)
    for tokens, count in counted.most_common(1):
        sizes = list(map(len, tokens.split("|")))
        most = max(sizes)
        said = "of several lengths"
        if most == 1:
            said = "1"
        elif {*sizes[:-1]} <= {most}:
            said = f"{most} from the left"
        elif {*sizes[1:]} == {most}:
            said = f"{most} from the right"
        yield Figure(f"{said}: {tokens}", n=count)


_MEASURES: Sequence[tuple[str, str, str, str, MakeFigures]] = (
    (
        "confident",
        "with probability",
        "answers",
        "answers whose probability is known, of n that it was asked for",
        _count_of("known", "asked"),
    ),
    (
        "answer_probability",
        "probability %",
        "%",
        "mean probability that the model gave its answer, the product over its tokens; "
        "also of right and of wrong answers",
        _probability(_ANSWER),
    ),
    (
        "least_digit_probability",
        "least digit %",
        "%",
        "mean probability of the digit of each answer that was least probable; also of "
        "right and of wrong answers",
        _probability(_DIGIT),
    ),
    (
        "confident_correct",
        "correct % of these",
        "%",
        "correct ones of the answers whose probability is known",
        _correct,
    ),
    (
        "confidence_auc",
        "AUC %",
        "%",
        "pairs of a right and a wrong answer in which the right one was more probable "
        "to the model, 50 by chance; also by the least probable digit",
        _area,
    ),
    (
        "calibration_error",
        "ECE %",
        "%",
        "expected calibration error: mean distance of probability and accuracy in ten "
        "bins of equally many answers; above 0 for every model",
        _error,
    ),
    (
        "reliability",
        "reliability",
        "%",
        "correct answers in ten bins of equally many answers, by their mean probability",
        _reliability,
    ),
    (
        "number_tokens",
        "digits a token",
        "",
        "digits of a token, and from which end of a number they are grouped, with an "
        "example, as the tokenizer of the server says",
        _number_tokens,
    ),
    (
        "digit_probability",
        "digit probability %",
        "%",
        "mean probability of n digits, by their position from either end, and in tokens "
        "of several digits, of answers as long as the expected value; at most "
        f"{_MOST_POSITIONS}",
        _by_position(_digit_probability),
    ),
    (
        "digit_accuracy",
        "right digits %",
        "%",
        "right ones of the same digits",
        _by_position(_accuracy),
    ),
    (
        "right_among_five",
        "in top 5 %",
        "%",
        "wrong answers in which the right digit was among the first five in the place "
        "of the first wrong one",
        lambda leaves: percentages(_count_of("among", "first_wrong")(leaves)),
    ),
)
MEASURES = tuple(
    Measure(key, title, unit, meaning, ConfidenceCounter, figures, in_cells=False)
    for key, title, unit, meaning, figures in _MEASURES
)
