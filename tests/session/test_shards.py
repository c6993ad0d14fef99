"""A selection dealt to shards: disjoint, complete, and even by model, task, cell and set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.session.marks import CELL_MARK
from pytest_llmarith.session.selection import deal
from pytest_llmarith.values import Shard

BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3, 10], trials=3)
    def test_arithmetic(problem, ask): ask(problem)

    @pytest.mark.integer_addition(trials=7)
    def test_integer_addition(problem, ask): ask(problem)

    @pytest.mark.oeis
    def test_oeis(problem, ask): ask(problem)
"""
MODELS = ("--llm-model=llmarith/exact", "--llm-model=llmarith/sloppy")
ARITHMETIC, ADDITION, OEIS = 8 * 3 * 3, 7, 5

Items = Sequence[pytest.Item]
Collect = Callable[..., list[pytest.Item]]


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    """All three tasks, with five sequences."""
    pytester.makepyfile(test_bench=BENCH)
    starter = pytester.path / "oeis_cache" / "starter"
    starter.mkdir(parents=True)
    for number in range(1, OEIS + 1):
        fields = {"number": number, "name": f"Sequence {number}.", "data": "1,2,3", "offset": "0,2", "keyword": "easy"}
        (starter / f"A{number:06}.json").write_text(json.dumps([fields]), encoding="utf-8")
    return pytester


@pytest.fixture
def collect(bench: pytest.Pytester) -> Collect:
    """The items that a command line selects."""

    class Catcher:
        items: Items = ()

        def pytest_collection_finish(self, session: pytest.Session) -> None:
            self.items = list(session.items)

    def collected(*args: str) -> list[pytest.Item]:
        catcher = Catcher()
        bench.inline_run("--collect-only", "-q", *args, plugins=[catcher])
        return list(catcher.items)

    return collected


def ids(items: Items) -> list[str]:
    return [item.nodeid for item in items]


def cell(item: pytest.Item) -> dict[str, Any]:
    mark = item.get_closest_marker(CELL_MARK)
    assert mark is not None
    return dict(mark.kwargs)


def test_every_item_is_in_one_shard_and_shards_are_even(collect: Collect) -> None:
    """Any selection in any order falls into even shards, each item into one of them."""
    everything = collect(*MODELS)
    assert len(everything) == 2 * (ARITHMETIC + ADDITION + OEIS)

    @given(st.permutations(everything), st.integers(0, len(everything)), st.integers(1, 12))
    def holds(shuffled: list[pytest.Item], size: int, count: int) -> None:
        selection = shuffled[:size]
        shards = [deal(selection, Shard(index, count)) for index in range(1, count + 1)]
        assert sorted(ids([item for mine, _ in shards for item in mine])) == sorted(ids(selection))
        for mine, others in shards:
            assert ids(mine) == [one for one in ids(selection) if one in set(ids(mine))]
            assert sorted(ids([*mine, *others])) == sorted(ids(selection))
        for hand in {(cell(item)["model"], cell(item)["task"]) for item in selection}:
            counts = [Counter((cell(item)["model"], cell(item)["task"]) for item in mine) for mine, _ in shards]
            _check_even([counted[hand] for counted in counts])

    holds()


def _check_even(sizes: list[int]) -> None:
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("count", [2, 3, 5])
def test_cells_are_spread_and_paired_questions_stay_together(collect: Collect, count: int) -> None:
    """A shard is not the easy end of the bench, and asks two models the same questions."""
    everything = collect(*MODELS)
    cells = [Counter[Any]() for _ in range(count)]
    for index in range(count):
        mine, _ = deal(everything, Shard(index + 1, count))
        for item in mine:
            place = cell(item)
            cells[index][place["model"], place["task"], place.get("variant"), place.get("depth")] += 1
        exact, sloppy = (
            {item.nodeid.replace(model, "") for item in mine if model in item.nodeid} for model in ("exact", "sloppy")
        )
        assert exact == sloppy
    for place in set().union(*cells):
        _check_even([counted[place] for counted in cells])


def test_a_problem_stays_together(collect: Collect) -> None:
    """With all its conditions, which may ask it in the same words, and all its repeats."""
    configs = ("--llm-number-format=plain,comma", "--llm-repeats=3")
    everything = collect("--llm-model=llmarith/exact", "-k", "int_add or addition", *configs)
    assert len(everything) == (9 + ADDITION) * 2 * 3
    dealt = [deal(everything, Shard(index, 3))[0] for index in range(1, 4)]
    problems = [Counter(_problem(item) for item in mine) for mine in dealt]
    assert all(set(counted.values()) == {2 * 3} for counted in problems)
    assert sum(len(counted) for counted in problems) == len(set().union(*problems)) == 9 + ADDITION
    _check_even([len(counted) for counted in problems])


def _problem(item: pytest.Item) -> tuple[Any, ...]:
    return tuple(cell(item).get(name) for name in ("task", "variant", "depth", "trial"))


def test_a_question_of_two_functions_is_dealt_once(bench: pytest.Pytester, collect: Collect) -> None:
    """It is asked once in a run, so it must not be asked on two machines."""
    bench.makepyfile(test_again=BENCH.replace("[2, 3, 10]", "[3]"))
    everything = collect("--llm-model=llmarith/exact")
    for index in range(1, 4):
        mine = ids(deal(everything, Shard(index, 3))[0])
        again = {one.partition("::")[2] for one in mine if one.startswith("test_again")}
        assert again == {
            one.partition("::")[2]
            for one in mine
            if one.startswith("test_bench") and ("test_arithmetic" not in one or "depth_3" in one)
        }


def test_tests_of_others_are_left_alone(bench: pytest.Pytester, collect: Collect) -> None:
    """What puts no problem of ours runs on every machine, whatever its parameters are called."""
    bench.makepyfile(
        test_other="""
        import pytest

        def test_plain(): pass

        @pytest.mark.parametrize("problem", [1, 2, 3])
        def test_problem(problem): pass
        """
    )
    for index in range(1, 4):
        mine = ids(collect("--llm-model=llmarith/exact", "-k", "test_other or int_add", f"--llm-shard={index}/3"))
        assert [one for one in mine if one.startswith("test_other")] == [
            "test_other.py::test_plain",
            *(f"test_other.py::test_problem[{number}]" for number in (1, 2, 3)),
        ]
        assert len(mine) == 4 + 3


@pytest.mark.parametrize(
    ("args", "fact"),
    [
        *(
            (f"--llm-shard={text}", repr(text))
            for text in ("0/5", "6/5", "2", "1/0", "1/5/5", "2/10001", "1.0/2", "٢/5")
        ),
        ("--llm-shard=1/2 --llm-seed=random", "--llm-seed=random"),
    ],
)
def test_no_shard(bench: pytest.Pytester, args: str, fact: str) -> None:
    """Wrong usage is one line."""
    result = bench.runpytest("--llm-model=llmarith/exact", *args.split())
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, result.errlines)
    assert line.startswith("ERROR: --llm-shard: ")
    assert fact in line
