"""What a run shows at its end, as lines of text. Whoever has a terminal writes them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.answered import all_answered, duplicates, is_whole, of_wanted, wanted
from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.tables.effects import effect_table
from pytest_llmarith.reports.tables.grids import breakdowns
from pytest_llmarith.reports.tables.overview import overview
from pytest_llmarith.reports.tables.repeats import repeat_table
from pytest_llmarith.reports.tables.spending import spending_table
from pytest_llmarith.values.asking import OVER_BUDGET, RUN_STOPPED

_MOST_REASONS = 5
_STOPPED = "the run was stopped"
_LONGEST = 1000


def summary_section(summary: Mapping[str, Any], width: int) -> list[str]:
    """All of it: where the run stands, the overview, what was spent, and tables per model and task."""
    return [*run_lines(summary, width), *result_tables(summary, width)]


def result_tables(summary: Mapping[str, Any], width: int) -> list[str]:
    """Overview, conditions, repeats, what was spent, tables per model and task, each below an empty line.

    None of them if nothing was answered.
    """
    results = summary["results"]
    if not any(result["measured"] for result in results):
        return []
    sections = (
        overview(summary, width),
        effect_table(summary, width),
        repeat_table(results, width),
        spending_table(results, width),
        breakdowns(summary, width),
    )
    return [line for lines in sections if lines for line in ("", *lines)]


def run_lines(summary: Mapping[str, Any], width: int) -> list[str]:
    """How much of the run there is, and why not more."""
    run = summary["run"]
    asking = run.get("asking") or {}
    lines = [_completeness(summary)]
    if run.get("merged"):
        lines += _merged_lines(run["merged"])
    elif run.get("partial"):
        lines.append("partial: only tests that failed before were selected (--lf)")
    if shard := run.get("shard"):
        lines.append(_shard_line(shard, run.get("repeats") or 1))
    if run.get("stopped"):
        lines.append(f"stopped: {run['stopped']}")
    lines += [*duplicates(summary), *_unanswered(summary), *_patience(asking), *_spent(summary, asking)]
    return [row for line in lines for row in _wrapped(line, width)]


def _shard_line(shard: Mapping[str, Any], repeats: int) -> str:
    line = f"shard {shard['index']} of {shard['count']}, which llmarith merge joins with the others"
    apart = ", and with them the repeats of each problem, which are dealt to several shards"
    return line + apart if min(repeats, shard["count"]) > 1 else line


def _wrapped(line: str, width: int) -> list[str]:
    """In full, as what matters of a provider's message is often its end; an option stays in one piece."""
    harmless = sanitize(line, _LONGEST)
    return textwrap.wrap(harmless, max(width, 20), subsequent_indent="    ", break_on_hyphens=False)


def _completeness(summary: Mapping[str, Any]) -> str:
    stored = sum(result["stored"] for result in summary["results"])
    parts = (
        (is_whole(summary), all_answered(summary["answered"])),
        (not is_whole(summary), f"incomplete, {of_wanted(summary)} answered"),
        (stored, f"{stored:,} from the store"),
        (_rest(summary), _rest(summary)),
    )
    return ", ".join(part for holds, part in parts if holds)


def _rest(summary: Mapping[str, Any]) -> str:
    """What brings the rest, where that is the same command."""
    run = summary["run"]
    if is_whole(summary) or run.get("merged"):
        return ""
    if run.get("store") == "only":
        return "--llm-store=only asks no model"
    if run.get("stopped"):
        return "once that is mended the same command does the rest"
    reasons = _reasons(summary)
    if _over_budget(reasons) == (wanted(summary) or 0) - summary["answered"]:
        return ""  # a higher cap does, as another line says
    if run.get("store") in ("off", "refresh"):
        return "the same command asks everything again"
    mended = "once that is mended " * (not summary["answered"] and bool(reasons))
    return f"{mended}the same command does the rest"


