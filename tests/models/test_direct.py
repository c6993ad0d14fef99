"""Questions to a server of one's own: what is sent, what is refused, certificates,
proxies, and imports.
"""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from pytest_llmarith.models.asking import Transport
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Action, diagnose
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Model, Question, RequestLimits, StoreMode
from tests.llm_server import Call, LlmServer
from tests.models.asked import of

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


def asked_once(
    runner: asyncio.Runner, model: Model, prompt: str, way: Transport
) -> Reply:
    async def ask() -> Reply:
        client = Client(transport=way)
        try:
            return await client.complete(model, prompt, 30.0)
        finally:
            await client.close()

    return runner.run(ask())


# --- what is sent ---------------------------------------------------------------------


@of("sent")
def test_both_ways_send_the_same(runner: asyncio.Runner, row: dict[str, Any]) -> None:
    target, params, system = row["target"], row["params"], row["system"]
    paths: list[str] = []

    class Server(LlmServer):
        async def _handle(self, request: web.Request) -> web.StreamResponse:
            paths.append(request.raw_path)
            return await super()._handle(request)

    with Server() as server:
        model = Model("m", target, params, server.base_url, system)
        for way in Transport:
            asked_once(runner, model, " 1 + 1 =\n", way)
        direct, through_litellm = map(said_in, server.requests)
    assert direct == through_litellm
    assert len(set(paths)) == 1


def said_in(call: Call) -> tuple[Any, ...]:
    return call.body, *(
        call.headers.get(name) for name in ("Authorization", "Content-Type", "X-Team")
    )


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"temperature": 0, "drop_params": True}, "drop_params"),
        ({"custom_llm_provider": "openai"}, "custom_llm_provider"),
        ({"allowed_openai_params": ["reasoning_effort"]}, "allowed_openai_params"),
        ({"extra_body": 5}, "extra_body"),
        ({"extra_headers": ["X-Team: a"]}, "extra_headers"),
        ({"headers": {"X-Team": 5}}, "headers"),
    ],
)
def test_a_parameter_of_litellm_is_refused(params: dict[str, Any], name: str) -> None:
    """Before the first request; the other way takes it."""
    model = Model("m", "openai/qwen3", params, "http://127.0.0.1:9/v1")
    why = Client().unknown_parameter(model)
    assert why is not None
    assert f"openai/qwen3: {name} is " in why
    assert Client(transport=Transport.LITELLM).unknown_parameter(model) is None


@pytest.mark.parametrize(
    ("target", "api_base"),
    [
        ("openai/gpt-4o-mini", None),
        ("openai/gpt-4o-mini", "https://api.openai.com/v1"),
        ("openai/responses/qwen3", "http://127.0.0.1:9/v1"),
        ("hosted_vllm/qwen3", "http://127.0.0.1:9/v1"),
    ],
)
def test_litellm_is_the_way_to_providers(target: str, api_base: str | None) -> None:
    """Parameters of litellm are no mistake there."""
    assert (
        Client().unknown_parameter(Model("m", target, {"drop_params": True}, api_base))
        is None
    )


def test_a_question_has_the_same_key_in_both_ways(
    runner: asyncio.Runner, tmp_path: Path
) -> None:
    async def ask(model: Model, way: Transport) -> Reply | Failure:
        store = RunStore(tmp_path / "store.sqlite", StoreMode.ON)
        broker = Broker(Client(transport=way), [model], store, RequestLimits())
        try:
            return await broker.ask(Question("m", "1 + 1", 0))
        finally:
            await broker.close()

    with LlmServer() as server:
        model = Model(
            "m", "openai/qwen3", {"temperature": 0}, server.base_url, "Be brief."
        )
        outcomes = [runner.run(ask(model, way)) for way in Transport]
    assert [isinstance(outcome, Reply) and outcome.stored for outcome in outcomes] == [
        False,
        True,
    ]
    assert len(server.requests) == 1


# --- imports --------------------------------------------------------------------------


# --- connections ----------------------------------------------------------------------


class TlsServer(LlmServer):
    """Listens with a certificate."""

    def __init__(self, certificate: Path) -> None:
        super().__init__()
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(certificate)

    async def _listen(self) -> None:
        await web.TCPSite(
            self._runner, "127.0.0.1", 0, ssl_context=self._context
        ).start()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that is signed with its own key, and the key, in one
    file.
    """
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    path = tmp_path_factory.mktemp("certificate") / "own.pem"
    made = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=127.0.0.1"),
    ]
    made += [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(path),
        "-out",
        str(path) + ".crt",
    ]
    subprocess.run(made, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


@pytest.mark.parametrize("way", Transport)
def test_a_certificate_that_is_signed_by_itself(
    runner: asyncio.Runner,
    certificate: Path,
    way: Transport,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stops the run, with what to set; then the server is asked."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with TlsServer(certificate) as server:
        model = Model("m", "openai/qwen3", {}, f"https://127.0.0.1:{server.port}/v1")
        with pytest.raises(Exception) as caught:  # noqa: PT011  # litellm wraps it
            asked_once(runner, model, "1 + 1", way)
        diagnosis = diagnose(caught.value, model, 30.0)
        assert diagnosis.action is Action.STOP_RUN
        assert (
            "certificate is not trusted: self-signed certificate" in diagnosis.message
        )
        assert "SSL_CERT_FILE" in diagnosis.message
        assert not server.requests
        monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
        if way is Transport.DIRECT:  # litellm keeps what it read at its first request
            assert asked_once(runner, model, "1 + 1", way).text == "42"


@pytest.mark.parametrize("way", Transport)
def test_a_proxy_of_the_environment(
    runner: asyncio.Runner, way: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LlmServer() as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
        model = Model("m", "openai/qwen3", {}, f"http://{way}.invalid/v1")
        assert asked_once(runner, model, "1 + 1", way).text == "42"
    assert server.requests[0].headers["Host"] == f"{way}.invalid"
