/**
 * `docs/builtins.md` from the builtin table: `npm run docs`. With `--check` it only compares and fails when the page
 * is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtinTable } from "../src/builtins/index.ts";
import { referencePage as pageOf } from "../src/tools/doc/reference.ts";

export const referencePath: string = fileURLToPath(new URL("../docs/builtins.md", import.meta.url));

/** The whole page. */
export const referencePage = (): string => pageOf(builtinTable().values());

function main(): void {
  const page = referencePage();
  if (!process.argv.includes("--check")) {
    writeFileSync(referencePath, page);
    return;
  }
  if (readFileSync(referencePath, "utf8") === page) return;
  console.error("docs/builtins.md is out of date: run `npm run docs`");
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
