"""What conditions do: the same problems in two conditions, as a summary and a table say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_llmarith.records import Effect, SameWords, convert
from pytest_llmarith.reports.statistics.paired import Pairs, mcnemar, paired_difference
from pytest_llmarith.reports.tables.effects import effect_table
from pytest_llmarith.values import Condition, NumberFormat, Symbols
from tests.runs_on_disk import added, asked, counted

COMMAS = Condition(NumberFormat.COMMA).fields()
LONG = Condition(context="2k").fields()

Record = dict[str, Any]


def effects_of(*records: Record, given: Sequence[Record] = ()) -> list[Record]:
    effects: list[Record] = counted(records, {"conditions": list(given)})["effects"]
    return effects


def table_of(effects: Sequence[Record], width: int, same_words: Sequence[Record] = ()) -> list[str]:
    alike = [convert(one, SameWords) for one in same_words]
    return effect_table([convert(effect, Effect) for effect in effects], alike, width)


def alike(record: Record) -> Record:
    """The same in the words of the usual condition, as it is with numbers without a comma."""
    return record | {"prompt": "prompt"}


def in_two(usual: str, other: str, condition: Record = COMMAS) -> list[Record]:
    """A problem per letter, in the usual condition and in another one: `r` for right, `w` for wrong, `-` for none."""
    texts = {"r": "{}", "w": "7", "-": None}
    first = [asked(texts[letter], trial=trial) for trial, letter in enumerate(usual)]
    second = [asked(texts[letter], trial=trial) for trial, letter in enumerate(other)]
    return first + [record | {"condition": condition, "prompt": str(condition)} for record in second]


def test_one_condition_has_no_effect() -> None:
    """A single condition, whichever it is, has no effect, and tasks are not compared with each other."""
    assert effects_of(asked("{}"), added("7") | {"condition": COMMAS}) == []


def test_pairs() -> None:
    """Problems are paired, with the interval and the test that comparisons of runs have."""
    (effect,) = effects_of(*in_two("rrrrrwwr", "rwwwwwrr"))
    pairs = Pairs(both=2, first=4, second=1, neither=1)
    interval = paired_difference(pairs)
    assert interval is not None
    assert (effect["model"], effect["task"], effect["beside"]) == ("o4-mini", "arithmetic", None)
    assert effect["condition"] == COMMAS
    assert (effect["problems"], effect["percent"], effect["percent_beside"]) == (8, 37.5, 75.0)
    assert (effect["better"], effect["worse"]) == (1, 4)
    assert effect["p"] == effect["p_holm"] == mcnemar(pairs)
    assert effect["difference"]["points"] == -37.5
    assert effect["difference"]["low"] == pytest.approx(100 * interval.low, abs=1e-4)
    assert effect["difference"]["high"] == pytest.approx(100 * interval.high, abs=1e-4)


def test_what_is_unanswered_makes_no_pair() -> None:
    """What is unanswered in either condition makes no pair, and without any there is nothing to say."""
    (effect,) = effects_of(*in_two("r-r", "-wr"))
    assert (effect["problems"], effect["worse"]) == (1, 0)
    assert effects_of(*in_two("r-", "-r")) == []


def test_repeats_make_one_pair() -> None:
    """The share of a problem's repeats counts once, as they are alike; the interval is that of problems."""
    records = [
        record | {"repeat": repeat}
        for repeat, (usual, other) in enumerate((("rrrw", "wrrw"), ("rrrw", "wrwr")))
        for record in in_two(usual, other)
    ]
    (effect,) = effects_of(*records)
    assert (effect["problems"], effect["better"], effect["worse"]) == (4, 1, 2)
    assert effect["difference"]["points"] == 100 * (-1 + 0 - 0.5 + 0.5) / 4
    assert effect["difference"]["low"] < -25 < effect["difference"]["high"]


def test_tests_beside_each_other_are_corrected() -> None:
    """Two conditions are two tests: Holm's correction doubles the smaller p."""
    usual = "r" * 12
    commas, long = effects_of(*in_two(usual, "w" * 12), *in_two("", "w" * 6 + "r" * 6, LONG))[::-1]
    assert (commas["condition"], long["condition"]) == (COMMAS, LONG)
    assert commas["p_holm"] == 2 * commas["p"] < long["p_holm"] == long["p"]


