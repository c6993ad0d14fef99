#!/usr/bin/env bash
# openai 3.57.0: when a server answers a request for a stream with one whole reply in JSON, as gateways and simple servers
# do that ignore "stream", the stream is empty and ends as usual: the reply is lost, and paid for. An event that is named
# 'error' is a chunk without choices. Expected: an error, as for the field "error" in a chunk.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'openai==3.57.0'
cat > program.py <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import openai

message = {"role": "assistant", "content": "42"}
reply = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }
)
chunk = json.dumps(
    {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": None, "delta": {"content": "4"}}],
    }
)
answers = {
    "whole reply": ("application/json", reply),
    "event named error": (
        "text/event-stream",
        f'data: {chunk}\n\nevent: error\ndata: {{"message": "overloaded"}}\n\n',
    ),
    "field error": (
        "text/event-stream",
        f'data: {chunk}\n\ndata: {{"error": {{"message": "overloaded"}}}}\n\n',
    ),
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        kind, body = answers[self.headers["X-Answer"]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}", api_key="none")
for name in answers:
    try:
        stream = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "6 * 7"}],
            stream=True,
            extra_headers={"X-Answer": name},
        )
        texts = [c.choices and c.choices[0].delta.content for c in stream]
        print(f"{name}: {texts}")
    except openai.APIError as error:
        print(f"{name}: {type(error).__name__}: {error}")
PROGRAM
cat > expected.txt <<'EXPECTED'
whole reply: []
event named error: ['4', None]
field error: APIError: overloaded
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
