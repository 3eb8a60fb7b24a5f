/** `npm run bench [name …]`: every benchmark in this folder, or those named. Ratios within one run are what counts. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Benchmark, printRows } from "./rows.ts";

const benchmarks = [
  "startup",
  "parse",
  "types",
  "kernels",
  "cold",
  "growth",
  "memory",
  "turn",
  "agents",
  "daemons",
  "evals",
  "compaction",
  "control",
  "stall",
  "replay",
  "store",
  "library",
  "serve",
  "viewer",
  "cluster",
];
const folder = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);

/** A name may be cut short as long as it is clear: `npm run bench eval`. */
const fullName = (name: string): string => {
  const longer = benchmarks.filter((one) => one.startsWith(name));
  return benchmarks.includes(name) || longer.length !== 1 ? name : (longer[0] as string);
};

for (const name of wanted.length > 0 ? wanted.map(fullName) : benchmarks) {
  const file = join(folder, `${name}.ts`);
  if (!existsSync(file)) {
    console.error(`bench: there is no ${name}; there are ${benchmarks.join(", ")}`);
    process.exitCode = 2;
    continue;
  }
  const { run } = (await import(pathToFileURL(file).href)) as { run: Benchmark };
  printRows(name, await run());
}
