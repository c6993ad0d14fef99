"""A stand-in for the package xllamacpp, and files that look like models, for tests of
what surrounds a real server.

The server answers calculations rightly, and writes a line about itself and about each
request to the file `LLAMA_LOG`. `LLAMA_FAULT` makes it fail: at the start (`die`),
never be ready (`hang`), or at the third request (`crash`).
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

PACKAGE = """
import json, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

FAULT = os.environ.get("LLAMA_FAULT")


def log(**said):
    with open(os.environ["LLAMA_LOG"], "a") as file:
        file.write(json.dumps(said) + "\\n")


class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())
        self.model_alias = set()


class Server:
    def __init__(self, params):
        log(pid=os.getpid(), started=True)
        if FAULT == "die":
            print("0.00.1 I srv init: loading", file=sys.stderr)
            print("0.00.2 E llama_model_load: unknown model architecture", file=sys.stderr)
            raise RuntimeError("Failed to init server")
        while FAULT == "hang":
            time.sleep(1)
        served = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *said):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                allowed = self.headers["Authorization"] == "Bearer " + params.api_keys[0]
                prompt = body["messages"][-1]["content"]
                served.append(prompt)
                log(prompt=prompt, allowed=allowed, body=body)
                if FAULT == "crash" and len(served) == 3:
                    print("0.01.2 E ggml: out of luck", file=sys.stderr, flush=True)
                    os._exit(9)
                if FAULT == "slow":
                    time.sleep(0.3)
                *_, lhs, sign, rhs = prompt.split()
                said = str(eval(lhs + sign.replace("/", "//") + rhs))
                choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
                usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
                reply = {"id": "x", "object": "chat.completion", "created": 1, "choices": [choice]}
                (reply["model"],) = params.model_alias or {params.model.path}
                text = json.dumps(reply | {"usage": usage} if allowed else {"error": {"message": "no key"}}).encode()
                self.send_response(200 if allowed else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        server = ThreadingHTTPServer(("127.0.0.1", params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = "http://127.0.0.1:%d" % server.server_port
        log(pid=os.getpid(), port=server.server_port, key=params.api_keys[0], slots=params.n_parallel, ctx=params.n_ctx)
"""
_TEXT, _NUMBER, _LIST = 8, 4, 9


def write_package(folder: Path) -> None:
    (folder / "xllamacpp.py").write_text(PACKAGE)


def write_model(path: Path, weights: bytes = b"", **numbers: int) -> Path:
    """A file with the beginning of a model: eight layers with one head of 64 values,
    512 tokens long.
    """
    described: dict[str, Any] = {
        "general.architecture": "llama",
        "llama.rope.scales": [1, 2],
    }
    sizes = {
        "context_length": 512,
        "block_count": 8,
        "embedding_length": 64,
        "attention.head_count": 1,
        **numbers,
    }
    described |= {f"llama.{name}": number for name, number in sizes.items()}
    described["tokenizer.ggml.tokens"] = ["a", "b"]
    packed = b"".join(_text(name) + _packed(value) for name, value in described.items())
    path.write_bytes(
        struct.pack("<4sIQQ", b"GGUF", 3, 0, len(described)) + packed + weights
    )
    return path


def logged(path: Path, name: str) -> list[Any]:
    """What the servers have written under this name."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [said[name] for said in map(json.loads, lines) if name in said]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not awaited does not."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except (FileNotFoundError, ProcessLookupError):
        pass
    if Path("/proc/self").exists():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _packed(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _TEXT) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", _NUMBER, value)
    items = b"".join(
        _text(one) if isinstance(one, str) else struct.pack("<I", one) for one in value
    )
    kind = _TEXT if isinstance(value[0], str) else _NUMBER
    return struct.pack("<IIQ", _LIST, kind, len(value)) + items


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()
