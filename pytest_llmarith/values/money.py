"""What is known of a model before it is asked, and what a run expects of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_llmarith.values.asking import Model
from pytest_llmarith.values.limits import Price


@dataclass(frozen=True, slots=True)
class Terms:
    """A model's price, the most tokens that it replies with, and whether it may reason before it does.

    `None` means that nobody knows.
    """

    price: Price | None = None
    most_tokens: int | None = None
    reasons: bool = False


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is going to be asked of one model: `asked` questions, `stored` replies that make others needless.

    Both counts of tokens are estimates. The completion's comes from `learned_from` stored replies, with all their
    reasoning; where it is `guessed`, some of it is what replies would have that come to the point. Of a search the
    first question alone is counted; `searching` says that there is one, which may ask more.
    """

    model: Model
    questions: int
    stored: int
    asked: int
    prompt_tokens: int
    completion_tokens: int
    terms: Terms
    learned_from: int = 0
    guessed: bool = True
    searching: bool = False

    @property
    def is_unforeseeable(self) -> bool:
        """Whether the model is going to reason, for as long as nobody can tell."""
        return self.terms.reasons and self.guessed

    @property
    def cost_usd(self) -> float | None:
        """What the requests will cost, without unforeseeable reasoning; None where no price is known."""
        if not self.asked:
            return 0.0
        if self.terms.price is None:
            return None
        return self.terms.price.of(self.prompt_tokens, self.completion_tokens)


class Fit(NamedTuple):
    """How many of the `wanted` requests fit at once into what a cap leaves, each of which may take up to `most`.

    `bound` is the limit of a reply's tokens with which all of them fit, or one if none does; None if there is no such
    limit.
    """

    option: str
    at_once: int
    wanted: int
    most: str
    bound: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What would become of the questions of a run, before the first request.

    `stored` has the questions, by index, with a stored reply, and how many tokens that has; `to_ask` are the indices of
    those that would be asked. `spent_*` is what the stored replies had cost; those of unknown price are counted.
    `terms` has the models that may be asked, `unbounded` why a cap cannot be kept for some of them, `fits` how many
    requests the caps let through at once. `error` is set, and nothing else, if the store cannot be read.
    """

    stored: Mapping[int, int | None] = field(default_factory=dict)
    to_ask: tuple[int, ...] = ()
    spent_usd: float = 0.0
    spent_unpriced: int = 0
    spent_tokens: int = 0
    terms: Mapping[str, Terms] = field(default_factory=dict)
    unbounded: Mapping[str, str] = field(default_factory=dict)
    fits: tuple[Fit, ...] = ()
    error: str | None = None
