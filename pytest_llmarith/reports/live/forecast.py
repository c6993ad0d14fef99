"""What a run is going to ask and to cost, as lines of text. It does not know where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_llmarith.reports.figures import dollars, thousands
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.values import AskingLimits, Fit, Outlook

_MOST_MODELS = 8
_LONGEST_NAME = 60
_SMALLEST = 0.0001
_REASONS = "reasoning is unforeseeable"
_BOUND = "--llm-param max_completion_tokens"
_UNKNOWN = "no price known, --llm-price=IN,OUT gives one"


def forecast_lines(outlooks: Sequence[Outlook], judge: str | None = None) -> list[str]:
    """A line for the whole run, and where there are several models one for each; `judge` is one who may be asked."""
    lines = [f"forecast: {_line(outlooks)}"]
    if len(outlooks) > 1:
        named = outlooks[:_MOST_MODELS]
        lines += [f"forecast: {sanitize_name(one.model.name, _LONGEST_NAME)}: {_line([one])}" for one in named]
        lines += [f"forecast: and {len(outlooks) - len(named)} models more"] * (len(named) < len(outlooks))
    if judge:
        lines.append(
            f"forecast: what {sanitize_name(judge, _LONGEST_NAME)} is asked is unforeseeable, and comes on top"
        )
    return lines


def search_line(searches: int, budget: int) -> str:
    """What comes on top where searches go on after their first question."""
    asking = f"{searches:,} searches ask up to {budget:,} questions each"
    if searches == 1:
        asking = f"1 search asks up to {budget:,} questions"
    return f"forecast: {asking}, of which only the first is counted here"


def spent_lines(cost_usd: float, unpriced: int, tokens: int, limits: AskingLimits) -> list[str]:
    """What the stored replies of a run leave of its caps: they count, as they were paid for."""
    lines = []
    if limits.max_cost_usd is not None:
        doubt = f" ({unpriced:,} of unknown price not included)" if unpriced else ""
        lines.append(f"{dollars(cost_usd)} of {dollars(limits.max_cost_usd)} spent by stored replies{doubt}")
    if limits.max_tokens is not None:
        lines.append(f"{tokens:,} of {limits.max_tokens:,} tokens used by stored replies")
    return [f"forecast: {line}" for line in lines]


def fit_lines(fits: Iterable[Fit]) -> list[str]:
    """How many requests the caps let be in flight at once, each at its worst case."""
    return [f"forecast: {_fit(fit)}" for fit in fits]


def too_small(fit: Fit) -> str:
    """Why a cap lets no request begin, and what lets it."""
    more = f"{_BOUND}={fit.bound} lets one begin, or " if fit.bound else ""
    return f"{fit.option}: a request may take up to {fit.most}, so none can begin; {more}raise the cap"


def _fit(fit: Fit) -> str:
    fitting = f"{fit.wanted:,} fit" if fit.at_once else "one fit"
    more = f"; {_BOUND}={fit.bound} lets {fitting}" if fit.bound else ""
    return (
        f"{fit.option}: {fit.at_once:,} of {fit.wanted:,} requests fit at once, as each may take up to {fit.most}{more}"
    )


def _line(outlooks: Sequence[Outlook]) -> str:
    questions, stored = (sum(getattr(one, field) for one in outlooks) for field in ("questions", "stored"))
    asked = [one for one in outlooks if one.asked]
    counted = _counted(questions, stored)
    if not asked:
        return counted if any(one.searching for one in outlooks) else f"{counted}; nothing is asked"
    prompts = thousands(sum(one.prompt_tokens for one in asked))
    return f"{counted}{_shared(asked)}; about {prompts} prompt tokens, {_completion(asked)}{_cost(asked)}"


def _counted(questions: int, stored: int) -> str:
    if questions == 1:
        return "1 question, which is stored" if stored else "1 question"
    if not stored:
        return f"{questions:,} questions"
    return f"{questions:,} questions, {f'{stored:,}' if stored < questions else 'all'} of them stored"


def _shared(asked: Sequence[Outlook]) -> str:
    """How many requests these are, where conditions put problems in the same words."""
    if all(one.stored + one.asked >= one.questions for one in asked):
        return ""
    requests = sum(one.asked for one in asked)
    return f"; {requests:,} request{'s' * (requests != 1)}, as some are put in the same words"


def _completion(asked: Sequence[Outlook]) -> str:
    """How long replies are going to be, where stored ones tell."""
    if not (learned_from := sum(one.learned_from for one in asked)):
        return ""
    tokens = thousands(sum(one.completion_tokens for one in asked))
    partly = "partly " * any(one.guessed for one in asked)
    replies = f"{learned_from:,} stored repl{'ies' if learned_from > 1 else 'y'}"
    return f"about {tokens} completion tokens ({partly}from {replies}), "


def _cost(asked: Sequence[Outlook]) -> str:
    if all(one.model.simulated for one in asked):
        return "free: simulated"
    known = [usd for one in asked if (usd := one.cost_usd) is not None]
    unknown, reasons = len(known) < len(asked), any(one.is_unforeseeable for one in asked)
    doubts = [doubt for holds, doubt in ((reasons, _REASONS), (unknown, _UNKNOWN)) if holds]
    cost = f"{'from' if doubts else 'about'} {_dollars(sum(known))}" if known else "cost unknown"
    return f"{cost} ({'; '.join(doubts)})" if doubts else cost


def _dollars(cost: float) -> str:
    return f"{dollars(_SMALLEST)} or less" if 0 < cost < _SMALLEST else dollars(cost)
