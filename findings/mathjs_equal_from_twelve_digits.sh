#!/usr/bin/env bash
# mathjs 15.2.0 for node: numbers of its type BigNumber, of 64 digits, are equal if they differ after the twelfth one:
# 1000000000000 == 1000000000001, and the second is not larger, though their difference is 1. Fraction and bigint compare
# exactly, but factorial(25) of a bigint is a double, and round(-2.5) is -2 as a Fraction, -3 otherwise. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . 'mathjs@15.2.0'
cat > program.mjs <<'PROGRAM'
import { all, create } from "mathjs";

const expressions = [
  "1000000000000 == 1000000000001",
  "1000000000001 > 1000000000000",
  "1000000000001 - 1000000000000",
  "factorial(25)",
  "round(-2.5)",
];
for (const number of ["number", "BigNumber", "Fraction", "bigint"]) {
  const math = create(all, { number });
  for (const expression of expressions) {
    let value;
    try {
      value = math.format(math.evaluate(expression));
    } catch (error) {
      value = error.constructor.name;
    }
    console.log(`${number}: ${expression}: ${value}`);
  }
}
PROGRAM
cat > expected.txt <<'EXPECTED'
number: 1000000000000 == 1000000000001: true
number: 1000000000001 > 1000000000000: false
number: 1000000000001 - 1000000000000: 1
number: factorial(25): 1.5511210043330986e+25
number: round(-2.5): -3
BigNumber: 1000000000000 == 1000000000001: true
BigNumber: 1000000000001 > 1000000000000: false
BigNumber: 1000000000001 - 1000000000000: 1
BigNumber: factorial(25): 1.5511210043330985984e+25
BigNumber: round(-2.5): -3
Fraction: 1000000000000 == 1000000000001: false
Fraction: 1000000000001 > 1000000000000: true
Fraction: 1000000000001 - 1000000000000: 1/1
Fraction: factorial(25): TypeError
Fraction: round(-2.5): -2/1
bigint: 1000000000000 == 1000000000001: false
bigint: 1000000000001 > 1000000000000: true
bigint: 1000000000001 - 1000000000000: 1
bigint: factorial(25): 1.5511210043330986e+25
bigint: round(-2.5): -3
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
