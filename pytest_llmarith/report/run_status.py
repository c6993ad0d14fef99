"""The status of a run: what is answered, what is not and why, what was spent, and which
trials are not correct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from typing import NamedTuple

from pytest_llmarith.records import (
    Record,
    as_text,
)
from pytest_llmarith.report.completeness import all_answered, answered_count, duplicates
from pytest_llmarith.report.formatting import dollars
from pytest_llmarith.results.gates import is_complete, questions_of_run
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import (
    INVALID_GRADE,
    OVER_BUDGET,
    RUN_STOPPED,
    Outcome,
    RequestTotals,
    StoreMode,
)

_MOST_REASONS = 5
_STOPPED = "the run was stopped"
_LONGEST_LINE = 1000
_LONGEST_NAME = 300
_LONGEST_REASON = 200
_LONGEST_ANSWER = 60
_LISTED = (Outcome.UNANSWERED, Outcome.CHEAT, Outcome.NAN, Outcome.DEVIATE)


def run_lines(summary: RunSummary, width: int) -> list[str]:
    """How much of the run is answered, why the rest is not, and what it cost."""
    lines = [
        *_completeness(summary),
        *_served_changes(summary),
        *duplicates(summary),
        *_unanswered(summary),
    ]
    lines += _request_lines(summary, summary.run.asking or RequestTotals())
    return wrapped([*lines, *reasoning_lines(summary)], width)


def wrapped(lines: Iterable[str], width: int) -> list[str]:
    """The lines, sanitized and at most this wide."""
    # Messages of providers are shown in full. Options are not broken at their hyphens.
    wrapper = TextWrapper(
        max(width, 20), subsequent_indent="    ", break_on_hyphens=False
    )
    return [
        row for line in lines for row in wrapper.wrap(sanitize(line, _LONGEST_LINE))
    ]


def _completeness(summary: RunSummary) -> Iterator[str]:
    run = summary.run
    stored, batched = (
        sum(getattr(one, name) for one in summary.results)
        for name in ("stored", "batched")
    )
    whole = is_complete(summary)
    answered = (
        all_answered(summary.answered)
        if whole
        else f"incomplete, {_answered_so_far(summary)}"
    )
    replies = " replies" if stored > summary.answered else ""  # of searches
    if stored:
        answered += f", {stored:,}{replies} from the store{_when_asked(summary)}"
    if batched:
        answered += f", {batched:,} from batches"
    next_step = ""
    if not run.merged:
        next_step = _how_to_ask_again(summary) if whole else _how_to_continue(summary)
    yield "; ".join(filter(None, (answered, next_step)))
    if run.merged:
        count, later = len(run.merged.runs), run.merged.overlapping
        yield f"merged from {count:,} run{'s' * (count > 1)}"
        if later:
            yield f"{later:,} trials have two answers; the later one counts"
    elif run.partial:
        yield "partial: only tests that failed before were selected (--lf)"
    if shard := run.shard:
        yield f"shard {shard.index} of {shard.count}; llmarith merge joins all shards"
    if run.stopped:
        yield f"stopped: {run.stopped}"


def _answered_so_far(summary: RunSummary) -> str:
    """How many questions have a reply, graded or in the store."""
    known, more = questions_of_run(summary), _not_graded(summary)
    if known is None or not more or _follows_replies(summary):
        return f"{answered_count(summary)} answered"
    return (
        f"{min(known, summary.answered + more):,} of {known:,} answered, "
        f"{summary.answered:,} graded"
    )


def _not_graded(summary: RunSummary) -> int:
    """How many replies are in the store that the same command reads and this run has
    not graded.
    """
    asking, store = summary.run.asking, summary.run.store
    if asking is None or summary.run.merged or store is StoreMode.REFRESH:
        return 0
    real = [result for result in summary.results if not result.simulated]
    of_this_run = asking.kept - asking.judged - sum(result.asked for result in real)
    of_earlier_ones = (
        asking.announced_stored
        - summary.duplicates
        - sum(result.stored for result in real)
    )
    return max(0, of_this_run) + max(0, of_earlier_ones)


def _follows_replies(summary: RunSummary) -> bool:
    """Whether an item may ask several questions, so that replies are no answered
    items.
    """
    replies = sum(result.asked + result.stored for result in summary.results)
    searched = summary.run.search is not None or any(
        result.searched for result in summary.results
    )
    return searched or replies > summary.answered


def reasoning_lines(summary: RunSummary) -> list[str]:
    """A line for each pair of models with two values of a parameter: how many times the
    reasoning tokens.
    """
    lines = []
    for one in summary.reasoning_ratios:
        effects = {
            "none visible": f": no visible effect of {one.parameter}",
            "cannot tell": ": cannot tell",
        }
        interval = (
            "no interval" if one.low is None else f"{one.low:,.2f} to {one.high:,.2f}"
        )
        counted = f"{one.questions:,} question{'s' * (one.questions != 1)}"
        if one.truncated:
            counted += f", without {one.truncated:,} truncated"
        ratio = (
            f"{one.model} uses {one.ratio:,.2f} times the reasoning tokens of "
            f"{one.beside}"
        )
        lines.append(f"{ratio} ({interval}; {counted}){effects.get(one.effect, '')}")
    return lines


def _when_asked(summary: RunSummary) -> str:
    """The days on which stored replies were asked, such as `, asked 2026-11-21 to
    2026-11-23`.
    """
    if not summary.stored_days:
        return ""
    return f", asked {' to '.join(dict.fromkeys(summary.stored_days))}"


def _served_changes(summary: RunSummary) -> Iterator[str]:
    """Models that are not what they were when stored replies were asked."""
    names = {
        "served_model": "the model",
        "system_fingerprint": "the configuration (system_fingerprint)",
    }
    for one in summary.served_changes:
        stored, new = ", ".join(one.stored), ", ".join(one.new)
        yield (
            f"{one.model} has changed: stored replies name {names[one.field]} "
            f"{stored}, those of this run {new}"
        )


def _how_to_ask_again(summary: RunSummary) -> str:
    """How to replace stored replies, which may be old; empty if there are none."""
    reads_store = summary.run.store is StoreMode.ON and summary.stored_days
    return "--llm-store=refresh asks again" if reads_store else ""


def _how_to_continue(summary: RunSummary) -> str:
    """What to do about unanswered questions; empty if another line says it."""
    run, reasons = summary.run, _reasons(summary)
    if run.store is StoreMode.ONLY:
        return "--llm-store=only asks no model"
    fix = "fix the cause below, then rerun the same command"
    if run.stopped:
        return fix
    if _over_budget(reasons) == (questions_of_run(summary) or 0) - summary.answered:
        return ""
    if run.store in (StoreMode.OFF, StoreMode.REFRESH):
        return "rerun the same command, which asks everything again"
    return fix if reasons and not summary.answered else "rerun the same command"


def _reasons(summary: RunSummary) -> Counter[str]:
    """Why questions are unanswered; all that the end of a stopped run caused have one
    reason.
    """
    reasons: Counter[str] = Counter()
    stopped = summary.run.stopped
    for result in summary.results:
        for reason, count in result.unanswered_reasons.items():
            reasons[
                _STOPPED
                if stopped and reason in (stopped, f"{RUN_STOPPED}{stopped}")
                else reason
            ] += count
    return reasons


def _over_budget(reasons: Counter[str]) -> int:
    return sum(
        count for reason, count in reasons.items() if reason.startswith(OVER_BUDGET)
    )


def _unanswered(summary: RunSummary) -> Iterator[str]:
    reasons = _reasons(summary)
    if not summary.answered:
        reasons.pop(_STOPPED, None)  # another line says why
    if over_budget := _over_budget(reasons):
        questions = f"{over_budget:,} question{'s' * (over_budget > 1)}"
        yield (
            f"budget reached: {questions} not asked; rerun the same command with a "
            f"higher cap"
        )
    named = reasons.most_common(_MOST_REASONS)
    yield from (f"unanswered: {count:,} x {reason}" for reason, count in named)
    if others := reasons.total() - sum(count for _, count in named):
        yield f"unanswered: {others:,} for other reasons"


def _request_lines(summary: RunSummary, asking: RequestTotals) -> Iterator[str]:
    """Retries, and what this run itself has paid; the tables include what earlier runs
    paid.
    """
    if retries := Counter(asking.retries):
        reasons = ", ".join(
            f"{count:,} x {reason}"
            for reason, count in retries.most_common(_MOST_REASONS)
        )
        others = ", ..." if len(retries) > _MOST_REASONS else ""
        yield f"retries: {retries.total():,} ({reasons}{others})"
    for model in asking.throttled:
        times = "once" if model.halved == 1 else f"{model.halved:,} times"
        lowest = f"at worst to {model.lowest:,} of {model.most:,} requests at once"
        yield (
            f"rate limit: {model.target} answered 429; concurrency lowered {times}, "
            f"{lowest}"
        )
    if summary.run.merged:
        return
    if asking.cost_usd or asking.stored_usd or asking.unpriced:
        yield _spent(asking)
    stored = _not_graded(summary)
    if stored and (is_complete(summary) or _follows_replies(summary)):
        replies = f"{stored:,} more replies are" if stored > 1 else "1 more reply is"
        yield f"{replies} stored but not graded; rerun the same command"
    if asking.lost:
        most = f"up to {dollars(asking.lost_usd)} more" if asking.lost_usd else "more"
        yield (
            f"{most} may have been billed ({asking.lost:,} "
            f"request{'s' * (asking.lost > 1)} without a reply)"
        )


def _replies(count: int) -> str:
    return "reply" if count == 1 else "replies"


def _spent(asking: RequestTotals) -> str:
    replies, cost = max(asking.answered + asking.judged, asking.kept), asking.cost_usd
    spent = (
        "an unknown amount"
        if asking.unpriced and not cost
        else dollars(cost or 0.0, asking.unpriced)
    )
    if replies or cost:
        line = f"this run spent {spent} on {replies:,} {_replies(replies)}"
    else:
        line = "this run spent nothing"
    if asking.stored_usd:
        line += (
            f"; {asking.stored:,} from the store had cost {dollars(asking.stored_usd)}"
        )
    return line


# --- trials that are not correct ------------------------------------------------------


class WrongTrial(NamedTuple):
    """A trial that is not correct, or several trials in one line.

    The texts are sanitized.
    """

    outcome: Outcome
    item: str
    why: str
    cost_usd: float | None = None


def wrong_trials(records: Iterable[Record], most: int) -> list[WrongTrial]:
    """The trials that are not correct, at most `most` of each outcome: unanswered ones
    first, wrong answers last.

    Trials without a reply for the same reason are one line.
    """
    listed: dict[Outcome, list[WrongTrial]] = {outcome: [] for outcome in _LISTED}
    left_out: Counter[Outcome] = Counter()
    never_asked: dict[str, list[str]] = {}
    for record in records:
        outcome, reason = record.outcome, record.reason or ""
        if outcome is Outcome.CORRECT:
            continue
        shared = next(
            (
                start
                for start in (OVER_BUDGET, RUN_STOPPED, INVALID_GRADE)
                if reason.startswith(start)
            ),
            None,
        )
        if outcome is Outcome.UNANSWERED and shared:
            never_asked.setdefault(shared, []).append(reason)
        elif len(listed[outcome]) < most:
            cost = record.reply.cost_usd if record.reply else None
            listed[outcome].append(
                WrongTrial(outcome, _item(record), _why(record), cost)
            )
        else:
            left_out[outcome] += 1
    found = [
        WrongTrial(
            Outcome.UNANSWERED,
            f"{len(one):,} trial{'s' * (len(one) > 1)}",
            sanitize(one[-1], _LONGEST_LINE),
        )
        for one in never_asked.values()
    ]
    for outcome, trials in listed.items():
        found += trials
        if left_out[outcome]:
            more = f"and {left_out[outcome]:,} more"
            found.append(WrongTrial(outcome, "...", more))
    return found


def wrong_lines(records: Iterable[Record], most: int) -> list[str]:
    """The same in lines such as those of pytest's `-rA`."""
    return [
        f"{one.outcome.upper()} {one.item} - {one.why}"
        for one in wrong_trials(records, most)
    ]


def _item(record: Record) -> str:
    """The id of the item, or the question of another program."""
    problem = record.problem
    if record.nodeid is None:
        return sanitize(f"{problem.variant} {problem.short}", _LONGEST_NAME)
    return sanitize(record.nodeid or "", _LONGEST_NAME)


def _why(record: Record) -> str:
    if (
        record.outcome is not Outcome.DEVIATE or record.reason
    ):  # the reason of a program names the term
        return sanitize(record.reason or "no reason given", _LONGEST_REASON)
    expected = sanitize(as_text(record.problem.expected) or "", _LONGEST_ANSWER)
    got = sanitize(record.answer_text or "no answer", _LONGEST_ANSWER)
    error_class = f" ({record.error_class})" if record.error_class else ""
    return f"expected {expected}, got {got}{error_class}"
