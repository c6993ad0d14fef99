"""Chatter without a single number, as long as it is wanted. It does not know what is asked after it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

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


def small_talk(size: str, seed: str) -> str:
    """About so many tokens (`1k`, `2k`, `4k`), always the same for the same seed; it ends with a paragraph's end.

    It holds no digit and no word for a number, so that nothing in it can be mistaken for a part of the question.
    """
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
