"""A selection dealt to shards: disjoint, complete, even by model, task and cell; and merged, the run that they are."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.session.marks import CELL_MARK
from pytest_llmarith.session.selection import split_for_shard
from pytest_llmarith.types import Shard
from tests.llm_server import Answer, Call
from tests.session.bench import WAYS, Bench, right
from tests.session.test_oeis_run import oeis, program, write_cache  # noqa: F401  # a fixture

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
    """Of any selection in any order; cells are spread, and two models are asked the same questions in a shard.

    What failed on this machine before, which --lf selects, is not dealt to another one.
    """
    everything = collect(*MODELS)
    assert len(everything) == 2 * (ARITHMETIC + ADDITION + OEIS)

    @given(st.permutations(everything), st.integers(0, len(everything)), st.integers(1, 12))
    def holds(shuffled: list[pytest.Item], size: int, count: int) -> None:
        selection = shuffled[:size]
        shards = [split_for_shard(selection, Shard(index, count)) for index in range(1, count + 1)]
        assert sorted(ids([item for mine, _ in shards for item in mine])) == sorted(ids(selection))
        for mine, others in shards:
            assert ids(mine) == [one for one in ids(selection) if one in set(ids(mine))]
            assert sorted(ids([*mine, *others])) == sorted(ids(selection))
        for hand in {(cell(item)["model"], cell(item)["task"]) for item in selection}:
            counts = [Counter((cell(item)["model"], cell(item)["task"]) for item in mine) for mine, _ in shards]
            check_even([counted[hand] for counted in counts])

    holds()
    for count in (2, 5):
        cells = [Counter[Any]() for _ in range(count)]
        for index in range(count):
            mine, _ = split_for_shard(everything, Shard(index + 1, count))
            for item in mine:
                place = cell(item)
                cells[index][place["model"], place["task"], place.get("variant"), place.get("depth")] += 1
            asked = [{one.replace(model, "") for one in ids(mine) if model in one} for model in ("exact", "sloppy")]
            assert asked[0] == asked[1]
        for place in set().union(*cells):
            check_even([counted[place] for counted in cells])
    failed = set(ids(everything[::7]))
    assert failed <= set(ids(split_for_shard(everything, Shard(2, 5), failed)[0]))


def test_a_problem_stays_together(pytester: pytest.Pytester, collect: Collect) -> None:
    """With all its conditions and repeats, and if two functions ask it; tests without a problem are in every shard."""
    pytester.makepyfile(
        test_again=BENCH.replace("[2, 3, 10]", "[3]"),
        test_other="""
        import pytest

        @pytest.mark.parametrize("problem", [1, 2, 3])
        def test_problem(problem): pass
        """,
    )
    configs = ("--llm-number-format=plain,comma", "--llm-repeats=3")
    everything = collect("--llm-model=llmarith/exact", "-k", "int_add or addition or test_other", *configs)
    assert len(everything) == (9 + 3 + 2 * ADDITION) * 2 * 3 + 3
    dealt = [split_for_shard(everything, Shard(index, 3))[0] for index in range(1, 4)]
    problems = []
    for mine in dealt:
        assert sum("test_other" in one for one in ids(mine)) == 3
        own = [cell(item) for item in mine if "test_other" not in item.nodeid]
        problems.append(Counter(tuple(one.get(name) for name in ("task", "variant", "depth", "trial")) for one in own))
    assert all(set(counted.values()) <= {2 * 3, 2 * 2 * 3} for counted in problems)
    assert sum(len(counted) for counted in problems) == len(set().union(*problems)) == 9 + ADDITION
    check_even([len(counted) for counted in problems])


@pytest.mark.parametrize(
    ("args", "fact"),
    [
        *((f"--llm-shard={text}", repr(text)) for text in ("0/5", "6/5", "2", "1/0", "1/5/5", "2/10001", "٢/5")),
        ("--llm-shard=1/2 --llm-seed=random", "--llm-seed=random"),
    ],
)
def test_no_shard(pytester: pytest.Pytester, args: str, fact: str) -> None:
    """Wrong usage is one line."""
    result = pytester.runpytest("--llm-model=llmarith/exact", *args.split())
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, result.errlines)
    assert line.startswith("ERROR: --llm-shard: ")
    assert fact in line


def facts(part: Any, place: str = "") -> dict[str, Any]:
    """What a summary says, by place, without its date and what it says of the machine, as programs run anew."""
    named = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else None
    if named is None:
        return {place: part}
    kept = ((name, value) for name, value in named if name not in ("date", "isolation") and "seconds" not in str(name))
    return {where: fact for name, value in kept for where, fact in facts(value, f"{place}.{name}").items()}


def test_merged_shards_are_the_whole_run(oeis: Bench) -> None:  # noqa: F811
    """From the same stored replies they say the same: costs, scores of sequences, what is missing."""
    oeis.pytester.makepyfile(test_bench=BENCH.replace("[2, 3, 10], trials=3", "[2], trials=1"))
    count = 8 + ADDITION + OEIS

    def script(call: Call) -> Answer | str:
        if "Name: The " in call.prompt:
            return program(call)
        return Answer(status=503) if " - " in call.prompt else "7" if "*" in call.prompt else right(call)

    oeis.script = script
    assert oeis.run("-ollm_retries=0", "-n", "2").ret == 1
    oeis.run("--llm-store=only")
    whole = oeis.summary()
    assert 0 < whole["unanswered"] < count
    shards = []
    for index, way in enumerate(WAYS.values(), 1):
        result = oeis.run("--llm-store=only", f"--llm-shard={index}/3", "--llm-reports=shards", *way)
        result.stdout.fnmatch_lines([f"llmarith: shard {index} of 3"])
        (folder,) = (oeis.pytester.path / "shards").glob(f"*_openai-gpt-4o-mini_shard-{index}-of-3")
        run = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["run"]
        assert run["selected"] == run["shard"]["dealt"]
        shards.append((folder, run["shard"]))
    assert sum(shard["dealt"] for _, shard in shards) == count
    assert len({(shard["count"], shard["whole"], shard["selection"]) for _, shard in shards}) == 1
    into = oeis.pytester.path / "merged"
    command = [sys.executable, "-c", "import sys; from pytest_llmarith.cli import main; sys.exit(main())"]
    result = oeis.pytester.run(*command, "merge", *(folder for folder, _ in reversed(shards)), "--into", into)
    assert (result.ret, result.errlines) == (0, [])
    merged = json.loads((into / "summary.json").read_text(encoding="utf-8"))
    assert set(facts(merged["results"]).items()) ^ set(facts(whole["results"]).items()) == set()
    assert (merged["answered"], merged["unanswered"]) == (whole["answered"], whole["unanswered"])
    assert merged["run"]["asking"] is None  # each shard keeps what it was asked and paid
    assert len((into / "trials.jsonl").read_text(encoding="utf-8").splitlines()) == count
