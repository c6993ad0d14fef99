"""What a shell completes: commands, options, values and files of `llmarith`, and the
options of the plugin in pytest.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main

PROGRAMS = Path(sys.executable).parent
COMPLETE = """
source completion.bash
COMP_WORDS=({words})
COMP_CWORD={last}
COMPREPLY=()
_shtab_llmarith
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("re", "regrade report"),
        ("oeis ", "status sync"),
        ("report --fo", "--force --format"),
        ("export --format p", "parquet"),
        ("report runs/o", "runs/one runs/other"),
        ("compare --output runs/on", "runs/one"),
    ],
)
def test_bash_completes(
    line: str,
    completed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["completion", "bash"]) == 0
    (tmp_path / "completion.bash").write_text(capsys.readouterr().out)
    for run in ("one", "other"):
        (tmp_path / "runs" / run).mkdir(parents=True)
    words = line.split(" ")
    script = COMPLETE.format(words=shlex.join(["llmarith", *words]), last=len(words))
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    offered = sorted(word.rstrip("/") for word in done.stdout.split())
    assert " ".join(offered) == completed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which the shell can parse, if it is installed."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "fail-if-worse" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


def test_what_is_missing_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == WRONG_USAGE
    said = capsys.readouterr().err
    assert "pip install" in said
    assert said.count("\n") == 1


def test_pytest_completes_the_options_of_the_plugin(tmp_path: Path) -> None:
    """As register-python-argcomplete asks it."""
    line = "pytest --llm-mod"
    asking = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_COMP_WORDBREAKS": " ",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST")
    }
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(str(PROGRAMS / 'pytest'))} 8>&1 9>/dev/null"],
        cwd=tmp_path,
        env=own | asking,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "--llm-model"
