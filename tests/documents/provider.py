"""A provider for the commands of the documents: it replies with the numbers of `llmarith/sloppy` and the programs of
`llmarith/exact`, in the formats of OpenAI and Anthropic.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_llmarith.models import fake
from tests.llm_server import Answer, Call, LlmServer, usage

CACHE = Path(__file__).parents[2] / "oeis_cache"
_REVERSE = "Write this word backwards"


class Provider(LlmServer):
    """Replies to the questions of the benches and the documents; the next `outages` requests fail."""

    def __init__(self) -> None:
        super().__init__(self._answered)
        self._known = fake.starter_sequences(CACHE)
        self.outages = 0

    def _answered(self, call: Call) -> Answer:
        if self.outages:
            self.outages -= 1
            return Answer(status=503)
        text, finish = self._said(_messages(call.body))
        if "anthropic-version" in call.headers:
            return Answer(body=json.dumps(_anthropic_response(str(call.body["model"]), text)).encode())
        return Answer(text, finish_reason=finish, usage=usage(30, 10))

    def _said(self, messages: list[dict[str, str]]) -> tuple[str, str]:
        prompt = messages[-1]["content"]
        if prompt.startswith(_REVERSE):
            return prompt.split()[-1][::-1], "stop"
        model = "llmarith/exact" if "look-up table" in prompt else "llmarith/sloppy"
        reply = fake.reply(model, messages, {}, lambda: self._known)
        return reply.text, str(reply.finish_reason)


def _messages(body: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"role": message["role"], "content": _text(message["content"])} for message in body["messages"]]


def _text(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _anthropic_response(model: str, text: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 30, "output_tokens": 10},
    }
