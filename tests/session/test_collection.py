"""Functions with a problem mark become items: ids, selection, and one line for each
mistake.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pytest_llmarith.session.recorder import git_metadata
from pytest_llmarith.tasks.oeis.cache import Cache

Way = tuple[str, ...]
BENCH = """
    import pytest
    from pytest_llmarith import Problem, Task

    @pytest.mark.arithmetic(depths=range(2, 11), trials=10)
    def test_arithmetic(problem, ask): ask(problem)

    @pytest.mark.integer_addition(trials=100)
    def test_integer_addition(problem, ask): ask(problem)

    @pytest.mark.oeis
    def test_oeis(problem, ask): ask(problem)

    def make(name, label="word_{}", prompt=lambda problem: problem["word"]):
        def problems(seed, trials):
            return [Problem({"word": f"{seed}/{n}", "same": 0}, "", label.format(n)) for n in range(trials)]
        return Task(name, problems, prompt, lambda text, problem: text)

    reversal = make("reversal")

    @pytest.mark.llmarith_task(reversal, trials=2)
    def test_reversal(problem, ask): ask(problem)
"""
ENTRIES = {2: "easy,nonn", 45: "easy,nonn,nice", 108: "hard,sign"}
ALL = 720 + 100 + 3 + 2


def write_entry(folder: Path, number: int, keyword: str) -> None:
    fields = {
        "number": number,
        "name": f"Sequence {number}.",
        "data": "1,2,3",
        "offset": "0,2",
        "keyword": keyword,
    }
    (folder / f"A{number:06}.json").write_text(json.dumps([fields]), encoding="utf-8")


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    """All tasks, with a starter set of three sequences."""
    pytester.makepyfile(test_bench=BENCH)
    starter = pytester.path / "oeis_cache" / "starter"
    starter.mkdir(parents=True)
    for number, keyword in ENTRIES.items():
        write_entry(starter, number, keyword)
    return pytester


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The ids of the items that a command line selects."""
    result = pytester.runpytest(
        "--collect-only", "-q", "-p", "no:cacheprovider", "--llm-model=m", *args
    )
    return [line.split("::", 1)[1] for line in result.outlines if "::" in line]


def test_all_items_of_two_models(bench: pytest.Pytester) -> None:
    """Model by model, task by task, with nothing slow imported."""
    bench.makeconftest("""
        import sys

        def pytest_unconfigure():
            print("slow:", sorted({"litellm", "sqlite3", "dotenv", "aiohttp"} & set(sys.modules)))
    """)
    result = bench.runpytest_subprocess(
        "--collect-only", "-q", "--llm-model=m", "--llm-model=gpt-4o"
    )
    ids = [line.split("::", 1)[1] for line in result.outlines if "::" in line]
    assert len(ids) == len(set(ids)) == 2 * ALL
    assert ids[0] == "test_arithmetic[m-int_add-depth_2-trial_0]"
    assert ids[719:721] == [
        "test_arithmetic[m-float_div-depth_10-trial_9]",
        "test_arithmetic[gpt-4o-int_add-depth_2-trial_0]",
    ]
    assert {
        "test_oeis[gpt-4o-starter-A000108]",
        "test_integer_addition[m-trial_99]",
    } <= {*ids}
    assert ids[-1] == "test_reversal[gpt-4o-word_1]"
    result.stdout.fnmatch_lines(["slow: []"])
    assert not any((bench.path / name).exists() for name in ("reports", ".llmarith"))


@pytest.mark.parametrize(
    ("args", "count"),
    [
        (("-k", "int_div and depth_7"), 10),
        (("-m", "cell(dtype='float', model='m') and not cell(op='mul')"), 270),
        (("-m", "oeis_keyword(name='easy') and not oeis_keyword(name='nice')"), 1),
        (("-m", "cell(task='reversal', label='word_0')"), 1),
        (("--llm-depths=5,2", "-m", "arithmetic"), 160),
        (("--llm-trials=3", "-m", "not oeis"), 8 * 9 * 3 + 3 + 3),
        (
            (
                "--llm-model=größe[c]@2024",
                "-k",
                "gr__e_c__2024 and trial_7 and depth_3",
            ),
            8,
        ),
    ],
)
def test_selection(bench: pytest.Pytester, args: Way, count: int) -> None:
    """-k selects by parts of ids, -m exactly; options for depths and trials beat the
    marks.
    """
    assert len(collected(bench, *args)) == count


