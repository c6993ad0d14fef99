"""What stands in for `reasoning_gym.factory`: the same interface, with generators that
do what generators may do wrong.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import os
import random
import sys
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


@dataclass
class Config:
    min_digits: int = 1
    max_digits: int = 4
    seed: int = 0
    size: int = 500
    mode: Any = None

    def validate(self) -> None:
        assert self.min_digits > 0, "min_digits must be positive"


@dataclass
class Sums:
    """Sums, half of whose points are for the last digit."""

    config: Config
    calls: list[int] = field(default_factory=list)

    def __getitem__(self, index: int) -> Any:
        self.calls.append(index)
        draw = random.Random(self.config.seed + index)
        low, high = 10 ** (self.config.min_digits - 1), 10**self.config.max_digits - 1
        numbers = [draw.randint(low, high) for _ in range(2)]
        return {"question": f"{numbers[0]} + {numbers[1]} =", "answer": sum(numbers)}

    def score_answer(self, answer: str, entry: Any) -> Any:
        if answer == str(entry["answer"]):
            return 1.0
        return 0.5 * (answer[-1] == str(entry["answer"])[-1])


def changed(change, score=None):
    """A generator whose entries are changed, or which scores otherwise."""

    class Changed(Sums):
        def __getitem__(self, index: int) -> Any:
            return change(self, index, super().__getitem__(index))

        def score_answer(self, answer: str, entry: Any) -> Any:
            return score(answer) if score else super().score_answer(answer, entry)

    return Changed


def same(generator, index, entry):
    return entry


def loud(generator, index, entry):
    """Prints, and uses the random state of everybody."""
    sys.stdout.write("loud: a question\n")
    os.write(1, b"loud: a question\n")
    random.seed(index)
    return entry


def words(generator, index, entry):
    """Text answers, more than one of which is right."""
    return {"question": f"Name a word with {index + 3} letters.", "answer": None}


def named(generator, index, entry):
    return {"question": f"Which word has {index + 3} letters?", "answer": "abc"}


def parsed(answer: str) -> float:
    return float(int(answer, 16) > 0)


def no_return(answer: str) -> Any:
    raise KeyError(answer)


def raising(generator, index, entry):
    if index == 2:
        raise ValueError("no board\nwas found")
    return entry


def recursive(generator, index, entry):
    return recursive(generator, index, entry)


def by_hash(generator, index, entry):
    return entry | {"question": f"{hash(entry['question'])}"}


def late(generator, index, entry):
    """Otherwise in another process, after the first thousand."""
    return by_hash(generator, index, entry) if index >= 1000 else entry


def counted(generator, index, entry):
    with open(os.environ["MADE_LOG"], "a") as log:
        log.write(f"{generator.config.seed}\n")
    return entry


def unseeded(generator, index, entry):
    return entry | {"question": f"{random.random()}"}


def by_state(generator, index, entry):
    return entry | {"question": f"{index} {len(generator.calls)}"}


DATASETS = {
    name: (generator, Config)
    for name, generator in {
        "sums": Sums,
        "loud": changed(loud),
        "words": changed(words, lambda answer: float(answer.isalpha())),
        "parsed": changed(named, parsed),
        "raises": changed(raising),
        "exits": changed(lambda *_: sys.exit(3)),
        "dies": changed(lambda *_: os._exit(3)),
        "hangs": changed(lambda *_: time.sleep(600)),
        "recursive": changed(recursive),
        "no_dict": changed(lambda *_: ["1 + 1", "2"]),
        "no_question": changed(lambda *_: {"answer": "2"}),
        "blank": changed(lambda *_: {"question": " ", "answer": "2"}),
        "bytes": changed(lambda *_: {"question": "1 + 1", "answer": b"2"}),
        "nan": changed(same, lambda answer: float("nan")),
        "above": changed(same, lambda answer: 2),
        "text": changed(same, lambda answer: "right"),
        "scoreless": changed(same, no_return),
        "by_hash": changed(by_hash),
        "late": changed(late),
        "counted": changed(counted),
        "unseeded": changed(unseeded),
        "by_state": changed(by_state),
        "few": changed(lambda *_: {"question": f"{_[1] % 3} + 1", "answer": "2"}),
    }.items()
}
CURRICULUM = SimpleNamespace(
    attributes={
        "num_digits": SimpleNamespace(
            lower_field_name="min_digits", upper_field_name="max_digits"
        )
    }
)


def has_curriculum(name: str) -> bool:
    return True


def create_curriculum(name: str) -> Any:
    return CURRICULUM


def create_dataset(name: str, **config: Any) -> Any:
    generator, config_class = DATASETS[name]
    made = config_class(**config)
    made.validate()
    return generator(made)
