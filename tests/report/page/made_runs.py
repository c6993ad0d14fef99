"""Runs to make pages of, what is embedded in a page, and a browser that looks at
pages.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from pytest_llmarith.evaluate import AskedTrial, graded
from pytest_llmarith.evaluate_search import SearchEngine, Step, record_of_search
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.tasks import arithmetic, search_questions
from pytest_llmarith.tasks.search_questions import BreakingPointSearch, Draws
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import DEFAULT_CONDITION, Dtype, Model, Op, Reading
from tests.runs_on_disk import asked, record_of, said, summed_up

COMMA = DEFAULT_CONDITION.fields() | {"numbers": "comma"}

Record = dict[str, Any]


def run_of(
    records: Sequence[Record], name: str = "2026-11-22T00-31-05_o4-mini", **facts: Any
) -> PageRun:
    """A run that has ended with these records."""
    summary = summed_up(records, {"id": name, "selected": len(records)} | facts)
    counted = Summary()
    for record in (made := list(map(record_of, records))):
        counted.add(record)
    return PageRun(name, summary, made, counted.asked())


def write_page(folder: Path, *runs: PageRun) -> Path:
    (file := folder / "report.html").write_bytes(
        page_of(runs).encode("utf-8", "backslashreplace")
    )
    return file


def wrong(op: Op = Op.ADD, depth: int = 3, trial: int = 0, **facts: Any) -> Record:
    """A trial whose answer has another last digit."""
    dtype = facts.pop("dtype", Dtype.INT)
    expected = arithmetic.problem(0, dtype, op, depth, trial).expected
    return asked(
        f"{expected[:-1]}{(int(expected[-1]) + 5) % 10}",
        depth,
        trial,
        dtype,
        op,
        **facts,
    )


def usual_records(model: str = "o4-mini", trials: int = 3) -> list[Record]:
    """Sums are right; differences have a wrong digit at depth 4; products have no
    answer.
    """
    return [
        wrong(op, depth, trial, model=model, reasoning="Let me think.")
        if (op, depth) == (Op.SUB, 4)
        else asked(
            "I would rather not." if op is Op.MUL else "{}",
            depth,
            trial,
            op=op,
            model=model,
        )
        for op in (Op.ADD, Op.SUB, Op.MUL)
        for depth in (2, 3, 4)
        for trial in range(trials)
    ]


def all_cells(model: str, wrong_from: int, trials: int = 10) -> list[Record]:
    """A fake model in all cells; from a depth on every other answer is wrong."""
    return [
        (
            wrong(op, depth, trial, dtype=dtype, model=model)
            if depth >= wrong_from and trial % 2
            else right
        )
        | {"simulated": True}
        for dtype in Dtype
        for op in Op
        for depth in range(2, 11)
        for trial in range(trials)
        for right in [asked("{}", depth, trial, dtype, op, model=model)]
    ]


def priced_run(name: str, right: int, cost: float | None) -> PageRun:
    """A run of ten sums at the same cost each, of which the first ones are right."""
    return run_of(
        [
            asked("{}" if trial < right else "1", 3, trial, model=name, cost_usd=cost)
            for trial in range(10)
        ],
        name,
    )


def in_conditions(
    records: Sequence[Record], *conditions: Record, repeats: int = 1
) -> list[Record]:
    """The same problems in each condition, with another prompt, and in each several
    times.
    """
    return [
        one
        | {
            "condition": condition,
            "repeat": repeat,
            "prompt": said(f"{one['prompt']}, {condition}"),
        }
        for condition in conditions
        for repeat in range(repeats)
        for one in records
    ]


def search_record(said: Callable[[TaskProblem], str], budget: int = 12) -> Record:
    """The record of a search through sums, by a model that says what the test tells."""
    of = search_questions.breaking_points(0, budget)[0]
    assert isinstance(of.search, BreakingPointSearch)
    space = of.search.space

    def ask(draws: Draws, before: int) -> Step:
        question = space.question(draws)
        reply = Reply(text=said(question), cost_usd=0.001, latency_s=1.5)
        return Step(
            question, "prompt", reply, graded(question, reply, Reading.TOLERANT), before
        )

    engine = SearchEngine(ask, budget, "seed", space)
    engine.run()
    trial = AskedTrial.of(
        of, Model("o4-mini", "openai/o4-mini"), "prompt", "test_breaking_point[int_add]"
    )
    return as_dict(record_of_search(trial, engine, None))


def embedded(page: str) -> list[Any]:
    """The trials that are embedded in a page."""
    (data,) = re.findall(
        r'<script type="application/octet-stream" id="trial-data">([A-Za-z0-9+/=]*)</script>',
        page,
    )
    trials: list[Any] = json.loads(gzip.decompress(base64.b64decode(data)))
    return trials


class Viewer:
    """Opens pages from disk: what they say on the console, and what they request."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.requested: list[str] = []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.requested.append(request.url))

    def check_headings(self) -> list[tuple[str, str]]:
        """One h1, no level is skipped, and no two landmarks have the same role and
        name. Returns the landmarks.
        """
        levels = self.page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
            "(all) => all.map((one) => Number(one.tagName[1]))"
        )
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise([0, *levels]))
        landmarks: list[tuple[str, str]] = re.findall(
            r"- (banner|navigation|main|region|search|contentinfo)\b([^:\n]*)",
            self.page.locator("body").aria_snapshot(),
        )
        assert len(landmarks) == len(set(landmarks))
        return landmarks

    def check_pictures(self) -> int:
        """Every picture has a name and a table. Returns their number."""
        pictures = self.page.locator("figure svg[role=img]").all()
        for picture in pictures:
            assert picture.get_attribute("aria-label")
            table = picture.locator("xpath=ancestor::figure").locator("table td")
            assert table.count() > 0
        return len(pictures)

    def open(
        self,
        file: Path,
        address: str = "",
        *,
        width: int = 1280,
        dark: bool = False,
        has_trials: bool = True,
    ) -> Page:
        """Load a page anew, and wait until it shows its trials if it has some."""
        self.page.goto(
            "about:blank"
        )  # the same file with another fragment would not be loaded
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(
            media="screen",
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        self.said.clear()
        self.requested.clear()
        self.page.goto(file.as_uri() + address)
        if has_trials:
            self.wait_until_ready()
        return self.page

    def wait_until_ready(self) -> None:
        self.page.wait_for_function("() => 'ready' in document.documentElement.dataset")

    def wait_for_trials(self, found: int, embedded: int) -> list[str]:
        """Wait until the table says that it found so many trials; returns the outcomes
        that it shows.
        """
        text = f"{found} of {embedded} trials"
        self.page.wait_for_function(
            "(text) => document.getElementById('trial-count').textContent === text",
            arg=text,
        )
        return self.page.locator("#trial-rows .outcome").all_text_contents()
