"""Builds the documents of the repository as a site: `make site`.

The source folder is the root of the repository, so that the links between documents,
which GitHub follows, are those of the site.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # for the docstrings


def import_as(name: str, folder: Path) -> None:
    """Import a package by another name than that of its folder."""
    spec = spec_from_file_location(name, folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


# A link has this name in the repository, and a source distribution has no links.
import_as("exactnum", ROOT / "pytest_llmarith" / "exact")

project = "pytest-llmarith"
author = "The pytest-llmarith developers"
with (ROOT / "pyproject.toml").open("rb") as file:
    release = tomllib.load(file)["project"]["version"]

root_doc = "README"
include_patterns = [
    *("*.md", "docs/*.md", "docs/site/*.md", "exactnum/*.md"),
    "pytest_llmarith/exact/corpus/README.md",
]
exclude_patterns = ["PACKAGE.md"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
default_role = "code"  # docstrings quote names as in Markdown
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["static"]
html_css_files = ["keyboard.css"]
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # they would be fetched, which files on disk refuse

CONTENTS = {
    "To learn": "tutorial running own-bench own-task bridges breaking-point",
    "To do": "models money batches sequences programs conditions comparing publishing ci scale containers",
    "To look up": "questions options reports columns company site/api screens page errors",
    "To know why": "grading conformance oeis statistics confidence paper cheats architecture release",
}
PROJECT = """
    CONTRIBUTING CHANGELOG SECURITY CODE_OF_CONDUCT exactnum/README exactnum/CHANGELOG
    pytest_llmarith/exact/corpus/README
"""


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", without_functions)


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """The README has the contents of the site in its sidebar."""
    if name != root_doc:
        return
    for title, pages in CONTENTS.items():
        source[0] += contents(title, [f"docs/{page}" for page in pages.split()])
    source[0] += contents("The project", PROJECT.split())


def without_functions(
    app: Sphinx,
    kind: str,
    name: str,
    found: object,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Functions that are defaults as `...`: Sphinx cannot parse their repr."""
    return signature and re.sub(r"= *<[^<>]+>", "=...", signature), returns


def contents(title: str, pages: list[str]) -> str:
    listed = "\n".join(pages)
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"
