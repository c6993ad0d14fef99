#!/usr/bin/env bash
# wandb 0.31.0: an integer outside of 64 signed bits that is given to init(config=...) is a float in run.config, from which
# a program is meant to take its settings: half of all seeds of 64 bits are rounded, so a run that takes its seed from
# there draws other problems than the seed in the stored run. Set as run.config["seed"] = ..., the same number is kept. A
# Decimal or Fraction becomes a text, which no chart shows. Expected: the number itself, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'wandb==0.31.0'
cat > program.py <<'PROGRAM'
import random
from decimal import Decimal
from fractions import Fraction

import wandb

seed = 18364758544493064721
settings = {"seed": seed, "small": 2**63 - 1, "large": 2**63, "price": Decimal("0.10")}
with wandb.init(project="sums", config=settings) as run:
    for name, value in settings.items():
        print(f"{name}: given {value!r}, read {run.config[name]!r}")
    for source in (seed, run.config["seed"]):
        print("first operand:", random.Random(source).randrange(100))
    run.config["later"] = seed
    print("later:", run.config["later"])
    run.log({"share": Fraction(1, 3), "total": seed})
    print("logged:", repr(run.summary["share"]), repr(run.summary["total"]))
PROGRAM
cat > expected.txt <<'EXPECTED'
seed: given 18364758544493064721, read 1.8364758544493064e+19
small: given 9223372036854775807, read 9223372036854775807
large: given 9223372036854775808, read 9.223372036854776e+18
price: given Decimal('0.10'), read '0.10'
first operand: 63
first operand: 91
later: 18364758544493064721
logged: '1/3' 1.8364758544493064e+19
EXPECTED
HOME=$folder WANDB_MODE=offline WANDB_SILENT=true WANDB_DISABLE_GIT=true .venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
