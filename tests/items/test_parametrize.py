"""Functions with our marks become items; everything else is left alone."""

from __future__ import annotations

import pytest

from pytest_llmarith.items.marks import id_of

BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=range(2, 11), trials=10)
    def test_arithmetic(problem, ask):
        ask(problem)

    @pytest.mark.integer_addition(trials=100)
    def test_integer_addition(problem, ask):
        ask(problem)
"""


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The ids of the items that a command line selects."""
    result = pytester.runpytest("--collect-only", "-q", "-p", "no:cacheprovider", *args)
    return [line.split("::", 1)[1] for line in result.outlines if "::" in line]


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(BENCH)
    return pytester


def test_the_whole_benches(bench: pytest.Pytester) -> None:
    """720 arithmetic items and 100 additions per model, model by model."""
    ids = collected(bench, "--llm-model=o4-mini", "--llm-model=gpt-4o")
    assert len(ids) == len(set(ids)) == 2 * (720 + 100)
    assert ids[0] == "test_arithmetic[o4-mini-int_add-depth_2-trial_0]"
    assert ids[719] == "test_arithmetic[o4-mini-float_div-depth_10-trial_9]"
    assert ids[720] == "test_arithmetic[gpt-4o-int_add-depth_2-trial_0]"
    assert ids[-1] == "test_integer_addition[gpt-4o-trial_99]"


def test_k_selects_a_cell(bench: pytest.Pytester) -> None:
    """`-k "int_div and depth_7"` selects exactly the ten items of that cell, per model."""
    ids = collected(bench, "--llm-model=o4-mini", "--llm-model=llmarith/exact", "-k", "int_div and depth_7")
    models = ("o4-mini", "llmarith/exact")
    assert ids == [f"test_arithmetic[{m}-int_div-depth_7-trial_{t}]" for m in models for t in range(10)]


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("cell(variant='int_div', depth=7)", 20),
        ("cell(model='gpt-4o', variant='int_div', depth=7)", 10),
        ("cell(op='div', depth=7, trial=3)", 4),
        ("cell(dtype='float') and not cell(op='mul')", 540),
        ("cell(task='integer_addition', trial=5)", 2),
        ("integer_addition", 200),
    ],
)
def test_m_selects_exactly(bench: pytest.Pytester, expression: str, count: int) -> None:
    """Marks carry model, task, variant, op, dtype, depth and trial, so that -m is exact where -k is a substring."""
    assert len(collected(bench, "--llm-model=gpt-4o", "--llm-model=gpt-4o-mini", "-m", expression)) == count


@pytest.mark.parametrize(
    ("args", "arithmetic", "addition"),
    [
        (["--llm-depths=2-3"], 160, 100),
        (["--llm-depths=5,2"], 160, 100),
        (["--llm-trials=3"], 8 * 9 * 3, 3),
        (["--llm-depths=12", "--llm-trials=1"], 8, 1),
    ],
)
def test_options_beat_the_marks(bench: pytest.Pytester, args: list[str], arithmetic: int, addition: int) -> None:
    """Options for depths and trials win over what stands at the function."""
    ids = collected(bench, "--llm-model=m", *args)
    assert sum(i.startswith("test_arithmetic") for i in ids) == arithmetic
    assert sum(i.startswith("test_integer_addition") for i in ids) == addition


