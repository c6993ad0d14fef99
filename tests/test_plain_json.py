"""JSON from whoever wrote it."""

from __future__ import annotations

import pytest

from pytest_llmarith.plainjson import DEEPEST, is_shallow, strictly_read


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_is_no_json_is_refused(text: str) -> None:
    """Python would read it, and nobody else could read what is made of it."""
    with pytest.raises(ValueError, match="is no JSON"):
        strictly_read(text)


def test_it_reads_what_json_is() -> None:
    """Numbers, texts, lists and objects are read, from text and from bytes alike."""
    assert strictly_read('{"a": [1, 2.5, null]}') == strictly_read(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


@pytest.mark.parametrize(("levels", "shallow"), [(0, True), (DEEPEST - 1, True), (DEEPEST, False)])
def test_what_is_too_deep_to_be_worked_with(levels: int, shallow: bool) -> None:
    """Lists and objects count alike."""
    assert is_shallow(strictly_read("[" * levels + "1" + "]" * levels)) is shallow
    assert is_shallow(strictly_read('{"a":' * levels + "1" + "}" * levels)) is shallow
