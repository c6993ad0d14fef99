"""Questions of a generator of reasoning-gym, made and graded in a process of its own:
generators print, hang, and change what is global.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import random
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import count, islice
from numbers import Real
from typing import Any, NamedTuple

from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.tasks.task import InvalidTask, short_repr

_MOST_SEEN = 1000  # questions in a row that are not new


class Made(NamedTuple):
    """A question: its place in the data set, its text, and a right answer, if any."""

    place: int
    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class DataSets:
    """The data sets of a generator, one for each seed and depth.

    `depth_field` is the field of the configuration, or the attribute of the curriculum,
    that the depth sets. A question may take `limit_s` seconds. `module` registers the
    generator, if it is not reasoning-gym's. The methods are called in that process, and
    raise InvalidTask.
    """

    generator: str
    config: Mapping[str, Any]
    depth_field: str
    limit_s: int
    module: str | None = None

    def at(self, seed: int, depth: int | None) -> Any:
        """The data set of a depth."""
        try:
            from reasoning_gym import factory
        except ImportError as error:
            raise InvalidTask(
                f"cannot be imported ({error}); pip install "
                f"'pytest-llmarith[reasoning-gym]'"
            ) from None
        if self.module is not None:
            try:
                import_module(self.module)
            except Exception as error:
                raise InvalidTask(
                    f"is registered by {self.module}, which no other process can "
                    f"import ({text_of_error(error)}); write it into a module beside "
                    f"the test"
                ) from None
        if self.generator not in factory.DATASETS:
            raise InvalidTask(f"there is no generator {self.generator!r}")
        fields = {**self.config}
        known = factory.DATASETS[self.generator][1].__dataclass_fields__
        for name in fields:
            if name not in known or name == "seed":
                raise InvalidTask(
                    f"has no {name!r}; there are: {', '.join(sorted(known))}"
                )
        if depth is not None:
            fields |= dict.fromkeys(self._fields_of_depth(factory), depth)
        # Neighbouring seeds of reasoning-gym have the same questions at other places.
        drawn = random.Random(f"{seed}/{self.generator}/{depth}").getrandbits(31)
        try:
            return factory.create_dataset(self.generator, seed=drawn, **fields)
        except Exception as error:
            raise InvalidTask(
                f"refuses the configuration {short_repr(fields)} "
                f"({text_of_error(error)})"
            ) from None

    def _fields_of_depth(self, factory: Any) -> Sequence[str]:
        names = factory.DATASETS[self.generator][1].__dataclass_fields__
        attributes = {}
        if factory.has_curriculum(self.generator):
            attributes = factory.create_curriculum(self.generator).attributes
        if self.depth_field in names:
            return [self.depth_field]
        if self.depth_field not in attributes:
            raise InvalidTask(
                f"has no {self.depth_field!r}; there are: "
                f"{', '.join(sorted({*names, *attributes}))}"
            )
        found = vars(attributes[self.depth_field])
        ends = "field_name", "lower_field_name", "upper_field_name"
        return [found[end] for end in ends if end in found]

    def questions(
        self, seed: int, depths: Sequence[int | None], number: int
    ) -> list[list[Made]]:
        """Different questions of each depth."""
        found = []
        for depth in depths:
            data_set = self.at(seed, depth)
            made = list(islice(self._new(data_set, depth), number))
            if _made(0, data_set[0]) != made[0]:
                raise InvalidTask("makes another question at a second call")
            found.append(made)
        return found

    def _new(self, data_set: Any, depth: int | None) -> Iterator[Made]:
        places: dict[str, int] = {}
        for place in count():
            signal.alarm(self.limit_s)
            made = _made(place, data_set[place])
            if not places and made.answer is not None:
                _check_score(data_set.score_answer(made.answer, data_set[place]))
            if places.setdefault(made.question, place) == place:
                yield made
            elif place > _MOST_SEEN + max(places.values()):
                raise InvalidTask(
                    f"has only {len(places)} different questions at depth {depth}; "
                    f"ask fewer"
                )

    def score(self, seed: int, depth: int | None, place: int, answer: str) -> Any:
        """What the generator scores an answer."""
        data_set = self.at(seed, depth)
        return data_set.score_answer(answer, data_set[place])


def _made(place: int, entry: Any) -> Made:
    question, answer = entry["question"], entry["answer"]
    if type(answer) is int:
        answer = str(answer)
    if not isinstance(question, str) or not isinstance(answer, str | None):
        raise InvalidTask(f"makes {short_repr((question, answer))}, which are no texts")
    if not question.strip():
        raise InvalidTask("makes an empty question")
    return Made(place, question, answer)


def _check_score(score: object) -> None:
    is_score = isinstance(score, Real) and 0 <= float(score) <= 1
    if not is_score:
        raise InvalidTask(
            f"scores its own answer {short_repr(score)}; scores are from 0 to 1"
        )


# --- the process ----------------------------------------------------------------------


def serve() -> None:
    """Call what the standard input asks for, each time in a fork of this process: the
    import of reasoning-gym takes seconds.
    """
    gc.disable()  # what the import makes stays: to look through it takes a fifth of 2 s
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import reasoning_gym  # noqa: F401
    gc.freeze()
    gc.enable()
    output = os.dup(1)
    os.dup2(2, 1)  # what generators print
    with suppress(EOFError), os.fdopen(output, "w") as stream:
        while True:
            request = pickle.load(sys.stdin.buffer)
            pid = os.fork()
            if pid == 0:
                stream.write(json.dumps(_called(*request)) + "\n")
                stream.flush()
                os._exit(0)
            _, status = os.waitpid(pid, 0)
            if status:
                why = "ends its process"
                if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
                    why = "takes longer than limit_s for a question"
                stream.write(json.dumps([None, why]) + "\n")
                stream.flush()


def _called(data_sets: DataSets, method: str, arguments: Sequence[Any]) -> list[Any]:
    """What a method returns, and why it does not."""
    random.seed()  # else forks would draw the same
    try:
        signal.alarm(data_sets.limit_s)
        return [getattr(data_sets, method)(*arguments), None]
    except InvalidTask as error:
        return [None, str(error)]
    except BaseException as error:
        return [None, f"raises {text_of_error(error)}"]
    finally:
        signal.alarm(0)
