#!/usr/bin/env bash
# reasoning-gym 0.1.25: the default score_answer gives credit by length if the right answer is
# a part of the given one, so a number with a further digit earns most of the points, and more
# than the right number written with a separator.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'reasoning-gym==0.1.25'
cat > program.py <<'PROGRAM'
import reasoning_gym

dataset = reasoning_gym.create_dataset("basic_arithmetic", size=1, seed=1)
entry = {**dataset[0], "answer": "2842"}
for answer in ("2842", "12842", "28420", "2,842"):
    print(f"{answer:7} {dataset.score_answer(answer, entry)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
2842    1.0
12842   0.8
28420   0.8
2,842   0.0
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
