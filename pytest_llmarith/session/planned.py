"""The questions of the selected items, and the items of a shard.

The problems are assigned to shards in turn, in their natural order, each with all its
models, conditions and repeats. So shards differ by at most one problem, also with `-k`,
and cells are spread evenly. Collection order and number of workers have no influence.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import records
from pytest_llmarith.results.keys import Key
from pytest_llmarith.session.collection import (
    MODEL_FIXTURE,
    PROMPT_CONFIG,
    digest_of,
)
from pytest_llmarith.session.company import forked
from pytest_llmarith.session.items import (
    grader_of,
    parameter_of,
    problem_of,
    settings_of,
)
from pytest_llmarith.session.marks import without_task
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Condition,
    Model,
    Prompt,
    PromptConfig,
    Question,
    Shard,
)

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

_Identity = tuple[str, Prompt, int | None, str | None]

# On a worker's config: why the run is refused.
REFUSED = pytest.StashKey[str]()
SHARDING = "llmarith-sharding"
_OUTPUT = (
    "llmarith_shard"  # in xdist's `workeroutput`, as a controller collects no items
)


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """The first question of an item, with its problem as a record stores it.

    `questions` is the maximum number of them if further ones depend on the answers.
    `reply_tokens` is the length of a short reply. `grader` is the model that helps
    to grade the replies, `about` what the run says about the item's task.
    """

    nodeid: str
    task: str
    problem: records.RecordedProblem
    condition: Condition
    question: Question
    reply_tokens: int = 100
    questions: int | None = None
    grader: str | None = None
    has_grader: bool = False
    about: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        return self.question.model, self.task, self.condition.label

    @property
    def is_search(self) -> bool:
        """Whether further questions depend on the answers."""
        return self.questions is not None


def config_of(item: pytest.Item) -> PromptConfig:
    return parameter_of(item, PROMPT_CONFIG) or PromptConfig(DEFAULT_CONDITION)


def question_of(
    item: pytest.Item, model: Model, prompt: Prompt, settings: Settings
) -> Question:
    """The question of an item with this prompt; the system prompt is None if the
    model's own is used.
    """
    config, problem = config_of(item), problem_of(item)
    system = None
    if config.condition.system is not None:
        system = settings.prompt_configs.systems[config.condition.system]
    trial, known = 0, tuple[str, ...]()
    if problem is not None:
        trial, known = problem.trial, known_to(model, problem)
    return Question(model.name, prompt, trial, config.repeat, system, known=known)


def known_to(model: Model, problem: TaskProblem) -> tuple[str, ...]:
    """What a fake model may reply to a problem; nothing for others."""
    if not model.simulated:
        return ()
    asked = problem.search.first() if problem.search else problem
    return tuple(asked.owner.replies(asked))


def selected(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The items that will ask. Items that may be skipped are left out."""
    return [item for item in items if _may_ask(item) and not _has_mark(item, "skipif")]


def _may_ask(item: pytest.Item) -> bool:
    """Whether an item asks, unless a condition for skipping is true."""
    if problem_of(item) is None or _has_mark(item, "skip"):
        return False
    fixtures = getattr(item, "fixturenames", ())
    return "ask" in fixtures or "search" in fixtures


def _has_mark(item: pytest.Item, name: str) -> bool:
    return item.get_closest_marker(name) is not None


def planned_questions(
    items: Sequence[pytest.Item], settings: Settings, verbose: int = -1
) -> Iterator[PlannedQuestion]:
    """The first questions of the items whose model is asked through the broker.

    The first one of a grader has what it says about the run, unless `verbose` is below
    0.
    """
    asking = [item for item in items if parameter_of(item, MODEL_FIXTURE)]
    variants: dict[int, dict[str, None]] = {}  # of each grader, by its id
    if verbose >= 0:
        for item in asking:
            grader = grader_of(item)
            if grader:
                of_grader = variants.setdefault(id(grader), {})
                of_grader[problem_of(item).variant or ""] = None
    for item in asking:
        problem, condition = problem_of(item), config_of(item).condition
        templates = settings.prompt_configs.templates
        prompt = render(problem, condition, templates, settings.seed)
        model = parameter_of(item, MODEL_FIXTURE)
        grader = problem.owner.grader
        about: Iterable[str] = ()
        if id(grader) in variants:
            about = grader.about(list(variants.pop(id(grader))), verbose > 0)
        yield PlannedQuestion(
            nodeid=item.nodeid,
            task=problem.task,
            problem=problem.recorded,
            condition=condition,
            question=question_of(item, model, prompt, settings),
            reply_tokens=problem.owner.reply_tokens,
            questions=problem.search and problem.search.budget,
            grader=grader and grader.model,
            has_grader=grader is not None,
            about=tuple(about),
        )


