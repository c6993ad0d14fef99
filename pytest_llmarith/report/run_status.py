"""The status of a run: what is answered, what is not and why, what was spent, and which
trials are not correct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.figures.no_answers import PAGE, sentence_of
from pytest_llmarith.records import (
    Record,
    as_text,
)
from pytest_llmarith.report.remarks import (
    all_answered,
    answered_count,
    duplicates,
    when_asked,
)
from pytest_llmarith.results.effort import asked_to_think
from pytest_llmarith.results.gates import is_complete, questions_of_run
from pytest_llmarith.results.keys import label_of, parameters_of
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import (
    REPLY_LIMITS,
    FailureCode,
    NanReason,
    Outcome,
    RequestTotals,
    StoreMode,
)
from pytest_llmarith.views.formatting import counted, dollars

_MOST_REASONS = 5
_MOST_SERVERS = 5
_STOPPED = "the run was stopped"
# Many trials fail in these ways at once.
_SHARED = (FailureCode.BUDGET, FailureCode.STOPPED, FailureCode.GRADE)
_LONGEST_LINE = 1000
_LONGEST_NAME = 300
_LONGEST_REASON = 200
_LONGEST_ANSWER = 60
_LONGEST_LABEL = 60
_SAME_EFFORT = 1.1  # ratios below it are no difference
_FEW_PERCENT = 5.0  # of replies
_LISTED = (Outcome.UNANSWERED, Outcome.CHEAT, Outcome.NAN, Outcome.DEVIATE)


def run_lines(summary: RunSummary, width: int) -> list[str]:
    """How much of the run is answered, why the rest is not, and what it cost."""
    lines = [
        *_completeness(summary),
        *_served_changes(summary),
        *duplicates(summary),
        *_unanswered(summary),
        *alarms(summary),
        *efforts(summary),
    ]
    lines += _request_lines(summary, summary.run.asking or RequestTotals())
    return wrapped(lines, width)


def wrapped(lines: Iterable[str], width: int) -> list[str]:
    """The lines, sanitized and at most this wide."""
    # Messages of providers are shown in full. Options are not broken at their hyphens.
    wrapper = TextWrapper(
        max(width, 20), subsequent_indent="    ", break_on_hyphens=False
    )
    rows = []
    for line in lines:
        rows += wrapper.wrap(sanitize(line, _LONGEST_LINE))
    return rows


def _completeness(summary: RunSummary) -> Iterator[str]:
    run = summary.run
    results = summary.results
    stored, batched = _total(results, "stored"), _total(results, "batched")
    if is_complete(summary):
        answered = all_answered(summary.answered)
        next_step = ""
        if run.store is StoreMode.ON and summary.stored_days:  # which may be old
            next_step = "--llm-store=refresh asks again"
    else:
        answered = f"incomplete, {_answered_so_far(summary)}"
        next_step = _how_to_continue(summary)
    if stored:
        replies = " replies" if stored > summary.answered else ""  # of searches
        answered += f", {stored:,}{replies} from the store{when_asked(summary)}"
    if batched:
        answered += f", {batched:,} from batches"
    if next_step and not run.merged:
        answered += f"; {next_step}"
    yield answered
    if run.merged:
        yield f"merged from {counted(len(run.merged.runs), 'run')}"
        later = run.merged.overlapping
        if later:
            yield f"{later:,} trials have two answers; the later one counts"
    elif run.partial:
        yield "partial: only tests that failed before were selected (--lf)"
    shard = run.shard
    if shard:
        yield f"shard {shard.index} of {shard.count}; llmarith merge joins all shards"
    if run.stopped:
        yield f"stopped: {run.stopped}"


def alarms(summary: RunSummary) -> Iterator[str]:
    """A line for each result of which many replies have no answer: how most of them
    look, and what to do.
    """
    for result in summary.results:
        for alarm in result.examples("alarm"):
            mark = sanitize(alarm.tag or "", _LONGEST_LABEL)
            what = sentence_of(alarm).replace("{tag}", mark)
            line = (
                f"{_whose(result)}: {alarm.count:,} of {alarm.replies:,} replies "
                f"without a sure answer; {alarm.of_shape:,} {what}"
            )
            if alarm.right:
                line += f" ({alarm.right:,} of these have the right answer)"
            yield f"{line}; see {PAGE}"


def efforts(summary: RunSummary) -> Iterator[str]:
    """A line for each model that did not spend on thinking what it was asked to."""
    for one in summary.contrasts("effort"):
        ratio = one.difference
        low = high = float(ratio.value or 0)  # all questions may have the same
        if ratio.low is not None and ratio.high is not None:
            low, high = ratio.low, ratio.high
        if low > 1 / _SAME_EFFORT and high < _SAME_EFFORT:
            names = [one.beside, one.place.model, one.place.task or ""]
            other, name, task = (sanitize_name(text, _LONGEST_LABEL) for text in names)
            there, here = one.value("tokens_beside"), one.value("tokens")
            yield (
                f"{task}: {other} and {name} spent the same: {there:,.1f} and "
                f"{here:,.1f} reasoning tokens (95 % of the ratio {low:.2f}-{high:.2f})"
            )
    for result in _real(summary):
        told = "; ".join(_unobeyed(result, summary))
        if told:
            yield f"{_whose(result)}: {told}"


def _whose(result: Result) -> str:
    whose = [result.model, result.task, label_of(result.condition)]
    return ", ".join(sanitize_name(name, _LONGEST_LABEL) for name in whose if name)


def _unobeyed(result: Result, summary: RunSummary) -> Iterator[str]:
    params = parameters_of(summary.run, result.model) or {}
    measured = result.count("measured")
    asked, thinking = asked_to_think(params), result.value("thinking") or 0.0
    if measured and asked and thinking < 100 - _FEW_PERCENT:
        yield f"asked for thinking, {100 - thinking:.0f} % of replies show none"
    if measured and asked is False and thinking > _FEW_PERCENT:
        yield f"asked for no thinking, {thinking:.0f} % of replies think"
    cut = 100 * result.count("nan_reason", NanReason.TRUNCATED) / max(1, measured)
    limits = [f"{name}={params[name]}" for name in REPLY_LIMITS if params.get(name)]
    if limits and cut > _FEW_PERCENT:
        yield f"{', '.join(limits)} cut {cut:.0f} %"


def _total(results: Iterable[Result], key: str) -> int:
    return sum(result.count(key) for result in results)


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
    of_this_run = asking.kept - asking.by_graders
    of_earlier_ones = asking.announced_stored - summary.duplicates
    real = _real(summary)
    of_this_run -= _total(real, "asked")
    of_earlier_ones -= _total(real, "stored")
    return max(0, of_this_run) + max(0, of_earlier_ones)


def _follows_replies(summary: RunSummary) -> bool:
    """Whether an item may ask several questions, so that replies are no answered
    items.
    """
    if summary.run.search is not None:
        return True
    results = summary.results
    if any(result.facts.searched for result in results):
        return True
    replies = _total(results, "asked") + _total(results, "stored")
    return replies > summary.answered


def _real(summary: RunSummary) -> list[Result]:
    """The results of models that are no fake ones."""
    return [one for one in summary.results if not one.facts.simulated]


def _served_changes(summary: RunSummary) -> Iterator[str]:
    """Models that are not what they were when stored replies were asked."""
    names = {
        "served_model": "the model",
        "system_fingerprint": "the configuration (system_fingerprint)",
    }
    for model, tiers in summary.other_tiers.items():
        yield (
            f"{model} was served at service_tier {', '.join(tiers)}; the dearer price "
            f"of the two counts"
        )
    for model, servers in summary.other_servers.items():
        named = [f"{', '.join(names)} at {one}" for one, names in servers.items()]
        yield f"the servers of {model} differ: {'; '.join(named[:_MOST_SERVERS])}"
    for one in summary.served_changes:
        stored, new = ", ".join(one.stored), ", ".join(one.new)
        yield (
            f"{one.model} has changed: stored replies name {names[one.field]} "
            f"{stored}, those of this run {new}"
        )


def _how_to_continue(summary: RunSummary) -> str:
    """What to do about unanswered questions; empty if another line says it."""
    run, reasons = summary.run, _reasons(summary)
    if run.store is StoreMode.ONLY:
        return "--llm-store=only asks no model"
    rerun = "rerun the same command"
    fix = f"fix the cause below, then {rerun}"
    if run.stopped:
        return fix
    if _over_budget(summary) == (questions_of_run(summary) or 0) - summary.answered:
        return ""
    if run.store in (StoreMode.OFF, StoreMode.REFRESH):
        return f"{rerun}, which asks everything again"
    return fix if reasons and not summary.answered else rerun


def _reasons(summary: RunSummary) -> Counter[str]:
    """Why questions are unanswered; all that the end of a stopped run caused have one
    reason.
    """
    reasons: Counter[str] = Counter()
    stopped = summary.run.stopped
    of_the_stop = (stopped, FailureCode.STOPPED.sentence(stopped)) if stopped else ()
    for result in summary.results:
        for (_, reason), figure in result.all("unanswered_reason").items():
            name = _STOPPED if reason in of_the_stop else reason
            reasons[name] += int(figure.value or 0)
    return reasons


def _over_budget(summary: RunSummary) -> int:
    total = 0
    for result in summary.results:
        figure = result.get("unanswered_code", at=FailureCode.BUDGET, by="code")
        if figure is not None:
            total += int(figure.value or 0)
    return total


def _unanswered(summary: RunSummary) -> Iterator[str]:
    reasons = _reasons(summary)
    if not summary.answered:
        reasons.pop(_STOPPED, None)  # another line says why
    over_budget = _over_budget(summary)
    if over_budget:
        yield (
            f"budget reached: {counted(over_budget, 'question')} not asked; rerun the "
            f"same command with a higher cap"
        )
    others = reasons.total()
    for reason, count in reasons.most_common(_MOST_REASONS):
        others -= count
        yield f"unanswered: {count:,} x {reason}"
    if others:
        yield f"unanswered: {others:,} for other reasons"


def _request_lines(summary: RunSummary, asking: RequestTotals) -> Iterator[str]:
    """Retries, and what this run itself has paid; the tables include what earlier runs
    paid.
    """
    retries = Counter(asking.retries)
    if retries:
        most = retries.most_common(_MOST_REASONS)
        reasons = [f"{count:,} x {reason}" for reason, count in most]
        if len(retries) > _MOST_REASONS:
            reasons.append("...")
        yield f"retries: {retries.total():,} ({', '.join(reasons)})"
    for model in asking.throttled:
        times = "once" if model.halved == 1 else f"{model.halved:,} times"
        lowest = f"at worst to {model.lowest:,} of {model.most:,} requests at once"
        yield (
            f"rate limit: {model.target} answered 429; concurrency lowered {times}, "
            f"{lowest}; --llm-concurrency={model.most},fixed keeps it"
        )
    if summary.run.merged:
        return
    if asking.incomplete:
        yield from _recorded(summary)
    elif asking.cost_usd or asking.stored_usd or asking.unpriced:
        yield _spent(asking)
    stored = _not_graded(summary)
    if stored and (is_complete(summary) or _follows_replies(summary)):
        are = "is" if stored == 1 else "are"
        yield (
            f"{stored:,} more {_replies(stored)} {are} stored but not graded; rerun "
            f"the same command"
        )
    if asking.lost:
        more = "more"
        if asking.lost_usd:
            more = f"up to {dollars(asking.lost_usd)} more"
        requests = counted(asking.lost, "request")
        yield f"{more} may have been billed ({requests} without a reply)"


def _recorded(summary: RunSummary) -> Iterator[str]:
    """What the recorded replies cost, if it is unknown what the run itself spent."""
    real = _real(summary)
    if not real:
        return
    unpriced, stored = _total(real, "unpriced"), _total(real, "stored")
    replies, cost = unpriced, 0.0
    for result in real:
        known = result.get("cost_usd", "sum")
        if known is not None:
            replies += known.n or 0
            cost += result.value("cost_usd", "sum")
    if not replies:
        yield "no reply was recorded; what was in flight may have been billed"
        return
    spent = dollars(cost, unpriced)
    if unpriced and not cost:
        spent = "an unknown amount"
    line = f"the {replies:,} recorded {_replies(replies)} cost {spent}"
    if stored:
        line += f", {stored:,} from the store included"
    yield (f"{line}; what was in flight is not included and may have been billed")


def _replies(count: int) -> str:
    return "reply" if count == 1 else "replies"


def _spent(asking: RequestTotals) -> str:
    replies = max(asking.answered + asking.by_graders, asking.kept)
    cost = asking.cost_usd or 0.0
    if not replies and not cost:
        spent = "nothing"
    elif asking.unpriced and not cost:
        spent = f"an unknown amount on {replies:,} {_replies(replies)}"
    else:
        known = dollars(cost, asking.unpriced)
        spent = f"{known} on {replies:,} {_replies(replies)}"
    line = f"this run spent {spent}"
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
    never_asked: dict[FailureCode, list[str]] = {}
    for record in records:
        outcome = record.outcome
        if outcome is Outcome.CORRECT:
            continue
        if record.failure in _SHARED:
            never_asked.setdefault(record.failure, []).append(record.why or "")
        elif len(listed[outcome]) < most:
            cost = record.reply.cost_usd if record.reply else None
            listed[outcome].append(
                WrongTrial(outcome, _item(record), why_wrong(record), cost)
            )
        else:
            left_out[outcome] += 1
    found = []
    for reasons in never_asked.values():
        trials = counted(len(reasons), "trial")
        last = sanitize(reasons[-1], _LONGEST_LINE)
        found.append(WrongTrial(Outcome.UNANSWERED, trials, last))
    for outcome, some in listed.items():
        found += some
        if left_out[outcome]:
            more = f"and {left_out[outcome]:,} more"
            found.append(WrongTrial(outcome, "...", more))
    return found


def wrong_lines(records: Iterable[Record], most: int) -> list[str]:
    """The same in lines such as those of pytest's `-rA`."""
    found = wrong_trials(records, most)
    return [f"{one.outcome.upper()} {one.item} - {one.why}" for one in found]


def _item(record: Record) -> str:
    """The id of the item, or the question of another program."""
    problem = record.problem
    if record.nodeid is None:
        return sanitize(f"{problem.variant} {problem.short}", _LONGEST_NAME)
    return sanitize(record.nodeid, _LONGEST_NAME)


def why_wrong(record: Record) -> str:
    """The reason of a trial that is not correct, or expected and read answer."""
    if record.why:  # that of a program names the term
        return sanitize(record.why, _LONGEST_REASON)
    if record.outcome is not Outcome.DEVIATE:
        return "no reason given"
    expected = sanitize(as_text(record.problem.expected) or "", _LONGEST_ANSWER)
    got = sanitize(record.answer_text or "no answer", _LONGEST_ANSWER)
    text = f"expected {expected}, got {got}"
    if record.error_class:
        text += f" ({record.error_class})"
    return text
