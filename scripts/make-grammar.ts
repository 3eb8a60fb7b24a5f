/**
 * Makes what is derived from the parser's rules; run it after every change of the grammar (`npm run grammar`):
 * `src/syntax/lookahead-tables.ts` (the parser's choices) and `grammar/diagrams.html` (railroad diagrams).
 *
 * `--check` only says whether they are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { diagrams, lookaheadTables } from "./grammar-artefacts.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const artefacts = [
  { path: "src/syntax/lookahead-tables.ts", text: lookaheadTables },
  { path: "grammar/diagrams.html", text: diagrams },
];

let stale = 0;
for (const { path, text } of artefacts) {
  const file = join(root, path);
  const wanted = text();
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) continue;
  stale++;
  if (!process.argv.includes("--check")) writeFileSync(file, wanted);
  console.log(`${process.argv.includes("--check") ? "out of date" : "written"}: ${path}`);
}
if (process.argv.includes("--check") && stale > 0) process.exitCode = 1;
