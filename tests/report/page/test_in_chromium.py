"""The page in a real browser: it filters, leads from figures to trials, and loads
nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_llmarith.report.render.html import STEPS
from tests.report.page.made_runs import (
    COMMA,
    Viewer,
    in_conditions,
    run_of,
    search_record,
    usual_records,
    write_page,
)
from tests.runs_on_disk import added, asked, programmed

Pages = dict[str, Path]

# Whether the focus is below the last one, and has an outline.
IS_NEXT_AND_SEEN = """() => {
  const here = document.activeElement;
  const isNext = window.before.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING;
  window.before = here;
  const { outlineStyle, outlineWidth } = getComputedStyle(here);
  return Boolean(isNext) && outlineStyle === "solid" && parseFloat(outlineWidth) >= 2;
}"""

HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'><svg onload='window.pwned = 1'>",
    "--><!-- {{ 7 * 7 }} {% include 'page.html' %} ${window.pwned = 1}",
    "</td></tr></table><style>* { display: none }</style>",
    "\x1b[31mred\x1b[0m \x00 \u202e0001\u2066 \u2028 \u200b \ud800 \ue000 =1+1",
    "<a href='javascript:window.pwned=1'>click</a> https://evil.example/?x=1",
    "7" * 1_000_000 + " the end",
]
SPELLED = (
    "U+001B[31mredU+001B[0m U+0000 U+202E0001U+2066 U+2028 U+200B U+D800 U+E000 =1+1"
)
# Of every class of cells, the contrast of text and background as they are painted.
CONTRASTS = """(classes) => {
  const table = document.querySelector("table.heat tbody");
  const painted = (colour) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [red, green, blue] = painted(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return Object.fromEntries(classes.map((name) => {
    const row = table.insertRow();
    row.innerHTML = `<td class="${name}"><a href="#">7</a></td>`;
    const style = getComputedStyle(row.querySelector("a"));
    const [dark, light] = [luminance(style.color), luminance(style.backgroundColor)].sort((one, other) => one - other);
    return [name, (light + 0.05) / (dark + 0.05)];
  }));
}"""


def test_it_loads_nothing_and_allows_nothing(viewer: Viewer, pages: Pages) -> None:
    """It requests itself and its empty icon; a foreign script does not run, a foreign
    image is not requested.
    """
    page = viewer.open(pages["usual"])
    assert viewer.said == []
    assert set(viewer.requested) <= {pages["usual"].as_uri(), "data:,"}
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.pwned = 1'}))"
    )
    page.evaluate(
        "document.body.append(Object.assign(new Image(), {src: 'https://evil.example/'}))"
    )
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert ["Content Security Policy" in message for message in viewer.said] == [
        True,
        True,
    ]


def test_filters_work_together(viewer: Viewer, pages: Pages) -> None:
    """Each narrows what the others leave, the address holds them, and Clear takes them
    back; texts are searched.
    """
    page = viewer.open(pages["usual"])
    page.click("text=Clear")
    viewer.wait_for_trials(54, 54)
    for name, word, left in (
        ("model", "gpt-4.1", 27),
        ("variant", "int_sub", 9),
        ("outcome", "deviate", 3),
    ):
        page.select_option(f"[name={name}]", word)
        assert len(viewer.wait_for_trials(left, 54)) == min(left, 25)
    assert page.url.endswith("#trials?model=gpt-4.1&variant=int_sub&outcome=deviate")
    page.click("text=Clear")
    viewer.wait_for_trials(54, 54)
    page.fill("[name=text]", "would RATHER")
    assert set(viewer.wait_for_trials(18, 54)) == {"nan"}
    page.fill("[name=text]", "")
    viewer.wait_for_trials(54, 54)
    for number in (2, 3):
        page.click("#trial-next")
        page.wait_for_selector(f"#trial-page:text-is('Page {number} of 3')")
    assert len(viewer.wait_for_trials(54, 54)) == 4
    assert page.is_disabled("#trial-next")


@pytest.mark.parametrize(
    ("name", "address", "found", "embedded"),
    [
        ("usual", "", 24, 54),  # what is not correct
        ("usual", "#trials?variant=int_add", 18, 54),
        ("usual", "#trials?outcome=not+correct&variant=int_sub", 6, 54),
        ("usual", "#trials?variant=int_mul&depth=3", 6, 54),
        ("usual", "#trials?model=unknown&depth=3", 18, 54),
        ("conditions", "#trials?condition=usual&variant=int_sub&repeat=0", 9, 108),
    ],
)
def test_an_address_is_followed(
    viewer: Viewer, pages: Pages, name: str, address: str, found: int, embedded: int
) -> None:
    """The page opens at the trials that its address names, without a word that no trial
    has; else on failures.
    """
    viewer.open(pages[name], address)
    outcomes = set(viewer.wait_for_trials(found, embedded))
    assert address or outcomes == {"deviate", "nan"}
    assert viewer.said == []


@pytest.mark.parametrize(
    ("name", "link", "found", "embedded"),
    [
        (
            "usual",
            ".cells a[href*='model=o4-mini'][href*='variant=int_sub'][href*='depth=4']",
            3,
            54,
        ),
        ("usual", ".bars a[href*='class=one']", 3, 54),
        *(
            ("conditions", f"#{part} tbody th a", 54, 108)
            for part in ("conditions", "repeats")
        ),
    ],
)
def test_figures_lead_to_their_trials(
    viewer: Viewer, pages: Pages, name: str, link: str, found: int, embedded: int
) -> None:
    """A click on a figure shows its trials and moves the focus there, also the second
    time.
    """
    page = viewer.open(pages[name])
    for _ in range(2):
        page.locator(link).first.click()
        viewer.wait_for_trials(found, embedded)
        page.wait_for_function("document.activeElement.id === 'trial-count'")
        page.evaluate("scrollTo(0, 0); document.activeElement.blur()")


def test_a_trial_is_shown_with_the_digits_that_differ(
    viewer: Viewer, pages: Pages
) -> None:
    page = viewer.open(pages["usual"], "#trials?model=o4-mini&variant=int_sub&depth=4")
    assert viewer.wait_for_trials(3, 54) == ["deviate"] * 3
    page.locator("#trial-rows button").first.click()
    detail = page.locator("tr.detail")
    assert (
        detail.locator("mark").all_text_contents() == ["5", "0"] * 2
    )  # both models gave this answer
    assert detail.locator("pre").all_text_contents() == [
        "-2545",
        "Let me think.",
        "prompt",
    ]
    rows = detail.locator("table.steps tbody tr").all_text_contents()
    assert [row.split("deviate")[0] for row in rows] == ["o4-mini", "gpt-4.1"]


def test_a_model_is_found_among_many(viewer: Viewer, tmp_path: Path) -> None:
    """From eight models on a field hides what belongs to others."""
    runs = [
        run_of(usual_records(f"model-{number}"), f"run {number}") for number in range(8)
    ]
    page = viewer.open(write_page(tmp_path, *runs[:7]))
    assert page.locator("#find-model").count() == 0
    page = viewer.open(write_page(tmp_path, *runs))
    page.fill("#find-model", "MODEL-3")
    shown = page.locator("[data-model]:visible").evaluate_all(
        "(all) => [...new Set(all.map((one) => one.dataset.model))]"
    )
    assert shown == ["model-3"]
    assert page.text_content("#found-models") == "1 of 8 models"


@pytest.mark.parametrize("name", ["usual", "conditions"])
def test_headings_landmarks_and_pictures(
    viewer: Viewer, pages: Pages, name: str
) -> None:
    """One h1, no level is skipped, also in an open trial; no two landmarks have the
    same role and name.

    Every picture has a name and a table, or is hidden from screen readers.
    """
    page = viewer.open(pages[name])
    assert viewer.check_pictures() > 0
    assert page.locator("svg:not([role=img]):not([aria-hidden=true])").count() == 0
    page.locator("#trial-rows button").first.click()
    landmarks = viewer.check_headings()
    assert ("main", "") in landmarks
    assert ("region", ' "Overview"') in landmarks


def test_hostile_texts_are_shown_as_text(viewer: Viewer, tmp_path: Path) -> None:
    """Replies, reasoning, models, reasons, programs and searches are shown as written,
    and nothing of them happens.
    """
    records = [
        asked(text, trial=trial, model=text[:300], reasoning=text)
        for trial, text in enumerate(HOSTILE)
    ]
    term = {
        "n": 2,
        "expected": "2",
        "got": HOSTILE[3],
        "status": "wrong",
        "seconds": 0.01,
    }
    records += [
        programmed("A000001", program=HOSTILE[0], terms=[term]),
        search_record(lambda of: f"{HOSTILE[4]} = -7"),
    ]
    page = viewer.open(
        write_page(tmp_path, run_of(records, HOSTILE[0], stopped=HOSTILE[1]))
    )
    viewer.wait_for_trials(len(records), len(records))
    for button in page.locator("#trial-rows > tr:not(.detail) button").all():
        button.click()
    details = page.locator("tr.detail").all()
    shown = [detail.locator("pre").first.text_content() or "" for detail in details]
    assert shown[:4] == HOSTILE[:4]
    assert shown[4] == SPELLED
    assert shown[6].endswith(" the end")
    assert "of 1,000,008 characters left out" in shown[6]
    assert shown[7] == HOSTILE[0]
    assert details[7].locator("table.steps tbody td").all_text_contents() == [
        "2",
        HOSTILE[3],
        "wrong",
        "0.010",
    ]
    assert "no lookup table: no long literal" in (details[7].text_content() or "")
    details[8].locator("summary").first.click()
    replies = (
        details[8].locator("table.steps tbody tr td:last-child").all_text_contents()
    )
    assert replies
    assert all(reply.startswith(SPELLED) for reply in replies)
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert (
        page.locator(
            "img, iframe, object, main script, main style, [onload], [onerror]"
        ).count()
        == 0
    )
    assert viewer.said == []
    assert not [
        address for address in viewer.requested if address.startswith(("http", "ws"))
    ]


def test_it_is_used_by_keyboard(viewer: Viewer, pages: Pages) -> None:
    """The first key leads past the navigation; cells, filters and buttons are reached
    and work without a mouse.
    """
    page = viewer.open(pages["usual"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#cells td > a")
    page.keyboard.press("Enter")
    viewer.wait_for_trials(3, 54)
    page.focus("#trial-rows button")
    page.keyboard.press("Enter")
    assert (
        page.locator("#trial-rows button").first.get_attribute("aria-expanded")
        == "true"
    )
    reachable = "[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex=\"0\"]')]"
    assert page.evaluate(f"{reachable}.every((one) => one.tabIndex === 0)")


def test_the_tab_key_leads_through_the_page(viewer: Viewer, pages: Pages) -> None:
    """From top to bottom, with a visible focus each time; notes open by Enter."""
    page = viewer.open(pages["usual"])
    page.evaluate("window.before = document.querySelector('.skip')")
    page.keyboard.press("Tab")
    for _ in range(60):
        page.keyboard.press("Tab")
        assert page.evaluate(IS_NEXT_AND_SEEN)
    notes = page.locator(".notes").first
    assert notes.get_attribute("open") is None
    notes.locator("summary").focus()
    page.keyboard.press("Enter")
    assert notes.get_attribute("open") is not None


def test_the_overview_is_sorted_by_its_headers(viewer: Viewer, tmp_path: Path) -> None:
    """By names up and down; by a percentage a run of easy cells comes last in either
    direction.
    """
    easy = [
        one for one in usual_records("easy") if one["problem"]["variant"] == "int_add"
    ]
    every = run_of([*usual_records("all"), *usual_records("more")], "all")
    page = viewer.open(write_page(tmp_path, run_of(easy, "easy"), every))
    by_name, by_percent = (
        page.locator(f".overview th[{name}] button").first
        for name in ("data-sorts", "data-ranks")
    )
    rows = page.locator("#overview tbody th")
    shown = "(cells) => cells.map((cell) => cell.dataset.sort)"
    for order, names in (
        ("ascending", ["all", "easy", "more"]),
        ("descending", ["more", "easy", "all"]),
    ):
        by_name.click()
        assert rows.evaluate_all(shown) == names
        assert page.get_attribute(".overview [aria-sort]", "aria-sort") == order
    for _ in range(2):
        by_percent.click()
        assert rows.evaluate_all(shown)[-1] == "easy"


@pytest.mark.parametrize(
    ("models", "width", "height"),
    [
        (
            [
                "openai/o4-mini",
                "anthropic/claude-sonnet-4-5",
                "gemini/gemini-2.5-flash-lite",
                "openai/gpt-4.1",
                "llmarith/sloppy",
            ],
            1280,
            900,
        ),
        (["anthropic/claude-sonnet-4-5"], 390, 844),
    ],
    ids=["five models on a screen", "one model on a phone"],
)
def test_the_overview_is_seen_at_once(
    viewer: Viewer, tmp_path: Path, models: list[str], width: int, height: int
) -> None:
    """Three tasks, without scrolling down or to the right."""
    records = []
    for model in models:
        records += usual_records(model)
        records += [added("{}", trial, model=model) for trial in range(12)]
        records += [programmed("A000001", model), programmed("A000002", model)]
    page = viewer.open(write_page(tmp_path, run_of(records)), width=width)
    page.set_viewport_size({"width": width, "height": height})
    table = page.locator("#overview table").first
    assert table.locator("thead th").count() >= 4
    assert table.locator("tbody tr").count() == len(models)
    box = table.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_sticks_out(viewer: Viewer, tmp_path: Path, width: int) -> None:
    """However long names and numbers are: what is wide scrolls by itself, and words on
    buttons stay on one line, except in headers.
    """
    comma = COMMA | {"prompt": "a_template_with_a_long_name" * 3}
    records = [
        *usual_records(),
        *in_conditions(usual_records(), comma),
        search_record(lambda of: "1" * 60),
    ]
    page = viewer.open(write_page(tmp_path, run_of(records)), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # What goes on beyond the edge fades there, until it is scrolled to its end.
    faded = page.evaluate(
        """[...document.querySelectorAll(".wide")].filter((one) => one.clientWidth).every((one) => {
            const goesOn = one.scrollWidth > one.clientWidth + 1;
            return (getComputedStyle(one).maskImage !== "none") === goesOn;
        })"""
    )
    assert faded
    if width < 1280:
        page.evaluate(
            "document.querySelector('.wide.more').scrollBy({left: 9999, behavior: 'instant'})"
        )
        page.wait_for_selector(".wide:not(.more)")
    heights = "[...document.querySelectorAll('button:not(th button)')].map((one) => one.offsetHeight).filter(Boolean)"
    assert max(page.evaluate(heights)) < 40


def test_a_printed_page_is_as_wide_as_paper(viewer: Viewer, tmp_path: Path) -> None:
    """Nothing of an open part is cut off at the right edge of A4."""
    models = ["anthropic/claude-sonnet-4-5", "openai/o4-mini"]
    records = []
    for model in models:
        records += usual_records(model)
        records += [added("7", trial, model=model) for trial in range(12)]
        records += [programmed("A000001", model), programmed("A000002", model)]
    page = viewer.open(write_page(tmp_path, run_of(records)), width=696)
    page.emulate_media(media="print")
    wide = page.locator("details[open] .wide, section > .wide, .panel").evaluate_all(
        "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    )
    assert wide == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_step_of_colour_can_be_read(
    viewer: Viewer, pages: Pages, dark: bool
) -> None:
    """The number in a coloured cell has a contrast of 4.5 to 1, as WCAG's level AA
    asks; paper is never dark.
    """
    page = viewer.open(pages["usual"], dark=dark)
    contrasts = page.evaluate(
        CONTRASTS,
        [
            f"tinted {hue}-{step}"
            for hue in ("right", "wrong")
            for step in range(STEPS + 1)
        ],
    )
    assert {
        step: contrast for step, contrast in contrasts.items() if contrast < 4.5
    } == {}
    page.emulate_media(media="print")
    assert not page.is_visible("#trials")
    assert page.is_visible(".example mark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 31, 38)"
