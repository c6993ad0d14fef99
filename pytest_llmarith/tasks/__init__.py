"""The problems of each task, and their prompts: templates with fields, and filler text before the question."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Any, Protocol

from pytest_llmarith import records
from pytest_llmarith.tasks import addition, arithmetic, breaking_point, oeis
from pytest_llmarith.tasks.custom import REPLY_TOKENS, CheckedProblem, CustomTask, InvalidTask
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Message, Prompt, Reading


class Problem(Protocol):
    """A question of a task, and its identity."""

    @property
    def task(self) -> str: ...
    @property
    def trial(self) -> int: ...
    @property
    def label(self) -> str:
        """The part of a pytest id that names the problem, such as `int_div-depth_7-trial_3`."""

    @property
    def recorded(self) -> records.Problem:
        """The problem as a record stores it."""

    def coordinates(self) -> dict[str, str | int]:
        """The arguments of the `cell` mark. They are unique within the task."""


class TaskModule(Protocol):
    """The interface of a task.

    `READING` is the default reading, None if a reply is not a single number; `REPLY_TOKENS` is the length of a short
    reply; `FIELDS` are the fields of a template; `AXES` are the parts of a condition that change the prompts.
    """

    @property
    def NAME(self) -> str: ...
    @property
    def READING(self) -> Reading | None: ...
    @property
    def REPLY_TOKENS(self) -> int: ...

    @property
    def FIELDS(self) -> Sequence[str]: ...
    @property
    def AXES(self) -> frozenset[str]: ...

    def prompt(self, problem: Any, condition: Condition = ...) -> Prompt:
        """The question, as a text or as messages."""

    def fields(self, problem: Any, condition: Condition) -> Mapping[str, str]:
        """The values of `FIELDS`."""


NumberProblem = arithmetic.ArithmeticProblem | addition.AdditionProblem
TASKS: Mapping[str, TaskModule] = {
    **{task.NAME: task for task in (arithmetic, addition, oeis, breaking_point)},
    breaking_point.ThresholdProblem.task: arithmetic,
}


def task_of(problem: Problem) -> TaskModule:
    """The task of a problem."""
    return CustomTask(problem) if isinstance(problem, CheckedProblem) else TASKS[problem.task]


def reply_tokens(task: str) -> int:
    """The number of tokens of a short reply; a guess for custom tasks."""
    return TASKS[task].REPLY_TOKENS if task in TASKS else REPLY_TOKENS


def render(problem: Problem, condition: Condition, templates: Mapping[str, str], seed: int) -> Prompt:
    """The prompt of a problem in a condition: filler text, then the question, worded by the task or by a template.

    The prompt of a search is that of its simplest question, the prompt of adaptive asking that of its first one.
    """
    if isinstance(problem, breaking_point.BreakingPointProblem):
        problem = breaking_point.question(problem, breaking_point.SIMPLEST)
    elif isinstance(problem, breaking_point.ThresholdProblem):
        problem = problem.question(problem.first_depth, 0)
    task = task_of(problem)
    if condition.prompt is None:
        said = task.prompt(problem, condition)
    else:
        filled = fill(templates[condition.prompt], task.fields(problem, condition))
        said = with_last(task.prompt(problem, condition), lambda last: filled)
    if condition.context is None:
        return said
    filler = filler_text(condition.context, f"{seed}/{problem.task}/{problem.label}")
    return with_last(said, lambda last: f"{filler}\n\n{last}")


def with_last(prompt: Prompt, change: Callable[[str], str]) -> Prompt:
    """The prompt with another text of its last message."""
    if isinstance(prompt, str):
        return change(prompt)
    *before, last = prompt
    return *before, Message(last.role, change(last.content))


def check_template(name: str, template: str, task: TaskModule) -> None:
    """Raise InvalidTask if the task lacks a field of the template, ValueError if the text is not a template."""
    for _, field in parts_of(template):
        if field is not None and field not in task.FIELDS:
            raise InvalidTask(
                f"--llm-prompt-template: template {name}: {task.NAME} has no field {{{field}}}; "
                f"it has {_field_names(task)}"
            )


def check_distinct(name: str, template: str, problems: Iterable[CheckedProblem]) -> None:
    """Raise InvalidTask if the template gives two problems the same prompt, as one of them would not be asked.

    Problems that have the same prompt without a template differ in their trial and are allowed.
    """
    seen: dict[tuple[str, int], str] = {}
    for problem in problems:
        task = task_of(problem)
        question = fill(template, task.fields(problem, DEFAULT_CONDITION)), problem.trial
        first = seen.setdefault(question, problem.label)
        if first != problem.label:
            raise InvalidTask(
                f"--llm-prompt-template: template {name}: problems {first} and {problem.label} of "
                f"{task.NAME} get the same prompt, though they are different questions; name another field "
                f"in it: there are {_field_names(task)}"
            )


def _field_names(task: TaskModule) -> str:
    return ", ".join(f"{{{one}}}" for one in task.FIELDS) or "none"


# --- templates ------------------------------------------------------------------------------------------------------

_ADVICE = "write {{ and }} for literal braces"


def parts_of(template: str) -> list[tuple[str, str | None]]:
    """The pieces of text, each with the name of the field after it, None after the last one.

    Raises ValueError if braces contain something other than a name, or if there is no field.
    """
    try:
        found = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"{error}; {_ADVICE}") from None
    parts = [
        (text, None if field is None else _checked_field(field, form, conversion))
        for text, field, form, conversion in found
    ]
    if not any(field for _, field in parts):
        raise ValueError("it has no field, so every question would be the same")
    return parts


def _checked_field(field: str, form: str | None, conversion: str | None) -> str:
    if form or conversion or not field.isidentifier():
        written = field + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        raise ValueError(f"{{{written}}} is not the name of a field; {_ADVICE}")
    return field


def fill(template: str, fields: Mapping[str, str]) -> str:
    """The template with the values of its fields."""
    return "".join(text + ("" if field is None else fields[field]) for text, field in parts_of(template))


# --- filler text ----------------------------------------------------------------------------------------------------

_CHARACTERS_PER_TOKEN = 4.6  # of this text, as litellm's tokenizer counts
_TOKENS: Mapping[str, int] = {"1k": 1_000, "2k": 2_000, "4k": 4_000}

_WHO = (
    "My neighbour", "The baker down the road", "An old friend from school", "My sister", "The gardener", "Our postman",
    "A colleague of mine", "The lady from the library", "My uncle", "Somebody on the train",
)  # fmt: skip
_DID = (
    "told me about", "could not stop laughing at", "was rather worried about", "has been dreaming of",
    "wrote a long letter about", "changed the subject from", "brought along a picture of", "keeps asking me about",
    "painted the fence because of", "baked a cake in honour of",
)  # fmt: skip
_WHAT = (
    "the weather by the sea", "a cat that sleeps on the piano", "the new curtains", "a recipe for plum jam",
    "the fair in the next village", "an umbrella that nobody wanted", "the songs of the blackbird",
    "a walk along the river", "the smell of fresh paint", "a story that has no end",
)  # fmt: skip
_AFTER = (
    "and I could only nod.", "which made the afternoon pass quickly.", "and then the kettle began to sing.",
    "though nobody had asked.", "so we stayed a little longer.", "and that was that.",
    "but you know how such things go.", "while the rain kept falling.", "and the dog fell asleep.",
    "before it was time to leave.",
)  # fmt: skip
_SENTENCES_IN_A_PARAGRAPH = 6


def filler_text(size: str, seed: str) -> str:
    """Paragraphs of about `size` tokens (`1k`, `2k`, `4k`) without a number; the same seed gives the same text."""
    wanted = _TOKENS[size] * _CHARACTERS_PER_TOKEN
    paragraphs: list[str] = []
    length = 0.0
    for paragraph in _paragraphs(random.Random(f"{seed}/small talk/{size}")):
        paragraphs.append(paragraph)
        length += len(paragraph) + 2
        if length >= wanted:
            break
    return "\n\n".join(paragraphs)


def _paragraphs(draw: random.Random) -> Iterator[str]:
    while True:
        yield " ".join(
            " ".join(draw.choice(part) for part in (_WHO, _DID, _WHAT)) + ", " + draw.choice(_AFTER)
            for _ in range(_SENTENCES_IN_A_PARAGRAPH)
        )
