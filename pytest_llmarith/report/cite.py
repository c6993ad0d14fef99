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
            reply = record.reply
            if reply is None:
                continue
            seen.own_price |= reply.own_price
            if reply.asked_at:
                seen.days.add(reply.asked_at[: len("2026-11-22")])
            if reply.served_model:
                seen.served[record.model].add(reply.served_model)
        return seen

    @property
    def first_day(self) -> str:
        return min(self.days, default="")

    @property
    def when(self) -> str:
        """The day on which the questions were asked, or the first and the last one."""
        if not self.days:
            return "an unknown day"
        last = max(self.days)
        if last == self.first_day:
            return last
        return f"{self.first_day} to {last}"


_Entry = tuple[str, dict[str, str]]  # a name, and the fields of BibTeX


def cite(runs: Sequence[LoadedRun]) -> Iterator[str]:
    """The lines for runs, with one entry for the program.

    Raises UsageError if a file is invalid.
    """
    entries: list[_Entry] = []
    programs: dict[str, str] = {}  # the first year of each version
    for run in runs:
        seen, summary = _Seen.of(run.records()), run.summary()
        for line in _sentences(summary, seen):
            yield sanitize(line, _LONGEST_LINE)
        yield ""
        year = seen.first_day[:4]
        if seen.elsewhere:
            programs.setdefault(version("pytest-llmarith"), str(datetime.now(UTC).year))
        else:
            programs.setdefault(summary.run.versions.get("pytest-llmarith") or "", year)
        note = f"Asked on {seen.when}"
        if summary.run.seed is not None:
            note += f", seed {summary.run.seed}"
        entries.append(
            (run.name, {"title": _title(summary), "year": year, "note": note})
        )
    for release, year in reversed(programs.items()):
        entries.insert(0, _program(release, year))
    yield from _bibtex(entries)


def _title(summary: RunSummary) -> str:
    """The models with their parameters, fake ones marked, and the tasks."""
    models: dict[str, None] = {}
    tasks: dict[str, None] = {}
    for result in summary.results:
        about = [_parameters(summary.run, result.model)]
        if result.simulated:
            about.append("simulated")
        text = ", ".join(filter(None, about))
        models[f"{result.model} ({text})" if text else result.model] = None
        tasks[result.task.replace("_", " ")] = None
    return f"{', '.join(models)}: {', '.join(tasks)}"


def _program(release: str, year: str) -> _Entry:
    title = (
        "pytest-llmarith: language models on questions whose right answer is "
        "known exactly"
    )
    author = "{The pytest-llmarith developers}"
    fields = {"author": author, "title": title, "year": year}
    if release:
        fields["note"] = f"Version {release}"
    return f"pytest-llmarith-{release}", fields


def _bibtex(entries: Sequence[_Entry]) -> Iterator[str]:
    keys = ascii_keys(name for name, _ in entries)
    for key, (_, fields) in zip(keys, entries, strict=True):
        yield f"@misc{{{key},"
        for name, text in fields.items():
            shown = text if name == "author" else latex(text)
            if name == "title":
                shown = f"{{{shown}}}"
            if text:
                yield f"  {name} = {{{shown}}},"
        yield "}"
        yield ""


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
        memory = f"{program.memory_bytes / 2**20:,.0f} MiB"
        level = program.isolation.level
        yield (
            f"Programs had {limits} s per term and {memory}, the {program.rules} "
            f"rules, and sandbox level {level}"
        )
        if program.judges.static:
            yield "A static detector looked for lookup tables"
        if program.judges.llm:
            judge = program.judges.llm.model or "of --oeis-judge"
            yield f"The model {judge} looked for lookup tables"


def _sentences(summary: RunSummary, seen: _Seen) -> Iterator[str]:
    run = summary.run
    yield f"Asked on {seen.when} (UTC){_versions(run, seen)}."
    of_models: dict[str, list[Result]] = {}
    for result in summary.results:
        of_models.setdefault(result.model, []).append(result)
    for model, results in of_models.items():
        yield _model(model, run, seen.served[model], results)
    if run.seed is not None:
        yield f"The questions are those of seed {run.seed}."
    if run.repeats and run.repeats > 1:
        yield f"Each question was asked {run.repeats} times."
    if run.oeis and run.oeis.terms:
        yield f"Of each sequence, at most {run.oeis.terms} terms were run."
    for rule in sorted(seen.rules):
        yield f"{rule}."
    for task, prompt in seen.prompts.items():
        yield f"First prompt of {task}: {prompt}"
    for kind, texts in (run.prompt_texts or {}).items():
        for name, text in texts.items():
            yield f"{kind.removesuffix('s').capitalize()} {name}: {text or ''}"
    yield from _costs(summary, seen)


def _versions(run: Run, seen: _Seen) -> str:
    if seen.elsewhere:
        return (
            f" by another program (llm_arithmetic), graded by pytest-llmarith "
            f"{version('pytest-llmarith')}"
        )
    known = [f"{name} {release}" for name, release in run.versions.items() if release]
    if not known:
        return ""
    return f" with {', '.join(known)}"


def _costs(summary: RunSummary, seen: _Seen) -> Iterator[str]:
    """What all replies cost, unless no cost is known."""
    usd: float | None = None
    unpriced = 0
    for result in summary.results:
        unpriced += result.unpriced
        if result.cost_usd is not None:
            usd = (usd or 0.0) + result.cost_usd
    if usd is None or (not usd and not seen.own_price):  # such as of a model file
        return
    if seen.elsewhere:
        prices = "as recorded by llm_arithmetic"
    elif seen.own_price:
        prices = "by the prices given with --llm-price"
    else:
        prices = "by litellm's prices of that version"
    yield f"The replies cost {dollars(usd, unpriced)}, {prices}."


def _parameters(run: Run, name: str) -> str:
    known = parameters_of(run, name) or {}
    return ", ".join(f"{key}={value}" for key, value in known.items())


def _model(name: str, run: Run, served: set[str], results: Sequence[Result]) -> str:
    """What was asked, and what it scored."""
    about = list(_about(name, run, served))
    if results[0].simulated:
        about.append("simulated")
    whose = f"{name} ({', '.join(about)})" if about else name
    figures = list(_figures(results))
    if not figures:
        return f"{whose}."
    return f"{whose}. {'; '.join(figures)}."


def _about(name: str, run: Run, served: set[str]) -> Iterator[str]:
    """The target of a model, what the provider served, and its parameters."""
    facts = next((one for one in run.models if one.name == name), None)
    if facts and facts.target not in (None, name):
        yield f"target {facts.target}"
    if served - {name}:
        yield f"served as {' and '.join(sorted(served))}"
    parameters = _parameters(run, name)
    if parameters:
        yield parameters
    elif facts:
        yield "no parameters"


def _figures(results: Sequence[Result]) -> Iterator[str]:
    """The correct answers of each task, searches, and D50 of adaptive asking."""
    for one in results:
        correct = one.percentages[Outcome.CORRECT]
        if correct is None:  # searches
            continue
        whose = one.task
        if one.condition:
            whose += f" ({label_of(one.condition)})"
        percentage = bounded(one)
        if not percentage:
            percentage = f"{percent_of(correct)} %, 95 % interval {interval(correct)}"
        counts = f"{one.outcomes.correct:,} of {one.measured:,} correct"
        yield f"{whose}: {counts} ({percentage})"
    searches = sum(len(one.breaking_points) for one in results)
    if searches:
        yield f"{searches:,} searches for breaking points"
    for result in results:
        for found in result.thresholds:
            if found.ended:
                yield f"D50 of {found.variant}: {d50_of(found)}"
