"""Why many replies of a model have no answer: the table of their shapes, and the
commonest one.

A right model that scores nothing is mostly a matter of settings: a parser takes the
answer for a thought, or leaves a thought in the reply. Everything comes from records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pytest_llmarith import exact
from pytest_llmarith.figures.estimates import Examples, Leaf, Trial
from pytest_llmarith.records import Count, Name, Part, Record, Reply
from pytest_llmarith.types import (
    TOLERANCES,
    Dtype,
    FailureCode,
    NanReason,
    Outcome,
    Reading,
)

MOST = 0.25  # of the replies may lack an answer without an alarm
PAGE = "docs/grading.md#many-replies-without-an-answer"
_UNKNOWN_MARK = "unknown mark"
_LONGEST_TAG = 40

_NAME = rf"[^\W\d][\w .:/-]{{0,{_LONGEST_TAG}}}"
_TAG = rf"</?{_NAME}>|<[|｜][^<>\n]{{1,{_LONGEST_TAG}}}>|◁[^▷\n]{{1,{_LONGEST_TAG}}}▷"
# What a reply may begin with, if a server leaves the mark of a thought in it. Without
# its tokens a mark is a word in front of the text.
_BEGINS = re.compile(
    rf"\s*({_TAG}|\[/?[A-Z][A-Z_ ]{{2,{_LONGEST_TAG}}}\]|\[[a-z]+\d+\]|to=\w+"
    r"|(?:analysis|assistant|commentary|final|thinking|thought|reasoning)(?=[A-Z0-9\n]))"
)
_TOKEN = re.compile(rf"(<[|｜][^<>\n]{{1,{_LONGEST_TAG}}}>)\s*[^\s<]")
_TAGS = re.compile(_TAG)
_LETTER = re.compile(r"[^\W\d_]")
# Tags around answers, and those of HTML.
_HARMLESS = re.compile(
    r"[<\[]/?(?:https?|answer|ans|final|final_answer|number|output|response|result"
    r"|solution|sum|a|b|big|br|center|code|div|em|font|h\d|html|body|i|li|math|ol|p|pre|small|span"
    r"|s|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul)\b[^<>\]]*[>\]]",
    re.IGNORECASE,
)
_TOOL_CALL = re.compile(
    r"\s*[<\[][|｜]?[\w:｜]{0,20}(?:tool|function|invoke|action|python_tag|execute)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)  # several shapes look at the same text, which takes time
def _without_thoughts(text: str) -> str:
    return exact.strip_thoughts(text).text


class Try(NamedTuple):
    """What came back for one question."""

    outcome: Outcome
    reply: Reply | None
    reason: str | None = None
    record: Record | None = None  # null for a question of a search

    @property
    def text(self) -> str:
        return self.reply.text if self.reply else ""

    def ended(self, *names: str) -> bool:
        """Whether the finish reason is one of these."""
        return self.reply is not None and self.reply.finish_reason in names

    @property
    def tag(self) -> str | None:
        """What looks like the mark of a thought or a turn, if reading the reply does
        not drop it.
        """
        found = _BEGINS.match(self.text) or _TOKEN.search(self.text)
        if not found:
            return None
        rest = _without_thoughts(self.text)
        found = _BEGINS.match(rest) or _TOKEN.search(rest)
        if not found or _HARMLESS.fullmatch(found[1]) or _TOOL_CALL.match(found[1]):
            return None
        if not _LETTER.search(_TAGS.sub("", rest)):
            return None  # nothing but a number between tags
        return found[1]

    @property
    def is_right_elsewhere(self) -> bool:
        """Whether the tolerant reading is right, or what stands in the reasoning of an
        empty reply.
        """
        record, reply = self.record, self.reply
        if not record or not reply or record.grade is None or not record.reading:
            return False
        expected = record.problem.expected
        if self.text.strip() or not isinstance(expected, str | int):
            return record.grade.scores.get(Reading.TOLERANT) == 1
        dtype = Dtype.FLOAT if "." in str(expected) else Dtype.INT
        tolerance = TOLERANCES[dtype]
        return bool(exact.grade(reply.reasoning or "", expected, tolerance=tolerance))


class Shape(NamedTuple):
    """How replies without an answer look."""

    name: str
    applies: Callable[[Try], bool]
    sentence: str  # what they do; it goes on with what to do


# The first that applies counts.
SHAPES = (
    Shape(
        "no text",
        lambda one: one.reply is None,
        "are responses in a form that holds no text",
    ),
    Shape(
        "tool call",
        lambda one: (
            one.ended("tool_calls", "function_call")
            or bool(_TOOL_CALL.match(_without_thoughts(one.text)))
        ),
        "call a tool in place of an answer: switch tools off",
    ),
    Shape(
        "cut off",
        lambda one: one.ended("length"),
        "are cut off at the limit of tokens: raise it",
    ),
    Shape(
        "filtered",
        lambda one: one.ended("content_filter"),
        "are stopped by the provider's content filter",
    ),
    Shape(
        "in the reasoning",
        lambda one: (
            not one.text.strip()
            and bool(one.reply and (one.reply.reasoning or "").strip())
        ),
        "are empty, with text in the reasoning: if the answer is there, switch "
        "thinking on, or the server's reasoning parser off; if not, raise the limit of "
        "tokens",
    ),
    Shape("empty", lambda one: not one.text.strip(), "are empty"),
    Shape(
        "refusal",
        lambda one: one.reason == NanReason.REFUSAL,
        "refuse or cannot compute",
    ),
    Shape(
        _UNKNOWN_MARK,
        lambda one: one.tag is not None,
        "hold {tag}, which is no known mark: a thought may be read as the answer; "
        "switch the server's reasoning parser on, or skip special tokens",
    ),
    Shape(
        "thought only",
        lambda one: not _without_thoughts(one.text).strip(),
        "end in their thought: raise the limit of tokens",
    ),
    Shape(
        "no bare number",
        lambda one: bool(
            one.record
            and one.record.reading == Reading.STRICT
            and one.record.answers.get(Reading.TOLERANT) is not None
        ),
        "say more than the bare number that was asked for: --llm-match=tolerant "
        "reads them",
    ),
    Shape("unreadable", lambda one: True, "hold no number or answer that can be read"),
)


class Alarm(Part):
    """More than a quarter of the replies have no answer, or an unknown mark, so that
    the settings may be wrong.

    `count`: replies without an answer or with an unknown mark
    `shape`: the commonest shape of these (docs/grading.md)
    `right`: of this shape, right in the tolerant reading or in the reasoning of an
        empty reply
    `tag`: the commonest tag that is no known mark
    """

    replies: Count
    count: Count
    shape: Name
    of_shape: Count
    right: Count
    tag: str | None


class NoAnswerCounter:
    """Counts the replies that have no answer, or an unknown mark, by their shape."""

    def __init__(self) -> None:
        self.replies = 0
        self.shapes = Counter[str]()
        self.right = Counter[str]()
        self.tags = Counter[str]()

    def add(self, trial: Trial) -> None:
        for one in _tries(trial):
            self.replies += 1
            is_answered = one.outcome is not Outcome.NAN and one.reply is not None
            if is_answered and not (trial.record.reading and one.tag):
                continue
            shape = next(shape.name for shape in SHAPES if shape.applies(one))
            self.shapes[shape] += 1
            self.right[shape] += one.is_right_elsewhere
            if shape == _UNKNOWN_MARK and one.tag is not None:
                self.tags[one.tag] += 1


def _alarm(leaves: Sequence[Leaf]) -> list[Alarm]:
    """The alarm; none if few replies lack an answer."""
    together = NoAnswerCounter()
    for leaf in leaves:
        together.replies += leaf.counted.replies
        together.shapes.update(leaf.counted.shapes)
        together.right.update(leaf.counted.right)
        together.tags.update(leaf.counted.tags)
    count = together.shapes.total()
    if count <= MOST * together.replies:
        return []
    order = [shape.name for shape in SHAPES]
    shape = max(order, key=lambda name: (together.shapes[name], -order.index(name)))
    tag = None
    if shape == _UNKNOWN_MARK:
        tag = max(together.tags, key=lambda tag: (together.tags[tag], tag))
    of_shape, right = together.shapes[shape], together.right[shape]
    return [Alarm(together.replies, count, shape, of_shape, right, tag)]


def _tries(trial: Trial) -> Iterator[Try]:
    """The replies of a trial; a search has several."""
    record = trial.record
    if trial.search:
        for step in trial.search.trail:
            if step.reply is not None:
                yield Try(step.outcome, step.reply.to_read)
    elif record.outcome is not Outcome.UNANSWERED:
        reply = record.reply and record.reply.to_read
        yield Try(record.outcome, reply, record.reason, record)
    elif record.failure is FailureCode.NO_TEXT:
        yield Try(record.outcome, None, record.reason, record)


def sentence_of(alarm: Alarm) -> str:
    """What the commonest shape is, and what to do about it."""
    for shape in SHAPES:
        if shape.name == alarm.shape:
            return shape.sentence
    return alarm.shape


EXAMPLES = (
    Examples(
        "alarm",
        "why many replies have no answer, or an unknown mark",
        NoAnswerCounter,
        _alarm,
    ),
)
