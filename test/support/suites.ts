/**
 * Which test files belong to which part of the suite. Nobody keeps a list: what a file imports says it, and a file of
 * which that is not true says so in a line of its own, `// suite: fast`, `// suite: long` or `// suite: processes`.
 *
 * - `processes`: starts programs, the command line above all. One of its own imports below `test/` reaches
 *   `node:child_process`.
 * - `long`: property files at full length, and everything that runs the golden programs again: recorded and replayed,
 *   or with something taken away from them. Simulations, torture and walks over every program say that they are.
 * - `fast`: the rest. `npm run test:fast` runs these alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { projectRoot } from "./project.ts";

export type Suite = "fast" | "long" | "processes";

const marker = /^\/\/ suite: (fast|long|processes)$/m;
const imported = /^(?:import|export)\b[^;]*?["']([^"']+)["'];$/gm;

/** Test files of each part, as paths below the project with slashes. */
export function suites(): Readonly<Record<Suite, readonly string[]>> {
  const found: Record<Suite, string[]> = { fast: [], long: [], processes: [] };
  const testFolder = join(projectRoot, "test");
  for (const name of readdirSync(testFolder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!name.endsWith(".test.ts")) continue;
    const path = `test/${name.replaceAll("\\", "/")}`;
    found[suiteOf(path, (file) => readFileSync(join(projectRoot, file), "utf8"))].push(path);
  }
  return found;
}

/** The part that a test file belongs to. `read` gives the text of a file of the project. */
export function suiteOf(path: string, read: (path: string) => string): Suite {
  const said = marker.exec(read(path))?.[1];
  if (said !== undefined) return said as Suite;
  if (startsProcesses(path, read, new Set())) return "processes";
  return path.startsWith("test/property/") ? "long" : "fast";
}

/** Does it import `node:child_process`, itself or through files below `test/`? */
function startsProcesses(path: string, read: (path: string) => string, seen: Set<string>): boolean {
  if (seen.has(path)) return false;
  seen.add(path);
  for (const [statement, specifier = ""] of read(path).matchAll(imported)) {
    if (/^(?:import|export) type\b/.test(statement)) continue;
    if (specifier === "node:child_process") return true;
    const file = resolve("/", dirname(path), specifier).slice(1);
    if (specifier.startsWith(".") && file.startsWith("test/") && startsProcesses(file, read, seen))
      return true;
  }
  return false;
}
