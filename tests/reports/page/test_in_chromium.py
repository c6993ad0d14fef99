"""The page in a real browser: it filters, it leads from cells to trials, it asks nobody for anything.

All tests that need a browser are in this module, and share one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_llmarith.reports.page import write_page
from pytest_llmarith.reports.page.percentages import STEPS
from pytest_llmarith.values import Reply
from tests.reports.page.chromium import Viewer
from tests.reports.page.made_runs import (
    COMMA,
    priced_run,
    problem,
    record,
    run_of,
    search_record,
    sequence_record,
    usual_records,
)

HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'><svg onload='window.pwned = 1'>",
    "--><!-- {{ 7 * 7 }} {% include 'page.html' %} ${window.pwned = 1}",
    "</td></tr></table><style>* { display: none }</style>",
    "\x1b[31mred\x1b[0m \x00 \u202e0001\u2066 \u2028 \u200b \ud800 \ue000 =1+1",
    "<a href='javascript:window.pwned=1'>click</a> https://evil.example/?x=1",
    "7" * 1_000_000 + " the end",
]
SEARCHES = """
    import pytest

    @pytest.mark.breaking_point
    def test_breaking_point(problem, search):
        search(problem)
"""
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
    row.innerHTML = `<td class="${name}"><span>7</span></td>`;
    const style = getComputedStyle(row.querySelector("span"));
    const [dark, light] = [luminance(style.color), luminance(style.backgroundColor)].sort((one, other) => one - other);
    return [name, (light + 0.05) / (dark + 0.05)];
  }));
}"""
# Names of the elements that scroll to the side.
SCROLLED = """() => [...document.querySelectorAll("*")]
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth)
  .map((one) => `${one.getAttribute("aria-label") ?? one.className}: ${one.scrollWidth} in ${one.clientWidth}`)"""
# Texts at points that lie on another or reach out of their picture.
MISPLACED = """() => {
  const box = (one) => one.getBoundingClientRect();
  const picture = box(document.querySelector(".scatter"));
  const texts = [...document.querySelectorAll(".point text")];
  const apart = (one, other) => one.right <= other.left || other.right <= one.left
    || one.bottom - 2 <= other.top + 2 || other.bottom - 2 <= one.top + 2;
  const free = (text) => texts.every((other) => other === text || apart(box(text), box(other)));
  const inside = (text) => box(text).left >= picture.left && box(text).right <= picture.right;
  return texts.filter((text) => !(free(text) && inside(text))).map((text) => text.textContent);
}"""
SPELLED = "U+001B[31mredU+001B[0m U+0000 U+202E0001U+2066 U+2028 U+200B U+D800 U+E000 =1+1"


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_it_is_silent_and_asks_nobody(viewer: Viewer, usual_page: Path, width: int, dark: bool) -> None:
    """No word on the console, and no address but that of the page itself and of its empty icon."""
    seen = viewer.open(usual_page, width=width, dark=dark)
    assert seen.said == []
    assert usual_page.as_uri() in seen.asked
    assert set(seen.asked) <= {usual_page.as_uri(), "data:,"}


def test_filters_work_together(viewer: Viewer, usual_page: Path) -> None:
    """Each narrows what the others leave, Clear takes them all back, and the address holds them."""
    seen = viewer.open(usual_page)
    seen.tells("54 of 54 trials")
    for name, word, left in (("model", "gpt-4.1", 27), ("variant", "int_sub", 9), ("outcome", "deviate", 3)):
        seen.page.select_option(f"[name={name}]", word)
        seen.tells(f"{left} of 54 trials")
    assert seen.outcomes == ["deviate"] * 3
    assert seen.page.url.endswith("#trials?model=gpt-4.1&variant=int_sub&outcome=deviate")
    seen.page.click("text=Clear")
    seen.tells("54 of 54 trials")


def test_a_text_is_found(viewer: Viewer, usual_page: Path) -> None:
    """A text is found in replies, whatever the case of their letters."""
    seen = viewer.open(usual_page)
    seen.page.fill("[name=text]", "would RATHER")
    seen.tells("18 of 54 trials")
    assert set(seen.outcomes) == {"nan"}


def test_a_cell_leads_to_its_trials(viewer: Viewer, usual_page: Path) -> None:
    """A click on a cell of the heatmap shows the trials of that model, variant and depth, and a second one too."""
    seen = viewer.open(usual_page)
    cell = "a[href*='model=o4-mini'][href*='variant=int_sub'][href*='depth=4']"
    seen.page.click(cell)
    seen.tells("3 of 54 trials")
    assert seen.outcomes == ["deviate"] * 3
    assert seen.page.input_value("[name=variant]") == "int_sub"
    seen.page.wait_for_function("document.activeElement.id === 'trial-count'")
    seen.page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
    seen.page.click(cell)
    seen.page.wait_for_function("document.activeElement.id === 'trial-count'")


