"""`llmarith site`: a static site that ranks the models of verified bundles, without a
browser.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import main
from tests.bundles.test_cheats import Bundle

Bundles = dict[str, Path]


def site_of(into: Path, *bundles: Path, status: int = 0) -> str:
    """The page of a site."""
    options = [*map(str, bundles), f"--output={into / 'site'}"]
    assert main(["site", *options]) == status
    return (into / "site" / "index.html").read_text("utf-8")


def rankings(page: str) -> list[dict[str, list[str]]]:
    """The cells of the first table of each ranking, by model without its notes."""
    found = []
    for section in re.findall(r'<section id="ranking-.*?</section>', page, re.DOTALL):
        table = section.partition("</table>")[0].replace("<wbr>", "")
        rows = {}
        for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL):
            cells = []
            for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL):
                cells.append(" ".join(unescape(re.sub("<.*?>", " ", cell)).split()))
            rows[re.split(r" simulated| \d+ note", cells[0])[0]] = cells[1:]
        found.append(rows)
    return found


def models_of(page: str) -> list[set[str]]:
    """The models of each ranking."""
    return [set(rows) - {"model"} for rows in rankings(page)]


def test_models_are_ranked_and_equal_ones_share_a_rank(
    bundles: Bundles, tmp_path: Path
) -> None:
    """With a row per model and a column per task."""
    page = site_of(tmp_path, bundles["fakes"])
    [rows] = rankings(page)
    assert rows["model"] == [
        *("arithmetic", "integer_addition", "s/reply", "date", "verified")
    ]
    ranks = {name: re.findall(r"rank (\d)", cells[0]) for name, cells in rows.items()}
    assert ranks["llmarith/oracle"] == ["1"]
    assert ranks["twin"] == ["1"]
    assert ranks["llmarith/junk"] == ["3"]
    assert "90 % to" in rows["twin"][0]


def test_what_was_checked_stands_beside_each_model(
    bundles: Bundles, tmp_path: Path
) -> None:
    """With links to the page of the run and to the bundle."""
    page = site_of(tmp_path, bundles["fakes"])
    digest = json.loads((bundles["fakes"] / "manifest.json").read_text())["sha256"]
    place = f"bundles/{digest[:16]}"
    assert rankings(page)[0]["twin"][-1].startswith(f"✓ {digest[:16]} 60 of 60 trials")
    assert f'href="{place}/report.html#trials?model=twin"' in page
    assert f'href="{place}/manifest.json"' in page
    assert digest in page
    for name in ("manifest.json", "report.html", "trials.jsonl", "summary.json"):
        copy = tmp_path / "site" / place / name
        assert copy.read_bytes() == (bundles["fakes"] / name).read_bytes()


def test_a_copy_in_the_site_can_be_verified(bundles: Bundles, tmp_path: Path) -> None:
    site_of(tmp_path, bundles["fakes"])
    [copy] = (tmp_path / "site" / "bundles").iterdir()
    assert main(["verify", str(copy)]) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fakes", "seed"),
        ("fakes", "parameter"),
        ("fakes", "sums"),
        ("sums", "prompt"),
        ("prompt", "same name"),
        ("conditions", "prompt"),
    ],
)
def test_runs_of_other_terms_share_no_ranking(
    one: str, other: str, bundles: Bundles, tmp_path: Path
) -> None:
    """Models that were asked otherwise stand in rankings of their own."""
    page = site_of(tmp_path, bundles[one], bundles[other])
    alone = [
        models
        for number, name in enumerate((one, other))
        for models in models_of(site_of(tmp_path / str(number), bundles[name]))
    ]
    assert sorted(map(sorted, models_of(page))) == sorted(map(sorted, alone))


def test_conditions_of_a_run_share_no_ranking(bundles: Bundles, tmp_path: Path) -> None:
    first, second = models_of(site_of(tmp_path, bundles["conditions"]))
    assert {*first, *second} == {"llmarith/sloppy", "llmarith/sloppy, numbers_comma"}
    # The usual one is ranked with those of other runs.
    page = site_of(tmp_path / "more", bundles["conditions"], bundles["sums"])
    assert len(models_of(page)) == 2


def test_the_newest_run_of_a_model_is_ranked_and_all_are_drawn(
    bundles: Bundles, tmp_path: Path
) -> None:
    page = site_of(tmp_path, bundles["again"], bundles["fakes"])
    [rows] = rankings(page)
    newest = json.loads((bundles["again"] / "manifest.json").read_text())
    oldest = json.loads((bundles["fakes"] / "manifest.json").read_text())
    assert newest["sha256"][:16] in rows["twin"][-1]
    assert oldest["sha256"][:16] in rows["llmarith/oracle"][-1]
    charts = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert charts == ["twin, arithmetic", "twin, integer_addition"]
    [first, *_] = re.findall(r'<ol class="numbered">(.*?)</ol>', page)
    assert re.findall("<li>(.*?)</li>", first) == [oldest["run"], newest["run"]]


def test_the_same_bundles_make_the_same_bytes(bundles: Bundles, tmp_path: Path) -> None:
    """In any order and folder; a bundle that is named twice is there once."""
    some = [bundles["fakes"], bundles["again"], bundles["prompt"]]
    site_of(tmp_path / "here", *some)
    moved = [shutil.copytree(one, tmp_path / one.name) for one in some]
    site_of(tmp_path / "there", *reversed(moved), bundles["fakes"])
    files = {}
    for place in ("here", "there"):
        site = tmp_path / place / "site"
        paths = [path for path in site.rglob("*") if path.is_file()]
        files[place] = {path.relative_to(site): path.read_bytes() for path in paths}
    assert files["here"] == files["there"]


def changed(bundle: Path, into: Path, **summary: Any) -> Path:
    """A copy of a bundle with other facts of its run."""
    folder = shutil.copytree(bundle, into)
    file = folder / "summary.json"
    facts = json.loads(file.read_text())
    facts["run"] |= summary
    file.write_text(json.dumps(facts))
    return folder


def test_a_cheat_is_named_and_left_out(
    bundles: Bundles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cheat = changed(bundles["again"], tmp_path / "cheat", seed=7)
    page = site_of(tmp_path, cheat, bundles["fakes"], status=1)
    [line] = capsys.readouterr().err.splitlines()
    assert str(cheat) in line
    assert len(list((tmp_path / "site" / "bundles").iterdir())) == 1
    assert len(models_of(page)) == 1


def test_without_an_honest_bundle_nothing_is_written(
    bundles: Bundles, tmp_path: Path
) -> None:
    cheat = changed(bundles["fakes"], tmp_path / "cheat", seed=7)
    assert main(["site", str(cheat), f"--output={tmp_path / 'site'}"]) == 1
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", ["nothing", "link", "time"])
def test_what_is_no_bundle_is_refused_in_one_line(
    name: str, bundles: Bundles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "hostile"
    if name == "time":
        changed(bundles["again"], folder, started_at="2026-13-32T25:61:61Z")
    elif name == "link":
        shutil.copytree(bundles["again"], folder)
        (folder / "uv.lock").symlink_to("/etc/passwd")
    into = tmp_path / "site"
    status = main(["site", str(bundles["fakes"]), str(folder), f"--output={into}"])
    assert status == 4
    [line] = capsys.readouterr().err.splitlines()
    assert str(folder) in line
    assert not into.exists()


def test_a_folder_with_other_things_is_left_alone(
    bundles: Bundles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine").touch()
    command = ["site", str(bundles["fakes"]), f"--output={tmp_path / 'site'}"]
    assert main(command) == 4
    [line] = capsys.readouterr().err.splitlines()
    assert "site: this exists" in line
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["mine"]


def test_a_page_of_another_version_is_made_anew(
    bundles: Bundles, tmp_path: Path
) -> None:
    """As it was not compared, and could do anything."""
    folder = shutil.copytree(bundles["again"], tmp_path / "other")
    made = (folder / "report.html").read_bytes()
    (folder / "report.html").write_text("<script>alert(1)</script>")
    command = (
        "from pathlib import Path; from pytest_llmarith.bundles.manifest import *;"
        "folder = Path('.'); old = read_manifest(folder); Path(MANIFEST).unlink();"
        "new = Manifest.of(folder, old.run, '0.0.1');"
        "Path(MANIFEST).write_bytes(new.encoded())"
    )
    subprocess.run([sys.executable, "-c", command], cwd=folder, check=True)
    site_of(tmp_path, folder)
    [copy] = (tmp_path / "site" / "bundles").glob("*/report.html")
    assert copy.read_bytes() == made


def test_trials_that_were_not_checked_are_in_no_ranking(
    bundles: Bundles, tmp_path: Path
) -> None:
    """A task of the user is checked with its file alone."""
    page = site_of(tmp_path, bundles["own"])
    [rows] = rankings(page)
    assert not any("rank" in cell for cells in rows.values() for cell in cells)
    assert "its trials were not checked" in page
    assert "0 of 10 trials" in page
    task = f"--task={bundles['own'].parent / 'test_own.py'}:backwards"
    options = [str(bundles["own"]), f"--output={tmp_path / 'checked'}", task]
    assert main(["site", *options]) == 0
    page = (tmp_path / "checked" / "index.html").read_text("utf-8")
    assert "not checked" not in page
    [rows] = rankings(page)
    assert "rank 1" in rows["llmarith/oracle"][0]
    assert "rank 2" in rows["llmarith/junk"][0]


def test_cost_and_speed_stand_beside_the_ranks(
    bundles: Bundles, tmp_path: Path
) -> None:
    """Costs of all tasks together, and the slowest median of them."""
    bundle = Bundle(shutil.copytree(bundles["again"], tmp_path / "priced"))
    for one in bundle.records:
        reply = one["reply"]
        tokens = reply["prompt_tokens"] + reply["completion_tokens"]
        reply["cost_usd"] = tokens / 1_000
        reply["latency_s"] = 2.5 if one["task"] == "arithmetic" else 0.5
    bundle.write()
    cost = sum(one["reply"]["cost_usd"] for one in bundle.records)
    [rows] = rankings(site_of(tmp_path, bundle.folder))
    assert rows["model"][2:4] == ["cost", "s/reply"]
    assert rows["twin"][2:4] == [f"${cost:.2f}", "2.5"]


def test_depths_of_a_search_are_shown_unchecked(
    bundles: Bundles, tmp_path: Path
) -> None:
    page = site_of(tmp_path, bundles["search"])
    [rows] = rankings(page)
    place = rows["model"].index("threshold")
    assert "D50" in rows["llmarith/sloppy"][place]
    assert "its trials were not checked" in page
    assert "rank" not in rows["llmarith/sloppy"][place]
    assert "rank" in rows["llmarith/sloppy"][rows["model"].index("integer_addition")]