def test_the_same_words_are_no_evidence() -> None:
    """They are one request, whose reply stands in both conditions: it is left out and counted, if nothing else is."""
    usual, commas = in_two("rrrw", ""), in_two("", "rwrw")
    found = counted((*usual, *map(alike, commas[:1]), *commas[1:]))
    (effect,) = found["effects"]
    assert (effect["problems"], effect["percent_beside"], effect["percent"]) == (3, 66.6667, 33.3333)
    (left_out,) = found["same_words"]
    assert (left_out["condition"], left_out["beside"], left_out["problems"]) == (COMMAS, None, 1)
    told = "numbers_comma (o4-mini, arithmetic): 1 problem put in the same words, left out"
    assert table_of([effect], 100, [left_out])[-1] == told
    assert effects_of(*usual, *map(alike, commas)) == []
    assert table_of([], 100, [left_out]) == ["what conditions do", told]


def test_another_system_prompt_is_other_words() -> None:
    """Problems put with another system prompt are put in other words, though their prompts are the same."""
    (effect,) = effects_of(*(alike(one) for one in in_two("rr", "rw", Condition(system="1").fields())))
    assert effect["problems"] == 2


def test_an_interval_that_nobody_knows() -> None:
    """Where all problems went alike, the legend says why there is none."""
    records = [one | {"repeat": repeat} for repeat in range(2) for one in in_two("rw", "rw")]
    table = table_of(effects_of(*records), 500)
    assert "`-` in place of an interval" in " ".join(table)


def test_without_the_usual_condition_the_first_is_the_measure() -> None:
    """Without the usual condition others are measured by the first one, which their rows name."""
    both = Condition(NumberFormat.COMMA, context="2k").fields()
    records = [record | {"condition": both if record["condition"] == COMMAS else LONG} for record in in_two("rr", "rw")]
    (effect,) = effects_of(*records)
    assert (effect["condition"], effect["beside"]) == (both, LONG)
    assert "numbers_comma-context_2k beside context_2k" in table_of([effect], 100)[4]


def _put(condition: Record) -> Record:
    return asked("{}") | {"condition": condition, "prompt": str(condition)}


@pytest.mark.parametrize("numbers", [("plain", "comma", "space"), ("space", "comma", "plain")])
def test_without_the_usual_condition_the_first_given_is_the_measure(numbers: Sequence[str]) -> None:
    """Not the first by name, whose difference would have the other sign; and the others stand as they were given."""
    given = [Condition(NumberFormat(each), symbols=Symbols.UNICODE).fields() for each in numbers]
    records = [_put(given[place]) for place in (1, 2, 0)]
    effects = effects_of(*records, given=given)
    assert [(one["condition"], one["beside"]) for one in effects] == [(given[1], given[0]), (given[2], given[0])]


def test_a_task_that_does_not_know_an_axis() -> None:
    """Its conditions are none of those that were given, and stand in their order all the same."""
    given = [Condition(numbers, Symbols.UNICODE).fields() for numbers in (NumberFormat.SPACE, NumberFormat.COMMA)]
    spaces = Condition(NumberFormat.SPACE).fields()
    records = [_put(condition) for condition in (COMMAS, spaces)]
    (effect,) = effects_of(*records, given=given)
    assert (effect["condition"], effect["beside"]) == (COMMAS, spaces)


def test_the_table() -> None:
    """The table has two lines per condition, and fits whatever the names are."""
    effects = effects_of(*in_two("rrrrrwwr", "rwwwwwrr"))
    assert [line.split() for line in table_of(effects, 80)[:6]] == [
        ["what", "conditions", "do"],
        ["condition", "problems", "%", "points", "better", "p"],
        ["model,", "task", "beside", "%", "95", "%", "worse", "*"],
        ["-" * len(table_of(effects, 80)[3])],
        ["numbers_comma", "8", "37.5", "-37.5", "1", "0.3750"],
        ["o4-mini,", "arithmetic", "75.0", "-69.3", "to", "+12.5", "4"],
    ]
    named = [effect | {"model": "m" * 90 + "\x1b[2J"} for effect in effects]
    assert all(len(line) <= 80 and line.isprintable() for line in table_of(named, 80))
    assert table_of([], 80) == []
