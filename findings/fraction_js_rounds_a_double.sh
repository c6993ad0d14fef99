#!/usr/bin/env bash
# fraction.js 5.3.4 for node: a number is replaced by a fraction near to it whose denominator has up to seven digits, not by
# its own value or its decimal digits: 0.123456789 is 10/81, 0.9999999999 is 1, 1e-8 is 0. The same digits as a text are
# exact, but 1e-8 is refused there. Expected of exact fractions: 123456789/1000000000, or the double. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . 'fraction.js@5.3.4'
cat > program.mjs <<'PROGRAM'
import Fraction from "fraction.js";

function fraction(value) {
  try {
    return new Fraction(value).toFraction();
  } catch (error) {
    return error.message;
  }
}

for (const text of ["0.1", "0.12345678", "0.123456789", "0.9999999999", "1e-7", "1e-8"]) {
  console.log(`${text}: from a number ${fraction(Number(text))}, from a text ${fraction(text)}`);
}
console.log("0.9999999999 equals 1:", new Fraction(0.9999999999).equals(1));
PROGRAM
cat > expected.txt <<'EXPECTED'
0.1: from a number 1/10, from a text 1/10
0.12345678: from a number 752785/6097559, from a text 6172839/50000000
0.123456789: from a number 10/81, from a text 123456789/1000000000
0.9999999999: from a number 1, from a text 9999999999/10000000000
1e-7: from a number 1/10000000, from a text Invalid argument
1e-8: from a number 0, from a text Invalid argument
0.9999999999 equals 1: true
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
