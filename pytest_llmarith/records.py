"""The record of a trial (a line of `trials.jsonl`) and the summary of a run
(`summary.json`).

One msgspec definition of each constructs, validates and encodes it and gives its JSON
Schema. msgspec needs a tenth of pydantic's import time and disk space.

Docstrings are the descriptions of the schema. `None` means unknown. A field with a
default is omitted from the JSON if it has that default. Constructors do not validate;
`decode_record` and `decode_summary` do.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
from msgspec import Meta

from pytest_llmarith.types import (
    COMPLETION_PREFIX,
    NEXT_QUESTION,
    Condition,
    ErrorClass,
    FailureCode,
    Message,
    Outcome,
    Retry,
    SearchEnd,
    text_of,
)

FORMAT: Literal[1] = 1
DEEPEST = 50  # nesting levels of a JSON value that is sent or stored
LARGEST = 10**15  # the limit of every number; floats represent all integers up to it

Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Amount = Annotated[float, Meta(ge=0, le=LARGEST)]  # dollars, seconds or tokens
Logprob = Annotated[float, Meta(ge=-LARGEST, le=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Points = Annotated[float, Meta(ge=-100, le=100)]
Name = Annotated[str, Meta(min_length=1)]
_DIGITS = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
NUMBER = _DIGITS + "([eE][+-]?[0-9]{1,4})?$"  # decimal text with a bounded exponent
NumberTokens = Annotated[str, Meta(pattern="^[0-9]+([|][0-9]+)*$")]
WrongDigits = Annotated[str, Meta(pattern="^[01]+$")]
ErrorSize = Annotated[
    str, Meta(pattern=_DIGITS + "([eE][+-]?[0-9]{1,9})?$")
]  # the error of an answer of any length
Moment = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|\+00:00)$"
    ),
]


class Part(msgspec.Struct, omit_defaults=True):
    """A part of a record or a summary."""


# --- problems -------------------------------------------------------------------------


class RecordedProblem(Part):
    """A question of a task.

    `label`: the part of pytest's id that names the problem
    `seed`: null if another program asked
    `variant`: a series of the task, such as `int_div`
    `depth`: orders the difficulty within a variant
    `trial`: distinguishes problems with the same prompt; null if another program asked
    `inputs`: the parts of the question, which are the fields of templates
    `expected`: the right answer
    `question`: the question in one line, such as `27 * 48`; by default its inputs
    `strata`: accuracy is also counted by these, such as the carries of a sum
    `variant_place`: of the variant in the task, which orders its variants
    """

    label: Name
    seed: int | None
    variant: str | None
    depth: Count | None
    trial: Count | None
    inputs: dict[str, Any]
    expected: Any
    question: str | None = None
    strata: dict[str, Count] = {}
    variant_place: Count = 0

    def __post_init__(self) -> None:
        check_plain([self.inputs, self.expected], "inputs or expected")

    @property
    def short(self) -> str:
        """The question in one line."""
        if self.question is not None:
            return self.question
        parts = [f"{name}: {as_text(value)}" for name, value in self.inputs.items()]
        return ", ".join(parts)


# --- replies, answers and grades ------------------------------------------------------


class Request(Part, forbid_unknown_fields=True):
    """A request, without keys."""

    model: Name
    api_base: str | None
    messages: Annotated[list[Message], Meta(min_length=1)]
    params: dict[str, Any]

    def __post_init__(self) -> None:
        check_plain(self.params, "params")

    @property
    def is_completion(self) -> bool:
        """Whether a text was continued, and not asked as a chat."""
        return self.model.startswith(COMPLETION_PREFIX)


class Usage(Part, kw_only=True):
    """A reply without its text.

    `served_model`: the model that the provider names in its response
    `served_tier`: the service tier that the provider names
    `own_price`: whether the cost is computed from --llm-price
    `latency_s`: seconds, of the request that succeeded
    `served_first_token_s`: seconds to the first token, as the server says
    `served_tokens_a_second`: tokens that follow a second, as the server says
    `in_flight`: requests of the run that were not answered, this one included, when it
        was sent
    `attempts`: requests, failed ones included
    `stored`: whether it came from the store; latency, cost and date are those of the
        original request
    `batched`: whether it came from a batch, which has no latency
    `asked_at`: start of the request that succeeded
    """

    served_model: str | None = None
    served_tier: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    cost_usd: Amount | None = None
    own_price: bool = False
    latency_s: Amount | None = None
    served_first_token_s: Amount | None = None
    served_tokens_a_second: Amount | None = None
    in_flight: Positive | None = None
    attempts: Positive = 1
    stored: bool = False
    batched: bool = False
    asked_at: Moment | None = None

    @property
    def tokens(self) -> int | None:
        """The sum of the known prompt and completion tokens; None if both are
        unknown.
        """
        if self.prompt_tokens is None:
            return self.completion_tokens
        return self.prompt_tokens + (self.completion_tokens or 0)


class TokenLogprob(Part, array_like=True):
    """A token of a reply.

    `start`: where it begins in the text
    `text`: its visible ASCII characters
    `logprob`: null if the server did not tell it
    `others`: those of other tokens among the first five in its place
    """

    start: Count
    text: str
    logprob: Logprob | None
    others: dict[str, Logprob]


class Reply(Usage):
    """The reply of a model.

    `finish_reason`: in OpenAI's words, or `repetition`
    `native_finish_reason`: the server's own word, if it is another
    `sent`: null if a `model` fixture replied
    `system_fingerprint`: what the provider says of its configuration
    `retries`: of this run; a record has them beside its reply
    `logprobs`: log probabilities of the tokens that a number may be made of; a record
        has those of the answer
    `number_tokens`: a number of 11 digits as the server's tokenizer cuts it
    `served_at`: the address that replied, if the model has several
    """

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    native_finish_reason: str | None = None
    sent: Request | None = None
    system_fingerprint: str | None = None
    retries: tuple[Retry, ...] = ()
    logprobs: tuple[TokenLogprob, ...] = ()
    number_tokens: NumberTokens | None = None
    served_at: str | None = None

    @property
    def to_read(self) -> Reply:
        """The reply as it is read: a completion begins after the text that was sent,
        which some servers repeat, and ends at the first text of `stop`, or where a next
        question begins, as some send what follows.
        """
        if self.sent is None or not self.sent.is_completion:
            return self
        text = self.text
        for one in self.sent.messages:
            text = text.removeprefix(one.content)
        stop = self.sent.params.get("stop")
        ends = [NEXT_QUESTION, *(stop if isinstance(stop, list) else [stop])]
        places = [text.find(one) for one in ends if one and isinstance(one, str)]
        end = min((place for place in places if place >= 0), default=None)
        reason = self.finish_reason
        if end is not None and reason != "content_filter":
            reason = "stop"
        return msgspec.structs.replace(self, text=text[:end], finish_reason=reason)


class NumberDetails(Part, tag_field="kind", tag="number"):
    """How a number differs from the expected one.

    `absolute_error`: exact; null unless the answer deviates
    `relative_error`: a few significant digits; null if right, or if 0 is expected
    `rounded`: whether only rounding makes the answer another number than the expected
        one
    `error_class`: null unless the answer deviates
    `digit_match`: share of the expected digits that the answer has in the right
        position
    `dlength`: difference in length in digits, without sign
    `leading_digits`: right digits before the first wrong one
    `wrong_digits`: 1 for each wrong digit; null if right, or with another sign or
        length
    """

    absolute_error: ErrorSize | None
    relative_error: ErrorSize | None
    rounded: bool | None
    error_class: ErrorClass | None
    digit_match: Share
    dlength: Count
    leading_digits: Count
    wrong_digits: WrongDigits | None = None

    @property
    def has_other_length(self) -> bool:
        """Whether the length is wrong and no digit from the left is right, so that
        digits cannot be compared.
        """
        return bool(self.dlength) and not self.leading_digits


class Minimum(Part):
    """The simplest question that was answered wrongly every time it was asked.

    `question`: such as `27 * 48`
    `reason`: why there is no answer
    """

    question: str | None
    expected: str | None
    outcome: Outcome
    reason: str | None
    answer: str | None
    error_class: ErrorClass | None


class SearchStep(Part):
    """One question of a search.

    `before`: how often it had been asked before or, to measure D50, a question of its
        depth
    `reply`: null if the replies of the search are too long to keep all of them
    `usage`: of a reply that is not kept
    `depth`: of the question
    """

    question: str
    before: Count
    outcome: Outcome
    reply: Reply | None
    usage: Usage | None = None
    depth: Count | None = None


class SearchDetails(Part, tag_field="kind", tag="search"):
    """The questions of a search for the breaking point, or of a measurement of D50,
    which has only a trail.

    `budget`: the maximum number of questions
    `minimum`: null if no question was wrong every time
    `not_reproduced`: questions answered wrongly at first and rightly when asked again
    `largest_right`: the largest question answered rightly
    `depths`: that D50 is measured on
    `half_width`: of the wanted 95 % interval of D50
    """

    ended: SearchEnd
    budget: Count
    questions: Count
    minimum: Minimum | None
    not_reproduced: Count
    largest_right: str | None
    trail: list[SearchStep]
    depths: list[Count] | None = None
    half_width: Amount | None = None


class OwnDetails(Part, tag_field="kind", tag="own"):
    """What a task says about an answer."""

    values: dict[str, Any]

    def __post_init__(self) -> None:
        check_plain(self.values, "details")


Details = NumberDetails | SearchDetails | OwnDetails


class RecordedGrade(Part):
    """The grade of an answer.

    `score`: 1 if correct; null without a measurement, and for searches
    `scores`: further scores by name: of each reading, or by a limit
    """

    score: Share | None
    scores: dict[str, Share] = {}
    details: Details | None = None


class Record(Part):
    """One trial: model, problem, prompt, reply, answer and grade.

    `run`: the name of the run's folder
    `nodeid`: pytest's id of the item; null if another program asked
    `task`: such as `arithmetic`, or the name of a task of your own
    `simulated`: whether a fake model replied
    `condition`: how the prompt was written
    `repeat`: number of the repeat in the same condition, counted from 0
    `prompt`: null if another program asked
    `retries`: retries of this run
    `reason`: why there is no answer or no reply, or what a task says of its grade
    `reading`: the reading that was graded; null if the task has one only, and if
        nothing was graded
    `answer`: what was graded, as text if it is not JSON; numbers are decimal text
    `answers`: the answer of each reading, if the task has several
    `grade`: null if nothing was graded
    `raised`: the exception that a custom task raised while reading or grading the reply
    `failure`: the kind of `reason` of an unanswered trial
    """

    format: Literal[1]
    run: str | None
    nodeid: str | None
    task: Name
    model: str
    simulated: bool
    problem: RecordedProblem
    condition: Condition
    repeat: Count
    prompt: list[Message] | None
    retries: list[Retry]
    outcome: Outcome
    reason: str | None
    reading: str | None
    answer: Any
    answers: dict[str, Any]
    grade: RecordedGrade | None
    reply: Reply | None
    raised: str | None = None
    failure: FailureCode | None = None

    def __post_init__(self) -> None:
        check_plain([self.answer, self.answers], "answer")
        grade = self.grade
        if self.number and (self.number.error_class is not None) != (
            self.outcome is Outcome.DEVIATE
        ):
            raise ValueError(
                "grade.details.error_class and the outcome contradict each other"
            )
        if self.outcome is Outcome.UNANSWERED:
            return
        if self.reply is None:
            raise ValueError(f"the outcome is {self.outcome}, but there is no reply")
        if grade is None:
            raise ValueError(f"the outcome is {self.outcome}, but there is no grade")
        if grade.score is not None and (grade.score == 1) != (
            self.outcome is Outcome.CORRECT
        ):
            raise ValueError("grade.score and the outcome contradict each other")

    @property
    def number(self) -> NumberDetails | None:
        """How a number differs from the expected one, if that was graded."""
        details = self.grade and self.grade.details
        return details if isinstance(details, NumberDetails) else None

    @property
    def search(self) -> SearchDetails | None:
        """The questions of a search."""
        details = self.grade and self.grade.details
        return details if isinstance(details, SearchDetails) else None

    @property
    def replies(self) -> list[Usage]:
        """Every reply of the trial, or its usage if the reply is not in the record.

        A search has several.
        """
        details = self.grade and self.grade.details
        if isinstance(details, SearchDetails) and details.trail:
            found = [step.reply or step.usage for step in details.trail]
            return [one for one in found if one is not None]
        return [self.reply] if self.reply else []

    @property
    def error_class(self) -> ErrorClass | None:
        """The error class of a deviating number."""
        return self.number.error_class if self.number else None

    @property
    def why(self) -> str | None:
        """The reason as it is shown."""
        if self.reason and self.failure:
            return self.failure.sentence(self.reason)
        return self.reason

    @property
    def asked(self) -> list[Message] | None:
        """The messages that were sent, of the system too, or the text that a base model
        continued; the prompt if no request is known.
        """
        if self.reply is None or self.reply.sent is None:
            return self.prompt
        return self.reply.sent.messages

    @property
    def prompt_text(self) -> str | None:
        """The prompt as text."""
        return None if self.prompt is None else text_of(self.prompt)

    @property
    def answer_text(self) -> str | None:
        """The graded answer as text."""
        return as_text(self.answer)


def for_record(reply: Reply, logprobs: tuple[TokenLogprob, ...] = ()) -> Reply:
    """The reply as a record has it: with its retries elsewhere, and with these log
    probabilities.
    """
    if not reply.retries and logprobs == reply.logprobs:
        return reply
    return msgspec.structs.replace(reply, retries=(), logprobs=logprobs)


# --- JSON -----------------------------------------------------------------------------

_Part = TypeVar("_Part", bound=Part)
_unescaped = json.JSONEncoder(ensure_ascii=False).encode


def parse_json(text: str | bytes) -> Any:
    """Parse JSON strictly.

    Raises ValueError, also for NaN and infinity, and RecursionError if the value is
    nested too deep.
    """
    return json.loads(text, parse_constant=_refuse)


def decode_record(text: str | bytes) -> Record:
    """Decode a line of `trials.jsonl`. Raises ValueError with a one-line message."""
    return decode(text, Record)


def convert(value: Any, kind: type[_Part]) -> _Part:
    """Convert and validate builtins.

    Raises ValueError with a one-line message that names the field.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        message = str(fault)
        what, _, where = message.rpartition(" - at ")
        if what:
            message = f"{where.strip('`').removeprefix('$.')}: {what}"
        raise ValueError(message) from None


