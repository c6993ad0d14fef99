"""Keys have no business in what is asked: whoever put one there hears of it before anything is collected.

What is asked is stored, written down and shown word by word, so nothing could be hidden in it later.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_llmarith.credentials import texts_in, with_headers_hidden
from pytest_llmarith.model_options import dotenv_variables
from pytest_llmarith.models.scrubbing import variable_told
from pytest_llmarith.settings import Settings


def refuse_keys(config: pytest.Config, settings: Settings) -> None:
    """Raises pytest.UsageError where a template, a system prompt or a parameter holds a key; the message never does."""
    texts = list(_texts(config, settings))
    for environ in _environs(config.rootpath / ".env") if texts else ():
        for where, text in texts:
            if variable := variable_told(text, environ):
                raise pytest.UsageError(
                    f"{where} holds the key that stands in {variable}; take it out, as records and pages would show it"
                )


def _texts(config: pytest.Config, settings: Settings) -> Iterator[tuple[str, str]]:
    """What the options put into requests, save headers, and where that comes from."""
    for name, template in settings.manners.wordings.templates.items():
        yield f"--llm-prompt: the template {name!r}", template
    for text in config.getoption("--llm-system-prompt") or ():
        yield "--llm-system-prompt: the text", text
    for model in (*settings.models, *filter(None, [settings.oeis.judge])):
        for name, value in with_headers_hidden(model.params).items():
            yield from ((f"{model.name}: the parameter {name}", text) for text in texts_in(value))


def _environs(dotenv_path: Path) -> Iterator[Mapping[str, str]]:
    """Where keys are known; those of `.env` come into the environment later, and with the first question alone."""
    yield os.environ
    yield dotenv_variables(dotenv_path)