@pytest.mark.proof
def test_prompt_configs_and_repeats_are_items(bench: pytest.Pytester) -> None:
    """Of every problem, next to each other, as far as they matter to its task; the
    usual one keeps its id.
    """
    args = (
        "--llm-number-format=plain,comma",
        "--llm-symbols=ascii,unicode",
        "--llm-repeats=2",
    )
    ids = collected(
        bench,
        *args,
        "-k",
        "(trial_0 and depth_2 and int_add) or (addition and trial_0) or word_0",
    )
    assert ids == [
        f"{label}{config}{repeat}]"
        for label, configs in {
            "test_arithmetic[m-int_add-depth_2-trial_0": [
                "", "-symbols_unicode", "-numbers_comma", "-numbers_comma-symbols_unicode",
            ],
            "test_integer_addition[m-trial_0": ["", "-numbers_comma"],
            "test_reversal[m-word_0": [""],
        }.items()
        for config in configs
        for repeat in ("", "-repeat_1")
    ]  # fmt: skip
    assert (
        len(
            collected(
                bench,
                *args,
                "-m",
                "cell(repeat=1, numbers='comma', symbols='ascii', depth=4, trial=1)",
            )
        )
        == 8
    )


def test_without_a_model(bench: pytest.Pytester) -> None:
    result = bench.runpytest("--llm-trials=1")
    result.assert_outcomes(skipped=8 * 9 + 1 + 3 + 1)
    lines = [line for line in result.outlines if "no model chosen: give" in line]
    assert len(lines) == 2  # before the first test, and at the end
    assert result.outlines.index(lines[0]) < 10
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_bench_among_other_tests_stays_skipped(bench: pytest.Pytester) -> None:
    bench.makepyfile(test_other="def test_other(): pass")
    result = bench.runpytest("--llm-trials=1")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(skipped=8 * 9 + 1 + 3 + 1, passed=1)


