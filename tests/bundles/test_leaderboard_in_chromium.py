"""The site of `llmarith site` in a real browser: it is read on any screen and by
keyboard, leads to the runs, and nothing of a bundle is executed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.bundles.test_cheats import Bundle
from tests.bundles.test_leaderboard import rankings, site_of
from tests.report.page.made_runs import Viewer
from tests.report.page.test_in_chromium import HOSTILE, IS_NEXT_AND_SEEN

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
CONTROLS = "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')]"
# Without those in what is folded.
SHOWN = f"{CONTROLS}.filter((one) => one.checkVisibility())"


@pytest.fixture(scope="module")
def site(bundles: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a site with three rankings, and a curve."""
    folder = tmp_path_factory.mktemp("sites")
    names = "fakes", "again", "seed", "conditions"
    site_of(folder, *(bundles[name] for name in names))
    return folder / "site" / "index.html"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_every_screen_and_loads_nothing(
    width: int, dark: bool, site: Path, viewer: Viewer
) -> None:
    page = viewer.open(site, width=width, dark=dark, has_trials=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#ranking-1 tbody tr").first.is_visible()
    page.evaluate(
        "document.querySelectorAll('details').forEach((one) => one.open = true)"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert viewer.said == []
    assert set(viewer.requested) <= {site.as_uri(), "data:,"}
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(15, 18, 22)") == dark


def test_every_link_is_relative_and_leads_somewhere(site: Path, viewer: Viewer) -> None:
    page = viewer.open(site, has_trials=False)
    links = page.locator("a").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('href'))"
    )
    assert len(links) > 20
    for link in links:
        path, _, part = link.partition("#")
        if path:
            assert (site.parent / path).is_file(), link
            assert not link.startswith(("/", "file:", "http"))
        else:
            assert page.locator(f"#{part}").count() == 1


def test_headings_landmarks_and_pictures(site: Path, viewer: Viewer) -> None:
    """One h1, no level is skipped, no two landmarks have the same role and name; every
    picture has a name and a table.
    """
    viewer.open(site, has_trials=False)
    assert ("region", ' "Ranking 1"') in viewer.check_headings()
    assert viewer.check_pictures() == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_the_tab_key_reaches_every_control(
    width: int, site: Path, viewer: Viewer
) -> None:
    """From top to bottom, with a visible focus each time."""
    page = viewer.open(site, width=width, has_trials=False)
    assert page.evaluate(f"{SHOWN}.every((one) => one.tabIndex === 0)")
    controls = page.evaluate(f"{SHOWN}.length")
    page.keyboard.press("Tab")
    page.evaluate("window.before = document.body")
    for _ in range(controls - 1):
        page.keyboard.press("Tab")
        assert page.evaluate(IS_NEXT_AND_SEEN)
    page.focus("#ranking-1 th button")
    page.keyboard.press("Enter")
    assert page.locator("#ranking-1 [aria-sort=ascending]").count() == 1


def test_a_model_leads_to_its_trials(site: Path, viewer: Viewer) -> None:
    """On the page of its run, with the filter of the model."""
    page = viewer.open(site, has_trials=False)
    page.locator("#ranking-1 tbody th a", has_text="junk").first.click()
    viewer.wait_until_ready()
    viewer.wait_for_trials(20, 60)


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """The site below a folder of a web server."""
    handler = partial(SimpleHTTPRequestHandler, directory=site.parents[1])
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/site/"
        server.shutdown()


def test_it_is_served_below_a_folder(address: str, viewer: Viewer) -> None:
    viewer.page.goto(address)
    viewer.page.locator("#ranking-1 tbody th a").first.click()
    viewer.wait_until_ready()
    viewer.page.goto(address)
    viewer.page.locator("#ranking-1 td a").first.click()
    assert '"sha256"' in (viewer.page.text_content("body") or "")


