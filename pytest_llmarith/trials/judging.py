"""Whether a program is a lookup table: the static judge's word and a language model's, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_llmarith import records
from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.lookup_table import model_judge
from pytest_llmarith.oeis.lookup_table.detector import Analysis, Judgement, conclude
from pytest_llmarith.trials.frame import reply_part
from pytest_llmarith.values import Failure, ProgramRun, Reply

_ATTEMPTS = 3  # a judge that says neither 0 nor 1 is asked again
_MOST_STORED = 100


class NoVerdictError(Exception):
    """A judge that was to speak has not spoken; the message is one line for people, `replies` what it said instead."""

    def __init__(self, message: str, replies: Sequence[Reply] = ()) -> None:
        super().__init__(message)
        self.replies = tuple(replies)


class JudgeModel(Protocol):
    """A language model that judges."""

    @property
    def name(self) -> str: ...

    def reply(self, prompt: str, attempt: int) -> Reply | Failure: ...


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a language model said of a program, and how often it was asked until it did."""

    cheat: bool
    model: str
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judges' words. A program cheats where any of them says so.

    `addresses` are the places where the program talks to a judge: such a verdict wants to be looked at.
    """

    static: Judgement | None
    model: ModelVerdict | None
    addresses: tuple[str, ...]

    @property
    def cheat(self) -> bool:
        return any(verdict is not None and verdict.cheat for verdict in (self.static, self.model))

    @property
    def evidence(self) -> tuple[str, ...]:
        """What speaks for a lookup table, in words."""
        found = self.static.evidence if self.static and self.static.cheat else ()
        return (*found, f"a lookup table, says {self.model.model}") if self.model and self.model.cheat else found

    @property
    def part(self) -> records.Judges:
        """The verdicts as they stand in a record."""
        static, model = self.static, self.model
        return records.Judges(
            static=None if static is None else records.StaticVerdict(static.cheat, list(static.evidence)),
            llm=None
            if model is None
            else records.ModelVerdict(model.cheat, model.model, [reply_part(one) for one in model.replies]),
        )


def judge(
    program: Program,
    analysis: Analysis | None,
    listed: Sequence[ProgramRun],
    beyond: Sequence[ProgramRun],
    model: JudgeModel | None,
) -> Judgements:
    """All judges that there are, told of the runs of the listed terms and of those behind them.

    Raises NoVerdictError where one has no verdict: that never means "not cheating".
    """
    return Judgements(
        None if analysis is None else conclude(analysis, listed, beyond),
        None if model is None else verdict(model, program.source),
        model_judge.messages_to_judge(program),
    )


def verdict(model: JudgeModel, program: str) -> ModelVerdict:
    """What a language model says of a program. Raises NoVerdictError."""
    question, replies = model_judge.prompt(program), list[Reply]()
    new = 0
    for attempt in range(_MOST_STORED):
        answer = model.reply(question, attempt)
        if isinstance(answer, Failure):
            raise NoVerdictError(answer.message, replies)
        replies.append(answer)
        if (cheat := model_judge.read_verdict(answer.text)) is not None:
            return ModelVerdict(cheat, model.name, tuple(replies))
        new += not answer.stored  # what an earlier run was told instead of a verdict is none today
        if new == _ATTEMPTS:
            break
    raise NoVerdictError(f"{model.name} said neither 0 nor 1 in {_ATTEMPTS} replies", replies)
