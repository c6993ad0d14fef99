"""What a paper has to state about a run: models, questions, prompts, dates, versions and cost, as text and BibTeX."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pytest_llmarith.records import Record, Result, Run, RunSummary
from pytest_llmarith.results.formatting import dollars, interval, percent_of, sanitize
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.tables import latex
from pytest_llmarith.types import Outcome

_LONGEST_NAME = 1_000  # of a model with its parameters
_LONGEST_PROMPT = 2_000


@dataclass(slots=True)
class _Seen:
    """What only the records say."""

    served: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by model
    days: set[str] = field(default_factory=set)
    prompts: dict[str, str] = field(default_factory=dict)  # the first one of each task in its usual condition
    own_price: bool = False

    @classmethod
    def of(cls, records: Iterable[Record]) -> _Seen:
        seen = cls()
        for record in records:
            if record.prompt and not label_of(record.condition):
                seen.prompts.setdefault(record.task, record.prompt)
            if reply := record.reply:
                seen.own_price |= reply.own_price
                seen.days |= {reply.asked_at[: len("2026-11-22")]} if reply.asked_at else set()
                if reply.served_model:
                    seen.served[record.model].add(reply.served_model)
        return seen


def cite(runs: Sequence[LoadedRun]) -> Iterator[str]:
    """The lines for runs, with one entry for the program. Raises UsageError if a file is invalid."""
    entries: list[str] = []
    programs: dict[str, str] = {}  # the first year of each version
    for run in runs:
        seen, summary = _Seen.of(run.records()), run.summary()
        day = " to ".join(dict.fromkeys((min(seen.days), max(seen.days)))) if seen.days else "an unknown day"
        year = day[:4] if seen.days else ""
        yield from (*_sentences(summary, seen, day), "")
        programs.setdefault(summary.run.versions.get("pytest-llmarith") or "", year)
        models = ", ".join(dict.fromkeys(result.model for result in summary.results))
        tasks = ", ".join(dict.fromkeys(result.task.replace("_", " ") for result in summary.results))
        seed = f", seed {summary.run.seed}" if summary.run.seed is not None else ""
        entries += _bibtex(run.name, title=f"{models}: {tasks}", year=year, note=f"Asked on {day}{seed}")
    title = "pytest-llmarith: language models on questions whose right answer is known exactly"
    author = "{The pytest-llmarith developers}"
    for version, year in programs.items():
        key = f"pytest-llmarith-{version}"
        note = f"Version {version}" if version else ""
        yield from _bibtex(key, author=author, title=title, year=year, note=note)
    yield from entries


def _sentences(summary: RunSummary, seen: _Seen, day: str) -> Iterator[str]:
    run = summary.run
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items() if version)
    yield f"Asked on {day} (UTC){f' with {versions}' * bool(versions)}."
    for model in dict.fromkeys(result.model for result in summary.results):
        yield _model(model, run, seen.served[model], [one for one in summary.results if one.model == model])
    if run.seed is not None:
        yield f"The questions are those of seed {run.seed}."
    for task, prompt in seen.prompts.items():
        yield f"First prompt of {task}: {sanitize(prompt, _LONGEST_PROMPT)}"
    for kind, texts in (run.prompt_texts or {}).items():
        for name, text in texts.items():
            yield f"{kind.removesuffix('s').capitalize()} {name}: {sanitize(text or '', _LONGEST_PROMPT)}"
    costs = [result.cost_usd for result in summary.results if result.cost_usd is not None]
    if costs:
        prices = "the prices given with --llm-price" if seen.own_price else "litellm's prices of that version"
        yield f"The replies cost {dollars(sum(costs), sum(one.unpriced for one in summary.results))} by {prices}."


def _model(name: str, run: Run, served: set[str], results: Sequence[Result]) -> str:
    facts = next((one for one in run.models if one.name == name), None)
    params = ", ".join(f"{key}={value}" for key, value in ((facts and facts.params) or {}).items())
    about = [
        f"target {facts.target}" if facts and facts.target not in (None, name) else "",
        f"served as {' and '.join(sorted(served))}" if served - {name} else "",
        params or "no parameters" * bool(facts),
        "simulated" * results[0].simulated,
    ]
    found = []
    for one in results:
        if correct := one.percentages[Outcome.CORRECT]:  # searches have none
            condition = f" ({label_of(one.condition)})" * bool(one.condition)
            counts = f"{one.outcomes.correct:,} of {one.measured:,} correct"
            shares = f"{percent_of(correct)} %, 95 % interval {interval(correct)}"
            found.append(f"{one.task}{condition}: {counts} ({shares})")
    described = ", ".join(filter(None, about))
    searches = sum(len(one.breaking_points) for one in results)
    found += [f"{searches:,} searches for breaking points"] * bool(searches)
    whose = f"{name}{f' ({described})' * bool(described)}"
    return sanitize(f"{'. '.join(filter(None, (whose, '; '.join(found))))}.", _LONGEST_NAME)


def _bibtex(key: str, **fields: str) -> Iterator[str]:
    yield f"@misc{{{re.sub(r'[^A-Za-z0-9:-]+', '-', key).strip('-')},"
    yield from (f"  {name} = {{{text if name == 'author' else latex(text)}}}," for name, text in fields.items() if text)
    yield from ("}", "")
