"""Parts of a prompt: templates with fields, and filler text before the question."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from string import Formatter

# --- templates ------------------------------------------------------------------------------------------------------

_ADVICE = "write {{ and }} for literal braces"


def parts_of(template: str) -> list[tuple[str, str | None]]:
    """The pieces of text, each with the name of the field after it, None after the last one.

    Raises ValueError if braces contain something other than a name, or if there is no field.
    """
    try:
        found = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"{error}; {_ADVICE}") from None
    parts = [
        (text, None if field is None else _checked_field(field, form, conversion))
        for text, field, form, conversion in found
    ]
    if not any(field for _, field in parts):
        raise ValueError("it has no field, so every question would be the same")
    return parts


def _checked_field(field: str, form: str | None, conversion: str | None) -> str:
    if form or conversion or not field.isidentifier():
        written = field + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        raise ValueError(f"{{{written}}} is not the name of a field; {_ADVICE}")
    return field


def fill(template: str, fields: Mapping[str, str]) -> str:
    """The template with the values of its fields."""
    return "".join(text + ("" if field is None else fields[field]) for text, field in parts_of(template))


# --- filler text ----------------------------------------------------------------------------------------------------

_CHARACTERS_PER_TOKEN = 4.6  # of this text, as litellm's tokenizer counts
_TOKENS: Mapping[str, int] = {"1k": 1_000, "2k": 2_000, "4k": 4_000}

_WHO = (
    "My neighbour", "The baker down the road", "An old friend from school", "My sister", "The gardener", "Our postman",
    "A colleague of mine", "The lady from the library", "My uncle", "Somebody on the train",
)  # fmt: skip
_DID = (
    "told me about", "could not stop laughing at", "was rather worried about", "has been dreaming of",
    "wrote a long letter about", "changed the subject from", "brought along a picture of", "keeps asking me about",
    "painted the fence because of", "baked a cake in honour of",
)  # fmt: skip
_WHAT = (
    "the weather by the sea", "a cat that sleeps on the piano", "the new curtains", "a recipe for plum jam",
    "the fair in the next village", "an umbrella that nobody wanted", "the songs of the blackbird",
    "a walk along the river", "the smell of fresh paint", "a story that has no end",
)  # fmt: skip
_AFTER = (
    "and I could only nod.", "which made the afternoon pass quickly.", "and then the kettle began to sing.",
    "though nobody had asked.", "so we stayed a little longer.", "and that was that.",
    "but you know how such things go.", "while the rain kept falling.", "and the dog fell asleep.",
    "before it was time to leave.",
)  # fmt: skip
_SENTENCES_IN_A_PARAGRAPH = 6


def filler_text(size: str, seed: str) -> str:
    """Paragraphs of about `size` tokens (`1k`, `2k`, `4k`) without a number; the same seed gives the same text."""
    wanted = _TOKENS[size] * _CHARACTERS_PER_TOKEN
    paragraphs: list[str] = []
    length = 0.0
    for paragraph in _paragraphs(random.Random(f"{seed}/small talk/{size}")):
        paragraphs.append(paragraph)
        length += len(paragraph) + 2
        if length >= wanted:
            break
    return "\n\n".join(paragraphs)


def _paragraphs(draw: random.Random) -> Iterator[str]:
    while True:
        yield " ".join(
            " ".join(draw.choice(part) for part in (_WHO, _DID, _WHAT)) + ", " + draw.choice(_AFTER)
            for _ in range(_SENTENCES_IN_A_PARAGRAPH)
        )
