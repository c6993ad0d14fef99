#!/usr/bin/env bash
# litellm 1.110.2: a reply of groq/... without a service_tier, which is optional in OpenAI's form,
# raises APIConnectionError, though it has arrived and is paid: the attribute is read before it is
# looked for. The same reply of openai/... is returned.
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
tiers = ({"service_tier": "on_demand"}, {})


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        extra = tiers[int(request["messages"][0]["content"])]
        message = {"role": "assistant", "content": "42"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        body = json.dumps({**reply, "choices": [choice], **extra}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for model in ("openai/m", "groq/m"):
    for number, extra in enumerate(tiers):
        try:
            response = litellm.completion(
                model=model,
                api_base=f"http://127.0.0.1:{server.server_port}",
                api_key="none",
                messages=[{"role": "user", "content": str(number)}],
            )
            said = response.choices[0].message.content
        except litellm.APIConnectionError as error:
            said = type(error).__name__
        print(f"{model} {extra}: {said}")
PROGRAM
cat > expected.txt <<'EXPECTED'
openai/m {'service_tier': 'on_demand'}: 42
openai/m {}: 42
groq/m {'service_tier': 'on_demand'}: 42
groq/m {}: APIConnectionError
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
