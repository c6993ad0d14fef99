#!/usr/bin/env bash
# json-bigint 1.0.0 for node: with useNativeBigInt every number of more than 15 characters is given to BigInt, also a decimal
# or one with an exponent, so valid JSON such as a log probability of 17 digits is a SyntaxError, and integers are
# number or bigint by their length. Expected: a double for what is no integer. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . 'json-bigint@1.0.0'
cat > program.mjs <<'PROGRAM'
import JSONbig from "json-bigint";

const parser = JSONbig({ useNativeBigInt: true });
for (const text of [
  "123456789012345",
  "1234567890123456",
  "12345678901234567890",
  "-0.1234567890123",
  "-0.12345678901234",
  "1234567890.123456",
]) {
  try {
    const value = parser.parse(`{"n": ${text}}`).n;
    console.log(`${text}: ${typeof value} ${value}`);
  } catch (error) {
    console.log(`${text}: ${error.name}: ${error.message}`);
  }
}
PROGRAM
cat > expected.txt <<'EXPECTED'
123456789012345: number 123456789012345
1234567890123456: bigint 1234567890123456
12345678901234567890: bigint 12345678901234567890
-0.1234567890123: SyntaxError: Cannot convert -0.1234567890123 to a BigInt
-0.12345678901234: SyntaxError: Cannot convert -0.12345678901234 to a BigInt
1234567890.123456: SyntaxError: Cannot convert 1234567890.123456 to a BigInt
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
