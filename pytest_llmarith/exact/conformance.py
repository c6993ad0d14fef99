"""Runs a grader over the corpus: `python -m exactnum.conformance module:function`.

The grader is a function of a reply and the expected number, both texts. It runs in a
process of its own, which is ended if one reply takes too long.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module, resources
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


class WrongUsage(Exception):
    """The grader or the corpus cannot be used; the message is one line."""


@dataclass(frozen=True, slots=True)
class CorpusCase:
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

    case: CorpusCase
    accepts: bool
    seconds: float
    fault: str | None


def load_corpus(path: Path | None = None) -> list[CorpusCase]:
    """The cases of a JSONL file, or of the corpus in this package."""
    source = path or resources.files(__package__ or "exactnum").joinpath(
        "corpus", "cases.jsonl"
    )
    try:
        lines = source.read_text("utf-8").splitlines()
        return [CorpusCase(**json.loads(line)) for line in lines]
    except (OSError, ValueError, TypeError) as error:
        raise WrongUsage(f"the corpus {source} cannot be read: {error}") from error


def load_grader(name: str) -> Grader:
    """The function of `module:function` or `file.py:function`."""
    where, separator, function = name.rpartition(":")
    if not separator:
        raise WrongUsage(
            f"{name!r} names no function; write module:function or file.py:function"
        )
    try:
        if where.endswith(".py"):
            found = runpy.run_path(where).get(function)
        else:
            found = getattr(import_module(where), function, None)
    except Exception as error:
        raise WrongUsage(f"{name}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise WrongUsage(f"{where} has no function {function}")
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
    name: str, cases: Sequence[CorpusCase], seconds: float = _SECONDS
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
        raise WrongUsage(problem)
    return process, pipe


def _stop(process: Any) -> None:
    process.kill()
    process.join()


def _serve(name: str, pipe: Connection) -> None:
    """Load the grader and answer the parent until it closes the pipe."""
    try:
        grader = load_grader(name)
    except WrongUsage as error:
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


def report_of(grader: str, found: Sequence[Verdict]) -> dict[str, Any]:
    """Counts, wrong verdicts and times, as JSON has them."""
    families: dict[str, list[Verdict]] = {}
    for one in found:
        families.setdefault(one.case.family, []).append(one)
    wrong = [one for one in found if one.accepts != one.case.expect]
    slowest = max(found, key=lambda one: one.seconds)
    return {
        "grader": grader,
        "percent_right": round(100 * (1 - len(wrong) / len(found)), 2),
        "total": _counts("all", found),
        "families": [_counts(name, of_family) for name, of_family in families.items()],
        "median_seconds": round(median(one.seconds for one in found), 7),
        "slowest": {"id": slowest.case.id, "seconds": round(slowest.seconds, 6)},
        "faults": sum(one.fault is not None for one in found),
        "wrong": [
            {
                "id": one.case.id,
                "family": one.case.family,
                "reference": one.case.reference,
                "completion": one.case.completion,
                "accepts": one.accepts,
                "seconds": round(one.seconds, 6),
                "fault": one.fault,
            }
            for one in wrong
        ],
    }


def _counts(family: str, found: Sequence[Verdict]) -> dict[str, Any]:
    to_accept = [one for one in found if one.case.expect]
    to_refuse = [one for one in found if not one.case.expect]
    return {
        "family": family,
        "cases": len(found),
        "to_refuse": len(to_refuse),
        "false_accepts": sum(one.accepts for one in to_refuse),
        "to_accept": len(to_accept),
        "false_refusals": sum(not one.accepts for one in to_accept),
    }


def as_markdown(report: Mapping[str, Any]) -> str:
    """A table of families, and the first errors of each."""
    lines = [
        f"| {'family':20} | cases | false accepts | false refusals |",
        "|:---------------------|------:|--------------:|---------------:|",
    ]
    for counts in [*report["families"], report["total"]]:
        accepted = f"{counts['false_accepts']} of {counts['to_refuse']}"
        refused = f"{counts['false_refusals']} of {counts['to_accept']}"
        lines.append(
            f"| {counts['family']:20} | {counts['cases']:5} | {accepted:>13} "
            f"| {refused:>14} |"
        )
    lines.append("")
    shown: Counter[tuple[str, bool]] = Counter()
    for one in sorted(report["wrong"], key=lambda one: not one["accepts"]):
        shown[one["family"], one["accepts"]] += 1
        if shown[one["family"], one["accepts"]] <= _EXAMPLES:
            verb = "accepts" if one["accepts"] else "refuses"
            fault = f" ({one['fault']})" if one["fault"] else ""
            reply, reference = _short(one["completion"]), one["reference"][:40]
            lines.append(f"- {one['id']}: {verb} {reply} for {reference}{fault}")
    slowest = report["slowest"]
    return "\n".join(
        [
            *lines,
            "",
            f"{report['percent_right']:.1f} % of {report['total']['cases']:,} verdicts "
            f"are right; {report['faults']} replies raised an exception or took too "
            f"long; slowest reply: {slowest['id']}, {slowest['seconds'] * 1000:.1f} ms",
        ]
    )


def _short(text: str) -> str:
    if len(text) > _SHOWN:
        text = f"...{text[-_SHOWN:]}"
    return repr(text) if text.replace("\n", "").isprintable() else ascii(text)


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
        choices=("markdown", "json"),
        default="markdown",
        help="Output format (default: markdown)",
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
        raise WrongUsage("the corpus has no cases")
    found = list(verdicts(request.grader, cases, request.timeout))
    report = report_of(request.grader, found)
    if request.format == "json":
        shown = json.dumps(report, indent=2, ensure_ascii=False)
    else:
        shown = as_markdown(report)
    least = request.fail_under
    is_under = least is not None and report["percent_right"] < least
    return shown, int(is_under)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see --help")


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
    except WrongUsage as error:
        sys.stderr.write(f"conformance: {error}\n")
        return WRONG_USAGE
    sys.stdout.write(f"{shown}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
