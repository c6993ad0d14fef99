"""Where settings come from, and whom they leave alone."""

from __future__ import annotations

import pytest

from pytest_llmarith.options.settings import parse_settings

PLAIN = "def test_it(): pass"


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
        "retry-time",
        "rpm",
        "tpm",
        "max-cost",
        "max-tokens",
        "price",
        "store",
        "reading",
        "depths",
        "trials",
        "again",
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
    """MODEL in .env counts where nothing nearer names a model."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("MODEL=o4-mini gpt-4o\n", encoding="utf-8")
    pytester.runpytest().stdout.fnmatch_lines(["llmarith: o4-mini, gpt-4o"])
    pytester.runpytest("--llm-model=mine").stdout.fnmatch_lines(["llmarith: mine"])


@pytest.mark.parametrize("variable", ["MODEL", "LLMARITH_MODEL"])
def test_a_mistake_in_a_dotenv_file(pytester: pytest.Pytester, variable: str) -> None:
    """The message names the variable of .env that holds it; an empty one is passed over."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text(f"LLMARITH_MODEL=\nMODEL=other\n{variable}=one one\n", encoding="utf-8")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {variable} in .env: 'one' is named twice; *"])


def test_models_of_the_environment(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLMARITH_MODEL beats .env and the ini file."""
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("MODEL=from-dotenv\n", encoding="utf-8")
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
    (pytester.path / ".env").write_bytes(b"MODEL=\xff\xfe\n")
    pytester.runpytest().assert_outcomes(passed=1)
    (pytester.path / ".env").unlink()
    (pytester.path / ".env").symlink_to("/proc/self/mem")  # a file that cannot be read, also by root
    pytester.runpytest().assert_outcomes(passed=1)
    (pytester.path / ".env").unlink()
    (pytester.path / ".env").write_text("MODEL=django\n", encoding="utf-8")
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
