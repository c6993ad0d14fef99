"""What a run shows at its end, as lines of text. Whoever has a terminal writes them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from pytest_llmarith.records import Effect, Merged, RunSummary, SameWords, Shard
from pytest_llmarith.reports.answered import all_answered, duplicates, is_whole, of_wanted, wanted
from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.tables.effects import effect_table
from pytest_llmarith.reports.tables.grids import breakdowns
from pytest_llmarith.reports.tables.overview import ResultOfRun, overview
from pytest_llmarith.reports.tables.repeats import repeat_table
from pytest_llmarith.reports.tables.spending import spending_table
from pytest_llmarith.values import AskingTotals, StoreMode
from pytest_llmarith.values.asking import OVER_BUDGET, RUN_STOPPED

_MOST_REASONS = 5
_STOPPED = "the run was stopped"
_LONGEST = 1000


def summary_section(summary: RunSummary, width: int) -> list[str]:
    """All of it: where the run stands, the overview, what was spent, and tables per model and task."""
    rows = [ResultOfRun(result) for result in summary.results]
    return [*run_lines(summary, width), *result_tables(rows, summary.effects, summary.same_words, width)]


def result_tables(
    rows: Sequence[ResultOfRun], effects: Sequence[Effect], same_words: Sequence[SameWords], width: int
) -> list[str]:
    """Overview, conditions, repeats, what was spent, tables per model and task, each below an empty line.

    None of them if nothing was answered.
    """
    results = [row.result for row in rows]
    if not any(result.measured for result in results):
        return []
    sections = (
        overview(rows, width),
        effect_table(effects, same_words, width),
        repeat_table(results, width),
        spending_table(results, width),
        breakdowns(results, width),
    )
    return [line for lines in sections if lines for line in ("", *lines)]


def run_lines(summary: RunSummary, width: int) -> list[str]:
    """How much of the run there is, and why not more."""
    run = summary.run
    asking = run.asking or AskingTotals()
    lines = [_completeness(summary)]
    if run.merged:
        lines += _merged_lines(run.merged)
    elif run.partial:
        lines.append("partial: only tests that failed before were selected (--lf)")
    if shard := run.shard:
        lines.append(_shard_line(shard, run.repeats or 1))
    if run.stopped:
        lines.append(f"stopped: {run.stopped}")
    lines += [*duplicates(summary), *_unanswered(summary), *_patience(asking), *_spent(summary, asking)]
    return [row for line in lines for row in _wrapped(line, width)]


def _shard_line(shard: Shard, repeats: int) -> str:
    line = f"shard {shard.index} of {shard.count}, which llmarith merge joins with the others"
    apart = ", and with them the repeats of each problem, which are dealt to several shards"
    return line + apart if min(repeats, shard.count) > 1 else line


def _wrapped(line: str, width: int) -> list[str]:
    """In full, as what matters of a provider's message is often its end; an option stays in one piece."""
    harmless = sanitize(line, _LONGEST)
    return textwrap.wrap(harmless, max(width, 20), subsequent_indent="    ", break_on_hyphens=False)


def _completeness(summary: RunSummary) -> str:
    stored = sum(result.stored for result in summary.results)
    parts = (
        (is_whole(summary), all_answered(summary.answered)),
        (not is_whole(summary), f"incomplete, {of_wanted(summary)} answered"),
        (stored, f"{stored:,} from the store"),
        (_rest(summary), _rest(summary)),
    )
    return ", ".join(part for holds, part in parts if holds)


def _rest(summary: RunSummary) -> str:
    """What brings the rest, where that is the same command."""
    run = summary.run
    if is_whole(summary) or run.merged:
        return ""
    if run.store is StoreMode.ONLY:
        return "--llm-store=only asks no model"
    if run.stopped:
        return "once that is mended the same command does the rest"
    reasons = _reasons(summary)
    if _over_budget(reasons) == (wanted(summary) or 0) - summary.answered:
        return ""  # a higher cap does, as another line says
    if run.store in (StoreMode.OFF, StoreMode.REFRESH):
        return "the same command asks everything again"
    mended = "once that is mended " * (not summary.answered and bool(reasons))
    return f"{mended}the same command does the rest"


