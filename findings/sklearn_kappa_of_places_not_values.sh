#!/usr/bin/env bash
# scikit-learn 1.9.1: weighted Cohen kappa of two judges takes the distance of grades by their places in the sorted list of
# those that were given, not by their values: 1 for 100 is no worse than 1 for 0 where nobody gave a grade between, a scale
# of 1 to 5 on which nobody gave 3 has another kappa than with labels=[1, 2, 3, 4, 5], and as texts "10" is next to "8", not
# to "9". Expected: distances of the numbers, or of the scale.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'scikit-learn==1.9.1'
cat > program.py <<'PROGRAM'
from sklearn.metrics import cohen_kappa_score


def kappa(first, second, **options) -> str:
    return f"{cohen_kappa_score(first, second, weights='quadratic', **options):.3f}"


truth = [0, 0, 1, 1, 100, 100]
print("1 given for 0:", kappa(truth, [0, 1, 1, 1, 100, 100]))
print("1 given for 100:", kappa(truth, [0, 0, 1, 1, 100, 1]))
first, second = [1, 2, 4, 5, 5, 1, 2, 4], [1, 4, 4, 5, 2, 1, 2, 4]
print("nobody gave 3:", kappa(first, second))
print("with all labels:", kappa(first, second, labels=[1, 2, 3, 4, 5]))
first, second = [10, 9, 8, 10, 9, 8], [10, 9, 10, 10, 9, 8]
print("10 for 8, as numbers:", kappa(first, second))
print("10 for 8, as texts:", kappa(*(list(map(str, grades)) for grades in (first, second))))
PROGRAM
cat > expected.txt <<'EXPECTED'
1 given for 0: 0.857
1 given for 100: 0.857
nobody gave 3: 0.722
with all labels: 0.649
10 for 8, as numbers: 0.500
10 for 8, as texts: 0.889
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
