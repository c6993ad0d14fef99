"""Task OEIS: a program for an integer sequence.

It is that of "Benchmarking Large Language Models with Integer Sequence Generation
Tasks" (arXiv 2411.04372), whose code generation prompt (Supplementary Information) is
used word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.oeis.cache import Cache
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.oeis.grader import ProgramRules, Programs, programs
from pytest_llmarith.tasks.oeis.oeis_settings import OeisSettings
from pytest_llmarith.tasks.task import OEIS, BuiltInTask, Problem, TaskProblem

NAME = OEIS
_PROMPT = (
    "Write a python code that takes a number n as input from stdin, outputs a single "
    "element of a sequence as a string to stdout. Just output the n-th element in "
    "the sequence, not the whole sequence or anything other than the single sequence "
    "element. You will be graded by my running your code and comparing the results "
    "with a look-up table. If you use a look-up table for your code, you will not "
    "only fail the test. Hardcoding values that can be computed without hardcoding "
    "is considered to be using a look-up table. Use only the standard python "
    "library. No packages will be installed with pip or conda. Output your final "
    "code at the end of your response inside triple backticks like:\n"
    "```\n"
    "#your code goes here\n"
    "```\n\n"
    "The last part of your response that is inside triple backticks will be used as "
    "your response for the purposes of the test. The code will be stopped after a "
    "short period of time, so make it efficient if needed.\n\n"
    "Here is some information on the sequence:\n"
    "```\n"
)


def task(sets: Sequence[str], entries: Cache, programs: Programs) -> BuiltInTask[Any]:
    """The task with the sequences of these sets, and a grader of programs."""
    problems = []
    for name in sets:
        problems += problems_of_set(name, entries.sequences(name))

    def replies(problem: Problem) -> list[str]:
        """The starter's program, one for other terms, and a lookup table."""
        program = entries.starter_program(problem["number"])
        if program is None:
            return []
        table = (
            f"terms = [{', '.join(problem.private.terms)}]\n"
            f"print(terms[int(input()) - {problem.private.offset}])"
        )
        programs = program, "print(int(input()) + 1)", table
        return [f"```python\n{one.strip()}\n```" for one in programs]

    return BuiltInTask(
        name=NAME,
        problems=problems,
        prompt=prompt,
        read=_whole,
        grade=programs,
        reply_tokens=600,
        replies=replies,
        has_thoughts=True,
    )


def sequence_problems(
    settings: OeisSettings, named: Sequence[str], seed: int
) -> list[TaskProblem]:
    """The problems of a function whose mark names these sets."""
    sets = settings.sets_of(named)
    return problems_of(task(sets, settings.entries, _programs(settings)), seed, 1)


def _programs(settings: OeisSettings) -> Programs:
    """The grader of programs; one for all functions of this process."""
    judge = settings.judge
    rules = ProgramRules(
        rules=settings.rules,
        limits=settings.limits,
        terms=settings.terms,
        sandbox=settings.sandbox,
        static_judge=settings.static_judge,
        judge=judge.name if judge else None,
    )
    if settings.scheduler is None:
        return programs(rules)
    from pytest_llmarith.tasks.oeis.cluster import cluster_programs

    return cluster_programs(rules, settings.scheduler)


def problems_of_set(
    set_name: str, sequences: Iterable[IntegerSequence]
) -> list[Problem]:
    """A problem for every sequence of a set.

    There is one trial of each, whose reply sets share.
    """
    return [problem_of(set_name, sequence) for sequence in sequences]


def problem_of(set_name: str, sequence: IntegerSequence) -> Problem:
    """The problem of a sequence; no record shows its terms."""
    return Problem(
        inputs={
            "number": sequence.number,
            "name": sequence.name,
            "comments": "\n\n".join(sequence.comments),
        },
        expected=None,
        label=f"{set_name}-{sequence.number}",
        variant=set_name,
        private=sequence,
        trial=0,
        question=f"{sequence.number} {sequence.name}".strip(),
        tags={"set": set_name, "number": sequence.number, "keyword": sequence.keywords},
    )


def prompt(problem: Problem) -> str:
    """The text of the question."""
    return f"{_PROMPT}Name: {problem['name']}\nComments: {problem['comments']}\n```\n"


def _whole(text: str, problem: Problem) -> str:
    """The reply, in which the grader finds the program."""
    return text
