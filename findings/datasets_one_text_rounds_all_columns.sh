#!/usr/bin/env bash
# datasets 5.2.0: in JSON lines, a column with texts and a number changes the whole file. Its texts are parsed as JSON ("007"
# is 7, "1.50" is 1.5, "null" is None), and the numbers of all other columns are rounded to ten decimals: 3.141592653589793
# is 3.1415926536, a log probability of -1.25e-12 is -0.0. If the number is put in quotes, every value stays as it is. Expected:
# the values of the file, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'datasets==5.2.0'
cat > program.py <<'PROGRAM'
from pathlib import Path

import datasets

datasets.disable_progress_bars()
answers = ('"007"', '"1.50"', '"null"')
logprobs = ("-0.0000123456789", "-1.25e-12", "-3.141592653589793", "-0.5")
for last in ('"42"', "42"):
    file = Path(f"{len(last)}.jsonl")
    rows = zip((*answers, last), logprobs, strict=True)
    file.write_text("".join(f'{{"answer": {a}, "logprob": {b}}}\n' for a, b in rows))
    table = datasets.load_dataset("json", data_files=str(file), split="train")
    print(f"last answer {last}:", table["answer"][:], table["logprob"][:])
PROGRAM
cat > expected.txt <<'EXPECTED'
last answer "42": ['007', '1.50', 'null', '42'] [-1.23456789e-05, -1.25e-12, -3.141592653589793, -0.5]
last answer 42: [7, 1.5, None, 42] [-1.23457e-05, -0.0, -3.1415926536, -0.5]
EXPECTED
HF_HOME=$folder HF_HUB_OFFLINE=1 .venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
