"""Which questions the selected items ask, and which items a shard takes.

The problems of each model and task are dealt in their natural order: the first to shard 1, the second to shard 2 and so
on, each with all its conditions and repeats. No shard has more than one problem more than another, whatever `-k` left
over; cells and sets are spread as evenly; and models that are asked the same questions are asked them in the same
shard. The order of collection and the number of workers do not matter.
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
from pytest_llmarith.tasks import breaking_point, render
from pytest_llmarith.tasks.breaking_point import BreakingPointProblem
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Model, Problem, PromptConfig, Question, Shard

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

SHARDING = "llmarith-sharding"
_OUTPUT = "llmarith_shard"  # in xdist's `workeroutput`: a controller collects nothing

# What crosses an xdist channel with an announced question, as builtins: node id, task, the problem's fields, condition.
Label = tuple[str, str, dict[str, Any], dict[str, Any]]
Coordinates = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an item asks the broker first; its problem as builtins, as a record has it."""

    nodeid: str
    task: str
    problem: Mapping[str, Any]
    condition: Condition
    question: Question

    @classmethod
    def of_label(cls, question: Question, label: Label) -> Asked:
        """What a worker has announced."""
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
    """The prompt config of an item."""
    return parameter_of(item, PROMPT_CONFIG_FIXTURE) or PromptConfig(DEFAULT_CONDITION)


def prompt_of(problem: Problem, config: PromptConfig, settings: Settings) -> str:
    """The prompt of a problem; a search begins with its simplest question."""
    if isinstance(problem, BreakingPointProblem):
        problem = breaking_point.question(problem, breaking_point.SIMPLEST)
    return render(problem, config.condition, settings.prompt_configs.texts, settings.seed)


def question_of(item: pytest.Item, model: Model, prompt: str, settings: Settings) -> Question:
    """A prompt as an item asks it; the system prompt is None if it is the model's own."""
    config, problem = config_of(item), problem_of(item)
    name = config.condition.system
    system = None if name is None else settings.prompt_configs.texts.systems[name]
    return Question(model.name, prompt, problem.trial if problem else 0, config.repeat, system)


def selected(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The items that will ask. One that may be skipped is left out: its question may never be needed."""
    return [
        item
        for item in items
        if problem_of(item) is not None
        and not {"ask", "search"}.isdisjoint(getattr(item, "fixturenames", ()))
        and not any(item.get_closest_marker(mark) for mark in ("skip", "skipif"))
    ]


def asked_by(items: Iterable[pytest.Item], settings: Settings) -> Iterator[Asked]:
    """What selected items ask the broker; those that the user's own `model` fixture answers ask it nothing."""
    for item in items:
        if model := parameter_of(item, MODEL_FIXTURE):
            problem, config = problem_of(item), config_of(item)
            question = question_of(item, model, prompt_of(problem, config, settings), settings)
            yield Asked(item.nodeid, problem.task, problem.fields(), config.condition, question)


# --- shards -----------------------------------------------------------------------------------------------------------


class Sharding:
    """Registered in every process of a run that is a shard: all workers deselect the same items."""

    def __init__(self, config: pytest.Config, shard: Shard) -> None:
        self._config = config
        self._shard = shard
        # How many trials are this shard's and how many all shards', and what tells this selection from others.
        self.metadata: dict[str, Any] = asdict(shard) | {"dealt": None, "whole": None, "selection": None}

    def pytest_report_header(self) -> str | None:
        return None if hasattr(self._config, "workerinput") else f"llmarith: {self._shard}"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        """After all that mark or deselect, as -k does; within --lf, which deselects later."""
        result = yield
        failed: Collection[str] = ()
        if self._config.getoption("lf", False) and self._config.cache is not None:
            failed = self._config.cache.get("cache/lastfailed", {})  # on this machine, so in this shard
        mine, others = deal(items, self._shard, failed)
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


def deal(
    items: Iterable[pytest.Item], shard: Shard, before: Collection[str] = ()
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items of this shard and those of the others.

    Items without a problem are in every shard, and so are those that were dealt `before`, by node id.
    """
    cards = {item: None if item.nodeid in before else _Card.of(item) for item in items}
    numbers = _numbers(filter(None, cards.values()))
    mine, others = list[pytest.Item](), list[pytest.Item]()
    for item, card in cards.items():
        is_mine = card is None or numbers[card.itself] % shard.count == shard.index - 1
        (mine if is_mine else others).append(item)
    return mine, others


class _Card(NamedTuple):
    """The problem of an item, and its place in the natural order of its task."""

    task: str
    model: str | None
    order: Coordinates
    itself: tuple[str | None, str, Coordinates]

    @classmethod
    def of(cls, item: pytest.Item) -> _Card | None:
        problem: Problem | None = problem_of(item)
        if problem is None:
            return None
        model = parameter_of(item, MODEL_FIXTURE)
        name, coordinates = model and model.name, problem.coordinates()
        # A sequence that is in two sets is one problem: it is asked once, so it stays in one shard.
        itself = tuple(value for name, value in coordinates.items() if name != "set")
        return cls(problem.task, name, tuple(coordinates.values()), (name, problem.task, itself))


def _numbers(cards: Iterable[_Card]) -> dict[Any, int]:
    """The number of each problem among those of its model.

    A task goes on where the one before ended, or the first shards would get what is left over of every task.
    """
    numbers: dict[Any, int] = {}
    first = 0
    for _, of_task in groupby(sorted(cards, key=lambda card: (card.task, card.order)), key=lambda card: card.task):
        dealt = Counter[str | None]()
        for card in of_task:
            if card.itself not in numbers:
                numbers[card.itself] = first + dealt[card.model]
                dealt[card.model] += 1
        first += max(dealt.values())
    return numbers
