#!/usr/bin/env bash
# openai 3.57.0: a body of status 200 is not checked: an error in it, as gateways send it, is a ChatCompletion whose
# choices, id and model are None, a page of text is a str, and a body that is broken off raises json's own error, which
# neither `except openai.OpenAIError` nor a retry sees. Expected: openai.APIError, as for all other faults.
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

answers = {
    "error": ("application/json", '{"error": {"message": "overloaded", "code": 503}}'),
    "page": ("text/html", "<p>busy</p>"),
    "broken off": ("application/json", '{"id": "1", "choices": [{"ind'),
}
requests = 0


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        global requests
        requests += 1
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
    requests = 0
    try:
        result = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "6 * 7"}],
            extra_headers={"X-Answer": name},
        )
        print(f"{name}: {type(result).__name__}, choices {getattr(result, 'choices', '?')}")
    except (openai.OpenAIError, json.JSONDecodeError) as error:
        ours = isinstance(error, openai.OpenAIError)
        print(f"{name}: {type(error).__name__}, OpenAIError: {ours}, requests: {requests}")
PROGRAM
cat > expected.txt <<'EXPECTED'
error: ChatCompletion, choices None
page: str, choices ?
broken off: JSONDecodeError, OpenAIError: False, requests: 1
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
