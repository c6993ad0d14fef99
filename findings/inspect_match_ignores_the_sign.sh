#!/usr/bin/env bash
# inspect-ai 0.3.285: match() without numeric=True drops punctuation at both ends of target
# and answer, and the minus is punctuation: -5 is correct (C) for 5, and 5 for -5. With
# numeric=True both are wrong (I).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'inspect-ai==0.3.285'
cat > program.py <<'PROGRAM'
import asyncio

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Target, match
from inspect_ai.solver import TaskState


def score(answer: str, target: str, *, numeric: bool) -> str:
    state = TaskState(
        model="mockllm/model",
        sample_id=1,
        epoch=1,
        input="difference?",
        messages=[],
        output=ModelOutput.from_content("model", answer),
    )
    return asyncio.run(match(numeric=numeric)(state, Target(target))).value


for target, answer in (("5", "-5"), ("-5", "5")):
    text = score(answer, target, numeric=False)
    numeric = score(answer, target, numeric=True)
    print(f"target {target:>2}, answer {answer:>2}: text {text}, numeric {numeric}")
PROGRAM
cat > expected.txt <<'EXPECTED'
target  5, answer -5: text C, numeric I
target -5, answer  5: text C, numeric I
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
