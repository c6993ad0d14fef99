"""The bridge to reasoning-gym: a task from one of its generators."""

from __future__ import annotations

import atexit
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from pytest_llmarith import exact
from pytest_llmarith.bridges.data_sets import DataSets, Made
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.tasks.checks import are_depths, is_size
from pytest_llmarith.tasks.parameters import task_factory
from pytest_llmarith.tasks.task import (
    Grade,
    Grid,
    InvalidGrade,
    NoAnswer,
    Problem,
    Task,
    UnusableInput,
    short_repr,
)
from pytest_llmarith.types import Dtype, NanReason

_INSTRUCTION = "Write the final answer between <answer> and </answer>."
# As `str` writes them: reading others as numbers would lose their zeros.
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_PROCESS = "from pytest_llmarith.bridges.data_sets import serve; serve()"
# Of each depth: of more, the others would be made twice for little. A generator that
# makes 1 % of its questions otherwise is found with 99.99 %.
_COMPARED = 1000
_FEWEST = 16  # questions of a search that are made at once
_LONGEST_MESSAGE = 500


@task_factory
def reasoning_gym(
    generator: str,
    difficulty: Mapping[str, Sequence[int]] | None = None,
    size: int | None = None,
    *,
    name: str | None = None,
    limit_s: int = 60,
    **config: Any,
) -> Task[str]:
    """A task with the questions of a generator of reasoning-gym, which grades them.

    `difficulty` names a field of the generator's configuration, or an attribute of its
    curriculum, and its values, which are the depths; `config` are other fields. There
    are `size` questions at each depth, or as many as trials. `name` is that of the
    task, by default of the generator. Making a question may take `limit_s` seconds.

    A generator that is not there or refuses its configuration, raises, hangs, or makes
    other questions in another process, is refused when its questions are made.
    """
    depth_field, depths = "", None
    if difficulty is not None:
        if not isinstance(difficulty, Mapping) or len(difficulty) != 1:
            raise UnusableInput(
                f"reasoning_gym {generator}: difficulty is {short_repr(difficulty)}; "
                f"write one name and its values, such as {{'num_digits': [2, 4, 8]}}"
            )
        ((depth_field, depths),) = difficulty.items()
        if not are_depths(depths):
            raise UnusableInput(
                f"reasoning_gym {generator}: difficulty is {short_repr(difficulty)}; "
                f"write the values as integers from 0, such as [2, 4, 8]"
            )
    if not is_size(size):
        raise UnusableInput(
            f"reasoning_gym {generator}: size is {short_repr(size)}; write a number of "
            f"questions"
        )
    made = _Questions(DataSets(generator, config, depth_field, limit_s), size)
    problems: Any = _Undivided(made)
    if depths is not None:
        problems = _Depths(made.problem_at, [""], depths, made.of_run)
    return Task(name or generator, problems, _prompt, _read, made.grade)


class _Questions:
    """The questions of a generator, by seed and depth, as far as they are made."""

    def __init__(self, data_sets: DataSets, size: int | None) -> None:
        self._data_sets = data_sets
        self._size = size
        self._made: dict[tuple[int, int | None], list[Made]] = {}

    def of_run(self, seed: int, depths: Sequence[int | None], trials: int) -> int:
        """Make the questions of each depth, and return their number."""
        number = self._size or trials
        self._make(seed, depths, number)
        return number

    def _make(self, seed: int, depths: Sequence[int | None], number: int) -> None:
        if any(len(self._made.get((seed, one), ())) < number for one in depths):
            made = _made_twice(self._data_sets, seed, [*depths], number)
            for depth, questions in zip(depths, made, strict=True):
                self._made[seed, depth] = [Made(*one) for one in questions]

    def problem_at(
        self, seed: int, variant: str, depth: int | None, trial: int
    ) -> Problem:
        """One of them; searches need more than there are."""
        if len(self._made.get((seed, depth), ())) <= trial:
            self._make(seed, [depth], max(_FEWEST, 2 * trial))
        made = self._made[seed, depth][trial]
        private = seed, made.place
        return Problem(
            {"question": made.question},
            made.answer,
            private=private,
            question=made.question,
        )

    def grade(self, answer: str, problem: Problem) -> Grade:
        seed, place = problem.private
        arguments = seed, problem.depth, place, answer
        ((score, why),) = _called(self._data_sets, "score", {"1": arguments})
        if why is not None:
            raise InvalidGrade(f"generator {why}")
        return Grade.of(score)


