"""Runs a grader over the corpus: `python -m exactnum.conformance module:function`.

The grader is a function of a reply and the expected number, both texts. It runs in a
process of its own, which is ended if one reply takes too long.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module, resources
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NoReturn

Grader = Callable[[str, str], Any]

WRONG_USAGE = 4
_EXAMPLES = 3  # of each kind of error in a family
_SHOWN = 60  # characters of a reply in an example
_SECONDS = 20.0
_START_SECONDS = 300.0  # for imports


class UsageError(Exception):
    """The grader or the corpus cannot be used; the message is one line."""


@dataclass(frozen=True, slots=True)
class Case:
    """A reply of the corpus, the expected number, and whether a grader has to accept
    it; names of reward-doctor.
    """

    id: str
    category: str
    family: str
    language: str
    reference: str
    completion: str
    expect: bool
    why: str
    origin: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the grader says to a case.

    `fault` is set if it raised or took too long, which counts as a refusal.
    """

    case: Case
    accepts: bool
    seconds: float
    fault: str | None

    @property
    def is_right(self) -> bool:
        return self.accepts == self.case.expect


def load_corpus(path: Path | None = None) -> list[Case]:
    """The cases of a JSONL file, or of the corpus in this package."""
    source = path or resources.files(__package__ or "exactnum").joinpath(
        "corpus", "cases.jsonl"
    )
    try:
        lines = source.read_text("utf-8").splitlines()
        return [Case(**json.loads(line)) for line in lines]
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"the corpus {source} cannot be read: {error}") from error


