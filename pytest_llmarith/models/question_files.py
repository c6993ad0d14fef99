"""Questions that leave as a file, to be asked by something else.

The file has the form of OpenAI's batches: a line for each question with `custom_id`,
`method`, `url` and `body`. The manifest beside it has a line about the file, and one
for each question with what its key in the store is made of, so that replies find their
place there and nobody can give them another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import msgspec

from pytest_llmarith.files import replace_file
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.planner import Planned
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.store import key_of_sent
from pytest_llmarith.records import Request

_FORMAT = 1
_VERSION = version("pytest-llmarith")
_T = TypeVar("_T")


class QuestionsError(Exception):
    """A file of questions cannot be written or read; the message is one line."""


class _Named(msgspec.Struct):
    """A line of a file of questions or of its manifest, by its question's key."""

    custom_id: str


class _Line(msgspec.Struct):
    """A question in the manifest."""

    custom_id: str
    trial: int
    repeat: int
    sent: Request


class _Header(msgspec.Struct):
    """The first line of a manifest."""

    llmarith_questions: int
    version: str
    made_at: str
    sha256: str


def manifest_of(path: Path) -> Path:
    """The manifest of a file of questions."""
    return path.with_name(f"{path.name}.manifest")


def write(path: Path, client: Client, planned: Sequence[Planned]) -> None:
    """Write questions and their manifest. Raises QuestionsError."""
    digest = sha256()

    def lines() -> Iterator[bytes]:
        for one in planned:
            url, body = client.body(one.model, one.question.prompt)
            line = (
                f'{{"custom_id": "{one.key}", "method": "POST", "url": "{url}", '
                f'"body": {body}}}\n'
            ).encode()
            digest.update(line)
            yield line

    def manifest() -> Iterator[bytes]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        header = _Header(_FORMAT, _VERSION, now, digest.hexdigest())
        yield msgspec.json.encode(header) + b"\n"
        for one in planned:
            trial = one.question.trial + one.question.before
            sent = sent_of(one.model, one.question.prompt)
            line = _Line(one.key, trial, one.question.repeat, sent)
            yield msgspec.json.encode(line) + b"\n"

    try:
        replace_file(path, lines())
        replace_file(manifest_of(path), manifest())
    except OSError as error:
        raise QuestionsError(f"{path}: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise QuestionsError(
            f"{path}: a question has half of a character, which no file holds"
        ) from error


class QuestionFile:
    """A file of questions, known by its manifest.

    Only the places of the questions are in memory. Raises QuestionsError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._manifest = manifest_of(path)
        self._places: dict[str, int] = {}  # in the manifest, by key
        try:
            self._lines = self._manifest.open("rb")
            self.header = self._decoded(self._lines.readline(), _Header)
            if self.header.llmarith_questions != _FORMAT:
                raise QuestionsError(
                    f"{self._manifest}: format {self.header.llmarith_questions} of "
                    f"pytest-llmarith {self.header.version}; this one ({_VERSION}) reads "
                    f"format {_FORMAT}: write the questions anew"
                )
            place = self._lines.tell()
            for line in self._lines:
                self._places[self._decoded(line, _Named).custom_id] = place
                place += len(line)
        except OSError as error:
            raise QuestionsError(
                f"{self._manifest}: {error.strerror or error}; it is written beside "
                f"the questions by --llm-questions-out"
            ) from error

    def close(self) -> None:
        self._lines.close()

    @property
    def keys(self) -> list[str]:
        """The keys of all questions, in their order."""
        return list(self._places)

    def sent(self, key: str) -> Request | None:
        """The request of a question, None if it is not in this file."""
        if key not in self._places:
            return None
        self._lines.seek(self._places[key])
        line = self._decoded(self._lines.readline(), _Line)
        if key_of_sent(line.sent, line.trial, line.repeat) != key:
            raise QuestionsError(
                f"{self._manifest}: the question {key[:12]} was changed; write the "
                f"questions anew"
            )
        return line.sent

    def bodies(self) -> Iterator[tuple[str, str]]:
        """The key and the JSON of the body of each question, as written."""
        try:
            with self.path.open("rb") as file:
                if file_digest(file, "sha256").hexdigest() != self.header.sha256:
                    raise QuestionsError(
                        f"{self.path}: it is not the file that its manifest describes; "
                        f"write the questions anew"
                    )
                file.seek(0)
                for text in file:
                    line = json.loads(text)
                    yield line["custom_id"], json.dumps(line["body"])
        except OSError as error:
            raise QuestionsError(f"{self.path}: {error.strerror or error}") from error

    def _decoded(self, line: bytes, kind: type[_T]) -> _T:
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, ValueError) as error:
            raise QuestionsError(
                f"{self._manifest}: it is no manifest of --llm-questions-out, or was "
                f"cut ({error})"
            ) from error
