#!/usr/bin/env bash
# ruamel.yaml 0.19.1: its round trip, meant to keep a file as it is, writes decimals otherwise: 1_000.5 becomes 01000.5,
# 12_345.6e2 becomes 123456.0e1, 1e400 becomes .inf, and digits above 17 become others, with zeros that look exact. Integers
# of any length or with _, 1.50e3 and 100.10 are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'ruamel.yaml==0.19.1'
cat > program.py <<'PROGRAM'
import io

from ruamel.yaml import YAML

yaml = YAML()
for number in (
    "1_000",
    "1_000.5",
    "12_345.6e2",
    "1.50e3",
    "100.10",
    "12345678901234567890123",
    "12345678901234567890.125",
    "123456789012345678.5",
    "1e400",
):
    file = io.StringIO()
    yaml.dump(yaml.load(f"n: {number}\n"), file)
    print(number, "->", file.getvalue().strip().removeprefix("n: "))
PROGRAM
cat > expected.txt <<'EXPECTED'
1_000 -> 1_000
1_000.5 -> 01000.5
12_345.6e2 -> 123456.0e1
1.50e3 -> 1.50e3
100.10 -> 100.10
12345678901234567890123 -> 12345678901234567890123
12345678901234567890.125 -> 12345678901234567168.000
123456789012345678.5 -> 123456789012345680.0
1e400 -> .inf
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
