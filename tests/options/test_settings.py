"""Where settings come from, and whom they leave alone."""

from __future__ import annotations

import pytest

from pytest_llmarith.options.settings import parse_settings

PLAIN = "def test_it(): pass"
MARKED = "import pytest\n@pytest.mark.integer_addition(trials=1)\ndef test_it(problem, ask): ask(problem)"


@pytest.mark.parametrize(
    "option",
    [
        "seed",
        "symbols",
        "number-format",
        "context",
        "repeats",
        "shard",
        "concurrency",
        "timeout",
        "retries",
        "rpm",
        "tpm",
        "max-cost",
        "max-tokens",
        "price",
        "store",
        "reading",
        "depths",
        "trials",
        "reports",
    ],
)
def test_an_empty_value_is_wrong_usage(pytester: pytest.Pytester, option: str) -> None:
    """An empty value is a mistake, in a script most likely: it is named, not taken for the default."""
    pytester.makepyfile(PLAIN)
    result = pytester.runpytest(f"--llm-{option}=")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --llm-{option}: *"])


@pytest.mark.parametrize(
    ("given", "own"), [((), None), (("",), None), (("Be brief.",), "Be brief."), (("", "B"), None)]
)
def test_an_empty_system_prompt_is_none(pytester: pytest.Pytester, given: tuple[str, ...], own: str | None) -> None:
    """So nothing is sent, and nothing that was paid for without one is asked again."""
    options = [f"--llm-system-prompt={text}" for text in given]
    (model,) = parse_settings(pytester.parseconfig("--llm-model=m", *options)).models
    assert model.system_prompt == own


def test_models_of_a_dotenv_file(pytester: pytest.Pytester) -> None:
    """LLMARITH_MODEL in .env counts if nothing nearer names a model."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_text("LLMARITH_MODEL=o4-mini gpt-4o\n", encoding="utf-8")
    result = pytester.runpytest("--collect-only")
    result.stdout.fnmatch_lines(["llmarith: o4-mini, gpt-4o", "*o4-mini-trial_0*", "*gpt-4o-trial_0*"])
    pytester.runpytest("--llm-model=mine", "--collect-only").stdout.fnmatch_lines(["llmarith: mine"])
    result = pytester.runpytest("--llm-trials=2", "--collect-only")
    result.stdout.fnmatch_lines(["llmarith: o4-mini, gpt-4o", "*gpt-4o-trial_1*"])


def test_a_run_that_only_dotenv_begins(pytester: pytest.Pytester) -> None:
    """It is a whole run, with all its files."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_text("LLMARITH_MODEL=llmarith/exact\n", encoding="utf-8")
    result = pytester.runpytest_subprocess("-p", "no:xdist")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["llmarith: llmarith/exact (simulated)"])
    (run,) = (path for path in (pytester.path / "reports").iterdir() if path.is_dir())
    assert {"report.html", "report.json", "summary.json", "trials.jsonl"} <= {path.name for path in run.iterdir()}


