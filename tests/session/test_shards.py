"""A selection dealt to shards: disjoint, complete, even by model, task and cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pytest_llmarith.session.items import CELL_MARK
from pytest_llmarith.session.planned import split_for_shard
from pytest_llmarith.types import Shard
from tests.session.test_oeis_run import write_cache

BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3, 10], trials=3)
    def test_arithmetic(problem, ask): ask(problem)

    @pytest.mark.integer_addition(trials=7)
    def test_integer_addition(problem, ask): ask(problem)

    @pytest.mark.oeis
    def test_oeis(problem, ask): ask(problem)
"""
MODELS = ("--llm-model=llmarith/oracle", "--llm-model=llmarith/sloppy")
ARITHMETIC, ADDITION, OEIS = 8 * 3 * 3, 7, 5

Items = Sequence[pytest.Item]
Collect = Callable[..., list[pytest.Item]]


@pytest.fixture
def collect(pytester: pytest.Pytester) -> Collect:
    """The items of all three tasks that a command line selects."""
    pytester.makepyfile(test_bench=BENCH)
    write_cache(pytester.path / "oeis_cache")

    class Catcher:
        items: Items = ()

        def pytest_collection_finish(self, session: pytest.Session) -> None:
            self.items = list(session.items)

    def collected(*args: str) -> list[pytest.Item]:
        catcher = Catcher()
        pytester.inline_run("--collect-only", "-q", *args, plugins=[catcher])
        return list(catcher.items)

    return collected


def ids(items: Items) -> list[str]:
    return [item.nodeid for item in items]


def cell(item: pytest.Item) -> dict[str, Any]:
    mark = item.get_closest_marker(CELL_MARK)
    assert mark is not None
    return dict(mark.kwargs)


def check_even(sizes: Sequence[int]) -> None:
    assert max(sizes) - min(sizes) <= 1


def test_every_item_is_in_one_shard_and_shards_are_even(collect: Collect) -> None:
    """In any order; cells are spread, and two models are asked the same questions in a
    shard.

    What failed on this machine before, which --lf selects, is not dealt to another one.
    """
    everything = collect(*MODELS)
    assert len(everything) == 2 * (ARITHMETIC + ADDITION + OEIS)
    shuffled = sorted(everything, key=lambda item: item.nodeid[::-1])
    for count in (2, 5):
        shards = [
            split_for_shard(everything, Shard(index, count))
            for index in range(1, count + 1)
        ]
        assert sorted(ids([item for mine, _ in shards for item in mine])) == sorted(
            ids(everything)
        )
        cells, tasks = (
            [Counter[Any]() for _ in shards],
            [Counter[Any]() for _ in shards],
        )
        for index, (mine, others) in enumerate(shards):
            assert sorted(ids([*mine, *others])) == sorted(ids(everything))
            assert {*ids(mine)} == {
                *ids(split_for_shard(shuffled, Shard(index + 1, count))[0])
            }
            for place in map(cell, mine):
                cells[index][
                    place["model"],
                    place["task"],
                    place.get("variant"),
                    place.get("depth"),
                ] += 1
                tasks[index][place["model"], place["task"]] += 1
            asked = [
                {one.replace(model, "") for one in ids(mine) if model in one}
                for model in ("oracle", "sloppy")
            ]
            assert asked[0] == asked[1]
        for counted in (cells, tasks):
            for place in set().union(*counted):
                check_even([each[place] for each in counted])
    failed = set(ids(everything[::7]))
    assert failed <= set(ids(split_for_shard(everything, Shard(2, 5), failed)[0]))


def test_a_problem_stays_together(pytester: pytest.Pytester, collect: Collect) -> None:
    pytester.makepyfile(
        test_again=BENCH.replace("[2, 3, 10]", "[3]"),
        test_other="""
        import pytest

        @pytest.mark.parametrize("problem", [1, 2, 3])
        def test_problem(problem): pass
        """,
    )
    configs = ("--llm-number-format=plain,comma", "--llm-repeats=3")
    everything = collect(
        "--llm-model=llmarith/oracle",
        "-k",
        "int_add or addition or test_other",
        *configs,
    )
    assert len(everything) == (9 + 3 + 2 * ADDITION) * 2 * 3 + 3
    dealt = [split_for_shard(everything, Shard(index, 3))[0] for index in range(1, 4)]
    problems = []
    for mine in dealt:
        assert sum("test_other" in one for one in ids(mine)) == 3
        own = [cell(item) for item in mine if "test_other" not in item.nodeid]
        problems.append(
            Counter(
                tuple(one.get(name) for name in ("task", "variant", "depth", "trial"))
                for one in own
            )
        )
    assert all(set(counted.values()) <= {2 * 3, 2 * 2 * 3} for counted in problems)
    assert (
        sum(len(counted) for counted in problems)
        == len(set().union(*problems))
        == 9 + ADDITION
    )
    check_even([len(counted) for counted in problems])
