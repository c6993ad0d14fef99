#!/usr/bin/env bash
# inspect-ai 0.3.285: match(numeric=True) rounds both numbers to five significant digits
# before it compares them, also with location='exact'. A sum that is wrong in its sixth digit
# is correct (C).
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


def score(answer: str, location: str) -> str:
    state = TaskState(
        model="mockllm/model",
        sample_id=1,
        epoch=1,
        input="sum?",
        messages=[],
        output=ModelOutput.from_content("model", answer),
    )
    scorer = match(location=location, numeric=True)
    return asyncio.run(scorer(state, Target("1234568"))).value


for answer in ("1234567", "1234468"):
    end, exact = score(answer, "end"), score(answer, "exact")
    print(f"target 1234568, answer {answer}: end {end}, exact {exact}")
PROGRAM
cat > expected.txt <<'EXPECTED'
target 1234568, answer 1234567: end C, exact C
target 1234568, answer 1234468: end I, exact I
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