def _patience(asking: Mapping[str, Any]) -> list[str]:
    """How often it was tried again, and where less was asked at once than could have been."""
    retries = Counter(asking.get("retries") or {})
    reasons = ", ".join(f"{count:,} x {reason}" for reason, count in retries.most_common(_MOST_REASONS))
    more = ", ..." if len(retries) > _MOST_REASONS else ""
    return [
        *([f"tried again: {retries.total():,} ({reasons}{more})"] if retries else []),
        *(
            f"throttled: {model['target']}, {model['halved']:,} times, at worst to {model['lowest']:,} of "
            f"{model['most']:,} requests at once"
            for model in asking.get("throttled") or ()
        ),
    ]


def _spent(summary: Mapping[str, Any], asking: Mapping[str, Any]) -> list[str]:
    """What this run alone has paid, which the tables add to what earlier ones have; and what came of that."""
    if summary["run"].get("merged"):
        return []
    cost, had_cost = asking.get("cost_usd"), asking.get("stored_usd")
    unpriced, lost = asking.get("unpriced") or 0, asking.get("lost") or 0
    lines = []
    if cost or had_cost or unpriced:
        lines.append(_spent_line(asking))
    if (more := _kept_ungraded(summary, asking)) > 0:
        lines.append(f"{_more_replies(more)} kept, which the same command grades")
    if lost:
        most = f"up to {dollars(asking['lost_usd'])} more" if asking.get("lost_usd") else "more"
        lines.append(f"{most} may have been billed ({lost:,} request{'s' * (lost > 1)} without a reply)")
    return lines


def _spent_line(asking: Mapping[str, Any]) -> str:
    replies = (asking.get("answered") or 0) + (asking.get("judged") or 0)
    cost, unpriced = asking.get("cost_usd"), asking.get("unpriced") or 0
    spent = "an unknown amount" if unpriced and not cost else dollars(cost or 0.0, unpriced)
    line = f"this run spent {spent} on {replies:,} replies" if replies or cost else "this run spent nothing"
    if had_cost := asking.get("stored_usd"):
        line += f"; {asking.get('stored') or 0:,} from the store had cost {dollars(had_cost)}"
    return line


def _kept_ungraded(summary: Mapping[str, Any], asking: Mapping[str, Any]) -> int:
    graded = sum(result["asked"] for result in summary["results"] if not result["simulated"])
    return int((asking.get("kept") or 0) - (asking.get("judged") or 0) - graded)


def _more_replies(count: int) -> str:
    return f"{count:,} more replies are" if count > 1 else "1 more reply is"


def _merged_lines(merged: Mapping[str, Any]) -> list[str]:
    """Of how many runs this is made, and what of that has to be known to take it for what it is."""
    count = len(merged["runs"])
    lines = [f"merged from {count:,} run{'s' * (count > 1)}", *(f"partial: {lack}" for lack in merged["lacks"])]
    if merged["differing"]:
        lines.append(f"the runs differ in {', '.join(merged['differing'])}")
    if merged["overlapping"]:
        lines.append(f"{merged['overlapping']:,} trials have two answers, of which the later counts")
    return lines


def _reasons(summary: Mapping[str, Any]) -> Counter[str]:
    """Why questions are unanswered. That the run was stopped is one reason, which stands on a line of its own."""
    reasons: Counter[str] = Counter()
    stopped = summary["run"].get("stopped")
    for result in summary["results"]:
        for reason, count in result["unanswered_reasons"].items():
            reasons[_STOPPED if stopped and reason in (stopped, f"{RUN_STOPPED}{stopped}") else reason] += count
    return reasons


def _over_budget(reasons: Counter[str]) -> int:
    return sum(count for reason, count in reasons.items() if reason.startswith(OVER_BUDGET))


def _unanswered(summary: Mapping[str, Any]) -> list[str]:
    reasons = _reasons(summary)
    if not summary["answered"]:
        reasons.pop(_STOPPED, None)  # the reason stands above
    over_budget = _over_budget(reasons)
    questions = f"{over_budget:,} question{'s' * (over_budget > 1)}"
    lines = [f"budget reached: {questions} not asked, a higher cap goes on from here"] * bool(over_budget)
    lines += [f"unanswered: {count:,} x {reason}" for reason, count in reasons.most_common(_MOST_REASONS)]
    others = reasons.total() - sum(count for _, count in reasons.most_common(_MOST_REASONS))
    return [*lines, f"unanswered: {others:,} for other reasons"] if others else lines