def test_an_address_is_followed(viewer: Viewer, usual_page: Path) -> None:
    """An address that somebody was sent opens the page at the trials that it names."""
    viewer.open(usual_page, "#trials?variant=int_mul&depth=3").tells("6 of 54 trials")


def test_a_word_that_no_trial_has_finds_none(viewer: Viewer, usual_page: Path) -> None:
    """An address of another page says so, and is no error."""
    seen = viewer.open(usual_page, "#trials?model=nobody&depth=3")
    assert seen.said == []
    assert seen.page.input_value("[name=model]") == ""


def test_a_trial_is_shown_with_the_digits_that_differ(viewer: Viewer, usual_page: Path) -> None:
    """Reply, reasoning, prompt, answer and expected answer; marks are on the digits that differ."""
    seen = viewer.open(usual_page, "#trials?model=o4-mini&variant=int_sub&depth=4")
    seen.tells("3 of 54 trials")
    seen.page.locator("#trial-rows button").first.click()
    detail = seen.page.locator("tr.detail")
    assert detail.locator("mark").all_text_contents() == ["0", "5"]
    assert detail.locator("pre").all_text_contents() == ["5550", "Let me think.", "Compute 7777 sub 2222"]


def test_a_class_leads_to_its_trials(viewer: Viewer, usual_page: Path) -> None:
    """A bar of a model's errors leads to the trials of that class."""
    seen = viewer.open(usual_page)
    seen.page.locator(".bars a", has_text="one digit").first.click()
    seen.tells("3 of 54 trials")
    assert seen.outcomes == ["deviate"] * 3


def test_a_sequence_is_shown_with_its_terms(viewer: Viewer, tmp_path: Path) -> None:
    """Program, scores, judges, and of every term what was expected, what it printed, and how long that took."""
    file = tmp_path / "report.html"
    program = "print('</pre><script>window.pwned = 1</script>')"
    write_page([run_of([sequence_record("A000001", [1, 2], ["1", "<b>2</b>"], program)])], file)
    page = (seen := viewer.open(file)).page
    page.locator("#trial-rows button").click()
    rows = page.locator("table.steps tbody tr").all()
    assert [row.locator("td").all_text_contents() for row in rows] == [
        ["1", "1", "ok", "0.010"],
        ["2", "<b>2</b>", "wrong", "0.010"],
    ]
    assert page.locator("tr.detail pre").first.text_content() == program
    assert "score within 4 s" in (page.locator("tr.detail").text_content() or "")
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert seen.said == []


def test_conditions_and_repeats_are_filtered(viewer: Viewer, conditions_page: Path) -> None:
    """Each by itself, in an address too; a row says which repeat it is."""
    seen = viewer.open(conditions_page)
    seen.tells("108 of 108 trials")
    seen.page.select_option("[name=condition]", "numbers_comma")
    seen.tells("54 of 108 trials")
    seen.page.select_option("[name=repeat]", "1")
    seen.tells("27 of 108 trials")
    assert set(seen.page.locator("#trial-rows td:nth-child(3) small").all_text_contents()) == {"repeat 1"}
    viewer.open(conditions_page, "#trials?condition=usual&variant=int_sub&repeat=0").tells("9 of 108 trials")


def test_conditions_lead_to_their_trials(viewer: Viewer, conditions_page: Path) -> None:
    """Conditions and repeats lead to their trials, and a table of one task has nothing of another."""
    seen = viewer.open(conditions_page)
    seen.page.click("#conditions tbody th a")
    seen.tells("54 of 108 trials")
    assert seen.page.input_value("[name=model]") == "o4-mini, numbers_comma"
    assert seen.page.locator("#repeats tbody th a").all_text_contents()[:2] == ["o4-mini", "o4-mini, numbers_comma"]
    assert seen.said == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_conditions_and_searches_do_not_stick_out(viewer: Viewer, tmp_path: Path, width: int) -> None:
    """However long the names of conditions and the numbers of questions are."""
    comma = COMMA | {"prompt": "a_template_with_a_long_name" * 3}
    records = [
        *usual_records(),
        *(one | {"condition": comma, "repeat": 1, "prompt": "other"} for one in usual_records()),
    ]
    write_page([run_of([*records, search_record(lambda of: "1" * 60)])], file := tmp_path / "report.html")
    page = viewer.open(file, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [700, 900, 1300])
def test_words_on_buttons_stay_on_one_line(viewer: Viewer, tmp_path: Path, width: int) -> None:
    """Beside a question, an answer and a right one that take all the room that they can get."""
    write_page([run_of([search_record(lambda of: "1" * 60)])], file := tmp_path / "report.html")
    page = viewer.open(file, width=width).page
    heights = "[...document.querySelectorAll('button')].map((one) => one.offsetHeight).filter(Boolean)"
    assert max(page.evaluate(heights)) < 40


