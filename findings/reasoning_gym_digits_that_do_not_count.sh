#!/usr/bin/env bash
# reasoning-gym 0.1.25: decimal_arithmetic asks for 12 significant digits, but an answer may be off by one in the last decimal
# place of the operands, so with one place all 300 answers rounded to tenths are right. In number_sorting each number may be
# off by 1, so all lists in whole numbers are right, while number_filtering takes no other form of the same numbers.
# Expected: the digits that were asked for, and one rule.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'reasoning-gym==0.1.25'
cat > program.py <<'PROGRAM'
import json
import warnings
from decimal import Decimal

warnings.simplefilter("ignore")
import reasoning_gym


def right(dataset, answer) -> str:
    return f"{sum(dataset.score_answer(answer(entry), entry) == 1 for entry in dataset)} right"


def numbers(entry) -> list[str]:
    return json.loads(entry["answer"].replace("'", '"'))


places = {"min_num_decimal_places": 1, "max_num_decimal_places": 1}
sums = reasoning_gym.create_dataset("decimal_arithmetic", size=300, seed=1, **places)
print("..." + sums[0]["question"][-90:].replace("\n", " "), sums[0]["answer"])
print("rounded to tenths:", right(sums, lambda e: str(round(Decimal(e["answer"]), 1))))
for name in ("number_sorting", "number_filtering"):
    lists = reasoning_gym.create_dataset(name, size=300, seed=1)
    whole = right(lists, lambda e: str([str(round(float(n))) for n in numbers(e)]))
    quoted = right(lists, lambda e: json.dumps(numbers(e)))
    print(f"{name}: in whole numbers {whole}, in double quotes {quoted}")
PROGRAM
cat > expected.txt <<'EXPECTED'
...cant digits, rounding up from the half. Only reply with the final value. (3.3+9.8)/8.4 = ? 1.55952380952
rounded to tenths: 300 right
number_sorting: in whole numbers 300 right, in double quotes 300 right
number_filtering: in whole numbers 13 right, in double quotes 0 right
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
