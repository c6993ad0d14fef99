"""The workflow that releases: what each job may do, and which files a tag selects."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[str, Any] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
)
JOBS = WORKFLOW["jobs"]


@pytest.mark.parametrize(
    ("tag", "packages", "beside"),
    [
        (
            "v0.2.0",
            ["pytest_llmarith-0.2.0-py3-none-any.whl", "pytest_llmarith-0.2.0.tar.gz"],
            ["constraints.txt", "sbom-pytest-llmarith.cdx.json"],
        ),
        (
            "exactnum-v0.1.0",
            ["exactnum-0.1.0-py3-none-any.whl", "exactnum-0.1.0.tar.gz"],
            ["sbom-exactnum.cdx.json"],
        ),
        ("v0.1.0", None, None),
        ("exactnum-v0.2.0", None, None),
    ],
)
def test_a_tag_selects_the_files_of_its_version(
    tag: str, packages: list[str] | None, beside: list[str] | None, tmp_path: Path
) -> None:
    built = [
        *("exactnum-0.1.0-py3-none-any.whl", "exactnum-0.1.0.tar.gz"),
        *("pytest_llmarith-0.2.0-py3-none-any.whl", "pytest_llmarith-0.2.0.tar.gz"),
        *("sbom-exactnum.cdx.json", "sbom-pytest-llmarith.cdx.json"),
        "constraints.txt",
    ]
    (tmp_path / "dist").mkdir()
    for name in built:
        (tmp_path / "dist" / name).touch()
    (script,) = (
        step["run"]
        for step in JOBS["build"]["steps"]
        if step.get("name", "").startswith("Select")
    )
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"GITHUB_REF_NAME": tag},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (packages is not None), done.stderr
    if packages is not None:
        for folder, names in (("packages", packages), ("beside", beside)):
            found = (tmp_path / "release" / folder).iterdir()
            assert sorted(path.name for path in found) == names
