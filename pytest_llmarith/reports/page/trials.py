"""A record as the trial browser shows it: texts that stand under names, in the order in which they are read.

It does not know how they are kept, nor how they are made harmless: that is for whoever shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_llmarith.records import (
    AdditionProblem,
    Answer,
    ArithmeticProblem,
    CustomProblem,
    Grade,
    Judges,
    Problem,
    Program,
    Record,
    Reply,
    SearchProblem,
    SequenceProblem,
    Term,
    as_text,
)
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.page.trails import shown_search
from pytest_llmarith.values import Op, Reading, Symbols

_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×", Op.DIV: "÷"}
_KINDS = ("prompt", "completion", "reasoning")
_ASCII_SIGNS = {**_SIGNS, Op.MUL: "*", Op.DIV: "/"}


def shown_trial(record: Record) -> dict[str, Any]:
    """What is known of a trial; what is not known is left out."""
    problem, reply = record.problem, record.reply
    signs = _ASCII_SIGNS if record.condition.symbols is Symbols.ASCII else _SIGNS
    trial = {
        "cell": _cell(record.task, problem),
        "question": _question(problem, signs),
        "expected": as_text(getattr(problem, "expected", None)),
        "answer": record.answer_text,
        "reason": record.reason,
        "prompt": record.prompt,
        "reply": reply and reply.text,
        "reasoning": reply and reply.reasoning,
        "facts": [*_facts(record), *(_reply_facts(reply) if reply else ())],
        **(_program(record.oeis) if record.oeis else {}),
        **(shown_search(record.search) if record.search else {}),
    }
    return {key: value for key, value in trial.items() if value not in (None, "")}


def _question(problem: Problem, signs: Mapping[Op, str]) -> str:
    match problem:
        case ArithmeticProblem(lhs=lhs, op=op, rhs=rhs):
            return f"{lhs} {signs[op]} {rhs}"
        case AdditionProblem(int1=int1, int2=int2):
            return f"{int1} + {int2}"
        case CustomProblem(given=given):
            return ", ".join(f"{name}: {as_text(value)}" for name, value in given.items())
        case SequenceProblem(number=number, name=name):
            return f"{number} {name}".strip()
    return ""


def _cell(task: str, problem: Problem) -> str:
    match problem:
        case ArithmeticProblem(variant=variant, depth=depth):
            return f"{variant}, depth {depth}"
        case SearchProblem(variant=variant):
            return f"{variant}, {task}"
        case SequenceProblem(set=name):
            return name
    return task


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    """What was made of the reply."""
    if record.nodeid:
        yield "item", record.nodeid
    if condition := label_of(record.condition):
        yield "condition", condition
    if record.repeat:
        yield "repeat", str(record.repeat)
    answer = record.answer
    if record.reading and isinstance(answer, Answer) and answer.strict != answer.tolerant:
        other = Reading.STRICT if record.reading is Reading.TOLERANT else Reading.TOLERANT
        yield f"{other} reading", answer.by(other) or "no answer"
    if record.grade:
        if record.grade.relative_error is not None:
            yield "relative error", figures.short(record.grade.relative_error)
        yield "leading digits right", _leading(record.grade)
    for retry in record.retries:
        yield "tried again", f"{retry.reason}, after {figures.seconds(retry.waited_s)} s"


def _leading(grade: Grade) -> str:
    """Of another length than the truth, an answer's digits have other places, whatever they look like."""
    return "- (other length)" if grade.dlength and not grade.leading_digits else str(grade.leading_digits)


def _reply_facts(reply: Reply) -> Iterator[tuple[str, str]]:
    """What is known of the reply beside its text."""
    named = (("finish reason", reply.finish_reason), ("served by", reply.served_model), ("asked at", reply.asked_at))
    yield from ((name, value) for name, value in named if value)
    kinds = (
        ("prompt", reply.prompt_tokens),
        ("completion", reply.completion_tokens),
        ("reasoning", reply.reasoning_tokens),
    )
    if tokens := ", ".join(f"{count:,} {kind}" for kind, count in kinds if count is not None):
        yield "tokens", tokens
    if reply.cost_usd is not None:
        yield "cost", figures.dollars(reply.cost_usd)
    if reply.latency_s is not None:
        yield "latency", f"{figures.seconds(reply.latency_s)} s"
    if reply.attempts > 1:
        yield "attempts", str(reply.attempts)
    if reply.stored:
        yield "stored", "from the store of an earlier run"


def _program(program: Program) -> dict[str, Any]:
    """What was run, what came out of it, and what the judges say."""
    return {
        "program": program.program,
        "detail": program.detail,
        "scores": [[f"{float(limit):g} s", f"{100 * score:.1f} %"] for limit, score in (program.scores or {}).items()],
        "terms": [_term(term) for term in program.terms],
        "judges": list(_judges(program.judges)),
        "isolation": program.isolation.level,
    }


def _term(term: Term) -> list[str | None]:
    return [str(term.n), term.expected, term.got, term.status, f"{term.seconds:.3f}", term.stderr or None]


def _judges(judges: Judges) -> Iterator[list[str]]:
    if judges.static:
        yield ["static judge", _verdict(judges.static.cheat), "; ".join(judges.static.evidence)]
    if judges.llm:
        yield [str(judges.llm.model), _verdict(judges.llm.cheat), ""]


def _verdict(cheat: bool | None) -> str:
    return "no verdict" if cheat is None else "a lookup table" if cheat else "no lookup table"
