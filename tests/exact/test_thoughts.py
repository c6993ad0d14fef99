"""Replies in every style of thoughts that the table knows, and replies that go on with
a next turn.

The first sum of a thought is wrong, or it is only the wrong one, so that a number of
the thought never equals the answer by luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pytest

from pytest_llmarith.exact import Dtype, ExtractedAnswer, Reason, read, strip_thoughts
from pytest_llmarith.exact.thoughts import ANSWER_STYLES, BARE_STYLE, STYLES, TURN_ENDS

OPERANDS = ("48213", "7596")
RIGHT, WRONG = "55809", "55709"
THOUGHTS = (
    f"The user wants 48213 + 7596 = {WRONG}? Let me check: 48213 + 7596 = {RIGHT}.",
    f"48213 + 7596 = {WRONG}.",
)
ANSWERS = ("{}", "The answer is {}.", "48213 + 7596 = {}", "**{}**")
# Styles whose markers are no more than words of a template: others may stand alone.
MUST_OPEN = {"```", "</details>"}


def both(readings: ExtractedAnswer) -> tuple[Decimal | None, Decimal | None]:
    return readings.tolerant, readings.strict


def written(marker: str) -> str:
    """A marker as a model writes it."""
    return marker.replace("…", "")


def pairs() -> Iterator[tuple[str, str]]:
    yield from ((written(style.opening), written(style.closing)) for style in STYLES)
    yield BARE_STYLE.opening, BARE_STYLE.closing
    tokens = "<|channel|>analysis<|message|>", "<|end|><|start|>assistant"
    yield tokens[0], f"{tokens[1]}<|channel|>final<|message|>"
    yield tokens[0], f"{tokens[1]}<|channel|>final <|constrain|>json<|message|>"
    yield (" to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>")
    yield "<|think|>", "<|end|><|begin|>assistant<|content|>"
    yield "<|content_thinking|>", "<|end_message|><|message_model|><|content_text|>"
    yield "/think\n", "<|im_end|>\n<|im_start|>assistant\n"


def cases(opening: str, closing: str) -> Iterator[tuple[str, str | None, str | None]]:
    """Replies with their tolerant and strict readings."""
    for thought in THOUGHTS:
        for answer in ANSWERS:
            for number in (RIGHT, WRONG):
                strict = number if answer == "{}" else None
                said = answer.format(number)
                yield f"{opening}{thought}{closing}{said}", number, strict
                yield f"{opening}\n{thought}\n{closing}\n\n{said}\n", number, strict
                if closing not in MUST_OPEN:
                    yield f"{thought}{closing}{said}", number, strict
                yield f"Sure!\n{opening}{thought}\n{closing}\n{said}", number, strict
        yield f"{opening}{thought}", None, None
        yield f"{opening}\n{thought}\n", None, None
        yield f"{opening}{thought}{closing}", None, None
        yield f"{opening}{thought}\n{closing}\n", None, None
        if closing not in MUST_OPEN:
            yield f"{thought}{closing}", None, None


def misread(opening: str, closing: str) -> dict[str, str]:
    """What is wrong with a reading, by reply."""
    found = {}
    for reply, number, strict in cases(opening, closing):
        readings = read(reply, OPERANDS)
        if readings.tolerant != (number and Decimal(number)):
            found[reply] = f"{readings.tolerant} for {number}"
        elif readings.strict != (strict and Decimal(strict)):
            found[reply] = f"strictly {readings.strict} for {strict}"
    return found


@pytest.mark.parametrize(("opening", "closing"), dict.fromkeys(pairs()))
def test_replies_of_each_style(opening: str, closing: str) -> None:
    assert not misread(opening, closing)


@pytest.mark.parametrize("style", ANSWER_STYLES, ids=lambda style: style.opening)
def test_answers_between_markers(style: tuple[str, ...]) -> None:
    opening, closing = style[:2]
    assert not misread("<think>", f"</think>\n{opening}\n")
    for thought in THOUGHTS:
        for number in (RIGHT, WRONG):
            for reply in (
                f"<think>{thought}</think>\n{opening}\n{number}\n{closing}",
                f"{thought}</think>{opening}{number}{closing}<|im_end|>",
                f"{opening}{number}{closing}\n",
                f"<think>{thought}\n{opening}{number}{closing}",
            ):
                readings = read(reply, OPERANDS)
                assert both(readings) == (Decimal(number), Decimal(number)), reply


ENDS = [end for ends in TURN_ENDS.values() for end in ends]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "next_turn", ["", "user\n", " What is 48213 + 7596?\n<|assistant|>\n"]
)
def test_the_reply_ends_where_the_first_turn_ends(end: str, next_turn: str) -> None:
    for before in ("", f"<think>{THOUGHTS[1]}</think>", f"{THOUGHTS[0]}</think>\n"):
        for number, other in ((RIGHT, WRONG), (WRONG, RIGHT)):
            reply = f"{before}{number}{end}{next_turn}{other}{end}\n{other}"
            readings = read(reply, OPERANDS)
            assert both(readings) == (Decimal(number), Decimal(number)), reply
    if not end.startswith("\nQ"):
        reply = f"The answer is {WRONG}.{end}{next_turn}\n<think>2</think>{RIGHT}"
        assert read(reply, OPERANDS).tolerant == Decimal(WRONG)


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        # words that are no markers
        (f"The thought is simple: {RIGHT}", RIGHT),
        (f"I put no <think> tag here. The answer is {RIGHT}.", RIGHT),
        (f"The answer is {RIGHT}. I closed my thought with `</think>`.", RIGHT),
        (f"<think>I will write `</think>` first: {WRONG}</think>{RIGHT}", RIGHT),
        (f"analysis: {RIGHT}", RIGHT),
        (f"final answer: {RIGHT}", RIGHT),
        (f"Let me act it out.\nUser: 48213 + 7596?\nAssistant: {RIGHT}", RIGHT),
        (f"User: 48213 + 7596?\nAssistant: {RIGHT}", RIGHT),
        (f"It is <s>{WRONG}</s> {RIGHT}.", RIGHT),
        (f"<s>{WRONG}</s> **{RIGHT}**", RIGHT),
        # a thought behind the answer
        (f"<answer>{RIGHT}</answer><reflection>Or {WRONG}?</reflection>", RIGHT),
        (f"{RIGHT}\n<think>Was it {WRONG}?</think>\n", RIGHT),
        # a marker that comes twice, or that a parser has left
        (f"</think>\n\n{RIGHT}", RIGHT),
        (f"<think>{WRONG}</think>{RIGHT}</think>", RIGHT),
        (f"<think>{WRONG}</think>no</think>{RIGHT}", RIGHT),
        (f"User says {WRONG}.\nUser: 1 + 1?\nHm.</think>{RIGHT}", RIGHT),
        # the prompt, repeated
        (f"[INST] 48213 + 7596 = {WRONG}? [/INST] {RIGHT}</s>", RIGHT),
        (f"<|im_start|>assistant\n{RIGHT}<|im_end|>", RIGHT),
        (
            f"<|im_start|>user\n{WRONG}?<|im_end|>\n<|im_start|>assistant\n{RIGHT}",
            RIGHT,
        ),
        # gpt-oss, with and without its tokens
        (f"analysis48213 + 7596 = {WRONG}.assistantfinal{RIGHT}", RIGHT),
        (f"analysis48213 + 7596 = {WRONG}.assistantfinal55,809", RIGHT),
        (f'analysisSo.assistantfinal json{{"sum": {RIGHT}}}', RIGHT),
        (f"analysisSo.assistantcommentaryHm {WRONG}assistantfinal{RIGHT}", RIGHT),
        (f"final{RIGHT}", RIGHT),
        (f"<|start|>assistant<|channel|>final<|message|>{RIGHT}<|return|>", RIGHT),
        (f"commentaryLet me see, 48213 + 7596 = {WRONG}.", None),
        (f"analysis48213 + 7596 = {WRONG}.assistantanalysis{RIGHT}", None),
    ],
)
def test_markers_and_words(reply: str, number: str | None) -> None:
    assert read(reply, OPERANDS).tolerant == (number and Decimal(number))


def test_a_thought_without_an_end_has_no_answer() -> None:
    for opening, _ in pairs():
        reply = f"{opening}48213 + 7596 = {WRONG}.\nThe answer is {RIGHT}.\n{RIGHT}"
        assert read(reply, OPERANDS).reason is Reason.TRUNCATED, reply
        assert strip_thoughts(reply).cut


def test_the_table_names_each_style_once() -> None:
    counted = Counter((style.opening, style.closing) for style in STYLES)
    assert counted.most_common(1)[0][1] == 1
    assert all(style.writers and style.source for style in (*STYLES, *ANSWER_STYLES))


def test_decimals_behind_a_thought() -> None:
    readings = read("<think>1.5 + 2</think>\n3.50", ("1.5", "2.00"), Dtype.FLOAT)
    assert both(readings) == (Decimal("3.50"), Decimal("3.50"))
