"""Templates of prompts: text with fields in braces. It does not know which fields there are."""

from __future__ import annotations

from string import Formatter

_ADVICE = "write {{ and }} for braces that name no field"


def parts_of(template: str) -> list[tuple[str, str | None]]:
    """Pieces of text, each with the name of the field behind it; None behind the last where it ends in text.

    Raises ValueError where braces are not those of a bare name, or nothing tells one question from the next.
    """
    try:
        found = list(Formatter().parse(template))
    except ValueError as fault:
        raise ValueError(f"{fault}; {_ADVICE}") from None
    parts = [
        (text, None if field is None else _bare(field, form, conversion)) for text, field, form, conversion in found
    ]
    if not any(field for _, field in parts):
        raise ValueError("it has no field, so that every question would be the same")
    return parts


def _bare(field: str, form: str | None, conversion: str | None) -> str:
    if form or conversion or not field.isidentifier():
        written = field + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        raise ValueError(f"{{{written}}} is no bare name of a field; {_ADVICE}")
    return field