def refuse_or_skip(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Skip items that cannot be graded here, before any reply is paid for.

    Raises pytest.UsageError if an option asks for what is missing, or if another plugin
    would run items where none can ask. A worker leaves the reason in `REFUSED` instead,
    and the controller raises it.
    """
    settings = settings_of(config)
    why = without_task(config, settings)
    if why is None and (config.getoption("collectonly") or settings.asks_nothing):
        return
    asking = [item for item in items if _may_ask(item)]
    why = why or forked(config, asking)
    for item in asking:
        grader = grader_of(item)
        if why is not None or grader is None:
            continue
        try:
            reason = grader.unavailable()
        except ValueError as error:
            why = str(error)
        else:
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))
    if why is None:
        return
    if not hasattr(config, "workerinput"):
        raise pytest.UsageError(why)
    config.stash[REFUSED] = why


# --- shards ---------------------------------------------------------------------------


class Sharding:
    """The plugin that deselects the items of other shards, in every process of the
    run.
    """

    def __init__(self, config: pytest.Config, shard: Shard) -> None:
        self._config = config
        self._shard = shard
        # The trials of this shard and of all shards, and a digest of all problems.
        self.metadata: dict[str, Any] = asdict(shard) | {
            "dealt": None,
            "whole": None,
            "selection": None,
        }

    def pytest_report_header(self) -> str | None:
        if hasattr(self._config, "workerinput"):
            return None
        return f"llmarith: {self._shard}"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """Runs after hooks that mark or deselect, such as -k, and before --lf
        deselects.
        """
        result = yield
        failed: Collection[str] = ()
        if self._config.getoption("lf", False) and self._config.cache is not None:
            # Of this machine, so of this shard.
            failed = self._config.cache.get("cache/lastfailed", {})
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
        parts = [digest_of(map(problem_of, whole)), *sorted(map(_described, whole))]
        digest = sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()
        self.metadata |= {
            "dealt": dealt,
            "whole": len(whole),
            "selection": digest[:16],
        }
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT] = self.metadata


def _described(item: pytest.Item) -> str:
    model, problem = parameter_of(item, MODEL_FIXTURE), problem_of(item)
    name = model.name if model else None
    return f"{name} {problem.task} {problem.label}{config_of(item).label}"


def split_for_shard(
    items: Iterable[pytest.Item], shard: Shard, before: Collection[str] = ()
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items of this shard, and those of other shards.

    Items without a problem, and items whose node id is in `before`, are in every shard.
    """
    places: dict[_Identity, tuple[Any, ...]] = {}
    identities: dict[pytest.Item, _Identity | None] = {}
    for item in items:
        problem: TaskProblem | None = problem_of(item)
        if problem is None or item.nodeid in before:
            identities[item] = None
            continue
        # A problem that is in two variants is asked once, so it must be in one shard.
        identity = (
            problem.task,
            problem.prompt,
            problem.trial,
            problem.variant if problem.search else None,
        )
        identities[item] = identity
        place = (
            problem.task,
            problem.variant or "",
            problem.depth or 0,
            problem.trial or 0,
            problem.label,
        )
        places[identity] = min(place, places.get(identity, place))
    in_order = sorted(places, key=places.__getitem__)
    of_this_shard = set(in_order[shard.index - 1 :: shard.count])
    mine, others = list[pytest.Item](), list[pytest.Item]()
    for item, key in identities.items():
        if key is None or key in of_this_shard:
            mine.append(item)
        else:
            others.append(item)
    return mine, others