def as_dict(part: object) -> dict[str, Any]:
    """The part as builtins."""
    builtins: dict[str, Any] = msgspec.to_builtins(part)
    return builtins


def encode(part: Part) -> str:
    """Encode as ASCII JSON, so that no reply can break a line, an encoding or a
    terminal.
    """
    return json.dumps(as_dict(part), allow_nan=False)


def as_text(value: Any) -> str | None:
    """A string unchanged; any other value as JSON text."""
    if value is None or isinstance(value, str):
        return value
    return _unescaped(value)


def check_plain(value: Any, what: str) -> None:
    """Raise ValueError if a value is nested too deep or holds a number that is not
    finite.
    """
    if not is_plain(value):
        raise ValueError(
            f"{what} is nested too deep, or holds a number that is not finite"
        )


def decode(text: str | bytes, kind: type[_Part]) -> _Part:
    """Decode JSON. Raises ValueError with a one-line message."""
    try:
        return msgspec.json.decode(text, type=kind)  # takes a third of the time
    except (ValueError, RecursionError):
        pass  # half of a surrogate pair, or an error, which is worded below
    try:
        return convert(parse_json(text), kind)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def is_plain(value: Any) -> bool:
    """Whether a JSON value has at most `DEEPEST` levels and only finite numbers.

    Python can parse deeper values than it can copy and write.
    """
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for one in level:
            if isinstance(one, str):
                continue
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, float) and not math.isfinite(one):
                return False
        if not below:
            return True
        level = below
    return False
