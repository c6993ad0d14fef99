"""The details of one trial, as the page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, floor

from pytest_llmarith import records
from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.records import Part, Record, Reply
from pytest_llmarith.results.keys import condition_name, label_of
from pytest_llmarith.types import Outcome
from pytest_llmarith.views import formatting
from pytest_llmarith.views.places import short_name
from pytest_llmarith.views.tasks import Fact, TrialPart, report_of

_LONGEST_COMPARED = 800  # characters of an answer and the expected one

# Parts of a number, and whether they differ from the other number.
Pieces = Sequence[tuple[str, bool]]


class ShownTrial(Part, kw_only=True):
    """The values by which a trial is filtered, and its details; unknown ones are left
    out.
    """

    by: dict[str, str | int | None]
    cell: str
    facts: list[Fact]
    question: str | None = None
    expected: str | None = None
    answer: str | None = None
    # A wrong answer, and the expected one.
    compared: tuple[Pieces, Pieces] | None = None
    # The tokens of the answer, and how probable each was, in percent.
    probable: Sequence[tuple[str, int]] = ()
    reason: str | None = None
    prompt: str | None = None
    reply: str | None = None
    reasoning: str | None = None
    scores: Sequence[Fact] = ()
    parts: Sequence[TrialPart] = ()


def shown_trial(record: Record, model: str) -> ShownTrial:
    """The details of a record; `model` is the label of its series.

    The question of a search is the simplest wrong one that it found.
    """
    by = _filtered_by(record, model)
    trial = ShownTrial(
        by=by,
        cell=_cell(by),
        facts=list(_facts(record)),
        question=record.problem.short,
        expected=records.as_text(record.problem.expected),
        answer=record.answer_text,
        reason=record.why,
        prompt=record.prompt_text,
    )
    if record.reply:
        trial.reply = record.reply.text
        trial.reasoning = record.reply.reasoning
        for one in record.reply.logprobs:
            percent = floor(100 * exp(one.logprob or 0.0))
            trial.probable = [*trial.probable, (one.text, percent)]
    trial.scores = list(_scores(record))
    trial.parts = list(trial_parts(record))
    if record.search:
        found = record.search.minimum
        trial.question = found.question if found else record.search.largest_right
        trial.expected = found.expected if found else None
        trial.answer = found.answer if found else None
    if record.outcome is not Outcome.CORRECT:
        trial.compared = _compared(trial.answer or "", trial.expected or "")
    return trial


def _filtered_by(record: Record, model: str) -> dict[str, str | int | None]:
    """The values of the filters of trials."""
    problem = record.problem
    error_class = record.error_class
    if record.search and record.search.minimum:
        error_class = record.search.minimum.error_class
    reason = None
    # The reasons of other outcomes all differ.
    if record.reason and record.outcome is Outcome.NAN:
        reason = short_name(record.reason)
    return {
        "model": model,
        "task": short_name(record.task),
        "condition": short_name(condition_name(record.condition)),
        "repeat": record.repeat,
        "variant": short_name(problem.variant or record.task),
        "depth": problem.depth,
        "outcome": record.outcome,
        "class": error_class,
        "reason": reason,
    }


def _cell(by: Mapping[str, str | int | None]) -> str:
    variant, depth = by["variant"], by["depth"]
    return str(variant) if depth is None else f"{variant}, depth {depth}"


# --- an answer beside the expected one ------------------------------------------------


def _compared(answer: str, expected: str) -> tuple[Pieces, Pieces] | None:
    """The pieces of both; None if one is unknown, or if they are long.

    If one is shorter it is filled up with dots, and all between the common ends
    differs.
    """
    if not answer or not expected or len(answer + expected) > _LONGEST_COMPARED:
        return None
    width = max(len(answer), len(expected))
    as_long = len(answer) == len(expected)
    head = _same(answer, expected)
    tail = _same(reversed(answer), reversed(expected))
    tail = min(tail, len(answer) - head, len(expected) - head)
    one = _filled_up(answer, width, tail)
    other = _filled_up(expected, width, tail)
    differs = []
    for place in range(width):
        is_between = head <= place < width - tail
        differs.append(one[place] != other[place] if as_long else is_between)
    return _pieces(one, differs), _pieces(other, differs)


def _same(one: Iterable[str], other: Iterable[str]) -> int:
    """The number of characters at the beginning that are the same."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count


def _filled_up(text: str, width: int, tail: int) -> str:
    """The text with dots before its last `tail` characters."""
    end = len(text) - tail
    return text[:end].ljust(width - tail, "·") + text[end:]


