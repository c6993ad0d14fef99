"""The prompt of a problem in a condition.

Numbers and signs are rewritten, templates filled, and filler text is put before the
question.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from string import Formatter
from typing import Any

import msgspec

from pytest_llmarith.tasks.task import (
    InvalidTask,
    Problem,
    Task,
    TaskProblem,
    short_repr,
)
from pytest_llmarith.types import (
    Condition,
    Message,
    NumberFormat,
    Prompt,
    Symbols,
    messages_of,
)

_ADVICE_PROMPT = (
    "return the text of the question, or messages such as "
    "[{'role': 'user', 'content': 'text'}]"
)
# Of examples; generators may draw the next question from the next seed.
_OTHER_SEED = 1_000_000_007
_MORE = 8  # as some may be equal
_UNICODE = {"*": "×", "/": "÷"}


def render(
    problem: TaskProblem, condition: Condition, templates: Mapping[str, str], seed: int
) -> Prompt:
    """The prompt of a problem in a condition: filler text, then the question.

    The task or a template words the question. The prompt of a search is that of its
    first question.
    """
    if problem.search is not None:
        return render(problem.search.first(), condition, templates, seed)
    task = problem.owner

    def worded(one: Problem) -> Prompt:
        shown = with_condition(one, condition, task)
        said = problem.prompt
        if shown is not problem:
            said = checked_prompt(task.prompt(shown), f"task {task.name}")
        if condition.prompt is not None:
            filled = fill(templates[condition.prompt], fields_of(shown))
            said = with_last(said, lambda last: filled)
        return said

    said = worded(problem)
    if task.shots:
        *first, last = messages_of(said)
        for example in examples_of(problem):
            shown = messages_of(worded(example))[-1]
            first += [shown, Message("assistant", task.replies(example)[0])]
        said = (*first, last)
    if condition.context is None:
        return said
    filler = filler_text(condition.context, f"{seed}/{task.name}/{problem.label}")
    return with_last(said, lambda last: f"{filler}\n\n{last}")


def examples_of(problem: TaskProblem) -> list[Problem]:
    """The problems that are shown before a question, never this one.

    Raises InvalidTask if there are too few, or if no right reply is known.
    """
    task, found = problem.owner, list[Problem]()
    for one in _near(problem):
        if one.inputs not in (problem.inputs, *(other.inputs for other in found)):
            found.append(one.copy())  # which functions of the task may change
        if len(found) == task.shots:
            break
    if len(found) < task.shots or not all(map(task.replies, found)):
        raise InvalidTask(
            f"task {task.name}: {task.shots} shots before {problem.label} need as many "
            f"other problems of its variant and depth with a known right reply; there "
            f"are {len(found)} problems"
        )
    return found


def _near(problem: TaskProblem) -> Iterator[Problem]:
    """Problems of the same variant and depth, at another seed."""
    task, seed = problem.owner, problem.seed + _OTHER_SEED
    count = task.shots + _MORE
    at: Any = getattr(task.problems, "at", None)  # which makes no others
    if at is not None:
        for trial in range(count):
            yield at(seed, problem.variant or "", problem.depth, trial)
        return
    drawn = _drawn(task.problems, seed, count)
    yield from drawn[problem.variant, problem.depth]


@lru_cache(maxsize=8)
def _drawn(problems: Any, seed: int, trials: int) -> Mapping[Any, list[Problem]]:
    """The problems of each variant and depth: to look through all of them for each
    question would take hours for thousands.
    """
    found = defaultdict[Any, list[Problem]](list)
    for one in problems(seed, trials):
        found[one.variant, one.depth].append(one)
    return found


def with_condition(problem: Problem, condition: Condition, task: Task[Any]) -> Problem:
    """The problem with its numbers and signs as the condition writes them.

    It is the same object if nothing changes.
    """
    inputs = dict(problem.inputs)
    if condition.numbers is not NumberFormat.PLAIN:
        for name in task.numbers:
            inputs[name] = condition.numbers.write(str(inputs[name]))
    if condition.symbols is Symbols.UNICODE:
        for name in task.signs:
            inputs[name] = _UNICODE.get(inputs[name], inputs[name])
    return problem if inputs == problem.inputs else replace(problem, inputs=inputs)


def with_last(prompt: Prompt, change: Callable[[str], str]) -> Prompt:
    """The prompt with another text of its last message."""
    if isinstance(prompt, str):
        return change(prompt)
    *before, last = prompt
    return *before, Message(last.role, change(last.content))


def fields_of(problem: Problem) -> dict[str, str]:
    """The fields of a template: texts as they are, everything else as JSON."""
    fields = {}
    for name, value in problem.inputs.items():
        if not isinstance(value, str):
            value = json.dumps(value, ensure_ascii=False)
        fields[name] = value
    return fields


def checked_prompt(prompt: object, where: str) -> Prompt:
    """A prompt that can be sent. Raises InvalidTask."""
    said = _with_text(prompt)
    if said is None:
        raise InvalidTask(
            f"{where}: prompt returned {short_repr(prompt)}; {_ADVICE_PROMPT}"
        )
    messages = messages_of(said)
    if messages[-1].role != "user" or any(one.role == "system" for one in messages[1:]):
        raise InvalidTask(
            f"{where}: the first message may be of the system, and the last one has "
            f"to be of the user"
        )
    return said


def _with_text(prompt: object) -> Prompt | None:
    """The prompt, if it has messages and each has a text that can be encoded."""
    said: Prompt
    if isinstance(prompt, str):
        said = prompt
    else:
        try:
            said = msgspec.convert(prompt, tuple[Message, ...])
        except msgspec.ValidationError:
            return None
    messages = messages_of(said)
    for message in messages:
        if not message.content.strip() or _has_lone_surrogate(message.content):
            return None
    return said if messages else None


def _has_lone_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)


def check_template(name: str, template: str, problem: TaskProblem) -> None:
    """Raise InvalidTask if the task lacks a field of the template.

    Raises ValueError if the text is not a template.
    """
    for _, field in parts_of(template):
        if field is not None and field not in problem.inputs:
            raise InvalidTask(
                f"--llm-prompt-template: template {name}: {problem.task} has no field "
                f"{{{field}}}; it has {_field_names(problem)}"
            )


def check_distinct(name: str, template: str, problems: Iterable[TaskProblem]) -> None:
    """Raise InvalidTask if the template gives two problems the same prompt.

    One of them would not be asked. Problems that have the same prompt without a
    template differ in their trial, or are asked once.
    """
    seen: dict[tuple[str, int | None], TaskProblem] = {}
    for problem in problems:
        question = fill(template, fields_of(problem)), problem.trial
        first = seen.setdefault(question, problem)
        if first.prompt != problem.prompt:
            raise InvalidTask(
                f"--llm-prompt-template: template {name}: problems {first.label} and "
                f"{problem.label} of {problem.task} get the same prompt, though they "
                f"are different questions; name another field in it: there are "
                f"{_field_names(problem)}"
            )


def _field_names(problem: Problem) -> str:
    return ", ".join(f"{{{one}}}" for one in problem.inputs) or "none"


# --- templates ------------------------------------------------------------------------

_ADVICE = "write {{ and }} for literal braces"


def parts_of(template: str) -> list[tuple[str, str | None]]:
    """The pieces of text, each with the name of the field after it.

    The name is None after the last one. Raises ValueError if braces contain something
    other than a name, or if there is no field.
    """
    parts = list[tuple[str, str | None]]()
    try:
        found = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"{error}; {_ADVICE}") from None
    for text, field, form, conversion in found:
        if field is not None:
            _check_field(field, form, conversion)
        parts.append((text, field))
    if not any(field for _, field in parts):
        raise ValueError("it has no field, so every question would be the same")
    return parts


def _check_field(field: str, form: str | None, conversion: str | None) -> None:
    if field.isidentifier() and not form and not conversion:
        return
    written = field
    if conversion:
        written += f"!{conversion}"
    if form:
        written += f":{form}"
    raise ValueError(f"{{{written}}} is not the name of a field; {_ADVICE}")


def fill(template: str, fields: Mapping[str, str]) -> str:
    """The template with the values of its fields."""
    filled = ""
    for text, field in parts_of(template):
        filled += text
        if field is not None:
            filled += fields[field]
    return filled


# --- filler text ----------------------------------------------------------------------

_CHARACTERS_PER_TOKEN = 4.6  # of this text, as litellm's tokenizer counts
_TOKENS: Mapping[str, int] = {"1k": 1_000, "2k": 2_000, "4k": 4_000}

_WHO = (
    "My neighbour",
    "The baker down the road",
    "An old friend from school",
    "My sister",
    "The gardener",
    "Our postman",
    "A colleague of mine",
    "The lady from the library",
    "My uncle",
    "Somebody on the train",
)
_DID = (
    "told me about",
    "could not stop laughing at",
    "was rather worried about",
    "has been dreaming of",
    "wrote a long letter about",
    "changed the subject from",
    "brought along a picture of",
    "keeps asking me about",
    "painted the fence because of",
    "baked a cake in honour of",
)
_WHAT = (
    "the weather by the sea",
    "a cat that sleeps on the piano",
    "the new curtains",
    "a recipe for plum jam",
    "the fair in the next village",
    "an umbrella that nobody wanted",
    "the songs of the blackbird",
    "a walk along the river",
    "the smell of fresh paint",
    "a story that has no end",
)
_AFTER = (
    "and I could only nod.",
    "which made the afternoon pass quickly.",
    "and then the kettle began to sing.",
    "though nobody had asked.",
    "so we stayed a little longer.",
    "and that was that.",
    "but you know how such things go.",
    "while the rain kept falling.",
    "and the dog fell asleep.",
    "before it was time to leave.",
)
_SENTENCES_IN_A_PARAGRAPH = 6


def filler_text(size: str, seed: str) -> str:
    """Paragraphs of about `size` tokens (`1k`, `2k`, `4k`) without a number.

    The same seed gives the same text.
    """
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
        sentences = []
        for _ in range(_SENTENCES_IN_A_PARAGRAPH):
            words = [draw.choice(part) for part in (_WHO, _DID, _WHAT)]
            sentences.append(f"{' '.join(words)}, {draw.choice(_AFTER)}")
        yield " ".join(sentences)