def test_the_breaking_point_of_an_embedded_model_is_shown(viewer: Viewer, pytester: pytest.Pytester) -> None:
    """Of a real run: question and answer, class; its trial holds the reply and the whole search."""
    pytester.makepyfile(test_bench=SEARCHES)
    pytester.runpytest_subprocess("--llm-model=llmarith/sloppy", "--llm-breaking-point=40", "-k", "int_div")
    (folder,) = (path for path in (pytester.path / "reports").iterdir() if path.is_dir())
    (line,) = (folder / "trials.jsonl").read_text("utf-8").splitlines()
    search = (made := json.loads(line))["search"]
    found, trail = search["minimum"], search["trail"]
    page = (seen := viewer.open(folder / "report.html")).page
    assert page.locator(".breaking thead th").nth(1).text_content() == "first breaks at"
    shown = page.locator(".breaking tbody tr").first
    assert shown.locator(".digits").all_text_contents() == [found["question"], found["answer"], found["expected"]]
    assert shown.locator("td").all_text_contents()[1:] == [found["error_class"], str(search["questions"])]
    shown.locator("a").click()
    seen.tells("1 of 1 trials")
    page.click("#trial-rows button")
    detail = page.locator("tr.detail")
    assert detail.locator("pre").first.text_content() == made["reply"]["text"]
    detail.locator("summary").click()
    rows = detail.locator("table.steps tbody tr")
    assert rows.locator("td:nth-child(2)").all_text_contents() == [step["question"] for step in trail]
    assert seen.said == []


def test_hostile_replies_of_a_search_are_inert(viewer: Viewer, tmp_path: Path) -> None:
    """Hostile replies of a search do nothing in its row, in its trial and in its steps."""
    record = search_record(lambda of: f"{HOSTILE[0]}{HOSTILE[1]}{HOSTILE[4]} = -7")
    write_page([run_of([record], name=HOSTILE[0])], file := tmp_path / "report.html")
    page = (seen := viewer.open(file)).page
    page.click("#trial-rows button")
    page.locator("tr.detail summary").click()
    assert SPELLED in (page.locator("tr.detail pre").first.text_content() or "")
    replies = page.locator("table.steps tbody tr td:last-child").all_text_contents()
    assert len(replies) == 4
    assert all(reply.startswith(HOSTILE[0]) for reply in replies)
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("img, main script, main style, [onload], [onerror]").count() == 0
    assert seen.said == []


def test_pages_turn(viewer: Viewer, usual_page: Path) -> None:
    """Trials are shown twenty-five at a time, and pages turn no further than there are trials."""
    seen = viewer.open(usual_page)
    assert seen.page.is_disabled("#trial-previous")
    for number in (2, 3):
        seen.page.click("#trial-next")
        seen.page.wait_for_selector(f"#trial-page:text-is('Page {number} of 3')")
    assert len(seen.outcomes) == 4
    assert seen.page.is_disabled("#trial-next")


def test_it_is_usable_by_keyboard(viewer: Viewer, usual_page: Path) -> None:
    """The first key leads past the navigation; cells, filters and buttons are reached and work without a mouse."""
    page = (seen := viewer.open(usual_page)).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus(".heat td > a")
    page.keyboard.press("Enter")
    seen.tells("3 of 54 trials")
    page.focus("#trial-rows button")
    page.keyboard.press("Enter")
    assert page.locator("#trial-rows button").first.get_attribute("aria-expanded") == "true"
    reachable = "[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex=\"0\"]')]"
    assert page.evaluate(f"{reachable}.every((one) => one.tabIndex === 0)")


def test_the_overview_is_sorted_by_its_buttons(viewer: Viewer, usual_page: Path) -> None:
    """A button sorts the overview by rising names and then by falling ones, and its header says which."""
    page = viewer.open(usual_page).page
    for order, names in (("ascending", ["gpt-4.1", "o4-mini"]), ("descending", ["o4-mini", "gpt-4.1"])):
        page.locator(".overview th button").first.click()
        shown = "(cells) => cells.map((cell) => cell.dataset.sort)"
        assert page.locator(".overview tbody th").evaluate_all(shown) == names
        assert page.get_attribute(".overview [aria-sort]", "aria-sort") == order


