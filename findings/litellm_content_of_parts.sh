#!/usr/bin/env bash
# litellm 1.110.2: a reply whose content is a list of parts, as Mistral's reasoning models
# send it (through a gateway with the API of OpenAI), ends in an InternalServerError, although
# the server has answered 200 and the reply is paid for; who retries server errors pays again.
# A request may hold such lists.
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

litellm.suppress_debug_info = True
text = {"type": "text", "text": "42"}
thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "6 times 7"}]}
contents = ("42", [text], [thinking, text])


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = contents[int(request["messages"][0]["content"])]
        message = {"role": "assistant", "content": content}
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
for number, content in enumerate(contents):
    try:
        response = litellm.completion(
            model="openai/m",
            api_base=f"http://127.0.0.1:{server.server_port}",
            api_key="none",
            max_retries=0,
            messages=[{"role": "user", "content": str(number)}],
        )
        seen = repr(response.choices[0].message.content)
    except Exception as error:
        seen = type(error).__name__
    kinds = content if isinstance(content, str) else [part["type"] for part in content]
    print(f"{kinds}: {seen}")
PROGRAM
cat > expected.txt <<'EXPECTED'
42: '42'
['text']: InternalServerError
['thinking', 'text']: InternalServerError
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