def test_hostile_texts_of_a_bundle_are_shown_as_text(
    bundles: dict[str, Path], tmp_path: Path, viewer: Viewer
) -> None:
    """Names of models and of the run, versions, and all else that a sender can write
    into a bundle that is not contradicted.
    """
    hostile = [text for text in HOSTILE[:6] if "\ud800" not in text]
    sites = []
    for number, text in enumerate(hostile):
        folder = tmp_path / str(number)
        subprocess.run(["cp", "-r", str(bundles["again"]), str(folder)], check=True)
        bundle = Bundle(folder)
        told = json.dumps([bundle.records, bundle.run])
        written = json.dumps(f"{text} {number}")[1:-1]
        told = told.replace("twin", written).replace(bundle.run["id"], written)
        bundle.records, bundle.run = json.loads(told)
        bundle.run["git"] = {"commit": text, "dirty": True}
        bundle.run["versions"] |= {text: text}
        bundle.write()
        sites.append(folder)
    site_of(tmp_path, *sites, bundles["fakes"])
    page = viewer.open(tmp_path / "site" / "index.html", has_trials=False)
    page.evaluate(
        "document.querySelectorAll('details').forEach((one) => one.open = true)"
    )
    shown = page.locator("#ranking-1 table").first.text_content() or ""
    assert "<img src=x onerror" in shown
    assert "{{ 7 * 7 }}" in (page.text_content("body") or "")
    assert page.evaluate("typeof window.pwned") == "undefined"
    unsafe = "img, iframe, object, main script, main style, [onload], [onerror]"
    assert page.locator(unsafe).count() == 0
    assert page.locator("a[href^=javascript], a[href^=http]").count() == 0
    assert viewer.said == []
    assert not [one for one in viewer.requested if one.startswith(("http", "ws"))]


# --- real replies ---------------------------------------------------------------------

MODELS = ("gpt-4.1", "claude-2.1", "qwen3-32b-thinking")
BENCH = """
import json
from pathlib import Path
import pytest
from pytest_llmarith import Problem, number_task

ROWS = json.loads(Path(__file__).with_name("rows.json").read_text())[{name!r}]

def prompt(problem):
    return f"{{problem['lhs']}} {{problem['op']}} {{problem['rhs']}} ="

real = number_task({task!r}, [
    Problem(
        {{"lhs": row["lhs"], "op": row["op"], "rhs": row["rhs"]}}, row["right"],
        label=row["label"],
    )
    for row in ROWS
], prompt)

def replies(text):
    said = {{prompt(row): row["reply"] for row in ROWS}}
    return said[text]

@pytest.mark.llmarith_task(real)
def test_real(problem, ask):
    ask(problem)
"""


def rows_of(name: str) -> list[dict[str, str]]:
    """The first reply of a model to a question of each variant and depth."""
    found: dict[str, dict[str, str]] = {}
    for line in (TRANSCRIPTS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        label = f"{row['variant']}_{row['depth']}"
        if row["raw_response"] and label not in found:
            lhs, rhs = map(str, row["operands"])
            found[label] = {
                "label": label,
                "lhs": lhs,
                "op": row["variant"][-3:],
                "rhs": rhs,
                "right": str(row["correct"]),
                "reply": row["raw_response"],
            }
    return list(found.values())


@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)
def test_a_site_of_real_replies(tmp_path: Path, viewer: Viewer) -> None:
    """Each model answered questions of its own, so that each has a ranking."""
    rows = {name: rows_of(name) for name in MODELS}
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    bundles, tasks, percentages = [], [], set()
    for number, name in enumerate(MODELS):
        file = tmp_path / f"test_real_{number}.py"
        file.write_text(BENCH.format(name=name, task=f"real_{number}"))
        command = [sys.executable, "-m", "pytest", file.name, "--llm-store=off"]
        command += [f"--llm-model={name}=python:{file.stem}:replies"]
        command += [f"--llm-reports={number}"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        [run] = (tmp_path / str(number)).iterdir()
        bundle = tmp_path / f"bundle-{number}"
        assert main(["publish", str(run), f"--output={bundle}"]) == 0
        bundles.append(str(bundle))
        tasks.append(f"--task={file}:real")
        lines = (run / "trials.jsonl").read_text("ascii").splitlines()
        outcomes = [json.loads(line)["outcome"] for line in lines]
        percentages.add(f"{100 * outcomes.count('correct') / len(outcomes):.1f}")
    assert main(["site", *bundles, *tasks, f"--output={tmp_path / 'site'}"]) == 0
    index = tmp_path / "site" / "index.html"
    text = index.read_text("utf-8")
    assert "not checked" not in text
    found = rankings(text)
    assert len(found) == len(MODELS)
    cells = {
        cell[0].split()[0]
        for rows in found
        for name, cell in rows.items()
        if name != "model"
    }
    assert cells == percentages
    page = viewer.open(index, width=390, has_trials=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#ranking-2 tbody th a").first.click()
    viewer.wait_until_ready()
    assert viewer.said == []
