"""Records that a summary can count. One from another machine may have any shape: what is looked at is checked first.

It does not know where a record stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.checks import is_amount, is_count, is_decimal
from pytest_llmarith.reports.logs.searchshape import fault_of_search
from pytest_llmarith.trials import RECORD_FORMAT
from pytest_llmarith.values import ErrorClass, Outcome

_OUTCOMES = frozenset(map(str, Outcome))
_TEXTS = ("task", "model")
_OPTIONAL = ("reason", "reply", "grade", "run", "nodeid", "reading", "prompt", "answer")
_AMOUNTS = ("cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens")
_ERRORS = ("absolute_error", "relative_error")
_COUNTS = ("dlength", "leading_digits")  # older records lack them
_CLASSES = (None, *map(str, ErrorClass))


def check_record(record: Any, *, named: bool = True) -> None:
    """Raises ValueError, in one line for people, where this is no record of a run.

    What is only counted need not be `named`: a trial that pytest did not run has no node id.
    """
    fault = _not_an_object(record, "the line") or _fault(record, named)
    if fault is not None:
        raise ValueError(fault)


def _fault(record: Mapping[str, Any], named: bool) -> str | None:
    if record.get("format") != RECORD_FORMAT:
        return f"the format of the record is not {RECORD_FORMAT}"
    if not isinstance(record.get("nodeid"), str) and (named or record.get("nodeid") is not None):
        return "nodeid is not a text"
    for name in _TEXTS:
        if not isinstance(record.get(name), str):
            return f"{name} is not a text"
    for name in _OPTIONAL:
        if name not in record:
            return f"{name} is missing"
    if not isinstance(record.get("simulated"), bool):
        return "simulated is neither true nor false"
    for name in ("reason", "reading"):
        if not isinstance(record.get(name), str | None):
            return f"the {name} is not a text"
    repeat = record.get("repeat", 0)
    if not is_count(repeat):
        return "the repeat is no number from 0"
    outcome = record.get("outcome")
    if not isinstance(outcome, str) or outcome not in _OUTCOMES:
        return "the outcome is none of ours"
    return (
        _fault_of_problem(record.get("problem"))
        or (record["reply"] is not None and _fault_of_reply(record["reply"]))
        or (record["grade"] is not None and _fault_of_grade(record["grade"]))
        or ("set" in record["problem"] and outcome != Outcome.UNANSWERED and _fault_of_program(record.get("oeis")))
        or ("search" in record and _fault_of_trail(record))
        or None
    )


def _fault_of_problem(problem: Any) -> str | None:
    if fault := _not_an_object(problem, "the problem"):
        return fault
    for name in ("variant", "int1", "int2", "set", "number"):
        if not isinstance(problem.get(name, ""), str):
            return f"problem.{name} is not a text"
    if "set" in problem and "number" not in problem:
        return "problem.number is missing"
    return None if type(problem.get("depth", 0)) is int else "problem.depth is no whole number"


def _fault_of_reply(reply: Any) -> str | None:
    if fault := _not_an_object(reply, "the reply"):
        return fault
    for name in _AMOUNTS:
        if name not in reply:
            return f"{name} of the reply is missing"
        if reply[name] is not None and not is_amount(reply[name]):
            return f"{name} of the reply is no amount"
    return None if isinstance(reply.get("stored"), bool) else "stored of the reply is neither true nor false"


def _fault_of_trail(record: Mapping[str, Any]) -> str | None:
    if fault := fault_of_search(record):
        return fault
    told = (step.get(name) for step in record["search"]["trail"] for name in ("reply", "usage"))
    return next(filter(None, (_fault_of_reply(one) for one in told if one is not None)), None)


def _fault_of_grade(grade: Any) -> str | None:
    if fault := _not_an_object(grade, "the grade"):
        return fault
    for name in _ERRORS:
        if name not in grade or (grade[name] is not None and not is_decimal(grade[name])):
            return f"grade.{name} is no number"
    if "rounded" not in grade:
        return "grade.rounded is missing"
    for name in _COUNTS:
        if grade.get(name) is not None and not is_count(grade[name]):
            return f"grade.{name} is no count"
    if not is_amount(grade.get("digit_match", 0)):
        return "grade.digit_match is no amount"
    if grade.get("error_class") not in _CLASSES:
        return "grade.error_class is none of ours"
    return _fault_of_anatomy(grade) if "digit_match" in grade else None


def _fault_of_anatomy(grade: Mapping[str, Any]) -> str | None:
    """Where a record has one, all of it is there."""
    needed = ("error_class", "dlength", *(["leading_digits"] if grade.get("error_class") else []))
    for name in needed:
        if name not in grade or (name in _COUNTS and grade[name] is None):
            return f"grade.{name} is missing"
    return None


def _fault_of_program(facts: Any) -> str | None:
    if fault := _not_an_object(facts, "oeis"):
        return fault
    for name in ("scores", "isolation", "judges"):
        if fault := _not_an_object(facts.get(name), f"oeis.{name}"):
            return fault
    for limit, score in facts["scores"].items():
        if not is_decimal(limit) or not is_amount(score) or score > 1:
            return "oeis.scores does not hold shares by seconds"
    if not isinstance(facts["isolation"].get("level"), str):
        return "oeis.isolation.level is not a text"
    for name in ("static", "llm"):
        judge = facts["judges"].get(name, "missing")
        if judge is not None and (_not_an_object(judge, name) or not isinstance(judge.get("cheat"), bool)):
            return f"oeis.judges.{name} is no verdict"
    return _fault_of_terms(facts.get("terms"))


def _fault_of_terms(terms: Any) -> str | None:
    if not isinstance(terms, list | None):
        return "oeis.terms is no list"
    for term in terms or ():
        if fault := _not_an_object(term, "a term"):
            return fault
        if not isinstance(term.get("status"), str) or not is_amount(term.get("seconds")):
            return "a term has no status or no seconds"
    return None


def _not_an_object(value: Any, what: str) -> str | None:
    return None if isinstance(value, dict) else f"{what} is not a JSON object"
