"""Sequences as items: ids, selection, sets, limits."""

from __future__ import annotations

import json

import pytest

from pytest_llmarith.oeis.sets import numbers

BENCH = """
    import pytest

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""
ENTRIES = {2: "easy,nonn", 45: "easy,nonn,nice", 108: "hard,sign"}


def entry(number: int, keyword: str) -> str:
    fields = {"number": number, "name": f"Sequence {number}.", "data": "1,2,3", "offset": "0,2", "keyword": keyword}
    return json.dumps([fields])


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    """A bench with a starter set of three."""
    pytester.makepyfile(BENCH)
    starter = pytester.path / "oeis_cache" / "starter"
    starter.mkdir(parents=True)
    for number, keyword in ENTRIES.items():
        (starter / f"A{number:06}.json").write_text(entry(number, keyword), encoding="utf-8")
    return pytester


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """What stands between the brackets of the ids that a command line selects."""
    result = pytester.runpytest("--collect-only", "-q", "--llm-model=o4-mini", *args)
    return [line.split("[", 1)[1].removesuffix("]") for line in result.outlines if "::" in line]


SETS = ("classic_easy", "classic_hard", "contemporary_easy", "contemporary_hard")


@pytest.fixture
def synced(bench: pytest.Pytester) -> pytest.Pytester:
    """The same after all four sets of the paper have been fetched."""
    for number in {number for name in SETS for number in numbers(name, bench.path)}:
        path = bench.path / "oeis_cache" / f"{number}.json"
        path.write_text(entry(int(number[1:]), "easy"), encoding="utf-8")
    return bench


@pytest.mark.parametrize("model", ["o4-mini", "llmarith/exact", "llmarith/sloppy"])
@pytest.mark.parametrize("cache", ["bench", "synced"])
def test_the_starter_unless_sets_are_named(request: pytest.FixtureRequest, cache: str, model: str) -> None:
    """One item per sequence of the starter, whatever was fetched and whichever model is asked."""
    bench = request.getfixturevalue(cache)
    result = bench.runpytest("--collect-only", "-q", f"--llm-model={model}")
    ids = [line.split("[", 1)[1].removesuffix("]") for line in result.outlines if "::" in line]
    assert ids == [f"{model}-starter-A{number:06}" for number in ENTRIES]


@pytest.mark.parametrize(
    ("ini", "mark", "args", "chosen"),
    [
        ("contemporary_easy", "", (), {"contemporary_easy"}),
        ("classic_easy, starter", "", (), {"classic_easy", "starter"}),
        ("classic_easy", "", ("--oeis-sets=starter",), {"starter"}),
        ("classic_easy", "", ("--oeis-sets=classic_hard,contemporary_hard",), {"classic_hard", "contemporary_hard"}),
        ("classic_easy", '(sets=["contemporary_hard"])', (), {"contemporary_hard"}),
        ("classic_easy", '(sets=["contemporary_hard"])', ("--oeis-sets=starter",), {"starter"}),
        ("", '(sets=["contemporary_hard"])', (), {"contemporary_hard"}),
    ],
)
def test_who_names_the_sets(
    synced: pytest.Pytester, ini: str, mark: str, args: tuple[str, ...], chosen: set[str]
) -> None:
    """The option, else the mark, else the ini value."""
    synced.makepyfile(BENCH.replace("mark.oeis", f"mark.oeis{mark}"))
    synced.makeini(f"[pytest]\noeis_sets = {ini}\n")
    assert {label.split("-A")[0].removeprefix("o4-mini-") for label in collected(synced, *args)} == chosen


@pytest.mark.parametrize(
    ("ini", "status", "message"),
    [
        ("clasic_easy", pytest.ExitCode.USAGE_ERROR, "*oeis_sets (ini file): 'clasic_easy'*classic_easy*"),
        (",", pytest.ExitCode.USAGE_ERROR, "*oeis_sets (ini file): ''*classic_easy*"),
        (
            "classic_easy",
            pytest.ExitCode.INTERRUPTED,
            "*oeis_sets (ini file): classic_easy lacks 250 entries*oeis sync*",
        ),
    ],
)
def test_a_mistake_in_the_ini_value(bench: pytest.Pytester, ini: str, status: pytest.ExitCode, message: str) -> None:
    """One line with the way out; a set that is not whole is found out by the collection of its items alone."""
    bench.makeini(f"[pytest]\noeis_sets = {ini}\n")
    result = bench.runpytest("--llm-model=o4-mini", "-p", "no:xdist")
    assert result.ret == status
    (result.stderr if status == pytest.ExitCode.USAGE_ERROR else result.stdout).fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (("-k", "A000045"), [45]),
        (("-k", "starter"), [2, 45, 108]),
        (("-k", "classic_hard"), []),
        (("-m", "cell(set='starter', number='A000108')"), [108]),
        (("-m", "cell(task='oeis')"), [2, 45, 108]),
        (("-m", "oeis_keyword(name='easy')"), [2, 45]),
        (("-m", "oeis_keyword(name='easy') and oeis_keyword(name='nice')"), [45]),
        (("-m", "oeis and not oeis_keyword(name='easy')"), [108]),
    ],
)
def test_selection(bench: pytest.Pytester, args: tuple[str, ...], found: list[int]) -> None:
    """-k selects sequences by their numbers and sets, and -m by their cells and keywords."""
    assert collected(bench, *args) == [f"o4-mini-starter-A{number:06}" for number in found]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--oeis-sets=classic_easy",),
            "ERROR: --oeis-sets: classic_easy lacks 250 entries (A*llmarith oeis sync classic_easy*",
        ),
        (("--oeis-sets=classic",), "ERROR: --oeis-sets: *'classic'*classic_easy*"),
        (
            ("--oeis-sets=starter", "--oeis-cache=elsewhere"),
            "ERROR: --oeis-sets: *'*elsewhere/starter' holds no entry*",
        ),
    ],
)
def test_a_set_that_is_not_there(bench: pytest.Pytester, args: tuple[str, ...], message: str) -> None:
    """A set that is asked for by name and not whole is wrong usage, with and without workers."""
    for way in ((), ("-n", "2")):
        result = bench.runpytest("--llm-model=o4-mini", *args, *way)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([message])


@pytest.mark.parametrize("option", ["--oeis-cache=elsewhere", "--oeis-cache=half"])
def test_no_sequences_are_no_mistake(bench: pytest.Pytester, option: str) -> None:
    """Where nobody named a set and none is whole, one item is skipped with the reason, and other tasks run."""
    half = bench.path / "half"
    half.mkdir()
    (half / "A000045.json").write_text(entry(45, "easy"), encoding="utf-8")
    result = bench.runpytest("--llm-model=o4-mini", "-rs", option)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*starter' holds no entry*--oeis-cache*"])


def test_a_broken_entry_is_named(bench: pytest.Pytester) -> None:
    """A broken entry ends the collection with its file and its field, and no default takes its place."""
    path = bench.path / "oeis_cache" / "starter" / "A000045.json"
    path.write_text(entry(45, "easy").replace("0,2", "nought"), encoding="utf-8")
    result = bench.runpytest("--llm-model=o4-mini", "-p", "no:xdist")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*A000045.json*offset*'nought'*"])


def test_the_sets_of_a_function(bench: pytest.Pytester) -> None:
    """A bench may name its sets; the option beats it."""
    bench.makepyfile(BENCH.replace("mark.oeis", "mark.oeis(sets=['contemporary_easy'])"))
    assert collected(bench, "--oeis-sets=starter") != []
    result = bench.runpytest("--llm-model=o4-mini")
    result.stdout.fnmatch_lines(["*contemporary_easy lacks 250 entries*"])


@pytest.mark.parametrize("limit", ["float('inf')", "float('nan')", "1e9", "10**400", "0", "-1", "'x'"])
def test_a_timeout_mark_that_is_no_limit(bench: pytest.Pytester, limit: str) -> None:
    """It is named with its place, and nothing else is said."""
    bench.makepyfile(BENCH.replace("@pytest.mark.oeis", f"@pytest.mark.timeout({limit})\n    @pytest.mark.oeis"))
    result = bench.runpytest("--llm-model=o4-mini")
    result.stdout.fnmatch_lines(["*::test_oeis: @pytest.mark.timeout is no limit of a term; write seconds up to 3600"])
    assert result.ret != 0


def test_without_a_model(bench: pytest.Pytester) -> None:
    """Sequences are skipped like all other questions, whether programs could be run or not."""
    bench.runpytest().assert_outcomes(skipped=3)


@pytest.mark.parametrize(
    ("mark", "option", "seconds"),
    [
        ("", "0.5,4", [0.5, 4.0]),
        ("", "1,2,3", [1.0, 2.0, 3.0]),
        ("@pytest.mark.timeout(2)", "0.5,4", [0.5, 2.0]),
        ("@pytest.mark.timeout(timeout=9)", "0.5,4", [0.5, 9.0]),
        ("@pytest.mark.timeout(0.25)", "0.5,4", [0.25]),
    ],
)
def test_limits(
    pytester: pytest.Pytester, bench: pytest.Pytester, mark: str, option: str, seconds: list[float]
) -> None:
    """The largest limit is pytest-timeout's mark; one of the function's own replaces it."""
    bench.makepyfile(f"""
        import pytest
        from pytest_llmarith.items.sequences import limits_of
        from pytest_llmarith.session.begin import settings_of

        {mark}
        @pytest.mark.oeis
        def test_oeis(problem, request):
            limits = limits_of(request.node, settings_of(request.config))
            assert list(limits.seconds) == {seconds}
            assert request.node.get_closest_marker("timeout")
    """)
    args = ("--llm-model=o4-mini", f"--oeis-limits={option}")
    bench.runpytest(*args).assert_outcomes(passed=3)
    bench.runpytest(*args, "-p", "no:timeout", "-W", "error").assert_outcomes(passed=3)