def load_grader(name: str) -> Grader:
    """The function of `module:function` or `file.py:function`."""
    where, separator, function = name.rpartition(":")
    if not separator:
        raise UsageError(
            f"{name!r} names no function; write module:function or file.py:function"
        )
    try:
        if where.endswith(".py"):
            spec = spec_from_file_location(Path(where).stem, where)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = import_module(where)
        found = getattr(module, function)
    except Exception as error:
        raise UsageError(f"{name}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise UsageError(f"{name} is not a function")
    grader: Grader = found
    return grader


def accepts(verdict: Any) -> bool:
    """Whether a verdict accepts the reply: of numbers only 1 and more, of a mapping its
    `score`.
    """
    if isinstance(verdict, dict):
        verdict = verdict.get("score")
    if isinstance(verdict, list | tuple) and len(verdict) == 1:
        verdict = verdict[0]
    if isinstance(verdict, int | float):
        return verdict >= 1
    return bool(verdict)


# --- running --------------------------------------------------------------------------


def verdicts(
    name: str, cases: Sequence[Case], seconds: float = _SECONDS
) -> Iterator[Verdict]:
    """The grader's verdict on each case, in order."""
    process, pipe = _started(name)
    try:
        for case in cases:
            start = perf_counter()
            try:
                pipe.send((case.completion, case.reference))
                if pipe.poll(seconds):
                    accepted, took, fault = pipe.recv()
                    yield Verdict(case, accepted, took, fault)
                    continue
                fault = f"took more than {seconds:g} s"
            except (EOFError, OSError):
                fault = "ended its process"
            yield Verdict(case, False, perf_counter() - start, fault)
            _stop(process)
            process, pipe = _started(name)
    finally:
        _stop(process)


def _started(name: str) -> tuple[Any, Connection]:
    """A process that has loaded the grader, and its pipe."""
    context = get_context("spawn")
    pipe, other = context.Pipe()
    process = context.Process(target=_serve, args=(name, other), daemon=True)
    process.start()
    other.close()
    problem: str | None = f"{name} takes more than {_START_SECONDS:g} s to load"
    try:
        if pipe.poll(_START_SECONDS):
            problem = pipe.recv()
    except EOFError:
        problem = f"{name} ends its process when it is loaded"
    if problem is not None:
        _stop(process)
        raise UsageError(problem)
    return process, pipe


def _stop(process: Any) -> None:
    process.kill()
    process.join()


def _serve(name: str, pipe: Connection) -> None:
    """Load the grader and answer the parent until it closes the pipe."""
    try:
        grader = load_grader(name)
    except UsageError as error:
        pipe.send(str(error))
        return
    with suppress(Exception):
        grader("1", "1")  # what it loads on its first call is no time of a reply
    pipe.send(None)
    while True:
        try:
            reply, expected = pipe.recv()
        except EOFError:
            return
        start = perf_counter()
        fault = None
        try:
            accepted = accepts(grader(reply, expected))
        except Exception as error:
            accepted, fault = False, f"raised {type(error).__name__}"
        pipe.send((accepted, perf_counter() - start, fault))


# --- results --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """The errors of a grader in one family, or in all."""

    family: str
    cases: int
    to_refuse: int
    false_accepts: int
    to_accept: int
    false_refusals: int

    @classmethod
    def of(cls, family: str, found: Sequence[Verdict]) -> Counts:
        to_accept = [one for one in found if one.case.expect]
        to_refuse = [one for one in found if not one.case.expect]
        return cls(
            family,
            len(found),
            len(to_refuse),
            sum(one.accepts for one in to_refuse),
            len(to_accept),
            sum(not one.accepts for one in to_accept),
        )


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts of a grader."""

    grader: str
    found: Sequence[Verdict]

    @property
    def total(self) -> Counts:
        return Counts.of("all", self.found)

    @property
    def families(self) -> list[Counts]:
        by_name: dict[str, list[Verdict]] = {}
        for one in self.found:
            by_name.setdefault(one.case.family, []).append(one)
        return [Counts.of(name, found) for name, found in by_name.items()]

    @property
    def percent_right(self) -> float:
        return 100 * sum(one.is_right for one in self.found) / len(self.found)

    @property
    def slowest(self) -> Verdict:
        return max(self.found, key=lambda one: one.seconds)

    @property
    def median_seconds(self) -> float:
        return median(one.seconds for one in self.found)

    @property
    def faults(self) -> list[Verdict]:
        return [one for one in self.found if one.fault]

    def examples(self, family: str) -> list[Verdict]:
        """The first errors of a family, false accepts before false refusals."""
        wrong = [
            one for one in self.found if one.case.family == family and not one.is_right
        ]
        accepted = [one for one in wrong if one.accepts]
        refused = [one for one in wrong if not one.accepts]
        return accepted[:_EXAMPLES] + refused[:_EXAMPLES]

    def as_json(self) -> str:
        """Counts, wrong verdicts and times."""
        wrong = [
            {
                "id": one.case.id,
                "accepts": one.accepts,
                "seconds": round(one.seconds, 6),
                "fault": one.fault,
            }
            for one in self.found
            if not one.is_right
        ]
        told = {
            "grader": self.grader,
            "percent_right": round(self.percent_right, 2),
            "total": asdict(self.total),
            "families": [asdict(counts) for counts in self.families],
            "median_seconds": round(self.median_seconds, 7),
            "slowest": {
                "id": self.slowest.case.id,
                "seconds": round(self.slowest.seconds, 6),
            },
            "faults": len(self.faults),
            "wrong": wrong,
        }
        return json.dumps(told, indent=2, ensure_ascii=False)

    def as_markdown(self) -> str:
        """A table of families, and examples."""
        lines = [
            "| family | cases | false accepts | false refusals |",
            "|---|--:|--:|--:|",
        ]
        lines += [f"| {' | '.join(row)} |" for row in self._rows()]
        lines.append("")
        examples = [f"- {line}" for line in self._example_lines()]
        if examples:
            lines += [*examples, ""]
        lines.append(self._last_line())
        return "\n".join(lines)

    def as_text(self) -> str:
        """The same for a terminal."""
        lines = []
        rows = [("family", "cases", "false accepts", "false refusals"), *self._rows()]
        for name, cases, accepted, refused in rows:
            lines.append(f"{name:20} {cases:>6} {accepted:>16} {refused:>16}")
        return "\n".join([*lines, "", *self._example_lines(), self._last_line()])

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = []
        for counts in [*self.families, self.total]:
            accepted = f"{counts.false_accepts} of {counts.to_refuse}"
            refused = f"{counts.false_refusals} of {counts.to_accept}"
            rows.append((counts.family, str(counts.cases), accepted, refused))
        return rows

    def _example_lines(self) -> list[str]:
        lines = []
        for counts in self.families:
            for one in self.examples(counts.family):
                kind = "accepts" if one.accepts else "refuses"
                fault = f" ({one.fault})" if one.fault else ""
                lines.append(
                    f"{one.case.id}: {kind} {_short(one.case.completion)} for "
                    f"{one.case.reference[:40]}{fault}"
                )
        return lines

    def _last_line(self) -> str:
        slowest = self.slowest
        return (
            f"{self.percent_right:.1f} % of {len(self.found):,} verdicts are right; "
            f"{len(self.faults)} replies raised"
            f" an exception or took too long; slowest reply: {slowest.case.id}, "
            f"{slowest.seconds * 1000:.1f} ms"
        )


def _short(text: str) -> str:
    shown = text
    if len(text) > _SHOWN:
        shown = f"...{text[-_SHOWN:]}"
    if shown.replace("\n", "").isprintable():
        return repr(shown)
    return ascii(shown)


# --- command line ---------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "grader",
        metavar="MODULE:FUNCTION",
        help="A function of a reply and the expected number, in a module or as "
        "file.py:function",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "markdown"),
        default="text",
        help="Output format (default: text)",
    )
    parser.add_argument(
        "--fail-under",
        type=float,
        metavar="PERCENT",
        help="Exit with status 1 if fewer verdicts are right",
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        metavar="FILE",
        help="Cases in JSONL instead of the built-in ones",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=_SECONDS,
        metavar="SECONDS",
        help=f"The longest time for one reply (default: {_SECONDS:g})",
    )


def run(request: argparse.Namespace) -> tuple[str, int]:
    """What the command prints, and its exit status."""
    cases = load_corpus(request.corpus)
    if not cases:
        raise UsageError("the corpus has no cases")
    found = list(verdicts(request.grader, cases, request.timeout))
    report = Report(request.grader, found)
    if request.format == "json":
        shown = report.as_json()
    elif request.format == "markdown":
        shown = report.as_markdown()
    else:
        shown = report.as_text()
    least = request.fail_under
    is_under = least is not None and report.percent_right < least
    return shown, int(is_under)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module of the current folder
    parser = _Parser(
        "exactnum.conformance", description="Run a grader over a corpus of replies."
    )
    add_arguments(parser)
    try:
        shown, status = run(parser.parse_args(argv))
    except UsageError as error:
        sys.stderr.write(f"conformance: {error}\n")
        return WRONG_USAGE
    sys.stdout.write(f"{shown}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