def test_without_a_model(bench: pytest.Pytester) -> None:
    """The benches are skipped, with a reason that names the embedded models."""
    result = bench.runpytest("-rs", "--llm-trials=1")
    result.assert_outcomes(skipped=73)
    result.stdout.fnmatch_lines(["llmarith: no model chosen: give --llm-model=NAME*exact and llmarith/sloppy*"])


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("arithmetic(5)", "*@pytest.mark.arithmetic takes only the keywords depths, trials, not*"),
        ("arithmetic(digits=3)", "*@pytest.mark.arithmetic takes only the keywords depths, trials, not ?'digits'?*"),
        (
            "arithmetic(trials='x')",
            "*@pytest.mark.arithmetic: trials='x' is not understood; write depths=range(2, 11), trials=10*",
        ),
        (
            "arithmetic(depths=7)",
            "*@pytest.mark.arithmetic: depths=7 is not understood; write depths=range(2, 11), trials=10*",
        ),
        ("integer_addition(trials=0)", "*@pytest.mark.integer_addition: trials=0 is not understood; write trials=100*"),
        (
            "oeis(sets='starter')",
            "*@pytest.mark.oeis: sets='starter' is not understood; write sets=?\"classic_easy\"?*",
        ),
        ("integer_addition(depths=[2])", "*@pytest.mark.integer_addition takes only the keywords trials*"),
    ],
)
def test_a_mark_with_wrong_arguments(pytester: pytest.Pytester, mark: str, message: str) -> None:
    """A mistake in a mark is named with its place."""
    pytester.makepyfile(f"import pytest\n@pytest.mark.{mark}\ndef test_it(problem, ask): ask(problem)")
    result = pytester.runpytest("--llm-model=m")
    result.stdout.fnmatch_lines([f"*test_it: {message}"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pluggy*: in *")
    assert result.ret != 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("o4-mini", "o4-mini"),
        ("claude@2024", "claude_2024"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("ollama/llama3:8b", "ollama/llama3:8b"),
        ("a b[c]\\d", "a_b_c__d"),
        ("größe", "gr__e"),
    ],
)
def test_a_models_id(name: str, expected: str) -> None:
    """In ids a model's name keeps only what -k can parse."""
    assert id_of(name) == expected


def test_a_models_id_can_be_selected(bench: pytest.Pytester) -> None:
    """The name as it stands in the id works in -k, where the real one would be a syntax error."""
    assert len(collected(bench, "--llm-model=claude@2024", "-k", "claude_2024 and trial_7 and depth_3")) == 8


def test_models_that_cannot_be_told_apart(bench: pytest.Pytester) -> None:
    """Two names with one id are wrong usage, and the message says what to write."""
    result = bench.runpytest("--llm-model=a@b", "--llm-model=a b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *'a@b' and 'a b' have the same id 'a_b'; give one a name of its own: *"])


def test_models_with_one_name(bench: pytest.Pytester) -> None:
    """A model named twice is wrong usage."""
    result = bench.runpytest("--llm-model=m?temperature=0", "--llm-model=m?temperature=1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --llm-model: 'm' is named twice; give one its own name: other-name=m"])


def test_collecting_imports_nothing_slow(bench: pytest.Pytester) -> None:
    """--collect-only with a model imports neither litellm nor asyncio's users nor the store."""
    bench.makeconftest("""
        import sys

        def pytest_unconfigure():
            print("slow:", sorted({"litellm", "sqlite3", "dotenv", "tabulate", "aiohttp"} & set(sys.modules)))
    """)
    result = bench.runpytest_subprocess("--collect-only", "-q", "--llm-model=o4-mini", "-p", "no:hypothesispytest")
    result.stdout.fnmatch_lines(["slow: []"])


def test_several_conditions_make_several_items(bench: pytest.Pytester) -> None:
    """Of every problem, next to each other; a task has as many as matter to it."""
    args = ("--llm-model=o4-mini", "--llm-number-format=plain,comma", "--llm-symbols=ascii,unicode")
    ids = collected(bench, *args, "-k", "trial_0 and (depth_2 or addition)")
    assert ids[:4] == [
        f"test_arithmetic[o4-mini-int_add-depth_2-trial_0{how}]"
        for how in ("", "-symbols_unicode", "-numbers_comma", "-numbers_comma-symbols_unicode")
    ]
    assert ids[-2:] == [f"test_integer_addition[o4-mini-trial_0{how}]" for how in ("", "-numbers_comma")]


def test_repeats_are_items(bench: pytest.Pytester) -> None:
    """The first has the id that it has alone; -m finds each."""
    args = ("--llm-model=o4-mini", "--llm-repeats=3", "-k", "int_mul and depth_4 and trial_1")
    label = "test_arithmetic[o4-mini-int_mul-depth_4-trial_1"
    assert collected(bench, *args) == [f"{label}]", f"{label}-repeat_1]", f"{label}-repeat_2]"]
    assert collected(bench, *args, "-m", "cell(repeat=2, numbers='plain')") == [f"{label}-repeat_2]"]


def test_a_template_that_a_task_cannot_fill_in(bench: pytest.Pytester) -> None:
    """It is an error of the collection, in one line."""
    bench.makefile(".txt", terse="{lhs} {sign} {rhs} =")
    result = bench.runpytest("--collect-only", "-q", "--llm-model=o4-mini", "--llm-prompt=terse.txt")
    result.stdout.fnmatch_lines(
        ["--llm-prompt: template terse: integer_addition has no field {lhs}; it has {int1}, {int2}"]
    )