def test_a_model_that_workers_find_too_late(pytester: pytest.Pytester) -> None:
    """With -n the controller collects nothing and does not read .env; the run says what to write instead."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_text("LLMARITH_MODEL=llmarith/exact\n", encoding="utf-8")
    result = pytester.runpytest_subprocess("-n", "2")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*LLMARITH_MODEL in .env *-n*--llm-model=llmarith/exact*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert pytester.runpytest_subprocess("-n", "2", "--llm-model=llmarith/exact").ret == 0
    assert pytester.runpytest_subprocess("-n", "2", "--llm-trials=2").ret == 0


@pytest.mark.parametrize("text", ["LLMARITH_MODEL=one one\n", "LLMARITH_MODEL=m?mock_response=x\n"])
@pytest.mark.parametrize("args", [(), ("--llm-trials=1",)])
def test_a_mistake_in_a_dotenv_file(pytester: pytest.Pytester, text: str, args: tuple[str, ...]) -> None:
    """The message names the variable of .env that holds it."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_text(text, encoding="utf-8")
    result = pytester.runpytest(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: LLMARITH_MODEL in .env: *"])


WAYS = pytest.mark.parametrize("way", [("-p", "no:xdist"), ("-n", "2")], ids=["plain", "-n 2"])


@pytest.mark.parametrize("text", ["MODEL=o4-mini\n", "LLMARITH_MODEL=\nMODEL=o4-mini\n", "llmarith_model=o4-mini\n"])
@WAYS
def test_a_model_of_another_program_in_a_dotenv_file(
    pytester: pytest.Pytester, text: str, way: tuple[str, ...]
) -> None:
    """MODEL belongs to others: nothing is asked."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_text(text, encoding="utf-8")
    result = pytester.runpytest_subprocess(*way)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["llmarith: no model chosen: *"])


@WAYS
def test_a_suite_of_somebody_else(pytester: pytest.Pytester, way: tuple[str, ...]) -> None:
    """Without an option and a mark of ours .env is not opened, no header is shown and nothing slow is loaded."""
    pytester.makeconftest("""
        import sys

        opened = []

        def pytest_addoption(parser):
            parser.addoption("--llm-endpoint", default="http://localhost")

        def hear(event, args):
            if event == "open" and str(args[0]).endswith(".env"):
                opened.append(args[0])

        sys.addaudithook(hear)

        def pytest_unconfigure():
            slow = {"litellm", "sqlite3", "dotenv", "aiohttp", "pytest_llmarith.session.assembly"}
            with open("heard", "a") as file:
                file.write(f"{opened} {sorted(slow & set(sys.modules))}\\n")
    """)
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("MODEL=o4-mini\nLLMARITH_MODEL=o4-mini\n", encoding="utf-8")
    result = pytester.runpytest_subprocess(*way)
    result.assert_outcomes(passed=1)
    assert set((pytester.path / "heard").read_text("utf-8").splitlines()) == {"[] []"}
    result.stdout.no_fnmatch_line("*llmarith: *")
    assert not (pytester.path / "reports").exists()


def test_models_of_the_environment(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLMARITH_MODEL beats .env and the ini file."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("LLMARITH_MODEL=from-dotenv\n", encoding="utf-8")
    monkeypatch.setenv("LLMARITH_MODEL", "from-environment")
    pytester.runpytest().stdout.fnmatch_lines(["llmarith: from-environment"])


def test_models_of_the_ini_file(pytester: pytest.Pytester) -> None:
    """llm_model in the ini file is the last to be looked at."""
    pytester.makepyfile(PLAIN)
    pytester.makeini("[pytest]\nllm_model =\n    one\n    two=o4-mini?temperature=0\n")
    pytester.runpytest().stdout.fnmatch_lines(["llmarith: one, two"])


def test_a_dotenv_file_of_somebody_else(pytester: pytest.Pytester) -> None:
    """A .env that is no UTF-8 or cannot be read is not ours to complain about, nor one of a suite with --dist=each."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_bytes(b"LLMARITH_MODEL=\xff\xfe\n")
    pytester.runpytest().assert_outcomes(passed=1)
    (pytester.path / ".env").unlink()
    (pytester.path / ".env").symlink_to("/proc/self/mem")  # a file that cannot be read, also by root
    pytester.runpytest().assert_outcomes(passed=1)
    (pytester.path / ".env").unlink()
    (pytester.path / ".env").write_text("LLMARITH_MODEL=django\n", encoding="utf-8")
    assert pytester.runpytest_subprocess("--dist=each", "-n", "2").ret == 0


def test_a_mark_of_somebody_else(pytester: pytest.Pytester) -> None:
    """A suite may have marks of these names: what wants no `problem` is none of ours."""
    pytester.makepyfile("import pytest\n@pytest.mark.arithmetic(2)\ndef test_it(): pass")
    pytester.runpytest().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("environment", "where"),
    [
        ({}, "OPENAI_BASE_URL in .env"),
        ({"OPENAI_BASE_URL": "somewhere"}, "OPENAI_BASE_URL (environment)"),
        ({"OPENAI_API_BASE": "somewhere"}, "OPENAI_BASE_URL in .env"),
    ],
)
def test_a_base_url_that_is_none(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], where: str
) -> None:
    """It is named with the place where it stands, of which the environment wins; other providers have no use for it."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("OPENAI_BASE_URL=nowhere\n", encoding="utf-8")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert pytester.runpytest("--llm-model=claude-sonnet-4-5").ret == pytest.ExitCode.OK
    result = pytester.runpytest("--llm-model=gpt-4o")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {where}: *where' is not a base URL; *"])
