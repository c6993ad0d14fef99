"""The plugin in suites of other people: their names stay theirs, and a conflict is one
line.
"""

from __future__ import annotations

import pytest

OWN_NAMES = """
    import time, pytest

    pytestmark = [pytest.mark.arithmetic("fast"), pytest.mark.oeis, pytest.mark.cell(task="oeis")]

    @pytest.fixture
    def problem(): return "mine"

    @pytest.fixture(params=["a", "b"])
    def model(request): return request.param

    @pytest.fixture
    def ask(): return lambda problem: "asked " + problem

    def test_own(problem, ask, model):
        assert ask(problem) == "asked mine" and model in "ab"

    @pytest.mark.timeout(2)
    def test_timeout(): time.sleep(60)
"""
OWN_PROBLEMS = """
    import pytest

    @pytest.mark.arithmetic
    @pytest.mark.parametrize("problem", [1, 2])
    def test_name(problem): assert problem in (1, 2)

    @pytest.mark.arithmetic
    @pytest.mark.parametrize(argnames="other, problem", argvalues=[(0, 1), (0, 2)])
    def test_argnames(other, problem): assert problem in (1, 2)

    @pytest.mark.parametrize("x", [0, pytest.param(1, marks=pytest.mark.arithmetic)])
    def test_values(x): pass

    @pytest.mark.arithmetic
    def test_hook(number): pass

    def pytest_generate_tests(metafunc):
        if "number" in metafunc.fixturenames:
            metafunc.parametrize("number", [1, 2])
"""
NOT_MARKED = """
    import pytest

    @pytest.fixture
    def loaded(model): return model

    def test_model(model): pass
    def test_ask(ask): pass
    def test_search(search): pass
    def test_loaded(loaded): pass
    def test_dynamic(request): request.getfixturevalue("ask")

    @pytest.fixture
    def answer(ask): return ask

    def test_answer(answer): pass

    @pytest.mark.arithmetic
    def test_without_argument(model): pass

    @pytest.mark.arithmetic
    @pytest.mark.parametrize("problem", [1])
    def test_with_own_problem(problem, ask): pass

    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.arithmetic(trials=1))])
    def test_mark_on_a_value(ask, x): pass
"""

GUEST = """
    from unittest.mock import Mock

    test_mock = Mock()

    def test_model(model): pass
    def test_ask(ask): pass
    def test_search(search): pass
    def test_problem(problem): pass
    def test_dynamic(request): request.getfixturevalue("ask")
"""
BESIDE_A_BENCH = """
    import pytest

    pytestmark = pytest.mark.arithmetic(depths=[2], trials=1)

    class Own:
        def reply(self, prompt): return "4"

    @pytest.fixture
    def model(): return Own()

    class TestBench:
        def test_arithmetic(self, problem, ask): ask(problem)
"""


@pytest.mark.proof
def test_a_suite_without_a_bench(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GUEST)
    args = ("-q", "-p", "no:cacheprovider", "--disable-warnings")
    result = pytester.runpytest_subprocess(*args)
    result.assert_outcomes(errors=4, failed=1)
    for name in ("model", "ask", "search", "problem"):
        result.stdout.fnmatch_lines([f"E * fixture '{name}' not found"])
    assert (
        result.outlines[:-1]
        == pytester.runpytest_subprocess(*args, "-p", "no:llmarith").outlines[:-1]
    )


def test_a_bench_beside_a_suite(pytester: pytest.Pytester) -> None:
    """The mark of a module makes a bench: its tests get the fixtures, and its own
    `model` is used.
    """
    pytester.makepyfile(test_a=GUEST, test_b=BESIDE_A_BENCH)
    result = pytester.runpytest_subprocess("--llm-reports=r", "--disable-warnings")
    result.stdout.fnmatch_lines(["*need a problem; write a mark*", "*8 deviate*"])


@pytest.mark.proof
def test_fixtures_of_a_conftest_replace_those_of_the_plugin(
    pytester: pytest.Pytester,
) -> None:
    """They may also use what they replace."""
    pytester.makeconftest("""
        import pytest

        class Own:
            def __init__(self, inner): self.inner = inner
            def reply(self, prompt): return self.inner.reply(prompt)

        @pytest.fixture
        def model(model): return Own(model)
    """)
    pytester.makepyfile("""
        import pytest

        @pytest.mark.arithmetic(depths=[2], trials=1)
        def test_arithmetic(problem, ask): assert ask(problem).model == "Own"
    """)
    result = pytester.runpytest_subprocess("--llm-model=llmarith/oracle")
    assert "8 correct" in result.outlines[-1]


def test_the_list_of_fixtures(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--fixtures")
    result.stdout.fnmatch_lines(
        ["model -- *", "    The model under test: *", "ask -- *", "search -- *"]
    )


@pytest.mark.proof
def test_names_of_other_suites(pytester: pytest.Pytester) -> None:
    """Fixtures, parameters and marks of the user are used; the plugin's fixtures need a
    mark above the function.
    """
    pytester.makepyfile(
        test_names=OWN_NAMES, test_problems=OWN_PROBLEMS, test_not_marked=NOT_MARKED
    )
    result = pytester.runpytest_subprocess("-rN", "--llm-model=llmarith/oracle")
    result.assert_outcomes(passed=2 + 2 + 2 + 2 + 2, failed=1 + 1, errors=8)
    assert sum("need a problem; write a mark" in line for line in result.outlines) == 6
    assert (
        sum(
            "@pytest.mark.arithmetic gives this test no problem" in line
            for line in result.outlines
        )
        == 3
    )
    result.stdout.no_fnmatch_line("*plugin.py*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_option_that_a_conftest_declares_too(pytester: pytest.Pytester) -> None:
    """One line on stderr and exit status 4; without the plugin the suite runs."""
    pytester.makeconftest(
        "def pytest_addoption(parser): parser.addoption('--llm-trials', type=int)"
    )
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert [line for line in result.errlines if line] == [
        next(line for line in result.errlines if "-p no:llmarith" in line)
    ]
    pytester.runpytest_subprocess("-p", "no:llmarith").assert_outcomes(passed=1)