@dataclass(frozen=True, slots=True)
class _Undivided:
    """The questions without a depth."""

    is_compared: ClassVar = True
    made: _Questions

    def __call__(self, seed: int, trials: int) -> Iterator[Problem]:
        for trial in range(self.made.of_run(seed, [None], trials)):
            yield self.at(seed, "", None, trial)

    def at(self, seed: int, variant: str, depth: int | None, trial: int) -> Problem:
        """One of them."""
        return self.made.problem_at(seed, variant, depth, trial)


@dataclass(frozen=True, slots=True)
class _Depths(Grid):
    """The questions at each depth, all of them made at once."""

    is_compared: ClassVar = True
    of_run: Callable[[int, Sequence[int], int], int]

    def __call__(self, seed: int, trials: int) -> Iterator[Problem]:
        return Grid.__call__(self, seed, self.of_run(seed, self.depths, trials))


# --- processes ------------------------------------------------------------------------


def _made_twice(
    data_sets: DataSets, seed: int, depths: Sequence[int | None], number: int
) -> Any:
    """The questions of each depth. Raises UnusableInput.

    The first ones are also made in a process with other hashes of texts, as every
    worker and every later run has its own. Workers of pytest-xdist are compared with
    the first one.
    """
    asked: dict[str, Any] = {"1": (seed, depths, number)}
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":
        asked["2"] = seed, depths, min(number, _COMPARED)
    (made, why), *others = _called(data_sets, "questions", asked)
    first = [questions[:_COMPARED] for questions in made or ()]
    if why is None and others not in ([], [[first, None]]):
        why = (
            "makes other questions in a process with another PYTHONHASHSEED, so that "
            "no run could be repeated"
        )
    if why is not None:
        name = f"generator {data_sets.generator!r} of reasoning-gym"
        raise UnusableInput(sanitize(f"{name} {why}", _LONGEST_MESSAGE))
    return made


def _called(
    data_sets: DataSets, method: str, asked: Mapping[str, Any]
) -> list[list[Any]]:
    """What the method returns for the arguments in a process with each hash seed, and
    why it does not.
    """
    module = _own_module(data_sets.generator)
    data_sets, processes = replace(data_sets, module=module), []
    for hash_seed, arguments in asked.items():
        try:
            request = pickle.dumps((data_sets, method, arguments))
        except Exception:
            return [[None, "has a configuration that no other process can read"]]
        processes.append(_process(hash_seed))
        processes[-1].stdin.write(request)
        processes[-1].stdin.flush()
    return [json.loads(process.stdout.readline()) for process in processes]


def _own_module(generator: str) -> str | None:
    """The module of a generator that the user has registered, so that the other
    processes know it.
    """
    factory = sys.modules.get("reasoning_gym.factory")
    known = getattr(factory, "DATASETS", {})
    if generator not in known:
        return None
    module: str = known[generator][0].__module__
    return None if module.startswith("reasoning_gym.") else module


@cache
def _process(hash_seed: str) -> Any:
    """A process that makes and grades questions, and ends with this one."""
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", _PROCESS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": hash_seed},
    )
    atexit.register(process.__exit__, None, None, None)
    atexit.register(process.kill)
    return process


# --- replies --------------------------------------------------------------------------


def _prompt(problem: Problem) -> str:
    return f"{problem['question']}\n\n{_INSTRUCTION}"


def _read(text: str, problem: Problem) -> str | NoAnswer:
    """The text in the last tags, or all of it; its number, if one is expected.

    The closing tag may be gone already, with what follows the answer.
    """
    answer = text.rpartition("<answer>")[2].partition("</answer>")[0].strip()
    if _NUMBER.fullmatch(problem.expected or ""):
        dtype = Dtype.FLOAT if "." in problem.expected else Dtype.INT
        number = exact.read(answer, (), dtype)
        if number.tolerant is None:
            return NoAnswer(str(number.reason or NanReason.UNREADABLE))
        return format(number.tolerant, "f")
    return answer or NoAnswer(str(NanReason.UNREADABLE))
