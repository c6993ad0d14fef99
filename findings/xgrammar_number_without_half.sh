#!/usr/bin/env bash
# web-xgrammar 0.1.27 (xgrammar for node and browsers): with a JSON schema of a number from 0 on, a model can write 0, 1 and
# 1.5, but nothing between 0 and 1; any limit also takes away exponents and every digit after the sixth decimal place. A
# list that has to contain a 5 can only be empty. Expected: what the schema allows. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . '@mlc-ai/web-xgrammar@0.1.27'
cat > program.mjs <<'PROGRAM'
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

// The package says that it is an ES module, but is a script that looks for these two.
globalThis.require = createRequire(import.meta.url);
globalThis.__filename = fileURLToPath(import.meta.url);
await import("@mlc-ai/web-xgrammar");
const { Grammar, Testings } = globalThis.xgrammar;

const numbers = ["0", "0.1", "0.5", "0.99", "1", "1.5", "1.123456", "1.1234567", "1e3"];
const lists = ["[]", "[5]", "[5, 6]"];
for (const [schema, texts] of [
  [{ type: "number" }, numbers],
  [{ type: "number", minimum: 0 }, numbers],
  [{ type: "number", minimum: -1 }, numbers],
  [{ type: "array" }, lists],
  [{ type: "array", contains: { const: 5 } }, lists],
]) {
  const grammar = await Grammar.fromJSONSchema(JSON.stringify(schema));
  const taken = [];
  for (const text of texts) {
    if (await Testings.isGrammarAcceptString(grammar, text)) taken.push(text);
  }
  console.log(JSON.stringify(schema), "takes", taken.join(" "));
}
PROGRAM
cat > expected.txt <<'EXPECTED'
{"type":"number"} takes 0 0.1 0.5 0.99 1 1.5 1.123456 1.1234567 1e3
{"type":"number","minimum":0} takes 0 1 1.5 1.123456
{"type":"number","minimum":-1} takes 0 0.1 0.5 0.99 1 1.5 1.123456
{"type":"array"} takes [] [5] [5, 6]
{"type":"array","contains":{"const":5}} takes []
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
