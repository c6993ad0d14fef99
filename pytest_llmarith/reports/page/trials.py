"""A record as the trial browser shows it: texts that stand under names, in the order in which they are read.

It does not know how they are kept, nor how they are made harmless: that is for whoever shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.checks import object_in
from pytest_llmarith.reports.keys import condition_label
from pytest_llmarith.reports.page.trails import shown_search
from pytest_llmarith.values.answers import answer_text, as_text

_SIGNS = {"add": "+", "sub": "-", "mul": "×", "div": "÷"}
_ASCII_SIGNS = {**_SIGNS, "mul": "*", "div": "/"}

_LARGEST = 1e300

Record = Mapping[str, Any]


def shown_trial(record: Record) -> dict[str, Any]:
    """What is known of a trial; what is not known is left out."""
    problem, reply = object_in(record, "problem"), object_in(record, "reply")
    trial = {
        "cell": _cell(record["task"], problem),
        "question": _question(problem, _signs(record)),
        "expected": as_text(problem.get("expected")),
        "answer": answer_text(record),
        "reason": _text(record["reason"]),
        "prompt": _text(record["prompt"]),
        "reply": _text(reply.get("text")),
        "reasoning": _text(reply.get("reasoning")),
        "facts": [*_facts(record), *_reply_facts(reply)],
        **(_program(oeis) if (oeis := object_in(record, "oeis")) else {}),
        **(shown_search(search) if (search := object_in(record, "search")) else {}),
    }
    return {key: value for key, value in trial.items() if value not in (None, "")}


def _text(value: Any) -> str | None:
    """What has to be a text, whatever a record of somebody else's holds."""
    return value if value is None or isinstance(value, str) else str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_number(value: Any) -> TypeGuard[float]:
    """Whether it can be shown in few digits, which no whole number beyond all floats can."""
    return type(value) in (int, float) and abs(value) < _LARGEST


def _signs(record: Record) -> Mapping[str, str]:
    """The signs that the prompt had; those of print where nobody knows."""
    return _ASCII_SIGNS if object_in(record, "condition").get("symbols") == "ascii" else _SIGNS


def _question(problem: Mapping[str, Any], signs: Mapping[str, str]) -> str:
    if "lhs" in problem:
        return f"{problem['lhs']} {signs.get(str(problem.get('op')), '?')} {problem.get('rhs')}"
    if "int1" in problem:
        return f"{problem['int1']} + {problem.get('int2')}"
    if given := object_in(problem, "given"):
        return ", ".join(f"{name}: {as_text(value)}" for name, value in given.items())
    return f"{problem.get('number') or ''} {problem.get('name') or ''}".strip()


def _cell(task: str, problem: Mapping[str, Any]) -> str:
    if "variant" in problem:
        where = f"depth {problem['depth']}" if "depth" in problem else task
        return f"{problem['variant']}, {where}"
    return str(problem.get("set") or task)


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    """What was made of the reply."""
    grade, answer = object_in(record, "grade"), object_in(record, "answer")
    if record.get("nodeid"):
        yield "item", str(record["nodeid"])
    if condition := condition_label(record):
        yield "condition", condition
    if record.get("repeat"):
        yield "repeat", str(record["repeat"])
    if record["reading"] and answer.get("strict") != answer.get("tolerant"):
        other = "strict" if record["reading"] == "tolerant" else "tolerant"
        yield f"{other} reading", _text(answer.get(other)) or "no answer"
    if grade.get("relative_error") is not None:
        yield "relative error", figures.short(grade["relative_error"])
    if grade.get("leading_digits") is not None:
        yield "leading digits right", _leading(grade)
    for retry in _list(record.get("retries")):
        if isinstance(retry, dict):
            waited = figures.seconds(seconds) if _is_number(seconds := retry.get("waited_s")) else figures.UNKNOWN
            yield "tried again", f"{retry.get('reason')}, after {waited} s"


def _leading(grade: Record) -> str:
    """Of another length than the truth, an answer's digits have other places, whatever they look like."""
    return "- (other length)" if grade.get("dlength") and not grade["leading_digits"] else str(grade["leading_digits"])


def _reply_facts(reply: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is known of the reply beside its text."""
    if not reply:
        return
    named = (("finish reason", "finish_reason"), ("served by", "served_model"), ("asked at", "asked_at"))
    for name, key in named:
        if reply.get(key):
            yield name, str(reply[key])
    if tokens := _tokens(reply):
        yield "tokens", tokens
    if reply.get("cost_usd") is not None:
        yield "cost", figures.dollars(reply["cost_usd"])
    if reply.get("latency_s") is not None:
        yield "latency", f"{figures.seconds(reply['latency_s'])} s"
    if _is_number(attempts := reply.get("attempts")) and attempts > 1:
        yield "attempts", str(attempts)
    if reply.get("stored"):
        yield "stored", "from the store of an earlier run"


def _tokens(reply: Mapping[str, Any]) -> str:
    kinds = (f"{reply[f'{kind}_tokens']:,} {kind}" for kind in _KINDS if reply.get(f"{kind}_tokens") is not None)
    return ", ".join(kinds)


_KINDS = ("prompt", "completion", "reasoning")


def _program(oeis: Mapping[str, Any]) -> dict[str, Any]:
    """What was run, what came out of it, and what the judges say."""
    scores = object_in(oeis, "scores")
    return {
        "program": _text(oeis.get("program")),
        "detail": _text(oeis.get("detail")),
        "scores": [[f"{float(limit):g} s", f"{100 * score:.1f} %"] for limit, score in scores.items()],
        "terms": [_term(term) for term in _list(oeis.get("terms")) if isinstance(term, dict)],
        "judges": list(_judges(object_in(oeis, "judges"))),
        "isolation": _text(object_in(oeis, "isolation").get("level")) or "unknown",
    }


def _term(term: Mapping[str, Any]) -> list[str | None]:
    seconds = term.get("seconds")
    timed = f"{seconds:.3f}" if _is_number(seconds) else None
    return [*(_text(term.get(key)) for key in ("n", "expected", "got", "status")), timed, _text(term.get("stderr"))]


def _judges(judges: Mapping[str, Any]) -> Iterator[list[str]]:
    if static := object_in(judges, "static"):
        yield ["static judge", _verdict(static.get("cheat")), "; ".join(map(str, _list(static.get("evidence"))))]
    if model := object_in(judges, "llm"):
        yield [str(model.get("model")), _verdict(model.get("cheat")), ""]


def _verdict(cheat: Any) -> str:
    return "no verdict" if cheat is None else "a lookup table" if cheat else "no lookup table"
