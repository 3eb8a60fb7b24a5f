/**
 * Which test files belong to which part of the suite. Nobody keeps a list: what a file imports says it, and a file of
 * which that is not true says so in a line of its own, `// suite: fast`, `// suite: slow` or `// suite: processes`.
 *
 * - `processes`: starts programs, the command line above all. One of its own imports below `test/` reaches
 *   `node:child_process`.
 * - `slow`: property files at full length, commands that run in the test's process (`harn-here.ts`), and everything that runs the
 *   golden programs again: recorded and replayed, or with something taken away from them. Simulations and walks over every
 *   program say that they are.
 * - `fast`: the rest. `npm run test:fast` runs these alone.
 *
 * A file of any part that kills at every point, tortures, fuzzes, drives a browser or walks over everything again says why it is
 * long, `// long: kills at every transaction`: `npm test` runs every tenth of its cases, `npm run test:long` all of them. What takes
 * ten minutes for itself says `// long outside of CI: WHY`: CI has the tenth of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { projectRoot } from "./project.ts";

export type Suite = "fast" | "slow" | "processes";

const marker = /^\/\/ suite: (fast|slow|processes)$/m;
const outsideOfCi = /^\/\/ long outside of CI: /m;
const imported = /^(?:import|export)\b[^;]*?["']([^"']+)["'];$/gm;

/** Test files of each part, as paths below the project with slashes. */
export function suites(): Readonly<Record<Suite, readonly string[]>> {
  const found: Record<Suite, string[]> = { fast: [], slow: [], processes: [] };
  const testFolder = join(projectRoot, "test");
  for (const name of readdirSync(testFolder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!name.endsWith(".test.ts")) continue;
    const path = `test/${name.replaceAll("\\", "/")}`;
    found[suiteOf(path, (file) => readFileSync(join(projectRoot, file), "utf8"))].push(path);
  }
  return found;
}

/** The files of each part that are long. */
export function longFiles(): Readonly<Record<Suite, readonly string[]>> {
  const isLong = (path: string): boolean => {
    const text = readFileSync(join(projectRoot, path), "utf8");
    return longBecause(text) !== undefined && (process.env.CI !== "true" || !outsideOfCi.test(text));
  };
  const { fast, slow, processes } = suites();
  return { fast: fast.filter(isLong), slow: slow.filter(isLong), processes: processes.filter(isLong) };
}

/** The part that a test file belongs to. `read` gives the text of a file of the project. */
export function suiteOf(path: string, read: (path: string) => string): Suite {
  const said = marker.exec(read(path))?.[1];
  if (said !== undefined) return said as Suite;
  if (reaches(path, startsProcesses, read)) return "processes";
  return path.startsWith("test/property/") || reaches(path, runsCommands, read) ? "slow" : "fast";
}

/** Why only a part of a file's cases is in `npm test`; undefined where all of them are. */
export const longBecause = (text: string): string | undefined =>
  /^\/\/ long(?: outside of CI)?: (.+)$/m.exec(text)?.[1];

const runsCommands = (specifier: string): boolean => specifier.endsWith("/harn-here.ts");
const startsProcesses = (specifier: string): boolean => specifier === "node:child_process";

/** Does it import such a thing, itself or through files below `test/`? */
function reaches(
  path: string,
  isMeant: (specifier: string) => boolean,
  read: (path: string) => string,
  seen = new Set<string>(),
): boolean {
  if (seen.has(path)) return false;
  seen.add(path);
  for (const [statement, specifier = ""] of read(path).matchAll(imported)) {
    if (/^(?:import|export) type\b/.test(statement)) continue;
    if (isMeant(specifier)) return true;
    const file = resolve("/", dirname(path), specifier).slice(1);
    if (specifier.startsWith(".") && file.startsWith("test/") && reaches(file, isMeant, read, seen))
      return true;
  }
  return false;
}
