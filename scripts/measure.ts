/**
 * `npm run measure`: the tables of issue 13, "One house", and of issue 28, "Say it once", counted from the code. `--list WORD`
 * also shows what was found for the rows whose name has that word; `--coverage` also runs a program and counts the functions
 * of two turns; `--json` is for programs.
 *
 * Nothing is written by hand but the goals. The rows about tests read the last reports of `npm test`,
 * `npm run test:long` and `npm run test:fast` (`.ci/results.json`, `.ci/long.json`, `.ci/fast.json`).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtinTable } from "../src/builtins/index.ts";
import type { FieldTable } from "../src/table/index.ts";
import { type Material, measured, type Row, type TestReport } from "./measure/rows.ts";
import { sourcesOf } from "./measure/sources.ts";
import { turnCoverage } from "./measure/turn-coverage.ts";

const root = join(import.meta.dirname, "..");
const text = (path: string): string => readFileSync(join(root, path), "utf8");

function material(): Material {
  const paths = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.replaceAll("\\", "/"));
  const loop = builtinTable().get("agent_loop")?.fields?.options;
  return {
    sources: sourcesOf(Object.fromEntries(paths.sort().map((path) => [path, text(`src/${path}`)]))),
    checklists: text("docs/checklists.md"),
    builtins: new Set(builtinTable().keys()),
    optionTables: optionTables(),
    loopOptions: typeof loop === "function" ? [...loop().names()] : [],
    whole: report(".ci/results.json"),
    long: report(".ci/long.json"),
    fast: report(".ci/fast.json"),
    turns: process.argv.includes("--coverage") ? turnCoverage() : undefined,
  };
}

/** The names of every field table that a builtin's parameter has, and of the tables inside. */
function optionTables(): ReadonlySet<string>[] {
  const seen = new Set<FieldTable>();
  const add = (table: FieldTable): void => {
    if (seen.has(table)) return;
    seen.add(table);
    for (const { nested } of table.rows) if (nested !== undefined) add(nested);
  };
  for (const spec of builtinTable().values())
    for (const param of Object.values(spec.fields ?? {})) if (typeof param === "function") add(param());
  return [...seen].map((table) => new Set(table.names()));
}

const report = (path: string): TestReport | undefined =>
  existsSync(join(root, path)) ? (JSON.parse(text(path)) as TestReport) : undefined;

function show(rows: readonly Row[], listed: string | undefined): void {
  const mark = ({ met }: Row): string => (met === undefined ? " " : met ? "+" : "-");
  for (const row of rows) {
    console.log(`${mark(row)} ${row.what}: ${row.now}${row.goal === "" ? "" : `   (to reach: ${row.goal})`}`);
    console.log(`    ${row.how}`);
    if (listed !== undefined && row.what.includes(listed))
      for (const line of row.found) console.log(`      ${line}`);
  }
  const missed = rows.filter(({ met }) => met === false).length;
  console.log(`\n${rows.length} rows, ${missed} not reached. + reached, - not reached.`);
}

const args = process.argv.slice(2);
const rows = measured(material());
if (args.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else show(rows, args[args.indexOf("--list") + 1 || args.length]);
