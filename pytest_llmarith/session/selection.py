"""The questions of the selected items, and the items of a shard.

The problems of each model and task are assigned to shards in turn, in their natural order, each with all its conditions
and repeats. So shards differ by at most one problem, also with `-k`; cells and sets are spread evenly; and a question
to several models is in the same shard for all of them. Collection order and number of workers have no influence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_llmarith.results.keys import Key
from pytest_llmarith.session.collection import MODEL_FIXTURE, PROMPT_CONFIG_FIXTURE
from pytest_llmarith.session.marks import parameter_of, problem_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import render
from pytest_llmarith.tasks.breaking_point import BreakingPointProblem
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Model, Problem, PromptConfig, Question, Shard

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

SHARDING = "llmarith-sharding"
_OUTPUT = "llmarith_shard"  # in xdist's `workeroutput`, as a controller collects no items

# What a worker sends with an announced question, as builtins: node id, task, the problem's fields, condition.
Label = tuple[str, str, dict[str, Any], dict[str, Any]]
Coordinates = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """The first question of an item, with its problem as builtins."""

    nodeid: str
    task: str
    problem: Mapping[str, Any]
    condition: Condition
    question: Question

    @classmethod
    def of_label(cls, question: Question, label: Label) -> PlannedQuestion:
        """The question that a worker announced."""
        nodeid, task, problem, condition = label
        return cls(nodeid, task, problem, Condition.of_fields(condition), question)

    @property
    def label(self) -> Label:
        return self.nodeid, self.task, dict(self.problem), self.condition.fields()

    @property
    def key(self) -> Key:
        return self.question.model, self.task, self.condition.label

    @property
    def is_search(self) -> bool:
        return self.task == BreakingPointProblem.task


def config_of(item: pytest.Item) -> PromptConfig:
    return parameter_of(item, PROMPT_CONFIG_FIXTURE) or PromptConfig(DEFAULT_CONDITION)


def question_of(item: pytest.Item, model: Model, prompt: str, settings: Settings) -> Question:
    """The question of an item with this prompt; the system prompt is None if the model's own is used."""
    config, problem = config_of(item), problem_of(item)
    name = config.condition.system
    system = None if name is None else settings.prompt_configs.texts.systems[name]
    return Question(model.name, prompt, problem.trial if problem else 0, config.repeat, system)


def selected(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The items that will ask. Items that may be skipped are left out."""
    return [
        item
        for item in items
        if problem_of(item) is not None
        and not {"ask", "search"}.isdisjoint(getattr(item, "fixturenames", ()))
        and not any(item.get_closest_marker(mark) for mark in ("skip", "skipif"))
    ]


def planned_questions(items: Iterable[pytest.Item], settings: Settings) -> Iterator[PlannedQuestion]:
    """The first questions of the items whose model is asked through the broker."""
    for item in items:
        if model := parameter_of(item, MODEL_FIXTURE):
            problem, config = problem_of(item), config_of(item)
            prompt = render(problem, config.condition, settings.prompt_configs.texts, settings.seed)
            question = question_of(item, model, prompt, settings)
            yield PlannedQuestion(item.nodeid, problem.task, problem.fields(), config.condition, question)


# --- shards -----------------------------------------------------------------------------------------------------------


class Sharding:
    """The plugin that deselects the items of other shards, in every process of the run."""

    def __init__(self, config: pytest.Config, shard: Shard) -> None:
        self._config = config
        self._shard = shard
        # The trials of this shard and of all shards, and a digest of the selection.
        self.metadata: dict[str, Any] = asdict(shard) | {"dealt": None, "whole": None, "selection": None}

    def pytest_report_header(self) -> str | None:
        return None if hasattr(self._config, "workerinput") else f"llmarith: {self._shard}"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        """Runs after hooks that mark or deselect, such as -k, and before --lf deselects."""
        result = yield
        failed: Collection[str] = ()
        if self._config.getoption("lf", False) and self._config.cache is not None:
            failed = self._config.cache.get("cache/lastfailed", {})  # of this machine, so of this shard
        mine, others = split_for_shard(items, self._shard, failed)
        if not failed:
            self._note(selected(items), len(selected(mine)))
        items[:] = mine
        if others:
            self._config.hook.pytest_deselected(items=others)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: WorkerController) -> None:
        self.metadata = getattr(node, "workeroutput", {}).get(_OUTPUT, self.metadata)

    def _note(self, whole: list[pytest.Item], dealt: int) -> None:
        questions = sorted(map(_described, whole))
        self.metadata |= {
            "dealt": dealt,
            "whole": len(questions),
            "selection": sha256("\n".join(questions).encode(errors="surrogatepass")).hexdigest()[:16],
        }
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT] = self.metadata


def _described(item: pytest.Item) -> str:
    model, problem = parameter_of(item, MODEL_FIXTURE), problem_of(item)
    return f"{model and model.name} {problem.task} {problem.label}{config_of(item).label}"


def split_for_shard(
    items: Iterable[pytest.Item], shard: Shard, before: Collection[str] = ()
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items of this shard, and those of other shards.

    Items without a problem, and items whose node id is in `before`, are in every shard.
    """
    keys = {item: None if item.nodeid in before else _ProblemKey.of(item) for item in items}
    numbers = _numbers(filter(None, keys.values()))
    mine, others = list[pytest.Item](), list[pytest.Item]()
    for item, key in keys.items():
        is_mine = key is None or numbers[key.identity] % shard.count == shard.index - 1
        (mine if is_mine else others).append(item)
    return mine, others


class _ProblemKey(NamedTuple):
    """Task, model, order and identity of an item's problem."""

    task: str
    model: str | None
    order: Coordinates
    identity: tuple[str | None, str, Coordinates]

    @classmethod
    def of(cls, item: pytest.Item) -> _ProblemKey | None:
        problem: Problem | None = problem_of(item)
        if problem is None:
            return None
        model = parameter_of(item, MODEL_FIXTURE)
        name, coordinates = model and model.name, problem.coordinates()
        # A sequence in two sets is asked once, so it must be in one shard.
        itself = tuple(value for name, value in coordinates.items() if name != "set")
        return cls(problem.task, name, tuple(coordinates.values()), (name, problem.task, itself))


def _numbers(keys: Iterable[_ProblemKey]) -> dict[Any, int]:
    """The number of each problem among those of its model.

    Numbers continue from task to task, or the first shards would get the remainders of all tasks.
    """
    numbers: dict[Any, int] = {}
    first = 0
    for _, of_task in groupby(sorted(keys, key=lambda key: (key.task, key.order)), key=lambda key: key.task):
        dealt = Counter[str | None]()
        for key in of_task:
            if key.identity not in numbers:
                numbers[key.identity] = first + dealt[key.model]
                dealt[key.model] += 1
        first += max(dealt.values())
    return numbers
