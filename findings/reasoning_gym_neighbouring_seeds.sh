#!/usr/bin/env bash
# reasoning-gym 0.1.25: a question is drawn from seed + index, so data sets of neighbouring seeds have nearly the
# same questions, shifted by one: of 20 sums with the seed 1, 19 are those with the seed 0. Runs that differ in
# such seeds are no independent repeats. Nor does every grader score a reply of words: that of
# prime_factorization raises ValueError where others return 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'reasoning-gym==0.1.25'
cat > ask.py <<'PROGRAM'
import reasoning_gym


def questions(seed):
    made = reasoning_gym.create_dataset("chain_sum", seed=seed, size=20)
    return [one["question"] for one in made]


first, second = questions(0), questions(1)
print("in both:", len(set(first) & set(second)), "of 20")
print("shifted by one:", first[1:] == second[:-1])
primes = reasoning_gym.create_dataset("prime_factorization", seed=0, size=1)
try:
    print("words score", primes.score_answer("two times three", primes[0]))
except ValueError as error:
    print("words raise", type(error).__name__)
PROGRAM
cat > expected.txt <<'EXPECTED'
in both: 19 of 20
shifted by one: True
words raise ValueError
EXPECTED
.venv/bin/python -W ignore ask.py | tee seen.txt
diff expected.txt seen.txt