def test_a_row_that_lacks_cells_comes_last(viewer: Viewer, tmp_path: Path) -> None:
    """Whichever way a percentage sorts: a run of easy cells is not better than one of all."""
    easy = [one for one in usual_records("easy") if one["problem"]["variant"] == "int_add"]
    write_page(
        [run_of(easy, "easy"), run_of([*usual_records("all"), *usual_records("more")], "all")], tmp_path / "page.html"
    )
    page = viewer.open(tmp_path / "page.html").page
    header = page.locator(".overview th[data-ranks] button").first
    for _ in range(2):
        header.click()
        assert page.locator(".overview tbody th").last.get_attribute("data-sort") == "easy"


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out(viewer: Viewer, usual_page: Path, width: int) -> None:
    """On a phone as on a desk, no part is wider than the screen; what is wide scrolls by itself."""
    assert viewer.open(usual_page, width=width).page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1300, 1440])
def test_nothing_is_cut_off_on_a_desk(viewer: Viewer, embedded_page: Path, width: int) -> None:
    """The tables of ten trials in all cells fit beside each other, with the depth to which each variant is reliable."""
    page = viewer.open(embedded_page, width=width).page
    assert page.evaluate(SCROLLED) == []
    assert page.locator(".cells tbody td:last-child").first.text_content() == "10"


def test_no_name_in_the_picture_of_costs_is_cut_or_overprinted(viewer: Viewer, tmp_path: Path) -> None:
    """Of thirteen runs, as the browser lays the texts out; and every one has its text."""
    names = [f"provider/a-model-{number}-2025-04-16-thinking" for number in range(13)]
    runs = [priced_run(name, number % 5 + 3, 0.0001 * 1.4**number) for number, name in enumerate(names)]
    write_page(runs, file := tmp_path / "report.html")
    page = viewer.open(file, width=1300).page
    assert page.evaluate(MISPLACED) == []
    assert page.locator(".point text").count() == 13
    assert sorted(page.locator(".numbered li").all_text_contents()) == sorted(names)


@pytest.mark.parametrize("name", ["usual_page", "conditions_page"])
def test_every_picture_has_a_name_and_a_table(viewer: Viewer, request: pytest.FixtureRequest, name: str) -> None:
    """Whoever does not see a picture reads its numbers."""
    page = viewer.open(request.getfixturevalue(name)).page
    pictures = page.locator("figure svg[role=img]")
    assert pictures.count() > 0
    for picture in pictures.all():
        assert picture.get_attribute("aria-label")
        assert picture.locator("xpath=ancestor::figure").locator("table td").count() > 0
    assert page.locator("svg:not([role=img]):not([aria-hidden=true])").count() == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_step_of_colour_can_be_read(viewer: Viewer, usual_page: Path, dark: bool) -> None:
    """The number in a coloured cell stands out from it as WCAG's level AA asks: 4.5 to 1."""
    page = viewer.open(usual_page, dark=dark).page
    contrasts = page.evaluate(CONTRASTS, [f"{hue}{step}" for hue in "he" for step in range(STEPS + 1)])
    assert {step: contrast for step, contrast in contrasts.items() if contrast < 4.5} == {}


def test_it_can_be_printed(viewer: Viewer, usual_page: Path) -> None:
    """On paper there is no navigation and no filter, and ink is dark whatever the screen was."""
    page = viewer.open(usual_page, dark=True).page
    page.emulate_media(media="print")
    assert not page.is_visible(".parts")
    assert not page.is_visible(".filters")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 31, 38)"


def test_hostile_replies_are_inert(viewer: Viewer, tmp_path: Path) -> None:
    """As replies, reasoning, models and reasons: they are shown as they are written, and nothing of them happens."""
    records = [
        record(problem(trial=number), Reply(text=text, reasoning=text), model=text[:300])
        for number, text in enumerate(HOSTILE)
    ]
    file = tmp_path / "report.html"
    write_page([run_of(records, name=HOSTILE[0], stopped=HOSTILE[1])], file)
    page = (seen := viewer.open(file)).page
    seen.tells(f"{len(HOSTILE)} of {len(HOSTILE)} trials")
    for button in page.locator("#trial-rows > tr:not(.detail) button").all():
        button.click()
    shown = [detail.locator("pre").first.text_content() or "" for detail in page.locator("tr.detail").all()]
    assert shown[:4] == HOSTILE[:4]
    assert shown[4] == SPELLED
    assert shown[6].endswith(" the end")
    assert "of 1,000,008 characters left out" in shown[6]
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("img, iframe, object, main script, main style, [onload], [onerror]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert seen.said == []
    assert not [address for address in seen.asked if address.startswith(("http", "ws"))]


def test_the_policy_is_enforced(viewer: Viewer, usual_page: Path) -> None:
    """Should something get in after all, it neither runs nor asks."""
    page = (seen := viewer.open(usual_page)).page
    page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.pwned = 1';"
        "document.body.append(one); const image = new Image(); image.src = 'https://evil.example/';"
        "document.body.append(image); }"
    )
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert len(seen.said) == 2
    assert all("Content Security Policy" in message for message in seen.said)