@pytest.mark.parametrize(
    ("keyword", "options", "told"),
    [
        ("int_dvi", (), ("int_div", "as none has int_dvi", "depths: 2 to 10")),
        ("integer_addition and depth_44", (), ("variants: integer_addition; depths",)),
        ("int_dvi or depth_44", ("-n2",), ("int_div", "depth_2")),
    ],
)
def test_a_selection_of_nothing_is_told_what_there_is(
    bench: pytest.Pytester, keyword: str, options: tuple[str, ...], told: tuple[str]
) -> None:
    result = bench.runpytest("-k", keyword, "--llm-trials=1", *options)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    (line,) = (one for one in result.outlines if "is selected" in one)
    for each in told:
        assert each in line


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("--model=x", "--llm-model for --model"),
        ("--llm-modle=x", "--llm-model for --llm-modle"),
        ("--llm-max-costs=1", "--llm-max-cost for --llm-max-costs"),
    ],
)
def test_an_unknown_option_is_told_which_is_meant(
    bench: pytest.Pytester, option: str, meant: str
) -> None:
    result = bench.runpytest(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"did you mean: {meant}" in result.stderr.str()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gtp-4o-mini", "gpt-4o-mini"), ("llmarith/orcale", "llmarith/oracle")],
)
def test_an_unknown_model_is_told_which_is_meant(
    bench: pytest.Pytester, name: str, meant: str
) -> None:
    """Also in a dry run, and without litellm."""
    result = bench.runpytest(f"--llm-model={name}", "--llm-dry-run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"did you mean {meant}?" in result.stderr.str()


MISTAKES = {
    "arithmetic(5)": "takes only the keywords depths, trials",
    "arithmetic(trials='x')": "trials='x'",
    "arithmetic(depths=7)": "depths=7",
    "oeis(sets='starter')": "sets='starter'",
    "oeis(sets=['contemporary_easy'])": "contemporary_easy lacks 250 entries",
    "timeout(1e9)\n@pytest.mark.oeis": "timeout is no limit",
    "oeis\n@pytest.mark.arithmetic": "keep one of them",
    "llmarith_task()": "needs a task",
    "llmarith_task(3)": "task=3",
    "llmarith_task(Task('bare', lambda seed, trials: [], print, print))": "problems returned nothing",
    "llmarith_task(Task('one', lambda seed, trials: [Problem({}, 1, 'a')], lambda problem: '?', print))": None,
    "llmarith_task(Task('one', lambda seed, trials: [Problem({}, 1, 'b')], lambda problem: '?', print))": (
        "has a different task with the name 'one'"
    ),
}


def test_mistakes_in_marks(bench: pytest.Pytester) -> None:
    """One line each, when items are collected; nothing is asked."""
    head = "import pytest\nfrom pytest_llmarith import Problem, Task\n"
    for number, mark in enumerate(MISTAKES):
        test = f"{head}@pytest.mark.{mark}\ndef test_it(problem, ask): ask(problem)\n"
        (bench.path / f"test_mark_{number:02}.py").write_text(test, "utf-8")
    result = bench.runpytest("-p", "no:cacheprovider", "--llm-model=m")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    for number, fact in enumerate(MISTAKES.values()):
        assert number == number
        assert fact is None or any(fact in line for line in result.outlines)
    assert (
        len([line for line in result.outlines if "ERROR collecting" in line])
        == len(MISTAKES) - 1
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line(">*")


@pytest.mark.parametrize(
    ("task", "args", "fact"),
    [
        ("make('it', label='a{}-repeat_1')", ("--llm-repeats=2",), None),
        (
            "make('it', label='{}')",
            ("--llm-prompt-template=say.txt",),
            "get the same prompt",
        ),
        ("make('it')", ("--llm-prompt-template=other.txt",), "has no field {lhs}"),
    ],
)
def test_custom_tasks_and_templates(
    bench: pytest.Pytester, task: str, args: Way, fact: str | None
) -> None:
    """A template must tell problems apart that the task tells apart, and name fields
    that the task has.
    """
    source = BENCH[BENCH.index("    def make") : BENCH.index("    reversal =")]
    bench.makepyfile(
        test_bench=f"""
    import pytest
    from pytest_llmarith import Problem, Task
{source}
    @pytest.mark.llmarith_task({task}, trials=2)
    def test_it(problem, ask): ask(problem)
    """
    )
    (bench.path / "say.txt").write_text("Say {same}", "utf-8")
    (bench.path / "other.txt").write_text("{lhs}", "utf-8")
    result = bench.runpytest(
        "--collect-only", "-p", "no:cacheprovider", "--llm-model=m", *args
    )
    assert result.ret == (pytest.ExitCode.INTERRUPTED if fact else pytest.ExitCode.OK)
    assert not fact or [line for line in result.outlines if fact in line]
    result.stdout.no_fnmatch_line("*Traceback*")


def test_what_a_task_raises_has_its_traceback(bench: pytest.Pytester) -> None:
    """Also a ValueError, which elsewhere is a mistake that is told in one line."""
    bench.makepyfile(
        test_bench=BENCH.replace("return [Problem", "int('x'); return [Problem")
    )
    result = bench.runpytest(
        "-p", "no:cacheprovider", "--llm-model=m", "-k", "reversal"
    )
    result.stdout.fnmatch_lines(
        ["*in problems", "E*ValueError: invalid literal for int() *"]
    )


def test_the_sets(bench: pytest.Pytester) -> None:
    for number in Cache(bench.path).numbers("classic_hard"):
        write_entry(bench.path / "oeis_cache", int(number[1:]), "easy")
    bench.makeini("[pytest]\noeis_sets = classic_easy\n")
    for mark, args in (
        ("", ("--oeis-sets=classic_hard",)),
        ('(sets=["classic_hard"])', ("-ooeis_sets=starter",)),
    ):
        bench.makepyfile(test_bench=BENCH.replace("mark.oeis", f"mark.oeis{mark}"))
        ids = collected(bench, "-m", "oeis", *args)
        assert {one.removeprefix("test_oeis[m-").split("-A")[0] for one in ids} == {
            "classic_hard"
        }


@pytest.mark.parametrize(
    ("ini", "args", "status", "fact"),
    [
        ("clasic_easy", (), 4, "oeis_sets: 'clasic_easy'"),
        (
            "",
            ("--oeis-sets=classic_easy",),
            4,
            "--oeis-sets: classic_easy lacks 250 entries",
        ),
        # no set was named: skipped
        ("", ("-ooeis_cache=elsewhere", "-m", "oeis", "-rs"), 0, "has no entry"),
        ("", ("-ooeis_cache=broken",), 2, "A000002.json: malformed field `$.offset`"),
    ],
)
def test_sets_that_are_not_there(
    bench: pytest.Pytester, ini: str, args: Way, status: int, fact: str
) -> None:
    bench.makeini(f"[pytest]\noeis_sets = {ini}\n")
    starter = bench.path / "broken" / "starter"
    starter.mkdir(parents=True)
    write_entry(starter, 2, "easy")
    (starter / "A000002.json").write_text(
        (starter / "A000002.json").read_text().replace("0,2", "nought")
    )
    result = bench.runpytest(
        "-p", "no:cacheprovider", "--llm-model=m", "--llm-store=only", *args
    )
    assert result.ret == status
    assert [line for line in (*result.outlines, *result.errlines) if fact in line]
    result.stdout.no_fnmatch_line("*Traceback*")


def test_limits(bench: pytest.Pytester) -> None:
    """The largest limit is pytest-timeout's mark, also without that plugin; the
    function's own replaces it.
    """
    bench.makepyfile(
        test_bench="""
        import pytest
        from pytest_llmarith.session.items import limit_of
        from pytest_llmarith.tasks.task import Tools
        from pytest_llmarith.records import Reply

        @pytest.mark.oeis
        def test_usual(problem, request): check(problem, request, [30.0, 240.0])

        @pytest.mark.timeout(120)
        @pytest.mark.oeis
        def test_longer(problem, request): check(problem, request, [30.0, 120.0])

        @pytest.mark.timeout(15)
        @pytest.mark.oeis
        def test_shorter(problem, request): check(problem, request, [15.0])

        def check(problem, request, seconds):
            tools = Tools(Reply(""), limit_s=limit_of(request.node))
            assert list(problem.owner.grader.limits_of(tools).seconds) == seconds
            assert request.node.get_closest_marker("timeout")
    """
    )
    for plugin in (("-p", "no:timeout"), ()):
        bench.runpytest(
            "--llm-model=m", "--oeis-limits=30,240", *plugin
        ).assert_outcomes(passed=9)


def test_commit_and_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A summary has the project's commit, and whether its files differ from it; nothing
    if that is not known.
    """

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=me", "-c", "user.email=me@example.org")
        subprocess.run(
            ["git", *identity, *arguments],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    monkeypatch.setattr("pytest_llmarith.session.recorder._GIT_S", 60.0)
    git("init", "--quiet")
    assert git_metadata(tmp_path) is None
    (tmp_path / "file").write_text("one", "utf-8")
    git("add", "file")
    git("commit", "--quiet", "-m", "One")
    (tmp_path / "other").write_text("untracked files are no change", "utf-8")
    clean = git_metadata(tmp_path)
    assert clean is not None
    assert (len(str(clean["commit"])), clean["dirty"]) == (40, False)
    (tmp_path / "file").write_text("two", "utf-8")
    assert git_metadata(tmp_path) == clean | {"dirty": True}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_metadata(tmp_path) is None
