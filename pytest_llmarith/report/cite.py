"""What a paper has to state about a run: models, questions, prompts, dates, versions
and cost, as text and BibTeX.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version

from pytest_llmarith.records import Record
from pytest_llmarith.report.completeness import bounded
from pytest_llmarith.report.formatting import (
    ascii_keys,
    d50_of,
    dollars,
    interval,
    percent_of,
)
from pytest_llmarith.report.render.documents import latex
from pytest_llmarith.results.keys import label_of, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import (
    Result,
    Run,
    RunSummary,
)
from pytest_llmarith.types import Outcome

_LONGEST_LINE = 2_000


@dataclass(slots=True)
class _Seen:
    """What only the records say."""

    served: defaultdict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # by model
    days: set[str] = field(default_factory=set)
    prompts: dict[str, str] = field(
        default_factory=dict
    )  # the first one of each task in its usual condition
    rules: set[str] = field(
        default_factory=set
    )  # how replies were read and programs run
    own_price: bool = False
    elsewhere: bool = False  # asked by another program, and graded by this one

    @classmethod
    def of(cls, records: Iterable[Record]) -> _Seen:
        seen = cls()
        for record in records:
            if record.prompt_text and not label_of(record.condition):
                seen.prompts.setdefault(record.task, record.prompt_text)
            seen.elsewhere |= record.nodeid is None
            seen.rules |= set(_rules(record))
            if reply := record.reply:
                seen.own_price |= reply.own_price
                seen.days |= (
                    {reply.asked_at[: len("2026-11-22")]} if reply.asked_at else set()
                )
                if reply.served_model:
                    seen.served[record.model].add(reply.served_model)
        return seen


def cite(runs: Sequence[LoadedRun]) -> Iterator[str]:
    """The lines for runs, with one entry for the program.

    Raises UsageError if a file is invalid.
    """
    entries: list[tuple[str, dict[str, str]]] = []
    programs: dict[str, str] = {}  # the first year of each version
    for run in runs:
        seen, summary = _Seen.of(run.records()), run.summary()
        day = (
            " to ".join(dict.fromkeys((min(seen.days), max(seen.days))))
            if seen.days
            else "an unknown day"
        )
        year = day[:4] if seen.days else ""
        yield from (
            *(sanitize(line, _LONGEST_LINE) for line in _sentences(summary, seen, day)),
            "",
        )
        if seen.elsewhere:
            programs.setdefault(version("pytest-llmarith"), str(datetime.now(UTC).year))
        else:
            programs.setdefault(summary.run.versions.get("pytest-llmarith") or "", year)
        sent = {
            result.model: _parameters(summary.run, result.model)
            for result in summary.results
        }
        models = ", ".join(
            f"{name} ({how})" if how else name for name, how in sent.items()
        )
        tasks = ", ".join(
            dict.fromkeys(result.task.replace("_", " ") for result in summary.results)
        )
        seed = f", seed {summary.run.seed}" if summary.run.seed is not None else ""
        entries.append(
            (
                run.name,
                {
                    "title": f"{models}: {tasks}",
                    "year": year,
                    "note": f"Asked on {day}{seed}",
                },
            )
        )
    title = (
        "pytest-llmarith: language models on questions whose right answer is "
        "known exactly"
    )
    author = "{The pytest-llmarith developers}"
    for release, year in reversed(programs.items()):
        note = f"Version {release}" if release else ""
        fields = {"author": author, "title": title, "year": year, "note": note}
        entries.insert(0, (f"pytest-llmarith-{release}", fields))
    for key, (_, fields) in zip(
        ascii_keys(name for name, _ in entries), entries, strict=True
    ):
        yield f"@misc{{{key},"
        for name, text in fields.items():
            shown = (
                text
                if name == "author"
                else f"{{{latex(text)}}}"
                if name == "title"
                else latex(text)
            )
            if text:
                yield f"  {name} = {{{shown}}},"
        yield from ("}", "")


def _rules(record: Record) -> Iterator[str]:
    """How the reply was read, the program run, or the search limited."""
    if record.reading:
        yield f"Replies to {record.task} were read by the {record.reading} reading"
    search, program = record.search, record.program
    if search and search.half_width is not None:
        width, most = f"{search.half_width:g}", f"{search.budget:,}"
        yield (
            f"D50 was measured to {width} digits, with up to {most} questions per "
            f"variant at chosen depths"
        )
    elif search:
        yield f"Searches for breaking points had up to {search.budget:,} questions each"
    if program:
        yield f"Programs were asked for sequences of the set {record.problem.variant}"
        limits = " and ".join(f"{limit:g}" for limit in program.limits)
        memory, level = (
            f"{program.memory_bytes / 2**20:,.0f} MiB",
            program.isolation.level,
        )
        yield (
            f"Programs had {limits} s per term and {memory}, the {program.rules} "
            f"rules, and sandbox level {level}"
        )
        if program.judges.static:
            yield "A static detector looked for lookup tables"
        if program.judges.llm:
            yield (
                f"The model {program.judges.llm.model or 'of --oeis-judge'} looked "
                f"for lookup tables"
            )


def _sentences(summary: RunSummary, seen: _Seen, day: str) -> Iterator[str]:
    run = summary.run
    versions = ", ".join(
        f"{name} {version}" for name, version in run.versions.items() if version
    )
    versions = f" with {versions}" if versions else ""
    if seen.elsewhere:
        versions = (
            f" by another program (llm_arithmetic), graded by pytest-llmarith "
            f"{version('pytest-llmarith')}"
        )
    yield f"Asked on {day} (UTC){versions}."
    for model in dict.fromkeys(result.model for result in summary.results):
        yield _model(
            model,
            run,
            seen.served[model],
            [one for one in summary.results if one.model == model],
        )
    if run.seed is not None:
        yield f"The questions are those of seed {run.seed}."
    if run.repeats and run.repeats > 1:
        yield f"Each question was asked {run.repeats} times."
    if run.oeis and run.oeis.terms:
        yield f"Of each sequence, at most {run.oeis.terms} terms were run."
    yield from (f"{rule}." for rule in sorted(seen.rules))
    for task, prompt in seen.prompts.items():
        yield f"First prompt of {task}: {prompt}"
    for kind, texts in (run.prompt_texts or {}).items():
        for name, text in texts.items():
            yield f"{kind.removesuffix('s').capitalize()} {name}: {text or ''}"
    costs = [
        result.cost_usd for result in summary.results if result.cost_usd is not None
    ]
    if costs:
        prices = (
            "by the prices given with --llm-price"
            if seen.own_price
            else "by litellm's prices of that version"
        )
        prices = "as recorded by llm_arithmetic" if seen.elsewhere else prices
        yield (
            f"The replies cost "
            f"{dollars(sum(costs), sum(one.unpriced for one in summary.results))}, "
            f"{prices}."
        )


def _parameters(run: Run, name: str) -> str:
    return ", ".join(
        f"{key}={value}" for key, value in (parameters_of(run, name) or {}).items()
    )


def _model(name: str, run: Run, served: set[str], results: Sequence[Result]) -> str:
    facts = next((one for one in run.models if one.name == name), None)
    about = [
        f"target {facts.target}" if facts and facts.target not in (None, name) else "",
        f"served as {' and '.join(sorted(served))}" if served - {name} else "",
        _parameters(run, name) or ("no parameters" if facts else ""),
        "simulated" if results[0].simulated else "",
    ]
    found = []
    for one in results:
        if correct := one.percentages[Outcome.CORRECT]:  # searches have none
            condition = f" ({label_of(one.condition)})" if one.condition else ""
            counts = f"{one.outcomes.correct:,} of {one.measured:,} correct"
            shares = (
                bounded(one)
                or f"{percent_of(correct)} %, 95 % interval {interval(correct)}"
            )
            found.append(f"{one.task}{condition}: {counts} ({shares})")
    described = ", ".join(filter(None, about))
    searches = sum(len(one.breaking_points) for one in results)
    if searches:
        found.append(f"{searches:,} searches for breaking points")
    found += [
        f"D50 of {one.variant}: {d50_of(one)}"
        for result in results
        for one in result.thresholds
        if one.ended
    ]
    whose = f"{name} ({described})" if described else name
    return f"{'. '.join(filter(None, (whose, '; '.join(found))))}."
