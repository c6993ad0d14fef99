"""A project in which the commands of the documents are run, with providers on loopback."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.documents.blocks import ROOT
from tests.documents.provider import Provider
from tests.documents.shell import Shell, Typed
from tests.oeis_site import Site

TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
# Few questions, but enough for every command of the documents; a command's own options win.
SEQUENCES = {"A000040", "A000043", "A000045"}
SIZES = "--llm-trials=4 --llm-depths=3,7 --oeis-terms=2"
FEW = "-k 'not classic or A000043 or A000045'"
_FOREIGN = ("PYTEST", "LLMARITH")


class Project:
    """A folder with a shell, in whose PATH `programs` comes first."""

    def __init__(self, folder: Path, programs: Path, provider: Provider, site: Site) -> None:
        self.folder = folder
        self.provider = provider
        self._environment = _environment(folder, programs, provider)
        self._replaced = {
            "http://localhost:8000/v1": _by_name(provider),
            "http://proxy.example:4000": _by_name(provider),
            "llmarith oeis sync": (
                f"{sys.executable} -c 'from pytest_llmarith.oeis import website;"
                f' website.OEIS, website.PACE_S = "{site.base_url}", 0;'
                " from pytest_llmarith.cli import main; raise SystemExit(main())' oeis sync"
            ),
            "make ": f"make --dry-run -C '{ROOT}' ",  # it would run these tests
        }

    def make(self) -> None:
        """Run `llmarith init`, and leave a few of the sequences."""
        self.run("llmarith init")
        for path in (self.folder / "oeis_cache" / "starter").iterdir():
            if path.stem not in SEQUENCES:
                path.unlink()
        (self.folder / ".venv").symlink_to(sys.prefix)
        if TRANSCRIPTS.is_dir():
            (self.folder / "transcripts").symlink_to(TRANSCRIPTS)

    def copy(self, past: Path) -> None:
        """Copy another project."""
        shutil.copytree(past, self.folder, symlinks=True, dirs_exist_ok=True)

    def run(self, *lines: str) -> None:
        """Run commands that are in no document and must succeed."""
        with self.shell() as typed:
            for line in lines:
                assert (done := typed(line)).status == 0, done

    @contextmanager
    def shell(self) -> Iterator[Callable[[str], Typed]]:
        """One shell; addresses in a line are replaced by those of the local servers."""
        printed = self.folder.with_name(f"{self.folder.name}-printed")
        printed.mkdir(exist_ok=True)
        with Shell(self.folder, self._environment, printed) as shell:
            yield lambda line: shell.type(self._with_local_addresses(line))

    def as_documented(self, printed: str) -> str:
        """The output with the folder and the addresses of the documents; `-` is a provider's own address."""
        printed = printed.replace(f"{self.folder}", "/home/me/benches")
        printed = printed.replace(_by_name(self.provider), "http://localhost:8000/v1")
        return printed.replace(self.provider.base_url, "-")

    def _with_local_addresses(self, line: str) -> str:
        for documented, local in self._replaced.items():
            line = line.replace(documented, local)
        return line


MakeProject = Callable[[Path, Path | None], Project]


def _by_name(provider: Provider) -> str:
    """Another address of the same server, which stands for a server that is not the provider's own."""
    return provider.base_url.replace("127.0.0.1", "localhost")


def _environment(folder: Path, programs: Path, provider: Provider) -> Mapping[str, str]:
    """A terminal of 80 columns, keys, and the variables by which litellm finds providers."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return inherited | {
        "PATH": f"{programs}:{inherited['PATH']}",
        "COLUMNS": "80",
        "PYTEST_ADDOPTS": f"{SIZES} {FEW}",
        "XDG_RUNTIME_DIR": f"{programs}",  # slots for programs that no other run shares
        "GITHUB_STEP_SUMMARY": f"{folder / 'step-summary.md'}",
        "OPENAI_API_KEY": "sk-of-the-tests",
        "OPENAI_BASE_URL": provider.base_url,
        "ANTHROPIC_API_KEY": "sk-ant-of-the-tests",
        "ANTHROPIC_API_BASE": provider.base_url.removesuffix("/v1"),
    }
