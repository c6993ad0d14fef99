"""The plugin in suites of other people: their names stay theirs, and a conflict is one line."""

from __future__ import annotations

import pytest

WAYS = pytest.mark.parametrize("way", [("-p", "no:xdist"), ("-n", "2")], ids=["plain", "-n 2"])


@WAYS
@pytest.mark.parametrize("model", [(), ("--llm-model=llmarith/exact",)], ids=["no option", "a model"])
def test_our_fixtures_are_not_found_without_our_marks(
    pytester: pytest.Pytester, way: tuple[str, ...], model: tuple[str, ...]
) -> None:
    """Such a test ends as without the plugin: an error that names the fixture which the test asked for."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def loaded(model): return model

        @pytest.fixture
        def answer(ask): return ask

        def test_model(model): pass
        def test_ask(ask): pass
        def test_search(search): pass
        def test_loaded(loaded): pass
        def test_answer(answer): pass
        def test_dynamic(request): request.getfixturevalue("ask")
    """)
    result = pytester.runpytest_subprocess(*way, *model, "-rN")
    result.assert_outcomes(errors=5, failed=1)
    text = result.stdout.str()
    assert text.count("E       fixture 'model' not found") == 2
    assert text.count("E       fixture 'ask' not found") == 3
    assert text.count("E       fixture 'search' not found") == 1
    assert "plugin.py" not in text


@WAYS
def test_fixtures_of_the_same_names(pytester: pytest.Pytester, way: tuple[str, ...]) -> None:
    """`problem`, `ask` and `model` are common names: a fixture of the user is used, also beside our marks' names."""
    pytester.makepyfile("""
        import pytest

        pytestmark = [pytest.mark.arithmetic("fast"), pytest.mark.oeis, pytest.mark.cell(task="oeis")]

        @pytest.fixture
        def problem(): return "mine"

        @pytest.fixture(params=["a", "b"])
        def model(request): return request.param

        @pytest.fixture
        def ask(): return lambda problem: "asked " + problem

        def test_own(problem, ask, model):
            assert ask(problem) == "asked mine" and model in "ab"
    """)
    pytester.runpytest_subprocess(*way, "--llm-model=llmarith/exact").assert_outcomes(passed=2)


@WAYS
@pytest.mark.parametrize(
    "parametrize",
    [
        '@pytest.mark.parametrize("problem", [1, 2])',
        '@pytest.mark.parametrize(["problem"], [[1], [2]])',
        '@pytest.mark.parametrize(argnames="other, problem", argvalues=[(0, 1), (0, 2)])',
    ],
)
def test_a_mark_with_a_parametrization_of_its_own(
    pytester: pytest.Pytester, way: tuple[str, ...], parametrize: str
) -> None:
    """A marker `arithmetic` of the user, whose tests have their own problems, is left alone."""
    other = "other, " if "other" in parametrize else ""
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.arithmetic\n{parametrize}\ndef test_it({other}problem): assert problem in (1, 2)"
    )
    pytester.runpytest_subprocess(*way, "--llm-model=llmarith/exact").assert_outcomes(passed=2)


def test_a_timeout_of_the_user_holds_beside_a_marker_called_oeis(pytester: pytest.Pytester) -> None:
    """Only items of the OEIS task have pytest-timeout's clock stopped."""
    pytester.makepyfile("""
        import time, pytest

        @pytest.mark.oeis
        @pytest.mark.timeout(0.2)
        def test_it(): time.sleep(60)
    """)
    pytester.runpytest_subprocess("-p", "no:xdist").assert_outcomes(failed=1)


@WAYS
@pytest.mark.parametrize(
    "test",
    [
        "@pytest.mark.arithmetic\ndef test_it(model): pass",
        '@pytest.mark.arithmetic\n@pytest.mark.parametrize("problem", [1])\ndef test_it(problem, ask): pass',
    ],
    ids=["no argument", "own parametrization"],
)
def test_a_marked_test_without_our_problem(pytester: pytest.Pytester, way: tuple[str, ...], test: str) -> None:
    """Whoever uses our mark and our fixtures, and no problem of ours, reads in one line what is missing."""
    pytester.makepyfile(f"import pytest\n{test}")
    result = pytester.runpytest_subprocess(*way, "--llm-model=llmarith/exact")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*@pytest.mark.arithmetic gives this test no problem*"])
    result.stdout.no_fnmatch_line("*Traceback*")


@WAYS
def test_a_problem_of_a_hook_of_the_user(pytester: pytest.Pytester, way: tuple[str, ...]) -> None:
    """A pytest_generate_tests of the user that parametrizes `problem` beside our mark is left alone."""
    pytester.makeconftest("""
        def pytest_generate_tests(metafunc):
            metafunc.parametrize("problem", [1, 2])
    """)
    pytester.makepyfile("import pytest\n@pytest.mark.arithmetic\ndef test_it(problem): pass")
    pytester.runpytest_subprocess(*way).assert_outcomes(passed=2)


@WAYS
@pytest.mark.parametrize("argument", ["problem, ask", "ask", "model", "search"])
def test_our_marks_on_values_are_refused(pytester: pytest.Pytester, way: tuple[str, ...], argument: str) -> None:
    """pytest.param(marks=...) would make no question: the collection says so in one line."""
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.parametrize("x", [0, pytest.param(1, marks=pytest.mark.arithmetic(trials=1))])
        def test_it({argument}, x): pass
    """)
    result = pytester.runpytest_subprocess(*way, "--llm-model=llmarith/exact")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*test_it: pytest.param(marks=pytest.mark.arithmetic) makes no questions; *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_marks_on_values_of_other_suites(pytester: pytest.Pytester) -> None:
    """A test that uses none of our fixtures may have a marker of that name on its values."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("x", [0, pytest.param(1, marks=pytest.mark.arithmetic)])
        def test_it(x): pass
    """)
    pytester.runpytest_subprocess("--llm-model=llmarith/exact").assert_outcomes(passed=2)


@WAYS
@pytest.mark.parametrize("declared", ['"--llm-model"', '"--oeis-sets"', '"--llm-trials", type=int'])
def test_an_option_that_a_conftest_declares_too(pytester: pytest.Pytester, way: tuple[str, ...], declared: str) -> None:
    """One line on stderr and exit status 4; without the plugin the suite runs."""
    pytester.makeconftest(f"def pytest_addoption(parser): parser.addoption({declared})")
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_subprocess(*way)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert [line for line in result.errlines if line] == [
        next(line for line in result.errlines if "-p no:llmarith" in line)
    ]
    pytester.runpytest_subprocess(*way, "-p", "no:llmarith").assert_outcomes(passed=1)
