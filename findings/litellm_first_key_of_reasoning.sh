#!/usr/bin/env bash
# litellm 1.110.2: a server that sends "reasoning_content": null beside "reasoning" with the
# text (both names are in use) loses the reasoning: the first name that is there wins, also
# when it holds nothing. With "reasoning" alone the text is kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'litellm==1.110.2'
cat > program.py <<'PROGRAM'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

messages = (
    {"reasoning": "6 times 7"},
    {"reasoning": "6 times 7", "reasoning_content": None},
)


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        extra = messages[int(request["messages"][0]["content"])]
        message = {"role": "assistant", "content": "42", **extra}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        body = json.dumps({**reply, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for number, extra in enumerate(messages):
    response = litellm.completion(
        model="openai/m",
        api_base=f"http://127.0.0.1:{server.server_port}",
        api_key="none",
        messages=[{"role": "user", "content": str(number)}],
    )
    message = response.choices[0].message
    print(f"{extra}: {getattr(message, 'reasoning_content', None)!r}")
PROGRAM
cat > expected.txt <<'EXPECTED'
{'reasoning': '6 times 7'}: '6 times 7'
{'reasoning': '6 times 7', 'reasoning_content': None}: None
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