def _patience(asking: AskingTotals) -> list[str]:
    """How often it was tried again, and where less was asked at once than could have been."""
    retries = Counter(asking.retries)
    reasons = ", ".join(f"{count:,} x {reason}" for reason, count in retries.most_common(_MOST_REASONS))
    more = ", ..." if len(retries) > _MOST_REASONS else ""
    return [
        *([f"tried again: {retries.total():,} ({reasons}{more})"] if retries else []),
        *(
            f"throttled: {model.target}, {model.halved:,} times, at worst to {model.lowest:,} of "
            f"{model.most:,} requests at once"
            for model in asking.throttled
        ),
    ]


def _spent(summary: RunSummary, asking: AskingTotals) -> list[str]:
    """What this run alone has paid, which the tables add to what earlier ones have; and what came of that."""
    if summary.run.merged:
        return []
    lines = []
    if asking.cost_usd or asking.stored_usd or asking.unpriced:
        lines.append(_spent_line(asking))
    graded = sum(result.asked for result in summary.results if not result.simulated)
    if (more := asking.kept - asking.judged - graded) > 0:
        lines.append(f"{_more_replies(more)} kept, which the same command grades")
    if asking.lost:
        most = f"up to {dollars(asking.lost_usd)} more" if asking.lost_usd else "more"
        lines.append(f"{most} may have been billed ({asking.lost:,} request{'s' * (asking.lost > 1)} without a reply)")
    return lines


def _spent_line(asking: AskingTotals) -> str:
    replies, cost = asking.answered + asking.judged, asking.cost_usd
    spent = "an unknown amount" if asking.unpriced and not cost else dollars(cost or 0.0, asking.unpriced)
    line = f"this run spent {spent} on {replies:,} replies" if replies or cost else "this run spent nothing"
    if asking.stored_usd:
        line += f"; {asking.stored:,} from the store had cost {dollars(asking.stored_usd)}"
    return line


def _more_replies(count: int) -> str:
    return f"{count:,} more replies are" if count > 1 else "1 more reply is"


def _merged_lines(merged: Merged) -> list[str]:
    count, later = len(merged.runs), merged.overlapping
    line = f"merged from {count:,} run{'s' * (count > 1)}"
    return [line, f"{later:,} trials have two answers, of which the later counts"] if later else [line]


def _reasons(summary: RunSummary) -> Counter[str]:
    """Why questions are unanswered. That the run was stopped is one reason, which stands on a line of its own."""
    reasons: Counter[str] = Counter()
    stopped = summary.run.stopped
    for result in summary.results:
        for reason, count in result.unanswered_reasons.items():
            reasons[_STOPPED if stopped and reason in (stopped, f"{RUN_STOPPED}{stopped}") else reason] += count
    return reasons


def _over_budget(reasons: Counter[str]) -> int:
    return sum(count for reason, count in reasons.items() if reason.startswith(OVER_BUDGET))


def _unanswered(summary: RunSummary) -> list[str]:
    reasons = _reasons(summary)
    if not summary.answered:
        reasons.pop(_STOPPED, None)  # the reason stands above
    over_budget = _over_budget(reasons)
    questions = f"{over_budget:,} question{'s' * (over_budget > 1)}"
    lines = [f"budget reached: {questions} not asked, a higher cap goes on from here"] * bool(over_budget)
    lines += [f"unanswered: {count:,} x {reason}" for reason, count in reasons.most_common(_MOST_REASONS)]
    others = reasons.total() - sum(count for _, count in reasons.most_common(_MOST_REASONS))
    return [*lines, f"unanswered: {others:,} for other reasons"] if others else lines