def _pieces(text: str, differs: Sequence[bool]) -> Pieces:
    """The text cut where the digits begin or cease to differ."""
    pieces = []
    start = 0
    for place in range(1, len(text) + 1):
        is_end = place == len(text)
        if is_end or differs[place] != differs[start]:
            pieces.append((text[start:place], differs[start]))
            start = place
    return pieces


# --- facts ----------------------------------------------------------------------------


def _facts(record: Record) -> Iterator[Fact]:
    """Facts about the item, its grade and its reply."""
    if record.nodeid:
        yield "item", record.nodeid
    condition = label_of(record.condition)
    if condition:
        yield "condition", condition
    if record.repeat:
        yield "repeat", str(record.repeat)
    yield from _facts_of_grade(record)
    for retry in record.retries:
        yield "retry", f"{retry.reason}, after {formatting.seconds(retry.waited_s)} s"
    if record.reply:
        yield from _facts_of_reply(record.reply)


def _facts_of_grade(record: Record) -> Iterator[Fact]:
    for name, answer in record.answers.items():
        if name != record.reading and answer != record.answer:
            yield f"{name} reading", records.as_text(answer) or "no answer"
    grade = record.grade
    if grade and grade.score not in (None, 0, 1):
        yield "score", f"{grade.score:g}"
    number = record.number
    if number is None:
        return
    if number.relative_error is not None:
        yield "relative error", formatting.short(number.relative_error)
    if number.has_other_length:
        yield "leading digits right", "- (other length)"
    else:
        yield "leading digits right", str(number.leading_digits)


def _facts_of_reply(reply: Reply) -> Iterator[Fact]:
    if reply.finish_reason:
        native = reply.native_finish_reason
        yield "finish reason", reply.finish_reason + (f" ({native})" if native else "")
    if reply.served_model:
        yield "served by", reply.served_model
    if reply.served_tier:
        yield "service tier", reply.served_tier
    if reply.asked_at:
        yield "asked at", reply.asked_at
    tokens = []
    for kind in ("prompt", "completion", "reasoning"):
        count = getattr(reply, f"{kind}_tokens")
        if count is not None:
            tokens.append(f"{count:,} {kind}")
    if tokens:
        yield "tokens", ", ".join(tokens)
    if reply.cost_usd is not None:
        yield "cost", formatting.dollars(reply.cost_usd)
    if reply.latency_s is not None:
        yield "latency", f"{formatting.seconds(reply.latency_s)} s"
    if reply.served_tokens_a_second is not None:
        yield "speed", f"{reply.served_tokens_a_second:,.3g} tokens a second"
    if reply.served_first_token_s is not None:
        yield "first token", f"{formatting.seconds(reply.served_first_token_s)} s"
    if reply.in_flight is not None:
        yield "in flight", str(reply.in_flight)
    if reply.attempts > 1:
        yield "attempts", str(reply.attempts)
    if reply.stored:
        yield "stored", "from the store"
    if reply.batched:
        yield "batched", "from a batch"


# --- details of a task, and searches --------------------------------------------------


def _scores(record: Record) -> Iterator[Fact]:
    """The scores by name; those of readings are shown with their answers."""
    if record.grade is None or record.reading is not None:
        return
    unit = report_of(record.task).score_unit
    for name, score in record.grade.scores.items():
        if unit:
            yield f"score within {float(name):g} {unit}", f"{100 * score:.1f} %"
        else:
            yield name, f"{score:g}"


def trial_parts(record: Record) -> Iterator[TrialPart]:
    """The details that the task of a trial shows, by default each value."""
    if record.search is not None:
        yield _search(record.search)
    trial, of_task = Trial(record), report_of(record.task)
    if trial.details is None:
        return
    if of_task.parts_of is not None:
        yield from of_task.parts_of(trial)
        return
    facts = [
        (name, records.as_text(value) or "") for name, value in trial.details.items()
    ]
    yield TrialPart("Details", facts)


def _search(search: records.SearchDetails) -> TrialPart:
    rows = []
    for step in search.trail:
        reply = step.reply.text if step.reply else "not kept"
        rows.append([step.question, str(step.outcome), reply])
    facts: list[Fact] = [
        ("search ended", search.ended),
        ("questions", str(search.questions)),
    ]
    if search.not_reproduced:
        facts.append(("wrong, then right", str(search.not_reproduced)))
    if search.largest_right:
        facts.append(("largest right", search.largest_right))
    heads = ["question", "outcome", "reply"]
    return TrialPart("Questions of the search", facts, None, heads, rows)
